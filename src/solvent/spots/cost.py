"""The size and time of a spot's solve, known before any of it is built; what does not fit is refused."""

from __future__ import annotations

from operator import mul

import numpy as np

from solvent.engines.defaults import HOLDEM_DTYPES
from solvent.forms.holdem.sizing import HoldemSize, holdem_size
from solvent.foundation.errors import InputError
from solvent.foundation.units import size, span
from solvent.games.holdem.spot import NAMES, Spot
from solvent.spots.settings import SpotSettings, target_chips

TABLES = 2
"""Regrets and averages."""
SMALLER = "give fewer sizes or narrower ranges"
CELL_SECONDS = {"float32": 4.5e-9, "int16": 4.5e-9, "float64": 6e-9}
"""Seconds of an iteration on one thread for each number of a table. On one machine it was 3 to 7 from turns and
flops of half a million infosets up; small spots take longer for each number, and no time to speak of."""
USUAL_ITERATIONS, USUAL_PERCENT, FALL = 130, 0.3, 0.8
"""Iterations in which spots usually get to an exploitability of 0.3 % of the pot, and the power of the target by
which other targets take more or fewer."""
MEASURING = 1.2
"""Measurements take a fifth of the time besides."""


def table_bytes(expected: HoldemSize, dtype: str) -> int:
    """Bytes of the tables; those of int16 have a float32 scale for each decision on each board."""
    scales = sum(map(mul, expected.decisions, expected.boards)) if dtype == "int16" else 0
    return TABLES * (expected.cells * np.dtype(dtype).itemsize + scales * np.dtype(np.float32).itemsize)


def needed_bytes(expected: HoldemSize, dtype: str) -> int:
    """Estimate the memory of a solve, tables and form."""
    return table_bytes(expected, dtype) + expected.form_bytes


def describe_size(spot: Spot, expected: HoldemSize, settings: SpotSettings) -> str:
    """Say the size and time of a solve in a sentence."""
    dtype = settings.dtype
    streets = ", ".join(
        f"{nodes:,} on {boards:,} board{'s' * (boards > 1)} ({name})"
        for name, nodes, boards in zip(spot.street_names, expected.decisions, expected.boards, strict=False)
    )
    hands = " and ".join(f"{count:,} ({name})" for name, count in zip(NAMES, expected.hands, strict=True))
    return (
        f"decision nodes {streets}; hands {hands}: {size(table_bytes(expected, dtype))} for the tables, "
        f"{size(expected.form_bytes)} for the rest; {_describe_time(spot, expected, settings)}"
    )


def describe_looks(larger: Spot, expected: HoldemSize, settings: SpotSettings) -> str:
    """Say the size of looks at all candidates in a sentence; refused where it exceeds the memory limit.

    larger: the spot with all candidates. expected: the size of the spot that a solve begins with.
    """
    all_of_it = holdem_size(larger, settings.isomorphism == "on")
    needed = TABLES * all_of_it.cells * np.dtype(settings.dtype).itemsize
    if needed + needed_bytes(expected, settings.dtype) > settings.memory:
        raise InputError(
            f"to look at all candidates takes {size(needed)}, and the memory limit is {size(settings.memory)}; "
            f"give fewer steps, a cap or narrower ranges"
        )
    decisions = f"{sum(all_of_it.decisions):,} decision nodes"
    return f"looks at all candidates, {decisions}, take {size(needed)} while they last"


def _describe_time(spot: Spot, expected: HoldemSize, settings: SpotSettings) -> str:
    """Say how long a solve takes until its first limit: a guess from the size, within a factor of three."""
    iteration = CELL_SECONDS[settings.dtype] * expected.cells / settings.threads
    iterations = float("inf") if settings.iterations is None else float(settings.iterations)
    if settings.until is not None:
        percent = 100 * target_chips(settings.until, spot.pot) / spot.pot
        usual = USUAL_ITERATIONS * (USUAL_PERCENT / max(percent, 1e-6)) ** FALL
        iterations = min(iterations, max(1.0, usual))
    found = MEASURING * iteration * iterations
    if settings.time is not None:
        found = min(found, settings.time)
    threads = f"{settings.threads} thread{'s' * (settings.threads > 1)}"
    return f"about {span(found)} on {threads}" if found >= 1 else "under a second"


def check_memory(expected: HoldemSize, settings: SpotSettings, besides: int = 0) -> None:
    """Refuse a spot that does not fit into memory, and say what would.

    besides: bytes of the tables that the solve starts from, which are held until it begins
    """
    needed = needed_bytes(expected, settings.dtype)
    if needed + besides <= settings.memory:
        return
    if needed <= settings.memory:
        raise InputError(
            f"this spot takes {size(needed)} and the tables to start from {size(besides)}; the memory limit is "
            f"{size(settings.memory)}; solve it without --from"
        )
    raise InputError(
        f"this spot has {sum(expected.decisions):,} decision nodes on up to {max(expected.boards):,} boards and "
        f"takes {size(needed)} with {settings.dtype} tables; the memory limit is {size(settings.memory)}; "
        f"{_instead(expected, settings)}"
    )


def _instead(expected: HoldemSize, settings: SpotSettings) -> str:
    """Say what would fit into memory."""
    by_size = sorted(HOLDEM_DTYPES, key=lambda dtype: -needed_bytes(expected, dtype))
    for dtype in by_size[by_size.index(settings.dtype) + 1 :]:
        if needed_bytes(expected, dtype) <= settings.memory:
            return f"--dtype {dtype} takes {size(needed_bytes(expected, dtype))}"
    least = by_size[-1]
    if settings.dtype == least:
        return SMALLER
    return f"even --dtype {least} takes {size(needed_bytes(expected, least))}; {SMALLER}"
