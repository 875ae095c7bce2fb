"""The runs in a folder as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from solvent.app.terminal import table
from solvent.foundation.errors import shortened
from solvent.foundation.units import span


def runs_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table of runs (`serve.runs`): exploitability as "within 0.1 chips"."""
    runs = table("run", "game and rule", "reached")
    runs.columns[2].no_wrap = True
    for row in rows:
        if row["damage"] is not None:
            runs.add_row(row["run"], "damaged", end_section=True)
            continue
        reached = row["exploitability"]
        created = str(row["created"] or "").replace("T", " ")[:16]
        rule = ", ".join(filter(None, (row["kind"], row["rule"], row["updates"])))
        found = [f"{row['iterations']:,} iterations", span(row["seconds"])]
        at = row.get("exploitability_at")
        after = "" if at in (None, row["iterations"]) else f" after {at:,}"
        found += [] if reached is None else [f"within {reached:.4g} chips{after}"]
        found += [f"+{row['additions']:,} actions"] if row.get("additions") else []
        runs.add_row(
            "\n".join(filter(None, (row["run"], created))),
            "\n".join(shortened(text) for text in (row["game"], rule) if text),
            "\n".join(found),
            end_section=True,
        )
    return runs
