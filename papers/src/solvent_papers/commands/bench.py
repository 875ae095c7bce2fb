"""The `solvent bench` commands: speed measured on this machine, beside others' where there are any."""

from __future__ import annotations

import typer

from solvent.app.later import Commands
from solvent_papers.commands.experiments import add_experiments
from solvent_papers.experiments import BENCHED

bench = typer.Typer(cls=Commands, help="Measure speed against others on this machine.", no_args_is_help=True)


@bench.callback()
def options() -> None:
    """Measure speed against others on this machine."""


add_experiments(bench, BENCHED)
