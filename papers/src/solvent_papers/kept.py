"""Runs of an experiment that are finished, in a file that an experiment which was stopped goes on from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from solvent.foundation.machine import commit
from solvent.foundation.storage.files import write_text


class KeptRuns:
    """What each setting gave, as JSON, a line for each.

    The first line is the commit and how much is run; where these have changed since, everything is run anew. A line
    that was cut short, as its writer was killed, is run again.
    """

    def __init__(self, path: Path | None, scale: Mapping[str, Any]) -> None:
        """Read what is there. Without a path nothing is kept."""
        self._path, self._found = path, dict[str, Any]()
        if path is None:
            return
        head = json.dumps({"commit": commit(), **scale})
        lines = path.read_text().splitlines() if path.exists() else []
        if lines[:1] != [head]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(head + "\n")
            return
        for number, line in enumerate(lines[1:], start=1):
            try:
                row = json.loads(line)
            except ValueError:
                write_text(path, "\n".join(lines[:number]) + "\n")
                return
            self._found[_key(row["setting"])] = row["found"]

    def find(self, setting: Mapping[str, Any]) -> Any:
        """Return what a setting gave, or None if it has not been run."""
        return self._found.get(_key(setting))

    def add(self, setting: Mapping[str, Any], found: Any) -> None:
        """Append what a setting gave."""
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps({"setting": setting, "found": found}) + "\n")


def kept_file(page: Path) -> Path:
    """Return where the finished runs of an unfinished experiment are."""
    return page.with_name(f"{page.stem}-unfinished.jsonl")


def _key(setting: Mapping[str, Any]) -> str:
    return json.dumps(setting, sort_keys=True)
