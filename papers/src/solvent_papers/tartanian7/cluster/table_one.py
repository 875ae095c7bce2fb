"""Table 1 of Brown, Ganzfried and Sandholm (2015): the trained agent against opponents of different making.

The agent is what children had trained by the end of Figure 1, played as trained and with New-0.2, as the paper's
entry was. The competition's agents are not public; ours differ from the agent by one thing each (shared memory,
card abstraction, betting tree, sampling, rewards, post-processing, time), are styles of it, or play by a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from solvent.forms.betting.tree import build_tree
from solvent.foundation.errors import InputError
from solvent.games.betting.sizes import parse_betting
from solvent.play.matches import Match
from solvent.play.table_agent import TableAgent, rule_agent, table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import parse_post
from solvent_papers.frame.experiment import Found, Part, Say
from solvent_papers.frame.running import KeptRuns
from solvent_papers.kept_tables import load_table, save_table
from solvent_papers.tartanian7.cluster import figure_one
from solvent_papers.tartanian7.cluster.figure_one import CHILDREN, FLAT_THREADS, THREADS
from solvent_papers.tartanian7.cluster.training import BETTING, Setup, train_threads

NAME = "table-1"
POSTS = ("none", "new(0.2)")
"""The second is the post-processing of the paper's entry."""


class Opponent(NamedTuple):
    """An opponent that is trained for this table."""

    what: str
    betting: str = BETTING
    options: Mapping[str, Any] = {}
    """Those of `BlueprintSolver.run`."""


TRAINED = {
    "sizes": Opponent("half-pot bets too", "preflop=100%,a; postflop=50%,100%,a; cap=3; stack=200"),
    "thirds": Opponent(
        "other bet sizes, losses felt 1.5 times",
        "preflop=2.5x,a | 70%,a; postflop=66%,a; cap=3; stack=200",
        {"reward": "y2"},
    ),
    "exploring": Opponent(
        "iterations weighed alike, each action explored",
        options={"linear": False, "exploration": (0.05, 0.0)},
    ),
}
STYLES = ("tight", "aggressive", "calling-machine", "random", "initial-weights")
RULES = ("always-call",)


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train the opponents, and play each match."""
    seconds, hands = (0.01, 200) if setup.small else (40.0, 2_000_000)
    last = figure_one.marks_of(setup)[-1]
    mine = figure_one.table_file(setup, CHILDREN, 0, last)
    if not mine.exists():
        raise InputError(f"Table 1 plays with the agents of Figure 1: run the part {figure_one.NAME} first")
    for name, opponent in TRAINED.items():
        _train(setup, say, name, opponent, seconds)
    rows = []
    for post in POSTS:
        agent = _kept_agent(setup, say, mine, post=post)
        for name, other in _pool(setup, say).items():
            say(f"{post} against {name}")
            setting = {"post": post, "opponent": name}
            rows.append(setting | kept.once(setting, partial(_play, setup, agent, other, hands)))
    return {"hands": hands, "seconds": last, "opponent seconds": seconds, "rows": rows}


def _play(setup: Setup, agent: TableAgent, other: TableAgent, hands: int) -> dict[str, float]:
    assert agent.rules is not None
    won = Match(agent, other, agent.rules, hands, seed=1).run(setup.threads).winnings
    return {"mbb": won.mbb, "interval": won.mbb_interval}


def _train(setup: Setup, say: Say, name: str, opponent: Opponent, seconds: float) -> None:
    path = _trained_file(setup, name)
    if path.exists():
        return
    say(f"training {opponent.what}, {seconds:g} s")
    blueprint = Blueprint(build_tree(parse_betting(opponent.betting)), setup.load("small", say))
    for _ in train_threads(blueprint, setup.threads, [seconds], seed=11, **opponent.options):
        save_table(path, blueprint)


def _trained_file(setup: Setup, name: str) -> Path:
    return setup.work / NAME / f"{name}.npz"


def _kept_agent(
    setup: Setup, say: Say, path: Path, run: str = CHILDREN, betting: str = BETTING, post: str = "none"
) -> TableAgent:
    cards = figure_one.cards_of(setup, run, say)
    table = load_table(path, build_tree(parse_betting(betting)), cards)
    return table_agent(path.stem, [table], post=parse_post(post))


def _pool(setup: Setup, say: Say) -> dict[str, TableAgent]:
    """Return the opponents by what they are."""
    marks = figure_one.marks_of(setup)

    def file(run: str, mark: float = marks[-1]) -> Path:
        return figure_one.table_file(setup, run, 0, mark)

    pool = {
        "shared table, same cards": _kept_agent(setup, say, file(THREADS)),
        "shared table, same cards, purified": _kept_agent(setup, say, file(THREADS), post="purify"),
        "shared table, no public clusters": _kept_agent(setup, say, file(FLAT_THREADS), FLAT_THREADS),
        f"the agent after {marks[0]:g} s": _kept_agent(setup, say, file(CHILDREN, marks[0])),
    }
    pool |= {
        opponent.what: _kept_agent(setup, say, _trained_file(setup, name), betting=opponent.betting)
        for name, opponent in TRAINED.items()
    }
    mine = load_table(file(CHILDREN), build_tree(parse_betting(BETTING)), setup.load("small", say))
    pool |= {f"the agent, {style}": table_agent(style, [mine], style) for style in STYLES}
    return pool | {rule: rule_agent(rule) for rule in RULES}


def figures(found: Found) -> dict[str, float]:
    """Return means, how many opponents are surely beaten, and the least that is surely won."""
    named: dict[str, float] = {}
    for post in POSTS:
        rows = [row for row in found["rows"] if row["post"] == post]
        named |= {
            f"{NAME}.mean.{post}": fmean(row["mbb"] for row in rows),
            f"{NAME}.opponents.{post}": float(len(rows)),
            f"{NAME}.surely beaten.{post}": float(sum(row["mbb"] > row["interval"] for row in rows)),
            f"{NAME}.least low.{post}": min(row["mbb"] - row["interval"] for row in rows),
            f"{NAME}.surely beaten by.{post}": float(sum(-row["mbb"] > row["interval"] for row in rows)),
        }
    return named


TABLE_ONE = Part(NAME, measure, figures, made_of=(figure_one.NAME,))
