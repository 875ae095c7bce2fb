"""Names that a package loads on first use: importing the compiler takes longer than a script should wait."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazily(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make a package's `__getattr__` and `__dir__` from the imports under its `if TYPE_CHECKING`.

    So each name is listed once: type checkers follow the imports, and the interpreter follows each on first use.
    """
    loader: Any = getattr(sys.modules[package].__spec__, "loader", None)
    body = ast.parse(loader.get_source(package)).body
    imports = next(node for node in body if isinstance(node, ast.If)).body
    where = {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in imports
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def load(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, there = where[name]
        return getattr(import_module(module), there)

    return load, lambda: sorted(where)
