"""Win rates of buckets: simulated once, kept beside the cards."""

import json

import numpy as np
import pytest

from oracles.blueprints import random_cards
from solvent.abstraction.cards import win_rates as module
from solvent.abstraction.cards.win_rates import FOLDER, win_rates


@pytest.fixture
def cards(tmp_path, monkeypatch):
    """A card abstraction in a folder, and nothing known of its win rates yet."""
    made = random_cards()
    made.folder = tmp_path
    monkeypatch.setattr(module, "_known", {})
    return made


def fresh(cards, deals=20_000):
    """What a new process would be given."""
    module._known.clear()
    return win_rates(cards, deals)


def test_rates_are_kept_beside_the_cards(cards, tmp_path, monkeypatch):
    first = fresh(cards)
    assert (tmp_path / FOLDER / "rates.npy").is_file()
    monkeypatch.setattr(module, "simulate", lambda *given: pytest.fail("they were simulated again"))
    np.testing.assert_array_equal(fresh(cards), first)


@pytest.mark.parametrize("change", ["bits", "manifest", "other cards", "other deals"])
def test_what_does_not_fit_is_made_anew(cards, tmp_path, change):
    first = fresh(cards).copy()
    if change == "bits":
        content = bytearray((tmp_path / FOLDER / "rates.npy").read_bytes())
        content[-5] ^= 1
        (tmp_path / FOLDER / "rates.npy").write_bytes(content)
    elif change == "manifest":
        (tmp_path / FOLDER / "manifest.json").write_text("{")
    elif change == "other cards":
        cards.fingerprint = "another"
    again = fresh(cards, 30_000 if change == "other deals" else 20_000)
    assert (change == "other deals") == bool((again != first).any())
    facts = json.loads((tmp_path / FOLDER / "manifest.json").read_text())["facts"]
    assert facts["fingerprint"] == cards.fingerprint


def test_a_folder_that_cannot_be_written_changes_nothing(cards, tmp_path):
    first = fresh(cards)
    cards.folder = tmp_path / FOLDER / "rates.npy"  # a file, in which nothing can be made
    np.testing.assert_array_equal(fresh(cards), first)
