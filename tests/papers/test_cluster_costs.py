"""The cost model of Algorithm 4: the paper's sizes, what turns cost, and fits that find what was planted."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from solvent_papers.tartanian7.cluster import cost as model
from solvent_papers.tartanian7.cluster.cost import Cluster, Rates, Work, turn
from solvent_papers.tartanian7.cluster.cost_measures import spread

NODES = 6_104_546
RATES = Rates(
    row_ns=100.0, miss_ns=50.0, cache_bytes=1e6, head_row_ns=200.0, deal_ns=0.0, value_ns=1.0, message_s=1e-4,
    byte_s=1e-9,
)  # fmt: skip
WORK = Work(
    head_rows=10.0, continuations=8.0, child_rows=(40.0,) * 8, child_spread=0.0, clusters_table_bytes=1e5
)


def test_the_papers_sizes_follow_from_its_action_nodes():
    """Section 5: 1.8e11 infoset-actions and 5.49e15 nodes with 60 x 500 buckets."""
    assert f"{model.infoset_actions(NODES, 60 * 500):.1e}" == "1.8e+11"
    assert f"{NODES * (60 * 500) ** 2:.2e}" == "5.49e+15"


def test_the_baselines_sizes_follow_from_the_same_action_nodes():
    """Section 5: 3.1e10 infoset-actions and 1.5e14 nodes with 5,000 buckets, in 512 GB."""
    assert f"{model.infoset_actions(NODES, 5_000):.1e}" == "3.1e+10"
    assert f"{NODES * 5_000**2:.1e}" == "1.5e+14"
    assert 0.4 * 512e9 < model.table_bytes(model.infoset_actions(NODES, 5_000)) < 512e9


def test_core_hours_and_buckets_are_as_the_paper_multiplies_them():
    assert 1_200 * 961 == 1_153_200
    assert 60 * 500 == 30_000
    assert 60 * 16 + 1 == 961


def test_a_turn_is_the_sum_of_its_parts():
    """One worker: 1,000 iterations of 8 clusters with 40 rows each, all in the cache."""
    told = turn(RATES, WORK, Cluster(1, None, 1_000))
    assert told.iterations == 1_000
    assert told.children == pytest.approx(1_000 * 8 * 40 * 100e-9)
    assert told.head == pytest.approx(1_000 * (10 * 200e-9 + 8 * 8 * 1e-9))
    assert told.messages == pytest.approx(1e-4 + 1e-9 * (4 * 8_000 * 9 + 8 * 2_000))
    assert told.seconds == told.head + told.messages + told.children
    assert told.idle_share == pytest.approx(1 - told.children / told.seconds)


@pytest.mark.parametrize(("workers", "share"), [(1, 1.0), (2, 0.5), (4, 0.5), (8, 0.5)])
def test_workers_that_share_two_cores_take_no_less_than_half_of_the_time(workers, share):
    alone = turn(RATES, WORK, Cluster(1, 2, 100)).children
    assert turn(RATES, WORK, Cluster(workers, 2, 100)).children == pytest.approx(share * alone)
    own = turn(RATES, WORK, Cluster(workers, None, 100)).children
    assert own == pytest.approx(alone / workers)


def test_rows_take_longer_while_all_cores_walk():
    crowded = replace(RATES, crowded=1.5)
    one, two, own = (
        turn(crowded, WORK, Cluster(*where, 100)).children for where in ((1, 2), (2, 2), (2, None))
    )
    assert two == pytest.approx(1.5 * one / 2)
    assert own == pytest.approx(one / 2)


def test_the_slowest_worker_counts():
    uneven = replace(WORK, child_rows=(70.0, *(40.0,) * 7))
    told, even = (turn(RATES, each, Cluster(8, None, 1_000)) for each in (uneven, WORK))
    assert told.children == pytest.approx(70 / 40 * even.children)
    assert told.idle_share > even.idle_share


def test_chance_counts_less_in_larger_batches():
    spread_out = replace(WORK, child_spread=0.5)
    late = []
    for batch in (10, 1_000):
        told, even = (turn(RATES, each, Cluster(8, None, batch)) for each in (spread_out, WORK))
        late.append(told.children / even.children)
    assert late[0] == pytest.approx(1 + 0.5 / sqrt(10) * model.expected_greatest(8))
    assert late[1] - 1 == pytest.approx((late[0] - 1) / 10)


def test_batches_divide_the_latency_of_messages():
    """B = 1 sends a message for each player's pass, so two for an iteration."""
    one, many = (turn(replace(RATES, byte_s=0.0), WORK, Cluster(4, None, batch)) for batch in (1, 1_000))
    assert one.iterations == 0.5
    assert one.messages / one.iterations == pytest.approx(2 * 4 * 1e-4)
    assert many.messages / many.iterations == pytest.approx(4 * 1e-4 / 1_000)


def test_samples_on_cores_of_their_own_take_no_longer_but_for_chance():
    one = turn(RATES, WORK, Cluster(8, None, 100))
    shared = turn(RATES, WORK, Cluster(8, None, 100, samples=16))
    spread_out = turn(RATES, WORK, Cluster(8, None, 100, samples=16, child_cores=16))
    assert shared.children == pytest.approx(16 * one.children)
    assert spread_out.children == pytest.approx(one.children)


def test_rows_outside_the_cache_take_longer():
    assert RATES.row_seconds(1e5) == pytest.approx(100e-9)
    assert RATES.row_seconds(2e6) == pytest.approx(125e-9)
    assert RATES.row_seconds(1e12) == pytest.approx(150e-9, rel=1e-4)


def test_the_greatest_of_many_normal_numbers():
    drawn = np.random.default_rng(0).normal(size=(20_000, 60)).max(axis=1).mean()
    assert model.expected_greatest(60) == pytest.approx(drawn, rel=0.02)
    assert model.expected_greatest(1) == 0.0


def test_fits_find_what_was_planted():
    rates = replace(RATES, cache_bytes=2.0**22)
    sizes = [2.0**power for power in range(17, 30)]
    found = model.fit_rows(sizes, [rates.row_seconds(size) for size in sizes])
    assert found == pytest.approx((100.0, 50.0, 2.0**22))
    assert model.fit_line([0, 1e3, 1e5], [1e-4, 1e-4 + 1e-6, 1e-4 + 1e-4]) == pytest.approx((1e-4, 1e-9))
    assert model.fit_power([10.0, 100.0], [3.0 * 10**0.5, 3.0 * 10]) == pytest.approx((3.0, 0.5))


def test_spread_leaves_out_what_children_and_turns_have_in_common():
    rng = np.random.default_rng(0)
    common = 1_000 * rng.uniform(1, 2, (400, 1)) + 500 * np.arange(8)
    assert spread(common) == pytest.approx(0.0, abs=1e-9)
    noisy = common + rng.normal(0, 30, common.shape)
    assert spread(noisy) == pytest.approx(30 / noisy.mean(), rel=0.05)
