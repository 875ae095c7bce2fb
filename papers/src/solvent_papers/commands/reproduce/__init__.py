"""The `solvent reproduce` commands: each runs an experiment of one paper and writes its page.

Commands of experiments that are declared in the frame are made from their declarations, which
`solvent_papers.experiments` lists; `papers.py` and `agents.py` have the others; `claims.py` lists the papers'
claims with their verdicts.
"""

from __future__ import annotations

from collections.abc import Callable

import typer

from solvent.app.later import Commands
from solvent_papers.commands.experiments import add_experiments
from solvent_papers.commands.reproduce import agents, claims, papers
from solvent_papers.experiments import REPRODUCED

EXPERIMENTS: dict[str, Callable[..., None]] = {
    "aggregation": papers.reproduce_aggregation,
    "full-deck": papers.reproduce_full_deck,
    "total-rbp": papers.reproduce_total_rbp,
    "larger-game": papers.reproduce_larger_game,
    "saef": papers.reproduce_saef,
    "laptop-mccfr": agents.reproduce_laptop_mccfr,
    "post-processing": agents.reproduce_post_processing,
    "tartanian7": agents.reproduce_tartanian7,
    "public-sampling": agents.reproduce_public_sampling,
    "sampling-options": papers.reproduce_sampling_options,
}
reproduce = typer.Typer(cls=Commands, no_args_is_help=True)
reproduce.callback(invoke_without_command=True)(claims.list_claims)
for name, experiment in EXPERIMENTS.items():
    reproduce.command(name)(experiment)
add_experiments(reproduce, REPRODUCED)
