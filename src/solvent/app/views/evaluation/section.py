"""The report's sections on what was measured of a training: bounds of its exploitability, and the evaluation."""

from __future__ import annotations

import html
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

from solvent.app.views.charts.line_chart import Line, line_chart
from solvent.app.views.evaluation.tables import LOSES, measured, missed, response_rows, verdict, with_interval
from solvent.evaluate.evaluation import read_evaluations
from solvent.evaluate.sentences import sentences
from solvent.foundation.errors import InputError


def evaluation_section(folder: Path, iterations: int) -> str:
    """The section as HTML, empty where nothing was measured. `iterations`: those of the report's strategy."""
    try:
        found = read_evaluations(folder)
    except InputError as error:
        return f"<h2>Evaluation</h2><p>{html.escape(str(error))}</p>"
    if not found:
        return ""
    newest = [each for each in found if each.get("iterations") == iterations] or found[:1]
    here = [{**each, "run": str(folder)} for each in newest]  # it may have moved since it was measured
    return "<h2>Evaluation</h2>" + "".join(_of_one(each, iterations) for each in here)


def bounds_section(folder: Path) -> str:
    """What is known of the agent's exploitability: lower bounds by responses to it, over iterations."""
    found: list[dict[str, Any]] = []
    lines: list[Line] = []
    with suppress(
        InputError, KeyError, TypeError, ValueError
    ):  # the section on the evaluation says what is damaged
        found = read_evaluations(folder)
        lines = response_lines(found)
    title = "<h2>Exploitability</h2>"
    if not lines and any(each.get("lbr") for each in found):
        return (
            f"{title}<p>Local best response has won nothing from the agent on average, so it gives no lower bound "
            "of what the agent can lose. That does not mean that the agent cannot be exploited.</p>"
        )
    if not lines:
        return (
            f"{title}<p>No bound has been measured yet. <code>solvent evaluate {_typed(folder)} --parts "
            "lbr</code> plays local best response against the agent; what that wins is a lower bound of what the "
            "agent can lose.</p>"
        )
    chart = line_chart(lines, "iterations", "lower bound (mbb/hand)")
    return (
        f"{title}<p>What responses to the agent win from it on average. The best opponent wins at least as "
        "much, so each point is a lower bound of the agent's exploitability, up to its 95 % interval. How much "
        "more the best opponent would win is not known: no upper bound can be computed for the full game, and a "
        "falling line is a good sign but no proof. With fc local best response may fold, check and call; with fcpa "
        "also bet the pot or all-in. One setting alone may mislead: the largest counts. A best response inside the "
        "abstraction has the agent's own buckets and bets.</p>"
        f"<figure>{chart}</figure>"
    )


def response_lines(found: list[dict[str, Any]]) -> list[Line]:
    """What responses won, over iterations: a line for each setting and post-processing.

    A bound that is not above zero says nothing, and is left out.
    """
    points: dict[str, dict[int, tuple[float, float]]] = {}
    for each in reversed(found):  # the newest measurement of a checkpoint counts
        rows = [(row["actions"], row) for row in each.get("lbr", [])]
        if "inside" in each:
            rows.append(("inside the abstraction", each["inside"]))
        post = "" if each.get("post", "none") == "none" else f", {each['post']}"
        for name, row in rows:
            if row["complete"] and row["mbb_per_hand"] and row["mbb_per_hand"] > 0 and each["iterations"] > 0:
                line = points.setdefault(f"{name}{post}", {})
                line[each["iterations"]] = (row["mbb_per_hand"], row["mbb_per_hand_95"] or 0.0)
    return [
        Line(
            name,
            [(float(at), line[at][0]) for at in sorted(line)],
            [line[at][1] for at in sorted(line)],
        )
        for name, line in points.items()
    ]


def _typed(folder: Path) -> str:
    """A folder as it is typed in a command from where this one was started."""
    return html.escape(shlex.quote(str(folder)))


def _of_one(found: dict[str, Any], iterations: int) -> str:
    """The part of the section on one strategy."""
    try:
        tables = _meaning(found) + _matches(found) + _responses(found) + _posts(found) + _behaviour(found)
    except (KeyError, TypeError, ValueError):
        return "<p>The results of an evaluation are damaged; evaluate again.</p>"
    of = f"After {found.get('iterations', 0):,} iterations, post-processing {found.get('post', 'none')}."
    if found.get("iterations") != iterations:
        of += " Training has gone on since."
    if found.get("styles"):
        of += " Styles change the strategy, and are post-processed as it is."
    return f"<p>{html.escape(of)}</p>{tables}"


def _meaning(found: dict[str, Any]) -> str:
    """What the figures mean, as a list."""
    said = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences(found))
    return f"<ul class='meaning'>{said}</ul>"


def _matches(found: dict[str, Any]) -> str:
    made = ""
    for part, title in (("styles", "wins against"), ("earlier", "wins against its checkpoint of")):
        rows = [
            [
                row["opponent"],
                with_interval(row["mbb_per_hand"], row["mbb_per_hand_95"], 1),
                with_interval(row["bb_per_100"], row["bb_per_100_95"], 2),
                f"{row['hands']:,}",
            ]
            for row in found.get(part, [])
        ]
        made += _table([title, "mbb/hand", "BB/100", "hands"], rows)
    return made


def _responses(found: dict[str, Any]) -> str:
    rows = response_rows(found)
    note = ""
    if "lbr_maximum" in found and len(found["lbr"]) > 1:
        note = (
            "<p>Each figure has its own 95 % interval. That of the largest is where the largest true value lies, "
            "with all intervals widened to hold at once: it holds although the largest was chosen.</p>"
        )
    return _table(list(LOSES), rows) + note


def _posts(found: dict[str, Any]) -> str:
    rows = [
        [
            row["post"],
            *(
                with_interval(each["mbb_per_hand"], each["mbb_per_hand_95"], 0)
                for each in (*row["matches"], row["lbr"])
            ),
        ]
        for row in found.get("posts", [])
        if "lbr" in row
    ]
    names = [match["opponent"] for match in found["posts"][0]["matches"]] if rows else []
    return _table(["post-processed, wins against", *names, "local best response wins most"], rows)


def _behaviour(found: dict[str, Any]) -> str:
    checks = found.get("behaviour", {}).get("checks", [])
    rows = [
        [
            check["name"],
            measured(check),
            check["wanted"],
            verdict(check) + ("" if check["passed"] else f": {missed(check)}"),
        ]
        for check in checks
    ]
    return _table(["behaviour", "measured", "wanted", ""], rows)


def _table(headers: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{html.escape(header)}</th>" for header in headers)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<div class='wide'><table class='measured'><tr>{head}</tr>{body}</table></div>"
