"""Decisions of a trained agent as documents: one hand, or all classes of hands, with the colours of actions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import Card, cards_label, parse_cards
from solvent.forms.betting.tree import BettingTree
from solvent.foundation.colours import action_colour
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import CALL, FOLD, STREETS
from solvent.strategy.agents.betting_line import describe_decision, find_decision, moves
from solvent.strategy.agents.trained import TrainedStrategy, class_label, hole_cards, is_class


def decision_document(strategy: TrainedStrategy, line: str, hand: str | None, board: str) -> dict[str, Any]:
    """Describe a decision: who decides, what follows, and the probabilities of one hand or of all classes."""
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
    shares = [None if share != share else share for share in chart.frequencies.tolist()]
    document["frequencies"] = dict(zip(names, shares, strict=True))
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
    """The strategy of a hand, or of a class of hands on a board; its other facts go into the document."""
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


def action_colours(tree: BettingTree, node: int) -> list[str]:
    """The colour of each action of a decision, as #rrggbb."""
    paid, stack = tree.paid[node], tree.abstraction.rules.effective_stack
    faced = int(paid.max())
    words = {FOLD: "fold", CALL: "check" if paid[0] == paid[1] else "call"}
    return [
        action_colour(words.get(action, "bet"), action >= stack, (action - faced) / (2 * faced))
        for action in tree.actions(node)
    ]
