"""docs/results/index.md: the list of results pages, and the ledger of the papers' claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from solvent_papers.ledger.claims import Paper, Verdict
from solvent_papers.ledger.ledger import PAPERS, Entry, counted
from solvent_papers.ledger.results import ResultsPage
from solvent_papers.page import markdown_table

COMMAND = "solvent reproduce --list --page docs/results/index.md"
SYMBOLS = {
    Verdict.AGREES: "🟢",
    Verdict.MORE: "🟢",
    Verdict.HOLDS_IN_TESTS: "🟢",
    Verdict.IN_PART: "🟡",
    Verdict.LESS: "🟡",
    Verdict.NOT_REPRODUCED: "🔴",
    Verdict.REFUTED: "🔴",
    Verdict.NOT_TESTED: "⚪",
    Verdict.NOT_BUILT: "⚪",
}
MEANINGS = {
    Verdict.AGREES: "the criterion holds; a factor is within 10 % of the paper's unless the row says otherwise",
    Verdict.MORE: "a factor is more than 10 % above the paper's",
    Verdict.IN_PART: "the criterion holds for some of the games, sizes or opponents that it asks for",
    Verdict.LESS: "the paper's direction, more than 10 % below its factor",
    Verdict.NOT_REPRODUCED: "no such effect, the opposite, or none that chance would not explain",
    Verdict.HOLDS_IN_TESTS: "a theorem, an algorithm or an example that tests check, by brute force where they can",
    Verdict.REFUTED: "tests show that it is wrong",
    Verdict.NOT_TESTED: "nothing was measured that could decide",
    Verdict.NOT_BUILT: "what it is about is not implemented",
}
QUESTIONS = {
    "peers": "how quick are an iteration of CFR+ and the way to an exploitability of 1e-4?",
    "spots": "what are hold'em spots worth, how quickly are they solved, by which rule?",
    "flops": "do a few chosen flops stand for all in a report?",
    "openspiel-speed": "how quick is an iteration of CFR?",
    "aggregation": "what does aggregation bring?",
    "full-deck": "can flop hold'em with 52 cards be solved here?",
    "total-rbp": "what does pruning save?",
    "larger-game": "does memory really fall?",
    "sizes": "can the solver choose the bets of a spot?",
    "saef": "can bet sizes be found while solving?",
    "sampling-speed": "how quick is Monte Carlo CFR?",
    "sampling-options": "do the improvements of Laptop MCCFR lower exploitability?",
    "training-speed": "what limits training?",
    "agents": "how much do the agents lose that users train?",
    "public-sampling": "which way of sampling trains agents best?",
    "cluster": "what do messages cost?",
    "tartanian7": "does training by children on a cluster win?",
    "abstraction": "how well do buckets fit?",
    "sampled-buckets": "and how do they play?",
    "laptop-mccfr": "do its bots and rewards win?",
    "post-processing": "is New-0.2 ahead?",
}
"""What each page asks, in the order in which pages are listed; others follow."""


def write_ledger(found: Sequence[Entry], results: Mapping[str, ResultsPage], path: Path) -> None:
    """Write the page."""
    parts = [
        "---\nhide:\n  - toc\n---\n\n# Results",
        "Every page is written by a command, and says which, on what machine, at which commit. Negative "
        "results are "
        "included. Each page starts with three lines: what is claimed, what we found, and so what.",
        _pages(results),
        _bars(results),
        "## The ledger of claims",
        f"Every table, figure, theorem and stated result of [the five papers](../papers.md): {len(found)} "
        f"claims. A "
        "verdict is computed from figures that the command in its row wrote, at the commit named, by a "
        "criterion that "
        f"stands in the code and in the output of `solvent reproduce --list --json`. Where a paper gives no "
        "number, *we ask* states ours; some of these were set when the figures were known. This page is made by "
        f"`{COMMAND}`.",
        _counts(found),
        *(_section(paper, [entry for entry in found if entry.paper is paper]) for paper in PAPERS),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(part.rstrip() for part in parts if part) + "\n", encoding="utf-8")


def _pages(results: Mapping[str, ResultsPage]) -> str:
    ordered = [stem for stem in QUESTIONS if stem in results]
    ordered += [stem for stem in results if stem not in QUESTIONS]
    rows = [
        [f"[{results[stem].title}]({stem}.md)", QUESTIONS.get(stem, ""), results[stem].in_short]
        for stem in ordered
    ]
    return markdown_table(["page", "question", "so what"], rows)


def _bars(results: Mapping[str, ResultsPage]) -> str:
    """Name the bars of our own that were missed."""
    missed = [
        f"- [{page.title}]({page.stem}.md#our-own-bars): {bar.name}; wanted {bar.wanted}, seen {bar.seen}\n"
        for page in results.values()
        for bar in page.bars
        if not bar.met
    ]
    return f"Bars that we had set ourselves and missed:\n\n{''.join(missed)}" if missed else ""


def _counts(found: Sequence[Entry]) -> str:
    counts = counted(found)
    rows = [[f"{SYMBOLS[verdict]} {verdict}", count, MEANINGS[verdict]] for verdict, count in counts.items()]
    return markdown_table(["verdict", "claims", "meaning"], rows)


def _section(paper: Paper, found: Sequence[Entry]) -> str:
    rows = [
        [
            f"{SYMBOLS[entry.verdict]} {entry.verdict}",
            entry.claim.place,
            entry.claim.states,
            entry.ours,
            _shown_by(entry),
        ]
        for entry in found
    ]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    table = markdown_table(["verdict", "where", "the paper", "here", "shown by"], cells)
    head = f"## {paper.number} {paper.name}\n\n*{paper.title}.* {paper.note}"
    return f'{head}\n\n<div class="ledger" markdown>\n\n{table}\n</div>'


def _shown_by(entry: Entry) -> str:
    """The command, the page and the commit; or the tests."""
    claim = entry.claim
    if claim.tests:
        return "<br>".join(f"`{test.rpartition('/')[2]}`" for test in claim.tests)
    if not entry.commit:
        return ""
    return f"`{entry.command}`<br>[{claim.page}]({claim.page}.md) at {entry.commit}"
