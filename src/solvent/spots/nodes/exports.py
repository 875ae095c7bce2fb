"""Nodes of a spot as text for other programs: JSON of many nodes; CSV, ranges or an HTML page of one."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from html import escape
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import HANDS
from solvent.cards.ranges import LEAST_PLAIN, plain_range
from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.progress import Progress, Watch
from solvent.games.holdem.spot import NAMES
from solvent.spots.nodes.grid import grid_html, node_title
from solvent.spots.nodes.lines import find_action
from solvent.spots.nodes.node import SpotNode


def write_nodes_json(node: SpotNode, street: str | None, file: TextIO, watch: Watch | None = None) -> int:
    """Write a node and what follows as one document, {"game": ..., "nodes": {line: numbers}}; returns its nodes.

    `street` is the last whose nodes are written, that of the node by default.
    """
    last = _last_street(node, street)
    facts = {"game": str(node.solver.game.rules), "iterations": node.solver.iterations}
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


def _last_street(node: SpotNode, street: str | None) -> int:
    names: tuple[str, ...] = node.solver.game.rules.street_names
    first = node.stands_for[0]
    if street is None:
        return first
    if street not in names[first:]:
        raise InputError(f"from here on the streets are {', '.join(names[first:])}, not {street!r}")
    return names.index(street)


def _nodes(node: SpotNode, last: int) -> Iterator[SpotNode]:
    """The node and the decisions and deals after it, to the end of a street."""
    yield node
    if node.kind == "deal" and node.stands_for[0] >= last:
        return
    for child in node.children().values():
        if child.kind in ("decision", "deal"):
            yield from _nodes(child, last)


def write_node_csv(node: SpotNode, file: TextIO) -> None:
    """Write a row for each hand of each player; what does not exist is empty, as are the other player's actions."""
    names = ["player", *node.to_dict(node.player).keys()]
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    for player, who in enumerate(NAMES):
        columns = node.to_dict(player)
        for row in zip(*columns.values(), strict=True):
            known = {name: value for name, value in zip(columns, row, strict=True) if value == value}
            writer.writerow({"player": who, **known})


def node_page(node: SpotNode) -> str:
    """An HTML page of the strategy at a decision; it needs no other file."""
    if node.player is None:
        after = f"after {node.line!r}" if node.line else "first"
        hint = ", so name the card in --line" if node.kind == "deal" else ""
        raise InputError(f"nobody acts {after} ({node.kind}), and a page shows what is played{hint}")
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(node_title(node))}</title></head><body style='font-family:sans-serif'>"
        f"{grid_html(node)}</body></html>\n"
    )


def node_ranges(node: SpotNode, part: str | None = None, least: float | None = None) -> str:
    """Ranges at a node as text: that of a part, ready to be pasted, or all, each after a line with its name.

    The parts are OOP, IP and the actions of the player to act. Hands of a weight below `least`, `LEAST_PLAIN` by
    default, are left out.
    """
    least = LEAST_PLAIN if least is None else least
    parts = {name: _range(node, player, node.weights[player], least) for player, name in enumerate(NAMES)}
    if node.player is not None:
        for action, row in zip(node.actions, node.strategy, strict=True):
            parts[action] = _range(node, node.player, node.weights[node.player] * row, least)
    if part is None:
        return "".join(f"# {name}\n{text}\n" for name, text in parts.items())
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
    return parts[name] + "\n"


def _range(node: SpotNode, player: int, weights: NDArray[np.float64], least: float) -> str:
    whole = np.zeros(HANDS)
    whole[node.numbers[player]] = np.minimum(np.nan_to_num(weights), 1.0)
    return plain_range(whole, least)
