"""An agent's evaluation in one table and a few sentences, for the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent.app.terminal import table, terminal
from solvent.app.views.evaluation.tables import measured, verdict, with_interval
from solvent.app.views.report import FILE as REPORT
from solvent.evaluate.behaviour_checks import is_near
from solvent.evaluate.sentences import sentences


def show_summary(document: dict[str, Any]) -> None:
    """Print the most telling figures of an agent, and what they mean."""
    console = terminal()
    rows = summary_rows(document)
    if rows:
        shown = table(_title(document), "mbb/hand")
        shown.caption = f"all figures: {Path(document['run']) / REPORT}, or --details"
        shown.caption_justify = "left"
        for row in rows:
            shown.add_row(*row)
        console.print(shown)
    show_sentences(document)


def show_sentences(document: dict[str, Any]) -> None:
    """Print what the figures mean, a sentence a paragraph."""
    console = terminal()
    for sentence in sentences(document):
        console.print()
        console.print(sentence)


def summary_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    """The most telling figures: matches, what the agent loses at least, and checks of behaviour."""
    return [*_matches(document), *_posts(document), *_losses(document), *_behaviour(document)]


def _title(document: dict[str, Any]) -> str:
    post = "" if document["post"] == "none" else f", {document['post']}"
    return f"{document['run']} after {document['iterations']:,} iterations{post}"


def _matches(document: dict[str, Any]) -> list[tuple[str, str]]:
    played = [(row["opponent"], row) for row in document.get("styles", [])]
    if earlier := document.get("earlier"):  # oldest first: the last is the hardest
        played.append((f"itself after {earlier[-1]['opponent']}", earlier[-1]))
    return [
        (
            f"wins against {name}" + ("" if row["complete"] else ", stopped"),
            with_interval(row["mbb_per_hand"], row["mbb_per_hand_95"], 0),
        )
        for name, row in played
    ]


def _posts(document: dict[str, Any]) -> list[tuple[str, str]]:
    """What each post-processing wins against the plain strategy."""
    found = []
    for row in document.get("posts", []):
        plain = row["matches"][0]
        if row["post"] != "none":
            won = with_interval(plain["mbb_per_hand"], plain["mbb_per_hand_95"], 0)
            found.append((f"{row['post']} wins against {plain['opponent']}", won))
    return found


def _losses(document: dict[str, Any]) -> list[tuple[str, str]]:
    found = []
    if inside := document.get("inside"):
        settled = ", still improving" if inside["complete"] and not inside["settled"] else ""
        won = (
            with_interval(inside["mbb_per_hand"], inside["mbb_per_hand_95"], 0) if inside["complete"] else "-"
        )
        found.append((f"loses at least, inside its abstraction{settled}", won))
    if largest := document.get("lbr_maximum"):
        low, high = largest["mbb_per_hand_95"]
        won = f"{largest['mbb_per_hand']:+,.0f} ({low:+,.0f} to {high:+,.0f})"
        found.append((f"loses at least, to local best response ({largest['actions']})", won))
    elif document.get("lbr"):
        found.append(("loses at least, to local best response", "- (stopped)"))
    if (document.get("lbr") or document.get("inside")) and "folding_loses" in document:
        found.append(("for comparison, loses by folding every hand", f"{document['folding_loses']:+,.0f}"))
    return found


def _behaviour(document: dict[str, Any]) -> list[tuple[str, str]]:
    checks = document.get("behaviour", {}).get("checks", [])
    if not checks:
        return []
    told = [check for check in checks if check["measured"] is not None]
    passed = sum(check["passed"] for check in told)
    near = sum(is_near(check) for check in told)
    others = (f", {near} near" if near else "") + (
        f", {len(checks) - len(told)} too rare" if len(told) < len(checks) else ""
    )
    found = [("checks of behaviour passed", f"{passed} of {len(checks)}{others}")]
    for check in checks:
        if not check["passed"]:
            found.append((f"{verdict(check)}: {check['name']} (wanted: {check['wanted']})", measured(check)))
    return found
