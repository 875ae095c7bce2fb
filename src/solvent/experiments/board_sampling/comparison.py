"""Public against external sampling at equal seconds: what responses win from the blueprints of each.

Each part trains two agents, one by each way of sampling, on the same cards and betting tree, and stops them at the
same seconds of training. There a response is learned to each inside its own abstraction, local best responses of
several settings are played, of which the one that wins most counts, and the two agents meet. The first parts
compare cards and trees; the others compare rules, a regret floor below which actions are mostly skipped, and boards
with all hands instead of those of drawn cards, on the first of them. A part takes less than an hour on two cores.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from math import hypot
from pathlib import Path
from typing import Any, NamedTuple

from solvent.evaluate.local_best_response import (
    STANDARD,
    LargestResponse,
    LocalBestResponse,
    largest_response,
)
from solvent.evaluate.response_doublings import DoublingSettings, ResponseDoublings
from solvent.experiments.kept import KeptRuns
from solvent.experiments.page import markdown_table, threads_text
from solvent.experiments.parts import Found, Part, PartSetup, once, whole
from solvent.experiments.steps import Say
from solvent.foundation.machine import commit
from solvent.foundation.storage.run import Run
from solvent.foundation.units import span
from solvent.play.agents import AgentLoader
from solvent.play.expected import expected_match
from solvent.solvers.blueprint.training import train_to
from solvent.solvers.rules import load_rule
from solvent.solvers.sampled.options import SAMPLED_RULE
from solvent.solvers.training_settings import (
    EXTERNAL,
    MOST_HOLE_CARDS,
    PUBLIC,
    PUBLIC_RULE,
    TrainingSettings,
)
from solvent.strategy.agents.training_run import TrainingRun

BETTINGS = {"fcpa": "fcpa", "three-sizes": "preset=laptop; postflop=50%,100%,a"}
"""Betting trees: 1,360 decisions, and 18,396."""
FLOOR = 0.01
"""Big blinds an iteration."""


class Way(NamedTuple):
    """A way of sampling."""

    sampling: str
    hole_cards: int | None = None
    """None: the usual number with public sampling, none with external sampling."""


ALL_HANDS = "all hands"
WAYS = {EXTERNAL: Way(EXTERNAL), PUBLIC: Way(PUBLIC), ALL_HANDS: Way(PUBLIC, MOST_HOLE_CARDS)}


class Kind(NamedTuple):
    """What both agents of a part have in common."""

    name: str
    cards: str = "tiny"
    betting: str = "fcpa"
    rule: str | None = None
    """None: the usual rule of each way of sampling."""
    floor: float = 0.0
    seconds: tuple[float, ...] = (300.0, 1200.0)
    """Seconds of training at which agents are measured."""
    first: str = EXTERNAL
    """What public sampling is compared with, of `WAYS`."""

    @property
    def ways(self) -> tuple[str, str]:
        """The ways that are compared."""
        return self.first, PUBLIC


KINDS = (
    *(
        Kind(f"{cards}-{betting}", cards, betting)
        for betting in BETTINGS
        for cards in ("tiny", "small")
    ),
    Kind("dcfr", rule="dcfr"),
    Kind("cfr", rule="cfr", seconds=(300.0,)),
    Kind("lcfr", rule="lcfr", seconds=(300.0,)),
    Kind("floor", rule="lcfr", floor=FLOOR, seconds=(300.0,)),
    Kind("all-hands", seconds=(300.0,), first=ALL_HANDS),
)  # fmt: skip


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    response: DoublingSettings
    """How long responses are learned, and over how many boards they are valued."""
    pairs: int
    """Pairs of deals of a meeting."""
    local_hands: int
    """Hands of each local best response."""


FULL = {
    "fcpa": Scale(DoublingSettings(4_000, 16_000, 3_000), 100_000, 8_000),
    "three-sizes": Scale(DoublingSettings(1_000, 2_000, 480), 50_000, 8_000),
}
"""By betting, so that training and measuring take less than an hour: boards of the larger tree take fourteen times
as long."""
SMALL, SMALL_SECONDS = Scale(DoublingSettings(10, 10, 12), 20, 4), (0.2, 0.4)


def scale_of(kind: Kind, setup: PartSetup) -> Scale:
    """The scale of a part."""
    return SMALL if setup.small else FULL[kind.betting]


def measure(kind: Kind, setup: PartSetup, kept: KeptRuns, say: Say) -> Found:
    """Train both agents of a part up to each time, and measure them as they are then."""
    scale = scale_of(kind, setup)
    agents = setup.work / "agents" / commit()  # those of another version of the code are not trained on
    if setup.small:
        kind = kind._replace(seconds=SMALL_SECONDS)
    pair = AgentPair(kind, setup, scale, agents, setup.folder_of(kind.cards, say), say)
    rows, meetings = [], []
    for seconds in kind.seconds:
        for way in kind.ways:
            setting = {"sampling": way, "seconds": seconds}
            rows.append(setting | once(kept, setting, partial(pair.measured, way, seconds)))
        met = once(kept, {"meeting": seconds}, partial(pair.met, seconds))
        meetings.append({"seconds": seconds} | met)
    return {
        **kind._asdict(),
        "betting": BETTINGS[kind.betting],
        "threads": setup.threads,
        "response": asdict(scale.response),
        "pairs": scale.pairs,
        "local_hands": scale.local_hands,
        "rows": rows,
        "meetings": meetings,
    }


class AgentPair(NamedTuple):
    """The two agents of a part."""

    kind: Kind
    setup: PartSetup
    scale: Scale
    agents: Path
    """The folder of their runs, one for each way of sampling and time."""
    cards: Path
    say: Say

    def folder(self, way: str, seconds: float) -> Path:
        """The run's folder of an agent after so many seconds of training."""
        return self.agents / f"{self.kind.name}-{way.replace(' ', '-')}-{seconds:g}"

    def measured(self, way: str, seconds: float) -> dict[str, Any]:
        """What responses win from an agent after so many seconds."""
        which, threads = f"{way}, {span(seconds)}", self.setup.threads
        self.say(f"{which}: training")
        iterations = self._train(way, seconds)
        folder = self.folder(way, seconds)
        training = TrainingRun.open(folder, self.cards)
        self.say(f"{which}: learning a response inside the abstraction")
        inside = _inside(training, self.scale.response, threads)
        agent, local = AgentLoader().load_table(str(folder)), []
        for actions in STANDARD:
            self.say(f"{which}: local best response, {actions}")
            won = whole(LocalBestResponse(agent, actions).run(self.scale.local_hands, threads))
            local.append((str(actions), won.mbb, won.mbb_interval))
        return {
            "iterations": iterations,
            "touched": training.run.facts()["touched"],
            "inside": inside,
            "local": local,
        }

    def _train(self, way: str, seconds: float) -> int:
        """Train an agent to a time, from what it was at the time before; return its iterations."""
        folder, kind = self.folder(way, seconds), self.kind
        earlier = [time for time in self.kind.seconds if time < seconds]
        if earlier and not Run.is_run(folder):
            shutil.copytree(self.folder(way, earlier[-1]), folder)
        design = TrainingSettings(
            betting=BETTINGS[kind.betting],
            rule=None if kind.rule is None else load_rule(kind.rule),  # type: ignore[arg-type]
            sampling=WAYS[way].sampling,
            hole_cards=WAYS[way].hole_cards,
            regret_floor=kind.floor,
        )
        return train_to(folder, self.cards, design, seconds, self.setup.threads)

    def met(self, seconds: float) -> dict[str, float]:
        """What public sampling wins from what it is compared with, head to head."""
        self.say(f"head to head after {span(seconds)}")
        first, public = (AgentLoader().load_table(str(self.folder(way, seconds))) for way in self.kind.ways)
        won = whole(expected_match(public, first, self.scale.pairs, threads=self.setup.threads)).winnings
        return {"mbb": won.mbb, "interval": won.mbb_interval}


def _inside(training: TrainingRun, settings: DoublingSettings, threads: int) -> dict[str, Any]:
    """What a response learned inside the abstraction wins."""
    weight = training.run.facts()["weight"]
    found = ResponseDoublings(training.blueprint(), settings, weight=weight, threads=threads).run()
    return {
        "mbb": found["mbb_per_hand"],
        "interval": found["mbb_per_hand_95"],
        "boards": found["boards"],
        "settled": found["settled"],
    }


def row_of(found: Found, way: str, seconds: float) -> dict[str, Any]:
    """What was measured of an agent."""
    (row,) = (row for row in found["rows"] if (row["sampling"], row["seconds"]) == (way, seconds))
    return dict(row)


def local_best(row: Mapping[str, Any]) -> LargestResponse:
    """The most that a local best response wins from an agent."""
    return largest_response([(actions, mbb, interval) for actions, mbb, interval in row["local"]])


def gain(found: Found) -> tuple[float, float]:
    """How much less a response wins inside the abstraction from public sampling's last agent, and its interval."""
    last = found["rows"][-1]["seconds"]
    first, public = (row_of(found, way, last)["inside"] for way in (found["first"], PUBLIC))
    return first["mbb"] - public["mbb"], hypot(first["interval"], public["interval"])


def figures(found: Found) -> dict[str, float]:
    """The figures of a part by name."""
    named = dict[str, float]()
    for row in found["rows"]:
        name = f"{found['name']}.{row['sampling']}.{row['seconds']:g} s"
        named |= {f"{name}.inside": row["inside"]["mbb"], f"{name}.local": local_best(row).mbb}
    for meeting in found["meetings"]:
        named[f"{found['name']}.public over {found['first']}.{meeting['seconds']:g} s"] = meeting["mbb"]
    return named


def section(found: Found) -> str:
    """The part's section of the page."""
    rows = []
    for row in found["rows"]:
        local = local_best(row)
        low, high = local.mbb_range
        (met,) = (each for each in found["meetings"] if each["seconds"] == row["seconds"])
        rows.append(
            [
                row["sampling"],
                span(row["seconds"]),
                f"{row['iterations']:,}",
                f"{row['touched'] / row['seconds'] / 1e6:,.1f}",
                f"{row['inside']['mbb']:+,.0f} ± {row['inside']['interval']:,.0f}",
                f"{row['inside']['boards']:,}{'' if row['inside']['settled'] else ' +'}",
                f"{local.mbb:+,.0f} [{low:+,.0f}, {high:+,.0f}] {local.actions}",
                f"{met['mbb']:+,.1f} ± {met['interval']:,.1f}" if row["sampling"] == PUBLIC else "",
            ]
        )
    floor = f", with a regret floor of {found['floor']:g} big blinds" if found["floor"] else ""
    header = [
        "sampling", "after", "iterations", "million rows a second", "inside wins", "learned on", "local wins",
        "head to head",
    ]  # fmt: skip
    parts = [
        f"## {found['name']}",
        f"`{found['betting']}` with {found['cards']} cards, {_rule_of(found)}{floor}, "
        f"{threads_text(found['threads'])}. "
        f"Responses are learned on {found['response']['first']:,} to {found['response']['most']:,} boards for "
        f"each seat and valued over {found['response']['valued']:,}; local best responses play "
        f"{found['local_hands']:,} hands; agents meet over {found['pairs']:,} pairs of deals.",
        markdown_table(header, rows),
    ]
    return "\n\n".join(part.rstrip() for part in parts)


def _rule_of(found: Found) -> str:
    """The rule of a part in words."""
    return found["rule"] or f"{SAMPLED_RULE} with external and {PUBLIC_RULE} with public sampling"


def part_of(kind: Kind) -> Part[PartSetup]:
    """The part that compares both ways of sampling on something."""
    return Part(kind.name, partial(measure, kind), section, figures, lambda found: [])


PARTS = tuple(map(part_of, KINDS))
