"""Values, reaches and equities at the nodes of a solver, on the boards that stand for others, by the game's hands.

Whoever asks about many nodes keeps one `Answers`, so that nodes that differ only in the names of suits are computed
once. It is for one state of the solver's tables.

A solver's values at a node take a pass over all boards. Behind a deal a `_Branch` stands in: the game of one board
and those after it, a fiftieth of a flop's boards or less, with the solver's average strategy copied into it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import HANDS, hole_cards, renamed_hands
from solvent.engines.holdem.kernels import EVALUATE
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.boards import IDENTITY, Suits
from solvent.forms.holdem.game import MOST_AT_ONCE, HoldemGame, holdem_game, strengths
from solvent.forms.holdem.hand_kernels import count_run_outs
from solvent.games.public_rules import Betting
from solvent.spots.nodes.lines import board_after
from solvent.strategy.reach import ratio

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
"""An array by hand for each player, OOP first."""
MOST_KEPT = 16


class Showdowns:
    """Equities of pairs of hands on the boards of a game, counted exactly."""

    def __init__(self, game: HoldemGame) -> None:
        self.game = game
        first, second = (hole_cards()[numbers] for numbers in game.hands)
        shared = (first[:, None, :, None] == second[None, :, None, :]).any(axis=(2, 3))
        self.apart: NDArray[np.float64] = (~shared).astype(np.float64)
        """float64[hands of player 0, hands of player 1]: 1 where two hands have no card in common, 0 elsewhere."""
        self._kept: dict[tuple[int, int], NDArray[np.int16]] = {}
        """Boards won less boards lost, by pair of hands; 1,081 at most."""

    def against(self, reaches: Pair) -> Pair:
        """Sum, for each hand, the other's reach over the hands that can be held with it."""
        return self.apart @ reaches[1], self.apart.T @ reaches[0]

    def equity(self, street: int, board: int, reaches: Pair) -> Pair:
        """Find each hand's equity against the other's reach on a board; NaN where the reach leaves no hand.

        Ties count half. Reaches are 0 for hands that the board blocks; equities of such hands have no meaning.
        """
        ahead, (first, second) = self._ahead(street, board), self.against(reaches)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (
                np.where(first > 0, (1 + ahead @ reaches[1] / first) / 2, np.nan),
                np.where(second > 0, (1 - ahead.T @ reaches[0] / second) / 2, np.nan),
            )

    def _ahead(self, street: int, board: int) -> NDArray[np.float64]:
        """Fraction of the boards to come that player 0 wins less the fraction that is lost, by pair of hands."""
        if (street, board) not in self._kept:
            while len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[street, board] = self._count(street, board)
        so_far = self.game.streets[street].boards.cards.shape[1]
        return self._kept[street, board] / comb(len(self.game.rules.deck) - so_far - 4, self._left(street))

    def _left(self, street: int) -> int:
        return int(sum(self.game.rules.deals[street:]))

    def _count(self, street: int, board: int) -> NDArray[np.int16]:
        rules, hands = self.game.rules, self.game.hands
        so_far = self.game.streets[street].boards.cards[board].tolist()
        to_deal = combinations([card for card in rules.deck if card not in so_far], self._left(street))
        counted = np.zeros(self.apart.shape, dtype=np.int32)
        while after := list(islice(to_deal, MOST_AT_ONCE)):
            whole = np.array([so_far + list(cards) for cards in after], dtype=np.int8)
            first, second = (strengths(rules, whole, numbers) for numbers in hands)
            count_run_outs(first, second, counted, counted[:0])
        return (counted * self.apart).astype(np.int16)


class Answers:
    """Nodes of a solver by number and board, each computed once."""

    def __init__(self, solver: HoldemSolver, showdowns: Showdowns) -> None:
        self.solver, self.showdowns = solver, showdowns
        self._nodes: dict[tuple[int, int], SolvedNode] = {}
        self._branch: tuple[int, int, _Branch] | None = None

    def at(self, node: int, board: int) -> SolvedNode:
        """Return the node of this number on a board of its street."""
        if (node, board) not in self._nodes:
            self._nodes[node, board] = SolvedNode(self, node, board)
        return self._nodes[node, board]

    def values(self, player: int, node: int, board: int) -> NDArray[np.float64]:
        """Sum a player's winnings at a node over the other's reach, for each hand, in chips."""
        tree = self.solver.game.tree
        street = int(tree.street[node])
        if street == 0:
            return self.solver.hand_values(player, EVALUATE, node, board) / self.solver.chance_at(node)
        root = next(each.start for each in tree.subtrees[street] if each.start <= node < each.stop)
        if self._branch is None or self._branch[:2] != (root, board):
            self._branch = root, board, _Branch(self.solver, root, board)
        return self._branch[2].values(player, node)


class SolvedNode:
    """Reaches, equities and payoffs at a node on a board that was solved."""

    def __init__(self, answers: Answers, node: int, board: int) -> None:
        self._answers, self._node, self._board = answers, node, board
        self._payoffs: dict[tuple[int, int], NDArray[np.float64]] = {}

    @cached_property
    def reaches(self) -> Pair:
        """Each player's reach by hand."""
        return self._answers.solver.reaches_at(self._node, self._board)

    @cached_property
    def against(self) -> Pair:
        """Reach of the other's hands that can be held with each hand."""
        return self._answers.showdowns.against(self.reaches)

    @cached_property
    def equity(self) -> Pair:
        """Each hand's equity against the other's reach; NaN where the other has no hand to hold it against."""
        street = int(self._answers.solver.game.tree.street[self._node])
        return self._answers.showdowns.equity(street, self._board, self.reaches)

    def payoffs(self, player: int, node: int) -> NDArray[np.float64]:
        """Average winnings of each hand from `node` on, which is this node or one after an action of the player's.

        Hands that the other has no hand against have NaN.
        """
        if (player, node) not in self._payoffs:
            against = self.against[player]
            game = self._answers.solver.game
            place = game.streets[int(game.tree.street[self._node])].sides[player].hand[self._board]
            some = against[place[place >= 0]].any()  # the board may leave a player no hand at all
            values = self._answers.values(player, node, self._board) if some else against
            self._payoffs[player, node] = ratio(values, against)
        return self._payoffs[player, node]


@dataclass(frozen=True)
class _BranchRules:
    """Rules of one board of a later street, as far as the form reads them."""

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


class _Branch:
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
