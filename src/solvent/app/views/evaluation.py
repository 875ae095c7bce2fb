"""Measurements of a run for the terminal: all figures in tables, or the most telling ones and a few sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from solvent.app.terminal import table, terminal
from solvent.evaluate.behaviour_checks import is_near
from solvent.evaluate.learned_response import WAYS
from solvent.evaluate.sentences import sentences

STOPPED = "stopped before all was measured; what was measured is kept"
LOSES = ("loses at least, to", "mbb/hand", "hands")
"""Headers of an agent's losses."""
HALF = "stopped before all hands were played"


def show_solved(document: Mapping[str, Any]) -> None:
    """Print the measurements of a solved game."""
    rows = {}
    if "best_response" in document:
        rows = {"the strategy against itself": document["value"], "best response": document["best_response"]}
    if continuous := document.get("continuous"):
        rows["best response, any bet size"] = continuous["uninformed"]
        rows["the same, seeing which size a bet is taken for"] = continuous["informed"]
    for name, value in (document.get("local_best_response") or {}).items():
        rows[f"local best response, {name}"] = value
    shown = table("", "as player 0", "as player 1", "mean", title=f"{document['game']}, {document['unit']}")
    for name, (first, second) in rows.items():
        shown.add_row(name, f"{first:+.6g}", f"{second:+.6g}", f"{(first + second) / 2:.6g}")
    console = terminal()
    console.print(shown)
    if "no_local_best_response" in document:
        console.print(document["no_local_best_response"], soft_wrap=True)


def show_stopped(document: Mapping[str, Any]) -> None:
    """Say that not everything was measured, where that is so."""
    if not document["complete"]:
        terminal().print(STOPPED if "run" in document or "game" in document else HALF)


def show_sentences(document: dict[str, Any]) -> None:
    """Print the meaning of the figures, a sentence a paragraph."""
    console = terminal()
    for sentence in sentences(document):
        console.print()
        console.print(sentence)


# Every figure of an agent


def show_agent(document: Mapping[str, Any]) -> None:
    """Print all tables of an agent."""
    console = terminal()
    titles = {"styles": "wins against", "earlier": "wins against earlier checkpoints"}
    for part, title in titles.items():
        if found := document.get(part):
            note = f"post-processing {document['post']}, all styles alike" if part == "styles" else None
            rows = [(row["opponent"], won(row, 1), won(row, 2, "bb_per_100"), _hands(row)) for row in found]
            console.print(table(title, "mbb/hand", "BB/100", "hands", title=note, rows=rows))
        elif part == "earlier" and document["parts"].get(part):
            console.print(f"{document['run']} has no earlier checkpoint to play against", soft_wrap=True)
    if losses := response_rows(document):
        console.print(table(*LOSES, rows=losses))
    if posts := document.get("posts"):
        names = [*(match["opponent"] for match in posts[0]["matches"]), "LBR wins most"]
        columns = ([won(each) for each in (*row["matches"], row["lbr"])] for row in posts)
        shown = table(
            "mbb/hand against", *(row["post"] for row in posts), rows=zip(names, *columns, strict=True)
        )
        shown.show_edge = False  # Five columns fit 80 characters without it.
        console.print(shown)
    if "behaviour" in document:
        checks = document["behaviour"]["checks"]
        rows = [(check["name"], measured(check), check["wanted"], verdict(check)) for check in checks]
        console.print(table("behaviour", "measured", "wanted", "", rows=rows))
        for check in checks:
            if not check["passed"]:
                console.print(f"{check['name']}: {missed(check)}", soft_wrap=True)


def response_rows(document: Mapping[str, Any]) -> list[list[str]]:
    """An agent's losses, under `LOSES`: to local best response, and inside its abstraction."""
    rows = [
        [f"local best response, {row['actions']}", won(row), _hands(row)] for row in document.get("lbr", [])
    ]
    if (largest := document.get("lbr_maximum")) and len(rows) > 1:
        rows.append(["the largest of these", _range(largest), ""])
    if inside := document.get("inside"):
        rows += _inside_rows(inside)
    if rows and "folding_loses" in document:
        rows.append(["for comparison, folding every hand", f"{document['folding_loses']:+,.0f}", ""])
    return rows


def _inside_rows(inside: Mapping[str, Any]) -> Iterator[list[str]]:
    """Winnings of responses learned inside the abstraction: the better way at each doubling, then the best."""
    for rung in inside["rungs"]:
        way = max(WAYS, key=lambda way: rung[way]["mbb_per_hand"])
        yield [f"inside, {rung['boards']:,} boards, {way}", won(rung[way]), ""]
    if inside["complete"]:
        settled = "" if inside["settled"] else ", not settled"
        boards = f"all of {inside['valued']:,} boards"
        yield [f"inside, the best of these on other boards{settled}", won(inside), boards]
    else:
        yield ["inside", "-", "stopped"]


# The most telling figures


def show_summary(document: dict[str, Any], report: Path) -> None:
    """Print the most telling figures of an agent and their meaning; `report` has all."""
    rows = summary_rows(document)
    if rows:
        post = "" if document["post"] == "none" else f", {document['post']}"
        title = f"{document['run']} after {document['iterations']:,} iterations{post}"
        shown = table(title, "mbb/hand", rows=rows)
        shown.caption = f"all figures: {report}, or --details"
        shown.caption_justify = "left"
        terminal().print(shown)
    show_sentences(document)


def summary_rows(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The most telling figures: matches, what the agent loses at least, and checks of behaviour."""
    return [*_matches(document), *_posts(document), *_losses(document), *_behaviour(document)]


def _matches(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    played = [(row["opponent"], row) for row in document.get("styles", [])]
    if earlier := document.get("earlier"):  # oldest first: the last is the hardest
        played.append((f"itself after {earlier[-1]['opponent']}", earlier[-1]))
    for name, row in played:
        yield f"wins against {name}" + ("" if row["complete"] else ", stopped"), won(row)


def _posts(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Winnings of each post-processing against the plain strategy."""
    for row in document.get("posts", []):
        plain = row["matches"][0]
        if row["post"] != "none":
            yield f"{row['post']} wins against {plain['opponent']}", won(plain)


def _losses(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    inside, largest = document.get("inside"), document.get("lbr_maximum")
    if inside:
        settled = ", still improving" if inside["complete"] and not inside["settled"] else ""
        yield f"loses at least, inside its abstraction{settled}", won(inside) if inside["complete"] else "-"
    if largest:
        yield f"loses at least, to local best response ({largest['actions']})", _range(largest)
    elif document.get("lbr"):
        yield "loses at least, to local best response", "- (stopped)"
    if (document.get("lbr") or inside) and "folding_loses" in document:
        yield "for comparison, loses by folding every hand", f"{document['folding_loses']:+,.0f}"


def _behaviour(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    checks = document.get("behaviour", {}).get("checks", [])
    if not checks:
        return
    told = [check for check in checks if check["measured"] is not None]
    near = sum(is_near(check) for check in told)
    others = (f", {near} near" if near else "") + (
        f", {len(checks) - len(told)} too rare" if len(told) < len(checks) else ""
    )
    passed = sum(check["passed"] for check in told)
    yield "checks of behaviour passed", f"{passed} of {len(checks)}{others}"
    for check in checks:
        if not check["passed"]:
            yield f"{verdict(check)}: {check['name']} (wanted: {check['wanted']})", measured(check)


# Figures in words


def won(row: Mapping[str, Any], digits: int = 0, unit: str = "mbb_per_hand") -> str:
    """Winnings, with half the width of their 95 % interval if there is one."""
    value, interval = row[unit], row[f"{unit}_95"]
    if value is None:
        return "-"
    return f"{value:+,.{digits}f}" + ("" if interval is None else f" ± {interval:,.{digits}f}")


def _range(largest: Mapping[str, Any]) -> str:
    low, high = largest["mbb_per_hand_95"]
    return f"{largest['mbb_per_hand']:+,.0f} ({low:+,.0f} to {high:+,.0f})"


def _hands(row: Mapping[str, Any]) -> str:
    return f"{row['hands']:,}" + ("" if row["complete"] else ", stopped")


def verdict(check: Mapping[str, Any]) -> str:
    """Whether a check passed, or is near its bar; a dash where it found too little to say."""
    if check["measured"] is None or check["passed"]:
        return "-" if check["measured"] is None else "ok"
    return "near" if is_near(check) else "FAILED"


def measured(check: Mapping[str, Any]) -> str:
    """Figure of a check, with half of its 95 % interval over the hands watched, and its unit."""
    if check["measured"] is None:
        return "too rare"
    noise = f" ± {check['noise']:.2g}" if check.get("noise") else ""
    return f"{check['measured']:.3g}{noise} {check['unit']}".strip()


def missed(check: Mapping[str, Any]) -> str:
    """Explanation of a check that did not pass."""
    if not is_near(check):
        return str(check["meaning"])
    return (
        f"it misses by no more than chance explains, as agents that differ in their seed alone differ by about "
        f"{check['seeds']:.2g}"
    )
