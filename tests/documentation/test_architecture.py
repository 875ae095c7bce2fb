"""The maps of the package agree with its folders: the page on architecture, its drawings, the rooms' docstrings."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/solvent"
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


def layers() -> list[str]:
    """The rooms in the order in which they may import each other, from the left."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layered,) = (contract for contract in contracts if contract["type"] == "layers")
    return [room for layer in reversed(layered["layers"]) for room in layer.split(" | ")]


def rows(heading: str) -> Iterator[list[str]]:
    """The cells of each row of the first table below a heading."""
    below = PAGE.split(f"{heading}\n", 1)[1]
    lines = re.search(r"(?m)^\|.*\n\| ?---.*\n((?:\|.*\n)+)", below)
    assert lines is not None
    for line in lines[1].splitlines():
        yield [cell.strip() for cell in line.strip("|").split(" | ")]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def docstring(package: Path) -> str:
    return ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""


def packages() -> list[Path]:
    return sorted(path.parent for path in SOURCE.rglob("__init__.py") if path.parent != SOURCE)


def test_rooms_are_folders_in_the_order_in_which_they_import() -> None:
    named = [quoted(name)[0] for name, *_ in rows("# Architecture")]
    assert sorted(named) == ROOMS
    assert named == layers()
    for room, _, begin in rows("# Architecture"):
        for module in quoted(begin):
            assert (SOURCE / quoted(room)[0] / module).is_file(), module


def test_the_drawing_of_the_rooms_has_them_all() -> None:
    drawing = (ROOT / "docs/images/rooms.svg").read_text(encoding="utf-8")
    assert sorted(set(re.findall(r">(\w+)</text>", drawing)) - {"solvent_papers"}) == ROOMS


@pytest.mark.parametrize("drawing", sorted((ROOT / "docs/images").glob("*.svg")), ids=lambda path: path.stem)
def test_folders_and_modules_in_drawings_exist(drawing: Path) -> None:
    text = drawing.read_text(encoding="utf-8")
    for found in re.findall(r">((?:[a-z_]+/)+[a-z_]*)</text>", text):
        if found not in ("src/solvent/", "papers/"):
            assert (SOURCE / found).is_dir() or (SOURCE / f"{found}.py").is_file(), found


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.stem)
def test_paths_in_the_guides_exist(page: Path) -> None:
    """A path begins with a room, inside a room, or at the root of the repository."""
    text = page.read_text(encoding="utf-8")
    for found in re.findall(r"`((?:[\w-]+/)+(?:\w+\.py)?)`", text):
        if found.split("/")[0] in (*ROOMS, "src", "tests", "papers", "docs", "examples"):
            places = [SOURCE, ROOT, *(SOURCE / room for room in ROOMS)]
            assert any((place / found).exists() for place in places), found


def test_layouts_of_trees_exist_and_none_is_missing() -> None:
    listed = {(quoted(name)[0], quoted(where)[0]) for name, where, *_ in rows("## Layouts of trees")}
    for name, where in listed:
        assert re.search(rf"(?m)^class {name}\b", (SOURCE / where).read_text(encoding="utf-8")), (name, where)
    modules = {where for _, where in listed}
    for path in SOURCE.rglob("*layout*.py"):
        assert path.relative_to(SOURCE).as_posix() in modules, f"{path} is in no row of the layouts of trees"


@pytest.mark.parametrize("package", packages(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_docstrings_name_the_folders_that_there_are(package: Path) -> None:
    """Every folder inside is named, as `folder/` or `folder`, and every such name of something inside exists."""
    text = docstring(package)
    named = {name.split("/")[0].removesuffix(".py") for name in quoted(text)}
    inside = {path.parent.name for path in package.glob("*/__init__.py")}
    modules = {path.stem for path in package.glob("*.py")}
    assert text, f"{package} does not say what it is"
    assert inside <= named, f"{sorted(inside - named)} are not named"
    for name in quoted(text):
        if name.endswith("/"):
            assert (package / name).is_dir(), name
        elif name.endswith(".py"):
            assert (package / name).is_file() or (SOURCE / name).is_file(), name
    begin = re.search(r"Start (?:reading )?(?:with|at|in) `([\w/.]+)`", text)
    if begin is not None:
        first = re.split(r"[/.]", begin[1])[0]
        assert first in inside | modules, first
