"""Tables of what was measured of a run, for the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from solvent.app.terminal import table, terminal
from solvent.evaluate.behaviour_checks import is_near
from solvent.evaluate.learned_response import WAYS

STOPPED = "stopped before all was measured; what was measured is kept"
LOSES = ("loses at least, to", "mbb/hand", "hands")
"""Headers of what an agent can lose."""
HALF = "stopped before all hands were played"


def show_solved(document: dict[str, Any]) -> None:
    """Print what was measured of a solved game."""
    shown = table("", "as player 0", "as player 1", "mean", title=f"{document['game']}, {document['unit']}")
    rows = {}
    if "best_response" in document:
        rows = {"the strategy against itself": document["value"], "best response": document["best_response"]}
    if continuous := document.get("continuous"):
        rows["best response, any bet size"] = continuous["uninformed"]
        rows["the same, seeing which size a bet is taken for"] = continuous["informed"]
    for name, value in (document.get("local_best_response") or {}).items():
        rows[f"local best response, {name}"] = value
    for name, (first, second) in rows.items():
        shown.add_row(name, f"{first:+.6g}", f"{second:+.6g}", f"{(first + second) / 2:.6g}")
    console = terminal()
    console.print(shown)
    if "no_local_best_response" in document:
        console.print(document["no_local_best_response"], soft_wrap=True)


def show_stopped(document: dict[str, Any]) -> None:
    """Say that not everything was measured, where that is so."""
    if not document["complete"]:
        terminal().print(STOPPED if "run" in document or "game" in document else HALF)


def show_agent(document: dict[str, Any]) -> None:
    """Print what was measured of a trained agent."""
    console = terminal()
    _show_matches(console, document)
    _show_responses(console, document)
    _show_posts(console, document)
    _show_behaviour(console, document)


def _show_matches(console: Console, document: dict[str, Any]) -> None:
    titles = {"styles": "wins against", "earlier": "wins against earlier checkpoints"}
    for part, title in titles.items():
        if document.get(part):
            note = f"post-processing {document['post']}, all styles alike" if part == "styles" else None
            shown = table(title, "mbb/hand", "BB/100", "hands", title=note)
            for row in document[part]:
                shown.add_row(
                    row["opponent"],
                    with_interval(row["mbb_per_hand"], row["mbb_per_hand_95"], 1),
                    with_interval(row["bb_per_100"], row["bb_per_100_95"], 2),
                    f"{row['hands']:,}" + ("" if row["complete"] else ", stopped"),
                )
            console.print(shown)
        elif part == "earlier" and document["parts"].get(part):
            console.print(f"{document['run']} has no earlier checkpoint to play against", soft_wrap=True)


def _show_responses(console: Console, document: dict[str, Any]) -> None:
    rows = response_rows(document)
    if rows:
        shown = table(*LOSES)
        for row in rows:
            shown.add_row(*row)
        console.print(shown)


def response_rows(document: dict[str, Any]) -> list[list[str]]:
    """What the agent can lose at least, under `LOSES`: to local best response, and inside its abstraction."""
    rows = [
        [
            f"local best response, {row['actions']}",
            with_interval(row["mbb_per_hand"], row["mbb_per_hand_95"], 0),
            f"{row['hands']:,}" + ("" if row["complete"] else ", stopped"),
        ]
        for row in document.get("lbr", [])
    ]
    if (largest := document.get("lbr_maximum")) and len(rows) > 1:
        low, high = largest["mbb_per_hand_95"]
        rows.append(
            ["the largest of these", f"{largest['mbb_per_hand']:+,.0f} ({low:+,.0f} to {high:+,.0f})", ""]
        )
    if inside := document.get("inside"):
        rows += _inside_rows(inside)
    if rows and "folding_loses" in document:
        rows.append(["for comparison, folding every hand", f"{document['folding_loses']:+,.0f}", ""])
    return rows


def _inside_rows(inside: dict[str, Any]) -> list[list[str]]:
    """What responses learned inside the abstraction win: at each doubling the better way, then the best of all."""
    rows = []
    for rung in inside["rungs"]:
        way = max(WAYS, key=lambda way: rung[way]["mbb_per_hand"])
        won = with_interval(rung[way]["mbb_per_hand"], rung[way]["mbb_per_hand_95"], 0)
        rows.append([f"inside, {rung['boards']:,} boards, {way}", won, ""])
    if inside["complete"]:
        won = with_interval(inside["mbb_per_hand"], inside["mbb_per_hand_95"], 0)
        settled = "" if inside["settled"] else ", not settled"
        boards = f"all of {inside['valued']:,} boards"
        rows.append([f"inside, the best of these on other boards{settled}", won, boards])
    else:
        rows.append(["inside", "-", "stopped"])
    return rows


def _show_posts(console: Console, document: dict[str, Any]) -> None:
    if document.get("posts"):
        posts = document["posts"]
        names = [*(match["opponent"] for match in posts[0]["matches"]), "LBR wins most"]
        shown = table("mbb/hand against", *(row["post"] for row in posts))
        shown.show_edge = False  # Five columns fit 80 characters without it.
        for name, *found in zip(names, *((*row["matches"], row["lbr"]) for row in posts), strict=True):
            shown.add_row(
                name, *(with_interval(each["mbb_per_hand"], each["mbb_per_hand_95"], 0) for each in found)
            )
        console.print(shown)


def _show_behaviour(console: Console, document: dict[str, Any]) -> None:
    if "behaviour" in document:
        shown = table("behaviour", "measured", "wanted", "")
        for check in document["behaviour"]["checks"]:
            shown.add_row(check["name"], measured(check), check["wanted"], verdict(check))
        console.print(shown)
        for check in document["behaviour"]["checks"]:
            if not check["passed"]:
                console.print(f"{check['name']}: {missed(check)}", soft_wrap=True)


def with_interval(value: float | None, interval: float | None, digits: int) -> str:
    """A figure and half the width of its 95 % interval."""
    if value is None:
        return "-"
    return f"{value:+,.{digits}f}" + ("" if interval is None else f" ± {interval:,.{digits}f}")


def verdict(check: dict[str, Any]) -> str:
    """Whether a check passed, or is near its bar; a dash where it found too little to say."""
    if check["measured"] is None or check["passed"]:
        return "-" if check["measured"] is None else "ok"
    return "near" if is_near(check) else "FAILED"


def measured(check: dict[str, Any]) -> str:
    """Figure of a check, with half of its 95 % interval over the hands watched, and its unit."""
    if check["measured"] is None:
        return "too rare"
    noise = f" ± {check['noise']:.2g}" if check.get("noise") else ""
    return f"{check['measured']:.3g}{noise} {check['unit']}".strip()


def missed(check: dict[str, Any]) -> str:
    """Explanation of a check that did not pass."""
    if not is_near(check):
        return str(check["meaning"])
    return (
        f"it misses by no more than chance explains, as agents that differ in their seed alone differ by about "
        f"{check['seeds']:.2g}"
    )
