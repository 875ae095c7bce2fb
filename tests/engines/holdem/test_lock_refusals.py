"""Locks that are refused: what they would lock cannot be told, or boards stand for others that they do not name."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.holdem_compare import exact_solver
from oracles.small_spots import short_spot
from solvent.cards.deck import deck
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.locks import NodeLock
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.errors import InputError


def test_a_hand_is_locked_with_all_actions_or_none() -> None:
    spot = short_spot(deck(), "2c2d7h8sKd", "AhAs,QhQs", "KhKs,5c4c", pot=10, stack=10, bets="a")
    play = np.array([[0.5, np.nan], [0.5, 1.0]])
    with pytest.raises(InputError, match="every action, or for none"):
        exact_solver(spot, locks=[NodeLock(0, play)])


def test_a_board_after_one_that_stands_for_others_cannot_be_locked() -> None:
    """A river may stand for itself alone after its turn, and still for others where the turn does."""
    spot = short_spot(deck()[-20:], "KhQhJh", "AA", "KK,QQ", pot=10, stack=10, bets="a", cap=1)
    game = exact_solver(spot).game
    turn, river = (game.streets[number].boards for number in (1, 2))
    inherited = np.flatnonzero((river.multiplicity == 1) & (turn.multiplicity[river.parent] > 1))
    alone = np.flatnonzero((river.multiplicity == 1) & (turn.multiplicity[river.parent] == 1))
    node = int(np.flatnonzero((game.tree.kind == DECISION) & (game.tree.street == 2))[0])
    hands = len(game.hands[game.tree.player[node]])
    play = np.full((len(game.tree.betting[node].actions), hands), 1 / len(game.tree.betting[node].actions))
    with pytest.raises(InputError, match="isomorphism off"):
        HoldemSolver(game, dtype="float64", locks=[NodeLock(node, play, int(inherited[0]))])
    HoldemSolver(game, dtype="float64", locks=[NodeLock(node, play, int(alone[0]))])
