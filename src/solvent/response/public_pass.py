"""One player's pass over a game in public form, on any number of threads, for solvers and best responses."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.errors import InputError
from solvent.forms.public import DEAL, DECISION, RANKED, PublicGame
from solvent.response import public_kernels as kernels
from solvent.response.public_kernels import Boards, Rule, Space, Tables, Tree

EVALUATORS = {"swept": kernels.SWEPT, "sweep": kernels.SWEEP, "gemm": kernels.GEMM}
CHUNKS_PER_THREAD = 8


class PublicPass:
    """What a pass needs beside the tables: the tree for each traverser, boards, workspaces, threads."""

    def __init__(
        self, game: PublicGame, dtype: np.dtype[Any], evaluator: str = "swept", threads: int = 1
    ) -> None:
        if evaluator not in EVALUATORS:
            raise InputError(f"there is no evaluator {evaluator!r}; choose from {', '.join(EVALUATORS)}")
        self.game, self.dtype, self.threads = game, dtype, threads
        self.evaluator = EVALUATORS[evaluator]
        self.tree = _tree(game, dtype)
        self.rounds = tuple(_boards(game, r) for r in range(len(game.rounds)))
        last = game.rounds[-1]
        before = game.rounds[-2] if len(game.rounds) > 1 else last
        self.spaces = tuple(self._space(r) for r in range(max(1, len(game.rounds) - 1)))
        self.above = np.zeros((2, len(last.subtrees), len(before.boards), before.seats), dtype=dtype)
        self.out = np.zeros((len(last.subtrees), len(last.boards), last.seats), dtype=dtype)

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads)

    def run(self, player: int, tables: Tables, rule: Rule) -> NDArray[np.floating]:
        """One pass; the traverser's counterfactual value of each hand at the start of the game."""
        arguments = (self.tree, self.rounds, self.spaces, tables, rule, player)
        kernels.pass_down(*arguments, self.above)
        boards = self.out.shape[1]
        step = max(1, -(-boards // (self.threads * CHUNKS_PER_THREAD))) if self.threads > 1 else boards
        jobs = [
            (
                self.tree, self.rounds, tables, rule, player, self.evaluator, self.above,
                first, min(first + step, boards), self.out,
            )
            for first in range(0, boards, step)
        ]  # fmt: skip
        if self.threads == 1:
            kernels.pass_last(*jobs[0])
        else:
            for done in [self.pool.submit(kernels.pass_last, *job) for job in jobs]:
                done.result()
        value: NDArray[np.floating] = kernels.pass_up(*arguments, self.evaluator, self.out)
        return value

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """As many iterations of a regret rule as `schedule` has rows."""
        if self.threads == 1:
            kernels.iterate(
                self.tree, self.rounds, self.spaces, tables, schedule, alternating,
                self.evaluator, self.above, self.out,
            )  # fmt: skip
            return
        for weights in schedule:
            if not alternating:
                tables.seen[:] = tables.regret
                tables.seen_last[:] = tables.last
            for player in (0, 1):
                self.run(player, tables, Rule(kernels.UPDATE, *map(float, weights)))

    def _space(self, level: int) -> Space:
        """Vectors of a round that is not the last; a game of one round has an empty one for its type's sake."""
        game = self.game
        if level == len(game.rounds) - 1:
            empty = np.zeros((0, 0, 0, 0), dtype=self.dtype)
            return Space(empty, empty, empty)
        here = game.rounds[level]
        rows = 1 + max(subtree.stop - subtree.start for subtree in here.subtrees)
        shape = (len(here.subtrees), len(here.boards), rows, here.seats)
        return Space(*(np.zeros(shape, dtype=self.dtype) for _ in range(3)))


def _tree(game: PublicGame, dtype: np.dtype[Any]) -> Tree:
    nodes = game.nodes
    scale = np.cumprod([here.probability for here in game.rounds]) * game.deal_scale
    stake = nodes.stake * scale[nodes.round]
    other_row, own_row = _rows(game)
    start = np.zeros(len(nodes.symbol), dtype=np.int32)
    for here in game.rounds:
        for subtree in here.subtrees:
            start[subtree.start : subtree.stop] = subtree.start
    ranges = np.stack(game.ranges)
    in_matrices = not game.sorted_hands
    weighted = game.sorted_hands and not (ranges == 1).all()
    root = np.ones_like(ranges) if in_matrices else ranges[::-1]
    matrix = np.stack([game.matrix.transpose(0, 2, 1), game.matrix])
    return Tree(
        symbol=nodes.symbol,
        player=nodes.player,
        first_edge=nodes.first_edge,
        child=nodes.child,
        # A showdown is won from either side by the stronger hand; all else pays player 1 what player 0 loses.
        stake=np.stack([stake, np.where(nodes.symbol == RANKED, stake, -stake)]),
        other_row=other_row,
        own_row=own_row,
        value_row=np.arange(len(start), dtype=np.int32) - start,
        root_reach=np.ascontiguousarray(root, dtype=dtype),
        own_range=np.ascontiguousarray(ranges if weighted else ranges[:, :0], dtype=dtype),
        matrix=np.ascontiguousarray(matrix, dtype=dtype),
        matrix_of=game.matrix_of,
        orbit=game.orbit if game.isomorphism else game.orbit[:0],
    )


def _rows(game: PublicGame) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Which row of a subtree's workspace holds each node's reach, by traverser: the other's, and his own.

    A player's action changes his own reach alone, so a child shares the row of the reach that stays. Nobody
    asks for the traverser's own reach at a terminal: those rows are thrown on one heap.
    """
    nodes = game.nodes
    rows = np.zeros((2, 2, len(nodes.symbol)), dtype=np.int32)
    for here in game.rounds:
        for subtree in here.subtrees:
            heap = subtree.stop - subtree.start
            used = np.zeros((2, 2), dtype=np.int32)
            for node in range(subtree.start, subtree.stop):
                if nodes.symbol[node] != DECISION:
                    continue
                for edge in range(nodes.first_edge[node], nodes.first_edge[node + 1]):
                    child = nodes.child[edge]
                    for traverser in (0, 1):
                        mine = int(nodes.player[node] == traverser)
                        rows[:, traverser, child] = rows[:, traverser, node]
                        if mine and nodes.symbol[child] not in (DECISION, DEAL):
                            rows[1, traverser, child] = heap
                        else:
                            used[mine, traverser] += 1
                            rows[mine, traverser, child] = used[mine, traverser]
    return rows[0], rows[1]


def _boards(game: PublicGame, level: int) -> Boards:
    here = game.rounds[level]
    above = game.rounds[level - 1].subtrees if level else ()
    subtrees = [
        (
            subtree.start,
            subtree.stop,
            subtree.deal,
            next((k for k, up in enumerate(above) if up.start <= subtree.deal < up.stop), -1),
        )
        for subtree in here.subtrees
    ]
    return Boards(
        card=np.ascontiguousarray(here.card),
        tie=here.tie,
        hand=here.hand,
        parent=here.parent,
        parent_seat=here.parent_seat,
        multiplicity=here.multiplicity,
        subtree=np.array(subtrees, dtype=np.int64),
    )
