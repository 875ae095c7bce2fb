"""Total regret-based pruning of a growing game, by blocks, under a memory budget.

An action at a public node is pruned when T psi(I, a) <= sum v(I) for *every* hand, where psi is the counterfactual
best-response value against the opponent's average (Brown and Sandholm 2017). Its regrets are freed, and so are the
regrets and sums of v(I) of everything that its player decides behind it. A bound by hand is kept at its node: how
much the pruned actions there have gained on v(I) at most (the dynamic length). When it is above 0 a best response
settles the question; if the action pays with some hand it returns with the regrets that it would have, had the best
response been played all along, and else it stays pruned with a new bound.

The average of pruned actions, and of those behind them, goes when its reach is at most C / sqrt(T) with every
hand. The opponent's average behind a pruned action stays, because best responses are made against it. Its regrets
and sums of v(I) there stay until the action's own average is gone too. The action then is one that its player has
never chosen: after an addition Theorem 1 of Brown and Sandholm (2015) leaves the opponent no regrets behind such an
action. Meanwhile the opponent plays its average there, and when the action returns it begins with its average.

Nothing is added behind a pruned action of either player.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.pruning.prune_kernels import (
    SLACK,
    Board,
    OpponentView,
    begin_response,
    find_losing,
    largest_stakes,
    mark_answers,
    mark_behind,
    mark_open,
    mark_returning,
    mark_small_averages,
    raise_bounds,
)
from solvent.engines.explicit.growing.recovery import EPSILON
from solvent.engines.explicit.growing.tables import AVERAGE, BOUND, REGRET, SEEN, VALUE, GrowingTables
from solvent.engines.explicit.kernels import NO_TABLE, RESPOND, Weights, ascend
from solvent.engines.pruning import Pruning
from solvent.foundation.errors import InputError
from solvent.foundation.units import size

LARGEST_C = 0.02
"""The largest C to which a budget that asks for room may raise it. With 0.1, the largest that the paper finds good,
the lost averages cost more than the bets gain for which they make room."""
SPARED = 0.03
"""The fraction of a budget that additions leave free, so that pruned actions can return."""

Mask = NDArray[np.bool_]


@dataclass
class Budget:
    """The bytes that the tables may take, and counts of what was refused for lack of room."""

    limit: int
    """Bytes."""
    peak: int = 0
    """The most that the tables have taken, in bytes."""
    refused_additions: int = 0
    """The number of times that a bet that paid was not added."""
    refused_returns: int = 0
    """The number of times that a pruned action had to wait although it paid again."""

    def check_base(self, tables: GrowingTables, name: str) -> None:
        """Reject a budget into which the tables of the game as it begins do not fit."""
        needed = int(tables.bytes / (1.0 - SPARED)) + 1
        if needed > self.limit:
            raise InputError(
                f"{name} begins with {size(tables.bytes)} of tables, so that its memory budget must be at least "
                f"{size(needed)}, not {size(self.limit)}"
            )

    def check_loaded(self, tables: GrowingTables, name: str) -> None:
        """Reject a budget that the tables of a checkpoint are above already."""
        if tables.bytes > self.limit:
            raise InputError(
                f"the tables of {name} have grown to {size(tables.bytes)}, so that its memory budget cannot be "
                f"{size(self.limit)} any more"
            )

    def fits(self, tables: GrowingTables, more: int, adds: bool) -> bool:
        """Whether `more` bytes fit; `adds`: for an addition, which leaves some of the budget free."""
        return tables.bytes + more <= self.limit * (1.0 - SPARED if adds else 1.0)


class Pruner:
    """Prunes one game. The solver calls `after_iteration` and, at regular intervals, `look`."""

    def __init__(self, game: GrowingGame, pruning: Pruning, budget: Budget) -> None:
        self.game, self.pruning, self.budget = game, pruning, budget
        self.c = pruning.average
        """C, which grows when memory is short."""
        self.response_nodes = 0
        """Nodes times hands that best responses have visited."""
        self.waiting: Mask = np.zeros(game.tree.nodes, dtype=np.bool_)
        """Nodes at which an action has not returned for lack of memory; they are asked again at the next look."""
        self._failing: Mask = np.zeros(game.tree.nodes, dtype=np.bool_)
        self._most = np.zeros(0)
        game.after_pass, game.exactly, game.archive = self._after_pass, True, None
        budget.peak = max(budget.peak, game.tables.bytes)

    # Iterations

    def _after_pass(self, player: int, weight: float) -> None:
        """Raise the bounds of a player whose pass has just ended."""
        game = self.game
        held = game.tables.stored_tables()
        raise_bounds(game.tree.arrays, held, game.work, player, weight, self._board(), self._failing)

    def after_iteration(self) -> None:
        """Settle the actions whose bounds do not hold any more."""
        failing = self._failing & ~self.waiting
        if failing.any():
            for player in (0, 1):
                self._settle(player, np.flatnonzero(failing & (self.game.tree.player == player)))
        self._failing[:] = False

    def after_addition(self) -> None:
        """Take note of the nodes that the tree has gained."""
        more = self.game.tree.nodes - len(self.waiting)
        self.waiting, self._failing = (np.pad(mask, (0, more)) for mask in (self.waiting, self._failing))
        self._note_peak()

    # Looks

    def look(self) -> None:
        """Prune the losing actions, let small averages go, and settle waiting nodes that fit now."""
        for player in (0, 1):
            self._prune(player)
        self.drop_averages()
        self._forget_answers()
        if self.waiting.any():
            again = np.flatnonzero(self.waiting)
            self.waiting[:] = False
            for player in (0, 1):
                self._settle(player, again[self.game.tree.player[again] == player])

    def make_room(self, more: int, adds: bool) -> bool:
        """Let averages go, by a C that grows, until `more` bytes fit; returns whether they do."""
        while not self.budget.fits(self.game.tables, more, adds):
            if self.c >= LARGEST_C:
                return False
            self.c = min(LARGEST_C, 2.0 * self.c) if self.c else LARGEST_C / 16
            self.drop_averages()
            self._forget_answers()
        return True

    def open_nodes(self) -> Mask:
        """The nodes that lie behind no pruned action."""
        found = np.zeros(self.game.tree.nodes, dtype=np.bool_)
        mark_open(self.game.tree.arrays, self.game.tables.offset[REGRET], found)
        return found

    @property
    def pruned(self) -> Mask:
        """The actions that are pruned, those behind them apart, by edge."""
        tree, offset = self.game.tree, self.game.tables.offset
        found = (tree.edge_player >= 0) & (offset[REGRET] < 0)
        found[1:] &= offset[VALUE][tree.parent[1:]] >= 0
        return found

    def _prune(self, player: int) -> None:
        game, tables = self.game, self.game.tables
        tree, nodes = game.tree, game.tree.nodes
        gap, lose = np.zeros((nodes, game.hands)), np.zeros(nodes, dtype=np.bool_)
        weight = tables.clock if game.rule.linear else 1.0
        least = max(self.pruning.least * weight, self.pruning.lasting * tables.total)
        view, board = self._view(1 - player), self._board()
        find_losing(tree.arrays, tables.stored_tables(), player, gap, lose, least, view, board)
        game.nodes_touched += nodes * game.hands
        if not lose.any():
            return
        self._let_go_behind(lose, player)
        outer = np.flatnonzero(lose)
        outer = outer[tables.offset[VALUE][tree.parent[outer]] >= 0]
        self._raise_to(tree.parent[outer], gap[outer])

    def _raise_to(self, nodes: NDArray[Any], gaps: NDArray[np.float64]) -> None:
        """Let the bounds of nodes be at least these gaps: float64[nodes, hands]."""
        tables = self.game.tables
        new = np.unique(nodes[tables.offset[BOUND][nodes] < 0])
        tables.hold(BOUND, new)
        tables.table(BOUND)[tables.places(BOUND, new)] = -np.inf
        np.maximum.at(tables.table(BOUND), tables.places(BOUND, nodes), gaps)
        self._note_peak()

    def drop_averages(self) -> None:
        """Let go the averages of pruned actions, and of those behind them, that are at most C / sqrt(T)."""
        game, tables = self.game, self.game.tables
        equal = tables.total**2 / tables.squares if tables.squares else 0.0  # iterations of one weight
        if not equal:
            return
        most = tables.total * self.c / np.sqrt(equal)
        for player in (0, 1):
            drop = np.zeros(game.tree.nodes, dtype=np.bool_)
            regret, average = tables.offset[REGRET], tables.flat(AVERAGE)
            view = self._view(player)
            mark_small_averages(game.tree.arrays, player, regret, view, average, game.hands, most, drop)
            for name in (AVERAGE, SEEN):
                if name in tables.names:
                    tables.let_go(name, np.flatnonzero(drop))

    def _forget_answers(self) -> None:
        """Let go the opponent's regrets, sums and bounds behind actions that are pruned and in no average."""
        tables, tree = self.game.tables, self.game.tree
        never = self.pruned & (tables.offset[AVERAGE] < 0)
        for player in (0, 1):
            self._let_go_behind(never & (tree.edge_player == player), 1 - player)

    def _let_go_behind(self, roots: Mask, player: int) -> None:
        """Let go a player's regrets, sums and bounds at some edges and behind them."""
        tables, tree = self.game.tables, self.game.tree
        behind = np.zeros(tree.nodes, dtype=np.bool_)
        mark_behind(tree.parent, roots, behind)
        tables.let_go(REGRET, np.flatnonzero(behind & (tree.edge_player == player)))
        for name in (VALUE, BOUND):
            tables.let_go(name, np.flatnonzero(behind & (tree.player == player)))
        self.waiting &= ~(behind & (tree.player == player))

    # Returns

    def _settle(self, player: int, nodes: NDArray[np.int64]) -> None:
        """Ask a best response about the pruned actions of nodes, and let those return that pay with some hand."""
        game, tables, tree = self.game, self.game.tables, self.game.tree
        nodes = nodes[tables.offset[BOUND][nodes] >= 0]
        if not len(nodes):
            return
        roots = self.pruned
        roots[1:] &= np.isin(tree.parent[1:], nodes)
        visited = begin_response(tree.arrays, game.work, player, roots, self._view(1 - player))
        weights = Weights(RESPOND, 1.0, 1.0, 1.0)
        ascend(tree.arrays, tables.flat(REGRET), NO_TABLE, game.work, player, weights, 0)
        game.nodes_touched += visited * game.hands
        self.response_nodes += visited * game.hands
        edges = np.flatnonzero(roots)
        sums = tables.table(VALUE)[tables.places(VALUE, tree.parent[edges])]
        gaps = game.work.value[edges] - sums
        pays = (gaps > SLACK * (1.0 + np.abs(sums))).any(axis=1)
        tables.table(BOUND)[tables.places(BOUND, nodes)] = -np.inf
        self._raise_to(tree.parent[edges[~pays]], gaps[~pays])
        for edge, gap in zip(edges[pays].tolist(), gaps[pays], strict=True):
            if not self._return(player, edge, gap):
                head = np.array([tree.parent[edge]])
                self.budget.refused_returns += 1
                self.waiting[head] = True
                self._raise_to(head, gap[None, :])
        tables.let_go(BOUND, np.setdiff1d(nodes, tree.parent[np.flatnonzero(self.pruned)]))

    def _return(self, player: int, edge: int, gap: NDArray[np.float64]) -> bool:
        """Store an action again, as if a best response had been played behind it; returns whether it fits."""
        game, tables, tree = self.game, self.game.tables, self.game.tree
        value = game.work.value
        edges, decisions, cut = (np.zeros(tree.nodes, dtype=np.bool_) for _ in range(3))
        uniform = self.pruning.after == "uniform"
        mark_returning(tree.arrays, game.work, player, edge, uniform, edges, decisions, cut)
        while True:  # making room may forget some of the wanted blocks
            answers, heads = self._answers(player, edge)
            wanted = {REGRET: edges | answers, AVERAGE: edges | answers, VALUE: decisions | heads, BOUND: cut}
            if SEEN in tables.names:
                wanted[SEEN] = edges if player == 0 else answers
            absent = (int(np.sum(mask & (tables.offset[name] < 0))) for name, mask in wanted.items())
            more = 8 * game.hands * sum(absent)
            if self.budget.fits(tables, more, adds=False):
                break
            if not self.make_room(more, adds=False):
                return False
        for name in (name for name in wanted if name != BOUND):
            tables.hold(name, np.flatnonzero(wanted[name]))
        begun = np.flatnonzero(answers)
        learned = tables.table(AVERAGE)[tables.places(AVERAGE, begun)]
        tables.table(REGRET)[tables.places(REGRET, begun)] = EPSILON * learned
        tables.row(REGRET, edge)[:] = gap
        inner, nodes = np.flatnonzero(edges)[1:], np.flatnonzero(decisions)
        regrets = np.minimum(value[inner] - value[tree.parent[inner]], 0.0)
        tables.table(REGRET)[tables.places(REGRET, inner)] = regrets
        tables.table(VALUE)[tables.places(VALUE, nodes)] = value[nodes]
        cut_at = np.flatnonzero(cut).tolist()
        cuts = np.array([c for node in cut_at for c in tree.children(node) if not edges[c]], dtype=np.int64)
        above = tree.parent[cuts]
        self._raise_to(above, np.minimum(value[cuts] - value[above], 0.0))
        return True

    def _answers(self, player: int, edge: int) -> tuple[Mask, Mask]:
        """The opponent's edges and decisions behind a returning action that have no regrets and need them now.

        `work.active` marks the returning nodes. The opponent's decisions behind actions that it has pruned itself
        have no regrets either; those are left out.
        """
        tree, held, active = self.game.tree, self.game.tables.stored_tables(), self.game.work.active
        answers, heads = (np.zeros(tree.nodes, dtype=np.bool_) for _ in range(2))
        mark_answers(tree.arrays, active, 1 - player, edge, tree.last_edge, held, answers, heads)
        return answers, heads

    # Checkpoints

    def saved(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint, the tables apart."""
        budget = self.budget
        counts = [budget.peak, budget.refused_additions, budget.refused_returns, self.response_nodes]
        return {"pruner": np.array([self.c, *counts]), "waiting": self.waiting}

    def load(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Load the arrays of `saved`; a ValueError if they are another tree's."""
        if kept["waiting"].shape != (self.game.tree.nodes,):
            raise ValueError("waiting")
        self.c = float(kept["pruner"][0])
        budget, counts = self.budget, [int(number) for number in kept["pruner"][1:]]
        budget.peak, budget.refused_additions, budget.refused_returns, self.response_nodes = counts
        self.waiting = np.array(kept["waiting"])
        self._failing = np.zeros_like(self.waiting)

    def warm_up(self) -> None:
        """Have every kernel compiled, on a game of no other use."""
        self.after_addition()
        self._prune(0)
        edge = self.game.tree.children(0)[-1]
        self.game.tables.let_go(REGRET, np.array([edge]))
        self._raise_to(np.zeros(1, dtype=np.int64), np.ones((1, self.game.hands)))
        self._after_pass(0, 1.0)
        self.after_iteration()
        self.drop_averages()
        self.open_nodes()

    # Arguments of kernels

    def _view(self, player: int) -> OpponentView:
        """A player's cumulative strategy as the opponent's regrets saw it."""
        tables = self.game.tables
        name, scale = tables.seen(player)
        return OpponentView(*tables.flat(name), scale, tables.total, self.game.tree.last_edge)

    def _board(self) -> Board:
        tree = self.game.tree
        if len(self._most) != tree.nodes:
            self._most = np.zeros(tree.nodes)
            largest_stakes(tree.arrays, self._most)
        return Board(tree.board, tree.chances, self._most)

    def _note_peak(self) -> None:
        self.budget.peak = max(self.budget.peak, self.game.tables.bytes)
