"""A small card abstraction and betting to train blueprints on in tests."""

from pathlib import Path

import numpy as np

from solvent.abstraction.cards import find
from solvent.abstraction.cards.buckets import CardAbstraction, describe_tables
from solvent.abstraction.cards.presets import Design

BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"


def random_cards():
    """An abstraction with random flop clusters and flop buckets, one turn bucket and one river bucket."""
    rng = np.random.default_rng(0)
    arrays = {
        "cluster_of_flop": rng.integers(0, 2, 1_755).astype(np.int16),
        "flop": rng.integers(0, 3, 1_286_792).astype(np.uint16),
        "turn": np.zeros(55_190_538, dtype=np.uint16),
        "river_code": np.zeros(123_156_254, dtype=np.uint16),
        "river": np.array([[1, 0], [0, 1]], dtype=np.uint16),
    }
    design = Design(clusters=2, flop=3, turn=1, river=2, strips=1, codes_per_strip=2)
    return CardAbstraction(arrays, describe_tables({}, design))


def use_cards(cards, folder=None, patch=None):
    """Let this card abstraction stand in every folder, or in folders of this name alone."""
    setattr_ = setattr if patch is None else patch.setattr

    def fingerprint_of(path):
        return cards.fingerprint if folder in (None, Path(path).name) else None

    setattr_(CardAbstraction, "load", classmethod(lambda cls, path, **options: cards))
    setattr_(find, "fingerprint_of", fingerprint_of)
