"""What the experiments wrote: pages, and the figures beside them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent_papers.page import Bar, figures_file

INDEX = "index"
HEAD = re.compile(r"^# (.+)\n\n- \*\*Claimed\.\*\* (.+)\n- \*\*Found\.\*\* (.+)\n- \*\*So what\.\*\* (.+)\n")
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
    record = _record(figures_file(page))
    bars = tuple(Bar(**bar) for bar in record.get("bars", ()))
    figures = {name: float(value) for name, value in record.get("figures", {}).items()}
    return ResultsPage(
        page.stem, head[1], head[4], figures, bars, record.get("commit", ""), record.get("command", "")
    )


def _record(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not the JSON that an experiment writes: {error}") from error
    if not isinstance(record, dict):
        raise InputError(f"{path} is not the JSON that an experiment writes")
    return record
