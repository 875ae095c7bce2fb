"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from solvent.app.output import check_writable, check_writable_folder

MOST_THREADS = 1024
MOST_REPEATS = 100_000
MOST_SEED = (1 << 63) - 1


def _writable_folder(folder: Path) -> Path:
    check_writable_folder(folder)
    return folder


def _writable_file(path: Path | None) -> Path | None:
    if path is not None:
        check_writable(path)
    return path


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
RunName = Annotated[
    str,
    typer.Argument(help="A run's folder, a training's checkpoint such as RUN#500000, or a saved strategy."),
]
OwnCode = Annotated[
    bool,
    typer.Option(
        "--own-code",
        help="Run the code of a run whose game is own code, where you trust it.  [default: a run is data]",
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=MOST_SEED, help="Seed of everything that is drawn.")]
Cards = Annotated[
    Path | None,
    typer.Option(
        help="The folder of the runs' card abstraction.  [default: found by its fingerprint where it was, or near "
        "the run]"
    ),
]
Threads = Annotated[int | None, typer.Option(min=1, max=MOST_THREADS, help="Threads.  [default: all cores]")]
Repeats = Annotated[
    int, typer.Option(min=1, max=MOST_REPEATS, help="Interleaved repeats; medians are shown.")
]
ResultsFolder = Annotated[
    Path, typer.Option(callback=_writable_folder, help="The folder for the page, its CSV and its picture.")
]
ResultsPage = Annotated[
    Path | None, typer.Option(callback=_writable_file, help="Write a results page in Markdown here.")
]
PictureFile = Annotated[Path | None, typer.Option(callback=_writable_file, help="Write a picture here.")]
