"""Tables of int16 that iterations make worse: the best averages are kept, and it is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvent.foundation.storage.run import Run
from solvent.spots.nodes.solution import open_spot
from solvent.spots.run import resume_spot, solve_spot
from solvent.spots.settings import SpotSettings

SPOT: dict[str, Any] = {
    "board": "Td9d6hQc2s", "oop": "QQ+,AKs,76s", "ip": "JJ-99,AQs", "pot": 200, "stack": 900, "bets": "50%,a",
}  # fmt: skip
LONG = SpotSettings(iterations=6000, dtype="int16")


def test_the_best_averages_are_kept_and_it_is_said(tmp_path: Path) -> None:
    found = solve_spot(SPOT, LONG, out=tmp_path / "run")
    measured = {row["iterations"]: row["exploitability"] for row in found.convergence}
    best = min(measured, key=lambda iterations: measured[iterations])
    assert found.exploitability == measured[best] < measured[6000]
    (said,) = found.notes
    assert said.startswith("int16 became worse: exploitability was")
    assert f"with the averages of iteration {best:,}, which are kept; float32 comes closer" in said
    again = solve_spot(SPOT, SpotSettings(iterations=best, dtype="int16"))
    assert np.array_equal(again.solver.average, found.solver.average)
    assert again.notes == ()
    opened = open_spot(tmp_path / "run")
    assert opened.exploitability == found.exploitability
    assert opened.root.frequencies == pytest.approx(found.root_actions, abs=1e-12)
    facts = Run.open(tmp_path / "run").facts()
    assert (facts["iterations"], facts["exploitability_at"]) == (6000, best)
    assert facts["exploitability"] == found.exploitability


def test_a_run_goes_on_from_its_last_averages_and_remembers_the_best(tmp_path: Path) -> None:
    whole = solve_spot(SPOT, LONG)
    solve_spot(SPOT, SpotSettings(iterations=5000, dtype="int16"), out=tmp_path / "run")
    resumed = resume_spot(tmp_path / "run", {"iterations": 6000})
    assert resumed.notes == whole.notes
    assert resumed.exploitability == whole.exploitability
    assert np.array_equal(resumed.solver.regret, whole.solver.regret)


def test_without_room_it_is_only_said() -> None:
    tables = solve_spot(SPOT, SpotSettings(iterations=0, dtype="int16")).table_bytes
    size = solve_spot(SPOT, SpotSettings(iterations=0, dtype="int16")).size
    found = solve_spot(
        SPOT, SpotSettings(iterations=6000, dtype="int16", memory=tables + size.form_bytes + 8)
    )
    assert found.exploitability == found.convergence[-1]["exploitability"]
    assert "for which there was no room in memory" in found.notes[0]


def test_other_tables_say_nothing() -> None:
    assert solve_spot(SPOT, SpotSettings(iterations=60)).notes == ()
