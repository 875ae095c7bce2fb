"""Agents as users train them, measured as they play: nothing is processed on either side.

An agent has two parts, so that each takes at most an hour: one trains it, the other measures it. It plays versions
of itself and simple players, local best response of several settings, and a best response that is learned inside
its abstraction; and its behaviour is checked. What is measured is kept in the run's folder, so that a part that was
stopped goes on with what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from solvent.evaluate.agent_parts import AgentSettings, TrainedAgent
from solvent.evaluate.behaviour_checks import is_near
from solvent.evaluate.evaluation import evaluate, known
from solvent.evaluate.response_doublings import DoublingSettings
from solvent.evaluate.sentences import inside_bound, local_bound, sentences
from solvent.foundation.machine import commit
from solvent.foundation.units import span
from solvent.strategy.agents.training_run import TrainingRun
from solvent.training.settings import TrainingSettings
from solvent.training.train import train_to
from solvent_papers.kept import KeptRuns
from solvent_papers.page import Bar
from solvent_papers.parts import Found, Part, PartSetup, found_by
from solvent_papers.steps import Say, within

MEASURED = ("styles", "lbr", "inside", "behaviour")
"""The parts of an evaluation."""
KEPT = ("iterations", "post", "parts", "styles", "lbr", "lbr_maximum", "inside", "behaviour")
"""What of an evaluation goes on the page."""


class UsersAgent(NamedTuple):
    """An agent, and what we ask of it."""

    name: str
    cards: str
    betting: str
    seconds: float
    most_inside: float | None
    """mbb/hand that a best response inside its abstraction may win; None asks nothing."""
    most_deterministic: float
    """mbb/hand that its deterministic version may win from it."""
    most_otherwise: float
    """And any other opponent."""

    @property
    def training(self) -> str:
        """The name of the part that trains it; its own name is that of the part that measures it."""
        return f"train-{self.name}"

    def most_won_by(self, opponent: str) -> float:
        """mbb/hand that an opponent may win from it."""
        return self.most_deterministic if opponent == "deterministic" else self.most_otherwise


AGENTS = (
    UsersAgent(
        "make-run",
        "tiny",
        "preset=fcpa; preflop=100%,200%,a",  # 3,004 decisions
        330.0,
        most_inside=60.0,
        most_deterministic=50.0,
        most_otherwise=20.0,
    ),
    UsersAgent(
        "hour",
        "small",
        "preset=fcpa; preflop=100%,200%,a",  # 3,004 decisions
        3600.0,
        most_inside=None,
        most_deterministic=20.0,
        most_otherwise=10.0,
    ),
)
FULL = AgentSettings(hands=2_000_000, inside=DoublingSettings(8_000, 64_000))
"""A million pairs of deals a match: over 30,000, intervals of 12 to 30 mbb/hand are wider than the bars."""
SMALL = AgentSettings(
    hands=40, lbr_hands=4, inside=DoublingSettings(10, 20, valued=12), behaviour_hands=50, run_outs=16
)
SMALL_SECONDS = 0.3
SMALL_BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"


@dataclass(frozen=True)
class Setup(PartSetup):
    """`PartSetup` whose parts may have had different numbers of threads, which the page says of each."""

    @property
    def scale(self) -> dict[str, Any]:
        return {"small": self.small}

    def betting_of(self, agent: UsersAgent) -> str:
        """The bets of an agent; at small scale few of them stand for all."""
        return SMALL_BETTING if self.small else agent.betting


def train(agent: UsersAgent, setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train an agent, from where a training of this commit was stopped."""
    place = Path("agents") / commit() / agent.name  # those of another version of the code are not trained on
    cards = setup.folder_of(agent.cards, say)
    seconds = SMALL_SECONDS if setup.small else agent.seconds
    settings, watch = (
        TrainingSettings(betting=setup.betting_of(agent)),
        within(say, f"training {span(seconds)}"),
    )
    iterations = train_to(setup.work / place, cards, settings, seconds, setup.threads, watch)
    return {"place": str(place), "seconds": seconds, "threads": setup.threads, "iterations": iterations}


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
    """What is known of an agent, once what was missing has been measured."""
    agent = TrainedAgent(run, replace(settings, threads=threads))
    before = known(run.folder, agent.facts)
    missing = tuple(part for part in MEASURED if not _is_measured(part, before, settings))
    if missing:
        say(f"measuring {', '.join(missing)}")
        evaluate(agent, missing)
    return known(run.folder, agent.facts)


def _is_measured(part: str, document: dict[str, Any], settings: AgentSettings) -> bool:
    """Whether a part has been measured over as many hands or boards as the settings ask for."""
    if not document.get("parts", {}).get(part):
        return False
    if part == "inside":
        return bool(document["inside"]["valued"] == settings.inside.valued)
    hands = {"styles": settings.hands, "lbr": settings.lbr_hands}.get(part)
    return hands is None or all(row["hands"] == hands for row in document[part])


def figures(found: Found) -> dict[str, float]:
    """What was measured of an agent, by name."""
    name, inside, local = found["name"], inside_bound(found), local_bound(found)
    assert inside is not None
    result = {f"{name}.from {row['opponent']}": float(row["mbb_per_hand"]) for row in found["styles"]}
    result |= {f"{name}.inside": inside.mbb, f"{name}.checks passed": float(_passed(found))}
    return result | ({} if local is None else {f"{name}.local": local.mbb})


def bars(agent: UsersAgent, found: Found) -> list[Bar]:
    """What we ask of an agent."""
    name, inside = agent.name, inside_bound(found)
    assert inside is not None
    made = []
    if agent.most_inside is not None:
        seen = f"{inside.mbb:,.0f} ({inside.low:,.0f} to {inside.high:,.0f})"
        wanted = f"at most {agent.most_inside:g} mbb/hand"
        made.append(
            Bar(f"{name}: a best response inside wins", wanted, seen, inside.mbb <= agent.most_inside)
        )
    for row in found["styles"]:
        lost, most = -float(row["mbb_per_hand"]), agent.most_won_by(row["opponent"])
        seen = f"{lost:,.0f} ± {row['mbb_per_hand_95']:,.0f}"
        made.append(Bar(f"{name}: {row['opponent']} wins", f"at most {most:g} mbb/hand", seen, lost <= most))
    checks = found["behaviour"]["checks"]
    failed = sum(not check["passed"] and not is_near(check) for check in checks)
    seen = f"{_passed(found)} of {len(checks)} passed, {failed} failed"
    made.append(Bar(f"{name}: checks of behaviour", "none failed", seen, failed == 0))
    return made


def _passed(found: Found) -> int:
    """How many checks of behaviour an agent passes."""
    return sum(check["passed"] for check in found["behaviour"]["checks"])


def agent_parts(agent: UsersAgent) -> tuple[Part[Setup], Part[Setup]]:
    """The part that trains an agent, and the one that measures it; the page's one table has its figures."""
    training = Part[Setup](
        agent.training, partial(train, agent), lambda found: "", lambda found: {}, lambda found: []
    )
    measuring = Part(
        agent.name, partial(measure, agent), section, figures, partial(bars, agent), made_of=(agent.training,)
    )
    return training, measuring


def section(found: Found) -> str:
    """What the figures of an agent mean, in sentences."""
    return "\n\n".join([f"## {found['name']}", *sentences(found)])


PARTS = tuple(part for agent in AGENTS for part in agent_parts(agent))
