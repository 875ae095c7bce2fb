"""Tables of what `bench` and `reproduce` measured."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from solvent.app.terminal import table
from solvent_papers.total_rbp.pruning import Timing


def timings_table(timings: Sequence[Timing]) -> Table:
    """What each pruning took to an exploitability."""
    title = f"{timings[0].game}: CFR to exploitability {timings[0].target:g}"
    shown = table("pruning", "iterations", "nodes touched", "of best responses", "seconds", title=title)
    for row in timings:
        counts = (row.iterations, row.nodes_touched, row.response_nodes)
        seconds = "-" if row.seconds is None else f"{row.seconds:.3g}"
        shown.add_row(row.label, *("-" if n is None else f"{n:,}" for n in counts), seconds)
    return shown
