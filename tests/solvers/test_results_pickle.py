"""Results go through pickle, and so through process pools, also after they were read."""

from __future__ import annotations

import pickle

import pytest

from solvent.solvers.solve import solve


@pytest.mark.parametrize(
    ("game", "infoset"), [("kuhn", None), ("leduc", "K|Q|kk/"), ("flop_holdem(suits=2,ranks=4)", None)]
)
def test_a_result_whose_strategy_was_read(game: str, infoset: str | None) -> None:
    result = solve(game, iterations=3)
    label = infoset or next(iter(result.strategy))
    read = result.strategy[label]
    again = pickle.loads(pickle.dumps(result))
    assert again.strategy[label] == read
    assert again.as_dict() == result.as_dict()
