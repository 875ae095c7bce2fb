"""Quantities as people read them."""

from __future__ import annotations


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
