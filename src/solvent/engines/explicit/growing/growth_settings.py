"""The options of a growing run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from solvent.engines.explicit.growing.discounts import DISCOUNTS, DiscountName
from solvent.foundation.errors import InputError

METHODS = ("recovery", "transfer")
ESTIMATES = ("transfer", "response")
VERSIONS = ("repaired", "faithful")
NEEDED: dict[str, tuple[Any, ...]] = {
    "plan": ("auto",),
    "form": ("auto",),
    "pruning": ("none", "total"),
    "sampling": ("none",),
    "evaluator": ("auto",),
    "device": ("cpu",),
    "dtype": ("auto", "float64"),
    "threads": (1,),
}
"""The values that other options of a solve may have where it grows."""


def check_others(method: str, others: Mapping[str, Any]) -> None:
    """Reject other options of a solve that a growing run does not have."""
    for name, value in others.items():
        if value not in NEEDED[name]:
            raise InputError(f"{name} {value} does not go with grow {method}; leave it out")


def _check_known(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"there is no {name} {value!r} of growing; there are {', '.join(known)}")


@dataclass(frozen=True)
class AdditionSettings:
    """The options of additions."""

    version: str = "repaired"
    """repaired or faithful."""
    discount: DiscountName = "recommended"
    """recommended, equation (22), or cap, equation (8)."""
    least_iterations: int = 300
    """The fewest iterations that a recovery game is played for once the game has had as many; the paper's is 1."""
    most_iterations: int | None = None
    """The most iterations that a recovery game is played for; None: as many as Z says."""

    def __post_init__(self) -> None:
        _check_known("version", self.version, VERSIONS)
        _check_known("discount", self.discount, DISCOUNTS)
        if self.least_iterations < 1 or (self.most_iterations or 1) < 1:
            raise InputError("a recovery game is played for at least one iteration")


@dataclass(frozen=True)
class GrowthSettings:
    """The options of growing."""

    method: str = "recovery"
    """The method by which bets are added: recovery or transfer."""
    factor: float = 1.01
    """Factor of the left side of Proposition 1."""
    every: int = 5
    """Iterations between two looks."""
    estimate: str = "transfer"
    """The estimate of the regret of bets outside the abstraction: transfer or response."""
    additions: AdditionSettings = field(default_factory=AdditionSettings)

    def __post_init__(self) -> None:
        _check_known("method", self.method, METHODS)
        _check_known("estimate", self.estimate, ESTIMATES)
        if not self.factor > 0:
            raise InputError(f"the factor of growing must be above 0, not {self.factor}")
        if self.every < 1:
            raise InputError(f"a growing run looks every 1 or more iterations, not every {self.every}")
