"""Betting lines: the actions that lead to a decision of a betting tree, as people and the ACPC write them.

| written | means |
|---|---|
| `f`, `fold` | fold |
| `c`, `k`, `call`, `check` | call, or check where there is nothing to call |
| `r300`, `b300`, `raise 300`, `raise to 300`, `bet 300` | raise to 300 chips, counted from the start of the hand |
| `r3bb`, `raise 3bb` | raise to 3 big blinds, counted likewise |
| `a`, `all-in` | raise to the whole stack |
| `/` | the next street; it may be left out |

So `r300c/` is a raise to 300, a call, and the first decision on the flop.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from solvent.forms.betting.tree import DEAL, DECISION, BettingTree
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import CALL, FOLD, STREETS, action_text

_TOKEN = re.compile(
    r"(?P<street>/)|(?P<fold>folds?|f)|(?P<all>all[- ]?in|a)|(?P<call>calls?|checks?|c|k)"
    r"|(?:raises?|bets?|r|b)(?: ?to)? ?(?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?P<unit> ?bb)?"
)


@dataclass(frozen=True)
class Move:
    """An action at a decision."""

    text: str
    """The ACPC's text for it: `f`, `c` or `r300`."""
    label: str
    """Words for it, with amounts in big blinds."""
    line: str
    """The betting line after it."""


def find_decision(tree: BettingTree, line: str) -> int:
    """The decision node that a betting line leads to; an empty line is the first decision."""
    node, text, place = 0, line.strip().lower(), 0
    at_street_start = False
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise InputError(
                f"a betting line is written like r300c/r600 or 'raise 300, call / raise 600'; in {line!r} "
                f"{text[place:]!r} is no action"
            )
        place = found.end() + len(text[found.end() :]) - len(text[found.end() :].lstrip(" ,;-"))
        if found["street"]:
            if not at_street_start:
                raise InputError(f"in {line!r} a street ends where {_offered(tree, node)}")
            at_street_start = False
            continue
        if tree.kind[node] != DECISION:
            raise InputError(f"the hand is over after {tree.history(node)!r}; {line!r} goes on")
        action, offered = _action(tree, found), tree.actions(node)
        if action not in offered:
            raise InputError(f"{_offered(tree, node)}, not {action_text(action)}")
        below = tree.children(node)[offered.index(action)]
        at_street_start = bool(tree.kind[below] == DEAL)
        node = below + 1 if at_street_start else below
    if tree.kind[node] != DECISION:
        raise InputError(f"the hand is over after {tree.history(node)!r}: nobody decides there")
    return node


def decision_after(tree: BettingTree, node: int | None, action: int) -> int | None:
    """The decision that follows an action; None where the hand is over, or there is no such action."""
    if node is None or action not in tree.actions(node):
        return None
    child = tree.children(node)[tree.actions(node).index(action)]
    child = child + 1 if tree.kind[child] == DEAL else child
    return child if tree.kind[child] == DECISION else None


def own_actions(tree: BettingTree, node: int) -> list[tuple[int, int]]:
    """Return the earlier actions of the player who decides here: decision and place of the action, latest first."""
    player, found = tree.player[node], []
    while (above := int(tree.parent[node])) >= 0:
        if tree.kind[above] == DECISION and tree.player[above] == player:
            found.append((above, tree.children(above).index(node)))
        node = above
    return found


def moves(tree: BettingTree, node: int) -> list[Move]:
    """List the actions of a decision, in the order of its probabilities."""
    made = []
    for action, child in zip(tree.actions(node), tree.children(node), strict=True):
        line = tree.history(child) + ("/" if tree.kind[child] == DEAL else "")
        made.append(Move(action_text(action), action_label(tree, node, action), line))
    return made


def action_label(tree: BettingTree, node: int, action: int) -> str:
    """An action in words: fold, check, call, or what is bet or raised to on this street, in big blinds."""
    paid = tree.paid[node]
    if action == FOLD:
        return "fold"
    if action == CALL:
        return "check" if paid[0] == paid[1] else "call"
    rules = tree.abstraction.rules
    if action >= rules.effective_stack:
        return "all-in"
    on_street = (action - _paid_before_street(tree, node)) / rules.blinds[1]
    opens = tree.street[node] > 0 and paid[0] == paid[1]
    return f"bet {on_street:g} BB" if opens else f"raise to {on_street:g} BB"


def _paid_before_street(tree: BettingTree, node: int) -> int:
    """Chips that each player had put in when a decision's street began."""
    while node >= 0 and tree.kind[node] != DEAL:
        node = int(tree.parent[node])
    return int(tree.paid[node, 0]) if node >= 0 else 0


def describe_decision(tree: BettingTree, node: int) -> str:
    """The player, the street and the pot of a decision, in words."""
    player, street = int(tree.player[node]), STREETS[tree.street[node]]
    big_blind = tree.abstraction.rules.blinds[1]
    pot = int(tree.paid[node].sum()) / big_blind
    return f"{('button', 'big blind')[player]} on the {street}, pot {pot:g} BB".replace(
        "on the preflop", "before the flop"
    )


def _action(tree: BettingTree, found: re.Match[str]) -> int:
    rules = tree.abstraction.rules
    if found["fold"]:
        return FOLD
    if found["call"]:
        return CALL
    if found["all"]:
        return int(rules.effective_stack)
    chips = float(found["number"]) * (rules.blinds[1] if found["unit"] else 1)
    return round(chips) if chips < 1e15 else -2  # no tree has either


def _offered(tree: BettingTree, node: int) -> str:
    before = tree.history(node)
    where = f"after {before!r}" if before else "at first"
    return f"{where} the agent knows {', '.join(action_text(action) for action in tree.actions(node))}"
