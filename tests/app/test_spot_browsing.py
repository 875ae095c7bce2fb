"""Runs of spots looked into: `show`, `export` and `compare` say the numbers that Python has."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from commands_run import refused, solved, solvent
from rich.console import Console

from solvent.app.views.comparison import spots_view
from solvent.cards.ranges import parse_range
from solvent.games.holdem.spot import NAMES
from solvent.spots.nodes.node import SpotNode
from solvent.spots.nodes.solution import open_spot

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
    page = exported(out, "--line", "bet 100", "--format", "html")
    assert page.startswith("<!doctype html>")
    assert "not reached: play never comes here" in page
    assert "<table" not in page
    node = open_spot(out).at("bet 100")
    assert "not reached: play never comes here" in node.plot_grid().get_title()
    assert "reached" not in open_spot(out).root.plot_grid().get_title()


def test_the_table_says_what_each_action_is_worth(turn: Path, node: SpotNode) -> None:
    text = solvent("show", turn, LINE, "--table", "--hand", "AsAh").stdout
    row = next(line for line in text.splitlines() if line.startswith("AsAh"))
    worths = node.action_evs[:, node.hands[0].index("AsAh")]
    assert " ".join(f"{worth:.2f}" for worth in worths) in " ".join(row.split())
    assert "EV of an action: if it is taken here" in " ".join(text.split())
    other = solvent("show", turn, LINE, "--table", "--player", "1").stdout
    assert "EV of an action" not in " ".join(other.split())


def test_evs_are_shown_in_big_blinds(turn: Path, node: SpotNode) -> None:
    place = node.hands[0].index("AsAh")
    shown = solvent("show", turn, LINE, "--table", "--hand", "AsAh", "--big-blind", "10").stdout
    row = next(line.split() for line in shown.splitlines() if line.startswith("AsAh"))
    for value in (node.ev[0][place], *node.action_evs[:, place]):
        assert f"{value / 10:.2f}" in row
    assert "EV: big blinds of 10 chips of the pot" in " ".join(shown.split())
    both = solvent("show", turn, LINE, "--big-blind", "10").stdout
    assert "EV, BB" in both
    assert f"{node.summary()['ev'][1] / 10:.2f}" in both
    line = f"{LINE}, call"
    cards = solvent("show", turn, line, "--cards", "--big-blind", "2.5").stdout
    after = open_spot(turn).at(f"{line}, 2c").summary()["ev"][0]
    assert f"{after / 2.5:.2f}" in next(row for row in cards.splitlines() if row.startswith("2c"))


def test_locked_hands_are_marked(turn: Path, tmp_path: Path) -> None:
    out = tmp_path / "locked"
    lock = ("--lock", "bet 100: JJ = fold:0.5, call:0.5")
    assert solvent("spot", "--from", turn, *lock, "--iterations", "10", "--out", out).returncode == 0
    node = open_spot(out).at("bet 100")
    jacks = [hand[0] == hand[2] == "J" for hand in node.hands[1]]
    assert node.locked.tolist() == jacks
    assert not open_spot(out).root.locked.any()
    document = solved("show", out, "bet 100")["hands"]
    assert dict(zip(document["IP"]["hand"], document["IP"]["locked"], strict=True)) == dict(
        zip(node.hands[1], jacks, strict=True)
    )
    assert "locked" not in document["OOP"]
    heading, *rows = solvent("show", out, "bet 100", "--table").stdout.splitlines()
    assert heading.endswith(f"6 of {len(jacks)} hands locked")
    assert " ".join(rows).count("locked") == 6
    assert f"6 of {len(jacks)} hands locked" in exported(out, "--line", "bet 100", "--format", "html")
    assert "locked" not in solvent("show", out, "--table").stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("chekc",), "did you mean check?"),
        (("check, bet 77",), "not 'bet 77'; did you mean bet 100?"),
        (("check, bet 800",), "not 'bet 800'; did you mean bet 900?"),
        (("check, bet 100, call, Td",), "on the board"),
        (("--hand", "22"), "OOP has no 22"),
        (("--hand", "Zz"), "--hand is a hand or a range"),
        (("--only", "sett"), "did you mean set?"),
        (("--sort", "luck", "--table"), "not by 'luck'"),
        (("--cards",), "no card is dealt"),
        (("--grid", "--table"), "one at a time"),
        (("--board", "7s"), "names the cards of the board"),
        (("--big-blind", "10", "--json"), "--json has EVs in chips"),
    ],
)
def test_refusals_of_show(turn: Path, arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused("show", turn, *arguments)
    assert solvent("show", turn, *arguments).stdout == ""


def exported(*arguments: str | Path) -> str:
    done = solvent("export", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_file_is_written_over_only_by_force(turn: Path, tmp_path: Path) -> None:
    file = tmp_path / "node.csv"
    exported(turn, "--out", file)
    written = file.read_text()
    assert "exists; choose another name, or write over it with --force" in refused(
        "export", turn, "--line", "check", "--out", file
    )
    assert file.read_text() == written
    exported(turn, "--line", "check", "--out", file, "--force")
    assert file.read_text() != written


def test_csv_has_the_numbers_of_python(turn: Path, node: SpotNode) -> None:
    rows = list(csv.DictReader(exported(turn, "--line", LINE).splitlines()))
    for player, name in enumerate(NAMES):
        own = [row for row in rows if row["player"] == name]
        for column, values in node.to_dict(player).items():
            written = ["" if value != value else str(value) for value in values]
            assert [row[column] for row in own] == written


def test_json_has_nodes_to_a_street(turn: Path, node: SpotNode) -> None:
    nodes = json.loads(exported(turn, "--format", "json"))["nodes"]
    assert nodes[LINE] == node.as_dict()
    assert f"{LINE}, call" in nodes
    assert f"{LINE}, call, 7s" not in nodes
    line = f"{LINE}, call"
    further = json.loads(exported(turn, "--format", "json", "--line", line, "--street", "river"))["nodes"]
    assert further[f"{line}, 7s"] == open_spot(turn).at(f"{line}, 7s").as_dict()
    assert "check" not in further


def test_range_texts_are_read_as_the_weights(turn: Path, node: SpotNode) -> None:
    whole = ("--line", LINE, "--format", "range", "--least", "0", "--part")
    for player, name in enumerate(NAMES):
        read = parse_range(exported(turn, *whole, name)).weights
        np.testing.assert_allclose(read[node.numbers[player]], node.weights[player], rtol=1e-5)
    first = open_spot(turn).root
    row = first.weights[0] * first.strategy[first.actions.index("bet 900")]
    dust = row < 1e-3
    assert row[dust].max() > 0
    for least, kept in (((), np.where(dust, 0, row)), (("--least", "0"), row)):
        text = exported(turn, "--format", "range", "--part", "bet 900", *least)
        np.testing.assert_allclose(parse_range(text).weights[first.numbers[0]], kept, rtol=1e-5)
    text = exported(turn, "--line", LINE, "--format", "range", "--part", "call")
    assert exported(turn, "--line", "x, b100", "--format", "range", "--part", "c") == text
    for action, short in {"bet 900": "a", "bet 100": "b100", "check": "x"}.items():
        parts = [exported(turn, "--format", "range", "--part", name) for name in (action, short)]
        assert parts[0] == parts[1]
    for entry in text.strip().split(","):  # as other programs read ranges
        hand, _, weight = entry.partition(":")
        assert re.fullmatch(r"([2-9TJQKA][cdhs]){2}|[2-9TJQKA]{2}[so]?", hand)
        assert re.fullmatch(r"|0\.\d+", weight)
        assert len(weight.removeprefix("0.").lstrip("0")) <= 6
    assert "# call" in exported(turn, "--line", LINE, "--format", "range")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--format", "efg"), "a spot is exported as"),
        (("--line", "fold"), "OOP acts first"),
        (("--format", "json", "--street", "flop"), "the streets are turn, river"),
        (("--format", "range", "--part", "raise"), "the parts here are OOP, IP"),
        (("--format", "range", "--part", "bet 900", "--least", "1"), "with a weight of 1 or more; --least 0"),
        (("--format", "csv", "--least", "0"), "--least is for range texts"),
        (("--format", "range", "--least", "nan"), "less than or equal to 1"),
        (("--format", "html", "--line", f"{LINE}, call"), "(deal), and a page shows what is played, so name"),
        (("--format", "html", "--line", f"{LINE}, fold"), "(fold), and a page shows what is played"),
        (("--format", "png"), "--out"),
        (("--street", "river"), "--street is for json"),
    ],
)
def test_refusals_of_export(turn: Path, arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused("export", turn, *arguments)


def test_runs_of_a_spot_are_compared(turn: Path, tmp_path: Path) -> None:
    alike = solved("compare", turn, turn)
    assert [found["distance"] for found in alike["decisions"] if found["share"] > 0]
    assert not any(found["distance"] for found in alike["decisions"])
    assert alike["a"]["ev"] == alike["b"]["ev"]
    assert "no decision differs" in solvent("compare", turn, turn).stdout

    locked = tmp_path / "locked"
    lock = ("--lock", "bet 100: JJ = fold:1")
    assert solvent("spot", "--from", turn, *lock, "--iterations", "20", "--out", locked).returncode == 0
    document = solved("compare", turn, locked)
    found = {each["line"]: each for each in document["decisions"]}["bet 100"]
    a, b = (open_spot(run).at("bet 100") for run in (turn, locked))
    assert found["frequencies"] == {"a": a.frequencies, "b": b.frequencies}
    distances = np.abs(a.strategy - b.strategy).sum(axis=0) / 2
    assert found["distance"] == pytest.approx(a.average(1, distances))
    assert all(len(row) <= 80 for row in solvent("compare", turn, locked).stdout.splitlines())


@pytest.mark.parametrize("columns", [30, 50])
def test_narrow_terminals_lose_no_number_that_is_shown(
    turn: Path, node: SpotNode, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    heading, *rows = solvent("show", turn, LINE, "--table", "--hand", "AsAh").stdout.splitlines()
    assert heading.endswith("behind"), "off a terminal the heading is one line"
    assert all(len(row) <= columns for row in rows)
    assert "no room for" in " ".join(rows)
    assert ("weight: from 0 to 1" in " ".join(rows)) is any("weight" in row.split() for row in rows[:2])
    own = next(row.split() for row in rows if row.startswith("AsAh"))
    place = node.hands[0].index("AsAh")
    played = " ".join(f"{100 * row[place]:.1f}" for row in node.strategy)
    assert played in " ".join(own)


@pytest.mark.parametrize("width", [30, 50, 80])
def test_a_comparison_fits_the_terminal(width: int) -> None:
    run = {
        "source": "runs/a",
        "ev": [112.211, 87.789],
        "exploitability_percent": 0.25,
        "iterations": 80,
        "locks": 0,
    }
    found = {
        "line": "bet 100, raise 500, raise 900",
        "player": "IP",
        "share": 0.0038,
        "distance": 0.018,
        "action": "raise 900",
        "hand": "KhQh",
        "frequencies": {"a": {"raise 900": 0.507}, "b": {"raise 900": 0.479}},
    }
    console = Console(file=io.StringIO(), width=width)
    console.print(spots_view({"a": run, "b": run, "decisions": [found]}, width))
    rows = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert all(len(row) <= width for row in rows)
    for whole in ("0.38", "1.8", "50.7", "47.9", "KhQh"):
        assert any(whole in row for row in rows), whole


def test_refusals_of_compare(turn: Path, tmp_path: Path) -> None:
    assert "there is no run" in refused("compare", turn, tmp_path / "nowhere")
    river = tmp_path / "river"
    board = ("spot", "--board", "Td9d6hQc2s", *SPOT, "--threads", "1")
    assert solvent(*board, "--iterations", "0", "--out", river).returncode == 0
    assert "other boards" in refused("compare", turn, river)
