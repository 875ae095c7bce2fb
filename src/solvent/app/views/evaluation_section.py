"""The report's section on what was measured of a training."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from solvent.app.views.evaluation_tables import measured, verdict, with_interval
from solvent.evaluate.evaluation import read_evaluations
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
    return "<h2>Evaluation</h2>" + "".join(_of_one(each, iterations) for each in newest)


def _of_one(found: dict[str, Any], iterations: int) -> str:
    """The part of the section on one strategy."""
    try:
        tables = _matches(found) + _responses(found) + _posts(found) + _behaviour(found)
    except (KeyError, TypeError, ValueError):
        return "<p>The results of an evaluation are damaged; evaluate again.</p>"
    of = f"After {found.get('iterations', 0):,} iterations, post-processing {found.get('post', 'none')}."
    if found.get("iterations") != iterations:
        of += " Training has gone on since."
    if found.get("styles"):
        of += " Styles change the strategy as it is, without post-processing."
    return f"<p>{html.escape(of)}</p>{tables}"


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
    rows = [
        [
            row["actions"],
            with_interval(row["mbb_per_hand"], row["mbb_per_hand_95"], 0),
            f"{row['hands']:,}",
        ]
        for row in found.get("lbr", [])
    ]
    return _table(["local best response wins", "mbb/hand", "hands"], rows)


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
    return _table(["post-processed, wins against", *names, "local best response wins"], rows)


def _behaviour(found: dict[str, Any]) -> str:
    checks = found.get("behaviour", {}).get("checks", [])
    rows = [
        [
            check["name"],
            measured(check),
            check["wanted"],
            verdict(check) + ("" if check["passed"] else f": {check['meaning']}"),
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
    return f"<table class='measured'><tr>{head}</tr>{body}</table>"
