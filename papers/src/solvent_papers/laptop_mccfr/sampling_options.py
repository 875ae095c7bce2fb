"""Options of Monte Carlo CFR, each alone against plain external sampling, and strategies of biased rewards.

The options are those of Lin, "4 Improvements to Monte Carlo Counterfactual Regret Minimization for Texas Heads Up
No Limit Poker" (2024): threads, exploration decay, biased rewards, ensembles of 4 models and initial weights;
beside them uniform instead of linear weights, and a regret floor. Every variant runs on the same seeds and is
measured at the same iterations, by best responses in true chips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp, floor, log, log10, sqrt
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.response import evaluate, expected_value
from solvent.engines.history.sampled.solver import SamplingSolver
from solvent.engines.rewards import reward
from solvent.engines.sampling import Sampling
from solvent.forms.history import GameTree
from solvent.forms.public.game import public_game
from solvent.forms.public.unroll import unroll
from solvent.foundation.machine import cores
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules
from solvent.strategy.agents.prior import STEPS, WITHIN, prior_strategy, win_rate_prior
from solvent.strategy.ensemble import WAYS, combine
from solvent_papers.confidence import LEVEL, Interval, deviation_interval, mean_interval, ratio_interval
from solvent_papers.frame.drawing import dress, panels, plain_ticks
from solvent_papers.frame.experiment import Experiment, Findings, Found, Part, Say, Setup, by_columns, by_rows
from solvent_papers.frame.running import KeptRuns
from solvent_papers.interleaved import seconds_of

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
    """True if the reward's unit is such that the largest loss is 100 of them, as in the paper's game."""

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
"""The variants that are compared with the plain solver after the same iterations."""
ROBIN = {"y1": PLAIN, **{name: f"reward {name}" for name in REWARDS}}
"""The variants that meet each other in the paper's Figure 5."""
HOLDEM_ITERATIONS = (10_000, 50_000, 200_000)
GAMES = {
    "leduc": (10_000, 100_000, 500_000),
    "flop_holdem(suits=3,ranks=4,raises=1)": HOLDEM_ITERATIONS,
    "holdem(suits=2,ranks=5,streets=3,max_bets=1)": HOLDEM_ITERATIONS,
}
"""The games, and after how many iterations each is measured."""
SMALL_GAMES = {"leduc": (100, 1_000), "flop_holdem(suits=2,ranks=4,raises=1)": (100, 1_000)}
SEEDS, SMALL_SEEDS = 8, 2
PART = "options"
VARYING = tuple(name for name in NAMES if name.startswith(("exploration", f"{MODELS} models")))
"""The options that are said to lower the variance."""
OURS = ("two threads", "uniform weights", "regret floor", *ENSEMBLES)
"""Options of which the paper does not say that they help after equal iterations."""
NORMAL = 1.96
"""Standard deviations to either side of a 95 % interval."""
LESS, MORE, SAME = "less exploitable", "more exploitable", "no significant difference"
UNCHANGED = "changes nothing here"


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
        kept.once({"game": name}, measure_game, name, checks, seeds, say) for name, checks in games.items()
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
        self.seconds += seconds_of(self.solver.run, iterations - self.solver.iterations)
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


# Figures and the page


def values(game: Found, variant: str, iterations: int, column: str = "exploitability") -> list[float]:
    """Return a column of one variant at one time, by seed."""
    points = game["points"]
    rows = zip(points["variant"], points["iterations"], points[column], strict=True)
    return [float(value) for *row, value in rows if row == [variant, iterations]]


def mean(game: Found, variant: str, iterations: int, column: str = "exploitability") -> Interval:
    """Return the mean of a column of one variant at one time over seeds."""
    return mean_interval(values(game, variant, iterations, column))


def compared(game: Found, variant: str, iterations: int) -> Interval:
    """Return a variant's exploitability relative to the plain solver, paired by seed."""
    return ratio_interval(*(values(game, name, iterations) for name in (variant, PLAIN)))


def fair_ratio(game: Found, variant: str, iterations: int) -> Interval:
    """Return an ensemble's exploitability by that of one model that ran as long as all of its models together."""
    return ratio_interval(values(game, variant, iterations), values(game, LONGER, MODELS * iterations))


def deviation(game: Found, variant: str) -> Interval:
    """Return a variant's deviation over seeds relative to the plain solver, after the fewest iterations."""
    return deviation_interval(*(values(game, name, game["checks"][0]) for name in (variant, PLAIN)))


def pooled_deviation(ratios: Sequence[float], seeds: int) -> Interval:
    """Return the geometric mean of ratios of standard deviations, with the interval of its logarithm.

    The logarithm of each ratio of two deviations over n seeds has a variance of about 1 / (n - 1).

    >>> [round(number, 3) for number in pooled_deviation([0.5, 0.5, 0.5], 8)]
    [0.5, 0.326, 0.767]
    """
    middle = fmean(map(log, ratios))
    half = NORMAL / sqrt((seeds - 1) * len(ratios))
    return Interval(exp(middle), exp(middle - half), exp(middle + half))


def figures(found: Found) -> dict[str, float]:
    """Return exploitability by the plain solver's, with intervals, by option, game and time.

    Names are such as `initial weights.leduc.first.high`: of the first game with that short name, after the fewest
    iterations (`first`) or the most (`last`). `deviation` is over seeds, after the fewest; without a game it is
    that of all games together. `fair` compares an ensemble with one model that ran as long as all of it.
    """
    named, games = dict[str, float](), {short(game): game for game in found["games"]}
    for name, game in games.items():
        for variant in NAMES[1:]:
            for when, at in (("first", 0), ("last", -1)):
                ratio = compared(game, variant, game["checks"][at])
                named |= ratio.figures(f"{variant}.{name}.{when}")
            if variant in VARYING:
                named |= deviation(game, variant).figures(f"{variant}.{name}.deviation")
            if variant in ENSEMBLES:
                fair = fair_ratio(game, variant, game["checks"][-1])
                named |= fair.figures(f"{variant}.{name}.fair")
    for variant in VARYING:
        ratios = [named[f"{variant}.{name}.deviation"] for name in games]
        named |= pooled_deviation(ratios, found["seeds"]).figures(f"{variant}.deviation")
    return named


def short(game: Found) -> str:
    """Return the name of a game without its options."""
    return str(game["game"]).partition("(")[0]


def verdict(ratio: Interval) -> str:
    """Say what an interval of a ratio shows."""
    if ratio.low == ratio.high == 1:
        return UNCHANGED
    return LESS if ratio.high < 1 else MORE if ratio.low > 1 else SAME


def view(found: Findings) -> dict[str, Any]:
    """Return what the tables are made of, which options help where, and what is tried."""
    games = found[PART]["games"]
    at_end = {
        name: [verdict(compared(game, name, game["checks"][-1])) for game in games] for name in NAMES[1:]
    } | {
        f"{name}, at equal work": [verdict(fair_ratio(game, name, game["checks"][-1])) for game in games]
        for name in ENSEMBLES
    }
    *_, by_reach = ENSEMBLES
    claimed = [name for name in at_end if name not in (*OURS, f"{by_reach}, at equal work")]
    return {
        "games": games,
        "runs": globals(),  # the names that say what is run
        "varying": VARYING,
        "level": LEVEL,
        "steps": STEPS,
        "rates": WITHIN,
        "prior_strategy": prior_strategy,
        "bends": next(loss for loss in range(1, 1000) if reward("y4", -loss) < -loss),
        "always": {
            kind: [name for name, seen in at_end.items() if set(seen) == {kind}]
            for kind in (LESS, MORE, SAME)
        },
        "never": [name for name in claimed if LESS not in at_end[name]],
        "short": short,
        "mean": mean,
        "compared": compared,
        "fair_ratio": fair_ratio,
        "deviation": deviation,
        "won": won,
        "mean_text": mean_text,
        "ratio_text": ratio_text,
    }


def won(game: Found, row: str, column: str) -> Interval:
    """Return what one reward's strategy wins from another's, in big blinds a game."""
    for met in game["meetings"]:
        if (met["row"], met["column"]) == (row, column):
            return Interval.around(met["won"], met["interval"])
        if (met["column"], met["row"]) == (row, column):
            return Interval.around(0.0 - met["won"], met["interval"])
    raise KeyError((row, column))


def ratio_text(ratio: Interval) -> str:
    """Return a ratio with its interval, in bold where the interval leaves 1 out."""
    digits = 3 if ratio.high < 2 else 2 if ratio.high < 10 else 1
    text = f"{ratio.middle:.{digits}f} [{ratio.low:.{digits}f}, {ratio.high:.{digits}f}]"
    return f"**{text}**" if verdict(ratio) in (LESS, MORE) else text


def mean_text(value: Interval) -> str:
    """Return a mean and half of its interval, to three digits of the mean."""
    digits = max(0, 2 - floor(log10(max(abs(value.middle), 1e-9))))
    return f"{value.middle:.{digits}f} ± {value.half:.{digits}f}"


def tables(found: Findings) -> dict[str, list[dict[str, Any]]]:
    """Return all points: a row for each."""
    rows = [
        {"game": game["game"], **point} for game in found[PART]["games"] for point in by_rows(game["points"])
    ]
    return {"sampling-options.csv": rows}


def draw(found: Findings, page: Path) -> None:
    """Draw ratios to the plain solver with their intervals: a panel for each game."""
    games, names = found[PART]["games"], NAMES[1:]
    with panels(page.with_suffix(".png"), (1, len(games)), (4.9, 5.2)) as (row,):
        for axes, game in zip(row, games, strict=True):
            few, most = game["checks"][0], game["checks"][-1]
            for check, shift, fill in ((few, 0.16, "none"), (most, -0.16, "full")):
                for place, name in enumerate(names):
                    ratio = compared(game, name, check)
                    ends = [[ratio.middle - ratio.low], [ratio.high - ratio.middle]]
                    colour = {LESS: "tab:green", MORE: "tab:red"}.get(verdict(ratio), "tab:gray")
                    style = {"fmt": "o", "fillstyle": fill, "color": colour, "markersize": 4, "linewidth": 1}
                    axes.errorbar(ratio.middle, place + shift, xerr=ends, **style)
            axes.axvline(1, color="black", linewidth=0.7)
            axes.set_xscale("log")
            plain_ticks(axes.xaxis, (0.5, 0.7, 0.85, 1, 1.2, 1.5, 2, 5, 10, 20, 40))
            title = f"{game['game']}\n{few:,} (hollow) and {most:,} iterations"
            dress(axes, "exploitability relative to the plain solver", "", title)
            axes.set_yticks(range(len(names)), names if axes is row[0] else [])
            axes.invert_yaxis()


EXPERIMENT = Experiment(
    "sampling-options",
    "Options of Monte Carlo CFR: what each does to exploitability",
    Setup,
    (Part(PART, measure, figures),),
    view,
    tables,
    draw,
)
