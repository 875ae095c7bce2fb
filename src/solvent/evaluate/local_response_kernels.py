"""Local best response against a compiled agent, hand by hand: see `solvent.evaluate.local_best_response`.

The agent's hand is never drawn. The response has a range, a weight for each of the 1,326 hands, and all hands that
the agent cannot tell apart (one bucket) are one *group*: the agent's own function says what a group plays. What
the agent does is drawn from the mixture of all groups, the cards of the board from what the range leaves likely,
and the end of a hand counts with its expectation over the range. Only what is public is drawn; means are the same.
Folds of the agent's end a hand for certain, so they are counted with their probability, and the rest goes on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.translation import NONE
from solvent.abstraction.cards.dealing import lead
from solvent.cards.evaluator import EMPTY_KEY, strength_of
from solvent.cards.showdown import HANDS
from solvent.forms.betting_kernels import (
    FOLDER,
    OVER,
    PAID,
    PLAYER,
    STACK,
    STREET,
    SizeTable,
    begin,
    new_position,
    options,
    raise_totals,
    take,
    winnings,
)
from solvent.forms.sampled import MOST_ACTIONS
from solvent.foundation.compiling import inlined, internal, kernel
from solvent.foundation.randomness import random_bits, random_unit, stream
from solvent.games.betting.rules import CALL, FOLD, NOBODY, HoldemRules
from solvent.play.table_kernels import (
    ANYTHING,
    BUCKET,
    BUCKET_STREET,
    FOLDS,
    LOST,
    MOST_MODELS,
    NODE,
    OWES,
    TABLE,
    WALK,
    Playing,
    Room,
    by_rule,
    decide,
    find_bucket,
    follow,
    observe,
    real_action,
    room,
    start_walk,
    strategy,
)

ALMOST_ONE = 1.0 - 2.0**-53
HALVINGS = 30
"""Of the interval in which a random number decides what a bet is taken for."""
BOARD = 4
"""Where the board lies in a deal: behind both hands."""


class Choices(NamedTuple):
    """What the response may do, for kernels."""

    decides: NDArray[np.int64]
    """int64[4]: by street, whether it chooses, or checks and calls"""
    sizes: SizeTable
    run_outs: int
    """Boards that are drawn before the turn to find out who wins."""


class Held(NamedTuple):
    """One thread's memory."""

    state: NDArray[np.int64]
    trial_state: NDArray[np.int64]
    room: Room
    trial: Room
    """The agent, and the agent behind a bet that is only thought of."""
    walk: NDArray[np.int64]
    deck: NDArray[np.int64]
    """int64[52]: of a deal; the agent's hand is room to look up hands in."""
    random: NDArray[np.uint64]
    weight: NDArray[np.float64]
    """float64[1326]: the agent's range; sums to 1."""
    live: NDArray[np.int64]
    """int64[1326]: hands with a weight; `live_count` of them."""
    equity: NDArray[np.float64]
    """float64[1326]: of the response's hand against each: 1 if it wins, -1 if it loses, on average."""
    met: NDArray[np.int64]
    """int64[1326]: boards that each average is over."""
    group: NDArray[np.int64]
    """int64[1326]: of each hand"""
    dealt: NDArray[np.int64]
    """int64[1326]: each hand's bucket before the flop; -1: not looked up yet"""
    bucket: NDArray[np.int64]
    """int64[groups]"""
    listed: NDArray[np.int64]
    """int64[groups]: those with hands of a weight; `listed_count` of them."""
    group_weight: NDArray[np.float64]
    group_equity: NDArray[np.float64]
    """float64[groups]: sums over a group's hands: of weights, of weights times equities."""
    reach: NDArray[np.float64]
    """float64[groups, models]: of an ensemble by reach, where a group is a hand"""
    chances: NDArray[np.float64]
    """float64[groups, actions]"""
    totals: NDArray[np.int64]
    """The response's bets."""
    score: NDArray[np.float64]
    """float64[2]: `WON`, what the agent's folds have won so far, and `REST`, how much of the hand goes on."""
    counts: NDArray[np.int64]
    """int64[3]: `LIVE`, `LISTED`, and the length of the history."""
    history: NDArray[np.int64]


LIVE, LISTED, LENGTH = 0, 1, 2
WON, REST = 0, 1
LEAST_REST = 0.01
"""A rest below this goes on as often as it is a part of it."""


def held(agent: Playing, rules: HoldemRules, sizes: SizeTable) -> Held:
    """Memory for one thread."""
    groups = max(HANDS, int(agent.layout.buckets.max()))
    longest = rules.effective_stack // rules.blinds[1] + 18
    return Held(
        state=new_position(rules),
        trial_state=new_position(rules),
        room=room(),
        trial=room(),
        walk=np.zeros(WALK, dtype=np.int64),
        deck=np.zeros(52, dtype=np.int64),
        random=np.zeros(1, dtype=np.uint64),
        weight=np.zeros(HANDS),
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
        score=np.zeros(2),
        counts=np.zeros(3, dtype=np.int64),
        history=np.zeros(longest, dtype=np.int64),
    )


@internal
def draw_card(taken, random):  # type: ignore[no-untyped-def]
    """A card that is not among those taken, a bit each."""
    while True:
        card = np.int64(random_bits(random) % np.uint64(52))
        if not taken >> card & 1:
            return card


@inlined
def set_range(taken, hands, held):  # type: ignore[no-untyped-def]
    """All hands alike that share no card with those taken."""
    for hand in range(HANDS):
        free = not (taken >> hands.low[hand] & 1 or taken >> hands.high[hand] & 1)
        held.weight[hand] = 1.0 if free else 0.0
    normalise(held)


@internal
def normalise(held):  # type: ignore[no-untyped-def]
    """Make the range sum to 1, and list its hands."""
    total, count = 0.0, 0
    for hand in range(HANDS):
        if held.weight[hand] > 0:
            total += held.weight[hand]
            held.live[count] = hand
            count += 1
    for place in range(count):
        held.weight[held.live[place]] /= total
    held.counts[LIVE] = count


@internal
def deal_board(count, start, me, agent_hand, hands, held):  # type: ignore[no-untyped-def]
    """Deal the next cards as likely as the range makes them: around a hand drawn from it, or around the agent's."""
    deck, weight = held.deck, held.weight
    hand = agent_hand
    if hand < 0:
        left, place = random_unit(held.random), 0
        hand = held.live[0]
        while place < held.counts[LIVE]:
            hand = held.live[place]
            left -= weight[hand]
            if left < 0:
                break
            place += 1
    taken = np.int64(1) << hands.low[hand] | np.int64(1) << hands.high[hand]
    for place in (2 * me, 2 * me + 1):
        taken |= np.int64(1) << deck[place]
    for place in range(BOARD, BOARD + start):
        taken |= np.int64(1) << deck[place]
    for place in range(BOARD + start, BOARD + start + count):
        deck[place] = draw_card(taken, held.random)
        taken |= np.int64(1) << deck[place]
        for k in range(held.counts[LIVE]):
            other = held.live[k]
            if hands.low[other] == deck[place] or hands.high[other] == deck[place]:
                weight[other] = 0.0
    normalise(held)


@inlined
def find_groups(agent, me, street, hands, held):  # type: ignore[no-untyped-def]
    """Which hands of the range are in one bucket."""
    walk, deck, you = held.room.walk, held.deck, 1 - me
    for place in range(held.counts[LIVE]):
        hand = held.live[place]
        if agent.kind != TABLE:
            held.group[hand] = 0
            continue
        if street == 0 and held.dealt[hand] >= 0:  # what no board changes is looked up once
            walk[BUCKET], walk[BUCKET_STREET] = held.dealt[hand], 0
        else:
            deck[2 * you], deck[2 * you + 1] = hands.low[hand], hands.high[hand]
            walk[BUCKET_STREET] = -1
            find_bucket(agent, walk, deck, you, street)
            if street == 0:
                held.dealt[hand] = walk[BUCKET]
        held.group[hand] = hand if agent.by_reach else walk[BUCKET]
        held.bucket[held.group[hand]] = walk[BUCKET]


@internal
def sum_groups(held):  # type: ignore[no-untyped-def]
    """The weights and equities of groups, and which of them have any."""
    count = 0
    for place in range(held.counts[LISTED]):
        held.group_weight[held.listed[place]] = 0.0
    for place in range(held.counts[LIVE]):
        hand = held.live[place]
        group = held.group[hand]
        if held.group_weight[group] == 0.0:
            held.listed[count] = group
            held.group_equity[group] = 0.0
            count += 1
        held.group_weight[group] += held.weight[hand]
        held.group_equity[group] += held.weight[hand] * held.equity[hand]
    held.counts[LISTED] = count


@internal
def turn_to(agent, room, group, held):  # type: ignore[no-untyped-def]
    """Give the agent the hand of a group."""
    room.walk[BUCKET] = held.bucket[group]
    if agent.by_reach:
        for model in range(agent.models):
            room.reach[model] = held.reach[group, model]


@internal
def agent_chances(agent, room, state, held):  # type: ignore[no-untyped-def]
    """What every group does, into `chances`; how many columns. Without a strategy they are fold and call."""
    walk, chances = room.walk, held.chances
    folds, _, _, _ = options(state)
    lost, owes = walk[LOST], walk[OWES]
    count = np.int64(2) if lost or owes else np.int64(agent.nodes[walk[NODE]].actions)
    for place in range(held.counts[LISTED]):
        group = held.listed[place]
        turn_to(agent, room, group, held)
        if lost or owes:
            _, action = decide(agent, room, held.deck, state, 0.0)
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
    """How often an agent without tables folds."""
    folds, _, least, _ = options(state)
    if not folds:
        return 0.0
    if kind == ANYTHING:
        return 1.0 / (2 + (least > 0))
    return 1.0 if kind == FOLDS else 0.0


@internal
def after_bet(agent, room, state, held):  # type: ignore[no-untyped-def]
    """(how often the agent folds, sum of weights times equities of those that do not), who is to act in `state`."""
    folded, kept = 0.0, 0.0
    if agent.kind != TABLE:
        folded = folded_by_rule(agent.kind, state)
        for place in range(held.counts[LISTED]):
            kept += (1.0 - folded) * held.group_equity[held.listed[place]]
        return folded, kept
    agent_chances(agent, room, state, held)
    folds = fold_column(agent, room.walk)
    for place in range(held.counts[LISTED]):
        group = held.listed[place]
        share = held.chances[group, 0] if folds else 0.0
        folded += held.group_weight[group] * share
        kept += held.group_equity[group] * (1.0 - share)
    return folded, kept


@internal
def try_bet(agent, total, number, held):  # type: ignore[no-untyped-def]
    """The agent behind a bet that is only thought of, taken as a random number says; the abstract place."""
    trial, walk = held.trial, held.trial.walk
    for place in range(WALK):
        walk[place] = held.room.walk[place]
    for model in range(agent.models):
        trial.reach[model] = held.room.reach[model]
    observe(agent, trial, held.state, total, False, number)
    return walk[NODE] * 4 + walk[LOST] * 2 + walk[OWES]


@inlined
def bet_value(agent, total, me, held):  # type: ignore[no-untyped-def]
    """What a bet wins: the agent folds, or both check and call to the end; over all that it may be taken for."""
    state, you = held.trial_state, 1 - me
    for place in range(len(state)):
        state[place] = held.state[place]
    take(state, total)
    won = np.float64(state[PAID + you])
    stake = np.float64(min(total, state[STACK + you]))
    low, high = 0.0, 1.0
    first, last = try_bet(agent, total, 0.0, held), try_bet(agent, total, ALMOST_ONE, held)
    folded, kept = after_bet(agent, held.trial, state, held)
    value = folded * won + kept * stake
    if first == last:
        return value
    for _ in range(HALVINGS):  # below which number is it taken for the first?
        middle = (low + high) / 2
        if try_bet(agent, total, middle, held) == first:
            low = middle
        else:
            high = middle
    try_bet(agent, total, 0.0, held)
    folded, kept = after_bet(agent, held.trial, state, held)
    return low * (folded * won + kept * stake) + (1.0 - low) * value


@inlined
def choose(agent, choices, me, held):  # type: ignore[no-untyped-def]
    """The response's action, and its value in chips. Equities are those of the street."""
    state, you = held.state, 1 - me
    sum_groups(held)
    mean = 0.0
    for place in range(held.counts[LISTED]):
        mean += held.group_equity[held.listed[place]]
    folds, _, least, _ = options(state)
    best, value = np.int64(CALL), mean * min(state[PAID + you], state[STACK + me])
    if folds and -np.float64(state[PAID + me]) > value:
        best, value = np.int64(FOLD), -np.float64(state[PAID + me])
    if least > 0:
        for place in range(raise_totals(choices.sizes, state, held.totals)):
            total = held.totals[place]
            found = bet_value(agent, total, me, held)
            if found > value:
                best, value = total, found
    return best, value


@internal
def mixed_chance(action, held):  # type: ignore[no-untyped-def]
    """How likely an action of the agent's is, over its range."""
    mixed = 0.0
    for place in range(held.counts[LISTED]):
        group = held.listed[place]
        mixed += held.group_weight[group] * held.chances[group, action]
    return mixed


@internal
def count_folds(folded, held):  # type: ignore[no-untyped-def]
    """The agent folds this often: count what that wins, and go on with the rest; whether the hand ends with it.

    A rest that hardly counts goes on seldom, and then counts for the others too.
    """
    score, you = held.score, held.state[PLAYER]
    score[WON] += score[REST] * folded * held.state[PAID + you]
    score[REST] *= 1.0 - folded
    if score[REST] < LEAST_REST:
        goes_on = random_unit(held.random) * LEAST_REST < score[REST]
        score[REST] = LEAST_REST if goes_on else 0.0
    return score[REST] == 0.0


@inlined
def agent_acts(agent, agent_hand, held):  # type: ignore[no-untyped-def]
    """What the agent does: drawn from the mixture over the range, which learns of it, or as its hand has it.

    Of the mixture the folds are counted, not drawn: see `count_folds`.
    """
    state, room, chances = held.state, held.room, held.chances
    number = random_unit(held.random)
    if agent.kind != TABLE:
        folds, _, least, most = options(state)
        folded = folded_by_rule(agent.kind, state)
        if agent_hand < 0:
            if count_folds(folded, held):
                return np.int64(FOLD)
            number = folded + number * (1.0 - folded)
        return by_rule(agent.kind, folds, least, most, number)
    sum_groups(held)
    count, chosen, first = agent_chances(agent, room, state, held), -1, 0
    if agent_hand < 0 and fold_column(agent, room.walk):
        first, folded = 1, mixed_chance(0, held)
        if count_folds(folded, held):
            return np.int64(FOLD)
        number *= 1.0 - folded
    for action in range(first, count):
        mixed = mixed_chance(action, held) if agent_hand < 0 else chances[held.group[agent_hand], action]
        if mixed > 0:
            chosen = action
            number -= mixed
            if number < 0:
                break
    for place in range(held.counts[LIVE]):
        hand = held.live[place]
        held.weight[hand] *= chances[held.group[hand], chosen]
    normalise(held)
    if room.walk[LOST] or room.walk[OWES]:
        follow(agent, room, NONE)
        return np.int64(FOLD if chosen == 0 else CALL)
    node = room.walk[NODE]
    edge = np.int64(agent.nodes[node].first_edge + chosen)
    action = real_action(agent, node, edge, state)
    if agent.by_reach:
        follow_each(agent, edge, held)
    else:
        follow(agent, room, edge)
    return action


@inlined
def follow_each(agent, edge, held):  # type: ignore[no-untyped-def]
    """Go on behind the agent's decision with every hand of its range, each of which has its own reaches."""
    room, walk = held.room, held.room.walk
    folds = options(held.state)[0]
    for place in range(WALK):
        held.walk[place] = walk[place]
    for k in range(held.counts[LIVE]):
        for place in range(WALK):
            walk[place] = held.walk[place]
        group = held.group[held.live[k]]
        turn_to(agent, room, group, held)
        strategy(agent, room, held.state[STREET], folds)
        follow(agent, room, edge)
        for model in range(agent.models):
            held.reach[group, model] = room.reach[model]


@inlined
def find_equities(me, street, run_outs, evaluator, hands, held):  # type: ignore[no-untyped-def]
    """The equity of the response's hand against each of the range: exact from the turn on, else by drawn boards."""
    deck, known = held.deck, 0 if street == 0 else street + 2
    taken = np.int64(1) << deck[2 * me] | np.int64(1) << deck[2 * me + 1]
    for place in range(BOARD, BOARD + known):
        taken |= np.int64(1) << deck[place]
    for place in range(held.counts[LIVE]):
        held.equity[held.live[place]] = 0.0
        held.met[held.live[place]] = 0
    if known == 5:
        meet(me, evaluator, hands, held)
    elif known == 4:
        for card in range(52):
            if not taken >> card & 1:
                deck[BOARD + 4] = card
                meet(me, evaluator, hands, held)
    else:
        for _ in range(run_outs):
            now = taken
            for place in range(BOARD + known, BOARD + 5):
                deck[place] = draw_card(now, held.random)
                now |= np.int64(1) << deck[place]
            meet(me, evaluator, hands, held)
    for place in range(held.counts[LIVE]):
        hand = held.live[place]
        held.equity[hand] /= max(held.met[hand], 1)


@internal
def meet(me, evaluator, hands, held):  # type: ignore[no-untyped-def]
    """Add who wins on the board, with every hand of the range that it leaves possible."""
    deck = held.deck
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
    live, hand_key, hand_bits, equity, met = held.live, hands.key, hands.bits, held.equity, held.met
    for place in range(held.counts[LIVE]):
        hand = live[place]
        if hand_bits[hand] & bits:
            continue
        yours = strength_of(
            key + hand_key[hand], bits | hand_bits[hand], 7, high_place, low_place, by_ranks, by_flush
        )
        equity[hand] += np.float64(mine > yours) - np.float64(mine < yours)
        met[hand] += 1


@inlined
def respond_hand(seed, number, me, plain, agent, choices, evaluator, hands, held):  # type: ignore[no-untyped-def]
    """What the response wins in one hand, in chips, sitting at `me`."""
    state, deck, random, you = held.state, held.deck, held.random, 1 - me
    random[0] = stream(seed, number, 0)
    taken, agent_hand = np.int64(0), np.int64(-1)
    for place in (2 * me, 2 * me + 1):
        deck[place] = draw_card(taken, random)
        taken |= np.int64(1) << deck[place]
    set_range(taken, hands, held)
    if plain:
        first = draw_card(taken, random)
        second = draw_card(taken | np.int64(1) << first, random)
        low, high = min(first, second), max(first, second)
        agent_hand = high * (high - 1) // 2 + low
    begin(state)
    start_walk(agent, held.room)
    held.score[WON], held.score[REST] = 0.0, 1.0
    for model in range(agent.models):
        for group in range(HANDS if agent.by_reach else 0):
            held.reach[group, model] = 1.0
    street, known, length = np.int64(-1), False, 0
    while state[PLAYER] != OVER:
        if state[STREET] != street:
            street, known = state[STREET], False
            if street > 0:
                deal_board(
                    3 if street == 1 else 1, 0 if street == 1 else street + 1, me, agent_hand, hands, held
                )
            find_groups(agent, me, street, hands, held)
        if state[PLAYER] == me:
            action = np.int64(CALL)
            if choices.decides[street]:
                if not known:
                    find_equities(me, street, choices.run_outs, evaluator, hands, held)
                    known = True
                action, _ = choose(agent, choices, me, held)
            observe(agent, held.room, state, action, False, random_unit(random))
        else:
            action = agent_acts(agent, agent_hand, held)
        take(state, action)
        held.history[length] = action
        length += 1
    held.counts[LENGTH] = length
    side, won, rest = 1.0 if me == 0 else -1.0, held.score[WON], held.score[REST]
    if state[FOLDER] != NOBODY:
        return won + rest * side * winnings(state, 0)
    street = state[STREET]
    if plain:
        if street < 3:
            deal_board(
                5 - (0 if street == 0 else street + 2),
                0 if street == 0 else street + 2,
                me,
                agent_hand,
                hands,
                held,
            )
        deck[2 * you], deck[2 * you + 1] = hands.low[agent_hand], hands.high[agent_hand]
        return side * winnings(state, lead(deck, evaluator))
    # Boards that were drawn to decide upon are drawn anew: those were chosen for looking good.
    find_equities(me, street, choices.run_outs, evaluator, hands, held)
    mean = 0.0
    for place in range(held.counts[LIVE]):
        hand = held.live[place]
        mean += held.weight[hand] * held.equity[hand]
    return won + rest * mean * min(state[PAID], state[PAID + 1])


@kernel
def respond_hands(start, stop, seed, plain, agent, choices, evaluator, hands, held, results):  # type: ignore[no-untyped-def]
    """Hands `start` to `stop`, seats in turn; what the response wins in each into `results`: float64[hands]."""
    for number in range(start, stop):
        results[number] = respond_hand(
            seed, number, number & 1, plain, agent, choices, evaluator, hands, held
        )
