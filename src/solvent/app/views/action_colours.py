"""One colour for each kind of action, wherever a strategy is drawn: in terminals, reports and charts.

Folding is blue, checking and calling are green, bets go from yellow to red as they grow, and all-in is purple.
"""

from __future__ import annotations

from solvent.forms.betting import BettingTree
from solvent.games.betting.rules import CALL, FOLD

FOLD_COLOUR, CHECK_COLOUR, CALL_COLOUR, ALL_IN_COLOUR = "#4a7fb0", "#8fbf88", "#4f9d5b", "#6b3f87"
BET_COLOURS = ("#e9c46a", "#eaa048", "#e07b39", "#cf5b32", "#b83f2e", "#96302c", "#742626")
"""From the smallest bet of a decision to the largest."""


def action_colours(tree: BettingTree, node: int) -> list[str]:
    """The colour of each action of a decision, as #rrggbb."""
    actions, paid, stack = tree.actions(node), tree.paid[node], tree.abstraction.rules.effective_stack
    bets = [action for action in actions if action not in (FOLD, CALL) and action < stack]
    colours = []
    for action in actions:
        if action == FOLD:
            colours.append(FOLD_COLOUR)
        elif action == CALL:
            colours.append(CHECK_COLOUR if paid[0] == paid[1] else CALL_COLOUR)
        elif action >= stack:
            colours.append(ALL_IN_COLOUR)
        else:
            place = bets.index(action) * (len(BET_COLOURS) - 1) / max(1, len(bets) - 1)
            colours.append(BET_COLOURS[round(place) if len(bets) > 1 else len(BET_COLOURS) // 2])
    return colours
