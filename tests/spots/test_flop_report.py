"""Reports on flops: weights, choice, means, resumption, and equality with single solves."""

from __future__ import annotations

import csv
import io
import json
import shutil
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from solvent.app.views.spots.flop_report import (
    flops_csv,
    page,
    picture,
    report_tables,
    textures_csv,
    write_files,
)
from solvent.cards.deck import parse_cards
from solvent.cards.hands import hole_cards
from solvent.cards.ranges import Range, parse_range
from solvent.foundation.errors import InputError
from solvent.foundation.progress import SIZED, Interrupted, Progress, Stop
from solvent.foundation.storage.run import METRICS, Run
from solvent.spots.flops.choice import (
    WeightedFlop,
    all_flops,
    flop_distances,
    nearest_medoids,
    read_flops,
)
from solvent.spots.flops.report import (
    KIND,
    FlopReport,
    check_report,
    flop_report,
    new_report,
    resumed_report,
)
from solvent.spots.flops.texture import FlopTexture, flop_texture
from solvent.spots.run import solve_spot
from solvent.spots.settings import SpotSettings

SPOT = {"oop": "JJ,A5s", "ip": "TT,KQs", "pot": 10, "stack": 15, "bets": "a"}
RANGES = parse_range(str(SPOT["oop"])), parse_range(str(SPOT["ip"]))
SETTINGS = SpotSettings(iterations=10)


def flops_named(*names: str) -> list[WeightedFlop]:
    return [WeightedFlop(parse_cards(name), (k + 1) / 6) for k, name in enumerate(names)]


FLOPS = flops_named("AsKs2s", "Th9h6d", "7s7h2d")


@pytest.fixture(scope="module")
def report() -> FlopReport:
    return flop_report(SPOT, FLOPS, SETTINGS)


@pytest.mark.parametrize(
    ("flop", "texture"),
    [
        ("AsKs2s", ("monotone", "unpaired", "A", "disconnected")),
        ("4h3d2c", ("rainbow", "unpaired", "4", "connected")),
        ("As3h2h", ("two-tone", "unpaired", "A", "connected")),
        ("KsAhTd", ("rainbow", "unpaired", "A", "connected")),
        ("7s7h2d", ("rainbow", "paired", "7", "disconnected")),
        ("9s9h9d", ("rainbow", "trips", "9", "disconnected")),
        ("9s8h4d", ("rainbow", "unpaired", "9", "disconnected")),
        ("9s8h5d", ("rainbow", "unpaired", "9", "connected")),
    ],
)
def test_textures(flop: str, texture: tuple[str, ...]) -> None:
    assert flop_texture(parse_cards(flop)) == FlopTexture(*texture)


def weight_of_deals(first: Range, second: Range, flop: tuple[int, ...]) -> float:
    """The weight of all pairs of hands that share no card with each other or the flop, pair by pair."""
    cards = [set(pair) for pair in hole_cards().tolist()]
    return sum(
        float(first.weights[one] * second.weights[two])
        for one in np.flatnonzero(first.weights)
        for two in np.flatnonzero(second.weights)
        if not cards[one] & cards[two] and not (cards[one] | cards[two]) & set(flop)
    )


def test_all_flops_have_the_chances_of_their_classes() -> None:
    first, second = parse_range("AA,KQs:0.5"), parse_range("AKo,77")
    flops = all_flops(first, second)
    assert len(flops) == 1755
    assert sum(flop.weight for flop in flops) == pytest.approx(1)
    total = weight_of_deals(first, second, ()) * 48 * 47 * 46 / 6
    by_label = {flop.label: flop.weight for flop in flops}
    for label, count in (("AsAhKs", 12), ("KsQsJs", 4), ("7s6h5d", 24), ("2s2h2d", 4), ("AsKh2h", 12)):
        deals = weight_of_deals(first, second, parse_cards(label))
        assert by_label[label] == pytest.approx(count * deals / total)


def test_ranges_that_name_suits_tell_more_flops_apart() -> None:
    first, second = parse_range("AsKs"), parse_range("QQ")
    flops = all_flops(first, second)
    live = [flop for flop in combinations(range(52), 3) if not set(flop) & set(parse_cards("AsKs"))]
    assert 1755 < len(flops) < len(live)
    assert not any(set(flop.cards) & set(parse_cards("AsKs")) for flop in flops)
    assert sum(flop.weight for flop in flops) == pytest.approx(1)


def test_medoids_stand_for_the_flops_nearest_to_them() -> None:
    every = all_flops(*RANGES)[::150]
    distances = flop_distances(every, *RANGES)
    assert np.allclose(distances, distances.T)
    assert not np.diag(distances).any()
    chosen = nearest_medoids(every, distances, 4)
    labels = [flop.label for flop in every]
    places = [labels.index(flop.label) for flop in chosen]
    assert places == sorted(set(places))
    nearest = distances[:, places].argmin(axis=1)
    for medoid, flop in enumerate(chosen):
        weight = sum(each.weight for each, near in zip(every, nearest, strict=True) if near == medoid)
        assert flop.weight == pytest.approx(weight)
    assert nearest_medoids(every, distances, 4) == chosen


def test_flops_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "flops.txt"
    file.write_text("# two\n2s7h7d\n\nAsKs2s  # monotone\n")
    plain = read_flops(file, *RANGES)
    assert [flop.label for flop in plain] == ["7h7d2s", "AsKs2s"]
    chances = {flop.label: flop.weight for flop in all_flops(*RANGES)}
    assert plain[0].weight / plain[1].weight == pytest.approx(chances["7s7h2d"] / chances["AsKs2s"])
    file.write_text("7h7d2s:3\nAsKs2s 1\n")
    assert [flop.weight for flop in read_flops(file, *RANGES)] == [0.75, 0.25]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no flop"),
        ("AsKs", "line 1 of"),
        ("AsKs2s\nAsAsKs", "line 2 of"),
        ("AsKs2s 0", "weight above 0"),
        ("AsKs2s much", "is not a flop"),
        ("AsKs2s\nKsAs2s", "a second time"),
        ("AsKs2s 1\n7s7h2d", "give all or none"),
        ("JsJhJd", ""),
    ],
)
def test_files_that_name_no_flops(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "flops.txt"
    file.write_text(text)
    ranges = (parse_range("JJ"), RANGES[1])
    with pytest.raises(InputError, match=sentence or "no hands at once on the flop"):
        read_flops(file, *ranges)


def test_a_missing_file() -> None:
    with pytest.raises(InputError, match="there is no file nowhere"):
        read_flops("nowhere", *RANGES)


def test_flops_are_solved_as_by_themselves(report: FlopReport) -> None:
    for row in report.rows:
        alone = solve_spot({**SPOT, "board": row.flop}, SETTINGS)
        assert (row.actions, row.ev, row.equity) == (alone.root_actions, alone.ev, alone.equity)
        assert (row.exploitability_percent, row.iterations) == (alone.exploitability_percent, 10)


def test_means_are_weighted(report: FlopReport) -> None:
    weights = np.array([1, 2, 3]) / 6
    for action, mean in report.mean.actions.items():
        assert mean == pytest.approx(weights @ [row.actions[action] for row in report.rows])
    assert report.mean.ev[0] == pytest.approx(weights @ [row.ev[0] for row in report.rows])
    assert sum(report.mean.ev) == pytest.approx(10)
    assert sum(report.mean.equity) == pytest.approx(1)
    found = report.by_texture()
    assert list(found["suits"]) == ["monotone", "two-tone", "rainbow"]
    assert list(found["high_card"]) == ["A", "T", "7"]
    for means in found.values():
        assert sum(mean.share for mean in means.values()) == pytest.approx(1)
        assert sum(mean.share * mean.ev[0] for mean in means.values()) == pytest.approx(report.mean.ev[0])


def test_a_decision_after_a_line(report: FlopReport) -> None:
    after = flop_report(SPOT, FLOPS, SETTINGS, line="x")
    assert (after.line, after.player, list(after.mean.actions)) == ("check", 1, ["check", "bet 15"])
    weights = np.array([1, 2, 3]) / 6
    reach = [row.actions["check"] for row in report.rows]
    assert [row.reach for row in after.rows] == pytest.approx(reach)
    assert after.mean.reach == pytest.approx(report.mean.actions["check"])
    bets = [row.actions["bet 15"] for row in after.rows]
    assert after.mean.actions["bet 15"] == pytest.approx(
        weights * reach @ np.array(bets) / (weights @ np.array(reach))
    )
    assert sum(after.mean.ev) == pytest.approx(10)
    assert "IP after check" in page(after)
    shares = weights * reach / (weights @ np.array(reach))
    assert [after.share(row) for row in after.rows] == pytest.approx(shares)
    for means in after.by_texture().values():
        assert sum(mean.share for mean in means.values()) == pytest.approx(1)
        assert sum(mean.share * mean.ev[1] for mean in means.values()) == pytest.approx(after.mean.ev[1])
    shown = list(csv.DictReader(io.StringIO(flops_csv(after))))
    for name in ("ev_ip", "bet 15"):
        mean = after.mean.ev[1] if name == "ev_ip" else after.mean.actions[name]
        assert sum(float(row["share"]) * float(row[name]) for row in shown) == pytest.approx(mean)
    document = after.as_dict()
    assert [row["share"] for row in document["flops"]] == pytest.approx(shares)
    assert document["means_weighted_by"].startswith("share: ")
    assert f"<td>{100 * shares[0]:.1f}</td>" in page(after)
    assert "share" in [str(column.header) for column in report_tables(after, 100)[0].columns]
    answers = flop_report(SPOT, FLOPS[:1], SETTINGS, line="check, bet 15")
    assert (answers.player, list(answers.mean.actions)) == (0, ["fold", "call"])
    assert sum(answers.mean.ev) == pytest.approx(25)
    for line, sentence in (("check, check", "a decision on the flop"), ("jump", "jump")):
        with pytest.raises(InputError, match=sentence):
            check_report(SPOT, FLOPS, SETTINGS, line)


def test_threads_and_memory_change_nothing(report: FlopReport) -> None:
    other = flop_report(SPOT, FLOPS, SpotSettings(iterations=10, threads=2, memory=1 << 30))
    assert flops_csv(other) == flops_csv(report)


def test_a_killed_report_resumes_with_the_same_numbers(report: FlopReport, tmp_path: Path) -> None:
    run = new_report(tmp_path / "whole", SPOT, FLOPS, SETTINGS)
    assert flops_csv(flop_report(SPOT, FLOPS, SETTINGS, run)) == flops_csv(report)
    whole = (run.folder / METRICS).read_bytes()
    lines = whole.splitlines(keepends=True)
    for kept in (b"", lines[0], lines[0] + lines[2], whole[:-20], whole):
        shutil.rmtree(tmp_path / "cut", ignore_errors=True)
        shutil.copytree(run.folder, tmp_path / "cut")
        (tmp_path / "cut" / METRICS).write_bytes(kept)
        opened = Run.open(tmp_path / "cut", KIND)
        spot, flops, settings, line = resumed_report(opened, {"threads": 2})
        assert settings.threads == 2
        assert flops_csv(flop_report(spot, flops, settings, opened, line)) == flops_csv(report)
        assert len(opened.metrics()) == 3
    with pytest.raises(InputError, match="began with iterations 10; it cannot go on with 20"):
        resumed_report(run, {"iterations": 20})


def test_ctrl_c_carries_the_flops_that_are_done(report: FlopReport) -> None:
    def watch(progress: Progress) -> None:
        if progress.stage == SIZED:
            raise KeyboardInterrupt

    stop = Stop()
    with pytest.raises(Interrupted) as stopped:
        flop_report(SPOT, FLOPS, SETTINGS, watch=watch, stop=stop)
    found = stopped.value.result
    assert [row.flop for row in found.rows] == [report.rows[0].flop]
    assert not stop.requested, "whoever shares the stop goes on"


def test_a_stopped_report_has_the_flops_that_are_done(report: FlopReport) -> None:
    stop, told = Stop(), list[Progress]()

    def watch(progress: Progress) -> None:
        told.append(progress)
        if progress.stage == SIZED:
            stop.request()

    found = flop_report(SPOT, FLOPS, SETTINGS, watch=watch, stop=stop)
    assert (len(found.rows), found.wanted) == (1, 3)
    assert found.mean.actions == pytest.approx(report.rows[0].actions)
    detail = next(each.detail for each in told if each.stage == SIZED)
    assert detail.startswith("3 flops, 1 of them done, about ")


def test_what_does_not_fit_is_refused_first() -> None:
    with pytest.raises(InputError, match="the memory limit is"):
        check_report(SPOT, FLOPS, SpotSettings(memory=1000))
    with pytest.raises(InputError, match="not for a time"):
        check_report(SPOT, FLOPS, SpotSettings(time=3))


def test_files_of_a_report(report: FlopReport, tmp_path: Path) -> None:
    lines = flops_csv(report).splitlines()
    assert lines[0].startswith(
        "flop,weight,reach,share,suits,pairing,high_card,connection,check,bet 15,ev_oop"
    )
    assert lines[1].startswith("AsKs2s,0.1666")
    assert textures_csv(report).splitlines()[1].startswith("all,,3,1.0,1.0,1.0,")
    assert "rainbow" in picture(report)
    assert page(report).count("<tr>") == 2 + 1 + 3 + 2 + 3 + 2 + 3
    assert json.loads(json.dumps(report.as_dict()))["flops"][2]["texture"]["pairing"] == "paired"
    assert [path.name for path in write_files(report, tmp_path)] == [
        "flops.csv",
        "textures.csv",
        "report.svg",
        "report.html",
    ]
