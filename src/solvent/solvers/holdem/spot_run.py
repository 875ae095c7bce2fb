"""Solve a spot to a target: what it costs, its iterations and measurements, and what the result is worth.

spot = {"board": "Td9d6hQc2s", "oop": "QQ+,AKs", "ip": "JJ-99", "pot": 200, "stack": 900, "bets": "50%,a"}
result = solve_spot(spot, SpotSettings(until="0.3%"))
result.exploitability_percent, result.ev, result.root_actions
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import cards_label
from solvent.cards.equities import equity
from solvent.cards.hands import hole_cards
from solvent.cards.ranges import Range
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.forms.holdem.sizing import HoldemSize, holdem_size
from solvent.forms.holdem.tree import DECISION, holdem_tree
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import peak_memory
from solvent.foundation.progress import SIZED, Progress, Stop, Watch, interruptible
from solvent.games.spot import Spot
from solvent.response.holdem import HoldemEvaluation
from solvent.solvers.holdem.lock_text import parse_lock
from solvent.solvers.holdem.solver import HoldemSolver
from solvent.solvers.holdem.spot_cost import check_memory, describe_size
from solvent.solvers.holdem.spot_settings import (
    DEFAULT_UNTIL,
    MOST_DEFAULT_ITERATIONS,
    SpotSettings,
    target_chips,
)
from solvent.solvers.session import Limits, Session

COMPILING_KERNELS, BUILDING, SOLVING = "compiling kernels", "building", "solving"
CHUNK_SECONDS = 0.2
"""How long a compiled call may keep Ctrl-C, the clock and the progress display waiting."""
EVERY, EVERY_RAKED = 10, 20
"""Iterations between measurements where a solve stops at an exploitability. Best responses take about as long as an
iteration; with rake the values of both players are computed besides, so that measuring takes a tenth either way."""
GROWTH = 1.5
"""How many times more iterations there are at one measurement than at the one before where nothing waits for it."""


@dataclass(frozen=True)
class SpotResult:
    """What a solve of a spot has reached. Pairs are of OOP and IP; chips are those of the spot."""

    spot: Spot
    settings: SpotSettings
    locks: tuple[str, ...]
    size: HoldemSize
    threads: int
    isomorphism: bool
    """Whether some boards stand for others that differ in the names of suits."""
    iterations: int
    stopped_by: str
    """iterations, until, time or interrupt"""
    evaluation: HoldemEvaluation
    equity: tuple[float, float]
    """What each player would win of the pot if everybody checked to the end, as a part of it."""
    root_actions: Mapping[str, float]
    """How often each action of the first decision is taken, over all hands."""
    infosets: int
    seconds: float
    """Seconds of iterations and of measurements on the way."""
    seconds_per_iteration: float
    """Seconds of an iteration alone, the mean of all."""
    first_iteration_seconds: float
    """Seconds of the first one, which also waits for the system to hand the tables' memory over."""
    build_seconds: float
    """Seconds from the spot to tables that nothing has been written to."""
    compile_seconds: float
    table_bytes: int
    peak_memory_bytes: int

    @property
    def exploitability(self) -> float:
        """Half of what both players would gain by best responses, in chips."""
        return self.evaluation.exploitability

    @property
    def exploitability_percent(self) -> float:
        """Exploitability in percent of the pot."""
        return 100 * self.exploitability / self.spot.pot

    @property
    def ev(self) -> tuple[float, float]:
        """What each player takes of the pot; the sum is the pot less the rake."""
        first, second = self.evaluation.value
        return first + self.spot.pot / 2, second + self.spot.pot / 2

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        spot, settings = self.spot, self.settings
        return {
            "exploitability_percent": self.exploitability_percent,
            "exploitability": self.exploitability,
            "gains": list(self.evaluation.gains),
            "ev": list(self.ev),
            "equity": list(self.equity),
            "root_actions": dict(self.root_actions),
            "decision_nodes": list(self.size.decisions),
            "boards": list(self.size.boards),
            "streets": list(spot.street_names),
            "hands": list(self.size.hands),
            "infosets": self.infosets,
            "iterations": self.iterations,
            "stopped_by": self.stopped_by,
            "seconds": self.seconds,
            "seconds_per_iteration": self.seconds_per_iteration,
            "first_iteration_seconds": self.first_iteration_seconds,
            "build_seconds": self.build_seconds,
            "compile_seconds": self.compile_seconds,
            "table_bytes": self.table_bytes,
            "peak_memory_bytes": self.peak_memory_bytes,
            "rule": str(settings.rule),
            "dtype": settings.dtype,
            "threads": self.threads,
            "isomorphism": self.isomorphism,
            "board": cards_label(spot.root_board),
            "oop": str(spot.ranges[0]),
            "ip": str(spot.ranges[1]),
            "pot": spot.pot,
            "stack": spot.stack,
            "rake": spot.rake,
            "rake_cap": spot.rake_cap,
            "least_bet": spot.least_bet,
            "sizes": spot.sizes,
            "locks": list(self.locks),
            "game": str(spot),
        }


def solve_spot(
    spot: Mapping[str, Any],
    settings: SpotSettings | None = None,
    locks: Sequence[str] = (),
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> SpotResult:
    """Solve a spot; `spot` has the parameters of `games.spot.Spot` by name, `locks` are as in `lock_text`.

    The first limit of iterations, exploitability and time stops the solve, and so does `stop`; without a limit it
    is 0.3 % of the pot.
    """
    settings, watch, stop = settings or SpotSettings(), watch or (lambda progress: None), stop or Stop()
    began = time.perf_counter()
    rules = Spot(**spot)
    expected = holdem_size(rules, settings.isomorphism == "on")
    spent = time.perf_counter() - began
    tree = holdem_tree(rules.betting)
    locked = [parse_lock(text, rules, tree) for text in locks]
    check_memory(expected, settings)
    watch(Progress(SIZED, 0, detail=describe_size(rules, expected, settings.dtype)))
    watch(Progress(COMPILING_KERNELS, 0))
    compiling = warm_up(settings.dtype)
    stop.check()
    watch(Progress(BUILDING, 0))
    began = time.perf_counter()
    game = holdem_game(rules, settings.isomorphism == "on")
    solver = HoldemSolver(game, settings.rule, settings.threads, settings.dtype, locked)
    spent += time.perf_counter() - began
    stop.check()
    limits = _limits(settings, rules.pot, solver.raked)
    work = _SpotWork(solver, rules.pot, limits)
    with interruptible(stop):
        session = Session(SOLVING, work, limits, None, math.inf, work.forecasting(watch), stop)
        stopped_by = session.loop()
        evaluation = work.evaluate()
    shares = equity(*_live_ranges(rules), rules.root_board, threads=settings.threads).sides
    return SpotResult(
        spot=rules,
        settings=settings,
        locks=tuple(locks),
        size=expected,
        threads=solver.threads,
        isomorphism=game.isomorphism,
        iterations=solver.iterations,
        stopped_by=stopped_by,
        evaluation=evaluation,
        equity=(shares[0].equity, shares[1].equity),
        root_actions=root_actions(solver),
        infosets=game.infosets,
        seconds=session.seconds + work.measuring_seconds,
        seconds_per_iteration=session.seconds / max(1, solver.iterations),
        first_iteration_seconds=work.first_iteration_seconds,
        build_seconds=spent,
        compile_seconds=compiling,
        table_bytes=solver.table_bytes,
        peak_memory_bytes=peak_memory(),
    )


def warm_up(dtype: str) -> float:
    """Have the kernels of a spot's solve compiled, or loaded, on a spot of a few hands; the seconds that took.

    Numba compiles a kernel for the types of its arguments, which neither the street, the rake nor the number of
    hands changes.
    """
    start = time.perf_counter()
    small = Spot("2c2d2h2s", "AA", "KK", pot=2, stack=2, bets="a", rake="5%")
    solver = HoldemSolver(holdem_game(small), dtype=dtype)
    solver.run(1)
    solver.evaluate()
    equity(*_live_ranges(small), small.root_board, threads=1)
    return time.perf_counter() - start


def root_actions(solver: HoldemSolver) -> dict[str, float]:
    """How often each action of the first decision is taken over all deals; empty where nobody has one."""
    game, tree = solver.game, solver.game.tree
    if tree.kind[0] != DECISION:
        return {}
    player = int(tree.player[0])
    side = game.streets[0].sides[player]
    slots = int(side.count[0])
    dealt = dealt_hands(game, player)[side.hand[0, :slots]]
    taken = solver.strategy_at(0)[:, :slots] @ dealt
    return dict(zip(tree.betting[0].actions, taken.tolist(), strict=True))


def dealt_hands(game: HoldemGame, player: int) -> NDArray[np.float64]:
    """The probability that each hand of a player is dealt, float64[hands]."""
    cards = hole_cards()
    mine, other, weights = game.hands[player], game.hands[1 - player], game.weights[1 - player]
    by_card = np.zeros(cards.max() + 1)
    np.add.at(by_card, cards[other], weights[:, None])
    same = np.zeros(len(cards))
    same[other] = weights
    # Hands with either card are taken off, and a hand with both has been taken off twice.
    apart = weights.sum() - by_card[cards[mine]].sum(axis=1) + same[mine]
    return np.asarray(game.weights[player] * np.maximum(apart, 0.0) * game.deal_scale)


def _live_ranges(spot: Spot) -> tuple[Range, Range]:
    first, second = spot.range_weights
    return Range(first), Range(second)


def _limits(settings: SpotSettings, pot: float, raked: bool) -> Limits:
    limits = Limits(settings.iterations, None, settings.time, settings.every)
    until = settings.until
    if until is None and not limits.given:
        until, limits = DEFAULT_UNTIL, replace(limits, iterations=MOST_DEFAULT_ITERATIONS)
    if until is None:
        return limits
    every = settings.every or (EVERY_RAKED if raked else EVERY)
    return replace(limits, until=target_chips(until, pot), check_every=every)


class _SpotWork:
    """A solve as a session drives it."""

    chunk_seconds, check_growth = CHUNK_SECONDS, GROWTH

    def __init__(self, solver: HoldemSolver, pot: float, limits: Limits) -> None:
        self.solver, self.pot, self.limits = solver, pot, limits
        self.first_check = EVERY
        self.saved_tables, self.load_tables = solver.saved_tables, solver.load_tables
        self.measuring_seconds = self.first_iteration_seconds = 0.0
        self.measured: list[tuple[int, float]] = []
        """Iterations and exploitability in chips at each measurement."""
        self._evaluation: tuple[int, HoldemEvaluation] | None = None

    @property
    def iterations(self) -> int:
        return self.solver.iterations

    def run(self, iterations: int) -> None:
        start, first = time.perf_counter(), self.iterations == 0
        self.solver.run(iterations)
        if first:  # a session begins with one
            self.first_iteration_seconds = (time.perf_counter() - start) / iterations

    def evaluate(self) -> HoldemEvaluation:
        """What the strategy is worth now, computed at most once at an iteration."""
        if self._evaluation is None or self._evaluation[0] != self.iterations:
            self._evaluation = self.iterations, self.solver.evaluate()
        return self._evaluation[1]

    def measure(self) -> dict[str, Any]:
        start = time.perf_counter()
        found = self.evaluate().exploitability if self.solver.raked else self.solver.exploitability()
        if self.limits.until is not None and found <= self.limits.until:
            found = self.evaluate().exploitability  # what the result will say
        self.measuring_seconds += time.perf_counter() - start
        self.measured.append((self.iterations, found))
        return {"exploitability": found}

    def describe(self) -> str:
        return f"exploitability {percent_of(self.measured[-1][1], self.pot)}" if self.measured else ""

    def facts(self) -> dict[str, Any]:
        return {"rule": str(self.solver.rule)}

    def restore(self, facts: Mapping[str, Any]) -> None:
        raise InputError("a solve of a spot cannot be resumed")

    def forecasting(self, watch: Watch) -> Watch:
        """A watch that is told how many iterations to expect where a solve stops at an exploitability."""

        def tell(progress: Progress) -> None:
            if self.limits.until is None:
                watch(progress)
            else:
                watch(replace(progress, total=self.expected(), unit="iterations expected"))

        return tell

    def expected(self) -> int | None:
        """Iterations after which the target is reached, if exploitability falls on as a power of their number."""
        if len(self.measured) < 2 or not self.limits.until:
            return None
        last, now = self.measured[-1]
        before, then = min(self.measured[:-1], key=lambda each: abs(each[0] - last / 2))
        if not 0 < now < then or before == 0:
            return None
        slope = math.log(then / now) / math.log(last / before)
        further = math.log(max(1.0, now / self.limits.until)) / slope
        expected = last * math.exp(min(further, 10.0))
        return math.ceil(min(expected, self.limits.iterations or expected))


def percent_of(chips: float, pot: float) -> str:
    """Chips in percent of the pot.

    >>> percent_of(0.6, 200), percent_of(156.2514, 200)
    ('0.300 % of the pot', '78.126 % of the pot')
    """
    return f"{100 * chips / pot:.3f} % of the pot"
