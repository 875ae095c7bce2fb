"""Public against external sampling: a part of the experiment at its smallest, stopped and resumed, and its page."""

import json

import pytest

from oracles.trainings import small_cards_everywhere
from solvent.experiments.board_sampling import comparison
from solvent.experiments.board_sampling.comparison_page import write_comparison_page
from solvent.experiments.page import figures_file
from solvent.experiments.parts import PartSetup, run_parts
from solvent.play.matches import MatchResult
from solvent.play.statistics import Winnings

SMALL = "preflop=3x,a; postflop=100%; cap=1; stack=10"


def test_a_part_measures_both_ways_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setitem(comparison.BETTINGS, "fcpa", SMALL)
    (tmp_path / "cards" / "tiny" / "tables").mkdir(parents=True)
    setup, page = PartSetup(tmp_path / "cards", tmp_path / "work", True, 1), tmp_path / "page.md"

    def interrupted(*given, **options):
        return MatchResult(("public", "external"), Winnings(1, 0, 0, 100), 4, 0.0)

    with small_cards_everywhere():
        with monkeypatch.context() as patch:
            patch.setattr(comparison, "expected_match", interrupted)
            with pytest.raises(KeyboardInterrupt):
                run_parts(comparison.PARTS, setup, ["lcfr"])
        seen: list[str] = []
        (result,) = run_parts(comparison.PARTS, setup, ["lcfr"], watch=lambda step: seen.append(step.stage))
    assert seen[0] == "lcfr: head to head after 200 ms"
    found = result.found
    assert [(row["sampling"], row["seconds"]) for row in found["rows"]] == [
        (sampling, seconds) for seconds in comparison.SMALL_SECONDS for sampling in ("external", "public")
    ]
    for sampling in ("external", "public"):
        early, late = (comparison.row_of(found, sampling, seconds) for seconds in comparison.SMALL_SECONDS)
        assert late["iterations"] >= early["iterations"] > 0
        assert late["touched"] >= early["touched"] > 0
    write_comparison_page([result], page, "solvent reproduce public-sampling --scale small")
    text, figures = page.read_text(), json.loads(figures_file(page).read_text())["figures"]
    assert "\n## lcfr\n" in text
    assert "Not run: tiny-fcpa, small-fcpa" in text
    assert "lcfr.public.0.4 s.inside" in figures
    assert len(figures) == 2 * 2 * 2 + 2
