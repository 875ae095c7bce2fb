"""Public against external sampling: agents of both after the same seconds of training, and head to head."""

from __future__ import annotations

from functools import partial
from math import hypot
from typing import Any

from solvent.evaluate.local_best_response import STANDARD
from solvent.evaluate.response_doublings import ENOUGH
from solvent.foundation.units import span
from solvent.play.agents import AgentLoader
from solvent.play.expected import expected_match
from solvent.training.settings import DEFAULT_HOLE_CARDS, MOST_PUBLIC_DECISIONS
from solvent_papers.confidence import Interval
from solvent_papers.frame.cards import CardSetup
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say
from solvent_papers.frame.running import KeptRuns, finished
from solvent_papers.public_sampling.sampled_agents import (
    AGENTS,
    BETTINGS,
    CARDS,
    DECISIONS,
    PARTS,
    local_best,
)

HEAD_TO_HEAD = "head-to-head"
USUAL_PAIRS = tuple(
    (f"{cards}-{betting}-public", f"{cards}-{betting}-external") for betting in BETTINGS for cards in CARDS
)
"""Names of agents with the usual rules, which decide what `solvent train` does by default."""
PAIRS = (
    *USUAL_PAIRS,
    ("tiny-fcpa-public", "external-dcfr"),
    ("public-lcfr", "tiny-fcpa-external"),
    ("public-cfr", "external-cfr"),
    ("public-floor", "external-floor"),
    ("tiny-fcpa-public", "public-all-hands"),
)
"""Names of all agents that meet."""
DEALS, SMALL_DEALS = {"fcpa": 100_000, "three-sizes": 50_000}, 20
"""Pairs of deals of a meeting, by betting."""
LARGEST = "three-sizes"
"""The largest betting tree."""


def meet(setup: CardSetup, kept: KeptRuns, say: Say) -> Found:
    """Let every pair of agents meet at each mark that both have been measured at."""
    runs, betting = dict[str, dict[float, str]](), {agent.name: agent.betting for agent in AGENTS}
    for agent in AGENTS:
        found = finished(setup, agent.name) or {"rows": ()}
        runs[agent.name] = {row["seconds"]: row["run"] for row in found["rows"]}
    rows = []
    for first, second in PAIRS:
        deals = SMALL_DEALS if setup.small else DEALS[betting[first]]
        for seconds in runs[first]:
            if seconds in runs[second]:
                say(f"{first} against {second} after {span(seconds)}")
                folders = runs[first][seconds], runs[second][seconds]
                setting = {"first": first, "second": second, "seconds": seconds}
                met = kept.once(setting, partial(_met, setup, *folders, deals))
                rows.append(setting | {"pairs": deals} | met)
    return {"rows": rows}


def _met(setup: CardSetup, first: str, second: str, deals: int) -> dict[str, float]:
    """Return what the first agent wins from the second."""
    one, other = (AgentLoader().load_table(str(setup.work / run)) for run in (first, second))
    won = expected_match(one, other, deals, threads=setup.threads).winnings
    return {"mbb": won.mbb, "interval": won.mbb_interval}


def figures(found: Found) -> dict[str, float]:
    """Return what agents win from each other, by name."""
    return {
        f"{HEAD_TO_HEAD}.{row['first']} from {row['second']}.{row['seconds']:g} s": row["mbb"]
        for row in found["rows"]
    }


def view(found: Findings) -> dict[str, Any]:
    """Return the agents, the pairs that are compared, and what the default of `solvent train` rests on."""
    return {
        "agents": [found[agent.name] for agent in AGENTS if agent.name in found],
        "pairs": compared(found),
        "usual_pairs": USUAL_PAIRS,
        "bettings": BETTINGS,
        "largest": LARGEST,
        "decisions": DECISIONS[LARGEST],
        "most_decisions": MOST_PUBLIC_DECISIONS,
        "hole_cards": DEFAULT_HOLE_CARDS,
        "settings": list(map(str, STANDARD)),
        "enough": ENOUGH,
        "local_best": local_best,
    }


def compared(found: Findings) -> list[dict[str, Any]]:
    """Return the pairs, each at the last time that both were measured at.

    `inside`, `local` and `met` are 1 where the first is surely ahead of its rival, -1 where it is surely behind,
    and 0 otherwise: by what responses win from it inside the abstraction, local best responses, and head to head.
    """
    meetings = {
        (row["first"], row["second"], row["seconds"]): row
        for row in found.get(HEAD_TO_HEAD, {"rows": ()})["rows"]
    }
    rows = {name: {row["seconds"]: row for row in each["rows"]} for name, each in found.items()}
    pairs = []
    for name, rival in PAIRS:
        common = rows.get(name, {}).keys() & rows.get(rival, {}).keys()
        if common:
            seconds = max(common)
            mine, others = rows[name][seconds], rows[rival][seconds]
            inside, rival_inside = mine["inside"], others["inside"]
            less = rival_inside["mbb"] - inside["mbb"]
            half = hypot(inside["interval"], rival_inside["interval"])
            best, rivals = local_best(mine).mbb_range, local_best(others).mbb_range
            met = meetings.get((name, rival, seconds), {"mbb": 0.0, "interval": 0.0})
            pairs.append(
                {
                    "name": name,
                    "rival": rival,
                    "seconds": seconds,
                    "rows": (mine, others),
                    "inside": Interval.around(less, half).sign,
                    "local": int(best[1] < rivals[0]) - int(best[0] > rivals[1]),
                    "met": Interval.around(met["mbb"], met["interval"]).sign,
                }
            )
    return pairs


EXPERIMENT = Experiment(
    "public-sampling",
    "Public and external sampling",
    CardSetup,
    (*PARTS, Part(HEAD_TO_HEAD, meet, figures, made_of=tuple(agent.name for agent in AGENTS))),
    view,
)
