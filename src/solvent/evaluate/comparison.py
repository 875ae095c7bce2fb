"""Comparisons of two strategies of a solved game, and of two trained agents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import Card
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Watch
from solvent.games.betting.rules import BOARD_CARDS, STREETS
from solvent.play.agents import AgentLoader
from solvent.play.asked import averaged_match
from solvent.solving.measure import measure, value_against
from solvent.strategy.agents.betting_line import decision_after
from solvent.strategy.agents.trained import TrainedStrategy
from solvent.strategy.solved.tables import TableStrategy
from solvent.strategy.solved.tables import compare as differences

LOOKS = 100
"""Deals between two reports of progress."""


def compare_solved(a: TableStrategy, b: TableStrategy, names: tuple[str, str]) -> dict[str, Any]:
    """Compare two strategies of a game: distance, exploitability, and what a wins against b over both seats."""
    found = differences(a, b)
    # In a zero-sum game what a wins from the second seat is what b loses from the first.
    won = (value_against(a, b) - value_against(b, a)) / 2
    return {
        "game": a.game,
        "a": {"source": names[0], "exploitability": measure(a).exploitability},
        "b": {"source": names[1], "exploitability": measure(b).exploitability},
        "a_wins": won,
        "unit": "chips a game",
        "mean_distance": found.mean,
        "largest_distance": found.largest,
        "largest_at": found.infoset,
        "largest_at_player": found.player,
    }


def compare_agents(
    a: TrainedStrategy,
    b: TrainedStrategy,
    names: tuple[str, str],
    hands: int,
    seed: int,
    threads: int,
    watch: Watch,
) -> dict[str, Any]:
    """Compare two agents by the distance of their strategies on each street, and by a match between them.

    What the first agent wins is in mbb/hand, with half the 95 % interval. `names` are those of both agents.
    """
    if hands % 2:
        raise InputError(
            f"hands are played in pairs with the same cards, so their number is even, not {hands}"
        )
    rules = a.tree.abstraction.rules
    if rules != b.tree.abstraction.rules:
        raise InputError(
            f"{names[0]} and {names[1]} have other stacks or blinds, so they cannot play each other"
        )
    loader = AgentLoader()
    one, other = (loader.load(name) for name in names)
    streets = street_distances(a, b, hands // 2, seed, watch)
    won = averaged_match(one, other, rules, hands // 2, seed=seed, threads=threads, watch=watch).winnings
    return {
        "a": {"source": names[0], "game": a.game},
        "b": {"source": names[1], "game": b.game},
        "streets": streets,
        "a_wins": won.mbb,
        "a_wins_95": won.mbb_interval,
        "unit": "mbb/hand",
        "hands": won.hands,
    }


def street_distances(
    a: TrainedStrategy, b: TrainedStrategy, deals: int, seed: int, watch: Watch
) -> dict[str, dict[str, float]]:
    """Distance of two agents' strategies on each street, where their play leads: total variation per decision.

    Hands are dealt and played by a draw from the mean of both strategies. At each decision that both agents know
    the distance of their probabilities is noted; a hand ends where one of them does not know the line.
    """
    distances: list[list[float]] = [[] for _ in STREETS]
    random = np.random.default_rng(seed)
    for deal in range(deals):
        if deal % LOOKS == 0:
            watch(Progress("comparing strategies", deal, deals))
        deck = random.permutation(52)[:9].tolist()
        _note_distances(a, b, deck, random, distances)
    return {
        street: {"mean_distance": float(np.mean(noted)), "decisions": len(noted)}
        for street, noted in zip(STREETS, distances, strict=True)
        if noted
    }


def _note_distances(
    a: TrainedStrategy,
    b: TrainedStrategy,
    deck: list[Card],
    random: np.random.Generator,
    distances: list[list[float]],
) -> None:
    here: int | None = 0
    there: int | None = 0
    while here is not None and there is not None:
        street, player = int(a.tree.street[here]), int(a.tree.player[here])
        hole, board = tuple(deck[2 * player : 2 * player + 2]), tuple(deck[4 : 4 + BOARD_CARDS[street]])
        union = sorted({*a.tree.actions(here), *b.tree.actions(there)})
        first = _spread(a, here, hole, board, union)
        second = _spread(b, there, hole, board, union)
        distances[street].append(float(np.abs(first - second).sum()) / 2)
        action = union[int(random.choice(len(union), p=(first + second) / 2))]
        here, there = decision_after(a.tree, here, action), decision_after(b.tree, there, action)


def _spread(
    strategy: TrainedStrategy, node: int, hole: tuple[Card, ...], board: tuple[Card, ...], actions: list[int]
) -> NDArray[np.float64]:
    """An agent's probabilities of actions, 0 for those that it does not know."""
    known = dict(zip(strategy.tree.actions(node), strategy.hand(node, hole, board), strict=True))
    return np.array([known.get(action, 0.0) for action in actions])
