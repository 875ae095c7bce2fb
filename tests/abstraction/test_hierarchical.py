"""Hierarchical abstraction: Algorithm 1 on two card games and on bare numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solvent.abstraction.hierarchical.hierarchical import Round, hierarchical
from solvent.abstraction.hierarchical.public_clusters import cluster_public, transition_distances
from solvent.foundation.errors import InputError
from solvent.games.holdem.limit_holdem import FlopHoldem
from solvent.games.leduc import Leduc


def by_value(values):
    """An A_r: states in order of a value, in buckets of about equal size."""

    def bucketing(members, buckets, seed, /):
        order = np.argsort(values[members], kind="stable")
        found = np.empty(len(members), np.int64)
        found[order] = np.arange(len(members)) * buckets // len(members)
        return found

    return bucketing


def at_random(members, buckets, seed, /):
    return np.random.default_rng(seed).integers(0, buckets, len(members))


def check(rounds, found):
    """What must hold of every hierarchy: a bucket belongs to one cluster, and a cluster to its public states."""
    for given, made in zip(rounds, found.rounds, strict=True):
        if given.public is None:
            assert not made.cluster.any()
            assert len(made.buckets) == 1
        else:
            assert np.array_equal(made.cluster, found.cluster_of_public[given.public])
            assert len(made.buckets) == found.cluster_of_public.max() + 1
        states = np.bincount(made.cluster, minlength=len(made.buckets))
        assert np.array_equal(made.buckets, np.minimum(given.buckets, states))
        assert (made.bucket >= 0).all()
        assert (made.bucket < made.buckets[made.cluster]).all()


def three_rounds():
    """Six public states; two rounds below them with 5 and 20 states for each, and one before."""
    return [
        Round(9, 4, at_random),
        Round(30, 3, at_random, np.repeat(np.arange(6), 5)),
        Round(120, 7, at_random, np.repeat(np.arange(6), 20)),
    ]


CLUSTERS = [0, 1, 1, 2, 0, 0]


def test_rounds_before_and_after_the_public_one():
    rounds = three_rounds()
    found = hierarchical(rounds, CLUSTERS)
    check(rounds, found)
    assert found.cluster_of_public.tolist() == CLUSTERS
    assert found.rounds[2].buckets.tolist() == [7, 7, 7]


def test_every_call_gets_the_members_of_one_cluster_and_a_seed_of_its_own():
    calls = []

    def spy(members, buckets, seed, /):
        calls.append((members.tolist(), buckets, seed))
        return np.zeros(len(members), np.int32)

    rounds = [replace(each, bucketing=spy) for each in three_rounds()]
    hierarchical(rounds, CLUSTERS, seed=4)
    assert len(calls) == 1 + 3 + 3
    assert calls[0][0] == list(range(9))
    assert calls[1][0] == [*range(5), *range(20, 30)]
    assert calls[2][0] == list(range(5, 15))
    assert calls[6][0] == list(range(60, 80))
    assert [call[1] for call in calls] == [4, 3, 3, 3, 7, 7, 7]
    assert len({call[2] for call in calls}) == len(calls)


def test_equal_seeds_give_equal_buckets():
    first, again, other = (hierarchical(three_rounds(), CLUSTERS, seed=seed) for seed in (1, 1, 2))
    for one, two, three in zip(first.rounds, again.rounds, other.rounds, strict=True):
        assert np.array_equal(one.bucket, two.bucket)
        assert not np.array_equal(one.bucket, three.bucket)


def test_few_states_get_a_bucket_each():
    rounds = [Round(8, 3, at_random, np.array([0, 1, 1, 1, 2, 2, 2, 2]))]
    made = hierarchical(rounds, [0, 1, 2]).rounds[0]
    assert made.buckets.tolist() == [1, 3, 3]
    assert made.bucket[:4].tolist() == [0, 0, 1, 2]


def test_a_cluster_without_states_has_no_buckets():
    rounds = [Round(6, 2, at_random, np.array([0, 0, 0, 2, 2, 2]))]
    found = hierarchical(rounds, [0, 1, 2])
    check(rounds, found)
    assert found.rounds[0].buckets.tolist() == [2, 0, 2]


def test_progress_counts_states():
    said = []
    hierarchical(three_rounds(), CLUSTERS, watch=lambda now: said.append((now.done, now.total)))
    assert said[0] == (9, 159)
    assert said[-1] == (159, 159)
    assert said == sorted(said)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rounds: rounds[:1], "from which public state"),
        (lambda rounds: [], "from which public state"),
        (lambda rounds: [*rounds, rounds[0]], "round 3 comes after the public round 1"),
        (lambda rounds: [replace(rounds[1], states=31)], "31 states"),
        (lambda rounds: [replace(rounds[1], buckets=0)], "30 and 0 as round 0"),
        (lambda rounds: [replace(rounds[1], public=rounds[1].public + 1)], "0 to 5, not 1 to 6"),
        (lambda rounds: [replace(rounds[1], public=rounds[1].public / 1)], "float64"),
        (lambda rounds: [replace(rounds[1], bucketing=lambda m, b, s: m[:1])], r"shape \(1,\)"),
        (lambda rounds: [replace(rounds[1], bucketing=lambda m, b, s: m * 0 + b)], "0 to 2, not 3 to 3"),
    ],
)
def test_rounds_refused(change, words):
    with pytest.raises(InputError, match=words) as refused:
        hierarchical(change(three_rounds()), CLUSTERS)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("clusters", [[], [[0]], [0.5], [-1, 0], [0, 2]])
def test_clusters_refused(clusters):
    with pytest.raises(InputError, match="public state"):
        hierarchical(three_rounds(), clusters)


def test_seed_refused():
    with pytest.raises(InputError, match="not -1"):
        hierarchical(three_rounds(), CLUSTERS, seed=-1)


def test_leduc_with_nine_ranks():
    """The board is the public state; the base abstraction is a hand's chance to win, in ten classes."""
    game = Leduc(ranks=9, suits=3, distinct=True)
    cards, boards = game.hands(), game.public_boards(())
    strength = np.array([[game.strength(board, card) for card in cards] for board in boards])
    public, private = np.nonzero([[card != board[0] for card in cards] for board in boards])
    beaten = (strength[public, private][:, None] > strength[public]).sum(axis=1)
    classes = beaten * 10 // (beaten.max() + 1)
    table = np.zeros((len(boards), 10), np.uint16)
    np.add.at(table, (public, classes), 1)
    distances = transition_distances(table)
    ranks = np.array([board[0][0] for board in boards])
    assert not distances[ranks[:, None] == ranks].any()

    found = cluster_public(distances, 3, restarts=3)
    rounds = [
        Round(len(cards), 9, by_value(np.array([card[0] for card in cards]))),
        Round(len(public), 6, by_value(beaten), public),
    ]
    hierarchy = hierarchical(rounds, found.assignment)
    check(rounds, hierarchy)
    assert hierarchy.rounds[0].bucket.tolist() == [card[0] for card in cards]
    # Within a cluster no bucket of A_r reaches into the strengths of another.
    for c in range(3):
        inside = hierarchy.rounds[1].cluster == c
        order = np.lexsort((hierarchy.rounds[1].bucket[inside], beaten[inside]))
        assert (np.diff(hierarchy.rounds[1].bucket[inside][order]) >= 0).all()


def test_flop_holdem_with_sixteen_cards():
    """Algorithms 2, 3 and 1 one after another on all flops, hands bucketed by their strength on the flop."""
    game = FlopHoldem(suits=4, ranks=4)
    hands, flops = game.hands(), game.public_boards(())
    strengths = game.strengths(flops, hands)
    public, private = np.nonzero([[not set(flop) & set(hand) for hand in hands] for flop in flops])
    strength = strengths[public, private]
    classes = np.searchsorted(np.quantile(strength, np.arange(1, 20) / 20), strength, side="right")
    table = np.zeros((len(flops), 20), np.uint16)
    np.add.at(table, (public, classes), 1)

    found = cluster_public(transition_distances(table), 6, restarts=2)
    high = np.array([hand[0] // 4 * 4 + hand[1] // 4 for hand in hands])
    rounds = [Round(len(hands), 10, by_value(high)), Round(len(public), 15, by_value(strength), public)]
    hierarchy = hierarchical(rounds, found.assignment)
    check(rounds, hierarchy)
    # The nearest strengths share a bucket: it says much more of a hand than its cluster alone.
    play = hierarchy.rounds[1].cluster * 15 + hierarchy.rounds[1].bucket
    rank = np.argsort(np.argsort(strength))
    spread = [np.ptp(rank[play == k]) for k in range(90)]
    assert np.mean(spread) < len(rank) / 5
