"""Gambit files: what is read and what is refused."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from oracles.efg import assert_same_tree, at, described, histories, read_text
from solvent.games.efg.labels import unique_labels
from solvent.games.efg.reading import read_efg
from solvent.games.efg.writing import write_efg
from solvent.games.game import TERMINAL, Game, GameError

GAMES = Path(__file__).parent / "data"
HEADER = 'EFG 2 R "title" { "A" "B" }\n""\n'


def test_outcomes_on_the_way_are_summed() -> None:
    game = read_efg(GAMES / "signalling.efg")
    assert at(game, "able", "study", "hire").payoffs() == (3, 3)
    assert at(game, "able", "study", "pass").payoffs() == (-1, 0)
    assert at(game, "able", "rest", "hire").payoffs() == (4, 3)
    assert at(game, "unable", "study", "hire").payoffs() == (1, -2)
    assert at(game, "unable", "rest", "pass").payoffs() == (0, 0)


def test_infosets_join_what_the_player_cannot_tell_apart() -> None:
    game = read_efg(GAMES / "signalling.efg")
    assert at(game, "able", "study").infoset() == at(game, "unable", "study").infoset() == "studied"
    assert at(game, "able").infoset() != at(game, "unable").infoset()
    assert [at(game, "able", "rest").player(), at(game, "unable").player()] == [1, 0]


def test_probabilities_are_exact() -> None:
    game = read_efg(GAMES / "signalling.efg")
    assert game.root().chance() == [("able", Fraction(1, 3)), ("unable", Fraction(2, 3))]


def test_a_game_has_its_files_name_title_and_players() -> None:
    game = read_efg(GAMES / "poker.efg")
    assert str(game) == str(GAMES / "poker.efg")
    assert isinstance(game, Game)
    assert (game.title, game.names, game.players) == ("One-card poker", ("Alice", "Bob"), 2)
    assert len(list(histories(game))) == 11


def test_numbers_labels_and_layout_in_every_form() -> None:
    game = read_efg(GAMES / "layout.efg")
    assert game.title == 'Every way to "write" it'
    assert game.root().chance() == [(label, Fraction(1, 4)) for label in "abcd"]
    ends = [state.payoffs() for _, state in histories(game) if state.player() == TERMINAL]
    assert ends == [
        (1, -1),
        (0.5, -0.5),
        (100, -100),
        (110, -110),
        (20, -20),
        (0, 0),
        (1, -1),
        (-3, 3),
        (0, 0),
    ]


def test_labels_that_repeat_or_are_empty_are_told_apart() -> None:
    game = read_efg(GAMES / "layout.efg")
    assert at(game, "a").actions() == ("up 1", "up 2", "3")
    assert at(game, "b").actions() == ("1", "2")
    assert at(game, "c").actions() == ("\\left", "\\beta")
    assert at(game, "d").actions() == ("é", "è & &#x")
    assert [at(game, outcome).infoset() for outcome in "abcd"] == ["3", "4", "same 3", "same 9"]


def test_unique_labels_never_collide() -> None:
    assert unique_labels(["", "1"]) == ("1'", "1")
    assert unique_labels(["a", "a", "a 2", "a 1"]) == ("a 1'", "a 2'", "a 2", "a 1")


def test_quick_ways_agree_with_the_protocol() -> None:
    root: Any = read_efg(GAMES / "poker.efg").root()
    assert [(label, weight) for label, weight, _ in root.chance_children()] == root.chance()
    red = root.child("red")
    assert [described(child) for child in red.children()] == [described(red.child(a)) for a in red.actions()]


def test_a_line_may_be_one_entry_here_and_half_of_one_there(tmp_path: Path) -> None:
    entries = 't "" 1 "" { 1 -1 }\nt "" 1\nt "" 1\n"" { 1 -1 }\n'
    game = read_text(HEADER + 'p "" 1 1 "" { "x" "y" "z" } 0\n' + entries, tmp_path)
    assert [at(game, action).payoffs() for action in "xyz"] == [(1, -1)] * 3


def test_a_tree_of_one_node(tmp_path: Path) -> None:
    assert read_text(HEADER + 't "" 0', tmp_path).root().payoffs() == (0, 0)


def test_windows_lines_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "windows.efg"
    path.write_bytes(b"\xef\xbb\xbf" + (GAMES / "poker.efg").read_bytes().replace(b"\n", b"\r\n"))
    assert_same_tree(read_efg(path), read_efg(GAMES / "poker.efg"))


def test_deep_trees_do_not_meet_the_recursion_limit(tmp_path: Path) -> None:
    depth = 20_000
    moves = "".join(f'p "" {1 + k % 2} {k} "" {{ "on" "stop" }} 0\n' for k in range(depth))
    game = read_text(HEADER + moves + 't "" 1 "" { 1 -1 }\n' * (depth + 1), tmp_path)
    assert sum(1 for _ in zip(range(99), histories(game), strict=False)) == 99
    stream = io.StringIO()
    write_efg(game, stream)
    assert stream.getvalue().count("\np ") == depth


# Refusals

CHANCE_NODE = 'c "" 1 "" { "x" 1/2 "y" 1/2 } 0\n'
MOVE = 'p "" 1 1 "" { "x" "y" } 0\n'
END = 't "" 0\n'


@pytest.mark.parametrize(
    ("body", "line", "sentence"),
    [
        (
            'c "" 4 "" { "x" 0.3333 "y" 0.3333 "z" 0.3333 } 0\n' + END * 3,
            3,
            "the probabilities of chance infoset 4 sum to 9999/10000 (about 0.9999), not to 1",
        ),
        ('c "" 1 "" { "x" 2 "y" 1 } 0\n' + END * 2, 3, "sum to 3, not to 1"),
        ('c "" 1 "" { "x" 1e999 "y" 1/3 } 0\n' + END * 2, 3, "sum to a number too large for floating point,"),
        (f'c "" 1 "" {{ "x" 1/{"7" * 900} "y" 1/{"3" * 900} }} 0\n' + END * 2, 3, "sum to about 0, not to 1"),
        (
            'c "" 1 "" { "x" 3/2 "y" -1/2 } 0\n' + END * 2,
            3,
            "'y' of chance infoset 1 has the negative probability -1/2",
        ),
        (MOVE + END, 4, "the file ends before the tree is complete: at least 1 node is missing"),
        (MOVE + "\n\n", 3, "at least 2 nodes are missing"),
        ("", 2, "at least 1 node is missing"),
        (MOVE + 't "" ', 4, "the file ends where an outcome's number should stand"),
        (MOVE + 't "x', 4, "the file ends inside the quoted text that begins here"),
        (
            MOVE + 'p "" 1 1 "" { "x" "z" } 0\n' + END * 3,
            4,
            'infoset 1 of player 1 has the actions { "x" "z" } here but { "x" "y" } on line 3',
        ),
        (MOVE + 'p "" 1 1 "" { "x" } 0\n' + END * 2, 4, "infoset 1 of player 1 has the actions"),
        (
            CHANCE_NODE + 'c "" 1 "" { "x" 1/3 "y" 2/3 } 0\n' + END * 3,
            4,
            'chance infoset 1 has the actions { "x" 1/3 "y" 2/3 } here but { "x" 1/2 "y" 1/2 } on line 3',
        ),
        (
            MOVE + 'p "" 2 1 0\n' + END * 3,
            4,
            "infoset 1 of player 2 is mentioned before its actions are given "
            "(infoset 1 of player 1 is another: each player's infosets are numbered apart)",
        ),
        ('p "" 1 5 0\n' + END * 2, 3, "infoset 5 of player 1 is mentioned before its actions are given"),
        ('c "" 5 0\n' + END * 2, 3, "chance infoset 5 is mentioned before its actions are given"),
        ('p "" 3 1 "" { "x" } 0\n' + END, 3, "player 3 moves, but the players are 1 and 2"),
        ('p "" 0 1 "" { "x" } 0\n' + END, 3, "player 0 moves, but the players are 1 and 2"),
        ('p "" 1 1 "" { } 0\n', 3, "infoset 1 of player 1 has no actions"),
        ('t "" 3\n', 3, "outcome 3 is mentioned before its payoffs are given"),
        ('t "" 0 "none" { 0 0 }\n', 3, "outcome 0 means none, so it has no name and no payoffs"),
        (
            MOVE + 't "" 1 "" { 1 -1 }\nt "" 1 "" { 2 -2 }\n',
            5,
            "outcome 1 pays 2 and -2 here but 1 and -1 before",
        ),
        ('t "" 1 "" { 1 2 3 }\n', 3, "outcome 1 must pay 2 players, not 3"),
        ('t "" 1 "" { 1 }\n', 3, "outcome 1 must pay 2 players, not 1"),
        ('t "" 1 "" { 1 two }\n', 3, "'two' stands where a payoff or '}' should"),
        ('t "" 1 "" { 1 1/0 }\n', 3, "'1/0' stands where a payoff or '}' should"),
        ('t "" 1 "" { 1 1e999 }\n', 3, "a payoff is too large for a floating-point number"),
        ('t "" 1 "" { 1 1e9999999999 }\n', 3, "'1e9999999999' stands where a payoff or '}' should"),
        ('t "" 1 "" { 1 nan }\n', 3, "'nan' stands where a payoff"),
        ('t "" -1\n', 3, "'-1' stands where an outcome's number should"),
        ("t 1\n", 3, "'1' stands where the node's label in quotes should"),
        ('q "" 0\n', 3, "'q' stands where a node (c, p or t) should"),
        ('c "" 1 "" { "x" "y" } 0\n', 3, '"y" stands where a probability should'),
        ('p "" 1 1 "" { x } 0\n', 3, "'x' stands where an action in quotes or '}' should"),
        (END + "rubbish\n", 4, "the tree is complete, but 'rubbish' follows"),
        (END + END, 4, "the tree is complete, but 't' follows"),
    ],
)
def test_a_bad_tree_is_refused_with_its_line(body: str, line: int, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(GameError) as error:
        read_text(HEADER + body, tmp_path)
    message = str(error.value)
    assert message.startswith(f"{tmp_path / 'given.efg'}, line {line}: ")
    assert sentence in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not a Gambit .efg file: it does not begin with 'EFG 2 R'"),
        ("a,b\n1,2\n", "is not a Gambit .efg file"),
        ('"EFG" 2 R "" { }', "is not a Gambit .efg file"),
        ('NFG 1 R "" { "A" "B" }', "is a Gambit strategic-form file (NFG)"),
        ("\0\0\0\0", "is not a Gambit .efg file"),
        ('EFG 1 R "" { "A" "B" }', "line 1: the file has EFG version '1'; only version 2 is read"),
        ('EFG 2 X "" { "A" "B" }', "line 1: 'X' stands where R or D"),
        ('EFG 2 R\n{ "A" "B" }', "line 2: '{' stands where the game's title in quotes should"),
        ('EFG 2 R "" "A" "B"', "line 1: \"A\" stands where '{' before the players' names should"),
        ('EFG 2 R "" { "A" "B"', "line 1: the file ends where a player's name in quotes or '}' should stand"),
        ('EFG 2 R "" { "A" "B" "C" }', "line 1: the game has 3 players; solvent takes games of two"),
        ('EFG 2 R "" { "A" }', "line 1: the game has 1 player; solvent takes games of two"),
        ('EFG 2 R "" { }', "line 1: the game has 0 players"),
    ],
)
def test_a_bad_prologue_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(GameError) as error:
        read_text(text, tmp_path)
    assert str(error.value).startswith(str(tmp_path / "given.efg"))
    assert sentence in str(error.value)


def test_what_is_no_text_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binary.efg").write_bytes(b"EFG 2 R \xff\xfe\x00\x80")
    for path, sentence in [
        ("missing.efg", "there is no file missing.efg"),
        (".", "cannot read .: it is a folder, not a file"),
        ("binary.efg", "cannot read binary.efg: it is no text in UTF-8"),
        ("binary.efg/x.efg", "cannot read binary.efg/x.efg: Not a directory"),
        ("nul\0.efg", "cannot read nul"),
    ]:
        with pytest.raises(GameError) as error:
            read_efg(path)
        assert sentence in str(error.value)
