"""Hold'em's betting: cases by hand, then random hands against pokerkit and the ACPC's own code."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.holdem import play_against_oracles, random_action, random_rules
from solvent.games.betting.rules import CALL, FOLD, HoldemRules, Legal, act, legal, payoffs, play, start
from solvent.games.game import TERMINAL, GameError

ACPC = HoldemRules((20_000, 20_000), (50, 100))
LIMIT = HoldemRules((1_000, 1_000), (1, 2), 4, (2, 2, 4, 4), (3, 4, 4, 4))


def play_random_hands(hands: int, seed: int) -> None:
    rng = random.Random(seed)
    ends: Counter[tuple[int, bool, bool]] = Counter()
    for _ in range(hands):
        state = play_against_oracles(random_rules(rng), rng)
        ends[state.street, state.showdown, state.run_out] += 1
    for street in range(4):
        assert ends[street, False, False] > 0
        assert ends[street, True, True] > 0
    assert ends[3, True, False] > hands // 20


def test_random_hands_agree_with_pokerkit_and_openspiel() -> None:
    """2,000 hands against universal poker, where it takes the stacks, and pokerkit."""
    play_random_hands(2_000, 7)


@pytest.mark.slow
def test_many_random_hands_agree_with_pokerkit_and_openspiel() -> None:
    """100,000 hands against both: about a quarter of an hour."""
    play_random_hands(100_000, 8)


# Cases


def test_button_opens_before_the_flop_and_closes_after_it() -> None:
    state = start(ACPC)
    assert (state.player, state.paid, state.pot) == (0, (50, 100), 150)
    limped = act(state, CALL)
    assert (limped.street, limped.player) == (0, 1)
    assert legal(limped) == Legal(False, 0, 200, 20_000)
    flop = act(limped, CALL)
    assert (flop.street, flop.player, flop.paid) == (1, 1, (100, 100))
    assert act(flop, CALL).player == 0
    assert act(act(flop, CALL), CALL).street == 2


@pytest.mark.parametrize(
    ("actions", "least"),
    [
        ([], 200),
        ([300], 500),
        ([300, 700], 1_100),
        ([200, 300], 400),
        ([300, CALL], 400),  # a new street starts from the big blind again
        ([300, CALL, 1_000], 1_700),
        ([300, CALL, CALL, 400, 600], 800),
    ],
)
def test_the_least_raise_is_the_last_one_or_the_big_blind(actions: list[int], least: int) -> None:
    assert legal(play(ACPC, actions)).min_raise == least


def test_a_short_all_in_is_legal_and_only_called() -> None:
    rules = HoldemRules((1_000, 700), (50, 100))
    raised = play(rules, [500])
    assert legal(raised) == Legal(True, 400, 700, 700)
    shoved = act(raised, 700)
    assert legal(shoved) == Legal(True, 200, 0, 0)
    with pytest.raises(GameError, match="r900 is not legal: legal are f, c"):
        act(shoved, 900)
    called = act(shoved, CALL)
    assert called.run_out
    assert payoffs(called, (2, 1)) == (700, -700)


def test_what_nobody_calls_goes_back() -> None:
    rules = HoldemRules((1_000, 300), (50, 100))
    called = play(rules, [1_000, CALL])
    assert (called.paid, called.at_stake, called.run_out) == ((1_000, 300), 300, True)
    assert payoffs(called, (1, 2)) == (-300, 300)
    assert payoffs(called, (5, 5)) == (0, 0)
    assert payoffs(play(rules, [1_000, FOLD])) == (100, -100)


@pytest.mark.parametrize(
    ("stacks", "player", "stake"),
    [
        ((30, 1_000), TERMINAL, 30),
        ((50, 1_000), TERMINAL, 50),
        ((1_000, 40), TERMINAL, 40),
        ((1_000, 50), TERMINAL, 50),
        ((1_000, 80), 0, 50),
        ((80, 1_000), 0, 50),
        ((50, 100), TERMINAL, 50),
    ],
)
def test_blinds_that_put_a_player_all_in(stacks: tuple[int, int], player: int, stake: int) -> None:
    state = start(HoldemRules(stacks, (50, 100)))
    assert (state.player, state.at_stake) == (player, stake)
    if player == 0:
        assert legal(state) == Legal(True, 30, 0, 0)
        assert act(state, CALL).run_out
    else:
        assert state.run_out


def test_limit_betting_has_one_size_and_a_cap() -> None:
    assert legal(start(LIMIT)) == Legal(True, 1, 4, 4)
    assert legal(play(LIMIT, [4, 6, 8])) == Legal(True, 2, 0, 0)
    turn = play(LIMIT, [4, CALL, CALL, 6, CALL])
    assert (turn.street, legal(turn)) == (2, Legal(False, 0, 10, 10))
    with pytest.raises(GameError, match="r9 is not legal: legal are c, r10 to r10"):
        act(turn, 9)


def test_the_river_ends_in_a_showdown() -> None:
    river = play(ACPC, [300] + 7 * [CALL])
    assert (river.street, river.over, river.showdown, river.run_out) == (3, True, True, False)
    assert payoffs(river, (1, 2)) == (-300, 300)
    with pytest.raises(GameError, match="strengths"):
        payoffs(river)
    with pytest.raises(GameError, match="over"):
        legal(river)
    with pytest.raises(GameError, match="not over"):
        payoffs(start(ACPC))


def test_nobody_folds_to_nothing() -> None:
    with pytest.raises(GameError, match="f is not legal: legal are c, r200 to r20000"):
        play(ACPC, [CALL, FOLD])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"stacks": (0, 100)}, "at least 1 chip"),
        ({"blinds": (2, 1)}, r"\(small, big\)"),
        ({"blinds": (0, 0)}, "at least 1"),
        ({"streets": 5}, "1 to 4 streets, not 5"),
        ({"bets": (2, 2)}, "for each of 4 streets"),
        ({"caps": (2, 2, 2, -1)}, "at least 0"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(settings: dict[str, tuple[int, ...]], sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        HoldemRules(**settings)  # type: ignore[arg-type]


@given(st.integers(0, 2**32), st.booleans())
def test_hands_end_and_pay_no_more_than_a_stack(seed: int, limit: bool) -> None:
    rng = random.Random(seed)
    rules = random_rules(rng)
    if limit:
        rules = HoldemRules(rules.stacks, rules.blinds, 4, (2, 2, 4, 4), (3, 4, 4, 4))
    state = start(rules)
    for _ in range(10_000):
        if state.over:
            break
        state = act(state, random_action(state, rng))
        assert all(0 <= paid <= stack for paid, stack in zip(state.paid, rules.stacks, strict=True))
    won = payoffs(state, (rng.randint(0, 1), rng.randint(0, 1)))
    assert sum(won) == 0
    assert abs(won[0]) <= rules.effective_stack
