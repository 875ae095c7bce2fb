"""The results page of public against external sampling."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from solvent.evaluate.local_best_response import STANDARD
from solvent.evaluate.response_doublings import ENOUGH
from solvent.experiments.board_sampling.comparison import PARTS, gain, local_best, row_of
from solvent.experiments.page import Reading, write_page
from solvent.experiments.parts import PartResult, figures_and_bars, parts_text, records
from solvent.solvers.training_settings import DEFAULT_HOLE_CARDS, EXTERNAL, PUBLIC

MEASURED = f"""mbb/hand with 95 % intervals. An iteration of external sampling is a deal, one of public sampling a
board with all deals of the hands of {DEFAULT_HOLE_CARDS} cards that are drawn, or of all hands. *Inside*: what a
response learned inside the abstraction wins, learned on twice as many boards until a doubling adds less than
{ENOUGH:g} mbb/hand. *Learned on*: boards for each seat, with a + where the last doubling still added more.
*Local*: the local best response that wins most, of {"; ".join(map(str, STANDARD))}. *Head to head*: what public
sampling wins from what it is compared with.
Agents of dcfr that are trained on keep the length of the parts at whose ends they discount.
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
        against = "" if result.found["first"] == EXTERNAL else f" than with {result.found['first']}"
        said.append(f"{result.part.name} {less:+,.0f} ± {interval:,.0f}{against}")
        if abs(less) > interval:
            (ahead if less > 0 else behind).append(result.part.name)
    found = (
        "How many mbb/hand less a response inside the abstraction wins from public sampling's agent at the end: "
        f"{'; '.join(said)}. {_local(results)}"
    )
    so_what = (
        f"Public sampling is surely ahead in {', '.join(ahead) or 'none'}, and surely behind in "
        f"{', '.join(behind) or 'none'}: `solvent train` samples boards unless an option needs external sampling. "
        "How far training has come shows inside the abstraction; what the abstraction costs shows in local best "
        "response, and training longer does not mend that."
    )
    return Reading(
        "Johanson, Bard, Lanctot, Gibson and Bowling (2012): sampling public chances alone converges faster than "
        "sampling private ones too.",
        found if said else "Nothing has been run.",
        so_what,
    )


def _local(results: Sequence[PartResult]) -> str:
    """Where local best response surely wins more, or less, from public sampling's last agent."""
    more, less = list[str](), list[str]()
    for result in results:
        found = result.found
        last = found["rows"][-1]["seconds"]
        first, public = (local_best(row_of(found, way, last)).mbb_range for way in (found["first"], PUBLIC))
        if public[0] > first[1]:
            more.append(result.part.name)
        elif public[1] < first[0]:
            less.append(result.part.name)
    return (
        "Local best response, with exact cards and other bets, surely wins more from it in "
        f"{', '.join(more) or 'none'}, and surely less in {', '.join(less) or 'none'}."
    )
