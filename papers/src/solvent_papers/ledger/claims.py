"""What a paper claims, and the criterion by which a measured figure decides about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple, Protocol

Figures = Mapping[str, float]
"""Measured figures of one page by name."""
WITHIN = 0.1
"""Factors this near the paper's agree with it, unless a claim says otherwise."""
PLACEHOLDER = re.compile(r"\{([^{}]+):([^{}:]+)\}")
"""A figure in a text, as `{name:format}`."""


class Verdict(StrEnum):
    """What came of a claim."""

    AGREES = "agrees"
    MORE = "more than claimed"
    IN_PART = "agrees in part"
    LESS = "less than claimed"
    NOT_REPRODUCED = "not reproduced"
    HOLDS_IN_TESTS = "holds in tests"
    REFUTED = "refuted in tests"
    NOT_TESTED = "not tested"
    NOT_BUILT = "not built"


POSITIVE = (Verdict.AGREES, Verdict.MORE)


class Criterion(Protocol):
    """A comparison of named figures."""

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that it needs."""

    def judge(self, figures: Figures) -> Verdict:
        """Return the verdict; all figures are there."""

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Near:
    """The paper gives a factor; more is better for the claim. Less than claimed still has the claim's direction."""

    figure: str
    claimed: float
    within: float = WITHIN
    nothing: float = 1.0
    """The value that would mean no effect at all."""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.figure,)

    def judge(self, figures: Figures) -> Verdict:
        value = figures[self.figure]
        if value > self.claimed * (1 + self.within):
            return Verdict.MORE
        if value >= self.claimed * (1 - self.within):
            return Verdict.AGREES
        return Verdict.LESS if value > self.nothing else Verdict.NOT_REPRODUCED

    def __str__(self) -> str:
        return f"{self.figure} = {self.claimed:g} within {self.within:.0%}"


@dataclass(frozen=True)
class Won:
    """The paper gives winnings above 0; ours have a 95 % interval, in figures whose names end in .low and .high."""

    figure: str
    claimed: float
    within: float = WITHIN

    @property
    def names(self) -> tuple[str, ...]:
        return (self.figure, f"{self.figure}.low", f"{self.figure}.high")

    def judge(self, figures: Figures) -> Verdict:
        value, low, high = (figures[name] for name in self.names)
        if low <= 0:
            return Verdict.NOT_REPRODUCED
        if low <= self.claimed <= high or abs(value - self.claimed) <= self.within * self.claimed:
            return Verdict.AGREES
        return Verdict.MORE if value > self.claimed else Verdict.LESS

    def __str__(self) -> str:
        return f"{self.figure} surely > 0, and {self.claimed:g} within its interval or {self.within:.0%}"


@dataclass(frozen=True)
class Above:
    """The claim holds where a figure exceeds a bound."""

    figure: str
    bound: float

    @property
    def names(self) -> tuple[str, ...]:
        return (self.figure,)

    def judge(self, figures: Figures) -> Verdict:
        return Verdict.AGREES if figures[self.figure] > self.bound else Verdict.NOT_REPRODUCED

    def __str__(self) -> str:
        return f"{self.figure} > {self.bound:g}"


@dataclass(frozen=True)
class Below:
    """The claim holds where a figure is at most a bound."""

    figure: str
    bound: float

    @property
    def names(self) -> tuple[str, ...]:
        return (self.figure,)

    def judge(self, figures: Figures) -> Verdict:
        return Verdict.AGREES if figures[self.figure] <= self.bound else Verdict.NOT_REPRODUCED

    def __str__(self) -> str:
        return f"{self.figure} <= {self.bound:g}"


@dataclass(frozen=True)
class Increasing:
    """The claim holds where figures grow in the order given."""

    figures: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.figures

    def judge(self, figures: Figures) -> Verdict:
        values = [figures[name] for name in self.figures]
        grows = all(one < other for one, other in pairwise(values))
        return Verdict.AGREES if grows else Verdict.NOT_REPRODUCED

    def __str__(self) -> str:
        return " < ".join(self.figures)


@dataclass(frozen=True)
class Every:
    """Several criteria, such as one for each game: all of them decide."""

    parts: tuple[Criterion, ...]

    def __init__(self, *parts: Criterion) -> None:
        object.__setattr__(self, "parts", parts)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part.names))

    def judge(self, figures: Figures) -> Verdict:
        return together([part.judge(figures) for part in self.parts])

    def __str__(self) -> str:
        return "; ".join(map(str, self.parts))


@dataclass(frozen=True)
class All:
    """Several criteria that make one statement, such as that something is the best: one that fails refutes it."""

    parts: tuple[Criterion, ...]

    def __init__(self, *parts: Criterion) -> None:
        object.__setattr__(self, "parts", parts)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part.names))

    def judge(self, figures: Figures) -> Verdict:
        holds = all(part.judge(figures) in POSITIVE for part in self.parts)
        return Verdict.AGREES if holds else Verdict.NOT_REPRODUCED

    def __str__(self) -> str:
        return " and ".join(map(str, self.parts))


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on a claim from those on its parts.

    >>> together([Verdict.AGREES, Verdict.MORE]), together([Verdict.AGREES, Verdict.LESS])
    (<Verdict.AGREES: 'agrees'>, <Verdict.IN_PART: 'agrees in part'>)
    """
    if len(set(verdicts)) == 1:
        return verdicts[0]
    if all(verdict in POSITIVE for verdict in verdicts):
        return Verdict.AGREES
    positive = any(verdict in (*POSITIVE, Verdict.IN_PART) for verdict in verdicts)
    return Verdict.IN_PART if positive else Verdict.NOT_REPRODUCED


@dataclass(frozen=True)
class Claim:
    """One table, figure, theorem, algorithm or stated result of a paper, and how it is decided.

    Exactly one of three decides: `criterion`, on the figures of `page`; `tests`, which check a theorem or an
    algorithm by brute force; or neither, and then `missing` says why. Figures that were measured but cannot decide
    are still shown: `ours` and `page` without a criterion.
    """

    place: str
    """Where it stands in the paper: Table 2, Theorem 1, section 5."""
    states: str
    """What the paper says, in a few words, with its value."""
    ours: str = ""
    """What we have; figures stand in it as {name:format}."""
    criterion: Criterion | None = None
    page: str = ""
    """The results page that has its figures, without suffix; the page itself says which command wrote them."""
    tests: tuple[str, ...] = ()
    """Paths of tests as pytest takes them."""
    refuted: bool = False
    """Whether the tests show that the claim is wrong."""
    missing: Missing | None = None
    """Why nothing decides, or why the figures may not be there yet."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every figure that the claim's criterion or text needs."""
        shown = (found[1] for found in PLACEHOLDER.finditer(self.ours))
        return tuple(dict.fromkeys((*(self.criterion.names if self.criterion else ()), *shown)))


class Absent(NamedTuple):
    """Evidence that something is not built; a test checks it, so that the row fails once the thing is there."""

    command: str
    """A command that would use it, and that is refused."""
    words: str
    """Regular expression for its name, which matches nowhere in the code outside experiments."""


class Missing(NamedTuple):
    """Why a claim has no figure."""

    verdict: Verdict
    reason: str
    absent: Absent | None = None
    """Where something is not implemented: what is absent."""


def not_built(reason: str, command: str, words: str) -> Missing:
    """Return that something is not implemented, what, and how one sees it."""
    return Missing(Verdict.NOT_BUILT, reason, Absent(command, words))


def not_tested(reason: str) -> Missing:
    """Return that something was not measured, and why."""
    return Missing(Verdict.NOT_TESTED, reason)


@dataclass(frozen=True)
class Paper:
    """A paper and its claims in the order in which they stand there."""

    number: str
    """Its number among the papers, such as 004."""
    name: str
    """Its short name, such as Total RBP."""
    title: str
    note: str
    """What a reader of its table has to know: how its claims were read."""
    claims: tuple[Claim, ...]
