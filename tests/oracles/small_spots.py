"""Random small spots for hypothesis: short decks, few hands, ranges that overlap and block each other."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from oracles.holdem_twin import Array, decisions
from solvent.cards.deck import deck
from solvent.cards.hands import HANDS, hand_number
from solvent.cards.ranges import Range
from solvent.games.game import GameError
from solvent.games.holdem.nolimit import NoLimit
from solvent.games.holdem.spot import Spot
from solvent.games.public_rules import Betting

SIZES = (
    {"bets": "a"},
    {"bets": "50%", "cap": 1},
    {"bets": "50%,a", "cap": 2},
    {"bets": "100%", "raises": "a"},
    {"oop_bets": "75%", "ip_bets": "25%,a", "raises": "3x"},
    {"bets": "20%,40%,60%,80%,a", "raises": "", "cap": 1},
    {"oop_bets": "", "ip_bets": "50%", "raises": "100%", "oop_donk": "a", "cap": 2},
)
SMALL_SIZES = SIZES[:2]
"""Sizes whose trees stay small over three streets, with stacks of a pot or two."""


def short_spot(cards: tuple[int, ...], *given: Any, **named: Any) -> Spot:
    """A spot whose deck is these cards alone; ranges and board must be of them."""
    spot = Spot(*given, **named)
    spot.deck = cards
    return spot


@st.composite
def spots(draw: Any, board_cards: int, ranks: int = 13, raked: bool | None = None) -> Spot:
    """A spot from a board of `board_cards` cards on, on a deck of the highest ranks."""
    cards = deck()[-4 * ranks :]
    shuffled = draw(st.permutations(cards))
    board, pool = shuffled[:board_cards], shuffled[board_cards - 1 : board_cards + 6]
    hands = sorted({hand_number(*pair) for pair in combinations(pool, 2)})
    ranges = []
    for _ in range(2):
        held = draw(st.lists(st.sampled_from(hands), min_size=2, max_size=6, unique=True))
        weights = np.zeros(HANDS)
        weights[held] = draw(
            st.lists(st.sampled_from((1.0, 0.5, 0.3, 0.01)), min_size=len(held), max_size=len(held))
        )
        ranges.append(Range(weights))
    sizes = draw(st.sampled_from(SIZES if board_cards == 5 else SMALL_SIZES))
    named = {"pot": draw(st.integers(2, 60)), "stack": draw(st.integers(5, 60 if board_cards < 5 else 200))}
    if raked is not False and (raked or draw(st.booleans())):
        named |= {
            "rake": draw(st.sampled_from((0.05, 0.3))),
            "rake_cap": draw(st.sampled_from((None, 3, 7.5))),
        }
    try:
        return short_spot(cards, tuple(board), *ranges, **named, **sizes)
    except GameError:
        assume(False)
        raise


@st.composite
def locks(draw: Any, spot: Any) -> dict[Betting, Array]:
    """Locks of all or some hands at up to two decisions."""
    found = {}
    for node in draw(st.lists(st.sampled_from(list(decisions(spot.betting))), min_size=1, max_size=2)):
        hands = np.count_nonzero(spot.range_weights[node.player])
        rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        play = rng.dirichlet(np.ones(len(node.actions)), size=hands).T
        pure = rng.integers(len(node.actions), size=hands)
        play = np.where(rng.random(hands) < 0.5, play, np.arange(len(node.actions))[:, None] == pure)
        free = rng.random(hands) < draw(st.sampled_from((0.0, 0.5)))
        free[0] = False
        found[node] = np.where(free, np.nan, play)
    return found


NO_LIMIT = (
    {"suits": 2, "ranks": 4, "boards": [0, 1], "stack": 8, "bets": "100%,a"},
    {"suits": 2, "ranks": 4, "boards": [0, 1, 1], "stack": 5, "bets": "100%"},
    {"suits": 3, "ranks": 3, "boards": [0, 1, 1], "stack": 4, "bets": "a"},
    {"suits": 4, "ranks": 2, "boards": [0, 2, 1], "stack": 4, "bets": "a", "cap": 1},
    {"suits": 4, "ranks": 2, "boards": [0, 1, 1, 1], "stack": 3, "bets": "a", "cap": 1},
    {"suits": 4, "ranks": 3, "boards": [0, 1], "stack": 9, "bets": "50%", "blinds": "0/1", "ante": 1},
)


def nolimit(number: int) -> NoLimit:
    return NoLimit(**NO_LIMIT[number])
