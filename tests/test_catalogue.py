"""Games by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvent.games.catalogue import GAMES, load_game
from solvent.games.game import Game, GameError
from solvent.games.leduc import Leduc
from solvent.games.naming import parse_call


@pytest.mark.parametrize(
    "name",
    [
        "kuhn",
        "leduc",
        "leduc5",
        "leduc5(distinct=true)",
        "leduc(distinct=true)",
        "leduc(ranks=5,bets1=[0.5,1],max_bets=3)",
        "bluff(dice=2,faces=4)",
        "flop_holdem(suits=4,ranks=5)",
    ],
)
def test_names_read_back(name: str) -> None:
    assert str(load_game(name)) == name


def test_a_lone_number_is_a_list_of_one() -> None:
    written = "leduc(ranks=5,suits=2,bets1=2,bets2=4,max_bets=2)"
    assert load_game(written).histories() == Leduc(ranks=5).histories()


def test_a_class_or_an_object_is_a_game() -> None:
    assert str(load_game(Leduc)) == "leduc"
    game = Leduc(ranks=4)
    assert load_game(game) is game
    assert isinstance(game, Game)
    with pytest.raises(GameError, match="lacks them"):
        load_game(42)


def test_a_pyspiel_game_is_a_game() -> None:
    import pyspiel

    assert str(load_game(pyspiel.load_game("kuhn_poker"))) == "openspiel:kuhn_poker()"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "cannot read"),
        ("chess", "no game 'chess'"),
        ("leduc(", "cannot read"),
        ("leduc(ranks)", "key=value"),
        ("leduc(ranks=)", "has no value"),
        ("leduc(ranks=3,ranks=4)", "twice"),
        ("leduc(bets1=[1,[2]])", "number or a list"),
        ("leduc(bets1=[1,2)", "not closed"),
        ("leduc(bets1=[-1])", "positive"),
        ("leduc(bets1=[1,1])", "twice"),
        ("leduc(distinct=yes)", "true or false"),
        ("leduc(max_bets=-1)", "not -1"),
        ("kuhn(cards=3)", "takes none"),
        ("bluff(dice=0)", "dice"),
        ("flop_holdem(suits=2,ranks=3)", "seven cards"),
    ],
)
def test_bad_names(name: str, sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        load_game(name)


@given(st.text(max_size=30))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse_call(text)
    except GameError as error:
        assert str(error)


def test_every_game_has_a_line_of_documentation() -> None:
    assert all(kind.__doc__ for kind in GAMES.values())
