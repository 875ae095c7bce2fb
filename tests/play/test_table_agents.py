"""Agents that play from tables: action for action as the slow twin, and legal with any stacks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.table_agent import Twin, Wild, random_model, rate_of, small_cards
from solvent.abstraction.betting.translation import translation
from solvent.forms.betting import kernels as betting_kernels
from solvent.games.betting.rules import CALL, FOLD, HoldemRules, act, legal, payoffs, start
from solvent.play.contract import View
from solvent.play.matches import Match, PairPlayer, play_hand
from solvent.play.styles import STYLES
from solvent.play.table_agent import RULES, rule_agent, table_agent
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import parse_post

NARROW = "preflop=3x,a; postflop=100%; cap=1; stack=10"
WIDE = "preflop=2.5x,4x,a | 100%,a; flop=33%,75%,150%,a | 100%; turn=50%,a; river=60%,125%,a; cap=2; stack=60"
NO_ALL_IN = "preflop=2x; postflop=50%; cap=2; stack=200"
POSTS = (
    "none",
    "purify",
    "threshold(0.15)",
    "new(0.2)",
    "new(0.3,classes=sizes,between=0.2,within=0.4,first=false)",
)


def in_chips(stack, second=None, blinds=(50, 100)):
    """Rules with stacks in big blinds."""
    both = (stack, stack if second is None else second)
    return HoldemRules(tuple(max(1, round(one * blinds[1])) for one in both), blinds)


@pytest.fixture(scope="module")
def models():
    """Three betting trees and two card abstractions."""
    return [
        random_model(NARROW, 1),
        random_model(WIDE, 2, cards=1),
        random_model(NO_ALL_IN, 3),
        random_model(WIDE, 4, cards=1),
    ]


@settings(deadline=None)
@given(
    st.integers(1, 3_000), st.integers(1, 3_000), st.integers(0, 60), st.integers(1, 120),
    st.lists(st.floats(0, 1), min_size=60, max_size=60),
)  # fmt: skip
def test_the_compiled_rules_are_the_games(first, second, small, big, choices):
    rules = HoldemRules((first, second), (min(small, big), big))
    state, compiled = start(rules), betting_kernels.new_position(rules)
    betting_kernels.begin(compiled)
    for choice in choices:
        assert compiled[betting_kernels.PLAYER] == state.player
        assert tuple(compiled[betting_kernels.PAID : betting_kernels.PAID + 2]) == state.paid
        if state.over:
            break
        allowed = legal(state)
        assert betting_kernels.options(compiled) == tuple(allowed)
        for action in (FOLD, CALL, 1, allowed.min_raise, allowed.min_raise - 1, allowed.max_raise + 1):
            assert betting_kernels.is_legal(compiled, action) == allowed.allows(action)
        ways = [FOLD] * (allowed.fold and choice < 0.05) + [CALL]
        span = allowed.max_raise - allowed.min_raise
        ways += [allowed.min_raise + int(span * choice**4)] if allowed.min_raise else []
        action = ways[int(choice * 997) % len(ways)]
        state = act(state, action)
        betting_kernels.take(compiled, action)
    if state.over:
        for lead in (-1, 0, 1):
            assert betting_kernels.winnings(compiled, lead) == payoffs(state, (lead, 0))[0]


CASES = [
    # models of both agents, styles, post-processings, stacks and blinds
    ((0,), (1,), "own", "own", 0, 0, in_chips(10)),
    ((1,), (0,), "own", "aggressive", 1, 0, in_chips(60)),
    ((1,), (1,), "tight", "calling-machine", 4, 2, in_chips(37.5, 80)),
    ((2,), (1,), "tight-aggressive", "own", 3, 3, in_chips(400)),
    ((1, 3), (2,), "own", "random", 0, 1, in_chips(200)),
    ((1, 3), (1,), "initial-weights", "deterministic", 0, 4, in_chips(9, 30, (1, 2))),
    ((0,), (2,), "own", "own", 0, 0, in_chips(1.2)),
    ((2,), (0,), "own", "own", 2, 0, in_chips(100, blinds=(0, 40))),
    ((0,), (1,), "own", "own", 0, 0, in_chips(100, blinds=(40, 40))),
]


@pytest.mark.parametrize("case", CASES)
def test_hands_are_those_of_the_twin(models, case):
    *sides, rules = case
    twins, agents = [], []
    for side in (0, 1):
        which, style, post = sides[side], sides[2 + side], parse_post(POSTS[sides[4 + side]])
        chosen = [models[one] for one in which]
        twins.append(Twin(chosen, style, post, by_reach=len(chosen) > 1))
        agents.append(table_agent("agent", chosen, style, post, by_reach=True))
    slow, fast = Match(*twins, rules, 80, seed=5), Match(*agents, rules, 80, seed=5)
    mixed = Match(twins[0], agents[1], rules, 80, seed=5)  # the compiled agent asked one decision at a time
    deep = 0
    for pair in range(40):
        played = [hand.actions for hand in fast.pair(pair)]
        assert played == [hand.actions for hand in slow.pair(pair)]
        assert played == [hand.actions for hand in mixed.pair(pair)]
        deep += sum(len(actions) for actions in played)
    assert deep > 40
    assert fast.run().winnings == slow.run().winnings


@pytest.mark.parametrize("stack", [7, 60, 300])
def test_against_arbitrary_bets_the_twin_agrees(models, stack):
    for which in (0, 1, 2):
        agent, twin = table_agent("agent", [models[which]]), Twin([models[which]])
        ours, theirs = (Match(one, Wild(), in_chips(stack), 60, seed=1) for one in (agent, twin))
        for pair in range(30):
            assert [h.actions for h in ours.pair(pair)] == [h.actions for h in theirs.pair(pair)]


def all_agents(model):
    agents = [rule_agent(name) for name in RULES]
    agents += [table_agent(style, [model], style) for style in STYLES]
    return agents + [table_agent(post, [model], post=parse_post(post)) for post in POSTS]


def test_every_agent_plays_every_other_with_any_stacks(models):
    """`Table.play` refuses what is not legal."""
    rng = np.random.default_rng(1)
    agents = all_agents(models[1]) + all_agents(models[0])[len(RULES) :: 3]
    for a in agents:
        for b in agents:
            for stack in (1, 400, *np.exp(rng.uniform(0, np.log(400), 3))):
                PairPlayer(in_chips(stack)).play(0, 20, 3, a, b)


@pytest.mark.slow
def test_ten_thousand_hands_of_every_agent_against_every_other(models):
    rng = np.random.default_rng(1)
    for model in models[:3]:
        agents = all_agents(model)
        for a in agents:
            for b in agents:
                for piece, stack in enumerate((1, 400, *np.exp(rng.uniform(0, np.log(400), 18)))):
                    PairPlayer(in_chips(stack)).play(piece * 250, piece * 250 + 250, 3, a, b)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_arbitrary_bets_never_lead_to_an_illegal_action(models, which):
    """100,000 hands against a player who bets any amount, over stacks from 1 to 400 big blinds."""
    agent, wild = table_agent("agent", [models[which]]), rule_agent("random")
    for number, stack in enumerate(np.exp(np.linspace(0, np.log(400), 50))):
        counts = PairPlayer(in_chips(stack, blinds=(50, 100) if number % 2 else (1, 2))).play(
            0, 1_000, number, agent, wild
        )
        assert counts[0] == 1_000


def test_an_agent_wins_nothing_from_itself(models):
    agent = table_agent("agent", [models[1]])
    assert Match(agent, agent, in_chips(60), 2_000).run().winnings.squares == 0


def test_results_do_not_depend_on_threads(models):
    a, b = table_agent("a", [models[1]]), table_agent("b", [models[0]])
    once, again = (Match(a, b, in_chips(60), 20_000, seed=2).run(threads) for threads in (1, 3))
    assert once.winnings == again.winnings
    assert Match(a, b, in_chips(60), 20_000, seed=3).run().winnings != once.winnings


def test_always_folding_loses_three_quarters_of_a_big_blind(models):
    """Against who never folds: the small blind on the button, the big blind otherwise."""
    folds, calls = rule_agent("always-fold"), rule_agent("always-call")
    raises = Match(folds, Raiser(), HoldemRules(), 20).run().winnings
    assert (raises.mbb, raises.mbb_interval, raises.bb_per_100) == (-750.0, 0.0, -75.0)
    assert Match(calls, calls, HoldemRules(), 200).run().winnings.squares == 0


class Raiser:
    name = "raiser"

    def act(self, view):
        return view.legal.min_raise or CALL


def view_of(actions, hole=(50, 51), board=(), rules=None, key=0):
    rules = rules or in_chips(60)
    state = start(rules)
    for action in actions:
        state = act(state, action)
    return View(rules, state.player, board, tuple(actions), key, hole=hole)


def test_a_decision_says_its_probabilities(models):
    agent = table_agent("agent", [models[1]])
    decision = agent.decision(view_of([]))
    assert decision.actions == (FOLD, CALL, 250, 400, 6_000)
    cluster, bucket = decision.bucket
    np.testing.assert_allclose(decision.probabilities, models[1].average(0, cluster, bucket))
    assert agent.act(view_of([])) == decision.actions[decision.chosen]
    often = [agent.act(view_of([], key=7**k % 2**64)) for k in range(2_000)]
    shares = [often.count(action) / len(often) for action in decision.actions]
    np.testing.assert_allclose(shares, decision.probabilities, atol=0.04)


def with_row(sums):
    """A blueprint whose first decision, fold, call, 250, 400 or 6,000, has these sums for every hand."""
    model = random_model_once()
    model = Blueprint(model.tree, model.cards)
    for bucket in range(169):
        model.row(0, 0, bucket)[1] = sums
    return model


def test_an_ensemble_adds_probabilities():
    """Laptop MCCFR's example: (.2, .4, .4), (.5, .5, 0) and (0, .5, .5) give (.233, .467, .300)."""
    rows = [[0.2, 0.4, 0.4, 0, 0], [5, 5, 0, 0, 0], [0, 300, 300, 0, 0]]  # sums need not be alike
    agent = table_agent("ensemble", [with_row(row) for row in rows])
    expected = [0.2333, 0.4667, 0.3, 0, 0]
    np.testing.assert_allclose(agent.decision(view_of([])).probabilities, expected, atol=1e-4)


def test_an_ensemble_by_reach_follows_who_plays_so():
    """After a raise that only the first model makes, only its strategy is left."""
    first, second = with_row([0, 0, 1, 0, 0]), with_row([0, 1, 0, 0, 0])
    alike, by_reach = (table_agent("e", [first, second], by_reach=reach) for reach in (False, True))
    raised = first.tree.children(0)[2]
    again = first.tree.children(raised)[2]  # raised once more: the first player's second decision
    for model, sums in ((first, [1, 0]), (second, [0, 1])):  # fold or call, for there is a cap
        for bucket in range(169):
            model.row(again, 0, bucket)[1] = sums
    seen = 0
    for key in range(20):
        if alike.act(view_of([], key=key)) != 250:
            continue
        seen += 1
        total = first.tree.actions(raised)[2]
        np.testing.assert_allclose(alike.decision(view_of([250, total], key=key)).probabilities, [0.5, 0.5])
        np.testing.assert_allclose(by_reach.decision(view_of([250, total], key=key)).probabilities, [1, 0])
    assert seen > 3


@pytest.mark.parametrize(
    ("style", "weights"),
    [
        ("aggressive", [0.05, 0.5, 0.4, 0.3, 0.4]),
        ("tight", [0.2, 0.5, 0.1, 0.05, 0.05]),
        ("calling-machine", [0.1, 2.5, 0.2, 0.1, 0.1]),
        ("random", [1, 1, 1, 1, 1]),
        ("deterministic", [0, 1, 0, 0, 0]),
        ("own", [0.1, 0.5, 0.2, 0.1, 0.1]),
    ],
)
def test_styles_multiply_weights(style, weights):
    agent = table_agent(style, [with_row([0.1, 0.5, 0.2, 0.1, 0.1])], style)
    found = agent.decision(view_of([])).probabilities
    np.testing.assert_allclose(found, np.array(weights) / sum(weights), rtol=1e-6)


def test_hands_part_tight_from_aggressive():
    """Aces win more than half of all deals, seven-deuce less."""
    agent = table_agent("agent", [with_row([0.1, 0.5, 0.2, 0.1, 0.1])], "tight-aggressive")
    aces, worst = (agent.decision(view_of([], hole=hole)).probabilities for hole in ((50, 51), (0, 21)))
    assert aces[4] > 0.2 > 0.1 > worst[4]
    prior = table_agent("agent", [with_row([0.1, 0.5, 0.2, 0.1, 0.1])], "initial-weights")
    aces, worst = (prior.decision(view_of([], hole=hole)).probabilities for hole in ((50, 51), (0, 21)))
    assert sum(aces[2:]) > 0.5 > sum(worst[2:])


def test_all_in_with_short_stacks_is_a_bet_of_its_size(models):
    """Ten big blinds on a tree of sixty are 4.5 pots: between the raise to 4 and all-in, which is 29.5."""
    agent, rules = table_agent("agent", [models[1]]), in_chips(10)
    seen = [agent.decision(view_of([1_000], rules=rules, key=7**k % 2**64)).history for k in range(400)]
    assert set(seen) == {"r400", "r6000"}
    share = translation(4.5, [0.75, 1.5, 29.5])[2]
    assert seen.count("r400") / 400 == pytest.approx(share, abs=0.08)
    deep = [agent.decision(view_of([6_000], key=key)).history for key in range(20)]
    assert set(deep) == {"r6000"}


def test_off_the_tree_win_rates_meet_pot_odds(models):
    """The narrow tree has one bet a street: a raise of it is answered by the bucket's win rate."""
    agent, rules = table_agent("agent", [models[0]]), in_chips(10)
    for key in range(400):
        opening = agent.act(view_of([], rules=rules, key=key))
        if opening == 300:
            break
    rate = rate_of(small_cards(), 0, *agent.decision(view_of([], rules=rules, key=key)).bucket)
    for raised in (500, 700, 1_000):
        decision = agent.decision(view_of([300, raised], rules=rules, key=key))
        assert "off the tree" in decision.note
        assert decision.actions == ((CALL,) if rate >= (raised - 300) / (2 * raised) else (FOLD,))


def test_a_bet_taken_for_a_call_is_called(models):
    """After a bet and a raise of next to nothing the tree is on the turn; the agent calls to get there."""
    agent, rules = table_agent("agent", [models[1]]), in_chips(60)
    before = [CALL, CALL]
    met = 0
    for key in range(300):
        bet = agent.act(view_of(before, board=(0, 5, 10), rules=rules, key=key))
        if bet <= CALL or bet == 6_000:
            continue
        decision = agent.decision(
            view_of([*before, bet, 2 * bet - 100], board=(0, 5, 10), rules=rules, key=key)
        )
        if "taken for a call" in decision.note:
            assert decision.actions == (CALL,)
            met += 1
    assert met > 3


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(STYLES), st.sampled_from(POSTS), st.integers(0, 2**63), st.floats(1, 400))
def test_probabilities_sum_to_one_and_stay_legal(style, post, key, stack):
    agent = table_agent("agent", [random_model_once()], style, parse_post(post))
    rules = in_chips(stack)
    view = View(rules, 0, (), (), key, hole=(3, 40))
    if view.state.over:
        return
    decision = agent.decision(view)
    assert sum(decision.probabilities) == pytest.approx(1)
    assert min(decision.probabilities) >= 0
    assert decision.probabilities[decision.chosen] > 0
    assert all(view.legal.allows(action) for action in decision.actions)


def random_model_once(made=[]):  # noqa: B006
    if not made:
        made.append(random_model(WIDE, 2, cards=1))
    return made[0]


def test_agents_see_no_later_cards(models):
    """What an agent does depends on its own cards, the board so far and the actions."""
    agent = table_agent("agent", [models[1]])
    cards = (0, 1, 2, 3, 20, 21, 22, 23, 24)
    other = (0, 1, 4, 5, 20, 21, 22, 23, 25)
    rules = in_chips(60)

    class Caller:
        name = "caller"

        def act(self, view):
            return CALL

    seen, unseen = (play_hand(rules, (agent, Caller()), deal, 11).actions for deal in (cards, other))
    river = [len(seen)]
    state = start(rules)
    for number, action in enumerate(seen):
        if state.street == 3:
            river.append(number)
        state = act(state, action)
    assert seen[: min(river)] == unseen[: min(river)]
