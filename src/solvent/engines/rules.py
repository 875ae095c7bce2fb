"""Regret rules: the effect of each iteration on regrets, and the weight of its play in the average.

A rule is a small value object. For iteration t it yields six numbers, and the kernels do the rest:

    R      <-  max(floor, d (R + r))               d = positive where R + r > 0, else negative
    sigma  ~   max(0, R + prediction r)            uniform where nothing is positive
    S      <-  keep S + average x reach x sigma    the cumulative strategy, before sigma changes

Here r is the iteration's instantaneous regret; `engines.vectors.matching` has the first two lines as code. The
clock t is a number of iterations, or any other sum of weights: it need not be whole.

To add a rule, subclass `RegretRule`; no kernel changes. What six numbers cannot say is a `LocalUpdate`
(`local_update.py`). A rule also declares its nature (`discounts`, `floors`, `linear`, `predictive`,
`average_power`), which alone decides whether it can be pruned, sampled and trained with. Declarations are compared
with the weights when the rule runs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from solvent.engines.schedule import KEEP, NEXT_PREDICTION, PREDICTION
from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.games.naming import parse_call, spell
from solvent.games.own import is_own, make_own

NEITHER = "after which it can be neither pruned nor sampled"
ADDING_UP = "`discounts = floors = False` and `average_power = 0.0`, or 1.0 beside `linear = True`"
"""Declarations of a rule whose regrets and averages are sums."""


class Weights(NamedTuple):
    """A rule's numbers for one iteration; the defaults are plain CFR."""

    positive: float = 1.0
    """Factor for cumulative regrets above zero."""
    negative: float = 1.0
    """Factor for cumulative regrets below zero."""
    floor: float = -math.inf
    """Cumulative regrets do not fall below this."""
    average: float = 1.0
    """Weight of this iteration's play in the average strategy."""
    prediction: float = 0.0
    """Fraction of the last instantaneous regret that is expected to come again in this iteration."""
    keep: float = 1.0
    """Fraction of the cumulative strategy that is kept before this iteration's play is added."""


class RegretRule(ABC):
    """A regret rule. Instances are compared and printed by their parameters.

    The class attributes are the rule's declarations. Their defaults promise nothing, so that a rule which declares
    nothing runs on every full-width plan and is refused by pruning, sampling and training.
    """

    discounts: ClassVar[bool] = True
    """Whether earlier regrets fade otherwise than by `linear` weights."""
    floors: ClassVar[bool] = True
    """Whether cumulative regrets are cut off from below, at 0."""
    linear: ClassVar[bool] = False
    """Whether iteration t counts t times, in regrets and in the average: both fade by t / (t + 1)."""

    @abstractmethod
    def weights(self, t: float) -> Weights:
        """The numbers for iteration t = 1, 2, ..., or for any clock above 0."""

    @property
    def predictive(self) -> bool:
        """Whether the rule needs the last instantaneous regrets kept, in one more table.

        Declare it where a rule begins to predict after its first iteration.
        """
        return self.weights(1).prediction != 0

    @property
    def average_power(self) -> float | None:
        """The p for which iteration t's play counts t^p in the average; None promises nothing."""
        return None

    @property
    def additive(self) -> bool:
        """Whether regrets and averages are sums over iterations in which each iteration has one weight: 1, or t.

        Sampling needs this, because it touches few infosets in an iteration and cannot fade or cut the others.
        """
        if self.discounts or self.floors or self.predictive:
            return False
        return self.average_power == (1 if self.linear else 0)

    @property
    def prunable(self) -> bool:
        """Whether regret-based pruning knows what skipped iterations would have added.

        Regrets must be sums, weighted like the average, or those of CFR+: unweighted, floored at 0, beside a
        linear average (Brown and Sandholm, "Total RBP", section on CFR+).
        """
        plus = self.floors and not (self.discounts or self.linear or self.predictive)
        return self.additive or (plus and self.average_power == 1)

    @property
    def own(self) -> bool:
        """Whether it is a user's, who can change its declarations."""
        return type(self) not in RULE_NAMES

    def __str__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self)} if is_dataclass(self) else vars(self)
        known = RULE_NAMES.get(type(self))
        shown = ",".join(("" if known else f"{key}=") + spell(value) for key, value in given.items())
        return (known or type(self).__name__.lower()) + (f"({shown})" if shown else "")

    def check_clock(self, t: int, dtype: DTypeLike = np.float64) -> None:
        """Refuse the rule if the solvers could not follow it to iteration t."""
        self.schedule(t, 1, dtype)

    def total_weight(self, iterations: int) -> float:
        """The weight of iterations 1 to T in the average."""
        total = 0.0
        for t in range(1, iterations + 1):
            weights = self.weights(t)
            total = total * weights.keep + weights.average
        return total

    def schedule(self, first: float, count: int, dtype: DTypeLike = np.float64) -> NDArray[np.float64]:
        """The weights at `count` clocks first, first + 1, ...: float64[count, 7].

        Columns are as in `Weights`, then what the iteration after predicts (`engines.schedule`).
        Refused where the solvers could not follow them: where the average would outgrow tables of `dtype`, or
        where the rule does what it declares not to do.
        """
        clock = [first + k for k in range(count)]
        rows = [self.weights(t) for t in (*clock, first + count)]
        width = len(Weights._fields)
        try:
            if any(len(row) != width for row in rows):
                raise ValueError
            numbers = np.fromiter(chain.from_iterable(rows), dtype=np.float64, count=width * (count + 1))
        except (TypeError, ValueError) as error:
            raise InputError(f"rule {self}: weights must be six numbers, as Weights(...) has them") from error
        numbers = numbers.reshape(count + 1, width)
        schedule = np.empty((count, width + 1))
        schedule[:, :width] = numbers[:-1]
        schedule[:, NEXT_PREDICTION] = numbers[1:, PREDICTION]
        positive, negative, floor, average, prediction, keep, after = schedule.T
        if not np.isfinite(positive + negative + prediction + after).all() or np.isnan(floor).any():
            raise InputError(f"rule {self}: factors and predictions must be finite and the floor a number")
        if not (average >= 0).all():
            raise InputError(f"rule {self}: weights of the average must be at least 0")
        if not ((keep >= 0) & (keep <= 1)).all():
            raise InputError(f"rule {self}: what is kept of the average must be from 0 to 1")
        if not (average * (first + count) < np.finfo(dtype).max).all():
            raise InputError(
                f"rule {self}: the average's weights outgrow {np.dtype(dtype)} "
                f"by iteration {first + count - 1:,}; let them grow more slowly"
            )
        self._check_declared(np.array(clock, dtype=np.float64), schedule)
        return schedule

    def _check_declared(self, t: NDArray[np.float64], schedule: NDArray[np.float64]) -> None:
        """Refuse weights that do what the rule declares not to do."""
        floor, average, prediction, keep, after = schedule.T[2:]
        if (prediction.any() or after.any()) and not self.predictive:
            raise InputError(
                f"rule {self} predicts, but its `predictive` is False; let it be True, {NEITHER}"
            )
        if (floor > -math.inf).any() and not self.floors:
            raise InputError(
                f"rule {self} cuts regrets off, but its `floors` is False; let it be True, after which it cannot "
                f"be sampled, and can be pruned only if the rest is as in CFR+"
            )
        fade = t / (t + 1) if self.linear else 1.0
        if not self.discounts and (np.abs(schedule[:, :2].T - fade) > 1e-12).any():
            how = "otherwise than by t / (t + 1)" if self.linear else "with time"
            raise InputError(
                f"rule {self} fades regrets {how}, but its `discounts` is False; let it be True, {NEITHER}"
            )
        power = self.average_power
        if power is not None and ((np.abs(average - t**power) > 1e-12 * average) | (keep != 1)).any():
            raise InputError(
                f"rule {self}: its averages do not weigh iteration t by t^{power:g}, as its `average_power` says; "
                f"let that be None, {NEITHER}"
            )


def by_keeping(schedule: NDArray[np.float64]) -> Iterator[tuple[float, NDArray[np.float64]]]:
    """Cut a schedule where the average is scaled: pairs (keep, rows), to be run one after another.

    The cumulative strategy is multiplied by `keep` before each piece; inside a piece it is only added to.

    >>> rows = np.array([(*Weights(), 0.0), (*Weights(keep=0.5), 0.0), (*Weights(), 0.0)])
    >>> [(keep, len(piece)) for keep, piece in by_keeping(rows)]
    [(1.0, 1), (0.5, 2)]
    """
    keep = schedule[:, KEEP]
    starts = sorted({0, *np.flatnonzero(keep != 1).tolist()})
    for start, stop in zip(starts, [*starts[1:], len(schedule)], strict=True):
        if start < stop:
            yield float(keep[start]), schedule[start:stop]


@dataclass(frozen=True)
class CFR(RegretRule):
    """Counterfactual regret minimisation (Zinkevich et al. 2007): regrets and strategies are plain sums."""

    discounts = floors = False
    average_power = 0.0

    def weights(self, t: float) -> Weights:
        return Weights()


@dataclass(frozen=True)
class CFRPlus(RegretRule):
    """CFR+ (Tammelin 2014): regrets never below zero, iteration t counts t times in the average."""

    discounts = False
    average_power = 1.0

    def weights(self, t: float) -> Weights:
        return Weights(floor=0.0, average=t)


@dataclass(frozen=True)
class DCFR(RegretRule):
    """Discounted CFR (Brown and Sandholm 2019).

    Positive regrets fade by t^alpha / (t^alpha + 1), negative ones by t^beta / (t^beta + 1), and iteration t counts
    t^gamma times in the average: the paper's (t / (t + 1))^gamma, applied from the end.
    """

    floors = False

    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 2.0

    def __post_init__(self) -> None:
        if math.isnan(self.alpha) or math.isnan(self.beta) or not math.isfinite(self.gamma):
            raise InputError(f"{self}: alpha and beta must be numbers and gamma a finite one")

    @property
    def average_power(self) -> float:
        return self.gamma

    def weights(self, t: float) -> Weights:
        return Weights(_fade(t, self.alpha), _fade(t, self.beta), average=_power(t, self.gamma))


@dataclass(frozen=True)
class LCFR(RegretRule):
    """Linear CFR (Brown and Sandholm 2019): iteration t counts t times in regrets and average; DCFR(1, 1, 1)."""

    discounts = floors = False
    linear = True
    average_power = 1.0

    def weights(self, t: float) -> Weights:
        return Weights(_fade(t, 1), _fade(t, 1), average=t)


@dataclass(frozen=True)
class PCFRPlus(RegretRule):
    """Predictive CFR+ (Farina, Kroer and Sandholm 2021): it predicts the last regret again; average weight t^2."""

    discounts = False
    average_power = 2.0

    def weights(self, t: float) -> Weights:
        return Weights(floor=0.0, average=float(t) ** 2, prediction=1.0)


@dataclass(frozen=True)
class DCFRPlus(RegretRule):
    """Discounted CFR+ (Xu, Li, Liu et al. 2024, "Minimizing Weighted Counterfactual Regret with Optimistic Online
    Mirror Descent").

    Regrets fade by t^alpha / (t^alpha + 1) and never fall below zero; iteration t counts t^gamma times in the
    average.
    """

    alpha: float = 1.5
    gamma: float = 4.0

    def __post_init__(self) -> None:
        if math.isnan(self.alpha) or not math.isfinite(self.gamma):
            raise InputError(f"{self}: alpha must be a number and gamma a finite one")

    @property
    def average_power(self) -> float:
        return self.gamma

    def weights(self, t: float) -> Weights:
        fade = _fade(t, self.alpha)
        return Weights(fade, fade, floor=0.0, average=_power(t, self.gamma))


@dataclass(frozen=True)
class PDCFRPlus(DCFRPlus):
    """Predictive discounted CFR+ (Xu et al. 2024): DCFR+ that expects the last regret to come again."""

    alpha: float = 2.3
    gamma: float = 5.0

    def weights(self, t: float) -> Weights:
        return super().weights(t)._replace(prediction=1.0)


@dataclass(frozen=True)
class LinearProgram(RegretRule):
    """No regrets at all: the sequence-form linear program, for small games (`history.linear_program`)."""

    predictive = False

    def check_clock(self, t: int, dtype: DTypeLike = np.float64) -> None:
        """There is no clock that could run out."""

    def weights(self, t: float) -> Weights:
        raise InputError("the linear program has no iterations: ask for it by solve(game, rule='lp')")


def _power(t: float, power: float) -> float:
    """t^p, infinite where it is too large for a number."""
    try:
        return math.pow(t, power)
    except OverflowError:
        return math.inf


def _fade(t: float, power: float) -> float:
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
    "dcfr+": DCFRPlus,
    "pdcfr+": PDCFRPlus,
}
WITHOUT_REGRETS: dict[str, type[RegretRule]] = {"lp": LinearProgram}
"""Algorithms that can be asked for in place of a regret rule."""
RULE_NAMES = {kind: name for name, kind in (RULES | WITHOUT_REGRETS).items()}


def load_rule(rule: str | RegretRule, own_code: bool = False) -> RegretRule:
    """A rule by name, with its parameters in brackets if it has any; a rule is taken as it is.

    own_code: whether `file.py:Class(...)` is run; only for what a person names, never for text that a file holds

    >>> load_rule("dcfr(1.5,0,2)") == load_rule("dcfr")
    True
    """
    if isinstance(rule, RegretRule):
        return rule
    if isinstance(rule, type) and issubclass(rule, RegretRule):
        raise InputError(
            f"{rule.__name__} is a class, and a rule is an instance of one: write {rule.__name__}()"
        )
    if not isinstance(rule, str):
        raise InputError(f"a rule is a name such as dcfr, or a RegretRule; it cannot be {rule!r}")
    if is_own(rule):
        if not own_code:
            raise InputError(
                f"rule {rule!r} is own code, which runs only where you name it: by --rule, or as rule= of "
                f"solve and train in Python"
            )
        own = make_own(rule, "rule")
        if not isinstance(own, RegretRule):
            raise InputError(f"{rule} is no rule: subclass solvent.RegretRule or solvent.LocalUpdate")
        return own
    name, given = parse_call(rule, example="dcfr or dcfr(1.5,0,2)")
    known = RULES | WITHOUT_REGRETS
    if name not in known:
        near = did_you_mean(name.lower().replace("plus", "+"), known)
        raise InputError(
            f"there is no rule {name!r}; the rules are {', '.join(known)} and file.py:Class{near}"
        )
    kind = known[name]
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
