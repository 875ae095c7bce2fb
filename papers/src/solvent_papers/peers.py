"""Solvent beside OpenSpiel's C++ solver and LiteEFG: seconds per iteration, and to a given exploitability.

All run CFR+ with alternating updates and linear averages on the same OpenSpiel games, in one process and in turn.
Solvent's default rule stands beside it, because that is what users get. LiteEFG is measured where it is installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from solvent.engines.history.solver import HistorySolver
from solvent.forms.history import GameTree, compile_tree
from solvent.foundation.progress import Watch
from solvent.foundation.units import span
from solvent.games.openspiel import load_openspiel
from solvent_papers.interleaved import BATCH_SECONDS, repeated, time_in_turn
from solvent_papers.page import Reading, Summary, markdown_table, write_page
from solvent_papers.steps import saying

GAMES = ("leduc_poker", "liars_dice")
REPEATS = 9
TARGET = 1e-4
GROWTH = 1.2
"""The number of iterations from one measurement of exploitability to the next grows by this factor."""
PATIENCE = 180.0
"""Seconds of iterating after which a solver is given up."""
OURS, THEIRS, LITE_EFG = "solvent", "OpenSpiel", "LiteEFG"


class Peer(NamedTuple):
    """One library's solver of one game."""

    library: str
    rule: str
    iterate: Callable[[int], None]
    """Run so many more iterations."""
    exploitability: Callable[[], float]
    """NashConv / 2 of the average strategy, in chips, by the library itself."""


@dataclass(frozen=True)
class Row:
    """One library on one game."""

    game: str
    library: str
    rule: str
    seconds: float
    """Seconds that an iteration takes; it updates both players."""
    iterations: int
    """Run until the target was measured, or until patience ran out."""
    seconds_to_target: float | None
    """Seconds of iterating, without measuring; None: not reached."""
    exploitability: float
    """At the end, in chips."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    games: Sequence[str] = GAMES,
    target: float = TARGET,
    repeats: int = REPEATS,
    patience: float = PATIENCE,
    watch: Watch | None = None,
) -> list[Row]:
    """Time every library on every game, then run each one to the target."""
    say = saying(watch)
    rows = []
    for name in games:
        say(f"{name}: compiling the game and the kernels")
        game = load_openspiel(name)
        tree = compile_tree(game)
        for rule in ("cfr+", "dcfr"):
            HistorySolver(tree, rule).warm_up()
        timed = {peer.library + peer.rule: peer for peer in peers(tree, game.game)}
        times = time_in_turn(
            {key: peer.iterate for key, peer in timed.items()},
            repeats,
            time.perf_counter,
            1,
            f"{name}: ",
            say,
        )
        for peer in peers(tree, game.game):
            say(f"{name}: {peer.library} with {peer.rule} to {target:g}")
            iterations, seconds, reached = approach(peer, target, patience)
            found = seconds if reached <= target else None
            per_iteration = median(times[peer.library + peer.rule])
            rows.append(Row(name, peer.library, peer.rule, per_iteration, iterations, found, reached))
    return rows


def peers(tree: GameTree, game: Any) -> list[Peer]:
    """The solvers of one game that are installed; `game` is OpenSpiel's."""
    found = [_ours(tree, "cfr+"), _ours(tree, "dcfr"), _openspiel(game)]
    if find_spec("LiteEFG") is not None:
        found.append(_lite_efg(game))
    return found


def approach(peer: Peer, target: float, patience: float) -> tuple[int, float, float]:
    """Run a solver to an exploitability of `target`: iterations, seconds of iterating, and what was reached."""
    done, seconds, found = 0, 0.0, float("inf")
    goal = 16
    while found > target and seconds < patience:
        start = time.perf_counter()
        peer.iterate(goal - done)
        seconds += time.perf_counter() - start
        done, goal = goal, int(goal * GROWTH) + 1
        found = peer.exploitability()
    return done, seconds, found


def summary(rows: Sequence[Row]) -> Summary:
    """The table that the command prints."""
    header = ["game", "solver", "an iteration", "iterations", "to the target", "reached"]
    return Summary("CFR+ beside others", header, [_shown(row) for row in rows], rows)


def write_results(
    rows: Sequence[Row],
    page: Path,
    target: float = TARGET,
    repeats: int = REPEATS,
    patience: float = PATIENCE,
) -> None:
    """Write the results page."""
    installed = "" if any(row.library == LITE_EFG for row in rows) else ", which was not installed"
    about = (
        "The same OpenSpiel games in one process: CFR+ with alternating updates and linear averages by each "
        "library, and solvent's default rule. OpenSpiel's is its C++ `CFRPlusSolver`; LiteEFG's its `CFRplus` "
        f"baseline with linear averages{installed}. An iteration updates both players; batches of "
        f"{BATCH_SECONDS} s in turn, median of {repeats}. To the target of {target:g} chips (NashConv / 2, "
        "measured by each library) only iterating is counted, not measuring; the number of iterations grows by a "
        f"factor of {GROWTH} from one measurement to the next, so a run may go on for up to {GROWTH - 1:.0%} more "
        f"iterations than it needs; a solver is given up after {patience:g} s. LiteEFG's README gives 100 µs and "
        "72 ms for its iterations on another machine. One thread for solvent; the others run as they come.\n\n"
    )
    shown = summary(rows)
    write_page(
        page,
        shown.title,
        f"solvent bench peers --target {target:g} --repeats {repeats} --patience {patience:g}",
        _reading(rows),
        about + markdown_table(shown.header, shown.rows),
    )


def _reading(rows: Sequence[Row]) -> Reading:
    found = []
    for library in (THEIRS, LITE_EFG):
        ratios = [
            row.seconds
            / next(r.seconds for r in rows if (r.game, r.library, r.rule) == (row.game, OURS, "cfr+"))
            for row in rows
            if row.library == library
        ]
        if ratios:
            found.append(f"{min(ratios):,.0f} to {max(ratios):,.0f} times as quick as {library}'s")
    return Reading(
        "Compiled plans over whole tables are quicker than the tree walks and graphs of other libraries.",
        f"An iteration of CFR+ is {' and '.join(found)} on the same games.",
        "Rules can be compared to low exploitabilities in seconds.",
    )


def _shown(row: Row) -> list[str]:
    reached = "not reached" if row.seconds_to_target is None else span(row.seconds_to_target)
    return [
        row.game,
        f"{row.library} {row.rule}",
        span(row.seconds),
        f"{row.iterations:,}",
        reached,
        f"{row.exploitability:.1e}",
    ]


def _ours(tree: GameTree, rule: str) -> Peer:
    solver = HistorySolver(tree, rule)
    return Peer(OURS, rule, solver.run, lambda: solver.evaluate().exploitability)


def _openspiel(game: Any) -> Peer:
    import pyspiel

    solver = pyspiel.CFRPlusSolver(game)
    solver.evaluate_and_update_policy()  # The first iteration builds its tables.
    return Peer(
        THEIRS,
        "cfr+",
        repeated(solver.evaluate_and_update_policy),
        lambda: float(pyspiel.exploitability(game, solver.average_policy())),
    )


def _lite_efg(game: Any) -> Peer:
    import LiteEFG
    from LiteEFG.baselines import CFRplus

    environment = LiteEFG.OpenSpielEnv(game, traverse_type="Enumerate")
    graph = CFRplus.graph()
    environment.set_graph(graph)

    def iterate() -> None:
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())

    def exploitability() -> float:
        return float(sum(environment.exploitability(graph.current_strategy(), "linear-avg-iterate"))) / 2

    return Peer(LITE_EFG, "cfr+", repeated(iterate), exploitability)
