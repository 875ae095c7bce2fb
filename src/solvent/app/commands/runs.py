"""The `solvent runs` command: the runs in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from solvent.app.options import Json
from solvent.app.terminal import print_json, terminal
from solvent.foundation.errors import InputError


def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look.")] = Path("runs"), as_json: Json = False
) -> None:
    """The runs in a folder and below it."""
    from solvent.app.views.display import run_summary, runs_table
    from solvent.strategy.run import find_runs

    if not folder.is_dir() and (folder.exists() or folder != Path("runs")):
        raise InputError(f"{folder} is not a folder")
    found = [run_summary(run) for run in find_runs(folder)]
    if as_json:
        print_json({"runs": found})
    else:
        console = terminal()
        console.print(runs_table(found))
        for row in found:
            if row["damage"] is not None:
                console.print(f"damaged: {row['damage']}", soft_wrap=True)
