"""Medium cards on two children within a budget of memory, resumed on one machine, against plain training.

Half of the rows are touched by children in worker processes, whose shards are then written to files; a head with
its children in this process goes on from the files to the end. The other training is plain external sampling with
threads on a shared table, until it has touched as many rows. Then they play.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from solvent.forms.betting.tree import build_tree
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import status
from solvent.foundation.units import size
from solvent.games.betting.sizes import parse_betting
from solvent.play.expected import expected_match
from solvent.play.table_agent import table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.distributed.batches import Children, DistributedSettings
from solvent.training.distributed.processes import ProcessChildren
from solvent.training.train import training_cost
from solvent_papers.kept import KeptRuns
from solvent_papers.kept_tables import Snapshot, load_table, save_table
from solvent_papers.page import Bar, markdown_table
from solvent_papers.parts import Found, Part, once
from solvent_papers.steps import Say
from solvent_papers.tartanian7.cluster.part import Setup
from solvent_papers.tartanian7.cluster.training import (
    BETTING,
    ROWS,
    distributed,
    joined,
    train_children,
    train_threads,
)

NAME = "resumed"
CARDS = "medium"


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    rows: float = 1.6e9
    """Rows that each training touches."""
    pairs: int = 300_000


FULL, SMALL = Scale(), Scale(rows=2e5, pairs=200)


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train both, and let them play."""
    scale = SMALL if setup.small else FULL
    cards = setup.load(CARDS, say)
    tree = build_tree(parse_betting(BETTING))
    cost = training_cost(tree, cards)
    if cost.memory > setup.memory:
        raise InputError(f"{CARDS} cards take {size(cost.memory)}, and --memory allows {size(setup.memory)}")
    files = {name: setup.work / NAME / f"{name}.npz" for name in ("children", "resumed", "threads")}
    settings = DistributedSettings(seed=0, batch=setup.batch, ahead=setup.ahead)

    def on_children() -> dict[str, float]:
        say(f"two children, {scale.rows / 2:.3g} rows")
        with distributed(cards, settings, setup.threads, setup.in_process) as solver:
            at = train_children(solver, cards, [scale.rows / 2], lambda at, table: None, ROWS)[-1]
            files["children"].parent.mkdir(parents=True, exist_ok=True)
            np.savez(files["children"], **solver.tables())  # type: ignore[arg-type]
            return {**at._asdict(), "turns": solver.turns, "resident": resident_bytes(solver.children)}

    def on_one_machine(turns: int, touched: int) -> dict[str, float]:
        say(f"resumed in one process, to {scale.rows:.3g} rows")
        with (
            distributed(cards, settings, setup.threads, in_process=True) as solver,
            np.load(files["children"]) as shards,
        ):
            solver.load(dict(shards), {"turns": turns, "touched": touched})
            at = train_children(solver, cards, [scale.rows], lambda at, table: None, ROWS)[-1]
            save_table(files["resumed"], joined(tree, cards, solver))
            return at._asdict()

    def on_threads() -> dict[str, float]:
        say(f"threads on a shared table, {scale.rows:.3g} rows")

        def keep(at: Snapshot, blueprint: Blueprint) -> None:
            save_table(files["threads"], blueprint)

        return train_threads(Blueprint(tree, cards), setup.threads, [scale.rows], keep, ROWS, seed=0)[
            -1
        ]._asdict()

    begun = once(kept, {"run": "children"}, on_children)
    ended = once(kept, {"run": "resumed"}, lambda: on_one_machine(begun["turns"], begun["touched"]))
    plain = once(kept, {"run": "threads"}, on_threads)
    say("head to head")
    agents = [table_agent(name, [load_table(files[name], tree, cards)]) for name in ("resumed", "threads")]
    won = expected_match(agents[0], agents[1], scale.pairs, seed=1, threads=setup.threads).winnings
    return {
        "cards": cards.design.label,
        "memory": cost.memory,
        "allowed": setup.memory,
        "table": cost.table_bytes,
        "batch": setup.batch,
        "children": begun,
        "resumed": ended,
        "threads": plain,
        "pairs": scale.pairs,
        "mbb": won.mbb,
        "interval": won.mbb_interval if isfinite(won.mbb_interval) else 0.0,
    }


def resident_bytes(children: Children) -> int:
    """Bytes of this process and of worker processes that are in memory and in no file; 0 where unknown."""
    mine = children.processes.process_ids if isinstance(children, ProcessChildren) else []
    return sum(status("RssAnon", process) or 0 for process in (None, *mine))


def figures(found: Found) -> dict[str, float]:
    """Return the lead with its interval, and the rows of both."""
    lead, width = found["mbb"], found["interval"]
    return {
        f"{NAME}.resident bytes": float(found["children"]["resident"]),
        f"{NAME}.lead": lead,
        f"{NAME}.lead.low": lead - width,
        f"{NAME}.lead.high": lead + width,
        f"{NAME}.rows.resumed": float(found["resumed"]["touched"]),
        f"{NAME}.rows.threads": float(found["threads"]["touched"]),
    }


def bars(found: Found) -> list[Bar]:
    """No difference beyond the interval at equal rows."""
    lead, width = found["mbb"], found["interval"]
    seen = f"{lead:+.0f} ± {width:.0f} mbb/hand"
    name = "medium cards: children, resumed on one machine, against plain training of equal rows"
    taken = found["children"]["resident"]
    return [
        Bar(name, "no difference beyond the interval", seen, abs(lead) <= width),
        Bar(
            "medium cards: memory of the head and two children",
            f"at most {size(found['allowed'])}",
            size(taken),
            taken <= found["allowed"],
        ),
    ]


def section(found: Found) -> str:
    """Return the part's section of the page."""
    lines = [
        [name, f"{run['iterations']:,}", f"{run['touched']:.3g}", f"{run['seconds']:.0f}"]
        for name, run in (
            ("two children", found["children"]),
            ("resumed on one machine, in all", {**found["resumed"], "seconds": _seconds(found)}),
            ("threads on a shared table", found["threads"]),
        )
    ]
    sure = abs(found["mbb"]) > found["interval"]
    parts = [
        "## Medium cards on two children, resumed on one machine",
        f"{BETTING} betting x {found['cards']} cards: tables of {size(found['table'])}, {size(found['memory'])} in "
        f"one process, of {size(found['allowed'])} that are allowed; the head and its children took "
        f"{size(found['children']['resident'])}. Batches of {found['batch']:,}.",
        markdown_table(["training", "iterations", "rows", "seconds"], lines),
        f"At equal rows the resumed training wins {found['mbb']:+.0f} ± {found['interval']:.0f} mbb/hand from "
        f"plain training ({found['pairs']:,} pairs of deals): "
        + ("a difference beyond the interval." if sure else "no difference beyond the interval."),
    ]
    return "\n\n".join(part.rstrip() for part in parts)


def _seconds(found: Found) -> float:
    return float(found["children"]["seconds"] + found["resumed"]["seconds"])


RESUMED = Part(NAME, measure, section, figures, bars)
