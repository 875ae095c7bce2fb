"""Results in other programs: through pickle and process pools, as JSON, in words."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import pytest

import solvent
from solvent.solving.solve import solve


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


def test_the_curve_is_in_the_document() -> None:
    result = solve("kuhn", iterations=20)
    document = json.loads(json.dumps(result.as_dict()))
    assert [row["iterations"] for row in document["convergence"]][-1] == 20
    assert document["convergence"][-1]["exploitability"] == result.exploitability


def test_notes_are_in_the_summary() -> None:
    noted = replace(solve("kuhn", iterations=2), warnings=("first", "second"))
    assert noted.summary()["note"] == "first; second"


def test_games_and_trees_are_shown_in_a_line() -> None:
    game = solvent.load_game("leduc(distinct=true)")
    assert repr(game) == "<game leduc(distinct=true)>"
    assert (
        repr(solvent.compile_tree(game))
        == "<GameTree of leduc(distinct=true): 9,457 histories, 936 infosets>"
    )
    assert repr(solvent.public_game(game)).startswith("<PublicGame of leduc(distinct=true): ")
