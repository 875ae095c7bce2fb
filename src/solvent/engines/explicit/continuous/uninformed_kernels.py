"""The value of every hand of an exploiter who does not see what its bets are taken for, between two bounds.

The exploiter knows its bets and the shares that the mapping gives them, so that after a bet it faces a *bundle* of
abstract nodes in which the strategy may believe, the same in everything it has seen. A member's weight is the
product of shares; the other player's reach by hand is in the member's own values. Before the exploiter's first bet
the bundle is one node of weight 1.

`respond` values the root, walking over bundles. Below a bet the value is U(y), y = 1 / (1 + theta): the largest of
many plans' values, each linear in the members' weights and so in y, hence *convex*. So between two sizes U lies
below the straight line through its values there, or through any upper bounds of them, and `peak_between` bounds the
worth of every size between in closed form. The search starts from the members' own sizes, with the informed values
as bounds. It asks for the value at the size where the highest bound is reached, which splits the piece or lowers
the bound, until no bound is above the best value found by more than the tolerance. The bounds hold up to rounding.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.abstraction.betting.translation import lower_share
from solvent.engines.explicit.continuous.informed_kernels import peak_between
from solvent.forms.explicit.tree import DEAL
from solvent.foundation.kernels.compiling import internal, kernel

Array = Any

POINT = np.dtype(
    [
        ("size", np.float64),
        ("folds", np.float64),  # F: the winnings of folds, exact
        ("calls", np.float64),  # C: those of all other answers, from above
        ("asked", np.int64),  # 1 where `calls` is the value found and no informed value
        ("bound", np.float64),  # of the worth of sizes from this point to the next
        ("peak", np.float64),  # the size where the bound is reached
    ]
)
FRAME = np.dtype(
    [
        ("count", np.int64),  # members of the bundle
        ("asked", np.int64),  # questions answered: boards, or actions and sizes
        ("low", np.float64),
        ("high", np.float64),
        ("scale", np.float64),  # the weight of a single member, which is valued at weight 1
        ("size", np.float64),  # of the bet under way
        ("best_size", np.float64),
        ("points", np.int64),  # how many the search has
        ("place", np.int64),  # of the point under way
        ("questions", np.int64),  # in the first frame: how many sizes have been valued in all
    ]
)
MOST_QUESTIONS = 400
"""The most values that a search asks for; it then ends with the bounds that it has."""


class SearchInput(NamedTuple):
    """The arrays that do not change while an exploiter's response is found."""

    nodes: Array
    """`NODE`[nodes], described for the exploiter."""
    worth: Array
    """float64[nodes, hands]: informed values."""
    settings: Array
    """float64[]: the smallest and the largest size, then the tolerance of searches after 0, 1, ... bets."""


class Work(NamedTuple):
    """Scratch space for the bundles and searches of one response, and the values found of single nodes."""

    members: Array
    """int64[levels, most members]: the nodes of the bundle at each level of the walk."""
    weights: Array
    """float64[levels, most members]."""
    frames: Array
    """`FRAME`[levels]: the walk's stack."""
    points: Array
    """`POINT`[bets, most points]: the sizes of the search that is under way after each number of bets."""
    found: Array
    """float64[nodes, hands, 3]: the value of a single node of weight 1 from below and above, NaN where unknown; and
    the size of the best bet found there, 0 where no bet is best."""


@internal
def total_worth(known, work, level, count, hand):  # type: ignore[no-untyped-def]
    """The informed value of a bundle: an upper bound, and its value where it is settled."""
    total = 0.0
    for member in range(count):
        total += work.weights[level, member] * known.worth[work.members[level, member], hand]
    return total


@internal
def total_folded(known, work, level, count, hand):  # type: ignore[no-untyped-def]
    """The value to the exploiter of the folds of a bundle of nodes that face a bet."""
    total = 0.0
    for member in range(count):
        fold = known.nodes[work.members[level, member]].first
        total += work.weights[level, member] * known.worth[fold, hand]
    return total


@internal
def take_child(known, work, level, count, place):  # type: ignore[no-untyped-def]
    """Put child number `place` of every member on the next level."""
    for member in range(count):
        work.members[level + 1, member] = known.nodes[work.members[level, member]].first + place
        work.weights[level + 1, member] = work.weights[level, member]


@internal
def next_size(known, work, level, count, above):  # type: ignore[no-untyped-def]
    """The smallest size larger than `above` that any member has; infinite if there is none."""
    smallest = np.inf
    for member in range(count):
        record = known.nodes[work.members[level, member]]
        for child in range(record.first + record.facing + 1, record.first + record.children):
            size = known.nodes[child].size
            if size > above:
                smallest = min(smallest, size)
                break
    return smallest


@internal
def take_size(known, work, level, count, size):  # type: ignore[no-untyped-def]
    """Put the members' children after a bet of exactly `size` on the next level, and count them."""
    taken = 0
    for member in range(count):
        record = known.nodes[work.members[level, member]]
        for child in range(record.first + record.facing + 1, record.first + record.children):
            if known.nodes[child].size == size:
                work.members[level + 1, taken] = child
                work.weights[level + 1, taken] = work.weights[level, member]
                taken += 1
    return taken


@internal
def translate_size(known, work, level, count, size):  # type: ignore[no-untyped-def]
    """Put the nodes for which the members take a bet of `size` on the next level, and count them."""
    taken = 0
    for member in range(count):
        record = known.nodes[work.members[level, member]]
        weight = work.weights[level, member]
        above = record.first + record.facing + 1
        last = record.first + record.children - 1
        if above > last:
            continue
        while above < last and known.nodes[above].size < size:
            above += 1
        share = 0.0
        if above > record.first + record.facing + 1 and size < known.nodes[above].size:
            share = lower_share(size, known.nodes[above - 1].size, known.nodes[above].size)
            work.members[level + 1, taken] = above - 1
            work.weights[level + 1, taken] = weight * share
            taken += 1
        work.members[level + 1, taken] = above
        work.weights[level + 1, taken] = weight * (1.0 - share)
        taken += 1
    return taken


@internal
def bound_piece(points, place):  # type: ignore[no-untyped-def]
    """Bound the piece from point `place` to the next."""
    left, right = points[place], points[place + 1]
    bound, peak = peak_between(left.size, left.folds, left.calls, right.size, right.folds, right.calls)
    points[place].bound = bound
    points[place].peak = peak


@internal
def add_point(known, work, level, count, hand, search, place, size):  # type: ignore[no-untyped-def]
    """Write the point of `size`, translated on the next level, with its informed value."""
    taken = translate_size(known, work, level, count, size)
    points = work.points[search]
    points[place].size = size
    points[place].folds = total_folded(known, work, level + 1, taken, hand)
    points[place].calls = total_worth(known, work, level + 1, taken, hand)
    points[place].asked = 0


@internal
def start_search(known, work, level, count, hand, search):  # type: ignore[no-untyped-def]
    """Lay out the pieces between all sizes of a bundle, bounded by informed values, and count the points."""
    number = np.int64(0)
    size = known.settings[0]
    while size < known.settings[1]:
        add_point(known, work, level, count, hand, search, number, size)
        number += 1
        size = next_size(known, work, level, count, size)
    add_point(known, work, level, count, hand, search, number, known.settings[1])
    for place in range(number):
        bound_piece(work.points[search], place)
    return number + 1


@internal
def highest_piece(points, number):  # type: ignore[no-untyped-def]
    """The piece with the highest bound."""
    highest = 0
    for place in range(1, number - 1):
        if points[place].bound > points[highest].bound:
            highest = place
    return highest


@internal
def point_to_ask(known, work, level, count, hand, search, number):  # type: ignore[no-untyped-def]
    """The point at the peak of the highest bound, added if it is new, and the number of points."""
    points = work.points[search]
    piece = highest_piece(points, number)
    peak = points[piece].peak
    if peak == points[piece].size:
        return piece, number
    if peak == points[piece + 1].size:
        return piece + 1, number
    for other in range(number, piece + 1, -1):
        points[other] = points[other - 1]
    add_point(known, work, level, count, hand, search, piece + 1, peak)
    return piece + 1, number + 1


@internal
def is_known(known, work, hand, level):  # type: ignore[no-untyped-def]
    """Whether the bundle at a level needs no walk; if so its bounds are written."""
    frame = work.frames[level]
    node = work.members[level, 0]
    if known.nodes[node].settled:
        frame.low = frame.high = total_worth(known, work, level, frame.count, hand)
        return True
    if frame.count == 1 and not np.isnan(work.found[node, hand, 0]):
        frame.low = work.weights[level, 0] * work.found[node, hand, 0]
        frame.high = work.weights[level, 0] * work.found[node, hand, 1]
        return True
    return False


@internal
def open_frame(known, work, level):  # type: ignore[no-untyped-def]
    """Begin the walk below the bundle at a level. A single node is valued at weight 1, to be used again."""
    frame = work.frames[level]
    frame.asked = 0
    frame.low = frame.high = frame.size = frame.best_size = 0.0
    frame.scale = 1.0
    if frame.count == 1:
        frame.scale = work.weights[level, 0]
        work.weights[level, 0] = 1.0


@internal
def next_bet(known, work, exploiter, hand, level):  # type: ignore[no-untyped-def]
    """Put the next size that the search asks for on the next level and count the members; 0 at the search's end."""
    frame = work.frames[level]
    search = known.nodes[work.members[level, 0]].bets
    if frame.asked == 1:
        if next_size(known, work, level, frame.count, 0.0) == np.inf:
            return 0
        frame.points = start_search(known, work, level, frame.count, hand, search)
    points = work.points[search]
    bound = points[highest_piece(points, frame.points)].bound
    if bound > frame.low + known.settings[2 + search] and frame.asked <= MOST_QUESTIONS:
        place, number = point_to_ask(known, work, level, frame.count, hand, search, frame.points)
        frame.points = number
        if not points[place].asked:
            frame.place = place
            frame.size = points[place].size
            return translate_size(known, work, level, frame.count, frame.size)
    frame.high = max(frame.high, bound)
    return 0


@internal
def next_question(known, work, exploiter, hand, level):  # type: ignore[no-untyped-def]
    """Put the next bundle to be valued on the next level and count its members; 0 if all have been."""
    frame = work.frames[level]
    record = known.nodes[work.members[level, 0]]
    if record.kind == DEAL:
        if frame.asked == record.children:
            return 0
        take_child(known, work, level, frame.count, frame.asked)
        return frame.count
    if frame.asked == 0:
        take_child(known, work, level, frame.count, np.int64(record.facing))
        return frame.count
    if record.player == exploiter:
        return next_bet(known, work, exploiter, hand, level)
    frame.size = next_size(known, work, level, frame.count, frame.size)
    if frame.size == np.inf:
        return 0
    return take_size(known, work, level, frame.count, frame.size)


@internal
def take_answer(known, work, exploiter, hand, level):  # type: ignore[no-untyped-def]
    """Use the bounds found one level below."""
    frame = work.frames[level]
    low, high = work.frames[level + 1].low, work.frames[level + 1].high
    node = work.members[level, 0]
    record = known.nodes[node]
    frame.asked += 1
    if record.kind == DEAL or record.player != exploiter:
        frame.low += low
        frame.high += high
    elif frame.asked == 1:
        frame.low, frame.high = low, high
        if record.facing:
            # Folding, in units after calling.
            folded = total_folded(known, work, level, frame.count, hand) / (1.0 + 2.0 * record.size)
            frame.low, frame.high = max(low, folded), max(high, folded)
    else:
        points, place = work.points[record.bets], frame.place
        work.frames[0].questions += 1
        points[place].calls = min(points[place].calls, high)
        points[place].asked = 1
        if place > 0:
            bound_piece(points, place - 1)
        if place < frame.points - 1:
            bound_piece(points, place)
        worth = points[place].folds + (1.0 + 2.0 * frame.size) * low
        if worth > frame.low:
            frame.low, frame.best_size = worth, frame.size


@internal
def close_frame(known, work, exploiter, hand, level):  # type: ignore[no-untyped-def]
    """End the walk below the bundle at a level: its bounds in units before a bet that it faces."""
    frame = work.frames[level]
    node = work.members[level, 0]
    record = known.nodes[node]
    frame.high = max(frame.high, frame.low)  # They may cross by rounding.
    if record.kind != DEAL and record.player == exploiter:
        frame.low *= 1.0 + 2.0 * record.size
        frame.high *= 1.0 + 2.0 * record.size
    if frame.count == 1:
        work.found[node, hand, 0], work.found[node, hand, 1] = frame.low, frame.high
        work.found[node, hand, 2] = frame.best_size
        work.weights[level, 0] = frame.scale
        frame.low *= frame.scale
        frame.high *= frame.scale


@kernel
def respond(known, work, exploiter, bounds):  # type: ignore[no-untyped-def]
    """Fill bounds, float64[hands, 2], with the winnings of the exploiter's hands from the root, below and above.

    A bundle's value is in units of what each player has paid; at nodes of the other player that face a bet it is
    without the fold. The walk is a recursion over bundles, written with a stack of frames.
    """
    for hand in range(bounds.shape[0]):
        level = np.int64(0)  # A literal would have everything below compiled once more.
        work.members[0, 0], work.weights[0, 0] = 0, 1.0
        work.frames[0].count = 1
        if is_known(known, work, hand, level):
            level -= 1
        else:
            open_frame(known, work, level)
        while level >= 0:
            taken = next_question(known, work, exploiter, hand, level)
            if taken:
                work.frames[level + 1].count = taken
                if not is_known(known, work, hand, level + 1):
                    level += 1
                    open_frame(known, work, level)
                    continue
            else:
                close_frame(known, work, exploiter, hand, level)
                level -= 1
            if level >= 0:
                take_answer(known, work, exploiter, hand, level)
        bounds[hand, 0], bounds[hand, 1] = work.frames[0].low, work.frames[0].high
