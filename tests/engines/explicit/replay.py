"""Slow, obvious replays of recorded strategies on an explicit public tree, for the tests of growing games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvent.engines.explicit.kernels import descend
from solvent.forms.explicit.tree import DECISION, FOLDED


@dataclass
class Profile:
    """One iteration: its weight, the strategies that each player's regrets saw, and those in the averages.

    Strategies are float64[nodes, hands]; `saw[p]` has both players' strategies as player p's regrets met them.
    """

    weight: float
    saw: tuple[np.ndarray, np.ndarray]
    played: np.ndarray


def current(game):
    """The strategy that regret matching plays now."""
    tables = game.tables
    game.work.reach[:, 0] = 1.0
    descend(game.tree.arrays, tables.flat("regret"), tables.flat("average"), game.work, 0, False)
    return game.work.sigma[: game.tree.nodes].copy()


def record(game, count):
    """Run iterations one by one and return their profiles."""
    found = []
    for _ in range(count):
        before = current(game)
        game.run(1)
        weight = game.tables.clock if game.rule.linear else 1.0
        mixed = before.copy()
        if game.updates == "alternating":  # player 1's regrets meet what player 0 has just learnt
            mine = game.tree.edge_player == 0
            mixed[mine] = current(game)[mine]
        found.append(Profile(weight, (before, mixed), before))
    return found


def values(tree, sigma, player, matrix=None):
    """Counterfactual values v(node, hand) of a player, by recursion: {node: vector}, and both players' reaches."""
    found, reaches = {}, {}

    def visit(node, reach):
        reaches[node] = reach
        if tree.kind[node] >= FOLDED:
            pays = tree.stake[node] * tree.ends.matrix[tree.column("matrix_of")[node]]
            found[node] = pays @ reach[1] if player == 0 else -(reach[0] @ pays)
            return
        total = np.zeros(len(tree.hands))
        for child in tree.children(node):
            below = list(reach)
            mover = tree.player[node] if tree.kind[node] == DECISION else -1
            if mover >= 0:
                below[mover] = below[mover] * sigma[child]
            visit(child, below)
            total = total + (sigma[child] * found[child] if mover == player else found[child])
        found[node] = total

    ones = np.ones(len(tree.hands))
    visit(0, [ones, ones])
    return found, reaches


def replayed(tree, profiles):
    """Regrets, averages and sums of v(I) of some profiles, float64[nodes, hands] each, by definition."""
    regret, average, sums = (np.zeros((tree.nodes, len(tree.hands))) for _ in range(3))
    for profile in profiles:
        for player in (0, 1):
            found, _ = values(tree, profile.saw[player], player)
            _, reaches = values(tree, profile.played, player)
            for node in range(tree.nodes):
                if tree.kind[node] == DECISION and tree.player[node] == player:
                    children = tree.children(node)
                    sums[node] += profile.weight * found[node]
                    for child in children:
                        regret[child] += profile.weight * (found[child] - found[node])
                        average[child] += profile.weight * reaches[child][player]
    return regret, average, sums


def widened(sigma, nodes):
    """A strategy of the tree as it was, in the enlarged tree: what is new is never played."""
    wide = np.zeros((nodes, sigma.shape[1]))
    wide[: len(sigma)] = sigma
    return wide


def paired(tree, edge, before, recovery):
    """All pairs of earlier profiles and recorded recovery iterations (weight, sigma) in the enlarged game."""
    total = sum(weight for weight, _ in recovery)

    def join(outside, inside):
        whole = widened(outside, tree.nodes)
        whole[edge + 1 :] = inside[edge + 1 :]
        return whole

    return [
        Profile(
            old.weight * weight / total,
            (join(old.saw[0], inside), join(old.saw[1], inside)),
            join(old.played, inside),
        )
        for old in before
        for weight, inside in recovery
    ]
