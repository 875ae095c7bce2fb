"""Games and rules of one's own: made from `file.py:Class(n=3)`, and named so that they are found again."""

from __future__ import annotations

import inspect
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.own_code import explained, load_own, names_own_code
from solvent.games.naming import parse_call, spell_call

SOURCE = "__solvent_source__"
"""The attribute of an object that was made from text; it holds the text."""
SPELT = (bool, int, float, str)
"""Kinds of parameters that can be written down."""


def is_own(text: str) -> bool:
    """Whether a name is written `module:Class` or `file.py:Class`, with or without arguments in brackets.

    >>> is_own("dice.py:Pig(n=3)"), is_own("leduc(ranks=5)")
    (True, False)
    """
    return names_own_code(text.partition("(")[0].strip())


def make_own(text: str, what: str) -> Any:
    """The object that `module:Class(...)` or `file.py:Class(...)` names; `what` it is, for refusals.

    A class or a function is called with the arguments in brackets; any other object is taken as it is.
    """
    where, bracket, rest = text.partition("(")
    found = load_own(where.strip(), what)
    _, given = parse_call(f"{what}{bracket}{rest}", example="file.py:Class or file.py:Class(n=3)")
    if not (inspect.isclass(found) or inspect.isfunction(found)):
        if given:
            raise InputError(f"{where} is no class or function; leave the brackets out")
        return found
    by_place = [value for key, value in given if key is None]
    by_name = {key: value for key, value in given if key is not None}
    try:
        inspect.signature(found).bind(*by_place, **by_name)
    except TypeError as error:
        takes = str(inspect.signature(found))
        raise InputError(f"{where} takes {takes}, not {bracket + rest or '()'}: {error}") from error
    with explained():
        made = found(*by_place, **by_name)
    with suppress(AttributeError, TypeError):  # an object without a dictionary
        object.__setattr__(made, SOURCE, _absolute(text))
    return made


def source_of(own: Any) -> str | None:
    """Text from which `make_own` makes an object again; None where it cannot be known, or for our own classes.

    Objects that were made by `make_own` remember theirs. Others are known by their class and by attributes that
    have the names of its parameters.
    """
    if (known := getattr(own, SOURCE, None)) is not None:
        return str(known)
    kind = type(own)
    module = sys.modules.get(kind.__module__)
    if module is None or "." in kind.__qualname__ or kind.__module__.partition(".")[0] == "solvent":
        return None
    arguments = _arguments(own)
    file = getattr(module, "__file__", None)
    packaged = "." in kind.__module__ or (file is not None and "site-packages" in file)
    if arguments is None or (file is None and not packaged):
        return None
    where = kind.__module__ if packaged else str(Path(str(file)).resolve())
    written = f"{where}:{kind.__qualname__}{arguments}"
    return written if is_own(written) else None


def name_of(own: Any) -> str:
    """An object's own text or, where its class gives it none, the class with its parameters."""
    kind: Any = type(own)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return spelt(own)
    return str(own)


def spelt(own: Any) -> str:
    """The class of an object with its parameters, as far as they are known: OneCard(ranks=13)."""
    return type(own).__name__ + (_arguments(own) or "")


def _arguments(own: Any) -> str | None:
    """The parameters with which an object was made, in brackets; None where they are not known."""
    try:
        names = list(inspect.signature(type(own)).parameters)
    except ValueError:
        return None
    values = {name: getattr(own, name, None) for name in names}
    if not all(_can_be_spelt(value) for value in values.values()):
        return None
    return spell_call("", values)


def _can_be_spelt(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_can_be_spelt, value))
    return isinstance(value, SPELT)


def _absolute(text: str) -> str:
    """Own code by its whole path, so that it is found from any folder."""
    where, colon, rest = text.partition(".py:")
    return f"{Path(where + '.py').resolve()}:{rest}" if colon else text
