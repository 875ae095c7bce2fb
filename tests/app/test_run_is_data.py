"""A run is data: nothing that a file says runs code, however it names it, and nothing ends in a traceback.

Each text of a run, a pack, a spot file, a lock file or a UPI script is replaced by own code as games, rules and
agents are written, with every checksum made right again as an attacker would. The code leaves a file behind.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from commands_run import solvent

from oracles.forged import SENTINEL, Place, forge, place_hostile_code, places, replaced
from oracles.table_agent import small_cards
from oracles.trainings import save_training, small_cards_everywhere
from solvent.abstraction.cards.buckets import VERSION
from solvent.abstraction.cards.presets import PRESETS
from solvent.foundation import extras, own_code
from solvent.foundation.storage.bundle import MANIFEST
from solvent.foundation.storage.pack import pack
from solvent.foundation.storage.run import Run
from solvent.games.own import make_own
from solvent.serve.upi.session import UpiSession
from solvent.solving.settings import Settings
from solvent.solving.solve import solve
from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings
from solvent.training.settings import TrainingSettings

RIVER = {"board": "Td9d6hQc2s", "oop": "QQ,AKs", "ip": "JJ-99", "pot": 200, "stack": 900, "bets": "50%,a"}
REPORT = ("--oop", "AA", "--ip", "KK", "--pot", "2", "--stack", "2", "--bets", "a", "--iterations", "2")
BETTING = "preflop=3x,a; cap=1; stack=10"
GAME, SOURCE, RULE = (Place("run.toml", ("fixed", name)) for name in ("game", "source", "rule"))
RESUMED = {
    "solve": "solve --resume {run} --iterations 6 --threads 1",
    "saved": "solve kuhn --warm-start {run} --iterations 2 --threads 1",
    "spot": "spot --resume {run} --iterations 6 --threads 1",
    "training": "train --resume {run} --iterations 11 --threads 1",
    "report": "spot report --resume {run}",
    "cards": "abstract small --out {run} --threads 1",
}
RESUMED |= dict.fromkeys(["growing", "own"], RESUMED["solve"]) | {"found": RESUMED["spot"]}
RESUMED |= dict.fromkeys(["public", "children"], RESUMED["training"])
"""The command that resumes a run of each kind."""
COMMANDS = {
    "solve": [
        "show {run}",
        "export {run} --format csv",
        "export {run} --format efg",
        "export {run} --format openspiel --out {above}/policy",
        "evaluate {run} --parts best_response",
        "compare {run} {run}",
        "plot {run} --out {above}/plot.png",
        "solve kuhn --warm-start {run} --iterations 2 --threads 1",
        "pack {run} --out {above}/pack",
    ],
    "saved": ["show {run}", "evaluate {run}", "compare {run} {run}", "export {run} --format efg"],
    "spot": [
        "show {run}",
        "export {run} --format json",
        "compare {run} {run}",
        "spot --from {run} --iterations 2 --threads 1",
        "spot exploit {run} --bets 50%,100%,a",
        "plot {run} --out {above}/plot.png",
        "pack {run} --out {above}/pack",
    ],
    "training": [
        "show {run}",
        "match {run} always-fold --hands 4 --threads 1",
        "compare {run} {run} --hands 4 --threads 1",
        "plot {run} --out {above}/plot.png",
    ],
    "report": ["plot {run} --out {above}/plot.png"],
    "cards": ["show {run}", "abstract show {run}", "abstract clusters {run}"],
}
COMMANDS |= dict.fromkeys(["growing", "own"], COMMANDS["solve"]) | {"found": COMMANDS["spot"]}
COMMANDS |= dict.fromkeys(["public", "children"], COMMANDS["training"])
"""Other commands that take a run of each kind."""
QUICK = ("solve", "saved", "spot", "training", "report")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working directory with hostile modules in it, and a run of each kind."""
    folder = tmp_path_factory.mktemp("hostile")
    solve("kuhn", iterations=5, out=folder / "solve").strategy.save(folder / "saved")
    solve_spot(RIVER, SpotSettings(iterations=5, threads=1), ["check: JJ = check:1"], out=folder / "spot")
    (folder / "flops.txt").write_text("2c2d2h\n")
    with small_cards_everywhere(), pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        assert solvent("spot", "report", *REPORT, "--flops", "flops.txt", "--out", "report").returncode == 0
        small_cards()
        save_training(folder / "training", BETTING, [10])
        yield folder


@pytest.fixture(scope="module")
def more(here: Path) -> Path:
    """Runs of further kinds, which take longer to make."""
    solve("continuous_leduc", grow="recovery", iterations=20, out=here / "growing")
    solve(
        f"{Path(__file__).parents[2] / 'examples' / 'public_game.py'}:OneCard(3)",
        iterations=5,
        out=here / "own",
    )
    free = {name: value for name, value in RIVER.items() if name != "bets"}
    settings = SpotSettings(iterations=60, threads=1, sizes="auto,steps=4,at-most=2")
    solve_spot(free, settings, out=here / "found")
    save_training(here / "public", BETTING, [10], sampling="public")
    save_training(here / "children", BETTING, [10], batch=4)
    Run.create(here / "cards", "cards", {**PRESETS["tiny"].as_dict(), "tables_version": VERSION})
    return here


@pytest.fixture(scope="module")
def callables(here: Path) -> list[str]:
    return place_hostile_code(here)


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Own code fails the test wherever it is reached, and so does the file that it would leave."""

    def reached(*given: object) -> None:
        raise AssertionError(f"own code was reached by {given}")

    monkeypatch.setattr(own_code, "_from_file", reached)
    monkeypatch.setattr(own_code, "_from_module", reached)
    monkeypatch.setattr(
        extras, "installed", lambda name: False
    )  # a solve draws no picture, which takes longest
    yield
    assert not Path(SENTINEL).exists()


def obey(line: str, **where: Path) -> int:
    """Run a command line: it may refuse with a sentence, and neither fails otherwise nor runs anything."""
    done = solvent(*line.format(**where).split(" "))
    assert done.returncode in (0, 2), (line, where, done.stderr)
    assert "Traceback" not in done.stderr, (line, where, done.stderr)
    assert not Path(SENTINEL).exists(), (line, where)
    return done.returncode


@pytest.mark.usefixtures("nothing_runs")
def test_each_name_reaches_own_code_where_a_person_gives_it(callables: list[str]) -> None:
    """Otherwise the tests below would show nothing."""
    for text in callables:
        with pytest.raises(AssertionError, match="own code was reached"):
            make_own(text, "game")


@pytest.mark.usefixtures("nothing_runs")
def test_runs_are_listed_with_their_game_as_text_and_not_resumed(
    here: Path, callables: list[str], tmp_path: Path
) -> None:
    forged = []
    for number, text in enumerate(callables):
        for kind, place in (
            ("solve", GAME),
            ("solve", SOURCE),
            ("solve", RULE),
            ("spot", GAME),
            ("spot", RULE),
        ):
            forged.append(forge(here / kind, tmp_path / f"{kind}-{place.keys[1]}-{number}", place, text))
            assert obey(RESUMED[kind], run=forged[-1]) == 2
    listed = {row["run"]: row for row in json.loads(solvent("runs", tmp_path, "--json").stdout)["runs"]}
    assert set(listed) == set(map(str, forged))
    assert {row["game"] for row in listed.values() if row["kind"] == "solve"} == {"kuhn", *callables}


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("kind", QUICK)
def test_no_text_of_a_run_runs_code(kind: str, here: Path, callables: list[str], tmp_path: Path) -> None:
    texts = cycle(callables)
    for number, place in enumerate(places(here / kind)):
        folder = tmp_path / str(number)
        run = forge(here / kind, folder / "run", place, next(texts))
        for line in (COMMANDS[kind][0], RESUMED[kind]):
            obey(line, run=run, above=folder)
    assert obey("runs {above}", above=tmp_path) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("kind", COMMANDS)
def test_no_text_of_a_run_runs_code_whatever_is_done_with_it(
    kind: str, more: Path, callables: list[str], tmp_path: Path
) -> None:
    texts, lines = cycle(callables), cycle(["runs {above}", *COMMANDS[kind], RESUMED[kind]])
    each = len(callables) if kind in ("solve", "spot") else 3
    tried = [(place, next(texts)) for place in places(more / kind) for _ in range(each)]
    tried += [(place, next(texts)) for place in options(kind) for _ in range(3)]
    for number, (place, text) in enumerate(tried):
        folder = tmp_path / str(number)
        run = forge(more / kind, folder / "run", place, text)
        obey(next(lines), run=run, above=folder)
        shutil.rmtree(folder)


def options(kind: str) -> list[Place]:
    """The options that a run of a kind could hold besides those that it holds."""
    if kind == "saved":
        return [Place(MANIFEST, (name,)) for name in ("game", "source", "form", "isomorphism", "rule")]
    known = {"spot": SpotSettings, "report": SpotSettings, "training": TrainingSettings}.get(kind, Settings)
    names = ["game", "source", "cards", "betting", "locks", "from", *(each.name for each in fields(known))]
    return [Place("run.toml", (section, name)) for section in ("fixed", "adjustable") for name in names]


@pytest.mark.usefixtures("nothing_runs")
def test_packs_are_listed_and_opened_without_running_what_they_name(
    here: Path, callables: list[str], tmp_path: Path
) -> None:
    for number, text in enumerate(callables):
        run = forge(here / "solve", tmp_path / f"run{number}", (GAME, SOURCE, RULE)[number % 3], text)
        pack(Run.open(run), tmp_path / f"{number}.pack")
        assert (
            obey("unpack {file} --out {run}", file=tmp_path / f"{number}.pack", run=run.with_suffix(".un"))
            == 0
        )
        obey("show {run}", run=run.with_suffix(".un"))
    assert obey("runs {above}", above=tmp_path) == 0


@pytest.mark.usefixtures("nothing_runs")
def test_a_terminal_obeys_nothing_that_a_run_says(here: Path, tmp_path: Path) -> None:
    title = f"\x1b]0;title\x07[bold]kuhn\x9b31m\u202e{'a' * 5_000}"
    for place in (GAME, RULE, Place("run.toml", ("fixed", "updates"))):
        run = forge(here / "solve", tmp_path / str(place.keys[1]), place, title)
        for command in (("runs", tmp_path), ("show", run), ("solve", "--resume", run)):
            done = solvent(*command)
            assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.stdout + done.stderr)
            assert (done.stdout + done.stderr).count("a") < 1_000


SOLVE_TABLE = {
    "rule": "dcfr",
    "until": "50%",
    "iterations": "2",
    "dtype": "float32",
    "sizes": "auto",
    "time": "1s",
}


@pytest.mark.usefixtures("nothing_runs")
def test_spot_files_and_lock_files_name_no_code(callables: list[str], tmp_path: Path) -> None:
    file, locks = tmp_path / "spot.toml", tmp_path / "locks.txt"
    texts = cycle(callables)
    written = {
        "board": RIVER["board"],
        "oop": RIVER["oop"],
        "ip": RIVER["ip"],
        "locks": ["check: JJ = check:1"],
    }
    tables = {"sizes": {"bets": "a", "raises": "a"}, "solve": SOLVE_TABLE}
    for changed in replaced({**written, **tables}, None):
        text = next(texts)
        file.write_text(_toml(changed, text))
        assert obey("spot {file} --pot 200 --stack 900 --iterations 2 --threads 1", file=file) == 2
    file.write_text(_toml({**written, "sizes": {"bets": "a"}, "solve": {"rule": None}}, "hostile:Game"))
    assert "rule 'hostile:Game' is own code" in solvent("spot", file, "--pot", 200, "--stack", 900).stderr
    file.write_text(_toml({**written, "sizes": {"bets": "a"}}, ""))
    lines = cycle(["{}", "check: {} = check:1", "{}: JJ = check:1", "check: JJ = {}:1"])
    for text in callables:
        locks.write_text(next(lines).format(text))
        assert obey("spot {file} --pot 200 --stack 900 --lock-file {locks}", file=file, locks=locks) == 2
    for command in ("set_board", "set_range_ip", "set_pot", "set_bet_sizes", "set_accuracy", "load"):
        file.with_suffix(".txt").write_text(f"set_pot 50\n{command} {next(texts)}\n")
        assert obey("spot {file}", file=file.with_suffix(".txt")) == 2


def _toml(document: Mapping[str, Any], text: str) -> str:
    """TOML of a document, in which None stands for the text."""

    def value(given: Any) -> str:
        if isinstance(given, list):
            return json.dumps([text if one is None else one for one in given])
        return json.dumps(given or text)

    top = [f"{key} = {value(given)}" for key, given in document.items() if not isinstance(given, dict)]
    for name, table in document.items():
        if isinstance(table, dict):
            top += [f"[{name}]", *(f"{key} = {value(given)}" for key, given in table.items())]
    return "\n".join(top)


@pytest.mark.usefixtures("nothing_runs")
def test_no_word_of_a_upi_script_runs_code(callables: list[str], tmp_path: Path) -> None:
    said: list[str] = []
    session = UpiSession(said.extend)
    script = tmp_path / "script.txt"
    texts = cycle(callables)
    for command in session.commands.keys() - {"go", "wait_for_solver"}:
        text = next(texts)
        session.take(f"{command} {text}")
        script.write_text(f"{command} {text}\n{text}\n")
        session.take(f"load_script_silent {script}")
    session.close()
    assert sum(line.startswith("ERROR") for line in said) > len(callables)


@pytest.mark.usefixtures("nothing_runs")
def test_a_training_does_not_connect_where_its_run_says(here: Path, tmp_path: Path) -> None:
    """A cluster sends objects that run code when they are read, so that a person names it each time."""
    for section in ("fixed", "adjustable"):
        run = forge(
            here / "training", tmp_path / section, Place("run.toml", (section, "cluster")), "10.0.0.1:6379"
        )
        settings = TrainingSettings.resumed(Run.open(run).configuration, {}, str(run))
        assert (settings.cluster, settings.distributed) == (None, False)
