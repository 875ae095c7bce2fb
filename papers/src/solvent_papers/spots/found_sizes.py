"""Bet sizes that the solver finds, against the full tree of candidates, named two-size trees and spaced trees.

On each spot every tree is solved to 0.3 % of the pot, and its strategy is measured in the spot with all candidates,
where bets that the tree lacks are answered through the randomised pseudo-harmonic mapping.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from solvent.engines.holdem.growing.candidates import AutoSizes
from solvent.engines.holdem.growing.growing_solver import public_nodes
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.translated.response import LargerTree
from solvent.forms.holdem.game import holdem_game
from solvent.foundation.progress import Watch
from solvent.games.holdem.spot import Spot
from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings
from solvent_papers.kept import KeptRuns, kept_file
from solvent_papers.page import Bar, Reading, markdown_table, write_page
from solvent_papers.steps import saying

OOP = "22+,A2s+,K9s+,QTs+,JTs,T9s,98s,87s,76s,65s,ATo+,KJo+,QJo"
IP = "22+,A2s+,K8s+,Q9s+,J9s+,T8s+,97s+,86s+,75s+,65s,54s,A8o+,KTo+,QTo+,JTo"
POT = 100
SPOTS: dict[str, dict[str, Any]] = {
    f"{board}, {stack / POT:g} pots": {
        "board": board,
        "oop": OOP,
        "ip": IP,
        "pot": POT,
        "stack": stack,
        "cap": 2,
    }
    for board in ("Ks7d2c9h4s", "Ks7d2c9h", "Td9d6hQc")
    for stack in (450, 2000)
}
RAISES = "100%,a"
UNTIL = "0.3%"
AUTO = AutoSizes()
TWO_SIZES = (
    "25%,75%", "25%,100%", "33%,66%", "33%,75%", "33%,100%", "50%,100%", "50%,150%", "66%,150%", "75%,200%",
    "100%,200%",
)  # fmt: skip
FULL, GROWN = "full", "found"
SHORT, TIMED = 1.0, 5
"""Solves of fewer seconds are timed so often, and the least counts: the first of a process takes twice as long."""
NOT_THE_PAPERS = """
## What is not the paper's

- Sizes are added on all boards of a street at once, and many at a look; the paper adds one action at one infoset.
- Looks come after 20, 50 and 120 iterations and when exploitability is twice the target, and the first three fill
  0.3, 0.5 and 0.75 of the limit of nodes.
- Candidates of the turn come before those of the river, then the gain for a node decides; a hand counts by three
  parts of its average reach and one part of its reach under a best response.
- The rule is `dcfr`: behind a new bet stands a copy of what is played behind the nearest one, and the clock goes
  back to 20. Theorems 1 and 2 are about `cfr` and `lcfr`, which play recovery games.

All of this was chosen on three of the turns above, one setting for all spots.
"""
MOST_SPACED = 12
"""Sizes of an evenly spaced tree at most."""


@dataclass(frozen=True)
class Tree:
    """A tree of a spot, solved, and measured in the spot with all candidates."""

    spot: str
    tree: str
    sizes: str
    nodes: int
    """Public nodes x hands."""
    exploitability: float
    """In its own tree, in percent of the pot, ..."""
    full_exploitability: float
    """... and in the spot with all candidates."""
    seconds: float
    """Building and solving, kernels compiled."""
    iterations: int
    added: int = 0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    names: Sequence[str] = tuple(SPOTS),
    threads: int = 1,
    kept: Path | None = None,
    watch: Watch | None = None,
) -> list[Tree]:
    """Solve all trees of these spots; `kept` names a file of finished ones to go on from."""
    say, found = saying(watch), list[Tree]()
    runs = KeptRuns(kept, {"until": UNTIL, "auto": str(AUTO), "threads": threads})
    for name in names:
        larger: LargerTree | None = None
        nodes: dict[str, int] = {}
        for tree, sizes in _trees(name, nodes):
            setting = {"spot": name, "tree": tree}
            if (row := runs.find(setting)) is None:
                say(f"{name}: {tree}")
                larger = larger or LargerTree(holdem_game(_spot(name, AUTO.all)), threads)
                row = _solved(name, tree, sizes, larger, threads).as_dict()
                runs.add(setting, row)
            found.append(Tree(**row))
            nodes[tree] = found[-1].nodes
    return found


def _spot(name: str, bets: str) -> Spot:
    return Spot(**SPOTS[name], bets=bets, raises=RAISES)


def _trees(name: str, nodes: dict[str, int]) -> Iterator[tuple[str, str]]:
    """The trees of a spot with their bets; spaced ones have at most the nodes of the grown one."""
    yield GROWN, str(AUTO)
    yield FULL, AUTO.all
    for sizes in TWO_SIZES:
        yield sizes, f"{sizes},a"
    for count in range(2, MOST_SPACED):
        even = [f"{100 * (0.25 + 2.75 * k / (count - 1)):.6g}%" for k in range(count)]
        for how, spaced in (("even", even), ("geometric", AutoSizes(steps=count).percentages)):
            bets = ",".join([*spaced, "a"])
            if public_nodes(holdem_game(_spot(name, bets))) <= nodes[GROWN]:
                yield f"{count} {how}", bets


def _solved(name: str, tree: str, sizes: str, larger: LargerTree, threads: int) -> Tree:
    options: dict[str, Any] = {"until": UNTIL, "threads": threads}
    spot = {**SPOTS[name], "raises": RAISES}
    if tree == GROWN:
        options["sizes"] = sizes
    else:
        spot["bets"] = sizes
    spent, again = math.inf, TIMED
    while again and (spent == math.inf or spent < SHORT):
        start = time.perf_counter()
        result = solve_spot(spot, SpotSettings.of(options))
        spent, again = min(spent, time.perf_counter() - start - result.compile_seconds), again - 1
    solver: HoldemSolver = result.solver
    measured = larger.exploitability(solver.game, solver.average)
    found = result.sizes_found
    return Tree(
        name,
        tree,
        sizes,
        public_nodes(solver.game),
        result.exploitability_percent,
        100 * measured / POT,
        spent,
        result.iterations,
        0 if found is None else len(found.added),
    )


def bars(rows: Sequence[Tree]) -> list[Bar]:
    """What we had set ourselves, by spot."""
    made: list[Bar] = []
    for name in dict.fromkeys(row.spot for row in rows):
        here = {row.tree: row for row in rows if row.spot == name}
        grown, full = here[GROWN], here[FULL]
        two = min(here[sizes].full_exploitability for sizes in TWO_SIZES)
        spaced = [
            row.full_exploitability for tree, row in here.items() if tree.split()[-1] in ("even", "geometric")
        ]
        part, seconds = grown.nodes / full.nodes, grown.seconds / full.seconds
        more = grown.full_exploitability - full.full_exploitability
        mine = f"{grown.full_exploitability:.3f} %"
        made += [
            Bar(f"{name}: nodes", "at most 1/3 of the full tree's", f"{part:.3f}", part <= 1 / 3),
            Bar(
                f"{name}: exploitability", "at most 0.3 % above the full tree's", f"{more:.3f} %", more <= 0.3
            ),
            Bar(f"{name}: two sizes", f"below the best, {two:.3f} %", mine, grown.full_exploitability < two),
            Bar(f"{name}: seconds", "at most 0.5 of the full tree's", f"{seconds:.2f}", seconds <= 0.5),
        ]
        if spaced:
            best = min(spaced)
            made.append(
                Bar(
                    f"{name}: spaced", f"below the best, {best:.3f} %", mine, grown.full_exploitability < best
                )
            )
    return made


def _so_what(more: float, seconds: float) -> str:
    """What follows for a user, from the worst spot: percent of the pot and seconds beside the full tree's."""
    if seconds >= 1:
        return (
            "Where the full tree is solved in a moment, as on rivers, give its sizes; `solvent spot --sizes auto` "
            "is for trees that are too large, and for knowing which sizes matter."
        )
    quicker = f"{more:.2f} % of the pot more exploitable than the full tree, in {seconds:.2f} of its seconds"
    return f"`solvent spot --sizes auto` finds a smaller tree that is at most {quicker}."


def write_results(rows: Sequence[Tree], page: Path, command: str) -> None:
    """Write the results page, and its figures beside it; the file of finished runs goes."""
    found = bars(rows)
    met = sum(bar.met for bar in found)
    grown, full = ([row for row in rows if row.tree == tree] for tree in (GROWN, FULL))
    more = max(a.full_exploitability - b.full_exploitability for a, b in zip(grown, full, strict=True))
    part = max(a.nodes / b.nodes for a, b in zip(grown, full, strict=True))
    seconds = max(a.seconds / b.seconds for a, b in zip(grown, full, strict=True))
    reading = Reading(
        "Actions added while solving, where they pay, give a small tree that holds against all sizes (SAEF).",
        f"On {len(grown)} spots the trees that were grown have at most {part:.2f} of the full tree's nodes, are at "
        f"most {more:.2f} % of the pot more exploitable in the spot with all candidates, and take at most "
        f"{seconds:.2f} of its seconds; {met} of {len(found)} bars are met.",
        _so_what(more, seconds),
    )
    header = [
        "spot",
        "tree",
        "nodes x hands",
        "own, % of pot",
        "all candidates, % of pot",
        "seconds",
        "iterations",
    ]
    lines = [
        [
            row.spot,
            row.tree + (f" ({row.added} added)" if row.added else ""),
            f"{row.nodes:,}",
            f"{row.exploitability:.3f}",
            f"{row.full_exploitability:.3f}",
            f"{row.seconds:.2f}",
            f"{row.iterations:,}",
        ]
        for row in rows
    ]
    figures = {
        "most_nodes": part,
        "most_more_exploitable": more,
        "most_seconds": seconds,
        "bars_met": float(met),
    }
    body = (
        "Every tree is solved to 0.3 % of the pot in itself, then measured in the spot with all 16 candidates. "
        f"Solves of less than a second are timed {TIMED} times, and the least counts.\n\n"
        + markdown_table(header, lines)
        + "\n"
        + NOT_THE_PAPERS
    )
    write_page(page, "Bet sizes that the solver finds", command, reading, body, figures, found)
    kept_file(page).unlink(missing_ok=True)
