"""Two strategies side by side and against each other: of one solved game, of two trained agents, of one spot."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from solvent.app.terminal import facts_table, table, without_frame
from solvent.games.holdem.spot import NAMES

LISTED = 10
"""Decisions that the table lists."""
LEAST_DIFFERENCE = 0.0005
"""Differences of frequencies below this are not worth a line."""
LEAST_WIDTH = 72
"""Columns of a terminal that the table of decisions needs, with some twenty for lines of play."""
FIRST = "(first)"


def solved_table(document: Mapping[str, Any]) -> RenderableType:
    """A comparison of solved games for people."""
    a, b = document["a"], document["b"]
    return facts_table(
        document["game"],
        {
            "a": f"{a['source']}: exploitability {a['exploitability']:.6g} chips",
            "b": f"{b['source']}: exploitability {b['exploitability']:.6g} chips",
            "a wins against b": f"{document['a_wins']:+.6g} chips a game, both seats",
            "mean distance": f"{document['mean_distance']:.4f} (total variation per infoset)",
            "largest distance": f"{document['largest_distance']:.4f} at {document['largest_at']!r}, "
            f"player {document['largest_at_player']}",
        },
    )


def agents_table(document: Mapping[str, Any]) -> RenderableType:
    """A comparison of trained agents for people."""
    won = f"{document['a_wins']:+,.1f} ± {document['a_wins_95']:,.1f}"
    facts = facts_table(
        "two agents",
        {
            "a": f"{document['a']['source']}: {document['a']['game']}",
            "b": f"{document['b']['source']}: {document['b']['game']}",
            "a wins against b": f"{won} mbb/hand over {document['hands']:,} hands",
        },
    )
    streets = table("street", "mean distance", "decisions")
    for street, found in document["streets"].items():
        streets.add_row(street, f"{found['mean_distance']:.4f}", f"{found['decisions']:,}")
    return Group(
        facts, streets, "distance: total variation between the two strategies where their play leads"
    )


def spots_view(document: dict[str, Any], width: int) -> RenderableType:
    """Results of both runs of a spot, and the decisions at which they differ most.

    Where `width` has no room for a table of decisions each of them takes a few lines.
    """
    shown: list[RenderableType] = [
        *(Text(f"{name}: {document[name]['source']}") for name in ("a", "b")),
        _runs_table(document),
    ]
    differing = (found for found in document["decisions"] if (found["distance"] or 0) > LEAST_DIFFERENCE)
    listed = list(islice(differing, LISTED))
    if not listed:
        return Group(*shown, Text(f"no decision differs by {100 * LEAST_DIFFERENCE:.2f} %"))
    if width < LEAST_WIDTH:
        return Group(*shown, *(Text(f"\n{_sentence(found)}") for found in listed))
    note = "a, b: how often each plays the action that differs most; hand: the one that differs most"
    return Group(*shown, Text(""), _decisions_table(listed), Text(note))


def _runs_table(document: dict[str, Any]) -> Table:
    made = without_frame(table("", "a", "b", numbers=True))
    runs = document["a"], document["b"]
    for player, name in enumerate(NAMES):
        made.add_row(f"EV {name}", *(f"{run['ev'][player]:.3f}" for run in runs))
    made.add_row("exploitability", *(f"{run['exploitability_percent']:.4f} %" for run in runs))
    made.add_row("iterations", *(f"{run['iterations']:,}" for run in runs))
    made.add_row("locks", *(str(run["locks"]) for run in runs))
    return made


def _decisions_table(listed: list[dict[str, Any]]) -> Table:
    headers = ("line", "", "of play", "distance", "most at", "a", "b", "hand")
    made = without_frame(table(*headers), gap=2)
    for column in made.columns[1:]:
        column.no_wrap = True
        column.justify = "right" if column.header in ("of play", "distance", "a", "b") else "left"
    for found in listed:
        made.add_row(
            found["line"] or FIRST,
            found["player"],
            f"{100 * found['share']:.2f} %",
            f"{100 * found['distance']:.1f} %",
            found["action"],
            *_played(found),
            found["hand"],
        )
    return made


def _sentence(found: dict[str, Any]) -> str:
    a, b = _played(found)
    return (
        f"{found['line'] or FIRST}: {found['player']}, {100 * found['share']:.2f} % of play, distance "
        f"{100 * found['distance']:.1f} %, most at {found['action']} (a {a} %, b {b} %), most with {found['hand']}"
    )


def _played(found: dict[str, Any]) -> list[str]:
    """Frequencies of the action that differs most in both runs, in percent."""
    return [f"{100 * found['frequencies'][run].get(found['action'], 0.0):.1f}" for run in ("a", "b")]
