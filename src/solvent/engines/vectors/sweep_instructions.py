"""The instructions of the swept evaluator: vectors of WIDTH lanes, one for each slot.

8 slots of 8 rows are exchanged in registers on the way from rows of the workspace to lanes and back. A sweep is one
piece of code, so that its sum over everyone stays in a register.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

from solvent.engines.vectors.elementwise import WIDTH, Generator, Numbers

WHOLE = 1.5 * 2**23
"""Added to a float32 and taken away again, it leaves the nearest whole number."""
FEW = 4
"""Lanes of a group that may have a fold, the first ones: there are fewer of them to give back."""

cgutils: Any = _cgutils


class Code:
    """The code of an intrinsic while it is written: its parameters, and vectors of lanes in memory."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any, number: Any) -> None:
        self.context, self.builder, self.signature, self.args = context, builder, signature, args
        self.element = context.get_data_type(number)
        self.vector = ir.VectorType(self.element, WIDTH)
        self.numbers = Numbers(builder, self.vector)
        self.align = context.get_abi_sizeof(self.element)

    def index(self, value: int) -> Any:
        return ir.Constant(cgutils.intp_t, value)

    def plus(self, x: Any, y: Any) -> Any:
        return self.builder.add(x, y if isinstance(y, ir.Value) else self.index(y))

    def given(self, position: int, field: int | None = None) -> tuple[Any, Any]:
        """The type and the value of a parameter, or of a field of a parameter that is a tuple."""
        kind, value = self.signature.args[position], self.args[position]
        if field is None:
            return kind, value
        return kind.types[field], self.builder.extract_value(value, field)

    def integer(self, position: int) -> Any:
        kind, value = self.given(position)
        return self.context.cast(self.builder, value, kind, types.intp)

    def number(self, position: int, field: int | None = None) -> Any:
        """A number that was given, in every place of a vector."""
        kind, value = self.given(position, field)
        return self.numbers.splat(self.context.cast(self.builder, value, kind, self.signature.args[0].dtype))

    def data(self, position: int, field: int | None = None) -> Any:
        kind, value = self.given(position, field)
        return self.context.make_array(kind)(self.context, self.builder, value).data

    def read_integer(self, position: int, at: Any, field: int | None = None) -> Any:
        """An entry of an array of integers."""
        kind = self.given(position, field)[0].dtype
        element = self.context.get_data_type(kind)
        place = self.builder.gep(self.data(position, field), [at], source_etype=element)
        value = self.builder.load(place, typ=element, align=self.context.get_abi_sizeof(element))
        return self.context.cast(self.builder, value, kind, types.intp)

    def place(self, data: Any, at: Any) -> Any:
        place = self.builder.gep(data, [at], source_etype=self.element)
        return self.builder.bitcast(place, self.vector.as_pointer())

    def load(self, data: Any, at: Any) -> Any:
        return self.builder.load(self.place(data, at), align=self.align, typ=self.vector)

    def store(self, value: Any, data: Any, at: Any) -> None:
        self.builder.store(value, self.place(data, at), align=self.align)

    def row(self, at: Any) -> Any:
        """The place where the lanes of a slot begin."""
        return self.builder.mul(at, self.index(WIDTH))

    def repeated(self, data: Any, at: Any) -> Any:
        """An entry of an array of numbers in every lane."""
        place = self.builder.gep(data, [at], source_etype=self.element)
        return self.numbers.splat(self.builder.load(place, typ=self.element, align=self.align))

    @contextmanager
    def each(self, first: Any, stop: Any, step: int = 1) -> Iterator[Any]:
        """A loop over first..stop-1."""
        with cgutils.for_range_slice(self.builder, first, stop, self.index(step), cgutils.intp_t) as (at, _):
            yield at

    def cards(self, cards: int, slot: Any, field: int | None = None) -> tuple[Any, Any]:
        """The places where the sums of a slot's two cards begin."""
        two = self.builder.mul(slot, self.index(2))
        a, b = (self.read_integer(cards, self.plus(two, k), field) for k in range(2))
        return self.row(self.plus(a, 1)), self.row(self.plus(b, 1))

    def apart(self, everyone: Any, sums: Any, cards: tuple[Any, Any]) -> Any:
        """P - P_a - P_b"""
        for card in cards:
            everyone = self.builder.fsub(everyone, self.load(sums, card))
        return everyone

    def nothing(self) -> Any:
        """A vector in which to add up."""
        return cgutils.alloca_once_value(self.builder, ir.Constant(self.vector, [0.0] * WIDTH))

    def add_slot(self, everyone: Any, slot: Any, cards: tuple[Any, Any]) -> None:
        """P, P_a and P_b (parameter 0) grow by the reach of a slot (parameter 1)."""
        sums, reach = self.data(0), self.load(self.data(1), self.row(slot))
        self.builder.store(self.builder.fadd(self.builder.load(everyone), reach), everyone)
        for card in cards:
            self.store(self.builder.fadd(self.load(sums, card), reach), sums, card)

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


class Table:
    """An array of any numbers that is read and written as vectors of those in question."""

    def __init__(self, code: Code, position: int) -> None:
        kind = code.signature.args[position].dtype
        self.code, self.data = code, code.data(position)
        self.narrow = isinstance(kind, types.Integer)
        self.element = code.context.get_data_type(kind)
        self.vector = ir.VectorType(self.element, WIDTH)
        self.align = code.context.get_abi_sizeof(self.element)

    def place(self, at: Any) -> Any:
        place = self.code.builder.gep(self.data, [at], source_etype=self.element)
        return self.code.builder.bitcast(place, self.vector.as_pointer())

    def load(self, at: Any) -> Any:
        builder, vector = self.code.builder, self.code.vector
        read = builder.load(self.place(at), align=self.align, typ=self.vector)
        if self.narrow:
            return builder.sitofp(read, vector)
        return read if self.vector == vector else builder.fpext(read, vector)

    def store(self, value: Any, at: Any) -> None:
        builder = self.code.builder
        if self.narrow:
            numbers = self.code.numbers
            magic = numbers.constant(WHOLE)
            whole = numbers.subtract(numbers.add(value, magic), magic)
            value = builder.trunc(builder.fptosi(whole, ir.VectorType(ir.IntType(32), WIDTH)), self.vector)
        builder.store(value, self.place(at), align=self.align)


def generated(kinds: tuple[Any, ...], number: int, write: Callable[[Code], None]) -> Generator:
    """An intrinsic without a result; the parameter at `number` is an array of the numbers in question."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write(Code(context, builder, signature, args, signature.args[number].dtype))
        return context.get_dummy_value()

    return types.void(*kinds), generate


@intrinsic
def prefetch(typing, addresses, k, byte):  # type: ignore[no-untyped-def]
    """Ask for the line of memory at `byte` bytes from the k-th address, soon to be read and written."""

    def write(code: Code) -> None:
        number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = code.builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        address = code.plus(code.read_integer(0, code.integer(1)), code.integer(2))
        place = code.builder.inttoptr(address, pointer)
        code.builder.call(function, [place, *(ir.Constant(number, k) for k in (0, 2, 1))])

    return generated((addresses, k, byte), 0, write)


@intrinsic
def add_up(typing, totals, work, source, slots):  # type: ignore[no-untyped-def]
    """totals[j] = the sum of the row at source[j] over `slots` slots, a multiple of WIDTH"""

    def write(code: Code) -> None:
        builder = code.builder
        rows = [code.read_integer(2, code.index(lane)) for lane in range(WIDTH)]
        parts = [code.nothing() for _ in range(WIDTH)]
        with code.each(code.index(0), code.integer(3), WIDTH) as slot:
            for row, part in zip(rows, parts, strict=True):
                read = code.load(code.data(1), code.plus(row, slot))
                builder.store(builder.fadd(builder.load(part), read), part)
        total, *rest = code.exchanged([builder.load(part) for part in parts])
        for more in rest:
            total = builder.fadd(total, more)
        code.store(total, code.data(0), code.index(0))

    return generated((totals, work, source, slots), 0, write)


def _gather(kinds: tuple[Any, ...], used: int) -> Generator:
    def write(code: Code) -> None:
        slot, rows = code.integer(3), []
        for lane in range(used):
            row = code.read_integer(2, code.index(lane))
            read = code.load(code.data(1), code.plus(row, slot))
            coarse = code.repeated(code.data(4), code.index(lane))
            rows.append(code.builder.fsub(code.builder.fadd(read, coarse), coarse))
        rows += [ir.Constant(code.vector, [0.0] * WIDTH)] * (WIDTH - used)
        for k, value in enumerate(code.exchanged(rows)):
            code.store(value, code.data(0), code.row(code.plus(slot, k)))

    return generated(kinds, 0, write)


@intrinsic
def gather(typing, lanes, work, source, slot, grid):  # type: ignore[no-untyped-def]
    """lanes[i, j] = work[source[j] + i] rounded to the grid of lane j, for WIDTH slots i from `slot`"""
    return _gather((lanes, work, source, slot, grid), WIDTH)


@intrinsic
def gather_few(typing, lanes, work, source, slot, grid):  # type: ignore[no-untyped-def]
    """lanes[i, j] of `gather` for the first FEW lanes j; the others are 0."""
    return _gather((lanes, work, source, slot, grid), FEW)


@intrinsic
def pile(typing, sums, reach, card, start, slots):  # type: ignore[no-untyped-def]
    """Add up the reach of all slots; `card` has the board's first slot at `start`."""

    def write(code: Code) -> None:
        start = code.integer(3)
        everyone = code.nothing()
        with code.each(code.index(0), code.integer(4)) as slot:
            code.add_slot(everyone, slot, code.cards(2, code.plus(start, slot)))
        code.store(code.builder.load(everyone), code.data(0), code.index(0))

    return generated((sums, reach, card, start, slots), 0, write)


@intrinsic
def sweep(typing, sums, reach, card, start, slots, tie, won):  # type: ignore[no-untyped-def]
    """Add up the reach of all slots tie by tie; won = D- + D+, the reach before and after h's tie"""

    def write(code: Code) -> None:
        builder, start, slots, won = code.builder, code.integer(3), code.integer(4), code.data(6)
        everyone = code.nothing()
        begin = cgutils.alloca_once_value(builder, code.index(0))
        test, body, done = (builder.append_basic_block(name) for name in ("test", "body", "done"))

        def apart(slot: Any) -> Any:
            return code.apart(builder.load(everyone), code.data(0), code.cards(2, code.plus(start, slot)))

        builder.branch(test)
        builder.position_at_end(test)
        first = builder.load(begin)
        builder.cbranch(builder.icmp_signed("<", first, slots), body, done)
        builder.position_at_end(body)
        end = code.read_integer(5, code.plus(start, first))
        with code.each(first, end) as slot:
            code.store(apart(slot), won, code.row(slot))
        with code.each(first, end) as slot:
            code.add_slot(everyone, slot, code.cards(2, code.plus(start, slot)))
        with code.each(first, end) as slot:
            before = code.load(won, code.row(slot))
            code.store(builder.fadd(before, apart(slot)), won, code.row(slot))
        builder.store(end, begin)
        builder.branch(test)
        builder.position_at_end(done)
        code.store(builder.load(everyone), code.data(0), code.index(0))

    return generated((sums, reach, card, start, slots, tie, won), 0, write)


def _give_back(kinds: tuple[Any, ...], value: Callable[[Code, Any, Any], Any], used: int) -> Generator:
    """work[rows[j] + i] = stake[j] value(lanes[i], D*) for WIDTH slots i and the lanes j in use."""

    def write(code: Code) -> None:
        lanes, sums, work, slot = code.data(0), code.data(1), code.data(4), code.integer(8)
        everyone, squared = code.load(sums, code.index(0)), []
        for k in range(WIDTH):
            at = code.plus(slot, k)
            total = code.apart(everyone, sums, code.cards(2, code.plus(code.integer(3), at)))
            squared.append(value(code, code.load(lanes, code.row(at)), total))
        for lane, row in enumerate(code.exchanged(squared)[:used]):
            paid = code.builder.fmul(row, code.repeated(code.data(6), code.plus(code.integer(7), lane)))
            code.store(paid, work, code.plus(code.read_integer(5, code.index(lane)), slot))

    return generated(kinds, 0, write)


@intrinsic
def give_showdowns(typing, won, sums, card, start, work, rows, stakes, group, slot):  # type: ignore[no-untyped-def]
    """work[rows[j] + i] = stake (won - D*) for WIDTH slots i from `slot`; stakes begin at `group`"""
    kinds = (won, sums, card, start, work, rows, stakes, group, slot)
    return _give_back(kinds, lambda code, won, total: code.builder.fsub(won, total), WIDTH)


@intrinsic
def give_folds(typing, reach, sums, card, start, work, rows, stakes, group, slot):  # type: ignore[no-untyped-def]
    """work[rows[j] + i] = stake (D* + reach) for WIDTH slots i and the first FEW lanes; stakes begin at `group`"""
    kinds = (reach, sums, card, start, work, rows, stakes, group, slot)
    return _give_back(kinds, lambda code, reach, total: code.builder.fadd(total, reach), FEW)
