"""Distances between public states and clusters of them: naive twins, planted clusters, and what is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvent.abstraction.hierarchical.public_clusters import (
    cluster_public,
    transition_distances,
)
from solvent.foundation.errors import InputError
from solvent.games.holdem.limit_holdem import FlopHoldem

IN_TURN = ["sequential", "average", "medoids"]


def naive_distances(table):
    """Algorithm 2 as the paper prints it."""
    states, buckets = table.shape
    total = int(table[0].sum())
    d = np.zeros((states, states))
    for i in range(states - 1):
        for j in range(i + 1, states):
            s = sum(min(int(table[i, b]), int(table[j, b])) for b in range(buckets))
            d[i, j] = d[j, i] = (total - s) / total
    return d


def random_table(states, buckets, total, seed=0):
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.full(buckets, 0.3), size=states)
    return np.stack([rng.multinomial(total, p) for p in chances]).astype(np.uint16)


def planted(clusters=12, seed=0, buckets=300, total=1000):
    """Rows drawn around so many centres, 6 to 11 rows for each, in random order; and whose each is."""
    rng = np.random.default_rng(seed)
    centres = rng.dirichlet(np.full(buckets, 0.05), size=clusters)
    truth = rng.permutation(np.repeat(np.arange(clusters), 6 + np.arange(clusters) % 6))
    return np.stack([rng.multinomial(total, centres[c]) for c in truth]).astype(np.uint16), truth


def pair_sum(d, assignment, w):
    """The sum of w_i w_j d_ij over pairs that share a cluster."""
    return sum(
        w[i] * w[j] * d[i, j] for i, j in combinations(range(len(d)), 2) if assignment[i] == assignment[j]
    )


def average_sum(d, assignment, w):
    """The sum of w_i times i's average distance to its cluster, its own copies included."""
    return sum(
        w[i] * (w @ (d[i] * (assignment == assignment[i]))) / w[assignment == assignment[i]].sum()
        for i in range(len(d))
    )


def medoid_sum(d, assignment, w):
    """The sum of w_i times the distance to the best medoid of i's own cluster."""
    return sum(
        (w[members] @ d[np.ix_(members, members)]).min()
        for members in (np.flatnonzero(assignment == c) for c in np.unique(assignment))
    )


OBJECTIVES = {"sequential": pair_sum, "average": average_sum, "medoids": medoid_sum, "literal": pair_sum}


def same_partition(a, b):
    return len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(np.unique(a)) == len(np.unique(b))


# Algorithm 2


@pytest.mark.parametrize(("states", "buckets"), [(1, 1), (2, 7), (7, 33), (66, 50), (131, 17)])
def test_distances_equal_the_naive_twin(states, buckets):
    table = random_table(states, buckets, 200)
    assert np.array_equal(transition_distances(table), naive_distances(table))


def test_distances_over_more_than_one_block_of_columns():
    table = random_table(5, 5000, 1176)
    assert np.array_equal(transition_distances(table, threads=2), naive_distances(table))


def test_sixteen_bits_are_enough_up_to_their_last_number():
    table = np.array([[65535, 0], [65535, 0], [65534, 1]], np.uint16)
    assert transition_distances(table)[0].tolist() == [0.0, 0.0, 1 / 65535]


def test_row_sums_beyond_sixteen_bits():
    table = np.zeros((3, 100), np.uint16)
    table[0, :60] = table[1, 30:90] = table[2, 40:] = 65535
    assert np.array_equal(transition_distances(table), naive_distances(table))
    assert transition_distances(table)[0].tolist() == [0, 0.5, 2 / 3]


def test_distance_is_total_variation():
    table = random_table(9, 40, 500)
    p = table / 500
    variation = np.abs(p[:, None, :] - p[None, :, :]).sum(axis=2) / 2
    np.testing.assert_allclose(transition_distances(table), variation, atol=1e-12)


def test_the_papers_footnote_example_is_a_metric_after_all():
    d = transition_distances([[10, 0, 0], [0, 10, 0], [2, 2, 6]])
    assert d[0, 1] == 1
    assert d[0, 2] == d[1, 2] == 0.8


@given(st.lists(st.lists(st.integers(0, 3), min_size=12, max_size=12), min_size=3, max_size=6))
@settings(max_examples=60, deadline=None)
def test_triangle_inequality(draws):
    table = np.stack([np.bincount(row, minlength=4) for row in draws])
    d = transition_distances(table)
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-12).all()
    assert np.array_equal(d, d.T)
    assert np.array_equal(d == 0, (table[:, None, :] == table[None, :, :]).all(axis=2))


def test_progress_counts_pairs_and_threads_change_nothing():
    table = random_table(130, 20, 100)
    said = []
    d = transition_distances(table, threads=2, watch=lambda now: said.append((now.done, now.total)))
    assert said[-1] == (130 * 129 // 2, 130 * 129 // 2)
    assert said == sorted(said)
    assert np.array_equal(d, transition_distances(table))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[1, 2], [2, 2]], "row 0 of the transition table sums to 3 and row 1 to 4"),
        ([[1, -1], [0, 0]], "-1 is no count"),
        ([[0, 0], [0, 0]], "not 0"),
        ([[0.5, 0.5]], "not float64"),
        ([1, 2], r"shape \(2,\)"),
        (np.zeros((0, 3), np.uint16), r"shape \(0, 3\)"),
    ],
)
def test_tables_refused(table, words):
    with pytest.raises(InputError, match=words):
        transition_distances(table)


def test_threads_refused():
    with pytest.raises(InputError, match="not 0"):
        transition_distances([[1]], threads=0)


# Algorithm 3


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("method", ["sequential", "medoids"])
def test_planted_clusters_are_recovered(method, seed):
    table, truth = planted(seed=seed)
    found = cluster_public(transition_distances(table), 12, method=method, seed=seed)
    assert same_partition(found.assignment, truth)


def test_averages_recover_planted_clusters_with_restarts():
    table, truth = planted()
    found = cluster_public(transition_distances(table), 12, method="average", restarts=5)
    assert same_partition(found.assignment, truth)


@pytest.mark.parametrize("seed", [0, 2, 3, 4])
def test_the_literal_algorithm_collapses(seed):
    table, _ = planted(seed=seed)
    d = transition_distances(table)
    literal = cluster_public(d, 12, method="literal", seed=seed)
    assert np.count_nonzero(literal.sizes) == 1
    assert literal.objective > 10 * cluster_public(d, 12, seed=seed).objective


def test_the_literal_algorithm_keeps_clusters_that_the_seeds_found():
    table, truth = planted(seed=1)
    d = transition_distances(table)
    assert same_partition(cluster_public(d, 12, seed=1, iterations=0).assignment, truth)
    assert same_partition(cluster_public(d, 12, seed=1, method="literal").assignment, truth)


def test_literal_is_algorithm_three_as_printed():
    d = transition_distances(random_table(30, 20, 100))
    start, stop = (cluster_public(d, 4, method="literal", seed=3, iterations=k).assignment for k in (0, 1))
    for i in range(30):
        sums = [sum(d[i, j] for j in range(30) if j != i and start[j] == c) for c in range(4)]
        assert sums[stop[i]] == pytest.approx(min(sums))


@pytest.mark.parametrize("method", IN_TURN)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_objective_falls_at_every_move_to_what_the_clusters_cost(method, weighted):
    d = transition_distances(random_table(60, 40, 300))
    w = np.random.default_rng(1).integers(1, 25, 60) if weighted else np.ones(60, int)
    found = cluster_public(d, 7, method=method, weights=w if weighted else None)
    assert len(found.history) > 5
    assert (np.diff(found.history) < 0).all()
    assert found.objective == found.history[-1]
    assert found.objective == pytest.approx(OBJECTIVES[method](d, found.assignment, w))
    assert found.sizes.tolist() == np.bincount(found.assignment).tolist()
    assert found.weights.tolist() == np.bincount(found.assignment, w).tolist()


@pytest.mark.parametrize("method", ["sequential", "average"])
def test_no_single_move_gains_at_the_end(method):
    d = transition_distances(random_table(20, 15, 100))
    w = np.random.default_rng(2).integers(1, 5, 20)
    found = cluster_public(d, 4, method=method, weights=w)
    for i in range(20):
        for c in range(4):
            moved = found.assignment.copy()
            moved[i] = c
            if len(np.unique(moved)) == 4:
                assert OBJECTIVES[method](d, moved, w) > found.objective - 1e-6


def test_no_swap_of_medoids_gains_at_the_end():
    d = transition_distances(random_table(16, 15, 100))
    found = cluster_public(d, 3, method="medoids", restarts=10)
    best = min(d[list(medoids)].min(axis=0).sum() for medoids in combinations(range(16), 3))
    assert found.objective == pytest.approx(best)


@pytest.mark.parametrize("method", IN_TURN)
def test_a_weight_stands_for_copies(method):
    """With as many copies of each state, kept together, the clusters cost the same."""
    d = transition_distances(random_table(25, 20, 100))
    w = np.random.default_rng(3).integers(1, 6, 25)
    found = cluster_public(d, 5, method=method, weights=w)
    copies = np.repeat(np.arange(25), w)
    raw = d[np.ix_(copies, copies)]
    cost = OBJECTIVES[method](raw, found.assignment[copies], np.ones(len(copies), int))
    assert found.objective == pytest.approx(cost)


@pytest.mark.parametrize("method", [*IN_TURN, "literal"])
def test_equal_seeds_give_equal_clusters(method):
    d = transition_distances(random_table(40, 30, 200))
    first, again, other = (cluster_public(d, 6, method=method, seed=s) for s in (5, 5, 6))
    assert np.array_equal(first.assignment, again.assignment)
    assert first.history.tolist() == again.history.tolist()
    assert other.history.tolist() != first.history.tolist()


def test_restarts_keep_the_best():
    d = transition_distances(random_table(40, 30, 200))
    one, many = (cluster_public(d, 6, restarts=k) for k in (1, 8))
    assert many.objective < one.objective


@pytest.mark.parametrize("method", IN_TURN)
@pytest.mark.parametrize("clusters", [1, 5, 19, 20])
def test_no_cluster_is_empty_even_where_all_states_are_one(method, clusters):
    same = cluster_public(np.zeros((20, 20)), clusters, method=method)
    apart = cluster_public(transition_distances(random_table(20, 10, 50)), clusters, method=method)
    twins = cluster_public(
        transition_distances(np.repeat(random_table(4, 10, 50), 5, axis=0)), clusters, method=method
    )
    for found in (same, apart, twins):
        assert found.sizes.min() >= 1
        assert len(found.sizes) == clusters
        assert found.sizes.sum() == 20


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"clusters": 4}, "3 public states make 1 to 3 clusters, not 4"),
        ({"clusters": 0}, "not 0"),
        ({"distances": np.zeros((3, 2))}, r"shape \(3, 2\)"),
        ({"distances": -np.ones((3, 3))}, "states 0 and 0 is -1"),
        ({"distances": np.full((3, 3), np.nan)}, "nan"),
        ({"distances": np.ones((3, 3))}, "to itself is 0"),
        ({"distances": np.triu(np.ones((3, 3)), 1)}, "the same both ways"),
        ({"weights": [1, 2]}, "one for each of the 3"),
        ({"weights": [1, 0, 1]}, "from 1 on"),
        ({"method": "ward"}, "sequential, literal, average, medoids, not 'ward'"),
        ({"restarts": 0}, "restarts=0"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_clusterings_refused(given_, words):
    with pytest.raises(InputError, match=words) as refused:
        cluster_public(**{"distances": 1 - np.eye(3), "clusters": 2} | given_)
    assert "\n" not in str(refused.value)


# A whole game: flop hold'em with sixteen cards, its base abstraction the five-card strength in ten classes


def flop_table(game, flops, buckets=10):
    """How many of the private hands on each flop fall into each class of strength."""
    hands = game.hands()
    strengths = game.strengths(flops, hands)
    edges = np.quantile(strengths, np.arange(1, buckets) / buckets)
    possible = np.array([[not set(flop) & set(hand) for hand in hands] for flop in flops])
    classes = np.searchsorted(edges, strengths, side="right")
    return np.stack([np.bincount(c[p], minlength=buckets) for c, p in zip(classes, possible, strict=True)])


@pytest.fixture(scope="module")
def flops():
    """Every flop, its transition table, and for each flop the first that is the same up to suits."""
    game = FlopHoldem(suits=4, ranks=4)
    boards = game.public_boards(())
    number = {board: k for k, board in enumerate(boards)}
    canonical = np.array([min(number[relabel(b)] for _, relabel in game.symmetries()) for b in boards])
    return flop_table(game, boards), canonical


def test_flops_alike_up_to_suits_are_at_distance_zero(flops):
    table, canonical = flops
    assert set(table.sum(axis=1)) == {13 * 12 // 2}
    assert not transition_distances(table)[np.arange(len(table)), canonical].any()


def test_clusters_of_canonical_flops_cost_what_they_cost_on_all_of_them(flops):
    table, canonical = flops
    kept, which, weights = np.unique(canonical, return_inverse=True, return_counts=True)
    assert weights.sum() == 560
    found = cluster_public(transition_distances(table[kept]), 8, weights=weights, restarts=3)
    raw = transition_distances(table)
    together = found.assignment[which][:, None] == found.assignment[which][None, :]
    assert found.objective == pytest.approx((raw * together).sum() / 2)
    shuffled = np.random.default_rng(0).permutation(found.assignment)[which]
    assert found.objective < 0.7 * (raw * (shuffled[:, None] == shuffled[None, :])).sum() / 2


def test_the_literal_algorithm_collapses_on_flops(flops):
    table, _ = flops
    d = transition_distances(table)
    assert cluster_public(d, 8, method="literal").sizes.max() > 0.8 * len(table)
    assert cluster_public(d, 8).sizes.max() < 0.5 * len(table)


def test_distances_do_not_depend_on_the_order_of_buckets(flops):
    table, _ = flops
    order = np.random.default_rng(0).permutation(table.shape[1])
    assert np.array_equal(transition_distances(table), transition_distances(table[:, order]))
