"""Reading and checking values of options from a command line, JSON or Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from numbers import Integral, Real
from typing import Any, NamedTuple

from solvent.engines.rules import load_rule
from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_size, parse_time, parse_whole

ANY_DEVICE = ("cpu", "numpy", "torch", "cupy", "jax")
LONGEST = 100 * 365 * 86_400.0
"""A hundred years in seconds."""


class Check(NamedTuple):
    """Reader of an option's values."""

    kind: type
    """Type of the values from a command line: str, int, float or bool."""
    read: Callable[[str, Any], Any]
    """Turns the option's name and a value into the value in its final type, or raises an InputError."""
    metavar: str | None = None
    """Placeholder of a value in the help; None: its kind."""


def one_of(what: str, names: Collection[str]) -> Check:
    """Check for one of a few names; `what` says what they name."""

    def read(name: str, value: Any) -> str:
        if value not in names or not isinstance(value, str):
            raise InputError(f"there is no {what} {value!r}; choose from {', '.join(names)}")
        return value

    return Check(str, read, "<name>")


def is_address(text: str) -> bool:
    """Whether a text is HOST:PORT."""
    host, colon, port = text.rpartition(":")
    return bool(host and colon and 0 < (parse_whole(port) or 0) < 65_536 and "/" not in text)


def cluster_among(names: Collection[str]) -> Check:
    """Check for one of a few names, or HOST:PORT of a cluster."""

    def read(name: str, value: Any) -> str:
        if not isinstance(value, str) or not (value in names or is_address(value)):
            raise InputError(
                f"a cluster is named {', '.join(names)} or HOST:PORT, such as 10.0.0.1:6379, not {value!r}"
            )
        return value

    return Check(str, read, "<name>")


def whole(least: int, most: int) -> Check:
    """Check for a whole number in a range."""

    def read(name: str, value: Any) -> int:
        if not isinstance(value, Integral) or isinstance(value, bool) or not least <= int(value) <= most:
            raise InputError(
                f"{name} must be a whole number, at least {least} and at most {most:,}, not {value!r}"
            )
        return int(value)

    return Check(int, read)


def number(least: float, most: float = math.inf) -> Check:
    """Check for a finite number in a range."""

    def read(name: str, value: Any) -> float:
        good = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
        if not good or not least <= value <= most:
            at_most = "" if most == math.inf else f" and at most {most:g}"
            raise InputError(f"{name} must be a finite number, at least {least:g}{at_most}, not {value!r}")
        return float(value)

    return Check(float, read)


def _instance_of(kind: type, what: str) -> Check:
    def read(name: str, value: Any) -> Any:
        if not isinstance(value, kind):
            raise InputError(f"{name} must be {what}, not {value!r}")
        return value

    return Check(kind, read)


def _duration(name: str, value: Any) -> float:
    seconds = parse_time(value, name) if isinstance(value, str) else value
    good = isinstance(seconds, Real) and not isinstance(seconds, bool)
    if not good or not 0 <= seconds <= LONGEST:
        raise InputError(f"{name} must be a finite time, at least 0, such as 90s, 5m or 2h, not {value!r}")
    return float(seconds)


def _interval(name: str, value: Any) -> float:
    seconds = _duration(name, value)
    if seconds == 0:
        raise InputError(f"{name} must be above 0, not {value!r}")
    return seconds


def _bytes(name: str, value: Any) -> int:
    count = parse_size(value) if isinstance(value, str) else value
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(f"{name} must be a whole number of bytes or text such as 8G, not {value!r}")
    return count


def _device(name: str, value: Any) -> str:
    if not isinstance(value, str) or value.partition(":")[0] not in ANY_DEVICE:
        raise InputError(f"there is no device {value!r}; choose from {', '.join(ANY_DEVICE)} or torch:cuda")
    return value


FLAG, TEXT = _instance_of(bool, "true or false"), _instance_of(str, "text")
DURATION, INTERVAL = Check(str, _duration, "<time>"), Check(str, _interval, "<time>")
BYTES = Check(str, _bytes, "<size>")
RULE, DEVICE = Check(str, lambda name, value: load_rule(value), "<rule>"), Check(str, _device, "<name>")
