"""The `solvent runs` command: the runs in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from solvent.app.options import Json
from solvent.app.terminal import print_json, terminal
from solvent.foundation.errors import InputError

RUNS = Path("runs")


def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look.")] = RUNS, as_json: Json = False
) -> None:
    """List the solves and trainings in a folder and below it."""
    from solvent.app.views.runs import runs_table
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
