"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
RunName = Annotated[
    str,
    typer.Argument(help="A run's folder, a training's checkpoint such as RUN#500000, or a saved strategy."),
]
Seed = Annotated[int, typer.Option(min=0, max=(1 << 63) - 1, help="Seed of everything that is drawn.")]
MOST_THREADS = 1024
Threads = Annotated[int | None, typer.Option(min=1, max=MOST_THREADS, help="Threads.  [default: all cores]")]
Cards = Annotated[
    Path | None,
    typer.Option(
        help="The folder of the runs' card abstraction.  [default: found by its fingerprint where it was, or near "
        "the run]"
    ),
]
