"""Hands of an agent against itself: its actions facing a bet and not, by street and by strength of hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.translation import NONE
from solvent.abstraction.cards.dealing import DEALT, shuffle, sort_deck
from solvent.cards.evaluator import EMPTY_KEY, strength_of
from solvent.cards.hands import HANDS
from solvent.forms.betting.kernels import OVER, PLAYER, STREET, begin, new_position, options, take
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.randomness import stream
from solvent.games.betting.rules import CALL, FOLD, STREETS, HoldemRules
from solvent.play.table_kernels import (
    ACTED,
    BUCKET,
    BUCKET_STREET,
    CLUSTER,
    NODE,
    Workspace,
    decide,
    draw_of,
    follow,
    observe,
    start_walk,
    strategy,
    sums_start,
    win_rate,
    workspace,
)
from solvent.strategy.agents.prior import UNVISITED

WEIGHT, FOLDED, CALLED, RAISED = range(4)
"""Columns of `Observed.sums`: decisions, and the probabilities of each kind of action summed over them."""
DECISIONS, ODD, UNTRAINED, NUTS, NUTS_FOLDED = range(5)
"""Places in `Observed.counts`: decisions; those whose probabilities are not probabilities; those at rows that
training never visited; those facing a bet on the river with the best possible hand; and the probability of folding,
summed over the last."""
COUNTS = 5
BINS = 20
"""Equal parts that win rates from 0 to 1 are put into."""


@kernel
def preflop_strategies(agent, room, nodes, acted, found):  # type: ignore[no-untyped-def]
    """Fill found, float64[nodes, 169, actions], with the strategy of every class of hole cards at some nodes.

    acted: int64[nodes], decisions that the player to act has made before each node.
    """
    start_walk(agent, room)
    walk = room.walk
    for number in range(len(nodes)):
        for hand in range(found.shape[1]):
            walk[NODE], walk[ACTED], walk[CLUSTER] = nodes[number], acted[number], -1
            walk[BUCKET], walk[BUCKET_STREET] = hand, 0
            may_fold = agent.edges[agent.nodes[nodes[number]].first_edge].action == FOLD
            strategy(agent, room, np.int64(0), may_fold)
            for action in range(agent.nodes[nodes[number]].actions):
                found[number, hand, action] = room.probabilities[action]


class SelfPlay(NamedTuple):
    """One thread's memory for hands of an agent against itself."""

    deck: NDArray[np.int64]
    state: NDArray[np.int64]
    random: NDArray[np.uint64]
    first: Workspace
    second: Workspace


class Observed(NamedTuple):
    """Observations of an agent's decisions."""

    sums: NDArray[np.float64]
    """float64[streets, whether a bet is faced, BINS, 4]"""
    counts: NDArray[np.float64]
    """float64[COUNTS]"""


def self_play(rules: HoldemRules) -> SelfPlay:
    """Memory for one thread."""
    return SelfPlay(
        np.zeros(52, np.int64), new_position(rules), np.zeros(1, np.uint64), workspace(), workspace()
    )


def nothing_observed() -> Observed:
    """Sums and counts of no decisions."""
    return Observed(np.zeros((len(STREETS), 2, BINS, 4)), np.zeros(COUNTS))


@kernel
def watch_hands(start, stop, seed, agent, memory, evaluator, hands, observed):  # type: ignore[no-untyped-def]
    """Play hands `start` to `stop` with the agent in both seats, and add to `observed` what it does."""
    deck, state, random, first, second = memory
    for number in range(start, stop):
        sort_deck(deck)
        random[0] = stream(seed, number, 0)
        shuffle(deck, DEALT, random)
        key = stream(seed, number, 1)
        begin(state)
        start_walk(agent, first)
        start_walk(agent, second)
        made = 0
        while state[PLAYER] != OVER:
            draw = draw_of(key, 2 * made)
            seat = state[PLAYER]  # one call: each constant for a seat would be compiled anew
            room, other = (first, second) if seat == 0 else (second, first)
            action = act_and_note(seat, agent, room, other, deck, state, draw, evaluator, hands, observed)
            take(state, action)
            made += 1


@internal
def act_and_note(seat, agent, room, other, deck, state, draw, evaluator, hands, observed):  # type: ignore[no-untyped-def]
    """Decide, note the probabilities, and let both seats know of the action."""
    edge, action = decide(agent, room, deck, state, draw)
    if edge != NONE:
        note(seat, agent, room, deck, state, evaluator, hands, observed)
    follow(agent, room, edge)
    observe(agent, other, state, action, False, draw)  # nothing is off the tree, so nothing is drawn
    return action


@internal
def note(seat, agent, room, deck, state, evaluator, hands, observed):  # type: ignore[no-untyped-def]
    """Add a decision to what was observed."""
    sums, counts = observed
    walk, chances, street = room.walk, room.probabilities, state[STREET]
    node = walk[NODE]
    count, start = agent.nodes[node].actions, agent.nodes[node].first_edge
    folds = options(state)[0]
    total, odd = 0.0, False
    kinds = (0.0, 0.0, 0.0)
    for place in range(count):
        chance = chances[place]
        odd |= not chance >= 0.0
        total += chance
        action = agent.edges[start + place].action
        if action == FOLD:
            kinds = (kinds[0] + chance, kinds[1], kinds[2])
        elif action == CALL:
            kinds = (kinds[0], kinds[1] + chance, kinds[2])
        else:
            kinds = (kinds[0], kinds[1], kinds[2] + chance)
    odd |= not abs(total - 1.0) < 1e-6
    counts[DECISIONS] += 1
    counts[ODD] += odd or (kinds[0] > 0 and not folds)
    row, visits = sums_start(agent, walk), 0.0
    for model in range(agent.models):
        for place in range(count):
            visits += agent.tables[model][row + place]
    counts[UNTRAINED] += not visits > 2 * UNVISITED * agent.models
    strength = min(int(win_rate(agent, walk, street) * BINS), BINS - 1)
    cell = sums[street, 1 if folds else 0, strength]
    cell[WEIGHT] += 1.0
    cell[FOLDED] += kinds[0]
    cell[CALLED] += kinds[1]
    cell[RAISED] += kinds[2]
    if street == 3 and folds and is_nuts(seat, deck, evaluator, hands):
        counts[NUTS] += 1
        counts[NUTS_FOLDED] += kinds[0]


@internal
def is_nuts(seat, deck, evaluator, hands):  # type: ignore[no-untyped-def]
    """Whether no hand beats the player's hand on the river."""
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = evaluator
    key, bits = np.int64(EMPTY_KEY), np.int64(0)
    for place in range(4, 9):
        key += card_key[deck[place]]
        bits |= card_bit[deck[place]]
    low, high = deck[2 * seat], deck[2 * seat + 1]
    own = card_bit[low] | card_bit[high]
    mine = strength_of(
        key + card_key[low] + card_key[high], bits | own, 7, high_place, low_place, by_ranks, by_flush
    )
    for hand in range(HANDS):
        if hands.bits[hand] & (bits | own):
            continue
        yours = strength_of(
            key + hands.key[hand], bits | hands.bits[hand], 7, high_place, low_place, by_ranks, by_flush
        )
        if yours > mine:
            return False
    return True
