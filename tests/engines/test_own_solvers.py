"""Samplings and prunings of one's own, by name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import solvent
from solvent.engines.pruning import PRUNINGS
from solvent.engines.sampling import SAMPLINGS, Sampling
from solvent.foundation.errors import InputError
from solvent.solving.choose import OWN_PRUNINGS, OWN_SAMPLINGS


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Registered names are forgotten after the test."""
    before = PRUNINGS[:], SAMPLINGS[:]
    yield
    PRUNINGS[:], SAMPLINGS[:] = before
    OWN_PRUNINGS.clear()
    OWN_SAMPLINGS.clear()


@pytest.mark.usefixtures("forgotten")
def test_registered_solvers_are_found_by_name() -> None:
    @solvent.register_sampling("doubled")
    class Doubled(solvent.SamplingSolver):
        """External sampling that walks twice in each iteration."""

        def __init__(self, tree: solvent.GameTree, settings: solvent.Settings) -> None:
            super().__init__(tree, settings.rule, Sampling("external"), settings.seed)

        def run(self, iterations: int) -> None:
            super().run(2 * iterations)

    @solvent.register_pruning("nothing")
    def full_width(tree: solvent.GameTree, settings: solvent.Settings) -> solvent.HistorySolver:
        return solvent.HistorySolver(tree, settings.rule)

    sampled = solvent.solve("kuhn", sampling="doubled", iterations=1000)
    assert sampled.iterations >= 1000
    assert sampled.exploitability < 0.2
    pruned = solvent.solve("kuhn", pruning="nothing", rule="cfr", iterations=50)
    plain = solvent.solve("kuhn", rule="cfr", form="history", iterations=50)
    assert pruned.exploitability == pytest.approx(plain.exploitability, abs=1e-12)
    with pytest.raises(InputError, match="there is a sampling 'external' already"):
        solvent.register_sampling("external")
    with pytest.raises(InputError, match=r"there is no sampling 'robust'; choose from .*doubled"):
        solvent.solve("kuhn", sampling="robust")
