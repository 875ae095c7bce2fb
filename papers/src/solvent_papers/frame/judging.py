"""Verdicts: the one place where measured figures decide, about papers' claims and about our own bars.

A criterion is a table in TOML:

    {figure = "x", near = 2.0}           a factor that the paper gives; also `within = 0.2`, and `nothing = 0`,
                                         the value that would mean no effect
    {figure = "x", won = 100}            winnings with a 95 % interval, in x.low and x.high; also `within`
    {figure = "x", above = 1}            and `at_least`, `below`, `at_most`
    {increasing = ["x", "y", "z"]}       figures that grow in this order
    {every = [...]}                      several criteria: where some hold, the claim agrees in part
    {all = [...]}                        several criteria that make one statement: one that fails refutes it

Figures stand in texts as `{name:format}`.
"""

from __future__ import annotations

import operator
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from itertools import pairwise, product
from typing import Any, NamedTuple, Protocol

Figures = Mapping[str, float]
"""Measured figures by name."""
WITHIN = 0.1
"""Factors this near the paper's agree with it, unless a claim says otherwise."""
PLACEHOLDER = re.compile(r"\{([^{}]+):([^{}:]+)\}")


class Verdict(StrEnum):
    """A verdict on a claim."""

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
    """A factor that the paper gives; more is better for the claim, and less still has the claim's direction."""

    figure: str
    claimed: float
    within: float = WITHIN
    nothing: float = 1.0
    """The value that means no effect at all."""

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
    """Winnings above 0 that the paper gives; ours have a 95 % interval, in figures with names in .low and .high."""

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


COMPARISONS = {
    "above": (">", operator.gt),
    "at_least": (">=", operator.ge),
    "below": ("<", operator.lt),
    "at_most": ("<=", operator.le),
}


@dataclass(frozen=True)
class Bounded:
    """A figure on one side of a bound; `comparison` is one of `COMPARISONS`."""

    figure: str
    comparison: str
    bound: float

    @property
    def names(self) -> tuple[str, ...]:
        return (self.figure,)

    def judge(self, figures: Figures) -> Verdict:
        holds = COMPARISONS[self.comparison][1](figures[self.figure], self.bound)
        return Verdict.AGREES if holds else Verdict.NOT_REPRODUCED

    def __str__(self) -> str:
        return f"{self.figure} {COMPARISONS[self.comparison][0]} {self.bound:g}"


@dataclass(frozen=True)
class Increasing:
    """Figures that grow in the order given."""

    names: tuple[str, ...]

    def judge(self, figures: Figures) -> Verdict:
        values = [figures[name] for name in self.names]
        grows = all(one < other for one, other in pairwise(values))
        return Verdict.AGREES if grows else Verdict.NOT_REPRODUCED

    def __str__(self) -> str:
        return " < ".join(self.names)


@dataclass(frozen=True)
class Several:
    """Several criteria, which all decide; if they make one statement, one that fails refutes it."""

    parts: tuple[Criterion, ...]
    one_statement: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part.names))

    def judge(self, figures: Figures) -> Verdict:
        verdicts = [part.judge(figures) for part in self.parts]
        if not self.one_statement:
            return together(verdicts)
        return Verdict.AGREES if all(each in POSITIVE for each in verdicts) else Verdict.NOT_REPRODUCED

    def __str__(self) -> str:
        return (" and " if self.one_statement else "; ").join(map(str, self.parts))


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


def criterion_of(table: Mapping[str, Any]) -> Criterion:
    """Return the criterion that a table of TOML states.

    >>> str(criterion_of({"all": [{"figure": "x", "above": 1}, {"increasing": ["x", "y"]}]}))
    'x > 1 and x < y'
    """
    match dict(table):
        case {"every": parts}:
            return Several(tuple(map(criterion_of, parts)))
        case {"all": parts}:
            return Several(tuple(map(criterion_of, parts)), one_statement=True)
        case {"increasing": names}:
            return Increasing(tuple(names))
        case {"figure": figure, "near": claimed, **more}:
            return Near(figure, claimed, **more)
        case {"figure": figure, "won": claimed, **more}:
            return Won(figure, claimed, **more)
        case {"figure": figure, **more} if len(more) == 1 and set(more) <= set(COMPARISONS):
            ((comparison, bound),) = more.items()
            return Bounded(figure, comparison, bound)
    raise ValueError(f"this is no criterion: {table}")


def filled(text: str, figures: Figures) -> str:
    """Put figures into a text.

    >>> filled("{x:.1f} times", {"x": 2.0})
    '2.0 times'
    """
    return PLACEHOLDER.sub(lambda found: format(figures[found[1]], found[2]), text)


def names_in(text: str) -> tuple[str, ...]:
    """Return the figures that a text needs."""
    return tuple(found[1] for found in PLACEHOLDER.finditer(text))


class Bar(NamedTuple):
    """A bar that we set ourselves before measuring, and the figures that were seen."""

    name: str
    wanted: str
    seen: str
    met: bool


def judged_bars(experiment: str, figures: Figures) -> list[Bar]:
    """Judge the bars of an experiment, those in `bars/NAME.toml`.

    Each `[[bar]]` has a `name`, a `criterion`, and the texts `wanted` and `seen`. A bar whose figures are not there
    is left out, or missed where it has a text `missing`. A bar with `each.word = ["one", "other"]` stands for a
    bar for every value, which replaces `{word}` in its texts.
    """
    path = files("solvent_papers") / "bars" / f"{experiment}.toml"
    if not path.is_file():
        return []
    bars = []
    for bar in expanded(tomllib.loads(path.read_text(encoding="utf-8"))["bar"]):
        criterion = criterion_of(bar["criterion"])
        if all(name in figures for name in (*criterion.names, *names_in(bar["seen"]))):
            met = criterion.judge(figures) in POSITIVE
            bars.append(Bar(bar["name"], bar["wanted"], filled(bar["seen"], figures), met))
        elif "missing" in bar:
            bars.append(Bar(bar["name"], bar["wanted"], bar["missing"], met=False))
    return bars


def expanded(tables: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield tables with every combination of the values of their `each` put in.

    >>> list(expanded([{"each": {"x": ["a", "b"]}, "name": "from {x}"}]))
    [{'name': 'from a'}, {'name': 'from b'}]
    """
    for table in tables:
        words = table.get("each", {})
        rest = {name: value for name, value in table.items() if name != "each"}
        for values in product(*words.values()):
            yield _replaced(rest, dict(zip(words, values, strict=True)))


def _replaced(content: Any, words: Mapping[str, str]) -> Any:
    """Return the content of TOML with the words replaced in all its texts."""
    if isinstance(content, dict):
        return {name: _replaced(value, words) for name, value in content.items()}
    if isinstance(content, list):
        return [_replaced(value, words) for value in content]
    if isinstance(content, str):
        for word, value in words.items():
            content = content.replace(f"{{{word}}}", value)
    return content
