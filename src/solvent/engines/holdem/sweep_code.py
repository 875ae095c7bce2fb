"""The instructions of a showdown sweep between two lists of hands, terminals as lanes.

WIDTH terminals make a group. Their rows of the other's reach are turned into one vector of lanes for each of the
other's slots, swept from the weakest hand to the strongest, and what the traverser's hands win is turned back into
rows. With P the reach passed so far and P_c that of hands with card c, D(h) = P - P_a - P_b is the reach of hands
passed that share no card with h = (a, b), but for h itself, which is taken away twice. Taken before the hands of
the other that tie with h (D-), after them (D+) and at the end (D*), a showdown pays

    win D- + tie (D+ - D-) + lose (D* - D+)  =  ahead D- + level D+ + behind D*

with ahead = win - tie, level = tie - lose and behind = lose. The traverser's own hand, if the other's reach has it,
is in D+ and D* with the wrong sign: a fold, which pays its stake times D*, adds it back, and so does a showdown,
times what a tie pays, which is nothing without rake.

Sums that should cancel leave a trace of rounding, and regret matching would play it where all actions are worth
nothing, as to a hand that blocks all that the other may hold. So what is paid counts as nothing where it is below
`TRACE` of what the other's whole reach would pay. P itself, the sum over most hands, is kept in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solvent.engines.vectors.code import WIDTH, Code, cgutils, instruction
from solvent.engines.vectors.sweep_instructions import ReachSums, add_slots, apart, cards_of, each_tie

TRACE = {"float": 2.0**-19, "double": 2.0**-48}
"""By number type, a few times the error of a sum over all hands."""


@instruction
def gather(code, lanes, work, source, first, slots):  # type: ignore[no-untyped-def]
    """lanes[i, j] = work[source[first + j] + i] for all slots i, a multiple of WIDTH, and WIDTH lanes j"""
    begin = [source.index(code.plus(first.integer, lane)) for lane in range(WIDTH)]
    with code.each(code.index(0), slots.integer, WIDTH) as slot:
        rows = [code.load(work, code.plus(row, slot)) for row in begin]
        for k, value in enumerate(code.exchanged(rows)):
            code.store(value, lanes, code.row(code.plus(slot, k)))


@instruction
def pile(code, sums, reach, card, start, slots):  # type: ignore[no-untyped-def]
    """Add up the reach of all slots; `card` has the board's first slot at `start`."""
    passed = ReachSums(code, sums, reach, wide=True)
    add_slots(passed, card, start.integer, code.index(0), slots.integer)
    passed.keep()


@instruction
def sweep(code, sums, reach, card, other, won, own, ties, tie_at, pays, first, count, others):  # type: ignore[no-untyped-def]
    """won = ahead D- + level D+ for `count` own slots against the other's `others` slots.

    `card` is (cards of the other's slots, cards by which own slots are valued); they begin at `other` and at `own`.
    `ties` is (tie, below, upto) of own slots, from `tie_at` on; `pays` is (ahead, level), of which lanes begin at
    `first`.
    """
    (other_card, own_card), (tie, below, upto) = card.fields, ties.fields
    other, own, tie_at = other.integer, own.integer, tie_at.integer
    ahead, level = (code.load(pay, first.integer) for pay in pays.fields)
    passed = ReachSums(code, sums, reach, wide=True)
    done = cgutils.alloca_once_value(code.builder, code.index(0))

    def add_until(stop: Any) -> Any:
        add_slots(passed, other_card, other, code.builder.load(done), stop)
        code.builder.store(stop, done)
        return passed.read()

    def met(everyone: Any, slot: Any) -> Any:
        return apart(code, everyone, sums, cards_of(code, own_card, code.plus(own, slot)))

    with each_tie(code, count.integer, lambda now: tie.index(code.plus(tie_at, now))) as (now, end):
        weaker = add_until(below.index(code.plus(tie_at, now)))
        with code.each(now, end) as slot:
            code.store(code.builder.fmul(met(weaker, slot), ahead), won, code.row(slot))
        upto_here = add_until(upto.index(code.plus(tie_at, now)))
        with code.each(now, end) as slot:
            code.add_to(won, code.row(slot), code.builder.fmul(met(upto_here, slot), level))
    add_until(others.integer)
    passed.keep()


def _trace(code: Code, everyone: Any, paid: Any) -> Any:
    """The size up to which a number counts as nothing in each lane, from the whole reach and what it pays."""
    numbers = code.numbers
    whole = numbers.multiply(numbers.multiply(everyone, paid), numbers.constant(TRACE[str(code.element)]))
    return numbers.larger(whole, numbers.subtract(numbers.constant(0.0), whole))


def _cut(code: Code, value: Any, trace: Any) -> Any:
    """The value, or 0 where it is but a trace."""
    numbers = code.numbers
    size = numbers.larger(value, numbers.subtract(numbers.constant(0.0), value))
    return numbers.where(size, trace, value, numbers.constant(0.0))


@instruction
def give_showdowns(code, sums, reach, card, start, same, work, rows, pays, first, slots, won):  # type: ignore[no-untyped-def]
    """work[rows[first + j] + i] = won + behind D* + tie x own reach for all slots i and WIDTH lanes j.

    `pays` is (behind, tie), or (behind,) where a tie pays nothing; lanes begin at `first`.
    """
    builder = code.builder
    behind, *tie = (code.load(pay, first.integer) for pay in pays.fields)

    def paid(at: Any, place: Any, total: Any) -> Any:
        found = builder.fadd(code.load(won, code.row(at)), builder.fmul(total, behind))
        for pay in tie:
            found = builder.fadd(found, builder.fmul(code.load(reach, code.row(same.index(place))), pay))
        return found

    _give_rows(code, behind, paid)


@instruction
def give_folds(code, sums, reach, card, start, same, work, rows, stakes, first, slots):  # type: ignore[no-untyped-def]
    """work[rows[first + j] + i] = stake (D* + own reach) for all slots i and WIDTH lanes j."""
    stake = code.load(stakes, first.integer)

    def paid(at: Any, place: Any, total: Any) -> Any:
        own = code.load(reach, code.row(same.index(place)))
        return code.builder.fmul(code.builder.fadd(total, own), stake)

    _give_rows(code, stake, paid)


def _give_rows(code: Code, pay: Any, paid: Callable[[Any, Any, Any], Any]) -> None:
    """work[rows[first + j] + i] = paid(i, its place, D*), 0 for traces, for all slots i and WIDTH lanes j.

    A trace is measured by `pay`, what the whole reach pays in each lane for a hand of it.
    """
    sums, _, card, start, _, work, rows, _, first, slots, *_ = code.parameters
    everyone = code.load(sums, code.index(0))
    trace = _trace(code, everyone, pay)
    begin = [rows.index(code.plus(first.integer, lane)) for lane in range(WIDTH)]
    with code.each(code.index(0), slots.integer, WIDTH) as slot:
        squared = []
        for k in range(WIDTH):
            at = code.plus(slot, k)
            place = code.plus(start.integer, at)
            total = apart(code, everyone, sums, cards_of(code, card, place))
            squared.append(_cut(code, paid(at, place, total), trace))
        for lane, row in enumerate(code.exchanged(squared)):
            code.store(row, work, code.plus(begin[lane], slot))


@instruction
def weigh_rows(code, work, target, source, matrix, at, rows, columns, factor):  # type: ignore[no-untyped-def]
    """out[i] = factor sum_j matrix[at + i columns + j] in[j]; rows and columns are multiples of WIDTH"""
    builder, columns, factor = code.builder, columns.integer, code.numbers.splat(factor.scalar)
    with code.each(code.index(0), rows.integer, WIDTH) as row:
        begin = _matrix_rows(code, at.integer, row, columns)
        totals = [code.variable() for _ in range(WIDTH)]
        with code.each(code.index(0), columns, WIDTH) as column:
            reach = code.load(work, code.plus(source.integer, column))
            for start, total in zip(begin, totals, strict=True):
                product = builder.fmul(code.load(matrix, code.plus(start, column)), reach)
                builder.store(builder.fadd(builder.load(total), product), total)
        added = code.numbers.add(*code.exchanged([builder.load(total) for total in totals]))
        code.store(builder.fmul(added, factor), work, code.plus(target.integer, row))


@instruction
def weigh_columns(code, work, target, source, matrix, at, rows, columns, factor):  # type: ignore[no-untyped-def]
    """out[j] = factor sum_i matrix[at + i columns + j] in[i]; rows and columns are multiples of WIDTH"""
    builder, columns, factor = code.builder, columns.integer, code.numbers.splat(factor.scalar)
    with code.each(code.index(0), columns, WIDTH) as column:
        code.store(code.numbers.constant(0.0), work, code.plus(target.integer, column))
    with code.each(code.index(0), rows.integer, WIDTH) as row:
        begin = _matrix_rows(code, at.integer, row, columns)
        places = [code.plus(source.integer, code.plus(row, k)) for k in range(WIDTH)]
        weights = [builder.fmul(code.repeated(work, place), factor) for place in places]
        with code.each(code.index(0), columns, WIDTH) as column:
            place = code.plus(target.integer, column)
            total = code.load(work, place)
            for start, weight in zip(begin, weights, strict=True):
                total = builder.fadd(total, builder.fmul(code.load(matrix, code.plus(start, column)), weight))
            code.store(total, work, place)


def _matrix_rows(code: Code, at: Any, row: Any, columns: Any) -> list[Any]:
    """The places where WIDTH rows of a matrix begin."""
    return [code.plus(at, code.builder.mul(code.plus(row, k), columns)) for k in range(WIDTH)]
