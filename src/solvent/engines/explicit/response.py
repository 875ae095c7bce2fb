"""Exact best responses, exploitability and value on the explicit public tree."""

from __future__ import annotations

from solvent.engines.explicit.kernels import (
    EVALUATE,
    NO_TABLE,
    RESPOND,
    FlatTable,
    Weights,
    Work,
    ascend,
    descend,
    make_work,
)
from solvent.engines.history.response import Evaluation
from solvent.forms.explicit.tree import ExplicitTree


def evaluate_explicit(tree: ExplicitTree, average: FlatTable, work: Work | None = None) -> Evaluation:
    """Evaluate the strategy that plays each edge in proportion to a table by edge.

    Infosets with no weight at all are played uniformly.
    """
    work = work or make_work(tree.nodes, len(tree.hands))
    work.reach[:, 0] = 1.0
    descend(tree.arrays, average, NO_TABLE, work, 0, False)
    found = []
    for player, mode in ((0, RESPOND), (1, RESPOND), (0, EVALUATE)):
        ascend(tree.arrays, average, NO_TABLE, work, player, Weights(mode, 1.0, 1.0, 1.0), 0)
        found.append(float(work.value[0].sum()))
    best, value = (found[0], found[1]), found[2]
    return Evaluation(max(0.0, sum(best) / 2), (value, -value), best)
