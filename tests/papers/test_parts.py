"""Experiments in parts: what is kept, what a page keeps, and what is refused."""

from __future__ import annotations

import json

import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.machine import describe_machine
from solvent.foundation.progress import Progress
from solvent_papers.kept import KeptRuns
from solvent_papers.page import figures_file
from solvent_papers.parts import Part, PartSetup, once, parts_text, records, run_parts
from solvent_papers.steps import within

RUNS: list[str] = []


def _part(name: str) -> Part[PartSetup]:
    def run(setup, kept, say):
        RUNS.append(name)
        return {"value": 3}

    return Part(
        name,
        run,
        lambda found: f"## {name}\n\n{found['value']}",
        lambda found: {name: found["value"]},
        lambda found: [],
    )


PARTS = [_part("first"), _part("second")]


@pytest.fixture
def setup(tmp_path) -> PartSetup:
    RUNS.clear()
    (tmp_path / "work" / "parts").mkdir(parents=True)
    return PartSetup(tmp_path / "cards", tmp_path / "work", True, 1)


def _write(results, page) -> None:
    """What a page keeps of its parts."""
    figures_file(page).write_text(json.dumps({"parts": records(results)}))


def test_a_part_is_run_once_and_again_when_asked(setup) -> None:
    assert [each.part.name for each in run_parts(PARTS, setup, remark="alone")] == ["first", "second"]
    results = run_parts(PARTS, setup, ["second"], again=True)
    assert RUNS == ["first", "second", "second"]
    assert [each.remark for each in results] == ["alone", ""]
    text = parts_text(PARTS, [results[0], results[1]._replace(machine="")])
    assert "\nfirst: alone\n" in text
    assert [
        line.split(" | ")[-1] for line in text.splitlines() if line.startswith(("| first", "| second"))
    ] == [
        f"{describe_machine()} |",
        "not noted |",
    ]


def test_a_part_is_run_again_when_what_it_is_made_of_has_been(setup) -> None:
    parts = [*PARTS, _part("sum")._replace(made_of=("first", "second"))]
    run_parts(parts, setup, ["first", "sum"])
    run_parts(parts, setup, ["sum"])
    assert RUNS == ["first", "sum"]
    run_parts(parts, setup)
    assert RUNS == ["first", "sum", "second", "sum"]
    run_parts(parts, setup, again=True, names=["first"])  # which finds the same again
    run_parts(parts, setup)
    assert RUNS == ["first", "sum", "second", "sum", "first"]


def test_measurements_of_parts_that_have_been_run_again_are_not_taken_up(setup) -> None:
    stopped, values = [True], []

    def run(setup, kept, say):
        values.append(once(kept, {"number": 1}, lambda: len(values)))
        if stopped[0]:
            raise KeyboardInterrupt
        return {"value": values[-1]}

    part = PARTS[1]._replace(run=run, made_of=("first",))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run_parts([part], setup)
    run_parts(PARTS, setup, ["first"])
    stopped[0] = False
    run_parts([PARTS[0], part], setup)
    assert values == [0, 0, 2]


def test_parts_of_a_page_stay_when_others_are_run_elsewhere(setup, tmp_path) -> None:
    page = tmp_path / "page.md"
    _write(run_parts(PARTS, setup, ["first"]), page)
    elsewhere = PartSetup(setup.cards, tmp_path / "elsewhere", True, 1)
    (elsewhere.work / "parts").mkdir(parents=True)
    results = run_parts(PARTS, elsewhere, ["second"], page=page)
    assert [each.part.name for each in results] == ["first", "second"]
    assert RUNS == ["first", "second"]


@pytest.mark.parametrize(("small", "threads"), [(False, 1), (True, 2)])
def test_results_of_another_scale_are_not_overwritten(setup, tmp_path, small, threads) -> None:
    page = tmp_path / "page.md"
    _write(run_parts(PARTS, setup), page)
    other = PartSetup(setup.cards, setup.work, small, threads)
    with pytest.raises(InputError, match=r"small true, threads 1.*--out"):
        run_parts(PARTS, other, ["first"], page=page)
    assert RUNS == ["first", "second"]


def test_a_record_of_another_form_is_run_again_at_once(setup) -> None:
    run_parts(PARTS, setup)
    path = setup.work / "parts" / "first.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"found": {"worth": 3}}))
    with pytest.raises(InputError, match=r"the part first found at commit .* --part first --again"):
        run_parts(PARTS, setup, ["second"])
    run_parts(PARTS, setup, ["first"], again=True)
    assert RUNS == ["first", "second", "first"]


@pytest.mark.parametrize("cut", [0, 40])
def test_a_damaged_record_is_refused_in_a_sentence(setup, tmp_path, cut) -> None:
    page = tmp_path / "page.md"
    _write(run_parts(PARTS, setup), page)
    for path in (setup.work / "parts" / "second.json", figures_file(page)):
        whole = path.read_text()
        path.write_text(whole[:cut])
        with pytest.raises(InputError, match=f"{path.name} is damaged; remove it"):
            run_parts(PARTS, setup, ["first"], page=page)
        path.write_text(whole)
    path = setup.work / "parts" / "first.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({"scale": record["scale"]}))
    with pytest.raises(InputError, match="run it again with --part first --again"):
        run_parts(PARTS, setup)


def test_a_line_that_was_cut_short_is_run_again(tmp_path) -> None:
    path, scale = tmp_path / "part-unfinished.jsonl", {"small": True}
    kept = KeptRuns(path, scale)
    for number in range(3):
        kept.add({"number": number}, number)
    path.write_text(path.read_text()[:-5])
    kept = KeptRuns(path, scale)
    assert [kept.find({"number": number}) for number in range(3)] == [0, 1, None]
    kept.add({"number": 2}, 2)
    assert KeptRuns(path, scale).find({"number": 2}) == 2


def test_a_long_step_says_how_far_it_is() -> None:
    said: list[str] = []
    watch = within(said.append, "training")
    for done in (0.0, 9.0, 11.0, 19.0, 100.0):
        watch(Progress("training", done, 200.0))
    watch(Progress("compiling kernels", 0))
    assert said == ["training", "training, 5 % done", "training, 50 % done"]
