"""Monte Carlo CFR on the history form: external, outcome and chance sampling, on one thread or on several.

solver = SamplingSolver(tree, "lcfr", Sampling("external"), seed=1)
solver.run(1_000_000)
solver.average_strategy()

Lanctot, Waugh, Zinkevich and Bowling (2009). An iteration is one pass for each player. Workers share one table
without locks: an addition that two make to the same number at the same moment may count once. One thread gives the
same numbers on every machine, however a run is cut into parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.engines.history.sampled.kernels import Frames, Setting, run_chance, run_external, run_outcome
from solvent.engines.history.sampled.layout import HistoryLayout, aligned, lay_out_histories
from solvent.engines.history.solver import OnHistories, check_options, table_dtype
from solvent.engines.locking import LockedRegrets
from solvent.engines.rewards import reward
from solvent.engines.rules import RegretRule, load_rule
from solvent.engines.sampling import DECAY, NO_DECAY, SAMPLED_RULE, Sampling
from solvent.engines.small_games import small_tree
from solvent.forms.history import GameTree
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import check_threads, on_each
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.tables import TableStrategy
from solvent.strategy.strategy import normalise

KERNELS: dict[str, Callable[..., int]] = {
    "external": run_external,
    "chance": run_chance,
    "outcome": run_outcome,
}
PRIOR = 1.0
"""Regrets of a warm start at an infoset, in largest payoffs: a few visits unlearn them."""
CHECK_FROM = 100
"""Histories per iteration before the first check, which walks them all."""


class SamplingSolver(OnHistories):
    """Monte Carlo CFR on a compiled game. `run` as often as you like; the average strategy is the result."""

    plan_name = "sampled"
    updates = "alternating"

    def __init__(
        self,
        tree: GameTree,
        rule: str | RegretRule = SAMPLED_RULE,
        sampling: Sampling | str = "external",
        seed: int = 0,
        threads: int = 1,
        dtype: str = "auto",
        initial_regrets: ArrayLike | None = None,
        locks: Locks | None = None,
    ) -> None:
        """`initial_regrets`, float[cells] in chips: small ones make a prior strategy and keep the guarantees."""
        self.sampling = Sampling(sampling) if isinstance(sampling, str) else sampling
        if not self.sampling:
            raise InputError("give sampling external, outcome or chance")
        check_options(self.updates, dtype)
        check_threads(threads)
        check_seed(seed)
        self.tree, self.threads, self.seed = tree, threads, seed
        self.dtype = table_dtype(dtype, tree.cells)
        self.rule = load_rule(rule)
        self.sampling.check_rule(self.rule)
        self.iterations = self.nodes_touched = 0
        self.layout = self._lay_out()
        self.table = aligned(self.layout.numbers, self.dtype)
        self._locked: LockedRegrets | None = None
        if locks:
            locks.check(tree.name, tree.fingerprint)
            if self.sampling.exploration_decay:
                raise InputError(
                    "exploration-decay changes every strategy: it cannot go with locked infosets"
                )
            self.locks = locks
            self._locked = LockedRegrets(locks, self.layout.regret, self.table.dtype)
        self._setting = Setting(
            np.uint64(seed),
            self.rule.linear,
            float(self.sampling.exploration),
            DECAY if self.sampling.exploration_decay else NO_DECAY,
            self.sampling.exploration_mix,
            float(self.sampling.regret_floor * self.sampling.reward_unit),
        )
        self._frames = [self._make_frames() for _ in range(threads)]
        if initial_regrets is not None:
            self.begin_with(initial_regrets)

    # Facts of a run

    @property
    def table_bytes(self) -> int:
        return int(self.table.nbytes)

    @property
    def form_bytes(self) -> int:
        """Bytes of the tree and its layout, the table apart."""
        return self._tree_bytes + sum(column.nbytes for column in self.layout.tree)

    @property
    def notes(self) -> list[str]:
        found = super().notes
        if self.sampling.reward != "y1":
            found.append(
                f"losses are felt as reward {self.sampling.reward} has them; exploitability and value are "
                "in true chips"
            )
        if self.threads > 1:
            found.append("several threads share one table without locks: no two runs are quite the same")
        return found

    @property
    def first_check(self) -> int:
        """The iteration from which exploitability is worth measuring: a check walks every history."""
        return max(1, self.tree.histories // CHECK_FROM)

    def warm_up(self) -> None:
        """Have the kernels compiled that `run` and `evaluate` need."""
        small = SamplingSolver(small_tree(), self.rule, self.sampling, self.seed, self.threads, self.dtype)
        small.run(1)
        small.evaluate()

    def run(self, iterations: int) -> None:
        """Run more iterations, each one pass for each player."""
        first = self.iterations + 1
        stop = first + iterations
        if self._locked is not None:
            self._locked.impose(self.table)
        if self.threads == 1:
            self.nodes_touched += self._work(first, stop, 0)
        else:
            done = on_each(lambda worker: self._work(first + worker, stop, worker), self.threads)
            self.nodes_touched += sum(done)
        if self._locked is not None:
            self._locked.lift(self.table)
        self.iterations += iterations

    def _work(self, first: int, stop: int, worker: int) -> int:
        run, frames = KERNELS[self.sampling.mode], self._frames[worker]
        return int(run(self.layout.tree, self.table, first, stop, self.threads, self._setting, frames))

    def average_strategy(self) -> NDArray[np.float64]:
        """The average strategy, float64[cells], which converges. Uniform where a player never came."""
        return normalise(self._by_cell(self.layout.average), self.tree.infoset_cell)

    def current_strategy(self) -> NDArray[np.float64]:
        """The strategy of regret matching now, float64[cells], exploration apart."""
        return normalise(np.maximum(self._by_cell(self.layout.regret), 0), self.tree.infoset_cell)

    def _by_cell(self, places: NDArray[np.int64]) -> NDArray[np.floating]:
        """Numbers of the table, float[cells], with the locks' probabilities where infosets are locked."""
        found = self.table[places]
        return found if self.locks is None else self.locks.over(found)

    # Beginnings

    def begin_with(self, regrets: ArrayLike) -> None:
        """Start from these regrets, float[cells] in chips, instead of from 0."""
        given = np.asarray(regrets, dtype=np.float64)
        if self.iterations:
            raise InputError("initial regrets come before the first iteration")
        if given.shape != (self.tree.cells,) or not np.isfinite(given).all():
            raise InputError(
                f"initial regrets must be {self.tree.cells:,} finite numbers, one for each infoset-action"
            )
        self.table[self.layout.regret] = given

    def warm_start(self, strategy: TableStrategy | ArrayLike, iterations: int | None = None) -> None:
        """Begin with a strategy as a prior: regrets in proportion to it, `iterations` largest payoffs in sum."""
        given = strategy.probabilities if isinstance(strategy, TableStrategy) else strategy
        prior = normalise(np.asarray(given, dtype=np.float64), self.tree.infoset_cell)
        scale = PRIOR if iterations is None else iterations
        self.begin_with(scale * float(np.abs(self.tree.payoff).max(initial=0.0)) * prior)

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint: by infoset-action, as every solver's."""
        return {"regret": self.table[self.layout.regret], "average": self._by_cell(self.layout.average)}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Load a checkpoint's arrays; a ValueError if they are not of this game."""
        for name, place in (("regret", self.layout.regret), ("average", self.layout.average)):
            saved = tables.get(name)
            if saved is None or saved.shape != place.shape or saved.dtype != self.table.dtype:
                raise ValueError(name)
            self.table[place] = saved

    def _lay_out(self) -> HistoryLayout:
        """The tree laid out for sampling; solvers that follow one another on a tree share the last one made."""
        key = (self.sampling.reward, self.sampling.reward_unit, self.dtype)
        if self.tree._cache.get("sampled", (None,))[0] != key:
            payoff = reward(self.sampling.reward, self.tree.payoff, self.sampling.reward_unit)
            self.tree._cache["sampled"] = (key, lay_out_histories(self.tree, payoff, self.dtype))
        layout: HistoryLayout = self.tree._cache["sampled"][1]
        return layout

    def _make_frames(self) -> Frames:
        frames, widest = self.layout.deepest + 1, self.layout.widest
        fixed = self.layout.numbers if self.sampling.mode == "chance" else 0
        return Frames(
            np.zeros(frames, dtype=np.int64),
            np.zeros(frames, dtype=np.int64),
            np.zeros(frames),
            np.zeros(frames * widest),
            np.zeros(frames * widest),
            np.zeros(fixed),
            np.zeros(fixed, dtype=np.int64),
        )


def check_seed(seed: Any) -> None:
    """Reject a seed that the generator does not take."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed < 1 << 64:
        raise InputError(f"seed must be a whole number from 0 to 2^64 - 1, not {seed!r}")
