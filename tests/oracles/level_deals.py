"""The toy of `levels` for compiled heads and children: its walk, and dealers that deal every public card."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracles.levels import (
    CARDS,
    FLOPS,
    FOLDER,
    STAKES,
    TREE,
    TURNS,
    bucket,
    flop_cluster,
    mean_choices,
    payoff,
    turn_cluster,
)
from solvent.forms.sampled import SHOWN, lay_out_walk, place_rows
from solvent.training.distributed.deals import ChildDeals, HeadDeals

BUCKETS = 3
ROUNDS = 72
"""Deals of each pair of hands: a multiple of the number of draws of any cluster at both levels."""


def _histories():
    found = [""]
    for history in found:
        found += TREE.get(history, (0, ()))[1]
    return found


HISTORIES = _histories()


def level_walk():
    """The walk, where each history's row begins among a bucket's numbers, and those numbers by street."""
    behind, first_edge, player, street, stake = [], [0], [], [], []
    for history in HISTORIES:
        who, after = TREE.get(history, (FOLDER.get(history, SHOWN), ()))
        behind += [HISTORIES.index(each) for each in after]
        first_edge.append(len(behind))
        player.append(who)
        street.append(history.count("/"))
        stake.append(STAKES.get(history, 0))
    columns = [np.array(column) for column in (first_edge, behind, player, street)]
    row, floats = place_rows(*columns, 3)
    walk = lay_out_walk(*columns, np.array(stake, dtype=np.float64), row)
    places = dict(zip(HISTORIES, row.tolist(), strict=True))
    return walk.transformed(lambda payoff: payoff), places, tuple(floats.tolist())


@dataclass(frozen=True)
class Deals:
    """Iteration i deals hands and, in each cluster, one of its cards: over all iterations each is as likely.

    Cards of different clusters are dealt together in some combinations only. Expectations do not see that.
    """

    floats: tuple[int, ...]
    """Numbers of a bucket, by street."""
    hands = tuple((a, b) for a in range(CARDS) for b in range(CARDS) if a != b)
    iterations = len(hands) * ROUNDS

    def board(self, iteration, path):
        """Hands, the public cards that a cluster draws, and the product of the choices; if it is 0, cards lack."""
        hands, place, board, chosen = self.hands[iteration // ROUNDS], iteration % ROUNDS, [], 1
        for level in range(len(path)):
            left = self.left(hands, board, path[: level + 1])
            chosen *= len(left)
            if not left:
                break
            board.append(left[place % len(left)])
            place //= len(left)
        return hands, tuple(board), chosen

    @staticmethod
    def left(hands, board, path):
        cluster = (flop_cluster, turn_cluster)[len(path) - 1]
        rest = [card for card in range(CARDS) if card not in hands and card not in board]
        return [card for card in rest if cluster(*board, card) == path[-1]]


@dataclass(frozen=True)
class LevelDealer:
    """Deals for the head, path (), or for a child that is a head, path (n,)."""

    deals: Deals
    path: tuple[int, ...] = ()

    @property
    def clusters(self):
        return TURNS[self.path[0]] if self.path else len(FLOPS)

    def deal_head(self, start, end, samples):
        level, made = len(self.path), range(start, end)
        base = np.zeros((end - start, samples, 2, level + 1), np.int64)
        choices = np.zeros((end - start, samples, self.clusters), np.int32)
        chosen = np.zeros((end - start, samples), np.int64)
        for which, iteration in enumerate(made):
            hands, board, chosen[which] = self.deals.board(iteration, self.path)
            if len(board) < level:
                continue
            buckets = np.array([bucket(hand, board) for hand in hands])
            base[which, :, :, level] = buckets * self.deals.floats[level]
            choices[which] = [
                len(self.deals.left(hands, board, (*self.path, n))) for n in range(self.clusters)
            ]
        return HeadDeals(base, choices, chosen, np.ones(end - start, np.float32))

    def deal_child(self, cluster, start, end, samples):
        path = (*self.path, cluster)
        base = np.zeros((end - start, samples, 2, 3), np.int64)
        outcome, chosen = np.zeros((2, end - start, samples), np.int64)
        for which, iteration in enumerate(range(start, end)):
            hands, board, chosen[which] = self.deals.board(iteration, path)
            if len(board) < 2:
                continue
            base[which, :, :, 2] = np.array([bucket(hand, board) for hand in hands]) * self.deals.floats[2]
            outcome[which] = 1 - np.sign(payoff("ac", hands, board))
        return ChildDeals(base, outcome, chosen, np.ones(end - start, np.float32))

    def mean_choices(self, cluster):
        return mean_choices((*self.path, cluster))
