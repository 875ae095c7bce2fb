"""`solvent evaluate`: all parts of it, what it writes, what is refused."""

from __future__ import annotations

import html
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.trainings import save_training, small_cards_everywhere
from solvent.app.command_line import run
from solvent.app.views.evaluation import summary_rows
from solvent.app.views.report import evaluation_section
from solvent.evaluate import evaluation
from solvent.evaluate.agent_parts import AgentSettings, TrainedAgent, play_all, style_opponents
from solvent.evaluate.evaluation import evaluate, read_evaluations, save
from solvent.evaluate.response_doublings import DoublingSettings
from solvent.evaluate.sentences import sentences
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop
from solvent.solving.measure import exploitability
from solvent.solving.solve import solve
from solvent.strategy.agents.training_run import TrainingRun
from solvent.strategy.post_processing import NONE, PostProcessing, parse_post

BETTING = "preflop=100%,a; postflop=100%,a; stack=15"
QUICK = ("--hands", "400", "--lbr-hands", "106", "--behaviour-hands", "500", "--threads", "1")


@pytest.fixture(scope="module", autouse=True)
def loaded_cards():
    """Every training's cards are the small ones."""
    with small_cards_everywhere():
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
    assert [row["actions"] for row in found["lbr"]] == [
        "fc on turn, river",
        "fcpa on turn, river",
        "fcpa on all streets",
        "fc,25%,50%,75%,100%,150%,200%,a on all streets",
    ]
    assert found["lbr"][1]["mbb_per_hand"] > 0  # play by chance loses
    largest = max(found["lbr"], key=lambda row: row["mbb_per_hand"])
    assert found["lbr_maximum"]["actions"] == largest["actions"]
    low, high = found["lbr_maximum"]["mbb_per_hand_95"]
    assert low <= largest["mbb_per_hand"] <= high
    assert "inside" not in found["parts"]
    assert len(found["behaviour"]["checks"]) >= 10
    said = found.pop("sentences")
    assert len(said) == 3
    assert read_evaluations(folder) == [found]
    report = (folder / "report.html").read_text()
    assert "<h2>Evaluation</h2>" in report
    assert all(html.escape(sentence) in report for sentence in said)
    assert "fcpa on turn, river" in report


def test_inside_the_abstraction(solvent, folder) -> None:
    short = ("--inside-boards", "20", "--inside-valued", "60", "--threads", "1")
    code, out, err = solvent("evaluate", folder, "--parts", "inside", *short, "--details")
    assert code == 0
    assert "learning on 20 boards for each seat" in err
    assert "inside, 20 boards" in out
    assert "inside, the best of these on other boards" in out
    (found,) = read_evaluations(folder)
    assert found["parts"] == {"inside": True}
    assert found["inside"]["settled"]
    assert found["inside"]["mbb_per_hand"] > 0  # play by chance loses
    assert found["inside"]["valued"] == 60
    assert not (folder / "inside").exists()
    assert "inside, 40 boards" in (folder / "report.html").read_text()


def test_inside_ends_after_the_most_boards(solvent, folder) -> None:
    short = ("--inside-boards", "20", "--inside-most", "39", "--inside-valued", "12", "--threads", "1")
    code, out, err = solvent("evaluate", folder, "--parts", "inside", *short)
    assert code == 0
    assert "or up to 39" in err
    assert "if it settles" not in err
    assert "inside its abstraction, still improving" in one_line(out)
    (found,) = read_evaluations(folder)
    assert [rung["boards"] for rung in found["inside"]["rungs"]] == [20]
    code, _, err = solvent("evaluate", folder, "--parts", "inside", *short, "--inside-most", "19")
    assert code == 2
    assert "no fewer than the first 20" in err


def one_line(out: str) -> str:
    """The printed text, without the borders of tables and the breaks of lines."""
    return " ".join(out.replace("│", " ").split())


def test_a_summary_is_one_table_and_three_sentences(solvent, folder) -> None:
    assert solvent("evaluate", folder, *QUICK, "--parts", "behaviour,posts,earlier")[0] == 0
    code, out, _ = solvent("evaluate", folder, *QUICK, "--parts", "styles,lbr")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert out.count("┏") == 1
    (found,) = read_evaluations(folder)
    names = [name for name, _ in summary_rows(found)]
    assert set(names) >= {f"wins against {row['opponent']}" for row in found["styles"]}
    for figure in (
        "wins against itself after 500 iterations",
        "purify wins against the plain strategy",
        f"loses at least, to local best response ({found['lbr_maximum']['actions']})",
        "checks of behaviour passed",
    ):
        assert figure in names  # those measured before are known too
    assert "wins against always-fold" in out
    last = f"report.html, or --details {' '.join(sentences(found))}"
    assert "".join(out.split()).endswith(
        "".join(last.split())
    )  # the path of a run may be broken at the width


def test_a_failed_check_is_seen(solvent, folder) -> None:
    out = solvent("evaluate", folder, *QUICK, "--parts", "behaviour")[1]
    (found,) = read_evaluations(folder)
    failed = [check for check in found["behaviour"]["checks"] if not check["passed"] and not check["near"]]
    assert failed  # play by chance
    for check in failed:
        assert any(name.startswith(f"FAILED: {check['name']}") for name, _ in summary_rows(found))
        assert check["name"] in sentences(found)[2]
    assert "│ FAILED: " in out
    assert f"It FAILED {len(failed)} of {len(found['behaviour']['checks'])} checks" in one_line(out)
    details = solvent("evaluate", folder, *QUICK, "--parts", "behaviour", "--details")[1]
    assert "wanted" in details
    assert "FAILED" in details
    assert "It FAILED" in one_line(details)


def test_styles_are_post_processed_alike(folder) -> None:
    purify = parse_post("purify")
    processed = agent(folder, hands=400, post=purify)
    found = evaluate(processed, ("styles",))
    by_name = {row["opponent"]: row["mbb_per_hand"] for row in found["styles"]}

    def won(post: PostProcessing) -> dict[str, float]:
        opponents = style_opponents(processed.run, post)
        return {name: one.winnings.mbb for name, one in play_all(processed.agent, opponents, 400)}

    assert by_name == won(purify)
    assert by_name != won(NONE)


def test_a_stop_inside_goes_on(folder) -> None:
    stop = Stop()

    def watch(now: Progress) -> None:
        if "valuing it" in now.detail:
            stop.request()

    settings = {"inside": DoublingSettings(20, 40, 60)}
    found = evaluate(agent(folder, **settings), ("inside",), watch=watch, stop=stop)
    assert found["parts"] == {"inside": False}
    assert (folder / "inside").is_dir()
    assert "stopped" in evaluation_section(folder, 1_000)
    whole = evaluate(agent(folder, **settings), ("inside",))
    assert whole["complete"]
    assert [rung["boards"] for rung in whole["inside"]["rungs"]] == [20, 40]
    assert not (folder / "inside").exists()


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


def agent(folder: Path, **settings: Any) -> TrainedAgent:
    return TrainedAgent(TrainingRun.open(folder), AgentSettings(**settings))


def test_a_stop_keeps_what_was_done(folder) -> None:
    stop = Stop()

    def watch(now: Progress) -> None:
        assert now.total is None or 0 <= now.done <= now.total
        if now.detail == "against tight (2 of 9)":
            stop.request()

    quick = agent(folder, hands=10_000, lbr_hands=20, behaviour_hands=100)
    found = evaluate(quick, ("behaviour", "styles"), watch=watch, stop=stop)
    assert not found["complete"]
    assert found["parts"] == {"styles": False}  # in the order of parts
    assert [row["opponent"] for row in found["styles"]] == ["aggressive", "tight"]
    assert [row["complete"] for row in found["styles"]] == [True, False]
    assert read_evaluations(folder) == [found]
    whole = evaluate(agent(folder, hands=20), ("styles",))
    assert whole["complete"]
    save(folder, found)  # half of a part does not replace the whole
    assert read_evaluations(folder)[0]["styles"] == whole["styles"]
    assert "aggressive" in evaluation_section(folder, 1_000)
    assert "gone on since" in evaluation_section(folder, 2_000)


def test_a_part_is_kept_when_it_is_done(folder) -> None:
    """An exception ends the part after it, as a kill might."""

    def watch(now: Progress) -> None:
        if now.stage.startswith("lbr"):
            assert now.stage == "lbr (2 of 3)"
            assert read_evaluations(folder)[0]["parts"] == {"earlier": True}
            raise MemoryError

    with pytest.raises(MemoryError):
        evaluate(agent(folder, hands=20, lbr_hands=20), ("earlier", "lbr", "behaviour"), watch=watch)
    assert read_evaluations(folder)[0]["earlier"][0]["complete"]


def test_a_stopped_comparison_has_whole_rows_alone(folder) -> None:
    stop = Stop()

    def watch(now: Progress) -> None:
        if now.detail == "post-processing threshold(0.15) (3 of 4) against random (2 of 4)":
            stop.request()

    found = evaluate(agent(folder, hands=4_000, lbr_hands=20), ("posts",), watch=watch, stop=stop)
    assert [row["post"] for row in found["posts"]] == ["none", "purify"]
    assert all(len(row["matches"]) == 4 and "lbr" in row for row in found["posts"])
    assert not found["complete"]


@pytest.fixture
def heard():
    """Ctrl-C is heard, also where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(("number", "wanted"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_saves_and_says_so(solvent, folder, monkeypatch, number, wanted) -> None:
    measure = TrainedAgent.measure

    def signalled(self, part, *given):
        if part == "behaviour":
            os.kill(os.getpid(), number)
        return measure(self, part, *given)

    monkeypatch.setattr(TrainedAgent, "measure", signalled)
    code, out, _ = solvent("evaluate", folder, *QUICK, "--parts", "earlier,behaviour")
    assert code == wanted
    assert "stopped before all was measured" in out
    found = read_evaluations(folder)[0]
    assert found["parts"] == {"earlier": True, "behaviour": False}
    assert "<h2>Evaluation</h2>" in (folder / "report.html").read_text()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"evaluations": 3}', '{"evaluations": [1]}', "[" * 5_000])
def test_a_damaged_file_is_refused_before_anything_is_measured(solvent, folder, text) -> None:
    (folder / "evaluation.json").write_text(text)
    code, out, err = solvent("evaluate", folder, *QUICK)
    assert (code, out) == (2, "")
    assert "evaluation.json is damaged" in err
    assert err.count("\n") <= 2
    assert (folder / "evaluation.json").read_text() == text
    assert "is damaged" in evaluation_section(folder, 1)


def test_a_folder_that_cannot_be_written_is_refused_first(folder, monkeypatch) -> None:
    def refuse(**given):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(evaluation.tempfile, "TemporaryFile", refuse)
    with pytest.raises(InputError, match=r"cannot write in .*: Permission denied"):
        evaluate(agent(folder, hands=20))


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
        (("--parts", "luck"), "the parts of an evaluation of"),
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


def test_an_abstraction_of_continuous_leduc_is_measured_in_the_continuous_game(solvent, tmp_path) -> None:
    solve("continuous_leduc", iterations=200, out=tmp_path / "run", threads=1)
    code, out, _ = solvent("evaluate", tmp_path / "run", "--json")
    found = json.loads(out)
    assert code == 0
    seen, unseen = found["continuous"]["informed"], found["continuous"]["uninformed"]
    for within, true, upper in zip(found["best_response"], unseen, seen, strict=True):
        assert within < true <= upper + 1e-9
    assert 0 <= found["continuous"]["gap"] <= 1e-6
    assert "best response, any bet size" in solvent("evaluate", tmp_path / "run")[1]


def test_a_run_that_grew_is_measured_among_its_own_bets_and_in_the_continuous_game(solvent, tmp_path) -> None:
    grown = solve("continuous_leduc", grow="recovery", iterations=40, out=tmp_path / "grown")
    assert len(grown.additions) > 0
    code, out, err = solvent("evaluate", tmp_path / "grown", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["exploitability"] == pytest.approx(grown.exploitability, abs=1e-12)
    assert exploitability("continuous_leduc", grown.strategy) == pytest.approx(
        grown.exploitability, abs=1e-12
    )
    for within, true in zip(found["best_response"], found["continuous"]["uninformed"], strict=True):
        assert within <= true + 1e-6
    other = solve("continuous_leduc", grow="transfer", iterations=40, out=tmp_path / "other")
    assert other.additions != grown.additions
    code, _, err = solvent("compare", tmp_path / "grown", tmp_path / "other")
    assert code == 2
    assert "with other actions" in err


def test_a_small_game_is_measured_exactly(solvent, tmp_path) -> None:
    solve("leduc", iterations=200, out=tmp_path / "leduc", threads=1)
    code, out, _ = solvent("evaluate", tmp_path / "leduc", "--json")
    found = json.loads(out)
    assert code == 0
    for local in found["local_best_response"].values():
        assert all(mine <= best for mine, best in zip(local, found["best_response"], strict=True))
    assert found["complete"]
    assert read_evaluations(tmp_path / "leduc") == [found]
    assert "local best response, all bets" in solvent("evaluate", tmp_path / "leduc")[1]
    code, out, _ = solvent("evaluate", tmp_path / "leduc", "--parts", "best_response", "--json")
    assert "local_best_response" not in json.loads(out)
    assert "local_best_response" in read_evaluations(tmp_path / "leduc")[0]  # kept from before
    code, _, err = solvent("evaluate", tmp_path / "leduc", "--parts", "styles")
    assert code == 2
    assert "are best_response, local_best_response, not styles" in err
    solve("bluff(dice=1,faces=2)", iterations=10, out=tmp_path / "bluff", threads=1)
    code, out, _ = solvent("evaluate", tmp_path / "bluff")
    assert code == 0
    assert "games in which one folds, checks, calls and bets" in " ".join(out.split())


def test_results_that_are_damaged_do_not_stop_the_report(folder) -> None:
    save(folder, {"iterations": 1, "post": "none", "parts": {"styles": True}, "styles": [{}]})
    assert "evaluate again" in evaluation_section(folder, 1)


def test_every_changed_bit_is_refused_or_changes_nothing(folder) -> None:
    parts = {"styles": True, "lbr": True}
    save(
        folder,
        {"iterations": 1, "post": "none", "parts": parts, "styles": [{"mbb_per_hand": 12.25}], "lbr": []},
    )
    path = folder / "evaluation.json"
    intact, found = path.read_bytes(), read_evaluations(folder)
    refused = 0
    for place in range(8 * len(intact)):
        changed = bytearray(intact)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            assert read_evaluations(folder) == found
        except InputError as error:
            assert "is damaged" in str(error)
            refused += 1
    assert refused > 6 * len(intact)
