"""`solvent cards` and `solvent bench cards` as a user meets them."""

from __future__ import annotations

import json

import pytest
from commands_run import solvent

from solvent.app.command_line import run


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the command line in this process: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["solvent", *arguments])
        code = run()
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_equity_prints_one_json_document() -> None:
    done = solvent("cards", "equity", "AsAh", "KK,QQ:0.5", "--board", "Ks7d2c", "--threads", "1", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    first, second = document["players"]
    assert first["equity"] + second["equity"] == pytest.approx(1)
    assert first["hands"] == {"AsAh": pytest.approx(first["equity"])}
    assert set(second["hands"]) == {"KdKc", "KhKc", "KhKd", "QdQc", "QhQc", "QhQd", "QsQc", "QsQd", "QsQh"}
    assert (document["pairs"], document["runouts"], document["board"]) == (9, 990, "Ks7d2c")


def test_equity_shows_a_table(here) -> None:
    code, out, _ = here("cards", "equity", "AsAh", "KdKc", "--board", "Ks7d2c9h", "--dead", "Kh")
    assert code == 0
    assert "4.6512 %" in out  # two aces of the 43 cards left
    assert "1 pair of hands, 43 run-outs each" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["AsAh", "AY"], "'AY' names no hands"),
        (["", "AA"], "has none somewhere"),
        (["AsAs", "KK"], "'AsAs' is no hand"),
        (["AsAh", "AsKs"], "no deal is left"),
        (["AsAh", "KK", "--board", "As7d2c"], "every hand of the first range has a card of the board"),
        (["AA", "KK", "--board", "7d7d2c"], "has the card 7d twice"),
        (["AA", "KK", "--board", "7d3d2c", "--dead", "7d"], "the card 7d is twice"),
        (["AA", "KK", "--board", "7d"], "3, 4 or 5 cards, not 1"),
        (["AA", "KK", "--board", "7d6d"], "3, 4 or 5 cards, not 2"),
        (["AA", "KK", "--board", "7d6d5d4d3d2d"], "3, 4 or 5 cards, not 6"),
        (["AA", "KK", "--board", "7d6d5"], "'5' is not one"),
        (["AA", "KK", "--threads", "0"], "--threads"),
        (["AA"], "Missing argument 'second'"),
    ],
)
def test_bad_input_gets_one_line(here, arguments: list[str], said: str) -> None:
    code, out, err = here("cards", "equity", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("solvent: ")
    assert err.count("\n") == 1
    assert said in err


def test_bench_cards_prints_rows(here) -> None:
    code, out, _ = here("bench", "cards", "--repeats", "1", "--scale", "small", "--json")
    rows = json.loads(out)["found"]["kernels"]["rows"]
    assert code == 0
    assert [row["count"] for row in rows] == [1_000, 1_000, 10]
    assert all(row["per_second"] == pytest.approx(row["count"] / row["seconds"]) for row in rows)
    assert "evaluated" in here("bench", "cards", "--repeats", "1", "--scale", "small")[1]
