"""The runs of the SAEF experiment under a memory budget."""

from __future__ import annotations

from solvent_papers.saef.budget import budget_bars, budget_figures, budget_section, run_under_budget


def test_runs_under_a_budget_keep_it():
    whole = run_under_budget(1.0, 0, 300, "simultaneous")
    part = run_under_budget(0.75, whole.budget, 300, "simultaneous")
    assert part.peak <= part.budget == int(0.75 * whole.budget)
    assert part.refused > 0 == whole.refused
    figures = budget_figures([whole, part])
    assert figures["budget 0.75.peak by budget"] <= 1
    assert budget_bars(figures)[0].met
    assert "| 75% |" in budget_section([whole, part])[-1]
