"""Names that are nearly right: what a sentence that refuses one adds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

NEAR = 0.6
"""Similarity of two names, from 0 to 1, from which one is taken for a slip of the other."""
MOST = 3
LONGEST = 100
"""Letters of the longest name that is compared; a longer text is no slip of a name."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a sentence that names the nearest of the known names; empty where none is near.

    Upper and lower case, `_`, `-` and spaces count alike, and so does a known name that begins the one given.
    Nothing is near a name of more than `LONGEST` letters, because comparing takes the square of its length.

    >>> did_you_mean("calling_machin", ["calling-machine", "tight"])
    '; did you mean calling-machine?'
    >>> did_you_mean("leduc_poker", ["kuhn", "leduc"]), did_you_mean("x", ["kuhn"])
    ('; did you mean leduc?', '')
    """
    if len(name) > LONGEST:
        return ""
    short = [each for each in known if len(each) <= LONGEST]
    near = sorted(((_similarity(name, each), each) for each in short), key=lambda pair: -pair[0])
    best = near[0][0] if near else 0.0
    found = [each for share, each in near if share >= max(NEAR, best - 0.1)][:MOST]
    return f"; did you mean {' or '.join(found)}?" if found else ""


def _similarity(name: str, other: str) -> float:
    first, second = (re.sub(r"[\s_-]", "", text.casefold()) for text in (name, other))
    if first == second:
        return 1.0
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) >= 3 and longer.startswith(shorter):
        return 0.9
    return SequenceMatcher(None, first, second).ratio()
