"""The instructions of the swept evaluator: vectors of WIDTH lanes, one for each slot.

8 slots of 8 rows are exchanged in registers on the way from rows of the workspace to lanes and back. A sweep is one
piece of code, so that its sum over everyone stays in a register.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from solvent.engines.vectors.code import WIDTH, Code, Parameter, cgutils, instruction

FEW = 4
"""Lanes of a group that may have a fold, the first ones: there are fewer of them to give back."""


def cards_of(code: Code, card: Parameter, slot: Any) -> tuple[Any, Any]:
    """The places where the sums of a slot's two cards begin."""
    two = code.builder.mul(slot, code.index(2))
    a, b = (card.index(code.plus(two, k)) for k in range(2))
    return code.row(code.plus(a, 1)), code.row(code.plus(b, 1))


def apart(code: Code, everyone: Any, sums: Parameter, cards: tuple[Any, Any]) -> Any:
    """P - P_a - P_b"""
    return code.numbers.subtract(everyone, *(code.load(sums, card) for card in cards))


class ReachSums:
    """The reach of the slots passed so far: P of all, in float64 if `wide`, and P_c of each card in `sums`."""

    def __init__(self, code: Code, sums: Parameter, reach: Parameter, wide: bool = False) -> None:
        self.code, self.sums, self.reach = code, sums, reach
        self.vector = ir.VectorType(ir.DoubleType(), WIDTH) if wide else code.vector
        self.total = cgutils.alloca_once_value(code.builder, ir.Constant(self.vector, [0.0] * WIDTH))

    def add(self, slot: Any, cards: tuple[Any, Any]) -> None:
        """P, P_a and P_b grow by the reach of a slot."""
        builder, reach = self.code.builder, self.code.load(self.reach, self.code.row(slot))
        wide = reach if self.vector == self.code.vector else builder.fpext(reach, self.vector)
        builder.store(builder.fadd(builder.load(self.total), wide), self.total)
        for card in cards:
            self.code.add_to(self.sums, card, reach)

    def read(self) -> Any:
        """P in the number type of the pass."""
        total = self.code.builder.load(self.total)
        return (
            total if self.vector == self.code.vector else self.code.builder.fptrunc(total, self.code.vector)
        )

    def keep(self) -> None:
        """Store P before the sums of the cards."""
        self.code.store(self.read(), self.sums, self.code.index(0))


def add_slots(passed: ReachSums, card: Parameter, start: Any, first: Any, stop: Any) -> None:
    """Pass the slots first..stop-1; `card` has the board's first slot at `start`."""
    code = passed.code
    with code.each(first, stop) as slot:
        passed.add(slot, cards_of(code, card, code.plus(start, slot)))


@contextmanager
def each_tie(code: Code, count: Any, end_of: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
    """A loop over the ties of `count` slots: the first slot of each, and `end_of` it, one past the last."""
    builder = code.builder
    begin = cgutils.alloca_once_value(builder, code.index(0))
    test, body, done = (builder.append_basic_block(name) for name in ("test", "body", "done"))
    builder.branch(test)
    builder.position_at_end(test)
    first = builder.load(begin)
    builder.cbranch(builder.icmp_signed("<", first, count), body, done)
    builder.position_at_end(body)
    end = end_of(first)
    yield first, end
    builder.store(end, begin)
    builder.branch(test)
    builder.position_at_end(done)


@instruction
def prefetch(code, addresses, k, byte):  # type: ignore[no-untyped-def]
    """Ask for the line of memory at `byte` bytes from the k-th address, soon to be read and written."""
    number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
    function = code.builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
    address = code.plus(addresses.index(k.integer), byte.integer)
    place = code.builder.inttoptr(address, pointer)
    code.builder.call(function, [place, *(ir.Constant(number, k) for k in (0, 2, 1))])


@instruction
def add_up(code, totals, work, source, slots):  # type: ignore[no-untyped-def]
    """totals[j] = the sum of the row at source[j] over `slots` slots, a multiple of WIDTH"""
    builder = code.builder
    rows = [source.index(code.index(lane)) for lane in range(WIDTH)]
    parts = [code.variable() for _ in range(WIDTH)]
    with code.each(code.index(0), slots.integer, WIDTH) as slot:
        for row, part in zip(rows, parts, strict=True):
            read = code.load(work, code.plus(row, slot))
            builder.store(builder.fadd(builder.load(part), read), part)
    total = code.numbers.add(*code.exchanged([builder.load(part) for part in parts]))
    code.store(total, totals, code.index(0))


@instruction
def gather(code, lanes, work, source, slot, grid):  # type: ignore[no-untyped-def]
    """lanes[i, j] = work[source[j] + i] rounded to the grid of lane j, for WIDTH slots i from `slot`"""
    _gather(code, WIDTH)


@instruction
def gather_few(code, lanes, work, source, slot, grid):  # type: ignore[no-untyped-def]
    """lanes[i, j] of `gather` for the first FEW lanes j; the others are 0."""
    _gather(code, FEW)


def _gather(code: Code, used: int) -> None:
    lanes, work, source, slot, grid = code.parameters
    rows = []
    for lane in range(used):
        read = code.load(work, code.plus(source.index(code.index(lane)), slot.integer))
        coarse = code.repeated(grid, code.index(lane))
        rows.append(code.builder.fsub(code.builder.fadd(read, coarse), coarse))
    rows += [code.numbers.constant(0.0)] * (WIDTH - used)
    for k, value in enumerate(code.exchanged(rows)):
        code.store(value, lanes, code.row(code.plus(slot.integer, k)))


@instruction
def pile(code, sums, reach, card, start, slots):  # type: ignore[no-untyped-def]
    """Add up the reach of all slots; `card` has the board's first slot at `start`."""
    passed = ReachSums(code, sums, reach)
    add_slots(passed, card, start.integer, code.index(0), slots.integer)
    passed.keep()


@instruction
def sweep(code, sums, reach, card, start, slots, tie, won):  # type: ignore[no-untyped-def]
    """Add up the reach of all slots tie by tie; won = D- + D+, the reach before and after h's tie"""
    start, passed = start.integer, ReachSums(code, sums, reach)

    def others(slot: Any) -> Any:
        return apart(code, passed.read(), sums, cards_of(code, card, code.plus(start, slot)))

    with each_tie(code, slots.integer, lambda first: tie.index(code.plus(start, first))) as (first, end):
        with code.each(first, end) as slot:
            code.store(others(slot), won, code.row(slot))
        add_slots(passed, card, start, first, end)
        with code.each(first, end) as slot:
            code.add_to(won, code.row(slot), others(slot))
    passed.keep()


@instruction
def give_showdowns(code, won, sums, card, start, work, rows, stakes, group, slot):  # type: ignore[no-untyped-def]
    """work[rows[j] + i] = stake (won - D*) for WIDTH slots i from `slot`; stakes begin at `group`"""
    _give_back(code, code.builder.fsub, WIDTH)


@instruction
def give_folds(code, reach, sums, card, start, work, rows, stakes, group, slot):  # type: ignore[no-untyped-def]
    """work[rows[j] + i] = stake (reach + D*) for WIDTH slots i and the first FEW lanes; stakes begin at `group`"""
    _give_back(code, code.builder.fadd, FEW)


def _give_back(code: Code, join: Callable[[Any, Any], Any], used: int) -> None:
    lanes, sums, card, start, work, rows, stakes, group, slot = code.parameters
    everyone, squared = code.load(sums, code.index(0)), []
    for k in range(WIDTH):
        at = code.plus(slot.integer, k)
        total = apart(code, everyone, sums, cards_of(code, card, code.plus(start.integer, at)))
        squared.append(join(code.load(lanes, code.row(at)), total))
    for lane, row in enumerate(code.exchanged(squared)[:used]):
        paid = code.builder.fmul(row, code.repeated(stakes, code.plus(group.integer, lane)))
        code.store(paid, work, code.plus(rows.index(code.index(lane)), slot.integer))
