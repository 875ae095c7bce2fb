"""Runs of Monte Carlo CFR with one option each, and what the strategies of biased rewards win from each other.

The options are those of Lin, "4 Improvements to Monte Carlo Counterfactual Regret Minimization for Texas Heads Up
No Limit Poker" (2024): threads, exploration decay, biased rewards, ensembles of 4 models and initial weights;
beside them uniform instead of linear weights, and a regret floor. Every variant runs on the same seeds and is
measured at the same iterations, by best responses in true chips.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.response import evaluate, expected_value
from solvent.engines.history.sampled.solver import SamplingSolver
from solvent.engines.sampling import Sampling
from solvent.forms.history import GameTree
from solvent.forms.public.game import public_game
from solvent.forms.public.unroll import unroll
from solvent.foundation.machine import cores
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules
from solvent.strategy.agents.prior import win_rate_prior
from solvent.strategy.ensemble import WAYS, combine
from solvent_papers.confidence import mean_interval
from solvent_papers.frame.experiment import Found, Say, Setup, by_columns
from solvent_papers.frame.running import KeptRuns

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
        """Return a solver of a game with this change."""
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
"""Who plays whom in the paper's Figure 5."""
HOLDEM_ITERATIONS = (10_000, 50_000, 200_000)
GAMES = {
    "leduc": (10_000, 100_000, 500_000),
    "flop_holdem(suits=3,ranks=4,raises=1)": HOLDEM_ITERATIONS,
    "holdem(suits=2,ranks=5,streets=3,max_bets=1)": HOLDEM_ITERATIONS,
}
"""The games, and after how many iterations each is measured."""
SMALL_GAMES = {"leduc": (100, 1_000), "flop_holdem(suits=2,ranks=4,raises=1)": (100, 1_000)}
SEEDS, SMALL_SEEDS = 8, 2


class Compiled(NamedTuple):
    """A game and what the variants need of it."""

    tree: GameTree
    prior: Floats
    """float64[cells]"""
    largest_loss: float
    """Chips."""


def compiled(name: str) -> Compiled:
    """Return a game in history form, with the prior of its hands' win rates."""
    rules = load_game(name)
    assert isinstance(rules, PublicRules)
    game = public_game(rules, isomorphism=False)
    tree, place = unroll(game)
    return Compiled(tree, win_rate_prior(game)[place], float(-tree.payoff.min()))


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Run every variant on every game."""
    games, seeds = (SMALL_GAMES, SMALL_SEEDS) if setup.small else (GAMES, SEEDS)
    measured = [
        kept.once({"game": name}, partial(measure_game, name, checks, seeds, say))
        for name, checks in games.items()
    ]
    return {"seeds": seeds, "processors": cores(), "games": measured}


def measure_game(name: str, checks: Sequence[int], seeds: int, say: Say) -> Found:
    """Run every variant on one game, with every seed up to each number of iterations.

    A point's histories are those that an iteration touched so far, on average, and its seconds those of iterations
    so far; of an ensemble both are of all models together, and its iterations those of each.
    """
    say(f"{name}: compiling")
    game = compiled(name)
    points, finals = list[Found](), dict[tuple[str, int], Floats]()
    for variant in VARIANTS[1:]:
        for seed in range(seeds):
            say(f"{name}: {variant.name}, seed {seed + 1} of {seeds}")
            run = _Run(variant.solver(game, seed), seed)
            for iterations in checks:
                strategy = run.to(iterations)
                points.append(_point(game.tree, strategy, [run], variant.name, iterations))
            if variant.name in ROBIN.values():
                finals[variant.name, seed] = run.solver.average_strategy()
    for seed in range(seeds):
        say(f"{name}: {PLAIN} and ensembles, seed {seed + 1} of {seeds}")
        found, finals[PLAIN, seed] = _ensembles(game, checks, seed, seeds)
        points += found
    return {
        "game": name,
        "checks": list(checks),
        "histories": game.tree.histories,
        "infosets": game.tree.infosets,
        "largest_loss": game.largest_loss,
        "points": by_columns(points),
        "meetings": _round_robin(game.tree, finals, seeds),
    }


class _Run:
    """A solver that is run up to one number of iterations after another."""

    def __init__(self, solver: SamplingSolver, seed: int) -> None:
        self.solver, self.seed = solver, seed
        self.seconds = 0.0

    def to(self, iterations: int) -> Floats:
        """Return the average strategy after `iterations` iterations."""
        start = time.perf_counter()
        self.solver.run(iterations - self.solver.iterations)
        self.seconds += time.perf_counter() - start
        return self.solver.average_strategy()


def _point(tree: GameTree, strategy: Floats, runs: Sequence[_Run], variant: str, iterations: int) -> Found:
    """Measure the strategy of these runs, each after `iterations` iterations."""
    return {
        "variant": variant,
        "seed": runs[0].seed,
        "iterations": iterations,
        "exploitability": evaluate(tree, strategy).exploitability,
        "histories": sum(run.solver.nodes_touched for run in runs) / runs[0].solver.iterations,
        "seconds": sum(run.seconds for run in runs),
    }


def _ensembles(game: Compiled, checks: Sequence[int], seed: int, seeds: int) -> tuple[list[Found], Floats]:
    """Run the plain solver and ensembles of which it is the first model; it continues alone for as long as all."""
    others = range(seeds + seed * (MODELS - 1), seeds + (seed + 1) * (MODELS - 1))
    runs = [_Run(VARIANTS[0].solver(game, each), seed) for each in (seed, *others)]
    tree, points, final = game.tree, [], game.tree.uniform
    longer = [MODELS * check for check in checks]
    for iterations in sorted({*checks, *longer}):
        if iterations in checks:
            models = [run.to(iterations) for run in runs[1:]]
            final = runs[0].to(iterations)
            points.append(_point(tree, final, runs[:1], PLAIN, iterations))
            for variant, by in ENSEMBLES.items():
                whole = combine(tree, [final, *models], by)
                points.append(_point(tree, whole, runs, variant, iterations))
        if iterations in longer:
            points.append(_point(tree, runs[0].to(iterations), runs[:1], LONGER, iterations))
    return points, final


def _round_robin(tree: GameTree, finals: dict[tuple[str, int], Floats], seeds: int) -> list[Found]:
    """Let every reward's last strategies meet every other's, exactly: winnings in big blinds a game, over seeds.

    Each plays half of the games in each seat; the interval is half of that of 95 %.
    """
    found = []
    for row, column in combinations(ROBIN, 2):
        won = []
        for seed in range(seeds):
            mine, yours = finals[ROBIN[row], seed], finals[ROBIN[column], seed]
            first, second = expected_value(tree, (mine, yours))[0], expected_value(tree, (yours, mine))[1]
            won.append(fmean([first, second]) / UNIT)
        mean = mean_interval(won)
        found.append({"row": row, "column": column, "won": mean.middle, "interval": mean.half})
    return found
