"""Algorithm 4 with children that are heads: the expectations of one pass on a toy, by enumeration.

The toy: a deck of seven cards. Each player has one card, and two more are public, one after another. Betting:
player 0 checks, bets one chip or goes all in; then, after the first public card, player 1 checks or bets; after the
second, player 0 checks or bets. Bets are folded to or called, and one call is all in. First public cards lie in
clusters of three, one and three cards; pairs of both lie in clusters inside those, two, one and two.

Increments are linear in what is sampled below, so that their expectations are found by walking every draw once,
with its chance, instead of every combination of draws.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

CARDS = 7
FLOPS = ((0, 1, 2), (3,), (4, 5, 6))
"""First public cards, by cluster."""
TURNS = (2, 1, 2)
"""Clusters of pairs inside each of these."""
TREE: dict[str, tuple[int, tuple[str, ...]]] = {
    "": (0, ("k/", "b", "a")),
    "b": (1, ("bf", "bc/")),
    "a": (1, ("af", "ac")),
    "k/": (1, ("k/k/", "k/b")),
    "k/b": (0, ("k/bf", "k/bc/")),
    "bc/": (1, ("bc/k/", "bc/b")),
    "bc/b": (0, ("bc/bf", "bc/bc")),
}
"""Who decides, and the histories behind, by betting history; a slash is a public card."""
STAKES = {"bf": 1, "af": 1, "ac": 6, "k/bf": 1, "bc/bf": 2, "bc/bc": 6}
FOLDER = {"bf": 1, "af": 1, "k/bf": 0, "bc/bf": 0}
for _begun, _stake in (("k/k/", 1), ("k/bc/", 3), ("bc/k/", 2)):
    TREE[_begun] = 0, (_begun + "k", _begun + "b")
    TREE[_begun + "b"] = 1, (_begun + "bf", _begun + "bc")
    STAKES |= {_begun + "k": _stake, _begun + "bf": _stake, _begun + "bc": _stake + 2}
    FOLDER[_begun + "bf"] = 1

Path = tuple[int, ...]
"""Whose table: () the head's, (n,) a child's, (n, m) a grandchild's."""
Key = tuple[Path, str, int]
"""Whose table, the betting history, the bucket."""


def flop_cluster(flop: int) -> int:
    return next(n for n, cards in enumerate(FLOPS) if flop in cards)


def turn_cluster(flop: int, turn: int) -> int:
    """Inside the flop's cluster."""
    return (int((2 * flop + turn) % 5 < 2), 0, int(turn < 3))[flop_cluster(flop)]


def pairs_of(n: int, m: int) -> int:
    """Pairs of public cards in a cluster of pairs."""
    pairs = [(f, t) for f in FLOPS[n] for t in range(CARDS) if t != f]
    return sum(turn_cluster(f, t) == m for f, t in pairs)


def bucket(hand: int, board: tuple[int, ...]) -> int:
    return (hand + sum((place + 1) * card for place, card in enumerate(board))) % 3


@cache
def strategy(path: Path, history: str, bucket: int) -> np.ndarray:
    """A fixed strategy for every infoset, mixed everywhere and different everywhere."""
    rng = np.random.default_rng([len(history), *map(ord, history), len(path), *path, bucket])
    weights = rng.uniform(0.2, 0.8, len(TREE[history][1]))
    return weights / weights.sum()


def payoff(history: str, hands: tuple[int, int], board: tuple[int, ...]) -> float:
    """What player 0 wins."""
    stake = STAKES[history]
    if history in FOLDER:
        return stake if FOLDER[history] == 1 else -stake
    flop, turn = board
    strength = [(3 * hand + 2 * flop + hand * turn) % CARDS + hand / 10 for hand in hands]
    return stake * float(np.sign(strength[0] - strength[1]))


@dataclass
class Expected:
    """The expected value and increments of one pass."""

    player: int
    plain: bool
    """Whether one card is drawn from all, as external sampling does, or one in every cluster."""
    scale: Callable[[Path, int], float]
    """By whose table and the product of its |F_{n,h}|: what its increments count."""
    strategy: Callable[[Path, str, int], np.ndarray] = strategy
    one: bool = False
    """Whether all public cards are in one cluster at each level."""
    regrets: dict[Key, Any] = field(default_factory=lambda: defaultdict(float))
    sums: dict[Key, Any] = field(default_factory=lambda: defaultdict(float))

    def run(self) -> float:
        """The value; increments are added up."""
        hands = [(a, b) for a in range(CARDS) for b in range(CARDS) if a != b]
        return sum(self._value("", each, (), (), 1 / len(hands), 1) / len(hands) for each in hands)

    def _value(
        self,
        history: str,
        hands: tuple[int, int],
        board: tuple[int, ...],
        path: Path,
        chance: float,
        chosen: int,
    ) -> float:
        """chance: that sampling comes here. chosen: the product of what public cards were drawn from."""
        needed = 2 if history in STAKES and history not in FOLDER else history.count("/")
        if needed > len(board):
            return self._continuation(history, hands, board, path, chance, chosen)
        if history in STAKES:
            won = payoff(history, hands, board)
            return won if self.player == 0 else -won
        who, behind = TREE[history]
        key = path, history, bucket(hands[who], board)
        sigma = self.strategy(*key)
        weight = 1.0 if self.plain or not path else self.scale(path, chosen)
        chances = sigma if who != self.player else np.ones(len(sigma))
        values = np.array(
            [
                self._value(each, hands, board, path, chance * part, chosen)
                for each, part in zip(behind, chances, strict=True)
            ]
        )
        if who != self.player:
            self.sums[key] = self.sums[key] + chance * weight * sigma
        else:
            self.regrets[key] = self.regrets[key] + chance * weight * (values - sigma @ values)
        return float(sigma @ values)

    def _continuation(
        self,
        history: str,
        hands: tuple[int, int],
        board: tuple[int, ...],
        path: Path,
        chance: float,
        chosen: int,
    ) -> float:
        left = defaultdict(list)
        for card in range(CARDS):
            if card not in hands and card not in board:
                left[self._cluster(*board, card)].append(card)
        everything, total = sum(map(len, left.values())), 0.0
        for n, cards in left.items():
            draws = everything if self.plain else len(cards)
            values = [
                self._value(history, hands, (*board, card), (*path, n), chance / draws, chosen * len(cards))
                for card in cards
            ]
            total += sum(values)  # |F_{n,h}| times their mean
        return total / everything

    def _cluster(self, *cards: int) -> int:
        if self.one:
            return 0
        return flop_cluster(*cards) if len(cards) == 1 else turn_cluster(*cards)


def public_states(path: Path) -> int:
    """|F_n| of a cluster at either level."""
    return len(FLOPS[path[0]]) if len(path) == 1 else pairs_of(*path)


def mean_choices(path: Path) -> tuple[int, int]:
    """The mean over all hands of the public states that they leave to a cluster, as numerator and denominator."""
    left, every = ((5, 7), (5 * 4, 7 * 6))[len(path) - 1]
    return public_states(path) * left, every
