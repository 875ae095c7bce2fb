"""`solvent warm`: the kernels of commands, compiled before they are needed."""

from __future__ import annotations

import json

import pytest
from commands_run import refused, solvent


def test_warm_runs_one_command_in_miniature() -> None:
    done = solvent("warm", "--only", "solve", "--json")
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["seconds"]) == ["solve"]


@pytest.mark.slow
def test_warm_runs_every_command_in_miniature() -> None:
    done = solvent("warm", "--json")
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["seconds"]) == ["solve", "train", "match", "evaluate", "spot"]


def test_warm_refuses_commands_without_kernels_and_names_the_cache() -> None:
    assert "solve, train, match, evaluate, spot" in refused("warm", "--only", "runs")
    assert "NUMBA_CACHE_DIR" in solvent("warm", "--help").stdout
