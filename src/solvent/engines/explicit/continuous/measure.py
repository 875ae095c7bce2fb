"""Exploitability of an abstraction's strategy in the continuous game behind it, in chips a game.

Three exploiters answer the same strategy. `within_abstraction` may bet the abstraction's sizes only: ordinary
exploitability. `informed` may bet any size and sees which size the bet was taken for: an upper bound, in closed
form (Brown and Sandholm 2015, section 4). `uninformed` may bet any size and sees only the cards and the bets: the
true value, certified between two bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.continuous import informed_kernels, uninformed_kernels
from solvent.engines.explicit.continuous.informed_kernels import ABSTRACT, CONTINUOUS, PLAY
from solvent.engines.explicit.continuous.size_tree import SizeTree, size_tree
from solvent.engines.explicit.continuous.uninformed_kernels import SearchInput, Work
from solvent.engines.history.response import Evaluation
from solvent.forms.explicit.tree import DECISION, ExplicitTree, explicit_tree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import (
    LARGEST_SIZE,
    LEAST_SIZE,
    ContinuousLeduc,
    SizedBetting,
    parse_size,
)
from solvent.strategy.solved.tables import TableStrategy

PRECISION = 1e-6
"""Chips: the gap between the bounds of `uninformed` if nothing else is asked for."""
NESTED_PRECISION = 1e-3
"""The precision of a nested search, as a fraction of that of the search that it answers."""


@dataclass(frozen=True)
class Certified:
    """Bounds of an exploitability that is not known exactly, in chips a game."""

    low: float
    high: float
    best_response: tuple[tuple[float, float], tuple[float, float]]
    """Each player's least and largest winnings by the best response to the other."""
    questions: int
    """The number of sizes that were valued to find it."""

    @property
    def gap(self) -> float:
        """The distance of the bounds, up to rounding."""
        return self.high - self.low


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


def within_abstraction(tree: SizeTree, strategy: NDArray[np.float64]) -> Evaluation:
    """Evaluate a strategy where both players bet sizes of the abstraction only.

    strategy: float64[nodes, hands], the probability of the action that leads to each node of the explicit tree.
    """
    return _evaluate(tree, strategy, ABSTRACT)


def informed(tree: SizeTree, strategy: NDArray[np.float64]) -> Evaluation:
    """Evaluate a strategy against exploiters who bet any size and see what it is taken for."""
    return _evaluate(tree, strategy, CONTINUOUS)


def uninformed(tree: SizeTree, strategy: NDArray[np.float64], precision: float = PRECISION) -> Certified:
    """Bound a strategy's exploitability by exploiters who bet any size and do not see what it is taken for.

    precision: chips; the bounds are at most this far apart, unless rounding or very many equally good sizes
    prevent it: see `gap`.
    """
    bounds, questions = [], 0
    for exploiter in (0, 1):
        found, work = uninformed_values(tree, strategy, exploiter, precision / tree.stake)
        low, high = (tree.stake * found.sum(axis=0)).tolist()
        bounds.append((low, high))
        questions += int(work.frames[0]["questions"])
    low, high = ((bounds[0][side] + bounds[1][side]) / 2 for side in (0, 1))
    return Certified(max(0.0, low), max(0.0, high), (bounds[0], bounds[1]), questions)


def response_values(
    tree: SizeTree, strategy: NDArray[np.float64], exploiter: int, mode: int = CONTINUOUS
) -> NDArray[np.float64]:
    """Value every node by hand, float64[nodes, hands], for an exploiter who plays by `mode`.

    Modes are PLAY, ABSTRACT and informed CONTINUOUS. Values are counterfactual, in units of what each player has
    paid; at an opponent who faces a bet the fold is left out: it is in the row of the fold.
    """
    strategy = strategy[tree.numbers]
    reach, worth = np.empty(strategy.shape), np.empty(strategy.shape)
    matrices = tree.matrices if exploiter == 0 else -tree.matrices.transpose(0, 2, 1)
    reach[0] = 1.0
    informed_kernels.reach_down(tree.nodes, strategy, 1 - exploiter, reach)
    informed_kernels.settle(tree.nodes, np.ascontiguousarray(matrices), reach, worth)
    limits = np.array([LEAST_SIZE, LARGEST_SIZE])
    informed_kernels.value_up(tree.nodes, strategy, exploiter, mode, limits, worth)
    return worth


def uninformed_values(
    tree: SizeTree, strategy: NDArray[np.float64], exploiter: int, precision: float
) -> tuple[NDArray[np.float64], Work]:
    """Each hand's winnings from the root, float64[hands, 2] from below and above, and the work that found them."""
    nodes = tree.nodes.copy()
    informed_kernels.describe(nodes, exploiter)
    worth = response_values(tree, strategy, exploiter)
    levels, bets = int(nodes["depth"].max()) + 2, int(nodes["bets"].max())
    own = (nodes["kind"] == DECISION) & (nodes["player"] == exploiter)
    heads = int(np.sum(own & (nodes["children"] > nodes["facing"] + 1) & (nodes["bets"] == 0)))
    tolerances = precision / max(1, heads * tree.hands) * NESTED_PRECISION ** np.arange(bets + 1)
    known = SearchInput(nodes, worth, np.array([LEAST_SIZE, LARGEST_SIZE, *tolerances]))
    points = uninformed_kernels.MOST_QUESTIONS + int(nodes["children"].max()) * 2**bets + 4
    work = Work(
        np.zeros((levels, 2**bets), dtype=np.int64),
        np.zeros((levels, 2**bets)),
        np.zeros(levels, dtype=uninformed_kernels.FRAME),
        np.zeros((bets + 1, points), dtype=uninformed_kernels.POINT),
        np.full((*worth.shape, 3), np.nan),
    )
    bounds = np.zeros((tree.hands, 2))
    uninformed_kernels.respond(known, work, exploiter, bounds)
    return bounds, work


def _evaluate(tree: SizeTree, strategy: NDArray[np.float64], mode: int) -> Evaluation:
    def winnings(player: int, mode: int) -> float:
        return tree.stake * float(response_values(tree, strategy, player, mode)[0].sum())

    best, value = (winnings(0, mode), winnings(1, mode)), winnings(0, PLAY)
    return Evaluation(max(0.0, sum(best) / 2), (value, -value), best)
