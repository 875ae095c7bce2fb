"""How games and rules are written: `name`, `name(1.5,0,2)`, `name(key=value,sizes=[1,2])`."""

from __future__ import annotations

import re
from typing import Any

from solvent.games.game import GameError

Argument = tuple[str | None, Any]
"""A parameter: its name, or None where only its place says which, and its value."""


def parse_call(text: str) -> tuple[str, list[Argument]]:
    """Split a written name into the name and its arguments.

    >>> parse_call("leduc(ranks=5,bets1=[0.5,1],distinct=true)")
    ('leduc', [('ranks', 5), ('bets1', [0.5, 1]), ('distinct', True)])
    >>> parse_call("cfr+")
    ('cfr+', [])
    """
    match = re.fullmatch(r"\s*([^\s()=,]+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    if match is None:
        raise GameError(f"cannot read {text!r}; write a name such as leduc or leduc(ranks=5,bets1=[1,2])")
    name, inside = match.groups()
    if inside is None or not inside.strip():
        return name, []
    return name, [_argument(part, text) for part in _split(inside, text)]


def _argument(part: str, text: str) -> Argument:
    key, equals, value = part.partition("=")
    if not equals:
        return None, _value(part, text)
    if not re.fullmatch(r"\s*[A-Za-z_]\w*\s*", key):
        raise GameError(f"cannot read the parameter {part.strip()!r} of {text!r}; write key=value")
    return key.strip(), _value(value, text)


def _value(written: str, text: str) -> Any:
    written = written.strip()
    if written.startswith("[") and written.endswith("]"):
        inside = written[1:-1].strip()
        return [_value(part, text) for part in _split(inside, text)] if inside else []
    if not written:
        raise GameError(f"a parameter of {text!r} has no value")
    if written.lower() in ("true", "false"):
        return written.lower() == "true"
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written


def _split(inside: str, text: str) -> list[str]:
    """Split at the commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter in "[(") - (letter in "])")
        if depth < 0:
            raise GameError(f"a bracket of {text!r} closes what was not opened")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if depth:
        raise GameError(f"a bracket of {text!r} is not closed")
    return parts
