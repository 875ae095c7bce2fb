"""A game where pruning matters: what total pruning takes in memory and time, and what the whole game takes.

Leduc with more ranks and many bet sizes, unrolled from its public form: tens of millions of histories, more
than ten million infoset-actions.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from solvent.experiments.page import Reading, bytes_text, markdown_table, write_csv, write_page
from solvent.experiments.steps import Say, saying
from solvent.forms.history import GameTree, compile_tree
from solvent.forms.public import public_game
from solvent.forms.unroll import unroll
from solvent.foundation.errors import InputError
from solvent.foundation.extras import pyplot
from solvent.foundation.kernels.memory import give_back_memory, status
from solvent.foundation.progress import Watch
from solvent.games.catalogue import load_game
from solvent.games.leduc import Leduc
from solvent.games.public_rules import PublicRules
from solvent.solvers.history.solver import HistorySolver
from solvent.solvers.pruned.history.solver import PrunedSolver
from solvent.solvers.pruned.pruning import Pruning

SIZES = 15
GAME = "leduc(ranks=4,bets1=[{}],bets2=[{}])".format(
    ",".join(f"{k}" for k in range(1, SIZES + 1)), ",".join(f"{2 * k}" for k in range(1, SIZES + 1))
)
"""11 million infoset-actions in 42 million histories: bets of 1 to 15 chips, then of 2 to 30."""
ITERATIONS = 200
MEMORY = 20 << 30


@dataclass(frozen=True)
class Point:
    """A check of one solve."""

    pruning: str
    iterations: int
    seconds: float
    """Seconds of solving so far, without checks."""
    exploitability: float
    nodes_touched: int
    response_nodes: int
    stored_regrets: float
    stored_averages: float
    table_bytes: int
    resident_bytes: int | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Larger:
    """What was measured of one game."""

    game: str
    infoset_actions: int
    histories: int
    points: tuple[Point, ...]

    def of(self, pruning: str) -> list[Point]:
        return [point for point in self.points if point.pruning == pruning]

    @property
    def largest(self) -> Point:
        """Where the process was largest with total pruning: its arrays become resident as they are first used."""
        return max(self.of("total"), key=lambda point: (point.resident_bytes or 0, point.table_bytes))

    @property
    def freed(self) -> int:
        """Bytes of tables that total pruning freed from there to the end."""
        return self.largest.table_bytes - self.of("total")[-1].table_bytes

    @property
    def given_back(self) -> int | None:
        """By how much resident memory fell meanwhile."""
        most, last = self.largest.resident_bytes, self.of("total")[-1].resident_bytes
        return None if most is None or last is None else most - last


def larger_game(game: str = GAME, iterations: int = ITERATIONS, watch: Watch | None = None) -> Larger:
    """Solve a game with total pruning and without, one after the other on one tree."""
    rules = load_game(game)
    if not isinstance(rules, PublicRules):
        raise InputError(f"{game} has no public form to be unrolled from")
    for make in (_total, _none):  # kernels, on a small game
        make(compile_tree(Leduc())).run(40)
    say = saying(watch)
    say(f"unrolling {game}")
    tree, _ = unroll(public_game(rules, isomorphism=False), MEMORY)
    points = [*_trace(tree, "total", iterations, say), *_trace(tree, "none", iterations, say)]
    return Larger(game, tree.cells, tree.histories, tuple(points))


def _total(tree: GameTree) -> PrunedSolver:
    return PrunedSolver(tree, "cfr", "alternating", Pruning("total", average=0.1), "float64")


def _none(tree: GameTree) -> HistorySolver:
    return HistorySolver(tree, "cfr", "alternating", "serial", dtype="float64")


def _trace(tree: GameTree, pruning: str, iterations: int, say: Say) -> list[Point]:
    solver = _total(tree) if pruning == "total" else _none(tree)
    seconds, points = 0.0, []
    for check in _checks(iterations):
        start = time.perf_counter()
        solver.run(check - solver.iterations)
        seconds += time.perf_counter() - start
        gc.collect()
        give_back_memory()
        resident = status("VmRSS")
        exploitability = solver.evaluate().exploitability
        points.append(
            Point(
                pruning,
                check,
                seconds,
                exploitability,
                solver.nodes_touched,
                solver.response_nodes,
                solver.stored_regrets,
                solver.stored_averages,
                solver.table_bytes,
                resident,
            )
        )
        say(f"{pruning}: iteration {check}, {seconds:.0f} s, exploitability {exploitability:.3g}")
    return points


def _checks(iterations: int) -> list[int]:
    """1, 2, 5, 10, ... and the last."""
    steps = [digit * 10**power for power in range(7) for digit in (1, 2, 5)]
    return [step for step in steps if step < iterations] + [iterations]


def write_larger_game(result: Larger, page: Path, command: str) -> None:
    """The results page with its CSV and picture."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(result.points, page.with_suffix(".csv"))
    _plot(result, page.with_suffix(".png"))
    total, none = result.of("total"), result.of("none")
    back = result.given_back
    text = (
        f"{result.game}: {result.infoset_actions:,} infoset-actions, {result.histories:,} histories. CFR, "
        "alternating updates, serial plan, one thread, float64, history form; total pruning with C = 0.1. "
        "Seconds are of solving, checks apart; resident memory is that of the process, with the tree and the "
        "vectors of the passes in it. *Tables* are regrets, averages and what pruning keeps for each infoset."
    )
    verdict = (
        f"From iteration {result.largest.iterations:,}, when the process was largest, to the end total pruning "
        f"freed {bytes_text(result.freed)} of tables, and resident memory fell by {bytes_text(back)}"
        + (f", {back / result.freed:.0%} of it." if back is not None and result.freed else ".")
        + f" At iteration {total[-1].iterations:,} it had taken {total[-1].seconds:.0f} s and the whole game "
        f"{none[-1].seconds:.0f} s; the last part of the way, from iteration {total[-2].iterations:,}, took "
        f"{_rate(total):.2f} s an iteration against {_rate(none):.2f} s."
    )
    body = "\n\n".join([text, f"![memory and time]({page.stem}.png)", verdict, _table(total), _table(none)])
    title = "A larger game: total pruning in memory and time"
    write_page(page, title, command, _reading(result), body, figures(result))


def figures(result: Larger) -> dict[str, float]:
    """Return what total pruning stores and takes on the larger game, by what the game takes without."""
    total, none = result.of("total"), result.of("none")
    last, plain = total[-1], none[-1]
    found = {
        "infoset-actions": float(result.infoset_actions),
        "regrets": last.stored_regrets,
        "averages": last.stored_averages,
        "stored": (last.stored_regrets + last.stored_averages) / 2,
        "factor": 2 / (last.stored_regrets + last.stored_averages),
        "seconds.total by none": last.seconds / plain.seconds,
        "nodes.none by total": plain.nodes_touched / last.nodes_touched,
        "exploitability.total by none": last.exploitability / plain.exploitability,
        "tables.total by none": last.table_bytes / plain.table_bytes,
    }
    peaks = [max((point.resident_bytes or 0) for point in points) for points in (total, none)]
    if all(peaks):
        found["peak resident.total by none"] = peaks[0] / peaks[1]
    return found


def _reading(result: Larger) -> Reading:
    total, none, back = result.of("total")[-1], result.of("none")[-1], result.given_back
    part = (
        f" ({back / result.freed:.0%} of what the tables freed)" if back is not None and result.freed else ""
    )
    return Reading(
        "Brown and Sandholm: total pruning saves time and memory, and more of both on larger games.",
        f"After {total.iterations:,} iterations regrets are down to {total.stored_regrets:.0%} and it has taken "
        f"{total.seconds:.0f} s instead of {none.seconds:.0f} s, at nearly the same exploitability. The process "
        "gave "
        f"{bytes_text(back)} back{part}, but its peak was {bytes_text(result.largest.resident_bytes)}, against "
        f"{bytes_text(none.resident_bytes)} without pruning.",
        "Pruning saves time on a large game. Memory falls late, so it does not make a game fit that did not fit "
        "before.",
    )


def _rate(points: Sequence[Point]) -> float:
    last, before = points[-1], points[-2]
    return (last.seconds - before.seconds) / (last.iterations - before.iterations)


def _table(points: Sequence[Point]) -> str:
    header = ("pruning", "iterations", "seconds", "exploitability", "nodes", "best responses", "regrets",
              "averages", "tables", "resident")  # fmt: skip
    rows = [
        (
            point.pruning,
            f"{point.iterations:,}",
            f"{point.seconds:.1f}",
            f"{point.exploitability:.4g}",
            f"{point.nodes_touched:.3g}",
            f"{point.response_nodes:.3g}",
            f"{point.stored_regrets:.3f}",
            f"{point.stored_averages:.3f}",
            bytes_text(point.table_bytes),
            bytes_text(point.resident_bytes),
        )
        for point in points
    ]
    return markdown_table(header, rows)


def _plot(result: Larger, path: Path) -> None:
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(11, 4.2))
    for pruning in ("none", "total"):
        points = result.of(pruning)
        steps = [point.iterations for point in points]
        left.plot(steps, [point.table_bytes / 2**20 for point in points], label=f"tables, {pruning}")
        right.plot([p.seconds for p in points], [p.exploitability for p in points], "o-", label=pruning)
    points = [point for point in result.of("total") if point.resident_bytes is not None]
    if points:
        lowest = min(point.resident_bytes or 0 for point in points)
        above = [((point.resident_bytes or 0) - lowest) / 2**20 for point in points]
        left.plot([p.iterations for p in points], above, "--", label="resident above its least, total")
    left.set(xscale="log", xlabel="iterations", ylabel="MiB", title="memory")
    right.set(xscale="log", yscale="log", xlabel="seconds", ylabel="exploitability, chips", title="time")
    for axes in (left, right):
        axes.legend()
        axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot().close(figure)
