"""The runs in a folder, each summed up in one row."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.storage.run import CONFIGURATION, Run

OLD_TRAINING = "train.json"
"""The file by which trainings of older versions, which are refused, are known."""
INSIDE = ("checkpoints", "infosets", "cards")
"""Folders of a run in which there are no runs."""


def run_folders(folder: Path) -> list[Path]:
    """The folders of the runs in a folder and below it."""
    found = []
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in INSIDE and not name.startswith(".")]
        if CONFIGURATION in files or OLD_TRAINING in files:
            found.append(Path(path))
    return sorted(found)


def run_summary(folder: Path) -> dict[str, Any]:
    """A run in one row; a damaged run's row says why."""
    row: dict[str, Any] = dict.fromkeys(
        ("kind", "game", "rule", "updates", "created", "exploitability", "exploitability_at", "additions")
    )
    row = {"run": str(folder), "damage": None, **row, "iterations": 0, "seconds": 0.0}
    try:
        row |= _described(folder)
        _check_types(folder, row)
    except InputError as error:
        row["damage"] = str(error)
    except OSError as error:
        row["damage"] = f"{error.filename or folder}: {error.strerror or error}"
    except (ValueError, TypeError, KeyError) as error:
        row["damage"] = f"{folder} is damaged: {error}"
    return row


def _described(folder: Path) -> dict[str, Any]:
    run = Run.open(folder)
    facts, asked = run.facts(), run.configuration
    known = {"iterations", "seconds", "exploitability", "exploitability_at"} & facts.keys()
    return {
        "kind": run.kind,
        "game": _game(run),
        "rule": asked.get("rule"),
        "updates": asked.get("updates"),
        "created": run.made.get("created"),
        "additions": _additions(run),
        **{key: facts[key] for key in known},
    }


def _additions(run: Run) -> int | None:
    """The bets that a growing solve had added at its last check; None for runs that do not grow."""
    if run.kind != "solve" or run.configuration.get("grow", "none") == "none":
        return None
    rows = run.metrics()
    return int(rows[-1].get("additions", 0)) if rows else 0


def _game(run: Run) -> Any:
    """The game of a run; of a spot without its ranges, which may be long."""
    asked = run.configuration
    if run.kind == "training":
        return f"no-limit hold'em, {asked.get('betting')} betting"
    if run.kind == "report":
        done = len({row.get("flop") for row in run.metrics()})
        return f"{done:,} of {len(asked['flops']):,} flops, pot {asked['pot']:,}, stack {asked['stack']:,}"
    if run.kind != "spot":
        return asked.get("game")
    from solvent.cards.deck import cards_label
    from solvent.spots.folder import locks_of, spot_of

    spot, locks = spot_of(run), len(locks_of(run))
    locked = f", {locks} lock{'s' * (locks > 1)}" if locks else ""
    return f"spot {cards_label(spot.root_board)}, pot {spot.pot:,}, stack {spot.stack:,}{locked}"


def _check_types(folder: Path, row: Mapping[str, Any]) -> None:
    for key in ("iterations", "seconds", "exploitability", "exploitability_at"):
        if isinstance(row[key], bool) or not isinstance(row[key], int | float | None):
            raise InputError(f"{folder} is damaged: its {key} is {row[key]!r}, not a number")
    for key in ("game", "rule", "updates"):
        if not isinstance(row[key], str | None):
            raise InputError(f"{folder} is damaged: its {key} is {row[key]!r}, not text")
