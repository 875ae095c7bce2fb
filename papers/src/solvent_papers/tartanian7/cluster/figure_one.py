"""Figure 1 of Brown, Ganzfried and Sandholm (2015): Algorithm 4 against a shared table, at equal wall time.

Three trainings with the same seconds on the same cores: children in worker processes on cards with public clusters;
threads on a shared table of the same cards; threads on a shared table of as many buckets without clusters. At every
mark they meet head to head, averaged over what they may draw, and a response is learned to each inside its own
abstraction. The paper's two trainings had different machines, and its opponents are not public.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import hypot
from pathlib import Path
from typing import Any

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.evaluate.learned_response import response_winnings
from solvent.forms.betting.tree import build_tree
from solvent.games.betting.sizes import parse_betting
from solvent.play.expected import expected_match
from solvent.play.table_agent import table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.distributed.batches import DistributedSettings
from solvent_papers.kept import KeptRuns
from solvent_papers.kept_tables import Snapshot, load_table, save_table
from solvent_papers.page import Bar, markdown_table
from solvent_papers.parts import Found, Part, once
from solvent_papers.steps import Say
from solvent_papers.tartanian7.cluster.part import FLAT, Setup
from solvent_papers.tartanian7.cluster.training import (
    BETTING,
    distributed,
    train_children,
    train_threads,
)

NAME = "figure-1"
CHILDREN, THREADS, FLAT_THREADS = "children", "threads", "flat"
RUNS = {
    CHILDREN: "children in worker processes, public clusters",
    THREADS: "threads on a shared table, the same cards",
    FLAT_THREADS: "threads on a shared table, as many buckets without clusters",
}
PAIRS = tuple(combinations(RUNS, 2))


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    marks: tuple[float, ...] = (5.0, 10.0, 20.0, 40.0, 80.0)
    """Seconds of training at which runs are compared."""
    seeds: int = 2
    pairs: int = 100_000
    """Pairs of deals of a meeting."""
    boards: int = 1_000
    """Boards on which a response is learned, for each seat."""
    valued: int = 1_000
    """Boards over which its winnings are averaged."""


FULL = Scale()
SMALL = Scale(marks=(0.2, 0.4), seeds=1, pairs=200, boards=5, valued=5)


def scale_of(setup: Setup) -> Scale:
    """The scale of this part."""
    return SMALL if setup.small else FULL


def table_file(setup: Setup, run: str, seed: int, mark: float) -> Path:
    """Where the table of a run at a mark is kept."""
    return setup.work / NAME / f"{run}-{seed}-{mark:g}.npz"


def cards_of(setup: Setup, run: str, say: Say) -> CardAbstraction:
    """The cards of a run."""
    return setup.load(FLAT if run == FLAT_THREADS else "small", say)


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train all runs, and compare them at every mark."""
    scale = scale_of(setup)
    runs, meetings, responses = [], list[dict[str, Any]](), list[dict[str, Any]]()
    for seed in range(scale.seeds):
        for run in RUNS:
            found = _trained(setup, kept, say, run, seed)
            runs += [{"run": run, "seed": seed, **row} for row in found]
        for mark in scale.marks:
            setting = {"seed": seed, "mark": mark}
            say(f"seed {seed}: head to head after {mark:g} s")
            meetings += once(kept, {"meetings": setting}, partial(_meet, setup, say, seed, mark))
            say(f"seed {seed}: responses after {mark:g} s")
            responses += once(kept, {"responses": setting}, partial(_respond, setup, say, seed, mark))
    return {
        "cards": {run: cards_of(setup, run, say).design.label for run in RUNS},
        "threads": setup.threads,
        "batch": setup.batch,
        "pairs": scale.pairs,
        "boards": scale.boards,
        "valued": scale.valued,
        "seeds": scale.seeds,
        "runs": runs,
        "meetings": meetings,
        "responses": responses,
    }


def _trained(setup: Setup, kept: KeptRuns, say: Say, run: str, seed: int) -> list[dict[str, float]]:
    """Train a run, unless its tables are kept."""
    marks = scale_of(setup).marks
    files = [table_file(setup, run, seed, mark) for mark in marks]
    found = kept.find({"run": run, "seed": seed})
    if found is None or not all(file.exists() for file in files):
        say(f"seed {seed}: training {RUNS[run]}, {marks[-1]:g} s")

        def keep(at: Snapshot, blueprint: Blueprint) -> None:
            save_table(table_file(setup, run, seed, at.mark), blueprint)

        cards = cards_of(setup, run, say)
        if run == CHILDREN:
            settings = DistributedSettings(seed=seed, batch=setup.batch, ahead=setup.ahead)
            with distributed(cards, settings, setup.threads, setup.in_process) as solver:
                snapshots = train_children(solver, cards, marks, keep)
        else:
            blueprint = Blueprint(build_tree(parse_betting(BETTING)), cards)
            snapshots = train_threads(blueprint, setup.threads, marks, keep, seed=seed)
        found = [at._asdict() for at in snapshots]
        kept.add({"run": run, "seed": seed}, found)
    rows: list[dict[str, float]] = found
    return rows


def _tables(setup: Setup, say: Say, seed: int, mark: float) -> dict[str, Blueprint]:
    tree = build_tree(parse_betting(BETTING))
    return {
        run: load_table(table_file(setup, run, seed, mark), tree, cards_of(setup, run, say)) for run in RUNS
    }


def _meet(setup: Setup, say: Say, seed: int, mark: float) -> list[dict[str, Any]]:
    """Every run against every other."""
    agents = {run: table_agent(run, [table]) for run, table in _tables(setup, say, seed, mark).items()}
    rows = []
    for one, other in PAIRS:
        pairs = scale_of(setup).pairs
        match = expected_match(agents[one], agents[other], pairs, seed=seed, threads=setup.threads)
        won = match.winnings
        rows.append(
            {
                "seed": seed,
                "mark": mark,
                "run": one,
                "other": other,
                "mbb": won.mbb,
                "interval": won.mbb_interval,
            }
        )
    return rows


def _respond(setup: Setup, say: Say, seed: int, mark: float) -> list[dict[str, Any]]:
    """A learned response to each run."""
    scale, rows = scale_of(setup), []
    for run, table in _tables(setup, say, seed, mark).items():
        won = response_winnings(table, scale.boards, scale.valued, threads=setup.threads)
        rows.append({"seed": seed, "mark": mark, "run": run, "mbb": won.mbb, "interval": won.mbb_interval})
    return rows


def mean_of(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """The mean of rows over seeds in mbb a hand, and half its 95 % interval from their own."""
    count = len(rows)
    return sum(row["mbb"] for row in rows) / count, hypot(*(row["interval"] for row in rows)) / count


def meeting(found: Found, one: str, other: str, mark: float) -> tuple[float, float]:
    """What one run wins from another at a mark."""
    rows = [row for row in found["meetings"] if (row["run"], row["other"], row["mark"]) == (one, other, mark)]
    return mean_of(rows)


def response(found: Found, run: str, mark: float) -> tuple[float, float]:
    """What a response wins from a run at a mark."""
    return mean_of([row for row in found["responses"] if (row["run"], row["mark"]) == (run, mark)])


def marks_of(found: Found) -> list[float]:
    """The marks at which runs were compared."""
    return sorted({row["mark"] for row in found["runs"]})


def figures(found: Found) -> dict[str, float]:
    """Return what the ledger compares: leads at every mark and at the end, with intervals; rows a second."""
    named: dict[str, float] = {}
    marks = marks_of(found)
    for one, other in PAIRS:
        leads = [meeting(found, one, other, mark) for mark in marks]
        named[f"{NAME}.{one} over {other}"] = leads[-1][0]
        named[f"{NAME}.{one} over {other}.low"] = leads[-1][0] - leads[-1][1]
        named[f"{NAME}.{one} over {other}.high"] = leads[-1][0] + leads[-1][1]
        named[f"{NAME}.{one} over {other}.least low"] = min(lead - width for lead, width in leads)
        named[f"{NAME}.{one} over {other}.marks surely ahead"] = float(
            sum(lead - width > 0 for lead, width in leads)
        )
        named[f"{NAME}.{one} over {other}.marks"] = float(len(leads))
    for run in RUNS:
        named[f"{NAME}.response.{run}"] = response(found, run, marks[-1])[0]
        named[f"{NAME}.rows a second.{run}"] = _rate(found, run, "touched")
        named[f"{NAME}.iterations a second.{run}"] = _rate(found, run, "iterations")
    return named


def _rate(found: Found, run: str, what: str) -> float:
    last = [row for row in found["runs"] if row["run"] == run and row["mark"] == marks_of(found)[-1]]
    return float(sum(row[what] for row in last) / sum(row["seconds"] for row in last))


def bars(found: Found) -> list[Bar]:
    """What we had asked: children are not surely behind at the end."""
    lead, width = meeting(found, CHILDREN, THREADS, marks_of(found)[-1])
    name = "children against threads on the same cards, at the end"
    return [Bar(name, "not surely behind", f"{lead:+.0f} ± {width:.0f} mbb/hand", lead + width >= 0)]


def _seeds(found: Found) -> str:
    return "one seed" if found["seeds"] == 1 else f"{found['seeds']} seeds"


def section(found: Found) -> str:
    """Return the part's section of the page."""
    marks = marks_of(found)
    meetings = [
        [
            f"{one} against {other}",
            *("{:+.0f} ± {:.0f}".format(*meeting(found, one, other, mark)) for mark in marks),
        ]
        for one, other in PAIRS
    ]
    responses = [
        [run, *("{:.0f} ± {:.0f}".format(*response(found, run, mark)) for mark in marks)] for run in RUNS
    ]
    rates = [
        [
            run,
            what,
            found["cards"][run],
            f"{_rate(found, run, 'iterations'):,.0f}",
            f"{_rate(found, run, 'touched') / 1e6:.2f}",
        ]
        for run, what in RUNS.items()
    ]
    seconds = [f"{mark:g} s" for mark in marks]
    parts = [
        "## Figure 1: children and shared tables at equal wall time",
        f"{BETTING} betting; {found['threads']} cores each; {_seeds(found)}; batches of {found['batch']:,} "
        "iterations.",
        markdown_table(["run", "", "cards", "iterations/s", "million rows/s"], rates),
        "An iteration of children walks below the flop once for every cluster, one of threads once.",
        f"Head to head, in mbb/hand with 95 % intervals over the deals ({found['pairs']:,} pairs for each seed, "
        "averaged over what agents may draw):",
        markdown_table(["", *seconds], meetings),
        "What a response learned inside the run's own abstraction wins from it, in mbb/hand, which bounds its "
        f"exploitability there from below (learned on {found['boards']:,} boards for each seat); abstractions "
        "with and without clusters are not to be compared by it:",
        markdown_table(["", *seconds], responses),
    ]
    return "\n\n".join(part.rstrip() for part in parts)


FIGURE_ONE = Part(NAME, measure, section, figures, bars)
