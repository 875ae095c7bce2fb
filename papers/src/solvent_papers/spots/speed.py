"""Seconds, bytes and memory of solving the named spots, with one thread and several, in float32 and int16.

Iterations are timed in batches, those of one thread, of several and of a peer in turn, so that a busy moment of the
machine meets all of them. Every solver has run some iterations before, because the first ones wait for the system
to hand out the memory of the tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from typing import Any

from solvent.engines.holdem.kernels import RESPOND
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent.foundation.kernels.memory import with_peak_memory
from solvent.spots.run import warm_up
from solvent_papers.spots.bandwidth import moved_bytes
from solvent_papers.spots.named import NamedSpot
from solvent_papers.spots.peer_command import PeerCommand, PeerReached, PeerTiming
from solvent_papers.steps import Say

DTYPES = ("float32", "int16")
LEAST_ITERATIONS = 4
"""Iterations of a batch at least, however long they take."""
SLOW_REPEATS = 2
"""Batches of a spot whose iterations are so slow that it has the least number of them in a batch."""
MOST_RESPONSES = 20
"""Best responses that are timed together at most."""
AFRESH_SECONDS = 1.0
"""Solves to a target that take less are repeated."""


@dataclass(frozen=True)
class Timing:
    """A spot's iterations with one kind of tables and a number of threads."""

    spot: str
    dtype: str
    threads: int
    seconds: float
    """Seconds of an iteration, which updates both players; the median of the batches."""
    response_seconds: float
    """Seconds of the best responses of both players."""
    build_seconds: float
    """Seconds from the spot to tables that nothing has been written to, on one thread with kernels compiled."""
    cells: int
    """Numbers in each of the two tables, those of empty slots included."""
    table_bytes: int
    memory_bytes: int | None
    """What building, two iterations and a measurement added to the process on one thread; None where unknown."""
    moved_bytes: int
    """Bytes of the tables that an iteration reads and writes."""
    bandwidth: float
    """Bytes a second that as many threads stream on this machine."""
    peer: PeerTiming | None

    @property
    def share(self) -> float:
        """What moving the tables alone would take, as a part of an iteration's time."""
        return self.moved_bytes / self.seconds / self.bandwidth

    @property
    def peer_ratio(self) -> float | None:
        """Our seconds over the peer's."""
        return None if self.peer is None else self.seconds / self.peer.seconds

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "share": self.share, "peer_ratio": self.peer_ratio}


@dataclass(frozen=True)
class Reached:
    """When a spot's solve reached a target; iterations and seconds are None where it did not."""

    spot: str
    dtype: str
    threads: int
    target_percent: float
    iterations: int | None
    seconds: float | None
    """Seconds of iterations and of measurements, after building; the median where a solve was repeated."""
    peer_iterations: int | None = None
    peer_seconds: float | None = None

    @property
    def peer_ratio(self) -> float | None:
        """Our seconds over the peer's."""
        if self.seconds is None or self.peer_seconds is None:
            return None
        return self.seconds / self.peer_seconds

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "peer_ratio": self.peer_ratio}


def build(spot: NamedSpot, dtype: str, threads: int) -> HoldemSolver:
    """From a spot to a solver, nothing shared with an earlier one."""
    return HoldemSolver(holdem_game(spot.rules()), threads=threads, dtype=dtype)


def time_spot(
    spot: NamedSpot,
    dtype: str,
    bandwidth: Mapping[int, float],
    repeats: int,
    batch_seconds: float,
    peer: PeerCommand | None,
    say: Say,
) -> list[Timing]:
    """Time a spot's iterations with each number of threads in `bandwidth`, in turn with the peer's."""
    warm_up(dtype)
    build_seconds = median(_seconds(lambda: build(spot, dtype, 1)) for _ in range(repeats))
    _, memory = with_peak_memory(lambda: _build_and_solve(spot, dtype))
    solvers = {threads: build(spot, dtype, threads) for threads in bandwidth}
    batches = {threads: _batch(solver, batch_seconds) for threads, solver in solvers.items()}
    ours: dict[int, list[float]] = {threads: [] for threads in solvers}
    responses: dict[int, list[float]] = {threads: [] for threads in solvers}
    theirs: dict[int, list[PeerTiming]] = {threads: [] for threads in solvers}
    slow = min(batches.values()) == LEAST_ITERATIONS
    rounds = min(repeats, SLOW_REPEATS) if slow else repeats
    for repeat in range(rounds):
        say(f"{spot.name}, {dtype}: iterations, repeat {repeat + 1} of {rounds}")
        for threads, solver in solvers.items():
            batch = batches[threads]
            asked = max(1, min(batch // LEAST_ITERATIONS, MOST_RESPONSES))
            ours[threads].append(_seconds(partial(solver.run, batch)) / batch)
            responses[threads].append(_seconds(partial(_respond, solver, asked)) / asked)
            if peer is not None:
                theirs[threads].append(peer.time(spot, dtype, threads, batch))
    return [
        Timing(
            spot=spot.name,
            dtype=dtype,
            threads=threads,
            seconds=median(ours[threads]),
            response_seconds=median(responses[threads]),
            build_seconds=build_seconds,
            cells=solver.cells,
            table_bytes=solver.table_bytes,
            memory_bytes=memory,
            moved_bytes=moved_bytes(solver.cells, dtype),
            bandwidth=bandwidth[threads],
            peer=_middle(theirs[threads]),
        )
        for threads, solver in solvers.items()
    ]


def time_to_targets(
    spot: NamedSpot,
    dtype: str,
    threads: int,
    targets: Sequence[float],
    every: int,
    most: int,
    repeats: int,
    peer: PeerCommand | None,
) -> list[Reached]:
    """Solve a spot to each target, in % of the pot, measured every so many iterations, in turn with the peer."""
    ours: list[dict[float, tuple[int, float]]] = []
    theirs: list[dict[float, PeerReached]] = []
    while len(ours) < repeats:
        solver = build(spot, dtype, threads)
        start = time.perf_counter()
        ours.append(approach(solver, spot.pot, targets, every, most))
        spent = time.perf_counter() - start
        if peer is not None:
            theirs.append(peer.until(spot, dtype, threads, targets, every, most))
        if spent > AFRESH_SECONDS:
            break
    found = []
    for target in targets:
        mine = [each[target] for each in ours if target in each]
        others = [each[target] for each in theirs if target in each]
        found.append(
            Reached(
                spot=spot.name,
                dtype=dtype,
                threads=threads,
                target_percent=target,
                iterations=mine[0][0] if mine else None,
                seconds=median(seconds for _, seconds in mine) if mine else None,
                peer_iterations=others[0].iterations if others else None,
                peer_seconds=median(each.seconds for each in others) if others else None,
            )
        )
    return found


def approach(
    solver: HoldemSolver, pot: float, targets: Sequence[float], every: int, most: int
) -> dict[float, tuple[int, float]]:
    """Iterations and seconds, measurements included, at which each target, in % of the pot, was reached."""
    reached: dict[float, tuple[int, float]] = {}
    start = time.perf_counter()
    while len(reached) < len(targets) and solver.iterations < most:
        solver.run(every)
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
    """How many iterations take about so many seconds; they are tried, which also touches the tables."""
    solver.run(2)
    count, spent = 1, 0.0
    while spent < seconds / 8:
        count *= 2
        spent = _seconds(partial(solver.run, count))
    return max(LEAST_ITERATIONS, round(count * seconds / spent))


def _middle(timings: Sequence[PeerTiming]) -> PeerTiming | None:
    """The peer's medians."""
    if not timings:
        return None
    return PeerTiming(
        seconds=median(each.seconds for each in timings),
        build_seconds=median(each.build_seconds for each in timings),
        memory_bytes=timings[0].memory_bytes,
        uniform_percent=timings[0].uniform_percent,
    )


def _respond(solver: HoldemSolver, times: int) -> None:
    for _ in range(times):
        solver.values(RESPOND)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
