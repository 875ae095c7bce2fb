"""Own code named on the command line: `module:Class` from what can be imported, `file.py:Class` from a file.

One function loads it for games, rules and agents. The module is looked for in the working directory first, as
`python -m` does. Only what a person names comes here, on the command line or in Python: text that a file holds, as
a run's configuration does, reaches it only where a person allowed own code (`games.catalogue.allowed_game`).
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean

OWN_NAME = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*|.+\.py):(?P<name>[^\W\d]\w*)")
FAILURES = (Exception, SystemExit)
"""Failures of own code: `sys.exit` in it would otherwise end the command without a word."""
_files: set[str] = set()
"""Files of own code that have been loaded."""


def names_own_code(text: str) -> bool:
    """Whether a name is written as own code is, whether it exists or not.

    >>> [names_own_code(text) for text in ("bot.py:Caller", "bots.simple:Caller", "runs/a:tight", "random")]
    [True, True, False, False]
    """
    return OWN_NAME.fullmatch(text) is not None


def load_own(text: str, what: str = "class") -> Any:
    """Load what `module:Name` or `file.py:Name` names: a class, a function or an object. Refusals call it `what`.

    An error in the module itself is refused with a sentence that says where it is.
    """
    found = OWN_NAME.fullmatch(text)
    if found is None:
        raise InputError(f"own code is written module:Class or file.py:Class, not {text!r}")
    written, name = found["module"], found["name"]
    module = _from_file(Path(written)) if written.endswith(".py") else _from_module(written)
    if not hasattr(module, name):
        public = [each for each in vars(module) if not each.startswith("_")]
        raise InputError(f"{written} has no {what} {name!r}{did_you_mean(name, public)}")
    if (file := getattr(module, "__file__", None)) is not None:
        _files.add(str(Path(file).resolve()))
    return getattr(module, name)


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors that arise in own code, or in what it calls, into a sentence that says where they arose."""
    try:
        yield
    except InputError:
        raise
    except FAILURES as error:
        trace = error.__traceback__
        while trace is not None and not _is_own(trace.tb_frame.f_code.co_filename):
            trace = trace.tb_next
        if trace is None and not _is_missing_attribute(error):
            raise
        raise InputError(f"own code failed: {_error_line(error)}") from error


def _is_missing_attribute(error: BaseException) -> bool:
    """Whether an object of own code was asked for what it does not have, such as a method of a game's state."""
    if not isinstance(error, AttributeError):
        return False
    module = sys.modules.get(type(error.obj).__module__)
    return module is not None and _is_own(getattr(module, "__file__", None) or "")


def call_own(text: str, what: str) -> Any:
    """The object of own code: a class or function is called without arguments, others are taken as they are."""
    found = load_own(text, what)
    if not callable(found) or not (isinstance(found, type) or hasattr(found, "__code__")):
        return found
    with _refused(f"{text} cannot be made without arguments"):
        return found()


@contextmanager
def _refused(sentence: str) -> Iterator[None]:
    """Turn failures of own code into a refusal that begins with this."""
    try:
        yield
    except InputError:
        raise
    except FAILURES as error:
        raise InputError(f"{sentence}: {_error_line(error)}") from error


def _from_file(path: Path) -> Any:
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    name = f"solvent_own_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        with _refused(f"{path} cannot be imported"):
            spec.loader.exec_module(module)
    except InputError:
        del sys.modules[name]
        raise
    return module


def _from_module(name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    with _refused(f"{name} cannot be imported"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            raise InputError(
                f"there is no module {error.name!r} in this folder or installed; write file.py:Class for a file"
            ) from error


def _is_own(file: str) -> bool:
    return str(Path(file).resolve()) in _files


def _error_line(error: BaseException) -> str:
    """An error in one line: its kind, what it says, and the last line of own code that led to it."""
    place, own, trace = "", "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<frozen") and file != __file__:
            place = f" ({Path(file).name}, line {trace.tb_lineno})"
            own = place if _is_own(file) else own
        trace = trace.tb_next
    place = own or place
    if isinstance(error, SyntaxError) and error.filename:
        place = f" ({Path(error.filename).name}, line {error.lineno})"
        return f"{type(error).__name__}: {error.msg}{place}"
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"
