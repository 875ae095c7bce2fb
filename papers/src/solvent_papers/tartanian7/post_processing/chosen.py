"""A post-processing that is chosen on half of the opponents and judged on the other half, and the other way round.

The paper names the family and leaves its choices open: the fold threshold, how actions are put into classes, and
the thresholds between and inside classes. The candidates here are ours. The one with the best mean on one half is
what somebody would play who has only those opponents to try; the other half says what it is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from solvent_papers.confidence import Interval
from solvent_papers.kept import KeptRuns
from solvent_papers.page import markdown_table
from solvent_papers.parts import Found, Part, found_by
from solvent_papers.steps import Say
from solvent_papers.tartanian7.post_processing import table_two
from solvent_papers.tartanian7.post_processing.meetings import (
    NEW,
    NONE,
    Meetings,
    difference,
    meet,
    named,
    text,
)
from solvent_papers.tartanian7.post_processing.players import Setup, opponent_named

NAME = "chosen"
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
LEAST_OPPONENTS = 2
"""One to choose on and one to judge on."""


class Fold(NamedTuple):
    """A choice on one half of the opponents, and what it is worth on the other."""

    chosen_on: list[str]
    judged_on: list[str]
    post: str
    won: Interval
    """mbb/hand on the half that judges."""
    over_none: Interval
    over_new: Interval


class TwoFold(NamedTuple):
    """Both choices, and their leads over all opponents, each judged by the choice that it had no part in."""

    folds: list[Fold]
    over_none: Interval
    over_new: Interval


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Play the candidates that are not in Table 2 against its opponents."""
    rows = list(found_by(setup, table_two.NAME)["rows"])
    for name in Meetings(rows).opponents:
        rows += [meet(setup, kept, say, post, opponent_named(name))._asdict() for post in FAMILY]
    return {"rows": rows}


def halves(opponents: Sequence[str]) -> tuple[list[str], list[str]]:
    """Every second opponent, and the others."""
    return list(opponents[::2]), list(opponents[1::2])


def two_fold(met: Meetings) -> TwoFold:
    """Choose by the best mean on each half, and judge on the other."""
    folds, posts = [], dict[str, str]()
    for mine, others in (halves(met.opponents), halves(met.opponents)[::-1]):
        best = max(met.posts, key=lambda post: met.mean(post, mine).middle)
        leads = (met.mean_lead(best, other, others) for other in (NONE, NEW))
        folds.append(Fold(mine, others, best, met.mean(best, others), *leads))
        posts |= dict.fromkeys(others, best)
    against = (met.blocks(dict.fromkeys(posts, other)) for other in (NONE, NEW))
    return TwoFold(folds, *(difference(met.blocks(posts), other) for other in against))


def chosen_posts(found: Found) -> list[str]:
    """The post-processings that were chosen."""
    met = Meetings(found["rows"])
    if len(met.opponents) < LEAST_OPPONENTS:
        return []
    return list(dict.fromkeys(fold.post for fold in two_fold(met).folds))


def figures(found: Found) -> dict[str, float]:
    """What choosing wins over none and New-0.2, and what folding more and other thresholds do by themselves."""
    met = Meetings(found["rows"])
    result: dict[str, float] = {}
    if met.opponents:
        result |= named(f"{NAME}.fold alone over none", met.mean_lead(FOLD_ALONE, NONE))
        result |= named(f"{NAME}.{NEW} over {LOWER_TAU}", met.mean_lead(NEW, LOWER_TAU))
        result |= {f"{NAME}.mean.{post}": met.mean(post).middle for post in met.posts}
    if len(met.opponents) >= LEAST_OPPONENTS:
        both = two_fold(met)
        result |= named(f"{NAME}.over {NONE}", both.over_none) | named(f"{NAME}.over {NEW}", both.over_new)
    return result


def section(found: Found) -> str:
    """The part's section of the page."""
    met, title = Meetings(found["rows"]), "## Chosen on some opponents, judged on others"
    if len(met.opponents) < LEAST_OPPONENTS:
        return f"{title}\n\nFewer than two opponents are at least as strong as the agent: nothing was chosen."
    both = two_fold(met)
    rows = [
        [
            ", ".join(fold.chosen_on),
            f"`{fold.post}`",
            ", ".join(fold.judged_on),
            text(fold.won),
            text(fold.over_none),
            text(fold.over_new),
        ]
        for fold in both.folds
    ]
    rows.append(["both", "", "all", "", text(both.over_none), text(both.over_new)])
    first, second = halves(met.opponents)
    candidates = [
        [
            f"`{post}`",
            text(met.mean(post, first)),
            text(met.mean(post, second)),
            text(met.mean(post)),
            "" if post == NONE else text(met.mean_lead(post, NONE)),
        ]
        for post in met.posts
    ]
    parts = [
        title,
        "The candidate with the best mean on one half of the opponents is judged on the other half, and the other "
        "way round, in mbb/hand with 95 % intervals. The candidates, their thresholds and classes and the halves "
        "(every second opponent) are ours; the paper tries two values of tau and names the rest.",
        markdown_table(
            ["chosen on", "chosen", "judged on", "wins there", f"over `{NONE}`", f"over `{NEW}`"], rows
        ),
        verdict(both),
        "All candidates:",
        markdown_table(
            ["post-processing", ", ".join(first), ", ".join(second), "all", "over none"], candidates
        ),
    ]
    return "\n\n".join(part.rstrip() for part in parts)


def verdict(both: TwoFold) -> str:
    """Whether choosing pays on opponents that had no part in the choice."""
    said = " and ".join(
        f"{_ahead(lead)} `{other}` ({text(lead)})"
        for other, lead in ((NONE, both.over_none), (NEW, both.over_new))
    )
    return f"On opponents that had no part in the choice, what was chosen is {said}."


def _ahead(lead: Interval) -> str:
    if lead.low > 0:
        return "surely ahead of"
    return "surely behind" if lead.high < 0 else "not surely apart from"


CHOSEN = Part(NAME, measure, section, figures, lambda found: [], made_of=(table_two.NAME,))
