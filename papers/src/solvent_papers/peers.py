"""Solvent beside OpenSpiel's C++ solvers and LiteEFG: seconds per iteration, and to a given exploitability.

In `bench peers` all run CFR+ with alternating updates and linear averages on the same OpenSpiel games, in one
process and in turn. Solvent's default rule stands beside it, because that is what users get. LiteEFG is measured
where it is installed. In `bench openspiel` vanilla CFR with alternating updates runs on the same tree in
OpenSpiel's `CFRSolver` and on our plans. Batches take turns, each long enough that no solver starts cold; medians
are reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import Any, NamedTuple

from solvent.engines.history.solver import HistorySolver
from solvent.engines.solver import compile_seconds
from solvent.forms.history import GameTree, compile_tree
from solvent.games.openspiel import load_openspiel
from solvent_papers.frame.experiment import Experiment, Found, Part, Say, option
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import BATCH_SECONDS, InterleavedSetup, repeated, seconds_of, time_in_turn

GROWTH = 1.2
"""The number of iterations from one measurement of exploitability to the next grows by this factor."""
OURS, THEIRS, LITE_EFG = "solvent", "OpenSpiel", "LiteEFG"
PLANS = ("serial", "auto")
OPENSPIEL = "openspiel"


@dataclass(frozen=True)
class PeersSetup(InterleavedSetup):
    """Games, repeats, and how far each solver runs."""

    target: float = option(1e-4, "Exploitability to reach, in chips.", 1e-12)
    patience: float = option(180.0, "Seconds of iterating after which a solver is given up.", 0)


class Peer(NamedTuple):
    """A solver of one game from one library."""

    library: str
    rule: str
    iterate: Callable[[int], None]
    """Run a number of iterations."""
    exploitability: Callable[[], float]
    """NashConv / 2 of the average strategy, in chips, by the library itself."""

    @property
    def name(self) -> str:
        return f"{self.library} {self.rule}"


def measure(setup: PeersSetup, kept: KeptRuns, say: Say) -> Found:
    """Time every library on every game, then run each one to the target."""
    rows = []
    for name in setup.games:
        rows += kept.once({"game": name}, _measure_game, name, setup, say)
    return {"rows": rows}


def _measure_game(name: str, setup: PeersSetup, say: Say) -> list[Found]:
    """Return a row for each solver of a game; seconds are those of iterating, without measuring."""
    say(f"{name}: compiling the game and the kernels")
    game = load_openspiel(name)
    tree = compile_tree(game)
    for rule in ("cfr+", "dcfr"):
        HistorySolver(tree, rule).warm_up()
    timed = {peer.name: peer.iterate for peer in peers(tree, game.game)}
    times = time_in_turn(timed, setup.repeats, time.perf_counter, 1, f"{name}: ", say)
    rows = []
    for peer in peers(tree, game.game):
        say(f"{name}: {peer.name} to {setup.target:g}")
        iterations, spent, reached = approach(peer, setup.target, setup.patience)
        seconds = median(times[peer.name])
        rows.append(
            {
                "game": name,
                "library": peer.library,
                "rule": peer.rule,
                "seconds": seconds,
                "by_ours": seconds / median(times[f"{OURS} cfr+"]),
                "iterations": iterations,
                "seconds_to_target": spent if reached <= setup.target else None,
                "exploitability": reached,
            }
        )
    return rows


def peers(tree: GameTree, game: Any) -> list[Peer]:
    """Return new solvers of one game, of every library that is installed; `game` is OpenSpiel's."""
    found = [_ours(tree, "cfr+"), _ours(tree, "dcfr"), _openspiel(game)]
    if find_spec("LiteEFG") is not None:
        found.append(_lite_efg(game))
    return found


def approach(peer: Peer, target: float, patience: float) -> tuple[int, float, float]:
    """Run a solver to an exploitability of `target`: iterations, seconds of iterating, and what was reached."""
    done, seconds, found = 0, 0.0, float("inf")
    goal = 16
    while found > target and seconds < patience:
        seconds += seconds_of(peer.iterate, goal - done)
        done, goal = goal, int(goal * GROWTH) + 1
        found = peer.exploitability()
    return done, seconds, found


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


EXPERIMENT = Experiment(
    "peers",
    "CFR+ beside others",
    PeersSetup,
    (Part("libraries", measure),),
    lambda found: {"batch_seconds": BATCH_SECONDS, "growth": GROWTH},
    verb="bench",
)


# Plans beside OpenSpiel


@dataclass(frozen=True)
class SpeedSetup(InterleavedSetup):
    """Games, repeats and threads."""

    threads: int = option(1, "Threads for plans that use them.", 1, 1024)


def measure_plans(setup: SpeedSetup, kept: KeptRuns, say: Say) -> Found:
    """Time every game on every plan, in seconds of one iteration that updates both players."""
    import pyspiel

    rows = []
    for name in setup.games:
        say(f"{name}: compiling the game")
        game = load_openspiel(name)
        tree = compile_tree(game)
        theirs = repeated(pyspiel.CFRSolver(game.game).evaluate_and_update_policy)
        theirs(1)  # the first iteration builds their tables
        solvers = {plan: HistorySolver(tree, "cfr", plan=plan, threads=setup.threads) for plan in PLANS}
        say("compiling kernels (once per machine)")
        compiling = {plan: compile_seconds(solver.warm_up) for plan, solver in solvers.items()}
        run: dict[str, Callable[[int], None]] = {plan: solver.run for plan, solver in solvers.items()}
        run[OPENSPIEL] = theirs
        times = time_in_turn(run, setup.repeats, time.perf_counter, 1, f"{name}: ", say)
        for plan, solver in solvers.items():
            seconds, openspiel = median(times[plan]), median(times[OPENSPIEL])
            rows.append(
                {
                    "game": name,
                    "plan": plan,
                    "runs_as": solver.plan.name,
                    "threads": solver.threads,
                    "openspiel_seconds": openspiel,
                    "seconds": seconds,
                    "ratio": openspiel / seconds,
                    "compile_seconds": compiling[plan],
                    "histories": tree.histories,
                    "nanoseconds_per_history": seconds / (2 * tree.histories) * 1e9,
                }
            )
    return {"rows": rows}


OPENSPIEL_SPEED = Experiment(
    "openspiel",
    "CFR iterations against OpenSpiel's",
    SpeedSetup,
    (Part("iterations", measure_plans),),
    lambda found: {"batch_seconds": BATCH_SECONDS},
    verb="bench",
)
