"""The size of a public form, counted before it is built, is the size that is built."""

from __future__ import annotations

from time import process_time

import pytest

from oracles.random_public import RandomHoldem, RandomPublic
from solvent.forms.public.game import public_game
from solvent.forms.public.size import betting_bytes, public_size
from solvent.games.catalogue import load_game
from solvent.games.holdem.limit_holdem import LimitHoldem
from solvent.games.public_rules import PublicRules


@pytest.mark.parametrize("isomorphism", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        "kuhn",
        "leduc",
        "leduc(distinct=true)",
        "leduc(ranks=4,suits=1,distinct=true)",
        "leduc(ranks=3,suits=3,max_bets=1)",
        "bluff(dice=2,faces=2)",
        "flop_holdem(suits=4,ranks=3)",
        "flop_holdem(suits=3,ranks=4,raises=1)",
        "flop_holdem(suits=1,ranks=8,raises=0)",
        "holdem(suits=2,ranks=5,streets=3,max_bets=2)",
    ],
)
def test_sizes_counted_and_built_are_equal(name: str, isomorphism: bool) -> None:
    rules = load_game(name)
    size, game = public_size(rules, isomorphism), public_game(rules, isomorphism)
    assert (size.infosets, size.infoset_actions, size.cells) == (
        game.infosets,
        game.infoset_actions,
        game.cells,
    )
    assert rules.betting_nodes() == len(game.betting)
    held = [a for here in game.rounds for a in (here.hand, here.parent_slot, here.card, here.tie)]
    assert size.bytes >= sum(a.nbytes for a in (*held, game.matrix, *game.nodes))


@pytest.mark.parametrize("rules", [RandomPublic(3), RandomPublic(5, rounds=3), RandomHoldem(4)], ids=str)
def test_rules_that_do_not_count_are_counted_by_listing(rules: PublicRules) -> None:
    size, game = public_size(rules), public_game(rules)
    assert size.infosets >= game.infosets
    assert size.cells >= game.cells
    assert rules.betting_nodes() == len(game.betting)


def test_the_full_deck_has_1755_flops_up_to_suits() -> None:
    assert load_game("flop_holdem").round_sizes(isomorphism=True)[1].boards == 1755


def test_a_game_of_petabytes_is_counted_at_once() -> None:
    before, rules = process_time(), LimitHoldem()
    size = public_size(rules)
    assert process_time() - before < 5
    assert betting_bytes(rules) < 2**24 < 2**40 < size.bytes
