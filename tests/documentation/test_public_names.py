"""The page of public names is complete: every name has a section, and what users hold says what its fields are."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HELD = ("Result", "Progress", "Stop", "Interrupted", "View", "PublicView", "Legal", "Mixture", "Weights")
"""Classes whose objects users are given or return: no field of theirs may stand without a word."""


@pytest.fixture(scope="module")
def page() -> str:
    sys.path.insert(0, str(ROOT))
    try:
        made = import_module("reference")
    finally:
        sys.path.remove(str(ROOT))
    return str(made.on_page_markdown((ROOT / "docs/reference.md").read_text()))


def sections(page: str, module: str) -> dict[str, str]:
    """The text below each name of a module."""
    part = re.split(rf"(?m)^## {re.escape(module)}$", page)[1]
    part = re.split(r"(?m)^## ", part)[0]
    return {each.split("\n", 1)[0]: each.split("\n", 1)[1] for each in re.split(r"(?m)^### ", part)[1:]}


@pytest.mark.parametrize("module", ["solvent", "solvent.play", "solvent.cards", "solvent.holdem"])
def test_every_name_has_a_section(page: str, module: str) -> None:
    names = {name for name in dir(import_module(module)) if not name.startswith("_")}
    found = sections(page, module)
    assert found.keys() == names
    for name, text in found.items():
        said = re.sub(r"(?s)```.*?```", "", text).strip()
        assert len(said) > 10, name


@pytest.mark.parametrize("name", HELD)
def test_every_field_that_users_meet_is_described(page: str, name: str) -> None:
    rows = re.findall(
        r"(?m)^\| `(\w+)` \|.*?\| *(.*?) *\|$", sections(page, "solvent")[name].split("####")[0]
    )
    assert rows
    assert [field for field, said in rows if not said] == []


def test_options_have_their_help(page: str) -> None:
    assert "Stop at this exploitability, NashConv/2 in chips." in sections(page, "solvent")["Settings"]
