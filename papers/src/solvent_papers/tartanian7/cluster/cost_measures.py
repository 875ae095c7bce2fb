"""Measurements of the parameters of the cost model on this machine.

Rows: children's walks on tables of many sizes, with cards drawn from nowhere, so that a table may have any number
of buckets. Head, dealing and work: turns of a training in this process, taken apart. Messages: worker processes
whose children have nothing to walk. Rows of larger betting trees: short trainings on each. Runs: worker processes
as they are used, to check the model against.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.engines.rewards import reward as reward_of
from solvent.forms.betting.tree import build_tree, sampled_walk
from solvent.forms.sampled import TableLayout, table_layout
from solvent.foundation.kernels.threads import on_each
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.distributed.batches import Batch, DistributedSettings, Reply
from solvent.training.distributed.child import Child
from solvent.training.distributed.deals import ChildDeals, HeadDeals, HoldemDealer
from solvent.training.distributed.engines import LocalChildren
from solvent.training.distributed.head import Head
from solvent.training.distributed.kernels import mean_values
from solvent.training.distributed.processes import ProcessChildren
from solvent.training.distributed.solver import DistributedSolver
from solvent.training.solver import BlueprintSolver
from solvent_papers.interleaved import seconds_of
from solvent_papers.tartanian7.cluster.training import betting_tree, distributed

HANDS = 169
POOL = 1 << 16
"""Deals that are drawn beforehand, and dealt one after another."""
WARM_TURNS = 4
"""Turns on a drawn table that are not timed."""


class DrawnDealer:
    """Deals buckets from nowhere for one cluster: any number of them, with equal chances, and random winners."""

    clusters = 1

    def __init__(self, layout: TableLayout, seed: int = 0, flops: int = 1) -> None:
        """Draw deals. flops: public samples that hands leave to the cluster; 0: a child has nothing to walk."""
        rng, self._flops = np.random.default_rng(seed), flops
        self._head = rng.integers(0, layout.buckets[0], (POOL, 2)) * layout.bucket[0]
        self._base = np.zeros((POOL, 1, 2, 4), dtype=np.int64)
        for street in range(1, 4):
            drawn = rng.integers(0, layout.buckets[street], (POOL, 1, 2))
            self._base[..., street] = layout.street[street] + drawn * layout.bucket[street]
        self._outcome = 2 * rng.integers(0, 2, (POOL, 1))

    def deal_head(self, start: int, end: int) -> HeadDeals:
        """Return both players' rows of the first street."""
        here, count = np.arange(start, end) % POOL, end - start
        return HeadDeals(
            self._head[here],
            np.ones((count, 1), dtype=np.int32),
            np.ones(count, dtype=np.float32),
        )

    def deal_child(self, cluster: int, start: int, end: int, samples: int) -> ChildDeals:
        """Return both players' rows of the later streets; one sample."""
        here, count = np.arange(start, end) % POOL, end - start
        chosen = np.full((count, 1), self._flops, dtype=np.int64)
        return ChildDeals(self._base[here], self._outcome[here], chosen, np.ones(count, dtype=np.float32))

    def mean_choices(self, cluster: int) -> tuple[int, int]:
        """Return the mean choices of both players: every hand leaves as many public samples."""
        return 1, 1


def _walk() -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    tree = betting_tree()
    return sampled_walk(tree).transformed(partial(reward_of, "y1", unit=tree.abstraction.rules.blinds[1]))


def drawn_layout(buckets: int) -> TableLayout:
    """Return the layout of one cluster with this many buckets on every later street."""
    sizes = ((1, HANDS), (1, buckets), (1, buckets), (1, buckets))
    return table_layout(betting_tree().bucket_floats, sizes)


def row_seconds(buckets: Sequence[int], seconds: float, children: int = 1) -> list[dict[str, float]]:
    """Return seconds of a core for a row, on a child's table with each number of buckets.

    children: the number that walk at once, each on a table and a core of its own.
    """
    rows = []
    for count in buckets:
        layout, walk = drawn_layout(count), _walk()
        settings = DistributedSettings(batch=500)
        dealers = [DrawnDealer(layout, seed) for seed in range(children)]
        # Tables are filled, so that their memory is there before anything is timed.
        tables = [np.full(layout.arena, 0, dtype=np.float32) for _ in dealers]
        made = [Child(0, walk, *each, settings) for each in zip(tables, dealers, strict=True)]
        head = Head(walk, np.zeros(layout.head, dtype=np.float32), dealers[0], settings)
        touched, worked, number = 0, 0.0, 0
        until = time.perf_counter() + seconds
        while time.perf_counter() < until or number <= WARM_TURNS:
            batch, replies = head.record(number).batch, list[Reply]()

            def value(which: int, batch: Batch = batch, replies: list[Reply] = replies) -> None:
                replies.append(made[which].values(batch))  # noqa: B023

            on_each(value, children)
            number += 1
            if number > WARM_TURNS:
                touched += sum(reply.touched for reply in replies)
                worked += sum(reply.seconds for reply in replies)
        rows.append({"buckets": count, "bytes": 4.0 * layout.arena, "seconds": worked / touched})
    return rows


def _idle_children(clusters: Sequence[int]) -> list[Child]:
    """Make children that have nothing to walk."""
    layout, settings = drawn_layout(1), DistributedSettings(batch=1)
    dealer = DrawnDealer(layout, flops=0)
    return [Child(n, _walk(), np.zeros(layout.arena, dtype=np.float32), dealer, settings) for n in clusters]


def message_seconds(
    continuations: Sequence[int], repeats: int, workers: int, in_process: bool = False
) -> list[dict[str, float]]:
    """Return the median seconds of a message to each worker and its answer, by its number of continuations.

    The time for which a worker says that it worked is not counted.
    """
    rows, numbers = [], itertools.count()
    with closing(
        LocalChildren(_idle_children(range(workers)))
        if in_process
        else ProcessChildren(_idle_children, workers, workers)
    ) as children:
        for count in continuations:
            took = []
            for _ in range(repeats):
                batch = Batch(next(numbers), np.array([count]), np.zeros(count, dtype=np.int32))
                begun = time.perf_counter()
                children.start(batch)
                replies = children.values()
                took.append(time.perf_counter() - begun - max(reply.seconds for reply in replies))
            seconds = max(0.0, median(took)) / workers
            rows.append({"continuations": count, "bytes": 8.0 * count + 8.0, "seconds": seconds})
    return rows


def taken_apart(cards: CardAbstraction, batch: int, turns: int, warm: int) -> dict[str, Any]:
    """Return what the head, dealing and children do in turns of a training here, on average by iteration.

    warm: turns before anything is measured, so that strategies are no longer uniform.
    """
    tree, settings = betting_tree(), DistributedSettings(batch=batch)
    solver = DistributedSolver.in_process(Blueprint(tree, cards), settings)
    head, children = solver.head, solver.children
    for _ in range(warm):
        solver.run(1)
    clusters, rows, child_seconds = cards.design.clusters, list[list[int]](), 0.0
    times, continuations, begun_rows = dict.fromkeys(("head", "values", "deals"), 0.0), 0, head.touched
    dealer = head.dealer
    assert isinstance(dealer, HoldemDealer)

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        times[name] += time.perf_counter() - begun

    for number in range(turns):
        with timed("head"):
            recorded = head.record(solver.turns)
        children.start(recorded.batch)
        replies = children.values()
        with timed("head"):
            head.replay(recorded, replies)
        turn, count = settings.turn(solver.turns), len(recorded.batch.node)
        with timed("values"):
            values, means = np.stack([reply.values for reply in replies]), np.zeros(count, dtype=np.float32)
            mean_values(turn, recorded.batch.ends, recorded.deals.choices, values, means)
        with timed("deals"):
            dealer.deal_child(number % clusters, turn.start, turn.end, 1)
        rows.append([reply.touched for reply in replies])
        child_seconds += sum(reply.seconds for reply in replies)
        continuations += count
        solver.turns += 1
    each = batch if batch > 1 else 0.5
    iterations, touched = turns * each, np.array(rows, dtype=np.float64)
    return {
        "head_rows": (head.touched - begun_rows) / iterations,
        "continuations": continuations / iterations,
        "child_rows": (touched.sum(axis=0) / iterations).tolist(),
        "child_spread": spread(touched) * each**0.5,
        "head_seconds": times["head"] / iterations,
        "value_seconds": times["values"] / (continuations * clusters),
        "deal_seconds": times["deals"] / (iterations if batch > 1 else turns),
        "child_row_seconds": child_seconds / touched.sum(),
        "arena_bytes": 4.0 * table_layout(tree.bucket_floats, cards.sizes).arena,
        "flops": dealer.flops.flops.tolist(),
        "turns": turns,
    }


def spread(touched: NDArray[np.float64]) -> float:
    """Return the deviation of a child's rows in a turn by their mean. touched: float64[turns, clusters].

    Differences between children, and between turns, whose hands are the same for all children, are left out.
    """
    mean = touched.mean()
    rest = touched - touched.mean(axis=0) - touched.mean(axis=1, keepdims=True) + mean
    freedom = (touched.shape[0] - 1) * (touched.shape[1] - 1)
    return float(np.sqrt(np.square(rest).sum() / max(1, freedom)) / mean)


def tree_rows(
    cards: CardAbstraction, bettings: Sequence[str], iterations: int, measured: int, threads: int
) -> list[dict[str, Any]]:
    """Return the rows of an iteration of plain sampling on several betting trees, after some training on each."""
    rows = list[dict[str, Any]]()
    for betting in bettings:
        tree = build_tree(parse_betting(betting))
        solver = BlueprintSolver(Blueprint(tree, cards))
        solver.run(iterations, threads=threads)
        before = solver.touched
        solver.run(measured, threads=threads)
        rows.append({"betting": betting, "nodes": len(tree), "rows": (solver.touched - before) / measured})
    return rows


def turn_seconds(
    cards: CardAbstraction, batch: int, workers: int, turns: int, warm: int, in_process: bool = False
) -> dict[str, float]:
    """Return the median seconds of a turn with worker processes, and the share of it in which they work."""
    took, worked = [], []
    with distributed(cards, DistributedSettings(batch=batch), workers, in_process) as solver:
        for _ in range(warm):
            solver.run(1)
        for _ in range(turns):
            took.append(seconds_of(solver.run, 1))
            worked.append(sum(reply.seconds for reply in solver.replies) / workers)
    return {
        "workers": workers,
        "seconds": median(took),
        "busy": float(np.sum(worked) / np.sum(took)),
        "turns": turns,
    }
