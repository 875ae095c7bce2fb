"""What an agent says of its play is checked once a call: a wrong answer is refused, not measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvent.cards.hands import HANDS, hole_cards
from solvent.evaluate.local_best_response import LocalBestResponse
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import CALL, FOLD, HoldemRules
from solvent.play.asked import asked_match, measurable_hand
from solvent.play.contract import Board, Mixture, PublicView


class Sayer:
    """An agent whose probabilities are whatever it was given."""

    name = "sayer"

    def __init__(self, said: Any) -> None:
        self.said = said

    def act(self, view: PublicView) -> int:
        return CALL

    def probabilities(self, view: PublicView) -> Any:
        return self.said


def rows(*row: float) -> np.ndarray:
    return np.tile(np.array(row), (HANDS, 1))


WRONG = [
    (Mixture((FOLD, CALL), rows(-1.0, 2.0)), "0 or more and sum to 1"),
    (Mixture((FOLD, CALL), rows(0.5, 0.6)), "0 or more and sum to 1"),
    (Mixture((FOLD, CALL), rows(np.nan, 1.0)), "0 or more and sum to 1"),
    (Mixture((FOLD, CALL), rows(1.0)), r"shape \(1326, 1\); for 2 actions"),
    (Mixture((FOLD, CALL), np.ones(HANDS)), r"shape \(1326,\)"),
    (Mixture((CALL, CALL), rows(0.5, 0.5)), "each legal one once"),
    (Mixture((), rows()), "each legal one once"),
    (Mixture(("call",), rows(1.0)), "no Mixture"),  # type: ignore[arg-type]
    (rows(1.0), "no Mixture"),
    (None, "no Mixture"),
]


@pytest.mark.parametrize(("said", "why"), WRONG)
def test_a_wrong_answer_is_refused(said: Any, why: str) -> None:
    hand = measurable_hand(Sayer(said), HoldemRules(), 0, 0)
    with pytest.raises(InputError, match=why):
        hand.probabilities()
    with pytest.raises(InputError, match="sayer answers"):
        hand.fork(1).probabilities()


def test_where_answers_are_measured() -> None:
    liar = Sayer(Mixture((FOLD, CALL), rows(-1.0, 2.0)))
    with pytest.raises(InputError, match="sayer answers row"):
        LocalBestResponse(liar).run(2)
    with pytest.raises(InputError, match="sayer answers row"):
        asked_match(liar, liar, HoldemRules(), 2)


def test_hands_that_the_board_blocks_are_not_read() -> None:
    said = rows(0.25, 0.75)
    said[(hole_cards() == 7).any(axis=1)] = np.nan
    hand = measurable_hand(Sayer(Mixture((FOLD, CALL), said)), HoldemRules(), 0, 0)
    with pytest.raises(InputError):
        hand.probabilities()
    hand.observe(Board((7, 11, 20)))
    assert hand.probabilities().actions == (FOLD, CALL)
    assert hand.fork(3).probabilities().actions == (FOLD, CALL)
