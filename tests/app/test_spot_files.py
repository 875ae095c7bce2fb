"""Spots from files: our TOML, TexasSolver's commands, and files of locks."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands_run import refused, solved, solvent

from solvent.games.holdem.spot import Spot
from solvent.spots.files import TEMPLATE, read_commands, read_spot_file, read_spot_toml, spot_parameters

SPOT = """
board = "Td9d6hQc2s"
oop = "AA,KQs,76s"
ip = "JJ,T9s,A5s"
pot = 200
stack = 900
locks = ["check: JJ = check:1"]
[sizes]
bets = "50%,a"
oop-raises = "a"
cap = 3
[solve]
iterations = 20
threads = 1
"""

TEXAS = """\
set_pot 50
set_effective_stack 200
set_board Qs,Jh,2h,3c,4d
set_range_ip AA,KK,QQ,JJ,TT,99:0.75,88:0.75,77:0.5,AK,AQs,AQo:0.75
set_range_oop QQ:0.5,JJ:0.75,TT,99,88,77,AKo:0.25,AQs,AQo:0.75,KTs
set_bet_sizes oop,flop,bet,50
set_bet_sizes oop,river,bet,50
set_bet_sizes oop,river,donk,50
set_bet_sizes oop,river,raise,60,100
set_bet_sizes oop,river,allin
set_bet_sizes ip,river,bet,50
set_bet_sizes ip,river,raise,60,100
set_bet_sizes ip,river,allin
set_allin_threshold 0.67
build_tree
set_thread_num 8
set_accuracy 0.5
set_max_iteration 200
set_print_interval 10
set_use_isomorphism 1
start_solve
set_dump_rounds 2
dump_result output_result.json
"""
"""The console's sample input, with other cards and fewer sizes."""


def test_a_toml_file_is_the_same_spot_as_options(tmp_path: Path) -> None:
    file = tmp_path / "spot.toml"
    file.write_text(SPOT)
    from_file = solved("spot", file)
    spelled = ("--board", "Td9d6hQc2s", "--oop", "AA,KQs,76s", "--ip", "JJ,T9s,A5s", "--pot", "200")
    sizes = ("--stack", "900", "--bets", "50%,a", "--oop-raises", "a", "--cap", "3")
    options = ("--lock", "check: JJ = check:1", "--iterations", "20", "--threads", "1")
    spoken = solved("spot", *spelled, *sizes, *options)
    for key in ("exploitability", "ev", "locks", "iterations", "decision_nodes"):
        assert from_file[key] == spoken[key]
    over = solved("spot", file, "--pot", "300", "--until", "50%", "--every", "1")
    assert (over["pot"], over["stopped_by"]) == (300, "until")


def test_an_option_replaces_the_same_setting_of_a_file_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "spot.toml"
    file.write_text(SPOT.replace("iterations = 20", 'until = "1%"'))
    for options, stopped_by in {("--time", "1h"): "until", ("--iterations", "1"): "iterations"}.items():
        document = solved("spot", file, *options)
        assert document["stopped_by"] == stopped_by
    assert 0.01 < solved("spot", file, "--iterations", "10000")["exploitability_percent"] <= 1
    assert solved("spot", file, "--until", "0.01%")["exploitability_percent"] <= 0.01


def test_init_writes_a_spot_that_can_be_solved(tmp_path: Path) -> None:
    file = tmp_path / "new.toml"
    done = solvent("spot", "init", file)
    assert done.returncode == 0
    assert file.read_text() == TEMPLATE
    request = read_spot_file(file)
    spot = Spot(**request.spot)
    assert (len(spot.root_board), spot.pot, request.options) == (3, 200, {"until": "0.3%"})
    again = Spot(**spot_parameters(spot))
    assert str(again) == str(spot)
    assert "exists; choose another name" in refused("spot", "init", file)
    assert "cannot" in refused("spot", "init", tmp_path / "no" / "such" / "folder.toml")


def test_every_setting_of_the_template_is_one() -> None:
    """Comments taken away, all that the template mentions is read."""
    lines = []
    for line in TEMPLATE.splitlines():
        bare = line.removeprefix("# ")
        setting = bare.split(" = ")[0]
        lines.append(bare if setting.replace("-", "").isalpha() and " = " in bare else line)
    request = read_spot_toml("\n".join(lines), "the template")
    assert {"rake", "rake_cap", "least_bet", "oop_river_donk", "merging", "add"} <= request.spot.keys()
    assert {"time", "iterations", "dtype", "threads", "memory"} <= request.options.keys()
    assert len(request.locks) == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("pot = 200\n", ""), "give --pot"),
        (("pot =", "pott ="), "has 'pott', which a spot does not; did you mean pot?"),
        (("bets =", "bet ="), "of [sizes], which a spot does not; did you mean bets?"),
        (("iterations =", "iteration ="), "did you mean iterations?"),
        (("board =", "board"), "is not TOML"),
        (('board = "Td9d6hQc2s"', "board = 5"), "board of"),
        (('["check: JJ = check:1"]', "5"), "are a list of texts"),
        (("pot = 200", 'pot = "200"'), "the pot of a spot is a whole number"),
        (("[sizes]", "[[sizes]]"), "is a table"),
        (('"50%,a"', "7"), "bets is text"),
        (("iterations = 20", 'iterations = "many"'), "iterations"),
    ],
)
def test_refusals_of_toml(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    file = tmp_path / "spot.toml"
    file.write_text(SPOT.replace(*change))
    assert sentence in refused("spot", file)


def test_files_that_are_no_spots(tmp_path: Path) -> None:
    assert "there is no file" in refused("spot", tmp_path / "none.toml")
    assert "cannot read" in refused("spot", tmp_path)
    binary = tmp_path / "spot.bin"
    binary.write_bytes(bytes(range(256)))
    assert "it is no text" in refused("spot", binary)
    assert "a spot needs board, oop, ip, pot and stack; give --oop" in refused("spot", "--board", "Td9d6h")


def test_a_texas_solver_file_runs(tmp_path: Path) -> None:
    file = tmp_path / "commands.txt"
    file.write_text(TEXAS)
    done = solvent("spot", file)
    assert done.returncode == 0, done.stderr
    assert "dump_result output_result.json is left out" in done.stderr
    document = solved("spot", file)
    assert (document["pot"], document["stack"], document["board"]) == (50, 200, "QsJh2h3c4d")
    assert document["stopped_by"] == "until"
    assert document["exploitability_percent"] <= 0.5
    assert list(document["root_actions"]) == ["check", "bet 25", "bet 200"]


def test_texas_sizes_mean_what_they_mean_there() -> None:
    request = read_commands(TEXAS, "sample")
    spot = Spot(**request.spot)
    facing = spot.betting.children[1]  # bet 25 into 50
    # Raises are to 25 + 60 % and 100 % of the pot of 100. All-in is forced above 0.67 x 225 - 25 = 125.75 chips.
    assert facing.actions == ("fold", "call", "raise 85", "raise 125", "raise 200")
    assert facing.children[2].actions == ("fold", "call", "raise 200")
    assert request.options["until"] == "0.5%"
    assert (request.options["iterations"], request.options["every"]) == (200, 10)
    tighter = read_commands(TEXAS.replace("0.67", "0.6"), "sample")
    assert Spot(**tighter.spot).betting.children[1].actions == ("fold", "call", "raise 85", "raise 200")
    turn = read_commands(TEXAS.replace(",4d", "").replace("oop,river,donk", "oop,turn,bet"), "sample")
    river = Spot(**turn.spot).betting.children[1].children[1].children[0]  # bet 25, call, a card
    assert river.actions == ("check", "bet 50", "bet 175")
    called = (
        Spot(**(turn.spot | {"ip_turn_bets": "50%"})).betting.children[0].children[1].children[1].children[0]
    )
    assert called.actions == ("check", "bet 175"), "a street without donk sizes has all-in alone"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            ("build_tree", "build_three"),
            "line 15: there is no command 'build_three'; did you mean build_tree?",
        ),
        (("start_solve", "fly"), "line 21: there is no command 'fly'; there are set_pot"),
        (("set_pot 50", "set_pot"), "line 1: a number of at least 0 stands here, not ''"),
        (("set_pot 50", "set_pot 7.5"), "line 1: chips are whole numbers"),
        (("oop,flop,bet,50", "oop,preflop,bet,50"), "line 6: bet sizes are a player"),
        (("oop,flop,bet,50", "oop"), "line 6: bet sizes are a player"),
        (("oop,flop,bet,50", "oop,flop,bet,big"), "line 6: a number"),
        (("200\nset_print", "2.5\nset_print"), "line 18: a whole number"),
        (("set_board Qs,Jh,2h,3c,4d\n", ""), "give --board"),
        (("Qs,Jh,2h", "Qs,Jx,2h"), "commands.txt, line 3: "),
        (("AKo:0.25", "AKq"), "commands.txt, line 5: 'AKq' names no hands"),
    ],
)
def test_refusals_of_commands_name_the_line(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    file = tmp_path / "commands.txt"
    file.write_text(TEXAS.replace(*change))
    assert sentence in refused("spot", file)


def test_settings_of_earlier_streets_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "spot.toml"
    file.write_text(
        SPOT.replace("pot = 200", "pot = 200\nrake-cap = 30").replace(
            '"a"\ncap', '"a"\nflop-bets = "75%"\ncap'
        )
    )
    assert solved("spot", file)["iterations"] == 20
    assert "flop-raises changes nothing" in refused("spot", file, "--flop-raises", "a")


def test_ranges_stand_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spot.toml").write_text(SPOT)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "read.toml").write_text(SPOT.replace("AA,KQs,76s", "@mine.txt"))
    for name in ("mine.txt", "folder/mine.txt"):
        (tmp_path / name).write_text("# bets\nAA, KQs,\n76s\n")
    plain = solved("spot", "spot.toml")
    assert solved("spot", "spot.toml", "--oop", "@mine.txt")["ev"] == plain["ev"]
    assert solved("spot", "folder/read.toml")["ev"] == plain["ev"]
    told = "'mine.txt' is no range but a file; write @mine.txt to read it"
    assert told in refused("spot", "spot.toml", "--oop", "mine.txt")
    assert "there is no file none.txt" in refused("spot", "spot.toml", "--oop", "@none.txt")
    (tmp_path / "both.txt").write_text("# OOP\nAA\n# IP\nKK\n")
    assert "ranges of both players" in refused("spot", "spot.toml", "--oop", "@both.txt")
    (tmp_path / "bad.txt").write_text("AA,1\n")
    assert "bad.txt is no range: '1' names no hands" in refused("spot", "spot.toml", "--ip", "@bad.txt")


def test_a_file_of_locks(tmp_path: Path) -> None:
    spot, locks = tmp_path / "spot.toml", tmp_path / "locks.txt"
    spot.write_text(SPOT)
    locks.write_text("# comments and empty lines are nothing\n\nx, b100, a: JJ = c:1\n: AA = check:1\n")
    document = solved("spot", spot, "--lock-file", locks, "--lock", ": random = bet 100:1")
    assert document["locks"] == [
        "check: JJ = check:1",
        "x, b100, a: JJ = c:1",
        ": AA = check:1",
        ": random = bet 100:1",
    ]
    assert document["root_actions"]["bet 100"] == pytest.approx(1), "a later lock of the same hands holds"
    assert "there is no file" in refused("spot", spot, "--lock-file", tmp_path / "none")
