"""Kills at random moments: no run is lost, stuck or changed by them.

Each case is run once undisturbed, then again and again with SIGKILL at a random moment, always resumed from
what the kill left, until it is complete. The tables must then be those of the undisturbed run, bit for bit.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from oracles.blueprints import random_cards
from oracles.trainings import train_command
from solvent.foundation.storage.run import CHECKPOINTS, Run
from survival.forking import Ended, Forker

INTERVAL = 0.2
"""Seconds between checkpoints."""
SLACK = 10.0
"""Seconds that a checkpoint may be late on a machine that is busy with other things."""


@dataclass(frozen=True)
class Case:
    """A command to be killed."""

    name: str
    arguments: tuple[object, ...]
    iterations: int
    kills: int = 5


SOLVES = [
    Case("aggregated-lanes", ("leduc",), 100_000),
    Case("aggregated-vectors", ("flop_holdem(suits=2,ranks=4)",), 1_500),
    Case("aggregated-shapes", ("bluff(dice=1,faces=4)",), 15_000),
    Case("aggregated-arrays", ("leduc", "--device", "numpy"), 600),
    Case("serial", ("leduc", "--plan", "serial"), 30_000),
    Case("branched", ("leduc", "--plan", "branched"), 20_000),
    Case("flattened", ("leduc", "--plan", "flattened"), 2_500),
    Case("sequence", ("leduc", "--plan", "sequence"), 50_000),
    Case("partial", ("leduc", "--pruning", "partial", "--rule", "cfr"), 15_000),
    Case("interval", ("leduc", "--pruning", "interval", "--rule", "cfr"), 8_000),
    Case("total", ("leduc", "--pruning", "total", "--rule", "cfr"), 8_000),
    Case("total-by-block", ("leduc", "--pruning", "total", "--rule", "cfr", "--form", "public"), 3_000),
    Case("growing", ("continuous_leduc", "--grow", "recovery", "--rule", "cfr"), 1_500, kills=20),
    Case("growing-transfer", ("continuous_leduc", "--grow", "transfer", "--rule", "lcfr"), 1_000),
    Case(
        "growing-budget",
        ("continuous_leduc", "--grow", "recovery", "--rule", "cfr", "--pruning", "total", "--memory", "200K"),
        600,
    ),
    Case("external", ("leduc", "--sampling", "external"), 400_000),
    Case("outcome", ("leduc", "--sampling", "outcome"), 1_000_000),
    Case("chance", ("leduc", "--sampling", "chance"), 50_000),
]
HANDS = ("--oop", "22+,A2s+,KTs+", "--ip", "22-JJ,A2s-AJs", "--pot", 60, "--stack", 200)
BETS = ("--bets", "50%,a")
RIVER = Case("river", ("--board", "Td9d6hQc2s", *HANDS, *BETS), 4_000, kills=3)
SPOTS = [
    Case("turn", ("--board", "Td9d6hQc", *HANDS, *BETS), 400),
    Case("turn-int16", ("--board", "Td9d6hQc", *HANDS, *BETS, "--dtype", "int16"), 400),
    Case("sizes", ("--board", "Td9d6hQc2s", *HANDS, "--sizes", "auto,steps=4"), 2_000, kills=12),
]
OFTEN = ("--threads", 1, "--checkpoint-every", f"{INTERVAL}s", "--json")
UPI = [
    "set_board Td9d6hQc2s",
    "set_range OOP AA,KQs,76s",
    "set_range IP JJ,T9s:0.5,A5s",
    "set_pot 0 0 200",
    "set_eff_stack 900",
    "add_line 0 100 300",
    "add_line 100",
    "build_tree",
    "set_accuracy 0.0001 fraction",
    "go",
    "wait_for_solver",
    "show_strategy r:0",
    "exit",
]


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    made = Forker()
    yield made
    made.close()


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stand-in cards of full size, whose buckets are random or all the same."""
    folder = tmp_path_factory.mktemp("cards") / "cards"
    random_cards().save(folder)
    return folder


def assert_said(ended: Ended) -> None:
    """Check that a kill or a sentence ended a command, and nothing else."""
    assert "Traceback" not in ended.err, ended.err
    assert ended.code == 0 or ended.killed, ended.err or ended.code


def kill_and_resume(
    forker: Forker,
    fresh: Callable[[], Path],
    arguments: Callable[[Path], tuple[object, ...]],
    kills: int,
    longest: float,
    check: Callable[[Path], None],
    seed: object,
) -> None:
    """Kill a command this many times at random moments; each time that it completes, `check` and begin anew."""
    draw, folder, newest = random.Random(repr(seed)), fresh(), 0
    while True:
        began = time.time()
        kill_after = draw.uniform(0, longest) if kills else None
        ended = forker.run(*arguments(folder), kill_after=kill_after)
        assert_said(ended)
        kills -= ended.killed
        if not ended.killed:
            check(folder)
            if not kills:
                return
            folder, newest = fresh(), 0
            continue
        newest = assert_little_is_lost(folder, newest, began, time.time())


def assert_little_is_lost(folder: Path, newest: int, began: float, killed: float) -> int:
    """No checkpoint is lost and the last one is recent; return its iterations."""
    if not Run.is_run(folder):
        assert newest == 0
        return 0
    saved = Run.open(folder).checkpoints()
    now = saved[-1] if saved else 0
    assert now >= newest
    if now > newest:
        made = (folder / CHECKPOINTS / f"{now:015d}").stat().st_mtime
        assert killed - max(made, began) < INTERVAL + SLACK
    return now


def assert_same_tables(folder: Path, whole: Path) -> None:
    """Both runs have the same newest checkpoint, bit for bit, and measured the same."""
    runs = [Run.open(each) for each in (folder, whole)]
    assert runs[0].checkpoints()[-1] == runs[1].checkpoints()[-1]
    found, wanted = (run.load_checkpoint()[0] for run in runs)
    assert found.keys() == wanted.keys()
    for name, table in wanted.items():
        assert np.array_equal(found[name], table, equal_nan=True), name
    rows = [[(row["iterations"], row.get("exploitability")) for row in run.metrics()] for run in runs]
    assert rows[0] == rows[1]


def kill_a_run(
    forker: Forker,
    work: Path,
    begin: tuple[object, ...],
    resume: tuple[object, ...],
    kills: int,
    name: str,
    same: Callable[[Path, Path], None] = assert_same_tables,
) -> None:
    """Kill a run again and again; `begin` or `resume` and its folder are a command. It ends as one undisturbed."""
    whole, numbers = work / "whole", iter(range(100))
    undisturbed = forker.run(*begin, whole)
    assert undisturbed.code == 0, undisturbed.err

    def arguments(folder: Path) -> tuple[object, ...]:
        return (*resume, folder) if Run.is_run(folder) else (*begin, folder)

    kill_and_resume(
        forker,
        lambda: work / f"killed-{next(numbers)}",
        arguments,
        kills,
        1.2 * undisturbed.seconds,
        lambda folder: same(folder, whole),
        name,
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", SOLVES, ids=lambda case: case.name)
def test_killed_solves_end_as_undisturbed_ones(case: Case, forker: Forker, tmp_path: Path) -> None:
    limits = ("--iterations", case.iterations, *OFTEN)
    forker.run("solve", *case.arguments, "--iterations", 20, "--threads", 1, "--json", here=True)
    begin = ("solve", *case.arguments, *limits, "--out")
    kill_a_run(forker, tmp_path, begin, ("solve", "--json", "--resume"), case.kills, case.name)


def test_killed_rivers_end_as_undisturbed_ones(forker: Forker, tmp_path: Path) -> None:
    kill_a_spot(RIVER, forker, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", SPOTS, ids=lambda case: case.name)
def test_killed_spots_end_as_undisturbed_ones(case: Case, forker: Forker, tmp_path: Path) -> None:
    kill_a_spot(case, forker, tmp_path)


def kill_a_spot(case: Case, forker: Forker, tmp_path: Path) -> None:
    forker.run("spot", *case.arguments, "--iterations", 3, "--threads", 1, "--json", here=True)
    begin = ("spot", *case.arguments, "--iterations", case.iterations, *OFTEN, "--out")
    kill_a_run(forker, tmp_path, begin, ("spot", "--json", "--resume"), case.kills, case.name)


@pytest.mark.slow
def test_killed_reports_solve_every_flop(forker: Forker, tmp_path: Path) -> None:
    """No flop that was solved is solved again, and all give the same numbers."""
    flops = tmp_path / "flops.txt"
    flops.write_text("Td9d6h\nAhKhQh\n7c7d2s\nQsJd4h\n")
    few = (
        "--oop",
        "AA,KQs",
        "--ip",
        "KK,JTs",
        "--pot",
        20,
        "--stack",
        60,
        "--bets",
        "a",
        "--iterations",
        200,
    )
    begin = ("spot", "report", "--flops", flops, *few, "--threads", 1, "--json", "--out")
    forker.run(*begin, tmp_path / "warm", here=True)

    def same(folder: Path, whole: Path) -> None:
        found, wanted = (without_times(Run.open(each).metrics()) for each in (folder, whole))
        assert found == wanted
        assert (folder / "report.html").is_file()

    kill_a_run(forker, tmp_path, begin, ("spot", "report", "--json", "--resume"), 8, "report", same)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["external", "public", "children"])
def test_killed_trainings_end_as_undisturbed_ones(
    how: str, forker: Forker, cards: Path, tmp_path: Path
) -> None:
    children = ("--cluster", "processes", "--children", 2) if how == "children" else ()
    design = (*train_command(cards, "public" if how == "public" else "external"), *children)
    iterations = {"external": 150_000, "public": 4_000, "children": 20_000}[how]
    limits = ("--iterations", iterations, "--checkpoint-every", f"{INTERVAL}s")
    warm = forker.run(*design, "--iterations", 200, "--out", tmp_path / "warm", here=True)
    assert warm.code == 0, warm.err
    resume = ("train", "--json", *children, "--resume")
    kill_a_run(forker, tmp_path, (*design, *limits, "--out"), resume, 8 if children else 12, how)


@pytest.mark.slow
def test_killed_packing_leaves_a_whole_pack_or_none(forker: Forker, tmp_path: Path) -> None:
    run, packed, copy = tmp_path / "run", tmp_path / "run.solvent", tmp_path / "copy"
    made = forker.run("solve", "leduc5", "--iterations", 20, "--threads", 1, "--json", "--out", run)
    assert made.code == 0, made.err
    pack, unpack = ("pack", run, "--json", "--out", packed), ("unpack", packed, "--json", "--out", copy)
    longest = max(forker.run(*command).seconds for command in (pack, unpack))
    assert_same_tables(copy, run)
    draw = random.Random(5)
    for command, target in 10 * ((pack, packed), (unpack, copy)):
        shutil.rmtree(copy, ignore_errors=True)
        if target == packed:
            packed.unlink()
        ended = forker.run(*command, kill_after=draw.uniform(0, longest))
        assert_said(ended)
        if not target.exists():  # the same command again, beside what the kill left
            assert forker.run(*command).code == 0
        if target == copy:
            assert_same_tables(copy, run)
        else:
            assert forker.run(*unpack).code == 0
            assert_same_tables(copy, run)


@pytest.mark.slow
def test_killed_upi_sessions_leave_nothing(forker: Forker, tmp_path: Path) -> None:
    """A session writes no file, so that the next one says what the killed one would have said."""
    script = "\n".join(UPI)
    wanted = forker.run("upi", said=script)
    assert wanted.code == 0, wanted.err
    longest, draw = forker.run("upi", said=script).seconds, random.Random(6)
    for _ in range(8):
        assert_said(forker.run("upi", said=script, kill_after=draw.uniform(0, longest)))
    again = forker.run("upi", said=script)
    assert timeless(again.out) == timeless(wanted.out)


def timeless(said: str) -> list[str]:
    return [line for line in said.splitlines() if "time" not in line]


@pytest.mark.slow
def test_killed_evaluations_measure_what_undisturbed_ones_do(
    forker: Forker, cards: Path, tmp_path: Path
) -> None:
    """The parts that a kill left done are kept, and the evaluation is complete in the end."""
    trained = tmp_path / "run"
    done = forker.run(*train_command(cards), "--iterations", 20_000, "--out", trained)
    assert done.code == 0, done.err
    measure = (
        *("evaluate", trained, "--parts", "styles,lbr,behaviour", "--hands", 4_000),
        *("--behaviour-hands", 4_000, "--lbr-hands", 40, "--threads", 1, "--json"),
    )
    undisturbed = forker.run(*measure, here=True)
    assert undisturbed.code == 0, undisturbed.err
    wanted = json.loads(undisturbed.out)
    longest = forker.run(*measure).seconds

    def check(folder: Path) -> None:
        ended = forker.run(*measure)
        assert_said(ended)
        assert without_times(json.loads(ended.out)) == without_times(wanted)

    kill_and_resume(forker, lambda: trained, lambda folder: measure, 9, 1.2 * longest, check, "evaluate")


def without_times(measured: object) -> object:
    if isinstance(measured, dict):
        return {key: without_times(value) for key, value in measured.items() if "second" not in key}
    return [without_times(each) for each in measured] if isinstance(measured, list) else measured


@pytest.mark.slow
def test_killed_buildings_of_cards_end_as_undisturbed_ones(forker: Forker, tmp_path: Path) -> None:
    """Real cards of a small design: this takes minutes."""
    design = tmp_path / "design.toml"
    design.write_text(DESIGN)
    build = ("abstract", "build", "--config", design, "--threads", 2, "--json")
    undisturbed = forker.run(*build, "--out", tmp_path / "whole")
    assert undisturbed.code == 0, undisturbed.err
    wanted = json.loads(undisturbed.out)["fingerprint"]
    folder, draw = tmp_path / "killed", random.Random(4)
    for _ in range(4):
        ended = forker.run(*build, "--out", folder, kill_after=draw.uniform(0, 0.4) * undisturbed.seconds)
        assert_said(ended)
    ended = forker.run(*build, "--out", folder)
    assert_said(ended)
    assert json.loads(ended.out)["fingerprint"] == wanted


DESIGN = """
clusters = 2
base = 20
flop = 4
turn = 4
river = 4
strips = 2
codes_per_strip = 4
iterations = 3
"""
