"""What a solver says of its nodes on the boards that stand for others, by the hands of the game's lists.

Whoever asks about many nodes keeps one `Answers`, so that nodes that differ only in the names of suits are computed
once. It is for one state of the solver's tables.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvent.engines.holdem.kernels import EVALUATE
from solvent.engines.holdem.solver import HoldemSolver
from solvent.spots.nodes.branch import Branch
from solvent.spots.nodes.showdowns import Showdowns
from solvent.strategy.reach import ratio

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
"""An array by hand for each player, OOP first."""


class Answers:
    """Nodes of a solver by number and board, each computed once."""

    def __init__(self, solver: HoldemSolver, showdowns: Showdowns) -> None:
        self.solver, self.showdowns = solver, showdowns
        self._nodes: dict[tuple[int, int], SolvedNode] = {}
        self._branch: tuple[int, int, Branch] | None = None

    def at(self, node: int, board: int) -> SolvedNode:
        """The node of this number on a board of its street."""
        if (node, board) not in self._nodes:
            self._nodes[node, board] = SolvedNode(self, node, board)
        return self._nodes[node, board]

    def values(self, player: int, node: int, board: int) -> NDArray[np.float64]:
        """A player's values at a node: for each hand the sum over the other's reach of what is won, in chips."""
        tree = self.solver.game.tree
        street = int(tree.street[node])
        if street == 0:
            return self.solver.hand_values(player, EVALUATE, node, board) / self.solver.chance_at(node)
        root = next(each.start for each in tree.subtrees[street] if each.start <= node < each.stop)
        if self._branch is None or self._branch[:2] != (root, board):
            self._branch = root, board, Branch(self.solver, root, board)
        return self._branch[2].values(player, node)


class SolvedNode:
    """What there is to know of a node on a board that was solved."""

    def __init__(self, answers: Answers, node: int, board: int) -> None:
        self._answers, self._node, self._board = answers, node, board
        self._payoffs: dict[tuple[int, int], NDArray[np.float64]] = {}

    @cached_property
    def reaches(self) -> Pair:
        """Each player's reach by hand."""
        return self._answers.solver.reaches_at(self._node, self._board)

    @cached_property
    def against(self) -> Pair:
        """For each hand the reach of the other's hands that can be held with it."""
        showdowns, reaches = self._answers.showdowns, self.reaches
        return showdowns.against(0, reaches[1]), showdowns.against(1, reaches[0])

    @cached_property
    def equity(self) -> Pair:
        """Each hand's equity against the other's reach; NaN where the other has no hand to hold it against."""
        showdowns, reaches = self._answers.showdowns, self.reaches
        at = int(self._answers.solver.game.tree.street[self._node]), self._board
        return showdowns.equity(0, *at, reaches[1]), showdowns.equity(1, *at, reaches[0])

    def payoffs(self, player: int, node: int) -> NDArray[np.float64]:
        """What each hand wins on average if the play goes on from `node`, this node or one after an own action.

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
