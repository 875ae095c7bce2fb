"""Table 1 of Brown, Ganzfried and Sandholm (2015): the trained agent against opponents of different making.

The agent is what children had trained by the end of Figure 1, played as trained and with New-0.2, as the paper's
entry was. The competition's agents are not public; ours differ from the agent by one thing each (shared memory,
card abstraction, betting tree, sampling, rewards, post-processing, time), are styles of it, or play by a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
from solvent_papers.kept import KeptRuns
from solvent_papers.kept_tables import Snapshot, load_table, save_table
from solvent_papers.page import Bar, markdown_table
from solvent_papers.parts import Found, Part, once
from solvent_papers.steps import Say
from solvent_papers.tartanian7.cluster import figure_one
from solvent_papers.tartanian7.cluster.figure_one import CHILDREN, FLAT_THREADS, THREADS
from solvent_papers.tartanian7.cluster.part import Setup
from solvent_papers.tartanian7.cluster.training import BETTING, train_threads

NAME = "table-1"
PAPER = (261, 121, 21, 33, 20, 125, 499, 141, 214, 516, 980, 1474, 1819)
"""Table 1, in mbb/hand."""
PAPER_MEAN = 479.0
POSTS = ("none", "new(0.2)")
MAIN = "new(0.2)"
"""The post-processing of the paper's entry."""


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


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    seconds: float = 40.0
    """Seconds of training of each opponent that is trained here."""
    hands: int = 2_000_000


FULL, SMALL = Scale(), Scale(seconds=0.3, hands=2_000)


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train the opponents, and play each match."""
    scale = SMALL if setup.small else FULL
    marks = figure_one.scale_of(setup).marks
    mine = figure_one.table_file(setup, CHILDREN, 0, marks[-1])
    if not mine.exists():
        raise InputError(f"Table 1 plays with the agents of Figure 1: run the part {figure_one.NAME} first")
    for name, opponent in TRAINED.items():
        _train(setup, say, name, opponent, scale.seconds)
    rows = []
    for post in POSTS:
        agent = _kept_agent(setup, say, mine, post=post)
        assert agent.rules is not None
        for name, other in _pool(setup, say).items():
            say(f"{post} against {name}")

            def play(agent: TableAgent = agent, other: TableAgent = other) -> dict[str, float]:
                assert agent.rules is not None
                match = Match(agent, other, agent.rules, scale.hands, seed=1)
                won = match.run(setup.threads).winnings
                return {"mbb": won.mbb, "interval": won.mbb_interval}

            found = once(kept, {"post": post, "opponent": name}, play)
            rows.append({"post": post, "opponent": name, **found})
    return {"hands": scale.hands, "seconds": marks[-1], "opponent seconds": scale.seconds, "rows": rows}


def _train(setup: Setup, say: Say, name: str, opponent: Opponent, seconds: float) -> None:
    path = _trained_file(setup, name)
    if path.exists():
        return
    say(f"training {opponent.what}, {seconds:g} s")

    def keep(at: Snapshot, blueprint: Blueprint) -> None:
        save_table(path, blueprint)

    cards = setup.load("small", say)
    blueprint = Blueprint(build_tree(parse_betting(opponent.betting)), cards)
    train_threads(blueprint, setup.threads, [seconds], keep, seed=11, **opponent.options)


def _trained_file(setup: Setup, name: str) -> Path:
    return setup.work / NAME / f"{name}.npz"


def _kept_agent(
    setup: Setup, say: Say, path: Path, run: str = CHILDREN, betting: str = BETTING, post: str = "none"
) -> TableAgent:
    cards = figure_one.cards_of(setup, run, say)
    table = load_table(path, build_tree(parse_betting(betting)), cards)
    return table_agent(path.stem, [table], post=parse_post(post))


def _pool(setup: Setup, say: Say) -> dict[str, TableAgent]:
    """The opponents by what they are."""
    marks = figure_one.scale_of(setup).marks

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
    cards = setup.load("small", say)
    mine = load_table(file(CHILDREN), build_tree(parse_betting(BETTING)), cards)
    pool |= {f"the agent, {style}": table_agent(style, [mine], style) for style in STYLES}
    return pool | {rule: rule_agent(rule) for rule in RULES}


def rows_of(found: Found, post: str) -> list[dict[str, Any]]:
    """The rows of one post-processing."""
    return [row for row in found["rows"] if row["post"] == post]


def figures(found: Found) -> dict[str, float]:
    """Return means, how many opponents are surely beaten, and the least that is surely won."""
    named: dict[str, float] = {}
    for post in POSTS:
        rows = rows_of(found, post)
        named[f"{NAME}.mean.{post}"] = fmean(row["mbb"] for row in rows)
        named[f"{NAME}.opponents.{post}"] = float(len(rows))
        named[f"{NAME}.surely beaten.{post}"] = float(sum(row["mbb"] > row["interval"] for row in rows))
        named[f"{NAME}.least low.{post}"] = min(row["mbb"] - row["interval"] for row in rows)
        named[f"{NAME}.surely beaten by.{post}"] = float(sum(-row["mbb"] > row["interval"] for row in rows))
    return named


def bars(found: Found) -> list[Bar]:
    """Nothing was asked of this part beforehand."""
    return []


def section(found: Found) -> str:
    """Return the part's section of the page."""
    names = [row["opponent"] for row in rows_of(found, MAIN)]
    by = {
        (row["post"], row["opponent"]): f"{row['mbb']:+.0f} ± {row['interval']:.0f}" for row in found["rows"]
    }
    lines = [
        [f"O{number}", name, *(by[post, name] for post in POSTS)]
        for number, name in enumerate(names, start=1)
    ]
    named = figures(found)
    lines.append(["", "mean", *(f"{named[f'{NAME}.mean.{post}']:+.0f}" for post in POSTS)])
    parts = [
        "## Table 1: the agent against opponents of different making",
        f"The agent that children trained for {found['seconds']:g} s, in mbb/hand with 95 % intervals, over "
        f"{found['hands']:,} hands with the same cards on both seats. Opponents of other betting or sampling were "
        f"trained for {found['opponent seconds']:g} s on as many cores. In the paper the agent beats all "
        f"{len(PAPER)} opponents surely, from +{min(PAPER)} to +{max(PAPER):,}, by {PAPER_MEAN:.0f} on average.",
        markdown_table(["", "opponent", "as trained", "New-0.2"], lines),
    ]
    return "\n\n".join(part.rstrip() for part in parts)


TABLE_ONE = Part(NAME, measure, section, figures, bars)
