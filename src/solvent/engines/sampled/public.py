"""Monte Carlo CFR on a card abstraction of a public game: deals are sampled, hands of a bucket share rows.

solver = SampledPublicSolver(game, buckets, seed=1)
solver.run(1_000_000)
solver.evaluate().exploitability

The training of blueprints, on games that are small enough to check it: the traversal is the same, and the average
strategy is measured by best responses that see real cards.
`solvent.engines.public.bucketed` solves the same abstractions without sampling.

A deal is a board of the last round and two hands. Where hands are cards, every such triple without a card twice is
as likely as any other, so one is drawn at random and drawn again until it fits; ranges keep it with the product of
the two weights. Where matrices hold the chances, the triple is drawn from their running sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

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
from solvent.engines.sampled.kernels import frames, traverse
from solvent.engines.sampling import SAMPLED_RULE, Sampling
from solvent.forms.public.game import DECISION, PublicGame
from solvent.forms.sampled import SHOWN, SampledWalk, lay_out_walk, place_rows
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.memory import new_table
from solvent.foundation.kernels.randomness import random_bits, random_unit, stream
from solvent.strategy.solved.locks import Locks


class Dealer(NamedTuple):
    """The tables that deals are drawn from. Boards of all rounds are numbered one round after the other."""

    first_last: int
    """The first board of the last round."""
    parent: NDArray[np.int64]
    """int64[boards]: the board before."""
    row: NDArray[np.int64]
    """int64[boards, hands]: where the rows of the hand's bucket begin in the table; -1 if it cannot be held."""
    hand: NDArray[np.int32]
    """int32[boards of the last round, slots]: the hands that can be held there."""
    card: NDArray[np.int8]
    """int8[hands, 2]: their cards; empty where there is a running sum."""
    weight: NDArray[np.float64]
    """float64[2, hands]: each player's range, at most 1; empty where all are 1."""
    strength: NDArray[np.int32]
    """int32[boards of the last round, hands]; empty where there is a running sum."""
    chance: NDArray[np.float64]
    """float64[triples of board, hand and hand]: running sum of their chances; empty for games of cards."""
    sign: NDArray[np.int8]
    """int8[triples]: who wins; empty for games of cards."""


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
        """The place in the table of the rows of each slot's bucket, by round: int64[boards x slots]."""
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
        """The places of the regrets (table 0) or the sums (table 1) of every slot, by block: int64[cells]."""
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
        return evaluate_public(self._pass, self.average(), self.locks if keep_locks else None)

    @cached_property
    def _pass(self) -> PublicPass:
        return PublicPass(self.game, np.dtype(np.float64))


def _walk(game: PublicGame) -> tuple[SampledWalk, NDArray[np.int32], NDArray[np.int64]]:
    """The betting as `traverse` walks it, each node's place in a bucket's numbers, and their count by round."""
    given = game.nodes
    after = np.arange(len(given.symbol))
    for subtree in (subtree for each in game.rounds for subtree in each.subtrees):
        if subtree.deal >= 0:
            after[subtree.deal] = subtree.start  # the node behind a deal
    folded = (given.stake > 0).astype(np.int64)  # player 0 wins where player 1 has folded
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
    card, weight = np.zeros((0, 2), dtype=np.int8), np.zeros((2, 0))
    strength = np.zeros((0, 0), dtype=np.int32)
    chance, sign = np.zeros(0), np.zeros(0, dtype=np.int8)
    if game.sorted_hands:
        card = np.array([game.rules.hole_cards(hand) for hand in game.hands], dtype=np.int8)
        strength = np.zeros((counts[-1], len(game.hands)), dtype=np.int32)
        np.put_along_axis(strength, last.hand, last.tie, axis=1)
        ranges = np.stack([each / each.max() for each in game.ranges])
        weight = ranges[:, :0].copy() if (ranges == 1).all() else ranges
    else:
        chance = np.cumsum(game.chances(len(counts) - 1).ravel())
        sign = showdown_signs(game).ravel()
    return Dealer(int(first[-2]), parent, row, last.hand, card, weight, strength, chance, sign)


@internal
def below(count, random):  # type: ignore[no-untyped-def]
    """A random whole number from 0 to count - 1."""
    return np.int64(random_bits(random) % np.uint64(count))


@internal
def first_above(sums, number):  # type: ignore[no-untyped-def]
    """The first place of a rising array that holds more than a number, which its last does."""
    low, high = 0, len(sums) - 1
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > number:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_deal(dealer, random):  # type: ignore[no-untyped-def]
    """A board of the last round, both hands, and the outcome: 0, 1, 2 if player 0 wins, ties, loses."""
    if len(dealer.chance) > 0:
        hands = dealer.row.shape[1]
        drawn = first_above(dealer.chance, random_unit(random) * dealer.chance[-1])
        return drawn // (hands * hands), drawn // hands % hands, drawn % hands, 1 - dealer.sign[drawn]
    boards, slots = dealer.hand.shape
    card, weight = dealer.card, dealer.weight
    while True:
        board = below(boards, random)
        first, second = dealer.hand[board, below(slots, random)], dealer.hand[board, below(slots, random)]
        a, b, c, d = card[first, 0], card[first, 1], card[second, 0], card[second, 1]
        if a == c or a == d or b == c or b == d:  # noqa: SIM109
            continue
        if weight.shape[1] > 0 and random_unit(random) >= weight[0, first] * weight[1, second]:
            continue
        lead = dealer.strength[board, first] - dealer.strength[board, second]
        return board, np.int64(first), np.int64(second), 1 - (lead > 0) + (lead < 0)


@internal
def find_rows(dealer, board, first, second, base):  # type: ignore[no-untyped-def]
    """Write the places of both players' rows in every round into base, int64[2, rounds]; `board` as dealt."""
    place = dealer.first_last + board
    for level in range(base.shape[1] - 1, -1, -1):
        base[0, level], base[1, level] = dealer.row[place, first], dealer.row[place, second]
        place = dealer.parent[place]


@kernel
def public_iterations(start, end, seed, linear, walk, pays, dealer, table, frames, base):  # type: ignore[no-untyped-def]
    """Iterations `start` to `end`: each deals once and traverses the tree for both players.

    linear: whether iteration t counts t. base: int64[2, rounds], room. The rest as `traverse` takes it.
    """
    random = frames[3]
    for iteration in range(start, end):
        random[0] = stream(seed, iteration, 0)
        board, first, second, outcome = draw_deal(dealer, random)
        find_rows(dealer, board, first, second, base)
        weight = np.float32(iteration + 1 if linear else 1)
        for player in range(2):
            random[0] = stream(seed, iteration, 1 + player)
            traverse(
                0, player, weight, walk, pays, base, outcome, table, frames, np.float32(0), np.float32(0),
            )  # fmt: skip
