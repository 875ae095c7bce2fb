"""The bucket look-up stays within a card abstraction whatever its tables hold."""

import numpy as np
import pytest

from oracles.blueprints import BETTING
from oracles.table_agent import small_cards
from solvent.abstraction.cards.buckets import BOARD_CARDS, CardAbstraction
from solvent.forms.betting.tree import build_tree
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.solver import BlueprintSolver


@pytest.fixture(scope="module")
def damaged():
    """A card abstraction whose tables hold anything that their types can."""
    whole = small_cards()
    rng = np.random.default_rng(2)
    arrays = dict(whole.arrays)
    for name in ("cluster_of_flop", "flop", "river"):
        limits = np.iinfo(arrays[name].dtype)
        arrays[name] = rng.integers(
            limits.min, limits.max, arrays[name].shape, arrays[name].dtype, endpoint=True
        )
    for name in ("turn", "river_code"):
        arrays[name] = np.zeros_like(arrays[name])
        arrays[name][-9_000_000::2] = 65_535
    return CardAbstraction(arrays, {**whole.facts, "fingerprint": "damaged"})


def test_no_look_up_leaves_the_abstraction(damaged):
    rng = np.random.default_rng(3)
    deals = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (4_000, 1)), axis=1)
    greatest = []
    for street, board in enumerate(BOARD_CARDS):
        clusters, buckets = damaged.buckets(street, deals[:, : 2 + board])
        of_clusters, of_buckets = damaged.sizes[street]
        assert clusters.min() >= 0
        assert clusters.max() < of_clusters
        assert buckets.min() >= 0
        assert buckets.max() < of_buckets
        greatest.append(int(buckets.max()))
    assert greatest == [168, 2, 2, 1]


def test_training_on_damaged_tables_stays_in_its_table(damaged):
    blueprint = Blueprint(build_tree(parse_betting(BETTING)), damaged)
    guard = np.zeros(blueprint.table.size + 2_000, dtype=np.float32)
    blueprint.table = guard[1_000:-1_000]
    BlueprintSolver(blueprint).run(2_000)
    assert not guard[:1_000].any()
    assert not guard[-1_000:].any()
    assert blueprint.table.any()
