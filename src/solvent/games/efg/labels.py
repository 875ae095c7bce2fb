"""Labels in Gambit files: how they are told apart, quoted and escaped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_ESCAPED = re.compile(r'\\(["\\])|&#([0-9]{1,7});')
# A backslash stays only before a letter, as in \beta: elsewhere Gambit takes it as an escape of a quote or a
# backslash, and reads two of them as three.
_NEEDS_ESCAPE = re.compile(r"[^ -~]|\A | \Z|(?<= ) |\\(?![A-Za-z])|&(?=#)")


def unique_labels(labels: Sequence[str], numbers: Sequence[int] | None = None) -> tuple[str, ...]:
    """Make labels distinct: number those that are empty or repeat, by position from 1 unless `numbers` are given.

    >>> unique_labels(["fold", "raise", "raise", ""])
    ('fold', 'raise 2', 'raise 3', '4')
    """
    counts = Counter(labels)
    taken = {label for label in labels if label and counts[label] == 1}
    if len(taken) == len(labels):
        return tuple(labels)
    unique = []
    for label, number in zip(labels, numbers or range(1, len(labels) + 1), strict=True):
        if label not in taken or counts[label] != 1:
            label = f"{label} {number}" if label else str(number)
            while label in taken:
                label += "'"
            taken.add(label)
        unique.append(label)
    return tuple(unique)


def unquote(token: str) -> str:
    """Return the text between the quotes, with escaped characters restored."""
    return _ESCAPED.sub(_unescape, token[1:-1])


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    code = int(match[2])
    return chr(code) if code < 0xD800 or 0xE000 <= code <= 0x10FFFF else match[0]


def quote(label: str) -> str:
    """Return the label in quotes, with every character escaped that Gambit does not allow."""
    return '"' + _NEEDS_ESCAPE.sub(lambda found: f"&#{ord(found[0])};", label).replace('"', '\\"') + '"'
