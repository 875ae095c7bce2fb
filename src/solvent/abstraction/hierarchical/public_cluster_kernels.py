"""Compiled loops of the public clustering: what two rows of a table share, and moves between clusters.

Similarities are sums of minima of unsigned integers. A sum of minima is at most the row sum V, so accumulators
of the table's own type cannot overflow where V fits it, and sixteen uint16 are compared and added at once.
Rows are compared in tiles of 4 x 2, which loads six vectors for eight minima; blocks of 64 x 64 rows and 2,048
columns stay in the second-level cache, a tile's rows in the first.
"""

from __future__ import annotations

import numpy as np

from solvent.foundation.kernels.compiling import compiled, internal_compiled

TILE = 4
"""Tables are padded to a multiple of this number of rows."""
BLOCK_ROWS = 64
BLOCK_COLUMNS = 2048


@compiled
def distance_rows(table, total, first, stop, distances):  # type: ignore[no-untyped-def]
    """d_ij = d_ji = (V - s_ij) / V with s_ij = sum_b min(T_i[b], T_j[b]), for rows first <= i < stop and j > i.

    table: uint16 or uint32[rows, columns], rows and `first` multiples of TILE; distances: float64[states, states],
    with fewer states than rows where the table is padded.
    """
    rows, columns = table.shape
    shared = np.zeros((stop - first, rows - first), np.uint32)
    for left in range(0, columns, BLOCK_COLUMNS):
        right = min(columns, left + BLOCK_COLUMNS)
        for block in range(first, rows, BLOCK_ROWS):
            for i in range(first, stop, TILE):
                for j in range(block, min(rows, block + BLOCK_ROWS), 2):
                    if j + 1 > i:
                        _tile(table, i, j, left, right, shared[i - first :, j - first :])
    states = len(distances)
    for j in range(first, states):
        for i in range(first, min(stop, j)):
            d = (total - shared[i - first, j - first]) / total
            distances[i, j] = d
            distances[j, i] = d


@internal_compiled
def _tile(table, i, j, left, right, shared):  # type: ignore[no-untyped-def]
    """Adds to shared[4, 2] the minima of rows i..i+3 with rows j and j+1 in the columns left..right-1."""
    row0, row1 = table[i, left:right], table[i + 1, left:right]
    row2, row3 = table[i + 2, left:right], table[i + 3, left:right]
    row_x, row_y = table[j, left:right], table[j + 1, left:right]
    number = table.dtype.type
    x0 = x1 = x2 = x3 = y0 = y1 = y2 = y3 = number(0)
    for b in range(right - left):
        x, y = row_x[b], row_y[b]
        t = row0[b]
        x0, y0 = number(x0 + (t if t < x else x)), number(y0 + (t if t < y else y))
        t = row1[b]
        x1, y1 = number(x1 + (t if t < x else x)), number(y1 + (t if t < y else y))
        t = row2[b]
        x2, y2 = number(x2 + (t if t < x else x)), number(y2 + (t if t < y else y))
        t = row3[b]
        x3, y3 = number(x3 + (t if t < x else x)), number(y3 + (t if t < y else y))
    for k, pair in enumerate(((x0, y0), (x1, y1), (x2, y2), (x3, y3))):
        shared[k, 0] += pair[0]
        shared[k, 1] += pair[1]


@compiled
def cluster_sums(distances, weights, assignment, sums):  # type: ignore[no-untyped-def]
    """sums[c, i] = S_c(i), the sum of w_j d_ij over the members j of cluster c: float64[clusters, states]."""
    sums[:] = 0.0
    for j in range(len(assignment)):
        _add(sums[assignment[j]], weights[j], distances[j])


@internal_compiled
def _add(row, weight, distances):  # type: ignore[no-untyped-def]
    for i in range(len(row)):
        row[i] += weight * distances[i]


@internal_compiled
def _change(average, pairs, weight, added, more):  # type: ignore[no-untyped-def]
    """Return the change of a cluster's cost when its pairs grow by `added` and its weight by `more`, of one sign.

    Its cost is P, the sum of w_i w_j d_ij over its pairs, or with averages 2 P / W, W its weight.
    """
    return 2.0 * (added - more * pairs / weight) / (weight + more) if average else added


@compiled
def sweep(average, distances, weights, sums, pairs, cluster_weight, members, assignment, least, history):  # type: ignore[no-untyped-def]
    """Move every state in turn, at once, to the cluster that lowers the objective most; returns the moves.

    sums, pairs, cluster_weight, members (S_c(i), P_c, W_c and the number of states) and the assignment follow
    every move. history: float64[states + 1], the objective at the beginning and after each move. The
    last state of a cluster stays. `least` is how much a state of weight 1 must gain to move.
    """
    moves = 0
    for i in range(len(assignment)):
        w, old = weights[i], assignment[i]
        if members[old] == 1:
            continue
        left = _change(average, pairs[old], cluster_weight[old], -w * sums[old, i], -w)
        best, new = -least * w, old
        for c in range(len(pairs)):
            if c != old:
                change = left + _change(average, pairs[c], cluster_weight[c], w * sums[c, i], w)
                if change < best:
                    best, new = change, c
        if new == old:
            continue
        pairs[old] -= w * sums[old, i]
        pairs[new] += w * sums[new, i]
        cluster_weight[old] -= w
        cluster_weight[new] += w
        members[old] -= 1
        members[new] += 1
        _add(sums[old], -w, distances[i])
        _add(sums[new], w, distances[i])
        assignment[i] = new
        moves += 1
        history[moves] = history[moves - 1] + best
    return moves


@compiled
def attach(distances, medoids, assignment, near, second):  # type: ignore[no-untyped-def]
    """Find each state's nearest medoid, the distance to it and to the next; a medoid's nearest is itself."""
    for i in range(len(assignment)):
        assignment[i], near[i], second[i] = 0, np.inf, np.inf
        for m in range(len(medoids)):
            d = distances[i, medoids[m]]
            if d < near[i] or medoids[m] == i:
                second[i], near[i], assignment[i] = near[i], d, m
            elif d < second[i]:
                second[i] = d


@compiled
def swap_sweep(distances, weights, medoids, assignment, near, second, least, history):  # type: ignore[no-untyped-def]
    """Put every state in turn, at once, in place of the medoid whose place gains most by it; returns the swaps.

    With x in place of medoid m, states nearer to x than to their medoid go to x; of the others only m's are
    concerned, and go to x or to their next medoid. So one pass over the states gives the change for every m.
    """
    swaps = 0
    change = np.empty(len(medoids))
    for x in range(len(assignment)):
        if medoids[assignment[x]] == x:
            continue
        change[:] = 0.0
        common = 0.0
        for i in range(len(assignment)):
            d = distances[x, i]
            if d < near[i]:
                common += weights[i] * (d - near[i])
            else:
                change[assignment[i]] += weights[i] * (min(d, second[i]) - near[i])
        m = np.argmin(change)
        if change[m] + common < -least:
            medoids[m] = x
            attach(distances, medoids, assignment, near, second)
            swaps += 1
            history[swaps] = history[swaps - 1] + change[m] + common
    return swaps
