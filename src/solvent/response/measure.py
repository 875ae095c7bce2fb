"""What strategies are worth, on whichever form they were found: exploitability, and one against another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solvent.forms.history import GameTree, compile_tree
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.passes.public_pass import PublicPass
from solvent.response.history import Evaluation, evaluate, expected_value
from solvent.response.public import evaluate_public
from solvent.strategy.locks import Locks
from solvent.strategy.public_infosets import PublicInfosets
from solvent.strategy.tables import TableStrategy, different_games


def exploitability(game: Any, strategy: TableStrategy | ArrayLike, locks: Locks | None = None) -> float:
    """NashConv / 2 of a strategy, in chips. `game` is a compiled game or whatever `load_game` takes.

    With a compiled game, the strategy may also be its numbers by cell, such as `HistorySolver.average_strategy`.
    With `locks` both players respond outside the locked infosets alone.
    """
    tree = game if isinstance(game, GameTree) else None
    if not isinstance(strategy, TableStrategy):
        if tree is None:
            raise InputError("numbers by cell need the compiled game they belong to")
        strategy = TableStrategy.of(tree, np.asarray(strategy, dtype=np.float64))
    rules = load_game(game) if tree is None else None
    name = str(rules) if tree is None else tree.name
    if rules is not None and not isinstance(strategy.infosets, PublicInfosets):
        tree = compile_tree(rules)
    same = name == strategy.game if tree is None else tree.fingerprint == strategy.fingerprint
    if not same:
        raise InputError(f"the strategy is of {strategy.game}, not of {name}")
    return measure(strategy, tree, locks).exploitability


def measure(strategy: TableStrategy, tree: GameTree | None = None, locks: Locks | None = None) -> Evaluation:
    """Exploitability, value and best-response values; `tree` spares compiling the game again.

    With `locks` both players respond outside the locked infosets alone.
    """
    if locks:
        locks.check(strategy.game, strategy.fingerprint)
    if isinstance(strategy.infosets, PublicInfosets):
        weights = np.array(strategy.weights)  # a copy: kernels take arrays that can be written to
        return evaluate_public(
            PublicPass(strategy.infosets.game, weights.dtype), strategy.infosets.block, weights, locks
        )
    return evaluate(tree or compile_tree(load_game(strategy.game)), strategy.probabilities, locks)


def value_against(first: TableStrategy, second: TableStrategy, tree: GameTree | None = None) -> float:
    """What player 0 wins, in chips a game, when playing the first strategy against player 1's second."""
    if first.fingerprint != second.fingerprint:
        raise InputError(different_games(first, second))
    if isinstance(first.infosets, PublicInfosets):
        game = first.infosets.game
        player = np.repeat(game.nodes.player[game.edge_node], game.block_sizes)
        weights = np.where(player == 0, first.probabilities, second.probabilities)
        return evaluate_public(PublicPass(game, np.dtype(np.float64)), first.infosets.block, weights).value[0]
    tree = tree or compile_tree(load_game(first.game))
    return expected_value(tree, (first.probabilities, second.probabilities))[0]
