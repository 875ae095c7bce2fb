"""Checks that a sane strategy passes, whatever else it does, and what a failure would mean.

The agent is watched playing against itself, with its style and post-processing, so every figure is weighted by how
often the situation arises, and rows that are never visited decide nothing. Before the flop all nodes and all
classes of hole cards are enumerated instead of dealt (the two hands taken as independent).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from solvent.cards.deck import RANKS
from solvent.cards.evaluator import evaluator
from solvent.cards.isomorphism import Indexer
from solvent.cards.showdown import pairs
from solvent.evaluate.behaviour_kernels import (
    CALLED,
    DECISIONS,
    FOLDED,
    NUTS,
    NUTS_FOLDED,
    ODD,
    RAISED,
    UNTRAINED,
    WEIGHT,
    Observed,
    SelfPlay,
    nothing_observed,
    preflop_strategies,
    self_play,
    watch_hands,
)
from solvent.forms.betting import DECISION
from solvent.forms.sampled import MOST_ACTIONS
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Stop, Watch
from solvent.games.betting.rules import CALL, FOLD, STREETS
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import room

HANDS = 200_000
"""Hands that an agent is watched over."""
PIECE = 2_000
CLASSES = 169
DEEP = 50.0
"""Big blinds from which opening all-in is out of proportion."""
LEAST = 20
"""Decisions below which a figure says nothing."""


@dataclass(frozen=True)
class Check:
    """One thing that a sane strategy does, and what was measured."""

    name: str
    measured: float | None
    """None where the situation hardly arose."""
    unit: str
    wanted: str
    passed: bool
    meaning: str
    """What a failure means."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Watched:
    """An agent watched over hands against itself; an interrupt ends it with nothing."""

    def __init__(
        self,
        agent: TableAgent,
        hands: int = HANDS,
        seed: int = 0,
        threads: int = 1,
        *,
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> None:
        if agent.tree is None:
            raise InputError(f"{agent.name} plays by a rule; only a trained strategy has behaviour to check")
        self.agent, self.tree, self.hands = agent, agent.tree, hands
        self._preflop()
        rules = self.tree.abstraction.rules
        made = [(self_play(rules), nothing_observed()) for _ in range(threads)]

        def work(first: int, last: int, own: tuple[SelfPlay, Observed]) -> None:
            watch_hands(first, last, seed, agent.playing, own[0], evaluator(), pairs(), own[1])

        in_pieces(work, hands, PIECE, made, watch=watch, stage="hands", stop=stop)
        self.sums: NDArray[np.float64] = np.sum([one.sums for _, one in made], axis=0)
        self.counts: NDArray[np.float64] = np.sum([one.counts for _, one in made], axis=0)

    def _preflop(self) -> None:
        """Compute the strategies and reaches of all nodes before the flop."""
        tree = self.tree
        nodes = np.flatnonzero((tree.kind == DECISION) & (tree.street == 0))
        acted = np.zeros(len(nodes), dtype=np.int64)
        for number, node in enumerate(nodes.tolist()):
            acted[number] = sum(
                tree.player[above] == tree.player[node] for above in self._decisions_above(node)
            )
        found = np.zeros((len(nodes), CLASSES, MOST_ACTIONS))
        preflop_strategies(self.agent.playing, room(), nodes, acted, found)
        reach = {0: np.ones((2, CLASSES))}
        for number, node in enumerate(nodes.tolist()):
            for action, child in enumerate(tree.children(node)):
                reach[child] = reach[node].copy()
                reach[child][tree.player[node]] *= found[number, :, action]
        self.nodes, self.strategies, self.reach = nodes, found, reach
        self.weights = class_weights()

    def _decisions_above(self, node: int) -> list[int]:
        above, found = int(self.tree.parent[node]), []
        while above >= 0:
            if self.tree.kind[above] == DECISION:
                found.append(above)
            above = int(self.tree.parent[above])
        return found

    def preflop(
        self, kind: Callable[[int], bool], faced: Callable[[int], bool] = lambda node: True
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each class of hole cards: how often it comes to nodes `faced`, and how often it does `kind` there."""
        came, did = np.zeros((2, CLASSES))
        for number, node in enumerate(self.nodes.tolist()):
            if not faced(node):
                continue
            player = int(self.tree.player[node])
            mine, yours = self.reach[node][player], float(self.reach[node][1 - player] @ self.weights)
            came += mine * yours
            for place, action in enumerate(self.tree.actions(node)):
                if kind(action):
                    did += mine * yours * self.strategies[number, :, place]
        return came, did

    def faces_raise(self, node: int) -> bool:
        """Whether the player to act faces a raise."""
        paid = self.tree.paid[node]
        return bool(paid.max() > self.tree.abstraction.rules.blinds[1] and paid[0] != paid[1])


def class_weights() -> NDArray[np.float64]:
    """float64[169]: how often each class of two cards is dealt."""
    index = Indexer([2])
    hands = np.array([index.index((low, high)) for high in range(52) for low in range(high)])
    weights: NDArray[np.float64] = np.bincount(hands, minlength=CLASSES) / len(hands)
    return weights


def class_of(text: str) -> int:
    """The class of a hand such as `AA`, `72o` or `AKs`."""
    first, second = (RANKS.index(rank) for rank in text[:2])
    return int(Indexer([2]).index((4 * first, 4 * second + (0 if text.endswith("s") else 1))))


def check_behaviour(watched: Watched) -> list[Check]:
    """Make all checks."""
    return [
        *_sound(watched),
        *_before_the_flop(watched),
        *_after_the_flop(watched),
    ]


def _check(
    name: str, measured: float, unit: str, limits: tuple[float, float], meaning: str, cases: float = np.inf
) -> Check:
    """A check that passes where the figure is within the limits, or where there are too few cases to tell."""
    low, high = limits
    number = "{:.4g}" + (f" {unit}" if unit else "")
    if low == high:
        wanted = number.format(low)
    elif low == -np.inf or (low == 0 and high < 100):
        wanted = "at most " + number.format(high)
    elif high == np.inf or high in (1, 100):
        wanted = "at least " + number.format(low)
    else:
        wanted = f"{low:.4g} to " + number.format(high)
    if cases < LEAST or not np.isfinite(measured):
        return Check(name, None, unit, wanted, True, meaning)
    return Check(name, float(measured), unit, wanted, bool(low <= measured <= high), meaning)


def _sound(watched: Watched) -> list[Check]:
    tree, counts = watched.tree, watched.counts
    unbet = np.flatnonzero((tree.kind == DECISION) & (tree.paid[:, 0] == tree.paid[:, 1]))
    free = (tree.action[tree.first_edge[unbet]] == FOLD).sum()
    decisions = max(counts[DECISIONS], 1)
    return [
        _check(
            "probabilities are probabilities",
            float(counts[ODD]),
            "decisions",
            (0, 0),
            "a decision with probabilities below 0, not summing to 1, or folding where there is no bet: the table "
            "is damaged or post-processing is wrong",
        ),
        _check(
            "never folds when it can check",
            float(free),
            "nodes",
            (0, 0),
            "the betting tree gives away pots for nothing: the tree is built wrongly",
        ),
        _check(
            "plays trained infosets",
            100 * counts[UNTRAINED] / decisions,
            "% of decisions",
            (0, 1),
            "the agent comes to rows that training never visited and plays there what it has not learned: train "
            "longer, or with fewer buckets or bets",
        ),
    ]


def _before_the_flop(watched: Watched) -> list[Check]:
    weights, rates = watched.weights, preflop_rates(watched.agent)
    aces, worst = class_of("AA"), class_of("72o")
    _, folded = watched.preflop(lambda action: action == FOLD)
    came, raised = watched.preflop(lambda action: action > CALL, watched.faces_raise)
    _, given_up = watched.preflop(lambda action: action == FOLD, watched.faces_raise)
    raises = raised / np.maximum(came, 1e-300)
    stays = 1 - given_up / np.maximum(came, 1e-300)
    reached = came > 1e-6
    opening = watched.strategies[0]
    actions = watched.tree.actions(0)
    rules = watched.tree.abstraction.rules
    plays = 100 * float(weights @ (1 - opening[:, actions.index(FOLD)])) if FOLD in actions else 100.0
    shoves = opening[:, len(actions) - 1] if actions[-1] == rules.effective_stack else np.zeros(CLASSES)
    found = [
        _check(
            "aces never fold before the flop",
            100 * folded[aces],
            "% of hands",
            (0, 0.5),
            "the best hand gives up its blind or its raise: those rows have hardly been trained, or payoffs have "
            "the wrong sign",
        ),
        _check(
            "72o raises a raise less than aces do",
            100 * (raises[worst] - raises[aces]),
            "points of %",
            (-np.inf, 0),
            "the worst hand bluffs more than the best one bets: buckets are mixed up or training has just begun",
            cases=np.inf if reached[aces] else 0,
        ),
        _check(
            "better hands stay more facing a raise",
            _rank_correlation(rates[reached], stays[reached]),
            "rank correlation",
            (0.6, 1),
            "staying in has little to do with the hand: buckets are mixed up or training has just begun",
            cases=np.inf if reached.sum() > 2 else 0,
        ),
        _check(
            "the button plays more hands than it folds",
            plays,
            "% of hands",
            (50, 100),
            "it folds the small blind with most hands, which loses more than playing them heads-up in position",
        ),
    ]
    if rules.effective_stack >= DEEP * rules.blinds[1]:
        found.append(
            _check(
                "it does not open all-in",
                100 * float(weights @ shoves),
                "% of hands",
                (0, 5),
                "it risks a deep stack to win the blinds: training has not yet found out what that costs",
            )
        )
    return found


def _after_the_flop(watched: Watched) -> list[Check]:
    found = []
    for street, name in enumerate(STREETS[1:], start=1):
        cells = watched.sums[street, 1]
        enough = cells[:, WEIGHT] >= LEAST
        stays = 1 - cells[enough, FOLDED] / cells[enough, WEIGHT]
        all_of = cells.sum(axis=0)
        found += [
            _check(
                f"better hands stay more facing a bet on the {name}",
                _rank_correlation(np.flatnonzero(enough), stays),
                "rank correlation",
                (0.8, 1),
                "calls do not follow the strength of hands: buckets of unlike hands, or too little training",
                cases=np.inf if enough.sum() > 2 else 0,
            ),
            _check(
                f"it neither folds nor calls everything on the {name}",
                100 * all_of[FOLDED] / max(all_of[WEIGHT], 1),
                "% folded to bets",
                (10, 85),
                "any bet wins the pot, or no bluff ever does: an opponent need only notice",
                cases=all_of[WEIGHT],
            ),
        ]
    counts = watched.counts
    found.append(
        _check(
            "the nuts never fold on the river",
            100 * counts[NUTS_FOLDED] / max(counts[NUTS], 1),
            "% of hands",
            (0, 2),
            "a hand that cannot lose is given up: its bucket holds much weaker hands too, or was hardly visited",
            cases=counts[NUTS],
        )
    )
    return found


def preflop_rates(agent: TableAgent) -> NDArray[np.float64]:
    """float64[169]: how often each class wins against a random hand."""
    rates: NDArray[np.float64] = agent.playing.rates[:CLASSES].astype(np.float64)
    return rates


def summary(watched: Watched) -> dict[str, Any]:
    """Frequencies of actions by street, facing a bet and not: the agent's style of play."""
    made: dict[str, Any] = {}
    for street, name in enumerate(STREETS):
        for faced, situation in enumerate(("unopened", "facing a bet")):
            total = watched.sums[street, faced].sum(axis=0)
            if total[WEIGHT] > 0:
                shares = total / total[WEIGHT]
                made[f"{name}, {situation}"] = {
                    "decisions_a_hand": total[WEIGHT] / watched.hands,
                    "fold": shares[FOLDED],
                    "call": shares[CALLED],
                    "raise": shares[RAISED],
                }
    return made


def _rank_correlation(strength: NDArray[Any], frequency: NDArray[np.float64]) -> float:
    """Spearman's rank correlation; 1 where all frequencies are equal, since nothing speaks against them."""
    if len(frequency) < 3:
        return np.nan
    if np.ptp(frequency) < 1e-9:
        return 1.0
    return float(spearmanr(strength, frequency).statistic)
