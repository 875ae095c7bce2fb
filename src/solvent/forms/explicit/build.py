"""Explicit public trees from rules: `PublicRules` whose terminals have matrices, such as Kuhn, Leduc and Bluff."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.explicit.tree import NO_NODE, Ends, ExplicitTree
from solvent.forms.public.game import PublicGame, public_game
from solvent.games.game import GameError
from solvent.games.public_rules import Betting, PublicRules, sign_of


def explicit_tree(rules: PublicRules, root: Betting | None = None) -> ExplicitTree:
    """The explicit public tree of some rules.

    `root` is another betting tree of the same game to begin with, for instance one with fewer actions; actions that
    it lacks can be grafted later.
    """
    game = public_game(rules, isomorphism=False)
    if game.sorted_hands:
        raise GameError(f"{rules} has hole cards; the explicit public tree is for games with few hands")
    boards = [board for here in game.rounds for board in here.boards]
    chances = [game.chances(level) for level in range(len(game.rounds))]
    tree = ExplicitTree(
        rules, game.hands, boards, _board_parents(game), np.concatenate(chances), _ends(game, chances)
    )
    tree.append(NO_NODE, "", rules.betting if root is None else root, 0, np.nan)
    return tree


def _board_parents(game: PublicGame) -> NDArray[np.int32]:
    """The number of the board before each board, over all rounds; -1 for the root's."""
    parents, start = [np.array([-1], dtype=np.int32)], 0
    for before, here in zip(game.rounds, game.rounds[1:], strict=False):
        parents.append((here.parent + start).astype(np.int32))
        start += len(before.boards)
    return np.concatenate(parents)


def _ends(game: PublicGame, chances: list[NDArray[np.float64]]) -> Ends:
    """Make a matrix of probability times sign for every symbol on every board of the rounds that it ends."""
    first_board = np.cumsum([0, *(len(here.boards) for here in game.rounds)])
    found: list[NDArray[np.float64]] = []
    number: dict[tuple[Any, int], int] = {}
    terminals = {
        (int(level), betting.symbol)
        for level, betting in zip(game.nodes.round, game.betting, strict=True)
        if not betting.actions and not betting.deals
    }
    for level, symbol in sorted(terminals, key=repr):
        for k, board in enumerate(game.rounds[level].boards):
            number[symbol, int(first_board[level]) + k] = len(found)
            signs = [
                [
                    sign_of(game.rules, symbol, board, a, b) if chances[level][k, i, j] else 0
                    for j, b in enumerate(game.hands)
                ]
                for i, a in enumerate(game.hands)
            ]
            found.append(np.array(signs, dtype=np.float64) * chances[level][k])
    return Ends(np.array(found), number)
