"""Arithmetic on rows of numbers in whole vectors: the instructions that the public form's kernels are made of.

The compiler vectorises a loop only if it can prove that its arrays do not overlap, it gives up on loops over
many of them, and it counts references for every slice. So rows are given as an array and where in it they
begin, and `elementwise` turns a few lines of arithmetic into code that loads a vector from each input row,
computes, and stores a vector to each output row, eight numbers at a time and the rest one by one. A row may
be both input and output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from solvent.engines.vectors.code import WIDTH, Code, Numbers, Parameter, instruction

Row = tuple[Parameter, Parameter]
"""Parameters that say where a row lies: the array, and the place where the row begins."""


def elementwise(
    code: Code,
    count: Parameter,
    outputs: Sequence[Row],
    inputs: Sequence[Row],
    body: Callable[..., Any],
    scalars: Sequence[Parameter] = (),
) -> None:
    """Write outputs = body(numbers, *inputs, *scalars), a tuple of several or one number, for `count` entries."""
    builder, element = code.builder, code.element
    starts = [array.place(begin.integer) for array, begin in (*outputs, *inputs)]
    given = [scalar.scalar for scalar in scalars]
    align = code.context.get_abi_sizeof(element)

    def step(kind: Any, at: Any) -> None:
        numbers = Numbers(builder, kind)
        places = [builder.gep(start, [at], source_etype=element) for start in starts]
        places = [builder.bitcast(place, kind.as_pointer()) for place in places]
        read = [builder.load(place, align=align, typ=kind) for place in places[len(outputs) :]]
        results = body(numbers, *read, *map(numbers.splat, given))
        for place, value in zip(places, results if isinstance(results, tuple) else [results], strict=False):
            builder.store(value, place, align=align)

    length = count.integer
    whole = builder.and_(length, code.index(~(WIDTH - 1)))
    with code.each(code.index(0), whole, WIDTH) as at:
        step(ir.VectorType(element, WIDTH), at)
    with code.each(whole, length) as at:
        step(element, at)


def _add_scaled(n: Numbers, total: Any, x: Any, weight: Any) -> Any:
    return n.add(total, n.multiply(weight, x))


@instruction
def multiply(code, count, work, out, x, y):  # type: ignore[no-untyped-def]
    """out = x y"""
    elementwise(code, count, [(work, out)], [(work, x), (work, y)], Numbers.multiply)


@instruction
def add_scaled(code, count, table, r, work, x, weight):  # type: ignore[no-untyped-def]
    """the table's row += weight x"""
    elementwise(code, count, [(table, r)], [(table, r), (work, x)], _add_scaled, [weight])


@instruction
def add2(code, count, work, out, x, y):  # type: ignore[no-untyped-def]
    """out = x + y"""
    elementwise(code, count, [(work, out)], [(work, x), (work, y)], Numbers.add)


@instruction
def add3(code, count, work, out, x, y, z):  # type: ignore[no-untyped-def]
    """out = x + y + z"""
    elementwise(code, count, [(work, out)], [(work, x), (work, y), (work, z)], Numbers.add)


@instruction
def larger2(code, count, work, out, x, y):  # type: ignore[no-untyped-def]
    """out = max(x, y)"""
    elementwise(code, count, [(work, out)], [(work, x), (work, y)], Numbers.larger)
