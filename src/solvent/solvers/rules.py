"""Regret rules: what each iteration does to the regrets that went before, and how much its play counts.

A rule is a small value object. For iteration t it yields five numbers, and the kernels do the rest:

    R      <-  max(floor, d (R + r))        d = positive where R + r > 0, else negative
    sigma  ~   max(0, R + prediction r)     uniform where nothing is positive
    S      <-  S + average x reach x sigma  the cumulative strategy, before sigma changes

where r is the iteration's instantaneous regret. A new rule touches no kernel: subclass `RegretRule`.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.errors import InputError
from solvent.games.naming import parse_call


class Weights(NamedTuple):
    """What a rule says about one iteration; the defaults are plain CFR."""

    positive: float = 1.0
    """Factor for cumulative regrets above zero."""
    negative: float = 1.0
    """Factor for cumulative regrets below zero."""
    floor: float = -math.inf
    """Cumulative regrets do not fall below this."""
    average: float = 1.0
    """Weight of this iteration's play in the average strategy."""
    prediction: float = 0.0
    """How much of the last instantaneous regret is expected to come again."""


class RegretRule(ABC):
    """A regret rule. Instances are compared and printed by their parameters."""

    @abstractmethod
    def weights(self, t: int) -> Weights:
        """The numbers for iteration t = 1, 2, ..."""

    @property
    def predictive(self) -> bool:
        """Whether the rule needs the last instantaneous regrets kept: one more table."""
        return False

    def __str__(self) -> str:
        return type(self).__name__.lower()

    def schedule(self, first: int, count: int) -> NDArray[np.float64]:
        """The weights of `count` iterations beginning with `first`: float64[count, 5]."""
        return np.array([self.weights(t) for t in range(first, first + count)], dtype=np.float64).reshape(
            count, len(Weights._fields)
        )


@dataclass(frozen=True)
class CFR(RegretRule):
    """Zinkevich et al. (2007): regrets and strategies are plain sums."""

    def weights(self, t: int) -> Weights:
        return Weights()

    def __str__(self) -> str:
        return "cfr"


@dataclass(frozen=True)
class CFRPlus(RegretRule):
    """Tammelin (2014): regrets never below zero, iteration t counts t times in the average."""

    def weights(self, t: int) -> Weights:
        return Weights(floor=0.0, average=t)

    def __str__(self) -> str:
        return "cfr+"


@dataclass(frozen=True)
class DCFR(RegretRule):
    """Brown and Sandholm (2019): positive regrets fade by t^a/(t^a + 1), negative by b, the average by g."""

    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 2.0

    def weights(self, t: int) -> Weights:
        return Weights(_fade(t, self.alpha), _fade(t, self.beta), average=float(t) ** self.gamma)

    def __str__(self) -> str:
        return f"dcfr({self.alpha:g},{self.beta:g},{self.gamma:g})"


@dataclass(frozen=True)
class LCFR(RegretRule):
    """Linear CFR: iteration t counts t times in regrets and average alike, DCFR(1, 1, 1)."""

    def weights(self, t: int) -> Weights:
        return Weights(_fade(t, 1), _fade(t, 1), average=t)

    def __str__(self) -> str:
        return "lcfr"


@dataclass(frozen=True)
class PCFRPlus(RegretRule):
    """Farina, Kroer and Sandholm (2021): CFR+ that bets on the last regret coming again; average weight t^2."""

    @property
    def predictive(self) -> bool:
        return True

    def weights(self, t: int) -> Weights:
        return Weights(floor=0.0, average=float(t) ** 2, prediction=1.0)

    def __str__(self) -> str:
        return "pcfr+"


def _fade(t: int, power: float) -> float:
    """t^p / (t^p + 1), without overflow; an infinite power keeps all or nothing."""
    if math.isinf(power):
        return float(power > 0)
    exponent = power * math.log(t)
    return 1.0 / (1.0 + math.exp(-exponent)) if exponent > -700 else 0.0


RULES: dict[str, type[RegretRule]] = {
    "cfr": CFR,
    "cfr+": CFRPlus,
    "lcfr": LCFR,
    "dcfr": DCFR,
    "pcfr+": PCFRPlus,
}


def load_rule(rule: str | RegretRule) -> RegretRule:
    """A rule by name, with its parameters in brackets if it has any.

    >>> load_rule("dcfr(1.5,0,2)") == load_rule("dcfr")
    True
    """
    if isinstance(rule, RegretRule):
        return rule
    name, given = parse_call(rule)
    if name not in RULES:
        raise InputError(f"there is no rule {name!r}; the rules are {', '.join(RULES)}")
    kind = RULES[name]
    allowed = [f.name for f in fields(kind)] if inspect.isclass(kind) else []  # type: ignore[arg-type]
    values: dict[str, float] = {}
    for position, (key, value) in enumerate(given):
        if key is None and position < len(allowed):
            key = allowed[position]
        if key not in allowed or key in values:
            takes = f"{len(allowed)} numbers: {', '.join(allowed)}" if allowed else "no parameters"
            raise InputError(f"rule {rule!r}: {name} takes {takes}")
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise InputError(f"rule {rule!r}: {key} must be a number, not {value!r}")
        values[key] = float(value)
    return kind(**values)
