"""Seconds, bytes and memory of solving the named spots, with one thread and several, in float32 and int16.

Iterations are timed in batches, those of one thread, of several and of a peer in turn, so that a busy moment of the
machine meets all of them. Every solver has run some iterations before, because the first ones wait for the system
to hand out the memory of the tables.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from solvent.engines.holdem.kernels import RESPOND
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent.spots.run import warm_up
from solvent_papers.frame.experiment import Found, Say
from solvent_papers.frame.machine import with_peak_memory
from solvent_papers.interleaved import seconds_of, timed
from solvent_papers.spots.named import NamedSpot
from solvent_papers.spots.peer_command import PeerCommand, PeerReached

DTYPES = WIDE, NARROW = "float32", "int16"
EVERY = 10
"""Iterations between measurements on the way to a target."""
LEAST_ITERATIONS = 4
"""Iterations of a batch at least, however long they take."""
SLOW_REPEATS = 2
"""Batches of a spot whose iterations are so slow that it has the least number of them in a batch."""
MOST_RESPONSES = 20
"""Best responses that are timed together at most."""
AFRESH_SECONDS = 1.0
"""Solves to a target that take less are repeated."""
MOVES = 5
"""Times that an iteration moves a number: regrets are read on the way down and on the way up and written once,
averages are read and written once."""


class Effort(NamedTuple):
    """The extent of the measurements."""

    repeats: int
    batch_seconds: float
    """Seconds of iterations that are timed together."""
    most_iterations: int
    """Iterations on the way to a target at most."""


def build(spot: NamedSpot, dtype: str, threads: int) -> HoldemSolver:
    """Return a solver of a spot that shares nothing with an earlier one."""
    return HoldemSolver(holdem_game(spot.rules()), threads=threads, dtype=dtype)


def moved_bytes(cells: int, dtype: str) -> int:
    """Return the bytes of tables that an iteration reads and writes: 20 for each cell in float32, 10 in int16."""
    return MOVES * np.dtype(dtype).itemsize * cells


def time_spot(
    spot: NamedSpot,
    dtype: str,
    bandwidth: Mapping[int, float],
    effort: Effort,
    peer: PeerCommand | None,
    say: Say,
) -> list[Found]:
    """Time a spot's iterations with each number of threads in `bandwidth`, in turn with the peer's.

    `bandwidth` has the bytes a second that as many threads stream on this machine. Of the rows that are returned,
    `seconds` is the median of an iteration, which updates both players; `response_ratio` the time of the best
    responses of both players over it; `build_seconds` the time from the spot to tables that nothing has been
    written to, on one thread with kernels compiled; `memory_bytes` what building, two iterations and a measurement
    added to the process on one thread; `share` the share of an iteration's time that moving the tables would take.
    """
    warm_up(dtype)
    build_seconds = median(seconds_of(build, spot, dtype, 1) for _ in range(effort.repeats))
    _, memory = with_peak_memory(lambda: _build_and_solve(spot, dtype))
    solvers = {threads: build(spot, dtype, threads) for threads in bandwidth}
    batches = {threads: _batch(solver, effort.batch_seconds) for threads, solver in solvers.items()}
    ours: dict[int, list[float]] = {threads: [] for threads in solvers}
    responses: dict[int, list[float]] = {threads: [] for threads in solvers}
    theirs: dict[int, list[dict[str, float]]] = {threads: [] for threads in solvers}
    slow = min(batches.values()) == LEAST_ITERATIONS
    rounds = min(effort.repeats, SLOW_REPEATS) if slow else effort.repeats
    for repeat in range(rounds):
        say(f"{spot.name}, {dtype}: iterations, repeat {repeat + 1} of {rounds}")
        for threads, solver in solvers.items():
            batch = batches[threads]
            asked = max(1, min(batch // LEAST_ITERATIONS, MOST_RESPONSES))
            ours[threads].append(seconds_of(solver.run, batch) / batch)
            responses[threads].append(seconds_of(_respond, solver, asked) / asked)
            if peer is not None:
                theirs[threads].append(peer.time(spot, dtype, threads, batch))
    seconds, rows = {threads: median(each) for threads, each in ours.items()}, []
    for threads, solver in solvers.items():
        moved = moved_bytes(solver.cells, dtype)
        rows.append(
            {
                "spot": spot.name,
                "dtype": dtype,
                "threads": threads,
                "seconds": seconds[threads],
                "nanoseconds_per_number": 1e9 * seconds[threads] / solver.cells,
                "response_ratio": median(responses[threads]) / seconds[threads],
                "build_seconds": build_seconds,
                "cells": solver.cells,
                "table_bytes": solver.table_bytes,
                "memory_bytes": memory,
                "moved_bytes": moved,
                "bytes_per_second": moved / seconds[threads],
                "share": moved / seconds[threads] / bandwidth[threads],
                "speed_up": seconds[1] / seconds[threads],
                "peer": _beside(theirs[threads], seconds[threads], memory),
            }
        )
    return rows


def time_to_targets(
    spot: NamedSpot,
    dtype: str,
    threads: int,
    targets: Sequence[float],
    effort: Effort,
    peer: PeerCommand | None,
) -> list[Found]:
    """Solve a spot to each target, in % of the pot, in turn with the peer.

    `iterations` and `seconds` are None for targets that were not reached; building is not counted. A solve that is
    short is repeated, and the median of its seconds counts.
    """
    ours: list[dict[float, tuple[int, float]]] = []
    theirs: list[dict[float, PeerReached]] = []
    while len(ours) < effort.repeats:
        solver = build(spot, dtype, threads)
        reached, spent = timed(_approach, solver, spot.pot, targets, effort.most_iterations)
        ours.append(reached)
        if peer is not None:
            theirs.append(peer.until(spot, dtype, threads, targets, EVERY, effort.most_iterations))
        if spent > AFRESH_SECONDS:
            break
    rows = []
    for target in targets:
        mine = [each[target] for each in ours if target in each]
        others = [each[target] for each in theirs if target in each]
        seconds = median(seconds for _, seconds in mine) if mine else None
        beside = None
        if others:
            waited = median(each.seconds for each in others)
            ratio = None if seconds is None else seconds / waited
            beside = {"iterations": others[0].iterations, "seconds": waited, "ratio": ratio}
        rows.append(
            {
                "spot": spot.name,
                "dtype": dtype,
                "target_percent": target,
                "iterations": mine[0][0] if mine else None,
                "seconds": seconds,
                "peer": beside,
            }
        )
    return rows


def _approach(
    solver: HoldemSolver, pot: float, targets: Sequence[float], most: int
) -> dict[float, tuple[int, float]]:
    """Return the iterations and seconds, measurements included, at which each target was reached."""
    reached: dict[float, tuple[int, float]] = {}
    start = time.perf_counter()
    while len(reached) < len(targets) and solver.iterations < most:
        solver.run(EVERY)
        found = 100 * solver.exploitability() / pot
        now = time.perf_counter() - start
        for target in targets:
            if found <= target:
                reached.setdefault(target, (solver.iterations, now))
    return reached


def _build_and_solve(spot: NamedSpot, dtype: str) -> None:
    solver = build(spot, dtype, 1)
    solver.run(2)
    solver.exploitability()


def _batch(solver: HoldemSolver, seconds: float) -> int:
    """Return the iterations that take about these seconds; trying them also touches the tables."""
    solver.run(2)
    count, spent = 1, 0.0
    while spent < seconds / 8:
        count *= 2
        spent = seconds_of(solver.run, count)
    return max(LEAST_ITERATIONS, round(count * seconds / spent))


def _beside(timings: Sequence[Mapping[str, float]], seconds: float, memory: int | None) -> Found | None:
    """Return the peer's medians, and our seconds and memory over its own."""
    if not timings:
        return None
    middle = {name: median(each[name] for each in timings) for name in timings[0]}
    memory_ratio = None if memory is None else memory / middle["memory_bytes"]
    return {**middle, "ratio": seconds / middle["seconds"], "memory_ratio": memory_ratio}


def _respond(solver: HoldemSolver, times: int) -> None:
    for _ in range(times):
        solver.values(RESPOND)
