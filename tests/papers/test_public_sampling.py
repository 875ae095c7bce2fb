"""Public against external sampling: its parts at their smallest, stopped and resumed, and the page."""

import json

import pytest

from oracles.trainings import small_cards_everywhere
from solvent.evaluate.local_best_response import LocalBestResponse
from solvent.training.settings import MOST_PUBLIC_DECISIONS, decisions_of
from solvent_papers.page import figures_file
from solvent_papers.parts import PartResult, PartSetup, run_parts
from solvent_papers.public_sampling import sampled_agents
from solvent_papers.public_sampling.comparison_page import PARTS, reading, write_comparison_page
from solvent_papers.public_sampling.head_to_head import PAIRS, USUAL_PAIRS
from solvent_papers.public_sampling.sampled_agents import AGENTS, BETTINGS, DECISIONS, SMALL_SECONDS

SMALL = "preflop=3x,a; postflop=100%; cap=1; stack=10"
COMMAND = "solvent reproduce public-sampling --scale small"


def test_agents_are_measured_meet_and_go_on(tmp_path, monkeypatch):
    monkeypatch.setitem(sampled_agents.BETTINGS, "fcpa", SMALL)
    (tmp_path / "cards" / "tiny" / "tables").mkdir(parents=True)
    setup, page = PartSetup(tmp_path / "cards", tmp_path / "work", True, 1), tmp_path / "page.md"

    def interrupted(*given, **options):
        raise KeyboardInterrupt

    asked = ["tiny-fcpa-external", "tiny-fcpa-public", "external-cfr", "head-to-head"]
    with small_cards_everywhere():
        with monkeypatch.context() as patch:
            patch.setattr(LocalBestResponse, "run", interrupted)
            with pytest.raises(KeyboardInterrupt):
                run_parts(PARTS, setup, asked[:1])
        seen: list[str] = []
        results = run_parts(PARTS, setup, asked, watch=lambda step: seen.append(step.stage))
    assert [result.part.name for result in results] == asked
    for result, rule in zip(results[:2], ("lcfr", "dcfr(1.5,0,2)"), strict=True):
        early, late = result.found["rows"]
        assert (early["seconds"], late["seconds"]) == SMALL_SECONDS
        assert late["iterations"] >= early["iterations"] > 0
        assert late["touched"] >= early["touched"] > 0
        assert str(result.found["rule"]) == rule
        assert (tmp_path / "work" / early["run"]).is_dir()
        assert early["run"] != late["run"]
    assert len(results[2].found["rows"]) == 1
    met = results[3].found["rows"]
    assert [(row["first"], row["second"], row["seconds"]) for row in met] == [
        ("tiny-fcpa-public", "tiny-fcpa-external", seconds) for seconds in SMALL_SECONDS
    ]
    write_comparison_page(results, page, COMMAND)
    text, figures = page.read_text(), json.loads(figures_file(page).read_text())["figures"]
    assert text.count("| tiny-fcpa-public |") == 2 + 1 + 2  # both times, its part, and both meetings
    assert "Not run: small-fcpa-external, small-fcpa-public" in text
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


def row(inside: float, local: float) -> dict:
    """What is measured of an agent, as JSON has it."""
    return {
        "seconds": 1200.0,
        "inside": {"mbb": inside, "interval": 3.0, "boards": 10, "settled": True},
        "local": [["fc on turn, river", local, 10.0]],
    }


def results_of(found: list[tuple[str, dict]]) -> list[PartResult]:
    """Results of agents of these names."""
    parts = {part.name: part for part in PARTS}
    return [
        PartResult(parts[name], "0", 1.0, {"name": name, "rows": [measured]}, {}) for name, measured in found
    ]


def test_the_page_says_who_is_surely_ahead():
    found = [
        ("tiny-fcpa-external", row(50, 1_000)),
        ("tiny-fcpa-public", row(30, 2_000)),
        ("small-fcpa-external", row(50, 2_000)),
        ("small-fcpa-public", row(52, 1_000)),
        ("tiny-three-sizes-external", row(50, 1_000)),
        ("tiny-three-sizes-public", row(80, 1_000)),
        ("small-three-sizes-public", row(80, 1_000)),
    ]
    _, seen, so_what = reading(results_of(found))
    assert "tiny-fcpa-public 30 and tiny-fcpa-external 50 after 20 min" in seen
    small, tiny = (
        "small-fcpa-public against small-fcpa-external",
        "tiny-fcpa-public against tiny-fcpa-external",
    )
    assert f"surely wins less from public sampling in {small}, and surely more in {tiny}." in seen
    behind = "tiny-three-sizes-public against tiny-three-sizes-external"
    assert f"surely ahead in {tiny}, and surely behind in {behind}." in so_what
    assert "have not been compared on small-three-sizes: there the default is a guess." in so_what
    assert reading([])[1] == "Not yet compared."


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
        *((name, row(50, 1_000)) for pair in USUAL_PAIRS[:2] for name in pair),
        *((name, row(80, 1_000)) for _, name in USUAL_PAIRS[2:]),
        *((USUAL_PAIRS[2 + k][0], row(insides[k], locals_[k])) for k in range(2)),
    ]
    met = [
        {"first": first, "second": second, "seconds": 1200.0, "mbb": -30.0, "interval": 10.0}
        for first, second in USUAL_PAIRS[2:]
    ]
    _, seen, so_what = reading([*results_of(found), PartResult(PARTS[-1], "0", 1.0, {"rows": met}, {})])
    assert f"of 18,396, public sampling {said}" in so_what
    assert "local best response and surely behind head to head." in so_what
    loses = ", ".join(f"{first} against {second}" for first, second in USUAL_PAIRS[2:])
    assert f"Head to head the first surely wins in no pair, and surely loses in {loses}." in seen
    assert "guess" not in so_what


def test_betting_trees_have_the_decisions_that_the_page_names():
    for name, betting in BETTINGS.items():
        assert decisions_of(betting, None) == DECISIONS[name] < MOST_PUBLIC_DECISIONS
