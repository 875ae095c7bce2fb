"""Algorithm 4's loop: a pass of the head, the children's values, and the pass again with them.

solver = DistributedSolver.in_process(blueprint, DistributedSettings(batch=100))
solver.run(1_000_000)

fills the tables of a blueprint as `training` does, from a head and one child per public cluster that share
nothing. With one cluster and batches of one iteration the tables are those of plain external sampling, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.engines.rewards import reward as reward_of
from solvent.forms.betting.tree import BettingTree, sampled_walk
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import new_table
from solvent.strategy.agents.blueprint import CLUSTER, FROZEN, HEAD, Blueprint, split_table
from solvent.training.discounting import arena_discounter, head_discounter
from solvent.training.distributed.batches import Children, Discount, DistributedSettings, Reply, Shard
from solvent.training.distributed.child import Child
from solvent.training.distributed.deals import HoldemDealer
from solvent.training.distributed.engines import LocalChildren
from solvent.training.distributed.head import Head, Recorded


class DistributedSolver:
    """Runs turns of a head and its children."""

    def __init__(self, head: Head, children: Children) -> None:
        if children.clusters != head.dealer.clusters:
            raise InputError(
                f"the cards have {head.dealer.clusters} public clusters, and there are children for "
                f"{children.clusters}"
            )
        self.head, self.children, self.settings = head, children, head.settings
        self.turns, self.touched = 0, 0
        self.replies: Sequence[Reply] = ()
        """The children's last replies, which tell how long each of them worked."""
        self._pending: Recorded | None = None

    @classmethod
    def in_process(
        cls, blueprint: Blueprint, settings: DistributedSettings, threads: int = 1
    ) -> DistributedSolver:
        """Train the table of a blueprint, whose parts the head and the children write to, in this process."""
        shards = split_table(blueprint)
        children = make_children(
            blueprint.tree, blueprint.cards, settings, range(blueprint.layout.clusters), shards
        )
        head = make_head(blueprint.tree, blueprint.cards, settings, shards[HEAD])
        return cls(head, LocalChildren(children, threads))

    @property
    def iterations(self) -> int:
        """Iterations that are complete."""
        return self.settings.iterations(self.turns)

    def run(self, iterations: int) -> None:
        """Run at least this many more iterations, in whole turns: a run in parts is the run in one."""
        target = self.settings.turns(self.iterations + iterations)
        while self.turns < target:
            self._take_turn(goes_on=self.turns + 1 < target)

    def _take_turn(self, goes_on: bool = False) -> None:
        """One turn. It is counted at its end: begun again after an error, it asks the children the same.

        goes_on: another turn follows at once. With `ahead` its batch is known before this turn's values are, so
        that children need not wait for the head between the two.
        """
        now = self._pending or self.head.record(self.turns)
        self._pending = now
        self.children.start(now.batch)
        following = self.head.record(self.turns + 1) if self.settings.ahead else None
        if following is not None and goes_on:
            self.children.prepare(following.batch)
        self.replies = self.children.values()
        before = self.head.touched
        self.head.replay(now, self.replies)
        self._pending = following
        self.turns += 1
        self.touched += self.head.touched - before + sum(reply.touched for reply in self.replies)

    def discount(self, factors: Discount) -> None:
        """Multiply the numbers of all tables. A turn whose first pass is over keeps the strategies that it saw."""
        self.head.discount(factors)
        self.children.discount(factors)

    def head_tables(self) -> dict[str, NDArray[np.float32]]:
        """The shards that are in this process after the last turn, as a checkpoint has them.

        With `ahead` also the head's that the next turn reads.
        """
        shards = {HEAD: self.head.table}
        if self._pending is not None and self.settings.ahead:
            shards[FROZEN] = self._pending.frozen
        return shards

    def tables(self) -> dict[str, NDArray[np.float32]]:
        """All shards after the last turn."""
        return self.head_tables() | {
            CLUSTER.format(n): shard for n, shard in sorted(self.children.shards().items())
        }

    def facts(self) -> dict[str, Any]:
        """Return the facts to keep beside the shards."""
        return {"turns": self.turns, "touched": self.touched}

    def load(self, tables: Mapping[str, Shard], facts: Mapping[str, Any]) -> None:
        """Continue from shards and facts, whatever engine they come from; those of clusters may be files."""
        turns, clusters = int(facts["turns"]), range(self.children.clusters)
        names = {HEAD, FROZEN, *(CLUSTER.format(n) for n in clusters)}
        missing = sorted(names - {FROZEN} - tables.keys())
        if missing or tables.keys() - names:
            raise InputError(
                f"these shards are of another training: this one has a head and {len(clusters)} clusters"
            )
        heads = {name: np.asarray(tables[name]) for name in (HEAD, FROZEN) if name in tables}
        for name, table in heads.items():
            if table.shape != self.head.table.shape or table.dtype != np.float32:
                raise InputError(f"the shard {name!r} is not one of {self.head.table.size:,} float32 numbers")
        if self.settings.ahead and turns > 0 and FROZEN not in heads:
            raise InputError(f"the shard {FROZEN!r} is missing, which the next turn begins from")
        self.children.load({n: tables[CLUSTER.format(n)] for n in clusters}, turns)
        self.head.table[:] = heads[HEAD]
        self.turns, self.touched, self._pending = turns, int(facts["touched"]), None
        if self.settings.ahead and FROZEN in heads:
            self._pending = self.head.record(turns, heads[FROZEN].copy())


def make_head(
    tree: BettingTree,
    cards: CardAbstraction,
    settings: DistributedSettings,
    table: NDArray[np.float32] | None = None,
) -> Head:
    """A head for hold'em; None makes a table of zeros."""
    layout = table_layout(tree.bucket_floats, cards.sizes)
    table = new_table(layout.head, np.float32) if table is None else table
    dealer = HoldemDealer(cards, layout, settings.seed)
    return Head(transformed_walk(tree, settings), table, dealer, settings, head_discounter(tree, layout))


def make_children(
    tree: BettingTree,
    cards: CardAbstraction,
    settings: DistributedSettings,
    clusters: Iterable[int],
    tables: Mapping[str, NDArray[np.float32]] | None = None,
) -> list[Child]:
    """Children of one process for some public clusters of hold'em. `tables`: by `CLUSTER`; None makes zeros."""
    layout = table_layout(tree.bucket_floats, cards.sizes)
    dealer, walk = HoldemDealer(cards, layout, settings.seed), transformed_walk(tree, settings)
    discounter = arena_discounter(tree, layout)
    made = []
    for n in clusters:
        table = new_table(layout.arena, np.float32) if tables is None else tables[CLUSTER.format(n)]
        made.append(Child(n, walk, table, dealer, settings, discounter))
    return made


def transformed_walk(
    tree: BettingTree, settings: DistributedSettings
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """A betting tree for heads and children, with payoffs transformed by the reward function."""
    big_blind = tree.abstraction.rules.blinds[1]
    return sampled_walk(tree).transformed(partial(reward_of, settings.reward, unit=big_blind))
