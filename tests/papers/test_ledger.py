"""The ledger of claims: every claim can be decided, its commands parse, its tests and figures exist."""

from __future__ import annotations

import ast
import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from solvent.app.command_line import app
from solvent.app.command_line import run as run_here
from solvent_papers.frame.judging import (
    POSITIVE,
    Bar,
    Near,
    Verdict,
    criterion_of,
    together,
)
from solvent_papers.ledger.ledger import (
    Absent,
    Claim,
    Missing,
    Paper,
    ResultsPage,
    counted,
    entries,
    judge,
    papers,
    read_results,
)
from solvent_papers.ledger.ledger_page import MEANINGS, QUESTIONS, SYMBOLS, write_ledger

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
CLAIMS = [(paper, claim) for paper in papers() for claim in paper.claims]
Here = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """Run a command in this process; its exit code and what it printed."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = run_here(list(arguments))
        return code, *capfd.readouterr()

    return run


def named(each: tuple[Paper, Claim]) -> str:
    paper, claim = each
    return f"{paper.number} {claim.place}: {claim.states[:40]}"


@cache
def defined(path: str) -> set[str]:
    """The functions of a test file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


# Every claim


def test_there_are_many_claims_of_every_paper() -> None:
    assert len(CLAIMS) >= 60
    assert [paper.number for paper in papers()] == ["000", "001", "002", "003", "004"]
    assert all(len(paper.claims) >= 20 for paper in papers())


def test_no_claim_stands_there_twice() -> None:
    for paper in papers():
        told = [(claim.place, claim.states) for claim in paper.claims]
        assert len(set(told)) == len(told)


@pytest.mark.parametrize("each", CLAIMS, ids=named)
def test_something_decides_or_a_reason_is_given(each: tuple[Paper, Claim]) -> None:
    claim = each[1]
    if claim.criterion is not None:
        assert not claim.tests
        assert claim.page
        assert claim.ours
        assert "{" in str(claim.ours), "our figure is shown"
    elif claim.tests:
        assert claim.missing is None
        assert claim.ours
    else:
        assert claim.missing is not None
        assert bool(claim.ours) == bool(claim.page)


def test_every_test_that_is_named_exists() -> None:
    for _, claim in CLAIMS:
        for test in claim.tests:
            path, _, name = test.partition("::")
            assert name in defined(path), test


def test_every_command_parses() -> None:
    whole = typer.main.get_command(app)
    commands = {page.command for page in read_results(RESULTS).values() if page.command}
    assert len(commands) >= 15
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "solvent"
        context = whole.make_context("solvent", words[1:])
        name, group, rest = whole.resolve_command(context, [*context._protected_args, *context.args])  # type: ignore[attr-defined]
        context = group.make_context(name, rest, parent=context)
        name, leaf, rest = group.loaded().resolve_command(context, [*context._protected_args, *context.args])
        leaf.make_context(name, rest, parent=context)


def test_every_figure_is_in_the_file_of_its_page() -> None:
    pages = read_results(RESULTS)
    for _, claim in CLAIMS:
        decided = claim.criterion is not None and claim.missing is None
        if decided or (claim.criterion is None and claim.page):
            absent = set(claim.names) - set(pages[claim.page].figures)
            assert not absent, f"{claim.place}: {absent}"


def test_figures_are_of_the_commit_command_and_day_of_their_page() -> None:
    for page in RESULTS.glob("*.md"):
        path = page.with_suffix(".json")
        if path.exists():
            record, text = json.loads(path.read_text()), page.read_text()
            assert f"```sh\n{record['command']}\n```" in text
            assert f"\n{record['date']}; " in text
            assert f" at commit {record['commit']}," in text


def test_every_page_begins_with_three_lines_and_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text()
    pages = read_results(RESULTS)
    assert set(QUESTIONS) <= set(pages)
    for stem in pages:
        assert f"results/{stem}.md" in navigation


def test_the_page_is_the_one_that_the_command_writes(tmp_path: Path) -> None:
    pages = read_results(RESULTS)
    write_ledger(entries(pages), pages, tmp_path / "index.md")
    assert (tmp_path / "index.md").read_text() == (RESULTS / "index.md").read_text(), (
        "run `solvent reproduce --list --page docs/results/index.md`"
    )


# Verdicts

X = {"figure": "x"}
Y = {"figure": "y"}
CASES = [
    (X | {"near": 2.0}, {"x": 2.1}, Verdict.AGREES),
    (X | {"near": 2.0}, {"x": 1.85}, Verdict.AGREES),
    (X | {"near": 2.0}, {"x": 2.3}, Verdict.MORE),
    (X | {"near": 2.0}, {"x": 1.2}, Verdict.LESS),
    (X | {"near": 2.0}, {"x": 0.9}, Verdict.NOT_REPRODUCED),
    (X | {"near": 2.0, "within": 0.5, "nothing": 0}, {"x": 0.9}, Verdict.LESS),
    (X | {"above": 1.0}, {"x": 1.01}, Verdict.AGREES),
    (X | {"above": 1.0}, {"x": 1.0}, Verdict.NOT_REPRODUCED),
    (X | {"at_least": 1.0}, {"x": 1.0}, Verdict.AGREES),
    (X | {"at_least": 1.0}, {"x": 0.99}, Verdict.NOT_REPRODUCED),
    (X | {"below": 1.0}, {"x": 0.99}, Verdict.AGREES),
    (X | {"below": 1.0}, {"x": 1.0}, Verdict.NOT_REPRODUCED),
    (X | {"at_most": 1.0}, {"x": 1.0}, Verdict.AGREES),
    (X | {"at_most": 1.0}, {"x": 1.01}, Verdict.NOT_REPRODUCED),
    ({"increasing": ["x", "y"]}, {"x": 1.0, "y": 2.0}, Verdict.AGREES),
    ({"increasing": ["x", "y"]}, {"x": 2.0, "y": 2.0}, Verdict.NOT_REPRODUCED),
    (X | {"won": 100.0}, {"x": 90.0, "x.low": 50.0, "x.high": 130.0}, Verdict.AGREES),
    (X | {"won": 100.0}, {"x": 60.0, "x.low": 50.0, "x.high": 70.0}, Verdict.LESS),
    (X | {"won": 100.0}, {"x": 160.0, "x.low": 150.0, "x.high": 170.0}, Verdict.MORE),
    (X | {"won": 100.0}, {"x": 20.0, "x.low": -5.0, "x.high": 45.0}, Verdict.NOT_REPRODUCED),
    ({"every": [X | {"above": 1}, Y | {"above": 1}]}, {"x": 2.0, "y": 0.0}, Verdict.IN_PART),
    ({"every": [X | {"near": 2}, Y | {"near": 2}]}, {"x": 1.5, "y": 1.5}, Verdict.LESS),
    ({"every": [X | {"near": 2}, Y | {"near": 2}]}, {"x": 1.5, "y": 0.5}, Verdict.NOT_REPRODUCED),
    ({"all": [X | {"above": 1}, Y | {"above": 1}]}, {"x": 2.0, "y": 0.0}, Verdict.NOT_REPRODUCED),
    ({"all": [X | {"above": 1}, Y | {"near": 1}]}, {"x": 2.0, "y": 3.0}, Verdict.AGREES),
]


@pytest.mark.parametrize(("table", "figures", "verdict"), CASES)
def test_verdicts_follow_from_figures(
    table: dict[str, Any], figures: dict[str, float], verdict: Verdict
) -> None:
    criterion = criterion_of(table)
    assert set(criterion.names) <= set(figures)
    assert criterion.judge(figures) is verdict
    assert str(criterion)


@pytest.mark.parametrize(
    "table", [{}, {"figure": "x"}, {"figure": "x", "over": 1}, X | {"above": 1, "below": 2}]
)
def test_what_is_no_criterion_is_refused(table: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no criterion"):
        criterion_of(table)


@given(st.floats(1.05, 100), st.floats(-10, 1000), st.floats(-10, 1000))
def test_a_larger_factor_never_has_a_worse_verdict(claimed: float, one: float, other: float) -> None:
    order = [Verdict.NOT_REPRODUCED, Verdict.LESS, Verdict.AGREES, Verdict.MORE]
    low, high = (order.index(Near("x", claimed).judge({"x": value})) for value in sorted((one, other)))
    assert low <= high


@given(st.lists(st.sampled_from([*POSITIVE, Verdict.LESS, Verdict.NOT_REPRODUCED]), min_size=1))
def test_together_is_never_better_than_the_best_nor_worse_than_the_worst(verdicts: list[Verdict]) -> None:
    found = together(verdicts)
    if found in POSITIVE:
        assert all(verdict in POSITIVE for verdict in verdicts)
    if found is Verdict.NOT_REPRODUCED:
        assert not any(verdict in POSITIVE for verdict in verdicts)
    assert together(verdicts[::-1]) is found


def results(**figures: float) -> dict[str, ResultsPage]:
    return {"page": ResultsPage("page", "Page", "So what.", figures, (), "abc1234", "solvent games")}


def test_a_claim_without_its_figure_says_what_it_waits_for() -> None:
    claim = Claim("Table 1", "twice", "{x:.1f} times", Near("x", 2), "page")
    waiting = replace(
        claim,
        missing=Missing(Verdict.NOT_BUILT, "not yet", Absent("solvent solve leduc --rule none", "nothing")),
    )
    found = [judge(papers()[0], each, results(x=2.0)) for each in (claim, waiting)]
    assert [(entry.verdict, entry.ours, entry.command, entry.commit) for entry in found] == [
        (Verdict.AGREES, "2.0 times", "solvent games", "abc1234")
    ] * 2
    without = [judge(papers()[0], each, results()) for each in (claim, waiting)]
    assert [entry.verdict for entry in without] == [Verdict.NOT_TESTED, Verdict.NOT_BUILT]
    assert without[1].ours == "not yet"


def test_figures_that_cannot_decide_are_shown_beside_the_reason() -> None:
    claim = Claim(
        "Table 1", "twice", "{x:.1f} times", page="page", missing=Missing(Verdict.NOT_TESTED, "another game")
    )
    shown, without = (judge(papers()[0], claim, pages) for pages in (results(x=2.0), results()))
    assert (shown.verdict, shown.ours, shown.commit) == (
        Verdict.NOT_TESTED, "2.0 times; another game", "abc1234",
    )  # fmt: skip
    assert (without.verdict, without.ours, without.commit) == (Verdict.NOT_TESTED, "another game", "")


def test_every_verdict_has_a_symbol_and_a_meaning() -> None:
    assert set(SYMBOLS) == set(MEANINGS) == set(Verdict)


# Pages and the command


HEAD = "# A page\n\n- **Claimed.** It is so.\n- **Found.** It is.\n- **So what.** Take it. Or not.\n\n"


def test_bars_and_figures_are_read(tmp_path: Path) -> None:
    bars = (Bar("quick", "at most 0.5", "0.78", met=False), Bar("small", "at most 1", "0.9", met=True))
    record = {"figures": {"speed": 1.5}, "bars": [bar._asdict() for bar in bars], "commit": "abc1234"}
    (tmp_path / "page.md").write_text(f"{HEAD}What was done.\n")
    (tmp_path / "page.json").write_text(json.dumps(record))
    found = read_results(tmp_path)["page"]
    assert (found.figures, found.bars, found.commit) == ({"speed": 1.5}, bars, "abc1234")
    assert (found.title, found.in_short) == ("A page", "Take it.")
    write_ledger(entries({"page": found}), {"page": found}, tmp_path / "index.md")
    index = (tmp_path / "index.md").read_text()
    assert "quick; wanted at most 0.5, seen 0.78" in index
    assert "small; wanted" not in index


def test_the_command_lists_claims(here: Here, tmp_path: Path) -> None:
    page = tmp_path / "index.md"
    code, out, _ = here("reproduce", "--list", "--results", str(RESULTS), "--page", str(page), "--json")
    assert code == 0
    claims = json.loads(out)["claims"]
    assert len(claims) == len(CLAIMS)
    assert {claim["verdict"] for claim in claims} <= {str(verdict) for verdict in Verdict}
    assert page.read_text() == (RESULTS / "index.md").read_text()
    code, out, _ = here("reproduce", "--list", "--results", str(RESULTS))
    assert code == 0
    assert f"{len(CLAIMS)} claims" in out


def test_without_results_nothing_is_decided_by_figures(tmp_path: Path) -> None:
    found = entries(read_results(tmp_path / "nowhere"))
    assert not {Verdict.AGREES, Verdict.NOT_REPRODUCED} & set(counted(found))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--json"], "--list"),
        (["--list", "aggregation"], "leave it out"),
        (["--list", "--page", "{folder}"], "is a folder"),
    ],
)
def test_what_cannot_be_listed_is_refused(
    here: Here, tmp_path: Path, arguments: list[str], said: str
) -> None:
    code, _, err = here("reproduce", *(each.format(folder=tmp_path) for each in arguments))
    assert code == 2
    assert said in err


def test_a_damaged_file_of_figures_is_refused(here: Here, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(HEAD)
    (tmp_path / "page.json").write_text("{")
    code, _, err = here("reproduce", "--list", "--results", str(tmp_path))
    assert code == 2
    assert "page.json" in err
