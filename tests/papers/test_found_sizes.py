"""The page of bet sizes that the solver finds: bars by spot, and a last line that promises no more than they do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from solvent_papers.spots.found_sizes import FULL, GROWN, TWO_SIZES, Tree, bars, write_results


def trees(seconds: float) -> list[Tree]:
    """One spot: the full tree takes 10 seconds, the grown one as many as are given."""
    full = Tree("a spot", FULL, "all", 300, 0.3, 0.3, 10.0, 100)
    grown = replace(full, tree=GROWN, nodes=90, full_exploitability=0.5, seconds=seconds, added=4)
    return [grown, full, *(replace(full, tree=sizes, full_exploitability=1.5) for sizes in TWO_SIZES)]


@pytest.mark.parametrize(
    ("seconds", "met", "says"), [(4.0, 4, "in 0.40 of its"), (20.0, 3, "give its sizes")]
)
def test_the_last_line_follows_from_the_seconds(tmp_path: Path, seconds: float, met: int, says: str) -> None:
    rows = trees(seconds)
    assert sum(bar.met for bar in bars(rows)) == met
    write_results(rows, tmp_path / "sizes.md", "solvent bench sizes")
    line = next(row for row in (tmp_path / "sizes.md").read_text().splitlines() if "So what" in row)
    assert says in line
