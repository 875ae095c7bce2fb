"""Aggregation: the same CFR iteration on every plan, timed side by side. Table 1 and Figure 3 of the paper.

The paper runs its serial plan on one core and the others on a GPU; here all run on this machine's cores, with
one compiler and one set of flags. Plans of one game take turns, so that whatever else the machine does falls on
all of them, and medians are reported. What a call costs beside its iterations is timed with a call of none and
taken off: the serial plan, which rearranges its tables at each call, would suffer from it most.

`full_deck` goes on to what the paper's GPU could not hold: flop hold'em with all 52 cards.
"""

from __future__ import annotations

import csv
import ctypes
import gc
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar

import numpy as np

from solvent.errors import InputError
from solvent.experiments.bandwidth import bandwidth
from solvent.experiments.page import markdown_table, write_page
from solvent.forms.history import BYTES_PER_HISTORY, DEFAULT_MEMORY
from solvent.forms.public import PublicGame, public_game
from solvent.forms.unroll import unroll
from solvent.games.bluff import Bluff
from solvent.games.catalogue import load_game
from solvent.games.flop_holdem import BLINDS, FlopHoldem
from solvent.games.public import PublicRules
from solvent.response.public_pass import EVALUATORS, PublicPass
from solvent.solvers import flattened
from solvent.solvers.cfr import HistorySolver, table_dtype
from solvent.solvers.choose import Options, make_solver
from solvent.solvers.flattened import flattened_bytes
from solvent.solvers.public_cfr import PublicSolver
from solvent.solvers.public_lanes import PublicLanes
from solvent.units import size

Say = Callable[[str], None]
Solver = PublicSolver | HistorySolver

REPEATS = 7
BATCH_SECONDS = 0.05
"""What is timed lasts at least so long, however many iterations that takes."""
SLOW_SECONDS = 1.0
"""A plan whose first iteration takes so long is timed one iteration at a time."""
PLAN_SECONDS = 120.0
"""A plan is not repeated for longer on one game, and refused where one iteration would take ten times as long."""
NS_PER_HISTORY = 8.0
"""Of the serial plan, roughly: to see beforehand what would never end."""
NUMBERS_PER_CELL = 5
"""Numbers that an iteration must move per infoset-action, 20 bytes in float32: each regret and average is read
and written when its player is updated, and the regret read once more on the other player's pass."""
BRANCHES = 2
"""Threads of the branched plan, and of the rows that show what a second thread adds."""
CURVE_SECONDS = 30.0
CHECK_GROWTH = 1.3
"""Figure 3 asks for exploitability each time the iterations have grown by this factor."""

FULL_DECK = "flop_holdem(suits=4,ranks=13)"
TARGET = 0.9
"""mbb/hand at which the full deck counts as solved."""
MILESTONES = (10.0, 1.0)
"""mbb/hand."""
CHECK_EVERY = 25
"""Iterations between checks at first; later a tenth of those done."""


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
    """`vectors` and `lanes` are the two shapes that the aggregated plan has in games with matrices."""
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
    """Seconds of the serial plan by these seconds."""
    efficiency: float | None
    """Bytes that must be moved by those that the machine could have moved meanwhile with so many threads; above
    1 where the tables lie in a cache."""
    bandwidth: float
    """Of the machine, in bytes a second, with so many threads."""
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


@dataclass(frozen=True)
class Check:
    """Where a long solve stood when its exploitability was asked."""

    game: str
    rule: str
    dtype: str
    threads: int
    iterations: int
    seconds: float
    """Of iterations."""
    wall_seconds: float
    """With the checks."""
    exploitability: float
    """NashConv / 2 in chips."""
    mbb_per_hand: float
    value: float
    """What player 0 wins, in chips a game."""
    table_bytes: int
    peak_memory_bytes: int | None
    """What the solver has added to the process at most, its tables included."""
    resident_bytes: int | None
    """Of the whole process."""
    peak_resident_bytes: int | None
    infoset_actions: int
    bandwidth: float
    """Of the machine, in bytes a second, with so many threads."""
    efficiency: float
    """Of all iterations so far; see `Row`."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


# Table 1


def measure(
    games: Sequence[str] = GAMES,
    repeats: int = REPEATS,
    threads: int = 1,
    dtype: str = "float32",
    memory: int = DEFAULT_MEMORY,
    progress: Say | None = None,
    plan_seconds: float = PLAN_SECONDS,
) -> list[Row]:
    """Time every game on every plan: vanilla CFR, alternating updates.

    `threads` are for the aggregated plan; `memory`, in bytes, is what the flattened plan may take.
    """
    say = progress or (lambda text: None)
    rules = [_public_rules(name) for name in games]
    ranked = [r for r in rules if r.hole_cards(r.hands()[0]) is not None]
    largest = max(ranked, key=lambda r: r.histories(), default=None)
    say("measuring the memory's bandwidth")
    rates = {count: bandwidth(count) for count in sorted({1, threads, BRANCHES})}
    rows = []
    for each in rules:
        forms = _forms(each)
        tried = setups(forms[0], threads, second_thread=each is largest and threads == 1)
        say(f"{each}: compiling kernels (once per machine)")
        _compile_kernels(forms, tried, dtype)
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
        tried += [Setup("vectors", threads=threads), Setup("lanes")]
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
    """Of one iteration, by turn."""

    def take_turn(self) -> None:
        self.seconds.append(_net_seconds(self.solver, self.batch) / self.batch)


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
        first = _seconds(solver, 1)
        return solver

    solver, peak = _with_peak_memory(build)
    batch, seconds = 1, first
    if first < SLOW_SECONDS:
        seconds = _net_seconds(solver, batch)
        while seconds < BATCH_SECONDS:
            batch = ceil(batch * min(10.0, 1.3 * BATCH_SECONDS / max(seconds, 1e-9)))
            seconds = _net_seconds(solver, batch)
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
        runs_as="lanes" if isinstance(solver.plan, PublicLanes) else solver.plan_name,
        evaluator=_evaluator(solver),
        isomorphism=isinstance(solver, PublicSolver) and solver.game.isomorphism,
        dtype=solver.dtype,
        threads=solver.threads,
        seconds_per_iteration=seconds,
        ns_per_history=seconds / (2 * histories) * 1e9,
        histories=histories,
        infoset_actions=solver.cells,
        table_bytes=solver.arena.bytes,
        peak_memory_bytes=trial.peak,
        speedup=None if baseline is None else baseline / seconds,
        efficiency=moved / (seconds * rates[solver.threads]),
        bandwidth=rates[solver.threads],
        repeats=len(trial.seconds),
    )


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
    progress: Say | None = None,
) -> list[Point]:
    """Exploitability over the seconds of iterations, alternating updates, one thread.

    Each plan iterates for `seconds`, the serial and the flattened one for `slow_seconds` (default: the same); a
    plan that takes longer for one iteration does that one.
    """
    say = progress or (lambda text: None)
    points = []
    for name in games:
        rules = _public_rules(name)
        forms = _forms(rules)
        slow = [Setup("serial"), Setup("flattened")]
        fast = [Setup("aggregated"), Setup("auto")] if forms[0].sorted_hands else [Setup("aggregated")]
        say(f"{name}: compiling kernels (once per machine)")
        _compile_kernels(forms, [*slow, *fast], dtype, rule)
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
        spent += _net_seconds(solver, count)
        yield solver.iterations, spent, solver.evaluate().exploitability


# The full deck


def full_deck(
    minutes: float = 20.0,
    threads: int = 2,
    rule: str = "dcfr",
    target: float = TARGET,
    game: str = FULL_DECK,
    dtype: str = "float32",
    progress: Say | None = None,
) -> list[Check]:
    """Solve flop hold'em, boards up to isomorphism, until `target` in mbb/hand is reached or the time is over.

    The minutes include the checks, and begin when the game and the kernels are compiled.
    """
    say = progress or (lambda text: None)
    rules = _public_rules(game)
    say("measuring the memory's bandwidth")
    rate = bandwidth(threads)
    say(f"{game}: compiling the game")
    form = public_game(rules)
    say(f"{game}: compiling kernels (once per machine)")
    _compile_kernels((form,), [Setup("aggregated", "swept", True, threads)], dtype, rule)
    before = _status("VmRSS") if _reset_peak() else None
    solver = PublicSolver(form, rule, threads=threads, dtype=dtype)
    say(f"{game}: {size(solver.arena.bytes)} of tables")
    moved = NUMBERS_PER_CELL * np.dtype(solver.dtype).itemsize * solver.cells
    start, spent, checking = time.perf_counter(), 0.0, 0.0
    checks: list[Check] = []
    while not checks or checks[-1].mbb_per_hand > target:
        count = max(CHECK_EVERY, ceil(solver.iterations / 10))
        if solver.iterations:
            left = 60 * minutes - (time.perf_counter() - start) - checking
            count = min(count, int(left / (spent / solver.iterations)))
        if count < 1:
            break
        spent += _seconds(solver, count)
        asked = time.perf_counter()
        found = solver.evaluate()
        checking = time.perf_counter() - asked
        peak = _status("VmHWM")
        checks.append(
            Check(
                game=str(rules),
                rule=str(solver.rule),
                dtype=solver.dtype,
                threads=threads,
                iterations=solver.iterations,
                seconds=spent,
                wall_seconds=time.perf_counter() - start,
                exploitability=found.exploitability,
                mbb_per_hand=1000 * found.exploitability / BLINDS[1],
                value=found.value[0],
                table_bytes=solver.arena.bytes,
                peak_memory_bytes=None if before is None or peak is None else max(0, peak - before),
                resident_bytes=_status("VmRSS"),
                peak_resident_bytes=peak,
                infoset_actions=solver.cells,
                bandwidth=rate,
                efficiency=moved * solver.iterations / (spent * rate),
            )
        )
        say(
            f"{game}: {solver.iterations:,} iterations, {checks[-1].wall_seconds:.0f} s, "
            f"{checks[-1].mbb_per_hand:.3f} mbb/hand"
        )
    return checks


# Solvers


def _public_rules(name: str) -> PublicRules:
    rules = load_game(name)
    if not isinstance(rules, PublicRules):
        raise InputError(f"{name} has no public form; the plans are compared on games that have one")
    return rules


def _forms(rules: PublicRules) -> tuple[PublicGame, PublicGame]:
    """The public form without and with isomorphism."""
    return public_game(rules, isomorphism=False), public_game(rules)


def _solver(forms: tuple[PublicGame, PublicGame], setup: Setup, rule: str, dtype: str, memory: int) -> Solver:
    if setup.plan == "auto":
        return make_solver(forms[0].rules, rule, Options(threads=setup.threads, dtype=dtype), memory)
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
    """Refuse to walk histories one by one where that takes more than so many seconds."""
    seconds = 2e-9 * NS_PER_HISTORY * rules.histories() / setup.threads
    if setup.plan in ("serial", "branched") and seconds > most:
        raise InputError(f"takes too long: about {seconds / 3600:,.1f} hours an iteration")


def _compile_kernels(
    forms: tuple[PublicGame, ...], tried: Sequence[Setup], dtype: str, rule: str = "cfr"
) -> None:
    """Have every kernel compiled that a game of this kind needs, on a small one."""
    rules = forms[0].rules
    small = _forms(SMALL.get(type(rules), rules))
    for each in sorted({table_dtype(dtype, form.cells) for form in forms}):
        for setup in tried:
            next(_curve(_solver(small, setup, rule, each, DEFAULT_MEMORY), 0.0))


def _seconds(solver: Solver, iterations: int) -> float:
    start = time.perf_counter()
    solver.run(iterations)
    return time.perf_counter() - start


def _net_seconds(solver: Solver, iterations: int) -> float:
    """Seconds of iterations without what a call costs that does none."""
    start = time.perf_counter()
    if isinstance(solver, PublicSolver):
        nothing = solver.rule.schedule(1, 1, solver.dtype)[:0]
        solver.plan.iterate(solver.tables, nothing, True)
    call = time.perf_counter() - start
    return max(_seconds(solver, iterations) - call, 1e-9)


# Memory

Made = TypeVar("Made")


def _with_peak_memory(work: Callable[[], Made]) -> tuple[Made, int | None]:
    """What the work makes, and by how many bytes the process grew at most while it was done."""
    gc.collect()
    _give_back_memory()
    before = _status("VmRSS") if _reset_peak() else None
    made = work()
    peak = _status("VmHWM")
    return made, None if before is None or peak is None else max(0, peak - before)


def _give_back_memory() -> None:
    """Return what has been freed to the system, so that its reuse is seen."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):  # glibc alone has it
        return


def _reset_peak() -> bool:
    """Begin a new high-water mark of resident memory; whether the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _status(key: str) -> int | None:
    """Bytes that Linux reports of this process; None elsewhere."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":")), None)


# Results


def write_results(
    rows: Sequence[Row], page: Path, points: Sequence[Point] = (), command: str = "solvent bench plans"
) -> None:
    """The results page with a CSV of the rows and, where there are points, a picture of them and their CSV."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(rows, page.with_suffix(".csv"))
    beside = f"Numbers: [{page.stem}.csv]({page.stem}.csv)"
    if points:
        points_csv = page.with_name(f"{page.stem}-curves.csv")
        write_csv(points, points_csv)
        plot_curves(points, page.with_suffix(".png"))
        beside += f", [{points_csv.name}]({points_csv.name})"
    repeats = max(row.repeats for row in rows)
    threads = max(row.threads for row in rows if row.plan == "auto")
    parts = [
        f"Vanilla CFR, alternating updates, one process, the plans of a game taking turns. Shown is the median of "
        f"{repeats} turns of at least {BATCH_SECONDS} s; slow plans had fewer (`repeats` in the CSV). {beside}.",
        "## Table 1",
        _paper_table(rows),
        "Seconds an iteration. The paper's serial plan ran on one core and its others on an unnamed GPU; ours all "
        f"run on this machine's cores, with {_threads(threads)}. Our *aggregated* sweeps all terminals of a board "
        "together and takes every board (in Bluff it batches public nodes as lanes); *auto* is what `solvent "
        "solve` runs, with isomorphism where there are boards. `-`: did not fit in memory, or is not in the paper.",
        "## How the games were read",
        _readings_table(list(dict.fromkeys(row.game for row in rows))),
        "*2 dices k numbers*: two dice for each player, k faces on each die, the highest face wild; a hand is a "
        "roll without its order. *4 suits k cards*: a deck of 4 suits x k ranks, two hole cards each, a betting "
        "round, a flop of three cards, a betting round; blinds 1 and 2, bets of 2, at most three bets or raises a "
        "round. Public nodes are betting nodes x boards; infosets and infoset-actions are without isomorphism.",
        "## Every plan",
        _rows_table(rows),
        "ns per history: an iteration's time over twice the histories, as each player's pass visits each once; "
        "isomorphic rows solve the same game and are divided by the same number. Peak: what building the solver "
        "and its first iteration added to the process; the flattened plan's tree is in it. Speed-up: over the "
        "serial plan of the same game.",
        _refusals(rows),
        "## The physical limit",
        _limit(rows),
    ]
    if points:
        parts += [
            "## Figure 3",
            f"![Exploitability over time]({page.stem}.png)",
            f"{points[0].rule}, one thread; NashConv / 2 in chips over seconds of iterations, checks not counted.",
        ]
    write_page(
        page,
        "Aggregation: one CFR iteration on every plan",
        command,
        "\n\n".join(part.rstrip() for part in parts if part),
    )


def write_full_deck(
    checks: Sequence[Check], page: Path, command: str = "solvent reproduce full-deck"
) -> None:
    """The results page of a long solve, with its CSV and its picture beside it."""
    page.parent.mkdir(parents=True, exist_ok=True)
    write_csv(checks, page.with_suffix(".csv"))
    plot_checks(checks, page.with_suffix(".png"))
    last, shown = checks[-1], checks[:: max(1, len(checks) // 20)]
    table = markdown_table(
        ["iterations", "seconds", "with checks", "exploitability, chips", "mbb/hand", "resident"],
        [
            [
                f"{c.iterations:,}",
                f"{c.seconds:.1f}",
                f"{c.wall_seconds:.1f}",
                f"{c.exploitability:.6f}",
                f"{c.mbb_per_hand:.3f}",
                _bytes(c.resident_bytes),
            ]
            for c in [*shown, *([] if shown[-1] is last else [last])]
        ],
    )
    about = (
        f"`{last.game}`, {last.rule}, alternating updates, {last.dtype}, {last.threads} threads, boards up to "
        f"isomorphism, every terminal of a board in one sweep. Exploitability is NashConv / 2 by exact best "
        f"responses; a big blind is {BLINDS[1]} chips.\n\n"
        f"{last.infoset_actions:,} infoset-actions, {size(last.table_bytes)} of tables; with everything else the "
        f"solver took {_bytes(last.peak_memory_bytes)} and the process {_bytes(last.peak_resident_bytes)} at most. "
        f"{last.seconds / last.iterations:.3f} s an iteration at an efficiency of {last.efficiency:.2f}: "
        f"{NUMBERS_PER_CELL} numbers moved per infoset-action against the {last.bandwidth / 1e9:.1f} GB/s that "
        f"{_threads(last.threads)} can read and write back.\n\n"
        f"{' '.join(map(_milestone(checks), MILESTONES))} After {last.wall_seconds:.3g} s and {last.iterations:,} "
        f"iterations: {last.mbb_per_hand:.3f} mbb/hand; the game is worth {1000 * last.value / BLINDS[1]:.1f} "
        f"mbb/hand to player 0.\n\n"
        f"![Exploitability over time]({page.stem}.png)\n\n{table}\nEvery check: [{page.stem}.csv]({page.stem}.csv)."
    )
    write_page(page, "Flop hold'em with the full deck", command, about)


def write_csv(records: Sequence[Row] | Sequence[Point] | Sequence[Check], path: Path) -> None:
    """Records of one kind, a column for each field; None is empty."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(records[0])], lineterminator="\n")
        writer.writeheader()
        writer.writerows(record.as_dict() for record in records)


def plot_curves(points: Sequence[Point], path: Path) -> None:
    """Figure 3: a panel for each game, exploitability over seconds, log-log."""
    plt = _pyplot()
    games = list(dict.fromkeys(point.game for point in points))
    plans = list(dict.fromkeys(point.plan for point in points))
    across = min(3, len(games))
    down = ceil(len(games) / across)
    figure, grid = plt.subplots(
        down, across, figsize=(4 * across, 3.3 * down), layout="constrained", squeeze=False
    )
    for axes in grid.flat[len(games) :]:
        axes.set_axis_off()
    for axes, game in zip(grid.flat, games, strict=False):
        for number, plan in enumerate(plans):
            line = [p for p in points if (p.game, p.plan) == (game, plan) and p.exploitability > 0]
            axes.loglog(
                [p.seconds for p in line],
                [p.exploitability for p in line],
                marker=".",
                markersize=4,
                linewidth=1,
                color=f"C{number}",
                label=plan,
            )
        axes.set_title(game, fontsize=9)
        axes.set_xlabel("seconds of iterations", fontsize=8)
        axes.set_ylabel("exploitability, chips", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(which="both", alpha=0.25)
    grid.flat[0].legend(fontsize=7)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def plot_checks(checks: Sequence[Check], path: Path) -> None:
    """mbb/hand over seconds, log-log, with and without the checks."""
    plt = _pyplot()
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    line = [c for c in checks if c.mbb_per_hand > 0]
    won = [c.mbb_per_hand for c in line]
    axes.loglog([c.seconds for c in line], won, marker=".", label="iterations alone")
    axes.loglog([c.wall_seconds for c in line], won, linestyle="--", label="with the checks")
    for milestone in MILESTONES:
        axes.axhline(milestone, color="0.6", linewidth=0.8)
    axes.set_xlabel("seconds")
    axes.set_ylabel("exploitability, mbb/hand")
    axes.set_title(f"{checks[0].game}: {checks[0].rule}, {checks[0].threads} threads", fontsize=10)
    axes.grid(which="both", alpha=0.25)
    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _pyplot() -> Any:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    return plt


def _paper_table(rows: Sequence[Row]) -> str:
    """The paper's Table 1 beside ours."""
    header = ["game", "paper: serial", "flattened", "aggregated", "speed-up"]
    header += ["ours: serial", "flattened", "aggregated", "speed-up", "auto", "speed-up"]
    lines = []
    for game in dict.fromkeys(row.game for row in rows):
        here = [row for row in rows if row.game == game]
        paper = PAPER.get(game)
        theirs = [_seconds_text(s) for s in paper[1:4]] if paper else ["-"] * 3
        line = [paper.name if paper else game, *theirs, f"{paper.speedup:g}" if paper else "-"]
        line += [_seconds_text(_find(here, plan).seconds_per_iteration) for plan in ("serial", "flattened")]
        # With matrices `aggregated` means lanes.
        lanes = any(row.plan == "lanes" for row in here)
        for found in (_find(here, "lanes" if lanes else "aggregated"), _find(here, "auto")):
            line += [_seconds_text(found.seconds_per_iteration), _factor(found.speedup)]
        lines.append(line)
    return markdown_table(header, lines)


def _find(rows: Sequence[Row], plan: str) -> Row:
    """The first row of a plan: one thread, `swept` and without isomorphism where there is a choice."""
    return next(row for row in rows if row.plan == plan)


def _readings_table(games: Sequence[str]) -> str:
    header = ["game", "paper", "hands", "boards", "isomorphic", "betting nodes"]
    header += ["public nodes", "histories", "infosets", "infoset-actions"]
    lines = []
    for name in games:
        game, isomorphic = _forms(_public_rules(name))
        per_round = np.bincount(game.nodes.round, minlength=len(game.rounds)).tolist()
        counts = [
            len(game.hands),
            len(game.rounds[-1].boards),
            len(isomorphic.rounds[-1].boards),
            len(game.nodes.symbol),
            sum(count * len(here.boards) for count, here in zip(per_round, game.rounds, strict=True)),
            game.rules.histories(),
            game.infosets,
            game.cells,
        ]
        lines.append([f"`{name}`", PAPER[name].name if name in PAPER else "-", *(f"{n:,}" for n in counts)])
    return markdown_table(header, lines)


def _rows_table(rows: Sequence[Row]) -> str:
    header = [
        "game",
        "plan",
        "evaluator",
        "isomorphism",
        "threads",
        "s/iteration",
        "ns per history",
        "tables",
    ]
    return markdown_table(
        [*header, "peak", "speed-up", "efficiency"],
        [
            [
                f"`{row.game}`",
                row.plan if row.plan == row.runs_as else f"{row.plan} ({row.runs_as})",
                row.evaluator or "-",
                "on" if row.isomorphism else "off",
                row.threads,
                _seconds_text(row.seconds_per_iteration),
                "-" if row.ns_per_history is None else f"{row.ns_per_history:.3g}",
                _bytes(row.table_bytes),
                _bytes(row.peak_memory_bytes),
                _factor(row.speedup),
                "-" if row.efficiency is None else f"{row.efficiency:.2f}",
            ]
            for row in rows
        ],
    )


def _refusals(rows: Sequence[Row]) -> str:
    return "\n".join(f"- `{row.game}`, {row.plan}: {row.refused}." for row in rows if row.refused is not None)


def _limit(rows: Sequence[Row]) -> str:
    rates = {row.threads: row.bandwidth for row in sorted(rows, key=lambda row: row.threads)}
    measured = ", ".join(f"{rate / 1e9:.1f} GB/s with {_threads(count)}" for count, rate in rates.items())
    return (
        f"Read-modify-write bandwidth of this machine, each thread adding to a float32 array of its own that no "
        f"cache holds: {measured}. An iteration must move {NUMBERS_PER_CELL} numbers per infoset-action, which is "
        f"{4 * NUMBERS_PER_CELL} bytes in float32: regret and average are read and written when their player is "
        f"updated, and the regret is read on the other player's pass. Efficiency is the time this takes at that "
        f"bandwidth by the time the iteration takes; it can pass 1 where the tables fit in a cache."
    )


def _milestone(checks: Sequence[Check]) -> Callable[[float], str]:
    def sentence(mbb: float) -> str:
        below = next((c for c in checks if c.mbb_per_hand < mbb), None)
        if below is None:
            return f"{mbb:g} mbb/hand was not reached."
        return (
            f"Below {mbb:g} mbb/hand after {below.wall_seconds:.3g} s ({below.seconds:.3g} s of iterations)."
        )

    return sentence


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"


def _seconds_text(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3g}" if seconds >= 1e-4 else f"{seconds:.2e}"


def _factor(factor: float | None) -> str:
    return "-" if factor is None else f"{factor:,.0f}" if factor >= 100 else f"{factor:.3g}"


def _bytes(count: int | None) -> str:
    return "-" if count is None else size(count)
