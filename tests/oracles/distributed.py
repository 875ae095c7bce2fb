"""Cards of any number of public clusters, and children of them for worker processes, for tests of Algorithm 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from solvent.abstraction.cards.buckets import CardAbstraction, describe_tables
from solvent.abstraction.cards.presets import Design
from solvent.forms.betting.tree import BettingTree, build_tree
from solvent.games.betting.sizes import parse_betting
from solvent.training.distributed.batches import DistributedSettings
from solvent.training.distributed.child import Child
from solvent.training.distributed.solver import make_children

BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"


@cache
def clustered_cards(clusters: int) -> CardAbstraction:
    """Random flop clusters, the later the smaller; three flop buckets, one turn bucket and two river buckets."""
    rng = np.random.default_rng(clusters)
    shares = 0.6 ** np.arange(clusters)
    arrays = {
        "cluster_of_flop": rng.choice(clusters, 1_755, p=shares / shares.sum()).astype(np.int16),
        "flop": rng.integers(0, 3, 1_286_792).astype(np.uint16),
        "turn": np.zeros(55_190_538, dtype=np.uint16),
        "river_code": np.zeros(123_156_254, dtype=np.uint16),
        "river": np.arange(2 * clusters, dtype=np.uint16).reshape(clusters, 2) // 3 % 2,
    }
    design = Design(clusters=clusters, flop=3, turn=1, river=2, strips=1, codes_per_strip=2)
    return CardAbstraction(arrays, describe_tables({}, design))


@cache
def small_tree() -> BettingTree:
    return build_tree(parse_betting(BETTING))


@dataclass(frozen=True)
class MakeSmallChildren:
    """Makes children of the clustered cards, in whatever process."""

    clusters: int
    settings: DistributedSettings

    def __call__(self, owned: Sequence[int]) -> list[Child]:
        return make_children(small_tree(), clustered_cards(self.clusters), self.settings, owned)
