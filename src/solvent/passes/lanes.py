"""Arithmetic on rows of numbers in whole vectors: the instructions that the public form's kernels are made of.

The compiler vectorises a loop only if it can prove that its arrays do not overlap, it gives up on loops over
many of them, and it counts references for every slice. So rows are given as an array and where in it they
begin, and `elementwise` turns a few lines of arithmetic into code that loads a vector from each input row,
computes, and stores a vector to each output row, eight numbers at a time and the rest one by one. A row may
be both input and output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WIDTH = 8

Generator = tuple[Any, Callable[..., Any]]

Row = tuple[int, int]
"""Which parameters of an intrinsic say where a row lies: the array, and the place where the row begins."""


class Numbers:
    """Arithmetic on vectors or scalars of one number type, for the bodies below."""

    def __init__(self, builder: Any, kind: Any) -> None:
        self.builder, self.kind = builder, kind

    def constant(self, value: float) -> Any:
        if isinstance(self.kind, ir.VectorType):
            return ir.Constant(self.kind, [ir.Constant(self.kind.element, value)] * self.kind.count)
        return ir.Constant(self.kind, value)

    def splat(self, scalar: Any) -> Any:
        """A scalar as a vector with that number in every place."""
        if not isinstance(self.kind, ir.VectorType):
            return scalar
        zero = ir.Constant(ir.IntType(32), 0)
        vector = self.builder.insert_element(ir.Constant(self.kind, ir.Undefined), scalar, zero)
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.kind.count), [0] * self.kind.count)
        return self.builder.shuffle_vector(vector, vector, mask)

    def add(self, first: Any, *rest: Any) -> Any:
        for more in rest:
            first = self.builder.fadd(first, more)
        return first

    def subtract(self, first: Any, *rest: Any) -> Any:
        for less in rest:
            first = self.builder.fsub(first, less)
        return first

    def multiply(self, x: Any, y: Any) -> Any:
        return self.builder.fmul(x, y)

    def divide(self, x: Any, y: Any) -> Any:
        return self.builder.fdiv(x, y)

    def where(self, above: Any, below: Any, yes: Any, no: Any) -> Any:
        """`yes` where above > below, else `no`."""
        return self.builder.select(self.builder.fcmp_ordered(">", above, below), yes, no)

    def largest(self, first: Any, *rest: Any) -> Any:
        for other in rest:
            first = self.larger(first, other)
        return first

    def larger(self, x: Any, y: Any) -> Any:
        return self.where(x, y, x, y)


def elementwise(
    kinds: tuple[Any, ...],
    outputs: list[Row],
    inputs: list[Row],
    body: Callable[..., tuple[Any, ...]],
    scalars: tuple[int, ...] = (),
    count: int = 0,
) -> Generator:
    """An intrinsic's signature and code: outputs = body(numbers, *inputs, *scalars), entry by entry.

    `kinds` are the types of the intrinsic's parameters; rows, scalars and the rows' length are given by the
    parameters' positions.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = signature.args[outputs[0][0]].dtype
        element = context.get_data_type(number)
        align = context.get_abi_sizeof(element)
        index = cgutils.intp_t

        def integer(position: int) -> Any:
            return context.cast(builder, args[position], signature.args[position], types.intp)

        def begin(row: Row) -> Any:
            array = context.make_array(signature.args[row[0]])(context, builder, args[row[0]])
            return builder.gep(array.data, [integer(row[1])], source_etype=element)

        starts = [begin(row) for row in (*outputs, *inputs)]
        given = [context.cast(builder, args[k], signature.args[k], number) for k in scalars]

        def step(kind: Any, at: Any) -> None:
            numbers = Numbers(builder, kind)
            places = [builder.gep(start, [at], source_etype=element) for start in starts]
            places = [builder.bitcast(place, kind.as_pointer()) for place in places]
            read = [builder.load(place, align=align, typ=kind) for place in places[len(outputs) :]]
            results = body(numbers, *read, *map(numbers.splat, given))
            for place, value in zip(places, results, strict=False):
                builder.store(value, place, align=align)

        zero = ir.Constant(index, 0)
        length = integer(count)
        whole = builder.and_(length, ir.Constant(index, ~(WIDTH - 1)))
        with cgutils.for_range_slice(builder, zero, whole, ir.Constant(index, WIDTH), index) as (at, _):
            step(ir.VectorType(element, WIDTH), at)
        with cgutils.for_range_slice(builder, whole, length, ir.Constant(index, 1), index) as (at, _):
            step(element, at)
        return context.get_dummy_value()

    return types.void(*kinds), generate


# Regret matching. `work` holds vectors of one entry a slot; tables are read and written where a block's row
# for the board begins.


def _matched(n: Numbers, regrets: tuple[Any, ...]) -> list[Any]:
    """sigma of every action: the positive regrets in proportion, uniform where there are none."""
    zero, one = n.constant(0.0), n.constant(1.0)
    positive = [n.larger(regret, zero) for regret in regrets]
    total = n.add(*positive)
    inverse = n.divide(one, n.where(total, zero, total, one))
    uniform = n.where(total, zero, zero, n.constant(1.0 / len(regrets)))
    # A regret that is alone above zero is played with probability 1, which r (1 / r) need not be.
    whole = n.where(total, zero, one, zero)
    shares = [n.where(total, regret, n.multiply(regret, inverse), whole) for regret in positive]
    return [n.add(share, uniform) for share in shares]


def _split(n: Numbers, reach: Any, *regrets: Any) -> tuple[Any, ...]:
    return tuple(n.multiply(reach, sigma) for sigma in _matched(n, regrets))


def _spread(n: Numbers, reach: Any, *rest: Any) -> tuple[Any, ...]:
    *tables, weight = rest
    actions = len(tables) // 2
    reached = _split(n, reach, *tables[:actions])
    averages = (n.add(old, n.multiply(weight, r)) for old, r in zip(tables[actions:], reached, strict=True))
    return (*reached, *averages)


def _updated(n: Numbers, regret: Any, gained: Any, positive: Any, negative: Any, floor: Any) -> Any:
    """max(floor, d (R + r)), with d = positive where R + r > 0 and else negative"""
    total = n.add(regret, gained)
    return n.larger(n.multiply(total, n.where(total, n.constant(0.0), positive, negative)), floor)


def _learn(n: Numbers, *given: Any) -> tuple[Any, ...]:
    *tables, positive, negative, floor = given
    actions = len(tables) // 3
    seen, regrets, values = (tables[k * actions : (k + 1) * actions] for k in range(3))
    # Values are measured from the first action, so that actions of equal value have regret 0.
    origin = values[0]
    above = [n.subtract(value, origin) for value in values[1:]]
    sigma = _matched(n, tuple(seen))
    gain = n.multiply(sigma[1], above[0])
    for s, value in zip(sigma[2:], above[1:], strict=True):
        gain = n.add(gain, n.multiply(s, value))
    gained = [n.subtract(n.constant(0.0), gain), *(n.subtract(value, gain) for value in above)]
    updated = [_updated(n, r, g, positive, negative, floor) for r, g in zip(regrets, gained, strict=True)]
    return (n.add(origin, gain), *updated)


@intrinsic
def split2(typing, count, work, t0, t1, reach, seen, r0, r1):  # type: ignore[no-untyped-def]
    """t_a = reach sigma_a, with sigma from the regrets seen at r_a"""
    kinds = (count, work, t0, t1, reach, seen, r0, r1)
    return elementwise(kinds, [(1, 2), (1, 3)], [(1, 4), (5, 6), (5, 7)], _split)


@intrinsic
def split3(typing, count, work, t0, t1, t2, reach, seen, r0, r1, r2):  # type: ignore[no-untyped-def]
    """t_a = reach sigma_a, with sigma from the regrets seen at r_a"""
    kinds = (count, work, t0, t1, t2, reach, seen, r0, r1, r2)
    return elementwise(kinds, [(1, 2), (1, 3), (1, 4)], [(1, 5), (6, 7), (6, 8), (6, 9)], _split)


@intrinsic
def spread2(typing, count, work, t0, t1, reach, seen, r0, r1, average, weight):  # type: ignore[no-untyped-def]
    """t_a = reach sigma_a, and the average at r_a grows by weight t_a"""
    kinds = (count, work, t0, t1, reach, seen, r0, r1, average, weight)
    averages: list[Row] = [(8, 6), (8, 7)]
    inputs = [(1, 4), (5, 6), (5, 7), *averages]
    return elementwise(kinds, [(1, 2), (1, 3), *averages], inputs, _spread, scalars=(9,))


@intrinsic
def spread3(typing, count, work, t0, t1, t2, reach, seen, r0, r1, r2, average, weight):  # type: ignore[no-untyped-def]
    """t_a = reach sigma_a, and the average at r_a grows by weight t_a"""
    kinds = (count, work, t0, t1, t2, reach, seen, r0, r1, r2, average, weight)
    averages: list[Row] = [(10, 7), (10, 8), (10, 9)]
    inputs = [(1, 5), (6, 7), (6, 8), (6, 9), *averages]
    return elementwise(kinds, [(1, 2), (1, 3), (1, 4), *averages], inputs, _spread, scalars=(11,))


@intrinsic
def learn2(typing, count, work, v, v0, v1, seen, regret, r0, r1, positive, negative, floor):  # type: ignore[no-untyped-def]
    """v = sum_a sigma_a v_a, and the regret at r_a becomes max(floor, d (R_a + v_a - v))"""
    kinds = (count, work, v, v0, v1, seen, regret, r0, r1, positive, negative, floor)
    regrets: list[Row] = [(6, 7), (6, 8)]
    inputs = [(5, 7), (5, 8), *regrets, (1, 3), (1, 4)]
    return elementwise(kinds, [(1, 2), *regrets], inputs, _learn, scalars=(9, 10, 11))


@intrinsic
def learn3(  # type: ignore[no-untyped-def]
    typing, count, work, v, v0, v1, v2, seen, regret, r0, r1, r2, positive, negative, floor
):
    """v = sum_a sigma_a v_a, and the regret at r_a becomes max(floor, d (R_a + v_a - v))"""
    kinds = (count, work, v, v0, v1, v2, seen, regret, r0, r1, r2, positive, negative, floor)
    regrets: list[Row] = [(7, 8), (7, 9), (7, 10)]
    inputs = [(6, 8), (6, 9), (6, 10), *regrets, (1, 3), (1, 4), (1, 5)]
    return elementwise(kinds, [(1, 2), *regrets], inputs, _learn, scalars=(11, 12, 13))


# The same for any number of actions, and for rules that predict, one action at a time. `expected` is R + p r,
# with r the last instantaneous regret.


def _add_positive(n: Numbers, total: Any, regret: Any) -> tuple[Any]:
    return (n.add(total, n.larger(regret, n.constant(0.0))),)


def _add_expected(n: Numbers, total: Any, regret: Any, last: Any, prediction: Any) -> tuple[Any]:
    return _add_positive(n, total, n.add(regret, n.multiply(prediction, last)))


def _settle_total(n: Numbers, total: Any, alike: Any) -> tuple[Any, Any]:
    zero, one = n.constant(0.0), n.constant(1.0)
    return n.where(total, zero, total, one), n.where(total, zero, zero, alike)


def _share(n: Numbers, regret: Any, total: Any, uniform: Any) -> tuple[Any]:
    return (n.add(n.divide(n.larger(regret, n.constant(0.0)), total), uniform),)


def _share_expected(n: Numbers, regret: Any, last: Any, total: Any, uniform: Any, p: Any) -> tuple[Any]:
    return _share(n, n.add(regret, n.multiply(p, last)), total, uniform)


def _product(n: Numbers, x: Any, y: Any) -> tuple[Any]:
    return (n.multiply(x, y),)


def _add_scaled(n: Numbers, total: Any, x: Any, weight: Any) -> tuple[Any]:
    return (n.add(total, n.multiply(weight, x)),)


def _add_gain(n: Numbers, gain: Any, sigma: Any, value: Any, origin: Any) -> tuple[Any]:
    return (n.add(gain, n.multiply(sigma, n.subtract(value, origin))),)


def _regret_of(n: Numbers, value: Any, origin: Any, gain: Any) -> tuple[Any]:
    return (n.subtract(n.subtract(value, origin), gain),)


def _update(n: Numbers, regret: Any, gained: Any, positive: Any, negative: Any, floor: Any) -> tuple[Any]:
    return (_updated(n, regret, gained, positive, negative, floor),)


def _sum(n: Numbers, *values: Any) -> tuple[Any]:
    return (n.add(*values),)


def _largest(n: Numbers, *values: Any) -> tuple[Any]:
    return (n.largest(*values),)


@intrinsic
def add_positive(typing, count, work, total, seen, r):  # type: ignore[no-untyped-def]
    """total += max(0, R)"""
    return elementwise((count, work, total, seen, r), [(1, 2)], [(1, 2), (3, 4)], _add_positive)


@intrinsic
def add_expected(typing, count, work, total, seen, last, r, prediction):  # type: ignore[no-untyped-def]
    """total += max(0, expected)"""
    kinds = (count, work, total, seen, last, r, prediction)
    return elementwise(kinds, [(1, 2)], [(1, 2), (3, 5), (4, 5)], _add_expected, scalars=(6,))


@intrinsic
def settle_total(typing, count, work, total, uniform, alike):  # type: ignore[no-untyped-def]
    """uniform = 0 where total is positive, else total = 1 and uniform = alike"""
    kinds = (count, work, total, uniform, alike)
    return elementwise(kinds, [(1, 2), (1, 3)], [(1, 2)], _settle_total, scalars=(4,))


@intrinsic
def share(typing, count, work, sigma, seen, r, total, uniform):  # type: ignore[no-untyped-def]
    """sigma = max(0, R) / total + uniform"""
    kinds = (count, work, sigma, seen, r, total, uniform)
    return elementwise(kinds, [(1, 2)], [(3, 4), (1, 5), (1, 6)], _share)


@intrinsic
def share_expected(typing, count, work, sigma, seen, last, r, total, uniform, prediction):  # type: ignore[no-untyped-def]
    """sigma = max(0, expected) / total + uniform"""
    kinds = (count, work, sigma, seen, last, r, total, uniform, prediction)
    inputs = [(3, 5), (4, 5), (1, 6), (1, 7)]
    return elementwise(kinds, [(1, 2)], inputs, _share_expected, scalars=(8,))


@intrinsic
def multiply(typing, count, work, out, x, y):  # type: ignore[no-untyped-def]
    """out = x y"""
    return elementwise((count, work, out, x, y), [(1, 2)], [(1, 3), (1, 4)], _product)


@intrinsic
def add_scaled(typing, count, table, r, work, x, weight):  # type: ignore[no-untyped-def]
    """the table's row += weight x"""
    kinds = (count, table, r, work, x, weight)
    return elementwise(kinds, [(1, 2)], [(1, 2), (3, 4)], _add_scaled, scalars=(5,))


@intrinsic
def add_gain(typing, count, work, gain, sigma, value, origin):  # type: ignore[no-untyped-def]
    """gain += sigma (value - origin)"""
    kinds = (count, work, gain, sigma, value, origin)
    return elementwise(kinds, [(1, 2)], [(1, 2), (1, 3), (1, 4), (1, 5)], _add_gain)


@intrinsic
def regret_of(typing, count, work, out, value, origin, gain):  # type: ignore[no-untyped-def]
    """out = value - origin - gain: the instantaneous regret"""
    kinds = (count, work, out, value, origin, gain)
    return elementwise(kinds, [(1, 2)], [(1, 3), (1, 4), (1, 5)], _regret_of)


@intrinsic
def update(typing, count, regret, r, work, gained, positive, negative, floor):  # type: ignore[no-untyped-def]
    """R = max(floor, d (R + gained))"""
    kinds = (count, regret, r, work, gained, positive, negative, floor)
    return elementwise(kinds, [(1, 2)], [(1, 2), (3, 4)], _update, scalars=(5, 6, 7))


@intrinsic
def add2(typing, count, work, out, x, y):  # type: ignore[no-untyped-def]
    """out = x + y"""
    return elementwise((count, work, out, x, y), [(1, 2)], [(1, 3), (1, 4)], _sum)


@intrinsic
def add3(typing, count, work, out, x, y, z):  # type: ignore[no-untyped-def]
    """out = x + y + z"""
    return elementwise((count, work, out, x, y, z), [(1, 2)], [(1, 3), (1, 4), (1, 5)], _sum)


@intrinsic
def larger2(typing, count, work, out, x, y):  # type: ignore[no-untyped-def]
    """out = max(x, y)"""
    return elementwise((count, work, out, x, y), [(1, 2)], [(1, 3), (1, 4)], _largest)
