"""The results page of public against external sampling."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from solvent.evaluate.local_best_response import STANDARD
from solvent.evaluate.response_doublings import DoublingSettings
from solvent.experiments.board_sampling.comparison import PARTS, gain
from solvent.experiments.page import Reading, write_page
from solvent.experiments.parts import PartResult, figures_and_bars, parts_text


def write_comparison_page(results: Sequence[PartResult], page: Path, command: str) -> None:
    """Write the page with the parts that have been run."""
    figures, bars = figures_and_bars(results)
    sections = [parts_text(PARTS, results), *(result.part.section(result.found) for result in results)]
    if results:
        sections.insert(1, _what_is_measured(results[0]))
    body = "\n\n".join(part.rstrip() for part in sections)
    write_page(page, "Public and external sampling", command, reading(results), body, figures, bars)


def _what_is_measured(result: PartResult) -> str:
    found = result.found
    response = DoublingSettings(**found["response"])
    return (
        "mbb/hand with 95 % intervals. An iteration of external sampling is a deal, one of public sampling a board "
        "with all hands of both players. *Inside*: what a response learned inside the abstraction wins over "
        f"{response.deals:,} deals in each seat; it is learned in {response.first:,} iterations for each seat, and "
        f"in twice as many until a doubling adds less than {response.enough:g} mbb/hand, in {response.most:,} at "
        "most. "
        "*Learned in*: million iterations, with a + where the last doubling still added more. *Local*: the local "
        f"best response that wins most over {found['local_hands']:,} hands, of "
        f"{'; '.join(str(actions) for actions in STANDARD)}. *Head to head*: what public sampling wins from "
        f"external sampling, over {found['pairs']:,} pairs of deals."
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
