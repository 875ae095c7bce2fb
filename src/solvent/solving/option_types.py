"""Types of the options of `solve`, `train` and `Spot.solve`, for editors, type checkers and `help`.

`Settings`, `TrainingSettings` and `SpotSettings` have their defaults, checks and descriptions; a test compares the
names. An option that is None is one that was not given.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

from solvent.engines.rules import RegretRule

Call = TypeVar("Call", bound=Callable[..., Any])


class SharedOptions(TypedDict, total=False):
    """Options that solves and trainings share."""

    rule: RegretRule | str | None
    iterations: int | None
    time: float | str | None
    check_every: int | None
    checkpoint_every: float | str | None
    threads: int | None
    memory: int | str | None
    seed: int | None
    exploration_decay: bool | None
    exploration_mix: bool | None
    reward: str | None
    regret_floor: float | None


class SolveOptions(SharedOptions, total=False):
    """Options of `solve`."""

    until: float | None
    plan: str | None
    form: str | None
    updates: str | None
    dtype: str | None
    evaluator: str | None
    isomorphism: str | None
    device: str | None
    pruning: str | None
    prune_gates: str | None
    prune_average: float | None
    prune_every: int | None
    prune_after: str | None
    grow: str | None
    grow_factor: float | None
    grow_every: int | None
    grow_estimate: str | None
    grow_version: str | None
    grow_discount: str | None
    grow_least: int | None
    sampling: str | None
    exploration: float | None
    reward_unit: float | None


class TrainOptions(SharedOptions, total=False):
    """Options of `train`."""

    betting: str | None
    stack: float | None
    initial_weights: bool | None
    initial_visits: float | None
    unvisited: str | None
    exploration_part: float | None
    sampling: str | None
    hole_cards: int | None
    cluster: str | None
    children: int | None
    batch: int | None
    ahead: int | None
    samples: int | None
    child_weights: str | None
    child_cores: int | None


class SpotOptions(TypedDict, total=False):
    """Options of `Spot.solve` and `Spot.cost`."""

    until: float | str | None
    iterations: int | None
    time: float | str | None
    every: int | None
    rule: RegretRule | str | None
    isomorphism: bool | str | None
    checkpoint_every: float | str | None
    dtype: str | None
    threads: int | None
    memory: int | str | None


def with_options(options: Any) -> Callable[[Call], Call]:
    """Decorator for a call with `**options: Unpack[...]`: its signature has every option by name."""

    def decorate(call: Call) -> Call:
        known = inspect.signature(call)
        taken = [each for each in known.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        named = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind.__forward_arg__
            )
            for name, kind in options.__annotations__.items()
        ]
        call.__signature__ = known.replace(parameters=[*taken, *named])  # type: ignore[attr-defined]
        return call

    return decorate
