"""Exact best responses, exploitability and value of a strategy on the history form.

Exploitability is NashConv / 2 in chips: the winnings of the two best responses beyond those of the strategy itself,
halved. It is 0 exactly at a Nash equilibrium. In a zero-sum game it is the mean of the best responses' winnings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.forms.history import GameTree
from solvent.forms.sequence import SequenceForm, Sequences, realisation_plan, sequence_form
from solvent.foundation.kernels.compiling import compiled
from solvent.strategy.solved.locks import Locks


@dataclass(frozen=True)
class Response:
    """The best a player can do against the other's strategy, by cell of a compiled game."""

    player: int
    value: float
    """Its winnings, in chips a game."""
    strategy: NDArray[np.float64]
    """Pure, float64[cells]; uniform where the response never acts (all of the other player's cells).

    For a player with imperfect recall the value is that of a responder who forgets nothing, and the strategy
    is that responder's play on first coming to an infoset.
    """


@dataclass(frozen=True)
class Evaluation:
    """The value of a strategy and its distance from equilibrium, in chips a game."""

    exploitability: float
    """NashConv / 2."""
    value: tuple[float, float]
    """Each player's winnings when both play the strategy."""
    best_response: tuple[float, float]
    """Each player's winnings by the best response to the other."""


def respond(tree: GameTree, strategy: ArrayLike, player: int, locks: Locks | None = None) -> Response:
    """The best response of `player` to `strategy`, float64[cells].

    With `locks` the player responds outside the locked infosets and plays the lock inside them.
    """
    if locks:
        locks.check(tree.name, tree.fingerprint)
    form = sequence_form(tree)
    own = form.sequences[player]
    value = _values_against(form, np.asarray(strategy, dtype=np.float64), player)
    best, choice = _maximise(own, value, locks)
    pure = tree.uniform.copy()
    pure[own.cell[1:]] = 0.0
    if locks:
        pure = np.where(locks.locked & (tree.cell_player == player), locks.probabilities, pure)
    for sequence in choice[choice >= 0][::-1]:  # the earliest situation of an infoset has the last word
        cell = own.cell[sequence]
        infoset = np.searchsorted(tree.infoset_cell, cell, side="right") - 1
        pure[tree.infoset_cell[infoset] : tree.infoset_cell[infoset + 1]] = 0.0
        pure[cell] = 1.0
    return Response(player, float(best), pure)


def evaluate(tree: GameTree, strategy: ArrayLike, locks: Locks | None = None) -> Evaluation:
    """Exploitability, value and best-response values of a strategy, float64[cells].

    With `locks` both players respond outside the locked infosets alone.
    """
    if locks:
        locks.check(tree.name, tree.fingerprint)
    return evaluate_sequences(sequence_form(tree), np.asarray(strategy, dtype=np.float64), locks)


def evaluate_sequences(
    form: SequenceForm, strategy: NDArray[np.float64], locks: Locks | None = None
) -> Evaluation:
    """Evaluate a strategy, float64[cells], on the sequence form of whichever form its cells belong to."""
    best, value = [], []
    for player in (0, 1):
        own = form.sequences[player]
        against = _values_against(form, strategy, player)
        plan = realisation_plan(own.first, own.before, own.cell, strategy)
        value.append(float(plan @ against))
        best.append(_maximise(own, against, locks)[0])
    gain = [best[player] - value[player] for player in (0, 1)]
    # A best response is at least as good as any strategy; below zero is rounding.
    return Evaluation(max(0.0, sum(gain) / 2), (value[0], value[1]), (best[0], best[1]))


def expected_value(tree: GameTree, strategies: tuple[ArrayLike, ArrayLike]) -> tuple[float, float]:
    """Each player's winnings when player 0 plays the first strategy and player 1 the second."""
    form = sequence_form(tree)
    plans = [
        realisation_plan(own.first, own.before, own.cell, np.asarray(strategy, dtype=np.float64))
        for own, strategy in zip(form.sequences, strategies, strict=True)
    ]
    meet = plans[0][form.pair[0]] * plans[1][form.pair[1]]
    return float(meet @ form.pays[0]), float(meet @ form.pays[1])


def _maximise(
    own: Sequences, value: NDArray[np.float64], locks: Locks | None
) -> tuple[float, NDArray[np.int64]]:
    """The best value, and the sequence chosen in each of the player's situations, -1 where it is locked."""
    choice = np.zeros(own.situations, dtype=np.int64)
    # Kernels take arrays that can be written to.
    locked = np.array(locks.locked if locks else (), dtype=np.bool_)
    probabilities = np.array(locks.probabilities if locks else (), dtype=np.float64)
    best = maximise(own.first, own.before, own.cell, locked, probabilities, value, choice)
    return float(best), choice


def _values_against(form: SequenceForm, strategy: NDArray[np.float64], player: int) -> NDArray[np.float64]:
    own, other = form.sequences[player], form.sequences[1 - player]
    plan = realisation_plan(other.first, other.before, other.cell, strategy)
    values: NDArray[np.float64] = sequence_values(
        form.pair[player], form.pair[1 - player], form.pays[player], plan, len(own)
    )
    return values


@compiled
def sequence_values(pair_own, pair_other, pays, other_plan, sequences):  # type: ignore[no-untyped-def]
    """A y: the pay of the terminals right behind each own sequence against the other's plan."""
    value = np.zeros(sequences)
    for k in range(len(pays)):
        value[pair_own[k]] += pays[k] * other_plan[pair_other[k]]
    return value


@compiled
def maximise(first, before, cell, locked, probabilities, value, choice):  # type: ignore[no-untyped-def]
    """Best response by backward induction; `value` becomes the value behind each sequence, `choice` the play.

    `locked` and `probabilities` are by cell, or empty, and `cell` is that of each sequence. A locked situation
    plays its probabilities and has choice -1.
    """
    for situation in range(len(before) - 1, -1, -1):
        start, stop = first[situation], first[situation + 1]
        if len(locked) > 0 and locked[cell[start]]:
            choice[situation] = -1
            for sequence in range(start, stop):
                value[before[situation]] += probabilities[cell[sequence]] * value[sequence]
            continue
        best = start
        for sequence in range(start + 1, stop):
            if value[sequence] > value[best]:
                best = sequence
        choice[situation] = best
        value[before[situation]] += value[best]
    return value[0]
