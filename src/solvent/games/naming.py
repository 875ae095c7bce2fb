"""Names of games and rules as text: `name`, `name(1.5,0,2)`, `name(key=value,sizes=[1,2])`.

Text that contains commas or brackets stands in quotes, single or double: `spot(oop='QQ+,AKs',...)`. A quote inside
quotes of its kind is written twice. Text in quotes is never read as a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from solvent.foundation.units import parse_decimal, parse_whole
from solvent.games.game import GameError

Argument = tuple[str | None, Any]
"""A parameter: its name, or None where only its place says which, and its value."""

DEEPEST_LIST = 10
"""Lists inside lists that are read."""
QUOTES = "'\""
NOT_FINITE = ("inf", "-inf", "nan")
NEEDS_QUOTES = frozenset(",=[]()'\"")
"""Letters that text without quotes cannot have in it."""


def parse_call(text: str, example: str = "leduc or leduc(ranks=5,bets1=[1,2])") -> tuple[str, list[Argument]]:
    """Split a written name into the name and its arguments; `example` is shown where it cannot be read.

    >>> parse_call("leduc(ranks=5,bets1=[0.5,1],distinct=true)")
    ('leduc', [('ranks', 5), ('bets1', [0.5, 1]), ('distinct', True)])
    >>> parse_call("cfr+")
    ('cfr+', [])
    """
    name, bracket, inside = (part.strip() for part in text.partition("("))
    if not re.fullmatch(r"[^\s()=,]+", name) or (bracket and not inside.endswith(")")):
        raise GameError(f"cannot read {text!r}; write a name such as {example}")
    inside = inside[:-1]
    return name, [_argument(part, text) for part in _split(inside, text)] if inside.strip() else []


def spell(value: Any) -> str:
    """A parameter's value as `parse_call` reads it back, exactly.

    >>> spell([2, 0.5, 1000001.0, True])
    '[2,0.5,1000001,true]'
    >>> spell("QQ+,AKs"), spell("50%"), spell("12")
    ("'QQ+,AKs'", '50%', "'12'")
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(spell, value)) + "]"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if not isinstance(value, str):
        return str(value)
    plain = value == value.strip() and value != "" and not NEEDS_QUOTES.intersection(value)
    if plain and isinstance(_value(value, value), str):
        return value
    return "'" + value.replace("'", "''") + "'"  # it could be taken for something else


def spell_call(name: str, arguments: Mapping[str, Any]) -> str:
    """A name with parameters as `parse_call` reads it; without brackets where there are none.

    >>> spell_call("leduc", {"ranks": 5, "distinct": True}), spell_call("leduc", {})
    ('leduc(ranks=5,distinct=true)', 'leduc')
    """
    written = ",".join(f"{key}={spell(value)}" for key, value in arguments.items())
    return f"{name}({written})" if written else name


def _argument(part: str, text: str) -> Argument:
    key, equals, value = part.partition("=")
    if not equals or part.strip()[0] in QUOTES:
        return None, _value(part, text)
    if not re.fullmatch(r"[A-Za-z_]\w*", key.strip()):
        raise GameError(f"cannot read the parameter {part.strip()!r} of {text!r}; write key=value")
    return key.strip(), _value(value, text)


def _value(written: str, text: str, depth: int = 0) -> Any:
    written = written.strip()
    if len(written) > 1 and written[0] in QUOTES and written[0] == written[-1]:
        return written[1:-1].replace(2 * written[0], written[0])
    if written.startswith("[") and written.endswith("]"):
        if depth == DEEPEST_LIST:
            raise GameError(f"a parameter has lists more than {DEEPEST_LIST} deep, which nothing takes")
        inside = written[1:-1].strip()
        return [_value(part, text, depth + 1) for part in _split(inside, text)] if inside else []
    if not written:
        raise GameError(f"a parameter of {text!r} has no value")
    if written.lower() in ("true", "false"):
        return written.lower() == "true"
    if (whole := parse_whole(written)) is not None:
        return whole
    if written.lower() in NOT_FINITE:
        return float(written)
    number = parse_decimal(written)
    return written if number is None else number


def _split(inside: str, text: str) -> list[str]:
    """Split at the commas that stand in no brackets and no quotes. A quote opens where a value begins."""
    ends, depth, quote, before = [-1], 0, "", ","
    for place, letter in enumerate(inside):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in QUOTES and (before in ",=[(" or before == letter):
            quote = letter
        else:
            depth += (letter in "[(") - (letter in "])")
        if depth < 0:
            raise GameError(f"a bracket of {text!r} closes what was not opened")
        if letter == "," and depth == 0 and not quote:
            ends.append(place)
        before = before if letter.isspace() and not quote else letter
    if quote:
        raise GameError(f"a quote of {text!r} is not closed")
    if depth:
        raise GameError(f"a bracket of {text!r} is not closed")
    return [inside[end + 1 : stop] for end, stop in zip(ends, [*ends[1:], len(inside)], strict=True)]
