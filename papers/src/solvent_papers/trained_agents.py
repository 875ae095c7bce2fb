"""The agents that users train, that of `make run` and one of an hour, measured as they play: nothing is processed.

An agent has two parts, so that each takes at most an hour: one trains it, the other measures it. It plays versions
of itself and simple players, local best response of several settings, and a best response that is learned inside
its abstraction; and its behaviour is checked. What is measured is kept in the run's folder, so that a part that was
stopped resumes with the missing measurements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from solvent.evaluate.agent_parts import AgentSettings, TrainedAgent
from solvent.evaluate.behaviour_checks import is_near
from solvent.evaluate.evaluation import evaluate, known
from solvent.evaluate.response_doublings import DoublingSettings
from solvent.evaluate.sentences import inside_bound, local_bound, sentences
from solvent.strategy.agents.training_run import TrainingRun
from solvent.training.settings import TrainingSettings
from solvent_papers.confidence import Interval
from solvent_papers.frame.cards import SMALL_BETTING, CardSetup
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say
from solvent_papers.frame.running import KeptRuns, found_by

MEASURED = ("styles", "lbr", "inside", "behaviour")
"""The parts of an evaluation."""
KEPT = ("iterations", "post", "parts", "styles", "lbr", "lbr_maximum", "inside", "behaviour")
"""Keys of an evaluation that go on the page."""


class UsersAgent(NamedTuple):
    """An agent and its training."""

    name: str
    cards: str
    betting: str
    seconds: float

    @property
    def training(self) -> str:
        """The name of the part that trains it; its own name is that of the part that measures it."""
        return f"train-{self.name}"


BETTING = "preset=fcpa; preflop=100%,200%,a"  # 3,004 decisions
AGENTS = (UsersAgent("make-run", "tiny", BETTING, 330.0), UsersAgent("hour", "small", BETTING, 3600.0))
FULL = AgentSettings(hands=2_000_000, inside=DoublingSettings(8_000, 64_000))
"""A million pairs of deals per match: those of 30,000 have intervals of 12 to 30 mbb/hand, wider than the bars."""
SMALL = AgentSettings(
    hands=40, lbr_hands=4, inside=DoublingSettings(10, 20, valued=12), behaviour_hands=50, run_outs=16
)
SMALL_SECONDS = 0.3


@dataclass(frozen=True)
class Setup(CardSetup):
    """Cards and threads; parts may have had different numbers of threads, which the page says of each."""

    @property
    def scale(self) -> dict[str, Any]:
        return {"small": self.small}

    def betting_of(self, agent: UsersAgent) -> str:
        """Return the bets of an agent; at small scale a few stand for all."""
        return SMALL_BETTING if self.small else agent.betting


def train(agent: UsersAgent, setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train an agent, from where a training of this commit was stopped."""
    seconds = SMALL_SECONDS if setup.small else agent.seconds
    settings = TrainingSettings(betting=setup.betting_of(agent))
    place, iterations = setup.train(agent.name, agent.cards, settings, seconds, say)
    return {"place": place, "seconds": seconds, "threads": setup.threads, "iterations": iterations}


def measure(agent: UsersAgent, setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Measure an agent that has been trained."""
    trained, cards = found_by(setup, agent.training), setup.folder_of(agent.cards, say)
    run = TrainingRun.open(setup.work / trained["place"], cards)
    document = measured(run, SMALL if setup.small else FULL, setup.threads, say)
    return {
        "name": agent.name,
        "run": "RUN",  # as the page calls it: its folder is on one machine alone
        "cards": setup.design_of(agent.cards).label,
        "betting": setup.betting_of(agent),
        "seconds": trained["seconds"],
        "threads": trained["threads"],
        **{key: document[key] for key in KEPT if key in document},
    }


def measured(run: TrainingRun, settings: AgentSettings, threads: int, say: Say) -> dict[str, Any]:
    """Return the evaluation of an agent, after measuring its missing parts."""
    agent = TrainedAgent(run, replace(settings, threads=threads))
    before = known(run.folder, agent.facts)
    missing = tuple(part for part in MEASURED if not _is_measured(part, before, settings))
    if missing:
        say(f"measuring {', '.join(missing)}")
        evaluate(agent, missing)
    return known(run.folder, agent.facts)


def _is_measured(part: str, document: dict[str, Any], settings: AgentSettings) -> bool:
    """Return whether a part has been measured over as many hands or boards as the settings ask for."""
    if not document.get("parts", {}).get(part):
        return False
    if part == "inside":
        return bool(document["inside"]["valued"] == settings.inside.valued)
    hands = {"styles": settings.hands, "lbr": settings.lbr_hands}.get(part)
    return hands is None or all(row["hands"] == hands for row in document[part])


def figures(found: Found) -> dict[str, float]:
    """Return the figures of an agent, by name."""
    name, inside, local = found["name"], inside_bound(found), local_bound(found)
    assert inside is not None
    result: dict[str, float] = {}
    for row in found["styles"]:
        result[f"{name}.from {row['opponent']}"] = float(row["mbb_per_hand"])
        result[f"{name}.from {row['opponent']}.interval"] = float(row["mbb_per_hand_95"])
    checks = found["behaviour"]["checks"]
    failed = sum(not check["passed"] and not is_near(check) for check in checks)
    passed = sum(check["passed"] for check in checks)
    result |= {
        f"{name}.checks": len(checks),
        f"{name}.checks passed": passed,
        f"{name}.checks failed": failed,
    }
    for kind, bound in (("inside", inside), ("local", local)):
        if bound is not None:
            result |= Interval(bound.mbb, bound.low, bound.high).figures(f"{name}.{kind}")
    return result


def view(found: Findings) -> dict[str, Any]:
    """Return the agents that have been measured, and the sentences about each."""
    agents = [found[agent.name] for agent in AGENTS if agent.name in found]
    return {"agents": agents, "sentences": {each["name"]: sentences(each) for each in agents}}


EXPERIMENT = Experiment(
    "agents",
    "Agents",
    Setup,
    tuple(
        part
        for agent in AGENTS
        for part in (
            Part(agent.training, partial(train, agent)),
            Part(agent.name, partial(measure, agent), figures, made_of=(agent.training,)),
        )
    ),
    view,
)
