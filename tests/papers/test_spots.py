"""Spots measured: the named ones can be played, a peer is asked and read as documented, the page says it all."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from solvent.engines.defaults import HOLDEM_RULE
from solvent.forms.holdem.sizing import holdem_size
from solvent.foundation.errors import InputError
from solvent_papers.commands.experiments import command_of
from solvent_papers.frame.judging import judged_bars
from solvent_papers.frame.pages import Page, new_page
from solvent_papers.frame.running import Record, run_parts
from solvent_papers.spots import measured
from solvent_papers.spots.measured import EXPERIMENT, RULES, SpotsSetup, figures, standings
from solvent_papers.spots.named import NAMES, SPOTS, spots_named
from solvent_papers.spots.peer_command import PeerCommand
from solvent_papers.spots.speed import moved_bytes

PEER = """
import json, sys
asked = json.loads(sys.argv[-1])
assert asked["board"] == "Td9d6hQc2s" and asked["pot"] == 200 and asked["rake_rate"] == 0
assert asked["river"]["oop"] == asked["river"]["ip"] == {"bet": "50%,a", "raise": "100%,a"}
print("a line that is not the last")
if asked["mode"] == "time":
    assert asked["warmup"] >= 2
    said = {"seconds_per_iteration": {"median": 1.0 + asked["compressed"]}, "build_seconds": 0.5,
            "memory_usage": {"f32": 4000, "i16": 2000}, "uniform": {"exploitability_pct": 78.125}}
else:
    first = asked["targets"][0]
    said = {"reached": [{"target_pct": first, "iterations": 70, "seconds": 7.0}]}
print(json.dumps(said))
"""


Records = dict[str, Record]
STREAMED = 1e9


def peer_of(folder: Path, text: str) -> str:
    script = folder / "peer.py"
    script.write_text(text)
    return shlex.join([sys.executable, str(script)])


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Records:
    folder = tmp_path_factory.mktemp("peer")
    setup = SpotsSetup(folder / "work", True, ("river-s",), 2, peer_of(folder, PEER), "a peer")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measured, "bandwidth", lambda threads, megabytes: STREAMED)
        return run_parts(EXPERIMENT, setup)


def page_of(records: Records, **changes: dict[str, Any]) -> Page:
    """The page of these records; of the part `name`, `changes[name]` replaces some of its findings."""
    changed = {
        name: record._replace(found=record.found | changes.get(name, {})) for name, record in records.items()
    }
    return new_page(EXPERIMENT, changed, "solvent bench spots")


def test_spots_are_of_every_street_width_and_depth() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 8
    assert {spot.streets for spot in SPOTS} == {1, 2, 3}
    for spot in SPOTS:
        assert len(spot.rules().street_names) == spot.streets
    hands = [max(holdem_size(spot.rules()).hands) for spot in SPOTS if spot.streets == 1]
    assert min(hands) < 300 < 1000 < max(hands)
    depths = [spot.given["stack"] / spot.pot for spot in SPOTS]
    assert min(depths) < 1
    assert max(depths) == 100


def test_reference_spots_have_the_known_decision_nodes() -> None:
    nodes = {spot.name: holdem_size(spot.rules()).decisions for spot in SPOTS if spot.name.endswith("-s")}
    assert nodes == {"river-s": (12,), "turn-s": (12, 36), "flop-s": (12, 36, 92)}


def test_json_of_a_spot_has_the_sizes_of_each_player_and_street() -> None:
    [spot] = spots_named(["turn-donk"])
    document = spot.as_json()
    assert json.loads(json.dumps(document)) == document
    assert (document["rake_rate"], document["rake_cap"]) == (0.05, 30)
    assert "flop" not in document
    assert document["river"]["oop"] == {"bet": "50%,120%,a", "raise": "80%,a", "donk": "30%"}
    assert document["turn"]["ip"] == {"bet": "33%,100%", "raise": "60%"}


@pytest.mark.slow  # compiles kernels for every kind of table
def test_values_are_those_of_the_reference(records: Records) -> None:
    [worth] = records["values"].found["spots"]
    assert worth["uniform_percent"] == pytest.approx(78.1257, abs=1e-4)
    assert worth["equity"] == pytest.approx(0.5162, abs=1e-4)
    assert worth["hands"] == [167, 246]
    assert sum(worth["ev"]) == pytest.approx(200)
    assert worth["ev"][0] == pytest.approx(91.575, abs=sum(worth["gains"]))
    assert worth["reached_percent"] <= 1


@pytest.mark.slow  # compiles kernels for every kind of table
def test_speed_is_beside_the_peer_and_the_limit(records: Records) -> None:
    found = records["speed"].found
    assert [(each["dtype"], each["threads"]) for each in found["iterations"]] == [
        (dtype, threads) for dtype in ("float32", "int16") for threads in (1, 2)
    ]
    for each in found["iterations"]:
        peer = each["peer"]
        assert peer["seconds"] == (2.0 if each["dtype"] == "int16" else 1.0)
        assert peer["memory_bytes"] == (2000 if each["dtype"] == "int16" else 4000)
        assert peer["ratio"] == each["seconds"] / peer["seconds"] < 0.1
        assert peer["memory_ratio"] == each["memory_bytes"] / peer["memory_bytes"]
        assert each["moved_bytes"] == each["cells"] * (10 if each["dtype"] == "int16" else 20)
        assert each["bytes_per_second"] == pytest.approx(each["moved_bytes"] / each["seconds"])
        assert each["share"] == pytest.approx(each["bytes_per_second"] / STREAMED)
    wide, narrow = (
        [each for each in found["targets"] if each["dtype"] == dtype] for dtype in ("float32", "int16")
    )
    assert [each["target_percent"] for each in wide] == [5.0, 2.0]
    assert all(each["iterations"] for each in wide)
    assert [each["peer"] and each["peer"]["seconds"] for each in wide] == [7.0, None]
    assert [each["peer"] for each in narrow] == [None, None]
    assert found["waits"] == {"a river": wide[1]["seconds"]}


@pytest.mark.slow  # compiles kernels for every kind of table
def test_page_has_what_was_measured(records: Records, tmp_path: Path) -> None:
    text = page_of(records).text
    for title in (
        *("Values", "An iteration", "Building and memory", "To a target", "Rules by spot"),
        *("Rules over all spots", "An iteration beside the peer", "To a target beside the peer"),
        "What is not comparable",
    ):
        assert f"\n## {title}\n" in text
    assert text.count("\n| river-s | float32 | 2 |") == 2
    assert all(f"\n| river-s | {rule} |" in text for rule in RULES)
    assert "78.1257 % (river-s)" in text
    assert "Our seconds over those of a peer are" in text
    alone = {**records["speed"].found, "peer": None, "targets": [], "waits": {}}
    alone["iterations"] = [row | {"peer": None} for row in alone["iterations"]]
    text = page_of({"speed": records["speed"]}, speed=alone).text
    assert "peer" not in text
    assert "Rules" not in text


def test_the_peers_command_is_on_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "time_spot", lambda *given: [])
    monkeypatch.setattr(measured, "time_to_targets", lambda *given: [])
    app, page = typer.Typer(), tmp_path / "spots.md"
    app.command()(command_of(EXPERIMENT, "Measure."))
    given = ["--part", "speed", "--spot", "river-s", "--scale", "small", "--peer", peer_of(tmp_path, PEER)]
    monkeypatch.chdir(tmp_path)
    asked = CliRunner().invoke(app, [*given, "--peer-name", "a peer", "--page", page.name])
    assert asked.exit_code == 0, asked.output
    text = page.read_text()
    assert "--scale small --spot river-s --peer COMMAND --peer-name 'a peer' --page spots.md" in text
    assert str(tmp_path) not in text + page.with_suffix(".json").read_text()


def run_of(spot: str, rule: str, percent: list[float], iterations: int | None) -> dict[str, Any]:
    return {"spot": spot, "rule": rule, "percent": percent, "iterations": iterations}


def test_rules_stand_by_geometric_means() -> None:
    runs = [
        run_of("a", HOLDEM_RULE, [4.0, 1.0], 10),
        run_of("b", HOLDEM_RULE, [2.0, 1.0], 20),
        run_of("a", "lcfr", [2.0, 1.0], 10),
        run_of("b", "lcfr", [4.0, 4.0], None),
        run_of("a", "dcfr", [4.0, 1.0], 10),
        run_of("b", "dcfr", [2.0, 0.25], 5),
    ]
    first, *others = standings(runs, (10, 20))
    assert (first["rule"], first["iterations_ratio"], first["missed"]) == ("dcfr", pytest.approx(0.5), 0)
    assert first["percent_ratios"] == pytest.approx([1.0, 0.5])
    lcfr = next(each for each in others if each["rule"] == "lcfr")
    assert (lcfr["iterations_ratio"], lcfr["missed"]) == (pytest.approx(1.0), 1)
    assert lcfr["percent_ratios"] == pytest.approx([1.0, 2.0])


def test_page_names_the_better_default_and_spots_that_differ() -> None:
    def page(iterations: int) -> str:
        runs = [run_of("a", HOLDEM_RULE, [1.0], 100), run_of("a", "lcfr", [0.5], iterations)]
        found = {
            "checkpoints": [400],
            "target_percent": 0.3,
            "runs": runs,
            "standings": standings(runs, (400,)),
        }
        return page_of({"rules": Record({}, "", "", 1.0, "", found)}).text

    assert "No rule needs clearly fewer iterations" in page(100)
    assert "after 400 iterations lcfr has 0.50 times its exploitability on a." in page(100)
    assert "lcfr needs 0.50 times the iterations" in page(50)


@pytest.mark.slow  # compiles kernels for every kind of table
def test_every_rule_runs_to_the_last_checkpoint(records: Records) -> None:
    runs = records["rules"].found["runs"]
    assert [run["rule"] for run in runs] == list(RULES)
    assert all(len(run["percent"]) == 2 and run["percent"][1] < run["percent"][0] for run in runs)


def test_bytes_that_an_iteration_moves() -> None:
    assert (moved_bytes(10, "float32"), moved_bytes(10, "int16")) == (200, 100)


def test_bars_are_of_what_was_measured() -> None:
    """A peer may not be there, and 16 bits may not reach the target."""

    def timing(threads: int, speed_up: float, ratio: float) -> dict[str, Any]:
        peer = {"ratio": ratio, "memory_ratio": 1.1}
        row = {"spot": "turn-s", "dtype": "float32", "threads": threads, "build_seconds": 0.1}
        return row | {"speed_up": speed_up, "peer": peer if threads == 2 else None}

    def reached(spot: str, dtype: str, iterations: int | None) -> dict[str, Any]:
        row = {"spot": spot, "dtype": dtype, "target_percent": 0.3, "iterations": iterations}
        return row | {"peer": {"ratio": 0.6} if dtype == "float32" else None}

    spots = (("turn-s", 100, 110), ("flop-s", 100, None), ("river-deep", None, None))
    found = {
        "iterations": [timing(1, 1.0, 0.4), timing(2, 1.5, 0.4)],
        "targets": [
            reached(spot, dtype, iterations)
            for spot, *both in spots
            for dtype, iterations in zip(("float32", "int16"), both, strict=True)
        ],
    }
    bits = "iterations to 0.3 % with 16 bits over those with float32"
    assert {bar.name: (bar.seen, bar.met) for bar in judged_bars("spots", figures(found))} == {
        "turn-s: an iteration over the peer's, 2 threads": ("0.4", True),
        "turn-s: speed-up by 2 threads": ("1.50", False),
        "turn-s: seconds to build": ("0.1", True),
        "turn-s: seconds to 0.3 % over the peer's": ("0.6", False),
        "flop-s: seconds to 0.3 % over the peer's": ("0.6", False),
        f"turn-s: {bits}": ("1.1", True),
        f"flop-s: {bits}": ("not reached", False),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("print('no JSON')", "printed no line of JSON on river-s"),
        ("print('{}')", "printed no usable field"),
        ("raise SystemExit('out of order')", "failed on river-s: out of order"),
    ],
)
def test_a_peer_that_does_not_answer_is_told_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    [spot] = spots_named(["river-s"])
    with pytest.raises(InputError, match=said):
        PeerCommand(peer_of(tmp_path, text)).time(spot, "float32", 1, 10)


def test_what_cannot_be_measured_is_refused(tmp_path: Path) -> None:
    [spot] = spots_named(["river-s"])
    with pytest.raises(InputError, match="did you mean river-s"):
        SpotsSetup(tmp_path, True, ("river-z",))
    with pytest.raises(InputError, match="there is no part"):
        run_parts(EXPERIMENT, SpotsSetup(tmp_path, True), ["speeds"])
    with pytest.raises(InputError, match="cannot be run"):
        PeerCommand("/no/such/command").time(spot, "float32", 1, 10)
    with pytest.raises(InputError, match="is empty"):
        SpotsSetup(tmp_path, True, peer="")
