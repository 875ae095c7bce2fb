"""The colours of a trained agent's actions: those of `foundation.colours`."""

from __future__ import annotations

from solvent.forms.betting.tree import BettingTree
from solvent.foundation.colours import ALL_IN_COLOUR, CALL_COLOUR, CHECK_COLOUR, FOLD_COLOUR, bet_colour
from solvent.games.betting.rules import CALL, FOLD


def action_colours(tree: BettingTree, node: int) -> list[str]:
    """The colour of each action of a decision, as #rrggbb."""
    paid = tree.paid[node]
    return [
        _colour(action, int(paid.max()), bool(paid[0] == paid[1]), tree.abstraction.rules.effective_stack)
        for action in tree.actions(node)
    ]


def _colour(action: int, faced: int, level: bool, stack: int) -> str:
    if action == FOLD:
        return FOLD_COLOUR
    if action == CALL:
        return CHECK_COLOUR if level else CALL_COLOUR
    return ALL_IN_COLOUR if action >= stack else bet_colour((action - faced) / (2 * faced))
