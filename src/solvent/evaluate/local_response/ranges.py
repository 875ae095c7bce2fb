"""Knowledge of local best response in a hand: the range of the agent, and the equity of its own cards against it.

The range is a weight for each of the 1,326 hands. Once a bet has left the agent's tree, nobody but the agent knows
what it was taken for, and the response believes in several *places* of the agent's tree, each with a range of its
own: see `beliefs`. All functions work in one thread's `ResponseMemory`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import EMPTY_KEY, strength_of
from solvent.cards.hands import HANDS
from solvent.forms.betting.kernels import SizeTable, new_position
from solvent.forms.sampled import MOST_ACTIONS
from solvent.foundation.kernels.compiling import internal
from solvent.foundation.kernels.randomness import random_bits, random_unit, stream
from solvent.games.betting.rules import HoldemRules
from solvent.play.table_kernels import MOST_MODELS, WALK, Workspace, workspace

BOARD = 4
"""Place of the board in a deal: behind both hands."""
LIVE, LISTED, LENGTH, PLACES, OPENED = range(5)
"""Places in `ResponseMemory.counts`."""
MOST_PLACES = 16
"""Places that the response believes in at a time, at most; the least likely beyond that are forgotten."""
ASTRAY = -1
"""Instead of a number of places: what the agent did is impossible at all that were not forgotten."""
WON, REST = range(2)
"""Places in `ResponseMemory.score`."""


class Beliefs(NamedTuple):
    """A joint range over places of the agent's tree and its hands; all weights together sum to 1."""

    walk: NDArray[np.int64]
    """int64[places, WALK]: where the agent may be; see `solvent.play.table_kernels`."""
    weight: NDArray[np.float64]
    """float64[places, 1326]"""
    total: NDArray[np.float64]
    """float64[places]: sums of weights while places are being opened."""
    reach: NDArray[np.float64]
    """float64[places, hands, models]: where the models of an ensemble weigh by reach; else no hands."""


class ResponseMemory(NamedTuple):
    """One thread's memory."""

    state: NDArray[np.int64]
    trial_state: NDArray[np.int64]
    """The betting, and the betting after a bet that is being considered."""
    room: Workspace
    trial: Workspace
    """The agent, and a copy of the agent after a bet that is being considered."""
    walk: NDArray[np.int64]
    deck: NDArray[np.int64]
    """int64[52]: of a deal; the places of the agent's hand are for looking up hands."""
    random: NDArray[np.uint64]
    """uint64[1]: the hand's random stream."""
    weight: NDArray[np.float64]
    """float64[1326]: the agent's range at the place where it truly is; sums to 1."""
    beliefs: Beliefs
    spare: Beliefs
    """Beliefs of the response where it does not know that place, and room for its next ones."""
    joint: NDArray[np.float64]
    """float64[1326]: the believed weight of each hand, all places together; 0 while the place is known."""
    live: NDArray[np.int64]
    """int64[1326]: the hands with a weight, true or believed, counts[LIVE] of them."""
    equity: NDArray[np.float64]
    """float64[1326]: of the response's hand against each: 1 if it wins, -1 if it loses, on average."""
    met: NDArray[np.int64]
    """int64[1326]: boards that each average is over."""
    group: NDArray[np.int64]
    """int64[1326]: the group of each hand; the agent cannot tell hands of one group apart."""
    dealt: NDArray[np.int64]
    """int64[1326]: the bucket of each hand before the flop; -1 until it has been looked up."""
    bucket: NDArray[np.int64]
    """int64[groups]"""
    listed: NDArray[np.int64]
    """int64[groups]: the groups with a weight, counts[LISTED] of them."""
    group_weight: NDArray[np.float64]
    """float64[groups]: sum of weights."""
    group_equity: NDArray[np.float64]
    """float64[groups]: sum of weights times equities."""
    reach: NDArray[np.float64]
    """float64[groups, models]: where the models of an ensemble weigh by reach; then a group is a hand."""
    chances: NDArray[np.float64]
    """float64[groups, actions]: the agent's strategy."""
    totals: NDArray[np.int64]
    """The bets that the response considers."""
    values: NDArray[np.float64]
    """Chips that each of them wins."""
    score: NDArray[np.float64]
    """float64[2]: chips that the agent's folds have won so far, and the fraction of the hand that continues."""
    counts: NDArray[np.int64]
    """int64[5]: hands with a weight, groups with a weight, actions in `history`, places that the response believes
    in (0 while it knows the place, or `ASTRAY`) and places of `spare`."""
    history: NDArray[np.int64]


def new_beliefs(by_reach: bool) -> Beliefs:
    """Room for a joint range."""
    return Beliefs(
        np.zeros((MOST_PLACES, WALK), dtype=np.int64),
        np.zeros((MOST_PLACES, HANDS)),
        np.zeros(MOST_PLACES),
        np.zeros((MOST_PLACES, HANDS if by_reach else 0, MOST_MODELS)),
    )


def response_memory(
    groups: int, rules: HoldemRules, sizes: SizeTable, by_reach: bool = False
) -> ResponseMemory:
    """Memory for one thread.

    groups: the most that hands are put into. by_reach: whether the agent's models weigh by reach.
    """
    longest = rules.effective_stack // rules.blinds[1] + 18
    return ResponseMemory(
        state=new_position(rules),
        trial_state=new_position(rules),
        room=workspace(),
        trial=workspace(),
        walk=np.zeros(WALK, dtype=np.int64),
        deck=np.zeros(52, dtype=np.int64),
        random=np.zeros(1, dtype=np.uint64),
        weight=np.zeros(HANDS),
        beliefs=new_beliefs(by_reach),
        spare=new_beliefs(by_reach),
        joint=np.zeros(HANDS),
        live=np.zeros(HANDS, dtype=np.int64),
        equity=np.zeros(HANDS),
        met=np.zeros(HANDS, dtype=np.int64),
        group=np.zeros(HANDS, dtype=np.int64),
        dealt=np.full(HANDS, -1, dtype=np.int64),
        bucket=np.zeros(groups, dtype=np.int64),
        listed=np.zeros(groups, dtype=np.int64),
        group_weight=np.zeros(groups),
        group_equity=np.zeros(groups),
        reach=np.ones((groups, MOST_MODELS)),
        chances=np.zeros((groups, MOST_ACTIONS)),
        totals=np.zeros(sizes.unit.shape[2] + 1, dtype=np.int64),
        values=np.zeros(sizes.unit.shape[2] + 1),
        score=np.zeros(2),
        counts=np.zeros(5, dtype=np.int64),
        history=np.zeros(longest, dtype=np.int64),
    )


@internal
def draw_card(taken, random):  # type: ignore[no-untyped-def]
    """Draw a card that is not among `taken`, a bit for each card."""
    while True:
        card = np.int64(random_bits(random) % np.uint64(52))
        if not taken >> card & 1:
            return card


@internal
def set_range(taken, hands, memory):  # type: ignore[no-untyped-def]
    """Begin with a uniform range of the hands that share no card with `taken`."""
    for hand in range(HANDS):
        free = not (taken >> hands.low[hand] & 1 or taken >> hands.high[hand] & 1)
        memory.weight[hand] = 1.0 if free else 0.0
        memory.joint[hand] = 0.0
    memory.counts[PLACES] = 0
    normalise(memory)


@internal
def normalise(memory):  # type: ignore[no-untyped-def]
    """Scale the true range and the believed ones to sum to 1, and list the hands of any."""
    if memory.counts[PLACES] != 0:
        normalise_beliefs(memory)
    total, count = 0.0, 0
    for hand in range(HANDS):
        total += memory.weight[hand]
        if memory.weight[hand] > 0 or memory.joint[hand] > 0:
            memory.live[count] = hand
            count += 1
    for place in range(count):
        memory.weight[memory.live[place]] /= total
    memory.counts[LIVE] = count


@internal
def normalise_beliefs(memory):  # type: ignore[no-untyped-def]
    """Scale the joint range to sum to 1, and sum it by hand; where nothing is left, the response is astray."""
    weight, places, total = memory.beliefs.weight, memory.counts[PLACES], 0.0
    for place in range(places):
        for hand in range(HANDS):
            total += weight[place, hand]
    if total == 0.0:
        memory.counts[PLACES] = places = ASTRAY
    for hand in range(HANDS):
        memory.joint[hand] = 0.0
        for place in range(places):
            weight[place, hand] /= total
            memory.joint[hand] += weight[place, hand]


@internal
def deal_board(count, start, me, agent_hand, hands, memory):  # type: ignore[no-untyped-def]
    """Deal the next `count` cards around a hand drawn from the range, or around the agent's if `agent_hand` >= 0.

    So each board is as likely as the range makes it.
    """
    deck, weight = memory.deck, memory.weight
    hand = agent_hand
    if hand < 0:
        left, place = random_unit(memory.random), 0
        hand = memory.live[0]
        while place < memory.counts[LIVE] and left >= 0:
            if weight[memory.live[place]] > 0:
                hand = memory.live[place]
                left -= weight[hand]
            place += 1
    taken = np.int64(1) << hands.low[hand] | np.int64(1) << hands.high[hand]
    for place in (2 * me, 2 * me + 1):
        taken |= np.int64(1) << deck[place]
    for place in range(BOARD, BOARD + start):
        taken |= np.int64(1) << deck[place]
    for place in range(BOARD + start, BOARD + start + count):
        deck[place] = draw_card(taken, memory.random)
        taken |= np.int64(1) << deck[place]
        for k in range(memory.counts[LIVE]):
            other = memory.live[k]
            if hands.low[other] == deck[place] or hands.high[other] == deck[place]:
                weight[other] = memory.joint[other] = 0.0
                for believed in range(memory.counts[PLACES]):
                    memory.beliefs.weight[believed, other] = 0.0
    normalise(memory)


@internal
def find_equities(me, street, run_outs, evaluator, hands, memory):  # type: ignore[no-untyped-def]
    """Find the equity of the response's hand against each of the range: exact from the turn on, else by drawn
    boards."""
    deck, known = memory.deck, 0 if street == 0 else street + 2
    taken = np.int64(1) << deck[2 * me] | np.int64(1) << deck[2 * me + 1]
    for place in range(BOARD, BOARD + known):
        taken |= np.int64(1) << deck[place]
    for place in range(memory.counts[LIVE]):
        memory.equity[memory.live[place]] = 0.0
        memory.met[memory.live[place]] = 0
    if known == 5:
        meet(me, evaluator, hands, memory)
    elif known == 4:
        for card in range(52):
            if not taken >> card & 1:
                deck[BOARD + 4] = card
                meet(me, evaluator, hands, memory)
    else:
        for _ in range(run_outs):
            now = taken
            for place in range(BOARD + known, BOARD + 5):
                deck[place] = draw_card(now, memory.random)
                now |= np.int64(1) << deck[place]
            meet(me, evaluator, hands, memory)
    for place in range(memory.counts[LIVE]):
        hand = memory.live[place]
        memory.equity[hand] /= max(memory.met[hand], 1)


@internal
def meet(me, evaluator, hands, memory):  # type: ignore[no-untyped-def]
    """Add who wins on the board, for every hand of the range that shares no card with it."""
    deck = memory.deck
    card_key, card_bit, high_place, low_place, by_ranks, by_flush = evaluator
    key, bits = np.int64(EMPTY_KEY), np.int64(0)
    for place in range(BOARD, BOARD + 5):
        key += card_key[deck[place]]
        bits |= card_bit[deck[place]]
    first, second = deck[2 * me], deck[2 * me + 1]
    mine = strength_of(
        key + card_key[first] + card_key[second], bits | card_bit[first] | card_bit[second],
        7, high_place, low_place, by_ranks, by_flush,
    )  # fmt: skip
    live, hand_key, hand_bits, equity, met = memory.live, hands.key, hands.bits, memory.equity, memory.met
    for place in range(memory.counts[LIVE]):
        hand = live[place]
        if hand_bits[hand] & bits:
            continue
        yours = strength_of(
            key + hand_key[hand], bits | hand_bits[hand], 7, high_place, low_place, by_ranks, by_flush
        )
        equity[hand] += np.float64(mine > yours) - np.float64(mine < yours)
        met[hand] += 1


@internal
def begin_hand(seed, number, me, hands, memory):  # type: ignore[no-untyped-def]
    """Deal the response its cards in hand `number`; the agent's range is everything else."""
    random, taken = memory.random, np.int64(0)
    random[0] = stream(seed, number, 0)
    for place in (2 * me, 2 * me + 1):
        memory.deck[place] = draw_card(taken, random)
        taken |= np.int64(1) << memory.deck[place]
    set_range(taken, hands, memory)
