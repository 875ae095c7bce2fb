"""Exploitability of a solved abstraction's strategy in the continuous game behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.continuous.exploitability import (
    PRECISION,
    Certified,
    informed,
    uninformed,
    within_abstraction,
)
from solvent.engines.explicit.continuous.size_tree import size_tree
from solvent.engines.history.response import Evaluation
from solvent.forms.explicit.build import explicit_tree
from solvent.forms.explicit.tree import DECISION, ExplicitTree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import ContinuousLeduc, SizedBetting, parse_size
from solvent.strategy.solved.tables import TableStrategy


@dataclass(frozen=True)
class ContinuousMeasure:
    """A strategy against three exploiters, in chips a game."""

    within: Evaluation
    """Exploiters who bet sizes of the abstraction: ordinary exploitability."""
    uninformed: Certified
    """Exploiters who bet any size: the true value, between bounds."""
    informed: Evaluation
    """Exploiters who bet any size and see which size a bet is taken for: an upper bound."""


def has_continuous_sizes(strategy: TableStrategy) -> bool:
    """Whether a strategy is of an abstraction of continuous Leduc, told by the game's name without loading it."""
    return strategy.game.partition("(")[0] == "continuous_leduc"


def measure_continuous(strategy: TableStrategy, precision: float = PRECISION) -> ContinuousMeasure:
    """Measure a solved abstraction of continuous Leduc in the continuous game.

    precision: chips, how far the bounds of the true value may be apart.
    """
    return measure_tree(*_on_tree(strategy), precision)


def measure_within(strategy: TableStrategy) -> Evaluation:
    """Measure a strategy among the bets that it knows, also those that were added while it was solved."""
    tree, probabilities = _on_tree(strategy)
    return within_abstraction(size_tree(tree), probabilities)


def measure_tree(
    tree: ExplicitTree, strategy: NDArray[np.float64], precision: float = PRECISION
) -> ContinuousMeasure:
    """Measure a strategy on an explicit tree, float64[nodes, hands]: the probability of the action to each node."""
    laid = size_tree(tree)
    return ContinuousMeasure(
        within_abstraction(laid, strategy), uninformed(laid, strategy, precision), informed(laid, strategy)
    )


def _on_tree(strategy: TableStrategy) -> tuple[ExplicitTree, NDArray[np.float64]]:
    """The explicit tree of a strategy's rules, and its probabilities on it.

    Bets that the strategy knows beyond those of the rules, as one of a growing run does, are added to the tree.
    """
    rules = strategy.rules()
    if not isinstance(rules, ContinuousLeduc):
        raise InputError(f"{strategy.game} has no continuous sizes; continuous_leduc has")
    tree = explicit_tree(rules)
    rows: dict[tuple[int, int], dict[str, float]] = {}
    held = tree.chances.sum(axis=2) > 0
    node = 0
    while node < tree.nodes:  # which grows on the way
        board, betting = int(tree.board[node]), tree.betting[node]
        text = f"{rules.board_label(tree.boards[board])}|{betting.history}"
        hands = np.flatnonzero(held[board]).tolist() if tree.kind[node] == DECISION else []
        for hand in hands:
            label = f"{rules.hand_labels[tree.hands[hand]]}|{text}"
            rows[node, hand] = strategy.query(label, int(tree.player[node]))
        known = {tree.labels[child] for child in tree.children(node)}
        for action in rows[node, hands[0]] if hands else ():
            if action not in known:
                assert isinstance(betting, SizedBetting)
                theta = parse_size(action.rpartition(" ")[2])
                tree.graft(node, action, rules.after_bet(betting, theta), theta)
        node += 1
    found = np.zeros((tree.nodes, len(tree.hands)))
    for (node, hand), row in rows.items():
        children = tree.children(node)
        found[children, hand] = [row[tree.labels[child]] for child in children]
    return tree, found
