"""The runs in a folder, each in one row, solves and trainings alike."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from solvent.app.terminal import table
from solvent.foundation.bundle import read_facts
from solvent.foundation.errors import InputError
from solvent.solvers.blueprint.training import ASKED
from solvent.strategy.run import CONFIGURATION, Run

INSIDE = ("checkpoints", "infosets")
"""Folders of a run in which there are no runs."""


def run_folders(folder: Path) -> list[Path]:
    """The folders of the runs in a folder and below it."""
    found = []
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in INSIDE and not name.startswith(".")]
        if CONFIGURATION in files or ASKED in files:
            found.append(Path(path))
    return sorted(found)


def run_summary(folder: Path) -> dict[str, Any]:
    """A run in one row; of a damaged one, what is wrong with it."""
    row: dict[str, Any] = dict.fromkeys(("kind", "game", "rule", "updates", "created", "exploitability"))
    row = {"run": str(folder), "damage": None, **row, "iterations": 0, "seconds": 0.0}
    try:
        row |= _training(folder) if (folder / ASKED).is_file() else _solve(folder)
        _check_types(folder, row)
    except InputError as error:
        row["damage"] = str(error)
    except OSError as error:
        row["damage"] = f"{error.filename or folder}: {error.strerror or error}"
    except (ValueError, TypeError, KeyError) as error:
        row["damage"] = f"{folder} is damaged: {error}"
    return row


def _solve(folder: Path) -> dict[str, Any]:
    run = Run.open(folder)
    facts = run.facts()
    asked = {key: run.configuration.get(key) for key in ("game", "rule", "updates", "created")}
    known = {"iterations", "seconds", "exploitability"} & facts.keys()
    return {"kind": "solve", **asked, **{key: facts[key] for key in known}}


def _training(folder: Path) -> dict[str, Any]:
    design = json.loads((folder / ASKED).read_text(encoding="utf-8"))["design"]
    saved = [path for path in (folder / "checkpoints").glob("[0-9]*") if path.name.isdecimal()]
    facts = read_facts(max(saved, key=lambda path: int(path.name))) if saved else {}
    return {
        "kind": "training",
        "game": f"no-limit hold'em, {design['betting']} betting",
        "rule": "lcfr" if design["linear"] else "cfr",
        "iterations": facts.get("iterations", 0),
        "seconds": facts.get("seconds", 0.0),
    }


def _check_types(folder: Path, row: Mapping[str, Any]) -> None:
    for key in ("iterations", "seconds", "exploitability"):
        if isinstance(row[key], bool) or not isinstance(row[key], int | float | None):
            raise InputError(f"{folder} is damaged: its {key} is {row[key]!r}, not a number")
    for key in ("game", "rule", "updates"):
        if not isinstance(row[key], str | None):
            raise InputError(f"{folder} is damaged: its {key} is {row[key]!r}, not text")


def runs_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The rows for people."""
    runs = table("run", "kind", "game", "rule", "iterations", "exploitability (chips)", "seconds", "created")
    for row in rows:
        if row["damage"] is not None:
            runs.add_row(row["run"], "damaged")
            continue
        reached = row["exploitability"]
        runs.add_row(
            row["run"],
            row["kind"],
            row["game"],
            ", ".join(filter(None, (row["rule"], row["updates"]))),
            f"{row['iterations']:,}",
            "-" if reached is None else f"{reached:.4g}",
            f"{row['seconds']:,.1f}",
            str(row["created"] or "-"),
        )
    return runs
