"""Algorithm 4 as the paper writes it, recursive and slow, on a toy whose every draw can be enumerated.

The toy: a deck of seven cards. Each player has one card, and one more is public. Betting: player 0 checks or bets
one chip, player 1 folds or calls; after the public card player 1 checks or bets two chips, player 0 folds or
calls. Public cards lie in clusters of three, one and three cards, of which hands leave more or fewer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

CARDS = 7
CLUSTERS = ((0, 1, 2), (3,), (4, 5, 6))
ONE_CLUSTER = (tuple(range(CARDS)),)
TREE: dict[str, tuple[int, tuple[str, ...]]] = {
    "": (0, ("k", "b")),
    "b": (1, ("bf", "bc")),
    "k/": (1, ("k/k", "k/b")),
    "k/b": (0, ("k/bf", "k/bc")),
    "bc/": (1, ("bc/k", "bc/b")),
    "bc/b": (0, ("bc/bf", "bc/bc")),
}
"""Who decides, and the histories behind, by betting history; a slash is the public card."""
STAKES = {"bf": 1, "k/k": 1, "k/bf": 1, "k/bc": 3, "bc/k": 2, "bc/bf": 2, "bc/bc": 4}
FOLDER = {"bf": 1, "k/bf": 0, "bc/bf": 0}

Draw = Callable[[Any], int]
"""Draws a place of a list of probabilities."""


@cache
def strategy(history: str, cluster: int, bucket: int) -> np.ndarray:
    """A fixed strategy for every infoset, mixed everywhere and different everywhere."""
    rng = np.random.default_rng([len(history), *map(ord, history), cluster + 1, bucket])
    first = rng.uniform(0.2, 0.8)
    return np.array([first, 1 - first])


def payoff(history: str, hands: tuple[int, int], public: int | None) -> float:
    """Player 0's winnings."""
    stake = STAKES[history]
    if history in FOLDER:
        return stake if FOLDER[history] == 1 else -stake
    assert public is not None
    strength = [(3 * hand + 2 * public) % CARDS + hand / 10 for hand in hands]
    return stake * float(np.sign(strength[0] - strength[1]))


@dataclass
class Iteration:
    """One pass of one iteration; increments by (cluster, history, bucket), with cluster -1 for the head."""

    player: int
    clusters: tuple[tuple[int, ...], ...]
    draw: Draw
    scale: Callable[[int, int], float]
    """By (|F_{n,h}|, |F_n|): what a child's increments count."""
    strategy: Callable[[str, int, int], np.ndarray] = strategy
    plain: bool = False
    """Whether one public card is drawn from all, as external sampling does, and its cluster alone is walked."""
    regrets: dict[Any, np.ndarray] = field(default_factory=lambda: defaultdict(lambda: np.zeros(2)))
    sums: dict[Any, np.ndarray] = field(default_factory=lambda: defaultdict(lambda: np.zeros(2)))

    def run(self) -> float:
        pairs = [(a, b) for a in range(CARDS) for b in range(CARDS) if a != b]
        self.hands = pairs[self.draw(np.full(len(pairs), 1 / len(pairs)))]
        left = [[card for card in cluster if card not in self.hands] for cluster in self.clusters]
        self.choices = [len(cards) for cards in left]
        if self.plain:
            every = [(n, card) for n, cards in enumerate(left) for card in cards]
            n, card = every[self.draw(np.full(len(every), 1 / len(every)))]
            self.publics = {n: card}
        else:
            self.publics = {
                n: cards[self.draw(np.full(len(cards), 1 / len(cards)))]
                for n, cards in enumerate(left)
                if cards
            }
        return self.value("", -1, 1.0)

    def value(self, history: str, cluster: int, weight: float) -> float:
        if cluster < 0 and history in ("k", "bc"):  # a continuation
            return self.continuation(history + "/")
        if history in STAKES:
            won = payoff(history, self.hands, self.publics.get(cluster))
            return won if self.player == 0 else -won
        who, behind = TREE[history]
        bucket = self.hands[who] % 3
        sigma = self.strategy(history, cluster, bucket)
        key = cluster, history, bucket
        if who != self.player:
            self.sums[key] += weight * sigma
            return self.value(behind[self.draw(sigma)], cluster, weight)
        values = np.array([self.value(each, cluster, weight) for each in behind])
        self.regrets[key] += weight * (values - sigma @ values)
        return float(sigma @ values)

    def continuation(self, history: str) -> float:
        if self.plain:
            ((n, _),) = self.publics.items()
            return self.value(history, n, 1.0)
        total = 0.0
        for n in self.publics:
            weight = self.scale(self.choices[n], len(self.clusters[n]))
            total += self.choices[n] * self.value(history, n, weight)
        return total / sum(self.choices)


def every_draw(run: Callable[[Draw], Any]) -> Iterator[tuple[float, Any]]:
    """Every sequence of draws: its probability, and what `run` returns for it."""
    script: list[list[Any]] = []  # the place drawn, and the probabilities

    while True:
        made, chance = 0, 1.0

        def draw(probabilities: Any) -> int:
            nonlocal made, chance
            if made == len(script):
                script.append([0, list(probabilities)])
            place, given = script[made]
            made += 1
            chance *= given[place]
            return int(place)

        found = run(draw)
        yield chance, found
        while script and script[-1][0] == len(script[-1][1]) - 1:
            script.pop()
        if not script:
            return
        script[-1][0] += 1


def expected(
    player: int,
    clusters: tuple[tuple[int, ...], ...],
    scale: Callable[[int, int], float],
    plain: bool = False,
    strategy: Callable[[str, int, int], np.ndarray] = strategy,
) -> tuple[float, dict[Any, np.ndarray], dict[Any, np.ndarray]]:
    """The expected value, regrets and sums of one pass, by enumeration."""
    value, regrets, sums, total = 0.0, defaultdict(lambda: np.zeros(2)), defaultdict(lambda: np.zeros(2)), 0.0

    def run(draw: Draw) -> tuple[float, Iteration]:
        iteration = Iteration(player, clusters, draw, scale, strategy, plain)
        return iteration.run(), iteration

    for chance, (found, iteration) in every_draw(run):
        total += chance
        value += chance * found
        for into, of in ((regrets, iteration.regrets), (sums, iteration.sums)):
            for key, numbers in of.items():
                into[key] += chance * numbers
    assert abs(total - 1) < 1e-12
    return value, regrets, sums
