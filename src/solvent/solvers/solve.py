"""Solve a game from its name to a strategy: limits, checks, checkpoints and interruption in one place.

result = solve("leduc", rule="dcfr", until=1e-3)
result.exploitability, result.strategy["K|Q|kk/"]
"""

from __future__ import annotations

import math
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent import __version__
from solvent.errors import InputError
from solvent.forms.history import DEFAULT_MEMORY, GameTree, compile_tree
from solvent.forms.sequence import sequence_form
from solvent.games.catalogue import load_game
from solvent.games.kuhn import Kuhn
from solvent.response.exploitability import Evaluation, evaluate
from solvent.solvers.cfr import HistorySolver
from solvent.solvers.rules import RegretRule, load_rule
from solvent.strategy.infosets import InfosetTable
from solvent.strategy.run import Run
from solvent.strategy.strategy import Strategy

DEFAULT_ITERATIONS = 1000
"""The limit where a user gives none."""
CHUNK_SECONDS = 0.2
"""How long a compiled call may keep Ctrl-C, the clock and the progress display waiting."""
PRUNINGS = ("none",)


@dataclass(frozen=True)
class Limits:
    """When to stop: the first that is reached."""

    iterations: int | None = None
    """In all, a resumed part included."""
    until: float | None = None
    """Exploitability, NashConv / 2 in chips."""
    seconds: float | None = None
    """Of solving in this call."""
    check_every: int | None = None
    """Iterations between exploitability checks; None for each 10 % more."""

    def __post_init__(self) -> None:
        for name, least in (("iterations", 0), ("until", 0.0), ("seconds", 0.0), ("check_every", 1)):
            value = getattr(self, name)
            if value is not None and not value >= least:
                raise InputError(f"{name.replace('_', '-')} must be at least {least}, not {value}")

    def next_check(self, done: int) -> int:
        """The first iteration after `done` at which exploitability is measured."""
        if self.check_every is not None:
            return (done // self.check_every + 1) * self.check_every
        check = 1
        while check <= done:
            check = max(check + 1, math.floor(1.1 * check))
        return check


@dataclass(frozen=True)
class Progress:
    """Where a solve stands, for whoever watches."""

    stage: str
    """compiling the game, compiling kernels, solving"""
    iterations: int = 0
    target: int | None = None
    exploitability: float | None = None
    rate: float | None = None
    """Iterations per second."""
    histories: int = 0
    cost: Cost | None = None


@dataclass(frozen=True)
class Cost:
    """What a solve will take, known before it starts."""

    histories: int
    infosets: int
    cells: int
    tree_bytes: int
    table_bytes: int
    warnings: tuple[str, ...] = ()


Watcher = Callable[[Progress], None]


@dataclass(frozen=True)
class Result:
    """What a solve reached. `as_dict` is what `--json` prints."""

    game: str
    rule: str
    updates: str
    plan: str
    threads: int
    dtype: str
    seed: int
    iterations: int
    exploitability: float
    value: float
    """What player 0 wins under the average strategy, in chips a game."""
    infosets: int
    infoset_actions: int
    histories: int
    seconds: float
    """Of solving in all, checks and set-up apart."""
    seconds_per_iteration: float
    compile_seconds: float
    peak_memory_bytes: int
    table_bytes: int
    nodes_touched: int
    stopped_by: str
    """iterations, until, seconds or interrupt"""
    warnings: tuple[str, ...]
    strategy: Strategy = field(repr=False)
    convergence: tuple[dict[str, Any], ...] = field(repr=False, default=())
    """One row per exploitability check."""
    run: Path | None = None
    form: str = "history"
    pruning: str = "none"
    touched_unit: str = "histories"
    exploitability_unit: str = "chips, NashConv/2"

    def as_dict(self) -> dict[str, Any]:
        """Everything but the strategy and the curve, ready for JSON."""
        skipped = ("strategy", "convergence")
        row = {key: value for key, value in self.__dict__.items() if key not in skipped}
        return {**row, "run": None if self.run is None else str(self.run), "warnings": list(self.warnings)}


def solve(
    game: Any = None,
    *,
    rule: str | RegretRule | None = None,
    updates: str | None = None,
    plan: str = "auto",
    pruning: str = "none",
    threads: int = 1,
    dtype: str | None = None,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    check_every: int | None = None,
    seed: int | None = None,
    memory: int = DEFAULT_MEMORY,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    warm_start: Strategy | str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    watch: Watcher | None = None,
) -> Result:
    """Solve a two-player game by counterfactual regret minimisation.

    `game` is whatever `load_game` takes; it may be left out with `resume`, which goes on with an earlier run
    under the rule, update mode and dtype it began with. The first limit of `iterations` (in all), `until`
    (exploitability in chips) and `seconds` (of this call) stops; with none, 1,000 iterations. `out` makes a
    run folder with checkpoints. `seed` is recorded; the full-width solvers draw nothing at random.
    Ctrl-C stops after the running iterations and keeps what was reached.
    """
    if pruning not in PRUNINGS:
        raise InputError(f"there is no pruning {pruning!r}; choose from {', '.join(PRUNINGS)}")
    if out is not None and resume is not None:
        raise InputError("give a new folder with out or an old one with resume, not both")
    if not checkpoint_seconds > 0:
        raise InputError(f"checkpoint-seconds must be positive, not {checkpoint_seconds}")
    if resume is not None and warm_start is not None:
        raise InputError("a resumed run has its own start; leave warm-start out")
    limits = Limits(_default_limit(iterations, until, seconds), until, seconds, check_every)
    watch = watch or (lambda progress: None)
    run = Run.open(resume) if resume is not None else None
    wanted = {
        "rule": None if rule is None else str(load_rule(rule)),
        "updates": updates,
        "dtype": dtype,
        "seed": seed,
    }
    if run is not None:
        game, wanted = _agree(run, game, wanted)
    elif game is None:
        raise InputError("say which game to solve")
    custom = rule if isinstance(rule, RegretRule) else None
    setting: dict[str, Any] = {"rule": "dcfr", "updates": "alternating", "dtype": "auto", "seed": 0}
    setting |= {key: value for key, value in wanted.items() if value is not None}

    tree = _compile(game, memory, watch)
    if run is not None and tree.fingerprint != run.configuration["fingerprint"]:
        raise InputError(f"{run.folder} is a run of {run.configuration['game']}, not of {tree.name}")
    watch(Progress("compiling kernels"))
    compile_seconds = compile_kernels(setting["dtype"])
    solver = HistorySolver(
        tree, custom or setting["rule"], setting["updates"], plan, threads, setting["dtype"]
    )
    if warm_start is not None:
        solver.warm_start(_matching(tree, warm_start))
    cost = _cost(tree, solver)
    watch(Progress("solving", cost=cost))
    if out is not None:
        run = Run.create(out, _configuration(tree, solver, setting["seed"]), InfosetTable.of(tree))
    with run.locked() if run is not None else nullcontext(), _interruption() as interrupted:
        session = _Session(solver, limits, run, checkpoint_seconds, watch, interrupted)
        if resume is not None:
            session.restore()
        stopped_by = session.loop()
        result = session.result(stopped_by, setting["seed"], compile_seconds, cost.warnings)
        if run is not None:
            run.save_result(result.as_dict())
    return result


def compile_kernels(dtype: str = "auto") -> float:
    """Have every kernel of a solve compiled, or loaded from the cache; the seconds it took."""
    start = time.perf_counter()
    tree = compile_tree(Kuhn())
    solver = HistorySolver(tree, "cfr", plan="serial", dtype=dtype)
    solver.run(1)
    branched = HistorySolver(tree, "cfr", plan="branched", dtype=dtype)
    branched.run(1)
    evaluate(tree, solver.average_strategy())
    return time.perf_counter() - start


class _Session:
    """The loop of one solve: chunks of iterations between checks, checkpoints and signals."""

    def __init__(
        self,
        solver: HistorySolver,
        limits: Limits,
        run: Run | None,
        checkpoint_seconds: float,
        watch: Watcher,
        interrupted: Callable[[], bool],
    ) -> None:
        self.solver, self.limits, self.run = solver, limits, run
        self.checkpoint_seconds, self.watch, self.interrupted = checkpoint_seconds, watch, interrupted
        self.seconds = 0.0
        """Of solving so far, earlier parts included."""
        self.here = 0.0
        """Of solving in this call."""
        self.evaluation: Evaluation | None = None
        self.curve: list[dict[str, Any]] = []
        self.chunk_rate = 0.0
        self.saved_at = 0.0
        self.saved_iterations = -1

    def restore(self) -> None:
        """Take up the run's newest checkpoint; without one, begin at the beginning."""
        assert self.run is not None
        loaded = self.run.load_checkpoint()
        if loaded is None:
            self.run.forget_metrics_after(-1)
            return
        tables, facts = loaded
        for name in self.solver.arena.names:
            table = self.solver.arena.table(name)
            if name not in tables or tables[name].shape != table.shape or tables[name].dtype != table.dtype:
                raise InputError(f"the checkpoint of {self.run.folder} does not fit this game and rule")
            table[:] = tables[name]
        self.solver.restore(facts["iterations"], facts["nodes_touched"])
        self.seconds = facts["seconds"]
        self.run.forget_metrics_after(facts["iterations"])
        self.curve = self.run.metrics()
        self.saved_iterations = self.solver.iterations

    def loop(self) -> str:
        """Iterate until a limit is reached; which one it was."""
        solver, limits = self.solver, self.limits
        while True:
            reason = self._reason_to_stop()
            if reason is not None:
                break
            check = limits.next_check(solver.iterations)
            self._iterate(min(check, limits.iterations or check))
            if solver.iterations == check:
                self._check()
            self._report()
            if self.run is not None and self.here - self.saved_at >= self.checkpoint_seconds:
                self._checkpoint()
        if self.evaluation is None or self.curve[-1]["iterations"] != solver.iterations:
            self._check()
        self._checkpoint()
        self._report()
        return reason

    def _reason_to_stop(self) -> str | None:
        limits = self.limits
        if self.interrupted():
            return "interrupt"
        if limits.until is not None and self.curve and self.curve[-1]["exploitability"] <= limits.until:
            return "until"
        if limits.iterations is not None and self.solver.iterations >= limits.iterations:
            return "iterations"
        if limits.seconds is not None and self.here >= limits.seconds:
            return "seconds"
        return None

    def _iterate(self, target: int) -> None:
        """Run towards `target`, for no longer than a chunk may take."""
        count = target - self.solver.iterations
        budget = CHUNK_SECONDS
        if self.limits.seconds is not None:
            budget = min(budget, max(0.0, self.limits.seconds - self.here))
        count = min(count, max(1, int(budget * self.chunk_rate)))
        start = time.perf_counter()
        self.solver.run(count)
        spent = time.perf_counter() - start
        self.chunk_rate = count / max(spent, 1e-9)
        self.seconds += spent
        self.here += spent

    def _check(self) -> None:
        self.evaluation = evaluate(self.solver.tree, self.solver.average_strategy())
        if self.curve and self.curve[-1]["iterations"] == self.solver.iterations:
            return
        row = {
            "iterations": self.solver.iterations,
            "seconds": self.seconds,
            "exploitability": self.evaluation.exploitability,
            "value": self.evaluation.value[0],
            "nodes_touched": self.solver.nodes_touched,
        }
        self.curve.append(row)
        if self.run is not None:
            self.run.add_metric(row)

    def _checkpoint(self) -> None:
        if self.run is None or self.saved_iterations == self.solver.iterations:
            return
        arena = self.solver.arena
        last = self.curve[-1] if self.curve else {}
        facts = {
            "nodes_touched": self.solver.nodes_touched,
            "seconds": self.seconds,
            "rule": str(self.solver.rule),
            "updates": self.solver.updates,
            "exploitability": last.get("exploitability"),
            "exploitability_at": last.get("iterations"),
            "exploitability_unit": "chips, NashConv/2, exact best response",
            "peak_memory_bytes": peak_memory(),
        }
        tables = {name: arena.table(name) for name in arena.names}
        self.run.save_checkpoint(self.solver.iterations, tables, facts)
        self.saved_at, self.saved_iterations = self.here, self.solver.iterations

    def _report(self) -> None:
        exploitability = self.evaluation.exploitability if self.evaluation else None
        self.watch(
            Progress(
                "solving",
                self.solver.iterations,
                self.limits.iterations,
                exploitability,
                self.chunk_rate,
                self.solver.tree.histories,
            )
        )

    def result(self, stopped_by: str, seed: int, compile_seconds: float, warnings: tuple[str, ...]) -> Result:
        solver, evaluation = self.solver, self.evaluation
        assert evaluation is not None
        made_by = {
            "rule": str(solver.rule),
            "updates": solver.updates,
            "iterations": solver.iterations,
            "exploitability": evaluation.exploitability,
        }
        return Result(
            game=solver.tree.name,
            rule=str(solver.rule),
            updates=solver.updates,
            plan=solver.plan.name,
            threads=solver.threads,
            dtype=solver.dtype,
            seed=seed,
            iterations=solver.iterations,
            exploitability=evaluation.exploitability,
            value=evaluation.value[0],
            infosets=solver.tree.infosets,
            infoset_actions=solver.tree.cells,
            histories=solver.tree.histories,
            seconds=self.seconds,
            seconds_per_iteration=self.seconds / max(1, solver.iterations),
            compile_seconds=compile_seconds,
            peak_memory_bytes=peak_memory(),
            table_bytes=solver.arena.bytes,
            nodes_touched=solver.nodes_touched,
            stopped_by=stopped_by,
            warnings=warnings,
            strategy=Strategy.of(solver.tree, solver.average_strategy(), **made_by),
            convergence=tuple(self.curve),
            run=None if self.run is None else self.run.folder,
        )


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _default_limit(iterations: int | None, until: float | None, seconds: float | None) -> int | None:
    return DEFAULT_ITERATIONS if iterations is None and until is None and seconds is None else iterations


def _agree(run: Run, game: Any, wanted: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """What a resumed run goes on with; what was asked for must not differ from it."""
    began = run.configuration
    for key, value in wanted.items():
        if value not in (None, began.get(key)) and (key, value) != ("dtype", "auto"):
            raise InputError(f"{run.folder} began with {key} {began.get(key)}; it cannot go on with {value}")
    return (began["game"] if game is None else game), {key: began.get(key) for key in wanted}


def _compile(game: Any, memory: int, watch: Watcher) -> GameTree:
    watch(Progress("compiling the game"))
    return compile_tree(
        load_game(game), memory, lambda histories: watch(Progress("compiling the game", histories=histories))
    )


def _matching(tree: GameTree, source: Strategy | str | Path) -> NDArray[np.float64]:
    strategy = source if isinstance(source, Strategy) else Strategy.load(source)
    if strategy.fingerprint != tree.fingerprint:
        raise InputError(f"a strategy of {strategy.game} cannot start a solve of {tree.name}")
    return strategy.probabilities


def _cost(tree: GameTree, solver: HistorySolver) -> Cost:
    columns = (tree.player, tree.infoset, tree.parent, tree.cell, tree.end, tree.payoff)
    tree_bytes = sum(column.nbytes for column in columns) + 16 * tree.histories
    return Cost(
        tree.histories, tree.infosets, tree.cells, tree_bytes, solver.arena.bytes, tuple(guarantees(tree))
    )


def guarantees(tree: GameTree) -> list[str]:
    """What CFR does not promise on this game, in sentences."""
    found = []
    if not tree.zero_sum:
        found.append(
            "the game is not zero-sum: average strategies need not approach a Nash equilibrium; "
            "exploitability still measures the distance to one"
        )
    forgetful = [str(p) for p in (0, 1) if not sequence_form(tree).sequences[p].perfect_recall]
    if forgetful:
        found.append(
            f"player {' and '.join(forgetful)} has imperfect recall: CFR's guarantee does not hold, and "
            "exploitability is measured by opponents who forget nothing"
        )
    return found


def _configuration(tree: GameTree, solver: HistorySolver, seed: int) -> dict[str, Any]:
    return {
        "game": tree.name,
        "fingerprint": tree.fingerprint,
        "rule": str(solver.rule),
        "updates": solver.updates,
        "plan": solver.plan.name,
        "pruning": "none",
        "threads": solver.threads,
        "dtype": solver.dtype,
        "seed": seed,
        "version": __version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


@contextmanager
def _interruption() -> Iterator[Callable[[], bool]]:
    """Turn Ctrl-C and SIGTERM into a question the loop asks; a second Ctrl-C interrupts at once."""
    arrived: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return

    def note(number: int, frame: FrameType | None) -> None:
        if arrived:
            raise KeyboardInterrupt
        arrived.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(arrived)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
