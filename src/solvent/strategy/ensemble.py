"""Ensembles: several strategies of one game combined into one.

The models' probabilities can be added up infoset by infoset. That is simple, and is not what drawing one of the
models at the start of each game would play: where a model never comes, what it says counts as much as what the
others say. Weighted by how likely each model's own actions lead to the infoset, the ensemble is exactly that draw
in behavioural form, and wins against anybody the mean of what the models win (Kuhn 1953).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.forms.history import GameTree
from solvent.forms.sequence import realisation_plan, sequence_form
from solvent.foundation.errors import InputError
from solvent.strategy.strategy import normalise

WAYS = ("sum", "reach")


def combine(tree: GameTree, strategies: Sequence[ArrayLike], by: str = "reach") -> NDArray[np.float64]:
    """Combine strategies, float64[cells] each: add their probabilities (`sum`), or weigh them by `reach` first.

    By reach, an infoset that none of the models comes to has their sum.
    """
    if by not in WAYS:
        raise InputError(f"strategies are combined by {' or '.join(WAYS)}, not {by!r}")
    models = [np.asarray(strategy, dtype=np.float64) for strategy in strategies]
    if not models or any(model.shape != (tree.cells,) for model in models):
        raise InputError(f"an ensemble is at least one strategy of {tree.cells:,} numbers, one for each cell")
    added = normalise(np.sum(models, axis=0), tree.infoset_cell)
    return added if by == "sum" else _by_reach(tree, models, added)


def _by_reach(
    tree: GameTree, models: Sequence[NDArray[np.float64]], unreached: NDArray[np.float64]
) -> NDArray[np.float64]:
    form = sequence_form(tree)
    if not form.perfect_recall:
        raise InputError(
            f"a player of {tree.name} forgets earlier actions, so no strategy plays like a draw of several; "
            f"combine by sum"
        )
    weight = np.zeros(tree.cells)
    for own in form.sequences:
        plans = (realisation_plan(own.first, own.before, own.cell, model) for model in models)
        weight[own.cell[1:]] = sum(plans)[1:]
    reached = np.repeat(np.add.reduceat(weight, tree.infoset_cell[:-1]) > 0, np.diff(tree.infoset_cell))
    return np.where(reached, normalise(weight, tree.infoset_cell), unreached)
