"""The array plan asks no more of a library than the array API's standard has."""

from __future__ import annotations

import numpy as np
import pytest

from solvent.engines.public.arrays.devices import array_namespace
from solvent.engines.public.solver import PublicSolver
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules


@pytest.mark.parametrize("rule", ["dcfr", "pcfr+"])
@pytest.mark.parametrize(
    ("name", "isomorphism"), [("leduc", False), ("flop_holdem(suits=2,ranks=4)", True), ("kuhn", False)]
)
def test_the_standards_reference_gives_numpys_numbers(name: str, isomorphism: bool, rule: str) -> None:
    rules = load_game(name)
    assert isinstance(rules, PublicRules)
    game = public_game(rules, isomorphism)
    solvers = [PublicSolver(game, rule, device=device) for device in ("numpy", "array_api_strict")]
    for solver in solvers:
        solver.run(5)
    for ours, theirs in zip(*(solver.arena.tables.values() for solver in solvers), strict=True):
        assert np.array_equal(ours, theirs)
        assert ours.any()


def test_the_device_for_tests_is_not_offered() -> None:
    with pytest.raises(InputError, match=r"choose from cpu, numpy, torch, cupy, jax or torch:cuda$"):
        array_namespace("gpu")
