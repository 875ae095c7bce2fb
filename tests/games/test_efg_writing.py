"""Gambit files: that every game survives the trip, and that Gambit reads what is written."""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.efg import Nested, assert_same_tree, histories, read_text, trip
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress
from solvent.games.efg import writing
from solvent.games.efg.labels import unique_labels
from solvent.games.efg.reading import read_efg
from solvent.games.efg.writing import exact_probabilities, write_efg
from solvent.games.game import CHANCE, Game, GameError
from solvent.games.holdem.limit_holdem import LimitHoldem
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc

GAMES = Path(__file__).parent / "data"


@pytest.mark.parametrize("game", [Kuhn(), Leduc(), Leduc(bets1=(0.5, 1), max_bets=1)], ids=str)
def test_public_games_survive_the_trip(game: Game, tmp_path: Path) -> None:
    assert_same_tree(game, trip(game, tmp_path))


@pytest.mark.parametrize("name", ["signalling", "poker", "layout"])
def test_files_survive_the_trip(name: str, tmp_path: Path) -> None:
    game = read_efg(GAMES / f"{name}.efg")
    again = trip(game, tmp_path)
    assert_same_tree(game, again)
    assert (again.title, again.names) == (game.title, game.names)


labels = st.text(max_size=6) | st.text(alphabet=' \\"&#10;é\n', max_size=8)
infosets = {
    "one": ["l", "r"],
    "an odd  one ": ["", "ä", "\\"],
    "two\nlines": ['say "yes"', "&#65;"],
    "single": ["only"],
}
payoffs = st.tuples(*[st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9)] * 2)


@st.composite
def chance_nodes(draw: Callable[..., Any], children: st.SearchStrategy[Any]) -> Any:
    names = draw(st.lists(labels.filter(bool), min_size=1, max_size=4, unique=True))
    weights = [draw(st.integers(0, 7)) for _ in names]
    weights[0] += 1
    total = sum(weights)
    exact = draw(st.booleans())
    return "chance", [
        (name, Fraction(weight, total) if exact else weight / total, draw(children))
        for name, weight in zip(names, weights, strict=True)
    ]


@st.composite
def decisions(draw: Callable[..., Any], children: st.SearchStrategy[Any]) -> Any:
    name = draw(st.sampled_from(sorted(infosets)))
    # An empty label is read back as its position, so write it so.
    actions = unique_labels(infosets[name])
    return draw(st.integers(0, 1)), name, {action: draw(children) for action in actions}


trees = st.recursive(
    st.tuples(payoffs), lambda children: chance_nodes(children) | decisions(children), max_leaves=12
)


@settings(deadline=None, max_examples=150)
@given(tree=trees)
def test_any_tree_survives_the_trip(tree: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    game = Nested(tree)
    again = trip(game, tmp_path_factory.mktemp("trip"))
    assert_same_tree(game, again)
    for _, state in histories(again):
        if state.player() == CHANCE:
            assert sum(probability for _, probability in state.chance()) == 1


def test_a_game_with_too_many_histories_is_not_written(tmp_path: Path) -> None:
    target = tmp_path / "game.efg"
    with pytest.raises(GameError, match=r"histories; an \.efg file may list at most 20,000,000"):
        write_efg(LimitHoldem(), target)
    signalling = read_efg(GAMES / "signalling.efg")
    with pytest.raises(GameError, match=r"has more than 3 histories, the most that an \.efg file may list"):
        write_efg(signalling, target, most_nodes=3)
    assert list(tmp_path.iterdir()) == []
    nodes = sum(1 for _ in histories(signalling))
    write_efg(signalling, target, most_nodes=nodes)
    assert_same_tree(signalling, read_efg(target))


def test_writing_counts_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "LINES_BETWEEN_REPORTS", 20)
    said: list[Progress] = []
    write_efg(Kuhn(), io.StringIO(), watch=said.append)
    assert [(each.done, each.detail) for each in said] == [(n, f"{n} nodes") for n in (19, 39, 59)]


def test_floats_become_the_fractions_they_were() -> None:
    assert exact_probabilities([1 / 3] * 3) == [Fraction(1, 3)] * 3
    assert exact_probabilities([0.1, 0.9]) == [Fraction(1, 10), Fraction(9, 10)]
    assert exact_probabilities([1 / 2598960, 2598959 / 2598960])[0] == Fraction(1, 2598960)


def test_a_sum_that_is_rounded_is_repaired() -> None:
    odd = [0.123456789123, 0.987654321987 - 0.123456789123, 1 - 0.987654321987]
    exact = exact_probabilities(odd)
    assert sum(exact) == 1
    assert [float(probability) for probability in exact] == pytest.approx(odd, abs=1e-15)


@pytest.mark.parametrize(
    ("probabilities", "sentence"),
    [
        ([0.5, 0.4], "nested cannot be written: chance probabilities sum to 0.9, not to 1"),
        ([Fraction(1, 3), Fraction(1, 3)], "chance probabilities sum to 2/3, not to 1"),
        ([1.5, -0.5], "are not all between 0 and 1"),
        ([float("nan"), 0.5], "are not all between 0 and 1"),
    ],
)
def test_probabilities_that_are_none_are_refused(probabilities: list[float], sentence: str) -> None:
    outcomes = [(str(k), probability, ((0, 0),)) for k, probability in enumerate(probabilities)]
    with pytest.raises(GameError, match=sentence):
        write_efg(Nested(("chance", outcomes)), io.StringIO())


def test_payoffs_are_written_as_the_simplest_fraction() -> None:
    stream = io.StringIO()
    write_efg(Nested(((1 / 3, -0.1),)), stream)
    assert "{ 1/3, -1/10 }" in stream.getvalue()


def test_games_that_no_file_can_say_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="nested pays inf"):
        write_efg(Nested(((float("inf"), 0),)), io.StringIO())
    with pytest.raises(GameError, match="nested has 3 players"):
        write_efg(Nested(((0, 0),), players=3), io.StringIO())
    leaf = ((0, 0),)
    odd = Nested((0, "I", {"x": (0, "I", {"y": leaf}), "z": leaf}))
    with pytest.raises(GameError, match="infoset 'I' of player 0 offers"):
        write_efg(odd, io.StringIO())


def test_a_failed_write_spares_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "kept.efg"
    write_efg(Kuhn(), path)
    before = path.read_text()
    with pytest.raises(GameError):
        write_efg(Nested(((float("nan"), 0),)), path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*: Is a directory"):
        write_efg(Kuhn(), tmp_path)
    with pytest.raises(InputError, match=r"cannot write .*no/x\.efg: No such file or directory"):
        write_efg(Kuhn(), tmp_path / "no" / "x.efg")


# Gambit itself


def through_gambit(path: Path) -> str:
    """The file as Gambit writes it after reading it: all versions of Gambit can do that."""
    gambit = pytest.importorskip("pygambit")
    return str(gambit.read_efg(str(path)).to_efg())


@pytest.mark.parametrize(
    ("game", "nodes", "infosets"),
    [
        (Kuhn(), 58, 12),
        (Leduc(), 1939, 288),
        (read_efg(GAMES / "signalling.efg"), 15, 4),
        (read_efg(GAMES / "layout.efg"), 14, 4),
    ],
    ids=str,
)
def test_gambit_reads_what_is_written(game: Game, nodes: int, infosets: int, tmp_path: Path) -> None:
    path = tmp_path / "game.efg"
    write_efg(game, path)
    theirs = through_gambit(path)
    entries = [line.split() for line in theirs.splitlines() if line[:2] in ("c ", "p ", "t ")]
    assert len(entries) == nodes
    assert len({(entry[2], entry[3]) for entry in entries if entry[0] == "p"}) == infosets
    assert_same_tree(game, read_text(theirs, tmp_path))


def test_gambit_takes_any_label_and_probability(tmp_path: Path) -> None:
    leaf = ((0.1, 1e-9),)
    moves = {"é  ": leaf, 'say "yes"': leaf, "\\": leaf, "two\nlines": leaf, "\\beta": leaf}
    game = Nested(("chance", [(str(k), 1 / 7, (0, f"I{k}\n", moves)) for k in range(7)]))
    path = tmp_path / "game.efg"
    write_efg(game, path)
    assert_same_tree(game, read_text(through_gambit(path), tmp_path))


def test_gambits_own_files_are_read(tmp_path: Path) -> None:
    path = GAMES / "signalling.efg"
    assert_same_tree(read_efg(path), read_text(through_gambit(path), tmp_path))
