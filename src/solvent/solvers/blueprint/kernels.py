"""Iterations of blueprint training: deal nine cards, find both players' rows, traverse the tree for each player."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.dealing import DEALT, deal_buckets, deal_cluster, lead, shuffle, sort_deck
from solvent.forms.sampled import TableLayout, row_start
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.randomness import random_float, stream
from solvent.solvers.sampled.exploration import minimum_probability
from solvent.solvers.sampled.tables.kernels import traverse

PRUNED_SHARE = np.float32(0.95)
"""The share of iterations that leave out actions whose regret is below the floor."""


class BlueprintArrays(NamedTuple):
    """What the kernels need of a blueprint in training."""

    walk: NDArray[np.int32]
    """int32[nodes, 4]: see `solvent.forms.sampled`"""
    pays: NDArray[np.float32]
    """float32[nodes, 4]: the same memory, where terminals have their payoffs"""
    layout: TableLayout
    table: NDArray[np.float32]


class IterationOptions(NamedTuple):
    """How iterations are weighted and what they leave out."""

    linear: np.float32
    """1 if iteration t counts t, else 0"""
    exploration: tuple[float, float]
    """The least probability of an action, and by how much it falls with each iteration"""
    floor: np.float32
    """Chips: the regret per iteration below which actions are left out of most iterations; 0 for none"""


@kernel
def deal_hand(iteration, seed, layout, lookup, evaluator, random, deck, base):  # type: ignore[no-untyped-def]
    """Deal an iteration's cards: write where both players' rows begin to `base`, return who wins (0, 1, 2)."""
    random[0] = stream(seed, iteration, 0)
    sort_deck(deck)
    shuffle(deck, DEALT, random)
    cluster = deal_cluster(deck, lookup)
    for who in range(2):
        deal_buckets(deck, who, cluster, lookup, base)  # buckets, which become where their rows begin
        for street in range(4):
            base[who, street] = row_start(layout, street, cluster, base[who, street])
    ahead = lead(deck, evaluator)
    return 1 - (ahead > 0) + (ahead < 0)


@kernel
def holdem_iterations(  # type: ignore[no-untyped-def]
    start, end, seed, options, blueprint, lookup, evaluator, frames, deck, base, locks
):
    """Iterations `start` to `end`: each deals cards once and traverses the tree for both players.

    options: `IterationOptions`. blueprint: `BlueprintArrays`. deck: int64[52], room. base: int64[2, 4], room.
    locks: None, or int32 numbers that stand for rows.
    """
    random, linear = frames.random, options.linear
    walk, pays, table = blueprint.walk, blueprint.pays, blueprint.table
    for iteration in range(start, end):
        outcome = deal_hand(iteration, seed, blueprint.layout, lookup, evaluator, random, deck, base)
        weight = np.float32(iteration + 1) * linear + (np.float32(1) - linear)
        least = np.float32(minimum_probability(options.exploration, iteration))
        before = np.float32(iteration) * (
            linear * np.float32(0.5) * np.float32(iteration - 1) + np.float32(1)
        )
        lowest = options.floor * before if random_float(random) < PRUNED_SHARE else np.float32(0)
        for player in range(2):
            traverse(0, player, weight, walk, pays, base, outcome, table, frames, least, lowest, locks)
