"""Beliefs of local best response once it does not know what the agent has taken a bet for.

A bet that the agent's tree does not have is taken for one of two others, by chance, and the response is not told
for which. So its knowledge is a joint range over (place, hand): where the agent may be in its tree, and which
hands it may hold there, by Bayes' rule

    P(place', hand | action) ~ sum over places of P(place, hand) P(action leads to place' | place, hand).

What the response does splits each place as the mapping does. What the agent does leaves, of each place, the
abstract actions that become the same real action. The true place is drawn all the same, by `kernels`: the hand is
played and paid there, and the response decides without it. Forgetting unlikely places makes it weaker only.
"""

from __future__ import annotations

import numpy as np

from solvent.abstraction.betting.translation import NONE
from solvent.cards.hands import HANDS
from solvent.evaluate.local_response.answers import (
    ALMOST_ONE,
    agent_chances,
    copy_place,
    first_share,
    show,
    sum_groups,
    turn_to,
)
from solvent.evaluate.local_response.ranges import ASTRAY, LIVE, MOST_PLACES, OPENED, PLACES, normalise
from solvent.forms.betting.kernels import BIG, PLAYER, STACK, STREET, options
from solvent.foundation.kernels.compiling import internal
from solvent.games.betting.rules import CALL, FOLD
from solvent.play.table_kernels import ACTED, LOST, NODE, OWES, TABLE, WALK, go_to, real_action, strategy


@internal
def believe_own(agent, action, memory):  # type: ignore[no-untyped-def]
    """Follow what the response is about to do in `memory.state` to all places where it may lead."""
    if agent.kind != TABLE or memory.counts[PLACES] < 0:
        return
    beliefs = memory.beliefs
    if memory.counts[PLACES] == 0:
        if first_share(agent, action, memory.room.walk, memory) == 1.0 and is_on_tree(agent, action, memory):
            return
        begin_beliefs(agent, memory)
    memory.counts[OPENED] = 0
    for place in range(memory.counts[PLACES]):
        share = first_share(agent, action, beliefs.walk[place], memory)
        for second in range(2 if share < 1.0 else 1):
            show(agent, action, ALMOST_ONE if second else 0.0, beliefs.walk[place], memory)
            move(agent, place, 1.0 - share if second else share, memory)
    accept_slots(agent, memory)


@internal
def is_on_tree(agent, action, memory):  # type: ignore[no-untyped-def]
    """Whether the agent's copy, which has been shown an action, took it unchanged.

    Behind a bet that was surely taken for another the pots differ, and several of the agent's raises may become
    one real raise.
    """
    state, walk = memory.state, memory.trial.walk
    if action <= CALL or walk[LOST] or walk[OWES]:
        return True
    real = min(action, min(state[STACK], state[STACK + 1]))
    return agent.nodes[walk[NODE]].paid[state[PLAYER]] * state[BIG] == real * agent.big_blind


@internal
def move(agent, place, share, memory):  # type: ignore[no-untyped-def]
    """Add a share of a place's weights to where the agent's copy stands."""
    beliefs, spare, total = memory.beliefs, memory.spare, 0.0
    for k in range(memory.counts[LIVE]):
        total += share * beliefs.weight[place, memory.live[k]]
    slot = open_slot(agent, memory.trial.walk, total, memory)
    if slot < 0:
        return
    spare.total[slot] += total
    for k in range(memory.counts[LIVE]):
        hand = memory.live[k]
        spare.weight[slot, hand] += share * beliefs.weight[place, hand]
        for model in range(agent.models if agent.by_reach else 0):
            spare.reach[slot, hand, model] = beliefs.reach[place, hand, model]


@internal
def begin_beliefs(agent, memory):  # type: ignore[no-untyped-def]
    """Begin with the one place that is still known, and the true range."""
    beliefs = memory.beliefs
    for number in range(WALK):
        beliefs.walk[0, number] = memory.room.walk[number]
    for hand in range(HANDS):
        beliefs.weight[0, hand] = memory.weight[hand]
        for model in range(agent.models if agent.by_reach else 0):
            beliefs.reach[0, hand, model] = memory.reach[hand, model]
    memory.counts[PLACES] = 1


@internal
def believe_agent(agent, action, memory):  # type: ignore[no-untyped-def]
    """Learn from what the agent does in `memory.state`: each place keeps the abstract actions that become it."""
    if memory.counts[PLACES] <= 0:
        return
    beliefs, state, trial = memory.beliefs, memory.state, memory.trial
    memory.counts[OPENED] = 0
    for place in range(memory.counts[PLACES]):
        copy_place(beliefs.walk[place], memory)
        sum_groups(beliefs.weight[place], memory)
        count = agent_chances(agent, trial, state, beliefs.reach[place], memory)
        without = trial.walk[LOST] or trial.walk[OWES]
        node = trial.walk[NODE]
        for column in range(count):
            edge = np.int64(NONE) if without else np.int64(agent.nodes[node].first_edge + column)
            real = np.int64(FOLD if column == 0 else CALL)
            if not without:
                real = real_action(agent, node, edge, state)
            if real == action:
                copy_place(beliefs.walk[place], memory)
                step(agent, trial.walk, edge)
                learn(agent, place, column, memory)
    accept_slots(agent, memory)


@internal
def step(agent, walk, edge):  # type: ignore[no-untyped-def]
    """Follow an abstract action of the agent's; `NONE` where it had no strategy."""
    walk[ACTED] += 1
    if edge == NONE:
        walk[OWES] = 0
    else:
        go_to(agent, walk, edge)


@internal
def learn(agent, place, column, memory):  # type: ignore[no-untyped-def]
    """Add the hands of a place that take an action, the column of `chances`, to where the agent's copy stands."""
    beliefs, spare, chances = memory.beliefs, memory.spare, memory.chances
    total = 0.0
    for k in range(memory.counts[LIVE]):
        hand = memory.live[k]
        if beliefs.weight[place, hand] > 0:
            total += beliefs.weight[place, hand] * chances[memory.group[hand], column]
    if total == 0.0:
        return
    slot = open_slot(agent, memory.trial.walk, total, memory)
    if slot < 0:
        return
    spare.total[slot] += total
    for k in range(memory.counts[LIVE]):
        hand = memory.live[k]
        if beliefs.weight[place, hand] > 0:
            spare.weight[slot, hand] += beliefs.weight[place, hand] * chances[memory.group[hand], column]
    if agent.by_reach:
        reach_on(agent, place, column, slot, memory)


@internal
def reach_on(agent, place, column, slot, memory):  # type: ignore[no-untyped-def]
    """Update the reaches of every hand behind an action of a place; a group is a hand here."""
    beliefs, trial = memory.beliefs, memory.trial
    folds = options(memory.state)[0]
    copy_place(beliefs.walk[place], memory)
    for k in range(memory.counts[LIVE]):
        hand = memory.live[k]
        turn_to(agent, trial, hand, beliefs.reach[place], memory)
        if not (trial.walk[LOST] or trial.walk[OWES]):
            strategy(agent, trial, memory.state[STREET], folds)
        for model in range(agent.models):
            played = 1.0 if trial.walk[LOST] or trial.walk[OWES] else trial.played[model, column]
            memory.spare.reach[slot, hand, model] = beliefs.reach[place, hand, model] * played


@internal
def open_slot(agent, walk, weight, memory):  # type: ignore[no-untyped-def]
    """Find the slot for weights of a place among those to come; -1 if it is lighter than all there is room for.

    Equal places share a slot, except where models weigh by reach, which depends on the way there.
    """
    spare, opened = memory.spare, memory.counts[OPENED]
    for slot in range(0 if agent.by_reach else opened):
        same = True
        for number in (NODE, LOST, OWES, ACTED):
            same = same and spare.walk[slot, number] == walk[number]
        if same:
            return slot
    found = opened
    if opened == MOST_PLACES:
        found = np.int64(0)
        for slot in range(1, MOST_PLACES):
            if spare.total[slot] < spare.total[found]:
                found = np.int64(slot)
        if spare.total[found] >= weight:
            return np.int64(-1)
    else:
        memory.counts[OPENED] += 1
    for number in range(WALK):
        spare.walk[found, number] = walk[number]
    spare.total[found] = 0.0
    for hand in range(HANDS):
        spare.weight[found, hand] = 0.0
    return found


@internal
def accept_slots(agent, memory):  # type: ignore[no-untyped-def]
    """Let the response believe in the places that were opened."""
    beliefs, spare = memory.beliefs, memory.spare
    memory.counts[PLACES] = memory.counts[OPENED]
    for place in range(memory.counts[OPENED]):
        for number in range(WALK):
            beliefs.walk[place, number] = spare.walk[place, number]
        for hand in range(HANDS):
            beliefs.weight[place, hand] = spare.weight[place, hand]
            for model in range(agent.models if agent.by_reach else 0):
                beliefs.reach[place, hand, model] = spare.reach[place, hand, model]
    if memory.counts[OPENED] == 0:
        memory.counts[PLACES] = ASTRAY
    normalise(memory)
