"""Figure 1 of Brown, Ganzfried and Sandholm (2015): Algorithm 4 against a shared table, at equal wall time.

Three trainings with the same seconds on the same cores: children in worker processes on cards with public clusters;
threads on a shared table of the same cards; threads on a shared table of as many buckets without clusters. At every
mark they meet head to head, averaged over what they may draw, and a response is learned to each inside its own
abstraction. The paper's two trainings had different machines, and its opponents are not public.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from math import hypot
from pathlib import Path
from typing import Any

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.evaluate.learned_response import response_winnings
from solvent.play.expected import expected_match
from solvent.play.table_agent import table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent_papers.confidence import Interval
from solvent_papers.frame.drawing import dress, panels
from solvent_papers.frame.experiment import Found, Part, Say
from solvent_papers.frame.running import KeptRuns
from solvent_papers.kept_tables import load_table, save_table
from solvent_papers.tartanian7.cluster.training import (
    Setup,
    betting_tree,
    distributed,
    joined,
    train_children,
    train_threads,
)
from solvent_papers.tartanian7.flat_cards import FLAT

NAME = "figure-1"
CHILDREN, THREADS, FLAT_THREADS = "children", "threads", "flat"
RUNS = (CHILDREN, THREADS, FLAT_THREADS)
PAIRS = tuple(combinations(RUNS, 2))


def marks_of(setup: Setup) -> tuple[float, ...]:
    """Return the seconds of training at which runs are compared."""
    return (0.01, 0.02) if setup.small else (5.0, 10.0, 20.0, 40.0, 80.0)


def table_file(setup: Setup, run: str, seed: int, mark: float) -> Path:
    """Return the file of the table of a run at a mark."""
    return setup.work / NAME / f"{run}-{seed}-{mark:g}.npz"


def cards_of(setup: Setup, run: str, say: Say) -> CardAbstraction:
    """Return the cards of a run."""
    return setup.load(FLAT if run == FLAT_THREADS else "small", say)


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train all runs, and compare them at every mark."""
    seeds, pairs, boards = (1, 20, 2) if setup.small else (2, 100_000, 1_000)
    meetings, responses = list[Found](), list[Found]()
    last: dict[str, list[dict[str, float]]] = {run: [] for run in RUNS}
    for seed in range(seeds):
        for run in RUNS:
            last[run].append(_trained(setup, kept, say, run, seed)[-1])
        for mark in marks_of(setup):
            setting = {"seed": seed, "mark": mark}
            say(f"seed {seed}: head to head after {mark:g} s")
            meetings += kept.once({"meetings": setting}, partial(_meet, setup, say, seed, mark, pairs))
            say(f"seed {seed}: responses after {mark:g} s")
            responses += kept.once({"responses": setting}, partial(_respond, setup, say, seed, mark, boards))
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


def _trained(setup: Setup, kept: KeptRuns, say: Say, run: str, seed: int) -> list[dict[str, float]]:
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


def _tables(setup: Setup, say: Say, seed: int, mark: float) -> dict[str, Blueprint]:
    tree = betting_tree()
    return {
        run: load_table(table_file(setup, run, seed, mark), tree, cards_of(setup, run, say)) for run in RUNS
    }


def _meet(setup: Setup, say: Say, seed: int, mark: float, pairs: int) -> list[Found]:
    """Play every run against every other."""
    agents = {run: table_agent(run, [table]) for run, table in _tables(setup, say, seed, mark).items()}
    rows = []
    for one, other in PAIRS:
        match = expected_match(agents[one], agents[other], pairs, seed=seed, threads=setup.threads)
        won = {"mbb": match.winnings.mbb, "interval": match.winnings.mbb_interval}
        rows.append({"seed": seed, "mark": mark, "run": one, "other": other, **won})
    return rows


def _respond(setup: Setup, say: Say, seed: int, mark: float, boards: int) -> list[Found]:
    """Learn a response to each run."""
    rows = []
    for run, table in _tables(setup, say, seed, mark).items():
        won = response_winnings(table, boards, boards, threads=setup.threads)
        rows.append({"seed": seed, "mark": mark, "run": run, "mbb": won.mbb, "interval": won.mbb_interval})
    return rows


def _won(rows: Sequence[Found], **wanted: Any) -> Interval:
    """Return the mean over seeds, in mbb a hand, of the rows that have these values."""
    chosen = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    mean = sum(row["mbb"] for row in chosen) / len(chosen)
    half = hypot(*(row["interval"] for row in chosen)) / len(chosen)
    return Interval(mean, mean - half, mean + half)


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


def figures(found: Found) -> dict[str, float]:
    """Return leads at every mark and at the end, with intervals, and rows a second."""
    named: dict[str, float] = {}
    seen = curves(found)
    for (one, other), leads in seen["meetings"].items():
        name = f"{NAME}.{one} over {other}"
        named |= {
            name: leads[-1].middle,
            f"{name}.low": leads[-1].low,
            f"{name}.high": leads[-1].high,
            f"{name}.least low": min(lead.low for lead in leads),
            f"{name}.marks surely ahead": float(sum(lead.low > 0 for lead in leads)),
            f"{name}.marks": float(len(leads)),
        }
    for run in RUNS:
        named[f"{NAME}.response.{run}"] = seen["responses"][run][-1].middle
        named[f"{NAME}.rows a second.{run}"] = found["rates"][run]["rows"]
        named[f"{NAME}.iterations a second.{run}"] = found["rates"][run]["iterations"]
    return named


def draw(found: Found, path: Path) -> None:
    """Draw head-to-head winnings and learned responses over seconds of training."""
    seen = curves(found)
    with panels(path, (1, 2), (5.0, 4.0)) as ((left, right),):
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


FIGURE_ONE = Part(NAME, measure, figures)
