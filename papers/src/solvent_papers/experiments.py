"""All experiments by the names of their commands: the module that declares each, and one line of help.

A declaration is the `EXPERIMENT` of a module, or another name of it behind a colon. The module is imported when the
command is used.
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
        module, _, name = self.module.partition(":")
        found: Experiment[Any] = getattr(import_module(f"solvent_papers.{module}"), name or "EXPERIMENT")
        return found


REPRODUCED = {
    "aggregation": Listed(
        "aggregation.plans:AGGREGATION",
        "Table 1 and Figure 3 of the aggregation paper on this machine: about half an hour.",
    ),
    "full-deck": Listed(
        "aggregation.full_deck",
        "Flop hold'em with all 52 cards, to below 1 mbb/hand; it takes about 3 GB.",
    ),
    "post-processing": Listed(
        "tartanian7.post_processing.experiment",
        "Post-processings against opponents as strong as the agent, and their price: parts of an hour at most.",
    ),
    "tartanian7": Listed(
        "tartanian7.cluster.experiment",
        "Algorithm 4 against a shared table and a pool, cost, resuming, staleness: 45 minutes.",
    ),
    "total-rbp": Listed(
        "total_rbp.total_rbp",
        "Space, nodes and seconds of partial, interval and total pruning: about half an hour.",
    ),
    "larger-game": Listed(
        "total_rbp.larger_game",
        "Memory and time with total pruning, from a coarser game too, and without: at most an hour.",
    ),
    "saef": Listed(
        "saef",
        "Figure 1 of the SAEF paper, abstractions that grow and fixed ones: about an hour.",
    ),
    "agents": Listed(
        "trained_agents",
        "The agent of `make run` and one of an hour: trained, then measured, in parts of at most an hour each.",
    ),
    "laptop-mccfr": Listed(
        "laptop_mccfr.experiment",
        "Bots, their ensemble, biased rewards, buckets by rule, initial weights: parts of at most an hour each.",
    ),
    "public-sampling": Listed(
        "public_sampling",
        "Public against external sampling on cards, trees and rules: half an hour a part.",
    ),
    "sampling-options": Listed(
        "laptop_mccfr.sampling_options",
        "What each option of Monte Carlo CFR does to exact exploitability, with intervals: about 8 minutes.",
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
    "sizes": Listed(
        "spots.found_sizes",
        "Bet sizes that the solver finds, against the full tree, ten two-size trees and evenly spaced trees.",
    ),
    "spots": Listed(
        "spots.measured",
        "Hold'em spots: values, seconds and memory of solving them, regret rules; beside another solver if given.",
    ),
    "flops": Listed(
        "spots.flop_subsets",
        "How well a few chosen flops stand for all in a report's means, beside random ones: about 15 minutes.",
    ),
    "openspiel": Listed(
        "peers:OPENSPIEL_SPEED",
        "Seconds per CFR iteration: OpenSpiel's C++ CFRSolver and ours, interleaved in one process.",
    ),
    "peers": Listed(
        "peers",
        "CFR+ beside OpenSpiel's C++ solver and, if it is installed, LiteEFG: an iteration, and to a target.",
    ),
    "cards": Listed(
        "card_speed",
        "Hands evaluated, hands indexed and river boards worked out per second, on one thread.",
    ),
    "plans": Listed(
        "aggregation.plans",
        "Seconds per CFR iteration on every plan, evaluator and board isomorphism, interleaved in one process.",
    ),
    "cluster": Listed(
        "cluster_speed",
        "Rows a second of Algorithm 4 in worker processes and in Ray actors, beside threads on one shared table.",
    ),
    "sampling": Listed(
        "laptop_mccfr.sampling_speed",
        "Monte Carlo CFR iterations a second beside OpenSpiel's C++ solver, threads, and convergence.",
    ),
    "training": Listed(
        "laptop_mccfr.training_speed",
        "Rows a second of blueprint training on a large table: threads and pages, beside random access.",
    ),
    "clustering": Listed(
        "tartanian7.clustering_speed",
        "Seconds to cluster hands' histograms: one thread against several, and the distances that bounds save.",
    ),
}
"""Experiments of `solvent bench`."""
