"""The base of full-width solvers: whole tables, infosets that are locked, and saving the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.locking import LockedRegrets
from solvent.engines.rules import by_keeping
from solvent.engines.solver import Solver
from solvent.strategy.arena import Arena
from solvent.strategy.solved.locks import Locks


class FullWidth(Solver):
    """A solver whose tables have a number for every infoset-action at all times."""

    arena: Arena
    locks: Locks | None = None
    """Infosets that play a given strategy. Nothing is learnt there, and the average strategy is the lock's."""
    _locked: LockedRegrets | None = None

    @property
    def table_bytes(self) -> int:
        return self.arena.bytes

    def _make_tables(self, sizes: NDArray[np.int64], locks: Locks | None, value_sums: bool) -> None:
        """Make the tables that are needed, with blocks of these sizes; `locks` without any are none.

        `value_sums` keeps one table more, "value": sum_t w_t v^t(I), where w_t is iteration t's weight in the
        average, and v^t(I) the counterfactual value of I when its player plays iteration t's strategy against the
        one that iteration t's regrets were computed against. It stands at the infoset's first action; the places of
        its other actions stay 0. SAEF's recovery game needs these sums (Brown and Sandholm 2014, section 3), and so
        do the tests of pruning; the pruned solvers keep their own, for the infosets that are stored.
        """
        names = ["regret", "average"]
        names += ["last"] if self.rule.predictive else []
        names += ["value"] if value_sums else []
        self.arena = Arena.full(sizes, names, np.dtype(self.dtype))
        if locks:
            locks.check(self.name, self.fingerprint)
            self.locks = locks
            self._locked = LockedRegrets(locks, np.arange(len(locks.locked)), np.dtype(self.dtype))

    def _pieces(self, schedule: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Split a schedule into chunks that a plan runs in one call, each run before the next is asked for.

        A chunk begins where the average is scaled. With locks every iteration is a chunk, and the locked regrets
        are set again before it.
        """
        for keep, rows in by_keeping(schedule):
            if keep != 1:
                self.arena.table("average")[:] *= keep
                self._value_table[:] *= keep
            if self._locked is None:
                yield rows
                continue
            for row in rows[:, None]:
                self._impose_locks()
                yield row
        if self._locked is not None:
            self._impose_locks()
            self._locked.lift(*self._learnt())

    @property
    def _value_table(self) -> NDArray[np.floating]:
        """The sums of v(I), empty where they are not kept."""
        kept = "value" in self.arena.names
        return self.arena.table("value") if kept else self.arena.table("regret")[:0]

    def _impose_locks(self) -> None:
        """Make the tables play the locks in the next iteration."""
        assert self._locked is not None
        self._locked.impose(*self._learnt())

    def _learnt(self) -> tuple[NDArray[np.floating], ...]:
        """The tables from which strategies are derived."""
        return tuple(self.arena.table(name) for name in ("regret", "last") if name in self.arena.names)

    def _played(self) -> NDArray[np.floating]:
        """The cumulative strategy, float[cells]; at locked infosets the lock's."""
        average = self.arena.table("average")
        return average if self.locks is None else self.locks.over(average)

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        return {**self.arena.tables, "average": self._played()}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        self.arena.load(tables)
