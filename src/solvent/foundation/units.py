"""Quantities as people read them."""

from __future__ import annotations

from solvent.foundation.errors import InputError


def size(count: float) -> str:
    """Bytes in the largest unit that keeps them above 1.

    >>> size(1), size(10 << 10), size(3 << 40)
    ('1 B', '10.0 KiB', '3,072.0 GiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"


def duration(seconds: float) -> str:
    """Seconds in the unit that people would use.

    >>> duration(40), duration(400), duration(40_000), duration(400_000)
    ('40 s', '7 min', '11 h', '5 days')
    """
    for unit, length, most in (("s", 1, 100), ("min", 60, 100 * 60), ("h", 3600, 48 * 3600)):
        if seconds < most:
            return f"{max(1, round(seconds / length))} {unit}"
    return f"{round(seconds / 86_400)} days"


def parse_size(text: str) -> int:
    """Bytes from `8G`, `512M` or a plain number."""
    factor = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}.get(text[-1:].upper(), 1)
    number = text[:-1] if factor > 1 else text
    try:
        size = int(float(number) * factor)
    except (ValueError, OverflowError):
        size = 0
    if size <= 0:
        raise InputError(f"memory is written like 8G or 512M, not {text!r}")
    return size


def parse_time(text: str, what: str = "a time") -> float:
    """Seconds from `90s`, `5m`, `2h`, `1d` or a plain number of seconds.

    >>> parse_time("90s"), parse_time("5m"), parse_time("1.5h")
    (90.0, 300.0, 5400.0)
    """
    factor = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}.get(text[-1:].lower())
    try:
        seconds = float(text if factor is None else text[:-1]) * (factor or 1.0)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise InputError(f"{what} must be a finite time, at least 0, such as 90s, 5m or 2h, not {text!r}")
    return seconds
