"""A trained agent's strategy at a betting line: for one hand, or as a 13 x 13 chart of all classes of hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.text import Text

from solvent.app.terminal import table
from solvent.app.views.charts.action_colours import action_colours
from solvent.app.views.charts.class_chart import COLOURED_NOTE, MARKED_NOTE, MARKS, chart_lines
from solvent.app.views.strategies import BAR
from solvent.cards.deck import Card, cards_label, parse_cards
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import STREETS
from solvent.strategy.agents.betting_line import describe_decision, find_decision, moves
from solvent.strategy.agents.trained import TrainedStrategy, class_label, hole_cards, is_class

WIDTH = 80
"""Columns of the chart and of the sentence under it."""


def decision_document(strategy: TrainedStrategy, line: str, hand: str | None, board: str) -> dict[str, Any]:
    """Everything about a decision: who decides, what follows, and the probabilities of one hand or of all."""
    node = find_decision(strategy.tree, line)
    on_board = parse_cards(board)
    offered = moves(strategy.tree, node)
    document: dict[str, Any] = {
        "line": strategy.tree.history(node),
        "decision": describe_decision(strategy.tree, node),
        "player": int(strategy.tree.player[node]),
        "street": STREETS[strategy.tree.street[node]],
        "board": cards_label(on_board),
        "actions": [
            {"action": move.text, "label": move.label, "line": move.line, "colour": colour}
            for move, colour in zip(offered, action_colours(strategy.tree, node), strict=True)
        ],
    }
    names = [move.text for move in offered]
    if hand is not None:
        found = _of_hand(document, strategy, node, hand, on_board)
        document["probabilities"] = dict(zip(names, found.tolist(), strict=True))
        return document
    chart = strategy.classes(node, on_board)
    document["frequencies"] = dict(zip(names, map(_plain, chart.frequencies.tolist()), strict=True))
    document["classes"], document["reach"] = {}, {}
    for row, column in product(range(13), repeat=2):
        label, played = class_label(row, column), chart.probabilities[row, column]
        if not np.isnan(played).any():
            document["classes"][label] = dict(zip(names, played.tolist(), strict=True))
        if not np.isnan(chart.reach[row, column]):
            document["reach"][label] = float(chart.reach[row, column])
    return document


def _of_hand(
    document: dict[str, Any], strategy: TrainedStrategy, node: int, hand: str, board: tuple[Card, ...]
) -> NDArray[np.float64]:
    """The strategy of a hand, or of a class of hands on a board, and what is said of it besides."""
    strategy.check_board(node, board)
    if board and is_class(hand):
        found, document["reach"], document["hands"] = strategy.class_of_hands(node, hand, board)
        document["hand"] = hand
        return found
    hole = hole_cards(hand) if not board else parse_cards(hand)
    if len(hole) != 2:
        raise InputError(f"a hand has two cards, such as AsKs, not {hand!r}")
    document["hand"] = cards_label(hole) if board else hand
    document["bucket"] = list(strategy.cards.bucket(document["street"], hole, board))
    document["reach"] = strategy.hand_reach(node, hole, board)
    return strategy.hand(node, hole, board)


def decision_view(document: Mapping[str, Any], coloured: bool) -> RenderableType:
    """A decision document for people."""
    line, board = document["line"] or "the first decision", document["board"]
    title = f"{line}: {document['decision']}" + (f", board {board}" if board else "")
    if "hand" in document:
        title += f"; {document['hand']}"
        if "hands" in document:
            title += f", mean of {document['hands']} hands"
        elif board:
            title += ", bucket {}.{}".format(*document["bucket"])
        title += f", of which {document['reach']:.2%} come here" if document["reach"] < 1 else ""
        return Group(Text(title), _hand_table(document))
    marks = _marks([action["action"] for action in document["actions"]], document["actions"])
    classes = {label: list(found.values()) for label, found in document["classes"].items()}
    most = max(document["reach"].values(), default=0.0)
    heights = {label: document["reach"][label] / most for label in classes}
    colours = [action["colour"] for action in document["actions"]]
    chart = chart_lines(classes, heights, colours, marks, coloured)
    note = wrap(COLOURED_NOTE if coloured else MARKED_NOTE, WIDTH)
    return Group(Text(title), *chart, "", *map(Text, note), _legend(document, marks, coloured))


def _hand_table(document: Mapping[str, Any]) -> RenderableType:
    shown = table("action", "", "probability", "", "what follows")
    for action in document["actions"]:
        probability = document["probabilities"][action["action"]]
        bar = Text("█" * round(BAR * probability), style=action["colour"])
        shown.add_row(action["label"], action["action"], f"{probability:.4f}", bar, action["line"])
    return shown


def _marks(names: Sequence[str], actions: Sequence[Mapping[str, Any]]) -> list[str]:
    """A letter for each action: f, c, a, or the number of a bet."""
    marks, bets = [], iter(MARKS)
    for name, action in zip(names, actions, strict=True):
        if not name.startswith("r"):
            marks.append(name)
        else:
            marks.append("a" if action["label"] == "all-in" else next(bets, "+"))
    return marks


def _legend(document: Mapping[str, Any], marks: Sequence[str], coloured: bool) -> RenderableType:
    shown = table("", "action", "", "of play", "what follows")
    for action, mark in zip(document["actions"], marks, strict=True):
        mean = document["frequencies"][action["action"]]
        key = Text("  ", style=f"on {action['colour']}") if coloured else Text(mark)
        shown.add_row(
            key, action["label"], action["action"], "-" if mean is None else f"{mean:.1%}", action["line"]
        )
    return shown


def _plain(number: float) -> float | None:
    """A number for JSON: None instead of NaN."""
    return None if number != number else number
