"""Results pages: a template, the findings of an experiment's parts, and the JSON beside the page.

The JSON file has all that the page is made of, so that it can be written again without measuring anything. The date
and the versions on the page are those of the last measurement.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from solvent.foundation.errors import InputError
from solvent.foundation.storage.files import write_text
from solvent.foundation.units import size, span
from solvent_papers.frame.experiment import Experiment, Found
from solvent_papers.frame.judging import judged_bars
from solvent_papers.frame.machine import commit, describe_software
from solvent_papers.frame.running import Record, checked, read_json

HEAD = re.compile(r"^# (.+)\n\n- \*\*Claimed\.\*\* (.+)\n- \*\*Found\.\*\* (.+)\n- \*\*So what\.\*\* (.+)\n")
"""A page's title and its three lines."""
BARE_BAR = re.compile(r"(?<!\\)\|")
VERBATIM = ("|", "#", "<", "![", "---")
"""Beginnings of lines that are no prose."""
NUMBER = r"(?:-?\d[-+.\deE]*|null)"
LONG_LIST = re.compile(rf"\[\n *({NUMBER}(?:,\n *{NUMBER}){{8,}})\n *\]")
"""More than eight numbers, each on a line of its own."""


@dataclass(frozen=True)
class Origin:
    """Origin of a page: the command that wrote it, the date, and the versions of the code."""

    command: str
    date: str
    commit: str
    software: str


@dataclass(frozen=True)
class Page:
    """A page as it is written, and the JSON beside it."""

    text: str
    document: dict[str, Any]

    @property
    def head(self) -> str:
        """The three lines that say what is claimed, what we found, and so what."""
        found = HEAD.match(self.text)
        assert found is not None, "a page begins with its title and three lines"
        return found[0].partition("\n\n")[2]

    @property
    def found(self) -> dict[str, Found]:
        """The findings of the parts, by their names."""
        return {name: record["found"] for name, record in self.document["parts"].items()}


def new_page(experiment: Experiment[Any], records: Mapping[str, Record], command: str) -> Page:
    """Return the page of an experiment that has just been run."""
    today = str(datetime.now(UTC).date())
    return render(experiment, records, Origin(command, today, commit(), describe_software()))


def page_again(experiment: Experiment[Any], path: Path) -> Page:
    """Return the page that the JSON beside it makes, without measuring."""
    document = read_json(path.with_suffix(".json"))
    if "parts" not in document:
        raise InputError(f"{path.with_suffix('.json')} has no parts of which a page could be written again")
    parts = {part.name: part for part in experiment.parts}
    records = {name: checked(parts[name], record) for name, record in document["parts"].items()}
    return render(experiment, records, Origin(*(document[each.name] for each in fields(Origin))))


def rendered(name: str, variables: Mapping[str, Any]) -> str:
    """Return the text that a template makes."""
    return flowing(_environment().get_template(f"{name}.md").render(variables))


def save_page(experiment: Experiment[Any], page: Page, path: Path, draw: bool = True) -> None:
    """Write a page, its JSON, its tables and its pictures."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, page.text)
    write_text(path.with_suffix(".json"), json_text(page.document))
    for name, rows in experiment.tables(page.found).items():
        if rows:
            write_csv(rows, path.parent / name)
    if draw and experiment.pictures is not None and page.found:
        experiment.pictures(page.found, path)


def render(experiment: Experiment[Any], records: Mapping[str, Record], origin: Origin) -> Page:
    """Return the page that the template makes of these records."""
    found = {name: record.found for name, record in records.items()}
    parts = [part for part in experiment.parts if part.name in records]
    figures = {name: value for part in parts for name, value in part.figures(found[part.name]).items()}
    bars = judged_bars(experiment.name, figures)
    variables = {
        "title": experiment.title,
        "found": found,
        "figures": figures,
        "bars": bars,
        "records": records,
        "not_run": [part.name for part in experiment.parts if part.name not in records],
        "origin": origin,
        **experiment.view(found),
    }
    text = rendered(experiment.name, variables)
    document = {
        **asdict(origin),
        "figures": figures,
        "bars": [bar._asdict() for bar in bars],
        "parts": {name: record._asdict() for name, record in records.items()},
    }
    return Page(text, document)


def json_text(document: Mapping[str, Any]) -> str:
    """Return indented JSON in which a long list of numbers is one line."""
    text = json.dumps(document, indent=1, ensure_ascii=False)
    return LONG_LIST.sub(lambda found: "[" + " ".join(found[1].split()) + "]", text) + "\n"


def write_csv(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write rows of one kind, a column for each key; None is left empty."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def flowing(text: str) -> str:
    """Return Markdown whose paragraphs, list items and rows of tables are one line each.

    One empty line stands between blocks, and none between the items of a list. A row that does not end in a bar
    is continued on the next line.

    >>> flowing("One\\nparagraph.\\n\\n\\n- an\\n  item\\n| a | table |\\n")
    'One paragraph.\\n\\n- an item\\n| a | table |\\n'
    """
    lines, fenced, open_ended = list[str](), False, False
    for line in text.splitlines():
        fence, prose = line.startswith("```"), line.strip()
        if lines and lines[-1].startswith("|") and not lines[-1].endswith("|"):
            lines[-1] += f" {prose}"
        elif fenced or fence or prose.startswith(VERBATIM):
            lines.append(line)
            fenced, open_ended = fenced != fence, False
        elif not prose:
            if lines and lines[-1]:
                lines.append("")
            open_ended = False
        elif open_ended and not prose.startswith("- "):
            lines[-1] += " " + prose
        else:
            after_item = len(lines) > 1 and not lines[-1] and lines[-2].lstrip().startswith("- ")
            if prose.startswith("- ") and after_item:
                lines.pop()
            lines.append(line.rstrip())
            open_ended = True
    return "\n".join(lines).strip() + "\n"


def markdown_table(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table; a bar inside a cell is escaped."""
    head = list(header)
    cells: list[Iterable[object]] = [head, ["---"] * len(head), *rows]
    lines = (" | ".join(BARE_BAR.sub(r"\\|", str(cell)) for cell in line) for line in cells)
    return "".join(f"| {line} |\n" for line in lines)


def _environment() -> Environment:
    """Return the environment of the templates, with filters that write quantities."""
    made = Environment(
        loader=PackageLoader("solvent_papers", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        extensions=["jinja2.ext.do"],
    )
    made.filters |= {
        "number": format,
        "mbb": "{:+,.0f}".format,
        "percent": percent_text,
        "span": span,
        "seconds": seconds_text,
        "factor": factor_text,
        "bytes": lambda count: "-" if count is None else size(count),
        "threads": threads_text,
    }
    made.globals["table"] = markdown_table
    return made


def percent_text(share: float, digits: int = 0) -> str:
    """Return a share as a percentage."""
    return f"{share:.{digits}%}"


def threads_text(count: int) -> str:
    """Return a number of threads in words."""
    return "1 thread" if count == 1 else f"{count} threads"


def seconds_text(seconds: float | None) -> str:
    """Return seconds to three digits, or - for None."""
    return "-" if seconds is None else f"{seconds:.3g}" if seconds >= 1e-4 else f"{seconds:.2e}"


def factor_text(factor: float | None) -> str:
    """Return a speed-up to three digits, or whole from 100; - for None."""
    return "-" if factor is None else f"{factor:,.0f}" if factor >= 100 else f"{factor:.3g}"
