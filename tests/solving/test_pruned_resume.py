"""Pruned solves that are cut into parts, or stopped and resumed, are the same solves, down to their memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import compiled
from solvent.engines.history.pruned.solver import PrunedSolver
from solvent.engines.pruning import Pruning
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.forms.public.game import public_game
from solvent.foundation.storage.run import Run
from solvent.games.holdem.limit_holdem import FlopHoldem
from solvent.games.leduc import Leduc
from solvent.solving.solve import solve

FACTS = ("iterations", "nodes_touched", "response_nodes", "peak_stored")
"""What a checkpoint says of a solver and `restore` is told."""
MEASURED = (*FACTS, "pruned_actions", "stored_regrets", "stored_averages", "table_bytes")
UPDATES = ["alternating", "simultaneous"]
EVERY = {"every": 3, "least": 1.0, "average": 0.1}
"""Options with which a short solve prunes, releases and forgets much."""


def check_cuts(make: Callable[[], Any], iterations: int, seed: int, must_prune: bool = True) -> None:
    """Compare a solver that runs through with one that is cut at random, and with one that is also resumed."""
    draw = np.random.default_rng(seed)
    cuts = np.unique(draw.integers(0, iterations, 6)).tolist()
    through, cut, resumed = make(), make(), make()
    pruned = 0
    for first, stop in pairwise([0, *cuts, iterations]):
        for _ in range(first, stop):
            through.run(1)
        cut.run(stop - first)
        resumed.run(stop - first)
        saved = {name: table.copy() for name, table in resumed.saved_tables().items()}
        facts = {name: getattr(resumed, name) for name in FACTS}
        resumed = make()
        resumed.load_tables(saved)
        resumed.restore(facts)
        expected = through.saved_tables()
        for other in (cut, resumed):
            for name in MEASURED:
                assert getattr(other, name) == getattr(through, name), name
            for name, table in other.saved_tables().items():
                np.testing.assert_array_equal(table, expected[name], err_msg=name)
        pruned = max(pruned, through.pruned_actions)
    assert pruned > 0 or not must_prune


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", ["cfr", "cfr+", "lcfr"])
@pytest.mark.parametrize("mode", ["interval", "total"])
def test_histories(mode: str, rule: str, updates: str) -> None:
    tree = compiled("leduc(ranks=2,suits=2)")
    for seed in range(3):
        check_cuts(lambda: PrunedSolver(tree, rule, updates, Pruning(mode, **EVERY)), 150, seed)


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", ["cfr", "cfr+", "lcfr"])
@pytest.mark.parametrize("mode", ["partial", "total"])
@pytest.mark.parametrize(
    "rules", [Leduc(bets1=(1, 2, 4), bets2=(2, 4)), FlopHoldem(suits=2, ranks=4, raises=1)], ids=str
)
def test_public_forms(rules: Any, mode: str, rule: str, updates: str) -> None:
    game = public_game(rules, isomorphism=False)
    prunes = isinstance(rules, Leduc) and mode != "partial"
    check_cuts(lambda: PrunedPublicSolver(game, rule, updates, Pruning(mode, **EVERY)), 90, 0, prunes)


@pytest.mark.parametrize("mode", ["interval", "total"])
def test_metrics_of_a_resumed_run_are_those_of_an_undisturbed_one(tmp_path: Path, mode: str) -> None:
    how: dict[str, Any] = {"rule": "cfr", "pruning": mode, "prune_every": 5, "check_every": 10}
    solve("leduc", iterations=200, out=tmp_path / "through", **how)
    stop = 10 * int(np.random.default_rng().integers(1, 20))
    solve("leduc", iterations=stop, out=tmp_path / "parts", **how)
    solve(resume=tmp_path / "parts", iterations=200, check_every=10)
    through, parts = (
        {row["iterations"]: {**row, "seconds": 0} for row in Run.open(folder).metrics()}
        for folder in (tmp_path / "through", tmp_path / "parts")
    )
    assert {"table_bytes", "stored_regrets"} <= through[200].keys()
    common = sorted(through.keys() & parts.keys())
    assert common[-1] == 200
    assert [parts[t] for t in common] == [through[t] for t in common], stop
