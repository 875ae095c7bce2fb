"""Counterfactual regret minimisation on the public form: plan x evaluator x rule x update mode.

solver = PublicSolver(public_game(FlopHoldem(suits=4, ranks=5)), "dcfr")
solver.run(100)
solver.evaluate().exploitability
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solvent.engines.full_width import FullWidth
from solvent.engines.history import serial_kernels
from solvent.engines.history.response import Evaluation
from solvent.engines.history.sequence_plan import SequencePlan
from solvent.engines.history.solver import check_options, table_dtype
from solvent.engines.public.arrays import devices
from solvent.engines.public.arrays.plan import ArrayPass
from solvent.engines.public.kernels import Tables
from solvent.engines.public.public_pass import EVALUATORS, PublicPass
from solvent.engines.public.response import evaluate_paired, evaluate_public
from solvent.engines.public.shapes import ShapePass
from solvent.engines.public.walk import HistoryWalk
from solvent.engines.rules import RegretRule, load_rule
from solvent.engines.small_games import small_public_game
from solvent.engines.solver import OnPublicForm
from solvent.engines.warm_start import FAINT, ONE_ITERATION, start_from
from solvent.forms.public.game import PublicGame
from solvent.forms.public.sequences import MANY_NODES, few_histories, public_sequence_form
from solvent.forms.sequence import SequenceForm
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import check_threads
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.public_infosets import PublicInfosets
from solvent.strategy.solved.tables import TableStrategy

PLANS = ("auto", "aggregated", "vectors", "sequences", "shapes", "serial", "branched")
"""`vectors`, `sequences` and `shapes` are variants of the aggregated plan, which takes the quickest."""
DEVICES = ("cpu", *devices.DEVICES)


class PublicPlan(Protocol):
    """Runs iterations on tables by block."""

    threads: int

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """Run one iteration for each row of `schedule`, which holds the rule's weights."""


class PublicSequences:
    """The aggregated plan where hands are few: pairs of sequences side by side, without the game's histories."""

    threads = 1

    def __init__(self, game: PublicGame) -> None:
        self.form = public_sequence_form(game)
        self.plan = SequencePlan(self.form, game.name)

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """Run one iteration of a regret rule for each row of `schedule`."""
        by_cell = serial_kernels.Tables(tables.regret, tables.average, tables.last, tables.value)
        self.plan.iterate(schedule, alternating, by_cell, None)


class OnPublicGame(OnPublicForm):
    """A solver of a game compiled by `public_game`."""

    game: PublicGame

    @property
    def form_bytes(self) -> int:
        """Memory of the form beside the tables."""
        arrays = [a for here in self.game.rounds for a in (here.hand, here.parent_slot, here.card, here.tie)]
        return sum(array.nbytes for array in arrays) + self.game.matrix.nbytes


class PublicSolver(OnPublicGame, FullWidth):
    """CFR on a game in public form. `run` as often as you like; the average strategy is the result.

    The aggregated plan has three variants: `vectors`, one entry for each hand, and where hands are few
    `sequences`, pairs of sequences side by side, or `shapes`, betting nodes with the same future side by side.
    """

    evaluator: str

    def __init__(
        self,
        game: PublicGame,
        rule: str | RegretRule = "dcfr",
        updates: str = "alternating",
        plan: str = "auto",
        evaluator: str = "auto",
        threads: int = 1,
        dtype: str = "auto",
        device: str = "cpu",
        locks: Locks | None = None,
        value_sums: bool = False,
    ) -> None:
        check_options(updates, dtype)
        check_public_options(plan, evaluator, device, threads)
        self.game, self.updates, self.dtype = game, updates, table_dtype(dtype, game.cells)
        self.rule = load_rule(rule)
        self.plan_name = "aggregated" if plan == "auto" else plan
        self.evaluator = ("swept" if game.sorted_hands else "matrix") if evaluator == "auto" else evaluator
        self.threads, self.device = threads, device
        self.iterations = 0
        self.nodes_touched = 0
        self._make_tables(game.block_sizes, locks, value_sums)
        by_sweep = self.evaluator if self.evaluator in EVALUATORS else "swept"
        self._pass = PublicPass(game, np.dtype(self.dtype), by_sweep, threads)
        self._seen = self._seen_last = np.zeros(0, dtype=self.dtype)
        self.plan: PublicPlan = self._plan()
        self.threads = self.plan.threads
        self.touched_unit = "histories" if isinstance(self.plan, HistoryWalk) else OnPublicForm.touched_unit

    def _plan(self) -> PublicPlan:
        if self.plan_name in ("serial", "branched"):
            return HistoryWalk(self.game, self.threads if self.plan_name == "branched" else 1)
        if self.device != "cpu":
            return ArrayPass(self.game, self.device, np.dtype(self.dtype))
        if self.variant == "sequences":
            return PublicSequences(self.game)
        return ShapePass(self.game, np.dtype(self.dtype)) if self.variant == "shapes" else self._pass

    @property
    def variant(self) -> str:
        """The variant of the aggregated plan; another plan's own name."""
        if self.plan_name != "aggregated":
            return self.plan_name
        return "vectors" if self.device != "cpu" else plan_variant(self.game)

    def warm_up(self) -> None:
        """Have the kernels compiled that `run` and `evaluate` need."""
        small = PublicSolver(
            small_public_game(self.game, rounds=1 if self.variant == "shapes" else 2),
            self.rule,
            self.updates,
            "shapes" if self.variant == "shapes" else self.plan_name,
            "auto" if self.evaluator == "matrix" else self.evaluator,
            self.threads,
            self.dtype,
            self.device,
        )
        small.run(1)
        small.evaluate()

    # What a run says of itself

    @property
    def tables(self) -> Tables:
        """The arena's tables as the kernels take them."""
        regret, average = self.arena.table("regret"), self.arena.table("average")
        last = self.arena.table("last") if self.rule.predictive else regret[:0]
        value = self._value_table
        if self.updates == "simultaneous":
            if len(self._seen) != len(regret):
                self._seen, self._seen_last = np.zeros_like(regret), np.zeros_like(last)
            return Tables(self.arena.offset, regret, average, last, value, self._seen, self._seen_last)
        return Tables(self.arena.offset, regret, average, last, value, regret, last)

    # Solving

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        if iterations == 0:
            return
        schedule = self.rule.schedule(self.head_start + self.iterations + 1, iterations, self.dtype)
        for rows in self._pieces(schedule):
            self.plan.iterate(self.tables, rows, self.updates == "alternating")
        self.iterations += iterations
        walked = isinstance(self.plan, HistoryWalk)
        self.nodes_touched += iterations * 2 * (self.histories if walked else self.game.public_nodes)

    def evaluate(self, keep_locks: bool = True) -> Evaluation:
        """Measure exploitability and value of the average strategy by exact best responses.

        Responses keep to the locks, which is how far the locked game is from solved, or are free of them.
        """
        locks = self.locks if keep_locks else None
        if few_histories(self.game):
            return evaluate_paired(self._pairs, PublicInfosets(self.game), self._played(), locks)
        return evaluate_public(self._pass, self._played(), locks)

    @cached_property
    def _pairs(self) -> SequenceForm:
        """The game's pairs of sequences, on which strategies of small games are evaluated."""
        if isinstance(self.plan, PublicSequences):
            return self.plan.form
        return public_sequence_form(self.game)

    def strategy(self, **facts: Any) -> TableStrategy:
        """The average strategy."""
        infosets = PublicInfosets(self.game)
        return TableStrategy(
            self.name, self.fingerprint, infosets, self._played().copy(), facts, self.game.rules
        )

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None:
        """Begin with a strategy as if it had been played for some iterations: by default those that made it."""
        start_from(self, np.asarray(strategy.probabilities, dtype=np.float64), strategy.facts, iterations)

    def play_once(self, strategy: NDArray[np.float64]) -> None:
        tables = self.tables
        tables.regret[:] = FAINT * strategy
        seen = tables._replace(seen=tables.regret.copy(), seen_last=tables.last.copy())
        self.plan.iterate(seen, ONE_ITERATION, False)

    def largest(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        first = self.game.nodes.first_edge
        result = np.empty_like(cells)
        for node in np.flatnonzero(np.diff(first)):
            start = self.arena.offset[first[node]]
            block = slice(start, start + self.game.block_sizes[first[node] : first[node + 1]].sum())
            rows = cells[block].reshape(first[node + 1] - first[node], -1)
            result[block] = np.broadcast_to(rows.max(axis=0), rows.shape).ravel()
        return result


def plan_variant(game: PublicGame) -> str:
    """Choose the variant of the aggregated plan that runs a game on the processor."""
    if game.sorted_hands or game.isomorphism:
        return "vectors"
    if few_histories(game):
        return "sequences"
    return "shapes" if len(game.rounds) == 1 and len(game.nodes.symbol) >= MANY_NODES else "vectors"


def check_public_options(plan: str, evaluator: str, device: str, threads: int) -> None:
    """Reject an unknown plan, evaluator or device, and a number of threads that no machine has."""
    if plan not in PLANS:
        raise InputError(f"there is no plan {plan!r} on the public form; the plans are {', '.join(PLANS)}")
    if evaluator not in ("auto", *EVALUATORS):
        raise InputError(f"there is no evaluator {evaluator!r}; choose from auto, {', '.join(EVALUATORS)}")
    if device.partition(":")[0] not in (*DEVICES, devices.REFERENCE):
        raise InputError(f"there is no device {device!r}; choose from {', '.join(DEVICES)} or torch:cuda")
    if device != "cpu" and plan not in ("auto", "aggregated"):
        raise InputError(f"device {device} runs the aggregated plan alone, not {plan}")
    check_threads(threads)
