"""Comparison of two runs of one spot: the decisions at which they differ, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from solvent.cards.deck import cards_label
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Watch
from solvent.games.holdem.spot import NAMES
from solvent.spots.nodes.node import SpotNode
from solvent.spots.nodes.solution import SpotSolution, open_spot


def compare_spots(first: str, second: str, watch: Watch) -> dict[str, Any]:
    """Compare the strategies of two runs of a spot at the decisions of its first street that both have.

    The distance at a decision is total variation, half the sum of the differences of the probabilities of all
    actions, in the mean over the hands that get there in the first run; an action that one lacks has probability 0
    there. Decisions are sorted by `share`, how often play gets there in the first run, times `distance`.
    """
    a, b = open_spot(Path(first)), open_spot(Path(second))
    _check_same(a, b, (first, second))
    whole = a.root.matchups[0].sum()
    decisions = []
    for count, (one, other) in enumerate(_common(a.root, b.root), 1):
        watch(Progress("comparing decisions", count, None))
        decisions.append(_difference(one, other, float(whole)))
    decisions.sort(key=lambda found: -found["share"] * (found["distance"] or 0.0))
    return {
        "a": _summary(a, first),
        "b": _summary(b, second),
        "board": a.root.board,
        "pot": a.spot.pot,
        "decisions": decisions,
    }


def _check_same(a: SpotSolution, b: SpotSolution, names: tuple[str, str]) -> None:
    one, other = a.spot, b.spot
    unlike = {
        "boards": cards_label(one.root_board) != cards_label(other.root_board),
        "pots": one.pot != other.pot,
        "stacks": one.stack != other.stack,
        "ranges": any(
            not np.array_equal(mine, theirs)
            for mine, theirs in zip(one.range_weights, other.range_weights, strict=True)
        ),
    }
    for what, differs in unlike.items():
        if differs:
            raise InputError(f"{names[0]} and {names[1]} have other {what}, so they are not of one spot")


def _common(one: SpotNode, other: SpotNode) -> Iterator[tuple[SpotNode, SpotNode]]:
    """The decisions of the first street that both trees have."""
    if one.kind != "decision" or other.kind != "decision":
        return
    yield one, other
    theirs = other.children()
    for action, child in one.children().items():
        if action in theirs:
            yield from _common(child, theirs[action])


def _difference(one: SpotNode, other: SpotNode, whole: float) -> dict[str, Any]:
    assert one.player is not None
    player = one.player
    actions = list(dict.fromkeys((*one.actions, *other.actions)))
    played = []
    for node in (one, other):
        known = dict(zip(node.actions, node.strategy, strict=True))
        nothing = np.zeros(len(node.numbers[player]))
        played.append(np.stack([known.get(action, nothing) for action in actions]))
    distances = np.abs(played[0] - played[1]).sum(axis=0) / 2
    # Only hands that both runs bring here have something to compare.
    counted = np.where(one.reached[player] & other.reached[player], one.matchups[player], 0.0)
    total = counted.sum()
    summaries = [node.summary() for node in (one, other)]
    both = [
        {action: share or 0.0 for action, share in summary["frequencies"].items()} for summary in summaries
    ]
    return {
        "line": one.line,
        "player": NAMES[player],
        "share": float(one.matchups[player].sum() / whole),
        "distance": float(distances @ counted / total) if total > 0 else None,
        "action": max(actions, key=lambda action: abs(both[0].get(action, 0.0) - both[1].get(action, 0.0))),
        "hand": one.hands[player][int(np.argmax(np.where(counted > 0, distances, -1.0)))],
        "frequencies": {"a": both[0], "b": both[1]},
        "ev": {"a": summaries[0]["ev"], "b": summaries[1]["ev"]},
    }


def _summary(solution: SpotSolution, source: str) -> dict[str, Any]:
    evaluation = solution.evaluation
    return {
        "source": source,
        "iterations": solution.iterations,
        "exploitability_percent": solution.exploitability_percent,
        "ev": [value + solution.spot.pot / 2 for value in evaluation.value],
        "locks": len(solution.solver.locks),
    }
