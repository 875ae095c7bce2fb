"""What the options of Monte Carlo CFR do to exact exploitability: each alone against plain external sampling.

The options are those of Lin, "4 Improvements to Monte Carlo Counterfactual Regret Minimization for Texas Heads Up
No Limit Poker" (2024): threads, exploration decay, biased rewards, ensembles of 4 models and initial weights;
beside them uniform instead of linear weights, and a regret floor. Every variant runs on the same seeds and is
measured at the same iterations, by best responses in true chips.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.response import evaluate, expected_value
from solvent.engines.history.sampled.solver import SamplingSolver
from solvent.engines.sampling import Sampling
from solvent.forms.history import GameTree
from solvent.forms.public.game import public_game
from solvent.forms.public.unroll import unroll
from solvent.foundation.progress import Watch
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules
from solvent.strategy.agents.prior import win_rate_prior
from solvent.strategy.ensemble import WAYS, combine
from solvent_papers.steps import saying

UNIT = 2.0
"""Chips of a big blind in all of the games, of the first round's bet in Leduc."""
STACK = 100
"""Big blinds of the paper's stacks: in the second scale of rewards, what the largest loss is."""
FLOOR = 100 * UNIT
"""Chips."""
MODELS = 4
PLAIN, LONGER = "plain", f"plain, {MODELS} times the iterations"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Variant:
    """Plain external sampling with one thing changed."""

    name: str
    sampling: dict[str, Any] = field(default_factory=dict)
    rule: str = "lcfr"
    threads: int = 1
    prior: bool = False
    scaled: bool = False
    """Whether the reward's unit is such that the largest loss is 100 of them, as in the paper's game."""

    def solver(self, game: Compiled, seed: int) -> SamplingSolver:
        options = dict(self.sampling)
        if options.get("reward", "y1") != "y1":
            options["reward_unit"] = game.largest_loss / STACK if self.scaled else UNIT
        solver = SamplingSolver(
            game.tree, self.rule, Sampling("external", **options), seed, self.threads, "float64"
        )
        if self.prior:
            solver.warm_start(game.prior)
        return solver


REWARDS = ("y2", "y3", "y4")
VARIANTS = (
    Variant(PLAIN),
    Variant("two threads", threads=2),
    Variant("exploration decay", {"exploration_decay": True}),
    Variant("exploration decay, mixed", {"exploration_decay": True, "exploration_mix": True}),
    *(Variant(f"reward {name}", {"reward": name}) for name in REWARDS),
    *(
        Variant(f"reward {name}, largest loss {STACK}", {"reward": name}, scaled=True)
        for name in REWARDS
        if name != "y2"
    ),
    Variant("uniform weights", rule="cfr"),
    Variant("regret floor", {"regret_floor": FLOOR}),
    Variant("initial weights", prior=True),
)
ENSEMBLES = {f"{MODELS} models, {'by reach' if by == 'reach' else 'summed'}": by for by in WAYS}
NAMES = (*(variant.name for variant in VARIANTS), *ENSEMBLES)
"""What is compared with the plain solver after the same iterations."""
ROBIN = {"y1": PLAIN, **{name: f"reward {name}" for name in REWARDS}}
"""The paper's Figure 5: who plays whom."""


@dataclass(frozen=True)
class Compiled:
    """A game and what the variants need of it."""

    tree: GameTree
    prior: Floats
    """float64[cells]"""

    @property
    def largest_loss(self) -> float:
        return float(-self.tree.payoff.min())


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    games: dict[str, tuple[int, ...]]
    """The games, and after how many iterations each is measured."""
    seeds: int


HOLDEM_ITERATIONS = (10_000, 50_000, 200_000)
FULL = Scale(
    {
        "leduc": (10_000, 100_000, 500_000),
        "flop_holdem(suits=3,ranks=4,raises=1)": HOLDEM_ITERATIONS,
        "holdem(suits=2,ranks=5,streets=3,max_bets=1)": HOLDEM_ITERATIONS,
    },
    seeds=8,
)
QUICK = Scale({"leduc": (100, 1_000), "flop_holdem(suits=2,ranks=4,raises=1)": (100, 1_000)}, seeds=2)


@dataclass(frozen=True)
class Point:
    """One run at one time. An ensemble's iterations are those of each of its models."""

    game: str
    variant: str
    seed: int
    iterations: int
    exploitability: float
    """NashConv / 2 in chips."""
    histories: float
    """Touched so far by an iteration, on average; of all models together."""
    seconds: float
    """Seconds of iterations so far, of all models together."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Meeting:
    """What one reward's strategy wins from another's, in big blinds a game, half of them in each seat; one seed."""

    game: str
    row: str
    column: str
    seed: int
    won: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Result:
    """All that was measured."""

    scale: Scale
    points: tuple[Point, ...]
    meetings: tuple[Meeting, ...]
    sizes: dict[str, tuple[int, int]]
    """Histories and infosets of each game."""
    largest_loss: dict[str, float]
    """In chips."""
    seconds: float
    processors: int
    """That the process could use: threads on one take turns."""

    def values(self, game: str, variant: str, iterations: int, column: str = "exploitability") -> list[float]:
        """A column of one variant at one time, by seed."""
        key = (game, variant, iterations)
        return [
            float(getattr(point, column))
            for point in self.points
            if (point.game, point.variant, point.iterations) == key
        ]


def sampling_options(scale: Scale = FULL, watch: Watch | None = None) -> Result:
    """Run every variant on every game."""
    say = saying(watch)
    begin = time.perf_counter()
    points: list[Point] = []
    meetings: list[Meeting] = []
    sizes, losses = {}, {}
    for name, checks in scale.games.items():
        say(f"{name}: compiling")
        game = compiled(name)
        sizes[name], losses[name] = (game.tree.histories, game.tree.infosets), game.largest_loss
        finals: dict[tuple[str, int], Floats] = {}
        for variant in VARIANTS[1:]:
            for seed in range(scale.seeds):
                say(f"{name}: {variant.name}, seed {seed + 1} of {scale.seeds}")
                run = _Run(name, game.tree, variant.solver(game, seed), seed)
                points += [run.at(iterations, variant.name) for iterations in checks]
                if variant.name in ROBIN.values():
                    finals[variant.name, seed] = run.solver.average_strategy()
        for seed in range(scale.seeds):
            say(f"{name}: {PLAIN} and ensembles, seed {seed + 1} of {scale.seeds}")
            found, finals[PLAIN, seed] = _ensembles(name, game, checks, seed, scale.seeds)
            points += found
        meetings += _round_robin(name, game.tree, finals, scale.seeds)
    seconds = time.perf_counter() - begin
    return Result(scale, tuple(points), tuple(meetings), sizes, losses, seconds, processors())


def compiled(name: str) -> Compiled:
    """A game in history form, with the prior of its hands' win rates."""
    rules = load_game(name)
    assert isinstance(rules, PublicRules)
    game = public_game(rules, isomorphism=False)
    tree, place = unroll(game)
    return Compiled(tree, win_rate_prior(game)[place])


def processors() -> int:
    """How many processors this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Run:
    """A solver that is run up to one number of iterations after another."""

    def __init__(self, game: str, tree: GameTree, solver: SamplingSolver, seed: int) -> None:
        self.game, self.tree, self.solver, self.seed = game, tree, solver, seed
        self.seconds = 0.0

    def to(self, iterations: int) -> Floats:
        """The average strategy after `iterations` iterations."""
        start = time.perf_counter()
        self.solver.run(iterations - self.solver.iterations)
        self.seconds += time.perf_counter() - start
        return self.solver.average_strategy()

    def at(self, iterations: int, variant: str) -> Point:
        return measured(self.tree, self.to(iterations), [self], variant, iterations)


def measured(tree: GameTree, strategy: Floats, runs: Sequence[_Run], variant: str, iterations: int) -> Point:
    """The mean strategy of these runs, each after `iterations` iterations."""
    return Point(
        runs[0].game,
        variant,
        runs[0].seed,
        iterations,
        evaluate(tree, strategy).exploitability,
        sum(run.solver.nodes_touched for run in runs) / runs[0].solver.iterations,
        sum(run.seconds for run in runs),
    )


def _ensembles(
    name: str, game: Compiled, checks: Sequence[int], seed: int, seeds: int
) -> tuple[list[Point], Floats]:
    """The plain solver and ensembles of which it is the first model; then it goes on alone for as long as all."""
    others = range(seeds + seed * (MODELS - 1), seeds + (seed + 1) * (MODELS - 1))
    runs = [_Run(name, game.tree, VARIANTS[0].solver(game, each), seed) for each in (seed, *others)]
    points, final = [], game.tree.uniform
    longer = [MODELS * check for check in checks]
    for iterations in sorted({*checks, *longer}):
        if iterations in checks:
            models = [run.to(iterations) for run in runs[1:]]
            final = runs[0].to(iterations)
            points.append(measured(game.tree, final, runs[:1], PLAIN, iterations))
            for variant, by in ENSEMBLES.items():
                whole = combine(game.tree, [final, *models], by)
                points.append(measured(game.tree, whole, runs, variant, iterations))
        if iterations in longer:
            points.append(measured(game.tree, runs[0].to(iterations), runs[:1], LONGER, iterations))
    return points, final


def _round_robin(
    name: str, tree: GameTree, finals: dict[tuple[str, int], Floats], seeds: int
) -> list[Meeting]:
    """Figure 5: every reward's last strategies against every other's, exactly."""
    found = []
    for row, column in combinations(ROBIN, 2):
        for seed in range(seeds):
            mine, yours = finals[ROBIN[row], seed], finals[ROBIN[column], seed]
            first, second = expected_value(tree, (mine, yours))[0], expected_value(tree, (yours, mine))[1]
            won = fmean([first, second]) / UNIT
            found += [Meeting(name, row, column, seed, won), Meeting(name, column, row, seed, -won)]
    return found
