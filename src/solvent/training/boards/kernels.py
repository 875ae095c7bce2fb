"""The walk of public sampling: one board, its hands, every line of betting (Johanson et al. 2012).

The hands are all that the board leaves, or those of some cards (`dealing`), the same for both players.

For each player i, with pi the players' reaches by hand and compatible hands h' of the other player j,

    v(h, a)  = sum over h' of pi_j(h') u(h, h')              behind action a, summed over all terminals
    R(b, a) += w_R  sum over h in b of (v(h, a) - v(h))
    S(b, a) += w_S  sum over h in b of pi_i(h) sigma(b, a)

Both players' tables are updated in one walk, from the strategies that the walk began with; where decisions share
rows, later ones see what earlier ones have added.

Hands of one bucket play the same strategy within a street, so that most work is done by bucket: with f(b, s) the
probability of the own sequence s in a street tree, pi(h) is h's reach at the beginning of the street times f, and
the sum of v over a bucket obeys the same recursion as v itself. Work by hand remains at the beginning of a street
and at the ends of hands, where the sequences of the other player are lanes of one sweep over all hands
(`lane_code`).

A hand that is all in before the river is shown on the board that was drawn. That is unbiased and costs one more
lane of a sweep; the exact equity would take 48 boards from the turn on, 1,176 from the flop and millions before it.

Lines that the other player takes with no hand are not walked. To walk lines of little reach only sometimes, with a
weight that makes up for it, would be unbiased too, but it does not pay: where fewer than 3 % of all hands come,
that saves a third of a board's time and more than doubles the variance of what is added to the tables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.sampled.kernels import add_to_sum, match_regrets
from solvent.engines.vectors import sweep_instructions as _sweep_code
from solvent.engines.vectors.code import WIDTH
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.randomness import iteration_key, random_float
from solvent.training.boards import lane_code as _lane_code
from solvent.training.boards.dealing import STREETS, draw_board, find_board_buckets, sort_hands
from solvent.training.kernels import iteration_terms

lanes: Any = _lane_code
sweeps: Any = _sweep_code
"""Intrinsics, whose types only the compiler knows."""
CARDS = 52
RUNNING = 4
"""Running sums of a bucket, a power of 2."""


class BoardWorkspace(NamedTuple):
    """One thread's memory. What is by player and bucket has `stride` numbers for the sequences of a bucket."""

    reach: NDArray[np.float32]
    """float32[STREETS, 2, slots]: the reach of each hand at the beginning of the street."""
    value: NDArray[np.float32]
    """float32[STREETS, 2, slots]: what each hand wins from there on."""
    reach_sum: NDArray[np.float32]
    """float32[STREETS, 2, buckets x stride]: the sum of `reach` over a bucket, in the first of its numbers."""
    strategy: NDArray[np.float32]
    """float32[STREETS x 2 x buckets x stride]: sigma, by the sequence that an action leads to."""
    chance: NDArray[np.float32]
    """float32[likewise]: f(b, s), the probability of each sequence."""
    won: NDArray[np.float32]
    """float32[likewise]: the sum over the bucket of what is won behind each sequence."""
    walked: NDArray[np.bool_]
    """bool[likewise]: whether no action of the sequence is left out; only with a regret floor."""
    pays: NDArray[np.float32]
    """float32[2, buckets x stride]: what a bucket is paid in each lane for `shown` and for `all`."""
    sums: NDArray[np.float32]
    """float32[2, 2 x buckets x stride]: `shown` and `all` of each lane, summed over the bucket's hands in even
    slots, and then over those in odd slots."""
    lane: NDArray[np.int64]
    """int64[stride]: the lane of each sequence of the other player; -1 for none."""
    lane_chance: NDArray[np.float32]
    """float32[buckets x stride]: the other player's chances by lane."""
    lane_reach: NDArray[np.float32]
    """float32[slots x WIDTH]"""
    lane_won: NDArray[np.float32]
    """float32[slots x WIDTH]"""
    lane_sums: NDArray[np.float32]
    """float32[(1 + CARDS) x WIDTH]"""
    learns: NDArray[np.bool_]
    """bool[2]: whether the walk is for a player: values are found and regrets learned for these alone."""
    needed: NDArray[np.bool_]
    """bool[STREETS, 2]: whether the walk is for the player and the other one reaches the street tree, so that there
    is something to win."""
    tree: NDArray[np.int64]
    """int64[STREETS]: the street tree that is being walked on each street."""
    deal: NDArray[np.int64]
    """int64[STREETS]: its next deal."""
    random: NDArray[np.uint64]
    """uint64[1]: the counter of the random stream."""
    touched: NDArray[np.int64]
    """int64[1]: rows touched."""


def board_workspace(slots: int, buckets: int, stride: int) -> BoardWorkspace:
    """Memory for one thread; `buckets` is the most that occur on any street of a board."""
    numbers = buckets * stride
    return BoardWorkspace(
        np.zeros((STREETS, 2, slots), dtype=np.float32),
        np.zeros((STREETS, 2, slots), dtype=np.float32),
        np.zeros((STREETS, 2, numbers), dtype=np.float32),
        np.zeros(STREETS * 2 * numbers, dtype=np.float32),
        np.zeros(STREETS * 2 * numbers, dtype=np.float32),
        np.zeros(STREETS * 2 * numbers, dtype=np.float32),
        np.zeros(STREETS * 2 * numbers, dtype=np.bool_),
        np.zeros((2, numbers), dtype=np.float32),
        np.zeros((2, 2 * numbers), dtype=np.float32),
        np.zeros(stride, dtype=np.int64),
        np.zeros(numbers, dtype=np.float32),
        np.zeros(slots * WIDTH, dtype=np.float32),
        np.zeros(slots * WIDTH, dtype=np.float32),
        np.zeros((1 + CARDS) * WIDTH, dtype=np.float32),
        np.ones(2, dtype=np.bool_),
        np.zeros((STREETS, 2), dtype=np.bool_),
        np.zeros(STREETS, dtype=np.int64),
        np.zeros(STREETS, dtype=np.int64),
        np.zeros(1, dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )


class BoardWeights(NamedTuple):
    """Weights of one board, and the actions that its walk leaves out."""

    regret: np.float32
    """w_R"""
    average: np.float32
    """w_S"""
    least: np.float32
    """The least probability of an action."""
    lowest: np.float32
    """Actions of regret below it are left out, as `engines.sampled.kernels.traverse` does; 0 for none."""


@internal
def numbers_at(space, street, player):  # type: ignore[no-untyped-def]
    """Find where a player's numbers of a street begin in arrays by player and bucket."""
    return (street * 2 + player) * space.pays.shape[1]


@internal
def play_street(trees, tree, hands, space, tables, weights):  # type: ignore[no-untyped-def]
    """Regret matching at every row of a street tree; the chances of sequences, and the sums of the average."""
    stride = trees.stride
    street, empty = tree.street, tree.sequences
    buckets, starts = hands.counts[1 + street], hands.start[street]
    floors = weights.lowest < 0 and weights.least == 0 and street < STREETS - 1
    for player in range(2):
        base = numbers_at(space, street, player)
        for bucket in range(buckets):
            first = base + bucket * stride
            for sequence in range(empty[player] + 1):
                space.won[first + sequence] = 0
            space.chance[first + empty[player]] = 1
            if weights.lowest < 0:
                space.walked[first + empty[player]] = True
    for k in range(tree.first_decision, tree.first_decision + tree.decisions):
        decision = trees.decision[k]
        player, actions = decision.player, decision.actions
        base, table = numbers_at(space, street, player), tables[player]
        for bucket in range(buckets):
            row = starts[bucket] + decision.row
            numbers = base + bucket * stride
            first = numbers + decision.first
            match_regrets(table, row, actions, weights.least, space.strategy, first)
            chance = space.chance[numbers + decision.parent]
            for action in range(actions):
                space.chance[first + action] = chance * space.strategy[first + action]
            added = weights.average * space.reach_sum[street, player, bucket * stride]
            if added * chance > 0:
                for action in range(actions):
                    add_to_sum(
                        table, row + actions + action, added * space.chance[first + action], space.random
                    )
            if weights.lowest < 0:
                mark_walked(decision, numbers, table, row, weights.lowest, floors, space)
    space.touched[0] += tree.decisions * buckets


@internal
def mark_walked(decision, numbers, table, row, lowest, floors, space):  # type: ignore[no-untyped-def]
    """Say which sequences are walked: all actions, if no regret is positive; else those of enough regret, or that
    end the hand."""
    best = np.float32(0)
    for action in range(decision.actions):
        best = max(best, table[row + action])
    for action in range(decision.actions):
        worth = not floors or best <= 0 or table[row + action] >= lowest or decision.ends >> action & 1 == 1
        space.walked[numbers + decision.first + action] = space.walked[numbers + decision.parent] and worth


@internal
def pick_lanes(trees, tree, player, hands, space):  # type: ignore[no-untyped-def]
    """Give a lane to each sequence of the other player that ends hands and that any of its hands takes.

    Writes lanes by sequence, -1 for none, and the chances of the sequences by lane. Returns how many lanes there
    are and how many of them, the first ones, have a showdown.
    """
    stride, street, other = trees.stride, tree.street, 1 - player
    against, buckets = numbers_at(space, street, other), hands.counts[1 + street]
    for sequence in range(tree.sequences[other] + 1):
        space.lane[sequence] = -1
    used = shows = 0
    for shown in range(1, -1, -1):
        for k in range(tree.first_terminal, tree.first_terminal + tree.terminals):
            sequence = trees.terminal[k].sequence[other]
            if trees.terminal[k].shown != shown or space.lane[sequence] >= 0:
                continue
            taken = False
            for bucket in range(buckets):
                chance = space.chance[against + bucket * stride + sequence]
                space.lane_chance[bucket * stride + used] = chance
                taken = taken or chance * space.reach_sum[street, other, bucket * stride] > 0
            if taken:
                space.lane[sequence] = used
                used += 1
        shows = used if shown == 1 else shows
    for bucket in range(buckets):
        for lane in range(used, (used + WIDTH - 1) // WIDTH * WIDTH):
            space.lane_chance[bucket * stride + lane] = 0
    return used, shows


@internal
def sweep_lanes(street, first, shows, held, hands, space, value):  # type: ignore[no-untyped-def]
    """Sweep WIDTH lanes over all hands: add to the sums of buckets, and what they pay to `value`.

    first: the first lane. shows: whether any of them has a showdown. held: the other's reach by hand.
    """
    slots, bucket_at = hands.counts[0], hands.bucket[street]
    lanes.spread(space.lane_reach, held, space.lane_chance, first, bucket_at, slots)
    for k in range(len(space.lane_sums)):
        space.lane_sums[k] = 0
    if shows:
        sweeps.sweep(space.lane_sums, space.lane_reach, hands.card, 0, slots, hands.tie, space.lane_won)
        lanes.collect(
            space.lane_won, space.lane_sums, space.lane_reach, hands.card, slots, bucket_at, first,
            space.pays[0], space.pays[1], space.sums[0], space.sums[1], value,
        )  # fmt: skip
    else:
        sweeps.pile(space.lane_sums, space.lane_reach, hands.card, 0, slots)
        lanes.collect_folds(
            space.lane_won, space.lane_sums, space.lane_reach, hands.card, slots, bucket_at, first,
            space.pays[0], space.pays[1], space.sums[0], space.sums[1], value,
        )  # fmt: skip


@internal
def end_hands(trees, tree, player, hands, space):  # type: ignore[no-untyped-def]
    """Compute the winnings of a player's hands and buckets at the terminals of a street tree."""
    stride, street, other = trees.stride, tree.street, 1 - player
    own, buckets, odd = numbers_at(space, street, player), hands.counts[1 + street], space.pays.shape[1]
    used, shows = pick_lanes(trees, tree, player, hands, space)
    for bucket in range(buckets):
        for lane in range((used + WIDTH - 1) // WIDTH * WIDTH):
            for shown in range(2):
                space.pays[shown, bucket * stride + lane] = 0
                space.sums[shown, bucket * stride + lane] = space.sums[
                    shown, odd + bucket * stride + lane
                ] = 0
    for k in range(tree.first_terminal, tree.first_terminal + tree.terminals):
        terminal = trees.terminal[k]
        lane, sequence, shown = (
            space.lane[terminal.sequence[other]],
            terminal.sequence[player],
            terminal.shown,
        )
        if lane < 0:
            continue
        stake = terminal.stake if shown == 1 or player == 0 else -terminal.stake
        for bucket in range(buckets):
            at = bucket * stride
            space.pays[1 - shown, at + lane] += stake * space.chance[own + at + sequence]
    for first in range(0, used, WIDTH):
        sweep_lanes(
            street,
            first,
            first < shows,
            space.reach[street, other],
            hands,
            space,
            space.value[street, player],
        )
    for k in range(tree.first_terminal, tree.first_terminal + tree.terminals):
        terminal = trees.terminal[k]
        lane, sequence, shown = (
            space.lane[terminal.sequence[other]],
            terminal.sequence[player],
            terminal.shown,
        )
        if lane < 0:
            continue
        stake = terminal.stake if shown == 1 or player == 0 else -terminal.stake
        for bucket in range(buckets):
            at = bucket * stride
            won = space.sums[1 - shown, at + lane] + space.sums[1 - shown, odd + at + lane]
            space.won[own + at + sequence] += stake * won


@internal
def add_by_bucket(numbers, street, stride, hands, sums):  # type: ignore[no-untyped-def]
    """Add up a number of each hand over the hands of each bucket, into sums[bucket x stride]; returns the total.

    Hands that follow one another often share a bucket. Each bucket has several running sums, so that an addition
    seldom waits for the one before.
    """
    bucket_at, total = hands.bucket[street], np.float32(0)
    for bucket in range(hands.counts[1 + street]):
        for k in range(RUNNING):
            sums[bucket * stride + k] = 0
    for slot in range(hands.counts[0]):
        sums[bucket_at[slot] + (slot & RUNNING - 1)] += numbers[slot]
    for bucket in range(hands.counts[1 + street]):
        for k in range(1, RUNNING):
            sums[bucket * stride] += sums[bucket * stride + k]
        total += sums[bucket * stride]
    return total


@internal
def begin_street(deal, street, stride, hands, space, lowest):  # type: ignore[no-untyped-def]
    """Give every hand its reach behind a deal; False if there is nothing to do there.

    Where no opponent of a player who learns comes with any hand no number would change. With a regret floor a
    street tree is also left out if all buckets of a player have left out an action on the way.
    """
    if lowest < 0:
        for player in range(2):
            base, some = numbers_at(space, street, player) + deal.sequence[player], False
            for bucket in range(hands.counts[1 + street]):
                some = some or space.walked[base + bucket * stride]
            if not some:
                return False
    here, reached = hands.bucket[street], False
    for player in range(2):
        base = numbers_at(space, street, player) + deal.sequence[player]
        before, after = space.reach[street, player], space.reach[street + 1, player]
        for slot in range(hands.counts[0]):
            after[slot] = before[slot] * space.chance[base + here[slot]]
        total = add_by_bucket(after, street + 1, stride, hands, space.reach_sum[street + 1, player])
        space.needed[street + 1, 1 - player] = space.learns[1 - player] and total > 0
        reached = reached or space.needed[street + 1, 1 - player]
    return reached


@internal
def take_back(deal, street, stride, hands, space):  # type: ignore[no-untyped-def]
    """Add what hands win behind a deal to their values on the street before it."""
    bucket_at, sums = hands.bucket[street], space.sums[0]
    for player in range(2):
        if not space.needed[street + 1, player]:
            continue
        base = numbers_at(space, street, player) + deal.sequence[player]
        below, value = space.value[street + 1, player], space.value[street, player]
        for slot in range(hands.counts[0]):
            value[slot] += space.chance[base + bucket_at[slot]] * below[slot]
        add_by_bucket(below, street, stride, hands, sums)
        for bucket in range(hands.counts[1 + street]):
            space.won[base + bucket * stride] += sums[bucket * stride]


@internal
def learn_street(trees, tree, hands, space, tables, weights):  # type: ignore[no-untyped-def]
    """Update the regrets of a street tree, last decisions first."""
    stride = trees.stride
    street = tree.street
    buckets, starts = hands.counts[1 + street], hands.start[street]
    for k in range(tree.first_decision + tree.decisions - 1, tree.first_decision - 1, -1):
        decision = trees.decision[k]
        player, actions = decision.player, decision.actions
        if not space.needed[street, player]:
            continue
        base, weight, table = numbers_at(space, street, player), weights.regret, tables[player]
        for bucket in range(buckets):
            numbers = base + bucket * stride
            first, row = numbers + decision.first, starts[bucket] + decision.row
            value = np.float32(0)
            for action in range(actions):
                value += space.strategy[first + action] * space.won[first + action]
            for action in range(actions):
                if weights.lowest == 0 or space.walked[first + action]:
                    table[row + action] += weight * (space.won[first + action] - value)
            space.won[numbers + decision.parent] += value


@internal
def open_street(trees, tree, hands, space, tables, weights):  # type: ignore[no-untyped-def]
    """Walk down a street tree: play it, and end the hands that end there."""
    play_street(trees, tree, hands, space, tables, weights)
    for player in range(2):
        if space.needed[tree.street, player]:
            for slot in range(hands.counts[0]):
                space.value[tree.street, player, slot] = 0
            if tree.terminals > 0:
                end_hands(trees, tree, player, hands, space)
    space.deal[tree.street] = tree.first_deal


@kernel
def walk_board(trees, hands, space, tables, weights):  # type: ignore[no-untyped-def]
    """Walk the betting tree once for all hands of a board, and update the tables of the players who learn.

    trees: `StreetTrees`. hands: `BoardHands`, dealt. tables: float32[numbers] of each player; when both learn they
    may be one. weights: `BoardWeights`.
    """
    street, stride = np.int64(0), trees.stride
    for player in range(2):
        space.needed[0, player] = space.learns[player]
        for slot in range(hands.counts[0]):
            space.reach[0, player, slot] = 1
        add_by_bucket(space.reach[0, player], 0, stride, hands, space.reach_sum[0, player])
    space.tree[0] = 0
    open_street(trees, trees.tree[0], hands, space, tables, weights)
    while True:
        tree = trees.tree[space.tree[street]]
        if space.deal[street] < tree.first_deal + tree.deals:
            deal = trees.deal[space.deal[street]]
            if begin_street(deal, street, trees.stride, hands, space, weights.lowest):
                street += 1
                space.tree[street] = deal.tree
                open_street(trees, trees.tree[deal.tree], hands, space, tables, weights)
            else:
                space.deal[street] += 1
            continue
        learn_street(trees, tree, hands, space, tables, weights)
        if street == 0:
            return
        street -= 1
        take_back(trees.deal[space.deal[street]], street, stride, hands, space)
        space.deal[street] += 1


@internal
def board_weights(terms, hands):  # type: ignore[no-untyped-def]
    """The weights of a board, so that it counts on average what a deal of external sampling counts.

    A deal is one of the n hands of the player and one of the m hands that it leaves to the other, of which this
    walk takes all: regrets are divided by n m, and averages by n. terms: as `iteration_terms` returns them.
    """
    weight, least, lowest = terms
    left, average = hands.hole_cards - 2, weight / np.float32(hands.counts[0])
    return BoardWeights(average / np.float32(left * (left - 1) // 2), average, least, lowest)


@internal
def deal_board(key, stride, hands, space, layout, lookup, evaluator):  # type: ignore[no-untyped-def]
    """Draw the board of a key, sort its hands and find their buckets."""
    space.random[0] = key
    draw_board(hands, space.random)
    sort_hands(hands, evaluator)
    find_board_buckets(hands, stride, layout, lookup)


@kernel
def board_iterations(start, end, seed, options, trees, hands, space, blueprint, lookup, evaluator):  # type: ignore[no-untyped-def]
    """Iterations `start` to `end`: each draws a board and walks it for both players.

    options: `IterationOptions`. hands: `BoardHands`, space. blueprint: `BlueprintArrays`.
    """
    tables = (blueprint.table, blueprint.table)
    for iteration in range(start, end):
        deal_board(
            iteration_key(seed, iteration), trees.stride, hands, space, blueprint.layout, lookup, evaluator
        )
        terms = iteration_terms(iteration, options, random_float(space.random))
        walk_board(trees, hands, space, tables, board_weights(terms, hands))


@internal
def board_value(player, hands, space):  # type: ignore[no-untyped-def]
    """Compute a player's winnings on the board that was walked, in chips per deal."""
    total = np.float64(0)
    for slot in range(hands.counts[0]):
        total += space.value[0, player, slot]
    left = hands.hole_cards - 2
    return total / (hands.counts[0] * (left * (left - 1) // 2))


class Boards(NamedTuple):
    """The boards of a response, and what each counts."""

    seed: int
    clock: int
    """Board i counts clock + i + 1 in the player's regrets; below 0 nothing is learned."""
    player: int


@kernel
def respond_on_boards(start, end, boards, trees, hands, space, tables, layout, lookup, evaluator, values):  # type: ignore[no-untyped-def]
    """Walk boards `start` to `end` for one player alone; the opponent does not learn.

    boards: `Boards`. hands, space: one thread's memory, whose players who learn are set here. tables: of both
    players, probabilities standing where regrets do for the opponent. values: float64[end - start], to which
    the player's winnings on each board are written, in chips per deal.
    """
    for who in range(2):
        space.learns[who] = who == boards.player
    none = np.float32(0)
    for board in range(start, end):
        deal_board(iteration_key(boards.seed, board), trees.stride, hands, space, layout, lookup, evaluator)
        weight = np.float32(boards.clock + board + 1) if boards.clock >= 0 else none
        weights = BoardWeights(board_weights((weight, none, none), hands).regret, none, none, none)
        walk_board(trees, hands, space, tables, weights)
        values[board - start] = board_value(boards.player, hands, space)
