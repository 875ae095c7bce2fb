"""Local best response against a compiled agent, hand by hand: see `solvent.evaluate.local_best_response`.

The agent's hand is never drawn: its actions are drawn from the mixture of all its hands, the cards of the board
from what the range leaves likely, and the end of a hand counts with its expectation over the range.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.translation import NONE
from solvent.abstraction.cards.dealing import lead
from solvent.cards.hands import HANDS
from solvent.evaluate.local_response.answers import (
    ALMOST_ONE,
    after_bet,
    agent_chances,
    find_groups,
    first_share,
    fold_column,
    folded_by_rule,
    follow_each,
    mixed_chance,
    show,
    sum_groups,
)
from solvent.evaluate.local_response.beliefs import believe_agent, believe_own
from solvent.evaluate.local_response.ranges import (
    ASTRAY,
    LENGTH,
    LISTED,
    LIVE,
    PLACES,
    REST,
    WON,
    begin_hand,
    deal_board,
    draw_card,
    find_equities,
    normalise,
)
from solvent.forms.betting.kernels import (
    FOLDER,
    OVER,
    PAID,
    PLAYER,
    STACK,
    STREET,
    SizeTable,
    begin,
    options,
    raise_totals,
    take,
    winnings,
)
from solvent.foundation.kernels.compiling import inlined, internal, kernel
from solvent.foundation.kernels.randomness import random_unit
from solvent.games.betting.rules import CALL, FOLD, NOBODY
from solvent.play.table_kernels import (
    LOST,
    NODE,
    OWES,
    TABLE,
    by_rule,
    follow,
    observe,
    real_action,
    start_walk,
)

LEAST_REST = 0.01
"""A rest of a hand below this continues with a chance of its ratio to it, and then with this weight."""


class Choices(NamedTuple):
    """Actions of the response."""

    decides: NDArray[np.int64]
    """int64[4]: by street, whether it chooses, or checks and calls"""
    sizes: SizeTable
    run_outs: int
    """Boards that are drawn before the turn to find out who wins"""


@internal
def bet_value(agent, total, me, walk, reach, memory):  # type: ignore[no-untyped-def]
    """Value a bet in chips if the agent folds or both check and call to the end, over all it may be taken for.

    walk, reach: where the agent is, and the reaches of its groups there.
    """
    state, you = memory.trial_state, 1 - me
    for place in range(len(state)):
        state[place] = memory.state[place]
    take(state, total)
    won = np.float64(state[PAID + you])
    stake = np.float64(min(total, state[STACK + you]))
    share = first_share(agent, total, walk, memory)
    show(agent, total, 0.0, walk, memory)
    folded, kept = after_bet(agent, memory.trial, state, reach, memory)
    value = folded * won + kept * stake
    if share == 1.0:
        return value
    show(agent, total, ALMOST_ONE, walk, memory)
    folded, kept = after_bet(agent, memory.trial, state, reach, memory)
    return share * value + (1.0 - share) * (folded * won + kept * stake)


@inlined
def choose(agent, choices, me, memory):  # type: ignore[no-untyped-def]
    """Choose the response's action: LOCALBR in the paper. Equities are those of the street.

    Where the response does not know what a bet was taken for, values are over all places that it believes in.
    """
    state, you, beliefs = memory.state, 1 - me, memory.beliefs
    folds, _, least, _ = options(state)
    count = raise_totals(choices.sizes, state, memory.totals) if least > 0 else 0
    for bet in range(count):
        memory.values[bet] = 0.0
    mean, unsure = 0.0, memory.counts[PLACES] > 0
    for place in range(memory.counts[PLACES] if unsure else 1):
        weight = beliefs.weight[place] if unsure else memory.weight
        walk = beliefs.walk[place] if unsure else memory.room.walk
        reach = beliefs.reach[place] if unsure else memory.reach
        sum_groups(weight, memory)
        for k in range(memory.counts[LISTED]):
            mean += memory.group_equity[memory.listed[k]]
        for bet in range(count):
            memory.values[bet] += bet_value(agent, memory.totals[bet], me, walk, reach, memory)
    best, value = np.int64(CALL), mean * min(state[PAID + you], state[STACK + me])
    if folds and -np.float64(state[PAID + me]) > value:
        best, value = np.int64(FOLD), -np.float64(state[PAID + me])
    for bet in range(count):
        if memory.values[bet] > value:
            best, value = memory.totals[bet], memory.values[bet]
    return best


@internal
def count_folds(folded, memory):  # type: ignore[no-untyped-def]
    """Count what the agent's folds win, and continue with the rest of the hand; returns whether none is left.

    See `LEAST_REST` for a small rest.
    """
    score, you = memory.score, memory.state[PLAYER]
    score[WON] += score[REST] * folded * memory.state[PAID + you]
    score[REST] *= 1.0 - folded
    if score[REST] < LEAST_REST:
        goes_on = random_unit(memory.random) * LEAST_REST < score[REST]
        score[REST] = LEAST_REST if goes_on else 0.0
    return score[REST] == 0.0


@internal
def agent_acts(agent, agent_hand, memory):  # type: ignore[no-untyped-def]
    """Draw what the agent does from the mixture over its range, or from the strategy of `agent_hand` if >= 0.

    The range learns of it by Bayes' rule. Folds of the mixture are counted, not drawn: see `count_folds`.
    """
    state, room, chances = memory.state, memory.room, memory.chances
    number = random_unit(memory.random)
    if agent.kind != TABLE:
        folds, _, least, most = options(state)
        folded = folded_by_rule(agent.kind, state)
        if agent_hand < 0:
            if count_folds(folded, memory):
                return np.int64(FOLD)
            number = folded + number * (1.0 - folded)
        return by_rule(agent.kind, folds, least, most, number)
    sum_groups(memory.weight, memory)
    count, chosen, first = agent_chances(agent, room, state, memory.reach, memory), -1, 0
    if agent_hand < 0 and fold_column(agent, room.walk):
        first, folded = 1, mixed_chance(0, memory)
        if count_folds(folded, memory):
            return np.int64(FOLD)
        number *= 1.0 - folded
    for action in range(first, count):
        mixed = mixed_chance(action, memory) if agent_hand < 0 else chances[memory.group[agent_hand], action]
        if mixed > 0:
            chosen = action
            number -= mixed
            if number < 0:
                break
    for place in range(memory.counts[LIVE]):
        hand = memory.live[place]
        memory.weight[hand] *= chances[memory.group[hand], chosen]
    normalise(memory)
    if room.walk[LOST] or room.walk[OWES]:
        follow(agent, room, NONE)
        return np.int64(FOLD if chosen == 0 else CALL)
    node = room.walk[NODE]
    edge = np.int64(agent.nodes[node].first_edge + chosen)
    action = real_action(agent, node, edge, state)
    if agent.by_reach:
        follow_each(agent, edge, memory)
    else:
        follow(agent, room, edge)
    return action


@inlined
def respond_hand(seed, number, me, plain, agent, choices, evaluator, hands, memory):  # type: ignore[no-untyped-def]
    """Play one hand from seat `me`; returns the chips that the response wins."""
    state, deck, random = memory.state, memory.deck, memory.random
    begin_hand(seed, number, me, hands, memory)
    agent_hand = np.int64(-1)
    if plain:
        taken = np.int64(1) << deck[2 * me] | np.int64(1) << deck[2 * me + 1]
        first = draw_card(taken, random)
        second = draw_card(taken | np.int64(1) << first, random)
        low, high = min(first, second), max(first, second)
        agent_hand = high * (high - 1) // 2 + low
    begin(state)
    start_walk(agent, memory.room)
    memory.score[WON], memory.score[REST] = 0.0, 1.0
    for model in range(agent.models):
        for group in range(HANDS if agent.by_reach else 0):
            memory.reach[group, model] = 1.0
    street, known, length = np.int64(-1), False, 0
    while state[PLAYER] != OVER:
        if state[STREET] != street:
            street, known = state[STREET], False
            if street > 0:
                deal_board(
                    3 if street == 1 else 1, 0 if street == 1 else street + 1, me, agent_hand, hands, memory
                )
            find_groups(agent, me, street, hands, memory)
        if state[PLAYER] == me:
            action = np.int64(CALL)
            if choices.decides[street]:
                if not known:
                    find_equities(me, street, choices.run_outs, evaluator, hands, memory)
                    known = True
                if memory.counts[PLACES] != ASTRAY:
                    action = choose(agent, choices, me, memory)
            believe_own(agent, action, memory)
            observe(agent, memory.room, state, action, False, random_unit(random))
        else:
            action = agent_acts(agent, agent_hand, memory)
            believe_agent(agent, action, memory)
        take(state, action)
        memory.history[length] = action
        length += 1
    memory.counts[LENGTH] = length
    if plain:
        return shown_down(me, agent_hand, evaluator, hands, memory)
    side, won, rest = 1.0 if me == 0 else -1.0, memory.score[WON], memory.score[REST]
    if state[FOLDER] != NOBODY:
        return won + rest * side * winnings(state, 0)
    # Boards that were drawn to decide upon are drawn anew: those were chosen for looking good.
    find_equities(me, state[STREET], choices.run_outs, evaluator, hands, memory)
    mean = 0.0
    for place in range(memory.counts[LIVE]):
        hand = memory.live[place]
        mean += memory.weight[hand] * memory.equity[hand]
    return won + rest * mean * min(state[PAID], state[PAID + 1])


@internal
def shown_down(me, agent_hand, evaluator, hands, memory):  # type: ignore[no-untyped-def]
    """Deal the rest of the board where the agent was dealt a hand; returns the chips that the response wins."""
    state, deck, you = memory.state, memory.deck, 1 - me
    side = 1.0 if me == 0 else -1.0
    if state[FOLDER] != NOBODY:
        return side * winnings(state, 0)
    known = 0 if state[STREET] == 0 else state[STREET] + 2
    if known < 5:
        deal_board(5 - known, known, me, agent_hand, hands, memory)
    deck[2 * you], deck[2 * you + 1] = hands.low[agent_hand], hands.high[agent_hand]
    return side * winnings(state, lead(deck, evaluator))


@kernel
def respond_hands(start, stop, seed, plain, agent, choices, evaluator, hands, memory, results):  # type: ignore[no-untyped-def]
    """Play hands `start` to `stop`, seats in turn.

    results: float64[hands], chips that the response wins in each.
    """
    for number in range(start, stop):
        results[number] = respond_hand(
            seed, number, number & 1, plain, agent, choices, evaluator, hands, memory
        )
