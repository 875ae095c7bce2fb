"""Starting from a strategy: nothing of it is lost, and it is a better start than none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solvent
from conftest import compiled
from solvent.engines.history.solver import HistorySolver
from solvent.engines.public.solver import PublicSolver
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game

RULES = ("cfr", "cfr+", "lcfr", "dcfr", "pcfr+")


def solvers(plan: str, rule: str = "dcfr", updates: str = "alternating") -> HistorySolver | PublicSolver:
    if plan in ("flattened", "sequence", "stored"):
        return HistorySolver(compiled("leduc"), rule, updates, "serial" if plan == "stored" else plan)
    return PublicSolver(public_game(load_game("leduc"), isomorphism=False), rule, updates, plan)


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("plan", ["stored", "flattened", "sequence", "vectors", "sequences", "serial"])
def test_the_start_is_the_strategy(plan: str, updates: str) -> None:
    source = solvers(plan, "cfr+")
    source.run(100)
    sigma = source.strategy(iterations=100)
    for rule in RULES:
        warm = solvers(plan, rule, updates)
        warm.warm_start(sigma)
        assert warm.head_start == 100
        assert warm.evaluate().exploitability == pytest.approx(source.evaluate().exploitability, rel=1e-9)
        played = warm.strategy().probabilities
        reached = np.asarray(warm.arena.table("average")) > 0
        assert np.allclose(played[reached], sigma.probabilities[reached], atol=1e-9)
        warm.run(20)
        cold = solvers(plan, rule, updates)
        cold.run(20)
        assert warm.evaluate().exploitability < 0.5 * cold.evaluate().exploitability


def test_forms_start_alike() -> None:
    history, public = solvers("stored", "cfr"), solvers("serial", "cfr")
    for solver in (history, public):
        other = solvers("stored" if solver is history else "serial", "cfr+")
        other.run(50)
        solver.warm_start(other.strategy(iterations=50))
        solver.run(5)
    assert history.evaluate().exploitability == pytest.approx(public.evaluate().exploitability, rel=1e-6)


def test_a_start_comes_first_and_counts_for_something() -> None:
    solver = solvers("stored")
    sigma = solver.strategy()
    with pytest.raises(InputError, match="at least 1 iteration"):
        solver.warm_start(sigma, iterations=0)
    solver.run(1)
    with pytest.raises(InputError, match="before the first iteration"):
        solver.warm_start(sigma)


def test_a_run_remembers_its_head_start(tmp_path: Path) -> None:
    first = solvent.solve("kuhn", iterations=50, out=tmp_path / "first")
    options = {"warm_start": first.strategy, "rule": "lcfr"}
    whole = solvent.solve("kuhn", iterations=30, **options)  # type: ignore[arg-type]
    solvent.solve("kuhn", iterations=10, out=tmp_path / "run", **options)  # type: ignore[arg-type]
    resumed = solvent.solve(resume=tmp_path / "run", iterations=30)
    assert resumed.exploitability == whole.exploitability


def test_what_is_no_strategy_is_refused() -> None:
    with pytest.raises(InputError, match="warm_start is a strategy or the folder of one, not a dict"):
        solvent.solve("kuhn", iterations=1, warm_start={"J||": [1, 1]})
