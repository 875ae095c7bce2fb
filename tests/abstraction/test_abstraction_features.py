"""Features of hold'em hands against brute force, on a few boards."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.rivers import river_equities
from solvent.abstraction.cards.build import percentiles, transition_table
from solvent.abstraction.cards.feature_kernels import (
    BINS,
    dealt_turns,
    flop_histograms,
    next_buckets,
    turn_histograms,
    workspace,
)
from solvent.abstraction.cards.features import board_features, equity_bins, mean_equity
from solvent.abstraction.cards.presets import PRESETS, Design, design_from, read_design
from solvent.abstraction.cards.river_kernels import (
    OPPONENTS,
    UNSEEN,
    CodeCenters,
    RiverIndex,
    nearest_code,
    opponent_equities,
    public_clusters_of,
    river_tables,
    river_workspace,
)
from solvent.abstraction.clustering.intervals import best_intervals
from solvent.cards.deck import parse_cards
from solvent.cards.evaluator import evaluator, hand_strengths
from solvent.cards.hands import hand_number
from solvent.cards.isomorphism import Indexer, orbit_size
from solvent.cards.showdown import FULL, LIVE, pairs
from solvent.foundation.errors import InputError

TURNS = [parse_cards("AsKs7h2d"), parse_cards("9h8h7h7c")]


def bits(cards):
    return np.bitwise_or.reduce([np.int64(1) << ((card & 3) << 4 | card >> 2) for card in cards])


@pytest.fixture(scope="module")
def turns():
    """Histograms of the hands on two turn boards, and nothing of the others."""
    index = Indexer([2, 4])
    boards = np.array(TURNS, dtype=np.uint8)
    cumulative = np.zeros((index.size, BINS), dtype=np.uint8)
    weight = np.zeros(index.size, dtype=np.uint8)
    work = workspace()
    turn_histograms(boards, 0, 2, evaluator(), pairs(), index.tables, equity_bins(), work, cumulative, weight)
    return cumulative, weight


@pytest.mark.parametrize("board", TURNS)
def test_turn_histograms_count_every_river(turns, board):
    cumulative, _ = turns
    rng = np.random.default_rng(0)
    live = np.setdiff1d(np.arange(52), board)
    index, bins = Indexer([2, 4]), equity_bins()
    equities = {river: river_equities((*board, river)) for river in live}
    for _ in range(20):
        hand = rng.choice(live, 2, replace=False)
        expected = np.zeros(BINS, dtype=np.int64)
        for river in np.setdiff1d(live, hand):
            expected[bins[equities[river][hand_number(*hand)]]] += 1
        found = cumulative[index.index((*hand, *board))]
        np.testing.assert_array_equal(found, np.cumsum(expected))
        assert found[-1] == 46


def test_weights_are_how_many_deals_a_class_stands_for(turns):
    _, weight = turns
    for board in TURNS:
        orbit = orbit_size(bits(board), np.int64(0), np.int64(0))
        live = np.setdiff1d(np.arange(52), board)
        classes = np.unique(Indexer([2, 4]).indices([(*hand, *board) for hand in combinations(live, 2)]))
        assert weight[classes].sum() == orbit * len(live) * (len(live) - 1) // 2


def test_flop_histograms_add_those_of_the_turn():
    rng = np.random.default_rng(1)
    turn_index, flop_index = Indexer([2, 4]), Indexer([2, 3])
    histograms = rng.integers(0, 40, (50, BINS)).astype(np.uint8)
    histogram_of = (np.arange(turn_index.size) % 50).astype(np.int32)
    cards = flop_index.hands(rng.integers(0, flop_index.size, 20))
    cumulative, weight = np.zeros((20, BINS), dtype=np.uint16), np.zeros(20, dtype=np.uint8)
    flop_histograms(cards, 0, 20, turn_index.tables, histograms, histogram_of, cumulative, weight)
    for hand, found in zip(cards, cumulative, strict=True):
        turns = np.setdiff1d(np.arange(52), hand)
        classes = turn_index.indices([(*hand, turn) for turn in turns])
        np.testing.assert_array_equal(found, histograms[histogram_of[classes]].sum(axis=0, dtype=np.int64))


def test_potential_histograms_count_turn_buckets():
    rng = np.random.default_rng(2)
    turn_index, flop_index = Indexer([2, 4]), Indexer([2, 3])
    bucket_of = (np.arange(turn_index.size) * 7 % 13).astype(np.uint16)
    cards = flop_index.hands(rng.integers(0, flop_index.size, 10))
    buckets, counts = np.zeros((2, 10, 47), dtype=np.uint16)
    next_buckets(cards, 0, 10, turn_index.tables, bucket_of, buckets, counts)
    for row, hand in enumerate(cards):
        turns = np.setdiff1d(np.arange(52), hand)
        expected = np.bincount(bucket_of[turn_index.indices([(*hand, turn) for turn in turns])], minlength=13)
        found = np.bincount(buckets[row], counts[row], minlength=13)
        np.testing.assert_array_equal(found, expected)


def test_dealt_turns_remember_the_flop():
    flop = 700
    board = Indexer([3]).hands([flop])
    dealt, turn = Indexer([2, 3, 1]), Indexer([2, 4])
    turn_class, flops = np.full(dealt.size, -1, dtype=np.int32), np.zeros(dealt.size, dtype=np.int16)
    weight = np.zeros(dealt.size, dtype=np.uint8)
    dealt_turns(board, 0, 1, pairs(), dealt.tables, turn.tables, turn_class, flops, weight)
    found = np.flatnonzero(turn_class >= 0)
    assert weight[found].sum() == orbit_size(bits(board[0]), np.int64(0), np.int64(0)) * 49 * 1128
    some = found[::97]
    np.testing.assert_array_equal(turn.indices(dealt.hands(some)), turn_class[some])
    assert (Indexer([3]).indices(dealt.hands(some)[:, 2:5]) == flop).all()


def test_ochs_is_the_equity_against_each_cluster():
    rng = np.random.default_rng(3)
    opponents = rng.integers(0, OPPONENTS, 1326)
    board = np.array(parse_cards("KsQs7s7d2c"))
    equity, against = board_features(board, opponents)
    hands = pairs()
    live = [h for h in range(1326) if not {hands.low[h], hands.high[h]} & set(board)]
    cards = np.array([(hands.low[h], hands.high[h], *board) for h in live])
    strength = hand_strengths(cards).astype(np.int64)
    assert len(live) == LIVE
    for row in range(0, LIVE, 60):
        apart = ~np.isin(cards[:, :2], cards[row, :2]).any(axis=1)
        won = np.where(apart, 2 * (strength[row] > strength) + (strength[row] == strength), 0)
        assert equity[row] == won.sum()
        met = np.bincount(opponents[live], 2 * apart, minlength=OPPONENTS)
        expected = np.bincount(opponents[live], won, minlength=OPPONENTS) / met
        np.testing.assert_allclose(against[row], expected, rtol=1e-6)


def test_river_tables_hold_equities_codes_and_deals():
    rng = np.random.default_rng(4)
    opponents = rng.integers(0, OPPONENTS, 1326)
    boards = Indexer([5]).hands([5, 70_000, 134_000])
    strip_of = np.arange(FULL + 1) * 4 // (FULL + 1)
    centers = rng.random((4, OPPONENTS, 3), dtype=np.float32)
    index = Indexer([2, 5])
    table = np.full(index.size, UNSEEN, np.uint32)
    halves = (centers**2).sum(axis=1) / 2
    of_flop = rng.integers(0, 5, 1755)
    deals = np.zeros((5, 12), dtype=np.int64)
    river_tables(
        boards, 0, 3, evaluator(), pairs(), opponents, RiverIndex(index.tables, Indexer([3]).tables, of_flop),
        CodeCenters(strip_of, centers, halves), river_workspace(), table, deals,
    )  # fmt: skip
    raw = sum(orbit_size(bits(board.astype(np.int64)), np.int64(0), np.int64(0)) for board in boards)
    assert deals.sum() == raw * LIVE * 10
    hands, work = pairs(), river_workspace()
    for board in boards:
        opponent_equities(board.astype(np.int64), evaluator(), hands, opponents, work)
        live = work.ordering.order[::50]
        rows = index.indices([(hands.low[h], hands.high[h], *board) for h in live])
        np.testing.assert_array_equal(table[rows] & 0xFFFF, work.equity[live])
        for row, hand in zip(rows, live, strict=True):
            strip = strip_of[work.equity[hand]]
            distance = ((work.against[hand][:, None] - centers[strip]) ** 2).sum(axis=0)
            assert table[row] >> 16 == strip * 3 + distance.argmin()
            room = np.empty(3, np.float32)
            assert table[row] >> 16 == nearest_code(hand, work.against, strip, centers, halves, room)
        many = public_clusters_of(board, Indexer([3]).tables, of_flop, work.clusters)
        flops = Indexer([3]).indices(list(combinations(board, 3)))
        expected = np.bincount(of_flop[flops], minlength=5)
        found = np.zeros(5, dtype=np.int64)
        found[work.clusters[0, :many]] = work.clusters[1, :many]
        np.testing.assert_array_equal(found, expected)


def test_rows_of_the_transition_table_sum_to_1176_and_know_no_suits():
    index, flops = Indexer([2, 3]), Indexer([3])
    cards = index.hands(np.arange(index.size)).astype(np.int64)
    ranks_alone = np.sort(cards[:, :2] >> 2, axis=1) @ [1, 13]
    base = (ranks_alone * 7 + (cards[:, 2] >> 2)) % 11
    flops_of = flops.indices(cards[:, 2:])
    words = np.zeros((2, len(cards)), dtype=np.int64)
    for place in range(5):
        words[int(place >= 2)] |= np.int64(1) << ((cards[:, place] & 3) << 4 | cards[:, place] >> 2)
    weight = np.array([orbit_size(hole, board, np.int64(0)) for hole, board in words.T], dtype=np.uint8)
    table = transition_table(base, flops_of, weight)
    assert (table.sum(axis=1) == 1176).all()
    rng = np.random.default_rng(5)
    for _ in range(5):
        flop = rng.choice(52, 3, replace=False)
        left = np.setdiff1d(np.arange(52), flop)
        hands = np.array([(*hand, *flop) for hand in combinations(left, 2)])
        for suits in ([0, 1, 2, 3], [2, 3, 0, 1], [3, 0, 2, 1]):
            moved = hands & ~3 | np.array(suits)[hands & 3]
            counted = np.bincount(base[index.indices(moved)], minlength=table.shape[1])
            np.testing.assert_array_equal(counted, table[flops.index(moved[0, 2:])])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=2, max_size=9), st.integers(1, 4))
def test_best_intervals_are_the_best_cuts(mass, count):
    count = min(count, len(mass))
    found = best_intervals(np.array(mass), count)

    def cost(ends):
        total = 0.0
        for start, end in zip((0, *ends), (*ends, len(mass)), strict=True):
            weight = np.array(mass[start:end], dtype=float)
            if weight.sum():
                values = np.arange(start, end)
                total += weight @ (values - weight @ values / weight.sum()) ** 2
        return total

    best = min(cost(ends) for ends in combinations(range(1, len(mass)), count - 1))
    assert found.cost[count, -1] == pytest.approx(best, abs=1e-9)
    of = found.of(count)
    ends = tuple(np.flatnonzero(np.diff(of)) + 1)
    assert cost(ends) == pytest.approx(best, abs=1e-9)


def test_percentiles_share_the_weight_and_keep_equals_together():
    values = np.array([0.1, 0.2, 0.2, 0.3, 0.9, 0.9])
    found = percentiles(values, np.array([1, 1, 1, 1, 2, 2]), 4)
    assert found.tolist() == [0, 1, 1, 1, 3, 3]


def test_mean_equity_reads_cumulative_histograms():
    point = np.cumsum(np.eye(BINS)[12])
    assert mean_equity(point) == pytest.approx(12.5 / BINS)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"clusters": 0}, "clusters is at least 1"),
        ({"clusters": 2000}, "clusters is at most 1,755"),
        ({"flop": 2.5}, "flop is a whole number"),
        ({"river": 5000}, "river is at most 512"),
        ({"flop_features": "magic"}, "flop_features is one of emd, potential, ehs"),
        ({"bukets": 3}, "no setting 'bukets'"),
        ({"preset": "huge"}, "there is no preset 'huge'"),
    ],
)
def test_designs_that_cannot_be_are_refused(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        design_from(settings)


def test_a_design_is_read_from_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('preset = "small"\nclusters = 3\nriver = 40\n')
    assert read_design(path).label == "169 / 3x50 / 3x50 / 3x40"
    path.write_text("clusters = = 3")
    with pytest.raises(InputError, match="is not TOML"):
        read_design(path)
    with pytest.raises(InputError, match="there is no file"):
        read_design(tmp_path / "none.toml")
    assert design_from(PRESETS["tiny"].as_dict()) == PRESETS["tiny"]
    assert Design().clusters == 1
