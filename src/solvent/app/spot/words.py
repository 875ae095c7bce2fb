"""What the command line says of a spot, read: chips as numbers, and ranges that stand in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_decimal, parse_whole, scaling_advice
from solvent.spots.files import range_text

CHIPS: dict[str, Callable[[str], float | None]] = {
    "pot": parse_whole,
    "stack": parse_whole,
    "least_bet": parse_whole,
    "rake_cap": parse_decimal,
}
"""Options that are chips, and how they are read."""


def read_spoken(spoken: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a spot by name, from what was written on the command line."""
    found = dict(spoken)
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
