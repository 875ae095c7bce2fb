"""An agent watched playing against itself: what `behaviour_checks` judges.

It plays with its style and post-processing, so every figure is weighted by how often the situation arises, and rows
that are never visited decide nothing. Before the flop all nodes and all classes of hole cards are enumerated
instead of dealt (the two hands taken as independent).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import RANKS
from solvent.cards.evaluator import evaluator
from solvent.cards.isomorphism import Indexer
from solvent.cards.showdown import pairs
from solvent.evaluate.behaviour_kernels import (
    CALLED,
    FOLDED,
    RAISED,
    WEIGHT,
    Observed,
    SelfPlay,
    nothing_observed,
    preflop_strategies,
    self_play,
    watch_hands,
)
from solvent.forms.betting.tree import DECISION
from solvent.forms.sampled import MOST_ACTIONS
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Stop, Watch
from solvent.games.betting.rules import STREETS
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import workspace

HANDS = 1_000_000
"""Hands that an agent is watched over: enough to see the nuts, which are rare."""
PIECE = 2_000
BATCHES = 20
"""Equal batches of the hands, whose differences show the noise of a figure."""
STUDENT = 2.093
"""Half of a 95 % interval in standard errors, where these are estimated from `BATCHES` parts."""
CLASSES = 169


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
        made = [(self_play(rules), [nothing_observed() for _ in range(BATCHES)]) for _ in range(threads)]
        piece = min(PIECE, max(1, hands // BATCHES))

        def work(first: int, last: int, own: tuple[SelfPlay, list[Observed]]) -> None:
            batch = own[1][first // piece % BATCHES]
            watch_hands(first, last, seed, agent.playing, own[0], evaluator(), pairs(), batch)

        in_pieces(work, hands, piece, made, watch=watch, stage="hands", stop=stop)
        self.batches = [_together([batches[number] for _, batches in made]) for number in range(BATCHES)]
        """Observations, one for each batch of the hands."""
        self.observed = _together(self.batches)

    def noise(self, figure: Callable[[Observed], float]) -> float:
        """Half of the 95 % interval of a figure over the hands watched, by the jackknife over `batches`.

        It is infinite where a figure cannot be told without some of the hands.
        """
        whole = self.observed
        others = [Observed(whole.sums - one.sums, whole.counts - one.counts) for one in self.batches]
        found = np.array([figure(each) for each in others])
        if not all(map(isfinite, found)):
            return inf
        spread = float(((found - found.mean()) ** 2).sum())
        return STUDENT * sqrt((BATCHES - 1) / BATCHES * spread)

    def _preflop(self) -> None:
        """Compute the strategies and reaches of all nodes before the flop."""
        tree = self.tree
        nodes = np.flatnonzero((tree.kind == DECISION) & (tree.street == 0))
        acted = np.zeros(len(nodes), dtype=np.int64)
        for number, node in enumerate(nodes.tolist()):
            above = int(tree.parent[node])
            while above >= 0:
                acted[number] += tree.kind[above] == DECISION and tree.player[above] == tree.player[node]
                above = int(tree.parent[above])
        found = np.zeros((len(nodes), CLASSES, MOST_ACTIONS))
        preflop_strategies(self.agent.playing, workspace(), nodes, acted, found)
        reach = {0: np.ones((2, CLASSES))}
        for number, node in enumerate(nodes.tolist()):
            for action, child in enumerate(tree.children(node)):
                reach[child] = reach[node].copy()
                reach[child][tree.player[node]] *= found[number, :, action]
        self.nodes, self.strategies, self.reach = nodes, found, reach
        self.weights = class_weights()

    def preflop(
        self, kind: Callable[[int], bool], faced: Callable[[int], bool] = lambda node: True
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Count how often each class of hole cards comes to nodes `faced`, and how often it does `kind` there."""
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

    def faces_first_raise(self, node: int) -> bool:
        """Whether the player to act faces a raise before the flop, and nobody has raised before."""
        return self.faces_raise(node) and self.tree.history(node).count("r") == 1


def _together(parts: Sequence[Observed]) -> Observed:
    return Observed(*(np.sum(each, axis=0) for each in zip(*parts, strict=True)))


def class_weights() -> NDArray[np.float64]:
    """Frequency of each class of two cards: float64[169]."""
    index = Indexer([2])
    hands = np.array([index.index((low, high)) for high in range(52) for low in range(high)])
    weights: NDArray[np.float64] = np.bincount(hands, minlength=CLASSES) / len(hands)
    return weights


def class_of(text: str) -> int:
    """Number the class of a hand such as `AA`, `72o` or `AKs`."""
    first, second = (RANKS.index(rank) for rank in text[:2])
    return int(Indexer([2]).index((4 * first, 4 * second + (0 if text.endswith("s") else 1))))


def summary(watched: Watched) -> dict[str, Any]:
    """Summarise the agent's style of play: frequencies of actions by street, facing a bet and not."""
    made: dict[str, Any] = {}
    for street, name in enumerate(STREETS):
        for faced, situation in enumerate(("unopened", "facing a bet")):
            total = watched.observed.sums[street, faced].sum(axis=0)
            if total[WEIGHT] > 0:
                shares = total / total[WEIGHT]
                made[f"{name}, {situation}"] = {
                    "decisions_a_hand": total[WEIGHT] / watched.hands,
                    "fold": shares[FOLDED],
                    "call": shares[CALLED],
                    "raise": shares[RAISED],
                }
    return made
