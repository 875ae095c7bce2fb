"""Two strategies side by side and against each other, of one solved game or of two trained agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType

from solvent.app.terminal import facts_table, table
from solvent.cards.deck import Card
from solvent.forms.betting.tree import DEAL, DECISION
from solvent.foundation.progress import Progress, Watch
from solvent.games.betting.rules import BOARD_CARDS, STREETS
from solvent.play.matches import MatchResult
from solvent.solving.measure import measure, value_against
from solvent.strategy.agents.trained import TrainedStrategy
from solvent.strategy.solved.tables import TableStrategy
from solvent.strategy.solved.tables import compare as differences

LOOKS = 100
"""Deals between two looks at the progress."""


def compare_solved(a: TableStrategy, b: TableStrategy, names: tuple[str, str]) -> dict[str, Any]:
    """How two strategies of a game differ, how exploitable each is, and what a wins against b over both seats."""
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
    a: TrainedStrategy, b: TrainedStrategy, deals: int, seed: int, watch: Watch
) -> dict[str, dict[str, float]]:
    """How two agents' strategies differ on each street, where their play leads: total variation a decision.

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
    here, there = 0, 0
    while a.tree.kind[here] == DECISION and b.tree.kind[there] == DECISION:
        street, player = int(a.tree.street[here]), int(a.tree.player[here])
        hole, board = tuple(deck[2 * player : 2 * player + 2]), tuple(deck[4 : 4 + BOARD_CARDS[street]])
        first, second = _common(a, here, b, there, hole, board)
        distances[street].append(float(np.abs(first - second).sum()) / 2)
        union = sorted({*a.tree.actions(here), *b.tree.actions(there)})
        action = union[int(random.choice(len(union), p=(first + second) / 2))]
        if action not in a.tree.actions(here) or action not in b.tree.actions(there):
            return
        here, there = _after(a, here, action), _after(b, there, action)


def _common(
    a: TrainedStrategy,
    here: int,
    b: TrainedStrategy,
    there: int,
    hole: tuple[Card, ...],
    board: tuple[Card, ...],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both agents' probabilities over the actions that either of them knows."""
    union = sorted({*a.tree.actions(here), *b.tree.actions(there)})
    spread = []
    for strategy, node in ((a, here), (b, there)):
        known = dict(zip(strategy.tree.actions(node), strategy.hand(node, hole, board), strict=True))
        spread.append(np.array([known.get(action, 0.0) for action in union]))
    return spread[0], spread[1]


def _after(strategy: TrainedStrategy, node: int, action: int) -> int:
    child = strategy.tree.children(node)[strategy.tree.actions(node).index(action)]
    return child + 1 if strategy.tree.kind[child] == DEAL else child


def match_document(result: MatchResult) -> dict[str, Any]:
    """What the first agent wins, in mbb a hand with half the 95 % interval."""
    winnings = result.winnings
    return {
        "a_wins": winnings.mbb,
        "a_wins_95": winnings.mbb_interval,
        "unit": "mbb/hand",
        "hands": winnings.hands,
    }


def solved_table(document: Mapping[str, Any]) -> RenderableType:
    """A comparison of solved games for people."""
    a, b = document["a"], document["b"]
    return facts_table(
        document["game"],
        {
            "a": f"{a['source']}: exploitability {a['exploitability']:.6g} chips",
            "b": f"{b['source']}: exploitability {b['exploitability']:.6g} chips",
            "a wins against b": f"{document['a_wins']:+.6g} chips a game, both seats",
            "mean distance": f"{document['mean_distance']:.4f} (total variation per infoset)",
            "largest distance": f"{document['largest_distance']:.4f} at {document['largest_at']!r}, "
            f"player {document['largest_at_player']}",
        },
    )


def agents_table(document: Mapping[str, Any]) -> RenderableType:
    """A comparison of trained agents for people."""
    won = f"{document['a_wins']:+,.1f} ± {document['a_wins_95']:,.1f}"
    facts = facts_table(
        "two agents",
        {
            "a": f"{document['a']['source']}: {document['a']['game']}",
            "b": f"{document['b']['source']}: {document['b']['game']}",
            "a wins against b": f"{won} mbb/hand over {document['hands']:,} hands",
        },
    )
    streets = table("street", "mean distance", "decisions")
    for street, found in document["streets"].items():
        streets.add_row(street, f"{found['mean_distance']:.4f}", f"{found['decisions']:,}")
    return Group(
        facts, streets, "distance: total variation between the two strategies where their play leads"
    )
