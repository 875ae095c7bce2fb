"""Public and external sampling of a betting tree, slow and plain: what one board or one deal adds to a table."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from solvent.cards.evaluator import hand_strengths
from solvent.forms.betting.tree import DEAL
from solvent.strategy.agents.blueprint import Blueprint

BOARD_CARDS = (0, 3, 4, 5)


def hands_of(deck, board):
    """Every hand that a board leaves of a deck."""
    return list(combinations([int(card) for card in deck if card not in board], 2))


def below(tree, node, action):
    """The node behind an action, after a deal if there is one."""
    child = tree.children(node)[action]
    return child + 1 if tree.kind[child] == DEAL else child


def matched(regrets, least=0.0):
    """Regret matching at a row, every action of at least a probability."""
    positive = np.maximum(regrets.astype(np.float64), 0)
    share = positive / positive.sum() if positive.sum() > 0 else np.full(len(positive), 1 / len(positive))
    share = np.maximum(share, least)
    return share / share.sum()


class BoardTwin:
    """One board, walked hand by hand for both players from a table that stays as it is; `added` is the change."""

    def __init__(self, blueprint, deck, board, weights=(1.0, 1.0), least=0.0, lowest=0.0):
        """`weights`: what regrets and averages count. `lowest`: actions of regret below it are left out."""
        self.blueprint, self.tree, self.board = blueprint, blueprint.tree, [int(card) for card in board]
        self.weights, self.least, self.lowest = weights, least, lowest
        self.hands = hands_of(deck, self.board)
        strength = hand_strengths([[*hand, *self.board] for hand in self.hands]).astype(np.int64)
        held = np.array(self.hands)
        apart = (held[:, None, :, None] != held[None, :, None, :]).all(axis=(2, 3)).astype(np.float64)
        self.apart, self.sign = apart, apart * np.sign(strength[:, None] - strength[None, :])
        self.added = Blueprint(blueprint.tree, blueprint.cards, np.zeros(len(blueprint.table)))
        self.left_out = self.not_walked = 0
        everyone = np.ones(len(self.hands))
        self.value = self.walk(0, [everyone, everyone], [everyone > 0, everyone > 0])

    def rows(self, node):
        """(cluster, bucket) of every hand at a node."""
        street = int(self.tree.street[node])
        board = self.board[: BOARD_CARDS[street]]
        clusters, buckets = self.blueprint.cards.buckets(street, [[*hand, *board] for hand in self.hands])
        return list(zip(clusters.tolist(), buckets.tolist(), strict=True))

    def walk(self, node, reach, walked):
        """Winnings of each hand of each player against all that the other may hold: float64[2, hands].

        `walked`: which hands of each player have left out no action of the street. A deal that all hands of a
        player leave out is not walked, and no regret of an action that is left out changes.
        """
        tree = self.tree
        if not tree.children(node):
            stake, folder = float(tree.paid[node].min()), tree.player[node]
            if folder < 0:
                return np.array([stake * self.sign @ reach[1], stake * self.sign @ reach[0]])
            won = np.array([self.apart @ reach[1], self.apart @ reach[0]]) * stake
            won[folder] *= -1
            return won
        player, rows, actions = int(tree.player[node]), self.rows(node), len(tree.children(node))
        regrets = np.array([self.blueprint.row(node, *row)[0] for row in rows])
        strategy = np.array([matched(row, self.least) for row in regrets])
        worth = np.ones((len(rows), actions), dtype=bool)
        if self.lowest < 0 and self.least == 0 and tree.street[node] < 3:
            ends = [not tree.children(below(tree, node, action)) for action in range(actions)]
            worth = (regrets >= self.lowest) | ends | (regrets <= 0).all(axis=1)[:, None]
        worth &= walked[player][:, None]
        values = np.zeros((actions, 2, len(rows)))
        for action in range(actions):
            after, goes_on = list(reach), list(walked)
            after[player], goes_on[player] = reach[player] * strategy[:, action], worth[:, action]
            if tree.kind[tree.children(node)[action]] == DEAL:
                if not goes_on[0].any() or not goes_on[1].any():
                    self.not_walked += 1
                    continue
                goes_on = [np.ones(len(rows), dtype=bool)] * 2
            values[action] = self.walk(below(tree, node, action), after, goes_on)
        value = values.sum(axis=0)
        value[player] = (strategy.T * values[:, player]).sum(axis=0)
        for hand, row in enumerate(rows):
            added = self.added.row(node, *row)
            gained = self.weights[0] * (values[:, player, hand] - value[player, hand])
            added[0] += np.where(worth[hand], gained, 0)  # one hand after the other, as the definition has it
            added[1] += self.weights[1] * reach[player][hand] * strategy[hand]
            self.left_out += int((~worth[hand]).sum())
        return value


def expected_deal(blueprint, hands, board, added):
    """Add what external sampling of one deal adds on average over what it draws, for both players in turn."""
    tree, board = blueprint.tree, [int(card) for card in board]
    strength = [int(hand_strengths([*hand, *board])) for hand in hands]
    sign = int(np.sign(strength[0] - strength[1]))

    def walk(node, player, chance):
        if not tree.children(node):
            stake, folder = float(tree.paid[node].min()), tree.player[node]
            won = sign * stake if folder < 0 else stake * (-1, 1)[folder]
            return won if player == 0 else -won
        who, street = int(tree.player[node]), int(tree.street[node])
        row = blueprint.cards.bucket(street, hands[who], board[: BOARD_CARDS[street]])
        strategy = matched(blueprint.row(node, *row)[0])
        shares = strategy if who != player else np.ones(len(strategy))
        values = np.array(
            [walk(below(tree, node, a), player, chance * shares[a]) for a in range(len(strategy))]
        )
        if who != player:
            added.row(node, *row)[1] += chance * strategy
        else:
            added.row(node, *row)[0] += chance * (values - strategy @ values)
        return strategy @ values

    for player in (0, 1):
        walk(0, player, 1.0)
