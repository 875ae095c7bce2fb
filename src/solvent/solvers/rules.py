"""Regret rules: what each iteration does to the regrets that went before, and how much its play counts.

A rule is a small value object. For iteration t it yields five numbers, and the kernels do the rest:

    R      <-  max(floor, d (R + r))        d = positive where R + r > 0, else negative
    sigma  ~   max(0, R + prediction r)     uniform where nothing is positive
    S      <-  S + average x reach x sigma  the cumulative strategy, before sigma changes

where r is the iteration's instantaneous regret. A new rule touches no kernel: subclass `RegretRule`. One that
predicts keeps r in a table of its own; a rule that begins to predict after its first iteration says so with
`predictive = True`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, is_dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from solvent.foundation.errors import InputError
from solvent.games.naming import parse_call, spell


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
        return self.weights(1).prediction != 0

    def __str__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self)} if is_dataclass(self) else vars(self)
        shown = ",".join(f"{key}={spell(value)}" for key, value in given.items())
        return type(self).__name__.lower() + (f"({shown})" if shown else "")

    def schedule(self, first: int, count: int, dtype: DTypeLike = np.float64) -> NDArray[np.float64]:
        """The weights of `count` iterations beginning with `first`: float64[count, 5].

        Refused where the solvers could not follow them: where the average would outgrow tables of `dtype`, or
        where the rule predicts and its `predictive` says that it does not.
        """
        rows = [self.weights(t) for t in range(first, first + count)]
        try:
            schedule = np.array(rows, dtype=np.float64).reshape(count, len(Weights._fields))
        except (TypeError, ValueError) as error:
            raise InputError(
                f"rule {self}: weights must be five numbers, as Weights(...) has them"
            ) from error
        positive, negative, floor, average, prediction = schedule.T
        if not np.isfinite([positive, negative, prediction]).all() or np.isnan(floor).any():
            raise InputError(f"rule {self}: factors and predictions must be finite and the floor a number")
        if not (average >= 0).all():
            raise InputError(f"rule {self}: weights of the average must be at least 0")
        if not (average * (first + count) < np.finfo(dtype).max).all():
            raise InputError(
                f"rule {self}: the average's weights outgrow {np.dtype(dtype)} "
                f"by iteration {first + count - 1:,}; let them grow more slowly"
            )
        if prediction.any() and not self.predictive:
            raise InputError(f"rule {self} predicts, but its `predictive` is False; let it be True")
        return schedule


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

    def __post_init__(self) -> None:
        if math.isnan(self.alpha) or math.isnan(self.beta) or not math.isfinite(self.gamma):
            raise InputError(f"{self}: alpha and beta must be numbers and gamma a finite one")

    def weights(self, t: int) -> Weights:
        return Weights(_fade(t, self.alpha), _fade(t, self.beta), average=_power(t, self.gamma))

    def __str__(self) -> str:
        return f"dcfr({','.join(map(spell, (self.alpha, self.beta, self.gamma)))})"


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

    def weights(self, t: int) -> Weights:
        return Weights(floor=0.0, average=float(t) ** 2, prediction=1.0)

    def __str__(self) -> str:
        return "pcfr+"


def _power(t: int, power: float) -> float:
    """t^p, infinite where it is too large for a number."""
    try:
        return math.pow(t, power)
    except OverflowError:
        return math.inf


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
    if not isinstance(rule, str):
        raise InputError(f"a rule is a name such as dcfr, or a RegretRule; it cannot be {rule!r}")
    name, given = parse_call(rule, example="dcfr or dcfr(1.5,0,2)")
    if name not in RULES:
        raise InputError(f"there is no rule {name!r}; the rules are {', '.join(RULES)}")
    kind = RULES[name]
    allowed = [field.name for field in fields(kind)]  # type: ignore[arg-type]
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
