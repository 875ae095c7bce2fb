"""What no player reaches is put away, and nothing changes by it."""

from __future__ import annotations

import numpy as np
import pytest

from solvent import solve
from solvent.engines.explicit.growing import archive
from solvent.engines.explicit.growing.solver import GrowingSolver
from solvent.engines.rules import load_rule
from solvent.games.continuous_leduc import ContinuousLeduc


@pytest.mark.parametrize(("rule", "updates"), [("cfr", "alternating"), ("lcfr", "simultaneous")])
def test_run_with_an_archive_equals_one_without_to_the_bit(monkeypatch, rule, updates):
    monkeypatch.setattr(archive, "LEAST", 1)
    filed, plain = (GrowingSolver(ContinuousLeduc(), load_rule(rule), updates) for _ in range(2))
    plain.game.archive = None
    returned = put_away = 0
    for _ in range(30):
        for solver in (filed, plain):
            solver.run(4)
        away = filed.game.archive.bytes
        assert 8 * filed.game._tables.stored + away == 8 * plain.game.tables.stored
        put_away += away > 0
        filed.run(1)
        plain.run(1)
        returned += away > 0 == filed.game.archive.bytes
    assert put_away
    assert returned
    assert list(filed.log) == list(plain.log)
    assert filed.nodes_touched == plain.nodes_touched
    for name in plain.game.tables.names:
        np.testing.assert_array_equal(filed.game.tables.rows(name), plain.game.tables.rows(name))


def test_resumed_run_with_an_archive_equals_an_undisturbed_one_to_the_bit(monkeypatch, tmp_path):
    monkeypatch.setattr(archive, "LEAST", 1)
    whole = solve("continuous_leduc", grow="recovery", iterations=123, out=tmp_path / "whole")
    solve("continuous_leduc", grow="recovery", iterations=68, out=tmp_path / "cut")
    cut = solve(resume=tmp_path / "cut", iterations=123)
    assert whole.additions == cut.additions
    np.testing.assert_array_equal(whole.strategy.weights, cut.strategy.weights)
    assert whole.convergence[-1]["archived_bytes"] == cut.convergence[-1]["archived_bytes"] > 0
    assert whole.nodes_touched == cut.nodes_touched


def test_a_full_disk_leaves_the_tables_in_memory(monkeypatch):
    def full(file, array):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "LEAST", 1)
    filed, plain = (GrowingSolver(ContinuousLeduc(), load_rule("cfr")) for _ in range(2))
    plain.game.archive = None
    monkeypatch.setattr(archive, "put_array", full)
    for solver in (filed, plain):
        solver.run(30)
    assert filed.game.archive.bytes == 0
    for name in plain.game.tables.names:
        np.testing.assert_array_equal(filed.game.tables.rows(name), plain.game.tables.rows(name))
