"""A report on flops: tables for the terminal, CSV, a picture in SVG, and an HTML page with all of it."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.table import Table

from solvent.app.terminal import table, without_frame
from solvent.app.views.charts.html_chart import cards_html
from solvent.app.views.report import STYLE, measured_table
from solvent.cards.deck import parse_cards
from solvent.foundation.colours import TEXT_COLOUR, action_colour
from solvent.foundation.storage.files import write_text
from solvent.games.betting.action_words import amount_of
from solvent.games.holdem.spot import NAMES
from solvent.spots.flops.report import FlopMean, FlopReport, FlopResult

FLOPS_CSV, TEXTURES_CSV, PICTURE, PAGE = "flops.csv", "textures.csv", "report.svg", "report.html"
TITLES = {"suits": "suits", "pairing": "pairs", "high_card": "high card", "connection": "straights"}
"""Titles of a texture's fields."""
UNITS = "EVs in chips, the rest in %"
SHARE = "means are weighted by share: how often a flop comes, times how often play reaches the decision on it"
GAP = "exploit."
"""The heading over exploitability in percent of the pot."""
MOST_SHOWN = 30
"""The most flops that the terminal lists."""
LEAST_WIDTH = 80
"""Columns of a terminal below which tables have no frames."""
PAIR_COLUMNS = ("ev_oop", "ev_ip", "equity_oop", "equity_ip")
ROW, BAR, LEFT, RIGHT = 22, 16, 150, 150
"""Heights of a line of the picture and of its bar, and the margins beside the bars."""
WIDTH = 760
NUMBERS = "measured numbers"
NUMBERS_STYLE = (
    "table.numbers td{white-space:nowrap}table.numbers th+th,table.numbers td+td{text-align:right}"
    ".ranges{overflow-wrap:anywhere}.wide>svg{min-width:34rem;max-width:60rem}"
)
"""Additions to the style of reports: numbers flush right, a picture that stays readable on a telephone."""


def write_files(report: FlopReport, folder: Path) -> list[Path]:
    """Write the CSV files, the picture and the page into a folder, and return their paths."""
    texts = {
        FLOPS_CSV: flops_csv(report),
        TEXTURES_CSV: textures_csv(report),
        PICTURE: picture(report),
        PAGE: page(report),
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]


# The terminal


def report_tables(report: FlopReport, width: int) -> list[Table]:
    """Means by texture, and the flops one by one if they are not too many; without frames if `width` is small."""
    headers = _headers(report)
    title = f"{_title(report)}; {UNITS}; {SHARE}"
    means = table("", "flops", "share", *headers, title=title, numbers=True)
    means.columns[0].no_wrap = True
    for found in _means(report, "all").values():
        for place, (name, mean) in enumerate(found.items(), 1):
            means.add_row(name, *_mean_cells(mean), end_section=place == len(found))
    if len(report.rows) > MOST_SHOWN:
        return _without_frames([means]) if width < LEAST_WIDTH else [means]
    flops = table("flop", "share", *headers, GAP, numbers=True)
    flops.columns[0].no_wrap = True
    for row in report.rows:
        flops.add_row(row.flop, *_cells(report.share(row), row), f"{row.exploitability_percent:.2f}")
    return _without_frames([means, flops]) if width < LEAST_WIDTH else [means, flops]


def _without_frames(tables: list[Table]) -> list[Table]:
    """Tables with one blank between columns and no word or number broken."""
    for each in tables:
        for column in without_frame(each).columns:
            column.header, column.no_wrap = str(column.header).replace(" ", "\n"), True
    return tables


def _headers(report: FlopReport, players: int = 1) -> list[str]:
    return [*report.mean.actions, *(f"EV {name}" for name in NAMES[:players]), "equity OOP"]


def _title(report: FlopReport) -> str:
    done, wanted = len(report.rows), report.wanted
    solved = f"{done:,}" if done == wanted else f"{done:,} of {wanted:,}"
    after = f", {NAMES[report.player]} after {report.line}" if report.line else ""
    return f"{solved} flops, pot {report.pot:,}, stack {report.spot['stack']:,}{after}"


def _means(report: FlopReport, whole: str) -> dict[str, dict[str, FlopMean]]:
    """Means by what is said of a texture, and by value: first of all flops, which are called `whole`."""
    ends = {"high_card": " high"}
    return {"": {whole: report.mean}} | {
        TITLES[field]: {value + ends.get(field, ""): mean for value, mean in means.items()}
        for field, means in report.by_texture().items()
    }


def _mean_cells(mean: FlopMean, players: int = 1) -> list[str]:
    return [f"{mean.flops:,}", *_cells(mean.share, mean, players)]


def _cells(share: float, found: FlopMean | FlopResult, players: int = 1) -> list[str]:
    return [
        f"{100 * share:.1f}",
        *(f"{100 * frequency:.1f}" for frequency in found.actions.values()),
        *(f"{chips:.2f}" for chips in found.ev[:players]),
        f"{100 * found.equity[0]:.1f}",
    ]


# CSV


def flops_csv(report: FlopReport) -> str:
    """A line for each flop: weight, reach and their product in the means, texture, frequencies, EVs, equities."""
    return _csv(
        {
            "flop": row.flop,
            "weight": row.weight,
            "reach": row.reach,
            "share": report.share(row),
            **{field: getattr(row.texture, field) for field in TITLES},
            **_values(row),
            "exploitability_percent": row.exploitability_percent,
            "iterations": row.iterations,
        }
        for row in report.rows
    )


def textures_csv(report: FlopReport) -> str:
    """A line for all flops and for each value of a texture's fields, with weighted means."""
    found: Mapping[str, Mapping[str, FlopMean]] = {"all": {"": report.mean}, **report.by_texture()}
    return _csv(
        {
            "field": field,
            "value": value,
            "flops": mean.flops,
            "weight": mean.weight,
            "reach": mean.reach,
            "share": mean.share,
            **_values(mean),
        }
        for field, means in found.items()
        for value, mean in means.items()
    )


def _values(found: FlopMean | FlopResult) -> dict[str, float]:
    """Frequencies of actions, EVs and equities by column."""
    return {**found.actions, **dict(zip(PAIR_COLUMNS, (*found.ev, *found.equity), strict=True))}


def _csv(rows: Iterable[Mapping[str, object]]) -> str:
    """Rows of the same columns under their names."""
    lines, text = list(rows), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(lines[0])
    writer.writerows(row.values() for row in lines)
    return text.getvalue()


# The picture and the page


def picture(report: FlopReport) -> str:
    """An SVG picture: a bar for each texture, as wide in each action's colour as the action is frequent."""
    colours = _colours(report)
    key, top = colour_key(colours)
    made = [key]
    for title, means in _means(report, "all flops").items():
        if title:
            made.append(f"<text x='4' y='{top + BAR}' font-weight='600'>{html.escape(title)}</text>")
            top += ROW
        for name, mean in means.items():
            made.append(_bar(name, mean, colours, top))
            top += ROW
        top += ROW // 3
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {top}' role='img' font-family='sans-serif' "
        f"font-size='13' fill='{TEXT_COLOUR}' aria-label='Frequencies of actions by texture'>"
        f"<rect width='{WIDTH}' height='{top}' fill='#ffffff'/>{''.join(made)}</svg>\n"
    )


def _colours(report: FlopReport) -> dict[str, str]:
    """The colour of each action."""
    chips = {action: amount_of(action) for action in report.mean.actions}
    return {
        action: action_colour(action, amount >= int(report.spot["stack"]), amount / report.pot)
        for action, amount in chips.items()
    }


def colour_key(colours: Mapping[str, str]) -> tuple[str, int]:
    """Legend of the colours, in as many lines as it takes, and the place where the bars below begin."""
    made, left, top = [f"<text x='{WIDTH - RIGHT + 8}' y='20'>EV of OOP, share</text>"], LEFT, 8
    for action, colour in colours.items():
        wide = 40 + 8 * len(action)
        if left > LEFT and left + wide > WIDTH - RIGHT:
            left, top = LEFT, top + ROW
        made.append(f"<rect x='{left}' y='{top}' width='14' height='14' fill='{colour}'/>")
        made.append(f"<text x='{left + 20}' y='{top + 12}'>{html.escape(action)}</text>")
        left += wide
    return "".join(made), top + ROW + 14


def _bar(name: str, mean: FlopMean, colours: Mapping[str, str], top: int) -> str:
    made = [f"<text x='{LEFT - 8}' y='{top + 13}' text-anchor='end'>{html.escape(name)}</text>"]
    across, left = WIDTH - LEFT - RIGHT, float(LEFT)
    for action, frequency in mean.actions.items():
        wide = frequency * across if frequency > 0 else 0.0  # NaN where the decision is not reached
        made.append(
            f"<rect x='{left:.1f}' y='{top}' width='{wide:.1f}' height='{BAR}' fill='{colours[action]}'>"
            f"<title>{html.escape(name)}: {html.escape(action)} {100 * frequency:.1f} %</title></rect>"
        )
        if wide > 36:
            middle = f"x='{left + wide / 2:.1f}' y='{top + 13}' text-anchor='middle'"
            made.append(f"<text {middle}>{100 * frequency:.0f} %</text>")
        left += wide
    said = f"{mean.ev[0]:.1f}, {100 * mean.share:.1f} %"
    made.append(f"<text x='{WIDTH - RIGHT + 8}' y='{top + 13}'>{said}</text>")
    return "".join(made)


def page(report: FlopReport) -> str:
    """An HTML page that stands alone: the picture, means by texture, and every flop."""
    headers = _headers(report, 2)
    means = [
        [html.escape(name), *_mean_cells(mean, 2)]
        for found in _means(report, "all").values()
        for name, mean in found.items()
    ]
    flops = [
        [
            cards_html(parse_cards(row.flop)),
            *_cells(report.share(row), row, 2),
            f"{row.exploitability_percent:.3f}",
        ]
        for row in report.rows
    ]
    spot = report.spot
    sizes = "; ".join(
        f"{name.replace('_', ' ')} {'none' if value == '' else value}"
        for name, value in spot.items()
        if name not in ("oop", "ip", "pot", "stack") and value is not None
    )
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{html.escape(_title(report))}</title><style>{STYLE}{NUMBERS_STYLE}</style></head><body>"
        f"<h1>Report on {html.escape(_title(report))}</h1>"
        f"<p class='ranges'>OOP holds {html.escape(str(spot['oop']))}. IP holds {html.escape(str(spot['ip']))}. "
        f"Sizes: {html.escape(sizes)}.</p>"
        f"<p>Frequencies are of {_decision(report)} over all hands. EVs are what each player takes of the pot, in "
        "chips; everything else is in percent, equities of OOP and exploitability of the pot. Means are weighted "
        "by shares: how often a flop, or one that it stands for, comes with these ranges, times how often play "
        "reaches the decision on it.</p>"
        f"<h2>By texture</h2><div class='wide'>{picture(report)}</div>"
        f"{measured_table(['', 'flops', 'share', *headers], means, NUMBERS)}<h2>By flop</h2>"
        f"{measured_table(['flop', 'share', *headers, 'exploitability'], flops, NUMBERS)}</body></html>\n"
    )


def _decision(report: FlopReport) -> str:
    if not report.line:
        return "OOP's first action"
    return f"{NAMES[report.player]}'s action after {html.escape(report.line)}"
