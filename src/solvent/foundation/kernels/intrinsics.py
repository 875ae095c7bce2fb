"""Machine operations that Numba has no function for: prefetching, bits, and what threads agree by."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.core import cgutils

intrinsic: Any = extending.intrinsic

TO_WRITE, KEEP, DATA = 1, 3, 1
"""Arguments of LLVM's prefetch: for writing, into all levels of cache, data rather than code."""


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The address of an element of a one-dimensional array."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


@intrinsic
def prefetch(typing_context, array, index):  # type: ignore[no-untyped-def]
    """Begin to load array[index] into the cache without waiting for it."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        byte = ir.IntType(8).as_pointer()
        whole = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
        function = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0i8")  # type: ignore[no-untyped-call]
        place = builder.bitcast(_pointer(context, builder, signature, arguments), byte)
        builder.call(function, [place, *(whole(number) for number in (TO_WRITE, KEEP, DATA))])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@intrinsic
def lowest_bit(typing_context, word):  # type: ignore[no-untyped-def]
    """The place of the lowest bit that is set in a word, int64, which must not be 0."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.int64), generate


@intrinsic
def add_to(typing_context, array, index, value):  # type: ignore[no-untyped-def]
    """Add `value` to array[index], int64, and return the old value, atomically with respect to all threads."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        place = _pointer(context, builder, signature, arguments)
        return builder.atomic_rmw("add", place, arguments[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def yield_processor(typing_context):  # type: ignore[no-untyped-def]
    """Let another thread run in the place of this one, which has to wait."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        shape = ir.FunctionType(ir.IntType(32), [])
        function = cgutils.get_or_insert_function(builder.module, shape, "sched_yield")  # type: ignore[no-untyped-call]
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate
