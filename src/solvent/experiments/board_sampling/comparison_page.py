"""The results page of public against external sampling."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from solvent.evaluate.local_best_response import STANDARD
from solvent.evaluate.response_doublings import ENOUGH
from solvent.experiments.board_sampling.comparison import PARTS, gain
from solvent.experiments.page import Reading, write_page
from solvent.experiments.parts import PartResult, figures_and_bars, parts_text, records

MEASURED = f"""mbb/hand with 95 % intervals. An iteration of external sampling is a deal, one of public sampling a
board with all hands of both players. *Inside*: what a response learned inside the abstraction wins, learned on
twice as many boards until a doubling adds less than {ENOUGH:g} mbb/hand. *Learned on*: boards for each seat, with a
+ where the last doubling still added more. *Local*: the local best response that wins most, of
{"; ".join(map(str, STANDARD))}. *Head to head*: what public sampling wins from external sampling.
"""


def write_comparison_page(results: Sequence[PartResult], page: Path, command: str) -> None:
    """Write the page with the parts that have been run."""
    figures, bars = figures_and_bars(results)
    sections = [
        parts_text(PARTS, results),
        MEASURED,
        *(result.part.section(result.found) for result in results),
    ]
    body = "\n\n".join(part.rstrip() for part in sections)
    write_page(
        page, "Public and external sampling", command, reading(results), body, figures, bars, records(results)
    )


def reading(results: Sequence[PartResult]) -> Reading:
    """The three lines at the head of the page, from the parts that are there."""
    said, ahead, behind = [], list[str](), list[str]()
    for result in results:
        less, interval = gain(result.found)
        said.append(f"{result.part.name} {less:+,.0f} ± {interval:,.0f}")
        if abs(less) > interval:
            (ahead if less > 0 else behind).append(result.part.name)
    found = (
        "How many mbb/hand less a response inside the abstraction wins from public sampling's agent at the end: "
        f"{'; '.join(said)}."
    )
    so_what = (
        f"Public sampling is surely ahead in {', '.join(ahead) or 'none'}, and surely behind in "
        f"{', '.join(behind) or 'none'}; the default follows."
    )
    return Reading(
        "Johanson, Bard, Lanctot, Gibson and Bowling (2012): sampling public chances alone converges faster than "
        "sampling private ones too.",
        found if said else "Nothing has been run.",
        so_what,
    )
