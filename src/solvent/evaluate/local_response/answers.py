"""Answers of a compiled agent to local best response, for its whole range at once.

All hands that the agent cannot tell apart (one bucket) are one *group*. The agent's own function `strategy` says
what a group plays.
"""

from __future__ import annotations

import numpy as np

from solvent.evaluate.local_response.ranges import LISTED, LIVE
from solvent.forms.betting.kernels import STREET, options
from solvent.foundation.kernels.compiling import internal
from solvent.games.betting.rules import FOLD
from solvent.play.table_kernels import (
    ANYTHING,
    BUCKET,
    BUCKET_STREET,
    CLUSTER,
    FOLDS,
    LOST,
    NODE,
    OWES,
    TABLE,
    WALK,
    decide,
    find_bucket,
    follow,
    observe,
    strategy,
)

ALMOST_ONE = 1.0 - 2.0**-53
HALVINGS = 30
"""Halvings of the interval in which a random number decides what a bet is taken for."""


@internal
def find_groups(agent, me, street, hands, memory):  # type: ignore[no-untyped-def]
    """Put hands of the range that the agent cannot tell apart into one group."""
    walk, deck, you = memory.room.walk, memory.deck, 1 - me
    for place in range(memory.counts[LIVE]):
        hand = memory.live[place]
        if agent.kind != TABLE:
            memory.group[hand] = 0
            continue
        if street == 0 and memory.dealt[hand] >= 0:  # what no board changes is looked up once
            walk[BUCKET], walk[BUCKET_STREET] = memory.dealt[hand], 0
        else:
            deck[2 * you], deck[2 * you + 1] = hands.low[hand], hands.high[hand]
            walk[BUCKET_STREET] = -1
            find_bucket(agent, walk, deck, you, street)
            if street == 0:
                memory.dealt[hand] = walk[BUCKET]
        memory.group[hand] = hand if agent.by_reach else walk[BUCKET]
        memory.bucket[memory.group[hand]] = walk[BUCKET]


@internal
def sum_groups(weight, memory):  # type: ignore[no-untyped-def]
    """Sum weights and equities by group, and list the groups that have any. weight: float64[1326]"""
    count = 0
    for place in range(memory.counts[LISTED]):
        memory.group_weight[memory.listed[place]] = 0.0
    for place in range(memory.counts[LIVE]):
        hand = memory.live[place]
        if weight[hand] == 0.0:
            continue
        group = memory.group[hand]
        if memory.group_weight[group] == 0.0:
            memory.listed[count] = group
            memory.group_equity[group] = 0.0
            count += 1
        memory.group_weight[group] += weight[hand]
        memory.group_equity[group] += weight[hand] * memory.equity[hand]
    memory.counts[LISTED] = count


@internal
def turn_to(agent, room, group, reach, memory):  # type: ignore[no-untyped-def]
    """Give the agent a hand of this group. reach: float64[groups, models], read where models weigh by reach."""
    room.walk[BUCKET] = memory.bucket[group]
    if agent.by_reach:
        for model in range(agent.models):
            room.reach[model] = reach[group, model]


@internal
def agent_chances(agent, room, state, reach, memory):  # type: ignore[no-untyped-def]
    """Fill `chances` with the strategy of every group; returns how many columns it has.

    Where the agent has no strategy, the columns are fold and call.
    """
    walk, chances = room.walk, memory.chances
    folds, _, _, _ = options(state)
    lost, owes = walk[LOST], walk[OWES]
    count = np.int64(2) if lost or owes else np.int64(agent.nodes[walk[NODE]].actions)
    for place in range(memory.counts[LISTED]):
        group = memory.listed[place]
        turn_to(agent, room, group, reach, memory)
        if lost or owes:
            _, action = decide(agent, room, memory.deck, state, 0.0)
            chances[group, 0] = 1.0 if action == FOLD else 0.0
            chances[group, 1] = 1.0 - chances[group, 0]
            continue
        strategy(agent, room, state[STREET], folds)
        for action in range(count):
            chances[group, action] = room.probabilities[action]
    return count


@internal
def fold_column(agent, walk):  # type: ignore[no-untyped-def]
    """Whether the first column of `chances` is folding."""
    if walk[LOST] or walk[OWES]:
        return True
    return agent.edges[agent.nodes[walk[NODE]].first_edge].action == FOLD


@internal
def folded_by_rule(kind, state):  # type: ignore[no-untyped-def]
    """Probability that an agent that plays by a rule folds."""
    folds, _, least, _ = options(state)
    if not folds:
        return 0.0
    if kind == ANYTHING:
        return 1.0 / (2 + (least > 0))
    return 1.0 if kind == FOLDS else 0.0


@internal
def after_bet(agent, room, state, reach, memory):  # type: ignore[no-untyped-def]
    """Probability that the agent folds in `state`, and the sum of weight times equity over what does not fold."""
    folded, kept = 0.0, 0.0
    if agent.kind != TABLE:
        folded = folded_by_rule(agent.kind, state)
        for place in range(memory.counts[LISTED]):
            kept += (1.0 - folded) * memory.group_equity[memory.listed[place]]
        return folded, kept
    agent_chances(agent, room, state, reach, memory)
    folds = fold_column(agent, room.walk)
    for place in range(memory.counts[LISTED]):
        group = memory.listed[place]
        share = memory.chances[group, 0] if folds else 0.0
        folded += memory.group_weight[group] * share
        kept += memory.group_equity[group] * (1.0 - share)
    return folded, kept


@internal
def show(agent, action, number, walk, memory):  # type: ignore[no-untyped-def]
    """Show a copy of the agent at a place what the response does, and return the abstract place where that leads.

    number: the random number, from 0 to 1, that decides what a bet is taken for. walk: int64[WALK], the place.
    """
    copy_place(walk, memory)
    trial = memory.trial.walk
    observe(agent, memory.trial, memory.state, action, False, number)
    return trial[NODE] * 4 + trial[LOST] * 2 + trial[OWES]


@internal
def copy_place(walk, memory):  # type: ignore[no-untyped-def]
    """Put the copy of the agent at a place; its cards are those of the street."""
    for place in range(WALK):
        memory.trial.walk[place] = walk[place]
    for place in (CLUSTER, BUCKET, BUCKET_STREET):
        memory.trial.walk[place] = memory.room.walk[place]


@internal
def first_share(agent, action, walk, memory):  # type: ignore[no-untyped-def]
    """Probability that an action of the response leads to the first of two places, by random numbers; 1 if to one.

    walk: int64[WALK], where the agent is.
    """
    first = show(agent, action, 0.0, walk, memory)
    if first == show(agent, action, ALMOST_ONE, walk, memory):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):  # below which number is it taken for the first?
        middle = (low + high) / 2
        if show(agent, action, middle, walk, memory) == first:
            low = middle
        else:
            high = middle
    return low


@internal
def mixed_chance(action, memory):  # type: ignore[no-untyped-def]
    """Probability of an action of the agent over its range."""
    mixed = 0.0
    for place in range(memory.counts[LISTED]):
        group = memory.listed[place]
        mixed += memory.group_weight[group] * memory.chances[group, action]
    return mixed


@internal
def follow_each(agent, edge, memory):  # type: ignore[no-untyped-def]
    """Update the reaches of every hand of the range behind the agent's decision, and follow it."""
    room, walk = memory.room, memory.room.walk
    folds = options(memory.state)[0]
    for place in range(WALK):
        memory.walk[place] = walk[place]
    for k in range(memory.counts[LIVE]):
        for place in range(WALK):
            walk[place] = memory.walk[place]
        group = memory.group[memory.live[k]]
        turn_to(agent, room, group, memory.reach, memory)
        strategy(agent, room, memory.state[STREET], folds)
        follow(agent, room, edge)
        for model in range(agent.models):
            memory.reach[group, model] = room.reach[model]
