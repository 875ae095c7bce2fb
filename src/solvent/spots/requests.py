"""Requests to solve a spot, put together from options, a file and a run to start from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.storage.reading import read_text
from solvent.foundation.storage.run import Run
from solvent.foundation.units import parse_decimal, parse_whole, scaling_advice
from solvent.games.betting.tree_sizes import known_settings, replaced_sizes
from solvent.games.holdem.spot import check_used
from solvent.spots.files import SpotRequest, range_text, read_spot_file, spot_parameters
from solvent.spots.folder import KIND, inherited_options, locks_of, spot_of

CHIPS: dict[str, Callable[[str], float | None]] = {
    "pot": parse_whole,
    "stack": parse_whole,
    "least_bet": parse_whole,
    "rake_cap": parse_decimal,
}
"""Options that are chips, and how they are read."""


def spot_options(written: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a spot by name, with chips read as numbers and ranges from the files that are named."""
    found = dict(written)
    for name, read in CHIPS.items():
        if name in found:
            found[name] = _chips(found[name], name, read)
    for name in ("oop", "ip"):
        if name in found:
            found[name] = range_text(found[name], Path())
    return found


def _chips(written: str, name: str, read: Callable[[str], float | None]) -> float:
    number = read(written)
    if number is None:
        kind = "a whole number" if read is parse_whole else "a number"
        advice = scaling_advice(parse_decimal(written))
        raise InputError(f"--{name.replace('_', '-')} is {kind} of chips, not {written!r}{advice}")
    return number


def spot_request(
    file: Path | None, start: Path | None, given: Mapping[str, Any], locks: Sequence[str]
) -> SpotRequest:
    """The request of a file, or else of the run to start from, changed by what is given beside it.

    Sizes that are given beside a run hold wherever they apply: those of the run that they replace become None.
    """
    request, replaced = SpotRequest(), dict[str, Any]()
    if file is not None:
        request = read_spot_file(file)
    elif start is not None:
        run = Run.open(start, KIND)
        request = SpotRequest(spot_parameters(spot_of(run)), inherited_options(run), list(locks_of(run)))
        sizes = {name.replace("-", "_") for name in known_settings()}
        before, new = (
            {name: found[name] for name in found if name in sizes} for found in (request.spot, given)
        )
        replaced = {**dict.fromkeys(before), **replaced_sizes(before, new)}
    request.spot |= {**given, **replaced}
    request.locks += locks
    request.check_complete()
    check_used(given, request.spot["board"], request.spot.get("rake", 0))
    return request


def lock_lines(path: Path) -> list[str]:
    """The locks in a file, one on each line; lines that begin with # are left out."""
    lines = [line.strip() for line in read_text(path).splitlines()]
    return [line for line in lines if line and not line.startswith("#")]
