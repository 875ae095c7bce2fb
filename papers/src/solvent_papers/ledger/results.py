"""Results pages, and the figures that experiments wrote beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from solvent.foundation.errors import InputError
from solvent_papers.frame.judging import Bar
from solvent_papers.frame.pages import HEAD
from solvent_papers.frame.running import read_json

INDEX = "index"
SENTENCE = re.compile(r"(?<=[a-z)\d])\. (?=[A-Z])")


@dataclass(frozen=True)
class ResultsPage:
    """The head of a results page and, where the experiment wrote them, its figures."""

    stem: str
    title: str
    so_what: str
    figures: dict[str, float]
    bars: tuple[Bar, ...]
    commit: str
    """The commit at which it was measured; empty where the page has no figures."""
    command: str = ""
    """The command that measured it; empty where the page has no figures."""

    @property
    def in_short(self) -> str:
        """The first sentence of the page's last line."""
        return SENTENCE.split(self.so_what)[0].rstrip(".") + "."


def read_results(folder: Path) -> dict[str, ResultsPage]:
    """Read every results page of a folder, by its name without suffix."""
    pages = sorted(folder.glob("*.md")) if folder.is_dir() else []
    return {page.stem: _read(page) for page in pages if page.stem != INDEX}


def _read(page: Path) -> ResultsPage:
    head = HEAD.match(page.read_text(encoding="utf-8"))
    if head is None:
        raise InputError(f"{page} does not begin with a title and three lines: claimed, found, so what")
    record = read_json(page.with_suffix(".json"))
    bars = tuple(Bar(**bar) for bar in record.get("bars", ()))
    figures = {name: float(value) for name, value in record.get("figures", {}).items()}
    return ResultsPage(
        page.stem, head[1], head[4], figures, bars, record.get("commit", ""), record.get("command", "")
    )
