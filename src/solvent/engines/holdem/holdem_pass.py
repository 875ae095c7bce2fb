"""Passes over a hold'em game on threads: iterations of a regret rule, best responses, values by hand."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.holdem import kernels
from solvent.engines.holdem.kernels import EVALUATE, UPDATE, Spaces, Tables, Workspace
from solvent.engines.holdem.layout import lay_out
from solvent.engines.holdem.terminals import scratch_for
from solvent.forms.holdem.game import HoldemGame
from solvent.foundation.kernels.threads import on_each

TASKS_PER_THREAD = 6
"""Boards for each thread that the street of the split has at least."""
NONE_REQUESTED = (-1, -1)
NO_WEIGHTS = np.ones((1, 7))


class HoldemPass:
    """A game laid out for kernels, and the workspaces of its threads."""

    def __init__(self, game: HoldemGame, dtype: np.dtype[Any], threads: int = 1) -> None:
        self.game, self.dtype = game, dtype
        self.plan = lay_out(game, dtype)
        split = _split(game, threads)
        self.threads = min(threads, len(game.streets[split].boards))
        most = max(side.slots for street in game.streets for side in street.sides)
        self.spaces = self._spaces(split, most)
        size = int(self.plan.streets["work_stop"][-1])
        self._workspaces = [
            Workspace(np.zeros(size, dtype=dtype), scratch_for(dtype, most, len(game.streets)), thread)
            for thread in range(self.threads)
        ]

    @property
    def decisions(self) -> int:
        """Decisions on all boards: how many scales a table of int16 has."""
        last = self.plan.streets[-1]
        return int(last["scale_at"] + last["decisions"] * (last["stop_board"] - last["first_board"]))

    def iterate(self, tables: Tables, schedule: NDArray[np.float64]) -> None:
        """Run one iteration of a regret rule for each row of `schedule`; `tables.played` are the regrets."""
        self._run(tables, UPDATE, schedule, 0, 2)

    def measure(self, tables: Tables, mode: int, player: int) -> NDArray[np.float64]:
        """A player's values by hand, float64[hands], not weighted by the player's own range.

        They are weighted by the chance of the deal and the other's reach.
        """
        self._run(tables, mode, NO_WEIGHTS, player, player + 1)
        return self._found(player)

    def measure_both(self, tables: Tables, mode: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both players' values by hand, like `measure`, by one call of the kernel."""
        self._run(tables, mode, NO_WEIGHTS, 0, 2)
        return self._found(0), self._found(1)

    def house_takes(self, tables: Tables, reach: NDArray[np.float64]) -> float:
        """The rake that a strategy pays on average; player 0's hands come to the root with `reach`."""
        if not self.game.raked:
            return 0.0
        return float(reach @ self._house.measure(tables, EVALUATE, 0))

    @cached_property
    def _house(self) -> HoldemPass:
        """Passes in which player 0 is paid what the house takes; space and starting reach are shared."""
        tree = self.game.tree
        taken = -(tree.pays + tree.pays[:, ::-1, ::-1])  # who wins meets one who loses
        house = copy(self)
        paid = lay_out(replace(self.game, tree=replace(tree, pays=taken)), self.dtype)
        house.plan = self.plan._replace(lanes=paid.lanes)
        return house

    def update(self, tables: Tables, weights: NDArray[np.float64], player: int) -> NDArray[np.float64]:
        """Run one player's half of an iteration; returns the player's values by hand, like `measure`.

        `weights` is one row of a rule's schedule, float64[1, ...]. The values are those of the strategies that the
        regrets gave before the pass.
        """
        self._run(tables, UPDATE, weights, player, player + 1)
        return self._found(player)

    def start_with(self, player: int, reach: NDArray[np.float64]) -> None:
        """Let a player's hands come to the root with this reach, float64[hands], instead of the range's weights."""
        at = int(self.plan.root_at[1 - player])
        self.plan.root_reach[at : at + len(reach)] = reach

    def _found(self, player: int) -> NDArray[np.float64]:
        """The values at the root, by hand, that the last pass of a player has found."""
        side = self.game.streets[0].sides[player]
        held = side.hand[0, : side.count[0]]  # slots on the last street go by strength
        values = np.zeros(len(self.game.hands[player]))
        values[held] = self.spaces.out[player, : len(held)]
        return values

    def values_at(
        self, tables: Tables, mode: int, player: int, street: int, board: int, node: int
    ) -> NDArray[np.float64]:
        """A player's values at a node on one board of its street, float64[slots], weighted like `measure`'s."""
        self.spaces.requested[:] = (self.plan.streets["first_board"][street] + board, node)
        try:
            self._run(tables, mode, NO_WEIGHTS, player, player + 1)
        finally:
            self.spaces.requested[:] = NONE_REQUESTED
        slots = self.game.streets[street].sides[player].slots
        return np.asarray(self.spaces.kept[:slots], dtype=np.float64).copy()

    def _run(self, tables: Tables, mode: int, schedule: NDArray[np.float64], first: int, stop: int) -> None:
        def work(thread: int) -> None:
            kernels.run(self.plan, tables, mode, schedule, first, stop, self.spaces, self._workspaces[thread])

        self.spaces.clock[:] = 0
        if self.threads == 1:
            work(0)
        else:
            on_each(work, self.threads)

    def _spaces(self, split: int, most: int) -> Spaces:
        game, streets = self.game, self.plan.streets
        sizes = (streets["work_stop"] - streets["work_at"])[:split]
        boards = [len(street.boards) for street in game.streets[:split]]
        by_board = np.repeat(sizes, boards).astype(np.int64)
        here = game.streets[split]
        shape = (len(here.boards), len(game.tree.subtrees[split]), max(side.slots for side in here.sides))
        return Spaces(
            head=np.zeros(int(by_board.sum()), dtype=self.dtype),
            head_at=np.cumsum(by_board) - by_board,
            results=np.zeros(shape, dtype=self.dtype),
            split=split,
            out=np.zeros((2, most), dtype=self.dtype),
            clock=np.zeros(3, dtype=np.int64),
            requested=np.full(2, -1, dtype=np.int64),
            kept=np.zeros(most, dtype=self.dtype),
            threads=self.threads,
        )


def _split(game: HoldemGame, threads: int) -> int:
    """The street whose boards are tasks: the first with many for each thread, or the last."""
    if threads == 1:
        return 0
    for number, street in enumerate(game.streets):
        if len(street.boards) >= TASKS_PER_THREAD * threads:
            return number
    return len(game.streets) - 1
