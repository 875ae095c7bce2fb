"""The command line: which commands there are, and what becomes of their errors."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated, Any

import typer

from solvent import __version__
from solvent.app.commands.abstract import abstract
from solvent.app.commands.bench import bench
from solvent.app.commands.cards import cards
from solvent.app.commands.compare import compare
from solvent.app.commands.evaluate import evaluate
from solvent.app.commands.export import export
from solvent.app.commands.games import games
from solvent.app.commands.match import match
from solvent.app.commands.play import play
from solvent.app.commands.reproduce import (
    bench_plans,
    reproduce_abstraction,
    reproduce_aggregation,
    reproduce_full_deck,
    reproduce_larger_game,
    reproduce_sampled_buckets,
    reproduce_sampling_options,
    reproduce_total_rbp,
)
from solvent.app.commands.reproduce_agents import reproduce_laptop_mccfr, reproduce_post_processing
from solvent.app.commands.runs import runs
from solvent.app.commands.show import show
from solvent.app.commands.solve import solve
from solvent.app.commands.train import train
from solvent.foundation.errors import InputError

app = typer.Typer(
    name="solvent",
    help="Solve imperfect-information games.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # help says "[default: ...]", which rich would take for markup
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (games, solve, show, export, compare, runs, train, match, play, evaluate):
    app.command()(command)
app.add_typer(abstract, name="abstract")
app.add_typer(bench, name="bench")
app.add_typer(cards, name="cards")
reproduce = typer.Typer(
    help="Regenerate the papers' tables and figures on this machine.", no_args_is_help=True
)
app.add_typer(reproduce, name="reproduce")
bench.command("plans")(bench_plans)
reproduce.command("aggregation")(reproduce_aggregation)
reproduce.command("full-deck")(reproduce_full_deck)
reproduce.command("total-rbp")(reproduce_total_rbp)
reproduce.command("larger-game")(reproduce_larger_game)
reproduce.command("abstraction")(reproduce_abstraction)
reproduce.command("laptop-mccfr")(reproduce_laptop_mccfr)
reproduce.command("post-processing")(reproduce_post_processing)
reproduce.command("sampling-options")(reproduce_sampling_options)
reproduce.command("sampled-buckets")(reproduce_sampled_buckets)

# typer carries its own copy of click; this is that copy's root of all usage errors.
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def run() -> int:
    """Run the command line: 0 on success, 2 with one line on bad input, never a traceback for a user's slip."""
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        return _refuse(str(error))
    except _UsageError as error:
        return _refuse(error.format_message())
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has stopped (click exits then), and nothing more may be written to him.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        return _refuse(f"{where}{error.strerror or error}")
    except typer.Abort:
        return 130
    return code if isinstance(code, int) else 0


def _refuse(sentence: str) -> int:
    line = " ".join(sentence.split())
    if line:  # without arguments the help has said it
        sys.stderr.write(f"solvent: {line}\n")
    return 2


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
    """Solve imperfect-information games."""
