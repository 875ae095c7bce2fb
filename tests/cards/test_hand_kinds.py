"""Made hands and draws as players call them, on boards with pairs, straights and flushes of their own."""

from __future__ import annotations

import numpy as np
import pytest

from solvent.cards.deck import parse_cards
from solvent.cards.hand_kinds import DRAWS, MADE, draws, is_kind, made_hands
from solvent.cards.hands import hand_number, hole_cards


def called(hand: str, board: str) -> tuple[str, tuple[str, ...]]:
    numbers, cards = np.array([hand_number(*parse_cards(hand))]), parse_cards(board)
    return made_hands(numbers, cards)[0], draws(numbers, cards)[0]


@pytest.mark.parametrize(
    ("hand", "board", "made", "drawing"),
    [
        ("AhKc", "9s9d4c", "high card", ()),  # the pair lies on the board
        ("AhAc", "9s9d4c", "overpair", ()),
        ("Ah4h", "9s9d4c", "second pair", ()),
        ("9h4h", "9s9d4c", "full house", ()),
        ("9hAh", "9s9d4c", "trips", ()),
        ("4h4d", "9s8d4c", "set", ()),
        ("9h8c", "9s8d4c", "two pair", ()),
        ("AhKc", "9s9d9c", "high card", ()),  # the trips lie on the board
        ("5h4h", "Ah2h3c", "straight", ("flush draw",)),
        ("5c4d", "Ah2h7c", "high card", ("gutshot",)),
        ("AcKd", "2h3h4c", "high card", ("gutshot",)),
        ("8c6d", "Th9h7c", "straight", ()),
        ("Jc8d", "Th9h2c", "high card", ("open-ender",)),
        ("Qc8d", "ThJh6c", "high card", ("gutshot",)),
        ("AhKd", "7h8h9hTh", "flush", ()),
        ("AcKd", "7h8h9hTh", "high card", ()),  # the board's own draws are nobody's
        ("2c3c", "AhKhQhJhTh", "the board", ()),
        ("2c3c", "AhKdQsJcTh", "the board", ()),
        ("AhJh", "Th9h8s2c3d", "high card", ()),  # on a river nothing is drawn to
        ("KsKd", "AhQc7d5s2h", "pocket pair", ()),
        ("7s6s", "AhQc7d5s2h", "low pair", ()),
    ],
)
def test_hands_by_name(hand: str, board: str, made: str, drawing: tuple[str, ...]) -> None:
    assert called(hand, board) == (made, drawing)


def test_every_hand_has_a_name() -> None:
    for board in ("Td9d6h", "Td9d6hTc", "Td9d6hTc9s"):
        cards = parse_cards(board)
        numbers = np.flatnonzero(~np.isin(hole_cards(), cards).any(axis=1))
        found, drawing = made_hands(numbers, cards), draws(numbers, cards)
        assert set(found) <= set(MADE)
        assert {each for some in drawing for each in some} <= set(DRAWS)
        assert all(is_kind(made, made, some) for made, some in zip(found, drawing, strict=True))
