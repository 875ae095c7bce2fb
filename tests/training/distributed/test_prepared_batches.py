"""Batches that are sent before the values of the last one are asked for, and workers that are lost with them."""

from collections import deque

import numpy as np
import pytest

from oracles.distributed import MakeSmallChildren, clustered_cards, small_tree
from solvent.foundation.errors import InputError
from solvent.strategy.agents.blueprint import Blueprint, join_shards
from solvent.training.distributed.batches import DistributedSettings
from solvent.training.distributed.recovering import WorkerChildren
from solvent.training.distributed.solver import DistributedSolver, make_head
from solvent.training.distributed.workers import LostWorkerError, OwnedChildren, share_out

CLUSTERS = 3
MAKE = MakeSmallChildren(CLUSTERS, DistributedSettings(seed=3, batch=10, ahead=1))


class QueuedWorkers:
    """Workers in this process. `lost` has, by worker, how many more answers come before it is lost."""

    def __init__(self, lost):
        self.owned, self.lost, self.most = share_out(CLUSTERS, 2), dict(lost), 0
        self.children = [OwnedChildren(MAKE, owned) for owned in self.owned]
        self.requests = [deque() for _ in self.owned]

    def ask(self, workers, request):
        for worker in workers:
            self.requests[worker].append(request)
            self.most = max(self.most, len(self.requests[worker]))

    def next_answer(self, waiting):
        worker = max(waiting)
        if self.lost.get(worker) == 0:
            return worker, LostWorkerError("the worker has ended")
        if worker in self.lost:
            self.lost[worker] -= 1
        return worker, self.children[worker].answer(self.requests[worker].popleft())

    def replace(self, worker):
        self.children[worker], self.requests[worker] = OwnedChildren(MAKE, self.owned[worker]), deque()
        del self.lost[worker]

    def close(self):
        pass


def solver_of(children):
    return DistributedSolver(make_head(small_tree(), clustered_cards(CLUSTERS), MAKE.settings), children)


def joined(solver):
    blueprint = Blueprint(small_tree(), clustered_cards(CLUSTERS))
    join_shards(blueprint, solver.tables())
    return blueprint.table


@pytest.mark.parametrize("lost", [{}, {0: 0}, {1: 3}, {0: 2, 1: 3}, {0: 5, 1: 4}])
def test_lost_workers_with_two_batches_under_way_change_nothing(lost):
    blueprint = Blueprint(small_tree(), clustered_cards(CLUSTERS))
    whole = DistributedSolver.in_process(blueprint, MAKE.settings)
    whole.run(60)
    workers = QueuedWorkers(lost)
    solver = solver_of(WorkerChildren(workers))
    solver.run(40)
    solver.run(20)
    assert workers.most == 2
    assert solver.children.replaced == len(lost)
    np.testing.assert_array_equal(joined(solver), blueprint.table)
    assert solver.touched == whole.touched


def test_values_come_before_anything_else():
    solver = solver_of(WorkerChildren(QueuedWorkers({})))
    batch = solver.head.record(0).batch
    solver.children.start(batch)
    solver.children.start(batch)  # once is enough
    with pytest.raises(InputError, match="the values of turn 0 are still to come"):
        solver.children.shards()
    assert [reply.cluster for reply in solver.children.values()] == [0, 1, 2]
    with pytest.raises(InputError, match="start a batch before"):
        solver.children.values()
