"""Sixteen numbers at a time: the few vector instructions that the swept evaluator is made of.

Each function takes rows of exactly LANES numbers (arrays of one dimension) and compiles to loads, arithmetic
and stores of whole vectors, whatever the compiler can or cannot prove about the arrays overlapping.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 16


def _rows(context: Any, builder: Any, signature: Any, args: Any) -> list[tuple[Any, Any]]:
    """The address of each row as a vector, and the vector's type."""
    found = []
    for kind, value in zip(signature.args, args, strict=True):
        vector = ir.VectorType(context.get_data_type(kind.dtype), LANES)
        data = context.make_array(kind)(context, builder, value).data
        found.append((builder.bitcast(data, vector.as_pointer()), vector))
    return found


def _lanewise(arithmetic: Callable[..., None]) -> Callable[..., tuple[Any, Any]]:
    """Code for `arithmetic(builder, load, store, rows...)` as an intrinsic's body."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _rows(context, builder, signature, args)
        align = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))

        def load(row: tuple[Any, Any]) -> Any:
            return builder.load(row[0], align=align, typ=row[1])

        def store(row: tuple[Any, Any], vector: Any) -> None:
            builder.store(vector, row[0], align=align)

        arithmetic(builder, load, store, *rows)
        return context.get_dummy_value()

    return lambda *kinds: (types.void(*kinds), generate)


@_lanewise
def _difference(b: Any, load: Any, store: Any, out: Any, p: Any, x: Any, y: Any) -> None:
    store(out, b.fsub(b.fsub(load(p), load(x)), load(y)))


@_lanewise
def _add_difference(b: Any, load: Any, store: Any, out: Any, p: Any, x: Any, y: Any) -> None:
    store(out, b.fadd(load(out), b.fsub(b.fsub(load(p), load(x)), load(y))))


@_lanewise
def _add_to_three(b: Any, load: Any, store: Any, p: Any, x: Any, y: Any, reach: Any) -> None:
    more = load(reach)
    sums = [(row, b.fadd(load(row), more)) for row in (p, x, y)]
    for row, total in sums:
        store(row, total)


@_lanewise
def _settle(
    b: Any, load: Any, store: Any, out: Any, p: Any, x: Any, y: Any, reach: Any, ranked: Any, folded: Any
) -> None:
    everyone = b.fsub(b.fsub(load(p), load(x)), load(y))
    showdown = b.fmul(load(ranked), b.fsub(load(out), everyone))
    fold = b.fmul(load(folded), b.fadd(everyone, load(reach)))
    store(out, b.fadd(showdown, fold))


@intrinsic
def difference(typing, out, p, x, y):  # type: ignore[no-untyped-def]
    """out = p - x - y"""
    return _difference(out, p, x, y)


@intrinsic
def add_difference(typing, out, p, x, y):  # type: ignore[no-untyped-def]
    """out += p - x - y"""
    return _add_difference(out, p, x, y)


@intrinsic
def add_to_three(typing, p, x, y, reach):  # type: ignore[no-untyped-def]
    """p += reach; x += reach; y += reach, for three different rows"""
    return _add_to_three(p, x, y, reach)


@intrinsic
def settle(typing, out, p, x, y, reach, ranked, folded):  # type: ignore[no-untyped-def]
    """With D = p - x - y: out = ranked (out - D) + folded (D + reach)"""
    return _settle(out, p, x, y, reach, ranked, folded)
