"""A decision of a trained agent as HTML: a 13 x 13 chart of all classes of hands, coloured by action."""

from __future__ import annotations

import html
from collections.abc import Sequence

from solvent.cards.deck import RANKS, Card
from solvent.foundation.html import shares_background
from solvent.strategy.agents.betting_line import action_label
from solvent.strategy.agents.decisions import action_colours
from solvent.strategy.agents.trained import ClassChart, TrainedStrategy, class_label

SYMBOLS = "♣♦♥♠"
"""Symbols of the suits by number; a terminal whose encoding has none shows c, d, h and s (`app.terminal`)."""
SUIT_COLOURS = ("#1b7a2f", "#1f5fbf", "#c02626", "#111111")
"""Clubs, diamonds, hearts and spades, as on a terminal."""


def strategy_chart(strategy: TrainedStrategy, node: int, title: str, board: tuple[Card, ...] = ()) -> str:
    """A figure: the chart, what its colours mean, and how often each action is taken, hands by reach."""
    tree = strategy.tree
    chart = strategy.classes(node, board)
    colours = action_colours(tree, node)
    labels = [action_label(tree, node, action) for action in tree.actions(node)]
    rows = "".join(
        f"<tr>{''.join(_cell(chart, row, column, colours, labels) for column in range(13))}</tr>"
        for row in range(13)
    )
    keys = "".join(
        f"<li><i style='background:{colour}'></i>{html.escape(label)} <b>{_percent(share)}</b></li>"
        for colour, label, share in zip(colours, labels, chart.frequencies.tolist(), strict=True)
    )
    on_board = f"<span class='board'>{cards_html(board)}</span>: " if board else ""
    return (
        f"<figure><figcaption>{on_board}{html.escape(title)}</figcaption><table class='hands'>{rows}</table>"
        f"<ul class='key'>{keys}</ul></figure>"
    )


def cards_html(cards: Sequence[Card]) -> str:
    """Cards with the symbols and colours of their suits."""
    return " ".join(
        f"<span style='color:{SUIT_COLOURS[card % 4]}'>{RANKS[card // 4]}{SYMBOLS[card % 4]}</span>"
        for card in cards
    )


def _cell(chart: ClassChart, row: int, column: int, colours: Sequence[str], labels: Sequence[str]) -> str:
    """A class of hands: as wide in each action's colour as it is likely, as high as it comes there.

    Probabilities are said when it is pointed at.
    """
    label, shares = class_label(row, column), chart.probabilities[row, column].tolist()
    if any(share != share for share in shares):
        return f"<td class='none'>{label}</td>"
    says = ", ".join(
        f"{name} {_percent(share)}" for name, share in zip(labels, shares, strict=True) if share > 0
    )
    comes = f"; {_percent(part)} come here" if (part := float(chart.reach[row, column])) < 1 - 1e-9 else ""
    style = shares_background(shares, colours, float(chart.heights[row, column]))
    return f"<td style='{style}' title='{html.escape(f'{label}: {says}{comes}')}'>{label}</td>"


def _percent(share: float) -> str:
    """A share of 1, in percent.

    >>> _percent(0.5), _percent(0.0004), _percent(0.9999)
    ('50 %', '< 1 %', '> 99 %')
    """
    if share != share:
        return "-"
    if 0 < share < 0.01:
        return "< 1 %"
    return "> 99 %" if 0.99 < share < 1 - 1e-9 else f"{100 * share:.0f} %"
