"""`solvent bench sizes`: bet sizes that the solver finds, against the full tree, two-size trees and spaced trees.

On each spot, which is a part, every tree is solved to 0.3 % of the pot, and its strategy is measured in the spot
with all candidates, where bets that the tree lacks are answered through the randomised pseudo-harmonic mapping.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from solvent.engines.holdem.growing.candidates import AutoSizes
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.table_views import public_nodes
from solvent.engines.holdem.translated.response import LargerTree
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.foundation.kernels.threads import MOST_THREADS
from solvent.games.holdem.spot import Spot
from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say, Setup, option
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import timed

OOP = "22+,A2s+,K9s+,QTs+,JTs,T9s,98s,87s,76s,65s,ATo+,KJo+,QJo"
IP = "22+,A2s+,K8s+,Q9s+,J9s+,T8s+,97s+,86s+,75s+,65s,54s,A8o+,KTo+,QTo+,JTo"
POT = 100
COMMON: dict[str, Any] = {"oop": OOP, "ip": IP, "pot": POT, "cap": 2}
SPOTS: dict[str, dict[str, Any]] = {
    f"{board}, {stack / POT:g} pots": COMMON | {"board": board, "stack": stack}
    for board in ("Ks7d2c9h4s", "Ks7d2c9h", "Td9d6hQc")
    for stack in (450, 2000)
}
RAISES = "100%,a"
SMALL_RANGES = {"oop": "99+,AKs,KQs", "ip": "TT+,AQs,76s"}
TWO_SIZES = (
    "25%,75%", "25%,100%", "33%,66%", "33%,75%", "33%,100%", "50%,100%", "50%,150%", "66%,150%", "75%,200%",
    "100%,200%",
)  # fmt: skip
FULL, GROWN = "full", "found"
SPACED = ("even", "geometric")
SHORT, TIMED = 1.0, 5
"""Solves of fewer seconds are timed this often, and the least counts: the first of a process takes longest."""


@dataclass(frozen=True)
class SizesSetup(Setup):
    """Threads; at small scale there are few hands and few candidates."""

    threads: int = option(1, "Threads.", 1, MOST_THREADS)

    @property
    def auto(self) -> AutoSizes:
        """The candidates, and the limits of the tree that is found."""
        return AutoSizes(steps=6, at_most=6, nodes=0.6) if self.small else AutoSizes()

    @property
    def until(self) -> str:
        """The exploitability at which solves stop."""
        return "1%" if self.small else "0.3%"

    def spot(self, name: str) -> dict[str, Any]:
        """Return the parameters of a spot, without its bets."""
        return {**SPOTS[name], "raises": RAISES, **(SMALL_RANGES if self.small else {})}


def measure(name: str, setup: SizesSetup, kept: KeptRuns, say: Say) -> Found:
    """Solve all trees of a spot, and compare the one that was found with the full tree."""

    @cache
    def larger() -> LargerTree:
        return LargerTree(_game(setup.spot(name), setup.auto.all), setup.threads)

    rows = dict[str, Found]()
    for tree, sizes in _trees(setup, name, rows):
        say(tree)
        rows[tree] = kept.once({"tree": tree}, _solved, setup, name, tree, sizes, larger)
    grown, full = rows[GROWN], rows[FULL]
    return {
        "spot": name,
        "until": setup.until,
        "candidates": setup.auto.steps,
        "nodes": grown["nodes"] / full["nodes"],
        "more_exploitable": grown["full_exploitability"] - full["full_exploitability"],
        "seconds": grown["seconds"] / full["seconds"],
        "trees": list(rows.values()),
    }


def _game(spot: Mapping[str, Any], bets: str) -> HoldemGame:
    return holdem_game(Spot(**spot, bets=bets))


def _trees(setup: SizesSetup, name: str, rows: Mapping[str, Found]) -> Iterator[tuple[str, str]]:
    """Yield the trees of a spot with their bets; spaced ones have at most the nodes of the grown one."""
    yield GROWN, str(setup.auto)
    yield FULL, setup.auto.all
    for sizes in TWO_SIZES:
        yield sizes, f"{sizes},a"
    for count in range(2, 4 if setup.small else 12):
        even = [f"{100 * (0.25 + 2.75 * k / (count - 1)):.6g}%" for k in range(count)]
        for way, spaced in zip(SPACED, (even, AutoSizes(steps=count).percentages), strict=True):
            bets = ",".join([*spaced, "a"])
            if public_nodes(_game(setup.spot(name), bets)) <= rows[GROWN]["nodes"]:
                yield f"{count} {way}", bets


def _solved(setup: SizesSetup, name: str, tree: str, sizes: str, larger: Callable[[], LargerTree]) -> Found:
    """Solve a tree and measure it, in % of the pot: in itself, and in the spot with all candidates, `larger`.

    `nodes` are public nodes times hands, `seconds` those of building and solving, kernels compiled.
    """
    finding = tree == GROWN
    settings = SpotSettings(until=setup.until, threads=setup.threads, sizes=sizes if finding else None)
    spot = setup.spot(name) if finding else {**setup.spot(name), "bets": sizes}
    spent, again = math.inf, 1 if setup.small else TIMED
    while again and (spent == math.inf or spent < SHORT):
        result, seconds = timed(solve_spot, spot, settings)
        spent, again = min(spent, seconds - result.compile_seconds), again - 1
    solver: HoldemSolver = result.solver
    measured = larger().exploitability(solver.game, solver.average)
    return {
        "tree": tree,
        "sizes": sizes,
        "nodes": public_nodes(solver.game),
        "exploitability": result.exploitability_percent,
        "full_exploitability": 100 * measured / POT,
        "seconds": spent,
        "iterations": result.iterations,
        "added": 0 if result.sizes_found is None else len(result.sizes_found.added),
    }


def figures(found: Found) -> dict[str, float]:
    """Return the figures of a spot: what was found beside the full tree, two-size trees and spaced ones."""
    spot, trees = found["spot"], {row["tree"]: row["full_exploitability"] for row in found["trees"]}
    result = {f"{spot}.{name}": found[name] for name in ("nodes", "more_exploitable", "seconds")}
    result |= {
        f"{spot}.found": trees[GROWN],
        f"{spot}.best of two sizes": min(trees[sizes] for sizes in TWO_SIZES),
    }
    spaced = [value for tree, value in trees.items() if tree.endswith(SPACED)]
    return {**result, f"{spot}.best spaced": min(spaced)} if spaced else result


def view(found: Findings) -> dict[str, Any]:
    """Return the spots that have been measured, and the worst of each comparison with the full tree."""
    spots = list(found.values())
    names = ("nodes", "more_exploitable", "seconds") if spots else ()
    return {
        "spots": spots,
        "timed": TIMED,
        "worst": {name: max(each[name] for each in spots) for name in names},
    }


EXPERIMENT = Experiment(
    "sizes",
    "Bet sizes that the solver finds",
    SizesSetup,
    tuple(Part(name, partial(measure, name), figures) for name in SPOTS),
    view,
    verb="bench",
)
