"""Names that a package loads on first use: importing the compiler takes longer than a script should wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, where: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`.

    `where` says in which module each name is, `solvent.play.matches`, and what it is called there if not the same,
    `solvent.abstraction.cards.build:build`.
    """

    def load(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, there = where[name].partition(":")
        return getattr(import_module(module), there or name)

    return load, lambda: sorted(where)
