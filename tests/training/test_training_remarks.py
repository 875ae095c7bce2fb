"""What a training says of itself before it begins and when it has ended."""

import pytest

from oracles.blueprints import BETTING, random_cards, use_cards
from solvent.training.train import FEWEST_VISITS, train


@pytest.fixture(autouse=True)
def cards(monkeypatch):
    use_cards(random_cards(), patch=monkeypatch)


def told(out, betting):
    seen = []
    train("cards", out=out, iterations=100, sampling="public", betting=betting, watch=seen.append)
    return [one.detail for one in seen if one.stage == "told"]


def test_streets_without_sizes_are_named_before_training(tmp_path):
    (said,) = told(tmp_path / "a", "flop=50%,a | 3x; cap=2; stack=10")
    assert said.startswith(
        "the betting names no sizes for preflop, turn and river: nobody can bet or raise there"
    )
    (said,) = told(tmp_path / "c", "preflop=a; flop=a; turn=a; stack=10")
    assert said.startswith("the betting names no sizes for river: nobody")
    assert told(tmp_path / "b", "preset=fcpa; flop=50%,a | 3x; stack=3") == []


def test_a_training_that_is_too_short_to_mean_anything_says_so(tmp_path):
    made = train("cards", out=tmp_path / "a", iterations=200, sampling="public", betting=BETTING)
    assert made.visits_per_row == made.rows_touched / made.cost.rows
    assert made.visits_per_row >= FEWEST_VISITS
    assert "remark" not in made.summary()
    made = train(
        "cards", out=tmp_path / "b", iterations=100, sampling="external", rule="lcfr", betting=BETTING
    )
    assert made.visits_per_row < FEWEST_VISITS
    assert made.summary()["remark"].startswith("This training is too short to mean anything")
    assert made.as_dict()["remark"] == made.remark
