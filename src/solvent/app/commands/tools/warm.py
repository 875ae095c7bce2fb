"""The `solvent warm` command: have kernels compiled before they are needed."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from solvent.app.options import Json
from solvent.app.terminal import print_found, table, watching
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, interruptible
from solvent.foundation.units import span


def warm(
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="A command: solve, train, match, evaluate or spot; may be repeated.  [default: all]"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile the kernels of solve, train, match, evaluate and spot now, so that their first use does not wait.

    Compiled kernels are cached beside the package, or where the environment variable NUMBA_CACHE_DIR says. Set it
    to a folder that a CI system keeps, or that is writable, before this command and those that follow.
    """
    from solvent.serve.warming import WARMED

    chosen = list(dict.fromkeys(only or WARMED))
    for name in chosen:
        if name not in WARMED:
            raise InputError(f"there are no kernels of {name!r} to compile; choose from {', '.join(WARMED)}")
    seconds: dict[str, float] = {}
    with watching(quiet=as_json) as watch, interruptible() as stop:
        for number, name in enumerate(chosen):
            watch(Progress(f"warming up {name}", number, len(chosen), unit="commands"))
            start = time.perf_counter()
            WARMED[name]()
            seconds[name] = time.perf_counter() - start
            stop.check()
    rows = ((name, span(spent)) for name, spent in seconds.items())
    print_found(as_json, {"seconds": seconds}, lambda: table("command", "time", rows=rows))
