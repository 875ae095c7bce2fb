"""A real Ray cluster on this machine, for the tests that are marked `cluster`: a head and three nodes."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from solvent.foundation.extras import installed

VARIABLES = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_memory_monitor_refresh_ms": "0",
}
HEALTH = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}
"""Ray notices within seconds that a node has gone."""
NODE_BYTES = 1 << 30
"""Memory that a node claims to have."""
STORE_BYTES = 80 << 20


@dataclass
class Blades:
    """The cluster's head and its nodes, one of which can be killed and replaced."""

    cluster: Any
    nodes: list[Any] = field(default_factory=list)

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def add(self, count: int = 1) -> None:
        for _ in range(count):
            self.nodes.append(
                self.cluster.add_node(
                    wait=False, num_cpus=1, memory=NODE_BYTES, object_store_memory=STORE_BYTES
                )
            )
        self.cluster.wait_for_nodes()

    def kill(self, name: str) -> None:
        """Kill a node by Ray's id of it, as a power cut would."""
        node = next(node for node in self.nodes if node.node_id == name)
        self.nodes.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)


@pytest.fixture(scope="session")
def blades() -> Iterator[Blades]:
    """A head without processors and three nodes, for all tests of a process."""
    if not installed("ray"):
        pytest.skip("Ray is not installed")
    kept = {name: os.environ.get(name) for name in (*VARIABLES, "PYTHONPATH")}
    os.environ.update(VARIABLES, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp")  # the paths of sockets must be short
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": STORE_BYTES}
    try:
        made = Blades(
            Cluster(
                initialize_head=True, head_node_args={**head, "temp_dir": folder, "_system_config": HEALTH}
            )
        )
        made.add(3)
    except Exception as error:
        pytest.skip(f"Ray cannot start a cluster here: {error}")
    yield made
    made.cluster.shutdown()
    shutil.rmtree(folder, ignore_errors=True)
    for name, value in kept.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
