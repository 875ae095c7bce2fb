"""The slow obvious oracle of pruning: every iteration kept, and replaced where a best response counts as played."""

from __future__ import annotations

import numpy as np

from solvent.forms.history import GameTree
from solvent.games.game import TERMINAL


class Replay:
    """One player's regrets from every strategy that was played, by the definition.

    Knows histories and infosets alone: no sequence form, no layout. A row of `strategy`, `cell_value` and
    `value` is an iteration: what was played, v(I, a) and v(I). Where a branch was pruned, the rows are later
    replaced by those of the best response that counts as played.
    """

    def __init__(self, tree: GameTree, player: int, iterations: int) -> None:
        self.tree, self.player, self.t = tree, player, 0
        self.weight = np.zeros(iterations)
        self.strategy = np.zeros((iterations, tree.cells))
        self.cell_value = np.zeros((iterations, tree.cells))
        self.value = np.zeros((iterations, tree.infosets))
        self.seen = np.zeros((iterations + 1, tree.histories))
        """The others' reach of every history in the first t iterations, weighted."""
        self.infoset_of = np.repeat(np.arange(tree.infosets), np.diff(tree.infoset_cell))
        self.mine = tree.infoset_player == player
        self.cells = np.flatnonzero(self.mine[self.infoset_of])
        depth = np.zeros(tree.histories, dtype=int)
        moves = np.zeros(tree.histories, dtype=int)
        self.last = np.full(tree.histories, -1)
        self.before = np.full(tree.infosets, -1)
        self.moves = np.zeros(tree.infosets, dtype=int)
        for row in range(tree.histories):
            if row:
                up = tree.parent[row]
                own = tree.player[up] == player
                depth[row] = depth[up] + 1
                moves[row] = moves[up] + own
                self.last[row] = tree.cell[row] if own else self.last[up]
            if tree.player[row] == player:
                self.before[tree.infoset[row]] = self.last[row]
                self.moves[tree.infoset[row]] = moves[row]
        self.own = np.append(False, tree.player[tree.parent[1:]] == player)
        self.levels = [np.flatnonzero(depth == level) for level in range(1, depth.max() + 1)]
        self.terminal = tree.player == TERMINAL
        # Children of one parent, and rows of one cell, side by side.
        self.families = []
        for rows in self.levels:
            ordered = rows[np.argsort(tree.parent[rows], kind="stable")]
            parents, first = np.unique(tree.parent[ordered], return_index=True)
            self.families.append((ordered, parents, first))
        owned = np.flatnonzero(self.own)
        self.by_cell = owned[np.argsort(tree.cell[owned], kind="stable")]
        self.acted, self.cell_first = np.unique(tree.cell[self.by_cell], return_index=True)
        # Infosets that the player's own moves lead to, by how many of them.
        self.stages = []
        for count in range(1, self.moves.max(initial=0) + 1):
            infosets = np.flatnonzero(self.mine & (self.moves == count))
            cells = np.flatnonzero(np.isin(self.infoset_of, infosets))
            starts = np.flatnonzero(np.append(True, np.diff(self.infoset_of[cells]) > 0))
            self.stages.append((infosets, self.before[infosets], cells, starts))

    def values(self, strategies: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """v(I, a), v(I) and the others' reach of every history, a row for each strategy."""
        tree = self.tree
        edges = np.concatenate([strategies, np.tile(tree.chance, (len(strategies), 1))], axis=1)
        probability = edges[:, tree.cell]
        reach = np.ones((len(strategies), tree.histories))
        for rows in self.levels:
            reach[:, rows] = reach[:, tree.parent[rows]] * np.where(self.own[rows], 1, probability[:, rows])
        worth = np.where(self.terminal, reach * tree.payoff[self.player], 0)
        for rows, parents, first in self.families[::-1]:
            arrives = worth[:, rows] * np.where(self.own[rows], probability[:, rows], 1)
            worth[:, parents] += np.add.reduceat(arrives, first, axis=1)
        cell_value, value = np.zeros(strategies.shape), np.zeros((len(strategies), tree.infosets))
        if len(self.acted):
            cell_value[:, self.acted] = np.add.reduceat(worth[:, self.by_cell], self.cell_first, axis=1)
            np.add.at(value.T, self.infoset_of, (cell_value * strategies).T)
        return cell_value, value, reach

    def play(self, strategy: np.ndarray, weight: float, pruned: np.ndarray) -> None:
        """An iteration. What is pruned, and all behind it, counts nothing until it is replaced."""
        t = self.t
        self.t += 1
        self.strategy[t], self.weight[t] = strategy, weight
        cell_value, value, reach = self.values(strategy[None])
        absent = self.absent(pruned)
        cell_value[0, absent[self.infoset_of] | (pruned > 0)] = 0
        value[0, absent] = 0
        self.cell_value[t], self.value[t] = cell_value[0], value[0]
        self.seen[t + 1] = self.seen[t] + weight * reach[0]

    def absent(self, pruned: np.ndarray) -> np.ndarray:
        """The player's infosets that lie behind pruned actions, as flags."""
        found = np.zeros(self.tree.infosets, dtype=bool)
        for infosets, before, _, _ in self.stages:
            found[infosets] = (pruned[before] > 0) | found[self.infoset_of[before]]
        return found

    def respond(self, first: int = 0) -> np.ndarray:
        """sum_t w_t psi(I, a) over the iterations from `first` on, with one best response for all of them."""
        tree = self.tree
        weight = self.seen[self.t] - self.seen[first]
        pays = np.where(self.terminal, weight * tree.payoff[self.player], 0)
        psi = np.bincount(self.last + 1, pays, tree.cells + 1)[1:]
        for _, before, cells, starts in self.stages[::-1]:
            np.add.at(psi, before, np.maximum.reduceat(psi[cells], starts))
        return psi

    def replace(self, cells: np.ndarray, first: int = 0) -> None:
        """The best response behind these cells counts as played on the iterations from `first` on."""
        tree, psi, rows = self.tree, self.respond(first), slice(first, self.t)
        mark = np.zeros(tree.cells)
        mark[cells] = 1
        inner = np.flatnonzero(self.absent(mark))
        for infoset in inner:
            start, stop = tree.infoset_cell[infoset], tree.infoset_cell[infoset + 1]
            self.strategy[rows, start:stop] = 0
            self.strategy[rows, start + np.argmax(psi[start:stop])] = 1
        cell_value, value, _ = self.values(self.strategy[rows])
        cells = np.append(np.flatnonzero(np.isin(self.infoset_of, inner)), cells)
        self.cell_value[rows, cells] = cell_value[:, cells]
        self.value[rows, inner] = value[:, inner]

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Regrets and sums of values, weighted."""
        weight = self.weight[: self.t]
        value = weight @ self.value[: self.t]
        return weight @ self.cell_value[: self.t] - value[self.infoset_of], value
