"""Contents of buckets and public clusters: example hands, equities over run-outs, boards."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import BOARD_CARDS, STREETS, CardAbstraction, street_number
from solvent.abstraction.cards.feature_kernels import BINS
from solvent.abstraction.cards.features import equity_bins
from solvent.abstraction.cards.rule_buckets import RuleBuckets
from solvent.cards.deck import cards_label
from solvent.cards.isomorphism import Indexer, orbit_size
from solvent.cards.showdown import FULL
from solvent.foundation.errors import InputError

DEALS_AT_ONCE = 50_000
MOST_DEALS = 40
HANDS_FOR_HISTOGRAM = 400


def random_deals(
    abstraction: CardAbstraction, street: int, cluster: int, count: int, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Random deals, hole cards first, the board in dealing order, whose flop is in the public cluster."""
    hands = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (count, 1)), axis=1)[
        :, : 2 + BOARD_CARDS[street]
    ]
    if street == 0:
        return hands
    flops = abstraction.arrays["cluster_of_flop"][Indexer([3]).indices(hands[:, 2:5])]
    dealt: NDArray[np.uint8] = hands[flops == cluster]
    return dealt


def hands_in_bucket(
    abstraction: CardAbstraction, street: int | str, cluster: int, bucket: int, count: int, seed: int = 0
) -> NDArray[np.uint8]:
    """Up to `count` random deals that are played by this bucket."""
    number = street_number(street)
    clusters, buckets = abstraction.sizes[number]
    if not 0 <= cluster < clusters:
        raise InputError(f"the {STREETS[number]} has public clusters 0 to {clusters - 1}, not {cluster}")
    if not 0 <= bucket < buckets:
        raise InputError(f"the {STREETS[number]} has buckets 0 to {buckets - 1} in a cluster, not {bucket}")
    rng = np.random.default_rng(seed)
    found: list[NDArray[np.uint8]] = []
    have = 0
    for _ in range(MOST_DEALS):
        hands = random_deals(abstraction, number, cluster, DEALS_AT_ONCE, rng)
        if len(hands):
            found.append(hands[abstraction.buckets(number, hands)[1] == bucket])
            have += len(found[-1])
        if have >= count:
            break
    made = np.concatenate(found) if found else np.empty((0, 2 + BOARD_CARDS[number]), dtype=np.uint8)
    return made[:count]


def run_out_equities(
    abstraction: CardAbstraction, hands: NDArray[np.uint8], samples: int = 2_000, seed: int = 0
) -> NDArray[np.float64]:
    """float64[hands, run-outs]: the river equity of hands over all run-outs; before the flop over random ones."""
    missing = 7 - hands.shape[1]
    if "river_equity" not in abstraction.arrays:
        raise InputError(
            "this card abstraction has no table of river equities, so its buckets cannot be shown"
        )
    table, index = abstraction.arrays["river_equity"], Indexer([2, 5])
    if missing == 0:
        return table[index.indices(hands)][:, None] / FULL
    left = np.array([np.setdiff1d(np.arange(52), hand) for hand in hands], dtype=np.uint8)
    if missing <= 2:
        run_outs = left[:, list(combinations(range(left.shape[1]), missing))]
    else:
        rng = np.random.default_rng(seed)
        order = np.argsort(rng.random((len(hands), samples, left.shape[1])), axis=2)[:, :, :missing]
        run_outs = np.take_along_axis(left[:, None, :], order, axis=2)
    whole = np.concatenate([np.repeat(hands[:, None], run_outs.shape[1], axis=1), run_outs], axis=2)
    equities: NDArray[np.float64] = table[index.indices(whole)] / FULL
    return equities


def equity_histogram(equities: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[32]: the share of equities in each bin."""
    bins = equity_bins()[np.rint(equities * FULL).astype(np.int64).ravel()]
    return np.bincount(bins, minlength=BINS) / max(equities.size, 1)


@dataclass(frozen=True)
class PublicCluster:
    """A cluster of flops."""

    cluster: int
    flops: int
    """Classes of flops in it, of 1,755."""
    raw_flops: int
    """Flops in it, of 22,100."""
    paired: float
    """Shares of its flops: with a pair or three of a kind, of one suit, of two suits."""
    monotone: float
    two_tone: float
    high_card: float
    """The mean rank of the highest card, 2 to 14."""
    examples: tuple[tuple[int, ...], ...]


def public_clusters(abstraction: CardAbstraction, examples: int = 10) -> list[PublicCluster]:
    """Describe every public cluster, with some of its boards spread evenly through it."""
    of_flop = abstraction.arrays["cluster_of_flop"]
    index = Indexer([3])
    boards = index.hands(np.arange(index.size)).astype(np.int64)
    weight = board_weights(boards)
    ranks, suits = np.sort(boards >> 2, axis=1), np.sort(boards & 3, axis=1)
    paired = (np.diff(ranks, axis=1) == 0).any(axis=1)
    tones = 1 + (np.diff(suits, axis=1) != 0).sum(axis=1)
    made = []
    for cluster in range(abstraction.design.clusters):
        members = np.flatnonzero(of_flop == cluster)
        members = members[np.lexsort((ranks[members, 1], ranks[members, 2]))[::-1]]
        share = weight[members] / weight[members].sum()
        shown = members[np.linspace(0, len(members) - 1, min(examples, len(members))).round().astype(int)]
        made.append(
            PublicCluster(
                cluster,
                len(members),
                int(weight[members].sum()),
                float(share @ paired[members]),
                float(share @ (tones[members] == 1)),
                float(share @ (tones[members] == 2)),
                float(share @ ranks[members, 2]) + 2,
                tuple(tuple(int(card) for card in boards[flop]) for flop in shown),
            )
        )
    return made


def board_weights(boards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the boards that each stands for, int64[boards], by the permutations of suits that keep it."""
    bits = np.bitwise_or.reduce(np.int64(1) << ((boards & 3) << 4 | boards >> 2), axis=1)
    return np.array([orbit_size(np.int64(board), np.int64(0), np.int64(0)) for board in bits])


def summary_document(made: CardAbstraction, folder: Path) -> dict[str, Any]:
    """Describe an abstraction."""
    return {
        "folder": str(folder),
        "fingerprint": made.fingerprint,
        "design": made.design.as_dict(),
        "label": made.design.label,
        "sizes": {street: list(pair) for street, pair in zip(STREETS, made.sizes, strict=True)},
        "bytes": sum(array.nbytes for array in made.arrays.values()),
        "seconds": made.facts.get("seconds", {}),
        "checksums": "intact",
    }


def bucket_document(
    made: CardAbstraction, street: str, cluster: int, bucket: int, examples: int
) -> dict[str, Any]:
    """Describe a bucket: example hands, and their equities on the river or the bucket's rule."""
    hands = hands_in_bucket(made, street, cluster, bucket, max(examples, HANDS_FOR_HISTOGRAM))
    if not len(hands):
        raise InputError(f"no hand was found in {street} bucket {bucket} of public cluster {cluster}")
    if street_number(street) == 0:
        hands = hands[:1]  # a bucket before the flop is one class of hands
    if made.design.by_rule:
        return _rule_document(street, bucket, hands[:examples])
    equities = run_out_equities(made, hands)
    means = equities.mean(axis=1)
    return {
        "street": STREETS[street_number(street)],
        "cluster": cluster,
        "bucket": bucket,
        "run_outs": equities.shape[1],
        "run_outs_are": "random" if street_number(street) == 0 else "all",
        "mean_equity": float(means.mean()),
        "spread": float(means.std()),
        "histogram": [round(float(share), 5) for share in equity_histogram(equities)],
        "examples": [
            {"hole": cards_label(hand[:2]), "board": cards_label(hand[2:]), "equity": round(float(mean), 4)}
            for hand, mean in zip(hands[:examples], means, strict=False)
        ],
    }


def _rule_document(street: str, bucket: int, hands: NDArray[np.uint8]) -> dict[str, Any]:
    """Describe a bucket by rule: its rule in words, and example hands."""
    number = street_number(street)
    rule = cards_label(hands[0]) if number == 0 else RuleBuckets(BOARD_CARDS[number]).label(bucket)
    examples = [{"hole": cards_label(hand[:2]), "board": cards_label(hand[2:])} for hand in hands]
    return {"street": STREETS[number], "cluster": 0, "bucket": bucket, "rule": rule, "examples": examples}
