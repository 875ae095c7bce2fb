"""The arithmetic at a decision, for all slots of a node at once: vectors of WIDTH slots, any number of actions.

Rows are given as an array and where in it they begin. The rows of a node's actions are given as two arrays of
beginnings by edge, for the workspace (`rows`) and for the tables (`edge_at`, counted from `base`, where the board's
numbers begin). What is computed is in `engines.vectors.matching`: sigma ~ max(0, R), R <- max(floor, d (R + r)).

Tables of int16 hold each node's numbers on a board as multiples of a scale of its own, `scales[scale]`: the largest
is `LARGEST` times the scale, and deep negative ones are cut off. Regret matching does not care about the scale. An
update is computed twice: to find the largest number, and to round by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

from solvent.engines.vectors.elementwise import WIDTH, Generator, Numbers
from solvent.engines.vectors.matching import NOTHING, updated_vector
from solvent.engines.vectors.sweep_instructions import Code, Table, generated

cgutils: Any = _cgutils

LARGEST = 32767
DEEPEST = 32
"""Numbers below zero are cut off in tables of int16: at minus the largest above zero, or this part of the deepest.

Regrets above zero decide what is played, and they get the finer steps: with 32 fewer iterations were needed than
with 1 on three of four spots, and 6 % more than with float32 on the fourth.
"""
UNROLLED = 4
"""The most actions for which nodes have code of their own, without a loop over the actions."""


class _Node:
    """The rows of one node's actions while code for it is being written.

    Intrinsics have slots, rows, first and stop as parameters 1 to 4, and with a table edge_at and base as 7 and 8.
    """

    def __init__(self, code: Code, actions: int | None) -> None:
        self.code, self.actions, self.numbers = code, actions, code.numbers
        self.first, self.stop = code.integer(3), code.integer(4)
        self.k: Any = None
        edges = [code.plus(self.first, a) for a in range(actions or 0)]
        names = ("rows", "table") if len(code.args) > 8 else ("rows",)
        self.hoisted = {name: [self._begin(name, edge) for edge in edges] for name in names}

    def _begin(self, name: str, edge: Any) -> Any:
        code = self.code
        if name == "rows":
            return code.read_integer(2, edge)
        return code.plus(code.integer(8), code.read_integer(7, edge))

    def each_slot(self, body: Callable[[_Node], None]) -> None:
        """Write `body` for each WIDTH slots."""
        with self.code.each(self.code.index(0), self.code.integer(1), WIDTH) as k:
            self.k = k
            body(self)

    def each_action(self, body: Callable[[Any], None], skip: int = 0) -> None:
        """Write `body` for every action from number `skip` on; it is given what `at` takes."""
        if self.actions is not None:
            for action in range(skip, self.actions):
                body(action)
            return
        with self.code.each(self.code.plus(self.first, skip), self.stop) as edge:
            body(edge)

    def at(self, name: str, which: Any) -> Any:
        """The place of an action's numbers for the slots at hand, in the workspace (`rows`) or the `table`."""
        begin = self.hoisted[name][which] if isinstance(which, int) else self._begin(name, which)
        return self.code.plus(begin, self.k)

    def first_row(self) -> Any:
        return self.at("rows", self.first if self.actions is None else 0)

    def uniform(self) -> Any:
        """1 / the number of actions, in every place."""
        if self.actions is not None:
            return self.numbers.constant(1.0 / self.actions)
        builder = self.code.builder
        count = builder.sitofp(builder.sub(self.stop, self.first), self.code.element)
        return self.numbers.splat(builder.fdiv(ir.Constant(self.code.element, 1.0), count))

    def read(self, table: Table, which: Any) -> Any:
        """An action's numbers in a table; those of int16 not yet times their scale."""
        return table.load(self.at("table", which))

    def matched(self, table: Table) -> tuple[Any, Any]:
        """(inverse, uniform), with which sigma = max(0, R) inverse + uniform."""
        n, builder = self.numbers, self.code.builder
        total = self.code.nothing()

        def add(which: Any) -> None:
            regret = n.larger(self.read(table, which), n.constant(0.0))
            builder.store(n.add(builder.load(total), regret), total)

        self.each_action(add)
        found, nothing = builder.load(total), n.constant(NOTHING)
        zero, one = n.constant(0.0), n.constant(1.0)
        inverse = n.where(found, nothing, n.divide(one, n.where(found, nothing, found, one)), zero)
        return inverse, n.where(found, nothing, zero, self.uniform())

    def sigma(self, table: Table, which: Any, inverse: Any, uniform: Any) -> Any:
        n = self.numbers
        regret = n.larger(self.read(table, which), n.constant(0.0))
        return n.add(n.multiply(regret, inverse), uniform)

    def gain(self, table: Table, work: Any, origin: Any) -> Any:
        """sum_a sigma_a (v_a - origin), with the first action's value as the origin"""
        n, builder = self.numbers, self.code.builder
        inverse, uniform = self.matched(table)
        gained = self.code.nothing()

        def add(which: Any) -> None:
            above = n.subtract(self.code.load(work, self.at("rows", which)), origin)
            share = self.sigma(table, which, inverse, uniform)
            builder.store(n.add(builder.load(gained), n.multiply(share, above)), gained)

        self.each_action(add, skip=1)
        return builder.load(gained)


def _for_actions(code: Code, body: Callable[[_Node], None]) -> None:
    """Write `body` for each WIDTH slots: once for each small number of actions, and once for any number."""
    builder, done = code.builder, code.builder.append_basic_block("done")
    count = builder.sub(code.integer(4), code.integer(3))
    for actions in range(2, UNROLLED + 1):
        here, other = (builder.append_basic_block(name) for name in ("few", "more"))
        builder.cbranch(builder.icmp_signed("==", count, code.index(actions)), here, other)
        builder.position_at_end(here)
        _Node(code, actions).each_slot(body)
        builder.branch(done)
        builder.position_at_end(other)
    _Node(code, None).each_slot(body)
    builder.branch(done)
    builder.position_at_end(done)


def _splitting(kinds: tuple[Any, ...], averages: bool) -> Generator:
    def write(code: Code) -> None:
        work, table, reach = code.data(0), Table(code, 6), code.integer(5)
        sums = Table(code, 9) if averages else None
        weight = code.number(10) if averages else None

        def body(node: _Node) -> None:
            n = node.numbers
            inverse, uniform = node.matched(table)
            reached = code.load(work, code.plus(reach, node.k))
            inverse, uniform = n.multiply(reached, inverse), n.multiply(reached, uniform)

            def give(which: Any) -> None:
                share = node.sigma(table, which, inverse, uniform)
                code.store(share, work, node.at("rows", which))
                if sums is not None and not sums.narrow:
                    grown = n.add(node.read(sums, which), n.multiply(weight, share))
                    sums.store(grown, node.at("table", which))

            node.each_action(give)

        _for_actions(code, body)
        if sums is not None and sums.narrow:
            before = code.repeated(code.data(11), code.integer(12))

            def grown(node: _Node, which: Any) -> Any:
                n = node.numbers
                share = code.load(work, node.at("rows", which))
                return n.add(n.multiply(node.read(sums, which), before), n.multiply(weight, share))

            _round_by_largest(code, sums, 11, grown)

    return generated(kinds, 0, write)


def _round_by_largest(code: Code, table: Table, scales: int, value: Callable[[_Node, Any], Any]) -> None:
    """Store `value` of every action and slot as multiples of the scale that suits the largest.

    `scales` is the parameter with the scales; the next one is the place of this node's.
    """
    builder, most, node = code.builder, code.nothing(), _Node(code, None)

    def look(which: Any) -> None:
        n, found = node.numbers, value(node, which)
        size = n.larger(found, n.multiply(found, n.constant(-1.0 / DEEPEST)))
        builder.store(n.larger(builder.load(most), size), most)

    node.each_slot(lambda node: node.each_action(look))
    inverse = _keep_scale(code, scales, builder.load(most))

    def store(which: Any) -> None:
        n = node.numbers
        whole = n.larger(n.multiply(value(node, which), inverse), n.constant(-float(LARGEST)))
        table.store(whole, node.at("table", which))

    node.each_slot(lambda node: node.each_action(store))


def _keep_scale(code: Code, scales: int, largest: Any) -> Any:
    """Store the scale for numbers up to the largest of a vector's; returns its inverse in every place."""
    builder, element = code.builder, code.element
    most = builder.extract_element(largest, ir.Constant(ir.IntType(32), 0))
    for lane in range(1, WIDTH):
        other = builder.extract_element(largest, ir.Constant(ir.IntType(32), lane))
        most = builder.select(builder.fcmp_ordered(">", other, most), other, most)
    zero, one = ir.Constant(element, 0.0), ir.Constant(element, 1.0)
    scale = builder.fdiv(most, ir.Constant(element, float(LARGEST)))
    place = builder.gep(code.data(scales), [code.integer(scales + 1)], source_etype=element)
    builder.store(scale, place, align=code.align)
    some = builder.fcmp_ordered(">", scale, zero)
    inverse = builder.fdiv(one, builder.select(some, scale, one))
    return code.numbers.splat(builder.select(some, inverse, zero))


@intrinsic
def split(typing, work, slots, rows, first, stop, reach, table, edge_at, base):  # type: ignore[no-untyped-def]
    """Reach of each action's child = reach x sigma, with sigma from the table."""
    return _splitting((work, slots, rows, first, stop, reach, table, edge_at, base), False)


@intrinsic
def spread(  # type: ignore[no-untyped-def]
    typing, work, slots, rows, first, stop, reach, table, edge_at, base, average, weight, scales, scale
):
    """Reach of each action's child = reach x sigma, and the average grows by weight x that."""
    kinds = (work, slots, rows, first, stop, reach, table, edge_at, base, average, weight, scales, scale)
    return _splitting(kinds, True)


@intrinsic
def learn(typing, work, slots, rows, first, stop, value, table, edge_at, base, factors, scales, scale):  # type: ignore[no-untyped-def]
    """v = sum_a sigma_a v_a, and each regret becomes max(floor, d (R_a + v_a - v)).

    `factors` is (positive, negative, floor).
    """
    kinds = (work, slots, rows, first, stop, value, table, edge_at, base, factors, scales, scale)

    def write(code: Code) -> None:
        work, table, value = code.data(0), Table(code, 6), code.integer(5)
        factors = [code.number(9, k) for k in range(3)]

        def body(node: _Node) -> None:
            n = node.numbers
            origin = code.load(work, node.first_row())
            gain = node.gain(table, work, origin)
            code.store(n.add(origin, gain), work, code.plus(value, node.k))

            def update(which: Any) -> None:
                above = n.subtract(code.load(work, node.at("rows", which)), origin)
                new = updated_vector(n, node.read(table, which), n.subtract(above, gain), *factors)
                table.store(new, node.at("table", which))

            if not table.narrow:
                node.each_action(update)

        _for_actions(code, body)
        if table.narrow:
            before = code.repeated(code.data(10), code.integer(11))

            def rounded(node: _Node, which: Any) -> Any:
                n = node.numbers
                mean = code.load(work, code.plus(value, node.k))
                gained = n.subtract(code.load(work, node.at("rows", which)), mean)
                return updated_vector(n, n.multiply(node.read(table, which), before), gained, *factors)

            _round_by_largest(code, table, 10, rounded)

    return generated(kinds, 0, write)


@intrinsic
def expect(typing, work, slots, rows, first, stop, value, table, edge_at, base):  # type: ignore[no-untyped-def]
    """v = sum_a sigma_a v_a, with sigma from the table."""

    def write(code: Code) -> None:
        work, value, table = code.data(0), code.integer(5), Table(code, 6)

        def body(node: _Node) -> None:
            origin = code.load(work, node.first_row())
            gain = node.gain(table, work, origin)
            code.store(node.numbers.add(origin, gain), work, code.plus(value, node.k))

        _for_actions(code, body)

    return generated((work, slots, rows, first, stop, value, table, edge_at, base), 0, write)


def _folding(kinds: tuple[Any, ...], join: Callable[[Numbers, Any, Any], Any]) -> Generator:
    def write(code: Code) -> None:
        work, value, builder = code.data(0), code.integer(5), code.builder

        def body(node: _Node) -> None:
            found = cgutils.alloca_once_value(builder, code.load(work, node.first_row()))

            def add(which: Any) -> None:
                read = code.load(work, node.at("rows", which))
                builder.store(join(node.numbers, builder.load(found), read), found)

            node.each_action(add, skip=1)
            code.store(builder.load(found), work, code.plus(value, node.k))

        _for_actions(code, body)

    return generated(kinds, 0, write)


@intrinsic
def total(typing, work, slots, rows, first, stop, value):  # type: ignore[no-untyped-def]
    """v = sum_a v_a: the other player's actions share the reach."""
    return _folding((work, slots, rows, first, stop, value), lambda n, x, y: n.add(x, y))


@intrinsic
def best(typing, work, slots, rows, first, stop, value):  # type: ignore[no-untyped-def]
    """v = max_a v_a: the best response."""
    return _folding((work, slots, rows, first, stop, value), lambda n, x, y: n.larger(x, y))
