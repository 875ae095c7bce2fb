"""Runs of spots looked into: `show`, `export` and `compare` say the numbers that Python has."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands_run import refused, solved, solvent

from solvent.games.spot import NAMES
from solvent.solvers.spots.node import SpotNode
from solvent.solvers.spots.opening import open_spot

SPOT = ("--oop", "AA,KQs,76s", "--ip", "JJ,T9s,A5s", "--pot", "200", "--stack", "900", "--bets", "50%,a")
TURN = ("spot", "--board", "Td9d6hQc", *SPOT, "--threads", "1")
LINE = "check, bet 100"


@pytest.fixture(scope="module")
def turn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("spots") / "turn"
    assert solvent(*TURN, "--iterations", "40", "--out", out).returncode == 0
    return out


@pytest.fixture(scope="module")
def node(turn: Path) -> SpotNode:
    return open_spot(turn).at(LINE)


def none_for_nan(column: list) -> list:
    return [None if value != value else value for value in column]


def test_a_document_has_the_numbers_of_python(turn: Path, node: SpotNode) -> None:
    document = solved("show", turn, LINE)
    for name, value in node.summary().items():
        assert document[name] == value
    for player, name in enumerate(NAMES):
        shown = document["hands"][name]
        assert sorted(shown["hand"]) == sorted(node.hands[player])
        order = [node.hands[player].index(hand) for hand in shown["hand"]]
        for column, values in node.to_dict(player).items():
            assert shown[column] == [none_for_nan(values)[place] for place in order], column
    assert solved("show", turn, "x, b100") == document


def test_hands_are_filtered_and_sorted(turn: Path, node: SpotNode) -> None:
    aces = solved("show", turn, "--hand", "AA", "--player", "0")["hands"]["OOP"]
    assert aces["made"] == ["overpair"] * 6
    assert len(solved("show", turn, "--only", "open-ender, gutshot")["hands"]["OOP"]["hand"]) > 0
    evs = solved("show", turn, LINE, "--sort", "ev")["hands"]["OOP"]["ev"]
    assert evs == sorted(node.ev[0].tolist(), reverse=True)
    text = solvent("show", turn, LINE, "--table", "--only", "pair").stdout
    assert "AsAh" in text
    assert "KsQs" in text
    assert "7s6s" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_cards_to_come(turn: Path) -> None:
    line = f"{LINE}, call"
    document = solved("show", turn, line, "--cards")
    assert len(document["cards"]) == 48
    solution = open_spot(turn)
    for card in ("7s", "2c"):
        assert {key: document["cards"][card][key] for key in ("ev", "equity", "frequencies", "line")} == {
            key: solution.at(f"{line}, {card}").summary()[key]
            for key in ("ev", "equity", "frequencies", "line")
        }
    text = solvent("show", turn, line, "--cards", "--sort", "ev").stdout
    assert "change" in text
    assert all(len(row) <= 80 for row in text.splitlines())


def test_what_is_not_reached_is_no_advice(tmp_path: Path) -> None:
    out = tmp_path / "locked"
    lock = ("--lock", ": random = check:1")
    assert solvent(*TURN, *lock, "--iterations", "10", "--out", out).returncode == 0
    text = solvent("show", out, "bet 100").stdout
    assert "not reached: play never comes here" in text
    assert "c  call" not in text
    rows = solvent("show", out, "bet 100", "--table").stdout.splitlines()
    assert sum("not reached" in row for row in rows) > 3
    assert not any(solved("show", out, "bet 100")["hands"]["IP"]["reached"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("chekc",), "did you mean check?"),
        (("check, bet 100, call, Td",), "on the board"),
        (("--hand", "22"), "OOP has no 22"),
        (("--hand", "Zz"), "--hand is a hand or a range"),
        (("--only", "sett"), "did you mean set?"),
        (("--sort", "luck", "--table"), "not by 'luck'"),
        (("--cards",), "no card is dealt"),
        (("--grid", "--table"), "one at a time"),
        (("--board", "7s"), "names the cards of the board"),
    ],
)
def test_refusals_of_show(turn: Path, arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused("show", turn, *arguments)
