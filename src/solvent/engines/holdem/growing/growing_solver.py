"""CFR on a spot whose tree may grow: what a solver must remember to add an action as if it had always been there.

Beside regrets and averages these are the sums of v(I) at the decisions where actions may be added, and two sums of
weights: T on the scale of the regrets, and T on the scale of the averages. Both are numbers of iterations in plain
CFR. In linear CFR iteration t counts t / (T + 1) times in the regrets and t times in the averages. In discounted
CFR positive and negative regrets fade differently: sums of v(I) fade like positive regrets, which is a heuristic.

The recovery game of actions that are added at one decision (SAEF, section 3) finds what would have been learnt.
S is what follows the new actions, S_r the decision, on all boards of its street. Chance and the opponent's play so
far lead to S_r with weight q (equation 5); there player i, whose decision it is, takes alt(I), the mean of v(I) so
far, or enters S. K iterations are played, and what they give is scaled to the T iterations that the solve has
behind it: K need not be the paper's T_S = Z = sum of q.

The game is played on the spot's own boards and hands, with a betting tree that has the line to S_r alone. The
opponent's decisions on the line are locked to the average strategy, so that the opponent comes to S_r with the mean
of pi_-i over all iterations; player i's have one action. This solver's averages grow with exactly those opponent
strategies that the regrets are computed against, so alternating updates need no correction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.game import check_rule
from solvent.engines.holdem.kernels import Marked
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.table_views import (
    action_rows,
    board_counts,
    edge_numbers,
    last_edge,
    locked_hands,
    probabilities,
)
from solvent.engines.schedule import AVERAGE, POSITIVE
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import LockTables
from solvent.forms.holdem.tree import DECISION, HoldemTree, holdem_tree
from solvent.foundation.errors import InputError
from solvent.games.betting.tree_sizes import Line
from solvent.games.public_rules import FOLD, Betting

REGRETS, AVERAGES, SQUARES = 0, 1, 2
"""Places in `SummingSolver.weight`."""
LEAST_ITERATIONS = 10
"""K_min: a recovery game of fewer iterations has hardly begun to learn."""
NOTHING = Betting(symbol=FOLD, stake=0.0)
ALTERNATIVE, ELSEWHERE = "alternative", "elsewhere"


def opening_nodes(tree: HoldemTree) -> list[int]:
    """The decisions at which nobody has bet on the street: where sizes of bets may be added."""
    return [node for node, one in enumerate(tree.betting) if one.actions and one.actions[0] == "check"]


def marked_sums(game: HoldemGame, nodes: Sequence[tuple[int, int]]) -> Marked:
    """Rows for the sums of values at (traverser, node) pairs, without given values."""
    tree = game.tree
    sum_row, rows = np.full((2, len(tree.kind)), -1, dtype=np.int64), 0
    for player, node in nodes:
        sum_row[player, node] = rows
        rows += len(game.streets[tree.street[node]].boards)
    most = max(side.slots for street in game.streets for side in street.sides)
    given_row = np.full(len(tree.kind), -1, dtype=np.int64)
    return Marked(sum_row, np.zeros((rows, most)), given_row, np.zeros((0, 0)))


class SummingSolver(HoldemSolver):
    """A solver that sums the values of marked nodes and the weights of its iterations."""

    def _prepare(self) -> None:
        if self.dtype == "int16":
            raise InputError("a tree grows with tables of float32 or float64, not int16")
        super()._prepare()
        check_rule(self.rule)
        self.weight = np.zeros(3)
        """float64[3]: T on the scale of regrets and of averages, and the sum of squared weights of the regrets."""

    def _schedule(self, iterations: int) -> NDArray[np.float64]:
        schedule = super()._schedule(iterations)
        for row in schedule:
            self.weight[SQUARES] = (self.weight[SQUARES] + 1.0) * row[POSITIVE] ** 2
            self.weight[REGRETS] = (self.weight[REGRETS] + 1.0) * row[POSITIVE]
            self.weight[AVERAGES] += row[AVERAGE]
        return schedule

    def value_sums(self, player: int, node: int) -> NDArray[np.float64]:
        """The sums of a player's values at a marked node, float64[boards, slots of the player]: a view."""
        street = self.game.streets[self.game.tree.street[node]]
        row = int(self.marked.sum_row[player, node])
        sums: NDArray[np.float64] = self.marked.sums
        return sums[row : row + len(street.boards), : street.sides[player].slots]

    def locked_hands(self, node: int) -> NDArray[np.bool_]:
        """The hands that are locked at a decision, bool[boards, slots]."""
        return locked_hands(self.game, self.lock_tables, node)


class GrowingSolver(SummingSolver):
    """CFR on a spot whose tree may grow (`adding.add_actions` makes the solver of the larger tree)."""

    def _prepare(self) -> None:
        super()._prepare()
        tree = self.game.tree
        self.opening = opening_nodes(tree)
        """The decisions at which actions may be added."""
        self.marked = marked_sums(self.game, [(int(tree.player[node]), node) for node in self.opening])

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        return super().saved_tables() | {"value_sums": self.marked.sums, "weight": self.weight}

    def load_averages(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Take up a checkpoint's averages alone, which is all that everything but `run` and growing read."""
        super().load_averages(tables)
        self.weight[:] = tables["weight"]


def line_of(history: str) -> Line:
    """The actions of a betting history."""
    return tuple(history.split(", ")) if history else ()


def recovery_betting(root: Betting, line: Line, player: int, actions: Sequence[str]) -> Betting:
    """The betting tree of a recovery game: the line to the decision, the alternative, and the new actions."""
    if root.deals:
        return replace(root, children=(recovery_betting(root.children[0], line, player, actions),))
    if not line:
        entered = [root.children[root.actions.index(name)] for name in actions]
        return replace(root, actions=(ALTERNATIVE, *actions), children=(replace(NOTHING), *entered))
    below = recovery_betting(root.children[root.actions.index(line[0])], line[1:], player, actions)
    if root.player == player:
        return replace(root, actions=(line[0],), children=(below,))
    return replace(root, actions=(line[0], ELSEWHERE), children=(below, replace(NOTHING)))


class RecoverySolver(SummingSolver):
    """The recovery game of new actions at one decision of a larger game.

    before: the solve so far, on the tree without the actions. larger: the game that has them. history: the line to
    the decision. actions: the names of the new actions.
    """

    def __init__(
        self, before: GrowingSolver, larger: HoldemGame, history: str, actions: Sequence[str]
    ) -> None:
        known = before.game.tree.by_history
        self.before, self.before_head = before, known[history]
        player = int(before.game.tree.player[self.before_head])
        betting = recovery_betting(larger.tree.betting[0], line_of(history), player, actions)
        tree = holdem_tree(betting)
        game = replace(larger, tree=tree, streets=larger.streets[: len(tree.subtrees)])
        super().__init__(game, before.rule, before.threads, before.dtype)
        self.player = player
        """The player i who decides at the head."""
        self.head = next(
            node for node, one in enumerate(tree.betting) if one.actions and one.actions[0] == ALTERNATIVE
        )
        first = int(tree.first_edge[self.head])
        self.entered = tree.child[first + 1 : tree.first_edge[self.head + 1]].tolist()
        """The nodes behind the new actions."""
        self._mark()
        self._lock_line(known)

    def _mark(self) -> None:
        """Sum the values of the new actions and of player i's openings in S, and give the alternative's."""
        game, before = self.game, self.before
        inside = [node for node in opening_nodes(game.tree) if self.inside(node)]
        own = [node for node in inside if game.tree.player[node] == self.player]
        marked = marked_sums(game, [(self.player, node) for node in (*self.entered, *own)])
        marked.given_row[self.head] = 0
        sums = before.value_sums(self.player, self.before_head)
        weight = before.weight[REGRETS]
        self.own_openings = own
        self.marked = marked._replace(given=sums / weight if weight > 0 else np.zeros_like(sums))

    def inside(self, node: int) -> bool:
        """Whether a decision is in S: its line is longer than the head's."""
        betting = self.game.tree.betting
        return len(line_of(betting[node].history)) > len(line_of(betting[self.head].history))

    def _lock_line(self, known: dict[str, int]) -> None:
        """Lock the opponent on the line to the average strategy, and hands that are locked at the head."""
        before, tree = self.before, self.game.tree
        at, locked, probability, used = np.full(len(tree.child), -1, dtype=np.int64), [], [], 0
        for node in np.flatnonzero(tree.kind == DECISION).tolist():
            history, actions = tree.betting[node].history, tree.betting[node].actions
            if actions[-1] == ELSEWHERE:
                there = known[history]
                average = probabilities(action_rows(before.average, before.game, there).astype(np.float64))
                taken = average[before.game.tree.betting[there].actions.index(actions[0])]
                rows, holds = np.stack([taken, 1.0 - taken]), np.ones(taken.shape, dtype=np.bool_)
            elif node == self.head and (holds := before.locked_hands(self.before_head)).any():
                rows = np.zeros((len(actions), *holds.shape))
                rows[0] = 1.0
            else:
                continue
            for edge, row in enumerate(rows, start=int(tree.first_edge[node])):
                at[edge], used = used, used + row.size
                locked.append(holds.ravel())
                probability.append(row.ravel())
        none = np.zeros(0)
        self._play_locks(
            LockTables(
                at,
                np.concatenate([none.astype(np.bool_), *locked]),
                np.concatenate([none, *probability]).astype(self.passes.dtype),
            )
        )

    def reach(self) -> float:
        """About Z / T: the frequency with which the opponent and chance lead to the head, without blocked hands."""
        game, tree = self.before.game, self.before.game.tree
        edge = last_edge(tree, self.before_head, 1 - self.player)
        if edge < 0:
            return 1.0
        entry = edge_numbers(self.before.average, game, edge).sum(axis=1, dtype=np.float64)
        times = board_counts(game, int(tree.street[tree.edge_node[edge]]))
        mean = float(entry @ times / times.sum())
        return mean / float(game.weights[1 - self.player].sum() * self.before.weight[AVERAGES])

    def recover(self, iterations: int | None = None) -> None:
        """Play K iterations: as many as given, or the paper's T_S = Z rounded up, at least `LEAST_ITERATIONS`."""
        if iterations is None:
            played = self.before.iterations * min(1.0, self.reach())
            iterations = max(LEAST_ITERATIONS, math.ceil(played))
        self.run(iterations)

    @property
    def scale_to_install(self) -> NDArray[np.float64]:
        """Factors of the sums of K iterations, float64[3] as `weight`: T / K, in sums of weights."""
        return self.before.weight / self.weight

    def head_regrets(self) -> NDArray[np.float64]:
        """R(I, a*) of each new action, float64[actions, boards, slots]: sum of v(I, a*) - sum of v(I).

        The second sum is of v(I) over the solve so far; the paper prints v(I, a), and its proof uses v(I).
        """
        found = np.stack([self.value_sums(self.player, node) for node in self.entered])
        regrets: NDArray[np.float64] = self.scale_to_install[REGRETS] * found
        regrets -= self.before.value_sums(self.player, self.before_head)
        regrets[:, self.before.locked_hands(self.before_head)] = 0.0
        return regrets
