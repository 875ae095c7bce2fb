"""Rule buckets as tables of a card abstraction: looked up by class, they are what the rules say of the cards."""

from pathlib import Path

import numpy as np
import pytest

from solvent.abstraction.cards.buckets import CardAbstraction, describe_tables
from solvent.abstraction.cards.build import estimate
from solvent.abstraction.cards.examine import bucket_document
from solvent.abstraction.cards.presets import PRESETS, Design, design_from
from solvent.abstraction.cards.rule_buckets import RuleBuckets, buckets_of, class_buckets
from solvent.app.views.abstraction import bucket_table, plot_bucket
from solvent.cards.deck import parse_cards
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


@pytest.fixture(scope="module")
def flops_by_rule():
    """Rule cards of the flop; all hands of later streets are in one bucket."""
    arrays = {
        "cluster_of_flop": np.zeros(1_755, dtype=np.int16),
        "flop": class_buckets([2, 3]),
        "turn": np.zeros(55_190_538, dtype=np.uint16),
        "river_code": np.zeros(123_156_254, dtype=np.uint16),
        "river": np.arange(PRESETS["rules"].river, dtype=np.uint16)[None],
    }
    return CardAbstraction(arrays, describe_tables({}, PRESETS["rules"]))


def test_a_bucket_is_shown_with_its_rule(flops_by_rule):
    wanted = RuleBuckets(3).bucket(parse_cards("AsKs Kd7s2s"))
    document = bucket_document(flops_by_rule, "flop", 0, wanted, examples=5)
    assert document["rule"] == RuleBuckets(3).label(wanted)
    assert len(document["examples"]) == 5
    for example in document["examples"]:
        assert RuleBuckets(3).bucket(parse_cards(f"{example['hole']}{example['board']}")) == wanted
    title, _ = bucket_table(document).renderables
    assert str(title) == f"flop bucket {wanted}: {document['rule']}"
    with pytest.raises(InputError, match="no table of equities"):
        plot_bucket(document, Path("bucket.png"))
    before = bucket_document(flops_by_rule, "preflop", 0, 0, examples=5)
    assert (len(before["examples"]), before["examples"][0]["board"]) == (1, "")


def test_a_look_up_finds_the_rule_bucket(flops_by_rule):
    clusters, buckets = flops_by_rule.buckets("flop", HANDS[:, :5])
    assert not clusters.any()
    assert buckets.tolist() == RuleBuckets(3).buckets(HANDS[:, :5]).tolist()
