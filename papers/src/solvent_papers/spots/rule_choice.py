"""Regret rules at equal iterations on the named spots: which one should be the default?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import geometric_mean
from typing import Any

from solvent.engines.defaults import HOLDEM_RULE
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent_papers.spots.named import NamedSpot

RULES = (HOLDEM_RULE, "dcfr", "lcfr", "dcfr+", "cfr+")


@dataclass(frozen=True)
class Run:
    """One rule on one spot. Percentages are of the pot."""

    spot: str
    rule: str
    checkpoints: tuple[int, ...]
    percent: tuple[float, ...]
    """Exploitability at each checkpoint."""
    iterations_to_target: int | None
    """Iterations to the target; None: not by the last checkpoint."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Standing:
    """A rule over all spots, beside the default."""

    rule: str
    percent_ratios: tuple[float, ...]
    """At each checkpoint: exploitability over the default's, geometric mean over spots."""
    iterations_ratio: float
    """Iterations to the target over the default's, likewise; where a rule is not there by the last checkpoint that
    number is counted, so the ratio may be too small."""
    missed: int
    """Spots on which it did not get there."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def compare_rules(
    spot: NamedSpot, checkpoints: Sequence[int], target: float, every: int, threads: int
) -> list[Run]:
    """Run every rule on a spot to the last checkpoint; the target is in % of the pot, measured every so often."""
    game, runs = holdem_game(spot.rules()), []
    for rule in RULES:
        solver, found, reached = HoldemSolver(game, rule, threads), [], None
        while solver.iterations < checkpoints[-1]:
            solver.run(every)
            at = solver.iterations
            if reached is not None and at not in checkpoints:
                continue
            percent = 100 * solver.exploitability() / spot.pot
            if reached is None and percent <= target:
                reached = at
            if at in checkpoints:
                found.append(percent)
        runs.append(Run(spot.name, rule, tuple(checkpoints), tuple(found), reached))
    return runs


def standings(runs: Sequence[Run]) -> list[Standing]:
    """Compare the rules over spots, the one that takes the fewest iterations to the target first."""
    default = {run.spot: run for run in runs if run.rule == HOLDEM_RULE}
    found = []
    for rule in dict.fromkeys(run.rule for run in runs):
        own = [run for run in runs if run.rule == rule]
        ratios = [
            geometric_mean(run.percent[k] / default[run.spot].percent[k] for run in own)
            for k in range(len(own[0].checkpoints))
        ]
        needed = geometric_mean(_needed(run) / _needed(default[run.spot]) for run in own)
        missed = sum(run.iterations_to_target is None for run in own)
        found.append(Standing(rule, tuple(ratios), needed, missed))
    return sorted(found, key=lambda each: (each.iterations_ratio, math.fsum(each.percent_ratios)))


def _needed(run: Run) -> int:
    return run.checkpoints[-1] if run.iterations_to_target is None else run.iterations_to_target
