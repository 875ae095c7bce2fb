"""The size of a hold'em game, counted before it is built, is what is built."""

from __future__ import annotations

import pytest

from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.sizing import holdem_size
from solvent.games.holdem.spot import Spot


@pytest.mark.parametrize("isomorphism", [True, False])
@pytest.mark.parametrize(
    ("board", "oop", "ip"),
    [
        ("Td9d6hQc2s", "66+,AJo+,T9s", "22+,A2s+"),
        ("Td9d6hQc", "AsAh,KdKc", "22+,A2s+,76s:0.5"),
        ("TdTh6d6h", "99-77,AKo", "66-55,AQs"),
        ("Td9d6d", "AsAh,KdKc,7d6c", "JJ,T9s"),
    ],
)
def test_a_size_is_that_of_the_game(board: str, oop: str, ip: str, isomorphism: bool) -> None:
    spot = Spot(board, oop, ip, pot=20, stack=30, bets="50%,a", cap=2)
    expected, game = holdem_size(spot, isomorphism), holdem_game(spot, isomorphism)
    assert expected.cells == game.cells
    assert expected.boards == tuple(len(street.boards) for street in game.streets)
    assert expected.hands == tuple(map(len, game.hands))
    assert expected.decisions == tuple(game.tree.decisions(k) for k in range(len(game.streets)))
    assert expected.form_bytes >= game.form_bytes
