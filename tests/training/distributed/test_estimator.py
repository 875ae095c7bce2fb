"""Algorithm 4 is unbiased: by enumeration on a toy whose clusters are blocked unequally."""

import numpy as np
import pytest

from oracles.algorithm4 import CARDS, CLUSTERS, ONE_CLUSTER, TREE, Iteration, expected, strategy
from oracles.toy_deals import BUCKETS, EveryDeal, toy_walk
from solvent.foundation.kernels.compiling import kernel
from solvent.training.distributed.batches import DistributedSettings
from solvent.training.distributed.child import Child
from solvent.training.distributed.head import Head
from solvent.training.distributed.kernels import child_scale


def repaired(choices, size):
    """The mean of |F_{n,h}| over hands is |F_n| (7 - 2) / 7."""
    return scale(choices, (size * (CARDS - 2), CARDS))


def literal(choices, size):
    return 1.0


@kernel
def scale(choices, mean):
    return child_scale(choices, mean)


@pytest.fixture(scope="module")
def plain():
    return [expected(player, CLUSTERS, literal, plain=True) for player in (0, 1)]


def largest_difference(found, wanted):
    """The most by which a child's increments differ from plain sampling's times its one constant, 7 / |F_n|."""
    assert found.keys() == wanted.keys()
    differences = [0.0]
    for (n, *place), numbers in wanted.items():
        constant = CARDS / len(CLUSTERS[n]) if n >= 0 else 1.0
        differences.append(np.abs(found[n, *place] - constant * numbers).max())
    return max(differences)


@pytest.mark.parametrize("player", [0, 1])
def test_expected_increments_are_those_of_plain_sampling(plain, player):
    value, regrets, sums = expected(player, CLUSTERS, repaired)
    assert value == pytest.approx(plain[player][0], abs=1e-12)
    assert largest_difference(regrets, plain[player][1]) < 1e-12
    assert largest_difference(sums, plain[player][2]) < 1e-12


@pytest.mark.parametrize("player", [0, 1])
def test_the_literal_children_are_biased_and_the_literal_head_is_not(plain, player):
    value, regrets, sums = expected(player, CLUSTERS, literal)
    assert value == pytest.approx(plain[player][0], abs=1e-12)
    head = {key: numbers for key, numbers in regrets.items() if key[0] < 0}
    assert largest_difference(head, {key: plain[player][1][key] for key in head}) < 1e-12
    # No constant per child makes them equal: the ratios of one child's increments differ.
    for found, wanted in ((regrets, plain[player][1]), (sums, plain[player][2])):
        for n in (0, 2):
            ratios = [(found[key] / wanted[key])[0] for key in wanted if key[0] == n]
            assert max(ratios) - min(ratios) > 0.01


def test_one_cluster_is_plain_sampling():
    for player in (0, 1):
        one, plain = (expected(player, ONE_CLUSTER, repaired, plain=each) for each in (False, True))
        assert one[0] == pytest.approx(plain[0], abs=1e-12)
        for found, wanted in zip(one[1:], plain[1:], strict=True):
            assert max(np.abs(found[key] - wanted[key]).max() for key in wanted) < 1e-12


def test_the_value_by_sampling():
    rng = np.random.default_rng(3)

    def draw(probabilities):
        return int(rng.choice(len(probabilities), p=probabilities))

    wanted = expected(0, CLUSTERS, repaired)[0]
    found = [Iteration(0, CLUSTERS, draw, repaired).run() for _ in range(4_000)]
    assert abs(np.mean(found) - wanted) < 3 * np.std(found) / len(found) ** 0.5


@pytest.mark.parametrize("is_literal", [False, True])
@pytest.mark.parametrize("player", [0, 1])
def test_compiled_head_and_children_have_these_expectations(player, is_literal):
    """Every deal through the compiled algorithm, against a player whose strategies are pure, to float32."""
    walk, row, floats = toy_walk()
    dealer, settings = EveryDeal(floats), DistributedSettings(linear=False, literal=is_literal)
    tables = [np.zeros(BUCKETS * size, np.float32) for size in (floats[0], *[floats[1]] * len(CLUSTERS))]
    places = {
        (n, history, bucket): (tables[n + 1], bucket * floats[int(n >= 0)] + row[history])
        for history in TREE
        for n in ((0, 1, 2) if "/" in history else (-1,))
        for bucket in range(BUCKETS)
    }
    for (n, history, bucket), (table, place) in places.items():
        regrets = strategy(history, n, bucket)
        pure = np.eye(2)[int(regrets[0] < 0.5)]
        table[place : place + 2] = pure if TREE[history][0] != player else regrets

    def used(history, n, bucket):
        table, place = places[n, history, bucket]
        return begun[id(table)][place : place + 2].astype(np.float64)

    begun = {id(table): table.copy() for table in tables}
    head = Head(walk, tables[0], dealer, settings)
    children = [Child(n, walk, tables[n + 1], dealer, settings) for n in range(len(CLUSTERS))]
    found = {key: np.zeros(4) for key in places}
    for turn in range(2 * len(dealer.deals)):
        recorded = head.record(turn)
        head.replay(recorded, [child.values(recorded.batch) for child in children])
        for key, (table, place) in places.items():
            if turn % 2 == player:
                added = (table - begun[id(table)])[place : place + 4]
                found[key] += dealer.chance(turn // 2) * added
        for table in tables:
            table[:] = begun[id(table)]
    _, regrets, sums = expected(player, CLUSTERS, literal if is_literal else repaired, strategy=used)
    wanted = {key: np.concatenate([regrets[key], sums[key]]) for key in places}
    assert max(np.abs(found[key] - wanted[key]).max() for key in places) < 1e-6
    assert sum(np.abs(numbers).sum() for numbers in wanted.values()) > 1
