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
Entry = tuple[int, str]
"""A scalar that stands in a named tuple: which parameter, and which of its fields.

The tuple must have fields of several types: LLVM keeps one of equal types in memory, and reads it again and again.
"""


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
    scalars: tuple[int | Entry, ...] = (),
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

        def scalar(place: int | Entry) -> Any:
            if not isinstance(place, tuple):
                return context.cast(builder, args[place], signature.args[place], number)
            kind = signature.args[place[0]]
            entry = kind.fields.index(place[1])
            value = builder.extract_value(args[place[0]], entry)
            return context.cast(builder, value, kind.types[entry], number)

        given = [scalar(place) for place in scalars]

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


def _product(n: Numbers, x: Any, y: Any) -> tuple[Any]:
    return (n.multiply(x, y),)


def _add_scaled(n: Numbers, total: Any, x: Any, weight: Any) -> tuple[Any]:
    return (n.add(total, n.multiply(weight, x)),)


def _sum(n: Numbers, *values: Any) -> tuple[Any]:
    return (n.add(*values),)


def _largest(n: Numbers, *values: Any) -> tuple[Any]:
    return (n.largest(*values),)


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
