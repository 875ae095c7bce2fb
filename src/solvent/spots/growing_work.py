"""A solve that finds its bet sizes, as a session drives it: looks, additions, their log, and checkpoints.

Looks are seldom, because each takes as long as some iterations on the tree with all candidates: after the
iterations of `LOOKS`, and whenever the present tree is solved to `NEAR` times the target. Without a target they
continue, each time there are `LOOK_GROWTH` times as many iterations. A solve ends at the target only if the last
look has added nothing, or the limit of nodes is as good as reached, after which there are no more looks. Where
streets follow, the first looks fill only a fraction of the limit of nodes (`PARTS`): the worth of a river bet
shows only once the turn has its sizes. With a target and a rule that is not a sum additions are copies of the
nearest bet's tables (`adding.copy_nearest`); otherwise they are recovery games. All this is heuristic; it and the
least gains were chosen on the spots of `solvent bench sizes`.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.holdem.growing.adding import add_actions, copy_nearest, larger_game
from solvent.engines.holdem.growing.candidates import AutoSizes
from solvent.engines.holdem.growing.growing_solver import GrowingSolver, line_of
from solvent.engines.holdem.growing.looks import Inherited, LookLimits, Looks, Worth, inherited, place_of
from solvent.engines.holdem.table_views import public_nodes
from solvent.forms.holdem.game import HoldemGame
from solvent.games.betting.tree_sizes import Line
from solvent.games.holdem.spot import NAMES
from solvent.solving.session import Limits
from solvent.spots.locks import parse_lock
from solvent.spots.work import SpotWork

LOOKS, LOOK_GROWTH = (20, 50, 120), 2.5
PARTS = (0.3, 0.5, 0.75)
"""Fractions of the limit of nodes that the first looks fill where streets follow."""
LEAST_WORTH, LEAST_WORTH_NEAR, LEAST_IN_ALL = 0.05, 0.02, 0.5
"""Candidates that gain less than the first fraction of the target are not added, or less than the second once the
target is near; nor any where all of a look gain less than the third, because after an addition the tree takes a
hundred iterations to come back to where it was."""
NEAR = 2.0
"""Multiple of the target at which the last look is taken."""
FULL = 0.95
"""Fraction of the limit of nodes from which the tree counts as full."""
LOG = "additions"


@dataclass(frozen=True)
class SizeAdded:
    """One size that was added, and what it was worth."""

    line: str
    """The actions before."""
    action: str
    player: str
    street: str
    percent_of_pot: float
    """The bet in percent of the pot."""
    worth_percent: float
    """An estimate of what it would have gained against the strategy of that moment, in percent of the starting pot:
    sizes that were added beside it are allowed for by their distance, and hands count by where a response and the
    average strategy bring them."""
    iteration: int
    """Iterations that had been run."""
    recovery_iterations: int
    discount: float
    """w: the weight of the iterations before since then."""
    behind: str = ""
    """The bet on an earlier street that it came with, where it was copied from behind the nearest bet; such a size
    has no worth of its own."""

    @property
    def whole_line(self) -> Line:
        """The actions before, and the one that was added."""
        return (*line_of(self.line), self.action)


@dataclass(frozen=True)
class SizesFound:
    """Outcome of a solve that finds its bet sizes."""

    sizes: str
    """The option: auto,from=25%,to=300%,steps=16,at-most=16,nodes=33.3333%."""
    added: tuple[SizeAdded, ...]
    exploitability_percent: float
    """Exploitability in the spot with all candidates, in percent of the pot: off-tree bets are answered through the
    randomised pseudo-harmonic mapping."""
    nodes: int
    """Public nodes x hands of the tree that was grown."""
    candidate_nodes: int
    """Public nodes x hands of the tree with all candidates."""
    look_seconds: float
    adding_seconds: float


class GrowingWork(SpotWork):
    """A solve that finds its bet sizes."""

    solver: GrowingSolver

    def __init__(
        self,
        solver: GrowingSolver,
        pot: float,
        limits: Limits,
        auto: AutoSizes,
        locks: Sequence[str],
        looks: Looks,
    ) -> None:
        super().__init__(solver, pot, limits)
        self.auto, self.lock_texts, self.looks = auto, tuple(locks), looks
        self.log: list[SizeAdded] = []
        self.settled_at = 0.0 if auto.at_most == 0 else math.inf
        """The target, in chips, at which a look found nothing to add; lower ones are looked at anew."""
        self.look_seconds = self.adding_seconds = 0.0

    # Iterations and looks

    def run(self, iterations: int) -> None:
        """Run further iterations, with the looks that are due among them."""
        target = self.iterations + iterations
        while self.iterations < target:
            due = next_look(self.iterations, math.inf if self.limits.until is None else LOOKS[-1])
            super().run(int(min(due, target)) - self.iterations)
            if self.iterations == due and not self.settled:
                self.look(part_of_limit(self.iterations) if len(self.solver.game.streets) > 1 else 1.0)

    def measure(self) -> dict[str, Any]:
        """Measure; where the target is near a look decides whether the tree is done."""
        found = super().measure()
        every = self.limits.check_every
        due = every is not None and self.iterations % every == 0
        just_grown = bool(self.log) and self.log[-1].iteration == self.iterations
        if due and self._near_target and not just_grown and not self.settled:
            start = time.perf_counter()
            grown = self.look()
            self.measuring_seconds += time.perf_counter() - start
            if grown:
                self.measured.pop()
                found = super().measure()
        return {**found, "sizes_added": len(self.log), "nodes": self.solver.nodes}

    def look(self, part: float = 1.0) -> int:
        """Look at the candidates and add those that pay; how many were added.

        part: the fraction of the limit of nodes up to which the tree may grow now.
        """
        start = time.perf_counter()
        least = LEAST_WORTH_NEAR if self._near_target else LEAST_WORTH
        limits = LookLimits(least * self._target, self.limits.until, part)
        look = self.looks.look(self.solver, self.auto, Counter(one.line for one in self.log), limits)
        self.look_seconds += time.perf_counter() - start
        chosen = look.chosen
        while chosen and not self._fit(chosen):  # nodes behind a candidate are an estimate
            chosen = chosen[: len(chosen) * 7 // 8]
        if chosen and sum(one.chips for one in chosen) >= LEAST_IN_ALL * self._target:
            self._add(chosen)
        else:
            chosen = ()
        if look.full or self.solver.nodes > FULL * self._most_nodes:
            self.settled_at = 0.0
        elif not chosen and self._near_target:
            assert self.limits.until is not None
            self.settled_at = min(self.settled_at, self.limits.until)
        return len(chosen)

    @property
    def settled(self) -> bool:
        """Whether the tree has grown enough for the target."""
        return self.settled_at == 0 or (
            self.limits.until is not None and self.settled_at <= self.limits.until
        )

    @property
    def _target(self) -> float:
        """Exploitability, in chips, that gains are compared with; without a target 0.3 % of the pot."""
        until = self.limits.until
        return until if until is not None else 0.003 * self.pot

    @property
    def _near_target(self) -> bool:
        until = self.limits.until
        return until is not None and bool(self.measured) and self.measured[-1][1] <= NEAR * until

    def _add(self, chosen: Sequence[Worth]) -> None:
        start = time.perf_counter()
        by_line: dict[str, list[str]] = {}
        for one in chosen:
            by_line.setdefault(one.history, []).append(one.action)
        by_size: dict[str, list[float]] = {}
        for was in self.log:
            by_size.setdefault(was.line, []).append(was.percent_of_pot / 100)
        copied = inherited(self.solver, self.looks.game, chosen, by_size)
        while copied and not self._fit(chosen, copied):
            copied = copied[: len(copied) * 3 // 4]
        behind = [(*line_of(line), name) for _, line, name, _ in copied]
        if self.limits.until is not None and not self.solver.rule.additive:
            grown = copy_nearest(self.solver, by_line, self._locks, behind)
        else:
            grown = add_actions(self.solver, by_line, self._locks, behind=behind)
        played = {added.history: added.iterations for added in grown.added}

        def log(
            one: Worth, line: str, action: str, player: int, size: float, worth: float, behind: str = ""
        ) -> None:
            street, _ = place_of(grown.solver.game.rules, line)
            iterations = self.iterations, played[one.history]
            added = line, action, NAMES[player], street, 100 * size, worth
            self.log.append(SizeAdded(*added, *iterations, grown.discount, behind))

        for one in chosen:
            log(one, one.history, one.action, one.player, one.size, 100 * one.chips / self.pot)
        tree = grown.solver.game.tree
        for one, line, action, size in copied:
            player = int(tree.player[tree.by_history[line]])
            log(one, line, action, player, size, 0.0, behind=one.action)
        self.solver = grown.solver
        self._evaluation = None
        self.adding_seconds += time.perf_counter() - start

    def _fit(self, chosen: Sequence[Worth], copied: Sequence[Inherited] = ()) -> bool:
        """Whether new bets and the sizes behind them stay below the limit of nodes."""
        lines = [(*line_of(one.history), one.action) for one in chosen]
        lines += [(*line_of(line), name) for _, line, name, _ in copied]
        game = larger_game(self.solver.game, self.solver.game.rules.with_added(lines))
        return public_nodes(game) <= self._most_nodes

    @property
    def _most_nodes(self) -> int:
        return round(self.auto.nodes * public_nodes(self.looks.game))

    def found(self) -> SizesFound:
        """Measure the solution in the spot with all candidates."""
        measured = self.looks.evaluate(self.solver).exploitability
        return SizesFound(
            str(self.auto),
            tuple(self.log),
            100 * measured / self.pot,
            self.solver.nodes,
            public_nodes(self.looks.game),
            self.look_seconds,
            self.adding_seconds,
        )

    def _locks(self, game: HoldemGame) -> list[Any]:
        return [parse_lock(text, game.rules, game.tree) for text in self.lock_texts]

    # What is told and kept

    def describe(self) -> str:
        said = super().describe()
        if not self.log:
            return said
        last = self.log[-1]
        where = f"after {last.line}" if last.line else "first"
        count = len(self.log)
        told = f"{count} size{'s' * (count > 1)} added, last {last.player} {last.action} {where}"
        return f"{said}, {told}" if said else told

    def facts(self) -> dict[str, Any]:
        return {
            **super().facts(),
            "settled_at": None if math.isinf(self.settled_at) else self.settled_at,
            "look_seconds": self.look_seconds,
            "adding_seconds": self.adding_seconds,
            LOG: [asdict(one) for one in self.log],
        }

    def restore(self, facts: Mapping[str, Any]) -> None:
        super().restore(facts)
        settled = facts["settled_at"]
        self.settled_at = math.inf if settled is None else float(settled)
        self.look_seconds, self.adding_seconds = float(facts["look_seconds"]), float(facts["adding_seconds"])

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        log = json.dumps([asdict(one) for one in self.log]).encode()
        return self.solver.saved_tables() | {LOG: np.frombuffer(log, dtype=np.uint8).copy()}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        self.log = log_of(tables)
        self.solver = grown_solver(self.solver, self.log, self.lock_texts)
        self.solver.load_tables(tables)


def next_look(done: int, last: float = math.inf) -> float:
    """Find the first iteration after `done` at which to look; infinite where it would be after `last`."""
    due = next((at for at in LOOKS if at > done), LOOKS[-1])
    while due <= done:
        due = math.floor(due * LOOK_GROWTH)
    return due if due <= last else math.inf


def part_of_limit(done: int) -> float:
    """Fraction of the limit of nodes that the look after `done` iterations may fill.

    >>> part_of_limit(20), part_of_limit(50), part_of_limit(120)
    (0.3, 0.5, 0.75)
    """
    due = next_look(0)
    for part in PARTS:
        if done <= due:
            return part
        due = next_look(int(due))
    return 1.0


def log_of(tables: Mapping[str, NDArray[Any]]) -> list[SizeAdded]:
    """Read the log of additions that a checkpoint keeps."""
    return [SizeAdded(**row) for row in json.loads(bytes(np.asarray(tables[LOG])))]


def grown_solver(solver: GrowingSolver, log: Sequence[SizeAdded], locks: Sequence[str]) -> GrowingSolver:
    """Build a solver of the tree that a log leads to, with empty tables."""
    if not log:
        return solver
    rules = solver.game.rules.with_added([one.whole_line for one in log])
    game = larger_game(solver.game, rules)
    held = [parse_lock(text, rules, game.tree) for text in locks]
    return GrowingSolver(game, solver.rule, solver.threads, solver.dtype, held)
