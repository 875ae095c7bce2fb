"""docs/results/index.md: the list of results pages, and the ledger of the papers' claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from solvent_papers.frame.judging import Verdict
from solvent_papers.frame.pages import rendered
from solvent_papers.ledger.ledger import Entry, ResultsPage, counted, papers

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
"""Questions of the pages, in the order of the list; pages without a question follow."""


def write_ledger(found: Sequence[Entry], results: Mapping[str, ResultsPage], path: Path) -> None:
    """Write the page."""
    ordered = [stem for stem in QUESTIONS if stem in results]
    ordered += [stem for stem in results if stem not in QUESTIONS]
    counts = [[f"{SYMBOLS[each]} {each}", count, MEANINGS[each]] for each, count in counted(found).items()]
    rows = {each.number: [_row(entry) for entry in found if entry.paper is each] for each in papers()}
    variables = {
        "pages": [
            [f"[{results[stem].title}]({stem}.md)", QUESTIONS.get(stem, ""), results[stem].in_short]
            for stem in ordered
        ],
        "missed": [(page, bar) for page in results.values() for bar in page.bars if not bar.met],
        "claims": len(found),
        "counts": counts,
        "papers": papers(),
        "rows": rows,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rendered("index", variables), encoding="utf-8")


def _row(entry: Entry) -> list[str]:
    """Return the row of a claim: the verdict, the place, the paper, ours, and the evidence."""
    claim, shown = entry.claim, ""
    if claim.tests:
        shown = "<br>".join(f"`{test.rpartition('/')[2]}`" for test in claim.tests)
    elif entry.commit:
        shown = f"`{entry.command}`<br>[{claim.page}]({claim.page}.md) at {entry.commit}"
    return [f"{SYMBOLS[entry.verdict]} {entry.verdict}", claim.place, claim.states, entry.ours, shown]
