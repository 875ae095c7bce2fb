"""`solvent evaluate`: all parts of it, what it writes, what is refused."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from oracles.table_agent import small_cards
from oracles.trainings import save_training
from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.app.command_line import run
from solvent.app.views.evaluation_section import evaluation_section
from solvent.evaluate.evaluation import Evaluation, Options, read_evaluations
from solvent.solvers.solve import solve
from solvent.strategy.training_run import TrainingRun

BETTING = "preflop=100%,a; postflop=100%,a; stack=15"
QUICK = ("--pairs", "200", "--lbr-hands", "106", "--deals", "500", "--threads", "1")


@pytest.fixture(scope="module", autouse=True)
def loaded_cards():
    """Every training's cards are the small ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CardAbstraction, "load", classmethod(lambda cls, folder, **options: small_cards()))
        yield


@pytest.fixture
def folder(tmp_path):
    """A training with two checkpoints."""
    return save_training(tmp_path / "run", BETTING, (500, 1_000))


@pytest.fixture
def solvent(monkeypatch, capsys):
    """Run a command in this process: (exit code, standard output, standard error)."""

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["solvent", *map(str, arguments)])
        code = run()
        found = capsys.readouterr()
        return code, found.out, found.err

    return command


def test_all_parts(solvent, folder) -> None:
    code, out, err = solvent("evaluate", folder, *QUICK, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["complete"]
    assert (found["iterations"], found["post"]) == (1_000, "none")
    by_name = {row["opponent"]: row for row in found["styles"]}
    assert set(by_name) >= {
        "aggressive",
        "tight",
        "random",
        "calling-machine",
        "deterministic",
        "always-fold",
    }
    assert by_name["always-fold"]["mbb_per_hand"] > 0
    assert all(row["hands"] == 400 for row in found["styles"])
    assert [row["opponent"] for row in found["earlier"]] == ["500 iterations"]
    assert [row["actions"] for row in found["lbr"]] == ["fc on turn, river", "fcpa on turn, river"]
    assert found["lbr"][1]["mbb_per_hand"] > 0  # play by chance loses
    assert len(found["behaviour"]["checks"]) >= 10
    assert read_evaluations(folder) == [found]
    report = (folder / "report.html").read_text()
    assert "<h2>Evaluation</h2>" in report
    assert "fcpa on turn, river" in report


def test_parts_are_kept_for_one_strategy(solvent, folder) -> None:
    assert solvent("evaluate", folder, *QUICK, "--parts", "behaviour")[0] == 0
    code, out, _ = solvent(
        "evaluate", folder, *QUICK, "--parts", "lbr", "--lbr-actions", "turn=fc;river=fc,50%"
    )
    assert code == 0
    assert "turn=fc;river=fc,50%" in out
    assert {"lbr", "behaviour"} <= set(read_evaluations(folder)[0])
    solvent("evaluate", folder, *QUICK, "--parts", "lbr", "--post", "purify")
    purified, plain = read_evaluations(folder)
    assert (purified["post"], plain["post"]) == ("purify", "none")
    assert "behaviour" not in purified
    assert "behaviour" in plain
    section = evaluation_section(folder, plain["iterations"])
    assert "post-processing purify" in section
    assert "post-processing none" in section


def test_an_interrupt_keeps_what_was_done(folder) -> None:
    def stop(what: str, done: int, total: int) -> None:
        if what == "against tight":
            raise KeyboardInterrupt

    options = Options(pairs=5_000, lbr_hands=20, deals=100)
    evaluation = Evaluation(TrainingRun.open(folder), options, stop)
    found = evaluation.run()
    assert not found["complete"]
    assert [row["opponent"] for row in found["styles"]] == ["aggressive", "tight"]
    assert [row["complete"] for row in found["styles"]] == [True, False]
    evaluation.save()
    whole = Evaluation(TrainingRun.open(folder), Options(parts=("styles",), pairs=10))
    assert whole.run()["complete"]
    whole.save()
    evaluation.save()  # half of a part does not replace the whole
    assert read_evaluations(folder)[0]["styles"] == whole.document["styles"]
    assert "aggressive" in evaluation_section(folder, 1_000)
    assert "gone on since" in evaluation_section(folder, 2_000)


def test_an_interrupted_comparison_has_whole_rows_alone(solvent, folder, monkeypatch) -> None:
    def stop(what: str, done: int, total: int) -> None:
        if what == "threshold(0.15) against random":
            raise KeyboardInterrupt

    evaluation = Evaluation(
        TrainingRun.open(folder), Options(parts=("posts",), pairs=2_000, lbr_hands=20), stop
    )
    found = evaluation.run()
    assert [row["post"] for row in found["posts"]] == ["none", "purify"]
    assert all(len(row["matches"]) == 4 and "lbr" in row for row in found["posts"])
    assert not found["complete"]


def test_what_is_no_run_is_one_line(solvent, folder, tmp_path) -> None:
    table = sorted((folder / "checkpoints").iterdir())[-1] / "table.npy"
    damaged = np.load(table)
    damaged[-1] += 1
    np.save(table, damaged)
    (tmp_path / "empty").mkdir()
    untrained = save_training(tmp_path / "untrained", BETTING, ())
    for where, said in (
        (tmp_path / "nowhere", "there is no folder"),
        (tmp_path / "empty", "is not a run"),
        (untrained, "has no checkpoint yet"),
        (folder, "is damaged: its checksum does not match"),
    ):
        code, out, err = solvent("evaluate", where, *QUICK)
        assert (code, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--parts", "luck"), "parts of an evaluation are styles"),
        (("--parts", "lbr", "--lbr-hands", "7"), "an even number of hands, not 7"),
        (("--lbr-actions", "pot"), "fc, fcpa, or fc and bets"),
        (("--lbr-streets", "brook"), "not brook"),
        (("--post", "sometimes"), "no post-processing"),
    ],
)
def test_odd_options_are_one_line(solvent, folder, arguments, said) -> None:
    code, out, err = solvent("evaluate", folder, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert not (folder / "evaluation.json").exists()


def test_a_small_game_is_measured_exactly(solvent, tmp_path) -> None:
    solve("leduc", iterations=200, out=tmp_path / "leduc", threads=1)
    code, out, _ = solvent("evaluate", tmp_path / "leduc", "--json")
    found = json.loads(out)
    assert code == 0
    for local in found["local_best_response"].values():
        assert all(mine <= best for mine, best in zip(local, found["best_response"], strict=True))
    assert "local best response, all bets" in solvent("evaluate", tmp_path / "leduc")[1]
    solve("bluff(dice=1,faces=2)", iterations=10, out=tmp_path / "bluff", threads=1)
    code, out, _ = solvent("evaluate", tmp_path / "bluff")
    assert code == 0
    assert "games in which one folds, checks, calls and bets" in " ".join(out.split())


def test_a_damaged_evaluation_does_not_stop_the_report(folder) -> None:
    (folder / "evaluation.json").write_text('{"evaluations": [{"styles": [{}]}]}')
    assert "evaluate again" in evaluation_section(folder, 1)
    (folder / "evaluation.json").write_text("{")
    assert evaluation_section(folder, 1) == ""
