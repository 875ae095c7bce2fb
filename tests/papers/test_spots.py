"""Spots measured: the named ones can be played, a peer is asked and read as documented, the page says it all."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from solvent.engines.defaults import HOLDEM_RULE
from solvent.forms.holdem.sizing import holdem_size
from solvent.foundation.errors import InputError
from solvent_papers.spots.bandwidth import moved_bytes, streamed_bytes_per_second
from solvent_papers.spots.measured import QUICK, Measured, measure
from solvent_papers.spots.measured_page import write_results
from solvent_papers.spots.measured_tables import summaries
from solvent_papers.spots.named import NAMES, SPOTS, spots_named
from solvent_papers.spots.peer_command import PeerCommand
from solvent_papers.spots.rule_choice import RULES, Run, standings

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


def peer_of(folder: Path, text: str) -> PeerCommand:
    script = folder / "peer.py"
    script.write_text(text)
    return PeerCommand(shlex.join([sys.executable, str(script)]), "a peer")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    peer = peer_of(tmp_path_factory.mktemp("peer"), PEER)
    return measure(spots_named(["river-s"]), scale=QUICK, peer=peer)


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
def test_values_are_those_of_the_reference(found: Measured) -> None:
    [worth] = found.worths
    assert worth.uniform_percent == pytest.approx(78.1257, abs=1e-4)
    assert worth.equity[0] == pytest.approx(0.5162, abs=1e-4)
    assert worth.hands == (167, 246)
    assert sum(worth.ev) == pytest.approx(200)
    assert worth.ev[0] == pytest.approx(91.575, abs=worth.gains[0] + worth.gains[1])
    assert worth.reached_percent <= 1


@pytest.mark.slow  # compiles kernels for every kind of table
def test_speed_is_beside_the_peer_and_the_limit(found: Measured) -> None:
    assert [(each.dtype, each.threads) for each in found.timings] == [
        (dtype, threads) for dtype in ("float32", "int16") for threads in (1, 2)
    ]
    for each in found.timings:
        assert each.peer is not None
        assert each.peer.seconds == (2.0 if each.dtype == "int16" else 1.0)
        assert each.peer.memory_bytes == (2000 if each.dtype == "int16" else 4000)
        assert each.peer_ratio == each.seconds / each.peer.seconds < 0.1
        assert each.moved_bytes == each.cells * (10 if each.dtype == "int16" else 20)
        assert each.share == pytest.approx(each.moved_bytes / each.seconds / each.bandwidth)
    wide = [each for each in found.reached if each.dtype == "float32"]
    assert [each.target_percent for each in wide] == [5.0, 2.0]
    assert all(each.iterations for each in wide)
    assert [each.peer_seconds for each in wide] == [7.0, None]
    assert all(each.peer_seconds is None for each in found.reached if each.dtype == "int16")


@pytest.mark.slow  # compiles kernels for every kind of table
def test_page_has_what_was_printed(found: Measured, tmp_path: Path) -> None:
    write_results(found, tmp_path / "spots.md", quick=True)
    page = (tmp_path / "spots.md").read_text()
    for shown in summaries(found):
        assert f"## {shown.title}" in page
        assert all(" | ".join(line) in page for line in shown.rows)
    assert (
        "solvent bench spots --spots river-s --quick --peer COMMAND --peer-name 'a peer' --threads 2" in page
    )
    assert "78.1257 % (river-s)" in page
    assert "## What is not comparable" in page
    assert str(tmp_path) not in page
    alone = replace(
        found, peer=None, timings=[replace(each, peer=None) for each in found.timings], reached=[], runs=[]
    )
    write_results(alone, tmp_path / "alone.md")
    text = (tmp_path / "alone.md").read_text()
    assert "peer" not in text
    assert "Rules" not in text


def test_rules_stand_by_geometric_means() -> None:
    runs = [
        Run("a", HOLDEM_RULE, (10, 20), (4.0, 1.0), 10),
        Run("b", HOLDEM_RULE, (10, 20), (2.0, 1.0), 20),
        Run("a", "lcfr", (10, 20), (2.0, 1.0), 10),
        Run("b", "lcfr", (10, 20), (4.0, 4.0), None),
        Run("a", "dcfr", (10, 20), (4.0, 1.0), 10),
        Run("b", "dcfr", (10, 20), (2.0, 0.25), 5),
    ]
    first, *others = standings(runs)
    assert (first.rule, first.iterations_ratio, first.missed) == ("dcfr", pytest.approx(0.5), 0)
    assert first.percent_ratios == pytest.approx((1.0, 0.5))
    lcfr = next(each for each in others if each.rule == "lcfr")
    assert (lcfr.iterations_ratio, lcfr.missed) == (pytest.approx(1.0), 1)
    assert lcfr.percent_ratios == pytest.approx((1.0, 2.0))


@pytest.mark.slow  # compiles kernels for every kind of table
def test_page_names_the_better_default_and_spots_that_differ(found: Measured, tmp_path: Path) -> None:
    page = tmp_path / "spots.md"
    near = [Run("a", HOLDEM_RULE, (400,), (1.0,), 100), Run("a", "lcfr", (400,), (0.5,), 100)]
    write_results(replace(found, runs=near, scale=replace(found.scale, checkpoints=(400,))), page)
    assert "No rule needs clearly fewer iterations" in page.read_text()
    assert "after 400 iterations lcfr has 0.50 times its exploitability on a." in page.read_text()
    write_results(replace(found, runs=[near[0], replace(near[1], iterations_to_target=50)]), page)
    assert "lcfr needs 0.50 times the iterations" in page.read_text()


@pytest.mark.slow  # compiles kernels for every kind of table
def test_every_rule_runs_to_the_last_checkpoint(found: Measured) -> None:
    assert [run.rule for run in found.runs] == list(RULES)
    assert all(len(run.percent) == 2 and run.percent[1] < run.percent[0] for run in found.runs)


def test_streaming_moves_more_bytes_than_nothing() -> None:
    assert streamed_bytes_per_second(1, 1, 1 << 20) > 1e6
    assert (moved_bytes(10, "float32"), moved_bytes(10, "int16")) == (200, 100)


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
        peer_of(tmp_path, text).time(spot, "float32", 1, 10)


def test_what_cannot_be_measured_is_refused() -> None:
    [spot] = spots_named(["river-s"])
    with pytest.raises(InputError, match="did you mean river-s"):
        spots_named(["river-z"])
    with pytest.raises(InputError, match="there is no part"):
        measure([spot], ["speeds"])
    with pytest.raises(InputError, match="taken in the part speed"):
        measure([spot], ["values"], peer=PeerCommand("peer", "a peer"))
    with pytest.raises(InputError, match="cannot be run"):
        PeerCommand("/no/such/command", "a peer").time(spot, "float32", 1, 10)
    with pytest.raises(InputError, match="is empty"):
        PeerCommand("", "a peer")
