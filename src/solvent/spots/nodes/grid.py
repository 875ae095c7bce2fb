"""The strategy at a node of a spot as a 13 x 13 grid of classes of hands: by class, as HTML and as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.cards.deck import RANKS
from solvent.cards.hands import HANDS, hole_cards
from solvent.cards.ranges import hand_label
from solvent.foundation.colours import EMPTY_COLOUR, TEXT_COLOUR, action_colour
from solvent.foundation.extras import extra
from solvent.foundation.html import shares_background
from solvent.games.betting.action_words import amount_of
from solvent.games.holdem.spot import NAMES
from solvent.strategy.agents.trained import class_label
from solvent.strategy.reach import not_negligible, relative

if TYPE_CHECKING:
    from solvent.spots.nodes.node import SpotNode

FADED_TEXT = "#666666"
NOT_REACHED = "not reached: play never comes here, so what stands here is no advice"
HARDLY = "hardly ever reached: what stands here has been learned from next to no hands"
LEAST_COMBOS = 0.01
"""Sum of hands' weights below which a node is called hardly reached."""
HEIGHTS = "A cell is filled as high as its class comes here, beside the class that comes most."
TABLE = "border-collapse:collapse;font-size:clamp(8px,2.3vw,1em)"
"""The style of the grid, whose cells shrink with their text until all thirteen fit a narrow window."""
TITLE_LETTERS = 76
"""Letters of a picture's title that fit a line."""
CELL = f"width:3.1em;height:2em;text-align:center;padding:0;border:1px solid #fff;color:{TEXT_COLOUR}"


def class_frequencies(
    hands: Sequence[str], weights: ArrayLike, strategy: ArrayLike
) -> dict[str, list[float]]:
    """Average strategy of the hands of each class, each by its weight; hands that hardly come are left out.

    >>> class_frequencies(["AhKh", "AsKs", "9c9d"], [1, 3, 0], [[1, 0, 1], [0, 1, 0]])
    {'AKs': [0.25, 0.75]}
    """
    sums: dict[str, NDArray[np.float64]] = {}
    totals: dict[str, float] = {}
    often = not_negligible(weights).tolist()
    for hand, weight, played, counts in zip(
        hands, np.asarray(weights).tolist(), np.asarray(strategy).T, often, strict=True
    ):
        if counts:
            label = hand_class(hand)
            sums[label] = sums.get(label, 0.0) + weight * played
            totals[label] = totals.get(label, 0.0) + weight
    return {label: (found / totals[label]).tolist() for label, found in sums.items()}


def hand_class(hand: str) -> str:
    """Name the class of a hand.

    >>> hand_class("AhKh"), hand_class("Kc9d"), hand_class("9c9d")
    ('AKs', 'K9o', '99')
    """
    high, low = sorted((hand[0], hand[2]), key=RANKS.index, reverse=True)
    return high + low + ("" if high == low else "s" if hand[1] == hand[3] else "o")


def node_colours(node: SpotNode) -> list[str]:
    """The colour of each action at a node, as #rrggbb."""
    if node.player is None:
        return []
    own, faced = node.place.street_paid[node.player], node.place.street_paid[1 - node.player]
    amounts = {action: amount_of(action) for action in node.actions}
    return [
        action_colour(
            action, amount - own >= node.stacks[node.player], (amount - faced) / (node.pot + faced - own)
        )
        for action, amount in amounts.items()
    ]


def node_weights(node: SpotNode) -> dict[str, float]:
    """Mean weight of each class of hands of the player to act, over the hands that the board leaves."""
    if node.player is None:
        return {}
    every = class_of_hand()
    left = Counter(every[~np.isin(hole_cards(), node.cards).any(axis=1)].tolist())
    labels = every[node.numbers[node.player]].tolist()
    sums = dict.fromkeys(labels, 0.0)
    for label, weight in zip(labels, node.weights[node.player].tolist(), strict=True):
        sums[label] += weight
    return {label: weight / left[label] for label, weight in sums.items()}


def node_heights(node: SpotNode) -> dict[str, float]:
    """Heights of the cells of classes: their weights beside the largest."""
    weights = node_weights(node)
    heights = relative(np.array(list(weights.values())))
    return dict(zip(weights, heights.tolist(), strict=True))


@cache
def class_of_hand() -> NDArray[np.str_]:
    """The class of each of the 1,326 hands by number."""
    return np.array([hand_class(hand_label(number)) for number in range(HANDS)])


def node_title(node: SpotNode) -> str:
    """Describe a node in a few words, such as `Td9d6h, check: IP to act, pot 200`."""
    line = f", {node.line}" if node.line else ""
    who = f"{NAMES[node.player]} to act" if node.player is not None else node.kind
    return f"{node.board}{line}: {who}, pot {node.pot:,}"


def lock_note(node: SpotNode) -> str:
    """Count the locked hands of the player to act, such as `, 6 of 136 hands locked`; '' for none."""
    locked = int(node.locked.sum()) if node.player is not None else 0
    return f", {locked:,} of {len(node.locked):,} hands locked" if locked else ""


def reach_warning(node: SpotNode) -> str:
    """Warn of a node that play never or hardly ever reaches; '' for others."""
    if not node.reached[0].any():
        return NOT_REACHED
    return HARDLY if min(float(weights.sum()) for weights in node.weights) < LEAST_COMBOS else ""


def grid_html(node: SpotNode) -> str:
    """Write the grid as HTML, with a legend of the frequency of each action."""
    title = escape(node_title(node) + lock_note(node))
    if node.player is None:
        return f"<p>{title}</p>"
    if not node.reached[node.player].any():
        return f"<p>{title}</p><p><b>{NOT_REACHED}</b></p>"
    classes, colours = node.classes(), node_colours(node)
    weights, heights = node_weights(node), node_heights(node)
    rows = "".join(
        "<tr>"
        + "".join(
            _cell(label, classes[label], colours, node.actions, weights[label], heights[label])
            if label in classes
            else f"<td style='{CELL};background:{EMPTY_COLOUR};color:{FADED_TEXT}'>{label}</td>"
            for label in (class_label(row, column) for column in range(13))
        )
        + "</tr>"
        for row in range(13)
    )
    legend = " &nbsp; ".join(
        f"<span style='white-space:nowrap'><span style='background:{colour};color:{TEXT_COLOUR};padding:0 .5em'>"
        f"{escape(action)}</span> {100 * share:.1f} %</span>"
        for (action, share), colour in zip(node.frequencies.items(), colours, strict=True)
    )
    warning = reach_warning(node)
    said = f"<p><b>{warning}</b></p>" if warning else ""
    return (
        f"{said}<table style='{TABLE}'><caption>{title}</caption>{rows}</table><p>{legend}</p>"
        f"<p>{HEIGHTS}</p>"
    )


def _cell(
    label: str,
    shares: list[float],
    colours: Sequence[str],
    actions: Sequence[str],
    weight: float,
    height: float,
) -> str:
    says = ", ".join(f"{action} {100 * share:.1f} %" for action, share in zip(actions, shares, strict=True))
    style = f"{CELL};{shares_background(shares, colours, height)}"
    return f"<td style='{style}' title='{escape(f'{label}: {says}, weight {weight:.3f}')}'>{label}</td>"


def plot_grid(node: SpotNode, axes: Any = None) -> Any:
    """Draw the grid with Matplotlib, on new axes unless some are given; returns the axes."""
    classes, colours, heights = node.classes(), node_colours(node), node_heights(node)
    extra("matplotlib", "pictures")
    from matplotlib.patches import Patch, Rectangle

    title = [
        *wrap(node_title(node) + lock_note(node), TITLE_LETTERS),
        *wrap(reach_warning(node), TITLE_LETTERS),
    ]
    if axes is None:
        from matplotlib import pyplot as plt

        _, axes = plt.subplots(figsize=(7, 7.4 + 0.25 * len(title)), layout="constrained")
    for row in range(13):
        for column in range(13):
            label = class_label(row, column)
            shares = classes.get(label)
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=EMPTY_COLOUR, linewidth=0))
            left = float(column)
            for share, colour in zip(shares or [], colours if shares else [], strict=True):
                high = heights[label]
                axes.add_patch(Rectangle((left, row + 1 - high), share, high, facecolor=colour, linewidth=0))
                left += share
            text_colour = TEXT_COLOUR if shares else FADED_TEXT
            axes.text(column + 0.5, row + 0.5, label, ha="center", va="center", fontsize=8, color=text_colour)
    for line in range(14):
        axes.axhline(line, color="white", linewidth=1)
        axes.axvline(line, color="white", linewidth=1)
    axes.set(xlim=(0, 13), ylim=(13, 0), aspect="equal", xticks=[], yticks=[])
    axes.set_title("\n".join(title), fontsize=11)
    axes.set_frame_on(False)
    keys = [
        Patch(facecolor=colour, label=f"{action} {100 * share:.1f} %" if share == share else action)
        for (action, share), colour in zip(node.frequencies.items(), colours, strict=True)
    ]
    if keys:
        axes.legend(
            handles=keys, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=min(len(keys), 4), frameon=False
        )
    return axes
