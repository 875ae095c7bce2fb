"""Table 2 of the paper: post-processings of one agent against opponents at least as strong, mean and worst case."""

from __future__ import annotations

from solvent_papers.kept import KeptRuns
from solvent_papers.page import markdown_table
from solvent_papers.parts import Found, Part, found_by
from solvent_papers.steps import Say
from solvent_papers.tartanian7.post_processing import strength
from solvent_papers.tartanian7.post_processing.meetings import NEW, NONE, Meetings, meet, named, text
from solvent_papers.tartanian7.post_processing.players import Setup

NAME = "table-2"
POSTS = (NONE, "purify", "threshold(0.15)", NEW, "purify(first=false)", "new(0.2,first=false)")
"""The paper's four rows, and two that leave a player's first action of a hand unchanged (its footnote 6)."""
PAPER = {
    NONE: ("+30 ± 32", "+10 ± 27", 20, 10),
    "purify": ("+55 ± 27", "+19 ± 22", 37, 19),
    "threshold(0.15)": ("+35 ± 30", "+19 ± 25", 27, 19),
    NEW: ("+39 ± 26", "+103 ± 21", 71, 39),
}
"""Table 2: mbb/hand against both opponents, mean and least."""


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Play every post-processing against every opponent that is at least as strong as the agent."""
    judged = found_by(setup, strength.NAME)
    rows = [
        meet(setup, kept, say, post, opponent)._asdict()
        for opponent in strength.strong_opponents(judged)
        for post in POSTS
    ]
    return {"rows": rows, "left out": strength.weak_opponents(judged)}


def figures(found: Found) -> dict[str, float]:
    """Winnings in mbb/hand by post-processing: the mean, the least, and leads with their intervals.

    `lead.mean.none` is New-0.2's lead over no post-processing; `over none.mean.purify` is purification's.
    """
    result: dict[str, float] = {}
    if not found["rows"]:
        return result
    met = Meetings(found["rows"])
    for post in POSTS:
        result |= {f"mean.{post}": met.mean(post).middle, f"least.{post}": met.least(post).middle}
        leads = [("lead", NEW, post)] if post != NEW else []
        leads += [("over none", post, NONE)] if post != NONE else []
        for name, one, other in leads:
            result |= named(f"{name}.mean.{post}", met.mean_lead(one, other))
            result |= named(f"{name}.least.{post}", met.least_lead(one, other))
    return result


def section(found: Found) -> str:
    """The part's section of the page: our table, and the paper's beside it."""
    paper = markdown_table(
        ["post-processing", "O1", "O2", "mean", "least"],
        [[f"`{post}`", *row[:2], f"+{row[2]}", f"+{row[3]}"] for post, row in PAPER.items()],
    )
    parts = ["## Table 2: post-processings against opponents at least as strong", _left_out(found)]
    if found["rows"]:
        met = Meetings(found["rows"])
        header = ["post-processing", *met.opponents, "mean", "least", "mean over none", "least over none"]
        rows = [
            [
                f"`{post}`",
                *(text(met.won(post, name)) for name in met.opponents),
                text(met.mean(post)),
                text(met.least(post)),
                "" if post == NONE else text(met.mean_lead(post, NONE)),
                "" if post == NONE else text(met.least_lead(post, NONE)),
            ]
            for post in POSTS
        ]
        parts += [
            "What the agent wins in mbb/hand, with 95 % intervals; the opponents play unprocessed. *Mean* and "
            "*least* are over opponents. The last columns are what a post-processing wins more than none on the "
            "same deals, with the interval of the difference; at worst, each against its own worst opponent.",
            markdown_table(header, rows),
            verdict(met),
        ]
    parts += ["The paper's Table 2, against the strongest two agents of 2013:", paper]
    return "\n\n".join(part.rstrip() for part in parts if part)


def _left_out(found: Found) -> str:
    if not found["rows"]:
        return "No opponent is at least as strong as the agent, so nothing was played."
    weak = found["left out"]
    return (
        f"Left out, since they are not shown to be as strong as the agent: {', '.join(weak)}." if weak else ""
    )


def verdict(met: Meetings) -> str:
    """Over which of the paper's other rows New-0.2 is ahead, as it is over all of them in the paper."""
    others = [post for post in PAPER if post != NEW]
    said = "; ".join(f"against `{other}` {_standing(met, other)}" for other in others)
    leads = {"on average": met.mean_lead(NEW, NONE), "at worst": met.least_lead(NEW, NONE)}
    over = ", ".join(f"{text(lead)} {where}" for where, lead in leads.items())
    return (
        f"The paper has New-0.2 ahead of its other rows, on average and at worst. Here it is, {said}. Over "
        f"`{NONE}` it wins {over}."
    )


def _standing(met: Meetings, other: str) -> str:
    """Where New-0.2 is ahead of another row or behind it, by more than the interval of the difference."""
    leads = {"on average": met.mean_lead(NEW, other), "at worst": met.least_lead(NEW, other)}
    ahead = [where for where, lead in leads.items() if lead.low > 0]
    behind = [where for where, lead in leads.items() if lead.high < 0]
    said = [f"surely {word} {' and '.join(at)}" for word, at in (("ahead", ahead), ("behind", behind)) if at]
    return " and ".join(said) if said else "neither surely ahead nor surely behind"


TABLE_TWO = Part(NAME, measure, section, figures, lambda found: [], made_of=(strength.NAME,))
