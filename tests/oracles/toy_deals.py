"""The toy of `algorithm4` for the compiled head and children: its walk, and a dealer that deals every deal."""

from __future__ import annotations

from itertools import product

import numpy as np

from oracles.algorithm4 import CARDS, CLUSTERS, FOLDER, STAKES, TREE, payoff
from solvent.forms.sampled import SHOWN, lay_out_walk, place_rows
from solvent.training.distributed.deals import ChildDeals, HeadDeals

BUCKETS = 3
HISTORIES = ["", "k/", "b", "k/k", "k/b", "bf", "bc/", "k/bf", "k/bc", "bc/k", "bc/b", "bc/bf", "bc/bc"]
"""Nodes, parents first; public cards are left out."""


def toy_walk():
    """The walk, where each history's row begins among a bucket's numbers, and those numbers by street."""
    behind, first_edge, player, street, stake = [], [0], [], [], []
    for history in HISTORIES:
        who, after = TREE.get(history, (FOLDER.get(history, SHOWN), ()))
        behind += [HISTORIES.index(each + "/" if each in ("k", "bc") else each) for each in after]
        first_edge.append(len(behind))
        player.append(who)
        street.append(int("/" in history))
        stake.append(STAKES.get(history, 0))
    columns = [np.array(column) for column in (first_edge, behind, player, street)]
    row, floats = place_rows(*columns, 2)
    walk = lay_out_walk(*columns, np.array(stake, dtype=np.float64), row)
    return walk.transformed(lambda payoff: payoff), dict(zip(HISTORIES, row.tolist(), strict=True)), floats


class EveryDeal:
    """Iteration i deals hands and one public card for each cluster, the i-th of all there are."""

    def __init__(self, floats):
        self.floats, self.deals = floats, []
        pairs = [(a, b) for a in range(CARDS) for b in range(CARDS) if a != b]
        for hands in pairs:
            left = [[card for card in cluster if card not in hands] or [None] for cluster in CLUSTERS]
            every = list(product(*left))
            self.deals += [(hands, publics, 1 / len(pairs) / len(every)) for publics in every]

    @property
    def clusters(self):
        return len(CLUSTERS)

    def chance(self, iteration):
        return self.deals[iteration][2]

    def deal_head(self, start, end):
        hands = np.array([self.deals[i][0] for i in range(start, end)])
        base = (hands % BUCKETS * self.floats[0]).astype(np.int64)
        choices = [[sum(card not in h for card in cluster) for cluster in CLUSTERS] for h in hands]
        choices = np.array(choices, np.int32)
        return HeadDeals(base, choices, np.ones(end - start, np.float32))

    def deal_child(self, cluster, start, end, samples):
        head = self.deal_head(start, end)
        base = np.zeros((end - start, samples, 2, 2), np.int64)
        outcome = np.zeros((end - start, samples), np.int64)
        for which in range(end - start):
            hands, publics, _ = self.deals[start + which]
            base[which, :, :, 1] = np.array(hands) % BUCKETS * self.floats[1]
            if publics[cluster] is not None:
                outcome[which] = 1 - np.sign(payoff("k/k", hands, publics[cluster]))
        chosen = np.repeat(head.choices[:, [cluster]], samples, axis=1).astype(np.int64)
        return ChildDeals(base, outcome, chosen, head.drawn)

    def mean_choices(self, cluster):
        return len(CLUSTERS[cluster]) * (CARDS - 2), CARDS
