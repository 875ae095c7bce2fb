"""Libraries that only some of the package needs, imported where they are used.

Each belongs to an extra of the package, such as `solvent[plot]`. Where it is missing, a sentence says how to
install it.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from solvent.foundation.errors import InputError

EXTRAS = {
    "matplotlib": ("plot", "Matplotlib"),
    "pokerkit": ("phh", "PokerKit"),
    "pyspiel": ("openspiel", "OpenSpiel"),
    "ray": ("cluster", "Ray"),
    "torch": ("gpu", "PyTorch"),
}
"""The extra that each library belongs to, and the library's own name."""


def extra(library: str, purpose: str) -> Any:
    """Import a library; `purpose` says, in the plural, what needs it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise InputError(missing(library, purpose)) from error


def missing(library: str, purpose: str) -> str:
    """The sentence for a library that is not installed.

    >>> missing("matplotlib", "pictures")
    'pictures need Matplotlib, which is not installed: pip install "solvent[plot]"'
    """
    group, name = EXTRAS[library]
    return f'{purpose} need {name}, which is not installed: pip install "solvent[{group}]"'


def installed(library: str) -> bool:
    """Whether a library can be imported, without importing it."""
    try:
        return find_spec(library) is not None
    except ValueError:  # None stands in its place among the imported modules
        return False


def pyplot() -> Any:
    """Matplotlib's pyplot, set up to draw to files."""
    extra("matplotlib", "pictures").use("Agg")
    return import_module("matplotlib.pyplot")
