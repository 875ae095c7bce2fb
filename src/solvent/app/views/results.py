"""What a solve reached, as a table."""

from __future__ import annotations

from rich.table import Table

from solvent.app.terminal import facts_table
from solvent.solving.result import Result

PICTURE = "convergence.png"
"""The file in a run's folder that shows its convergence."""


def result_table(result: Result) -> Table:
    """A result for people; one that is not kept says how to keep it."""
    rows = result.summary()
    if result.run is None:
        rows["run"] = "not kept; --out DIR keeps it"
    elif (result.run / PICTURE).is_file():
        rows["picture"] = str(result.run / PICTURE)
    return facts_table(result.game, rows)
