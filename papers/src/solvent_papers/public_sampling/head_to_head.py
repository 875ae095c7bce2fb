"""Agents of public sampling against those they are compared with, after the same seconds of training."""

from __future__ import annotations

from functools import partial

from solvent.foundation.units import span
from solvent.play.agents import AgentLoader
from solvent.play.expected import expected_match
from solvent_papers.kept import KeptRuns
from solvent_papers.page import markdown_table
from solvent_papers.parts import Found, Part, PartSetup, finished, once
from solvent_papers.public_sampling.sampled_agents import AGENTS, BETTINGS, CARDS, agent_named
from solvent_papers.steps import Say

NAME = "head-to-head"
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
DEALS = {"fcpa": 100_000, "three-sizes": 50_000}
"""Pairs of deals of a meeting, by betting."""
SMALL_DEALS = 20


def measure(setup: PartSetup, kept: KeptRuns, say: Say) -> Found:
    """Every pair of agents at each mark that both have been measured at."""
    runs = {agent.name: _runs(setup, agent.name) for agent in AGENTS}
    rows = []
    for first, second in PAIRS:
        deals = SMALL_DEALS if setup.small else DEALS[agent_named(first).betting]
        for seconds in runs[first]:
            if seconds in runs[second]:
                say(f"{first} against {second} after {span(seconds)}")
                folders = runs[first][seconds], runs[second][seconds]
                setting = {"first": first, "second": second, "seconds": seconds}
                met = once(kept, setting, partial(_met, setup, *folders, deals))
                rows.append(setting | {"pairs": deals} | met)
    return {"rows": rows}


def _runs(setup: PartSetup, name: str) -> dict[float, str]:
    """The folders of an agent's runs by seconds of training; none if its part has not been run."""
    found = finished(setup, name)
    return {} if found is None else {row["seconds"]: row["run"] for row in found["rows"]}


def _met(setup: PartSetup, first: str, second: str, deals: int) -> dict[str, float]:
    """What the first agent wins from the second."""
    one, other = (AgentLoader().load_table(str(setup.work / run)) for run in (first, second))
    won = expected_match(one, other, deals, threads=setup.threads).winnings
    return {"mbb": won.mbb, "interval": won.mbb_interval}


def figures(found: Found) -> dict[str, float]:
    """What agents win from each other, by name."""
    return {
        f"{NAME}.{row['first']} from {row['second']}.{row['seconds']:g} s": row["mbb"]
        for row in found["rows"]
    }


def section(found: Found) -> str:
    """The part's section of the page."""
    rows = [
        [
            row["first"],
            row["second"],
            span(row["seconds"]),
            f"{row['mbb']:+,.1f} ± {row['interval']:,.1f}",
            f"{row['pairs']:,}",
        ]
        for row in found["rows"]
    ]
    header = ["agent", "wins from", "both after", "mbb/hand", "pairs of deals"]
    return f"## Head to head\n\n{markdown_table(header, rows)}"


HEAD_TO_HEAD = Part(
    NAME, measure, section, figures, lambda found: [], made_of=tuple(agent.name for agent in AGENTS)
)
