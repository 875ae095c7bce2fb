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

from solvent.engines.vectors.code import WIDTH, Code, Parameter, instruction
from solvent.engines.vectors.matching import NOTHING, updated_vector

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

    Instructions have slots, rows, first and stop as parameters 1 to 4, and with a table its edge_at and base as 7
    and 8.
    """

    def __init__(self, code: Code, actions: int | None) -> None:
        self.code, self.actions = code, actions
        _, self.slots, self.rows, first, stop, *rest = code.parameters
        self.first, self.stop, self.table = first.integer, stop.integer, rest[2:4]
        self.k: Any = None
        edges = [code.plus(self.first, a) for a in range(actions or 0)]
        self.row_at = [self.rows.index(edge) for edge in edges]
        self.cell_at = [self._cells(edge) for edge in edges] if self.table else []

    def _cells(self, edge: Any) -> Any:
        """The place where an action's numbers begin in the tables."""
        edge_at, base = self.table
        return self.code.plus(base.integer, edge_at.index(edge))

    def each_slot(self, body: Callable[[_Node], None]) -> None:
        """Write `body` for each WIDTH slots."""
        with self.code.each(self.code.index(0), self.slots.integer, WIDTH) as k:
            self.k = k
            body(self)

    def each_action(self, body: Callable[[Any], None], skip: int = 0) -> None:
        """Write `body` for every action from number `skip` on; it is given what `row` and `cell` take."""
        if self.actions is not None:
            for action in range(skip, self.actions):
                body(action)
            return
        with self.code.each(self.code.plus(self.first, skip), self.stop) as edge:
            body(edge)

    def row(self, which: Any) -> Any:
        """The place of an action's numbers for the slots at hand in the workspace."""
        begin = self.row_at[which] if isinstance(which, int) else self.rows.index(which)
        return self.code.plus(begin, self.k)

    def cell(self, which: Any) -> Any:
        """The place of an action's numbers for the slots at hand in the tables."""
        begin = self.cell_at[which] if isinstance(which, int) else self._cells(which)
        return self.code.plus(begin, self.k)

    def first_row(self) -> Any:
        return self.row(self.first if self.actions is None else 0)

    def uniform(self) -> Any:
        """1 / the number of actions, in every place."""
        code = self.code
        if self.actions is not None:
            return code.numbers.constant(1.0 / self.actions)
        count = code.builder.sitofp(code.builder.sub(self.stop, self.first), code.element)
        return code.numbers.splat(code.builder.fdiv(ir.Constant(code.element, 1.0), count))

    def matched(self, table: Parameter) -> tuple[Any, Any]:
        """(inverse, uniform), with which sigma = max(0, R) inverse + uniform."""
        n, builder = self.code.numbers, self.code.builder
        total = self.code.variable()

        def add(which: Any) -> None:
            regret = n.larger(self.code.load(table, self.cell(which)), n.constant(0.0))
            builder.store(n.add(builder.load(total), regret), total)

        self.each_action(add)
        found, nothing = builder.load(total), n.constant(NOTHING)
        zero, one = n.constant(0.0), n.constant(1.0)
        inverse = n.where(found, nothing, n.divide(one, n.where(found, nothing, found, one)), zero)
        return inverse, n.where(found, nothing, zero, self.uniform())

    def sigma(self, table: Parameter, which: Any, inverse: Any, uniform: Any) -> Any:
        n = self.code.numbers
        regret = n.larger(self.code.load(table, self.cell(which)), n.constant(0.0))
        return n.add(n.multiply(regret, inverse), uniform)

    def gain(self, table: Parameter, work: Parameter, origin: Any) -> Any:
        """sum_a sigma_a (v_a - origin), with the first action's value as the origin"""
        n, builder = self.code.numbers, self.code.builder
        inverse, uniform = self.matched(table)
        gained = self.code.variable()

        def add(which: Any) -> None:
            above = n.subtract(self.code.load(work, self.row(which)), origin)
            share = self.sigma(table, which, inverse, uniform)
            builder.store(n.add(builder.load(gained), n.multiply(share, above)), gained)

        self.each_action(add, skip=1)
        return builder.load(gained)


def _for_actions(code: Code, body: Callable[[_Node], None]) -> None:
    """Write `body` for each WIDTH slots: once for each small number of actions, and once for any number."""
    builder, done = code.builder, code.builder.append_basic_block("done")
    _, _, _, first, stop, *_ = code.parameters
    count = builder.sub(stop.integer, first.integer)
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


def _round_by_largest(
    code: Code, table: Parameter, scales: Parameter, scale: Parameter, value: Callable[[_Node, Any], Any]
) -> None:
    """Store `value` of every action and slot as multiples of the scale that suits the largest."""
    builder, n, most, node = code.builder, code.numbers, code.variable(), _Node(code, None)

    def look(which: Any) -> None:
        found = value(node, which)
        size = n.larger(found, n.multiply(found, n.constant(-1.0 / DEEPEST)))
        builder.store(n.larger(builder.load(most), size), most)

    node.each_slot(lambda node: node.each_action(look))
    inverse = _keep_scale(code, scales.place(scale.integer), builder.load(most))

    def store(which: Any) -> None:
        whole = n.larger(n.multiply(value(node, which), inverse), n.constant(-float(LARGEST)))
        code.store(whole, table, node.cell(which))

    node.each_slot(lambda node: node.each_action(store))


def _keep_scale(code: Code, place: Any, largest: Any) -> Any:
    """Store the scale for numbers up to the largest of a vector's; returns its inverse in every place."""
    builder, element = code.builder, code.element
    most = builder.extract_element(largest, ir.Constant(ir.IntType(32), 0))
    for lane in range(1, WIDTH):
        other = builder.extract_element(largest, ir.Constant(ir.IntType(32), lane))
        most = builder.select(builder.fcmp_ordered(">", other, most), other, most)
    zero, one = ir.Constant(element, 0.0), ir.Constant(element, 1.0)
    scale = builder.fdiv(most, ir.Constant(element, float(LARGEST)))
    builder.store(scale, place)
    some = builder.fcmp_ordered(">", scale, zero)
    inverse = builder.fdiv(one, builder.select(some, scale, one))
    return code.numbers.splat(builder.select(some, inverse, zero))


@instruction
def split(code, work, slots, rows, first, stop, reach, table, edge_at, base):  # type: ignore[no-untyped-def]
    """Reach of each action's child = reach x sigma, with sigma from the table."""
    _split(code, work, reach.integer, table, lambda node, which, share: None)


@instruction
def spread(  # type: ignore[no-untyped-def]
    code, work, slots, rows, first, stop, reach, table, edge_at, base, average, weight, scales, scale
):
    """Reach of each action's child = reach x sigma, and the average grows by weight x that."""
    n, weight = code.numbers, code.numbers.splat(weight.scalar)

    def add(node: _Node, which: Any, share: Any) -> None:
        if not average.narrow:
            code.add_to(average, node.cell(which), n.multiply(weight, share))

    _split(code, work, reach.integer, table, add)
    if average.narrow:
        before = code.repeated(scales, scale.integer)

        def grown(node: _Node, which: Any) -> Any:
            share = code.load(work, node.row(which))
            old = n.multiply(code.load(average, node.cell(which)), before)
            return n.add(old, n.multiply(weight, share))

        _round_by_largest(code, average, scales, scale, grown)


def _split(
    code: Code, work: Parameter, reach: Any, table: Parameter, then: Callable[[_Node, Any, Any], None]
) -> None:
    """Write the reach of each action's child, and what comes `then` for each action with that reach."""

    def body(node: _Node) -> None:
        inverse, uniform = node.matched(table)
        reached = code.load(work, code.plus(reach, node.k))
        inverse, uniform = (code.numbers.multiply(reached, factor) for factor in (inverse, uniform))

        def give(which: Any) -> None:
            share = node.sigma(table, which, inverse, uniform)
            code.store(share, work, node.row(which))
            then(node, which, share)

        node.each_action(give)

    _for_actions(code, body)


@instruction
def learn(code, work, slots, rows, first, stop, value, table, edge_at, base, factors, scales, scale):  # type: ignore[no-untyped-def]
    """v = sum_a sigma_a v_a, and each regret becomes max(floor, d (R_a + v_a - v)).

    `factors` is (positive, negative, floor).
    """
    n, value, factors = (
        code.numbers,
        value.integer,
        [code.numbers.splat(each.scalar) for each in factors.fields],
    )

    def body(node: _Node) -> None:
        origin = code.load(work, node.first_row())
        gain = node.gain(table, work, origin)
        code.store(n.add(origin, gain), work, code.plus(value, node.k))

        def update(which: Any) -> None:
            above = n.subtract(code.load(work, node.row(which)), origin)
            regret = code.load(table, node.cell(which))
            code.store(updated_vector(n, regret, n.subtract(above, gain), *factors), table, node.cell(which))

        if not table.narrow:
            node.each_action(update)

    _for_actions(code, body)
    if table.narrow:
        before = code.repeated(scales, scale.integer)

        def rounded(node: _Node, which: Any) -> Any:
            mean = code.load(work, code.plus(value, node.k))
            gained = n.subtract(code.load(work, node.row(which)), mean)
            regret = n.multiply(code.load(table, node.cell(which)), before)
            return updated_vector(n, regret, gained, *factors)

        _round_by_largest(code, table, scales, scale, rounded)


@instruction
def expect(code, work, slots, rows, first, stop, value, table, edge_at, base):  # type: ignore[no-untyped-def]
    """v = sum_a sigma_a v_a, with sigma from the table."""

    def body(node: _Node) -> None:
        origin = code.load(work, node.first_row())
        gain = node.gain(table, work, origin)
        code.store(code.numbers.add(origin, gain), work, code.plus(value.integer, node.k))

    _for_actions(code, body)


@instruction
def total(code, work, slots, rows, first, stop, value):  # type: ignore[no-untyped-def]
    """v = sum_a v_a: the other player's actions share the reach."""
    _fold(code, work, value.integer, code.numbers.add)


@instruction
def best(code, work, slots, rows, first, stop, value):  # type: ignore[no-untyped-def]
    """v = max_a v_a: the best response."""
    _fold(code, work, value.integer, code.numbers.larger)


def _fold(code: Code, work: Parameter, value: Any, join: Callable[[Any, Any], Any]) -> None:
    """Write v = the values of all actions, joined one after another."""

    def body(node: _Node) -> None:
        found = code.variable(code.load(work, node.first_row()))

        def add(which: Any) -> None:
            read = code.load(work, node.row(which))
            code.builder.store(join(code.builder.load(found), read), found)

        node.each_action(add, skip=1)
        code.store(code.builder.load(found), work, code.plus(value, node.k))

    _for_actions(code, body)
