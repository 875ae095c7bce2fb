"""The solver of local updates: values by array operations over the levels of the tree, then the user's step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.flattened import Flattened, flattened_bytes
from solvent.engines.history.serial_kernels import Rows
from solvent.engines.history.solver import WholeTables, play_of, side_of
from solvent.engines.local_update import Floats, LocalUpdate
from solvent.forms.history import GameTree
from solvent.foundation.errors import InputError
from solvent.foundation.own_code import explained
from solvent.strategy.arena import Arena
from solvent.strategy.solved.tables import TableStrategy

SUM_TOLERANCE = 1e-6


class LocalSolver(WholeTables):
    """CFR with a user's local update at every infoset."""

    plan_name = "flattened"
    threads = 1
    dtype = "float64"
    head_start = 0.0

    def __init__(self, tree: GameTree, rule: LocalUpdate, updates: str = "alternating") -> None:
        self.tree, self.rule, self.updates = tree, rule, updates
        self._step = rule
        self.iterations = self.nodes_touched = 0
        self.arena = Arena.full(
            np.ones(tree.cells, dtype=np.int64), ["average", "strategy", *rule.state], np.dtype(np.float64)
        )
        self.arena.table("strategy")[:] = tree.uniform
        sides = (side_of(tree, 0), side_of(tree, 1))
        self._flattened = Flattened(tree, Rows(tree.parent, tree.cell, tree.payoff, tree.end), sides)
        self._play = play_of(tree)
        self._groups = [_by_actions(tree, player) for player in (0, 1)]
        rule.schedule(1, 1)  # rejects weights that cannot be an average's
        self._follow_tables()

    @property
    def form_bytes(self) -> int:
        return flattened_bytes(self.tree)

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        schedule = self.rule.schedule(self.iterations + 1, iterations)
        alternating, play = self.updates == "alternating", self._play
        for average in schedule[:, 3]:
            self.iterations += 1
            self._flattened.walk(0, play)
            if not alternating:
                self._flattened.walk(1, play)
            self._update(0, average)
            if alternating:
                self._flattened.walk(1, play)
            self._update(1, average)
        self.nodes_touched += iterations * 2 * self.tree.histories

    def restore(self, facts: Mapping[str, Any]) -> None:
        super().restore(facts)
        self._follow_tables()

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None:
        raise InputError("a local update keeps a state of its own: it cannot start from a strategy")

    def _update(self, player: int, average: float) -> None:
        """Add the strategy that was played to the average, and get the next one from the update."""
        play, tables = self._play, self.arena.tables
        played = self._flattened.played(player, play.backward[player])
        for cells in self._groups[player]:
            tables["average"][cells] += average * played[cells]
            values = play.cell_value[player][cells]
            strategy = np.asarray(tables["strategy"][cells], dtype=np.float64)
            state = {name: np.asarray(tables[name][cells], dtype=np.float64) for name in self._step.state}
            with explained():
                chosen = self._step.next_strategy(self.iterations, values, strategy, state)
            tables["strategy"][cells] = self._checked(chosen, cells.shape)
            for name in self._step.state:
                tables[name][cells] = state[name]
        self._follow_tables(player)

    def _checked(self, chosen: Any, shape: tuple[int, ...]) -> Floats:
        """Reject numbers that are no strategy."""
        found: Floats = np.asarray(chosen, dtype=np.float64)
        if found.shape != shape:
            raise InputError(
                f"rule {self.rule}: next_strategy gave numbers of shape {found.shape} where the infosets and "
                f"actions are {shape}"
            )
        if not ((found >= 0).all() and np.abs(found.sum(axis=1) - 1.0).max() < SUM_TOLERANCE):
            raise InputError(
                f"rule {self.rule}: next_strategy must give rows of numbers of at least 0 that sum to 1 "
                f"(iteration {self.iterations})"
            )
        return found

    def _follow_tables(self, *players: int) -> None:
        """Make the next iteration play the table of strategies."""
        strategy = self.arena.table("strategy")
        for player in players or (0, 1):
            for cells in self._groups[player]:
                self._play.backward[player, cells] = strategy[cells]
                self._play.forward[1 - player, cells] = strategy[cells]


def _by_actions(tree: GameTree, player: int) -> list[NDArray[np.int64]]:
    """A player's cells, int64[infosets, actions], for each number of actions."""
    actions = np.diff(tree.infoset_cell)
    mine = tree.infoset_player == player
    return [
        tree.infoset_cell[:-1][mine & (actions == count)][:, None] + np.arange(count)
        for count in np.unique(actions[mine])
    ]
