"""The `solvent` command: what must be in order before anything else is imported."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


def main() -> None:
    """Run the command line and exit with its code."""
    open_missing_streams()
    exit_on_interrupted_imports()
    try:
        # Imported here, where an interrupt is no traceback.
        from solvent.app.command_line import run

        code = run()
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    if code > 128:  # it was ended by a signal, and more of them change nothing
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    elif signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # what is called at the exit would show a traceback
    sys.exit(code)


def open_missing_streams() -> None:
    """Open the null device in place of standard streams that were closed when the process started.

    Otherwise the first files that are opened would take the numbers 0, 1 and 2, and messages would be written
    into them.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def exit_on_interrupted_imports() -> None:
    """Let Ctrl-C end the process at once while a module is being imported, and interrupt as usual otherwise.

    Libraries that are being imported may swallow a KeyboardInterrupt. Nothing has been computed yet that an
    import belongs to, so nothing is lost. Commands that save what they have put their own handlers in place.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            os._exit(128 + number)
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
