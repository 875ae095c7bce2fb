"""No-limit hold'em betting, compiled: positions, legal actions, and the betting tree of a set of bet sizes.

The rules are those of `solvent.games.betting.rules`, the Python twin that the tests compare with on random hands.
A position is an int64 array of `NUMBERS` numbers, so that a kernel keeps one for a whole match and changes it in
place. Training, agents, expected matches and local best response all play by these functions, and `grow_tree`
builds betting trees with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.kernels.compiling import internal, kernel
from solvent.games.betting.rules import CALL, FOLD, NOBODY, STREETS, HoldemRules
from solvent.games.betting.sizes import BettingAbstraction, size_total
from solvent.games.game import TERMINAL

STREET, PLAYER, PAID, BASE, RAISED, RAISES, OPENED, FOLDER, STACK, SMALL, BIG, LAST = (
    0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 13,
)  # fmt: skip
"""Places of a position's numbers.

STREET      the street being bet on, 0 to 3
PLAYER      who acts; `OVER` when the betting has ended
PAID        two numbers: what each player has put in since the hand began
BASE        what each player had put in when the street began (0 before the flop, where the blinds are bets)
RAISED      the largest bet or raise of the street; the next is at least as large
RAISES      bets and raises made on the street
OPENED      1 once somebody has acted on the street
FOLDER      who folded, or `NOBODY`
STACK       two numbers: each player's stack at the beginning of the hand
SMALL, BIG  the blinds
LAST        the last street that is bet on
"""
NUMBERS = 14
OVER = TERMINAL
"""The player to act when the betting has ended."""

DECISION, FOLDED, SHOWDOWN, DEAL = 0, 1, 2, 3
"""Kinds of betting nodes."""
BETTING_NODE = np.dtype(
    [
        ("actions", np.int16),
        ("kind", np.int8),
        ("player", np.int8),
        ("street", np.int8),
        ("first_edge", np.int32),
        ("parent", np.int32),
        ("end", np.int32),
        ("row", np.int32),
        ("paid", np.int32, (2,)),
    ],
    align=True,
)
"""A betting node, 32 bytes, so that all a kernel reads of a node lies in one or two cache lines.

actions     how many actions a decision has; 0 elsewhere
kind        `DECISION`, `FOLDED`, `SHOWDOWN` or `DEAL`
player      who decides; who folded at a `FOLDED` node; -1 elsewhere
street      the street being bet on; at a `DEAL` node the street that ends there
first_edge  where the node's actions begin among the edges
parent      the node above; -1 for the root
end         one past the last node of the subtree
row         where a decision's row begins among the numbers of one bucket (see `solvent.forms.sampled`)
paid        what each player has put in, in chips, uncalled chips included
"""
BETTING_EDGE = np.dtype([("action", np.int32), ("behind", np.int32)], align=True)
"""An action of a decision: `FOLD`, `CALL` or the total raised to, ascending; and the node behind it or its deal."""

MOST_PENDING = 1 << 16
"""Positions that wait to be added to a tree at any time, at most."""
PARENT, EDGE_ABOVE, STREET_ABOVE = NUMBERS, NUMBERS + 1, NUMBERS + 2
"""Columns of a pending position besides its own numbers: the node, the edge and the street it comes from."""
PENDING = NUMBERS + 3


class SizeTable(NamedTuple):
    """The bet sizes of an abstraction, by street and by the number of bets or raises made before on the street."""

    lengths: NDArray[np.int64]
    """int64[streets, numbers]: how many sizes there are"""
    unit: NDArray[np.int64]
    """int64[streets, numbers, sizes]"""
    value: NDArray[np.float64]
    """float64[streets, numbers, sizes]"""
    cap: NDArray[np.int64]
    """int64[streets]: the most bets and raises; below 0 for no limit"""


def size_table(abstraction: BettingAbstraction) -> SizeTable:
    """Put the sizes of an abstraction into arrays; a street's last list is repeated where others have more."""
    numbers = max(map(len, abstraction.sizes))
    most = max(1, max(len(sizes) for street in abstraction.sizes for sizes in street))
    lengths = np.zeros((len(STREETS), numbers), dtype=np.int64)
    unit = np.zeros((len(STREETS), numbers, most), dtype=np.int64)
    value = np.zeros((len(STREETS), numbers, most))
    for street, lists in enumerate(abstraction.sizes):
        for number in range(numbers):
            sizes = lists[min(number, len(lists) - 1)]
            lengths[street, number] = len(sizes)
            for place, one in enumerate(sizes):
                unit[street, number, place], value[street, number, place] = one.unit, one.value
    return SizeTable(lengths, unit, value, np.array(abstraction.caps, dtype=np.int64))


def new_position(rules: HoldemRules) -> NDArray[np.int64]:
    """int64[NUMBERS]: room for a position, with the stacks, blinds and streets of no-limit rules filled in."""
    state = np.zeros(NUMBERS, dtype=np.int64)
    state[STACK : STACK + 2] = rules.stacks
    state[SMALL], state[BIG] = rules.blinds
    state[LAST] = rules.streets - 1
    return state


# The rules


@kernel
def begin(state):  # type: ignore[no-untyped-def]
    """Post the blinds."""
    state[STREET] = state[BASE] = state[RAISED] = state[RAISES] = state[OPENED] = 0
    state[FOLDER] = NOBODY
    state[PAID] = first = min(state[STACK], state[SMALL])
    state[PAID + 1] = second = min(state[STACK + 1], state[BIG])
    decides = first < state[STACK] and (first < second or second < state[STACK + 1])
    state[PLAYER] = 0 if decides else OVER


@kernel
def options(state):  # type: ignore[no-untyped-def]
    """(whether folding is legal, chips to call, the least total of a raise or 0, the greatest)."""
    player = state[PLAYER]
    stack, mine, yours = state[STACK + player], state[PAID + player], state[PAID + 1 - player]
    call = max(np.int64(0), min(yours, stack) - mine)
    if stack <= yours or yours == state[STACK + 1 - player]:
        return yours > mine, call, np.int64(0), np.int64(0)
    return yours > mine, call, min(yours + max(state[BIG], state[RAISED]), stack), stack


@kernel
def is_legal(state, action):  # type: ignore[no-untyped-def]
    """Return whether the player to act may take an action."""
    folds, _, least, most = options(state)
    if action <= CALL:
        return action == CALL or (action == FOLD and folds)
    return least > 0 and least <= action <= most


@kernel
def take(state, action):  # type: ignore[no-untyped-def]
    """Take a legal action: the position changes in place."""
    player = state[PLAYER]
    yours = state[PAID + 1 - player]
    if action == FOLD:
        state[FOLDER], state[PLAYER] = player, OVER
        return
    if action > CALL:
        state[RAISED] = max(state[RAISED], action - yours)
        state[RAISES] += 1
        state[PAID + player], state[OPENED], state[PLAYER] = action, 1, 1 - player
        return
    state[PAID + player] = max(state[PAID + player], min(yours, state[STACK + player]))
    all_in = state[PAID] == state[STACK] or state[PAID + 1] == state[STACK + 1]
    if state[OPENED] == 0 and not all_in:
        state[OPENED], state[PLAYER] = 1, 1 - player
    elif all_in or state[STREET] == state[LAST]:
        state[OPENED], state[PLAYER] = 1, OVER
    else:
        state[STREET] += 1
        state[BASE] = state[PAID]
        state[RAISED] = state[RAISES] = state[OPENED] = 0
        state[PLAYER] = 1


@kernel
def winnings(state, lead):  # type: ignore[no-untyped-def]
    """Chips that player 0 wins at the end. lead: above 0 if player 0 has the better hand, 0 if they are equal."""
    stake = min(state[PAID], state[PAID + 1])
    if state[FOLDER] != NOBODY:
        return -stake if state[FOLDER] == 0 else stake
    return stake if lead > 0 else (-stake if lead < 0 else np.int64(0))


# Bet sizes and the tree

total_of_size = internal(size_total)
"""`size_total`, compiled: games and training agree on what a size comes to."""


@kernel
def raise_totals(sizes, state, found):  # type: ignore[no-untyped-def]
    """The totals that the sizes come to in a position, ascending and distinct, into `found`; returns how many."""
    street, raises = state[STREET], state[RAISES]
    _, _, least, _ = options(state)
    cap = sizes.cap[street]
    if least == 0 or (cap >= 0 and raises >= cap):
        return 0
    yours, base = state[PAID + 1 - state[PLAYER]], state[BASE]
    most = min(state[STACK], state[STACK + 1])
    number = min(raises, sizes.lengths.shape[1] - 1)
    count = 0
    for k in range(sizes.lengths[street, number]):
        unit, value = sizes.unit[street, number, k], sizes.value[street, number, k]
        exact = total_of_size(unit, value, 1, yours, base, 2 * yours, state[BIG], most)
        if exact <= yours:
            continue  # no raise at all
        total = np.int64(np.floor(min(exact, np.float64(most)) + 0.5))
        total = max(total, least)
        place = count
        while place > 0 and found[place - 1] >= total:
            place -= 1
        if place < count and found[place] == total:
            continue
        for later in range(count, place, -1):
            found[later] = found[later - 1]
        found[place] = total
        count += 1
    return count


@internal
def push(pending, top, here, action, node, edge):  # type: ignore[no-untyped-def]
    """Put the position behind an action of `here` on the stack; returns the stack's new height."""
    after = pending[top]
    for place in range(NUMBERS):
        after[place] = here[place]
    take(after, action)
    after[PARENT], after[EDGE_ABOVE], after[STREET_ABOVE] = node, edge, here[STREET]
    return top + 1


@internal
def write_node(nodes, node, kind, street, state, parent, first_edge):  # type: ignore[no-untyped-def]
    """Write what is known of a node when it is reached; `actions`, `end` and `row` are filled in later."""
    nodes[node].kind = kind
    nodes[node].street = street
    nodes[node].player = -1
    if kind == DECISION:
        nodes[node].player = state[PLAYER]
    elif kind == FOLDED:
        nodes[node].player = state[FOLDER]
    nodes[node].parent = parent
    nodes[node].first_edge = first_edge
    nodes[node].paid[0] = state[PAID]
    nodes[node].paid[1] = state[PAID + 1]


@kernel
def grow_tree(sizes, limit, pending, here, found, nodes, edges):  # type: ignore[no-untyped-def]
    """Build the tree in preorder, or count it where `nodes` is empty: (nodes, edges), or (-1, -1) above `limit`.

    pending: int64[MOST_PENDING, PENDING], a stack whose first row holds a position with its stacks and blinds.
    here: int64[PENDING], room. found: int64[sizes + 1], room. nodes: `BETTING_NODE`[]. edges: `BETTING_EDGE`[].
    """
    write = len(nodes) > 0
    made = edges_made = np.int64(0)
    begin(pending[0])
    pending[0, PARENT] = pending[0, EDGE_ABOVE] = -1
    pending[0, STREET_ABOVE] = 0
    top = 1
    while top > 0:
        top -= 1
        for place in range(PENDING):
            here[place] = pending[top, place]
        parent, edge = here[PARENT], here[EDGE_ABOVE]
        if here[STREET] > here[STREET_ABOVE]:
            if write:
                write_node(nodes, made, DEAL, here[STREET_ABOVE], here, parent, edges_made)
            parent = made
            made += 1
        node = made
        made += 1
        if made > limit or top + len(found) + 2 > MOST_PENDING:
            return np.int64(-1), np.int64(-1)
        decides = here[PLAYER] != OVER
        if write:
            kind = DECISION if decides else FOLDED if here[FOLDER] != NOBODY else SHOWDOWN
            write_node(nodes, node, kind, here[STREET], here, parent, edges_made)
            if edge >= 0:
                edges[edge].behind = node
        if not decides:
            continue
        folds = options(here)[0]
        totals = raise_totals(sizes, here, found)
        first_edge, call = edges_made, edges_made + (1 if folds else 0)
        edges_made = call + 1 + totals
        if write:
            nodes[node].actions = edges_made - first_edge
            if folds:
                edges[first_edge].action = FOLD
            edges[call].action = CALL
            for k in range(totals):
                edges[call + 1 + k].action = found[k]
        for k in range(totals - 1, -1, -1):  # the last pushed is the first built
            top = push(pending, top, here, found[k], node, call + 1 + k)
        top = push(pending, top, here, CALL, node, call)
        if folds:
            top = push(pending, top, here, FOLD, node, first_edge)
    return made, edges_made


@kernel
def find_ends(nodes):  # type: ignore[no-untyped-def]
    """Fill in `end`: one past the last node of each subtree."""
    for node in range(len(nodes) - 1, -1, -1):
        nodes[node].end = max(nodes[node].end, node + 1)
        parent = nodes[node].parent
        if parent >= 0:
            nodes[parent].end = max(nodes[parent].end, nodes[node].end)
