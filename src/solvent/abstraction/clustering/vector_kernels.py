"""Compiled passes of k-means and k-medians over rows of numbers.

Integer rows are cumulative histograms and lie sum_d |x_d - y_d| apart; float32 rows lie sum_d (x_d - y_d)^2
apart, computed in float64. Rows are padded with zeros to whole vectors (`LANES`), so that a distance is a few
vector instructions: for bytes LLVM finds the instruction that sums absolute differences.

Distances are float64 everywhere, in which those of integers are exact. Bounds are on lengths that obey the
triangle inequality: the L1 distance itself, or the root of the squared distance (`squared`). `slack` is what
rounding may do to a length, relatively; 0 for integers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from solvent.foundation.kernels.compiling import compiled, internal_compiled

Array = Any

LANES = {np.dtype(np.uint8): 16, np.dtype(np.uint16): 8, np.dtype(np.float32): 8}
"""The number types of rows, and to a multiple of what their width is padded."""


def _row_distance(typing, left, i, right, k):  # type: ignore[no-untyped-def]
    """The distance of rows left[i] and right[k]: the order of additions is part of the code, never chosen."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0].dtype
        lanes = LANES[np.dtype(kind.name)]
        whole = isinstance(kind, types.Integer)
        index, element = cgutils.intp_t, context.get_data_type(kind)
        row = ir.VectorType(element, lanes)
        sums = ir.VectorType(ir.IntType(32) if whole else ir.DoubleType(), lanes)

        def begin(array: int) -> Any:
            made = context.make_array(signature.args[array])(context, builder, args[array])
            width = builder.extract_value(made.shape, 1)
            at = context.cast(builder, args[array + 1], signature.args[array + 1], types.intp)
            return builder.gep(made.data, [builder.mul(at, width)], source_etype=element), width

        def call(name: str, result: Any, *given: Any) -> Any:
            kind = ir.FunctionType(result, [value.type for value in given])
            return builder.call(builder.module.declare_intrinsic(name, (), kind), given)

        (first, width), (second, _) = begin(0), begin(2)
        entry, body = builder.block, builder.append_basic_block("lanes")
        after = builder.append_basic_block("lanes.end")
        builder.branch(body)
        builder.position_at_end(body)
        at, total = builder.phi(index), builder.phi(sums)
        values = []
        for start in (first, second):
            place = builder.gep(start, [at], source_etype=element)
            place = builder.bitcast(place, row.as_pointer())
            value = builder.load(place, align=context.get_abi_sizeof(element), typ=row)
            values.append(builder.zext(value, sums) if whole else builder.fpext(value, sums))
        if whole:
            apart = builder.sub(*values)
            apart = call(f"llvm.abs.v{lanes}i32", sums, apart, ir.Constant(ir.IntType(1), 0))
            grown = builder.add(total, apart)
        else:
            apart = builder.fsub(*values)
            grown = call(f"llvm.fma.v{lanes}f64", sums, apart, apart, total)
        onward = builder.add(at, ir.Constant(index, lanes))
        at.add_incoming(ir.Constant(index, 0), entry)
        at.add_incoming(onward, body)
        total.add_incoming(ir.Constant(sums, None), entry)
        total.add_incoming(grown, body)
        builder.cbranch(builder.icmp_signed("<", onward, width), body, after)
        builder.position_at_end(after)
        if whole:
            added = call(f"llvm.vector.reduce.add.v{lanes}i32", ir.IntType(32), grown)
            return builder.sitofp(added, ir.DoubleType())
        while lanes > 1:
            lanes //= 2
            halves = [
                ir.Constant(ir.VectorType(ir.IntType(32), lanes), list(range(low, low + lanes)))
                for low in (0, lanes)
            ]
            grown = builder.fadd(*(builder.shuffle_vector(grown, grown, half) for half in halves))
        return builder.extract_element(grown, ir.Constant(ir.IntType(32), 0))

    return types.float64(left, i, right, k), generate


row_distance: Any = intrinsic(_row_distance)


@compiled
def approach(points: Array, other: Array, k: int, start: int, stop: int, nearest: Array) -> None:
    """Lower `nearest` of each point to its distance from other[k]."""
    for i in range(start, stop):
        nearest[i] = min(nearest[i], row_distance(points, i, other, k))


@compiled
def own_distances(
    points: Array, centers: Array, assignment: Array, start: int, stop: int, own: Array
) -> None:
    """The distance of each point from the centre that it is assigned to."""
    for i in range(start, stop):
        own[i] = row_distance(points, i, centers, assignment[i])


@compiled
def center_distances(centers: Array, squared: bool, start: int, stop: int, gaps: Array) -> None:
    """Lengths between centres start..stop and all; -1 from a centre to itself, so that it sorts first."""
    for j in range(start, stop):
        for k in range(len(centers)):
            apart = row_distance(centers, j, centers, k)
            gaps[j - start, k] = math.sqrt(apart) if squared else apart
        gaps[j - start, j] = -1.0


@internal_compiled
def scan(points: Array, i: int, centers: Array) -> tuple[int, float, float]:
    """The nearest centre of a point among all (of equals the first), its distance, and the second distance."""
    best, least, second = 0, np.inf, np.inf
    for k in range(len(centers)):
        apart = row_distance(points, i, centers, k)
        if apart < least:
            best, least, second = k, apart, least
        elif apart < second:
            second = apart
    return best, least, second


@compiled
def assign(
    points: Array,
    weights: Array,
    centers: Array,
    squared: bool,
    slack: float,
    drift: Array,
    neighbours: Array,
    gaps: Array,
    start: int,
    stop: int,
    assignment: Array,
    lower: Array,
) -> tuple[float, int, int]:
    """Find each point's nearest centre, and a lower bound on its length from every other one, from those before.

    drift: float64[k]              how far centres other than this one moved at most
    neighbours: int32[k, m + 1]    the centres nearest to each, itself first
    gaps: float64[k, m + 1]        their lengths from it

    A point at length u from its centre c keeps it if u < lower, or if 2 u < gap to c's nearest neighbour.
    Otherwise the neighbours k of c are tried in order: |x - k| >= gap - u, so that none from where
    gap > u + second on can be nearer than the second nearest found (Borgelt 2020, "Even faster exact k-means
    clustering"). If the neighbours run out before, all centres are tried: given no neighbours and no bounds,
    this is the plain search.

    Returns the objective, how many points moved, and how many distances were computed.
    """
    objective, moved, evaluations = 0.0, 0, 0
    many = neighbours.shape[1]
    above, below = 1.0 + slack, 1.0 - slack
    for i in range(start, stop):
        old = assignment[i]
        least = row_distance(points, i, centers, old)
        evaluations += 1
        own = (math.sqrt(least) if squared else least) * above
        bound = lower[i] * below - drift[old]
        if many > 1:
            bound = max(bound, gaps[old, 1] * below - own)
        if own < bound:
            lower[i] = bound
            objective += weights[i] * least
            continue
        best, second, reach = old, np.inf, np.inf
        last = many == len(centers)
        for t in range(1, many):
            if gaps[old, t] * below > reach:
                last = True
                break
            k = neighbours[old, t]
            apart = row_distance(points, i, centers, k)
            evaluations += 1
            if apart < least or (apart == least and k < best):
                best, least, second = k, apart, least
            elif apart < second:
                second = apart
            else:
                continue
            reach = own + (math.sqrt(second) if squared else second) * above
        if not last:
            best, least, second = scan(points, i, centers)
            evaluations += len(centers)
        lower[i] = (math.sqrt(second) if squared else second) * below
        objective += weights[i] * least
        if best != old:
            assignment[i] = best
            moved += 1
    return objective, moved, evaluations


@compiled
def count_members(assignment: Array, start: int, stop: int, counts: Array) -> None:
    """Add the number of points start..stop that each centre has to counts: int64[centres]."""
    for i in range(start, stop):
        counts[assignment[i]] += 1


@compiled
def place_members(assignment: Array, start: int, stop: int, place: Array, members: Array) -> None:
    """Write the points start..stop into members, each where the place of its centre is, which moves on."""
    for i in range(start, stop):
        members[place[assignment[i]]] = i
        place[assignment[i]] += 1


@compiled
def medians(
    points: Array, weights: Array, starts: Array, members: Array, start: int, stop: int, centers: Array
) -> None:
    """Centres start..stop become the lower weighted medians of their members, in each column.

    The lower median is the largest value v with weight(x < v) < total / 2: found by bisection, counting each
    time. A centre without members stays.
    """
    width, most = points.shape[1], 0
    for k in range(start, stop):
        most = max(most, starts[k + 1] - starts[k])
    rows = np.empty((most, width), points.dtype)
    column = np.empty(most, points.dtype)
    weight = np.empty(most, np.int64)
    for k in range(start, stop):
        size, total = starts[k + 1] - starts[k], 0
        if size == 0:
            continue
        for at in range(size):
            i = members[starts[k] + at]
            weight[at] = weights[i]
            total += weight[at]
            for d in range(width):
                rows[at, d] = points[i, d]
        for d in range(width):
            low = np.int64(rows[0, d])
            high = low
            for at in range(size):
                column[at] = rows[at, d]
                low = min(low, np.int64(column[at]))
                high = max(high, np.int64(column[at]))
            while low < high:
                middle = (low + high + 1) >> 1
                below = 0
                for at in range(size):
                    below += weight[at] if column[at] < middle else 0
                if 2 * below < total:
                    low = middle
                else:
                    high = middle - 1
            centers[k, d] = low


@compiled
def means(
    points: Array, weights: Array, starts: Array, members: Array, start: int, stop: int, centers: Array
) -> None:
    """Centres start..stop become the weighted means of their members, summed in order; without any, they stay."""
    width = points.shape[1]
    sums = np.empty(width, np.float64)
    for k in range(start, stop):
        if starts[k] == starts[k + 1]:
            continue
        total = 0
        for d in range(width):
            sums[d] = 0.0
        for at in range(starts[k], starts[k + 1]):
            i = members[at]
            total += weights[i]
            for d in range(width):
                sums[d] += weights[i] * np.float64(points[i, d])
        for d in range(width):
            centers[k, d] = sums[d] / total
