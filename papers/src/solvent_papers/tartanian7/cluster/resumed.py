"""Medium cards on two children within a budget of memory, resumed on one machine, against plain training.

Half of the rows are touched by children in worker processes, whose shards are then written to files; a head with
its children in this process resumes from the files. The other training is plain external sampling with threads on
a shared table, until it has touched as many rows. Then they play.
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_size, size
from solvent.play.expected import expected_match
from solvent.play.table_agent import table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.distributed.batches import Children
from solvent.training.distributed.processes import ProcessChildren
from solvent.training.train import training_cost
from solvent_papers.confidence import Interval
from solvent_papers.frame.cards import load_table, save_table
from solvent_papers.frame.experiment import Found, Part, Say
from solvent_papers.frame.machine import status
from solvent_papers.frame.running import KeptRuns
from solvent_papers.tartanian7.cluster.training import (
    ROWS,
    Setup,
    betting_tree,
    distributed,
    joined,
    train_children,
    train_threads,
)

NAME = "resumed"
CARDS = "medium"


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train both, and let them play."""
    rows, pairs = (5_000, 20) if setup.small else (1.6e9, 300_000)
    cards, allowed = setup.load(CARDS, say), parse_size(setup.memory)
    tree = betting_tree()
    cost = training_cost(tree, cards)
    if cost.memory > allowed:
        raise InputError(f"{CARDS} cards take {size(cost.memory)}, and --memory allows {size(allowed)}")
    files = {name: setup.work / NAME / f"{name}.npz" for name in ("children", "resumed", "threads")}

    def on_children() -> dict[str, float]:
        say(f"two children, {rows / 2:.3g} rows")
        with distributed(cards, setup.settings(0), setup.threads, setup.in_process) as solver:
            (at,) = train_children(solver, [rows / 2], ROWS)
            files["children"].parent.mkdir(parents=True, exist_ok=True)
            np.savez(files["children"], **solver.tables())  # type: ignore[arg-type]
            return {**at._asdict(), "turns": solver.turns, "resident": resident_bytes(solver.children)}

    def on_one_machine() -> dict[str, float]:
        say(f"resumed in one process, to {rows:.3g} rows")
        with (
            distributed(cards, setup.settings(0), setup.threads, in_process=True) as solver,
            np.load(files["children"]) as shards,
        ):
            solver.load(dict(shards), {"turns": begun["turns"], "touched": begun["touched"]})
            (at,) = train_children(solver, [rows], ROWS)
            save_table(files["resumed"], joined(cards, solver))
            return at._asdict()

    def on_threads() -> dict[str, float]:
        say(f"threads on a shared table, {rows:.3g} rows")
        blueprint = Blueprint(tree, cards)
        (at,) = train_threads(blueprint, setup.threads, [rows], ROWS, seed=0)
        save_table(files["threads"], blueprint)
        return at._asdict()

    begun = kept.once({"run": "children"}, on_children)
    ended = kept.once({"run": "resumed"}, on_one_machine)
    plain = kept.once({"run": "threads"}, on_threads)
    say("head to head")
    agents = [table_agent(name, [load_table(files[name], tree, cards)]) for name in ("resumed", "threads")]
    won = expected_match(agents[0], agents[1], pairs, seed=1, threads=setup.threads).winnings
    return {
        "cards": cards.design.label,
        "memory": cost.memory,
        "allowed": allowed,
        "table": cost.table_bytes,
        "batch": setup.batch,
        "children": begun,
        "resumed": ended,
        "threads": plain,
        "pairs": pairs,
        "mbb": won.mbb,
        "interval": won.mbb_interval if isfinite(won.mbb_interval) else 0.0,
    }


def resident_bytes(children: Children) -> int:
    """Return the bytes of this process and of workers that are in memory and in no file; 0 where unknown."""
    mine = children.processes.process_ids if isinstance(children, ProcessChildren) else []
    return sum(status("RssAnon", process) or 0 for process in (None, *mine))


def figures(found: Found) -> dict[str, float]:
    """Return the lead with its interval, the rows of both, and the memory that children took."""
    return {
        f"{NAME}.resident bytes": float(found["children"]["resident"]),
        **Interval.around(found["mbb"], found["interval"]).figures(f"{NAME}.lead"),
        f"{NAME}.rows.resumed": float(found["resumed"]["touched"]),
        f"{NAME}.rows.threads": float(found["threads"]["touched"]),
    }


RESUMED = Part(NAME, measure, figures)
