"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
RunName = Annotated[
    str,
    typer.Argument(help="A run's folder, a training's checkpoint such as RUN#500000, or a saved strategy."),
]
MOST_THREADS = 1024
Threads = Annotated[int | None, typer.Option(min=1, max=MOST_THREADS, help="Threads.  [default: all cores]")]
