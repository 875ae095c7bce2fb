"""One board of a later street, with all that follows it, as a game of its own: values there without the rest.

A solver's values at a node take a pass over all boards. A branch has one board and those after it, a fiftieth of a
flop's boards or less, with the solver's average strategy copied into it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import HANDS, hole_cards, renamed_hands
from solvent.engines.holdem.kernels import EVALUATE
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.boards import IDENTITY, Suits
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.games.public_rules import Betting
from solvent.spots.nodes.lines import board_after


@dataclass(frozen=True)
class _BranchRules:
    """What the form reads of rules, for one board of a later street."""

    whole: Any
    street: int
    root_board: tuple[int, ...]
    betting: Betting

    def __str__(self) -> str:
        return f"{self.whole} on {self.root_board}"

    @property
    def deck(self) -> tuple[int, ...]:
        return tuple(self.whole.deck)

    @property
    def deals(self) -> Sequence[int]:
        return tuple(self.whole.deals[self.street :])

    @property
    def range_weights(self) -> tuple[NDArray[np.float64], ...]:
        blocked = np.isin(hole_cards(), self.root_board).any(axis=1)
        return tuple(np.where(blocked, 0.0, weights) for weights in self.whole.range_weights)


class Branch:
    """The values of a solver's strategy on one board, from the root of a street's betting on."""

    def __init__(self, solver: HoldemSolver, root: int, board: int) -> None:
        """Copy the strategy from node `root`, the first of its street's betting, on a board of that street."""
        whole = solver.game
        self.street = int(whole.tree.street[root])
        cards = tuple(whole.streets[self.street].boards.cards[board].tolist())
        rules = _BranchRules(whole.rules, self.street, cards, whole.tree.betting[root])
        # Suits that the whole board leaves may tell deals apart that led to it, so none are joined.
        game = holdem_game(rules, isomorphism=False)
        self._solver = HoldemSolver(game, solver.rule, solver.threads, solver.dtype)
        numbers = {id(betting): node for node, betting in enumerate(game.tree.betting)}
        self._node = {
            node: numbers[id(betting)]
            for node, betting in enumerate(whole.tree.betting)
            if id(betting) in numbers
        }
        self._places = [np.searchsorted(whole.hands[player], game.hands[player]) for player in (0, 1)]
        self._hands = len(whole.hands[0]), len(whole.hands[1])
        self._solver.average_scale[:] = 1
        self._copy(solver, board)
        for player, reach in enumerate(solver.reaches_at(root, board)):
            self._solver.passes.start_with(player, reach[self._places[player]])

    def values(self, player: int, node: int) -> NDArray[np.float64]:
        """A player's values at a node, by the hands of the whole game's list: sums over the other's reach."""
        at = self._node[node]
        found = np.zeros(self._hands[player])
        values = self._solver.hand_values(player, EVALUATE, at)
        found[self._places[player]] = values / self._solver.chance_at(at)
        return found

    def _copy(self, solver: HoldemSolver, board: int) -> None:
        """Copy the averages of all boards of the branch from the boards that stand for them."""
        game = self._solver.game
        nodes = np.zeros(len(game.tree.kind), dtype=np.int64)
        nodes[list(self._node.values())] = list(self._node)
        edge_node = game.tree.edge_node
        inside = np.arange(len(edge_node)) - game.tree.first_edge[edge_node]
        edges = solver.game.tree.first_edge[nodes[edge_node]] + inside
        stands: list[tuple[int, Suits]] = [(board, IDENTITY)]
        for number, street in enumerate(game.streets):
            if number:
                dealt = street.boards.cards[:, game.streets[number - 1].boards.cards.shape[1] :].tolist()
                above = street.boards.parent.tolist()
                before, at_street = stands, self.street + number - 1
                stands = [
                    board_after(solver.game, at_street, before[parent][0], before[parent][1], cards)
                    for parent, cards in zip(above, dealt, strict=True)
                ]
            for player in (0, 1):
                own = (game.tree.street[edge_node] == number) & (game.tree.player[edge_node] == player)
                if own.any():
                    here = np.flatnonzero(own)
                    for at, (whole_board, suits) in enumerate(stands):
                        given = _cells(
                            solver.game, self.street + number, whole_board, edges[here], player, suits
                        )
                        taken = _cells(game, number, at, here, player, IDENTITY)
                        held = (given[0] >= 0) & (taken[0] >= 0)
                        into = taken[1][:, None] + taken[0][held]
                        self._solver.average[into] = solver.average[given[1][:, None] + given[0][held]]


def _cells(
    game: HoldemGame, street: int, board: int, edges: NDArray[np.int64], player: int, suits: Suits
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The slot of each hand by number, int64[1326], its suits renamed first, and where each edge begins."""
    place = game.streets[street].sides[player].hand[board].astype(np.int64)
    slot = np.full(HANDS, -1, dtype=np.int64)
    slot[game.hands[player][place[place >= 0]]] = np.flatnonzero(place >= 0)
    first = game.street_at[street] + board * game.board_cells[street] + game.edge_at[edges]
    return slot[renamed_hands(suits)], np.asarray(first, dtype=np.int64)
