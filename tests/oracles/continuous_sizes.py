"""The slow obvious twin of continuous responses: chips counted, beliefs in dictionaries, sizes from grids."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from solvent.abstraction.betting.translation import translation
from solvent.forms.explicit.tree import DEAL, DECISION, FOLDED, ExplicitTree
from solvent.games.continuous_leduc import ContinuousLeduc, SizedBetting
from solvent.games.public_rules import SHOWDOWN, Betting

Belief = dict[tuple[int, int], float]
"""The weight of (abstract node, the other player's hand): all that chance and the other player have done."""


class OneRound(ContinuousLeduc):
    """Continuous Leduc that ends after the first round of betting: the higher card wins."""

    def boards(self, board, first, second):
        return []

    def public_boards(self, board):
        return []

    def round_sizes(self, isomorphism=False):
        return super().round_sizes(isomorphism)[:1]

    def strength(self, board, hand):
        return hand[0]

    def _sized_end(self, stage: int, pot: float, history: str) -> Betting:
        return Betting(symbol=SHOWDOWN, stake=pot / 2)


class GridResponse:
    """A best response to a strategy that takes real bets for sizes of its abstraction, betting sizes of grids.

    strategy: float64[nodes, hands]. grids: the sizes in each round, ascending. informed: whether the exploiter sees
    which size a bet was taken for. zooms: how often a finer grid is tried around the best size, by round.
    """

    def __init__(
        self,
        tree: ExplicitTree,
        strategy: Any,
        exploiter: int,
        grids: Any,
        informed: bool,
        zooms: tuple[int, ...] = (0, 0),
    ) -> None:
        self.tree, self.exploiter, self.grids, self.informed = tree, exploiter, grids, informed
        self.zooms = zooms
        self.strategy, self.kind, self.player = strategy.tolist(), tree.kind.tolist(), tree.player.tolist()
        self.board, self.chances = tree.board.tolist(), tree.chances.tolist()
        self.children = cache(self._children)
        self.shares = cache(self._shares)

    def value(self) -> float:
        """The exploiter's winnings, in chips per game."""
        hands = range(len(self.tree.hands))
        total = 0.0
        for hand in hands:
            belief = {(0, other): self._chance(0, hand, other) for other in hands}
            total += self._value(hand, belief, (1.0, 1.0))
        return total

    def _chance(self, board: int, hand: int, other: int) -> float:
        first, second = (hand, other) if self.exploiter == 0 else (other, hand)
        return self.chances[board][first][second]

    def _children(self, node: int) -> dict[Any, int]:
        """Children by action: a number is the size of a bet."""
        tree = self.tree
        return {
            tree.labels[child] if np.isnan(tree.theta[child]) else float(tree.theta[child]): child
            for child in tree.children(node)
        }

    def _shares(self, node: int, size: float) -> list[tuple[int, float]]:
        """The children for which a bet of this size is taken, with probabilities."""
        sizes = sorted(key for key in self.children(node) if isinstance(key, float))
        smaller, *shares = translation(size, sizes)
        shares[0] += smaller
        return [(self.children(node)[key], share) for key, share in zip(sizes, shares, strict=True) if share]

    def _value(self, hand: int, belief: Belief, paid: tuple[float, float]) -> float:
        node = next(iter(belief), (None,))[0]
        if node is None:
            return 0.0
        if self.kind[node] == DECISION:
            if self.player[node] == self.exploiter:
                return self._best(hand, belief, paid)
            return self._against(hand, belief, paid)
        if self.kind[node] == DEAL:
            return self._dealt(hand, belief, paid)
        own, other = paid[self.exploiter], paid[1 - self.exploiter]
        if self.kind[node] == FOLDED:
            return sum(belief.values()) * (-own if own < other else other)
        tree, total = self.tree, 0.0
        for (_, held), weight in belief.items():
            board = tree.boards[self.board[node]]
            total += weight * own * tree.rules.sign(SHOWDOWN, board, tree.hands[hand], tree.hands[held])
        return total

    def _dealt(self, hand: int, belief: Belief, paid: tuple[float, float]) -> float:
        seen: dict[Any, Belief] = {}
        for (node, held), weight in belief.items():
            for label, child in self.children(node).items():
                chance = self._chance(self.board[child], hand, held) / self._chance(
                    self.board[node], hand, held
                )
                if chance:
                    seen.setdefault(label, {})[child, held] = weight * chance
        return sum(self._value(hand, after, paid) for after in seen.values())

    def _against(self, hand: int, belief: Belief, paid: tuple[float, float]) -> float:
        seen: dict[Any, Belief] = {}
        for (node, held), weight in belief.items():
            for action, child in self.children(node).items():
                if share := self.strategy[child][held]:
                    seen.setdefault(action, {})[child, held] = weight * share
        other = 1 - self.exploiter
        return sum(self._value(hand, after, _pay(paid, other, action)) for action, after in seen.items())

    def _best(self, hand: int, belief: Belief, paid: tuple[float, float]) -> float:
        tried, bets = [], False
        node = next(iter(belief))[0]
        for action in self.children(node):
            if isinstance(action, float):
                bets = True
                continue
            after = {(self.children(node)[action], held): weight for (node, held), weight in belief.items()}
            tried.append(self._value(hand, after, _pay(paid, self.exploiter, action)))
        if bets:
            stage = 1 if self.board[node] else 0
            grid = self.grids[stage]
            for _ in range(1 + self.zooms[stage]):
                worth = [self._bet(hand, belief, paid, size) for size in grid]
                tried += worth
                best = int(np.argmax(worth))
                around = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
                grid = np.linspace(*around, 7).tolist()
        return max(tried)

    def _bet(self, hand: int, belief: Belief, paid: tuple[float, float], size: float) -> float:
        after: Belief = {}
        for (node, held), weight in belief.items():
            for child, share in self.shares(node, size):
                after[child, held] = weight * share
        paid = _pay(paid, self.exploiter, size)
        if not self.informed:
            return self._value(hand, after, paid)
        total = 0.0
        for taken in {node for node, _ in after}:
            alone = {place: weight for place, weight in after.items() if place[0] == taken}
            total += self._value(hand, alone, paid)
        return total


def _pay(paid: tuple[float, float], player: int, action: Any) -> tuple[float, float]:
    """Both players' chips after one folds, checks, calls or bets a fraction of the pot after calling."""
    if action == "fold":
        return paid
    called = max(paid)
    chips = called if isinstance(action, str) else called + action * 2 * called
    return (chips, called) if player == 0 else (called, chips)


def grid_exploitability(
    tree: ExplicitTree, strategy: Any, grids: Any, informed: bool, zooms: tuple[int, ...] = (0, 0)
) -> float:
    """Winnings of responses with sizes of grids, in chips per game, averaged over both seats."""
    return sum(GridResponse(tree, strategy, player, grids, informed, zooms).value() for player in (0, 1)) / 2


def own_sizes(tree: ExplicitTree) -> list[float]:
    """Every size that the tree has anywhere, ascending."""
    return sorted({float(size) for size in tree.theta if not np.isnan(size)})


def grown_tree(tree: ExplicitTree, random: np.random.Generator, additions: int) -> None:
    """Add random sizes at random decisions."""
    for _ in range(additions):
        betting = tree.betting
        heads = [n for n, b in enumerate(betting) if isinstance(b, SizedBetting) and b.bets < 2 and b.actions]
        head = int(random.choice(heads))
        size = float(random.uniform(0.02, 0.98))
        tree.graft(head, f"bet {size!r}", tree.rules.after_bet(betting[head], size), size)


def random_strategy(tree: ExplicitTree, random: np.random.Generator, sharpness: float) -> Any:
    """Random probabilities of every edge, float64[nodes, hands]; the smaller `sharpness`, the nearer to pure."""
    strategy = np.zeros((tree.nodes, len(tree.hands)))
    for node in np.flatnonzero(tree.kind == DECISION):
        children = tree.children(node)
        strategy[children] = random.dirichlet([sharpness] * len(children), size=len(tree.hands)).T
    return strategy
