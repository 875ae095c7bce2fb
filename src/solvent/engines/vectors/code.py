"""The writing of vector instructions, in LLVM IR, for kernels to call.

@instruction
def double(code, out, x, count):
    with code.each(code.index(0), count.integer, WIDTH) as at:
        value = code.load(x, at)
        code.store(code.numbers.add(value, value), out, at)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

cgutils: Any = _cgutils

WIDTH = 8
WHOLE = 1.5 * 2**23
"""Added to a float32 and taken away again, it leaves the nearest whole number."""


class Numbers:
    """Arithmetic on vectors or scalars of one number type."""

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

    def larger(self, first: Any, *rest: Any) -> Any:
        for other in rest:
            first = self.where(first, other, first, other)
        return first


class Parameter:
    """A parameter of an instruction, or a field of one that is a tuple."""

    def __init__(self, code: Code, kind: Any, value: Any) -> None:
        self.code, self.kind, self.value = code, kind, value
        if isinstance(kind, types.Array):
            self.array = code.context.make_array(kind)(code.context, code.builder, value)
            self.data, self.element = self.array.data, code.context.get_data_type(kind.dtype)
            self.vector = ir.VectorType(self.element, WIDTH)
            self.align = code.context.get_abi_sizeof(self.element)
            self.narrow = isinstance(kind.dtype, types.Integer)

    @property
    def fields(self) -> list[Parameter]:
        """The fields of a tuple."""
        take = self.code.builder.extract_value
        return [Parameter(self.code, kind, take(self.value, k)) for k, kind in enumerate(self.kind.types)]

    @property
    def integer(self) -> Any:
        """A whole number, as an index."""
        return self.code.context.cast(self.code.builder, self.value, self.kind, types.intp)

    @property
    def scalar(self) -> Any:
        """A number of the type in question."""
        return self.code.context.cast(self.code.builder, self.value, self.kind, self.code.number)

    def place(self, at: Any) -> Any:
        """The address of an entry of an array."""
        return self.code.builder.gep(self.data, [at], source_etype=self.element)

    def entry(self, at: Any) -> Any:
        """An entry of an array."""
        return self.code.builder.load(self.place(at), typ=self.element, align=self.align)

    def index(self, at: Any) -> Any:
        """An entry of an array of integers, as an index."""
        return self.code.context.cast(self.code.builder, self.entry(at), self.kind.dtype, types.intp)


class Code:
    """The code of an instruction while it is written. The first array says which numbers it computes in."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.context, self.builder = context, builder
        self.number = next(kind.dtype for kind in signature.args if isinstance(kind, types.Array))
        self.element = context.get_data_type(self.number)
        self.vector = ir.VectorType(self.element, WIDTH)
        self.numbers = Numbers(builder, self.vector)
        self.parameters = [Parameter(self, *each) for each in zip(signature.args, args, strict=True)]

    def index(self, value: int) -> Any:
        return ir.Constant(cgutils.intp_t, value)

    def plus(self, x: Any, y: Any) -> Any:
        return self.builder.add(x, y if isinstance(y, ir.Value) else self.index(y))

    def row(self, at: Any) -> Any:
        """The place where the lanes of a slot begin."""
        return self.builder.mul(at, self.index(WIDTH))

    def load(self, array: Parameter, at: Any) -> Any:
        """WIDTH numbers of an array as a vector; other numbers are turned into those in question."""
        place = self.builder.bitcast(array.place(at), array.vector.as_pointer())
        read = self.builder.load(place, align=array.align, typ=array.vector)
        if array.narrow:
            return self.builder.sitofp(read, self.vector)
        return read if array.vector == self.vector else self.builder.fpext(read, self.vector)

    def store(self, value: Any, array: Parameter, at: Any) -> None:
        """Store a vector, rounded for arrays of integers."""
        if array.narrow:
            magic = self.numbers.constant(WHOLE)
            whole = self.numbers.subtract(self.numbers.add(value, magic), magic)
            value = self.builder.fptosi(whole, ir.VectorType(ir.IntType(32), WIDTH))
            value = self.builder.trunc(value, array.vector)
        place = self.builder.bitcast(array.place(at), array.vector.as_pointer())
        self.builder.store(value, place, align=array.align)

    def add_to(self, array: Parameter, at: Any, value: Any) -> None:
        """Add a vector to an array."""
        self.store(self.builder.fadd(self.load(array, at), value), array, at)

    def repeated(self, array: Parameter, at: Any) -> Any:
        """An entry of an array of numbers in every lane."""
        return self.numbers.splat(array.entry(at))

    def variable(self, start: Any = None) -> Any:
        """A variable that holds a vector, 0 at first, or another value."""
        zero = ir.Constant(self.vector, [0.0] * WIDTH)
        return cgutils.alloca_once_value(self.builder, zero if start is None else start)

    @contextmanager
    def each(self, first: Any, stop: Any, step: int = 1) -> Iterator[Any]:
        """A loop over first..stop-1."""
        with cgutils.for_range_slice(self.builder, first, stop, self.index(step), cgutils.intp_t) as (at, _):
            yield at

    def exchanged(self, rows: list[Any]) -> list[Any]:
        """A square of vectors with rows and columns exchanged: by ones, by twos and by fours.

        The shuffles are those that AVX has one instruction for.
        """
        by_ones = ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15])
        by_twos = ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15])
        by_fours = ([0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15])
        r = [self.shuffled(rows[k], rows[k + 1], half) for k in (0, 2, 4, 6) for half in by_ones]
        r = [self.shuffled(r[k], r[k + 2], half) for k in (0, 1, 4, 5) for half in by_twos]
        return [self.shuffled(r[k], r[k + 4], half) for half in by_fours for k in range(4)]

    def shuffled(self, x: Any, y: Any, order: list[int]) -> Any:
        return self.builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), order))


def instruction(write: Callable[..., None]) -> Any:
    """Decorator that makes an intrinsic without a result from the function that writes its code.

    The function is called with a `Code` and a `Parameter` for each argument, of which the first array has the
    numbers in question.
    """

    @wraps(write)
    def define(typing: Any, *kinds: Any) -> tuple[Any, Callable[..., Any]]:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            code = Code(context, builder, signature, args)
            write(code, *code.parameters)
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return intrinsic(define)
