"""Answers of agents that were written elsewhere, checked once a call: a wrong one would give a wrong figure."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from solvent.cards.deck import Card
from solvent.cards.hands import HANDS, hole_cards
from solvent.foundation.errors import InputError
from solvent.play.contract import Board, Event, MeasurableHand, Mixture

SUM_TOLERANCE = 1e-4
"""How far the probabilities of a hand may be from 1 in all: agents may compute in float32."""


class CheckedHand:
    """A measurable hand whose answers are checked. It knows the board, on which some hands are not read."""

    def __init__(self, hand: MeasurableHand, name: str, board: tuple[Card, ...] = ()) -> None:
        self.hand, self.name, self.board = hand, name, board

    def observe(self, event: Event) -> None:
        """Take note of an action of either player, or of cards."""
        if isinstance(event, Board):
            self.board += event.cards
        self.hand.observe(event)

    def probabilities(self) -> Mixture:
        """The strategy of all hands, as the agent says it."""
        return checked(self.hand.probabilities(), self.name, self.board)

    def fork(self, seed: int) -> CheckedHand:
        """A copy that goes on by itself, and draws from `seed` from here on."""
        return CheckedHand(self.hand.fork(seed), self.name, self.board)


def checked(mixture: Mixture, name: str, board: Sequence[Card] = ()) -> Mixture:
    """A mixture as numbers; refused unless each hand that can be held has probabilities that sum to 1."""
    try:
        actions, given = mixture
        actions, rows = tuple(map(operator.index, actions)), np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} answers probabilities with what is no Mixture of actions and numbers: {error}"
        ) from error
    if not actions or len(set(actions)) < len(actions):
        raise InputError(f"{name} answers probabilities with the actions {actions}; give each legal one once")
    if rows.shape != (HANDS, len(actions)):
        raise InputError(
            f"{name} answers probabilities of shape {rows.shape}; for {len(actions)} actions they are "
            f"float64[{HANDS}, {len(actions)}], a row for each hand of solvent.play.hole_cards()"
        )
    wrong = ~((rows >= 0).all(axis=1) & (np.abs(rows.sum(axis=1) - 1) <= SUM_TOLERANCE))
    if board and wrong.any():
        wrong &= ~np.isin(hole_cards(), board).any(axis=1)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            f"{name} answers row {row} of its probabilities with {rows[row].tolist()}; the probabilities of a hand "
            f"are 0 or more and sum to 1"
        )
    return Mixture(actions, rows)
