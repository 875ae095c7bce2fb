"""Execution plans: the order, and the number of threads, in which a pass visits the histories.

All plans compute the same counterfactual values. A plan runs iterations of a regret rule on the tables it is given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history import serial_kernels as kernels
from solvent.engines.history.flattened import Flattened
from solvent.engines.history.sequence_plan import SequencePlan
from solvent.engines.history.serial_kernels import Play, Rows, Side, Tables
from solvent.forms.history import GameTree
from solvent.forms.sequence import sequence_form
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import check_threads, on_each

PLANS = ("auto", "serial", "branched", "flattened", "sequence", "aggregated")
BRANCHED_FROM = 4_000_000
"""Histories from which handing branches to threads pays for the handing over."""
MOST_BRANCHES = 32


class Serial:
    """One thread, depth first, all iterations inside one compiled call."""

    name = "serial"
    threads = 1

    def __init__(self, rows: Rows, sides: tuple[Side, Side], partial: bool = False) -> None:
        """With `partial` pruning histories that the other player does not reach are not walked."""
        self.rows, self.sides = rows, sides
        self.visited = np.zeros(len(rows.parent) if partial else 0, dtype=np.int32)
        self.touched = 0
        """Histories touched so far."""

    def iterate(self, schedule: NDArray[np.float64], alternating: bool, tables: Tables, play: Play) -> None:
        self.touched += kernels.iterate(
            self.rows, *self.sides, schedule, alternating, tables, play, self.visited
        )


class Branched:
    """Subtrees on threads: the head goes down, branches run side by side, the head comes back up."""

    name = "branched"

    def __init__(self, tree: GameTree, rows: Rows, sides: tuple[Side, Side], threads: int) -> None:
        self.rows, self.sides = rows, sides
        edges = tree.cells + len(tree.chance)
        # Adding up the branches' tables costs edges x branches: keep it a small part of the walk. The number
        # depends on the tree alone, so results do not depend on the number of threads.
        self.cut = cut(tree, min(MOST_BRANCHES, max(2, tree.histories // (4 * edges))))
        branches = len(self.cut.group) - 1
        self.branch_value = np.zeros((branches, edges))
        self.threads = min(threads, branches)

    def iterate(self, schedule: NDArray[np.float64], alternating: bool, tables: Tables, play: Play) -> None:
        for weights in schedule:
            self._walk(0, play)
            if not alternating:
                self._walk(1, play)
            kernels.update(self.sides[0], 0, weights, tables, play)
            if alternating:
                self._walk(1, play)
            kernels.update(self.sides[1], 1, weights, tables, play)

    def _walk(self, player: int, play: Play) -> None:
        kernels.descend(self.rows, player, play, self.cut.head)
        if self.threads == 1:
            self._walk_branches(player, play, 0)
        else:
            on_each(lambda worker: self._walk_branches(player, play, worker), self.threads)
        kernels.ascend(self.rows, player, play, self.cut.head, self.branch_value)

    def _walk_branches(self, player: int, play: Play, worker: int) -> None:
        _, roots, group = self.cut
        kernels.walk_branches(self.rows, player, play, roots, group, self.branch_value, worker, self.threads)


class Cut(NamedTuple):
    """A tree cut into a head and groups of whole subtrees of nearly equal size."""

    head: NDArray[np.int64]
    """Every history above the cut and the subtrees' roots themselves, the root of the game apart."""
    roots: NDArray[np.int64]
    group: NDArray[np.int64]
    """Group g has the roots `group[g] : group[g + 1]`."""


def cut(tree: GameTree, groups: int) -> Cut:
    """Cut a tree into at most `groups` groups of subtrees."""
    small = max(1, tree.histories // (8 * groups))
    roots: list[int] = []
    row = 1
    while row < tree.histories:
        if tree.end[row] - row <= small:
            roots.append(row)
            row = int(tree.end[row])
        else:
            row += 1
    start = np.array(roots, dtype=np.int64)
    end = tree.end[start]
    depth = np.zeros(tree.histories + 1, dtype=np.int64)
    depth[start + 1] += 1
    np.add.at(depth, end, -1)
    head = np.flatnonzero(np.cumsum(depth)[:-1] == 0)[1:]
    work = np.cumsum(end - start)
    group_of_root = (work - 1) * groups // work[-1]
    group = np.searchsorted(group_of_root, np.arange(groups + 1))
    return Cut(head, start, np.unique(group))


Plan = Serial | Branched | Flattened | SequencePlan
"""A plan's `iterate` runs one iteration for each row of a schedule, which holds the rule's weights."""


def check_plan(name: str, threads: int) -> None:
    """Reject an unknown plan, or an impossible number of threads."""
    if name not in PLANS:
        raise InputError(f"there is no plan {name!r}; the plans are {', '.join(PLANS)}")
    check_threads(threads)


def make_plan(name: str, tree: GameTree, rows: Rows, sides: tuple[Side, Side], threads: int) -> Plan:
    """A plan on the history form by name.

    `auto` folds histories into sequences where players forget nothing, and else takes threads where the tree
    is large enough to feed them.
    """
    if name == "aggregated":
        raise InputError(
            f"the aggregated plan needs a game in public form, and {tree.name} is not compiled to it"
        )
    if name == "auto":
        large = threads > 1 and tree.histories >= BRANCHED_FROM
        perfect = sequence_form(tree).perfect_recall and tree.cells > 0
        name = "sequence" if perfect else "branched" if large else "serial"
    if name == "sequence":
        return SequencePlan(sequence_form(tree), tree.name)
    if name == "flattened":
        return Flattened(tree, rows, sides)
    if name == "serial" or tree.histories < 2:
        return Serial(rows, sides)
    return Branched(tree, rows, sides, threads)
