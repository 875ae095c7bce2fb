"""Local best response on 52 cards: known values, a slow twin, and the same mean as with hands plainly dealt."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from oracles.response_ranges import Place, after_agent, after_own, bet_value, folded
from oracles.table_agent import Twin, Wild, random_model
from solvent.cards.evaluator import hand_strengths
from solvent.evaluate.local_best_response import (
    LocalBestResponse,
    ResponseHand,
    largest_response,
    response_actions,
)
from solvent.evaluate.local_response.kernels import LEAST_REST
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Interrupted, Progress
from solvent.games.betting.rules import BOARD_CARDS, CALL, FOLD, HoldemRules, act, legal, start
from solvent.play.statistics import SURE
from solvent.play.table_agent import TableAgent, rule_agent, table_agent
from solvent.strategy.post_processing import parse_post

TREE = "preflop=100%,a; postflop=100%,a; stack=15"
SMALL_BETS = "preflop=2x,3x; postflop=20%,40%; cap=3; stack=25"
"""Larger bets are surely taken for the largest one; several of the agent's raises then become one."""
CAPPED = "preflop=100%,a; postflop=100%; cap=2; stack=25"
ALL = tuple(combinations(range(52), 2))


@cache
def agents(style: str, post: str, models: int, by_reach: bool, tree: str = TREE) -> tuple[TableAgent, Twin]:
    tables = [random_model(tree, seed) for seed in range(models)]
    made = parse_post(post)
    return (
        table_agent("agent", tables, style, made, by_reach),
        Twin(tables, style, made, by_reach),
    )


def test_always_fold_loses_750() -> None:
    for actions in ("fcpa", "fc,50%,200%", "river=fcpa"):
        result = LocalBestResponse(rule_agent("always-fold"), actions).run(40)
        assert result.mbb == pytest.approx(750, abs=1e-9)
        assert result.mbb_interval == pytest.approx(0, abs=1e-9)
        assert result.complete


def test_always_call_loses_much() -> None:
    short = HoldemRules((2_000, 2_000), (50, 100))
    result = LocalBestResponse(rule_agent("always-call"), "fcpa", short).run(600)
    assert result.mbb - result.mbb_interval > 1_500
    folds = LocalBestResponse(rule_agent("always-call"), "fc", short).run(600)
    assert abs(folds.mbb) < folds.mbb_interval + 50  # nothing to fold to, and no bets
    assert folds.mbb_interval < 200


class Plain:
    """A compiled agent that nobody knows to be one."""

    def __init__(self, agent: TableAgent) -> None:
        self.agent, self.name, self.rules = agent, agent.name, agent.rules

    def start(self, rules: HoldemRules, seat: int, seed: int):
        return self.agent.start(rules, seat, seed)


@pytest.mark.parametrize(
    ("agent", "actions"),
    [
        (("own", "none", 1, False), "fcpa"),
        (("tight", "purify", 1, False), "preflop=fcpa;flop=fcpa;turn=fcpa;river=fcpa"),
        (("own", "threshold(0.2)", 2, True), "turn=fc;river=fc,100%"),
    ],
)
def test_asking_gives_the_compiled_numbers(agent: tuple, actions: str) -> None:
    """On the tree: bets off it are taken for others by another stream of random numbers."""
    compiled, _ = agents(*agent)
    found = LocalBestResponse(Plain(compiled), actions, run_outs=30, seed=2).run(24)
    wanted = LocalBestResponse(compiled, actions, run_outs=30, seed=2).run(24)
    assert found.won == pytest.approx(wanted.won, abs=1e-6)
    assert found.actions == wanted.actions


def test_bets_off_the_tree_win_about_as_much_by_asking() -> None:
    compiled, _ = agents("own", "none", 1, False)
    found = LocalBestResponse(Plain(compiled), "fc,60%").run(100)
    wanted = LocalBestResponse(compiled, "fc,60%").run(2_000)
    assert abs(found.mbb - wanted.mbb) < 1.5 * np.hypot(found.mbb_interval, wanted.mbb_interval)


def test_asking_who_always_folds_or_does_anything() -> None:
    folds = LocalBestResponse(Plain(rule_agent("always-fold"))).run(20)
    assert folds.mbb == pytest.approx(750, abs=1e-9)
    short = HoldemRules((700, 700))
    found, wanted = (
        LocalBestResponse(agent, "fcpa", short, run_outs=16).run(hands)
        for agent, hands in ((Plain(rule_agent("random")), 60), (rule_agent("random"), 2_000))
    )
    assert abs(found.mbb - wanted.mbb) < 1.5 * np.hypot(found.mbb_interval, wanted.mbb_interval)
    with pytest.raises(InputError, match="wild does not say its probabilities"):
        LocalBestResponse(Wild())


def test_threads_change_nothing() -> None:
    agent, _ = agents("own", "none", 1, False)
    one = LocalBestResponse(agent, "fcpa", seed=3).run(200)
    two = LocalBestResponse(agent, "fcpa", seed=3).run(200, threads=2)
    assert (one.won == two.won).all()
    assert (one.won != LocalBestResponse(agent, "fcpa", seed=4).run(200).won).any()


@pytest.mark.parametrize(
    ("actions", "hands"),
    [
        ("fc,60%,a", 2_000),
        pytest.param("fcpa", 20_000, marks=pytest.mark.slow),
        pytest.param("preflop=fcpa;flop=fc,50%;turn=fcpa;river=fcpa", 6_000, marks=pytest.mark.slow),
    ],
)
def test_the_mean_is_that_of_hands_plainly_dealt(actions: str, hands: int) -> None:
    agent, _ = agents("own", "none", 1, False, CAPPED)  # the response raises where this tree has no raise
    response = LocalBestResponse(agent, actions, run_outs=30)
    expected, plain = response.run(hands), response.run(hands, plain=True)
    both = np.hypot(expected.mbb_interval, plain.mbb_interval)
    assert abs(expected.mbb - plain.mbb) < 1.5 * both
    assert expected.mbb_interval < plain.mbb_interval


@pytest.mark.parametrize(
    ("agent", "actions", "number"),
    [
        (("own", "none", 1, False), "fcpa", 8),
        (("tight", "purify", 1, False), "fc,60%,250%", 8),
        (("own", "none", 1, False, CAPPED), "fc,60%", 6),
        (("own", "none", 1, False, SMALL_BETS), "fc,300%", 5),
        pytest.param(("own", "none", 1, False), "fc,40%,60%", 30, marks=pytest.mark.slow),
        (("own", "threshold(0.2)", 2, True), "turn=fc;river=fc,100%", 4),
        pytest.param(("own", "none", 2, True), "fc,60%", 6, marks=pytest.mark.slow),
    ],
)
def test_hands_are_those_of_the_twin(agent: tuple, actions: str, number: int) -> None:
    playing, twin = agents(*agent)
    response = LocalBestResponse(playing, actions)
    checked, unsure = np.sum([check_hand(response, twin, response.hand(k)) for k in range(number)], axis=0)
    assert checked > number / 3
    assert unsure > 0 or not {"60%", "300%"} & {*actions.split(",")}


def check_hand(response: LocalBestResponse, twin: Twin, hand: ResponseHand) -> tuple[int, int]:
    """Replay a hand with what can be known in plain sight.

    Returns how many decisions of the response were looked at, and at how many of them it did not know what a bet
    had been taken for.
    """
    state, checked, unsure, known = start(response.rules), 0, 0, True
    reach = dict.fromkeys(ALL, tuple([1.0] * len(twin.models)))
    weights = {other: 1 / 1225 for other in ALL if not set(other) & set(hand.hole)}
    places = [Place(0, False, 0, weights, reach)]
    won, rest = 0.0, 1.0
    for action in hand.actions:
        board = hand.board[: BOARD_CARDS[state.street]]
        places = [place.without(board) for place in places]
        if state.player == hand.seat:
            if response.actions.by_street[state.street] is None:
                assert action == CALL
            else:
                checked += 1
                unsure += not known
                values = response_values(response, twin, hand, state, places)
                assert values[action] == pytest.approx(max(values.values()), abs=1e-6)
            places = after_own(twin, places, state, action)
        else:
            gone = folded(twin, places, state, board)
            won += rest * gone * state.paid[state.player]
            rest = max(rest * (1 - gone), LEAST_REST)  # where it goes on with less, by chance
            if action == FOLD:
                rest = 0.0
            else:
                places = after_agent(twin, places, state, board, action)
        known = known and len(places) == 1
        state = act(state, action)
    if state.folded >= 0:
        end = state.at_stake if state.folded != hand.seat else -state.at_stake
    elif state.street >= 2:
        end = state.at_stake * mean_equity(equities(hand, hand.board, places), places)
    if known and (state.folded >= 0 or state.street >= 2):  # before the turn boards are drawn
        assert hand.won == pytest.approx(won + rest * end, abs=1e-6)
    return checked, unsure


def response_values(response, twin, hand, state, places) -> dict:
    """What each action of the response would win if both only checked and called afterwards."""
    me, board = hand.seat, hand.board[: BOARD_CARDS[state.street]]
    equity = equities(hand, board, places)
    total = sum(sum(place.weights.values()) for place in places)
    allowed = legal(state)
    stake = min(state.paid[1 - me], state.rules.stacks[me])
    found = {CALL: stake * mean_equity(equity, places)}
    if allowed.fold:
        found[FOLD] = -state.paid[me]
    bets = response.actions.by_street[state.street]
    for bet in filter(None, bets.split(",")) if allowed.min_raise else ():
        yours, most = state.paid[1 - me], state.rules.effective_stack
        exact = most if bet == "a" else yours + float(bet[:-1]) / 100 * 2 * yours
        amount = max(allowed.min_raise, int(min(exact, most) + 0.5))
        found[amount] = bet_value(twin, places, state, board, amount, equity) / total
    return found


def mean_equity(equity: dict, places: list) -> float:
    pairs = [(w, equity[other]) for place in places for other, w in place.weights.items()]
    return sum(w * e for w, e in pairs) / sum(w for w, _ in pairs)


def equities(hand: ResponseHand, board: tuple, places: list) -> dict:
    """1 for a win, -1 for a loss, over all rivers, against each hand of any place."""
    others = np.array(list(dict.fromkeys(other for place in places for other in place.weights)))
    total, met = np.zeros(len(others)), np.zeros(len(others))
    rivers = [()] if len(board) == 5 else [(card,) for card in range(52) if card not in (*board, *hand.hole)]
    for river in rivers:
        free = ~np.isin(others, river).any(axis=1)
        full = (*board, *river)
        mine = int(hand_strengths([[*hand.hole, *full]])[0])
        yours = hand_strengths([[*other, *full] for other in others[free]]).astype(int)
        total[free] += np.sign(mine - yours)
        met[free] += 1
    return dict(zip(map(tuple, others.tolist()), total / met, strict=True))


@pytest.mark.parametrize(
    ("text", "streets", "said"),
    [
        ("pot", ("turn",), "fc, fcpa, or fc and bets"),
        ("fc,50", ("turn",), "a bet size is written"),
        ("fc,3x", ("turn",), "cannot be written with x"),
        ("fcpa", ("turn", "brook"), "streets are preflop, flop, turn, river, not brook"),
        ("turn=fc;turn=fcpa", ("turn",), "by street are written"),
    ],
)
def test_odd_actions_are_refused(text: str, streets: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        response_actions(text, streets)


def test_odd_numbers_are_refused() -> None:
    response = LocalBestResponse(rule_agent("always-fold"))
    with pytest.raises(InputError, match="even number of hands, not 3"):
        response.run(3)
    with pytest.raises(InputError, match="at least 16 run-outs"):
        LocalBestResponse(rule_agent("always-fold"), run_outs=2)


@pytest.mark.parametrize("true", [(0.0, 0.0, 0.0, 0.0), (-300.0, 50.0, 20.0, 60.0)])
def test_the_largest_is_honest_about_being_chosen(true: tuple[float, ...]) -> None:
    """Its interval holds the largest true value; that of the setting that came out largest does not."""
    rng = np.random.default_rng(5)
    halves = np.array([40.0, 60.0, 50.0, 80.0])
    held = own = 0
    for means in rng.normal(true, halves / SURE, (2_000, 4)):
        settings = zip("0123", means.tolist(), halves.tolist(), strict=True)
        found = largest_response(list(settings))
        held += found.mbb_range[0] <= max(true) <= found.mbb_range[1]
        own += abs(found.mbb - max(true)) <= halves[int(found.actions)]
    assert held >= 0.95 * 2_000
    assert own < held


def test_an_interrupt_leaves_what_was_played() -> None:
    def stop(now: Progress) -> None:
        if now.done >= 100:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        LocalBestResponse(rule_agent("always-fold")).run(2_000, watch=stop)
    result = stopped.value.result
    assert 100 <= result.hands < 2_000
    assert not result.complete
    assert result.mbb == pytest.approx(750)
