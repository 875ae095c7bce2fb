"""A decision of a trained agent as HTML: a 13 x 13 chart of all classes of hands, coloured by action."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solvent.app.views.charts.action_colours import action_colours
from solvent.app.views.charts.playing_cards import SYMBOLS
from solvent.cards.deck import RANKS, Card
from solvent.strategy.agents.betting_line import action_label
from solvent.strategy.agents.trained import TrainedStrategy, class_label

SUIT_COLOURS = ("#1b7a2f", "#1f5fbf", "#c02626", "#111111")
"""Clubs, diamonds, hearts and spades, as on a terminal."""


def strategy_chart(strategy: TrainedStrategy, node: int, title: str, board: tuple[Card, ...] = ()) -> str:
    """A figure: the chart, what its colours mean, and how often each action is taken over all hands."""
    tree = strategy.tree
    chart = strategy.classes(node, board)
    colours = action_colours(tree, node)
    labels = [action_label(tree, node, action) for action in tree.actions(node)]
    rows = "".join(
        "<tr>"
        + "".join(_cell(row, column, chart[row, column], colours, labels) for column in range(13))
        + "</tr>"
        for row in range(13)
    )
    keys = "".join(
        f"<li><i style='background:{colour}'></i>{html.escape(label)} <b>{_percent(share)}</b></li>"
        for colour, label, share in zip(colours, labels, _shares(chart, board), strict=True)
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


def _cell(
    row: int, column: int, shares: NDArray[np.float64], colours: Sequence[str], labels: Sequence[str]
) -> str:
    """A class of hands: as wide in each action's colour as it is likely; probabilities when pointed at."""
    label = class_label(row, column)
    if np.isnan(shares).any():
        return f"<td class='none'>{label}</td>"
    ends = np.rint(100 * np.cumsum(shares)).astype(int)
    starts = np.concatenate([[0], ends[:-1]])
    shown = [k for k in range(len(colours)) if ends[k] > starts[k]]
    says = ", ".join(f"{labels[k]} {_percent(float(shares[k]))}" for k in shown)
    parts = ",".join(f"{colours[k]} {starts[k]}% {ends[k]}%" for k in shown)
    style = colours[shown[0]] if len(shown) == 1 else f"linear-gradient(90deg,{parts})"
    return f"<td style='background:{style}' title='{html.escape(f'{label}: {says}')}'>{label}</td>"


def _shares(chart: NDArray[np.float64], board: tuple[Card, ...]) -> list[float]:
    """How often each action is taken over all hands that the board leaves, each hand as likely as another."""
    left = [sum(card // 4 == rank for card in range(52) if card not in board) for rank in range(13)]
    suits = [
        {card % 4 for card in range(52) if card // 4 == rank and card not in board} for rank in range(13)
    ]
    total, hands = np.zeros(chart.shape[2]), 0
    for row in range(13):
        for column in range(13):
            high, low = 12 - min(row, column), 12 - max(row, column)
            suited = len(suits[high] & suits[low])
            if row == column:
                count = left[high] * (left[high] - 1) // 2
            else:
                count = suited if column > row else left[high] * left[low] - suited
            if count:
                total, hands = total + count * chart[row, column], hands + count
    found: list[float] = (total / hands).tolist()
    return found


def _percent(share: float) -> str:
    """A share of 1, in percent.

    >>> _percent(0.5), _percent(0.0004), _percent(0.9999)
    ('50 %', '< 1 %', '> 99 %')
    """
    if 0 < share < 0.01:
        return "< 1 %"
    return "> 99 %" if 0.99 < share < 1 - 1e-9 else f"{100 * share:.0f} %"
