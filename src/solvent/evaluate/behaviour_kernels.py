"""An agent against itself, watched: what it does facing a bet and not, by street and by how good its hand is."""

from __future__ import annotations

import numpy as np

from solvent.abstraction.betting.translation import NONE
from solvent.abstraction.cards.dealing import DEALT, deal
from solvent.cards.evaluator import EMPTY_KEY, strength_of
from solvent.cards.showdown import HANDS
from solvent.forms.betting_kernels import OVER, PLAYER, STREET, begin, options, take
from solvent.foundation.compiling import internal, kernel
from solvent.foundation.randomness import stream
from solvent.games.betting.rules import CALL, FOLD
from solvent.play.table_kernels import (
    ACTED,
    BUCKET,
    BUCKET_STREET,
    CLUSTER,
    NODE,
    decide,
    draw_of,
    follow,
    observe,
    start_walk,
    strategy,
    sums_start,
    win_rate,
)

WEIGHT, FOLDED, CALLED, RAISED = range(4)
"""What is summed up over decisions: how many, and the probabilities of each kind of action."""
DECISIONS, ODD, UNTRAINED, NUTS, NUTS_FOLDED = range(5)
"""What is counted: decisions, those whose probabilities are none, those at rows without visits, those facing a bet
on the river with the best hand there is, and how much of these folded."""
COUNTS = 5
BINS = 20
"""Of win rates."""


@kernel
def preflop_strategies(agent, room, nodes, acted, found):  # type: ignore[no-untyped-def]
    """What every class of hands does at some nodes: found, float64[nodes, 169, actions]. acted: int64[nodes]."""
    start_walk(agent, room)
    walk = room.walk
    for number in range(len(nodes)):
        for hand in range(found.shape[1]):
            walk[NODE], walk[ACTED], walk[CLUSTER] = nodes[number], acted[number], -1
            walk[BUCKET], walk[BUCKET_STREET] = hand, 0
            may_fold = agent.edges[agent.nodes[nodes[number]].first_edge].action == FOLD
            strategy(agent, room, 0, may_fold)
            for action in range(agent.nodes[nodes[number]].actions):
                found[number, hand, action] = room.probabilities[action]


@kernel
def watch(start, stop, seed, deck, state, random, agent, first, second, evaluator, hands, sums, counts):  # type: ignore[no-untyped-def]
    """Deals `start` to `stop`, the agent in both seats.

    Adds to sums: float64[streets, whether a bet is faced, BINS, 4], and to counts: float64[COUNTS].
    """
    for number in range(start, stop):
        for card in range(52):
            deck[card] = card
        random[0] = stream(seed, number, 0)
        deal(deck, DEALT, random)
        key = stream(seed, number, 1)
        begin(state)
        start_walk(agent, first)
        start_walk(agent, second)
        made = 0
        while state[PLAYER] != OVER:
            draw = draw_of(key, 2 * made)
            if state[PLAYER] == 0:
                action = act_and_note(
                    0, agent, first, second, deck, state, draw, evaluator, hands, sums, counts
                )
            else:
                action = act_and_note(
                    1, agent, second, first, deck, state, draw, evaluator, hands, sums, counts
                )
            take(state, action)
            made += 1


@internal
def act_and_note(seat, agent, room, other, deck, state, draw, evaluator, hands, sums, counts):  # type: ignore[no-untyped-def]
    """Decide, note what was likely, and let both sides of the table know."""
    edge, action = decide(agent, room, deck, state, draw)
    if edge != NONE:
        note(seat, agent, room, deck, state, evaluator, hands, sums, counts)
    follow(agent, room, edge)
    observe(agent, other, state, action, False, draw)  # nothing is off the tree, so nothing is drawn
    return action


@internal
def note(seat, agent, room, deck, state, evaluator, hands, sums, counts):  # type: ignore[no-untyped-def]
    """Add a decision."""
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
    counts[UNTRAINED] += not visits > 0
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
    """Whether no hand beats a player's on the river."""
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
            key + hands.key[hand],
            bits | hands.bits[hand],
            7,
            high_place,
            low_place,
            by_ranks,
            by_flush,
        )
        if yours > mine:
            return False
    return True
