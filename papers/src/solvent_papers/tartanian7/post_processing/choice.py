"""A post-processing that is chosen on half of the opponents and judged on the other half, and the other way round.

The paper names the family and leaves its choices open: the fold threshold, how actions are put into classes, and
the thresholds between and inside classes. The candidates here are ours. The one with the best mean on one half is
what somebody would play who has only those opponents to try; the other half says what it is worth.
"""

from __future__ import annotations

from typing import NamedTuple

from solvent_papers.confidence import Interval
from solvent_papers.tartanian7.post_processing.meetings import NEW, NONE, Meetings, difference

FOLD_ALONE = "new(0.2,classes=actions,between=0,within=0)"
"""Folds wherever New-0.2 folds for its threshold, and changes nothing else."""
LOWER_TAU = "new(0.1)"
FAMILY = (
    LOWER_TAU,
    "new(0.3)",
    "new(0.4)",
    "new(1)",
    "new(0.2,classes=sizes)",
    "new(0.2,classes=actions)",
    "new(0.2,between=0.15,within=0.15)",
    FOLD_ALONE,
    "new(0.4,classes=actions,between=0,within=0)",
)
"""Candidates beside the rows of Table 2. From 0.5 on tau changes nothing: what is more probable is purified to."""


class Fold(NamedTuple):
    """A choice on one half of the opponents, and what it is worth on the other."""

    chosen_on: list[str]
    judged_on: list[str]
    post: str
    won: Interval
    """mbb/hand on the half that judges."""
    over_none: Interval
    over_new: Interval


class Choice(NamedTuple):
    """Both choices, and their leads over all opponents, each judged by the choice that it had no part in."""

    folds: list[Fold]
    over_none: Interval
    over_new: Interval

    @property
    def posts(self) -> list[str]:
        """The post-processings that were chosen."""
        return list(dict.fromkeys(fold.post for fold in self.folds))


def two_fold(met: Meetings) -> Choice | None:
    """Choose by the best mean on every second opponent and judge on the others, and the other way round.

    Fewer than two opponents leave nothing to choose.
    """
    if len(met.opponents) < 2:
        return None
    folds, posts = [], dict[str, str]()
    halves = met.opponents[::2], met.opponents[1::2]
    for mine, others in (halves, halves[::-1]):
        best = max(met.posts, key=lambda post: met.mean(post, mine).middle)
        leads = (met.mean_lead(best, other, others) for other in (NONE, NEW))
        folds.append(Fold(mine, others, best, met.mean(best, others), *leads))
        posts |= dict.fromkeys(others, best)
    against = (met.blocks(dict.fromkeys(posts, other)) for other in (NONE, NEW))
    return Choice(folds, *(difference(met.blocks(posts), other) for other in against))
