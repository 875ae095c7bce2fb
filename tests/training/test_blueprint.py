"""Monte Carlo CFR on betting trees x buckets: against a slow twin, and in a folder."""

import signal
import threading

import numpy as np
import pytest

from oracles.blueprints import BETTING, random_cards
from solvent.abstraction.cards.dealing import shuffle
from solvent.abstraction.cards.win_rates import rate_layout, simulate
from solvent.cards.evaluator import hand_strengths
from solvent.engines.rewards import reward as reward_of
from solvent.engines.sampled.kernels import BOARD, HANDS, WALKS, add_to_sum
from solvent.forms.betting.tree import DECISION, SHOWDOWN, build_tree, sampled_walk
from solvent.forms.sampled import ACTIONS_MASK, GAIN, INFO, LOSS, row_start
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.randomness import STEP, random_float, stream
from solvent.foundation.kernels.randomness import mix as mixed
from solvent.games.betting.rules import FOLD
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.prior import UNVISITED, prior_strategy
from solvent.training.discounting import discount
from solvent.training.initial_weights import write_prior
from solvent.training.solver import BlueprintSolver


@pytest.fixture(scope="module")
def cards():
    return random_cards()


def twin(blueprint, iteration, seed, linear=True, exploration=(0.0, 0.0), mix=False, floor=0.0, reward="y1"):
    """One iteration as the paper writes it, with the same random numbers."""
    tree = blueprint.tree
    random = np.zeros(1, dtype=np.uint64)
    deck, board_random = np.arange(52), np.array([numbered(stream(seed, iteration, BOARD), 0)])
    random[0] = stream(seed, iteration, HANDS)
    shuffle(deck, 4, random)
    rest = deck[4:]
    shuffle(rest, 5, board_random)
    holes, board = (deck[:2], deck[2:4]), deck[4:9]
    strength = [int(hand_strengths([*hole, *board])) for hole in holes]
    sign = int(np.sign(strength[0] - strength[1]))
    prunes = random_float(random) < 0.95
    weight = np.float32(iteration + 1 if linear else 1)
    least = max(0.0, exploration[0] - exploration[1] * iteration)
    lowest = floor * (iteration * (iteration + 1) / 2 if linear else iteration) if prunes else 0.0

    def row_of(node):
        who, street = tree.player[node], int(tree.street[node])
        return blueprint.row(node, *blueprint.cards.bucket(street, holes[who], board[: (0, 3, 4, 5)[street]]))

    def walk(node, player):
        if not tree.children(node):
            stake = float(tree.paid[node].min())
            folder = tree.player[node]
            won = sign * stake if folder < 0 else stake * (-1, 1)[folder]
            return float(reward_of(reward, np.array([won if player == 0 else -won], np.float32), 100)[0])
        row = row_of(node)
        positive = np.maximum(row[0], 0)
        actions = len(positive)
        strategy = (
            positive / positive.sum() if positive.sum() > 0 else np.full(actions, 1 / actions, np.float32)
        )
        if least > 0 and mix:
            strategy = np.float32(1 - least * actions) * strategy + np.float32(least)
        elif least > 0:
            strategy = np.maximum(strategy, np.float32(least))
            strategy = strategy / strategy.sum()
        if tree.player[node] != player:
            row[1] += weight * strategy
            key = stream(seed, iteration, WALKS + player)
            draw, chosen = random_float(np.array([numbered(key, place[node])])), actions - 1
            for action in range(actions - 1):
                draw -= strategy[action]
                if draw < 0:
                    chosen = action
                    break
            return walk(below(node, chosen), player)
        walked = [True] * actions
        if lowest < 0 and least == 0 and tree.street[node] < 3 and (row[0] > 0).any():
            walked = [row[0][a] >= lowest or not tree.children(below(node, a)) for a in range(actions)]
        values = np.array(
            [walk(below(node, action), player) if walked[action] else 0 for action in range(actions)],
            np.float32,
        )
        value = np.float32(strategy @ values)
        row[0] += np.where(walked, weight * (values - value), 0)
        left_out.append(walked.count(False))
        return value

    def below(node, action):
        child = tree.children(node)[action]
        return child + 1 if len(tree.children(child)) == 1 else child

    left_out = []
    place = {0: 0} | {node: at + 1 for at, node in enumerate(tree.behind.tolist())}
    for player in (0, 1):
        walk(0, player)
    return sum(left_out)


def numbered(key, number):
    """The key of one of many streams that belong to a key."""
    return mixed(np.uint64((int(key) + int(STEP) * (number + 1)) % 2**64))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"linear": False, "reward": "y2"},
        {"exploration": (0.2, 0.001), "reward": "y3"},
        {"floor": -0.02},
        {"floor": -0.02, "exploration": (0.2, 0.01)},
        {"exploration": (0.2, 0.001), "mix": True},
        {"betting": "preflop=2x,3x,a; postflop=100%; cap=1; stack=10; history=raises"},
    ],
)
def test_iterations_are_those_of_the_twin(cards, options):
    options = dict(options)
    tree = build_tree(parse_betting(options.pop("betting", BETTING)))
    fast, slow = Blueprint(tree, cards), Blueprint(tree, cards)
    reward = options.pop("reward", "y1")
    solver, left_out = BlueprintSolver(fast, reward), 0
    for iteration in range(60):
        slow.table[:] = fast.table
        solver.run(1, seed=7, **options)
        left_out += twin(slow, iteration, 7, reward=reward, **options)
        np.testing.assert_allclose(fast.table, slow.table, rtol=1e-5, atol=0.1)
    assert np.count_nonzero(fast.table) > 300
    assert (left_out > 0) == ("floor" in options)


def test_large_sums_lose_nothing_on_average():
    """A sum of 2^30 in steps of 1, which float32 would not notice."""
    table, random = np.full(1, 2.0**30, dtype=np.float32), np.array([3], dtype=np.uint64)
    add_many(table, np.float32(1), random, 1 << 20)
    assert table[0] - 2.0**30 == pytest.approx(1 << 20, rel=0.15)


@kernel
def add_many(table, added, random, times):
    for _ in range(times):
        add_to_sum(table, 0, added, random)


def test_an_interrupt_counts_what_was_done(cards, monkeypatch):
    """Ctrl-C while threads are at work: the piece is finished and counted, and then the interrupt comes."""
    tree = build_tree(parse_betting(BETTING))
    straight, stopped = (BlueprintSolver(Blueprint(tree, cards)) for _ in range(2))
    straight.run(20_000, seed=3)
    timer = threading.Timer(0.005, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        stopped.run(20_000, seed=3)
    timer.join()
    assert stopped.iterations == straight.iterations
    assert stopped.touched == straight.touched
    np.testing.assert_array_equal(stopped.blueprint.table, straight.blueprint.table)


def test_rows_lie_side_by_side_and_fill_the_tables(cards):
    tree = build_tree(parse_betting(BETTING))
    blueprint = Blueprint(tree, cards)
    for node in np.flatnonzero(tree.kind == DECISION):
        street = int(tree.street[node])
        clusters, buckets = cards.sizes[street]
        for cluster in range(clusters):
            for bucket in range(buckets):
                blueprint.row(int(node), cluster, bucket)[:] += 1
    assert (blueprint.table == 1).all()
    assert blueprint.table.size == 2 * tree.infoset_actions([c * b for c, b in cards.sizes])


@pytest.mark.parametrize("threads", [1, 3])
def test_discounting_scales_every_row_once(cards, threads):
    tree = build_tree(parse_betting(BETTING))
    blueprint = Blueprint(tree, cards)
    blueprint.table[:] = np.random.default_rng(1).normal(size=blueprint.table.size)
    before = Blueprint(tree, cards, blueprint.table.copy())
    discount(blueprint, 0.5, 0.25, 0.125, threads)
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        clusters, buckets = cards.sizes[tree.street[node]]
        for cluster, bucket in np.ndindex(clusters, buckets):
            regrets, sums = before.row(node, cluster, bucket)
            expected = np.stack([regrets * np.where(regrets > 0, 0.5, 0.25), sums * 0.125])
            np.testing.assert_array_equal(blueprint.row(node, cluster, bucket), expected.astype(np.float32))


def test_one_run_in_two_parts_is_one_run(cards):
    tree = build_tree(parse_betting(BETTING))
    whole, parts = (BlueprintSolver(Blueprint(tree, cards)) for _ in range(2))
    whole.run(500, seed=3)
    parts.run(200, seed=3)
    parts.run(300, seed=3)
    np.testing.assert_array_equal(whole.blueprint.table, parts.blueprint.table)
    assert whole.touched == parts.touched
    other = BlueprintSolver(Blueprint(tree, cards))
    other.run(500, seed=4)
    assert (other.blueprint.table != whole.blueprint.table).any()


def test_terminals_pay_what_was_put_in():
    tree = build_tree(parse_betting(BETTING))
    walk, pays = sampled_walk(tree).transformed(lambda payoff: payoff)
    ends = walk[:, INFO] & ACTIONS_MASK == 0
    assert pays[1, GAIN] == 50  # folding at once loses the small blind
    assert pays[ends, GAIN].max() == 1000
    np.testing.assert_array_equal(pays[ends, GAIN], -pays[ends, LOSS])
    assert ends.sum() == np.isin(tree.kind, (SHOWDOWN, tree.kind[tree.children(0)[0]])).sum()


@pytest.mark.parametrize(
    ("reward", "big_blinds", "expected"),
    [
        (0, -10, -10),
        (1, -10, -15),
        (2, -10, -12.3125),
        (3, -10, -10),
        (3, -50, -61.19),
        (3, -100, -152.78),
        (2, 5, 5),
    ],
)
def test_biased_rewards_are_the_papers(reward, big_blinds, expected):
    felt = reward_of(f"y{reward + 1}", np.array([100 * big_blinds], np.float32), 100)
    assert felt[0] == pytest.approx(100 * expected, rel=1e-4)


def test_a_strategy_grows_sane(cards):
    """With two cards and a bet before the flop alone, aces are never folded and seven-deuce is folded to all-in."""
    tree = build_tree(parse_betting("preflop=a; stack=10"))
    blueprint = Blueprint(tree, cards)
    BlueprintSolver(blueprint).run(60_000, seed=1)
    from solvent.cards.deck import parse_cards
    from solvent.cards.isomorphism import Indexer

    aces, worst = (Indexer([2]).index(parse_cards(hand)) for hand in ("AsAh", "7d2c"))
    fold = tree.actions(0).index(FOLD)
    assert blueprint.average(0, 0, aces)[fold] < 0.02
    all_in = tree.children(0)[-1]
    assert blueprint.average(all_in, 0, worst)[tree.actions(all_in).index(FOLD)] > 0.9


def test_initial_weights_are_the_prior_of_win_rates(cards):
    from solvent.cards.deck import parse_cards
    from solvent.cards.isomorphism import Indexer

    tree = build_tree(parse_betting(BETTING))
    blueprint = Blueprint(tree, cards)
    write_prior(blueprint, before=0.0, after=20.0, deals=200_000)
    aces = Indexer([2]).index(parse_cards("AsAh"))
    regrets, sums = blueprint.row(0, 0, aces)
    pot = tree.paid[0].sum()
    np.testing.assert_allclose(regrets / (20 * pot), prior_strategy(0.85, True, len(regrets) - 2), rtol=1e-6)
    assert not sums.any()
    last = int(np.flatnonzero(tree.kind == DECISION)[-1])
    assert blueprint.row(last, 1, 1)[0].sum() == pytest.approx(20 * tree.paid[last].sum())


def test_the_prior_is_renewed_where_nothing_was_learned_and_played_where_nothing_was_visited(cards):
    tree = build_tree(parse_betting(BETTING))
    blueprint = Blueprint(tree, cards)
    first, last = 0, int(np.flatnonzero(tree.kind == DECISION)[-1])
    write_prior(blueprint, before=0.0, after=1.0, unvisited=True, deals=200_000)
    prior = blueprint.average(last, 0, 1)
    assert prior.max() > 1.5 * prior.min()
    assert blueprint.row(last, 0, 1)[1].sum() == pytest.approx(UNVISITED, rel=1e-5)
    blueprint.row(first, 0, 5)[0][0] += 1.0
    blueprint.row(first, 0, 5)[1][1] += 3.0
    learned = blueprint.row(first, 0, 5).copy()
    blueprint.table *= np.float32(1 / 3)  # as discounting does, with its rounding
    write_prior(blueprint, before=1 / 3, after=1_000.0)
    np.testing.assert_allclose(blueprint.row(first, 0, 5), learned / 3, rtol=1e-5)
    np.testing.assert_allclose(blueprint.average(first, 0, 5)[1], 1.0, rtol=1e-5)
    pot = tree.paid[last].sum()
    np.testing.assert_allclose(blueprint.row(last, 0, 1)[0], 1_000 * pot * prior, rtol=1e-5)
    np.testing.assert_allclose(blueprint.average(last, 0, 1), prior, rtol=1e-5)


def test_simulated_win_rates_are_those_of_random_hands(cards):
    """Aces beat a random hand in 85.2 % of deals, seven-deuce in 34.6 %; buckets at random win half of theirs."""
    from solvent.cards.deck import parse_cards
    from solvent.cards.isomorphism import Indexer

    rates, layout = simulate(cards, deals=400_000, threads=2), rate_layout(cards)
    aces, worst = (Indexer([2]).index(parse_cards(hand)) for hand in ("AsAh", "7d2c"))
    assert rates[aces] == pytest.approx(0.852, abs=0.02)
    assert rates[worst] == pytest.approx(0.346, abs=0.02)
    assert len(rates) == layout.numbers == sum(clusters * buckets for clusters, buckets in cards.sizes)
    flop = [rates[row_start(layout, 1, cluster, bucket)] for cluster in range(2) for bucket in range(3)]
    np.testing.assert_allclose(flop, 0.5, atol=0.01)
