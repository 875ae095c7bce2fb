"""The flops that hands leave to public clusters, against counting them one by one."""

from itertools import combinations

import numpy as np
import pytest

from oracles.distributed import clustered_cards
from oracles.random_cards import random_hands
from solvent.training.distributed.deals import (
    FLOPS,
    FLOPS_LEFT,
    count_cluster_flops,
    count_flops,
    flop_tables,
)

CLUSTERS = 5


@pytest.fixture(scope="module")
def tables():
    return flop_tables(clustered_cards(CLUSTERS).lookup)


def counts(hands, tables):
    found = np.zeros((len(hands), CLUSTERS), dtype=np.int32)
    for h, into in zip(hands, found, strict=True):
        count_flops(h, tables, into)
    return found


def test_counts_are_those_of_every_flop(tables):
    flops = np.array(list(combinations(range(52), 3)))
    cards = clustered_cards(CLUSTERS)
    hands = random_hands(20, 4, 1)
    # A flop's cluster is that of any hand on it.
    cluster = np.array([cards.bucket("flop", [c for c in range(5) if c not in f][:2], f)[0] for f in flops])
    assert tables.flops.tolist() == np.bincount(cluster, minlength=CLUSTERS).tolist()
    for h, found in zip(hands, counts(hands, tables), strict=True):
        free = ~np.isin(flops, h).any(axis=1)
        assert found.tolist() == np.bincount(cluster[free], minlength=CLUSTERS).tolist()
        assert found.tolist() == [count_cluster_flops(h, n, tables) for n in range(CLUSTERS)]


def test_counts_sum_to_all_flops_that_are_left(tables):
    """For sampled hands, and for every pair of classes of hands."""
    assert tables.flops.sum() == FLOPS
    assert (counts(random_hands(5_000, 4, 2), tables).sum(axis=1) == FLOPS_LEFT).all()
    # Every class of hands in two suits against every class in the other two.
    ranks = range(13)
    first = [(4 * a, 4 * b + 1) for a in ranks for b in range(a + 1)]
    first += [(4 * a, 4 * b) for a in ranks for b in range(a)]
    assert len(first) == 169
    deals = np.array([(*one, c + 2, d + 2) for one in first for c, d in first])
    assert (counts(deals, tables).sum(axis=1) == FLOPS_LEFT).all()


def test_the_mean_over_hands_is_the_one_that_scales(tables):
    """|F_n| C(48, 3) / C(52, 3): a flop is free of four random cards with that chance."""
    found = counts(random_hands(20_000, 4, 3), tables)
    wanted = tables.flops * FLOPS_LEFT / FLOPS
    assert (abs(found.mean(axis=0) - wanted) < 3.5 * found.std(axis=0) / len(found) ** 0.5 + 1e-9).all()
