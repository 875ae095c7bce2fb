"""Errors in every write, sync, rename and allocation of a table: nothing is lost, and a sentence says why.

Each case is a run of a few checkpoints that is begun, and one that is resumed. It is repeated with the n-th call of
a kind failing, once or from then on, for every n that there is. Whatever becomes of the command, the folder then
holds nothing, the old state or a newer one, and the run ends as an undisturbed one does, bit for bit.
"""

from __future__ import annotations

import io
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

from oracles.blueprints import BETTING, random_cards
from solvent.foundation.errors import InputError
from solvent.foundation.storage.pack import pack, unpack
from solvent.foundation.storage.run import Run
from survival.faults import KINDS, RENAME, SYNC, TABLE, WRITE, Faults, installed
from survival.forking import Ended, Forker, execute, faults_of

FLOPS = "Td9d6h\n2c2d2h\nAhKhQh\n"
HANDS = ("--oop", "AA,KQs", "--ip", "KK,JTs", "--pot", 20, "--stack", 60, "--bets", "a", "--threads", 1)
SPOT = {"board": "Td9d6hQc2s", "oop": "AA,KQs", "ip": "KK,JTs", "pot": 20, "stack": 60}
IMPORTS = """
import json
from solvent import solve
from solvent.training.train import train
from solvent.spots.run import resume_spot, solve_spot
from solvent.spots.settings import SpotSettings
often = {"threads": 1, "checkpoint_every": 1e-6}
"""


@dataclass(frozen=True)
class Case:
    """Python calls that begin and resume a run in `folder` to a length of `n`, and two lengths."""

    name: str
    begin: str
    resume: str
    half: int
    whole: int
    step: int = 1
    """Distance of the calls that fail, for runs that make very many."""
    goes_on: bool = True
    """Whether no error of the disk stops what has begun to compute; a training ends with what it could not save."""

    def code(self, folder: Path, iterations: int) -> str:
        """Begin or resume the run in a folder, to this length, and print its result."""
        call = self.resume if Run.is_run(folder) else self.begin
        given = f"folder, n = {str(folder)!r}, {iterations}\n"
        return f"{IMPORTS}{given}print(json.dumps({call}.as_dict(), default=str))"


def solve_case(name: str, game: str, options: str, half: int, whole: int, step: int = 1) -> Case:
    begin = f"solve({game!r}, out=folder, iterations=n, {options}, **often)"
    return Case(name, begin, "solve(resume=folder, iterations=n, **often)", half, whole, step)


def spot_case(name: str, bets: dict[str, str], options: str, half: int, whole: int, step: int = 1) -> Case:
    begin = f"solve_spot({SPOT | bets}, SpotSettings(iterations=n, **often{options}), out=folder)"
    return Case(name, begin, "resume_spot(folder, {'iterations': n, **often})", half, whole, step)


SOLVES = [
    solve_case("solve", "leduc", "check_every=10", 10, 30),
    solve_case("pruned", "leduc", "check_every=10, rule='cfr', pruning='total'", 10, 30, 7),
    solve_case("blocks", "leduc", "check_every=10, rule='cfr', pruning='total', form='public'", 10, 30, 7),
    solve_case("growing", "continuous_leduc", "check_every=10, rule='cfr', grow='recovery'", 10, 40, 23),
    spot_case("spot", {"bets": "50%,a"}, "", 4, 12),
    spot_case("sizes", {}, ", sizes='auto,steps=4'", 10, 40, 7),
]
QUICK = solve_case("kuhn", "kuhn", "check_every=10", 10, 20, 8)


@dataclass
class Tally:
    """Counts of the ends of disturbed commands."""

    ends: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in sorted(self.ends.items()))


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    made = Forker()
    yield made
    made.close()


def answer_of(ended: Ended) -> dict[str, Any]:
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def without_times(found: object) -> object:
    """Results without what differs from one call to the next."""
    if isinstance(found, Mapping):
        skipped = (
            "second",
            "peak_memory",
            "run",
            "folder",
            "rate",
            "stopped_by",
            "threads",
            "checkpoint_every",
        )
        return {
            key: without_times(value) for key, value in found.items() if not any(s in key for s in skipped)
        }
    return [without_times(each) for each in found] if isinstance(found, list) else found


class Perform(Protocol):
    """Run Python code, here or in a fork, with or without faults."""

    def __call__(self, code: str, *, faults: Mapping[str, object] | None = None) -> Ended: ...


def perform_here(code: str, *, faults: Mapping[str, Any] | None = None) -> Ended:
    """Run Python code in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), faults_of({"faults": faults}) as found:
        code_of_exit = execute({"code": code})
    return Ended(code_of_exit, 0.0, out.getvalue(), err.getvalue(), found.failed if found else 0)


def disturb(perform: Perform, case: Case, work: Path) -> Tally:
    """Let every call fail, or every `case.step`-th, in a run that begins and in one that is resumed."""
    whole, half, run = work / "whole", work / "half", work / "run"
    wanted = answer_of(perform(case.code(whole, case.whole)))
    answer_of(perform(case.code(half, case.half)))
    tally = Tally()
    for start in (None, half):
        for kind in KINDS:
            for lasts in (False, True):
                for at in range(1, 10_000, case.step):
                    shutil.rmtree(run, ignore_errors=True)
                    if start is not None:
                        shutil.copytree(start, run)
                    where = f"{case.name}, {'begun' if start is None else 'resumed'}, {kind} {at}, {lasts=}"
                    faults = {"folder": str(work), "kind": kind, "at": at, "lasts": lasts}
                    ended = perform(case.code(run, case.whole), faults=faults)
                    if not ended.failed:
                        assert ended.code == 0, f"{where}: {ended.err}"
                        break
                    had = 0 if start is None else case.half
                    tally.ends[f"{kind}: {judged(ended, wanted, run, case, where)}"] += 1
                    if kind != TABLE and ended.code and Run.is_run(run) and case.goes_on:
                        assert Run.open(run).checkpoints()[-1:] in ([], [had]), f"{where}: {ended.err}"
                    assert_nothing_is_lost(perform, case, run, whole, had, where)
    return tally


def judged(ended: Ended, wanted: dict[str, Any], run: Path, case: Case, where: str) -> str:
    """Name the end of a disturbed command: it went on and gave the whole result, or it stopped with a sentence.

    Whoever goes on says what the folder lacks.
    """
    assert "Traceback" not in ended.err, f"{where}: {ended.err}"
    if ended.code == 0:
        found = answer_of(ended)
        unsaved = found.get("unsaved")
        assert without_times({**found, "unsaved": None}) == without_times({**wanted, "unsaved": None}), where
        assert unsaved or Run.open(run).checkpoints()[-1] == case.whole, where
        return "went on and said so" if unsaved else "went on"
    assert ended.code == 2, f"{where}: exit code {ended.code}: {ended.err}"
    assert ended.err.strip().splitlines()[-1].startswith("solvent: "), f"{where}: {ended.err}"
    return "stopped"


def assert_nothing_is_lost(
    perform: Perform, case: Case, run: Path, whole: Path, had: int, where: str
) -> None:
    """The folder holds at least what it had, and leads to the tables of the undisturbed run."""
    if had:
        assert Run.open(run).checkpoints()[-1] >= had, where
    if Run.is_run(run) and Run.open(run).checkpoints():  # a training that has just begun has none
        Run.open(run).load_checkpoint()
    ended = perform(case.code(run, case.whole))
    assert ended.code == 0, f"{where}: {ended.err}"
    assert_same_tables(run, whole, where)
    left = [path for path in run.rglob(".*") if path.name.endswith((".writing", ".replaced", ".creating"))]
    assert not left, f"{where}: {left}"


def assert_same_tables(folder: Path, whole: Path, where: str) -> None:
    runs = [Run.open(each) for each in (folder, whole)]
    assert runs[0].checkpoints()[-1] == runs[1].checkpoints()[-1], where
    found, wanted = (run.load_checkpoint()[0] for run in runs)
    assert found.keys() == wanted.keys(), where
    for name, table in wanted.items():
        assert np.array_equal(found[name], table, equal_nan=True), f"{where}: {name}"
    rows = [[(row["iterations"], row.get("exploitability")) for row in run.metrics()] for run in runs]
    assert rows[0] == rows[1], where


def test_kuhn_survives_some_errors(tmp_path: Path) -> None:
    tally = disturb(perform_here, QUICK, tmp_path)
    for kind in KINDS:
        assert any(name.startswith(kind) for name in tally.ends)


def test_packs_are_whole_or_not_there(tmp_path: Path) -> None:
    run, packed, copy = tmp_path / "run", tmp_path / "run.solvent", tmp_path / "copy"
    answer_of(perform_here(QUICK.code(run, 10)))
    opened = Run.open(run)
    for work, target in ((lambda: pack(opened, packed), packed), (lambda: unpack(packed, copy), copy)):
        for kind in (WRITE, SYNC, RENAME):
            for at in range(1, 1_000):
                packed.unlink(missing_ok=True) if target == packed else shutil.rmtree(
                    copy, ignore_errors=True
                )
                before = sorted(tmp_path.iterdir())
                with installed(Faults(tmp_path, kind, at)) as faults, suppress(InputError):
                    work()
                if not faults.failed:
                    break
                assert target.exists() or sorted(tmp_path.iterdir()) == before, f"{target.name}, {kind} {at}"
                if copy.exists():
                    assert_same_tables(copy, run, f"{kind} {at}")
            assert target.exists()


def disturb_in_forks(forker: Forker, case: Case, work: Path) -> Tally:
    """Disturb a case in forks of a process that has its kernels."""
    answer_of(forker.read(case.code(work / "warm", case.half), here=True))
    return disturb(forker.read, case, work)


@pytest.mark.slow
@pytest.mark.parametrize("case", SOLVES, ids=lambda case: case.name)
def test_solves_survive_every_error(case: Case, forker: Forker, tmp_path: Path) -> None:
    print(f"\n{case.name}: {disturb_in_forks(forker, case, tmp_path)}")


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stand-in cards of full size, whose buckets are random or all the same."""
    folder = tmp_path_factory.mktemp("cards") / "cards"
    random_cards().save(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("sampling", "lengths"), [("external", (200, 600, 1)), ("public", (10, 30, 4))])
def test_trainings_survive_every_error(
    sampling: str, lengths: tuple[int, int, int], forker: Forker, cards: Path, tmp_path: Path
) -> None:
    how = f"betting={BETTING!r}, sampling={sampling!r}, rule='lcfr'"
    begin = f"train({str(cards)!r}, out=folder, iterations=n, {how}, **often)"
    case = Case(sampling, begin, "train(resume=folder, iterations=n, **often)", *lengths, goes_on=False)
    print(f"\n{sampling}: {disturb_in_forks(forker, case, tmp_path)}")


@pytest.mark.slow
def test_reports_survive_every_error(forker: Forker, tmp_path: Path) -> None:
    """A report keeps flops instead of checkpoints: none that was done is lost, and all are solved in the end."""
    (tmp_path / "flops.txt").write_text(FLOPS)
    run = tmp_path / "run"
    begin = (
        "spot",
        "report",
        "--flops",
        tmp_path / "flops.txt",
        *HANDS,
        "--iterations",
        3,
        "--json",
        "--out",
    )
    resume = ("spot", "report", "--json", "--resume")
    answer_of(forker.run(*begin, tmp_path / "warm", here=True))
    wanted = without_times(answer_of(forker.run(*begin, tmp_path / "whole")))
    tally = Tally()
    for kind in KINDS:
        for lasts in (False, True):
            for at in range(1, 10_000):
                shutil.rmtree(run, ignore_errors=True)
                faults = {"folder": str(tmp_path), "kind": kind, "at": at, "lasts": lasts}
                ended, where = forker.run(*begin, run, faults=faults), f"report, {kind} {at}, {lasts=}"
                if not ended.failed:
                    break
                assert "Traceback" not in ended.err, f"{where}: {ended.err}"
                assert ended.code in (0, 2), f"{where}: {ended.err}"
                tally.ends[f"{kind}: {'went on' if ended.code == 0 else 'stopped'}"] += 1
                again = forker.run(*(resume if Run.is_run(run) else begin), run)
                assert without_times(answer_of(again)) == wanted, where
                assert len(Run.open(run).metrics()) == 3, where
    print(f"\nreport: {tally}")
