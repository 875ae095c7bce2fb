"""The bars that we had set for spots before measuring, and what was seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from solvent_papers.page import Bar
from solvent_papers.spots.measured import Measured
from solvent_papers.spots.speed import DTYPES, Timing

WIDE, NARROW = DTYPES
TARGET = 0.3
"""Percent of the pot."""
PEER_SECONDS = 0.5
"""Seconds to the target, ours over the peer's, on the spots called S."""
NARROW_ITERATIONS = 1.1
"""Iterations to the target with tables of 16 bits, over those with float32, on every spot."""
PEER_MEMORY = 1.0


class Wanted(NamedTuple):
    """A bound on one spot's iterations with float32 tables and a number of threads."""

    spot: str
    threads: int
    bound: float


ITERATION = (
    Wanted("river-s", 1, 0.7),
    Wanted("river-s", 2, 0.7),
    Wanted("turn-s", 1, 0.5),
    Wanted("turn-s", 2, 0.5),
    Wanted("flop-s", 2, 0.5),
)
"""At most: seconds of an iteration, ours over the peer's."""
SPEED_UP = (Wanted("turn-s", 2, 1.6), Wanted("flop-s", 2, 1.8))
"""At least: how much quicker than with one thread."""
BUILD = (Wanted("turn-s", 1, 0.15), Wanted("flop-s", 1, 2.0))
"""At most: seconds of building."""


def spot_bars(found: Measured) -> list[Bar]:
    """Return every bar whose figures were measured."""
    timings = {(each.spot, each.dtype, each.threads): each for each in found.timings}
    return [*_iterations(timings), *_building(timings), *_to_target(found)]


def _iterations(timings: dict[tuple[str, str, int], Timing]) -> Iterator[Bar]:
    for spot, threads, bound in ITERATION:
        timing = timings.get((spot, WIDE, threads))
        if timing is not None and timing.peer_ratio is not None:
            name = f"{spot}: an iteration by the peer's, threads: {threads}"
            yield _at_most(name, timing.peer_ratio, bound)
    for spot, threads, bound in SPEED_UP:
        one, several = timings.get((spot, WIDE, 1)), timings.get((spot, WIDE, threads))
        if one is not None and several is not None:
            seen = one.seconds / several.seconds
            yield Bar(
                f"{spot}: {threads} threads by one", f"at least {bound:g}", f"{seen:.2f}", seen >= bound
            )


def _building(timings: dict[tuple[str, str, int], Timing]) -> Iterator[Bar]:
    for spot, threads, bound in BUILD:
        timing = timings.get((spot, WIDE, threads))
        if timing is not None:
            yield _at_most(f"{spot}: seconds to build", timing.build_seconds, bound)
    for dtype in DTYPES:
        timing = timings.get(("flop-s", dtype, 1))
        if timing is not None and timing.memory_bytes is not None and timing.peer is not None:
            seen = timing.memory_bytes / timing.peer.memory_bytes
            yield _at_most(f"flop-s: memory by the peer's, {dtype}", seen, PEER_MEMORY)


def _to_target(found: Measured) -> Iterator[Bar]:
    at_target = [each for each in found.reached if each.target_percent == TARGET]
    for each in at_target:
        if each.spot.endswith("-s") and each.dtype == WIDE and each.peer_ratio is not None:
            yield _at_most(
                f"{each.spot}: seconds to {TARGET:g} % by the peer's", each.peer_ratio, PEER_SECONDS
            )
    wide = {each.spot: each.iterations for each in at_target if each.dtype == WIDE}
    for each in at_target:
        usual = wide.get(each.spot)
        if each.dtype != NARROW or usual is None:
            continue
        name = f"{each.spot}: iterations to {TARGET:g} % with 16 bits by those with float32"
        if each.iterations is None:
            yield Bar(name, f"at most {NARROW_ITERATIONS:g}", "not reached", met=False)
        else:
            yield _at_most(name, each.iterations / usual, NARROW_ITERATIONS)


def _at_most(name: str, seen: float, bound: float) -> Bar:
    return Bar(name, f"at most {bound:g}", f"{seen:.3g}", seen <= bound)
