"""The `solvent upi` command: spots over the text protocol of PioSOLVER."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from solvent.app.options import Threads


def upi(
    threads: Threads = None,
    memory: Annotated[
        str | None, typer.Option(help="The most memory to use, such as 8G.  [default: 8G]", metavar="<bytes>")
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(
            help="Numbers of the tables: float32, float64, int16.  [default: float32]", metavar="<dtype>"
        ),
    ] = None,
) -> None:
    """Speak UPI, the text protocol of PioSOLVER, on standard input and output: build, solve and browse spots.

    Every line is a command; `exit` or the end of the input ends the session.
    """
    from solvent import __version__
    from solvent.foundation.machine import cores
    from solvent.foundation.storage.reading import read_line
    from solvent.serve.upi.session import LONGEST_LINE, UpiSession
    from solvent.spots.settings import SpotSettings

    given = {"threads": threads or cores(), "memory": memory, "dtype": dtype}
    settings = SpotSettings.of({name: value for name, value in given.items() if value is not None})
    session = UpiSession(_say, settings)
    _say([f"solvent {__version__}"])
    try:
        while line := read_line(sys.stdin.buffer, LONGEST_LINE):
            if not session.take(line.decode(errors="replace")):
                break
    finally:
        session.close()


def _say(lines: Sequence[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
