"""Monte Carlo CFR on a card abstraction of a public game: deals are sampled, hands of a bucket share rows.

solver = SampledPublicSolver(game, buckets, seed=1)
solver.run(1_000_000)
solver.evaluate().exploitability

What blueprints of full hold'em do at a scale where nobody can check them, on games that are small enough: the
traversal is the same, and the average strategy is measured by best responses that see real cards.
`solvent.engines.public.bucketed` solves the same abstractions without sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.public_equity import showdown_signs, showdown_symbol
from solvent.engines.history.response import Evaluation
from solvent.engines.history.sampled.solver import check_seed
from solvent.engines.locking import LockedRegrets
from solvent.engines.public.bucketed import slot_rows
from solvent.engines.public.public_pass import PublicPass
from solvent.engines.public.response import evaluate_public
from solvent.engines.rules import RegretRule, load_rule
from solvent.engines.sampled.kernels import frames
from solvent.engines.sampled.public_deals import Dealer, public_iterations
from solvent.engines.sampling import SAMPLED_RULE, Sampling
from solvent.forms.public.game import DECISION, PublicGame
from solvent.forms.sampled import SHOWN, SampledWalk, lay_out_walk, place_rows
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import new_table
from solvent.strategy.solved.locks import Locks


class SampledPublicSolver:
    """External sampling with bucket maps: `buckets[r]`, int[boards, slots], is the row of each slot of round r.

    `None` for a round keeps its hands apart. Tables are float32: for each bucket and node, regrets then sums.
    """

    def __init__(
        self,
        game: PublicGame,
        buckets: Sequence[NDArray[np.integer] | None],
        rule: str | RegretRule = SAMPLED_RULE,
        seed: int = 0,
        locks: Locks | None = None,
    ) -> None:
        if game.isomorphism:
            raise InputError(f"{game.name} is dealt board by board; compile it with isomorphism off")
        check_seed(seed)
        self.game, self.seed, self.iterations = game, seed, 0
        self.rule = load_rule(rule)
        Sampling("external").check_rule(self.rule)
        self.rows = slot_rows(game, buckets)
        self.walk, self.row, floats = _walk(game)
        counts = np.array([int(rows.max()) + 1 for rows in self.rows])
        ends = np.cumsum(counts * floats)
        self.starts = [
            start + rows * size
            for start, rows, size in zip(ends - counts * floats, self.rows, floats, strict=True)
        ]
        """Where in the table the rows of each slot's bucket begin, by round: int64[boards x slots]."""
        self.table = new_table(int(ends[-1]), np.float32)
        self.locks, self._locked = locks or None, None
        if self.locks is not None:
            self.locks.check(game.name, game.fingerprint)
            self._locked = LockedRegrets(self.locks, self._places(0), self.table.dtype)
        self.dealer = _dealer(game, self.starts)
        self._frames = frames()

    @property
    def touched(self) -> int:
        """Rows touched so far."""
        return int(self._frames.touched[0])

    def run(self, iterations: int) -> None:
        """Run more iterations, each one deal and one pass for each player."""
        stop = self.iterations + iterations
        if self._locked is not None:
            self._locked.impose(self.table)
        public_iterations(
            self.iterations, stop, self.seed, self.rule.linear,
            self.walk.walk, self.walk.walk.view(np.float32), self.dealer,
            self.table, self._frames, np.zeros((2, len(self.rows)), dtype=np.int64),
        )  # fmt: skip
        if self._locked is not None:
            self._locked.lift(self.table)
        self.iterations = stop

    def average(self) -> NDArray[np.float64]:
        """The average strategy's sums for every slot, a table by block: float64[cells]."""
        found = self.table[self._places(1)].astype(np.float64)
        return found if self.locks is None else self.locks.over(found)

    def _places(self, table: int) -> NDArray[np.int64]:
        """Where the regrets (table 0) or the sums (table 1) of every slot lie, by block: int64[cells]."""
        game, parts = self.game, []
        for edge, node in enumerate(game.edge_node):
            first, last = game.nodes.first_edge[node : node + 2]
            place = self.row[node] + table * (last - first) + edge - first
            parts.append(self.starts[game.nodes.round[node]] + place)
        return np.concatenate(parts)

    def evaluate(self, keep_locks: bool = True) -> Evaluation:
        """Exploitability of the average strategy by best responses that see real cards.

        Responses keep to the locks, or are free of them.
        """
        offset = np.cumsum(self.game.block_sizes) - self.game.block_sizes
        return evaluate_public(self._pass, offset, self.average(), self.locks if keep_locks else None)

    @cached_property
    def _pass(self) -> PublicPass:
        return PublicPass(self.game, np.dtype(np.float64))


def _walk(game: PublicGame) -> tuple[SampledWalk, NDArray[np.int32], NDArray[np.int64]]:
    """The betting as `traverse` walks it, each node's place in a bucket's numbers, and their count by round."""
    given = game.nodes
    after = np.arange(len(given.symbol))
    for subtree in (subtree for each in game.rounds for subtree in each.subtrees):
        if subtree.deal >= 0:
            after[subtree.deal] = subtree.start  # what follows a deal
    folded = (given.stake > 0).astype(np.int64)  # player 0 wins what player 1 has folded
    ends = np.where(given.symbol == showdown_symbol(game), SHOWN, folded)
    who = np.where(given.symbol == DECISION, given.player, ends)
    behind = after[given.child]
    row, floats = place_rows(given.first_edge, behind, who, given.round, len(game.rounds))
    walk = lay_out_walk(given.first_edge, behind, who, given.round, np.abs(given.stake), row)
    return walk, row, floats


def _dealer(game: PublicGame, starts: Sequence[NDArray[np.int64]]) -> Dealer:
    counts = [len(here.boards) for here in game.rounds]
    first = np.cumsum([0, *counts])
    row = np.full((first[-1], len(game.hands)), -1, dtype=np.int64)
    parent = np.zeros(first[-1], dtype=np.int64)
    for level, here in enumerate(game.rounds):
        boards = slice(first[level], first[level + 1])
        np.put_along_axis(row[boards], here.hand, starts[level].reshape(here.hand.shape), axis=1)
        parent[boards] = here.parent + (first[level - 1] if level else 0)
    last = game.rounds[-1]
    if not game.sorted_hands:
        chance = np.cumsum(game.chances(len(counts) - 1).ravel())
        sign = showdown_signs(game).ravel()
        none = np.zeros((0, 2), dtype=np.int8)
        strength = np.zeros((0, 0), dtype=np.int32)
        return Dealer(int(first[-2]), parent, row, last.hand, none, np.zeros((2, 0)), strength, chance, sign)
    card = np.array([game.rules.hole_cards(hand) for hand in game.hands], dtype=np.int8)
    strength = np.zeros((counts[-1], len(game.hands)), dtype=np.int32)
    np.put_along_axis(strength, last.hand, last.tie, axis=1)
    ranges = np.stack([weight / weight.max() for weight in game.ranges])
    weight = ranges[:, :0].copy() if (ranges == 1).all() else ranges
    return Dealer(
        int(first[-2]),
        parent,
        row,
        last.hand,
        card,
        weight,
        strength,
        np.zeros(0),
        np.zeros(0, dtype=np.int8),
    )
