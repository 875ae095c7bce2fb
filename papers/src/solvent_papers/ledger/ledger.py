"""The verdict on every claim, computed from the figures that the experiments wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solvent_papers.frame.judging import Verdict, filled
from solvent_papers.ledger.claims import Claim, Missing, Paper, papers
from solvent_papers.ledger.results import ResultsPage

NO_FIGURE = "not measured yet"


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
