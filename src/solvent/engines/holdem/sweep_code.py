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

from llvmlite import ir
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

from solvent.engines.vectors.elementwise import WIDTH
from solvent.engines.vectors.sweep_instructions import Code, Table, generated

cgutils: Any = _cgutils

TRACE = {"float": 2.0**-19, "double": 2.0**-48}
"""By number type, a few times the error of a sum over all hands."""


class _Everyone:
    """P, the reach of all slots passed so far, in float64; `sums` and `reach` are the first two parameters."""

    def __init__(self, code: Code) -> None:
        self.code, self.vector = code, ir.VectorType(ir.DoubleType(), WIDTH)
        self.narrow = isinstance(code.element, ir.FloatType)
        self.total = cgutils.alloca_once_value(code.builder, ir.Constant(self.vector, [0.0] * WIDTH))

    def add(self, slot: Any, cards: tuple[Any, Any]) -> None:
        """P, P_a and P_b grow by the reach of a slot."""
        code, builder = self.code, self.code.builder
        sums, reach = code.data(0), code.load(code.data(1), code.row(slot))
        wide = builder.fpext(reach, self.vector) if self.narrow else reach
        builder.store(builder.fadd(builder.load(self.total), wide), self.total)
        for card in cards:
            code.store(builder.fadd(code.load(sums, card), reach), sums, card)

    def read(self) -> Any:
        """P in the number type of the pass."""
        total = self.code.builder.load(self.total)
        return self.code.builder.fptrunc(total, self.code.vector) if self.narrow else total


@intrinsic
def gather(typing, lanes, work, source, first, slots):  # type: ignore[no-untyped-def]
    """lanes[i, j] = work[source[first + j] + i] for all slots i, a multiple of WIDTH, and WIDTH lanes j"""

    def write(code: Code) -> None:
        begin = [code.read_integer(2, code.plus(code.integer(3), lane)) for lane in range(WIDTH)]
        with code.each(code.index(0), code.integer(4), WIDTH) as slot:
            rows = [code.load(code.data(1), code.plus(row, slot)) for row in begin]
            for k, value in enumerate(code.exchanged(rows)):
                code.store(value, code.data(0), code.row(code.plus(slot, k)))

    return generated((lanes, work, source, first, slots), 0, write)


@intrinsic
def pile(typing, sums, reach, card, start, slots):  # type: ignore[no-untyped-def]
    """Add up the reach of all slots; `card` has the board's first slot at `start`."""

    def write(code: Code) -> None:
        start, everyone = code.integer(3), _Everyone(code)
        with code.each(code.index(0), code.integer(4)) as slot:
            everyone.add(slot, code.cards(2, code.plus(start, slot)))
        code.store(everyone.read(), code.data(0), code.index(0))

    return generated((sums, reach, card, start, slots), 0, write)


@intrinsic
def sweep(typing, sums, reach, card, other, won, own, ties, tie_at, pays, first, count, others):  # type: ignore[no-untyped-def]
    """won = ahead D- + level D+ for `count` own slots against the other's `others` slots.

    `card` is (cards of the other's slots, cards by which own slots are valued); they begin at `other` and at `own`.
    `ties` is (tie, below, upto) of own slots, from `tie_at` on; `pays` is (ahead, level), of which lanes begin at
    `first`.
    """
    kinds = (sums, reach, card, other, won, own, ties, tie_at, pays, first, count, others)

    def write(code: Code) -> None:
        builder = code.builder
        other, won, own, tie_at = code.integer(3), code.data(4), code.integer(5), code.integer(7)
        count, others = code.integer(10), code.integer(11)
        ahead, level = (code.load(code.data(8, k), code.integer(9)) for k in range(2))
        everyone = _Everyone(code)
        passed = cgutils.alloca_once_value(builder, code.index(0))
        begin = cgutils.alloca_once_value(builder, code.index(0))
        test, body, done = (builder.append_basic_block(name) for name in ("test", "body", "done"))

        def add_until(stop: Any) -> Any:
            with code.each(builder.load(passed), stop) as slot:
                everyone.add(slot, code.cards(2, code.plus(other, slot), 0))
            builder.store(stop, passed)
            return everyone.read()

        def apart(everyone: Any, slot: Any) -> Any:
            return code.apart(everyone, code.data(0), code.cards(2, code.plus(own, slot), 1))

        builder.branch(test)
        builder.position_at_end(test)
        now = builder.load(begin)
        builder.cbranch(builder.icmp_signed("<", now, count), body, done)
        builder.position_at_end(body)
        end, below, upto = (code.read_integer(6, code.plus(tie_at, now), k) for k in range(3))
        weaker = add_until(below)
        with code.each(now, end) as slot:
            code.store(builder.fmul(apart(weaker, slot), ahead), won, code.row(slot))
        upto_here = add_until(upto)
        with code.each(now, end) as slot:
            before, paid = code.load(won, code.row(slot)), builder.fmul(apart(upto_here, slot), level)
            code.store(builder.fadd(before, paid), won, code.row(slot))
        builder.store(end, begin)
        builder.branch(test)
        builder.position_at_end(done)
        code.store(add_until(others), code.data(0), code.index(0))

    return generated(kinds, 0, write)


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


def _give_rows(code: Code, paid: Any, value: Callable[[Any, Any, Any], Any]) -> None:
    """work[rows[first + j] + i] = value(i, place of i, D*) for all slots i and WIDTH lanes j, without traces.

    A trace is measured by `paid`, what a hand of the whole reach pays in each lane. The parameters of an intrinsic
    begin with sums, reach, card, start, same, work, rows, pays, first, slots.
    """
    everyone = code.load(code.data(0), code.index(0))
    trace = _trace(code, everyone, paid)
    begin = [code.read_integer(6, code.plus(code.integer(8), lane)) for lane in range(WIDTH)]
    with code.each(code.index(0), code.integer(9), WIDTH) as slot:
        squared = []
        for k in range(WIDTH):
            at = code.plus(slot, k)
            place = code.plus(code.integer(3), at)
            total = code.apart(everyone, code.data(0), code.cards(2, place))
            squared.append(_cut(code, value(at, place, total), trace))
        for lane, row in enumerate(code.exchanged(squared)):
            code.store(row, code.data(5), code.plus(begin[lane], slot))


def _own_reach(code: Code, place: Any) -> Any:
    """The other's reach of the traverser's own hand."""
    return code.load(code.data(1), code.row(code.read_integer(4, place)))


@intrinsic
def give_showdowns(typing, sums, reach, card, start, same, work, rows, pays, first, slots, won):  # type: ignore[no-untyped-def]
    """work[rows[first + j] + i] = won + behind D* + tie x own reach for all slots i and WIDTH lanes j.

    `pays` is (behind, tie), or (behind,) where a tie pays nothing; lanes begin at `first`.
    """
    kinds = (sums, reach, card, start, same, work, rows, pays, first, slots, won)

    def write(code: Code) -> None:
        builder = code.builder
        behind, *tie = (code.load(code.data(7, k), code.integer(8)) for k in range(len(pays)))

        def paid(at: Any, place: Any, total: Any) -> Any:
            found = builder.fadd(code.load(code.data(10), code.row(at)), builder.fmul(total, behind))
            for own in tie:
                found = builder.fadd(found, builder.fmul(_own_reach(code, place), own))
            return found

        _give_rows(code, behind, paid)

    return generated(kinds, 0, write)


@intrinsic
def give_folds(typing, sums, reach, card, start, same, work, rows, stakes, first, slots):  # type: ignore[no-untyped-def]
    """work[rows[first + j] + i] = stake (D* + own reach) for all slots i and WIDTH lanes j."""
    kinds = (sums, reach, card, start, same, work, rows, stakes, first, slots)

    def write(code: Code) -> None:
        builder, stake = code.builder, code.load(code.data(7), code.integer(8))

        def paid(at: Any, place: Any, total: Any) -> Any:
            return builder.fmul(builder.fadd(total, _own_reach(code, place)), stake)

        _give_rows(code, stake, paid)

    return generated(kinds, 0, write)


@intrinsic
def weigh_rows(typing, work, target, source, matrix, at, rows, columns, factor):  # type: ignore[no-untyped-def]
    """out[i] = factor sum_j matrix[at + i columns + j] in[j]; rows and columns are multiples of WIDTH"""
    kinds = (work, target, source, matrix, at, rows, columns, factor)

    def write(code: Code) -> None:
        builder, work, matrix = code.builder, code.data(0), Table(code, 3)
        columns, source, target = code.integer(6), code.integer(2), code.integer(1)
        factor = code.number(7)
        with code.each(code.index(0), code.integer(5), WIDTH) as row:
            begin = [
                code.plus(code.integer(4), builder.mul(code.plus(row, k), columns)) for k in range(WIDTH)
            ]
            totals = [code.nothing() for _ in range(WIDTH)]
            with code.each(code.index(0), columns, WIDTH) as column:
                reach = code.load(work, code.plus(source, column))
                for start, total in zip(begin, totals, strict=True):
                    product = builder.fmul(matrix.load(code.plus(start, column)), reach)
                    builder.store(builder.fadd(builder.load(total), product), total)
            added, *rest = code.exchanged([builder.load(total) for total in totals])
            for more in rest:
                added = builder.fadd(added, more)
            code.store(builder.fmul(added, factor), work, code.plus(target, row))

    return generated(kinds, 0, write)


@intrinsic
def weigh_columns(typing, work, target, source, matrix, at, rows, columns, factor):  # type: ignore[no-untyped-def]
    """out[j] = factor sum_i matrix[at + i columns + j] in[i]; rows and columns are multiples of WIDTH"""
    kinds = (work, target, source, matrix, at, rows, columns, factor)

    def write(code: Code) -> None:
        builder, work, matrix = code.builder, code.data(0), Table(code, 3)
        columns, source, target = code.integer(6), code.integer(2), code.integer(1)
        factor = code.number(7)
        with code.each(code.index(0), columns, WIDTH) as column:
            code.store(code.numbers.constant(0.0), work, code.plus(target, column))
        with code.each(code.index(0), code.integer(5), WIDTH) as row:
            begin = [
                code.plus(code.integer(4), builder.mul(code.plus(row, k), columns)) for k in range(WIDTH)
            ]
            weights = [
                builder.fmul(code.repeated(work, code.plus(source, code.plus(row, k))), factor)
                for k in range(WIDTH)
            ]
            with code.each(code.index(0), columns, WIDTH) as column:
                at = code.plus(target, column)
                total = code.load(work, at)
                for start, weight in zip(begin, weights, strict=True):
                    total = builder.fadd(total, builder.fmul(matrix.load(code.plus(start, column)), weight))
                code.store(total, work, at)

    return generated(kinds, 0, write)
