"""Public against external sampling: agents of both after the same seconds of training, and head to head.

Agents of the same cards and betting tree are trained in different ways and measured after the same seconds. Then a
response is learned to each inside its own abstraction, and local best responses of several settings are played, of
which the one that wins most counts. The first agents compare external with public sampling on cards and trees, each
with its usual rule; the others have other rules, a regret floor below which actions are mostly skipped, or boards
with all hands instead of those of drawn cards. A part takes less than an hour on one core.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from math import hypot
from pathlib import Path
from typing import Any, NamedTuple

from solvent.engines.rules import load_rule
from solvent.evaluate.local_best_response import (
    STANDARD,
    LargestResponse,
    LocalBestResponse,
    largest_response,
)
from solvent.evaluate.response_doublings import ENOUGH, DoublingSettings, ResponseDoublings
from solvent.foundation.storage.files import WRITING
from solvent.foundation.storage.run import Run
from solvent.foundation.units import span
from solvent.play.agents import AgentLoader
from solvent.play.expected import expected_match
from solvent.strategy.agents.training_run import TrainingRun
from solvent.training.settings import (
    DEFAULT_HOLE_CARDS,
    EXTERNAL,
    MOST_HOLE_CARDS,
    MOST_PUBLIC_DECISIONS,
    PUBLIC,
    TRAINING_SAMPLINGS,
    TrainingSettings,
)
from solvent.training.train import train_to
from solvent_papers.confidence import Interval
from solvent_papers.frame.cards import SMALL_BETTING, CardSetup
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say
from solvent_papers.frame.machine import commit
from solvent_papers.frame.running import KeptRuns, finished, within

BETTINGS = {"fcpa": "fcpa", "three-sizes": "preset=laptop; postflop=50%,100%,a"}
DECISIONS = {"fcpa": 1_360, "three-sizes": 18_396}
"""Betting trees, and their decisions."""
CARDS = ("tiny", "small")
FLOOR = 0.01
"""Big blinds an iteration."""
SHORT, LONG = (300.0,), (300.0, 1200.0)
"""Seconds of training after which agents are measured."""


class SampledAgent(NamedTuple):
    """An agent of the comparison: what it plays with, and how it is trained."""

    name: str
    """Its name, and that of the part that trains it."""
    sampling: str
    cards: str = "tiny"
    betting: str = "fcpa"
    rule: str | None = None
    """None: the usual rule of its sampling."""
    floor: float = 0.0
    hole_cards: int | None = None
    """None: as many as are usual."""
    seconds: tuple[float, ...] = SHORT

    def settings(self, small: bool = False) -> TrainingSettings:
        """Return the settings of its training."""
        return TrainingSettings(
            betting=SMALL_BETTING if small else BETTINGS[self.betting],
            rule=None if self.rule is None else load_rule(self.rule),  # type: ignore[arg-type]
            sampling=self.sampling,
            hole_cards=self.hole_cards,
            regret_floor=self.floor,
        )


AGENTS = (
    *(
        SampledAgent(f"{cards}-{betting}-{sampling}", sampling, cards, betting, seconds=LONG)
        for betting in BETTINGS
        for cards in CARDS
        for sampling in TRAINING_SAMPLINGS
    ),
    SampledAgent("external-dcfr", EXTERNAL, rule="dcfr", seconds=LONG),
    SampledAgent("public-lcfr", PUBLIC, rule="lcfr"),
    *(SampledAgent(f"{sampling}-cfr", sampling, rule="cfr") for sampling in TRAINING_SAMPLINGS),
    *(SampledAgent(f"{each}-floor", each, rule="lcfr", floor=FLOOR) for each in TRAINING_SAMPLINGS),
    SampledAgent("public-all-hands", PUBLIC, hole_cards=MOST_HOLE_CARDS),
)
"""In the order of the page's table. The usual rules are compared with others on the first cards and tree."""
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


class Amount(NamedTuple):
    """The extent of an agent's measurements."""

    response: DoublingSettings
    """The length of learning, and the boards over which a response is valued."""
    local_hands: int
    """Hands of each local best response."""


FULL = {
    "fcpa": Amount(DoublingSettings(4_000, 16_000, 3_000), 8_000),
    "three-sizes": Amount(DoublingSettings(1_000, 4_000, 480), 8_000),
}
"""Amounts by betting, so that a part takes less than an hour: boards of the larger tree take 14 times as long."""
SMALL, SMALL_SECONDS = Amount(DoublingSettings(10, 10, 12), 4), (0.2, 0.4)


def measure(agent: SampledAgent, setup: CardSetup, kept: KeptRuns, say: Say) -> Found:
    """Train an agent up to each mark, and measure it as it is then."""
    amount = SMALL if setup.small else FULL[agent.betting]
    cards = setup.folder_of(agent.cards, say)
    rows, before = [], None
    for seconds in SMALL_SECONDS[: len(agent.seconds)] if setup.small else agent.seconds:
        place = Path("agents") / commit() / f"{agent.name}-{seconds:g}"  # no other version's are trained on
        folder = setup.work / place
        if before is not None and not Run.is_run(folder):
            copy_run(before, folder)
        before = folder
        asked = seconds, agent, setup, folder, cards, amount, say
        found = kept.once({"seconds": seconds}, measure_at, *asked)
        rows.append({"seconds": seconds, "run": str(place)} | found)
    return {
        **agent._asdict(),
        "rule": agent.settings().as_json()["rule"],
        "threads": setup.threads,
        "response": asdict(amount.response),
        "local_hands": amount.local_hands,
        "rows": rows,
    }


def copy_run(run: Path, copy: Path) -> None:
    """Copy a run's folder, whole or not at all."""
    aside = copy.with_name(f"{copy.name}{WRITING}")
    for half_made in (aside, copy):
        shutil.rmtree(half_made, ignore_errors=True)
    shutil.copytree(run, aside)
    aside.rename(copy)


def measure_at(
    seconds: float, agent: SampledAgent, setup: CardSetup, folder: Path, cards: Path, amount: Amount, say: Say
) -> Found:
    """Train an agent for these seconds in all, and measure what responses win from it then."""
    after, threads = f"after {span(seconds)}", setup.threads
    watch = within(say, f"{after}: training")
    iterations = train_to(folder, cards, agent.settings(setup.small), seconds, threads, watch)
    training = TrainingRun.open(folder, cards)
    facts = training.run.facts()
    say(f"{after}: learning a response inside the abstraction")
    response = ResponseDoublings(
        training.blueprint(), amount.response, weight=facts["weight"], threads=threads
    )
    inside, local = response.run(), []
    table = AgentLoader().load_table(str(folder))
    for actions in STANDARD:
        say(f"{after}: local best response, {actions}")
        won = LocalBestResponse(table, actions).run(amount.local_hands, threads)
        local.append((str(actions), won.mbb, won.mbb_interval))
    return {
        "iterations": iterations,
        "touched": facts["touched"],
        "inside": {
            "mbb": inside["mbb_per_hand"],
            "interval": inside["mbb_per_hand_95"],
            "boards": inside["boards"],
            "settled": inside["settled"],
        },
        "local": local,
    }


def local_best(row: Mapping[str, Any]) -> LargestResponse:
    """Return the most that a local best response wins from an agent."""
    return largest_response([(actions, mbb, interval) for actions, mbb, interval in row["local"]])


def agent_figures(found: Found) -> dict[str, float]:
    """Return what responses win from an agent, by name."""
    named = dict[str, float]()
    for row in found["rows"]:
        name = f"{found['name']}.{row['seconds']:g} s"
        named |= {f"{name}.inside": row["inside"]["mbb"], f"{name}.local": local_best(row).mbb}
    return named


# Head to head


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
                met = kept.once(setting, _met, setup, *folders, deals)
                rows.append(setting | {"pairs": deals} | met)
    return {"rows": rows}


def _met(setup: CardSetup, first: str, second: str, deals: int) -> dict[str, float]:
    """Return what the first agent wins from the second."""
    one, other = (AgentLoader().load_table(str(setup.work / run)) for run in (first, second))
    won = expected_match(one, other, deals, threads=setup.threads).winnings
    return {"mbb": won.mbb, "interval": won.mbb_interval}


def meeting_figures(found: Found) -> dict[str, float]:
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
    (
        *(Part(agent.name, partial(measure, agent), agent_figures) for agent in AGENTS),
        Part(HEAD_TO_HEAD, meet, meeting_figures, made_of=tuple(agent.name for agent in AGENTS)),
    ),
    view,
)
