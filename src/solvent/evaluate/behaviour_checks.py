"""Checks that a sane strategy passes, whatever else it does, and the meaning of a failure.

Two numbers say how sure the figure of a check is. `noise` is half of the 95 % interval over the hands that were
watched; what is enumerated before the flop has none. `seeds` is the spread of agents that were trained in the same
way with other seeds. A figure that misses its bar by no more than both together is near it. Only one that misses
it by more has failed: chance does not explain it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import hypot, inf, isfinite, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from solvent.evaluate.behaviour import CLASSES, Watched, class_of
from solvent.evaluate.behaviour_kernels import (
    DECISIONS,
    FOLDED,
    NUTS,
    NUTS_FOLDED,
    ODD,
    UNTRAINED,
    WEIGHT,
    Observed,
)
from solvent.forms.betting.tree import DECISION
from solvent.games.betting.rules import CALL, FOLD, STREETS

DEEP = 50.0
"""Big blinds from which opening all-in is out of proportion."""
LEAST = 20
"""Decisions below which a figure says nothing."""
CORRELATION = "rank correlation"
RARE = nan
"""A figure of what hardly ever happened."""
Figure = Callable[[Observed], float]


@dataclass(frozen=True)
class Check:
    """One thing that a sane strategy does, and its measurement."""

    name: str
    measured: float | None
    """The figure, or None where the situation hardly arose."""
    noise: float
    """Half of its 95 % interval over the hands that were watched; 0 where nothing was drawn."""
    seeds: float
    """Spread over agents trained with other seeds: twice the standard deviation."""
    unit: str
    wanted: str
    passed: bool
    near: bool
    """Whether it misses its bar by no more than chance explains: `noise` and `seeds` together."""
    meaning: str


class Bar(NamedTuple):
    """Bar that a figure is held to."""

    name: str
    unit: str
    low: float
    high: float
    seeds: float
    """The spread of `Check`, over ten agents of the tree of `make run`, of 4,000 boards each; 0 where none
    showed."""

    @property
    def wanted(self) -> str:
        """The limits in words."""
        number = "{:.4g}" + (f" {self.unit}" if self.unit else "")
        if self.low == self.high:
            return number.format(self.low)
        if self.low == -inf or (self.low == 0 and self.high < 100):
            return "at most " + number.format(self.high)
        if self.high == inf or self.high in (1, 100):
            return "at least " + number.format(self.low)
        return f"{self.low:.4g} to " + number.format(self.high)

    def judge(self, meaning: str, measured: float, noise: float = 0.0) -> Check:
        """Judge a figure; where it or its noise is not finite, the situation is too rare to tell.

        meaning: that of a failure
        """
        told = isfinite(measured) and isfinite(noise)
        missed_by = max(self.low - measured, measured - self.high) if told else 0.0
        return Check(
            name=self.name,
            measured=float(measured) if told else None,
            noise=noise if told else 0.0,
            seeds=self.seeds,
            unit=self.unit,
            wanted=self.wanted,
            passed=bool(missed_by <= 0),
            near=bool(0 < missed_by <= hypot(noise, self.seeds)),
            meaning=meaning,
        )

    def judge_watched(self, meaning: str, watched: Watched, figure: Figure) -> Check:
        """Judge a figure of the hands that were watched."""
        return self.judge(meaning, figure(watched.observed), watched.noise(figure))


def is_near(check: Mapping[str, Any]) -> bool:
    """Whether a check, as files have it, missed its bar narrowly; those of earlier versions do not say."""
    return bool(check.get("near", False))


def check_behaviour(watched: Watched) -> list[Check]:
    """Make all checks."""
    return [*_sound(watched), *_before_the_flop(watched), *_after_the_flop(watched)]


def _sound(watched: Watched) -> list[Check]:
    tree = watched.tree
    unbet = np.flatnonzero((tree.kind == DECISION) & (tree.paid[:, 0] == tree.paid[:, 1]))
    free = (tree.action[tree.first_edge[unbet]] == FOLD).sum()
    counts = watched.observed.counts
    return [
        Bar("probabilities are probabilities", "decisions", 0, 0, 0).judge(
            "a decision with probabilities below 0, not summing to 1, or folding where there is no bet: the table "
            "is damaged or post-processing is wrong",
            float(counts[ODD]),
        ),
        Bar("never folds when it can check", "nodes", 0, 0, 0).judge(
            "the betting tree gives away pots for nothing: the tree is built wrongly", float(free)
        ),
        Bar("plays trained infosets", "% of decisions", 0, 1, 0.0).judge_watched(
            "the agent comes to rows that training never visited and plays there what it has not learned: train "
            "longer, or with fewer buckets or bets",
            watched,
            _untrained,
        ),
    ]


def _untrained(seen: Observed) -> float:
    return float(100 * seen.counts[UNTRAINED] / max(seen.counts[DECISIONS], 1))


def _before_the_flop(watched: Watched) -> list[Check]:
    weights, rates = watched.weights, watched.agent.playing.rates[:CLASSES].astype(np.float64)
    aces, worst = class_of("AA"), class_of("72o")
    _, folded = watched.preflop(lambda action: action == FOLD)
    came, raised = watched.preflop(lambda action: action > CALL, watched.faces_raise)
    raises = raised / np.maximum(came, 1e-300)
    at_first, given_up = watched.preflop(lambda action: action == FOLD, watched.faces_first_raise)
    stays = 1 - given_up / np.maximum(at_first, 1e-300)
    reached = at_first > 1e-6
    opening = watched.strategies[0]
    actions = watched.tree.actions(0)
    rules = watched.tree.abstraction.rules
    plays = 100 * float(weights @ (1 - opening[:, actions.index(FOLD)])) if FOLD in actions else 100.0
    shoves = opening[:, len(actions) - 1] if actions[-1] == rules.effective_stack else np.zeros(CLASSES)
    found = [
        Bar("aces never fold before the flop", "% of hands", 0, 0.5, 0.0).judge(
            "the best hand gives up its blind or its raise: those rows have hardly been trained, or payoffs have "
            "the wrong sign",
            100 * folded[aces],
        ),
        Bar("72o raises a raise less than aces do", "points of %", -inf, 0, 2.2).judge(
            "the worst hand bluffs more than the best one bets: buckets are mixed up or training has just begun",
            100 * (raises[worst] - raises[aces]) if came[aces] > 1e-6 else RARE,
        ),
        Bar("better hands stay more facing a first raise", CORRELATION, 0.6, 1, 0.023).judge(
            "staying in has little to do with the hand: buckets are mixed up or training has just begun",
            _rank_correlation(rates[reached], stays[reached]),
        ),
        Bar("the button plays more hands than it folds", "% of hands", 50, 100, 1.7).judge(
            "it folds the small blind with most hands, which loses more than playing them heads-up in position",
            plays,
        ),
    ]
    if rules.effective_stack >= DEEP * rules.blinds[1]:
        found.append(
            Bar("it does not open all-in", "% of hands", 0, 5, 0.01).judge(
                "it risks a deep stack to win the blinds: training has not yet found out what that costs",
                100 * float(weights @ shoves),
            )
        )
    return found


def _after_the_flop(watched: Watched) -> list[Check]:
    found = []
    for street, name in enumerate(STREETS[1:], start=1):
        found += [
            Bar(
                f"better hands stay more facing a bet on the {name}", CORRELATION, 0.8, 1, 0.008
            ).judge_watched(
                "calls do not follow the strength of hands: buckets of unlike hands, or too little training",
                watched,
                partial(_stays_by_strength, street),
            ),
            Bar(
                f"it neither folds nor calls everything on the {name}", "% folded to bets", 10, 85, 1.2
            ).judge_watched(
                "any bet wins the pot, or no bluff ever does: an opponent need only notice",
                watched,
                partial(_folds_to_bets, street),
            ),
        ]
    nuts = Bar("the nuts never fold on the river", "% of hands", 0, 4, 0.8).judge_watched(
        "a hand that cannot lose is given up: its bucket holds much weaker hands too, or was hardly visited",
        watched,
        _folds_nuts,
    )
    return [*found, nuts]


def _stays_by_strength(street: int, seen: Observed) -> float:
    """Rank correlation between staying in and win rate, for hands that face a bet."""
    cells = seen.sums[street, 1]
    enough = cells[:, WEIGHT] >= LEAST
    return _rank_correlation(np.flatnonzero(enough), 1 - cells[enough, FOLDED] / cells[enough, WEIGHT])


def _folds_to_bets(street: int, seen: Observed) -> float:
    total = seen.sums[street, 1].sum(axis=0)
    return float(100 * total[FOLDED] / total[WEIGHT]) if total[WEIGHT] >= LEAST else RARE


def _folds_nuts(seen: Observed) -> float:
    came = seen.counts[NUTS]
    return float(100 * seen.counts[NUTS_FOLDED] / came) if came >= LEAST else RARE


def _rank_correlation(strength: NDArray[Any], frequency: NDArray[np.float64]) -> float:
    """Spearman's rank correlation; 1 where all frequencies are equal, since nothing speaks against them."""
    if len(frequency) < 3:
        return RARE
    if np.ptp(frequency) < 1e-9:
        return 1.0
    return float(spearmanr(strength, frequency).statistic)
