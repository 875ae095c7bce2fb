"""The types of options name every option, and mypy refuses others."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path

import pytest
from mypy import api

import solvent
from solvent.solving.option_types import SolveOptions, SpotOptions, TrainOptions
from solvent.solving.settings import Settings
from solvent.spots.settings import SpotSettings
from solvent.training.settings import TrainingSettings

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("options", "settings", "besides"),
    [
        (SolveOptions, Settings, set()),
        (TrainOptions, TrainingSettings, set()),
        (SpotOptions, SpotSettings, {"sizes"}),  # a spot has its sizes
    ],
)
def test_every_option_has_a_type(options, settings, besides) -> None:
    assert set(options.__annotations__) | besides == {each.name for each in fields(settings)}


@pytest.mark.parametrize("call", [solvent.solve, solvent.train, solvent.Spot.solve])
def test_help_names_every_option(call) -> None:
    parameters = inspect.signature(call).parameters
    assert {"iterations", "time", "threads", "watch"} <= parameters.keys()
    assert not any(each.kind is each.VAR_KEYWORD for each in parameters.values())


@pytest.mark.slow
def test_mypy_finds_misspelt_options() -> None:
    """Each mistake there is marked as one, and a mark without its mistake is an error too."""
    said, _, code = api.run(
        [str(REPOSITORY / "tests/types"), "--config-file", str(REPOSITORY / "pyproject.toml")]
    )
    assert code == 0, said
