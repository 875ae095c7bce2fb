"""Trainings as a session drives them: what all have in common, and plain training on one table.

Rules: cfr and lcfr weigh iterations as they are sampled. A rule that discounts, dcfr(a,b,g), would have to
touch the whole table in each iteration; instead the run is divided into 100 equal parts, and the whole table is
discounted at the end of each, with the number of the part for the rule's t (Brown and Sandholm 2019, section
6). A run that is resumed for longer becomes one of that length, with longer parts.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.engines.sampling import DECAY, NO_DECAY
from solvent.forms.betting.tree import BettingTree
from solvent.foundation.errors import InputError
from solvent.strategy.agents.blueprint import TABLE_LAYOUT, Blueprint
from solvent.training.boards.solver import BoardSolver
from solvent.training.discounting import discount
from solvent.training.initial_weights import VISITS, write_prior
from solvent.training.settings import EXTERNAL, PARTS, PUBLIC, TrainingSettings
from solvent.training.solver import BlueprintSolver, TableSolver

FIRST_RENEWAL = 1_000
"""The iteration at which the prior is first written anew where iteration t counts t; then at twice as many."""
CHUNK_SECONDS = 1.0
"""Seconds for which a compiled call may keep Ctrl-C, the clock and the progress display waiting."""
FIRST_CHECK = {EXTERNAL: 1_000, PUBLIC: 10}
"""The iteration of the first measurement: a board takes as long as hundreds of deals."""
UNITS = {EXTERNAL: "iterations", PUBLIC: "boards"}
"""Names of iterations."""


@dataclass(frozen=True)
class Length:
    """The planned length of a run, all of its calls together; what is reached first ends it."""

    iterations: int | None = None
    time: float | None = None
    """Seconds of training."""

    def done(self, iterations: int, seconds: float) -> float:
        """The part of the run that is done, from 0 to 1."""
        by_iterations = 0.0 if self.iterations is None else iterations / self.iterations
        by_time = 0.0 if self.time is None else seconds / self.time
        return max(by_iterations, by_time)

    def parts_done(self, iterations: int, seconds: float) -> int:
        """Count the run's equal parts that are over."""
        by_iterations = 0 if self.iterations is None else _last_part(iterations, self.iterations)
        by_time = 0 if self.time is None else int(PARTS * seconds / self.time)
        return max(by_iterations, by_time)

    def end_of(self, part: int) -> int | None:
        """The iteration at which a part ends, counted from 1; None where the run has no length in iterations."""
        return None if self.iterations is None else part * self.iterations // PARTS


def _last_part(iterations: int, length: int) -> int:
    """The last part that ends, at part * length // PARTS, no later than `iterations`."""
    return ((iterations + 1) * PARTS - 1) // length


class TrainingWork(ABC):
    """The tables of a blueprint under training, as a session drives them."""

    check_growth = 1.1

    def __init__(
        self,
        tree: BettingTree,
        cards: CardAbstraction,
        settings: TrainingSettings,
        length: Length | None = None,
    ) -> None:
        """`length` is needed by rules that discount, and by exploration that falls over a fraction of the run."""
        self.tree, self.cards, self.settings, self.length = tree, cards, settings, length
        self.discounts = settings.rule.discounts and length is not None
        """Whether the table is discounted at the end of each part of the run."""
        self.parts_done = 0
        """Parts of the run at whose end the table has been discounted."""
        self.weight = 0.0
        """The sum of the iterations' weights, faded as regrets fade."""
        self.seconds = 0.0
        """Seconds of training so far."""
        self.prior_weight = 1.0
        """The weight of a visit in the prior that stands at rows where nothing has been learned."""

    # Each kind of training

    @property
    @abstractmethod
    def iterations(self) -> int:
        """Iterations so far."""

    @property
    @abstractmethod
    def touched(self) -> int:
        """Rows touched so far."""

    @property
    @abstractmethod
    def head(self) -> NDArray[np.float32]:
        """The numbers of the first street."""

    @abstractmethod
    def begin(self) -> None:
        """Set what a new training starts from: zeros, or small regrets from simulated win rates."""

    @abstractmethod
    def warm_up(self) -> None:
        """Have the kernels compiled that training needs, by iterations and discounts that change nothing."""

    @abstractmethod
    def _iterate(self, iterations: int) -> None:
        """Run this many more iterations, or a few more than that."""

    @abstractmethod
    def _discount(self, positive: float, negative: float, keep: float) -> None:
        """Multiply regrets above 0, those below and strategy sums of all tables."""

    @abstractmethod
    def close(self) -> None:
        """End whatever the training has begun beside this process."""

    @abstractmethod
    def saved_tables(self) -> dict[str, NDArray[Any]]: ...

    @abstractmethod
    def load_tables(self, tables: Mapping[str, Any]) -> None: ...

    # Training by children

    def launch(self) -> None:
        """Begin whatever the training needs beside this process: plain training needs nothing."""
        return

    def about_children(self) -> dict[str, Any] | None:
        """Describe the workers' latest work, for the result; plain training has none."""
        return None

    # All trainings

    @property
    def first_check(self) -> int:
        return FIRST_CHECK[self.settings.sampling]

    @property
    def unit(self) -> str:
        """The progress display's name for iterations."""
        return UNITS[self.settings.sampling]

    @property
    def chunk_seconds(self) -> float:
        length = None if self.length is None else self.length.time
        return CHUNK_SECONDS if length is None else min(CHUNK_SECONDS, length / PARTS / 4)

    def run(self, iterations: int) -> None:
        """Run more iterations, and discount the table wherever a part of the run ends."""
        target = self.iterations + iterations
        while self.iterations < target:
            start, before = time.perf_counter(), self.iterations
            self._iterate(self._next_stop(target) - before)
            self.weight += _weights(before, self.iterations, self.settings.rule.linear)
            self._end_parts(self.seconds + time.perf_counter() - start)
            self._renew_prior()
            self.seconds += time.perf_counter() - start

    def _next_stop(self, target: int) -> int:
        """The iteration up to which nothing is to be done but iterations, `target` at most."""
        if not self.discounts or self.length is None:
            return target
        return min(target, self.length.end_of(self.parts_done + 1) or target)

    def _renew_prior(self) -> None:
        """Write the prior anew if a visit counts much more by now; a head and children leave it as it began."""
        return

    def _write_first_prior(self, blueprint: Blueprint) -> None:
        """Write what the settings begin with into a new table."""
        settings = self.settings
        write_prior(
            blueprint,
            before=0.0,
            after=self._prior_visits * self.prior_weight,
            unvisited=settings.unvisited == "prior",
            threads=settings.threads,
        )

    @property
    def _prior_visits(self) -> float:
        """Visits that the prior counts for: of deals, or of the hands of a board, of which each adds its part."""
        settings = self.settings
        if not settings.initial_weights:
            return 0.0
        hands = 1 if settings.hole_cards is None else comb(settings.hole_cards, 2)
        return (settings.initial_visits or VISITS) / hands

    def exploration(self) -> tuple[float, float]:
        """The least probability of an action by now, and by how much it falls with each iteration."""
        settings, length = self.settings, self.length
        if not settings.exploration_decay:
            return NO_DECAY
        if settings.exploration_part is None or length is None:
            return DECAY
        if length.time is None and length.iterations is not None:
            return DECAY[0], DECAY[0] / (settings.exploration_part * length.iterations)
        done = length.done(self.iterations, self.seconds)
        return DECAY[0] * max(0.0, 1.0 - done / settings.exploration_part), 0.0

    def _end_parts(self, seconds: float) -> None:
        """Discount the whole table, as the rule does after iteration t, if parts are over; the last of them is t.

        Where one stretch of iterations was longer than a part, several are over at once. Nothing was learned
        between their ends, so that the table is discounted once.
        """
        over = self.length.parts_done(self.iterations, seconds) if self.length is not None else 0
        if not self.discounts or over <= self.parts_done:
            return
        before, self.parts_done = self.parts_done, over
        power, weights = self.settings.rule.average_power or 0.0, self.settings.rule.weights(over)
        # The average counts by t^p: what came up to part t keeps (t / (t + 1))^p of its weight beside part t + 1.
        keep = weights.keep * ((before + 1) / (over + 1)) ** power
        self._discount(weights.positive, weights.negative, keep)
        self.weight *= weights.positive
        self.prior_weight *= weights.positive

    def regret(self) -> float:
        """The first decision's greatest positive regret a hand, summed over all hole cards, in mbb."""
        head = self.head.reshape(169, -1)
        first = int(self.tree.row[0])
        rows = head[:, first : first + len(self.tree.actions(0))]
        best = np.maximum(rows.max(axis=1), 0.0)
        return float(best.sum()) / max(self.weight, 1.0) / self.tree.abstraction.rules.blinds[1] * 1000

    # For a session

    def measure(self) -> dict[str, Any]:
        return {"rows_touched": self.touched, "regret": self.regret()}

    def describe(self) -> str:
        return f"{self.iterations:,} {self.unit}, {self.touched / 1e6:,.0f}M rows, regret {self.regret():.1f} mbb"

    def facts(self) -> dict[str, Any]:
        return {
            "touched": self.touched,
            "layout": TABLE_LAYOUT,
            "parts_done": self.parts_done,
            "length": None if self.length is None else asdict(self.length),
            "weight": self.weight,
            "prior_weight": self.prior_weight,
            "rule": str(self.settings.rule),
        }

    def restore(self, facts: Mapping[str, Any]) -> None:
        if facts["layout"] != TABLE_LAYOUT:
            raise InputError("these tables were made by another version of solvent; train anew")
        self.parts_done, self.weight, self.seconds = facts["parts_done"], facts["weight"], facts["seconds"]
        if self.length is not None and asdict(self.length) != facts.get("length"):  # its limits have changed
            self.parts_done = self.length.parts_done(facts["iterations"], self.seconds)
        self.prior_weight = facts.get("prior_weight", self.prior_weight)


class Training(TrainingWork):
    """Plain training: threads that write to one table."""

    def __init__(
        self,
        tree: BettingTree,
        cards: CardAbstraction,
        settings: TrainingSettings,
        length: Length | None = None,
    ) -> None:
        super().__init__(tree, cards, settings, length)
        self.solver = self._solver_of(Blueprint(tree, cards))

    @property
    def iterations(self) -> int:
        return self.solver.iterations

    @property
    def touched(self) -> int:
        return self.solver.touched

    @property
    def head(self) -> NDArray[np.float32]:
        return self.solver.blueprint.table[: self.solver.blueprint.layout.head]

    def begin(self) -> None:
        if self.settings.begins_with_prior:
            self._write_first_prior(self.solver.blueprint)

    def _next_stop(self, target: int) -> int:
        stop = super()._next_stop(target)
        renews = self.settings.initial_weights and self.settings.rule.linear
        renewed = max(FIRST_RENEWAL, int(2 * self.prior_weight))
        return min(stop, renewed) if renews and renewed > self.iterations else stop

    def _renew_prior(self) -> None:
        linear = self.settings.rule.linear
        now, least = (float(self.iterations), FIRST_RENEWAL) if linear else (1.0, 1.0)
        if self.settings.initial_weights and now >= max(least, 2 * self.prior_weight):
            visits, threads = self._prior_visits, self.settings.threads
            write_prior(self.solver.blueprint, visits * self.prior_weight, visits * now, threads=threads)
            self.prior_weight = now

    def warm_up(self) -> None:
        self._iterate(0)
        if self.discounts:
            self._discount(1.0, 1.0, 1.0)

    def close(self) -> None:
        """Nothing was begun."""

    def _iterate(self, iterations: int) -> None:
        settings = self.settings
        self.solver.run(
            iterations,
            threads=settings.threads,
            seed=settings.seed,
            linear=settings.rule.linear,
            exploration=self.exploration(),
            mix=settings.exploration_mix,
            floor=-settings.regret_floor * self.tree.abstraction.rules.blinds[1],
        )

    def _solver_of(self, blueprint: Blueprint) -> TableSolver:
        if self.settings.sampling == PUBLIC:
            return BoardSolver(blueprint, hole_cards=self.settings.hole_cards)
        return BlueprintSolver(blueprint, self.settings.reward)

    def _discount(self, positive: float, negative: float, keep: float) -> None:
        discount(self.solver.blueprint, positive, negative, keep, self.settings.threads)

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        return {"table": self.solver.blueprint.table}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        table = tables["table"]
        if table.dtype != np.float32:
            raise ValueError("table")
        self.solver = self._solver_of(Blueprint(self.tree, self.cards, table))

    def restore(self, facts: Mapping[str, Any]) -> None:
        super().restore(facts)
        self.solver.blueprint.iterations, self.solver.touched = facts["iterations"], facts["touched"]


def _weights(before: int, after: int, linear: bool) -> float:
    """The sum of the weights of the iterations after `before`, up to `after`."""
    if not linear:
        return float(after - before)
    return float(after * (after + 1) // 2 - before * (before + 1) // 2)
