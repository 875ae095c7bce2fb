"""The frame of experiments: records that are kept, pages that are written again, bars, options, and refusals."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import jinja2
import pytest
import typer
from typer.testing import CliRunner

from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress
from solvent_papers.commands.experiments import command_of
from solvent_papers.frame import judging, pages
from solvent_papers.frame.experiment import Experiment, Part, Setup, by_columns, by_rows, option
from solvent_papers.frame.machine import describe_machine
from solvent_papers.frame.pages import (
    flowing,
    json_text,
    markdown_table,
    new_page,
    page_again,
    save_page,
)
from solvent_papers.frame.running import KeptRuns, run_parts, within

RUNS: list[str] = []
TEMPLATE = """{% extends "base.md" %}
{% block claimed %}
Three,
it says.
{% endblock %}
{% block finding %}{{ figures["first"] | number(".1f") }}{% endblock %}
{% block so_what %}Take it. Or not.{% endblock %}
{% block body %}
## Table
{{ table(["a", "b"], [[1, "x|y"]]) }}
{% endblock %}
"""
BARS = """
[[bar]]
each.part = ["first", "second"]
name = "{part} is small"
criterion = {figure = "{part}", at_most = 2}
wanted = "at most 2"
seen = "{{part}:.1f}"

[[bar]]
name = "third"
criterion = {figure = "third", above = 0}
wanted = "more than 0"
seen = "{third:.1f}"
missing = "not reached"
"""


@dataclass(frozen=True)
class Options(Setup):
    """A set-up with an option of each kind."""

    threads: int = option(1, "Threads.", 1, 8)
    game: tuple[str, ...] = option((), "Games.")


def _part(name: str) -> Part[Options]:
    def run(setup, kept, say):
        RUNS.append(name)
        return {"value": 3}

    return Part(name, run, lambda found: {name: found["value"]})


@pytest.fixture
def experiment(tmp_path, monkeypatch) -> Experiment[Options]:
    """An experiment of two parts, whose template and bars are in a folder of their own."""
    root = tmp_path / "package"
    for path, text in (("templates/trial.md", TEMPLATE), ("bars/trial.toml", BARS)):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text)
    usual = pages._environment()
    usual.loader = jinja2.ChoiceLoader([jinja2.FileSystemLoader(root / "templates"), usual.loader])
    monkeypatch.setattr(pages, "_environment", lambda: usual)
    monkeypatch.setattr(judging, "files", lambda package: root)
    RUNS.clear()
    rows = [{"a": 1, "b": None}, {"a": 2, "b": 0.5}]
    return Experiment(
        "trial",
        "A trial",
        Options,
        (_part("first"), _part("second")),
        tables=lambda found: {"trial.csv": rows},
    )


@pytest.fixture
def setup(tmp_path) -> Options:
    return Options(tmp_path / "work", True)


def _save(experiment, records, path) -> None:
    save_page(experiment, new_page(experiment, records, "solvent reproduce trial"), path)


def test_a_part_is_run_once_and_again_when_asked(experiment, setup) -> None:
    assert list(run_parts(experiment, setup, remark="alone")) == ["first", "second"]
    records = run_parts(experiment, setup, ["second"], again=True)
    assert RUNS == ["first", "second", "second"]
    assert [each.remark for each in records.values()] == ["alone", ""]
    records["second"] = records["second"]._replace(machine="")
    text = new_page(experiment, records, "solvent reproduce trial").text
    assert "\nfirst: alone\n" in text
    table = [line for line in text.splitlines() if line.startswith(("| first |", "| second |"))]
    assert [line.split(" | ")[-1] for line in table] == [f"{describe_machine()} |", "not noted |"]


def test_a_part_is_run_again_when_what_it_is_made_of_has_been(experiment, setup) -> None:
    parts = (*experiment.parts, _part("sum")._replace(made_of=("first", "second")))
    experiment = replace(experiment, parts=parts)
    run_parts(experiment, setup, ["first", "sum"])
    run_parts(experiment, setup, ["sum"])
    assert RUNS == ["first", "sum"]
    run_parts(experiment, setup)
    assert RUNS == ["first", "sum", "second", "sum"]
    run_parts(experiment, setup, again=True, names=["first"])  # which finds the same again
    run_parts(experiment, setup)
    assert RUNS == ["first", "sum", "second", "sum", "first"]


def test_measurements_of_parts_that_have_been_run_again_are_not_taken_up(experiment, setup) -> None:
    stopped, values = [True], []

    def run(setup, kept, say):
        values.append(kept.once({"number": 1}, lambda: len(values)))
        if stopped[0]:
            raise KeyboardInterrupt
        return {"value": values[-1]}

    first, second = experiment.parts
    dependent = replace(experiment, parts=(second._replace(run=run, made_of=("first",)),))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run_parts(dependent, setup)
    run_parts(experiment, setup, ["first"])
    stopped[0] = False
    run_parts(replace(experiment, parts=(first, *dependent.parts)), setup)
    assert values == [0, 0, 2]


def test_parts_of_a_page_stay_when_others_are_run_elsewhere(experiment, setup, tmp_path) -> None:
    page = tmp_path / "page.md"
    _save(experiment, run_parts(experiment, setup, ["first"]), page)
    assert "\nNot run: second.\n" in page.read_text()
    elsewhere = Options(tmp_path / "elsewhere", True)
    records = run_parts(experiment, elsewhere, ["second"], page=page)
    assert list(records) == ["first", "second"]
    assert RUNS == ["first", "second"]


@pytest.mark.parametrize(("small", "threads"), [(False, 1), (True, 2)])
def test_results_of_another_scale_are_not_overwritten(experiment, setup, tmp_path, small, threads) -> None:
    page = tmp_path / "page.md"
    _save(experiment, run_parts(experiment, setup), page)
    other = Options(setup.work, small, threads)
    with pytest.raises(InputError, match=r"small true, threads 1.*written elsewhere"):
        run_parts(experiment, other, ["first"], page=page)
    assert RUNS == ["first", "second"]


def test_a_record_of_another_form_is_run_again_at_once(experiment, setup) -> None:
    run_parts(experiment, setup)
    path = setup.work / "parts" / "first.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"found": {"worth": 3}}))
    with pytest.raises(InputError, match=r"the part first found at commit .* --part first --again"):
        run_parts(experiment, setup, ["second"])
    run_parts(experiment, setup, ["first"], again=True)
    assert RUNS == ["first", "second", "first"]


@pytest.mark.parametrize("cut", [0, 40])
def test_a_damaged_record_is_refused_in_a_sentence(experiment, setup, tmp_path, cut) -> None:
    page = tmp_path / "page.md"
    _save(experiment, run_parts(experiment, setup), page)
    for path in (setup.work / "parts" / "second.json", page.with_suffix(".json")):
        whole = path.read_text()
        path.write_text(whole[:cut])
        with pytest.raises(InputError, match=f"{path.name} is damaged; remove it"):
            run_parts(experiment, setup, ["first"], page=page)
        path.write_text(whole)
    path = setup.work / "parts" / "first.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({"scale": record["scale"]}))
    with pytest.raises(InputError, match="run it again with --part first --again"):
        run_parts(experiment, setup)


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


# Pages


def test_a_page_begins_with_its_finding_and_is_written_again_as_it_was(experiment, setup, tmp_path) -> None:
    page = tmp_path / "page.md"
    _save(experiment, run_parts(experiment, setup), page)
    text, record = page.read_text(), page.with_suffix(".json").read_text()
    head = (
        "# A trial\n\n- **Claimed.** Three, it says.\n- **Found.** 3.0\n- **So what.** Take it. Or not.\n\n"
    )
    assert text.startswith(head)
    assert "\n## Table\n| a | b |\n| --- | --- |\n| 1 | x\\|y |\n" in text
    assert (tmp_path / "page.csv").exists() is False
    assert (tmp_path / "trial.csv").read_text() == "a,b\n1,\n2,0.5\n"
    again = page_again(experiment, page)
    assert again.text == text
    assert again.document == json.loads(record)
    assert RUNS == ["first", "second"]


def test_bars_that_were_missed_or_not_reached_are_named(experiment, setup) -> None:
    page = new_page(experiment, run_parts(experiment, setup, ["first"]), "solvent reproduce trial")
    assert "(#our-own-bars): 2, missed: first is small; third.\n" in page.text
    assert "| first is small | at most 2 | 3.0 | **missed** |\n" in page.text
    assert "| third | more than 0 | not reached | **missed** |\n" in page.text


def test_a_page_without_parts_in_its_file_is_refused(experiment, tmp_path) -> None:
    with pytest.raises(InputError, match=r"page\.json has no parts"):
        page_again(experiment, tmp_path / "page.md")


@pytest.mark.parametrize(
    ("text", "flows"),
    [
        ("one\ntwo\n\n\nthree", "one two\n\nthree\n"),
        ("- one\n  two\n\n- three", "- one two\n- three\n"),
        ("text\n- one\n- two\n\ntext", "text\n- one\n- two\n\ntext\n"),
        ("```\na\n\n\nb\n```\nc\nd", "```\na\n\n\nb\n```\nc d\n"),
        ("| a |\n| b |\nc\nd", "| a |\n| b |\nc d\n"),
        ("| a\n  | b |\n| c | d |\ne", "| a | b |\n| c | d |\ne\n"),
    ],
)
def test_paragraphs_are_one_line(text, flows) -> None:
    assert flowing(text) == flows
    assert flowing(flows) == flows


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert markdown_table("ab", [["|", "\\|"]]) == "| a | b |\n| --- | --- |\n| \\| | \\| |\n"


def test_rows_kept_by_columns_stand_on_a_line_for_each_column() -> None:
    kept = [{"a": 1.5, "b": None}, *({"a": 0.25 * n, "b": n} for n in range(9))]
    document = {"rows": by_columns(kept), "few": [1, 2], "words": ["1,\n 2"] * 10}
    text = json_text(document)
    assert json.loads(text) == document
    assert by_rows(json.loads(text)["rows"]) == kept
    lines = text.splitlines()
    assert '  "b": [null, 0, 1, 2, 3, 4, 5, 6, 7, 8]' in lines
    assert lines[lines.index(' "few": [') + 1] == "  1,"


# Commands


def _called(experiment, *arguments: str):
    app = typer.Typer()
    app.command()(command_of(experiment, "Try it."))
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def test_the_fields_of_a_setup_are_options(experiment, tmp_path) -> None:
    out, work = tmp_path / "results", tmp_path / "work"
    given = ["--scale", "small", "--threads", "2", "--game", "a b", "--game", "c", "--work", str(work)]
    found = _called(experiment, *given, "--out", str(out))
    assert found.exit_code == 0
    assert "- **Found.** 3.0\n" in found.stdout
    record = json.loads((out / "trial.json").read_text())
    assert record["command"] == "solvent reproduce trial --scale small --threads 2 --game 'a b' --game c"
    assert record["parts"]["first"]["scale"] == {"small": True, "threads": 2, "game": ["a b", "c"]}
    (out / "trial.md").unlink()
    found = _called(experiment, "--page-only", "--out", str(out), "--json")
    assert json.loads(found.stdout)["figures"] == {"first": 3, "second": 3}
    assert (out / "trial.md").exists()
    assert RUNS == ["first", "second"]
    assert _called(experiment, "--threads", "9").exit_code == 2


def test_a_benchmark_is_measured_each_time_and_keeps_nothing(experiment, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    benchmark = replace(experiment, verb="bench")
    before = sorted(tmp_path.rglob("*"))
    for _ in range(2):
        assert "A trial" in _called(benchmark).stdout
    assert RUNS == ["first", "second"] * 2
    assert sorted(tmp_path.rglob("*")) == before
    assert _called(benchmark, "--page", "trial.md").exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} >= {"trial.md", "trial.json", "trial.csv"}
    assert not (tmp_path / "trial-unfinished").exists()
    with pytest.raises(InputError, match="--page"):
        _called(benchmark, "--page-only")


def test_a_benchmark_that_was_stopped_resumes_beside_its_page(experiment, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = experiment.parts

    def stopped(setup, kept, say):
        raise InputError("stopped")

    halted = replace(experiment, verb="bench", parts=(first, second._replace(run=stopped)))
    with pytest.raises(InputError, match="stopped"):
        _called(halted, "--page", "trial.md")
    benchmark = replace(experiment, verb="bench")
    assert _called(benchmark, "--page", "trial.md").exit_code == 0
    assert RUNS == ["first", "second"]
    assert _called(benchmark, "--page", "trial.md").exit_code == 0
    assert RUNS == ["first", "second"] * 2
