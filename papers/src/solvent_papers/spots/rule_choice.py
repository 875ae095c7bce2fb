"""Regret rules at equal iterations on the named spots: which one should be the default?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import geometric_mean

from solvent.engines.defaults import HOLDEM_RULE
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent_papers.frame.experiment import Found
from solvent_papers.spots.named import NamedSpot
from solvent_papers.spots.speed import EVERY

RULES = (HOLDEM_RULE, "dcfr", "lcfr", "dcfr+", "cfr+")


def compare_rules(spot: NamedSpot, checkpoints: Sequence[int], target: float, threads: int) -> list[Found]:
    """Run every rule on a spot to the last checkpoint.

    `percent` is the exploitability at each checkpoint in % of the pot, `iterations` those to the target, or None
    if it was not reached by the last checkpoint.
    """
    game, runs = holdem_game(spot.rules()), []
    for rule in RULES:
        solver, found, reached = HoldemSolver(game, rule, threads), [], None
        while solver.iterations < checkpoints[-1]:
            solver.run(EVERY)
            at = solver.iterations
            if reached is not None and at not in checkpoints:
                continue
            percent = 100 * solver.exploitability() / spot.pot
            if reached is None and percent <= target:
                reached = at
            if at in checkpoints:
                found.append(percent)
        runs.append({"spot": spot.name, "rule": rule, "percent": found, "iterations": reached})
    return runs


def standings(runs: Sequence[Found], checkpoints: Sequence[int]) -> list[Found]:
    """Compare the rules over spots, the one that takes the fewest iterations to the target first.

    All are geometric means over spots of a ratio to the default: `percent_ratios` of exploitability at each
    checkpoint, `iterations_ratio` of iterations to the target. Where a rule has not reached it by the last
    checkpoint, which `missed` counts, that number is taken, so the ratio may be too small.
    """
    default = {run["spot"]: run for run in runs if run["rule"] == HOLDEM_RULE}

    def needed(run: Found) -> int:
        return checkpoints[-1] if run["iterations"] is None else int(run["iterations"])

    found = []
    for rule in dict.fromkeys(run["rule"] for run in runs):
        own = [(run, default[run["spot"]]) for run in runs if run["rule"] == rule]
        found.append(
            {
                "rule": rule,
                "percent_ratios": [
                    geometric_mean(run["percent"][k] / usual["percent"][k] for run, usual in own)
                    for k in range(len(checkpoints))
                ],
                "iterations_ratio": geometric_mean(needed(run) / needed(usual) for run, usual in own),
                "missed": sum(run["iterations"] is None for run, _ in own),
            }
        )
    return sorted(found, key=lambda each: (each["iterations_ratio"], math.fsum(each["percent_ratios"])))
