"""One player's pass over a game in public form, on any number of threads, for solvers and best responses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from solvent.engines.public import kernels, terminals
from solvent.engines.public.kernels import Boards, Rule, Tables, Tree
from solvent.engines.public.swept import Groups
from solvent.engines.schedule import KEEP
from solvent.engines.vectors.code import WIDTH
from solvent.engines.vectors.sweep_instructions import FEW
from solvent.forms.public.game import DEAL, DECISION, FOLDED, RANKED, PublicGame
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import in_pieces

Made = TypeVar("Made")

EVALUATORS = {"swept": terminals.SWEPT, "gemm": terminals.GEMM}
JOBS_PER_THREAD = 8
MOST_ROUNDS = 4
"""Rounds that kernels are compiled for; a game of more has kernels of its own."""
LEAST_JOB = 300
"""Subtrees x boards that a job has at least: handing one to a thread takes as long as ten of them."""


class Lane(NamedTuple):
    """A lane of the swept evaluator: see `solvent.engines.public.swept.Groups`."""

    source: int
    shown: int
    ranked: float
    given: int
    folded: float


class PublicPass:
    """Passes over a game: the tree for each traverser, boards, workspaces and threads."""

    def __init__(
        self, game: PublicGame, dtype: np.dtype[Any], evaluator: str = "swept", threads: int = 1
    ) -> None:
        if evaluator not in EVALUATORS:
            raise InputError(f"there is no evaluator {evaluator!r}; choose from {', '.join(EVALUATORS)}")
        self.game, self.dtype, self.threads = game, dtype, threads
        self.evaluator = EVALUATORS[evaluator]
        self.offset = np.cumsum(game.block_sizes) - game.block_sizes
        """`Tables.offset` of tables whose blocks are in order."""
        self.tree = _tree(game, dtype)
        self.rounds = padded([_boards(game, r) for r in range(len(game.rounds))], MOST_ROUNDS)
        last = game.rounds[-1]
        before = game.rounds[-2] if len(game.rounds) > 1 else last
        spaces = [self._space(r) for r in range(max(1, len(game.rounds) - 1))]
        self.spaces = padded(spaces, MOST_ROUNDS - 1)
        self.above = np.zeros((2, len(last.subtrees), len(before.boards), before.slots), dtype=dtype)
        self.out = np.zeros((len(last.subtrees), len(last.boards), last.slots), dtype=dtype)

    def run(self, player: int, tables: Tables, rule: Rule) -> NDArray[np.floating]:
        """Run one pass; returns the traverser's counterfactual value of each hand at the start of the game."""
        arguments = (self.tree, self.rounds, self.spaces, tables, rule, player)
        kernels.pass_down(*arguments, self.above)
        boards = self.out.shape[1]
        most = max(self.threads, min(self.threads * JOBS_PER_THREAD, self.out.shape[0] * boards // LEAST_JOB))
        step = -(-boards // most) if self.threads > 1 else boards
        jobs = [
            (
                self.tree, self.rounds, tables, rule, player, self.evaluator, self.above,
                first, min(first + step, boards), self.out,
            )
            for first in range(0, boards, step)
        ]  # fmt: skip
        self._side_by_side(kernels.pass_last, jobs)
        if self.tree.rounds > 1:
            places = (self.tree, self.rounds, self.spaces, self.tree.rounds - 2, self.out)
            self._side_by_side(kernels.carry_up, [(*places, k, self.threads) for k in range(self.threads)])
        value: NDArray[np.floating] = kernels.pass_up(*arguments, self.evaluator, self.out)
        return value

    def _side_by_side(self, kernel: Callable[..., None], jobs: Sequence[tuple[Any, ...]]) -> None:
        if self.threads == 1:
            kernel(*jobs[0])
            return
        in_pieces(lambda job, _, room: kernel(*jobs[job]), len(jobs), 1, [None] * self.threads)

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """Run one iteration of a regret rule for each row of `schedule`."""
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
                self.run(player, tables, Rule(kernels.UPDATE, *map(float, weights[:KEEP])))

    def _space(self, level: int) -> NDArray[np.floating]:
        """Workspaces of a round that is not the last; a game of one round has an empty one for its type's sake."""
        here = self.game.rounds[level]
        if level == len(self.game.rounds) - 1:
            return np.zeros((0, 0, 0), dtype=self.dtype)
        return np.zeros((len(here.subtrees), len(here.boards), self.tree.rows * here.slots), dtype=self.dtype)


def padded(rounds: Sequence[Made], least: int) -> tuple[Made, ...]:
    """Repeat the last round's: the length of a tuple is part of its type, and so of a kernel's."""
    return (*rounds, *(rounds[-1],) * (least - len(rounds)))


def _tree(game: PublicGame, dtype: np.dtype[Any]) -> Tree:
    nodes = game.nodes
    scale = np.cumprod([here.probability for here in game.rounds]) * game.deal_scale
    stake = nodes.stake * scale[nodes.round]
    most = max(subtree.stop - subtree.start for here in game.rounds for subtree in here.subtrees)
    other_row, own_row, value_row = _rows(game, most)
    ranges = np.stack(game.ranges)
    weighted = game.sorted_hands and not (ranges == 1).all()
    root = ranges[::-1] if game.sorted_hands else np.ones_like(ranges)
    matrix = np.stack([game.matrix.transpose(0, 2, 1), game.matrix])
    # A showdown is won from either side by the stronger hand; all else pays player 1 what player 0 loses.
    stakes = np.stack([stake, np.where(nodes.symbol == RANKED, stake, -stake)])
    return Tree(
        symbol=nodes.symbol,
        player=nodes.player,
        first_edge=nodes.first_edge,
        child=nodes.child,
        stake=stakes,
        other_row=other_row,
        own_row=own_row,
        value_row=value_row,
        first_own=most,
        rows=3 * most + 1 + kernels.SPARE,
        root_reach=np.ascontiguousarray(root, dtype=dtype),
        own_range=np.ascontiguousarray(ranges if weighted else ranges[:, :0], dtype=dtype),
        matrix=np.ascontiguousarray(matrix, dtype=dtype),
        matrix_of=game.matrix_of,
        orbit=game.orbit if game.isomorphism else game.orbit[:0],
        groups=_groups(game, stakes, other_row, value_row, 2 * most, dtype),
        rounds=len(game.rounds),
    )


def _groups(
    game: PublicGame,
    stakes: NDArray[np.float64],
    other_row: NDArray[np.int64],
    value_row: NDArray[np.int64],
    heap: int,
    dtype: np.dtype[Any],
) -> Groups:
    """Put the terminals of each subtree into lanes: those with the same reach of the other player share one."""
    symbol = game.nodes.symbol
    first, stop = np.zeros((2, 2, len(symbol)), dtype=np.int64)
    lanes: list[Lane] = []
    for player in (0, 1):
        for subtree in (s for here in game.rounds for s in here.subtrees):
            nodes = range(subtree.start, subtree.stop)
            shown = [
                Lane(
                    other_row[player, k], shown=value_row[k], ranked=stakes[player, k], given=heap, folded=0.0
                )
                for k in nodes
                if symbol[k] == RANKED
            ]
            only_folds: list[Lane] = []
            for node in (k for k in nodes if symbol[k] == FOLDED):
                lane = Lane(other_row[player, node], heap, 0.0, value_row[node], stakes[player, node])
                same = (k for k, other in enumerate(shown) if other[0] == lane.source and other.given == heap)
                k = next(same, None)
                if k is None:
                    only_folds.append(lane)
                else:
                    shown[k] = shown[k]._replace(given=lane.given, folded=lane.folded)
            first[player, subtree.start] = len(lanes) // WIDTH
            fold_groups = (only_folds[k : k + FEW] for k in range(0, len(only_folds), FEW))
            for group in (*_shared_out(shown, heap), *fold_groups):
                spare = Lane(group[0].source, heap, 0.0, heap, 0.0)
                lanes += [*group, *[spare] * (WIDTH - len(group))]
            stop[player, subtree.start] = len(lanes) // WIDTH

    def column(name: str, kind: DTypeLike) -> NDArray[Any]:
        return np.array([getattr(lane, name) for lane in lanes], dtype=kind).reshape(-1, WIDTH)

    return Groups(
        first,
        stop,
        source=column("source", np.int64),
        shown=column("shown", np.int64),
        ranked=column("ranked", dtype),
        given=column("given", np.int64),
        folded=column("folded", dtype),
        showdowns=(column("shown", np.int64) != heap).sum(axis=1),
        folds=(column("given", np.int64) != heap).sum(axis=1),
    )


def _shared_out(shown: list[Lane], heap: int) -> Iterator[list[Lane]]:
    """Divide lanes with a showdown into groups, in each at most FEW with a fold beside it, and those first."""
    both = [lane for lane in shown if lane.given != heap]
    alone = [lane for lane in shown if lane.given == heap]
    while both or alone:
        group, both = both[:FEW], both[FEW:]
        room = WIDTH - len(group)
        yield group + alone[:room]
        alone = alone[room:]


def _rows(game: PublicGame, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Assign the rows of a workspace to the reaches of nodes, by traverser (the other's, the own), and to values.

    An action changes the reach of the player who takes it alone, so a child shares the row of the reach that stays.
    The traverser's own reach at a terminal is never read: one row, the heap, takes all of those. The other's
    reaches have rows 0 to most - 1, the traverser's the `most` after them and the heap, values the `most` after.
    """
    nodes = game.nodes
    rows = np.zeros((2, 2, len(nodes.symbol)), dtype=np.int64)
    value = np.zeros(len(nodes.symbol), dtype=np.int64)
    heap = 2 * most
    for here in game.rounds:
        for subtree in here.subtrees:
            value[subtree.start : subtree.stop] = heap + 1 + np.arange(subtree.stop - subtree.start)
            used = np.array([[0, 0], [most, most]])
            rows[:, :, subtree.start] = used
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
    return rows[0], rows[1], value


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
        parent_slot=here.parent_slot,
        multiplicity=here.multiplicity,
        subtree=np.array(subtrees, dtype=np.int64),
    )
