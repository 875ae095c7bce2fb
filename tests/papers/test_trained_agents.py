"""The agents that users train: trained and measured at their smallest, stopped and resumed, and the page."""

import inspect
import re
from pathlib import Path

import pytest

from oracles.trainings import small_cards_everywhere
from solvent.app.commands.agents.evaluate import evaluate as evaluate_command
from solvent.evaluate.agent_parts import TrainedAgent
from solvent.forms.betting.tree import build_tree
from solvent.foundation.units import parse_time
from solvent.games.betting.rules import CALL
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.betting_line import find_decision
from solvent_papers.frame.judging import judged_bars
from solvent_papers.frame.pages import new_page
from solvent_papers.frame.running import run_parts
from solvent_papers.trained_agents import (
    AGENTS,
    EXPERIMENT,
    FULL,
    MEASURED,
    SMALL,
    Setup,
    _is_measured,
    figures,
)

MAKEFILE = Path(__file__).parents[2] / "Makefile"


def made(name: str) -> str:
    """A variable of the Makefile, with its continuation lines."""
    found = re.search(rf"^{name} := ((?:.*\\\n)*.*)", MAKEFILE.read_text(), re.MULTILINE)
    assert found is not None
    return found[1].replace("\\\n", " ")


def test_the_first_agent_is_that_of_make_run() -> None:
    agent = AGENTS[0]
    assert (made("CARDS"), made("BETTING")) == (agent.cards, agent.betting)
    assert parse_time(made("TIME")) == agent.seconds
    options = {name.replace("_", "-") for name in inspect.signature(evaluate_command).parameters}
    assert set(re.findall(r"--([a-z-]+)", made("MEASURE"))) <= options


@pytest.mark.parametrize("line", ["cc/", "cc/cc/", "cc/cc/cc/"])
def test_the_agent_of_make_run_can_raise_and_raise_again_after_the_flop(line) -> None:
    tree = build_tree(parse_betting(AGENTS[0].betting))
    most = tree.abstraction.rules.effective_stack
    for _ in ("a bet", "a raise of it", "a raise of that"):
        sizes = [action for action in tree.actions(find_decision(tree, line)) if CALL < action < most]
        assert sizes, f"all-in alone after {line}"
        line += f"r{sizes[0]}"


def test_agents_are_measured_and_go_on(tmp_path, monkeypatch) -> None:
    (tmp_path / "cards" / "tiny" / "tables").mkdir(parents=True)
    setup = Setup(tmp_path / "work", True, tmp_path / "cards", 1)
    measure, asked = TrainedAgent.measure, []

    def counted(self, part, *given):
        asked.append(part)
        if asked == ["styles", "lbr"]:
            raise KeyboardInterrupt
        return measure(self, part, *given)

    monkeypatch.setattr(TrainedAgent, "measure", counted)
    with small_cards_everywhere():
        with pytest.raises(KeyboardInterrupt):
            run_parts(EXPERIMENT, setup, ["train-make-run", "make-run"])
        records = run_parts(EXPERIMENT, setup)
    assert asked == ["styles", "lbr", "lbr", "inside", "behaviour", "styles", "lbr", "inside", "behaviour"]
    page = new_page(EXPERIMENT, records, "solvent reproduce agents --scale small")
    assert "|  | make-run | hour |" in page.text
    for heading in ("What was measured", "make-run", "hour", "Our own bars"):
        assert f"\n## {heading}\n" in page.text
    assert {"make-run.inside", "hour.local", "hour.from deterministic"} <= set(page.document["figures"])


def test_what_was_measured_over_fewer_hands_is_measured_again() -> None:
    document = {
        "parts": {"styles": True, "lbr": True, "inside": True, "behaviour": True},
        "styles": [{"hands": 40}, {"hands": 40}],
        "lbr": [{"hands": 4}],
        "inside": {"valued": 12},
    }
    assert all(_is_measured(part, document, SMALL) for part in MEASURED)
    more = [part for part in MEASURED if not _is_measured(part, document, FULL)]
    assert more == ["styles", "lbr", "inside"]
    assert not any(_is_measured(part, {}, SMALL) for part in MEASURED)


def test_bars_are_those_that_we_asked_for() -> None:
    """Behaviour may fail, an opponent may win too much; what a bar says is what was seen."""
    found = {
        "styles": [
            {"opponent": "deterministic", "mbb_per_hand": -45.0, "mbb_per_hand_95": 5.0},
            {"opponent": "tight", "mbb_per_hand": -45.0, "mbb_per_hand_95": 5.0},
        ],
        "inside": {"complete": True, "settled": True, "mbb_per_hand": 61.0, "mbb_per_hand_95": 3.0},
        "behaviour": {
            "checks": [{"passed": True}, {"passed": False, "near": True}, {"passed": False, "near": False}]
        },
    }
    bars = {
        bar.name: bar.met
        for agent in AGENTS
        for bar in judged_bars("agents", figures(found | {"name": agent.name}))
    }
    assert bars == {
        "make-run: a best response inside wins": False,
        "make-run wins against tight": False,
        "make-run wins against deterministic": True,
        "make-run: checks of behaviour": False,
        "hour wins against tight": False,
        "hour wins against deterministic": False,
        "hour: checks of behaviour": False,
    }
