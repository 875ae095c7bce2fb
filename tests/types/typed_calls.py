"""Calls that mypy accepts or refuses. Only mypy reads this file: what it no longer finds is an unused ignore."""

from __future__ import annotations

from typing import assert_type

import solvent


def calls() -> None:
    assert_type(solvent.solve("leduc", iterations=3, time="90s", rule="cfr+", memory="8G"), solvent.Result)
    solvent.solve("leduc", iteratons=3)  # type: ignore[call-arg]
    solvent.solve("leduc", iterations="many")  # type: ignore[arg-type]
    assert_type(solvent.train("cards", out="agent", time="5m"), solvent.TrainingResult)
    solvent.train("cards", out="agent", tim="5m")  # type: ignore[call-arg]
    spot = solvent.Spot(board="Td9d6hQc2s", oop="AA", ip="KK", pot=10, stack=10)
    spot.solve(until="0.3%", isomorphism=False)
    spot.solve(utnil="0.3%")  # type: ignore[call-arg]
    solvent.AgentLoader().load(3)  # type: ignore[arg-type]
