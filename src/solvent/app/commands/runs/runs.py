"""The `solvent runs` command: the runs in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from solvent.app.options import Json
from solvent.app.terminal import print_json, table, terminal
from solvent.foundation.errors import InputError, shortened
from solvent.foundation.units import span

RUNS = Path("runs")


def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look.")] = RUNS, as_json: Json = False
) -> None:
    """List the solves and trainings in a folder and below it."""
    from solvent.serve.runs import run_folders, run_summary

    if not folder.is_dir() and (folder.exists() or folder != RUNS):
        raise InputError(f"{folder} is not a folder")
    found = [run_summary(run) for run in run_folders(folder)]
    if as_json:
        print_json({"runs": found})
        return
    console = terminal()
    if not found:
        console.print(
            f"no runs in {folder}; `solvent solve GAME --out {folder}/NAME` makes one", soft_wrap=True
        )
        return
    console.print(runs_table(found))
    for row in found:
        if row["damage"] is not None:
            console.print(f"damaged: {row['damage']}", soft_wrap=True)


def runs_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table of runs (`serve.runs`): exploitability as "within 0.1 chips"."""
    runs = table("run", "game and rule", "reached")
    runs.columns[2].no_wrap = True
    for row in rows:
        if row["damage"] is not None:
            runs.add_row(row["run"], "damaged", end_section=True)
            continue
        reached = row["exploitability"]
        created = str(row["created"] or "").replace("T", " ")[:16]
        rule = ", ".join(filter(None, (row["kind"], row["rule"], row["updates"])))
        found = [f"{row['iterations']:,} iterations", span(row["seconds"])]
        at = row.get("exploitability_at")
        after = "" if at in (None, row["iterations"]) else f" after {at:,}"
        found += [] if reached is None else [f"within {reached:.4g} chips{after}"]
        found += [f"+{row['additions']:,} actions"] if row.get("additions") else []
        runs.add_row(
            "\n".join(filter(None, (row["run"], created))),
            "\n".join(shortened(text) for text in (row["game"], rule) if text),
            "\n".join(found),
            end_section=True,
        )
    return runs
