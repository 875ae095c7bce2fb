"""All experiments by the names of their commands: the module that declares each, and one line of help.

A module has its declaration as `EXPERIMENT`. It is imported when its command is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from solvent_papers.frame.experiment import Experiment


class Listed(NamedTuple):
    """An experiment in the list of commands."""

    module: str
    help: str

    def load(self) -> Experiment[Any]:
        """Import the declaration."""
        found: Experiment[Any] = import_module(f"solvent_papers.{self.module}").EXPERIMENT
        return found


REPRODUCED = {
    "total-rbp": Listed(
        "total_rbp.total_rbp",
        "Space, nodes and seconds of partial, interval and total pruning: about half an hour.",
    ),
    "larger-game": Listed(
        "total_rbp.larger_game",
        "Memory and time with total pruning, from a coarser game too, and without: at most an hour.",
    ),
    "saef": Listed(
        "saef.saef",
        "Figure 1 of the SAEF paper, abstractions that grow and fixed ones: about an hour.",
    ),
    "agents": Listed(
        "trained_agents.measured_agents",
        "The agent of `make run` and one of an hour: trained, then measured, in parts of at most an hour each.",
    ),
}
"""Experiments of `solvent reproduce`, in the order of its list."""
BENCHED: dict[str, Listed] = {}
"""Experiments of `solvent bench`."""
