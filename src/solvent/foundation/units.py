"""Quantities as people read and write them, and whole numbers within their bounds."""

from __future__ import annotations

import math
import operator
import re
from typing import Any

from solvent.foundation.errors import InputError

SIZES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
TIMES = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
LONGEST_NUMBER = 60
"""Letters of the longest text that is read as a number."""
LARGEST_ADVISED = 1e6
"""Chips above which nobody needs to be told by what to multiply."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


def parse_whole(text: str) -> int | None:
    """The whole number that a text is, in ASCII digits; None for other text, however long. Spaces around count not.

    Every parser reads numbers by this or by `parse_decimal`: `int` and `float` also take other scripts' digits and
    underscores, and `int` fails on thousands of digits.

    >>> parse_whole(" 12 "), parse_whole("-3"), parse_whole("\N{SUPERSCRIPT TWO}"), parse_whole("9" * 5000)
    (12, -3, None, None)
    """
    word = _number_word(text)
    return int(word) if _WHOLE.fullmatch(word) else None


def parse_decimal(text: str) -> float | None:
    """The finite number that a text is, in ASCII digits; None for other text, however long.

    >>> parse_decimal("1.5"), parse_decimal(".5e-3"), parse_decimal("1e999"), parse_decimal("nan")
    (1.5, 0.0005, None, None)
    """
    word = _number_word(text)
    number = float(word) if _DECIMAL.fullmatch(word) else math.inf
    return number if math.isfinite(number) else None


def scaling_advice(chips: float | None) -> str:
    """The end of a sentence that refuses a part of a chip: by what to multiply; '' where nothing small helps.

    >>> scaling_advice(5.5), scaling_advice(97.25), scaling_advice(1 / 3), scaling_advice(None)
    ('; multiply every amount by 10, this one to 55', '; multiply every amount by 100, this one to 9,725', '', '')
    """
    if chips is None or not 0 < chips < LARGEST_ADVISED or chips % 1 == 0:
        return ""
    for factor in (10, 100, 1000):
        if abs(chips * factor - round(chips * factor)) < 1e-6:
            return f"; multiply every amount by {factor:,}, this one to {round(chips * factor):,}"
    return ""


def parse_share(text: str) -> float | None:
    """A part of a whole, written `0.05` or `5%`; None for other text.

    >>> parse_share("5%"), parse_share("0.05"), parse_share("%")
    (0.05, 0.05, None)
    """
    word = _number_word(text)
    number = parse_decimal(word.removesuffix("%"))
    return number / 100 if number is not None and word.endswith("%") else number


def _number_word(text: str) -> str:
    """A text without the spaces around it; empty if it is too long for a number."""
    return text.strip() if len(text) <= LONGEST_NUMBER else ""


def size(count: float) -> str:
    """Bytes in the largest unit that keeps the number above 1.

    >>> size(1), size(10 << 10), size(3 << 40)
    ('1 B', '10.0 KiB', '3.0 TiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"):
        if count < 1024 or unit == "EiB":
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


def span(seconds: float) -> str:
    """A time of any length with about three digits, as measurements are read.

    >>> span(0), span(4.2e-6), span(0.0123), span(1.5), span(250), span(40_000)
    ('0 s', '4.2 µs', '12.3 ms', '1.5 s', '4.17 min', '11.1 h')
    """
    for unit, length, most in (
        ("µs", 1e-6, 1e-3),
        ("ms", 1e-3, 1.0),
        ("s", 1.0, 120.0),
        ("min", 60.0, 7200.0),
    ):
        if 0 < seconds < most:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds / 3600:,.1f} h" if seconds > 0 else "0 s"


def parse_size(text: str) -> int:
    """Bytes from `8G`, `512M`, `512MB`, `512 MiB` or a plain number; K, M, G and T are powers of 1024.

    >>> parse_size("512M"), parse_size("512 MiB"), parse_size("1.5k"), parse_size("100")
    (536870912, 536870912, 1536, 100)
    """
    number = text.upper().removesuffix("B").removesuffix("I").rstrip()
    factor = SIZES.get(number[-1:], 1)
    given = parse_decimal(number[:-1] if factor > 1 else number)
    bytes_given = 0.0 if given is None else given * factor
    if not 1 <= bytes_given < math.inf:
        raise InputError(f"memory is written like 8G or 512M, not {text!r}")
    return int(bytes_given)


def parse_time(text: str, what: str = "a time") -> float:
    """Seconds from `90s`, `5m`, `2h`, `1d` or a plain number of seconds; `what` names the time in a refusal.

    >>> parse_time("90s"), parse_time("5m"), parse_time("1.5h"), parse_time("10")
    (90.0, 300.0, 5400.0, 10.0)
    """
    factor = TIMES.get(text[-1:].lower())
    number = parse_decimal(text if factor is None else text[:-1])
    seconds = -1.0 if number is None else number * (factor or 1.0)
    if not 0 <= seconds < math.inf:
        raise InputError(f"{what} must be a finite time, at least 0, such as 90s, 5m or 2h, not {text!r}")
    return seconds


def check_whole(what: str, value: Any, least: int, most: int | None = None) -> int:
    """The value, if it is a whole number within its bounds; `what` names it in a refusal.

    >>> check_whole("hands", 20, 2, 100)
    20
    """
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or number < least or (most is not None and number > most):
        bounds = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        given = f"{number:,}" if isinstance(value, int) and not isinstance(value, bool) else repr(value)
        raise InputError(f"{what} must be a whole number {bounds}, not {given}")
    return number
