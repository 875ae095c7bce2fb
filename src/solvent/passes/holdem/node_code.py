"""The arithmetic at a decision, for all slots of a node at once: vectors of WIDTH slots, any number of actions.

Rows are given as an array and where in it they begin. The rows of a node's actions are given as two arrays of
beginnings by edge, for the workspace (`rows`) and for the tables (`edge_at`, counted from `base`, where the board's
numbers begin). What is computed is in `passes.matching`: sigma ~ max(0, R), R <- max(floor, d (R + r)).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

from solvent.passes.elementwise import WIDTH, Numbers
from solvent.passes.matching import NOTHING
from solvent.passes.sweep_instructions import Code, Generator, generated

cgutils: Any = _cgutils

UNROLLED = 4
"""Nodes with up to so many actions have code of their own, without a loop over the actions."""


class _Node:
    """The rows of one node's actions while code for it is being written."""

    def __init__(self, code: Code, actions: int | None, places: dict[str, Any]) -> None:
        self.code, self.actions, self.places = code, actions, places
        self.numbers = Numbers(code.builder, code.vector)
        self.first, self.stop = places["first"], places["stop"]
        self.k: Any = None
        self.hoisted: dict[str, list[Any]] = {}
        if actions is not None:
            for name in ("rows", "table"):
                if name in places:
                    edges = [code.plus(self.first, a) for a in range(actions)]
                    self.hoisted[name] = [self._begin(name, edge) for edge in edges]

    def _begin(self, name: str, edge: Any) -> Any:
        code = self.code
        if name == "rows":
            return code.read_integer(self.places["rows"], edge)
        return code.plus(self.places["base"], code.read_integer(self.places["table"], edge))

    def each_action(self, body: Callable[[Any], None], skip: int = 0) -> None:
        """Write `body` for every action from number `skip` on; it is given what `at` takes."""
        if self.actions is not None:
            for action in range(skip, self.actions):
                body(action)
            return
        with self.code.each(self.code.plus(self.first, skip), self.stop) as edge:
            body(edge)

    def at(self, name: str, which: Any) -> Any:
        """Where an action's numbers for the slots at hand stand, in the workspace (`rows`) or the `table`."""
        begin = self.hoisted[name][which] if isinstance(which, int) else self._begin(name, which)
        return self.code.plus(begin, self.k)

    def first_row(self) -> Any:
        begin = self.hoisted["rows"][0] if self.actions is not None else self._begin("rows", self.first)
        return self.code.plus(begin, self.k)

    def alike(self) -> Any:
        """1 / the number of actions, in every place."""
        if self.actions is not None:
            return self.numbers.constant(1.0 / self.actions)
        builder = self.code.builder
        count = builder.sitofp(builder.sub(self.stop, self.first), self.code.element)
        return self.numbers.splat(builder.fdiv(ir.Constant(self.code.element, 1.0), count))

    def matched(self, table: Any) -> tuple[Any, Any]:
        """(inverse, uniform), with which sigma = max(0, R) inverse + uniform."""
        n, builder = self.numbers, self.code.builder
        total = self.code.nothing()

        def add(which: Any) -> None:
            regret = n.larger(self.code.load(table, self.at("table", which)), n.constant(0.0))
            builder.store(n.add(builder.load(total), regret), total)

        self.each_action(add)
        found, nothing = builder.load(total), n.constant(NOTHING)
        zero, one = n.constant(0.0), n.constant(1.0)
        inverse = n.where(found, nothing, n.divide(one, n.where(found, nothing, found, one)), zero)
        return inverse, n.where(found, nothing, zero, self.alike())

    def sigma(self, table: Any, which: Any, inverse: Any, uniform: Any) -> Any:
        n = self.numbers
        regret = n.larger(self.code.load(table, self.at("table", which)), n.constant(0.0))
        return n.add(n.multiply(regret, inverse), uniform)

    def gain(self, table: Any, work: Any, origin: Any) -> Any:
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


def _for_actions(code: Code, slots: Any, places: dict[str, Any], body: Callable[[_Node], None]) -> None:
    """Write `body` for each WIDTH slots: once for each small number of actions, and once for any number."""
    builder = code.builder
    count = builder.sub(places["stop"], places["first"])
    done = builder.append_basic_block("done")

    def loop(actions: int | None) -> None:
        node = _Node(code, actions, places)
        with code.each(code.index(0), slots, WIDTH) as k:
            node.k = k
            body(node)
        builder.branch(done)

    for actions in range(2, UNROLLED + 1):
        here, other = (builder.append_basic_block(name) for name in ("few", "more"))
        builder.cbranch(builder.icmp_signed("==", count, code.index(actions)), here, other)
        builder.position_at_end(here)
        loop(actions)
        builder.position_at_end(other)
    loop(None)
    builder.position_at_end(done)


def _scalar(code: Code, position: int) -> Any:
    """A number that was given, in every place of a vector."""
    kind = code.signature.args[0].dtype
    value = code.context.cast(code.builder, code.args[position], code.signature.args[position], kind)
    return Numbers(code.builder, code.vector).splat(value)


def _splitting(kinds: tuple[Any, ...], averages: bool) -> Generator:
    def write(code: Code) -> None:
        work, table = code.data(0), code.data(6)
        reach = code.integer(5)
        places = {
            "rows": 2, "table": 7, "first": code.integer(3), "stop": code.integer(4), "base": code.integer(8)
        }  # fmt: skip
        weight = _scalar(code, 10) if averages else None

        def body(node: _Node) -> None:
            n = node.numbers
            inverse, uniform = node.matched(table)
            reached = code.load(work, code.plus(reach, node.k))
            inverse, uniform = n.multiply(reached, inverse), n.multiply(reached, uniform)

            def give(which: Any) -> None:
                share = node.sigma(table, which, inverse, uniform)
                code.store(share, work, node.at("rows", which))
                if averages:
                    at, sums = node.at("table", which), code.data(9)
                    code.store(n.add(code.load(sums, at), n.multiply(weight, share)), sums, at)

            node.each_action(give)

        _for_actions(code, code.integer(1), places, body)

    return generated(kinds, 0, write)


@intrinsic
def split(typing, work, slots, rows, first, stop, reach, table, edge_at, base):  # type: ignore[no-untyped-def]
    """Reach of each action's child = reach x sigma, with sigma from the table."""
    return _splitting((work, slots, rows, first, stop, reach, table, edge_at, base), False)


@intrinsic
def spread(typing, work, slots, rows, first, stop, reach, table, edge_at, base, average, weight):  # type: ignore[no-untyped-def]
    """Reach of each action's child = reach x sigma, and the average grows by weight x that."""
    return _splitting((work, slots, rows, first, stop, reach, table, edge_at, base, average, weight), True)


@intrinsic
def learn(typing, work, slots, rows, first, stop, value, table, edge_at, base, positive, negative, floor):  # type: ignore[no-untyped-def]
    """v = sum_a sigma_a v_a, and each regret becomes max(floor, d (R_a + v_a - v))."""
    kinds = (work, slots, rows, first, stop, value, table, edge_at, base, positive, negative, floor)

    def write(code: Code) -> None:
        work, table = code.data(0), code.data(6)
        value = code.integer(5)
        places = {
            "rows": 2, "table": 7, "first": code.integer(3), "stop": code.integer(4), "base": code.integer(8)
        }  # fmt: skip
        positive, negative, floor = (_scalar(code, position) for position in (9, 10, 11))

        def body(node: _Node) -> None:
            n = node.numbers
            origin = code.load(work, node.first_row())
            gain = node.gain(table, work, origin)
            code.store(n.add(origin, gain), work, code.plus(value, node.k))

            def update(which: Any) -> None:
                at = node.at("table", which)
                above = n.subtract(code.load(work, node.at("rows", which)), origin)
                total = n.add(code.load(table, at), n.subtract(above, gain))
                total = n.multiply(total, n.where(total, n.constant(0.0), positive, negative))
                code.store(n.larger(total, floor), table, at)

            node.each_action(update)

        _for_actions(code, code.integer(1), places, body)

    return generated(kinds, 0, write)


@intrinsic
def expect(typing, work, slots, rows, first, stop, value, table, edge_at, base):  # type: ignore[no-untyped-def]
    """v = sum_a sigma_a v_a, with sigma from the table."""

    def write(code: Code) -> None:
        work, value = code.data(0), code.integer(5)
        places = {
            "rows": 2, "table": 7, "first": code.integer(3), "stop": code.integer(4), "base": code.integer(8)
        }  # fmt: skip

        def body(node: _Node) -> None:
            origin = code.load(work, node.first_row())
            gain = node.gain(code.data(6), work, origin)
            code.store(node.numbers.add(origin, gain), work, code.plus(value, node.k))

        _for_actions(code, code.integer(1), places, body)

    return generated((work, slots, rows, first, stop, value, table, edge_at, base), 0, write)


def _folding(kinds: tuple[Any, ...], join: Callable[[Numbers, Any, Any], Any]) -> Generator:
    def write(code: Code) -> None:
        work, value, builder = code.data(0), code.integer(5), code.builder
        places = {"rows": 2, "first": code.integer(3), "stop": code.integer(4)}

        def body(node: _Node) -> None:
            found = cgutils.alloca_once_value(builder, code.load(work, node.first_row()))

            def add(which: Any) -> None:
                read = code.load(work, node.at("rows", which))
                builder.store(join(node.numbers, builder.load(found), read), found)

            node.each_action(add, skip=1)
            code.store(builder.load(found), work, code.plus(value, node.k))

        _for_actions(code, code.integer(1), places, body)

    return generated(kinds, 0, write)


@intrinsic
def total(typing, work, slots, rows, first, stop, value):  # type: ignore[no-untyped-def]
    """v = sum_a v_a: the other player's actions share the reach."""
    return _folding((work, slots, rows, first, stop, value), lambda n, x, y: n.add(x, y))


@intrinsic
def best(typing, work, slots, rows, first, stop, value):  # type: ignore[no-untyped-def]
    """v = max_a v_a: the best response."""
    return _folding((work, slots, rows, first, stop, value), lambda n, x, y: n.larger(x, y))
