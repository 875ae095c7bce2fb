"""Small random games for hypothesis: chance, two players, hidden moves, perfect recall by construction or not."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from solvent.games.game import CHANCE, TERMINAL


@dataclass
class Node:
    player: int
    children: list[Node] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    infoset: str = ""
    pays: tuple[float, float] = (0.0, 0.0)

    def actions(self) -> list[str]:
        return [f"a{k}" for k in range(len(self.children))]

    def chance(self) -> list[tuple[str, float]]:
        return [(f"a{k}", weight) for k, weight in enumerate(self.weights)]


class RandomState:
    def __init__(self, node: Node) -> None:
        self.node = node

    def player(self) -> int:
        return self.node.player

    def actions(self) -> list[str]:
        return self.node.actions()

    def chance(self) -> list[tuple[str, float]]:
        return self.node.chance()

    def child(self, action: str) -> RandomState:
        return RandomState(self.node.children[int(action[1:])])

    def infoset(self) -> str:
        return self.node.infoset

    def payoffs(self) -> tuple[float, float]:
        return self.node.pays


class RandomGame:
    """A random tree in which a player forgets nothing of his own but sees only some of what others do."""

    players = 2

    def __init__(self, seed: int, depth: int = 5, zero_sum: bool = True, forgetful: bool = False) -> None:
        self.seed, self.zero_sum, self.forgetful = seed, zero_sum, forgetful
        self.random = random.Random(seed)
        self.fan: dict[str, int] = {}
        self.tree = self._grow(depth, ("", ""))

    def __str__(self) -> str:
        return f"random({self.seed})"

    def root(self) -> RandomState:
        return RandomState(self.tree)

    def _grow(self, depth: int, known: tuple[str, str]) -> Node:
        draw = self.random
        if depth == 0 or (depth < 4 and draw.random() < 0.2):
            first = float(draw.randint(-5, 5))
            return Node(TERMINAL, pays=(first, -first if self.zero_sum else float(draw.randint(-5, 5))))
        player = draw.choice((CHANCE, 0, 1, 0, 1))
        node = Node(player)
        if player == CHANCE:
            fan = draw.randint(1, 3)
            parts = [draw.randint(1, 4) for _ in range(fan)]
            node.weights = [part / sum(parts) for part in parts]
        else:
            node.infoset = known[player] if not self.forgetful else known[player][-2:]
            fan = self.fan.setdefault(f"{player}{node.infoset}", draw.randint(1, 3))
        for k in range(fan):
            # A player always sees his own actions; others' and chance's each only sometimes.
            seen = [
                text + (f"m{k}" if player == p else f"o{k}" if draw.random() < 0.4 else "")
                for p, text in enumerate(known)
            ]
            node.children.append(self._grow(depth - 1, (seen[0], seen[1])))
        return node


class Fixed:
    """A game given by its tree."""

    players = 2

    def __init__(self, root: Node) -> None:
        self.tree = root

    def __str__(self) -> str:
        return "fixed"

    def root(self) -> RandomState:
        return RandomState(self.tree)


def end(first: float, second: float) -> Node:
    """A terminal."""
    return Node(TERMINAL, pays=(first, second))
