"""Agents that play from tables, compiled: each follows a hand through its own betting tree and its own buckets.

An agent has an abstract hand beside the real one: a node of its tree.

- It acts at its node: the average strategies of its tables there, added up where they are several, changed by its
  style and post-processed, and one action drawn. Where the real rules do not allow folding, folding has 0.
- Its abstract bet becomes the real bet of the same share of the pot after calling, at least the least and at most
  all-in. Abstract all-in is all-in, unless real stacks are deeper, in big blinds, than the tree's: then it is the
  share of the pot that it is. Where nobody may raise any more, it calls.
- The other's bet is taken for an abstract one by the pseudo-harmonic mapping (`abstraction.betting.translation`).
  All-in is abstract all-in, unless real stacks are shallower than the tree's: then it is a bet of its size. (Ten
  big blinds all-in are four pots; answered as 200 all-in they would nearly always be folded to.)
- A small bet that is taken for a check leaves the agent to act on the check. Taken for a call it ends the abstract
  street: the agent calls, and the two hands meet on the next street.
- The abstract hand may end before the real one (all-in with less than the real stacks), and the other may raise
  where the tree has no raise. From then on the agent has no strategy: it checks, and calls where its bucket's win
  rate against a random hand is at least the pot odds, and otherwise folds.

What is drawn depends on the hand's key and the number of the action alone: action k is chosen by draw 2k of the
hand's stream, and taken for an abstract one by draw 2k + 1. So a hand can be replayed from any point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.translation import NONE, pot_part, readings, translate
from solvent.abstraction.cards.dealing import DEALT, deal_bucket, deal_cluster, lead, shuffle, sort_deck
from solvent.abstraction.cards.lookup import Lookup
from solvent.forms.betting.kernels import (
    BIG,
    DECISION,
    FOLDER,
    OVER,
    PAID,
    PLAYER,
    STACK,
    STREET,
    begin,
    is_legal,
    new_position,
    options,
    take,
    winnings,
)
from solvent.forms.sampled import MOST_ACTIONS, TableLayout, row_start
from solvent.foundation.kernels.compiling import internal, joined, kernel
from solvent.foundation.kernels.randomness import STEP, stream, uniform
from solvent.games.betting.rules import CALL, FOLD, NOBODY, HoldemRules
from solvent.play.styles import INITIAL, OWN, RANDOM, restyle
from solvent.strategy.agents.prior import prior
from solvent.strategy.post_processing import PostNumbers, class_of, post_process

TABLE, FOLDS, CALLS, ANYTHING = 0, 1, 2, 3
"""Kinds of agents: tables, or one of three rules."""
MOST_MODELS = 8
"""Runs that an ensemble may have."""
NODE, LOST, OWES, ACTED, CLUSTER, BUCKET, BUCKET_STREET = range(7)
"""Numbers of a walk: the abstract node; whether there is no strategy any more; whether the agent only has to call;
how many decisions it has made; its public cluster (-1: not looked up), its bucket, and the bucket's street."""
WALK = 7
PAIRS, WON, SQUARES, ILLEGAL = range(4)
"""Counts of a match: pairs of hands, chips that the first agent won over both hands, their squares, and illegal
actions."""


class Playing(NamedTuple):
    """An agent as kernels see it; all agents have one type, so that kernels are compiled once."""

    kind: int
    style: int
    models: int
    by_reach: bool
    """True if models are weighted by the probability of having played the hand so far, False if equally."""
    stack: int
    big_blind: int
    """The stack and the big blind of the betting tree, in its chips."""
    post: PostNumbers
    nodes: NDArray[Any]
    """`BETTING_NODE`[nodes] of the betting tree"""
    edges: NDArray[Any]
    """`BETTING_EDGE`[edges] of the betting tree"""
    layout: TableLayout
    """Layout of the rows in the tables."""
    rate_layout: TableLayout
    """Layout of `rates`, which has one number for each bucket."""
    rates: NDArray[np.float32]
    """float32[buckets of all streets]: win rates"""
    lookup: Lookup
    tables: tuple[NDArray[np.float32], ...]
    """`MOST_MODELS` tables, empty ones last"""


class Workspace(NamedTuple):
    """One agent's own memory."""

    walk: NDArray[np.int64]
    reach: NDArray[np.float64]
    """float64[models]: the probability of each model of having played as the agent has played."""
    probabilities: NDArray[np.float64]
    """float64[actions]: of the decision made last."""
    played: NDArray[np.float64]
    """float64[models, actions]: what each model plays there."""
    classes: NDArray[np.int64]
    sums: NDArray[np.float64]


class TableWorkspace(NamedTuple):
    """One thread's memory for the hands that it deals."""

    deck: NDArray[np.int64]
    """int64[52]: see `solvent.abstraction.cards.dealing`"""
    state: NDArray[np.int64]
    """The position: see `solvent.forms.betting.kernels`"""
    random: NDArray[np.uint64]
    """uint64[1]: the counter of the random stream"""


def table_workspace(rules: HoldemRules) -> TableWorkspace:
    """Return the workspace of hands that are dealt by these rules."""
    return TableWorkspace(np.zeros(52, dtype=np.int64), new_position(rules), np.zeros(1, dtype=np.uint64))


def workspace() -> Workspace:
    """Return the workspace of one agent."""
    return Workspace(
        np.zeros(WALK, dtype=np.int64),
        np.zeros(MOST_MODELS),
        np.zeros(MOST_ACTIONS),
        np.zeros((MOST_MODELS, MOST_ACTIONS)),
        np.zeros(MOST_ACTIONS, dtype=np.int64),
        np.zeros(MOST_ACTIONS + 2),
    )


@internal
def draw_of(key, number):  # type: ignore[no-untyped-def]
    """Draw `number` of a hand's stream: from 0 to 1, 1 excluded."""
    return uniform(np.uint64(key) + STEP * np.uint64(number))


@internal
def start_walk(agent, room):  # type: ignore[no-untyped-def]
    """Go to the root."""
    walk, reach = room[0], room[1]
    walk[NODE] = walk[OWES] = walk[ACTED] = walk[BUCKET] = 0
    walk[CLUSTER] = walk[BUCKET_STREET] = -1
    walk[LOST] = agent.nodes[0].kind != DECISION
    for model in range(agent.models):
        reach[model] = 1.0


@internal
def find_bucket(agent, walk, deck, seat, street):  # type: ignore[no-untyped-def]
    """Look up the hand's bucket on a street, once."""
    if walk[BUCKET_STREET] == street:
        return
    if street > 0 and walk[CLUSTER] < 0:
        walk[CLUSTER] = deal_cluster(deck, agent.lookup)
    walk[BUCKET] = deal_bucket(deck, seat, street, walk[CLUSTER], agent.lookup)
    walk[BUCKET_STREET] = street


@internal
def win_rate(agent, walk, street):  # type: ignore[no-untyped-def]
    """Return the win rate of the bucket against a random hand."""
    return np.float64(agent.rates[row_start(agent.rate_layout, street, walk[CLUSTER], walk[BUCKET])])


@internal
def sums_start(agent, walk):  # type: ignore[no-untyped-def]
    """Return the place where the sums of the node's row for the bucket begin."""
    node = agent.nodes[walk[NODE]]
    return row_start(agent.layout, node.street, walk[CLUSTER], walk[BUCKET]) + node.row + node.actions


@internal
def faced_total(agent, node):  # type: ignore[no-untyped-def]
    """Return the total that the player to act at a node faces: the greater of what both players have put in."""
    return np.int64(max(agent.nodes[node].paid[0], agent.nodes[node].paid[1]))


@joined
def mix_models(agent, walk, reach, played, probabilities):  # type: ignore[no-untyped-def]
    """Write the average strategies of all models at the node into `played`, and their mixture."""
    start, count = sums_start(agent, walk), agent.nodes[walk[NODE]].actions
    weights = 0.0
    for action in range(count):
        probabilities[action] = 0.0
    for model in range(agent.models):
        weights += reach[model]
    for model in range(agent.models):
        table = agent.tables[model]
        weight = reach[model] / weights if agent.by_reach and weights > 0 else 1.0 / agent.models
        total = 0.0
        for action in range(count):
            total += table[start + action]
        for action in range(count):
            played[model, action] = table[start + action] / total if total > 0 else 1.0 / count
            probabilities[action] += weight * played[model, action]


@joined
def strategy(agent, room, street, folds):  # type: ignore[no-untyped-def]
    """Write the probabilities of the node's actions as they are played; `folds`: whether folding is legal."""
    walk, reach, probabilities, played, classes, sums = room
    node, post = walk[NODE], agent.post
    count, start = np.int64(agent.nodes[node].actions), np.int64(agent.nodes[node].first_edge)
    may_fold = agent.edges[start].action == FOLD
    rate = win_rate(agent, walk, street) if agent.style != OWN else 0.0
    if agent.style == RANDOM:
        for action in range(count):
            probabilities[action] = 1.0
    elif agent.style == INITIAL:
        prior(probabilities, may_fold, count - 1 - may_fold, rate)
    else:
        mix_models(agent, walk, reach, played, probabilities)
    if may_fold and not folds:
        probabilities[0] = 0.0
    if agent.style != OWN:
        restyle(agent.style, probabilities, agent.edges, start, count, rate)
    total = 0.0
    for action in range(count):
        total += probabilities[action]
    left = count - (may_fold and not folds)
    for action in range(count):
        if total > 0:
            probabilities[action] /= total
        else:
            probabilities[action] = 0.0 if action < count - left else 1.0 / left
    changes = post.between > 0 or post.within > 0 or post.fold < 1
    if changes and (post.first or walk[ACTED] > 0):
        faced = faced_total(agent, node)
        for action in range(count):
            raised_to = agent.edges[start + action].action
            size = pot_part(raised_to, faced)
            classes[action] = class_of(post.classes, raised_to, action - may_fold - 1, size)
        post_process(probabilities, classes, count, post, sums)


@internal
def pick(probabilities, count, call, draw):  # type: ignore[no-untyped-def]
    """Return the action that a random number falls on, never one of probability 0; `call` if all have that."""
    chosen = call
    for action in range(count):
        if probabilities[action] > 0:
            chosen = action
            draw -= probabilities[action]
            if draw < 0:
                break
    return chosen


@kernel
def real_action(agent, node, edge, state):  # type: ignore[no-untyped-def]
    """Return the real action that an abstract one becomes."""
    folds, _, least, most = options(state)
    total = np.int64(agent.edges[edge].action)
    if total <= CALL:
        return total if total == CALL or folds else np.int64(CALL)
    if least == 0:
        return np.int64(CALL)
    shorter = min(state[STACK], state[STACK + 1])
    most = min(most, max(shorter, least))
    if total == agent.stack and shorter * agent.big_blind <= agent.stack * state[BIG]:
        return most
    faced = faced_total(agent, node)
    yours = state[PAID + 1 - state[PLAYER]]
    raised = (2 * (total - faced) * yours + faced) // (2 * faced)  # half a chip is rounded up
    return min(max(yours + raised, least), most)


@joined
def decide(agent, room, deck, state, draw):  # type: ignore[no-untyped-def]
    """Return (the edge of the abstract action or `NONE`, the real action) of the agent, who is to act."""
    if agent.kind != TABLE:
        folds, _, least, most = options(state)
        return NONE, by_rule(agent.kind, folds, least, most, draw)
    if room.walk[OWES]:
        return NONE, np.int64(CALL)
    return decide_by_tables(agent, room, deck, state, draw)


@internal
def decide_by_tables(agent, room, deck, state, draw):  # type: ignore[no-untyped-def]
    """`decide` for an agent with tables that has a choice."""
    walk = room.walk
    folds, call, _, _ = options(state)
    player, street = state[PLAYER], state[STREET]
    find_bucket(agent, walk, deck, player, street)
    if walk[LOST]:
        pot = 2 * min(state[PAID + 1 - player], state[STACK + player])
        calls = call == 0 or win_rate(agent, walk, street) * pot >= call
        return NONE, np.int64(CALL if calls else FOLD)
    strategy(agent, room, street, folds)
    node = walk[NODE]
    start = agent.nodes[node].first_edge
    call_place = 1 if agent.edges[start].action == FOLD else 0
    edge = start + pick(room.probabilities, agent.nodes[node].actions, call_place, draw)
    return np.int64(edge), real_action(agent, node, edge, state)


@internal
def by_rule(kind, folds, least, most, draw):  # type: ignore[no-untyped-def]
    """Choose the action of an agent without tables: fold or check; call; or fold, call or raise with equal
    probability, and raises of all sizes, evenly on a logarithmic scale."""
    if kind == FOLDS and folds:
        return np.int64(FOLD)
    if kind != ANYTHING:
        return np.int64(CALL)
    ways = 1 + np.int64(folds) + np.int64(least > 0)
    way = np.int64(draw * ways)
    if folds and way == 0:
        return np.int64(FOLD)
    if way == np.int64(folds):
        return np.int64(CALL)
    part = draw * ways - way
    total = np.int64(least * np.exp(part * np.log((most + 1) / least)))
    return min(max(total, least), most)


@internal
def follow(agent, room, edge):  # type: ignore[no-untyped-def]
    """Move past the agent's own decision."""
    walk, reach, played = room[0], room[1], room[3]
    walk[ACTED] += 1
    if edge == NONE:
        walk[OWES] = 0
        return
    if agent.by_reach:
        for model in range(agent.models):
            reach[model] *= played[model, edge - agent.nodes[walk[NODE]].first_edge]
    go_to(agent, walk, edge)


@internal
def go_to(agent, walk, edge):  # type: ignore[no-untyped-def]
    """Go to the node behind an edge."""
    walk[NODE] = agent.edges[edge].behind
    walk[LOST] = agent.nodes[walk[NODE]].kind != DECISION


@internal
def size_of(agent, state, action):  # type: ignore[no-untyped-def]
    """A real bet or raise as a part of the pot, and whether it is taken for all-in where the node has that."""
    yours, shorter = state[PAID + 1 - state[PLAYER]], min(state[STACK], state[STACK + 1])
    all_in = action >= shorter and shorter * agent.big_blind >= agent.stack * state[BIG]
    return pot_part(min(action, shorter), yours), all_in


@internal
def observe(agent, room, state, action, own, draw):  # type: ignore[no-untyped-def]
    """Move past an action in `state` that the agent has not drawn; `own`: whether it is the agent's."""
    walk = room[0]
    if own:
        walk[ACTED] += 1
    if agent.kind != TABLE or action == FOLD:
        return
    if walk[OWES]:  # in a replay of other play, the agent did not call
        walk[OWES], walk[LOST] = 0, 1
    if walk[LOST]:
        return
    node = walk[NODE]
    start, count = agent.nodes[node].first_edge, agent.nodes[node].actions
    if action == CALL:
        go_to(agent, walk, start + (1 if agent.edges[start].action == FOLD else 0))
        return
    faced = faced_total(agent, node)
    size, all_in = size_of(agent, state, action)
    edge = translate(size, all_in, agent.edges, start, start + count, faced, agent.stack, not own, draw)
    if edge == NONE:
        walk[LOST] = 1
        return
    street = agent.nodes[node].street
    go_to(agent, walk, edge)
    if agent.edges[edge].action == CALL and (walk[LOST] or agent.nodes[walk[NODE]].street > street):
        walk[OWES] = 1


@internal
def first_share(agent, room, state, action):  # type: ignore[no-untyped-def]
    """Probability that an action of the other is taken for the lower of its two readings; 1 if it has only one."""
    walk = room.walk
    if agent.kind != TABLE or action <= CALL or walk[LOST] or walk[OWES]:
        return 1.0
    node = walk[NODE]
    start, count = agent.nodes[node].first_edge, agent.nodes[node].actions
    size, all_in = size_of(agent, state, action)
    faced = faced_total(agent, node)
    return readings(size, all_in, agent.edges, start, start + count, faced, agent.stack, True)[2]


@joined
def play_hand(key, button, deck, state, a, b, a_room, b_room, history, counts):  # type: ignore[no-untyped-def]
    """Play one hand between two agents, to its end in `state`. button: 0 if `a` has the button, 1 if `b` has it.
    history: int64[], its length first, then the actions."""
    begin(state)
    start_walk(a, a_room)
    start_walk(b, b_room)
    number = 0
    while state[PLAYER] != OVER:
        draw, next_draw = draw_of(key, 2 * number), draw_of(key, 2 * number + 1)
        if state[PLAYER] == button:
            edge, action = decide(a, a_room, deck, state, draw)
        else:
            edge, action = decide(b, b_room, deck, state, draw)
        if not is_legal(state, action):
            counts[ILLEGAL] += 1
            action = np.int64(CALL)
        if state[PLAYER] == button:
            follow(a, a_room, edge)
            observe(b, b_room, state, action, False, next_draw)
        else:
            follow(b, b_room, edge)
            observe(a, a_room, state, action, False, next_draw)
        take(state, action)
        number += 1
        history[number] = action
    history[0] = number


@kernel
def deal_pair(seed, pair, deck, random):  # type: ignore[no-untyped-def]
    """Deal the cards of a pair of hands into deck[:9]; the key of what is drawn in them."""
    sort_deck(deck)
    random[0] = stream(seed, pair, 0)
    shuffle(deck, DEALT, random)
    return stream(seed, pair, 1)


@kernel
def play_pairs(start, stop, seed, table, a, b, a_room, b_room, evaluator, histories, counts):  # type: ignore[no-untyped-def]
    """Play pairs of hands `start` to `stop`: the same cards and draws twice, seats changed. counts: int64[4]."""
    deck, state = table.deck, table.state
    for pair in range(start, stop):
        key, won = deal_pair(seed, pair, deck, table.random), np.int64(0)
        for button in range(2):
            play_hand(key, button, deck, state, a, b, a_room, b_room, histories[button], counts)
            gain = winnings(state, lead(deck, evaluator) if state[FOLDER] == NOBODY else 0)
            won += gain if button == 0 else -gain
        counts[PAIRS] += 1
        counts[WON] += won
        counts[SQUARES] += won * won


@kernel
def respond(key, seat, deck, state, actions, agent, room):  # type: ignore[no-untyped-def]
    """Return (edge, real action) of an agent after the actions of a hand so far, its own included."""
    begin(state)
    start_walk(agent, room)
    for number in range(len(actions)):
        draw = draw_of(key, 2 * number + 1)
        if state[PLAYER] == seat:
            edge, action = decide(agent, room, deck, state, draw_of(key, 2 * number))
            if action == actions[number]:
                follow(agent, room, edge)
            else:
                observe(agent, room, state, actions[number], True, draw)
        else:
            observe(agent, room, state, actions[number], False, draw)
        take(state, actions[number])
    return decide(agent, room, deck, state, draw_of(key, 2 * len(actions)))
