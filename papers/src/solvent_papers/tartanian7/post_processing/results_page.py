"""The results page of the post-processing experiment and its CSV, from the parts that have been run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from solvent_papers.page import Reading, write_csv, write_page
from solvent_papers.parts import Found, PartResult, figures_and_bars, parts_text, records
from solvent_papers.tartanian7.post_processing import chosen, price, strength, table_two
from solvent_papers.tartanian7.post_processing.experiment import PARTS
from solvent_papers.tartanian7.post_processing.meetings import NEW, NONE, Meetings, text

OURS = """What is not the paper's: the agent and the opponents, since the competition's agents are not public; that
only opponents count that surely lose less than 10 mbb/hand to the agent; deals in blocks, the same for all
post-processings; the rows with `first=false`, which the paper has in a footnote; the candidates and the halves of
the choice; and local best response as the price."""


@dataclass(frozen=True)
class CsvRow:
    """One match, or one setting of local best response."""

    part: str
    post: str
    opponent: str
    mbb: float
    """What the agent wins a hand; of a local best response what that wins from the agent."""
    interval: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def write_post_processing_page(results: Sequence[PartResult], page: Path, command: str) -> None:
    """Write the page with the parts that have been run."""
    figures, bars = figures_and_bars(results)
    by = {result.part.name: result.found for result in results}
    sections = [parts_text(PARTS, results), OURS]
    rows = csv_rows(by)
    if rows:
        page.parent.mkdir(parents=True, exist_ok=True)
        write_csv(rows, page.with_suffix(".csv"))
        sections.append(f"All measurements: [{page.stem}.csv]({page.stem}.csv).")
    sections += [result.part.section(result.found) for result in results]
    body = "\n\n".join(part.rstrip() for part in sections if part)
    write_page(page, "Post-processing", command, reading(results), body, figures, bars, records(results))


def csv_rows(by: Mapping[str, Found]) -> list[CsvRow]:
    """The measurements as rows; `chosen` has those of Table 2 too, which stand there once."""
    rows = []
    for name in (strength.NAME, table_two.NAME, chosen.NAME):
        met = Meetings(by[name]["rows"] if name in by else [])
        posts = chosen.FAMILY if name == chosen.NAME else met.posts
        for post in posts:
            for opponent in met.opponents:
                won = met.won(post, opponent)
                rows.append(CsvRow(name, post, opponent, won.middle, won.half))
    if price.NAME in by:
        rows += [
            CsvRow(
                price.NAME, row["post"], f"local best response, {row['actions']}", row["mbb"], row["interval"]
            )
            for row in by[price.NAME]["rows"]
        ]
    return rows


def reading(results: Sequence[PartResult]) -> Reading:
    """The three lines at the head of the page, from the parts that are there."""
    by = {result.part.name: result.found for result in results}
    found = [said(by[name]) for name, said in FOUND.items() if name in by]
    return Reading(
        "Brown, Ganzfried and Sandholm (2015): New-0.2 wins more than no post-processing, on average and at worst.",
        " ".join(filter(None, found)) or "Nothing has been measured.",
        so_what(by),
    )


def _strength_found(found: Found) -> str:
    strong, weak = strength.strong_opponents(found), strength.weak_opponents(found)
    left_out = f" ({', '.join(weak)} left out)" if weak else ""
    return (
        f"{len(strong)} of {len(strong) + len(weak)} opponents are at least as strong as the agent{left_out}."
    )


def _table_found(found: Found) -> str:
    if not found["rows"]:
        return "So Table 2 has no opponents."
    met = Meetings(found["rows"])
    best = max(table_two.POSTS, key=lambda post: met.mean(post).middle)
    return (
        f"Against them `{NEW}` wins {text(met.mean(NEW))} mbb/hand on average and `{NONE}` "
        f"{text(met.mean(NONE))}; `{best}` wins most of those in the table. {table_two.verdict(met)}"
    )


def _chosen_found(found: Found) -> str:
    met = Meetings(found["rows"])
    return chosen.verdict(chosen.two_fold(met)) if len(met.opponents) >= chosen.LEAST_OPPONENTS else ""


def _price_found(found: Found) -> str:
    none, new = (price.largest(found, post).mbb for post in (NONE, NEW))
    return f"Local best response wins {none:,.0f} mbb/hand from `{NONE}` and {new:,.0f} from `{NEW}`."


FOUND = {
    strength.NAME: _strength_found,
    table_two.NAME: _table_found,
    chosen.NAME: _chosen_found,
    price.NAME: _price_found,
}


def so_what(by: Mapping[str, Found]) -> str:
    """What to do, as far as it follows from opponents that had no part in the choice."""
    met = Meetings(by[chosen.NAME]["rows"] if chosen.NAME in by else [])
    if len(met.opponents) < chosen.LEAST_OPPONENTS:
        return "Nothing follows yet."
    if chosen.two_fold(met).over_none.low <= 0:
        return (
            "Leave the strategy alone: what was chosen on some opponents is not surely ahead of no post-processing "
            "on the others."
        )
    posts = chosen.chosen_posts(by[chosen.NAME])
    advice = f"Against strong opponents who do not adapt, play {' or '.join(f'`{post}`' for post in posts)}"
    if price.NAME not in by:
        return f"{advice}."
    found = by[price.NAME]
    highest = price.largest(found, NONE).mbb_range[1]
    dear = [post for post in posts if price.largest(found, post).mbb_range[0] > highest]
    if dear:
        said = " and ".join(f"`{post}`" for post in dear)
        return f"{advice}; leave the strategy alone against those who do, who win more from {said}."
    return f"{advice}; local best response does not surely win more from it than from `{NONE}`."
