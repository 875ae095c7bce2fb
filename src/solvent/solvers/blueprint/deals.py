"""Deals for Monte Carlo CFR: nine cards, every street's buckets and who wins; then a traversal for each player."""

from __future__ import annotations

import numpy as np

from solvent.abstraction.cards.dealing import DEALT, deal, lead, look_up, public_cluster
from solvent.foundation.compiling import kernel
from solvent.foundation.randomness import random_float, stream
from solvent.solvers.sampled.tables.kernels import traverse

PRUNED_SHARE = np.float32(0.95)
"""Of iterations that leave out actions of regret below the floor."""


@kernel
def deal_hand(iteration, seed, layout, lookup, evaluator, random, deck, base):  # type: ignore[no-untyped-def]
    """Deal an iteration's cards: where both players' rows begin goes to `base`, who wins (0, 1, 2) is returned."""
    random[0] = stream(seed, iteration, 0)
    for card in range(52):
        deck[card] = card
    deal(deck, DEALT, random)
    cluster = public_cluster(deck, lookup)
    arena = layout[0, 1] + cluster * layout[0, 2]
    for who in range(2):
        look_up(deck, who, cluster, lookup, base)  # buckets, which become where their rows begin
        base[who, 0] *= layout[1, 0]
        for street in range(1, 4):
            base[who, street] = arena + layout[2, street] + base[who, street] * layout[1, street]
    ahead = lead(deck, evaluator)
    return 1 - (ahead > 0) + (ahead < 0)


@kernel
def holdem_iterations(  # type: ignore[no-untyped-def]
    start, end, seed, linear, walk, pays, layout, table, lookup, evaluator, frames, deck, base, exploration,
    floor, locks,
):  # fmt: skip
    """Iterations `start` to `end`: each deals cards once and traverses the tree for both players.

    layout: int64[3, 4]: (0, floats of the head, floats of a cluster's arena, 0); floats of a bucket by street;
    where each street's rows begin in a cluster's arena. deck: int64[52]. base: int64[2, 4], room. exploration:
    (height, slope), the least probability of an action falls with the iterations. linear: 1 if iteration t counts
    t, else 0. floor: chips, the regret an iteration below which actions are left out of most iterations; 0: none.
    """
    random = frames[3]
    for iteration in range(start, end):
        outcome = deal_hand(iteration, seed, layout, lookup, evaluator, random, deck, base)
        weight = np.float32(iteration + 1) * linear + (np.float32(1) - linear)
        least = np.float32(max(0.0, exploration[0] - exploration[1] * iteration))
        before = np.float32(iteration) * (
            linear * np.float32(0.5) * np.float32(iteration - 1) + np.float32(1)
        )
        lowest = floor * before if random_float(random) < PRUNED_SHARE else np.float32(0)
        for player in range(2):
            traverse(0, player, weight, walk, pays, base, outcome, table, frames, least, lowest, locks)
