"""Public against external sampling: its parts at their smallest, stopped and resumed, and the page."""

import pytest

from oracles.trainings import small_cards_everywhere
from solvent.evaluate.local_best_response import LocalBestResponse
from solvent.training.settings import MOST_PUBLIC_DECISIONS, decisions_of
from solvent_papers.frame.cards import CardSetup
from solvent_papers.frame.pages import Page, new_page
from solvent_papers.frame.running import Record, run_parts
from solvent_papers.public_sampling import (
    AGENTS,
    BETTINGS,
    DECISIONS,
    EXPERIMENT,
    HEAD_TO_HEAD,
    PAIRS,
    SMALL_SECONDS,
    USUAL_PAIRS,
    copy_run,
)

COMMAND = "solvent reproduce public-sampling --scale small"


def test_agents_are_measured_meet_and_go_on(tmp_path, monkeypatch):
    (tmp_path / "cards" / "tiny" / "tables").mkdir(parents=True)
    setup = CardSetup(tmp_path / "work", True, tmp_path / "cards", 1)

    def interrupted(*given, **options):
        raise KeyboardInterrupt

    asked = ["tiny-fcpa-external", "tiny-fcpa-public", "external-cfr", "head-to-head"]
    with small_cards_everywhere():
        with monkeypatch.context() as patch:
            patch.setattr(LocalBestResponse, "run", interrupted)
            with pytest.raises(KeyboardInterrupt):
                run_parts(EXPERIMENT, setup, asked[:1])
        records = run_parts(EXPERIMENT, setup, asked)
    assert list(records) == asked
    for name, rule in zip(asked[:2], ("lcfr", "dcfr(1.5,0,2)"), strict=True):
        early, late = records[name].found["rows"]
        assert (early["seconds"], late["seconds"]) == SMALL_SECONDS
        assert late["iterations"] >= early["iterations"] > 0
        assert late["touched"] >= early["touched"] > 0
        assert str(records[name].found["rule"]) == rule
        assert (tmp_path / "work" / early["run"]).is_dir()
        assert early["run"] != late["run"]
    assert len(records["external-cfr"].found["rows"]) == 1
    assert [
        (row["first"], row["second"], row["seconds"]) for row in records["head-to-head"].found["rows"]
    ] == [("tiny-fcpa-public", "tiny-fcpa-external", seconds) for seconds in SMALL_SECONDS]
    page = new_page(EXPERIMENT, records, COMMAND)
    # the pair, both times, both meetings, and its part
    assert page.text.count("| tiny-fcpa-public |") == 1 + 2 + 2 + 1
    assert "Not run: small-fcpa-external, small-fcpa-public" in page.text
    figures = page.document["figures"]
    assert "tiny-fcpa-public.0.4 s.inside" in figures
    assert len(figures) == 2 * 2 * 2 + 2 + 2


def test_every_agent_that_meets_is_trained_at_a_common_time():
    by_name = {agent.name: agent for agent in AGENTS}
    for first, second in PAIRS:
        assert set(by_name[first].seconds) & set(by_name[second].seconds)
        assert (by_name[first].cards, by_name[first].betting) == (
            by_name[second].cards,
            by_name[second].betting,
        )


def agent_found(name: str, inside: float, local: float) -> tuple[str, dict]:
    """The findings of an agent's part after 20 minutes."""
    (agent,) = (agent for agent in AGENTS if agent.name == name)
    row = {
        "seconds": 1200.0,
        "iterations": 1,
        "touched": 1,
        "inside": {"mbb": inside, "interval": 3.0, "boards": 10, "settled": True},
        "local": [["fc on turn, river", local, 10.0]],
    }
    return name, {**agent._asdict(), "rule": "lcfr", "threads": 1, "rows": [row]}


def page_of(found: list[tuple[str, dict]]) -> Page:
    """The page of what parts found, by their names."""
    records = {name: Record({"small": False}, "0", "", 1.0, "", each) for name, each in found}
    return new_page(EXPERIMENT, records, COMMAND)


def test_the_page_says_who_is_surely_ahead():
    page = page_of(
        [
            agent_found("tiny-fcpa-external", 50, 1_000),
            agent_found("tiny-fcpa-public", 30, 2_000),
            agent_found("small-fcpa-external", 50, 2_000),
            agent_found("small-fcpa-public", 52, 1_000),
            agent_found("tiny-three-sizes-external", 50, 1_000),
            agent_found("tiny-three-sizes-public", 80, 1_000),
            agent_found("small-three-sizes-public", 80, 1_000),
        ]
    )
    for name, inside, local in (
        ("tiny-fcpa", "30 and 50, surely ahead", "surely behind"),
        ("small-fcpa", "52 and 50", "surely ahead"),
        ("tiny-three-sizes", "80 and 50, surely behind", "-"),
    ):
        assert f"| {name}-public | {name}-external | 20 min | {inside} | {local} | - |\n" in page.text
    assert "In 3 pairs of agents after equal time, the first of which samples publicly, a " in page.head
    assert (
        "surely wins less from the first in 1 and surely more in 1; local best response surely less in 1 and "
        "surely more in 1; head to head the first surely wins in none and surely loses in none."
    ) in page.head
    assert "have not been compared on small-three-sizes: there the default is a guess." in page.head
    assert "- **Found.** Not yet compared.\n" in page_of([]).head


@pytest.mark.parametrize(
    ("insides", "locals_", "said"),
    [
        ((50, 52), (500, 500), "is surely ahead inside the abstraction, surely ahead against"),
        (
            (80, 81),
            (1_000, 500),
            "is neither surely ahead nor behind inside the abstraction, nowhere surely",
        ),
        ((50, 120), (2_000, 500), "is surely ahead with some cards and behind with others inside"),
        (
            (81, 120),
            (2_000, 2_000),
            "is nowhere surely ahead inside the abstraction, surely behind against",
        ),
    ],
)
def test_the_page_says_what_the_default_rests_on(insides, locals_, said):
    found = [
        *(agent_found(name, 50, 1_000) for pair in USUAL_PAIRS[:2] for name in pair),
        *(agent_found(name, 80, 1_000) for _, name in USUAL_PAIRS[2:]),
        *(agent_found(USUAL_PAIRS[2 + k][0], insides[k], locals_[k]) for k in range(2)),
    ]
    met = [
        {"first": first, "second": second, "seconds": 1200.0, "mbb": -30.0, "interval": 10.0, "pairs": 10}
        for first, second in USUAL_PAIRS[2:]
    ]
    page = page_of([*found, (HEAD_TO_HEAD, {"rows": met})])
    assert f"of 18,396, public sampling {said}" in page.head
    assert "local best response and surely behind head to head." in page.head
    assert "head to head the first surely wins in none and surely loses in 2." in page.head
    for first, second in USUAL_PAIRS[2:]:
        (row,) = (
            line
            for line in page.text.splitlines()
            if line.startswith(f"| {first} | {second} | 20 min |") and " and " in line
        )
        assert row.endswith("| surely behind |")
    assert "guess" not in page.head


def test_betting_trees_have_the_decisions_that_the_page_names():
    for name, betting in BETTINGS.items():
        assert decisions_of(betting, None) == DECISIONS[name] < MOST_PUBLIC_DECISIONS


def test_a_copy_that_was_stopped_is_made_anew(tmp_path) -> None:
    run, copy = tmp_path / "run", tmp_path / "copy"
    run.mkdir()
    (run / "run.toml").write_text("whole")
    copy.mkdir()
    copy_run(run, copy)
    assert (copy / "run.toml").read_text() == "whole"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "run"]
