"""Figure 1 and Table 1 of Brown, Ganzfried and Sandholm (2015), and the page that has all parts of the experiment.

Three trainings with the same seconds on the same cores: children in worker processes on cards with public clusters;
threads on a shared table of the same cards; threads on a shared table of as many buckets without clusters. At every
mark they meet head to head, averaged over what they may draw, and a response is learned to each inside its own
abstraction. The paper's two trainings had different machines, and its opponents are not public.

The agent of Table 1 is what children had trained by the end of Figure 1, played as trained and with New-0.2, as the
paper's entry was. The competition's agents are not public; ours differ from the agent by one thing each (shared
memory, card abstraction, betting tree, sampling, rewards, post-processing, time), are styles of it, or play by a
rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import hypot
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.evaluate.learned_response import response_winnings
from solvent.forms.betting.tree import build_tree
from solvent.foundation.errors import InputError
from solvent.games.betting.sizes import parse_betting
from solvent.play.expected import expected_match
from solvent.play.matches import Match
from solvent.play.table_agent import TableAgent, rule_agent, table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import parse_post
from solvent_papers.confidence import LEVEL, Interval
from solvent_papers.frame.cards import FLAT, load_table, save_table
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say
from solvent_papers.frame.running import KeptRuns
from solvent_papers.tartanian7.cluster.cost import COST
from solvent_papers.tartanian7.cluster.resumed import RESUMED
from solvent_papers.tartanian7.cluster.staleness import STALENESS
from solvent_papers.tartanian7.cluster.training import (
    BETTING,
    Setup,
    betting_tree,
    distributed,
    joined,
    train_children,
    train_threads,
)

FIGURE_ONE, TABLE_ONE = "figure-1", "table-1"
CHILDREN, THREADS, FLAT_THREADS = "children", "threads", "flat"
RUNS = (CHILDREN, THREADS, FLAT_THREADS)
PAIRS = tuple(combinations(RUNS, 2))
POSTS = ("none", "new(0.2)")
"""The second is the post-processing of the paper's entry."""


class Opponent(NamedTuple):
    """An opponent that is trained for Table 1."""

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


# Figure 1


def marks_of(setup: Setup) -> tuple[float, ...]:
    """Return the seconds of training at which runs are compared."""
    return (0.01, 0.02) if setup.small else (5.0, 10.0, 20.0, 40.0, 80.0)


def table_file(setup: Setup, run: str, seed: int, mark: float) -> Path:
    """Return the file of the table of a run at a mark."""
    return setup.work / FIGURE_ONE / f"{run}-{seed}-{mark:g}.npz"


def cards_of(setup: Setup, run: str, say: Say) -> CardAbstraction:
    """Return the cards of a run."""
    return setup.load(FLAT if run == FLAT_THREADS else "small", say)


def measure_figure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train all runs, and compare them at every mark."""
    seeds, pairs, boards = (1, 20, 2) if setup.small else (2, 100_000, 1_000)
    meetings, responses = list[Found](), list[Found]()
    last: dict[str, list[dict[str, float]]] = {run: [] for run in RUNS}
    for seed in range(seeds):
        for run in RUNS:
            last[run].append(_trained_run(setup, kept, say, run, seed)[-1])
        for mark in marks_of(setup):
            setting = {"seed": seed, "mark": mark}
            say(f"seed {seed}: head to head after {mark:g} s")
            meetings += kept.once({"meetings": setting}, _meet, setup, say, seed, mark, pairs)
            say(f"seed {seed}: responses after {mark:g} s")
            responses += kept.once({"responses": setting}, _respond, setup, say, seed, mark, boards)
    return {
        "cards": {run: cards_of(setup, run, say).design.label for run in RUNS},
        "threads": setup.threads,
        "batch": setup.batch,
        "pairs": pairs,
        "learned": f"learned on {boards:,} boards for each seat",
        "seeds": seeds,
        "rates": {run: _rates(rows) for run, rows in last.items()},
        "meetings": meetings,
        "responses": responses,
    }


def _rates(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return rows and iterations a second, over all seeds."""
    touched, iterations, seconds = (
        sum(row[key] for row in rows) for key in ("touched", "iterations", "seconds")
    )
    return {"rows": touched / seconds, "iterations": iterations / seconds}


def _trained_run(setup: Setup, kept: KeptRuns, say: Say, run: str, seed: int) -> list[dict[str, float]]:
    """Train a run, unless its tables are kept, and return where it stood at each mark."""
    marks, found = marks_of(setup), kept.find({"run": run, "seed": seed})
    if found is None or not all(table_file(setup, run, seed, mark).exists() for mark in marks):
        say(f"seed {seed}: training {run}, {marks[-1]:g} s")
        cards, found = cards_of(setup, run, say), list[dict[str, float]]()
        if run == CHILDREN:
            with distributed(cards, setup.settings(seed), setup.threads, setup.in_process) as solver:
                for at in train_children(solver, marks):
                    save_table(table_file(setup, run, seed, at.mark), joined(cards, solver))
                    found.append(at._asdict())
        else:
            blueprint = Blueprint(betting_tree(), cards)
            for at in train_threads(blueprint, setup.threads, marks, seed=seed):
                save_table(table_file(setup, run, seed, at.mark), blueprint)
                found.append(at._asdict())
        kept.add({"run": run, "seed": seed}, found)
    rows: list[dict[str, float]] = found
    return rows


def _tables_at(setup: Setup, say: Say, seed: int, mark: float) -> dict[str, Blueprint]:
    tree = betting_tree()
    return {
        run: load_table(table_file(setup, run, seed, mark), tree, cards_of(setup, run, say)) for run in RUNS
    }


def _meet(setup: Setup, say: Say, seed: int, mark: float, pairs: int) -> list[Found]:
    """Play every run against every other."""
    agents = {run: table_agent(run, [table]) for run, table in _tables_at(setup, say, seed, mark).items()}
    rows = []
    for one, other in PAIRS:
        match = expected_match(agents[one], agents[other], pairs, seed=seed, threads=setup.threads)
        won = {"mbb": match.winnings.mbb, "interval": match.winnings.mbb_interval}
        rows.append({"seed": seed, "mark": mark, "run": one, "other": other, **won})
    return rows


def _respond(setup: Setup, say: Say, seed: int, mark: float, boards: int) -> list[Found]:
    """Learn a response to each run."""
    rows = []
    for run, table in _tables_at(setup, say, seed, mark).items():
        won = response_winnings(table, boards, boards, threads=setup.threads)
        rows.append({"seed": seed, "mark": mark, "run": run, "mbb": won.mbb, "interval": won.mbb_interval})
    return rows


def _won(rows: Sequence[Found], **wanted: Any) -> Interval:
    """Return the mean over seeds, in mbb a hand, of the rows that have these values."""
    chosen = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    mean = sum(row["mbb"] for row in chosen) / len(chosen)
    return Interval.around(mean, hypot(*(row["interval"] for row in chosen)) / len(chosen))


def curves(found: Found) -> dict[str, Any]:
    """Return the marks and, at each of them, head-to-head winnings and those of learned responses."""
    marks = sorted({row["mark"] for row in found["meetings"]})
    return {
        "marks": marks,
        "meetings": {
            (one, other): [_won(found["meetings"], run=one, other=other, mark=mark) for mark in marks]
            for one, other in PAIRS
        },
        "responses": {run: [_won(found["responses"], run=run, mark=mark) for mark in marks] for run in RUNS},
    }


def lead_figures(found: Found) -> dict[str, float]:
    """Return leads at every mark and at the end, with intervals, and rows a second."""
    named: dict[str, float] = {}
    seen = curves(found)
    for (one, other), leads in seen["meetings"].items():
        name = f"{FIGURE_ONE}.{one} over {other}"
        named |= leads[-1].figures(name) | {
            f"{name}.least low": min(lead.low for lead in leads),
            f"{name}.marks surely ahead": float(sum(lead.low > 0 for lead in leads)),
            f"{name}.marks": float(len(leads)),
        }
    for run in RUNS:
        named[f"{FIGURE_ONE}.response.{run}"] = seen["responses"][run][-1].middle
        named[f"{FIGURE_ONE}.rows a second.{run}"] = found["rates"][run]["rows"]
        named[f"{FIGURE_ONE}.iterations a second.{run}"] = found["rates"][run]["iterations"]
    return named


def draw(found: Findings, page: Path) -> None:
    """Draw head-to-head winnings and learned responses over seconds of training, if Figure 1 has been run."""
    if FIGURE_ONE not in found:
        return
    seen = curves(found[FIGURE_ONE])
    with panels(page.with_suffix(".png"), (1, 2), (5.0, 4.0)) as ((left, right),):
        lines = [(left, f"{one} from {other}", leads) for (one, other), leads in seen["meetings"].items()]
        lines += [(right, run, won) for run, won in seen["responses"].items()]
        for color, (axes, label, won) in enumerate(lines):
            values, widths = [each.middle for each in won], [each.half for each in won]
            style = {"marker": ".", "capsize": 2, "color": f"C{color}", "label": label}
            axes.errorbar(seen["marks"], values, widths, **style)
        left.axhline(0.0, color="black", linewidth=0.6)
        for axes, y in ((left, "won head to head, mbb/hand"), (right, "won by a learned response, mbb/hand")):
            axes.set_xscale("log")
            dress(axes, "seconds of training", y)
            axes.legend(fontsize=7)


# Table 1


def measure_table(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train the opponents, and play each match."""
    seconds, hands = (0.01, 200) if setup.small else (40.0, 2_000_000)
    last = marks_of(setup)[-1]
    mine = table_file(setup, CHILDREN, 0, last)
    if not mine.exists():
        raise InputError(f"Table 1 plays with the agents of Figure 1: run the part {FIGURE_ONE} first")
    for name, opponent in TRAINED.items():
        _train_opponent(setup, say, name, opponent, seconds)
    rows = []
    for post in POSTS:
        agent = _kept_agent(setup, say, mine, post=post)
        for name, other in _pool(setup, say).items():
            say(f"{post} against {name}")
            setting = {"post": post, "opponent": name}
            rows.append(kept.row(setting, _play, setup, agent, other, hands))
    return {"hands": hands, "seconds": last, "opponent seconds": seconds, "rows": rows}


def _play(setup: Setup, agent: TableAgent, other: TableAgent, hands: int) -> dict[str, float]:
    assert agent.rules is not None
    won = Match(agent, other, agent.rules, hands, seed=1).run(setup.threads).winnings
    return {"mbb": won.mbb, "interval": won.mbb_interval}


def _train_opponent(setup: Setup, say: Say, name: str, opponent: Opponent, seconds: float) -> None:
    path = _trained_file(setup, name)
    if path.exists():
        return
    say(f"training {opponent.what}, {seconds:g} s")
    blueprint = Blueprint(build_tree(parse_betting(opponent.betting)), setup.load("small", say))
    for _ in train_threads(blueprint, setup.threads, [seconds], seed=11, **opponent.options):
        save_table(path, blueprint)


def _trained_file(setup: Setup, name: str) -> Path:
    return setup.work / TABLE_ONE / f"{name}.npz"


def _kept_agent(
    setup: Setup, say: Say, path: Path, run: str = CHILDREN, betting: str = BETTING, post: str = "none"
) -> TableAgent:
    cards = cards_of(setup, run, say)
    table = load_table(path, build_tree(parse_betting(betting)), cards)
    return table_agent(path.stem, [table], post=parse_post(post))


def _pool(setup: Setup, say: Say) -> dict[str, TableAgent]:
    """Return the opponents by what they are."""
    marks = marks_of(setup)

    def file(run: str, mark: float = marks[-1]) -> Path:
        return table_file(setup, run, 0, mark)

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


def table_figures(found: Found) -> dict[str, float]:
    """Return means, how many opponents are surely beaten, and the least that is surely won."""
    named: dict[str, float] = {}
    for post in POSTS:
        rows = [row for row in found["rows"] if row["post"] == post]
        named |= {
            f"{TABLE_ONE}.mean.{post}": fmean(row["mbb"] for row in rows),
            f"{TABLE_ONE}.opponents.{post}": float(len(rows)),
            f"{TABLE_ONE}.surely beaten.{post}": float(sum(row["mbb"] > row["interval"] for row in rows)),
            f"{TABLE_ONE}.least low.{post}": min(row["mbb"] - row["interval"] for row in rows),
            f"{TABLE_ONE}.surely beaten by.{post}": float(sum(-row["mbb"] > row["interval"] for row in rows)),
        }
    return named


# The page


def view(found: Findings) -> dict[str, Any]:
    """Return the bets, the level of a sure cost, and the curves of Figure 1."""
    seen = curves(found[FIGURE_ONE]) if FIGURE_ONE in found else {}
    return {"betting": BETTING, "level": (1 - LEVEL) / 2, "curves": seen}


def tables(found: Findings) -> dict[str, list[Found]]:
    """Return the measurements of Figure 1 and Table 1."""
    rows = []

    def add(part: str, seed: int | None, seconds: float, agent: str, opponent: str, won: Found) -> None:
        named = {"part": part, "seed": seed, "seconds": seconds, "agent": agent, "opponent": opponent}
        rows.append(named | {"mbb": won["mbb"], "interval": won["interval"]})

    if one := found.get(FIGURE_ONE):
        for row in one["meetings"]:
            add(FIGURE_ONE, row["seed"], row["mark"], row["run"], row["other"], row)
        for row in one["responses"]:
            add(FIGURE_ONE, row["seed"], row["mark"], "response", row["run"], row)
    if table := found.get(TABLE_ONE):
        for row in table["rows"]:
            add(TABLE_ONE, None, table["seconds"], row["post"], row["opponent"], row)
    return {"tartanian7.csv": rows}


EXPERIMENT = Experiment(
    "tartanian7",
    "A blueprint on a cluster: Algorithm 4",
    Setup,
    (
        Part(FIGURE_ONE, measure_figure, lead_figures),
        Part(TABLE_ONE, measure_table, table_figures, made_of=(FIGURE_ONE,)),
        COST,
        RESUMED,
        STALENESS,
    ),
    view,
    tables,
    draw,
)
