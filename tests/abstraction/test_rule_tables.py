"""Rule buckets as tables of a card abstraction: looked up by class, they are what the rules say of the cards."""

import numpy as np
import pytest

from solvent.abstraction.cards.build import estimate
from solvent.abstraction.cards.presets import PRESETS, Design, design_from
from solvent.abstraction.cards.rule_buckets import RuleBuckets
from solvent.abstraction.cards.rule_tables import buckets_of, class_buckets
from solvent.cards.isomorphism import Indexer
from solvent.foundation.errors import InputError

HANDS = np.random.default_rng(5).permuted(np.tile(np.arange(52), (300, 1)), axis=1).astype(np.uint8)


@pytest.mark.parametrize("pattern", [[2, 3], [2, 3, 1], [2, 5]])
def test_a_class_has_the_bucket_of_its_hands(pattern):
    hands = HANDS[:, : sum(pattern)]
    classes = Indexer(pattern).indices(hands)
    found = [int(buckets_of(pattern, number, number + 1)[0]) for number in classes]
    assert found == RuleBuckets(sum(pattern) - 2).buckets(hands).tolist()


def test_the_flop_has_every_bucket():
    flop = class_buckets([2, 3], threads=2)
    assert len(flop) == Indexer([2, 3]).size
    assert np.unique(flop).tolist() == list(range(PRESETS["rules"].flop))


def test_the_preset_is_by_rule():
    rules = PRESETS["rules"]
    assert rules.by_rule
    assert rules.label == "169 / 1x511 / 1x1103 / 1x411"
    assert design_from(rules.as_dict()) == rules
    assert not PRESETS["tiny"].by_rule
    assert estimate(rules, 2).seconds < estimate(PRESETS["tiny"], 2).seconds * 2


def test_other_numbers_of_rule_buckets_are_refused():
    with pytest.raises(InputError, match="rule buckets are 511 / 1103 / 411 in one cluster"):
        design_from({"preset": "rules", "flop": 100})
    with pytest.raises(InputError, match="by rule on all streets"):
        Design(flop_features="rules")
