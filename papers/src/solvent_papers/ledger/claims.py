"""The papers' claims, read from `claims/PAPER.toml`, with the criterion or the tests that decide about each.

Each `[[claim]]` has its `place` in the paper, `states` (the claim in a few words, with its value) and at most one
of two ways to decide: a `criterion` on the figures of a results `page`, or `tests` that check a theorem or an
algorithm, by brute force where they can. `ours` is our figure or finding, with figures as `{name:format}`. If
nothing decides, `not_tested` or `not_built` gives the reason; beside a criterion it gives the reason why figures
may be missing. `ours` and `page` without a criterion show figures that cannot decide.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from solvent_papers.frame.judging import Criterion, Verdict, criterion_of, names_in

PAPERS = ("tartanian7", "saef", "aggregation", "laptop_mccfr", "total_rbp")
"""Files of claims, in the order of the papers in the ledger."""


class Absent(NamedTuple):
    """Evidence that something is not built; a test checks it, so that the row fails once the thing is there."""

    command: str
    """A command that would use it, and that is refused."""
    words: str
    """Regular expression for its name, which matches nowhere in the code outside experiments."""


class Missing(NamedTuple):
    """Reason why a claim has no figure."""

    verdict: Verdict
    reason: str
    absent: Absent | None = None
    """Evidence that it is not implemented, for claims that wait for code."""


@dataclass(frozen=True)
class Claim:
    """One table, figure, theorem, algorithm or stated result of a paper, and the way in which it is decided."""

    place: str
    states: str
    ours: str = ""
    criterion: Criterion | None = None
    page: str = ""
    tests: tuple[str, ...] = ()
    """Paths of tests as pytest takes them."""
    refuted: bool = False
    """True if the tests show that the claim is wrong."""
    missing: Missing | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Every figure that the claim's criterion or text needs."""
        asked = self.criterion.names if self.criterion else ()
        return tuple(dict.fromkeys((*asked, *names_in(self.ours))))


@dataclass(frozen=True)
class Paper:
    """A paper and its claims in the order in which they stand there."""

    number: str
    """Its number among the papers, such as 004."""
    name: str
    """Its short name, such as Total RBP."""
    title: str
    note: str
    """Note for readers of its table: how its claims were read."""
    claims: tuple[Claim, ...]


@cache
def paper(name: str) -> Paper:
    """Read the claims of a paper."""
    text = (files("solvent_papers") / "claims" / f"{name}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    claims = tuple(map(claim_of, content.pop("claim")))
    return Paper(**content, claims=claims)


def papers() -> tuple[Paper, ...]:
    """Read the claims of all papers."""
    return tuple(map(paper, PAPERS))


def claim_of(table: Mapping[str, Any]) -> Claim:
    """Return the claim that a table of TOML has."""
    given = dict(table)
    if "not_built" in given:
        absent = Absent(**given.pop("absent"))
        given["missing"] = Missing(Verdict.NOT_BUILT, given.pop("not_built"), absent)
    elif "not_tested" in given:
        given["missing"] = Missing(Verdict.NOT_TESTED, given.pop("not_tested"))
    if "criterion" in given:
        given["criterion"] = criterion_of(given["criterion"])
    return Claim(**given | {"tests": tuple(given.get("tests", ()))})
