"""`runs`, `show`, `export` and `compare` on trained agents."""

from __future__ import annotations

import csv
import io
import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from oracles.table_agent import random_model
from oracles.trainings import save_training, small_cards_everywhere
from solvent.app.command_line import run
from solvent.app.views.strategies import decision_view
from solvent.cards.deck import parse_cards
from solvent.foundation.errors import InputError
from solvent.strategy.agents.betting_line import find_decision
from solvent.strategy.agents.decisions import action_colours, decision_document
from solvent.strategy.agents.trained import TrainedStrategy
from solvent.strategy.opening import open_strategy

BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"


@pytest.fixture(scope="module", autouse=True)
def cards():
    with small_cards_everywhere():
        yield


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    save_training(folder / "a", BETTING, (500, 1_000))
    save_training(folder / "b", BETTING, (700,))
    save_training(folder / "c", "preflop=3x,4x,a; cap=1; stack=10", (10,))
    return folder


@pytest.fixture
def solvent(runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run a command in this process, in the runs' folder: (exit code, standard output, standard error)."""

    def command(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.chdir(runs)
        code = run([str(argument) for argument in arguments])
        found = capsys.readouterr()
        return code, found.out, found.err

    return command


def test_runs_lists_trainings(solvent) -> None:
    listed = json.loads(solvent("runs", ".", "--json")[1])["runs"]
    assert [(row["run"], row["kind"], row["iterations"]) for row in listed] == [
        ("a", "training", 1_000),
        ("b", "training", 700),
        ("c", "training", 10),
    ]
    assert "training" in solvent("runs", ".")[1]


def test_a_hand_at_a_line(solvent) -> None:
    code, out, err = solvent("show", "a", "r300c/", "--hand", "AsKs", "--board", "Kd7d2c", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    model = random_model(BETTING, 1_000)
    node = find_decision(model.tree, "r300c/")
    expected = model.average(node, *model.cards.bucket("flop", parse_cards("AsKs"), parse_cards("Kd7d2c")))
    assert list(found["probabilities"].values()) == pytest.approx(expected.tolist())
    assert [action["action"] for action in found["actions"]] == list(found["probabilities"])
    assert (found["street"], found["player"], found["line"]) == ("flop", 1, "r300c/")
    code, out, _ = solvent("show", "a", "raise 3bb, call", "--hand", "AsKs", "--board", "Kd7d2c")
    assert code == 0
    assert "big blind on the flop" in out
    assert "check" in out


def test_a_chart_of_all_hands(solvent) -> None:
    found = json.loads(solvent("show", "a", "--json")[1])
    assert len(found["classes"]) == 169
    assert found["iterations"] == 1_000
    code, out, _ = solvent("show", "a#500")
    assert code == 0
    assert "AKs" in out
    assert "500 deals" in out
    on_board = json.loads(solvent("show", "a", "r300c", "--board", "Kd7d2c", "--json")[1])
    reach = on_board["reach"]
    assert len(reach) == 169
    assert set(on_board["classes"]) == {
        label for label, part in reach.items() if part > 1e-4 * max(reach.values())
    }
    assert 0 < len(on_board["classes"]) < 169, "some classes of these tables never call a raise"
    assert sum(on_board["frequencies"].values()) == pytest.approx(1)
    code, out, _ = solvent("show", "a", "r300c", "--board", "Kd7d2c")
    assert "of play" in out
    never = next(label for label, part in reach.items() if part == 0 and len(label) == 3)
    assert f"{never} " not in out
    code, out, _ = solvent("show", "a", "r300c", "--board", "2c2d2h")
    assert code == 0


def test_a_chart_is_coloured_by_action(runs: Path) -> None:
    strategy = open_strategy(runs / "a")
    assert isinstance(strategy, TrainedStrategy)
    screen = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=100)
    screen.print(decision_view(decision_document(strategy, "", None, ""), coloured=True))
    said = screen.file.getvalue()  # type: ignore[attr-defined]
    assert said.count("\x1b[") > 13 * 13
    first, after_raise = (
        action_colours(strategy.tree, find_decision(strategy.tree, line)) for line in ("", "r300")
    )
    assert (first[0], first[1]) == (after_raise[0], after_raise[1])
    assert len(set(first)) == len(first)
    assert (
        action_colours(strategy.tree, find_decision(strategy.tree, "c"))[0] != first[0]
    )  # a check is no fold


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("show", "a", "r400"), "the agent knows f, c, r300, r1000, not r400"),
        (("show", "a", "r300c/"), "a board of 3 cards"),
        (("show", "a", "r300c/", "--board", "Kd7d2c", "--hand", "Kd2h"), "twice"),
        (("show", "a", "", "--board", "Kd7d2c"), "there is no board"),
        (("show", "a", "--hand", "As"), "two cards"),
        (("show", "a", "--hand", "nonsense"), "a card is a rank"),
        (("show", "a", "--player", "1"), "--player is for solved games"),
        (("show", "a#7"), "no checkpoint of iteration 7"),
        (("show", "a#x"), "named by its iterations"),
        (("show", "nowhere"), "there is no run nowhere"),
        (("export", "a", "--format", "openspiel", "--out", "x"), "exported as csv or json"),
        (("export", "a", "--format", "efg"), "exported as csv or json"),
        (("compare", "a", "b", "--hands", "2"), "--hands"),
        (("compare", "a", "b", "--hands", "7"), "so their number is even, not 7"),
        (("compare", "a", "b", "--threads", "1000000000000"), "--threads"),
    ],
)
def test_refusals(solvent, arguments: tuple[str, ...], sentence: str) -> None:
    code, _, err = solvent(*arguments)
    assert code == 2
    assert sentence in " ".join(err.split())


def test_an_agent_is_exported_row_by_row(solvent, runs: Path) -> None:
    assert solvent("export", "a", "--out", "a.csv")[0] == 0
    rows = list(csv.DictReader((runs / "a.csv").open(newline="")))
    strategy = open_strategy(runs / "a")
    for row in rows[:: len(rows) // 50]:
        found = strategy.query(row["infoset"], int(row["player"]))
        assert float(row["probability"]) == found[row["action"]]
    assert len({row["infoset"] for row in rows}) == len(strategy)
    assert solvent("export", "a", "--format", "json", "--out", "a.json")[0] == 0
    document = json.loads((runs / "a.json").read_text())
    assert sum(map(len, document["players"])) == len(strategy)
    assert not [path for path in runs.iterdir() if path.name.startswith(".")]


def test_two_agents_compared(solvent) -> None:
    code, out, _ = solvent("compare", "a", "b", "--hands", "80", "--threads", "1", "--json")
    assert code == 0
    found = json.loads(out)
    assert set(found["streets"]) == {"preflop", "flop", "turn", "river"}
    assert all(0 < street["mean_distance"] <= 1 for street in found["streets"].values())
    assert found["hands"] == 80
    same = json.loads(solvent("compare", "a", "a", "--hands", "80", "--threads", "1", "--json")[1])
    assert all(street["mean_distance"] == 0 for street in same["streets"].values())
    assert abs(same["a_wins"]) <= same["a_wins_95"] + 1
    code, out, _ = solvent("compare", "a", "c", "--hands", "40", "--threads", "1")
    assert code == 0
    assert "mbb/hand" in out


def test_a_stopped_export_leaves_nothing(runs: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """The file that was there before stays as it was."""

    def stopped(strategy: object, file: io.TextIOBase, *rest: object) -> None:
        file.write("half of it")
        raise OSError(28, "No space left on device")

    target = runs / "kept.csv"
    target.write_text("as it was")
    monkeypatch.setattr("solvent.strategy.writing.write_csv", stopped)
    assert run(["export", str(runs / "a"), "--out", str(target), "--force"]) == 2
    assert "No space left" in capsys.readouterr().err
    assert target.read_text() == "as it was"
    assert not (runs / ".kept.csv.writing").exists()


def test_a_class_of_hands_on_a_board(solvent) -> None:
    """The mean of its hands that the board leaves, weighted by how often they come there."""
    line = ("show", "a", "r300c/cc/", "--board", "Kd7d2c9h", "--json")
    code, out, err = solvent(*line, "--hand", "AKo")
    assert (code, err) == (0, "")
    found = json.loads(out)
    hands = [
        json.loads(solvent(*line, "--hand", f"A{one}K{other}")[1])
        for one, other in product("cdhs", "chs")
        if one != other
    ]
    assert found["hands"] == len(hands) == 9
    reach = np.array([hand["reach"] for hand in hands])
    rows = np.array([list(hand["probabilities"].values()) for hand in hands])
    assert np.ptp(reach) > 0
    assert list(found["probabilities"].values()) == pytest.approx((reach @ rows / reach.sum()).tolist())
    assert found["reach"] == pytest.approx(reach.mean())
    assert "AKo, mean of 9 hands" in " ".join(solvent(*line[:-1], "--hand", "AKo")[1].split())
    assert "leaves no hand of 77" in solvent("show", "a", "r300c/", "--board", "7s7d7c", "--hand", "77")[2]


def test_a_training_is_summed_up_in_words(solvent) -> None:
    out = solvent("show", "a")[1]
    said = " ".join(out.replace("│", " ").split())
    assert "1,000 deals" in said
    assert "decisions" in said
    assert "of each infoset on average" in said
    assert "Nothing has been measured; `solvent evaluate a` does it." in said
    for raw in ("touched", "layout", "parts done", "configuration"):
        assert raw not in out


def test_a_bucket_is_named_as_it_is_shown(solvent, monkeypatch) -> None:
    """`show` says "bucket 1.1", and `abstract show --bucket 1.1` takes it."""
    asked = []

    def document(made, street, cluster, bucket, examples):
        asked.append((street, cluster, bucket))
        raise InputError("found")

    monkeypatch.setattr("solvent.abstraction.cards.examine.bucket_document", document)
    monkeypatch.setattr("solvent.abstraction.cards.buckets.CardAbstraction.load", lambda folder: None)
    for given in (("--bucket", "1.17"), ("--bucket", 17), ("--cluster", 1, "--bucket", "17")):
        assert solvent("abstract", "show", "cards", *given)[2] == "solvent: found\n"
    assert asked == [("flop", 1, 17), ("flop", 0, 17), ("flop", 1, 17)]
    assert "--cluster says 2" in solvent("abstract", "show", "cards", "--cluster", 2, "--bucket", "1.17")[2]
    assert "such as 1.17" in solvent("abstract", "show", "cards", "--bucket", "1.x")[2]
