"""Solve a game from its name to a strategy: limits, checks, checkpoints and interruption in one place.

result = solve("leduc", rule="dcfr", until=1e-3)
result.exploitability, result.strategy["K|Q|kk/"]
"""

from __future__ import annotations

import math
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from numbers import Integral, Real
from pathlib import Path
from types import FrameType
from typing import Any

from solvent import __version__
from solvent.forms.history import DEFAULT_MEMORY, compile_tree
from solvent.forms.public import public_game
from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_size
from solvent.games.catalogue import load_game
from solvent.games.efg.tree import EfgGame
from solvent.games.flop_holdem import FlopHoldem
from solvent.games.game import Game, GameError
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc
from solvent.games.public_rules import PublicRules
from solvent.response.history import Evaluation
from solvent.solvers.choose import Options, Solver, make_solver
from solvent.solvers.history.solver import HistorySolver
from solvent.solvers.pruned.history.solver import PrunedSolver
from solvent.solvers.pruned.pruning import NO_PRUNING, Pruning
from solvent.solvers.pruned.public.solver import PrunedPublicSolver
from solvent.solvers.public.solver import PublicSolver
from solvent.solvers.rules import RegretRule, load_rule
from solvent.solvers.sampled.history.solver import SamplingSolver
from solvent.solvers.sampled.options import NO_SAMPLING, SAMPLED_RULE, Sampling
from solvent.strategy.opening import open_strategy
from solvent.strategy.run import Run
from solvent.strategy.tables import TableStrategy

DEFAULT_ITERATIONS = 1000
"""The limit where a user gives none."""
SAMPLED_ITERATIONS = 1_000_000
"""The same for sampling, whose iterations are short."""
GROWTH, SAMPLED_GROWTH = 1.1, 1.5
"""How many times more iterations there are at one exploitability check than at the one before."""
CHUNK_SECONDS = 0.2
"""How long a compiled call may keep Ctrl-C, the clock and the progress display waiting."""
TWIN_ITERATIONS = 30
"""Of a pruned solve of Leduc until every kernel has been called."""
DEFAULTS: dict[str, Any] = {
    "rule": "dcfr",
    "updates": "alternating",
    "plan": "auto",
    "evaluator": "auto",
    "isomorphism": "on",
    "device": "cpu",
    "threads": 1,
    "dtype": "auto",
    "form": "auto",
    "pruning": "none",
    "prune_average": NO_PRUNING.average,
    "prune_every": NO_PRUNING.every,
    "prune_near": NO_PRUNING.near,
    "prune_after": NO_PRUNING.after,
    "prune_length": NO_PRUNING.length,
    "sampling": "none",
    "exploration": NO_SAMPLING.exploration,
    "exploration_decay": NO_SAMPLING.exploration_decay,
    "exploration_mix": NO_SAMPLING.exploration_mix,
    "reward": NO_SAMPLING.reward,
    "reward_unit": NO_SAMPLING.reward_unit,
    "regret_floor": NO_SAMPLING.regret_floor,
    "seed": 0,
}
PRUNING = {
    "prune_average": "average",
    "prune_every": "every",
    "prune_near": "near",
    "prune_after": "after",
    "prune_length": "length",
}
"""The options of pruning, and what `Pruning` calls them."""
SAMPLING = tuple(name for name in Sampling.__dataclass_fields__ if name != "mode")
"""The options of sampling."""
AUTOMATIC = {("dtype", "auto"), ("form", "auto")}
"""What a resumed run takes from where it began."""
KEPT = {"rule", "updates", "dtype", "isomorphism", "seed", "form", "pruning", *PRUNING, "sampling", *SAMPLING}
"""What a run cannot change when it is resumed."""


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
    """Iterations between exploitability checks; None for each 10 % more, with sampling for half as many more."""

    def __post_init__(self) -> None:
        for name, least in (("iterations", 0), ("until", 0.0), ("seconds", 0.0), ("check_every", 1)):
            value = getattr(self, name)
            whole = isinstance(least, int)
            number = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
            if value is not None and not (number and least <= value < math.inf):
                kind = "a whole number" if whole else "a finite number"
                raise InputError(f"{name.replace('_', '-')} must be {kind}, at least {least}, not {value!r}")

    def later(self, seconds: float) -> Limits:
        """The same limits, told so many seconds of solving later (or, below zero, earlier)."""
        return self if self.seconds is None else replace(self, seconds=max(0.0, self.seconds - seconds))

    def next_check(self, done: int, first: int = 1, growth: float = GROWTH) -> int:
        """The first iteration after `done` at which exploitability is measured.

        Unless the user says how often, that is at `first`, and then each time there are `growth` times as many.
        """
        if self.check_every is not None:
            return (done // self.check_every + 1) * self.check_every
        check = first
        while check <= done:
            check = max(check + 1, math.floor(growth * check))
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
    infoset_actions: int
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
    evaluator: str | None
    """How terminals are evaluated on the public form."""
    isomorphism: bool | None
    """Whether boards that differ only in the names of suits are solved once; None where there are none."""
    device: str
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
    """By passes and best responses."""
    response_nodes: int
    """The best responses' part of it."""
    pruned_actions: int
    stored_regrets: float
    """Regrets held at the end, as a part of all infoset-actions."""
    stored_averages: float
    peak_stored: float
    """Regrets and averages held at most, as a part of all; above 1 where interval pruning keeps copies besides."""
    stopped_by: str
    """iterations, until, seconds or interrupt"""
    warnings: tuple[str, ...]
    strategy: TableStrategy = field(repr=False)
    convergence: tuple[dict[str, Any], ...] = field(repr=False, default=())
    """One row per exploitability check."""
    run: Path | None = None
    form: str = "history"
    pruning: str = "none"
    prune_average: float | None = None
    """This and the other options of pruning: None where they change nothing."""
    prune_every: int | None = None
    prune_near: float | None = None
    prune_after: str | None = None
    prune_length: str | None = None
    sampling: str = "none"
    exploration: float | None = None
    """This and the other options of sampling: None where they change nothing."""
    exploration_decay: bool | None = None
    exploration_mix: bool | None = None
    reward: str | None = None
    reward_unit: float | None = None
    regret_floor: float | None = None
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
    plan: str | None = None,
    evaluator: str | None = None,
    isomorphism: str | None = None,
    device: str | None = None,
    form: str | None = None,
    pruning: str | None = None,
    prune_average: float | None = None,
    prune_every: int | None = None,
    prune_near: float | None = None,
    prune_after: str | None = None,
    prune_length: str | None = None,
    sampling: str | None = None,
    exploration: float | None = None,
    exploration_decay: bool | None = None,
    exploration_mix: bool | None = None,
    reward: str | None = None,
    reward_unit: float | None = None,
    regret_floor: float | None = None,
    threads: int | None = None,
    dtype: str | None = None,
    iterations: int | None = None,
    until: float | None = None,
    seconds: float | None = None,
    check_every: int | None = None,
    seed: int | None = None,
    memory: int | str = DEFAULT_MEMORY,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    warm_start: TableStrategy | str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    watch: Watcher | None = None,
) -> Result:
    """Solve a two-player game by counterfactual regret minimisation.

    `game` is whatever `load_game` takes; it may be left out with `resume`, which goes on with an earlier run
    under the rule, update mode and dtype it began with and, unless told otherwise, with its plan, threads and
    limits. The first limit of `iterations` (in all), `until` (exploitability in chips) and `seconds` (of this
    call) stops; with none, 1,000 iterations, or a million with sampling. The plan is `auto` and there is one
    thread unless said otherwise. `form` is `history`, `public` or the one that suits the plan. `pruning` is
    `partial`, `interval` or `total` (see `solvent.solvers.pruned.pruning.Pruning` for the options). `sampling` is
    `external`, `outcome` or `chance`: Monte Carlo CFR with rule `lcfr` or `cfr` (see
    `solvent.solvers.sampled.options.Sampling` for the options). `out` makes a run folder with checkpoints.
    `seed` decides what sampling draws; the full-width solvers draw nothing at random. Ctrl-C stops after the
    running iterations and keeps what was reached.
    """
    if out is not None and resume is not None:
        raise InputError("give a new folder with out or an old one with resume, not both")
    if not checkpoint_seconds > 0:
        raise InputError(f"checkpoint-seconds must be positive, not {checkpoint_seconds}")
    if isinstance(memory, str):
        memory = parse_size(memory)
    if not isinstance(memory, int) or memory < 1:
        raise InputError(f"memory must be a whole number of bytes or text such as 8G, not {memory!r}")
    if resume is not None and warm_start is not None:
        raise InputError("a resumed run has its own start; leave warm-start out")
    if out is not None:
        Run.check_new(Path(out))
    run = Run.open(resume) if resume is not None else None
    asked = Limits(iterations, until, seconds, check_every)
    written = None if rule is None else str(load_rule(rule))
    given = {
        "rule": written,
        "updates": updates,
        "plan": plan,
        "evaluator": evaluator,
        "isomorphism": isomorphism,
        "device": device,
        "threads": threads,
        "dtype": dtype,
        "form": form,
        "pruning": pruning,
        "prune_average": prune_average,
        "prune_every": prune_every,
        "prune_near": prune_near,
        "prune_after": prune_after,
        "prune_length": prune_length,
        "sampling": sampling,
        "exploration": exploration,
        "exploration_decay": exploration_decay,
        "exploration_mix": exploration_mix,
        "reward": reward,
        "reward_unit": reward_unit,
        "regret_floor": regret_floor,
        "seed": seed,
    }
    setting = _setting(given, run)
    drawn = Sampling(setting["sampling"], **{name: setting[name] for name in SAMPLING})
    drawn.check_given([name for name in SAMPLING if given[name] is not None])
    limits, as_before = _limits(asked, run, SAMPLED_ITERATIONS if drawn else DEFAULT_ITERATIONS)
    chosen = rule if isinstance(rule, RegretRule) else _rule(setting["rule"], run)
    how = Pruning(setting["pruning"], **{name: setting[key] for key, name in PRUNING.items()})
    plain = {key: setting[key] for key in Options.__dataclass_fields__ if key not in ("pruning", "sampling")}
    options = Options(**plain, pruning=how, sampling=drawn)
    start = open_strategy(warm_start) if isinstance(warm_start, str | Path) else warm_start
    watch = watch or (lambda progress: None)
    if game is None and run is None:
        raise InputError("say which game to solve")
    rules = _game_of(run) if game is None and run is not None else load_game(game)

    watch(Progress("compiling the game"))
    solver = make_solver(
        rules,
        chosen,
        options,
        memory,
        lambda histories: watch(Progress("compiling the game", histories=histories)),
    )
    how.check_given([name for key, name in PRUNING.items() if given[key] is not None], solver.form)
    _check_same_game(run, solver)
    watch(Progress("compiling kernels"))
    compile_seconds = compile_kernels(solver)
    if limits.iterations:
        solver.rule.schedule(limits.iterations, 1, solver.dtype)
    if start is not None:
        solver.warm_start(_matching(solver, start))
    cost = _cost(solver)
    watch(Progress("solving", cost=cost))
    if out is not None:
        configuration = _configuration(rules, solver, options, limits, setting["seed"])
        run = Run.create(
            out, configuration, solver.strategy().infosets, solver.saved_tables(), _facts(solver, 0.0, {})
        )
    with run.locked() if run is not None else nullcontext(), _interruption() as interrupted:
        session = _Session(solver, limits, run, checkpoint_seconds, watch, interrupted)
        if resume is not None:
            session.restore(as_before)
        stopped_by = session.loop()
        result = session.result(stopped_by, setting["seed"], compile_seconds, cost.warnings)
        if run is not None:
            run.save_result(result.as_dict())
    return result


def compile_kernels(solver: Solver) -> float:
    """Have the kernels of a solve compiled, or loaded from the cache; the seconds it took.

    A tiny game of the same form and plan stands in for the real one.
    """
    start = time.perf_counter()
    twin: Solver
    if isinstance(solver, PublicSolver):
        rules: PublicRules = Kuhn() if solver.way == "shapes" else Leduc()
        if solver.game.sorted_hands:
            rules = FlopHoldem(2, 4, raises=1)
        twin = PublicSolver(
            public_game(rules, solver.game.isomorphism),
            solver.rule,
            solver.updates,
            "shapes" if solver.way == "shapes" else solver.plan_name,
            "auto" if solver.evaluator == "matrix" else solver.evaluator,
            solver.threads,
            solver.dtype,
            solver.device,
        )
    elif isinstance(solver, PrunedPublicSolver):
        small = FlopHoldem(suits=2, ranks=4, raises=1) if solver.game.sorted_hands else Leduc()
        public = public_game(small, solver.game.isomorphism)
        pruning = replace(solver.pruning, every=1, least=0.0, lasting=0.0)
        twin = type(solver)(public, solver.rule, solver.updates, pruning, solver.dtype)
        twin.run(TWIN_ITERATIONS)
    elif isinstance(solver, PrunedSolver):
        pruning = replace(solver.pruning, every=1, least=0.0, lasting=0.0)
        twin = PrunedSolver(compile_tree(Leduc()), solver.rule, solver.updates, pruning, solver.dtype)
        twin.run(TWIN_ITERATIONS)
    elif isinstance(solver, SamplingSolver):
        twin = SamplingSolver(
            compile_tree(Kuhn()), solver.rule, solver.sampling, solver.seed, solver.threads, solver.dtype
        )
    else:
        plan = "serial" if solver.plan_name == "flattened" else solver.plan_name
        twin = HistorySolver(
            compile_tree(Kuhn()),
            solver.rule,
            solver.updates,
            plan,
            solver.threads,
            solver.dtype,
            solver.pruning,
        )
    twin.run(1)
    twin.evaluate()
    return time.perf_counter() - start


class _Session:
    """The loop of one solve: chunks of iterations between checks, checkpoints and signals."""

    def __init__(
        self,
        solver: Solver,
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
        self.saved_iterations = 0
        self.checks = (1, GROWTH)
        if isinstance(solver, SamplingSolver):
            self.checks = (solver.first_check, SAMPLED_GROWTH)

    def restore(self, as_before: bool) -> None:
        """Take up the run's newest checkpoint. Limits `as_before` count what was done; others are written down."""
        assert self.run is not None
        tables, facts = self.run.load_checkpoint()
        try:
            self.solver.load_tables(tables)
        except ValueError as error:
            raise InputError(
                f"the checkpoint of {self.run.folder} does not fit this game and rule"
            ) from error
        self.solver.restore(facts)
        self.seconds = facts["seconds"]
        self.run.forget_metrics_after(facts["iterations"])
        self.curve = self.run.metrics()
        self.saved_iterations = self.solver.iterations
        if as_before:
            self.limits = self.limits.later(self.seconds)
        else:
            self.run.configure(asdict(self.limits.later(-self.seconds)))

    def loop(self) -> str:
        """Iterate until a limit is reached; which one it was."""
        solver, limits = self.solver, self.limits
        while True:
            reason = self._reason_to_stop()
            if reason is not None:
                break
            check = limits.next_check(solver.iterations, *self.checks)
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
        self.evaluation = self.solver.evaluate()
        if self.curve and self.curve[-1]["iterations"] == self.solver.iterations:
            return
        row = {
            "iterations": self.solver.iterations,
            "seconds": self.seconds,
            "exploitability": self.evaluation.exploitability,
            "value": self.evaluation.value[0],
            "nodes_touched": self.solver.nodes_touched,
        }
        if self.solver.pruning.mode != "none":
            row |= {
                "response_nodes": self.solver.response_nodes,
                "pruned_actions": self.solver.pruned_actions,
                "stored_regrets": self.solver.stored_regrets,
                "stored_averages": self.solver.stored_averages,
                "table_bytes": self.solver.table_bytes,
            }
        self.curve.append(row)
        if self.run is not None:
            self.run.add_metric(row)

    def _checkpoint(self) -> None:
        if self.run is None or self.saved_iterations == self.solver.iterations:
            return
        facts = _facts(self.solver, self.seconds, self.curve[-1] if self.curve else {})
        self.run.save_checkpoint(self.solver.iterations, self.solver.saved_tables(), facts)
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
                self.solver.histories,
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
        effective = solver.pruning.effective(solver.form)
        options = {key: getattr(solver.pruning, name) for key, name in PRUNING.items() if name in effective}
        sampling = _sampling(solver)
        options |= {name: getattr(sampling, name) for name in sampling.effective}
        return Result(
            game=solver.name,
            rule=str(solver.rule),
            updates=solver.updates,
            plan=solver.plan_name,
            evaluator=getattr(solver, "evaluator", None),
            isomorphism=_isomorphism(solver),
            device=getattr(solver, "device", "cpu"),
            threads=solver.threads,
            dtype=solver.dtype,
            seed=seed,
            iterations=solver.iterations,
            exploitability=evaluation.exploitability,
            value=evaluation.value[0],
            infosets=solver.infosets,
            infoset_actions=solver.infoset_actions,
            histories=solver.histories,
            seconds=self.seconds,
            seconds_per_iteration=self.seconds / max(1, solver.iterations),
            compile_seconds=compile_seconds,
            peak_memory_bytes=peak_memory(),
            table_bytes=solver.table_bytes,
            nodes_touched=solver.nodes_touched,
            response_nodes=solver.response_nodes,
            pruned_actions=solver.pruned_actions,
            stored_regrets=solver.stored_regrets,
            stored_averages=solver.stored_averages,
            peak_stored=solver.peak_stored,
            stopped_by=stopped_by,
            warnings=warnings,
            strategy=solver.strategy(**made_by),
            convergence=tuple(self.curve),
            run=None if self.run is None else self.run.folder,
            form=solver.form,
            pruning=solver.pruning.mode,
            sampling=sampling.mode,
            touched_unit=solver.touched_unit,
            **options,
        )


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _limits(asked: Limits, run: Run | None, otherwise: int) -> tuple[Limits, bool]:
    """The limits of this call, and whether they are those that a resumed run has had before.

    `otherwise` is how many iterations there are where nothing is asked for.
    """
    if (asked.iterations, asked.until, asked.seconds) != (None, None, None):
        return asked, False
    before = run.configuration if run is not None else {}
    known = {name: before[name] for name in ("iterations", "until", "seconds") if name in before}
    check_every = before.get("check_every") if asked.check_every is None else asked.check_every
    return Limits(**(known or {"iterations": otherwise}), check_every=check_every), bool(known)


def _setting(given: dict[str, Any], run: Run | None) -> dict[str, Any]:
    """What a solve runs with: what is given, else what a resumed run began with, else the defaults."""
    given = {key: value for key, value in given.items() if value is not None}
    if run is None:
        sampled = {"rule": SAMPLED_RULE} if given.get("sampling", "none") != "none" else {}
        return DEFAULTS | sampled | given
    began = {key: run.configuration[key] for key in DEFAULTS if key in run.configuration}
    given = {key: value for key, value in given.items() if (key, value) not in AUTOMATIC}
    for key in KEPT & given.keys():
        if given[key] != began.get(key):
            raise InputError(
                f"{run.folder} began with {key} {began.get(key)}; it cannot go on with {given[key]}"
            )
    if "plan" in given and "form" not in given:  # which may run on another form: refused with that reason
        began.pop("form", None)
    return DEFAULTS | began | given


def _rule(name: str, run: Run | None) -> RegretRule:
    try:
        return load_rule(name)
    except InputError as error:
        if run is None:
            raise
        raise InputError(
            f"{run.folder} began with a rule of your own, {name}; pass it again as rule="
        ) from error


def _game_of(run: Run) -> Game:
    name = run.configuration["game"]
    try:
        return load_game(name)
    except GameError as error:
        if "there is no game" not in str(error):
            raise
        raise InputError(
            f"{run.folder} is a run of {name}, a game of your own: go on from Python with solve(game, resume=...)"
        ) from error


def _check_same_game(run: Run | None, solver: Solver) -> None:
    if run is None or solver.fingerprint == run.configuration["fingerprint"]:
        return
    began = run.configuration
    if began["game"] == solver.name and began.get("form", "history") != solver.form:
        raise InputError(
            f"{run.folder} began on the {began.get('form', 'history')} form, and plan {solver.plan_name} "
            f"runs on the {solver.form} form"
        )
    if began["game"] == solver.name:
        raise InputError(
            f"{solver.name} has changed since {run.folder} began: its tree is no longer the same"
        )
    raise InputError(f"{run.folder} is a run of {began['game']}, not of {solver.name}")


def _matching(solver: Solver, strategy: TableStrategy) -> TableStrategy:
    if strategy.fingerprint != solver.fingerprint and strategy.game == solver.name:
        raise InputError(
            f"the strategy of {strategy.game} has its tables by other boards or histories than this solve; "
            f"give the isomorphism and plan that made it"
        )
    if strategy.fingerprint != solver.fingerprint:
        raise InputError(
            f"a strategy of {strategy.game} cannot start a solve of {solver.name} on the {solver.form} form"
        )
    return strategy


def _cost(solver: Solver) -> Cost:
    return Cost(
        solver.histories,
        solver.infosets,
        solver.infoset_actions,
        solver.form_bytes,
        solver.table_bytes,
        tuple(solver.notes),
    )


def _isomorphism(solver: Solver) -> bool | None:
    return solver.game.isomorphism if isinstance(solver, PublicSolver | PrunedPublicSolver) else None


def _sampling(solver: Solver) -> Sampling:
    return solver.sampling if isinstance(solver, SamplingSolver) else NO_SAMPLING


def _facts(solver: Solver, seconds: float, last: Mapping[str, Any]) -> dict[str, Any]:
    """What a checkpoint says of itself; `last` is the last exploitability check."""
    return {
        "nodes_touched": solver.nodes_touched,
        "response_nodes": solver.response_nodes,
        "peak_stored": solver.peak_stored,
        "head_start": solver.head_start,
        "seconds": seconds,
        "rule": str(solver.rule),
        "updates": solver.updates,
        "exploitability": last.get("exploitability"),
        "exploitability_at": last.get("iterations"),
        "exploitability_unit": "chips, NashConv/2, exact best response",
        "peak_memory_bytes": peak_memory(),
    }


def _configuration(
    rules: Game, solver: Solver, options: Options, limits: Limits, seed: int
) -> dict[str, Any]:
    return {
        # A run is resumed from anywhere.
        "game": os.path.abspath(rules.path) if isinstance(rules, EfgGame) else str(rules),
        "fingerprint": solver.fingerprint,
        "rule": str(solver.rule),
        "updates": solver.updates,
        "plan": options.plan if options.sampling else solver.plan_name,
        "evaluator": options.evaluator,
        "isomorphism": options.isomorphism,
        "isomorphic": bool(_isomorphism(solver)),  # whether boards in truth stand for others
        "device": options.device,
        "form": solver.form if options.form == "auto" else options.form,
        "pruning": options.pruning.mode,
        **{key: getattr(options.pruning, name) for key, name in PRUNING.items()},
        "sampling": options.sampling.mode,
        **{name: getattr(options.sampling, name) for name in SAMPLING},
        "threads": solver.threads,
        "dtype": solver.dtype,
        "seed": seed,
        **asdict(limits),
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
