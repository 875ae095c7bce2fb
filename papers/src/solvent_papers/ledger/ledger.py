"""The papers' claims, and the verdict on each by the figures that experiments wrote beside their results pages.

Claims are in `claims/PAPER.toml`. Each `[[claim]]` has its `place` in the paper, `states` (the claim in a few
words, with its value) and at most one of two ways to decide: a `criterion` on the figures of a results `page`, or
`tests` that check a theorem or an algorithm, by brute force where they can. `ours` is our figure or finding, with
figures as `{name:format}`. If nothing decides, `not_tested` or `not_built` gives the reason; beside a criterion it
gives the reason why figures may be missing. `ours` and `page` without a criterion show figures that cannot decide.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from solvent.foundation.errors import InputError
from solvent_papers.frame.judging import Bar, Criterion, Verdict, criterion_of, filled, names_in
from solvent_papers.frame.pages import HEAD
from solvent_papers.frame.running import read_json

PAPERS = ("tartanian7", "saef", "aggregation", "laptop_mccfr", "total_rbp")
"""Files of claims, in the order of the papers in the ledger."""
NO_FIGURE = "not measured yet"
INDEX = "index"
SENTENCE = re.compile(r"(?<=[a-z)\d])\. (?=[A-Z])")


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
        """The figures that the claim's criterion or text needs."""
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


# Results pages and verdicts


@dataclass(frozen=True)
class ResultsPage:
    """The head of a results page and, where the experiment wrote them, its figures."""

    stem: str
    title: str
    so_what: str
    figures: dict[str, float]
    bars: tuple[Bar, ...]
    commit: str
    """The commit at which it was measured; empty where the page has no figures."""
    command: str = ""
    """The command that measured it; empty where the page has no figures."""

    @property
    def in_short(self) -> str:
        """The first sentence of the page's last line."""
        return SENTENCE.split(self.so_what)[0].rstrip(".") + "."


def read_results(folder: Path) -> dict[str, ResultsPage]:
    """Read every results page of a folder, by its name without suffix."""
    pages = sorted(folder.glob("*.md")) if folder.is_dir() else []
    return {page.stem: _read(page) for page in pages if page.stem != INDEX}


def _read(page: Path) -> ResultsPage:
    head = HEAD.match(page.read_text(encoding="utf-8"))
    if head is None:
        raise InputError(f"{page} does not begin with a title and three lines: claimed, found, so what")
    record = read_json(page.with_suffix(".json"))
    bars = tuple(Bar(**bar) for bar in record.get("bars", ()))
    figures = {name: float(value) for name, value in record.get("figures", {}).items()}
    return ResultsPage(
        page.stem, head[1], head[4], figures, bars, record.get("commit", ""), record.get("command", "")
    )


@dataclass(frozen=True)
class Entry:
    """A claim and the verdict on it."""

    paper: Paper
    claim: Claim
    verdict: Verdict
    ours: str
    command: str = ""
    """Command that wrote its figures; empty without figures."""
    commit: str = ""
    """Commit at which its figures were measured; empty without figures."""

    def as_dict(self) -> dict[str, Any]:
        claim = self.claim
        return {
            "paper": self.paper.number,
            "place": claim.place,
            "claim": claim.states,
            "ours": self.ours,
            "verdict": str(self.verdict),
            "criterion": "" if claim.criterion is None else str(claim.criterion),
            "command": self.command,
            "tests": list(claim.tests),
            "page": f"{claim.page}.md" if claim.page else "",
            "commit": self.commit,
        }


def entries(results: Mapping[str, ResultsPage]) -> list[Entry]:
    """Judge every claim of every paper."""
    return [judge(paper, claim, results) for paper in papers() for claim in paper.claims]


def judge(paper: Paper, claim: Claim, results: Mapping[str, ResultsPage]) -> Entry:
    """Judge a claim, or give the reason why its figures are missing."""
    page = results.get(claim.page)
    figures = {} if page is None else page.figures
    if claim.criterion is None:
        if claim.tests:
            verdict = Verdict.REFUTED if claim.refuted else Verdict.HOLDS_IN_TESTS
            return Entry(paper, claim, verdict, claim.ours)
        assert claim.missing is not None, f"nothing decides about {claim.place}: {claim.states}"
        verdict, reason = claim.missing.verdict, claim.missing.reason
        if page is None or not claim.ours or not all(name in figures for name in claim.names):
            return Entry(paper, claim, verdict, reason)
        ours = f"{filled(claim.ours, figures)}; {reason}"
        return Entry(paper, claim, verdict, ours, page.command, page.commit)
    if not all(name in figures for name in claim.names):
        missing = claim.missing or Missing(Verdict.NOT_TESTED, NO_FIGURE)
        return Entry(paper, claim, missing.verdict, missing.reason)
    assert page is not None
    verdict = claim.criterion.judge(figures)
    return Entry(paper, claim, verdict, filled(claim.ours, figures), page.command, page.commit)


def counted(found: Sequence[Entry]) -> dict[Verdict, int]:
    """Return the number of claims with each verdict, in the order of verdicts."""
    counts = Counter(entry.verdict for entry in found)
    return {verdict: counts[verdict] for verdict in Verdict if counts[verdict]}
