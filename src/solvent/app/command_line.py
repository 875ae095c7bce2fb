"""The command line: which commands there are, and what becomes of their errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from solvent import __version__
from solvent.app.commands.abstract import abstract
from solvent.app.commands.bench import bench
from solvent.app.commands.cards import cards
from solvent.app.commands.compare import compare
from solvent.app.commands.evaluate import evaluate
from solvent.app.commands.export import export
from solvent.app.commands.games import games
from solvent.app.commands.match import match
from solvent.app.commands.pack import pack, unpack
from solvent.app.commands.play import play
from solvent.app.commands.reproduce import agents, papers
from solvent.app.commands.runs import runs
from solvent.app.commands.show import show
from solvent.app.commands.solve import solve
from solvent.app.commands.train import train
from solvent.app.outcomes import EXIT_CODES, exit_code
from solvent.app.terminal import tolerate_narrow_encodings
from solvent.foundation.progress import Interrupted


class _Commands(TyperGroup):
    """All commands. One that was stopped exits with its own code, for which typer alone would put 130."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Interrupted as stopped:
            raise typer.Exit(stopped.exit_code) from stopped


app = typer.Typer(
    cls=_Commands,
    name="solvent",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # help says "[default: ...]", which rich would take for markup
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (games, solve, train, play, match, evaluate, runs, show, compare, export, pack, unpack):
    app.command()(command)
app.add_typer(abstract, name="abstract")
app.add_typer(bench, name="bench")
app.add_typer(cards, name="cards")
reproduce = typer.Typer(
    help="Regenerate the papers' tables and figures on this machine.", no_args_is_help=True
)
app.add_typer(reproduce, name="reproduce")
EXPERIMENTS: dict[str, Callable[..., None]] = {
    "aggregation": papers.reproduce_aggregation,
    "full-deck": papers.reproduce_full_deck,
    "total-rbp": papers.reproduce_total_rbp,
    "larger-game": papers.reproduce_larger_game,
    "abstraction": papers.reproduce_abstraction,
    "laptop-mccfr": agents.reproduce_laptop_mccfr,
    "post-processing": agents.reproduce_post_processing,
    "sampling-options": papers.reproduce_sampling_options,
    "sampled-buckets": papers.reproduce_sampled_buckets,
}
for name, experiment in EXPERIMENTS.items():
    reproduce.command(name)(experiment)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; `arguments` are those of the process unless they are given."""
    tolerate_narrow_encodings()
    try:
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
