"""Solve a spot to a target: what it costs, its iterations and measurements, and what the result is worth.

spot = {"board": "Td9d6hQc2s", "oop": "QQ+,AKs", "ip": "JJ-99", "pot": 200, "stack": 900, "bets": "50%,a"}
result = solve_spot(spot, SpotSettings(until="0.3%"), out="runs/river")
result.exploitability_percent, result.ev, result.root_actions
resume_spot("runs/river", {"until": "0.1%"})
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.equities import equity
from solvent.cards.hands import hole_cards
from solvent.cards.ranges import Range
from solvent.engines.holdem.best_average import BestAverage
from solvent.engines.holdem.carry_over import OTHER_CARDS, carry_over
from solvent.engines.holdem.growing.growing_solver import GrowingSolver
from solvent.engines.holdem.growing.looks import Looks
from solvent.engines.holdem.response import check_carried
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.translated.response import LargerTree
from solvent.forms.holdem.game import HoldemGame, holdem_game
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
    write_result,
)
from solvent.spots.growing_work import GrowingWork
from solvent.spots.lock_text import parse_lock
from solvent.spots.result import SpotResult
from solvent.spots.settings import SpotSettings
from solvent.spots.work import SpotWork, spot_limits, with_limits

COMPILING_KERNELS, BUILDING, SOLVING = "compiling kernels", "building", "solving"


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
    """Solve a spot; `spot` has the parameters of `games.holdem.spot.Spot` by name, `locks` are as in `lock_text`.

    The first limit of iterations, exploitability and time stops the solve, and so does `stop`; without a limit it
    is 0.3 % of the pot. Ctrl-C raises `Interrupted` with the result so far, once the run is saved.

    `out` names a new folder to keep the run in; `start` the folder of a run of the same board and hands, whose
    tables the solve starts from instead of uniform play (`carry_over`).
    """
    if out is not None:
        Run.check_new(out)
    settings, watch, stop = with_limits(settings or SpotSettings()), watch or _unwatched, stop or Stop()
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
    work = _work(built, settings, locks)
    run = None if out is None else new_spot_run(out, work, settings, locks, start)
    with run.locked() if run is not None else nullcontext():
        session = _session(work, built, run, settings, watch, stop)
        return _finished(session, work, built, settings, locks)


def resume_spot(
    folder: str | Path,
    given: Mapping[str, Any] | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> SpotResult:
    """Go on with the run in a folder, bit for bit as if it had never stopped.

    `given` are options of `SpotSettings` by name. Limits, threads and memory may change; a limit that is given now
    replaces all limits of before.
    """
    given, watch, stop = given or {}, watch or _unwatched, stop or Stop()
    run = Run.open(folder, KIND)
    settings = with_limits(SpotSettings.resumed(run.configuration, given, str(run.folder)))
    as_before = not any(given.get(name) is not None for name in LIMITS)
    locks = locks_of(run)
    built = _build(first_spot_of(run), settings, locks, watch, stop)
    check_game(run, built.solver.game)
    work = _work(built, settings, locks)
    with run.locked():
        adjustable = settings.as_json()
        run.configure({name: adjustable.get(name) for name in adjustable.keys() | set(LIMITS)})
        session = _session(work, built, run, settings, watch, stop)
        session.resume(as_before)
        work.remember(session.metrics)
        return _finished(session, work, built, settings, locks)


def _start(folder: str | Path, settings: SpotSettings, rules: Spot) -> HoldemSolver:
    """The solver of the run to start from; refused where its cards, or the numbers of its tables, are others."""
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
    size: HoldemSize
    solver: HoldemSolver
    larger: Spot | None
    """The spot with all candidates, where the solve finds its bet sizes."""
    build_seconds: float
    compile_seconds: float


def _unwatched(progress: Progress) -> None:
    """Nobody watches."""


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
    return _Built(rules, expected, solver, larger, spent, compiling)


def _work(built: _Built, settings: SpotSettings, locks: Sequence[str]) -> SpotWork:
    """The solve as a session drives it."""
    solver, pot = built.solver, built.rules.pot
    limits = spot_limits(settings, pot, solver.raked)
    if not isinstance(solver, GrowingSolver):
        room = needed_bytes(built.size, settings.dtype) + BestAverage.bytes_of(solver) <= settings.memory
        return SpotWork(
            solver, pot, limits, BestAverage(solver) if room and settings.dtype == "int16" else None
        )
    auto = settings.auto_sizes
    assert auto is not None
    assert built.larger is not None
    looks = Looks(solver.game, built.larger, solver.threads, settings.dtype)
    return GrowingWork(solver, pot, limits, auto, locks, looks)


def _session(
    work: SpotWork, built: _Built, run: Run | None, settings: SpotSettings, watch: Watch, stop: Stop
) -> Session:
    every, told = settings.checkpoint_every, work.forecasting(watch)
    return Session(SOLVING, work, work.limits, run, every, told, stop, spent=built.build_seconds)


def _finished(
    session: Session, work: SpotWork, built: _Built, settings: SpotSettings, locks: Sequence[str]
) -> SpotResult:
    """Compute until a limit is reached, and say what that came to."""
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
        locks=tuple(locks),
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
    session.keep(lambda run: write_result(run, result.as_dict()))
    return session.held.result(replace(result, unsaved=session.shortfall()))


def warm_up(dtype: str, growing: bool = False) -> float:
    """Have the kernels of a spot's solve compiled, or loaded, on a spot of a few hands; the seconds that took.

    growing: those of a solve that finds its bet sizes too.

    Numba compiles a kernel for the types of its arguments, which neither the street, the rake nor the number of
    hands changes.
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
    """How often each action of the first decision is taken over all deals; empty where nobody has one."""
    game, tree = solver.game, solver.game.tree
    if tree.kind[0] != DECISION:
        return {}
    player = int(tree.player[0])
    side = game.streets[0].sides[player]
    slots = int(side.count[0])
    dealt = dealt_hands(game, player)[side.hand[0, :slots]]
    taken = solver.strategy_at(0)[:, :slots] @ dealt
    return dict(zip(tree.betting[0].actions, taken.tolist(), strict=True))


def dealt_hands(game: HoldemGame, player: int) -> NDArray[np.float64]:
    """The probability that each hand of a player is dealt, float64[hands]."""
    cards = hole_cards()
    mine, other, weights = game.hands[player], game.hands[1 - player], game.weights[1 - player]
    by_card = np.zeros(cards.max() + 1)
    np.add.at(by_card, cards[other], weights[:, None])
    same = np.zeros(len(cards))
    same[other] = weights
    # Hands with either card are taken off, and a hand with both has been taken off twice.
    apart = weights.sum() - by_card[cards[mine]].sum(axis=1) + same[mine]
    return np.asarray(game.weights[player] * np.maximum(apart, 0.0) * game.deal_scale)


def _live_ranges(spot: Spot) -> tuple[Range, Range]:
    first, second = spot.range_weights
    return Range(first), Range(second)
