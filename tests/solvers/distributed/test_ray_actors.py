"""Algorithm 4 in Ray actors: the same tables as in one process."""

import os
import sys

import numpy as np
import pytest

from oracles.distributed import MakeSmallChildren, clustered_cards, small_tree
from solvent.foundation.errors import InputError
from solvent.foundation.extras import installed
from solvent.solvers.distributed.batches import DistributedSettings
from solvent.solvers.distributed.ray_actors import RayChildren
from solvent.solvers.distributed.solver import DistributedSolver, make_head
from solvent.strategy.agents.blueprint import Blueprint

CLUSTERS = 3
MAKE = MakeSmallChildren(CLUSTERS, DistributedSettings(seed=7, batch=20, ahead=1))


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_DEDUP_LOGS", "RAY_memory_monitor_refresh_ms"):
        os.environ[name] = "0"
    os.environ["RAY_AUTH_MODE"] = "disabled"
    variables = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=80 * 2**20,
        runtime_env={"env_vars": variables},
        log_to_driver=False,
    )
    yield ray
    ray.shutdown()


def in_process():
    blueprint = Blueprint(small_tree(), clustered_cards(CLUSTERS))
    return DistributedSolver.in_process(blueprint, MAKE.settings), blueprint


def test_actors_make_the_tables_of_one_process(ray):
    """Two actors, one of which is lost and replaced; then one process goes on from their shards."""
    whole, wanted = in_process()
    whole.run(120)
    children = RayChildren(MAKE, CLUSTERS, 2)
    apart = DistributedSolver(make_head(small_tree(), clustered_cards(CLUSTERS), MAKE.settings), children)
    apart.run(20)
    apart.load({name: table.copy() for name, table in apart.tables().items()}, apart.facts())
    apart.run(20)
    ray.kill(children.workers._actors[1])
    apart.run(40)
    assert children.replaced == 1
    kept, facts = {name: table.copy() for name, table in apart.tables().items()}, apart.facts()
    children.close()
    here, blueprint = in_process()
    here.load(kept, facts)
    here.run(40)
    np.testing.assert_array_equal(blueprint.table, wanted.table)


@pytest.mark.skipif(installed("ray"), reason="Ray is installed")
def test_without_ray_a_sentence_says_how_to_install_it():
    with pytest.raises(
        InputError, match=r'need Ray, which is not installed: pip install "solvent\[cluster\]"'
    ):
        RayChildren(MAKE, CLUSTERS, 2)
