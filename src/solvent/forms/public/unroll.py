"""From the public form back to the history form: every deal, board and betting sequence becomes a row.

What is played between two deals is one slice of betting nodes, whoever holds what. So rows are written a
subtree at a time, for all deals at once: an array with a row for each deal and a column for each node says where
in the game tree each history lies, and everything else follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.forms.history import (
    BYTES_PER_CELL,
    BYTES_PER_HISTORY,
    BYTES_PER_INFOSET,
    DEFAULT_MEMORY,
    GameTree,
)
from solvent.forms.public.game import DEAL, DECISION, FOLDED, RANKED, PublicGame, Round
from solvent.foundation.errors import InputError
from solvent.foundation.units import size
from solvent.games.game import CHANCE, TERMINAL


def unroll(game: PublicGame, memory: int = DEFAULT_MEMORY) -> tuple[GameTree, NDArray[np.int64]]:
    """The history form of a public game, and where each of its cells lies in the public tables, int64[cells].

    Chance deals player 0's hand, then player 1's, then boards after rounds of betting. Ranges are part of the
    deal, P(h0, h1) ~ r0(h0) r1(h1) for hands that go together; what has no weight does not occur. `memory` is in
    bytes.
    """
    if game.isomorphism:
        raise InputError(f"{game.name} is unrolled board by board; compile it with isomorphism off")
    return _Unrolling(game, _deals(game, memory)).tree()


# What chance deals


class _Deals(NamedTuple):
    """All that chance can have dealt by the start of a round, in the order of the histories."""

    above: NDArray[np.int64]
    """The deal of the round before; in the first round player 0's hand, counted among those that occur."""
    board: NDArray[np.int64]
    hands: NDArray[np.int64]
    """int64[2, deals]: who holds what."""
    probability: NDArray[np.float64]
    """The probability of this outcome, given the deal above."""
    reach: NDArray[np.float64]
    """The probability of the whole deal."""


def _deals(game: PublicGame, memory: int) -> list[_Deals]:
    """The deals of every round, or why they are too many."""
    deals = [_dealt_hands(game)]
    histories = 1 + len(np.unique(deals[0].above)) + len(deals[0].board) * _nodes(game.rounds[0])
    for level, here in enumerate(game.rounds[1:], start=1):
        before = deals[-1]
        # Every pair of hands leaves as many boards as any other, or, where matrices know better, at least one.
        likely = len(before.board) * round(1 / here.probability)
        _check_memory(game, histories + likely * _nodes(here), memory)
        deals.append(_dealt_boards(game, level, before))
        histories += len(deals[-1].board) * _nodes(here)
    _check_memory(game, histories, memory)
    return deals


def _nodes(here: Round) -> int:
    return sum(subtree.stop - subtree.start for subtree in here.subtrees)


def _check_memory(game: PublicGame, histories: int, memory: int) -> None:
    needed = histories * BYTES_PER_HISTORY + game.infosets * BYTES_PER_INFOSET + game.cells * BYTES_PER_CELL
    if needed > memory:
        raise InputError(
            f"{game.name} has at least {histories:,} histories and {game.infosets:,} infosets, "
            f"which take {size(needed)}; the memory limit is {size(memory)}"
        )


def _dealt_hands(game: PublicGame) -> _Deals:
    weight = game.ranges[0][:, None] * game.ranges[1][None, :] * _together(game)
    first, second = np.nonzero(weight)
    by_first = weight.sum(axis=1)
    occurring = np.cumsum(by_first > 0) - 1
    return _Deals(
        above=occurring[first],
        board=np.zeros(len(first), dtype=np.int64),
        hands=np.stack([first, second]),
        probability=weight[first, second] / by_first[first],
        reach=weight[first, second] / weight.sum(),
    )


def _together(game: PublicGame) -> NDArray[np.float64]:
    """Return how often two hands are dealt together before ranges weigh them, up to a factor."""
    if game.sorted_hands:
        card = game.rounds[0].card[0]
        shared = (card[:, None, :, None] == card[None, :, None, :]).any(axis=(2, 3))
        return np.where(shared, 0.0, 1.0)
    weight = np.zeros((len(game.hands), len(game.hands)))
    number = {hand: k for k, hand in enumerate(game.hands)}
    for first, chance in game.rules.deal():
        for second, then in game.rules.deal(first):
            weight[number[first], number[second]] = float(chance * then)
    return weight


def _dealt_boards(game: PublicGame, level: int, before: _Deals) -> _Deals:
    find = _ranked_boards if game.sorted_hands else _weighted_boards
    above, board, probability = find(game, level, before)
    return _Deals(above, board, before.hands[:, above], probability, before.reach[above] * probability)


Outcomes = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""For each outcome the deal above, the board, and its probability."""


def _ranked_boards(game: PublicGame, level: int, before: _Deals) -> Outcomes:
    """Deal every board on which both hands of cards can be held, all with the same probability."""
    here, slot = game.rounds[level], game.rounds[level].slot_of(len(game.hands))
    pairs = []
    for parent in np.unique(before.board):
        deals, boards = np.flatnonzero(before.board == parent), np.flatnonzero(here.parent == parent)
        held = [slot[boards][:, before.hands[player, deals]].T >= 0 for player in (0, 1)]
        row, column = np.nonzero(held[0] & held[1])
        pairs.append(np.stack([deals[row], boards[column]]))
    above, board = np.concatenate(pairs, axis=1)
    order = np.lexsort((board, above))
    return above[order], board[order], np.full(len(order), here.probability)


def _weighted_boards(game: PublicGame, level: int, before: _Deals) -> Outcomes:
    """Deal boards as the rules weigh them by the hands."""
    here, hands = game.rounds[level], game.hands
    number = {
        (up, board): k for k, (up, board) in enumerate(zip(here.parent.tolist(), here.boards, strict=True))
    }
    found = [
        (deal, number[up, after], float(chance))
        for deal, (up, first, second) in enumerate(np.stack([before.board, *before.hands]).T.tolist())
        for after, chance in game.rules.boards(game.rounds[level - 1].boards[up], hands[first], hands[second])
    ]
    above, board, probability = (np.array(column) for column in zip(*found, strict=True))
    return above, board, probability


# The rows


class _Unrolling:
    """A game tree while it is written."""

    def __init__(self, game: PublicGame, deals: Sequence[_Deals]) -> None:
        self.game, self.deals = game, deals
        self.above, self.action, self.last = _betting(game)
        self.behind = {s.deal: k for here in game.rounds[1:] for k, s in enumerate(here.subtrees)}
        self.sizes = self._sizes()
        firsts = int(deals[0].above[-1]) + 1
        histories = 1 + firsts + int(self.sizes[0][0].sum())
        self.player = np.full(histories, CHANCE, dtype=np.int8)
        self.infoset = np.full(histories, -1, dtype=np.int32)
        self.parent = np.zeros(histories, dtype=np.int32)
        self.cell = np.zeros(histories, dtype=np.int32)
        """The action that led here, counted at its decision; -1 - k where it was chance with `chance[k]`."""
        self.end = np.full(histories, histories, dtype=np.int32)
        self.payoff = np.zeros((2, histories))
        self.first_probability = np.minimum(np.bincount(deals[0].above, weights=deals[0].reach), 1.0)
        found = [np.ones(1), self.first_probability, *(deal.probability for deal in deals)]
        self.chance = np.unique(np.concatenate(found))[::-1]
        decisions = np.where(game.nodes.symbol == DECISION, 1, 0)
        positions = np.array([here.hand.size for here in game.rounds], dtype=np.int64)
        self.key_end = np.cumsum(decisions * positions[game.nodes.round])
        """One past the last *key* of each node: a decision has one for each board and slot of its round."""
        self.key_first: NDArray[np.int64] = np.append(0, self.key_end[:-1])
        self.first_row = np.full(int(self.key_end[-1]), histories, dtype=np.int64)
        """The first history of each key."""

    def _sizes(self) -> list[list[NDArray[np.int64]]]:
        """Histories of each subtree for each deal, all that follows included: by round and subtree."""
        sizes: list[list[NDArray[np.int64]]] = [[] for _ in self.deals]
        for level in reversed(range(len(self.deals))):
            for start, stop, _ in self.game.rounds[level].subtrees:
                total = np.full(len(self.deals[level].board), stop - start, dtype=np.int64)
                for node in self._deal_nodes(start, stop):
                    total += self._below(level + 1, sizes[level + 1][self.behind[node]], len(total))
                sizes[level].append(total)
        return sizes

    def _deal_nodes(self, start: int, stop: int) -> list[int]:
        found: list[int] = (start + np.flatnonzero(self.game.nodes.symbol[start:stop] == DEAL)).tolist()
        return found

    def _below(self, level: int, sizes: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """Sizes of subtrees of a round, added up for the deals above them."""
        return np.bincount(self.deals[level].above, weights=sizes, minlength=count).astype(np.int64)

    def tree(self) -> tuple[GameTree, NDArray[np.int64]]:
        """Write player 0's hands and player 1's, and all that follows."""
        deals, sizes = self.deals[0], self.sizes[0][0]
        before = np.cumsum(sizes) - sizes
        start = 2 + deals.above + before  # the root, player 0's hands so far, and what came before
        opens = np.flatnonzero(np.diff(deals.above, prepend=-1))
        first_row = start[opens] - 1
        self.cell[0] = self._chance_cell(np.ones(1))[0]
        self.cell[first_row] = self._chance_cell(self.first_probability)
        self.end[first_row[:-1]] = first_row[1:]
        self._write(0, 0, start, first_row[deals.above])
        return self._finish()

    def _write(self, level: int, which: int, start: NDArray[np.int64], origin: NDArray[np.int64]) -> None:
        """A subtree for each deal of its round: it begins at `start`, and chance came from the row `origin`."""
        game, deals = self.game, self.deals[level]
        subtree = game.rounds[level].subtrees[which]
        nodes = slice(subtree.start, subtree.stop)
        deal_nodes = self._deal_nodes(subtree.start, subtree.stop)
        # Rows of the nodes, and one past the last: int64[deals, nodes + 1].
        at = start[:, None] + np.arange(subtree.stop - subtree.start + 1)
        for node in deal_nodes:
            sizes = self.sizes[level + 1][self.behind[node]]
            at[:, node + 1 - subtree.start :] += self._below(level + 1, sizes, len(start))[:, None]
        rows = at[:, :-1]
        self.parent[rows] = at[:, self.above[nodes] - subtree.start]
        self.parent[start] = origin
        self.end[rows] = at[:, self.last[nodes] - subtree.start]
        self.cell[rows] = self.action[nodes]
        self.cell[start] = self._chance_cell(deals.probability)
        symbol = game.nodes.symbol[nodes]
        self.player[rows] = np.where(symbol == DEAL, CHANCE, game.nodes.player[nodes])
        decisions = np.flatnonzero(symbol == DECISION)
        key = self._keys(level, decisions + subtree.start)
        self.infoset[rows[:, decisions]] = key
        np.minimum.at(self.first_row, key, rows[:, decisions])
        ends = np.flatnonzero(symbol >= 0)
        self.player[rows[:, ends]] = TERMINAL
        won = self._won(level, ends + subtree.start)
        self.payoff[0, rows[:, ends]] = won
        self.payoff[1, rows[:, ends]] = -won
        for node in deal_nodes:
            below = self.deals[level + 1]
            sizes = self.sizes[level + 1][self.behind[node]]
            before = np.cumsum(sizes) - sizes
            opens = np.searchsorted(below.above, np.arange(len(start)))
            origin = at[below.above, node - subtree.start]
            self._write(
                level + 1, self.behind[node], origin + 1 + before - before[opens[below.above]], origin
            )

    def _chance_cell(self, probability: NDArray[np.float64]) -> NDArray[np.int64]:
        """-1 - k for each probability, which is `chance[k]`."""
        ascending = np.searchsorted(self.chance[::-1], probability)
        cell: NDArray[np.int64] = ascending - len(self.chance)
        return cell

    def _keys(self, level: int, decisions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number what the acting player knows at each node: int64[deals, nodes]."""
        game, deals = self.game, self.deals[level]
        here, slot = game.rounds[level], game.rounds[level].slot_of(len(game.hands))
        place = deals.board * here.slots + slot[deals.board, deals.hands]
        keys: NDArray[np.int64] = self.key_first[decisions] + place[game.nodes.player[decisions]].T
        return keys

    def _won(self, level: int, ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what player 0 wins at each terminal: float64[deals, terminals]."""
        game, deals = self.game, self.deals[level]
        symbol, stake = game.nodes.symbol[ends], game.nodes.stake[ends]
        first, second = deals.hands
        if game.sorted_hands:
            slot, tie = game.rounds[level].slot_of(len(game.hands)), game.rounds[level].tie
            mine, yours = (tie[deals.board, slot[deals.board, hand]] for hand in (first, second))
            sign = np.where(symbol == RANKED, np.sign(mine - yours)[:, None], symbol == FOLDED)
        else:
            # A matrix holds chance x sign.
            matrix = game.matrix_of[symbol[None, :], deals.board[:, None]]
            sign = np.rint(game.matrix[matrix, first[:, None], second[:, None]] / deals.reach[:, None])
        won: NDArray[np.float64] = stake * sign
        return won

    # Infosets and cells

    def _finish(self) -> tuple[GameTree, NDArray[np.int64]]:
        """Number the infosets by their first histories, as a walk over the rules would, and with them the cells."""
        nodes = self.game.nodes
        occurring = np.flatnonzero(self.first_row < len(self.player))
        keys = occurring[np.argsort(self.first_row[occurring])]
        number = np.full(len(self.first_row), -1, dtype=np.int32)
        number[keys] = np.arange(len(keys), dtype=np.int32)
        decided = self.infoset >= 0
        self.infoset[decided] = number[self.infoset[decided]]
        node = np.searchsorted(self.key_end, keys, side="right")
        actions = np.diff(nodes.first_edge)[node]
        infoset_cell = np.concatenate([[0], np.cumsum(actions)]).astype(np.int64)
        by_chance = self.cell < 0
        self.cell += np.where(by_chance, 0, infoset_cell[self.infoset[self.parent]]).astype(np.int32)
        self.cell[by_chance] = infoset_cell[-1] - 1 - self.cell[by_chance]
        place = keys - self.key_first[node]
        tree = GameTree(
            name=self.game.name,
            player=self.player,
            infoset=self.infoset,
            parent=self.parent,
            cell=self.cell,
            end=self.end,
            payoff=self.payoff,
            chance=np.ascontiguousarray(self.chance),
            infoset_player=nodes.player[node],
            infoset_cell=infoset_cell,
            infoset_label=_labels(self.game, node, place),
            action_label=[self.game.betting[k].actions for k in node.tolist()],
            zero_sum=True,
        )
        action = np.arange(infoset_cell[-1]) - np.repeat(infoset_cell[:-1], actions)
        edge = np.repeat(nodes.first_edge[node], actions) + action
        blocks = self.game.block_sizes
        return tree, (np.cumsum(blocks) - blocks)[edge] + np.repeat(place, actions)


def _betting(game: PublicGame) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each betting node: the node above it in its subtree (a root is its own), the action that led from there,
    and one past the last node below it."""
    nodes = game.nodes
    above = np.arange(len(nodes.symbol))
    above[nodes.child] = game.edge_node
    action = np.zeros(len(above), dtype=np.int64)
    action[nodes.child] = np.arange(len(nodes.child)) - nodes.first_edge[game.edge_node]
    last = list(range(1, len(above) + 1))
    for node, up in reversed(list(enumerate(above.tolist()))):
        last[up] = max(last[up], last[node])
    return above, action, np.array(last, dtype=np.int64)


def _labels(game: PublicGame, node: NDArray[np.int64], place: NDArray[np.int64]) -> list[str]:
    """The infosets' texts, from their betting nodes and their places among boards and slots."""
    rules, betting = game.rules, game.betting
    hands = [rules.hand_labels[hand] for hand in game.hands]
    boards = [[rules.board_label(board) for board in here.boards] for here in game.rounds]
    holds = [here.hand.ravel() for here in game.rounds]
    labels = []
    for k, where, level in zip(node.tolist(), place.tolist(), game.nodes.round[node].tolist(), strict=True):
        board = boards[level][where // game.rounds[level].slots]
        labels.append(f"{hands[holds[level][where]]}|{board}|{betting[k].history}")
    return labels
