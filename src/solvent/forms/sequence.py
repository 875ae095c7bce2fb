"""The sequence form: what a player can have done, and what each pair of sequences pays.

A *sequence* is everything one player has done on the way to a history: the player's last cell, and with it the
last infoset, and so on back to the start. Against a fixed opponent, a player's values are a sparse
matrix-vector product over the terminals followed by one sweep over the player's own infosets. Best responses,
values and the linear program of rule lp are computed in this way (Koller, Megiddo and von Stengel 1994).

A player who forgets (imperfect recall) can reach one infoset by several sequences. Here each such pair is a
*situation* of its own, so a best response computed on this form belongs to an opponent who forgets nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.forms.history import GameTree
from solvent.foundation.kernels.compiling import compiled


@dataclass(frozen=True, eq=False)
class Sequences:
    """One player's situations and sequences. Sequence 0 is the empty one.

    Situation s offers the sequences `first[s] : first[s + 1]` and can be reached only through the sequence
    `before[s]`, which is smaller: situations are in the order in which they can arise.
    """

    first: NDArray[np.int64]
    before: NDArray[np.int64]
    cell: NDArray[np.int64]
    """The cell that each sequence ends with; sequence 0 has -1."""
    histories: NDArray[np.float64]
    """Number of histories of each situation where the player forgets, 1 where the player does not."""
    perfect_recall: bool

    @property
    def situations(self) -> int:
        return len(self.before)

    def __len__(self) -> int:
        return len(self.cell)


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """Both players' sequences, and what each pair of them pays.

    A pay-off row k says that player 0's sequence `pair[0, k]` and player 1's `pair[1, k]` meet at terminals
    that pay, weighted by chance and added up, `pays[i, k]` to player i.
    """

    sequences: tuple[Sequences, Sequences]
    pair: NDArray[np.int64]
    pays: NDArray[np.float64]

    @property
    def perfect_recall(self) -> bool:
        return all(player.perfect_recall for player in self.sequences)


def sequence_form(tree: GameTree) -> SequenceForm:
    """The sequence form of a compiled game, built once per tree."""
    if "sequence_form" not in tree._cache:
        tree._cache["sequence_form"] = _build(tree)
    form: SequenceForm = tree._cache["sequence_form"]
    return form


@compiled
def realisation_plan(first, before, cell, strategy):  # type: ignore[no-untyped-def]
    """The probability that a player's own actions give to each sequence of that player: float64[sequences]."""
    plan = np.empty(len(cell))
    plan[0] = 1.0
    for situation in range(len(before)):
        reach = plan[before[situation]]
        for sequence in range(first[situation], first[situation + 1]):
            plan[sequence] = reach * strategy[cell[sequence]]
    return plan


def _build(tree: GameTree) -> SequenceForm:
    last = np.zeros((2, tree.histories), dtype=np.int64)
    sequences = tuple(_sequences(tree, player, last[player]) for player in (0, 1))
    terminal = np.flatnonzero(tree.player == -2)
    chance = _chance_reach(tree.parent, tree.cell, tree.cells, tree.chance)[terminal]
    # Terminals that share both sequences differ in chance alone: add them up.
    width = len(sequences[1])
    key, where = np.unique(last[0, terminal] * width + last[1, terminal], return_inverse=True)
    pays: NDArray[np.float64] = np.stack(
        [
            np.bincount(where, chance * tree.payoff[player, terminal], len(key)).astype(np.float64)
            for player in (0, 1)
        ]
    )
    return SequenceForm((sequences[0], sequences[1]), np.stack(np.divmod(key, width)), pays)


def _sequences(tree: GameTree, player: int, last: NDArray[np.int64]) -> Sequences:
    """The sequences of one player; `last` receives the sequence by which each history was reached."""
    before_infoset = np.full(tree.infosets, -1, dtype=np.int64)
    mine = np.flatnonzero(tree.infoset_player == player)
    actions = np.diff(tree.infoset_cell)[mine]
    first = np.concatenate([[1], 1 + np.cumsum(actions)]).astype(np.int64)
    sequence_of_cell = np.full(tree.cells, -1, dtype=np.int64)
    mine_cells = np.flatnonzero(tree.cell_player == player)
    sequence_of_cell[mine_cells] = 1 + np.arange(len(mine_cells))
    if _trace(
        tree.parent, tree.cell, tree.infoset, tree.player, player, sequence_of_cell, before_infoset, last
    ):
        cell = np.concatenate([[-1], mine_cells])
        return Sequences(first, before_infoset[mine], cell, np.ones(len(mine)), True)
    return _forgetful_sequences(tree, player, last)


@compiled
def _trace(parent, cell, infoset, acts, player, sequence_of_cell, before_infoset, last):  # type: ignore[no-untyped-def]
    """Follow one player's sequence down the tree; False if two of them meet in one infoset."""
    cells = len(sequence_of_cell)
    for row in range(len(parent)):
        edge = cell[row]
        sequence = last[parent[row]]
        if edge < cells and sequence_of_cell[edge] >= 0:
            sequence = sequence_of_cell[edge]
        last[row] = sequence
        if acts[row] == player:
            known = before_infoset[infoset[row]]
            if known < 0:
                before_infoset[infoset[row]] = sequence
            elif known != sequence:
                return False
    return True


@compiled
def _chance_reach(parent, cell, cells, chance):  # type: ignore[no-untyped-def]
    reach = np.ones(len(parent))
    for row in range(1, len(parent)):
        edge = cell[row]
        reach[row] = reach[parent[row]] * (chance[edge - cells] if edge >= cells else 1.0)
    return reach


def _forgetful_sequences(tree: GameTree, player: int, last: NDArray[np.int64]) -> Sequences:
    """Situations of a player with imperfect recall: (infoset, sequence) pairs, found one history at a time."""
    situation: dict[tuple[int, int], int] = {}
    first, cell = [1], [-1]
    before: list[int] = []
    histories: list[int] = []
    arrived = np.zeros(tree.histories, dtype=np.int64)
    last[0] = 0
    for row in range(tree.histories):
        if row > 0:
            up = int(tree.parent[row])
            last[row] = last[up]
            if tree.player[up] == player:
                offset = int(tree.cell[row] - tree.infoset_cell[tree.infoset[up]])
                last[row] = first[arrived[up]] + offset
        if tree.player[row] != player:
            continue
        infoset = int(tree.infoset[row])
        key = (infoset, int(last[row]))
        if key not in situation:
            situation[key] = len(before)
            before.append(key[1])
            histories.append(0)
            cells = range(int(tree.infoset_cell[infoset]), int(tree.infoset_cell[infoset + 1]))
            cell.extend(cells)
            first.append(first[-1] + len(cells))
        arrived[row] = situation[key]
        histories[situation[key]] += 1
    return Sequences(
        np.array(first),
        np.array(before, dtype=np.int64),
        np.array(cell),
        np.array(histories, dtype=float),
        False,
    )
