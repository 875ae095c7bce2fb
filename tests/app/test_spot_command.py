"""The `spot` command as a user meets it: known values, limits, costs, sizes and refusals."""

from __future__ import annotations

import json
import os
import signal
from types import SimpleNamespace
from typing import cast

import pytest
from commands_run import refused, solved, solvent

from solvent.engines.holdem.solver import HoldemSolver
from solvent.foundation.progress import Progress
from solvent.solving.session import Limits
from solvent.spots.run import SpotResult, solve_spot
from solvent.spots.settings import SpotSettings
from solvent.spots.work import SpotWork

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
RANGES = ("--oop", OOP, "--ip", IP)
CHIPS = ("--pot", "200", "--stack", "900")
SIZES = ("--bets", "50%,a", "--raises", "100%,a")
RIVER = ("spot", "--board", "Td9d6hQc2s", *RANGES, *CHIPS, *SIZES, "--threads", "1")
FEW = ("--oop", "AA,KQs,76s", "--ip", "JJ,T9s,A5s")
TURN = ("spot", "--board", "Td9d6hQc", *FEW, *CHIPS, *SIZES, "--threads", "1")

FIELDS = {
    "exploitability_percent",
    "gains",
    "ev",
    "equity",
    "decision_nodes",
    "hands",
    "iterations",
    "seconds_per_iteration",
    "build_seconds",
    "table_bytes",
    "peak_memory_bytes",
    "root_actions",
}


def test_uniform_play_of_a_known_river() -> None:
    document = solved(*RIVER, "--iterations", "0")
    assert document.keys() >= FIELDS
    assert document["exploitability_percent"] == pytest.approx(78.1257, abs=5e-5)
    assert document["equity"] == pytest.approx([0.5162, 0.4838], abs=5e-5)
    assert (document["decision_nodes"], document["hands"]) == ([12], [167, 246])
    assert document["root_actions"] == pytest.approx({"check": 1 / 3, "bet 100": 1 / 3, "bet 900": 1 / 3})
    assert sum(document["gains"]) / 2 == pytest.approx(document["exploitability"])
    assert (document["iterations"], document["stopped_by"]) == (0, "iterations")


def test_a_known_river_solved() -> None:
    document = solved(*RIVER, "--iterations", "1000")
    assert document["ev"][0] == pytest.approx(91.575, abs=2e-3)
    assert sum(document["ev"]) == pytest.approx(200, abs=1e-3)
    assert document["exploitability_percent"] < 0.02
    assert sum(document["root_actions"].values()) == pytest.approx(1)
    assert document["root_actions"]["bet 900"] < 0.01
    assert document["compile_seconds"] > 0


def test_solving_stops_at_a_part_of_the_pot_or_at_chips() -> None:
    plain = solved(*RIVER)
    assert (plain["stopped_by"], plain["iterations"] % 10) == ("until", 0)
    assert 0 < plain["exploitability_percent"] <= 0.3
    chips = solved(*RIVER, "--until", "2", "--every", "7")
    assert (chips["stopped_by"], chips["iterations"] % 7) == ("until", 0)
    assert 0.6 < chips["exploitability"] <= 2
    assert chips["iterations"] <= plain["iterations"]
    assert solved(*RIVER, "--until", "0", "--iterations", "20")["stopped_by"] == "iterations"
    assert solved(*RIVER, "--time", "0.05s")["stopped_by"] == "time"


def test_a_turn_with_rake_and_sizes_of_one_street_and_player() -> None:
    rake = ("--rake", "5%", "--rake-cap", "30")
    document = solved(*TURN, *rake, "--oop-river-donk", "", "--turn-cap", "1", "--iterations", "50")
    assert document["streets"] == ["turn", "river"]
    assert (len(document["decision_nodes"]), document["boards"]) == (2, [1, 48])
    assert 170 <= sum(document["ev"]) <= 190 + 1e-3
    assert document["exploitability_percent"] < 5
    assert document["sizes"]["oop_river_donk"] == ""
    fewer = solved(*TURN, "--iterations", "0", "--remove", "bet 900", "--remove", "check, bet 900")
    assert list(fewer["root_actions"]) == ["check", "bet 100"]
    more = solved(*TURN, "--iterations", "0", "--add", "bet 50")
    assert list(more["root_actions"]) == ["check", "bet 50", "bet 100", "bet 900"]


def test_isomorphism_joins_boards_and_changes_no_value() -> None:
    board = ("spot", "--board", "TdTh6d6h", *FEW, *CHIPS, "--bets", "a")
    on, off = (solved(*board, "--iterations", "0", "--isomorphism", how) for how in ("on", "off"))
    assert on["boards"][1] < off["boards"][1] == 48
    assert (on["isomorphism"], off["isomorphism"]) == (True, False)
    for key in ("ev", "gains", "equity"):
        assert on[key] == pytest.approx(off[key], rel=1e-5)
    on, off = (solved(*board, "--until", "0.1%", "--isomorphism", how) for how in ("on", "off"))
    assert on["ev"][0] == pytest.approx(off["ev"][0], abs=2 * (on["exploitability"] + off["exploitability"]))


def test_people_see_the_cost_first_and_then_tables() -> None:
    done = solvent(*RIVER, "--iterations", "10")
    assert done.returncode == 0
    assert "12 on 1 board (river); hands 167 (OOP) and 246 (IP): 52.0 KiB for the tables" in done.stderr
    for text in ("exploitability", "equity", "51.62 %", "bet 100", "% of the pot"):
        assert text in done.stdout


def changed(arguments: tuple[str, ...], **options: str) -> tuple[str, ...]:
    """A command with some options replaced."""
    given = list(arguments)
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if flag in given:
            given[given.index(flag) + 1] = value
        else:
            given += [flag, value]
    return tuple(given)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"board": "TdTd6h"}, "Td"),
        ({"board": "Td9d"}, "3, 4 or 5 cards"),
        ({"board": "Td9d6x"}, "6x"),
        ({"oop": ""}, "the range of OOP is empty"),
        ({"ip": "AA:0"}, "the range of IP is empty"),
        ({"oop": "Td9d"}, "blocks every hand in the range of OOP"),
        ({"oop": "AsAh", "ip": "AsAh"}, "can hold no hands at once"),
        ({"oop": "nonsense"}, "nonsense"),
        ({"pot": "0"}, "the pot of a spot is a whole number of chips, at least 1, not 0"),
        ({"stack": "-5"}, "the stack of a spot"),
        ({"pot": "many"}, "--pot"),
        ({"bets": "", "raises": ""}, "leave no action"),
        ({"bets": "half"}, "half"),
        ({"bets": "2.5x"}, "a first bet faces none, so sizes of bets and donk cannot use x, as 2.5x does"),
        (
            {"pot": "5.5"},
            "--pot is a whole number of chips, not '5.5'; multiply every amount by 10, this one to 55",
        ),
        ({"stack": "97.25"}, "multiply every amount by 100, this one to 9,725"),
        ({"rake_cap": "few"}, "--rake-cap is a number of chips, not 'few'"),
        ({"rake_cap": "30"}, "rake-cap changes nothing without rake"),
        ({"flop_bets": "50%"}, "flop-bets changes nothing: the spot begins on the river"),
        ({"oop_turn_raises": "50%"}, "oop-turn-raises changes nothing: the spot begins on the river"),
        (
            {"oop_river_donk": "50%"},
            "oop-river-donk changes nothing: a donk bet follows a bet on an earlier street",
        ),
        ({"add": "x, b100, a, a"}, "cannot be changed: all-in is no bet or raise there"),
        ({"add": "x, x, a"}, "cannot be changed: nobody acts after its other actions"),
        ({"cap": "x"}, "cap"),
        ({"merging": "-1"}, "merging"),
        ({"add": "check, jump"}, "jump"),
        ({"remove": "bet 123"}, "bet 123"),
        ({"rake": "200%"}, "rake"),
        ({"rake": "5%", "rake_cap": "-1"}, "cap"),
        ({"threads": "0"}, "threads must be a whole number, at least 1"),
        ({"iterations": "-1"}, "iterations must be a whole number, at least 0"),
        ({"until": "-1%"}, "until"),
        ({"until": "soon"}, "0.3% or 0.6"),
        ({"every": "0"}, "at least 1"),
        ({"rule": "sgd"}, "no rule"),
        ({"rule": "pcfr+"}, "predicts regrets"),
        ({"rule": "lp"}, "regret rule"),
        ({"rule": "dcfr(1.5,0,20)", "iterations": "1000"}, "outgrow float32"),
        ({"dtype": "float16"}, "no dtype"),
        ({"isomorphism": "maybe"}, "no isomorphism"),
        ({"memory": "lots"}, "like 8G"),
        ({"memory": "10K"}, "takes 63.4 KiB with float32 tables; the memory limit is 10.0 KiB"),
        ({"memory": "50K"}, "--dtype int16 takes"),
        ({"nonsense": "1"}, "nonsense"),
    ],
)
def test_refusals(options: dict[str, str], sentence: str) -> None:
    assert sentence in refused(*changed(RIVER, **options))


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [
        ("check: random = check:0.5, bet 100:0.4", "sum to 1, not to 0.9"),
        ("check: random = check:1.5, bet 100:-0.5", "at least 0"),
        ("check: random = check:much", "a lock is written"),
        (": random = check:0.5, check:0.5", "names 'check' twice"),
        (": AA:0.5 = check:1", "gives a hand a weight"),
        ("check: random", "a lock is written"),
        ("check, check: random = check:1", "no decision after the line 'check, check'"),
        ("check: random = raise 300:1", "the actions there are check, bet 100, bet 900"),
        ("check: AA = check:1", "names no hand that IP can hold"),
        ("check: nonsense = check:1", "nonsense"),
        (
            "check, bet 77: random = call:1",
            "IP acts after 'check', with check, bet 100, bet 900, not 'bet 77'; did you mean bet 100?",
        ),
        ("x, b100: random = r300:1", "has 'r300'; the actions there are fold, call, raise 500, raise 900"),
    ],
)
def test_locks_that_cannot_be(lock: str, sentence: str) -> None:
    assert sentence in refused(*RIVER, "--lock", lock)


def test_locked_hands_play_as_told_and_a_mistake_helps_the_other() -> None:
    free = solved(*RIVER, "--iterations", "300")
    lock = "check, bet 100: random = fold:1"
    locked = solved(*RIVER, "--iterations", "300", "--lock", lock)
    assert locked["locks"] == [lock]
    assert locked["ev"][1] > free["ev"][1] + 1
    first = solved(*RIVER, "--iterations", "50", "--lock", ": random = check:0.25, bet 100:0.75")
    assert first["root_actions"] == pytest.approx({"check": 0.25, "bet 100": 0.75, "bet 900": 0}, abs=1e-6)


def test_lines_may_be_short_everywhere() -> None:
    short = solved(
        *RIVER, "--iterations", "30", "--lock", "x, b100: random = f:0.5, a:0.5", "--add", "x, b60"
    )
    long = solved(
        *(*RIVER, "--iterations", "30", "--lock", "check, bet 100: random = fold:0.5, raise 900:0.5"),
        *("--add", "check, bet 60"),
    )
    assert short["ev"] == long["ev"]
    fewer = solved(
        *RIVER, "--iterations", "0", "--remove", "a", "--remove", "x, allin", "--remove", "b100, a"
    )
    assert list(fewer["root_actions"]) == ["check", "bet 100"]
    more = solved(*TURN, "--bets", "50%", "--raises", "", "--add", "b100, c, all-in", "--iterations", "0")
    assert sum(more["decision_nodes"]) == sum(
        solved(
            *TURN, "--bets", "50%", "--raises", "", "--add", "bet 100, call, bet 800", "--iterations", "0"
        )["decision_nodes"]
    )


def test_a_slip_in_a_command_is_named() -> None:
    assert "neither a command nor a file 'inti'; did you mean init?" in refused("spot", "inti", "my.toml")
    assert "there is no file river.toml" in refused("spot", "river.toml")


def test_ctrl_c_shows_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = HoldemSolver.run

    def interrupted(solver: HoldemSolver, iterations: int) -> None:
        plain(solver, iterations)
        if len(solver.game.hands[0]) > 100:  # not while kernels are compiled
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(HoldemSolver, "run", interrupted)
    done = solvent(*RIVER, "--json")
    assert done.returncode == 130
    document = json.loads(done.stdout)
    assert (document["iterations"], document["stopped_by"]) == (1, "interrupt")


def watched(**limits: str) -> tuple[SpotResult, list[Progress]]:
    """A solve to limits, and the progress that it told."""
    told: list[Progress] = []
    spot = {"board": "Td9d6hQc2s", "oop": OOP, "ip": IP, "pot": 200, "stack": 900, "bets": "50%,a"}
    result = solve_spot(spot, SpotSettings.of(limits), watch=told.append)
    return result, [each for each in told if each.stage == "solving"]


@pytest.mark.parametrize("limits", [{"until": "0"}, {"until": "0.01%"}, {"until": "1%"}])
def test_progress_counts_iterations_where_a_solve_stops_at_a_target_or_a_time(limits: dict[str, str]) -> None:
    result, solving = watched(**limits, time="0.5s")
    assert {each.unit for each in solving} == {"iterations expected"}
    assert solving[-1].done == result.iterations
    assert all(each.done == int(each.done) for each in solving)
    if result.stopped_by == "time":
        assert result.iterations / 3 < solving[-1].total < 3 * result.iterations


def test_progress_expects_something_from_the_first_measurement_on() -> None:
    work = SpotWork(
        cast("HoldemSolver", SimpleNamespace(saved_tables=None, load_tables=None)),
        200,
        Limits(None, 0.6, None, 10),
    )
    assert work.expected() is None
    work.measured = [(10, 6.0)]
    assert work.expected() == 64  # 10 x (6 / 0.6) ^ 0.8, rounded up
    work.measured += [(20, 3.0)]
    assert work.expected() == 100


def test_progress_expects_the_iterations_that_a_target_takes() -> None:
    result, solving = watched(until="0.1%")
    assert "% of the pot" in solving[-1].detail
    assert all(each.total is None or each.total >= each.done for each in solving)
    assert (
        result.iterations / 3
        < next(each.total for each in solving[-4:] if each.total)
        < 3 * result.iterations
    )
