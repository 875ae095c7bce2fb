"""Iterations of blueprint training: deal nine cards, find both players' rows, traverse the tree for each player."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.dealing import (
    DEALT,
    HELD,
    deal_buckets,
    deal_cluster,
    draw_cards,
    lead,
    sort_deck,
)
from solvent.engines.exploration import minimum_probability
from solvent.engines.sampled.kernels import Frames, board_key, frames, hands_key, traverse, walk_key
from solvent.forms.sampled import TableLayout, row_start
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.randomness import iteration_key, random_float

PRUNED_SHARE = np.float32(0.95)
"""The share of iterations that leave out actions whose regret is below the floor."""


RAISED, MIXED = np.float32(1), np.float32(-1)
"""Signs of a least probability: what is below it is raised and all renormalised, or uniform play is mixed in."""


class BlueprintArrays(NamedTuple):
    """A blueprint in training as the kernels read it."""

    walk: NDArray[np.int32]
    """int32[nodes, 4]: see `solvent.forms.sampled`"""
    pays: NDArray[np.float32]
    """float32[nodes, 4]: the same memory, where terminals have their payoffs"""
    layout: TableLayout
    table: NDArray[np.float32]


class IterationOptions(NamedTuple):
    """Weights of iterations, and what they leave out."""

    linear: np.float32
    """1 if iteration t counts t, else 0"""
    exploration: tuple[float, float]
    """The least probability of an action, and by how much it falls with each iteration"""
    floor: np.float32
    """Chips: the regret per iteration below which actions are left out of most iterations; 0 for none"""
    sign: np.float32 = RAISED
    """`RAISED` or `MIXED`: the way in which strategies get that least probability"""


class BlueprintWorkspace(NamedTuple):
    """One thread's memory for iterations."""

    walks: Frames
    random: NDArray[np.uint64]
    """uint64[1]: the counter by which cards are dealt"""
    deck: NDArray[np.int64]
    """int64[52]"""
    base: NDArray[np.int64]
    """int64[2, 4]: where both players' rows begin on each street"""


def iteration_options(
    linear: bool, exploration: tuple[float, float], mix: bool, floor: float
) -> IterationOptions:
    """Make the options of iterations; `mix`: uniform play is mixed in to give actions their least probability."""
    return IterationOptions(np.float32(linear), exploration, np.float32(floor), MIXED if mix else RAISED)


def blueprint_workspace() -> BlueprintWorkspace:
    """Make the memory of one thread."""
    return BlueprintWorkspace(
        frames(),
        np.zeros(1, dtype=np.uint64),
        np.zeros(52, dtype=np.int64),
        np.zeros((2, 4), dtype=np.int64),
    )


@kernel
def deal_hands(key, random, deck):  # type: ignore[no-untyped-def]
    """Deal both hands of an iteration to deck[:4]; returns the draw, in [0, 1), that decides about pruning."""
    random[0] = hands_key(key)
    sort_deck(deck)
    draw_cards(deck, 0, HELD, random)
    return random_float(random)


@internal
def showdown_outcome(deck, evaluator):  # type: ignore[no-untyped-def]
    """Find who wins: player 0 (0), nobody (1), player 1 (2)."""
    ahead = lead(deck, evaluator)
    return 1 - (ahead > 0) + (ahead < 0)


@kernel
def deal_hand(key, layout, lookup, evaluator, random, deck, base):  # type: ignore[no-untyped-def]
    """Deal an iteration's cards: write where both players' rows begin to `base`.

    Returns who wins (0, 1, 2) and the draw, in [0, 1), that decides about pruning.
    """
    drawn = deal_hands(key, random, deck)
    random[0] = board_key(key, 0, 0)
    draw_cards(deck, HELD, DEALT, random)
    cluster = deal_cluster(deck, lookup)
    for who in range(2):
        deal_buckets(deck, who, cluster, lookup, base)  # buckets, which become where their rows begin
        for street in range(4):
            base[who, street] = row_start(layout, street, cluster, base[who, street])
    return showdown_outcome(deck, evaluator), drawn


@internal
def iteration_terms(iteration, options, drawn):  # type: ignore[no-untyped-def]
    """Compute an iteration's weight, an action's least probability, and the regret below which none is walked.

    The least probability has the sign of the way in which strategies get it.

    options: `IterationOptions`. drawn: as `deal_hands` returns it.
    """
    linear = options.linear
    weight = np.float32(iteration + 1) * linear + (np.float32(1) - linear)
    least = options.sign * np.float32(minimum_probability(options.exploration, iteration))
    before = np.float32(iteration) * (linear * np.float32(0.5) * np.float32(iteration - 1) + np.float32(1))
    return weight, least, options.floor * before if drawn < PRUNED_SHARE else np.float32(0)


@kernel
def holdem_iterations(start, end, seed, options, blueprint, lookup, evaluator, space):  # type: ignore[no-untyped-def]
    """Run iterations `start` to `end`: each deals cards once and traverses the tree for both players.

    options: `IterationOptions`. blueprint: `BlueprintArrays`. space: `BlueprintWorkspace`.
    """
    for iteration in range(start, end):
        key = iteration_key(seed, iteration)
        outcome, drawn = deal_hand(
            key, blueprint.layout, lookup, evaluator, space.random, space.deck, space.base
        )
        weight, least, floor = iteration_terms(iteration, options, drawn)
        for player in range(2):
            space.walks.random[0] = walk_key(key, player, 0)
            traverse(
                0, player, weight, blueprint.walk, blueprint.pays, space.base, outcome, blueprint.table,
                space.walks, least, floor,
            )  # fmt: skip
