"""Solve a spot to a target: its cost, its iterations and measurements, and its result.

spot = {"board": "Td9d6hQc2s", "oop": "QQ+,AKs", "ip": "JJ-99", "pot": 200, "stack": 900, "bets": "50%,a"}
result = solve_spot(spot, SpotSettings(until="0.3%"), out="runs/river")
result.exploitability_percent, result.ev, result.root_actions
resume_spot("runs/river", {"until": "0.1%"})
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from solvent.cards.deck import cards_label
from solvent.cards.equities import equity
from solvent.cards.hands import compatible_weights
from solvent.cards.ranges import Range
from solvent.engines.holdem.best_average import BestAverage
from solvent.engines.holdem.carry_over import OTHER_CARDS, carry_over
from solvent.engines.holdem.growing.growing_solver import GrowingSolver
from solvent.engines.holdem.growing.looks import Looks
from solvent.engines.holdem.response import HoldemEvaluation, check_carried
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.translated.response import LargerTree
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.sizing import HoldemSize, holdem_size
from solvent.forms.holdem.tree import DECISION, holdem_tree
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import peak_memory
from solvent.foundation.progress import SIZED, Progress, Stop, Watch
from solvent.foundation.storage.run import Run
from solvent.games.holdem.spot import Spot
from solvent.solving.session import Session
from solvent.solving.settings import LIMITS
from solvent.spots.cost import check_memory, describe_looks, describe_size, needed_bytes
from solvent.spots.folder import (
    KIND,
    check_game,
    first_spot_of,
    locks_of,
    new_spot_run,
    open_solver,
    settings_of,
    spot_of,
)
from solvent.spots.growing_work import GrowingWork, SizesFound
from solvent.spots.locks import parse_lock
from solvent.spots.settings import SpotSettings
from solvent.spots.work import SpotWork, spot_limits, with_limits

COMPILING_KERNELS, BUILDING, SOLVING = "compiling kernels", "building", "solving"


@dataclass(frozen=True)
class SpotResult:
    """Result of a solve of a spot. Pairs are of OOP and IP; chips are those of the spot."""

    spot: Spot
    settings: SpotSettings
    locks: tuple[str, ...]
    size: HoldemSize
    threads: int
    isomorphism: bool
    """Whether some boards stand for others that differ in the names of suits."""
    iterations: int
    stopped_by: str
    """iterations, until, time or interrupt"""
    evaluation: HoldemEvaluation
    equity: tuple[float, float]
    """Fraction of the pot that each player would win if everybody checked to the end."""
    root_actions: Mapping[str, float]
    """Frequency of each action of the first decision, over all hands."""
    infosets: int
    seconds: float
    """Seconds of iterations and of measurements on the way."""
    seconds_per_iteration: float
    """Seconds of an iteration alone, the mean of all."""
    first_iteration_seconds: float
    """Seconds of the first one, which also waits for the system to hand the tables' memory over."""
    build_seconds: float
    """Seconds from the spot to tables that nothing has been written to."""
    compile_seconds: float
    table_bytes: int
    peak_memory_bytes: int
    solver: HoldemSolver = field(repr=False)
    """The solver with its tables, of which a `SpotSolution` answers everything else."""
    convergence: tuple[dict[str, Any], ...] = field(repr=False, default=())
    sizes_found: SizesFound | None = field(repr=False, default=None)
    run: Path | None = None
    unsaved: str | None = None
    """The part of this that the run's folder lacks, and why: a full disk stops no solve."""
    notes: tuple[str, ...] = ()
    """Remarks on the result, in sentences."""

    @property
    def exploitability(self) -> float:
        """Half of what both players would gain by best responses, in chips."""
        return self.evaluation.exploitability

    @property
    def exploitability_percent(self) -> float:
        """Exploitability in percent of the pot."""
        return 100 * self.exploitability / self.spot.pot

    @property
    def ev(self) -> tuple[float, float]:
        """Share of each player in the pot; the sum is the pot less the rake."""
        first, second = self.evaluation.value
        return first + self.spot.pot / 2, second + self.spot.pot / 2

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        spot, settings = self.spot, self.settings
        return {
            "exploitability_percent": self.exploitability_percent,
            "exploitability": self.exploitability,
            "gains": list(self.evaluation.gains),
            "ev": list(self.ev),
            "equity": list(self.equity),
            "root_actions": dict(self.root_actions),
            "decision_nodes": list(self.size.decisions),
            "boards": list(self.size.boards),
            "streets": list(spot.street_names),
            "hands": list(self.size.hands),
            "infosets": self.infosets,
            "iterations": self.iterations,
            "stopped_by": self.stopped_by,
            "seconds": self.seconds,
            "seconds_per_iteration": self.seconds_per_iteration,
            "first_iteration_seconds": self.first_iteration_seconds,
            "build_seconds": self.build_seconds,
            "compile_seconds": self.compile_seconds,
            "table_bytes": self.table_bytes,
            "peak_memory_bytes": self.peak_memory_bytes,
            "rule": str(settings.rule),
            "dtype": settings.dtype,
            "threads": self.threads,
            "isomorphism": self.isomorphism,
            "board": cards_label(spot.root_board),
            "oop": str(spot.ranges[0]),
            "ip": str(spot.ranges[1]),
            "pot": spot.pot,
            "stack": spot.stack,
            "rake": spot.rake,
            "rake_cap": spot.rake_cap if isfinite(spot.rake_cap) else None,
            "least_bet": spot.least_bet,
            "sizes": spot.sizes,
            "locks": list(self.locks),
            "game": str(spot),
            "sizes_found": None if self.sizes_found is None else asdict(self.sizes_found),
            "run": None if self.run is None else str(self.run),
            "unsaved": self.unsaved,
            "notes": list(self.notes),
        }


def solve_spot(
    spot: Mapping[str, Any],
    settings: SpotSettings | None = None,
    locks: Sequence[str] = (),
    watch: Watch | None = None,
    stop: Stop | None = None,
    *,
    out: str | Path | None = None,
    start: str | Path | None = None,
) -> SpotResult:
    """Solve a spot; `spot` has the parameters of `games.holdem.spot.Spot` by name, `locks` are their texts.

    The first limit of iterations, exploitability and time stops the solve, and so does `stop`; without a limit it
    is 0.3 % of the pot. Ctrl-C raises `Interrupted` with the result so far, once the run is saved.

    `out` names a new folder to keep the run in; `start` the folder of a run of the same board and hands, whose
    tables the solve starts from instead of uniform play (`carry_over`).
    """
    if out is not None:
        Run.check_new(out)
    settings, stop = with_limits(settings or SpotSettings()), stop or Stop()
    watch = watch or (lambda progress: None)
    auto = settings.auto_sizes
    if auto is not None and start is not None:
        raise InputError("a solve that finds its bet sizes starts from none of another run; leave out --from")
    rules = Spot(**(spot if auto is None else auto.start_of(spot)))
    before = None if start is None else _start(start, settings, rules)
    held = 0 if before is None else before.table_bytes
    built = _build(rules, settings, locks, watch, stop, held)
    if before is not None:
        carry_over(before, built.solver)
        del before
    work = _work(built)
    run = None if out is None else new_spot_run(out, work, settings, locks, start)
    with run.locked() if run is not None else nullcontext():
        return _solved(built, work, run, watch, stop)


def resume_spot(
    folder: str | Path,
    given: Mapping[str, Any] | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> SpotResult:
    """Resume the run in a folder, bit for bit as if it had never stopped.

    `given` are options of `SpotSettings` by name. Limits, threads and memory may change; a limit that is given now
    replaces all limits of before.
    """
    given, watch, stop = given or {}, watch or (lambda progress: None), stop or Stop()
    run = Run.open(folder, KIND)
    settings = with_limits(SpotSettings.resumed(run.configuration, given, str(run.folder)))
    as_before = not any(given.get(name) is not None for name in LIMITS)
    built = _build(first_spot_of(run), settings, locks_of(run), watch, stop)
    check_game(run, built.solver.game)
    work = _work(built)
    with run.locked():
        adjustable = settings.as_json()
        run.configure({name: adjustable.get(name) for name in adjustable.keys() | set(LIMITS)})
        return _solved(built, work, run, watch, stop, as_before)


def _start(folder: str | Path, settings: SpotSettings, rules: Spot) -> HoldemSolver:
    """Open the run to start from; refused where its cards, or the numbers of its tables, are others."""
    run = Run.open(folder, KIND)
    began, before = settings_of(run), spot_of(run)
    hands = [[np.flatnonzero(weights) for weights in each.range_weights] for each in (before, rules)]
    if set(before.root_board) != set(rules.root_board) or not all(map(np.array_equal, *hands)):
        raise InputError(OTHER_CARDS)
    if began.dtype != settings.dtype:
        raise InputError(f"the tables of {folder} are {began.dtype}; start with --dtype {began.dtype}")
    return open_solver(folder, regrets=True)


@dataclass(frozen=True)
class _Built:
    """A spot with a solver on which nothing has been run."""

    rules: Spot
    settings: SpotSettings
    locks: tuple[str, ...]
    size: HoldemSize
    solver: HoldemSolver
    larger: Spot | None
    """The spot with all candidates, where the solve finds its bet sizes."""
    build_seconds: float
    compile_seconds: float


def _build(
    rules: Spot, settings: SpotSettings, locks: Sequence[str], watch: Watch, stop: Stop, held: int = 0
) -> _Built:
    """Build the solver of a spot, after saying what it costs and refusing what does not fit beside `held` bytes."""
    began = time.perf_counter()
    expected = holdem_size(rules, settings.isomorphism == "on")
    spent = time.perf_counter() - began
    tree = holdem_tree(rules.betting)
    locked = [parse_lock(text, rules, tree) for text in locks]
    check_memory(expected, settings, held)
    said = describe_size(rules, expected, settings)
    auto = settings.auto_sizes
    larger = None if auto is None else rules.with_bets(auto.all)
    if larger is not None:
        said += f"; {describe_looks(larger, expected, settings)}"
    watch(Progress(SIZED, 0, detail=said))
    watch(Progress(COMPILING_KERNELS, 0))
    compiling = warm_up(settings.dtype, settings.sizes is not None)
    stop.check()
    watch(Progress(BUILDING, 0))
    began = time.perf_counter()
    game = holdem_game(rules, settings.isomorphism == "on")
    check_carried(game, np.dtype("float64" if settings.dtype == "float64" else "float32"))
    kind = HoldemSolver if settings.sizes is None else GrowingSolver
    solver = kind(game, settings.rule, settings.threads, settings.dtype, locked)
    spent += time.perf_counter() - began
    stop.check()
    return _Built(rules, settings, tuple(locks), expected, solver, larger, spent, compiling)


def _work(built: _Built) -> SpotWork:
    """Prepare the solve as a session drives it."""
    solver, settings, pot = built.solver, built.settings, built.rules.pot
    limits = spot_limits(settings, pot, solver.raked)
    if not isinstance(solver, GrowingSolver):
        room = needed_bytes(built.size, settings.dtype) + BestAverage.bytes_of(solver) <= settings.memory
        best = BestAverage(solver) if room and settings.dtype == "int16" else None
        return SpotWork(solver, pot, limits, best)
    auto = settings.auto_sizes
    assert auto is not None
    assert built.larger is not None
    looks = Looks(solver.game, built.larger, solver.threads, settings.dtype)
    return GrowingWork(solver, pot, limits, auto, built.locks, looks)


def _solved(
    built: _Built, work: SpotWork, run: Run | None, watch: Watch, stop: Stop, as_before: bool | None = None
) -> SpotResult:
    """Compute until a limit is reached, and gather the result; `as_before` is that of a resumed session."""
    settings, told = built.settings, work.forecasting(watch)
    session = Session(
        SOLVING, work, work.limits, run, settings.checkpoint_every, told, stop, spent=built.build_seconds
    )
    if as_before is not None:
        session.resume(as_before)
        work.remember(session.metrics)
    stopped_by = session.loop()
    notes = work.end()
    solver, size, found = work.solver, built.size, None
    rules: Spot = solver.game.rules
    if isinstance(work, GrowingWork):
        size, found = holdem_size(rules, settings.isomorphism == "on"), work.found()
    shares = equity(*_live_ranges(rules), rules.root_board, threads=settings.threads).sides
    result = SpotResult(
        spot=rules,
        settings=settings,
        locks=built.locks,
        size=size,
        threads=solver.threads,
        isomorphism=solver.game.isomorphism,
        iterations=solver.iterations,
        stopped_by=stopped_by,
        evaluation=work.evaluate(),
        equity=(shares[0].equity, shares[1].equity),
        root_actions=root_actions(solver),
        infosets=solver.game.infosets,
        seconds=session.seconds + work.measuring_seconds,
        seconds_per_iteration=session.seconds / max(1, solver.iterations),
        first_iteration_seconds=work.first_iteration_seconds,
        build_seconds=built.build_seconds,
        compile_seconds=built.compile_seconds,
        table_bytes=solver.table_bytes,
        peak_memory_bytes=peak_memory(),
        solver=solver,
        convergence=tuple(session.metrics),
        sizes_found=found,
        run=None if session.run is None else session.run.folder,
        notes=notes,
    )
    session.write_result(result.as_dict())
    return session.held.result(replace(result, unsaved=session.shortfall()))


def warm_up(dtype: str, growing: bool = False) -> float:
    """Compile or load the kernels of a spot's solve on a spot of a few hands; returns the seconds that took.

    growing: those of a solve that finds its bet sizes too. Numba compiles a kernel for the types of its arguments,
    which neither the street, the rake nor the number of hands changes.
    """
    start = time.perf_counter()
    small = Spot("2c2d2h2s", "AA", "KK", pot=2, stack=2, bets="a", rake="5%")
    solver = HoldemSolver(holdem_game(small), dtype=dtype)
    solver.run(1)
    solver.evaluate()
    if growing:
        LargerTree(solver.game, dtype=dtype).action_values(solver.game, solver.average)
    equity(*_live_ranges(small), small.root_board, threads=1)
    return time.perf_counter() - start


def root_actions(solver: HoldemSolver) -> dict[str, float]:
    """Find the frequency of each action of the first decision over all deals; empty where there is none."""
    game, tree = solver.game, solver.game.tree
    if tree.kind[0] != DECISION:
        return {}
    player = int(tree.player[0])
    other = 1 - player
    beside = compatible_weights(game.hands[player], game.hands[other], game.weights[other])
    dealt = game.weights[player] * beside * game.deal_scale
    side = game.streets[0].sides[player]
    slots = int(side.count[0])
    taken = solver.strategy_at(0)[:, :slots] @ dealt[side.hand[0, :slots]]
    return dict(zip(tree.betting[0].actions, taken.tolist(), strict=True))


def _live_ranges(spot: Spot) -> tuple[Range, Range]:
    first, second = spot.range_weights
    return Range(first), Range(second)
