"""Runs of spots: kept, killed, resumed, damaged, listed, and started from another run."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from commands_run import begin, copy, newest_checkpoint, refused, solved, solvent, wait_for_checkpoint

from solvent.foundation.storage.run import Run
from solvent.spots.nodes.solution import open_spot

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
CHIPS = ("--pot", "200", "--stack", "900", "--bets", "50%,a", "--raises", "100%,a", "--threads", "1")
RIVER = ("spot", "--board", "Td9d6hQc2s", "--oop", OOP, "--ip", IP, *CHIPS)
ENDLESS = ("--iterations", "100000000", "--checkpoint-every", "0.02s")


@pytest.fixture(scope="module")
def river(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run. Tests copy it before they change anything."""
    folder = tmp_path_factory.mktemp("runs") / "river"
    solved(*RIVER, "--iterations", "100", "--out", folder)
    return folder


def tables(run: Path) -> dict[str, np.ndarray]:
    """The tables of a run where there are hands; what stands in empty slots is nobody's."""
    game, found = open_spot(run).solver.game, Run.open(run).load_checkpoint()[0]
    tree, held = game.tree, np.zeros(game.cells, dtype=bool)
    for edge, node in enumerate(tree.edge_node.tolist()):
        street, slots = int(tree.street[node]), int(game.edge_slots[edge])
        by_board = held[game.street_at[street] : game.street_at[street + 1]].reshape(
            -1, game.board_cells[street]
        )
        hands = game.streets[street].sides[int(tree.player[node])].hand
        by_board[:, game.edge_at[edge] : game.edge_at[edge] + slots] = hands[:, :slots] >= 0
    return {name: table[held] if table.size == held.size else table for name, table in found.items()}


def check_same_run(one: Path, other: Path) -> None:
    first, second = tables(one), tables(other)
    assert first.keys() == second.keys() >= {"regret", "average"}
    for name in first:
        assert first[name].any()
        assert np.array_equal(first[name], second[name]), name
    rows = [
        [(row["iterations"], row["exploitability"]) for row in Run.open(run).metrics()]
        for run in (one, other)
    ]
    assert rows[0] == rows[1]


def check_killed_and_resumed(tmp_path: Path, moments: int) -> None:
    """Kill a run `moments` times, each time a little later in its work, and compare it with one in one piece."""
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for moment in range(moments):
        begun = Run.is_run(killed)
        before = Run.open(killed).checkpoints()[-1] if begun else 0
        process = begin(*(("spot", "--resume", killed) if begun else (*RIVER, "--out", killed)), *ENDLESS)
        wait_for_checkpoint(killed, process, before + 1 if moment else 0)
        time.sleep(0.013 * moment)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    limit = ("--iterations", str(Run.open(killed).checkpoints()[-1] + 500))
    resumed = solved("spot", "--resume", killed, *limit)
    uninterrupted = solved(*RIVER, *limit, "--out", whole)
    for key in ("exploitability", "ev", "gains", "root_actions", "iterations"):
        assert resumed[key] == uninterrupted[key], key
    check_same_run(killed, whole)


def test_killed_and_resumed_equals_uninterrupted_bit_for_bit(tmp_path: Path) -> None:
    check_killed_and_resumed(tmp_path, 2)


@pytest.mark.slow
def test_killed_at_ten_moments(tmp_path: Path) -> None:
    check_killed_and_resumed(tmp_path, 10)


@pytest.mark.parametrize("dtype", ["float32", pytest.param("int16", marks=pytest.mark.slow)])
def test_a_run_in_two_parts_is_the_run_in_one(tmp_path: Path, dtype: str) -> None:
    turn = ("spot", "--board", "Td9d6hQc", "--oop", "AA,KQs,76s", "--ip", "JJ,T9s,A5s", *CHIPS)
    turn = (*turn, "--rake", "5%", "--dtype", dtype, "--lock", "check: JJ = check:1")
    parts, whole = tmp_path / "parts", tmp_path / "whole"
    solved(*turn, "--iterations", "33", "--out", parts)
    resumed = solved("spot", "--resume", parts, "--iterations", "70")
    assert resumed["locks"] == ["check: JJ = check:1"]
    assert resumed["ev"] == solved(*turn, "--iterations", "70", "--out", whole)["ev"]
    check_same_run(parts, whole)


def test_a_resumed_run_goes_on_to_its_own_target_or_a_new_one(river: Path, tmp_path: Path) -> None:
    run = copy(river, tmp_path / "run")
    again = solved("spot", "--resume", run)
    assert (again["iterations"], again["stopped_by"]) == (100, "iterations")
    further = solved("spot", "--resume", run, "--until", "0.1%")
    assert (further["stopped_by"], further["iterations"] > 100) == ("until", True)
    assert solved("spot", "--resume", run)["iterations"] == further["iterations"]
    assert json.loads((run / "result.json").read_text())["exploitability"] == further["exploitability"]


def test_ctrl_c_keeps_what_there_is(tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = begin(*RIVER, *ENDLESS, "--out", run, "--json")
    wait_for_checkpoint(run, process, 1)
    assert "in use by another process" in refused("spot", "--resume", run, "--iterations", "10")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    document = json.loads(output)
    assert document["stopped_by"] == "interrupt"
    assert Run.open(run).checkpoints()[-1] == document["iterations"]


def test_damaged_and_foreign_checkpoints_are_refused(river: Path, tmp_path: Path) -> None:
    damaged = copy(river, tmp_path / "damaged")
    table = newest_checkpoint(damaged) / "regret.npy"
    written = bytearray(table.read_bytes())
    written[-5] ^= 1
    table.write_bytes(written)
    assert "is damaged" in refused("spot", "--resume", damaged)
    cut = copy(river, tmp_path / "cut")
    (newest_checkpoint(cut) / "average.npy").write_bytes(b"")
    assert "is damaged" in refused("spot", "--resume", cut)
    other, foreign = tmp_path / "other", copy(river, tmp_path / "foreign")
    solved(*RIVER, "--iterations", "100", "--least-bet", "2", "--out", other)
    shutil.rmtree(newest_checkpoint(foreign))
    shutil.copytree(newest_checkpoint(other), foreign / "checkpoints" / newest_checkpoint(other).name)
    assert "is not a checkpoint of this run" in refused("spot", "--resume", foreign)
    changed = copy(river, tmp_path / "changed")
    text = (changed / "run.toml").read_text()
    (changed / "run.toml").write_text(text.replace("pot=200", "pot=300"))
    assert "has been changed since it was written" in refused("spot", "--resume", changed)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--dtype", "int16"), "began with dtype float32; it cannot go on with int16"),
        (("--rule", "cfr+"), "began with rule dcfr(1.5,0,3)"),
        (("--pot", "300"), "a resumed run has its own spot; leave out --pot"),
        (("--bets", "a"), "leave out --bets"),
        (("--lock", "check: random = check:1"), "leave out --lock"),
        (("--out", "elsewhere"), "leave out --out"),
    ],
)
def test_what_a_run_has_fixed(river: Path, arguments: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused("spot", "--resume", river, *arguments)


def test_folders_that_are_no_spots(river: Path, tmp_path: Path) -> None:
    game = tmp_path / "game"
    Run.create(game, "solve", {"game": "kuhn"})
    assert "holds a solve, not a spot" in refused("spot", "--resume", game)
    assert "holds a spot, not a solve" in refused("solve", "--resume", river)
    assert "there is no folder" in refused("spot", "--resume", tmp_path / "nowhere")
    assert "already holds a run" in refused(*RIVER, "--out", river)


def test_runs_lists_spots(river: Path) -> None:
    (row,) = solved("runs", river)["runs"]
    assert (row["kind"], row["iterations"], row["damage"]) == ("spot", 100, None)
    assert row["game"] == "spot Td9d6hQc2s, pot 200, stack 900"
    assert row["exploitability"] > 0
    shown = solvent("runs", river).stdout
    assert "100 iterations" in shown


def test_spots_are_plotted_and_packed(river: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture, run = tmp_path / "curve.svg", copy(river, tmp_path / "run")
    assert solvent("plot", run, "--out", picture).returncode == 0
    drawn = picture.read_text()
    assert "spot(board=Td9d6hQc2s,pot=200" in drawn
    assert "A8s" not in drawn
    packed = tmp_path / "run.solvent"
    assert solvent("pack", run, "--out", packed).returncode == 0
    assert solvent("unpack", packed, "--out", tmp_path / "again").returncode == 0
    assert solved("spot", "--resume", tmp_path / "again")["iterations"] == 100


def test_a_run_is_opened_as_a_solution(river: Path) -> None:
    solution = open_spot(river)
    result = json.loads((river / "result.json").read_text())
    assert solution.solver.iterations == 100
    assert solution.root.frequencies == pytest.approx(result["root_actions"], abs=1e-12)
    assert solution.root.summary()["ev"] == pytest.approx(result["ev"], abs=1e-4)


# Starting from another run


def test_a_lock_is_solved_from_what_is_there(river: Path, tmp_path: Path) -> None:
    lock, out = "check, bet 100: 66-88 = fold:1", tmp_path / "locked"
    cold = solved(*RIVER, "--lock", lock)
    warm = solved("spot", "--from", river, "--lock", lock, "--until", "0.3%", "--threads", "1", "--out", out)
    assert warm["locks"] == [lock]
    assert warm["iterations"] < cold["iterations"] / 2
    assert warm["ev"] == pytest.approx(cold["ev"], abs=cold["exploitability"] + warm["exploitability"])
    node = open_spot(out).at("check, bet 100")
    locked = [hand[0] == hand[2] and hand[0] in "678" for hand in node.hands[0]]
    assert any(locked)
    assert node.strategy[0, locked] == pytest.approx(1)
    inherited = solved("spot", "--from", out, "--threads", "1")
    assert (inherited["stopped_by"], inherited["exploitability_percent"] <= 0.3) == ("until", True)
    loose = solved("spot", "--from", out, "--until", "50%", "--out", tmp_path / "loose")
    assert solved("spot", "--from", tmp_path / "loose")["iterations"] == loose["iterations"]
    twice = solved("spot", "--from", out, "--lock", "check: 55 = check:1", "--iterations", "5")
    assert twice["locks"] == [lock, "check: 55 = check:1"]
    resumed = solved("spot", "--resume", out, "--iterations", str(warm["iterations"] + 30))
    whole = solved(
        *("spot", "--from", river, "--lock", lock, "--threads", "1", "--out", tmp_path / "whole"),
        *("--iterations", str(warm["iterations"] + 30), "--every", "10"),
    )
    assert resumed["ev"] == whole["ev"]


def test_lines_are_added_and_removed_from_what_is_there(river: Path) -> None:
    start_of = ("spot", "--from", river)
    same = solved(*start_of, "--iterations", "0")
    assert same["exploitability"] == pytest.approx(Run.open(river).metrics()[-1]["exploitability"], rel=1e-3)
    for change in (("--add", "bet 50"), ("--remove", "bet 900"), ("--bets", "50%,75%,a")):
        warm = solved(*start_of, *change, "--until", "0.3%")
        cold = solved(*RIVER, *change, "--until", "0.3%")
        assert list(warm["root_actions"]) == list(cold["root_actions"])
        assert warm["ev"] == pytest.approx(cold["ev"], abs=cold["exploitability"] + warm["exploitability"])
        assert warm["iterations"] <= cold["iterations"]


def test_what_cannot_be_started_from(river: Path) -> None:
    for change in (("--board", "Td9d6hQc"), ("--oop", "AA,KK")):
        assert "the same board" in refused("spot", "--from", river, *change)
        assert "decision nodes" not in solvent("spot", "--from", river, *change).stderr
    assert "solve it without --from" in refused("spot", "--from", river, "--memory", "100K")
    assert "start with --dtype float32" in refused("spot", "--from", river, "--dtype", "float64")
