"""Best responses in push-or-fold hold'em, from deals in plain sight: whoever acts has one of 169 classes of hands.

The tree is `preflop=a`: the button folds, calls or goes all-in; after a call the big blind checks or goes all-in.
Nobody acts after the flop, so no bucket is forgotten and the best response inside the abstraction is exact: for
each class the action that wins most over the deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from solvent.cards.evaluator import hand_strengths
from solvent.forms.betting.tree import build_tree
from solvent.games.betting.sizes import parse_betting

STACK = 4
"""Big blinds."""
BETTING = f"preflop=a; stack={STACK}"


@dataclass(frozen=True)
class Deals:
    """Deals at random: the classes of both hands, and who wins (1 for the button, 0 for nobody, -1)."""

    button: np.ndarray
    blind: np.ndarray
    ahead: np.ndarray


def push_fold_tree():
    return build_tree(parse_betting(BETTING))


def deals(cards, number, seed=0):
    rng = np.random.default_rng(seed)
    dealt = np.argsort(rng.random((number, 52)), axis=1)[:, :9]
    class_of = np.zeros((52, 52), dtype=np.int64)
    for low, high in combinations(range(52), 2):
        class_of[low, high] = class_of[high, low] = cards.bucket(0, (low, high), ())[1]
    strengths = [
        hand_strengths(np.concatenate([dealt[:, at : at + 2], dealt[:, 4:]], axis=1)).astype(int)
        for at in (0, 2)
    ]
    return Deals(
        class_of[dealt[:, 0], dealt[:, 1]],
        class_of[dealt[:, 2], dealt[:, 3]],
        np.sign(strengths[0] - strengths[1]),
    )


def strategies(blueprint):
    """The average strategy of every class at the four decisions, by their histories: float64[169, actions]."""
    tree = blueprint.tree
    nodes = {tree.history(node): node for node in np.flatnonzero(tree.action_count > 1).tolist()}
    return {
        history: np.array([blueprint.average(node, 0, kind) for kind in range(169)])
        for history, node in nodes.items()
    }


def by_class(kinds, won):
    """Sums over deals by the class of the player who chooses."""
    return np.bincount(kinds, weights=won, minlength=169)


def button_values(blind, dealt):
    """Chips that each action of the button's wins, summed over the deals of each class, by history."""
    kind, ahead, all_in = dealt.button, dealt.ahead, 100 * STACK
    checks, raises = blind["c"][dealt.blind].T
    folds, calls = blind[f"r{all_in}"][dealt.blind].T
    facing = [by_class(kind, -100 * raises), by_class(kind, all_in * raises * ahead)]
    return {
        f"cr{all_in}": np.array(facing).T,
        "c": by_class(kind, 100 * checks * ahead),
        "f": by_class(kind, np.full(len(kind), -50.0)),
        "r": by_class(kind, folds * 100 + calls * all_in * ahead),
    }


def blind_values(button, dealt):
    """Chips that each action of the big blind's wins, by history; and those of the button's folds, in all."""
    kind, ahead, all_in = dealt.blind, dealt.ahead, 100 * STACK
    folds, limps, pushes = button[""][dealt.button].T
    gives_up, stays = button[f"cr{all_in}"][dealt.button].T
    limped = [by_class(kind, -100 * limps * ahead)]
    limped.append(by_class(kind, limps * (gives_up * 100 - stays * all_in * ahead)))
    pushed = [by_class(kind, -100 * pushes), by_class(kind, -all_in * pushes * ahead)]
    return {"c": np.array(limped).T, f"r{all_in}": np.array(pushed).T}, 50 * folds.sum()


def best_value(agent, dealt):
    """Winnings of the best response to an agent's strategies, in mbb/hand, averaged over both seats."""
    mine = button_values(agent, dealt)
    limp = mine["c"] + mine[f"cr{100 * STACK}"].max(axis=1)
    as_button = np.max([mine["f"], limp, mine["r"]], axis=0).sum()
    theirs, folds = blind_values(agent, dealt)
    as_blind = folds + sum(values.max(axis=1).sum() for values in theirs.values())
    return (as_button + as_blind) / 2 / len(dealt.ahead) * 10


def value(response, agent, dealt):
    """Winnings of a response from an agent, in mbb/hand, averaged over both seats."""
    mine = button_values(agent, dealt)
    limp = mine["c"] + (response[f"cr{100 * STACK}"] * mine[f"cr{100 * STACK}"]).sum(axis=1)
    as_button = (response[""] * np.array([mine["f"], limp, mine["r"]]).T).sum()
    theirs, folds = blind_values(agent, dealt)
    as_blind = folds + sum((response[history] * values).sum() for history, values in theirs.items())
    return (as_button + as_blind) / 2 / len(dealt.ahead) * 10
