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
    "agents": Listed(
        "trained_agents.measured_agents",
        "The agent of `make run` and one of an hour: trained, then measured, in parts of at most an hour each.",
    ),
    "abstraction": Listed(
        "tartanian7.abstraction",
        "Fit of buckets of hands, hierarchical and free, by EMD and by percentiles: about 4 minutes, 2 GB.",
    ),
    "sampled-buckets": Listed(
        "tartanian7.sampled_buckets",
        "Strategies on EMD, percentile and hierarchical buckets against real cards: about 5 minutes.",
    ),
}
"""Experiments of `solvent reproduce`, in the order of its list."""
BENCHED: dict[str, Listed] = {
    "clustering": Listed(
        "tartanian7.clustering_speed",
        "Seconds to cluster hands' histograms: one thread against several, and the distances that bounds save.",
    ),
}
"""Experiments of `solvent bench`."""
