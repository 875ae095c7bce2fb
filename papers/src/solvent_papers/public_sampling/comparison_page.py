"""The results page of public against external sampling: one table of what responses win from each agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from pathlib import Path
from typing import Any, NamedTuple

from solvent.evaluate.local_best_response import STANDARD
from solvent.evaluate.response_doublings import ENOUGH
from solvent.foundation.units import span
from solvent.training.settings import DEFAULT_HOLE_CARDS, MOST_PUBLIC_DECISIONS
from solvent_papers.page import Reading, markdown_table, threads_text, write_page
from solvent_papers.parts import Found, PartResult, figures_and_bars, parts_text, records
from solvent_papers.public_sampling.head_to_head import HEAD_TO_HEAD, PAIRS, USUAL_PAIRS
from solvent_papers.public_sampling.sampled_agents import (
    AGENTS,
    BETTINGS,
    DECISIONS,
    agent_part,
    local_best,
)

PARTS = (*map(agent_part, AGENTS), HEAD_TO_HEAD)
SETTINGS = [str(actions) for actions in STANDARD]
LARGEST = "three-sizes"
"""The largest betting tree."""


def write_comparison_page(results: Sequence[PartResult], page: Path, command: str) -> None:
    """Write the page with the parts that have been run."""
    figures, bars = figures_and_bars(results)
    sections = [
        parts_text(PARTS, results),
        table([result.found for result in _agents(results)]),
        *(result.part.section(result.found) for result in results if result.part is HEAD_TO_HEAD),
    ]
    body = "\n\n".join(part.rstrip() for part in sections)
    write_page(
        page, "Public and external sampling", command, reading(results), body, figures, bars, records(results)
    )


def _agents(results: Sequence[PartResult]) -> list[PartResult]:
    """The results of agents' parts."""
    return [result for result in results if result.part is not HEAD_TO_HEAD]


def table(agents: Sequence[Found]) -> str:
    """What every agent is, and what responses win from it after each time."""
    if not agents:
        return ""
    rows = [
        [
            found["name"],
            f"`{BETTINGS[found['betting']]}`",
            found["cards"],
            _training(found),
            span(row["seconds"]),
            f"{row['iterations']:,}",
            f"{row['touched'] / row['seconds'] / 1e6:,.1f}",
            f"{row['inside']['mbb']:+,.0f} ± {row['inside']['interval']:,.0f}",
            f"{row['inside']['boards']:,}{'' if row['inside']['settled'] else ' +'}",
            _local(row),
        ]
        for found in agents
        for row in found["rows"]
    ]
    header = [
        "agent", "betting", "cards", "training", "after", "iterations", "million rows a second", "inside wins",
        "learned on", "local wins",
    ]  # fmt: skip
    numbered = "; ".join(f"({number}) {setting}" for number, setting in enumerate(SETTINGS, 1))
    return (
        "## What responses win\n\n"
        f"In mbb/hand with 95 % intervals, from agents that were trained on {threads_text(agents[0]['threads'])}. "
        "An iteration of external sampling is a deal; one of public sampling is a board with all deals of the "
        f"hands of {DEFAULT_HOLE_CARDS} cards that are drawn, or of all hands.\n\n"
        "- **Inside**: what a response wins that is learned inside the agent's own abstraction, on twice as many "
        f"boards until a doubling adds less than {ENOUGH:g} mbb/hand. It shows how far training has come.\n"
        "- **Learned on**: its boards for each seat, with a + where the last doubling still added more.\n"
        f"- **Local**: the local best response that wins most, by its number, of {numbered}. It shows what the "
        "abstraction costs too.\n\n"
        f"{markdown_table(header, rows)}"
    )


def _training(found: Found) -> str:
    """How an agent was trained, in a few words."""
    floor = f", floor {found['floor']:g} bb" if found["floor"] else ""
    hands = ", all hands" if found["hole_cards"] else ""
    return f"{found['sampling']}, {found['rule']}{floor}{hands}"


def _local(row: dict[str, Any]) -> str:
    """What the local best response that wins most wins, and its number."""
    most = local_best(row)
    low, high = most.mbb_range
    return f"{most.mbb:+,.0f} [{low:+,.0f}, {high:+,.0f}] ({SETTINGS.index(most.actions) + 1})"


class Compared(NamedTuple):
    """An agent of public sampling beside the one it is compared with, at the last time that both were measured."""

    name: str
    rival: str
    row: dict[str, Any]
    rival_row: dict[str, Any]
    meeting: dict[str, Any] | None = None
    """What it wins from its rival head to head; None if they have not met."""

    @property
    def met(self) -> int:
        """1 where it surely wins from its rival head to head, -1 where it surely loses."""
        won = self.meeting
        return 0 if won is None or abs(won["mbb"]) <= won["interval"] else 1 if won["mbb"] > 0 else -1

    @property
    def inside(self) -> int:
        """1 where a response inside the abstraction surely wins less from it than from its rival, -1 where more."""
        mine, others = self.row["inside"], self.rival_row["inside"]
        less, interval = others["mbb"] - mine["mbb"], hypot(mine["interval"], others["interval"])
        return int(less > interval) - int(less < -interval)

    @property
    def local(self) -> int:
        """1 where local best response surely wins less from it than from its rival, -1 where more."""
        mine, others = (local_best(row).mbb_range for row in (self.row, self.rival_row))
        return int(mine[1] < others[0]) - int(mine[0] > others[1])

    def __str__(self) -> str:
        mine, others = (row["inside"]["mbb"] for row in (self.row, self.rival_row))
        return f"{self.name} {mine:,.0f} and {self.rival} {others:,.0f} after {span(self.row['seconds'])}"


def compared(results: Sequence[PartResult]) -> Iterator[Compared]:
    """The pairs of these agents that are compared."""
    agents = [result.found for result in _agents(results)]
    meetings = {
        (row["first"], row["second"], row["seconds"]): row
        for result in results
        if result.part is HEAD_TO_HEAD
        for row in result.found["rows"]
    }
    rows = {found["name"]: {row["seconds"]: row for row in found["rows"]} for found in agents}
    for name, rival in PAIRS:
        common = rows.get(name, {}).keys() & rows.get(rival, {}).keys()
        if common:
            last = max(common)
            meeting = meetings.get((name, rival, last))
            yield Compared(name, rival, rows[name][last], rows[rival][last], meeting)


def reading(results: Sequence[PartResult]) -> Reading:
    """The three lines at the head of the page, from the agents that are there."""
    claimed = (
        "Johanson, Bard, Lanctot, Gibson and Bowling (2012): sampling public chances alone converges faster than "
        "sampling private ones too."
    )
    pairs = list(compared(results))
    if not pairs:
        return Reading(claimed, "Not yet compared.", "The defaults of `solvent train` are a guess.")
    less, more = ([pair for pair in pairs if pair.local == sign] for sign in (1, -1))
    ahead, behind = ([pair for pair in pairs if pair.inside == sign] for sign in (1, -1))
    wins, loses = ([pair for pair in pairs if pair.met == sign] for sign in (1, -1))
    found = (
        f"What a response inside the abstraction wins, in mbb/hand: {'; '.join(map(str, pairs))}. Local best "
        f"response surely wins less from public sampling in {_names(less)}, and surely more in {_names(more)}. "
        f"Head to head the first surely wins in {_names(wins)}, and surely loses in {_names(loses)}."
    )
    so_what = (
        f"Inside the abstraction public sampling is surely ahead in {_names(ahead)}, and surely behind in "
        f"{_names(behind)}. {_default(pairs)} Surely means by more than the 95 % interval of the difference over "
        "boards: each agent is one training, and a response that still improved (+) is a lower bound. What the "
        "abstraction costs shows in local best response, and training longer does not mend that."
    )
    return Reading(claimed, found, so_what)


def _default(pairs: Sequence[Compared]) -> str:
    """What the default of `solvent train` rests on."""
    seen = {(pair.name, pair.rival) for pair in pairs}
    missing = [name.removesuffix("-public") for name, rival in USUAL_PAIRS if (name, rival) not in seen]
    if missing:
        where = ", ".join(missing)
        return f"With their usual rules they have not been compared on {where}: there the default is a guess."
    largest = [pair for pair in pairs if (pair.name, pair.rival) in USUAL_PAIRS and LARGEST in pair.name]
    kinds = "inside", "local", "met"
    inside, local, met = (_standing([getattr(pair, kind) for pair in largest]) for kind in kinds)
    return (
        f"`solvent train` samples publicly on betting trees of up to {MOST_PUBLIC_DECISIONS:,} decisions: on "
        f"the largest that was compared, of {DECISIONS[LARGEST]:,}, public sampling is {inside} inside the "
        f"abstraction, {local} against local best response and {met} head to head. What a response wins "
        "decides, since a match shows only what one opponent does. On larger trees, whose boards take longer, "
        "they have not been compared."
    )


def _standing(signs: Sequence[int]) -> str:
    """How public sampling does in some comparisons, of which each is 1 where it is ahead and -1 where behind."""
    if min(signs) == max(signs):
        return {1: "surely ahead", 0: "neither surely ahead nor behind", -1: "surely behind"}[signs[0]]
    if -1 not in signs:
        return "nowhere surely behind"
    return "surely ahead with some cards and behind with others" if 1 in signs else "nowhere surely ahead"


def _names(pairs: Sequence[Compared]) -> str:
    return ", ".join(f"{pair.name} against {pair.rival}" for pair in pairs) or "no pair"
