"""Bucket maps: hands that share rows."""

from __future__ import annotations

import numpy as np
import pytest

from solvent.engines.public.bucketed import BucketedSolver
from solvent.engines.public.solver import PublicSolver
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game


@pytest.mark.parametrize("rule", ["cfr", "cfr+", "dcfr"])
def test_suits_as_buckets_make_leduc_by_rank_of_six_cards(rule: str) -> None:
    six, by_rank = (
        public_game(load_game(name), isomorphism=False) for name in ("leduc(distinct=true)", "leduc")
    )
    rank = np.array([hand[0] for hand in six.hands])
    board_rank = np.array([board[0][0] for board in six.rounds[1].boards])
    buckets = [rank[six.rounds[0].hand], rank[six.rounds[1].hand] + 3 * board_rank[:, None]]
    bucketed, plain = BucketedSolver(six, buckets, rule), PublicSolver(by_rank, rule)
    for _ in range(4):
        bucketed.run(10)
        plain.run(10)
        assert bucketed.evaluate().exploitability == pytest.approx(plain.evaluate().exploitability, rel=1e-9)


def test_no_buckets_change_nothing() -> None:
    game = public_game(load_game("flop_holdem(suits=2,ranks=4)"))
    bucketed, plain = BucketedSolver(game, [None, None], "cfr"), PublicSolver(game, "cfr")
    bucketed.run(5)
    plain.run(5)
    assert np.allclose(bucketed.arena.table("regret"), plain.arena.table("regret"), atol=1e-15)


def test_coarse_buckets_cost_exploitability() -> None:
    """One bucket for all flop hands plays the flop blind: a best response with real cards takes its share."""
    game = public_game(load_game("flop_holdem(suits=2,ranks=4)"))
    blind = BucketedSolver(game, [None, np.zeros_like(game.rounds[1].hand)], "cfr+")
    seeing = PublicSolver(game, "cfr+")
    blind.run(200)
    seeing.run(200)
    assert seeing.evaluate().exploitability < 0.1 < blind.evaluate().exploitability


def test_maps_of_the_wrong_shape_are_refused() -> None:
    game = public_game(load_game("kuhn"))
    with pytest.raises(InputError, match="got 2 bucket maps"):
        BucketedSolver(game, [None, None])
    with pytest.raises(InputError, match="rows, none negative"):
        BucketedSolver(game, [np.zeros((2, 2), dtype=int)])
    with pytest.raises(InputError, match="predicts"):
        BucketedSolver(game, [None], "pcfr+")
