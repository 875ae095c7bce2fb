"""Algorithm 4 in Ray actors: the tables of one process, whatever ends on the way."""

import os
import signal
import time

import numpy as np
import pytest

from oracles.distributed import MakeSmallChildren, clustered_cards, small_tree
from oracles.ray_blades import NODE_BYTES
from solvent.foundation.errors import InputError
from solvent.strategy.agents.blueprint import Blueprint, join_shards
from solvent.training.distributed.batches import DistributedSettings
from solvent.training.distributed.ray_engine.actors import RayChildren
from solvent.training.distributed.solver import DistributedSolver, make_head

CLUSTERS = 3
MAKE = MakeSmallChildren(CLUSTERS, DistributedSettings(seed=7, batch=20, ahead=1))
NEEDED = 200 << 20


def in_process(iterations):
    """The table of an undisturbed run."""
    blueprint = Blueprint(small_tree(), clustered_cards(CLUSTERS))
    DistributedSolver.in_process(blueprint, MAKE.settings).run(iterations)
    return blueprint.table


def on_ray(address, actors, needs=lambda owned: NEEDED):
    children = RayChildren(address, MAKE, CLUSTERS, actors, needs)
    return DistributedSolver(make_head(small_tree(), clustered_cards(CLUSTERS), MAKE.settings), children)


def joined(solver):
    blueprint = Blueprint(small_tree(), clustered_cards(CLUSTERS))
    join_shards(blueprint, solver.tables())
    return blueprint.table


def run_until_one_is_replaced(solver):
    """Run turn by turn: a worker outlives its node for a moment."""
    begun = time.monotonic()
    while solver.children.replaced == 0 and time.monotonic() < begun + 60:
        solver.run(20)


@pytest.mark.cluster
def test_an_actor_killed_in_a_batch_and_what_a_cluster_refuses(blades):
    """One test, so that only one process starts a cluster."""
    with pytest.raises(
        InputError, match=r"2 children need 3.0 GiB, the largest 2.0 GiB, and the cluster's nodes"
    ):
        on_ray(blades.address, 2, lambda owned: len(owned) << 30)
    with pytest.raises(InputError, match="take 1 to 3 children, not 4"):
        on_ray(blades.address, 4)
    solver = on_ray(blades.address, 2)
    children = solver.children
    actors = children.workers.actors
    try:
        assert len({actor.node for actor in actors}) == 2
        solver.run(40)
        children.start(solver._pending.batch)
        os.kill(actors[1].process, signal.SIGKILL)
        solver.run(40)
        found = joined(solver)
    finally:
        children.close()
    assert children.replaced == 1
    np.testing.assert_array_equal(found, in_process(80))


@pytest.mark.slow
@pytest.mark.cluster
def test_a_node_killed(blades):
    """All of its actors go to other nodes, and the run goes on with the same tables."""
    solver = on_ray(blades.address, 3)
    children = solver.children
    actors = children.workers.actors
    try:
        solver.run(40)
        gone = actors[2].node
        children.start(solver._pending.batch)
        blades.kill(gone)
        run_until_one_is_replaced(solver)
        solver.run(40)
        found, iterations = joined(solver), solver.iterations
        assert gone not in {actor.node for actor in actors}
    finally:
        children.close()
        blades.add()
    np.testing.assert_array_equal(found, in_process(iterations))


@pytest.mark.slow
@pytest.mark.cluster
def test_without_room_for_a_lost_actor_the_run_ends_with_a_sentence(blades, monkeypatch):
    monkeypatch.setattr("solvent.training.distributed.ray_engine.actors.ROOM_SECONDS", 5.0)
    solver = on_ray(blades.address, 3, needs=lambda owned: NODE_BYTES // 2 + 1)
    try:
        solver.run(20)
        blades.kill(solver.children.workers.actors[0].node)
        with pytest.raises(InputError, match=r"the child needs 512.0 MiB, and the cluster's nodes have"):
            run_until_one_is_replaced(solver)
    finally:
        solver.children.close()
        blades.add()
