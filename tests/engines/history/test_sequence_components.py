"""The components of a graph, against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from solvent.engines.history.sequence_plan import _components


@pytest.mark.parametrize("seed", range(20))
def test_components_are_scipys(seed: int) -> None:
    random = np.random.default_rng(seed)
    corners, edges = int(random.integers(1, 200)), int(random.integers(0, 150))
    one, other = random.integers(0, corners, (2, edges))
    graph = coo_array((np.ones(edges), (one, other)), shape=(corners, corners))
    assert (
        _components(one, other, corners).tolist() == connected_components(graph, directed=False)[1].tolist()
    )


def test_a_long_chain_is_one_component() -> None:
    shuffled = np.random.default_rng(0).permutation(5_000)
    assert not _components(shuffled[:-1], shuffled[1:], 5_000).any()
