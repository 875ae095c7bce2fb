"""Bluff against its closed-form counts and, state by state, against OpenSpiel's liar's dice."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvent.games.bluff import LIAR, Bluff
from solvent.games.game import TERMINAL, GameError
from solvent.games.public_rules import Betting, PublicRules


def openspiel(rules: Bluff) -> Any:
    return pyspiel.load_game("liars_dice", {"numdice": rules.dice, "dice_sides": rules.faces})


def openspiel_deals(state: Any, chance: float = 1.0) -> Iterator[tuple[list[int], float, Any]]:
    """Every state after the dice are rolled, one die at a time: the dice, its probability, the state."""
    if not state.is_chance_node():
        yield [], chance, state
        return
    for outcome, weight in state.chance_outcomes():
        for dice, total, after in openspiel_deals(state.child(outcome), chance * weight):
            yield [outcome + 1, *dice], total, after


def assert_agree(rules: Bluff, ours: Any, theirs: Any, infosets: dict[str, str]) -> None:
    """Both games say the same about one state: who acts, what is legal, what is known, what it pays."""
    if theirs.is_terminal():
        assert ours.player() == TERMINAL
        assert list(ours.payoffs()) == theirs.returns()
        return
    assert ours.player() == theirs.current_player()
    bids = [f"{count}x{face}" for count, face in rules.bids]
    assert list(ours.actions()) == [[*bids, LIAR][action] for action in theirs.legal_actions()]
    assert infosets.setdefault(ours.infoset(), theirs.information_state_string()) == (
        theirs.information_state_string()
    )


def assert_agree_below(rules: Bluff, ours: Any, theirs: Any, infosets: dict[str, str]) -> int:
    """`assert_agree` at and below a state; how many states that are."""
    assert_agree(rules, ours, theirs, infosets)
    if theirs.is_terminal():
        return 1
    pairs = zip(ours.actions(), theirs.legal_actions(), strict=True)
    return 1 + sum(
        assert_agree_below(rules, ours.child(action), theirs.child(number), infosets)
        for action, number in pairs
    )


def dealt(rules: Bluff, dice: list[int]) -> Any:
    """Our state after both players rolled these dice."""
    first, second = (tuple(sorted(roll)) for roll in (dice[: rules.dice], dice[rules.dice :]))
    return rules.root().child(rules.hand_label(first)).child(rules.hand_label(second))


@pytest.mark.parametrize(("dice", "faces"), [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 2), (3, 1)])
def test_every_state_agrees_with_openspiel(dice: int, faces: int) -> None:
    rules = Bluff(dice, faces)
    infosets: dict[str, str] = {}
    chances: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for rolled, chance, theirs in openspiel_deals(openspiel(rules).new_initial_state()):
        ours = dealt(rules, rolled)
        chances[tuple(map(rules.hand_label, ours.hands))] += chance
        assert assert_agree_below(rules, ours, theirs, infosets) == rules.betting.size()
    assert len(set(infosets.values())) == len(infosets) == len(rules.hands()) * 2 ** len(rules.bids)
    assert chances == pytest.approx(
        {
            (first, second): float(weight * given_first)
            for first, weight in rules.root().chance()
            for second, given_first in rules.root().child(first).chance()
        }
    )


@pytest.mark.parametrize(("dice", "faces"), [(2, 3), (3, 2), (2, 4)])
def test_random_playouts_agree_with_openspiel(dice: int, faces: int) -> None:
    rules, rng = Bluff(dice, faces), random.Random(7)
    game, infosets = openspiel(rules), dict[str, str]()
    for _ in range(300):
        theirs = game.new_initial_state()
        rolled = [rng.randrange(faces) for _ in range(2 * dice)]
        for outcome in rolled:
            theirs.apply_action(outcome)
        ours = dealt(rules, [outcome + 1 for outcome in rolled])
        while not theirs.is_terminal():
            assert_agree(rules, ours, theirs, infosets)
            # Low bids first, or most playouts would end after two.
            index = min(rng.randrange(len(ours.actions())) for _ in range(3))
            ours = ours.child(ours.actions()[index])
            theirs.apply_action(theirs.legal_actions()[index])
        assert_agree(rules, ours, theirs, infosets)
    assert len(set(infosets.values())) == len(infosets)


def decisions(betting: Betting) -> Iterator[Betting]:
    if betting.actions:
        yield betting
    for child in betting.children:
        yield from decisions(child)


def test_bluff_has_the_published_size() -> None:
    rules = Bluff()
    assert rules.histories() == 294_883
    nodes = list(decisions(rules.betting))
    assert len(rules.hands()) * len({node.history for node in nodes}) == 24_576
    assert len(rules.hands()) * sum(len(node.actions) for node in nodes) == 6 * (2 * 2**12 - 2)


def test_two_dice_of_four_faces_build() -> None:
    rules = Bluff(dice=2, faces=4)
    assert len(rules.bids) == 16
    assert rules.betting.size() == 2 * 2**16 - 1


@pytest.mark.parametrize(("dice", "faces"), [(1, 1), (1, 3), (2, 2), (3, 2)])
def test_histories_are_the_generic_count(dice: int, faces: int) -> None:
    rules = Bluff(dice, faces)
    assert rules.histories() == PublicRules.histories(rules)


def test_histories_read_as_bids() -> None:
    state = Bluff(dice=2, faces=3).root().child("1-3").child("2-2").child("1x3").child("2x1")
    assert state.infoset() == "1-3||1x3 2x1"
    assert list(state.actions()) == ["2x2", "2x3", "3x1", "3x2", "3x3", "4x1", "4x2", "4x3", LIAR]
    # One 3 is wild, and nobody has a 1 but player 0: two 1s hold, and player 1 bid them.
    assert state.child(LIAR).payoffs() == (-1, 1)


@given(st.integers(1, 4), st.integers(1, 6))
def test_rolls_are_weighted_by_their_orders(dice: int, faces: int) -> None:
    rules = Bluff(dice, faces)
    weights = dict(rules.deal())
    assert list(weights) == list(rules.hands())
    assert sum(weights.values()) == 1
    assert weights[(1,) * dice] == Fraction(1, faces**dice)


@given(st.integers(1, 3), st.integers(1, 6), st.data())
def test_sign_counts_matching_and_wild_dice(dice: int, faces: int, data: st.DataObject) -> None:
    rules = Bluff(dice, faces)
    first, second = (data.draw(st.sampled_from(rules.hands())) for _ in range(2))
    for face in range(1, faces + 1):
        matching = sum((*first, *second).count(die) for die in {face, faces})
        signs = [rules.sign((count, face), (), first, second) for count in range(1, 2 * dice + 1)]
        assert signs == [1] * matching + [-1] * (2 * dice - matching)


def test_name() -> None:
    assert str(Bluff(dice=2, faces=4)) == "bluff(dice=2,faces=4)"


@pytest.mark.parametrize(("dice", "faces"), [(0, 6), (-1, 6), (1, 0)])
def test_bad_parameters_are_refused(dice: int, faces: int) -> None:
    with pytest.raises(GameError, match="at least one"):
        Bluff(dice, faces)


def test_a_tree_too_large_to_build_is_refused_but_counted() -> None:
    rules = Bluff(dice=2, faces=6)
    assert rules.histories() == 1 + 21 + 21**2 * (2**25 - 1)
    with pytest.raises(GameError, match="24 bids"):
        rules.root()
