"""The `solvent upi` command: spots over the text protocol of PioSOLVER."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from solvent.app.settings_options import settings_parameters, with_parameters
from solvent.spots.settings import SpotSettings


@with_parameters(settings_parameters(SpotSettings, "threads", "memory", "dtype"))
def upi(**options: Any) -> None:
    """Speak UPI, the text protocol of PioSOLVER, on standard input and output: build, solve and browse spots.

    Every line is a command; `exit` or the end of the input ends the session.
    """
    from solvent import __version__
    from solvent.foundation.machine import cores
    from solvent.foundation.storage.reading import read_line
    from solvent.serve.upi.session import LONGEST_LINE, UpiSession

    session = UpiSession(_say, SpotSettings.of({"threads": cores(), **options}))
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
