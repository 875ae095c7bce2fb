"""The list of commands, and the function that runs one of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from solvent import __version__
from solvent.app.later import Commands, EntryPointCommand, lazy_command
from solvent.app.outcomes import EXIT_CODES, exit_code, printing_notices
from solvent.app.terminal import tolerate_narrow_encodings

app = typer.Typer(
    cls=Commands,
    name="solvent",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # help says "[default: ...]", which rich would take for markup
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = {
    "Solve games": {
        "games": "List the games that can be named.",
        "solve": "Solve a game and watch exploitability fall.",
        "spot": "Solve a hold'em spot from a flop, turn or river on.",
        "upi": "Speak PioSOLVER's text protocol: build, solve and browse spots.",
    },
    "Train and play hold'em": {
        "train": "Train a heads-up no-limit hold'em agent.",
        "play": "Play against an agent in the terminal.",
        "match": "Set agents against each other over duplicate deals.",
        "evaluate": "Measure an agent, or a solved game exactly.",
        "abstract": "Make card abstractions and look into them.",
    },
    "Look at runs": {
        "runs": "List the solves and trainings in a folder.",
        "show": "Show a run's summary or its strategy.",
        "compare": "Compare two strategies, or two agents.",
        "plot": "Draw how runs converged.",
        "export": "Write a strategy as CSV, JSON or for OpenSpiel; a game as .efg.",
        "pack": "Pack a run into one file.",
        "unpack": "Make a packed run a folder again.",
    },
    "Tools": {
        "cards": "Compute what hands and ranges are worth.",
        "warm": "Compile kernels now, so that first uses do not wait.",
        "bench": "Measure speed on this machine.",
        "reproduce": "Regenerate the papers' tables and figures.",
    },
}
"""The commands by the panel of the help in which they stand, each with its line."""
FOLDERS = ("games", "agents", "runs", "tools")
"""The folders of `commands` with the modules of each panel."""
OF_PAPERS = ("bench", "reproduce")
"""Commands of the distribution solvent-papers."""


def _stand_in() -> None:
    """Do nothing: `LazyCommand` replaces it by the command itself."""


for folder, (panel, commands) in zip(FOLDERS, COMMANDS.items(), strict=True):
    for name, line in commands.items():
        module = f"solvent.app.commands.{folder}.{'pack' if name == 'unpack' else name}"
        kind = EntryPointCommand if name in OF_PAPERS else lazy_command(module)
        app.command(name, help=line, cls=kind, epilog=EXIT_CODES, rich_help_panel=panel)(_stand_in)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; `arguments` are those of the process unless they are given."""
    tolerate_narrow_encodings()
    try:
        with printing_notices():
            code = app(arguments, standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:
        refused = exit_code(error)
        if refused is None:
            raise
        return refused
    return code if isinstance(code, int) else 0


def _version(asked: bool) -> None:
    if asked:
        print(f"solvent {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Solve imperfect-information games and build no-limit hold'em agents from the solutions."""
