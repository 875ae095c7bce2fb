"""Counterfactual regret minimisation on hold'em in public form.

solver = HoldemSolver(holdem_game(Spot("Td9d6hQc2s", oop, ip, pot=200, stack=900, bets="50%,a")))
solver.run(100)
solver.evaluate().exploitability
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import NodeLock, lock_tables
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import check_threads
from solvent.passes.holdem.holdem_pass import HoldemPass
from solvent.passes.holdem.kernels import EVALUATE, RESPOND, Tables
from solvent.response.history import Evaluation
from solvent.solvers.rules import RegretRule, by_keeping, load_rule

DEFAULT_RULE = "dcfr(1.5,0,3)"
DTYPES = ("float32", "float64")


@dataclass(frozen=True)
class HoldemEvaluation(Evaluation):
    """What a strategy of a hold'em game is worth. With rake the game is not zero-sum: see `gains`."""

    gains: tuple[float, float]
    """What each player would win more by the best response; exploitability is half of their sum."""


class HoldemSolver:
    """CFR with alternating updates on a hold'em game. `run` as often as you like; the average strategy is the result.

    While one player's regrets are updated the other's average grows: player 0's average is that of iterations
    2 to T + 1, player 1's that of 1 to T, with the weights of iterations 1 to T for both.
    """

    form = "hold'em"
    updates = "alternating"

    def __init__(
        self,
        game: HoldemGame,
        rule: str | RegretRule = DEFAULT_RULE,
        threads: int = 1,
        dtype: str = "float32",
        locks: Sequence[NodeLock] = (),
    ) -> None:
        check_threads(threads)
        if dtype not in DTYPES:
            raise InputError(f"the numbers of a spot's tables are {' or '.join(DTYPES)}, not {dtype!r}")
        self.game, self.dtype, self.rule = game, dtype, load_rule(rule)
        if self.rule.predictive:
            raise InputError(f"rule {self.rule} predicts regrets, which the hold'em form keeps no table for")
        kind = np.dtype(dtype)
        self.passes = HoldemPass(game, kind, threads)
        self.threads = self.passes.threads
        self.iterations = 0
        self.regret, self.average = np.zeros(game.cells, dtype=kind), np.zeros(game.cells, dtype=kind)
        at, locked, probability = lock_tables(game, locks)
        self._locks = (at, locked, probability.astype(kind))
        self._impose_locks()

    @property
    def table_bytes(self) -> int:
        return self.regret.nbytes + self.average.nbytes

    @property
    def name(self) -> str:
        return self.game.name

    @property
    def fingerprint(self) -> str:
        return self.game.fingerprint

    def run(self, iterations: int) -> None:
        """Run so many more iterations."""
        if iterations == 0:
            return
        schedule = self.rule.schedule(self.iterations + 1, iterations, self.dtype)
        for keep, rows in by_keeping(schedule):
            if keep != 1:
                self.average *= keep
            self.passes.iterate(Tables(self.average, self.regret, *self._locks), rows)
        self.iterations += iterations

    def evaluate(self) -> HoldemEvaluation:
        """Exploitability and values of the average strategy, by exact best responses that keep to the locks."""
        values, best = self.values(EVALUATE), self.values(RESPOND)
        gains = (max(0.0, best[0] - values[0]), max(0.0, best[1] - values[1]))
        return HoldemEvaluation(sum(gains) / 2, values, best, gains)

    def exploitability(self) -> float:
        """Half of what both players would gain by best responses; in a zero-sum game quicker than `evaluate`."""
        if self.raked:
            return self.evaluate().exploitability
        return max(0.0, sum(self.values(RESPOND)) / 2)

    @property
    def raked(self) -> bool:
        """Whether the house takes anything: then the game is not zero-sum."""
        return bool((self.game.tree.pays.sum(axis=(1, 2)) != 0).any())

    def values(self, mode: int) -> tuple[float, float]:
        """What each player wins by the average strategy (`EVALUATE`) or by responding best to it (`RESPOND`)."""
        found = [float(self.hand_values(player, mode) @ self.game.weights[player]) for player in (0, 1)]
        return found[0], found[1]

    def hand_values(self, player: int, mode: int = EVALUATE) -> NDArray[np.float64]:
        """A player's counterfactual values at the root, float64[hands]: weighted by the other's range and the deal."""
        return self.passes.measure(self._played(), mode, player)

    def values_at(self, player: int, node: int, board: int = 0, mode: int = EVALUATE) -> NDArray[np.float64]:
        """A player's counterfactual values at a node on a board of its street, float64[slots]."""
        street = int(self.game.tree.street[node])
        return self.passes.values_at(self._played(), mode, player, street, board, node)

    def strategy_at(self, node: int, board: int = 0) -> NDArray[np.float64]:
        """The average strategy at a decision on a board of its street, float64[actions, slots]; uniform if unreached."""
        game, tree = self.game, self.game.tree
        if tree.kind[node] != DECISION:
            raise InputError(f"node {node} of {game.name} is no decision")
        street = int(tree.street[node])
        base = game.street_at[street] + board * game.board_cells[street]
        edges = np.arange(tree.first_edge[node], tree.first_edge[node + 1])
        slots = int(game.edge_slots[edges[0]])
        rows = np.stack([self.average[base + at : base + at + slots] for at in game.edge_at[edges]])
        total = rows.sum(axis=0, dtype=np.float64)
        return np.where(total > 0, rows / np.where(total > 0, total, 1.0), 1.0 / len(rows))

    def _played(self) -> Tables:
        return Tables(self.average, self.average, *self._locks)

    def _impose_locks(self) -> None:
        """Let the tables play the locks: kernels set locked regrets back, and averages only grow in proportion."""
        game, tree = self.game, self.game.tree
        at, locked, probability = self._locks
        for edge in np.flatnonzero(at >= 0):
            street = int(tree.street[tree.edge_node[edge]])
            boards, slots = len(game.streets[street].boards), int(game.edge_slots[edge])
            piece = slice(int(at[edge]), int(at[edge]) + boards * slots)
            first = game.street_at[street] + game.edge_at[edge]
            cells = (first + np.arange(boards)[:, None] * game.board_cells[street] + np.arange(slots)).ravel()
            which = cells[locked[piece]]
            self.regret[which] = self.average[which] = probability[piece][locked[piece]]

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps."""
        return {"regret": self.regret, "average": self.average}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Take up what a checkpoint has kept; a ValueError if it is not of this game."""
        for name, table in self.saved_tables().items():
            given = tables[name]
            if given.shape != table.shape or given.dtype != table.dtype:
                raise ValueError(f"the table {name} is of another game or of other numbers")
            table[:] = given
