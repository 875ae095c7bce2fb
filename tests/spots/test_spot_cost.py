"""What a spot is said to cost is what its solver takes."""

from __future__ import annotations

import pytest

from solvent.engines.defaults import HOLDEM_DTYPES
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.sizing import holdem_size
from solvent.games.holdem.spot import Spot
from solvent.spots.cost import table_bytes


@pytest.mark.parametrize("dtype", HOLDEM_DTYPES)
def test_tables_are_as_large_as_said(dtype: str) -> None:
    spot = Spot("TdTh6d6h", "99-77,AKo", "66-55,AQs", pot=20, stack=30, bets="50%,a")
    assert table_bytes(holdem_size(spot), dtype) == HoldemSolver(holdem_game(spot), dtype=dtype).table_bytes
