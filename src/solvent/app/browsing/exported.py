"""Nodes of a spot's run as files: JSON of many nodes, CSV, range text, HTML and pictures of one."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from solvent.app.output import check_writable, written
from solvent.cards.hands import HANDS
from solvent.cards.ranges import LEAST_PLAIN, plain_range
from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.progress import Progress, Watch
from solvent.foundation.storage.files import write_picture
from solvent.games.holdem.spot import NAMES
from solvent.spots.nodes.grid import grid_html, node_title
from solvent.spots.nodes.lines import find_action
from solvent.spots.nodes.node import SpotNode
from solvent.spots.nodes.solution import open_spot

SPOT_FORMATS = ("csv", "json", "range", "html", "png")


@dataclass(frozen=True)
class Wanted:
    """What `solvent export` is to write of a spot."""

    to: str
    line: str = ""
    street: str | None = None
    """The last street whose nodes a JSON document has; that of the line if not given."""
    part: str | None = None
    """Whose range a range text has: OOP, IP or an action."""
    least: float | None = None
    """The weight below which a range text leaves hands out; `LEAST_PLAIN` if not given."""


def export_spot(run: str, wanted: Wanted, out: Path | None, watch: Watch | None) -> int:
    """Write what is wanted to a file, or standard output for None; returns how many nodes it has."""
    _check(wanted, out)
    solution = open_spot(Path(run))
    node = solution.at(wanted.line)
    if wanted.to == "json":
        last = _last_street(node, wanted.street)
        facts = {"game": str(solution.spot), "iterations": solution.iterations}
        with written(out) as file:
            return _write_json(node, facts, last, file, watch)
    if wanted.to == "png":
        assert out is not None
        write_picture(out, node.plot_grid().figure, dpi=150, format="png")
        return 1
    text = {"csv": _csv_lines, "html": _html_lines, "range": _range_lines}[wanted.to]
    lines = text(node, wanted)
    with written(out) as file:
        file.writelines(lines)
    return 1


def range_parts(node: SpotNode, least: float = LEAST_PLAIN) -> dict[str, str]:
    """Ranges at a node as text: those of both players, and what the player to act does each action with."""
    parts = {name: _range(node, player, node.weights[player], least) for player, name in enumerate(NAMES)}
    if node.player is not None:
        for action, row in zip(node.actions, node.strategy, strict=True):
            parts[action] = _range(node, node.player, node.weights[node.player] * row, least)
    return parts


def _range(node: SpotNode, player: int, weights: NDArray[np.float64], least: float) -> str:
    whole = np.zeros(HANDS)
    whole[node.numbers[player]] = np.minimum(np.nan_to_num(weights), 1.0)
    return plain_range(whole, least)


def _check(wanted: Wanted, out: Path | None) -> None:
    if wanted.to not in SPOT_FORMATS:
        raise InputError(f"a spot is exported as {', '.join(SPOT_FORMATS)}, not {wanted.to!r}")
    if wanted.to != "json" and wanted.street is not None:
        raise InputError("--street is for json, which may have many nodes")
    if wanted.to != "range" and wanted.part is not None:
        raise InputError("--part is for range texts")
    if wanted.to != "range" and wanted.least is not None:
        raise InputError("--least is for range texts; other formats have every hand")
    if wanted.to == "png" and out is None:
        raise InputError("name the file of the picture with --out")
    if out is not None:
        check_writable(out)


def _last_street(node: SpotNode, street: str | None) -> int:
    names: tuple[str, ...] = node.solver.game.rules.street_names
    first = node.stands_for[0]
    if street is None:
        return first
    if street not in names[first:]:
        raise InputError(f"from here on the streets are {', '.join(names[first:])}, not {street!r}")
    return names.index(street)


def _write_json(
    node: SpotNode, facts: dict[str, object], last: int, file: TextIO, watch: Watch | None
) -> int:
    """One document, a node at a time: {"game": ..., "nodes": {line: numbers}}."""
    file.write(json.dumps(facts)[:-1] + ', "nodes": {')
    count = 0
    for each in _nodes(node, last):
        document = json.dumps(each.as_dict(), allow_nan=False)
        file.write(f"{',' if count else ''}\n{json.dumps(each.line)}: {document}")
        count += 1
        if watch is not None:
            watch(Progress("writing nodes", count, None))
    file.write("\n}}\n")
    return count


def _nodes(node: SpotNode, last: int) -> Iterator[SpotNode]:
    """The node and the decisions and deals after it, to the end of a street."""
    yield node
    if node.kind == "deal" and node.stands_for[0] >= last:
        return
    for child in node.children().values():
        if child.kind in ("decision", "deal"):
            yield from _nodes(child, last)


def _csv_lines(node: SpotNode, wanted: Wanted) -> list[str]:
    """A row for each hand of each player; actions are empty for whoever does not act, as is what does not exist."""
    names = ["player", *node.to_dict(node.player).keys()]
    lines: list[str] = []
    writer = csv.DictWriter(_Lines(lines), names, lineterminator="\n")
    writer.writeheader()
    for player, who in enumerate(NAMES):
        columns = node.to_dict(player)
        for row in zip(*columns.values(), strict=True):
            known = {name: value for name, value in zip(columns, row, strict=True) if value == value}
            writer.writerow({"player": who, **known})
    return lines


class _Lines:
    """A list of lines that `csv` writes to."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, text: str) -> None:
        self._lines.append(text)


def _html_lines(node: SpotNode, wanted: Wanted) -> list[str]:
    """A page that stands alone."""
    if node.player is None:
        after = f"after {node.line!r}" if node.line else "first"
        hint = ", so name the card in --line" if node.kind == "deal" else ""
        raise InputError(f"nobody acts {after} ({node.kind}), and a page shows what is played{hint}")
    return [
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(node_title(node))}</title></head><body style='font-family:sans-serif'>"
        f"{grid_html(node)}</body></html>\n"
    ]


def _range_lines(node: SpotNode, wanted: Wanted) -> list[str]:
    """The range of a part alone, ready to be pasted, or all of them, each after a line with its name."""
    least, part = LEAST_PLAIN if wanted.least is None else wanted.least, wanted.part
    parts = range_parts(node, least)
    if part is None:
        return [f"# {name}\n{text}\n" for name, text in parts.items()]
    name = part.upper() if part.upper() in NAMES else find_action(node.solver.game, node.place, part)
    if name is None:
        raise InputError(
            f"the parts here are {', '.join(parts)}, not {part!r}{did_you_mean(part, tuple(parts))}"
        )
    if not parts[name]:
        more = (
            f" with a weight of {least:g} or more; --least 0 writes all" if least else ", and a range has one"
        )
        raise InputError(f"no hand is left for {name} here{more}")
    return [parts[name] + "\n"]
