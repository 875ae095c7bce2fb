"""The verdict on every claim, computed from the figures that the experiments wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from solvent_papers.ledger.aggregation_claims import AGGREGATION
from solvent_papers.ledger.claims import PLACEHOLDER, Claim, Paper, Verdict, not_tested
from solvent_papers.ledger.laptop_mccfr_claims import LAPTOP_MCCFR
from solvent_papers.ledger.results import ResultsPage
from solvent_papers.ledger.saef_claims import SAEF
from solvent_papers.ledger.tartanian7_claims import TARTANIAN7
from solvent_papers.ledger.total_rbp_claims import TOTAL_RBP

PAPERS: tuple[Paper, ...] = (TARTANIAN7, SAEF, AGGREGATION, LAPTOP_MCCFR, TOTAL_RBP)
NO_FIGURE = "not measured yet"


@dataclass(frozen=True)
class Entry:
    """A claim and what came of it."""

    paper: Paper
    claim: Claim
    verdict: Verdict
    ours: str
    command: str = ""
    """Command that wrote its figures; empty without figures."""
    commit: str = ""
    """Where its figures were measured; empty without figures."""

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


def entries(results: Mapping[str, ResultsPage], papers: Sequence[Paper] = PAPERS) -> list[Entry]:
    """Judge every claim of every paper."""
    return [judge(paper, claim, results) for paper in papers for claim in paper.claims]


def judge(paper: Paper, claim: Claim, results: Mapping[str, ResultsPage]) -> Entry:
    """Judge a claim; where its figures are not there, say what it waits for."""
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
        ours = f"{_filled(claim.ours, figures)}; {reason}"
        return Entry(paper, claim, verdict, ours, page.command, page.commit)
    if not all(name in figures for name in claim.names):
        missing = claim.missing or not_tested(NO_FIGURE)
        return Entry(paper, claim, missing.verdict, missing.reason)
    assert page is not None
    verdict = claim.criterion.judge(figures)
    return Entry(paper, claim, verdict, _filled(claim.ours, figures), page.command, page.commit)


def _filled(text: str, figures: Mapping[str, float]) -> str:
    """Put figures into a text."""
    return PLACEHOLDER.sub(lambda found: format(figures[found[1]], found[2]), text)


def counted(found: Sequence[Entry]) -> dict[Verdict, int]:
    """Return how many claims have each verdict, in the order of verdicts."""
    counts = Counter(entry.verdict for entry in found)
    return {verdict: counts[verdict] for verdict in Verdict if counts[verdict]}
