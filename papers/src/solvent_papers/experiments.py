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
    "laptop-mccfr": Listed(
        "laptop_mccfr.experiment",
        "Bots, their ensemble, biased rewards, buckets by rule, initial weights: parts of at most an hour each.",
    ),
    "public-sampling": Listed(
        "public_sampling.experiment",
        "Public against external sampling on cards, trees and rules: half an hour a part.",
    ),
    "sampling-options": Listed(
        "laptop_mccfr.sampling_options",
        "What each option of Monte Carlo CFR does to exact exploitability, with intervals: about 8 minutes.",
    ),
}
"""Experiments of `solvent reproduce`, in the order of its list."""
BENCHED: dict[str, Listed] = {
    "sampling": Listed(
        "laptop_mccfr.sampling_speed",
        "Monte Carlo CFR iterations a second beside OpenSpiel's C++ solver, threads, and convergence.",
    ),
    "training": Listed(
        "laptop_mccfr.training_speed",
        "Rows a second of blueprint training on a large table: threads and pages, beside random access.",
    ),
}
"""Experiments of `solvent bench`."""
