"""CFR on a card abstraction of a public game: hands share rows, values are those of real cards.

A bucket map gives every slot of a round a row of the table; slots of one row play the same strategy. A pass runs on
the public form as it is: strategies are gathered from the rows before it, and the regrets and the play of each slot
are added up in the rows after it. So the abstract game is solved full-width, and its strategy can be measured by a
best response that sees real cards.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.response import Evaluation
from solvent.engines.locking import LockedRegrets
from solvent.engines.public.kernels import UPDATE, Rule, Tables
from solvent.engines.public.public_pass import PublicPass
from solvent.engines.public.response import evaluate_public
from solvent.engines.rules import RegretRule, load_rule
from solvent.engines.vectors.matching import update_arrays
from solvent.forms.public.game import PublicGame
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import new_table
from solvent.strategy.arena import Arena
from solvent.strategy.solved.locks import Locks

PLAIN = (1.0, 1.0, -np.inf, 1.0)
"""A rule under which a pass over empty tables leaves instantaneous regrets and one iteration's play."""


class BucketedSolver:
    """CFR with bucket maps: `buckets[r]`, int[boards, slots], is the row of each slot of round r.

    Alternating updates, float64. `None` for a round keeps its hands apart.
    """

    def __init__(
        self,
        game: PublicGame,
        buckets: Sequence[NDArray[np.integer] | None],
        rule: str | RegretRule = "dcfr",
        evaluator: str = "swept",
        threads: int = 1,
        locks: Locks | None = None,
    ) -> None:
        self.game, self.rule, self.iterations = game, load_rule(rule), 0
        if self.rule.predictive:
            raise InputError(
                f"rule {self.rule} predicts, and bucketed rows keep no last regrets; choose another"
            )
        self.rows = slot_rows(game, buckets)
        self._pass = PublicPass(game, np.dtype(np.float64), evaluator, threads)
        edge_round = game.nodes.round[game.edge_node]
        self.edge_rows = [self.rows[level] for level in edge_round]
        sizes = np.array([int(rows.max()) + 1 for rows in self.edge_rows], dtype=np.int64)
        self.arena = Arena.full(sizes, ("regret", "average"), np.float64)
        self.locks, self._locked = locks or None, None
        if self.locks is not None:
            self.locks.check(game.name, game.fingerprint)
            places = [self.arena.offset[edge] + rows for edge, rows in enumerate(self.edge_rows)]
            self._locked = LockedRegrets(self.locks, np.concatenate(places), np.dtype(np.float64))
        self.edge_player = game.nodes.player[game.edge_node]
        self.slot_regret, self.slot_average, self.seen = (new_table(game.cells, np.float64) for _ in range(3))

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        for weights in self.rule.schedule(self.iterations + 1, iterations):
            for player in (0, 1):
                if self._locked is not None:
                    self._locked.impose(self.arena.table("regret"))
                self._update(player, weights)
        if self._locked is not None:
            self._locked.lift(self.arena.table("regret"))
        self.iterations += iterations

    def evaluate(self, keep_locks: bool = True) -> Evaluation:
        """Measure the exploitability of the average strategy by best responses that see real cards.

        Responses keep to the locks, or are free of them.
        """
        locks = self.locks if keep_locks else None
        return evaluate_public(self._pass, self.average_strategy(), locks)

    def average_strategy(self) -> NDArray[np.float64]:
        """Return float64[cells] of the game with real cards: proportional to the probabilities at each infoset."""
        average = self._gathered("average")
        return average if self.locks is None else self.locks.over(average)

    def _update(self, player: int, weights: NDArray[np.float64]) -> None:
        positive, negative, floor, average, _, keep, _ = weights
        self.seen[:] = self._gathered("regret")
        self.slot_regret[:] = 0.0
        self.slot_average[:] = 0.0
        none = self.seen[:0]
        tables = Tables(self._pass.offset, self.slot_regret, self.slot_average, none, none, self.seen, none)
        self._pass.run(player, tables, Rule(UPDATE, *PLAIN, 0.0))
        for edge in np.flatnonzero(self.edge_player == player).tolist():
            rows = self.edge_rows[edge]
            block = slice(self._pass.offset[edge], self._pass.offset[edge] + rows.size)
            regret, played = self.arena.block("regret", edge), self.arena.block("average", edge)
            gained = np.bincount(rows, self.slot_regret[block], len(regret))
            regret[:] = update_arrays(np, regret, gained, (positive, negative), floor)
            played *= keep
            played += average * np.bincount(rows, self.slot_average[block], len(played))

    def _gathered(self, name: str) -> NDArray[np.float64]:
        """Read a table's rows for every slot: float64[cells]."""
        return np.concatenate([self.arena.block(name, e)[rows] for e, rows in enumerate(self.edge_rows)])


def slot_rows(game: PublicGame, buckets: Sequence[NDArray[np.integer] | None]) -> list[NDArray[np.int64]]:
    """Find the row of every slot by round, int64[boards x slots], from bucket maps that fit; None: a row each."""
    if len(buckets) != len(game.rounds):
        raise InputError(f"{game.name} has {len(game.rounds)} rounds and got {len(buckets)} bucket maps")
    found = []
    for here, bucket in zip(game.rounds, buckets, strict=True):
        if bucket is None:
            found.append(np.arange(here.hand.size, dtype=np.int64))
            continue
        if not isinstance(bucket, np.ndarray) or not np.issubdtype(bucket.dtype, np.integer):
            raise InputError(f"a bucket map of {game.name} is an array of whole numbers")
        if bucket.shape != here.hand.shape or bucket.min() < 0:
            raise InputError(f"a bucket map of {game.name} is {here.hand.shape} rows, none negative")
        found.append(bucket.astype(np.int64).ravel())
    return found
