"""Plans of one game to be compared: their solvers, seconds of their iterations, and the memory's bandwidth."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from solvent.engines.history import flattened
from solvent.engines.history.flattened import flattened_bytes
from solvent.engines.history.solver import HistorySolver, table_dtype
from solvent.engines.public.solver import PublicSolver
from solvent.engines.rules import load_rule
from solvent.engines.solver import Solver
from solvent.forms.history import BYTES_PER_HISTORY, DEFAULT_MEMORY
from solvent.forms.public.game import PublicGame, public_game
from solvent.forms.public.unroll import unroll
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import compiled
from solvent.foundation.kernels.threads import on_each
from solvent.foundation.units import size
from solvent.games.bluff import Bluff
from solvent.games.catalogue import load_game
from solvent.games.holdem.limit_holdem import FlopHoldem
from solvent.games.public_rules import PublicRules
from solvent.solving.choose import make_solver
from solvent.solving.settings import Settings
from solvent_papers.interleaved import seconds_of

NUMBERS_PER_CELL = 5
"""Numbers that an iteration must move per infoset-action, 20 bytes in float32: each regret and average is read
and written when its player is updated, and the regret read once more on the other player's pass."""
SMALL: dict[type[PublicRules], PublicRules] = {Bluff: Bluff(1, 2), FlopHoldem: FlopHoldem(2, 4)}
"""Games of each kind on which kernels are compiled."""
MEGABYTES = 256
"""Megabytes of each thread's array when bandwidth is measured; it must be larger than the last cache."""
BYTES_PER_FLOAT = 8
"""4 read and 4 written."""

Forms = tuple[PublicGame, PublicGame]
"""The public form of a game without and with isomorphism."""


class Variant(NamedTuple):
    """One way to run an iteration."""

    plan: str
    """`vectors`, `sequences` and `shapes` are the ways in which the aggregated plan runs in games with matrices."""
    evaluator: str | None = None
    isomorphism: bool = False
    threads: int = 1

    def __str__(self) -> str:
        parts = [self.plan, self.evaluator or "", "isomorphism" if self.isomorphism else ""]
        return " ".join(filter(None, [*parts, f"x{self.threads}" if self.threads > 1 else ""]))


def public_rules(name: str) -> PublicRules:
    """Load a game that has a public form."""
    rules = load_game(name)
    if not isinstance(rules, PublicRules):
        raise InputError(f"{name} has no public form; the plans are compared on games that have one")
    return rules


def both_forms(rules: PublicRules) -> Forms:
    """Build the public form without and with isomorphism."""
    return public_game(rules, isomorphism=False), public_game(rules)


def solver_of(forms: Forms, variant: Variant, rule: str, dtype: str, memory: int) -> Solver:
    """Build the solver of a variant; refuse one that takes more than `memory` bytes."""
    if variant.plan == "auto":
        settings = Settings(rule=load_rule(rule), threads=variant.threads, dtype=dtype, memory=memory)
        return make_solver(forms[0].rules, settings)
    game = forms[variant.isomorphism]
    if variant.plan == "flattened":
        return _flattened_solver(game, rule, dtype, memory)
    _check_fit("tables take", 2 * game.cells * np.dtype(table_dtype(dtype, game.cells)).itemsize, memory)
    return PublicSolver(
        game,
        rule,
        plan=variant.plan,
        evaluator=variant.evaluator or "auto",
        threads=variant.threads,
        dtype=dtype,
    )


def _flattened_solver(game: PublicGame, rule: str, dtype: str, memory: int) -> HistorySolver:
    """Build a solver of the whole stored game tree; refuse a tree that does not fit."""
    histories = game.rules.histories()
    _check_fit("tree takes", histories * (BYTES_PER_HISTORY + flattened.BYTES_PER_HISTORY), memory)
    tree, _ = unroll(game, memory)
    _check_fit("tree takes", histories * BYTES_PER_HISTORY + flattened_bytes(tree), memory)
    return HistorySolver(tree, rule, plan="flattened", dtype=dtype)


def _check_fit(what: str, needed: int, memory: int) -> None:
    if needed > memory:
        raise InputError(f"does not fit: the {what} {size(needed)}, the memory limit is {size(memory)}")


def compile_kernels(
    forms: tuple[PublicGame, ...], tried: Sequence[Variant], dtype: str, rule: str = "cfr"
) -> None:
    """Have every kernel compiled that a game of this kind needs, on a small one."""
    rules = forms[0].rules
    small = both_forms(SMALL.get(type(rules), rules))
    for each in sorted({table_dtype(dtype, form.cells) for form in forms}):
        for variant in tried:
            solver = solver_of(small, variant, rule, each, DEFAULT_MEMORY)
            net_seconds(solver, 1)
            solver.evaluate()


def net_seconds(solver: Solver, iterations: int) -> float:
    """Return seconds of iterations less the cost of a call that does none.

    The serial plan, which rearranges its tables at each call, would suffer from that cost most.
    """
    start = time.perf_counter()
    if isinstance(solver, PublicSolver):
        nothing = solver.rule.schedule(1, 1, solver.dtype)[:0]
        solver.plan.iterate(solver.tables, nothing, True)
    call = time.perf_counter() - start
    return max(seconds_of(solver.run, iterations) - call, 1e-9)


def efficiency(solver: Solver, seconds_per_iteration: float, bandwidth: float) -> float:
    """Return the seconds that an iteration needs at this bandwidth over those that it takes.

    It is above 1 where the tables lie in a cache.
    """
    moved = NUMBERS_PER_CELL * np.dtype(solver.dtype).itemsize * solver.cells
    return moved / (seconds_per_iteration * bandwidth)


@compiled
def _add(values: Any, addend: Any) -> None:
    for k in range(len(values)):
        values[k] += addend


def bandwidth(threads: int = 1, megabytes: int = MEGABYTES, repeats: int = 7) -> float:
    """Return bytes per second read and written back by threads that each add to a float32 array, at best."""
    arrays = [np.zeros(megabytes * 10**6 // 4, dtype=np.float32) for _ in range(threads)]
    addend = np.float32(1)
    _add(arrays[0][:1], addend)
    best = float("inf")
    for _ in range(repeats + 1):  # the first one only brings the pages in
        best = min(best, seconds_of(on_each, lambda worker: _add(arrays[worker], addend), threads))
    return BYTES_PER_FLOAT * sum(map(len, arrays)) / best
