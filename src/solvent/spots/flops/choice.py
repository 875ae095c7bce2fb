"""Flops that represent all: the classes of flops that two ranges cannot tell apart, and weighted medoids of them.

A flop's chance is how often it comes when two hands are dealt from the ranges before it. Suits that neither range
names are interchangeable, which leaves 1,755 classes of the 22,100 flops; if a range names suits, there are more.
A report on N flops solves N medoids: Algorithm 3 of Brown, Ganzfried and Sandholm (AAMAS 2015), with medoids and
the chances as weights (`abstraction.hierarchical.public_clusters`). Each medoid has the chance of its cluster.

The distance between two flops needs no solving. It is the earth mover's distance between the distributions of OOP's
equities by hand, plus that of IP's, plus `TEXTURE_DISTANCES` where textures differ: equal equities may be of made
hands or of draws. These constants were chosen among ten sets by the error of mean frequencies on a fifth of the
flops of one spot; `solvent_papers.spots.flop_subsets` measures the choice on another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.hierarchical.public_clusters import cluster_public
from solvent.cards.deck import RANKS, Card, CardError, cards_label, parse_cards
from solvent.cards.equities import equity
from solvent.cards.hands import HANDS, compatible_weights, hole_cards, renamed_hands
from solvent.cards.ranges import Range
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Stop, Watch
from solvent.foundation.storage.reading import read_text
from solvent.foundation.units import parse_decimal
from solvent.spots.flops.texture import CONNECTION, PAIRING, SUITS, flop_texture

QUANTILES = 20
"""Points at which a distribution of equities is held; the distance between two is the mean difference at them."""
TEXTURE_DISTANCES = {"suits": 0.12, "pairing": 0.12, "connection": 0.06, "high_card": 0.12}
"""Distance of a step of suits, pairing or connection, and of all twelve ranks of the highest card, beside equities
from 0 to 1."""
RESTARTS = 3
WEIGHT_UNITS = 1 << 20
"""The clustering's whole weights are chances in these units."""
CHOOSING = "equities by flop"


@dataclass(frozen=True)
class WeightedFlop:
    """A flop of a report, and its weight in the means."""

    cards: tuple[Card, ...]
    weight: float

    @property
    def label(self) -> str:
        return cards_label(self.cards)


def all_flops(first: Range, second: Range) -> list[WeightedFlop]:
    """List one flop of each class that the ranges tell apart, with the chance of its class; chances sum to 1.

    Flops that leave the players no hands have no chance and are left out. The cards of a flop fall from left to
    right, and of a class the one with the highest suits stands for all.
    """
    kept = _suit_permutations(first, second)
    high = np.arange(52, dtype=np.int64)
    a, b, c = np.meshgrid(high, high, high, indexing="ij")
    flops = np.stack([a, b, c], axis=-1)[(a > b) & (b > c)]
    codes = np.zeros(len(flops), np.int64)
    for order in kept:
        renamed = -np.sort(-(flops & ~3 | np.asarray(order)[flops & 3]), axis=1)
        np.maximum(codes, (renamed[:, 0] * 52 + renamed[:, 1]) * 52 + renamed[:, 2], out=codes)
    classes, counts = np.unique(codes, return_counts=True)
    cards = np.stack([classes // 52**2, classes // 52 % 52, classes % 52], axis=1)[::-1]
    chances = np.array([_deals(first, second, flop) for flop in cards]) * counts[::-1]
    if not chances.any():
        raise InputError("OOP and IP can hold no hands at once on any flop")
    chances = chances / chances.sum()
    return [
        WeightedFlop(tuple(flop), chance)
        for flop, chance in zip(cards.tolist(), chances.tolist(), strict=True)
        if chance > 0
    ]


def medoid_flops(
    first: Range,
    second: Range,
    count: int,
    threads: int = 1,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> list[WeightedFlop]:
    """Choose `count` flops to represent all: weighted medoids, each with the chance of the flops nearest to it."""
    flops = all_flops(first, second)
    if count < 1:
        raise InputError(f"a report is of at least 1 flop, not {count}")
    if count >= len(flops):
        return flops
    distances = flop_distances(flops, first, second, threads, watch, stop)
    return nearest_medoids(flops, distances, count)


def nearest_medoids(
    flops: Sequence[WeightedFlop], distances: NDArray[np.float64], count: int
) -> list[WeightedFlop]:
    """Find weighted medoids of flops whose distances are given, float64[flops, flops], in the flops' order."""
    chances = np.array([flop.weight for flop in flops])
    weights = np.maximum(1, np.rint(chances * WEIGHT_UNITS)).astype(np.int64)
    found = cluster_public(distances, count, method="medoids", weights=weights, restarts=RESTARTS)
    chosen = {}
    for cluster in range(count):
        members = np.flatnonzero(found.assignment == cluster)
        spread = distances[np.ix_(members, members)] @ weights[members]
        chosen[int(members[spread.argmin()])] = float(chances[members].sum())
    return [WeightedFlop(flops[place].cards, chosen[place]) for place in sorted(chosen)]


def flop_distances(
    flops: Sequence[WeightedFlop],
    first: Range,
    second: Range,
    threads: int = 1,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> NDArray[np.float64]:
    """Measure the distances between flops, float64[flops, flops]: see the head of this module."""
    from scipy.spatial.distance import cdist

    quantiles = np.zeros((len(flops), 2, QUANTILES))

    def work(start: int, end: int, _: None) -> None:
        for place in range(start, end):
            sides = equity(first, second, flops[place].cards, threads=1).sides
            for player, (side, held) in enumerate(zip(sides, (first, second), strict=True)):
                dealt = ~np.isnan(side.hands)
                quantiles[place, player] = _quantiles(side.hands[dealt], held.weights[dealt])

    in_pieces(work, len(flops), 1, [None] * threads, watch=watch, stage=CHOOSING, stop=stop)
    rows = quantiles.reshape(len(flops), -1)
    places = np.array([_texture_place(flop.cards) for flop in flops])
    equities = cdist(rows, rows, "cityblock") / QUANTILES
    return np.asarray(equities + cdist(places, places, "cityblock"))


def read_flops(path: str | Path, first: Range, second: Range) -> list[WeightedFlop]:
    """Read the flops of a file, one a line, such as `Ks7d2c` or with a weight of its own `Ks7d2c 0.5` (or `:0.5`).

    Without weights each flop counts by the chance of its class. Empty lines and what follows a # are skipped.
    """
    lines = read_text(path).splitlines()
    given: dict[tuple[Card, ...], float | None] = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].replace(":", " ").replace(",", " ").split()
        if not words:
            continue
        flop, weight = _flop_line(words, f"line {number} of {path}")
        if flop in given:
            raise InputError(f"line {number} of {path} has the flop {cards_label(flop)} a second time")
        given[flop] = weight
    if not given:
        raise InputError(f"{path} names no flop")
    with_weight = sum(weight is not None for weight in given.values())
    if 0 < with_weight < len(given):
        raise InputError(f"{path} has weights for some flops and none for others; give all or none")
    return _weighed(given, first, second)


def _flop_line(words: list[str], where: str) -> tuple[tuple[Card, ...], float | None]:
    """Read the cards of a line, highest first, and its weight if it has one."""
    try:
        cards = tuple(sorted(parse_cards(words[0]), reverse=True))
    except CardError:
        cards = ()
    weight = parse_decimal(words[1]) if len(words) == 2 else None
    if len(set(cards)) != 3 or len(words) > 2 or (len(words) == 2 and not (weight or 0) > 0):
        raise InputError(f"{where} is not a flop such as Ks7d2c, or Ks7d2c 0.5 with a weight above 0")
    return cards, weight


def _weighed(given: dict[tuple[Card, ...], float | None], first: Range, second: Range) -> list[WeightedFlop]:
    orders = _suit_permutations(first, second)
    weights = []
    for flop, weight in given.items():
        deals = _deals(first, second, np.array(flop))
        if not deals:
            raise InputError(f"OOP and IP can hold no hands at once on the flop {cards_label(flop)}")
        images = {frozenset(card & ~3 | order[card & 3] for card in flop) for order in orders}
        weights.append(deals * len(images) if weight is None else weight)
    total = sum(weights)
    return [WeightedFlop(flop, weight / total) for flop, weight in zip(given, weights, strict=True)]


def _suit_permutations(first: Range, second: Range) -> list[tuple[int, ...]]:
    """Find the permutations of suits that leave both ranges as they are."""
    return [
        order
        for order in permutations(range(4))
        if all((held.weights[renamed_hands(order)] == held.weights).all() for held in (first, second))
    ]


def _deals(first: Range, second: Range, flop: NDArray[np.int64]) -> float:
    """Sum the weights of all pairs of hands that can be dealt together beside a flop."""
    cards = hole_cards()
    left = ~np.isin(cards, flop).any(axis=1)
    mine, other = np.where(left, first.weights, 0.0), np.where(left, second.weights, 0.0)
    every = np.arange(HANDS)
    found = float(mine @ compatible_weights(every, every, other))
    return found if found > 1e-9 * mine.sum() * other.sum() else 0.0


def _quantiles(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the values below which the fractions (k + 1/2) / QUANTILES of the weight lie."""
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(weights[order])
    wanted = (np.arange(QUANTILES) + 0.5) / QUANTILES * mass[-1]
    return np.asarray(values[order][np.searchsorted(mass, wanted)])


def _texture_place(flop: Sequence[Card]) -> tuple[float, ...]:
    """Place a texture among others: the distance between two is the sum of differences."""
    texture, step = flop_texture(flop), TEXTURE_DISTANCES
    return (
        step["suits"] * SUITS.index(texture.suits),
        step["pairing"] * PAIRING.index(texture.pairing),
        step["connection"] * CONNECTION.index(texture.connection),
        step["high_card"] * RANKS.index(texture.high_card) / (len(RANKS) - 1),
    )
