"""Games by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvent.games.catalogue import GAMES, load_game
from solvent.games.game import Game, GameError
from solvent.games.leduc import Leduc
from solvent.games.naming import parse_call, spell
from solvent.games.public_rules import PublicRules


@pytest.mark.parametrize(
    "name",
    [
        "kuhn",
        "leduc",
        "leduc5",
        "leduc5(distinct=true)",
        "leduc(distinct=true)",
        "leduc(ranks=5,bets1=[0.5,1],max_bets=3)",
        "leduc(bets1=[1000000,1000001])",
        "leduc(bets1=[0.30000000000000004,0.3])",
        "bluff(dice=2,faces=4)",
        "flop_holdem(suits=4,ranks=5)",
        "holdem(suits=2,ranks=5,streets=3)",
        "holdem(suits=2,ranks=5,streets=4,max_bets=2)",
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
        ("leduc(max_bets=2000)", "0 to 100 bets"),
        ("leduc(ranks=1000000000)", "at most 10,000 cards"),
        ("leduc(bets1=[0.0000000001])", "positive"),
        ("leduc(max_bets=40,bets1=[1,2,3],bets2=[1,2,3])", "at most 2,097,152 nodes"),
        ("leduc(bets1=" + 2000 * "[" + 2000 * "]" + ")", "more than 10 deep"),
        ("bluff(dice=1000,faces=1000)", "at most 100"),
        ("bluff(dice=1000000,faces=1)", "at most 100"),
        ("flop_holdem(raises=2000)", "0 to 100"),
        ("kuhn(cards=3)", "takes none"),
        ("bluff(dice=0)", "dice"),
        ("flop_holdem(suits=2,ranks=3)", "seven cards"),
    ],
)
def test_bad_names(name: str, sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        load_game(name)


@given(
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 3),
    st.booleans(),
)
def test_leduc_is_counted_as_it_is_built(
    ranks: int, suits: int, sizes1: int, sizes2: int, max_bets: int, distinct: bool
) -> None:
    if ranks * suits >= 3:
        game = Leduc(ranks, suits, range(1, 1 + sizes1), range(1, 1 + sizes2), max_bets, distinct)
        assert game.histories() == PublicRules.histories(game)


def test_the_largest_games_are_counted_at_once() -> None:
    assert load_game("leduc(ranks=5000)").histories() == 9_375_374_630_001
    assert load_game("bluff(dice=25,faces=2)").histories() == 1 + 26 + 26**2 * (2**101 - 1)
    for name in ("leduc(max_bets=100)", "flop_holdem(suits=2,ranks=4,raises=100)"):
        assert load_game(name).betting.size() > 300


def test_bet_sizes_that_look_alike_stay_apart() -> None:
    game = load_game("leduc(bets1=[1000000,1000001])")
    assert game.betting.actions == ("check", "bet 1000000", "bet 1000001")


VALUES = st.recursive(
    st.one_of(st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.from_regex(r"[a-z]\w{0,3}", fullmatch=True), VALUES, max_size=3))
def test_values_read_back(given: dict[str, object]) -> None:
    written = ",".join(f"{key}={spell(value)}" for key, value in given.items())
    assert parse_call(f"game({written})") == ("game", list(given.items()))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'QQ+,AKs'", "QQ+,AKs"),
        ('"QQ+,AKs"', "QQ+,AKs"),
        ("['50%','a,b']", ["50%", "a,b"]),
        ("'it''s'", "it's"),
        ("it's", "it's"),
        ("'12'", "12"),
        ("' ('", " ("),
        ("''", ""),
    ],
)
def test_text_may_stand_in_quotes(written: str, value: object) -> None:
    assert parse_call(f"game(key={written},other=1)") == ("game", [("key", value), ("other", 1)])


def test_a_quote_must_be_closed() -> None:
    with pytest.raises(GameError, match=r"quote of .* is not closed"):
        parse_call("game(key='QQ+,other=1)")


@given(st.text(max_size=30))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse_call(text)
    except GameError as error:
        assert str(error)


def test_every_game_has_a_line_of_documentation() -> None:
    assert all(kind.__doc__ for kind in GAMES.values())
