"""The page of Python's public names, made from their docstrings while the documentation is built.

`mkdocs.yml` names this file as a hook. A line `<!-- names of MODULE -->` says where the names of a module belong.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "src"))
MARK = re.compile(r"^<!-- names of (\S+) -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **given: Any) -> str:
    """Called by MkDocs with each page."""
    return MARK.sub(lambda found: "\n".join(module_text(found[1])), markdown)


def module_text(module: str) -> Iterator[str]:
    """A section for each name of a module that it says itself, in the order of the alphabet."""
    package = import_module(module)
    names = [name for name in dir(package) if not name.startswith("_")]
    for name in sorted(names, key=str.casefold):
        yield from name_text(name, getattr(package, name))


def name_text(name: str, found: Any) -> Iterator[str]:
    """The section of a name: what it is called with, its docstring, its fields and its methods."""
    yield f"\n### {name}\n"
    if inspect.isclass(found):
        yield from class_text(name, found)
    elif callable(found):
        yield from call_text(name, found)
    else:
        yield f"A constant: `{found!r}`."


def class_text(name: str, found: Any) -> Iterator[str]:
    """A class: exceptions, tuples and protocols are classes too."""
    if inspect.isfunction(found.__init__) and not getattr(found, "_is_protocol", False):
        yield f"```text\n{name}{signature(found)}\n```\n"
    yield prose(inspect.getdoc(found))
    if known := dict(attributes(found)):
        yield "\n| field | type | |\n|---|---|---|"
        for field, (kind, text) in known.items():
            yield f"| `{field}` | {f'`{kind}`' if kind else ''} | {' '.join(text.split())} |"
    for method, value in dict(members(found)).items():
        yield f"\n#### {name}.{method}\n"
        yield from call_text(method, value) if callable(value) else [prose(inspect.getdoc(value))]


def call_text(name: str, found: Any) -> Iterator[str]:
    """A function or a method."""
    yield f"```text\n{name}{signature(found)}\n```\n"
    yield prose(inspect.getdoc(found))


def signature(found: Any) -> str:
    """Signature of a call, with an argument on each line where there are many."""
    known = inspect.signature(found)
    taken = [argument(each) for each in known.parameters.values() if each.name != "self"]
    keywords = [each.name for each in known.parameters.values() if each.kind is each.KEYWORD_ONLY]
    if keywords and not any(each.kind is each.VAR_POSITIONAL for each in known.parameters.values()):
        taken.insert(next(k for k, text in enumerate(taken) if re.match(rf"{keywords[0]}\b", text)), "*")
    returned = (
        "" if known.return_annotation in (None, "None", known.empty) else f" -> {known.return_annotation}"
    )
    whole = f"({', '.join(taken)}){returned}"
    return whole if len(whole) < 80 else "(\n    " + ",\n    ".join(taken) + f"\n){returned}"


def argument(found: inspect.Parameter) -> str:
    """An argument with its type and its default."""
    stars = "*" * (found.kind is found.VAR_POSITIONAL) + "**" * (found.kind is found.VAR_KEYWORD)
    kind = "" if found.annotation is found.empty else f": {found.annotation}"
    default = (
        repr(found.default) if isinstance(found.default, bool | int | float | str | tuple | None) else "..."
    )
    return f"{stars}{found.name}{kind}" + ("" if found.default is found.empty else f" = {default}")


def attributes(kind: Any) -> Iterator[tuple[str, tuple[str, str]]]:
    """Public fields, with their types and the text below each, those of bases first."""
    for each in reversed(kind.__mro__):
        if not each.__module__.startswith("solvent"):
            continue
        options = (
            {field.name: field.metadata.get("help", "") for field in fields(each)}
            if is_dataclass(each)
            else {}
        )
        for name, annotation, text in said(ast.parse(textwrap.dedent(inspect.getsource(each))).body[0]):
            if not name.startswith("_"):
                yield name, (annotation.replace("|", "or"), text or options.get(name) or "")


def said(where: Any) -> Iterator[tuple[str, str, str]]:
    """Fields in the source of a class, and in its `__init__` those with a text below: name, type and text."""
    for line, below in zip(where.body, [*where.body[1:], None], strict=True):
        if isinstance(line, ast.FunctionDef) and line.name == "__init__":
            yield from (each for each in said(line) if each[2])
            continue
        places = line.targets if isinstance(line, ast.Assign) else [getattr(line, "target", None)]
        kind = ast.unparse(line.annotation) if isinstance(line, ast.AnnAssign) else ""
        for place in places:
            if isinstance(place, ast.Attribute) or (isinstance(place, ast.Name) and kind):
                yield place.attr if isinstance(place, ast.Attribute) else place.id, kind, text_of(below)


def text_of(line: ast.AST | None) -> str:
    """The text of a line of source that is nothing but text."""
    if (
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    ):
        return line.value.value
    return ""


def members(kind: Any) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of a class of ours, and of its bases."""
    for each in reversed(kind.__mro__):
        for name, value in vars(each).items():
            method = isinstance(value, FunctionType | classmethod | staticmethod)
            public = each.__module__.startswith("solvent") and not name.startswith("_")
            if public and (method or isinstance(value, property | cached_property)):
                yield name, getattr(kind, name) if method else value


def prose(text: str | None) -> str:
    """A docstring as Markdown: examples become blocks of code."""
    parts = (text or "").split("\n\n")
    return "\n\n".join(
        f"```pycon\n{textwrap.dedent(part)}\n```" if part.startswith((">>>", "    ")) else part
        for part in parts
    )
