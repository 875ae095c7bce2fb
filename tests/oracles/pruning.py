"""Invariants of every iteration of a pruned solve."""

from __future__ import annotations

import numpy as np

from solvent.engines.history.pruned import kernels as pruned_kernels
from solvent.engines.history.pruned.solver import PrunedSolver


def check_invariants(solver: PrunedSolver) -> None:
    tree, layout = solver.tree, solver._layout
    sigma = solver._play.sigma[: tree.cells]
    pruned = solver.pruned > 0
    plan = np.zeros(tree.cells)
    assert np.array_equal(sigma[pruned], np.full(pruned.sum(), pruned_kernels.PRUNED))
    for forest in layout.forests:
        absent = np.zeros(len(forest.before), dtype=bool)
        for k, before in enumerate(forest.before):
            cells = slice(forest.first[k], forest.first[k + 1])
            if before >= 0 and solver.averages.offset[before] == -1:
                assert (solver.averages.offset[cells] == -1).all()
            if before >= 0:
                absent[k] = pruned[before] or absent[forest.infoset[before]]
            if absent[k]:
                assert not pruned[cells].any()
                if solver.total:
                    assert solver.values.offset[forest.base + k] == -1
                    assert (solver.regrets.offset[cells] == -1).all()
                continue
            assert not pruned[cells].all()
            probability = np.maximum(sigma[cells], 0)
            assert abs(probability.sum() - 1) < 1e-12
            reach = solver._play.plan[before] if before >= 0 else 1.0
            plan[cells] = reach * probability
            assert (solver.averages.offset[cells][~pruned[cells]] >= 0).all()
            if solver.total:
                assert solver.values.offset[forest.base + k] >= 0
                assert np.array_equal(solver.regrets.offset[cells] == -1, pruned[cells])
    np.testing.assert_allclose(solver._play.plan, plan, rtol=1e-12, atol=0)
    assert not solver._play.value.any()
    assert not solver._play.reach.any()
    for arena in (solver.regrets, solver.averages, solver.values):
        present = arena.offset[arena.offset >= 0]
        assert arena.stored == len(present) == len(np.unique(present))
        assert arena.used >= arena.stored
        assert present.max(initial=-1) < arena.used
    for part in (solver.stored_regrets, solver.stored_averages, solver.stored_bounds):
        assert 0 <= part <= 1
    # Interval pruning has room for what it keeps beside all regrets and averages.
    assert (solver.peak_stored > 1) == (not solver.total and tree.cells > 0)
    assert solver.stored_regrets == (solver.regrets.offset >= 0).sum() / tree.cells
    assert solver.stored_averages == (solver.averages.offset >= 0).sum() / tree.cells
    assert solver.walked <= 2 * solver.iterations * tree.histories
    assert solver.nodes_touched == solver.walked + solver.response_nodes
    average = solver.average_strategy()
    assert (average >= 0).all()
    np.testing.assert_allclose(np.add.reduceat(average, tree.infoset_cell[:-1]), 1, rtol=0, atol=1e-9)
    assert (solver.averages.table("average")[: solver.averages.used] >= 0).all()


def forgotten(solver: PrunedSolver, player: int, limit: float, since: int) -> tuple[np.ndarray, np.ndarray]:
    """The averages that forgetting should leave, and the cells that stay stored, by plain recursion."""
    forest = solver._forests[player]
    average, stored = solver.averages.spread("average").astype(float), solver.averages.offset >= 0
    below: dict[int, list[int]] = {}
    for k, before in enumerate(forest.before):
        below.setdefault(int(before), []).append(k)

    def change(cell: int, factor: float) -> None:
        """Scale the average of a cell and of all behind it; 0 drops them."""
        average[cell] *= factor
        if not factor:
            stored[cell] = False
        for k in below.get(cell, []):
            for inner in range(forest.first[k], forest.first[k + 1]):
                change(inner, factor)

    def visit(k: int, idle_since: int | None) -> None:
        cells = range(forest.first[k], forest.first[k + 1])
        starts = {
            cell: idle_since
            if idle_since is not None
            else int(solver.since[cell])
            if solver.pruned[cell]
            else None
            for cell in cells
        }
        small = [
            c for c, start in starts.items() if start is not None and start <= since and average[c] <= limit
        ]
        total = sum(average[c] for c in cells)
        if total > 0 and small and not any(average[c] > 0 for c in cells if c not in small):
            small.remove(max(small, key=lambda c: average[c]))
        kept = sum(average[c] for c in cells if c not in small)
        for cell in cells:
            change(cell, 0.0 if cell in small else total / kept if total > 0 else 1.0)
        for cell in cells:
            if stored[cell]:
                for inner in below.get(cell, []):
                    visit(inner, starts[cell])

    for k in below.get(-1, []):
        visit(k, None)
    return average, stored
