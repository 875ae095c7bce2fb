"""Aggregation: the same CFR iteration on every plan, timed side by side. Table 1 and Figure 3 of the paper.

The paper runs its serial plan on one core and the others on a GPU; here all run on this machine's cores, with
one compiler and one set of flags. Plans of one game take turns, so that whatever else the machine does falls on
all of them, and medians are reported. What a call costs beside its iterations is timed with a call of none and
taken off: the serial plan, which rearranges its tables at each call, would suffer from it most.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from math import ceil
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from solvent.engines.history import flattened
from solvent.engines.history.flattened import flattened_bytes
from solvent.engines.history.solver import HistorySolver, table_dtype
from solvent.engines.public.public_pass import EVALUATORS, PublicPass
from solvent.engines.public.solver import PublicSolver
from solvent.engines.rules import load_rule
from solvent.engines.solver import Solver
from solvent.forms.history import BYTES_PER_HISTORY, DEFAULT_MEMORY
from solvent.forms.public.game import PublicGame, public_game
from solvent.forms.public.unroll import unroll
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import with_peak_memory
from solvent.foundation.progress import Watch
from solvent.foundation.units import size
from solvent.games.bluff import Bluff
from solvent.games.catalogue import load_game
from solvent.games.holdem.flop_holdem import FlopHoldem
from solvent.games.public_rules import PublicRules
from solvent.solving.choose import make_solver
from solvent.solving.settings import Settings
from solvent_papers.aggregation.bandwidth import bandwidth
from solvent_papers.steps import Say, saying

REPEATS = 7
BATCH_SECONDS = 0.05
"""The least duration that is timed, however many iterations it takes."""
SLOW_SECONDS = 1.0
"""A plan whose first iteration takes at least this long is timed one iteration at a time."""
PLAN_SECONDS = 120.0
"""A plan is not repeated for longer on one game, and refused where one iteration would take ten times as long."""
NS_PER_HISTORY = 8.0
"""Rough cost of the serial plan, by which plans that would take too long are refused beforehand."""
NUMBERS_PER_CELL = 5
"""Numbers that an iteration must move per infoset-action, 20 bytes in float32: each regret and average is read
and written when its player is updated, and the regret read once more on the other player's pass."""
BRANCHES = 2
"""Threads of the branched plan, and of the rows that show what a second thread adds."""
CURVE_SECONDS = 30.0
CHECK_GROWTH = 1.3
"""Figure 3 asks for exploitability each time the iterations have grown by this factor."""


class Published(NamedTuple):
    """A line of the paper's Table 1, in seconds a round."""

    name: str
    serial: float
    flattened: float | None
    aggregated: float
    speedup: float


PAPER = {
    "bluff(dice=2,faces=2)": Published("2 dices 2 numbers", 0.00038, 0.00090, 0.00138, 0.27),
    "bluff(dice=2,faces=3)": Published("2 dices 3 numbers", 0.00487, 0.00374, 0.00414, 1.17),
    "bluff(dice=2,faces=4)": Published("2 dices 4 numbers", 0.13489, 0.03229, 0.04663, 2.89),
    "flop_holdem(suits=4,ranks=3)": Published("4 suits 3 cards", 0.427, 0.061, 0.044, 9.7),
    "flop_holdem(suits=4,ranks=4)": Published("4 suits 4 cards", 2.369, None, 0.165, 14.35),
    "flop_holdem(suits=4,ranks=5)": Published("4 suits 5 cards", 15.151, None, 0.481, 31.49),
}
GAMES = tuple(PAPER)
QUICK_GAMES = ("bluff(dice=2,faces=2)", "bluff(dice=2,faces=3)", "flop_holdem(suits=3,ranks=3)")

SMALL: dict[type[PublicRules], PublicRules] = {Bluff: Bluff(1, 2), FlopHoldem: FlopHoldem(2, 4)}
"""Games of each kind on which kernels are compiled."""


@dataclass(frozen=True)
class Setup:
    """One way to run an iteration."""

    plan: str
    """`vectors`, `sequences` and `shapes` are the ways in which the aggregated plan runs in games with matrices."""
    evaluator: str | None = None
    isomorphism: bool = False
    threads: int = 1

    def __str__(self) -> str:
        parts = [self.plan, self.evaluator or "", "isomorphism" if self.isomorphism else ""]
        return " ".join(filter(None, [*parts, f"x{self.threads}" if self.threads > 1 else ""]))


@dataclass(frozen=True)
class Row:
    """One game on one plan. Seconds are of one iteration, both players updated; None where a plan was refused."""

    game: str
    plan: str
    runs_as: str
    """What `auto` picked."""
    evaluator: str | None
    isomorphism: bool
    dtype: str
    threads: int
    seconds_per_iteration: float | None
    ns_per_history: float | None
    """Each history counts once for each player's pass, with isomorphism too."""
    histories: int
    infoset_actions: int
    """Those that the plan stores."""
    table_bytes: int | None
    peak_memory_bytes: int | None
    """What building the solver and its first iteration added to the process; None where the system does not
    tell. The flattened plan's tree is in it, the public form, which the other plans share, is not."""
    speedup: float | None
    """Seconds of the serial plan divided by these seconds."""
    efficiency: float | None
    """Bytes that an iteration must move over those that the machine can move in that time with this number of
    threads; above 1 where the tables lie in a cache."""
    bandwidth: float
    """What the machine can move with this number of threads, in bytes per second."""
    repeats: int
    refused: str | None = None
    """Why it was not run."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Point:
    """Exploitability after some seconds of one plan's iterations, checks and the calls' own cost not counted."""

    game: str
    plan: str
    rule: str
    iterations: int
    seconds: float
    exploitability: float
    """NashConv / 2 in chips."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


# Table 1


def measure(
    games: Sequence[str] = GAMES,
    repeats: int = REPEATS,
    threads: int = 1,
    dtype: str = "float32",
    memory: int = DEFAULT_MEMORY,
    watch: Watch | None = None,
    plan_seconds: float = PLAN_SECONDS,
) -> list[Row]:
    """Time every game on every plan: vanilla CFR, alternating updates.

    `threads` are for the aggregated plan; `memory`, in bytes, is what the flattened plan may take.
    """
    say = saying(watch)
    rules = [public_rules(name) for name in games]
    ranked = [r for r in rules if r.hole_cards(r.hands()[0]) is not None]
    largest = max(ranked, key=lambda r: r.histories(), default=None)
    say("measuring the memory's bandwidth")
    rates = {count: bandwidth(count) for count in sorted({1, threads, BRANCHES})}
    rows = []
    for each in rules:
        forms = both_forms(each)
        tried = setups(forms[0], threads, second_thread=each is largest and threads == 1)
        say(f"{each}: compiling kernels (once per machine)")
        compile_kernels(forms, tried, dtype)
        rows += _measure_game(forms, tried, repeats, dtype, memory, plan_seconds, rates, say)
    return rows


def setups(game: PublicGame, threads: int = 1, second_thread: bool = False) -> list[Setup]:
    """Everything that is tried on a game, the serial plan first."""
    tried = [Setup("serial"), Setup("branched", threads=max(BRANCHES, threads)), Setup("flattened")]
    if game.sorted_hands:
        for isomorphism in (False, True):
            for evaluator in EVALUATORS:
                tried.append(Setup("aggregated", evaluator, isomorphism, threads))
            if second_thread:
                tried.append(Setup("aggregated", "swept", isomorphism, BRANCHES))
    else:
        tried += [Setup("vectors", threads=threads), Setup("sequences")]
        tried += [Setup("shapes")] if len(game.rounds) == 1 else []
    return [*tried, Setup("auto", threads=threads)]


@dataclass
class _Trial:
    """A solver that waits for its turns."""

    setup: Setup
    solver: Solver
    peak: int | None
    batch: int
    """Iterations a turn."""
    turns: int
    seconds: list[float] = field(default_factory=list)
    """Seconds per iteration, for each turn."""

    def take_turn(self) -> None:
        self.seconds.append(net_seconds(self.solver, self.batch) / self.batch)


def _measure_game(
    forms: tuple[PublicGame, PublicGame],
    tried: Sequence[Setup],
    repeats: int,
    dtype: str,
    memory: int,
    plan_seconds: float,
    rates: dict[int, float],
    say: Say,
) -> list[Row]:
    """The rows of one game: its plans take turns."""
    name = forms[0].name
    trials: dict[Setup, _Trial | str] = {}
    for setup in tried:
        say(f"{name}: {setup}")
        try:
            _check_patience(forms[0].rules, setup, 10 * plan_seconds)
            trials[setup] = _prepare(forms, setup, repeats, dtype, memory, plan_seconds)
        except InputError as reason:
            trials[setup] = str(reason)
    for repeat in range(repeats):
        for setup, trial in trials.items():
            if not isinstance(trial, str) and repeat < trial.turns:
                say(f"{name}: repeat {repeat + 1} of {repeats}, {setup}")
                trial.take_turn()
    serial = trials[tried[0]]
    baseline = None if isinstance(serial, str) else median(serial.seconds)
    return [_row(forms[0], setup, trials[setup], baseline, dtype, rates) for setup in tried]


def _prepare(
    forms: tuple[PublicGame, PublicGame],
    setup: Setup,
    repeats: int,
    dtype: str,
    memory: int,
    plan_seconds: float,
) -> _Trial:
    """Build a solver, see what memory it takes, and find out how much makes a turn."""
    first = 0.0

    def build() -> Solver:
        nonlocal first
        solver = _solver(forms, setup, "cfr", dtype, memory)
        first = time_of(solver, 1)
        return solver

    solver, peak = with_peak_memory(build)
    batch, seconds = 1, first
    if first < SLOW_SECONDS:
        seconds = net_seconds(solver, batch)
        while seconds < BATCH_SECONDS:
            batch = ceil(batch * min(10.0, 1.3 * BATCH_SECONDS / max(seconds, 1e-9)))
            seconds = net_seconds(solver, batch)
    turns = max(1, min(repeats, int(plan_seconds / seconds)))
    return _Trial(setup, solver, peak, batch, turns)


def _row(
    game: PublicGame,
    setup: Setup,
    trial: _Trial | str,
    baseline: float | None,
    dtype: str,
    rates: dict[int, float],
) -> Row:
    histories = game.rules.histories()
    if isinstance(trial, str):
        return Row(
            game=game.name,
            plan=setup.plan,
            runs_as=setup.plan,
            evaluator=setup.evaluator,
            isomorphism=setup.isomorphism,
            dtype=dtype,
            threads=setup.threads,
            seconds_per_iteration=None,
            ns_per_history=None,
            histories=histories,
            infoset_actions=game.cells,
            table_bytes=None,
            peak_memory_bytes=None,
            speedup=None,
            efficiency=None,
            bandwidth=rates[setup.threads],
            repeats=0,
            refused=trial,
        )
    solver, seconds = trial.solver, median(trial.seconds)
    moved = NUMBERS_PER_CELL * np.dtype(solver.dtype).itemsize * solver.cells
    return Row(
        game=game.name,
        plan=setup.plan,
        runs_as=_way(solver),
        evaluator=_evaluator(solver),
        isomorphism=isinstance(solver, PublicSolver) and solver.game.isomorphism,
        dtype=solver.dtype,
        threads=solver.threads,
        seconds_per_iteration=seconds,
        ns_per_history=seconds / (2 * histories) * 1e9,
        histories=histories,
        infoset_actions=solver.cells,
        table_bytes=solver.table_bytes,
        peak_memory_bytes=trial.peak,
        speedup=None if baseline is None else baseline / seconds,
        efficiency=moved / (seconds * rates[solver.threads]),
        bandwidth=rates[solver.threads],
        repeats=len(trial.seconds),
    )


def _way(solver: Solver) -> str:
    in_rows = isinstance(solver, PublicSolver) and not solver.game.sorted_hands
    return solver.way if isinstance(solver, PublicSolver) and in_rows else solver.plan_name


def _evaluator(solver: Solver) -> str | None:
    """How terminals are evaluated, where the plan leaves a choice."""
    if isinstance(solver, PublicSolver) and isinstance(solver.plan, PublicPass):
        return solver.evaluator
    return None


# Figure 3


def curves(
    games: Sequence[str] = GAMES,
    seconds: float = CURVE_SECONDS,
    slow_seconds: float | None = None,
    rule: str = "cfr",
    dtype: str = "auto",
    memory: int = DEFAULT_MEMORY,
    watch: Watch | None = None,
) -> list[Point]:
    """Exploitability over the seconds of iterations, alternating updates, one thread.

    Each plan iterates for `seconds`, the serial and the flattened one for `slow_seconds` (default: the same); a
    plan that takes longer for one iteration does that one.
    """
    say = saying(watch)
    points = []
    for name in games:
        rules = public_rules(name)
        forms = both_forms(rules)
        slow = [Setup("serial"), Setup("flattened")]
        fast = [Setup("aggregated"), Setup("auto")] if forms[0].sorted_hands else [Setup("aggregated")]
        say(f"{name}: compiling kernels (once per machine)")
        compile_kernels(forms, [*slow, *fast], dtype, rule)
        for setup in [*slow, *fast]:
            budget = seconds if setup in fast or slow_seconds is None else slow_seconds
            try:
                solver = _solver(forms, setup, rule, dtype, memory)
            except InputError as reason:
                say(f"{name}, {setup}: {reason}")
                continue
            for iterations, spent, value in _curve(solver, budget):
                points.append(Point(str(rules), setup.plan, str(solver.rule), iterations, spent, value))
                say(f"{name}, {setup}: {iterations:,} iterations, {spent:.1f} s, exploitability {value:.6f}")
    return points


def _curve(solver: Solver, budget: float) -> Iterator[tuple[int, float, float]]:
    """(iterations, seconds, exploitability) until the seconds are spent."""
    spent = 0.0
    while True:
        done = solver.iterations
        count = max(1, ceil(done * CHECK_GROWTH) - done)
        if done:
            count = min(count, int((budget - spent) / (spent / done)))
        if count < 1:
            return
        spent += net_seconds(solver, count)
        yield solver.iterations, spent, solver.evaluate().exploitability


# Solvers


def public_rules(name: str) -> PublicRules:
    rules = load_game(name)
    if not isinstance(rules, PublicRules):
        raise InputError(f"{name} has no public form; the plans are compared on games that have one")
    return rules


def both_forms(rules: PublicRules) -> tuple[PublicGame, PublicGame]:
    """The public form without and with isomorphism."""
    return public_game(rules, isomorphism=False), public_game(rules)


def _solver(forms: tuple[PublicGame, PublicGame], setup: Setup, rule: str, dtype: str, memory: int) -> Solver:
    if setup.plan == "auto":
        return make_solver(
            forms[0].rules, Settings(rule=load_rule(rule), threads=setup.threads, dtype=dtype, memory=memory)
        )
    game = forms[setup.isomorphism]
    if setup.plan == "flattened":
        return _flattened_solver(game, rule, dtype, memory)
    _check_fit("tables take", 2 * game.cells * np.dtype(table_dtype(dtype, game.cells)).itemsize, memory)
    return PublicSolver(
        game,
        rule,
        plan=setup.plan,
        evaluator=setup.evaluator or "auto",
        threads=setup.threads,
        dtype=dtype,
    )


def _flattened_solver(game: PublicGame, rule: str, dtype: str, memory: int) -> HistorySolver:
    """CFR on the whole stored game tree, or the reason why it does not fit."""
    histories = game.rules.histories()
    _check_fit("tree takes", histories * (BYTES_PER_HISTORY + flattened.BYTES_PER_HISTORY), memory)
    tree, _ = unroll(game, memory)
    _check_fit("tree takes", histories * BYTES_PER_HISTORY + flattened_bytes(tree), memory)
    return HistorySolver(tree, rule, plan="flattened", dtype=dtype)


def _check_fit(what: str, needed: int, memory: int) -> None:
    if needed > memory:
        raise InputError(f"does not fit: the {what} {size(needed)}, the memory limit is {size(memory)}")


def _check_patience(rules: PublicRules, setup: Setup, most: float) -> None:
    """Refuse to walk histories one by one where that would take more than `seconds`."""
    seconds = 2e-9 * NS_PER_HISTORY * rules.histories() / setup.threads
    if setup.plan in ("serial", "branched") and seconds > most:
        raise InputError(f"takes too long: about {seconds / 3600:,.1f} hours an iteration")


def compile_kernels(
    forms: tuple[PublicGame, ...], tried: Sequence[Setup], dtype: str, rule: str = "cfr"
) -> None:
    """Have every kernel compiled that a game of this kind needs, on a small one."""
    rules = forms[0].rules
    small = both_forms(SMALL.get(type(rules), rules))
    for each in sorted({table_dtype(dtype, form.cells) for form in forms}):
        for setup in tried:
            next(_curve(_solver(small, setup, rule, each, DEFAULT_MEMORY), 0.0))


def time_of(solver: Solver, iterations: int) -> float:
    start = time.perf_counter()
    solver.run(iterations)
    return time.perf_counter() - start


def net_seconds(solver: Solver, iterations: int) -> float:
    """Seconds of iterations without what a call costs that does none."""
    start = time.perf_counter()
    if isinstance(solver, PublicSolver):
        nothing = solver.rule.schedule(1, 1, solver.dtype)[:0]
        solver.plan.iterate(solver.tables, nothing, True)
    call = time.perf_counter() - start
    return max(time_of(solver, iterations) - call, 1e-9)
