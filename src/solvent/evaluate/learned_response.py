"""A best response inside a blueprint's own abstraction, learned on boards that are drawn.

A card abstraction forgets, so no pass over it finds the best response exactly. Here one is learned for each seat:
the opponent is the agent as it plays, post-processing included, frozen at its rows, and public sampling trains the
responder's rows (`training.boards`): a board is drawn, and 24 cards of which the hands of both players
are made, as in training; all deals of those hands count. The responder begins with the agent's own regrets, and
the clock continues: board i counts T + i, where T is the number of boards that the agent's regrets count for, so
that near equilibrium it begins with most of the work done. It can be played in two ways: greedily, taking the
action of greatest regret at each row, or by regret matching, which is safer at rows that sampling hardly came to.

Its winnings are averaged over boards too, with all 1,070,190 deals of each and both seats. That is a lower bound of
what the best response inside the abstraction wins, up to its 95 % interval; unlike a local best response it knows
nothing that buckets do not. How long to learn is decided by `response_doublings`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.forms.betting.tree import DECISION, BettingTree
from solvent.forms.sampled import TableLayout, row_start
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.games.betting.rules import STREETS
from solvent.play.expected import PARTS
from solvent.play.statistics import Winnings
from solvent.play.table_agent import TableAgent, table_agent
from solvent.play.table_kernels import ACTED, BUCKET, CLUSTER, NODE, strategy, workspace
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import NONE, PostProcessing
from solvent.training.boards.dealing import BoardHands
from solvent.training.boards.kernels import Boards, BoardWorkspace, respond_on_boards
from solvent.training.boards.solver import BoardSolver
from solvent.training.settings import DEFAULT_HOLE_CARDS

PLAYERS = 2
SEED = 1_000_003
"""Seed of a response: its boards are not those that the blueprint was trained on."""
CLOCK = 1_000
"""Boards that the agent's own regrets count for."""
PIECE = 5
"""Boards that a thread walks for one seat between two looks at the clock."""
NOTHING = -1
"""The clock of walks that learn nothing."""
WAYS = ("greedily", "by regret matching")


class Responder:
    """A response to one blueprint, as far as it has been learned, for both seats."""

    def __init__(
        self,
        blueprint: Blueprint,
        *,
        post: PostProcessing = NONE,
        weight: float | None = None,
        clock: int = CLOCK,
        seed: int = SEED,
    ) -> None:
        """`post`: how the agent's strategy is post-processed when it plays.

        `weight`: the sum of the weights of the agent's iterations, by default that of linear weights. Regrets are
        scaled to what they would be after `clock` iterations of linear weights, from which the responder continues.
        """
        self.blueprint, self.clock, self.seed = blueprint, clock, seed
        self.done = [0] * PLAYERS
        """Boards that each seat has had."""
        tree, own = blueprint.tree, blueprint.iterations
        scale = clock * (clock + 1) / 2 / (weight or own * (own + 1) / 2) if own else 1.0
        self.learner = Blueprint(tree, blueprint.cards)
        """The responder's regrets in both seats."""
        for old, new in _rows(blueprint, self.learner):
            new[..., 0, :] = old[..., 0, :] * np.float32(scale)
        self.frozen = Blueprint(tree, blueprint.cards)
        """The agent's probabilities, where regrets stand: regret matching then plays them."""
        agent = table_agent("the agent", [blueprint], post=post)
        assert agent.rules is not None
        self.big_blind = agent.rules.blinds[1]
        for player in range(PLAYERS):
            freeze(agent, tree, player, self.frozen.table)

    @property
    def learned(self) -> int:
        """Boards that both seats have had."""
        return min(self.done)

    @cached_property
    def _learning(self) -> BoardSolver:
        """Walks boards to learn on, with hands of cards that are drawn, as trainings do."""
        return BoardSolver(self.learner, hole_cards=DEFAULT_HOLE_CARDS)

    @cached_property
    def _valuing(self) -> BoardSolver:
        """Walks boards with all their hands."""
        return BoardSolver(self.learner)

    def learn(
        self, boards: int, threads: int = 1, *, watch: Watch | None = None, stop: Stop | None = None
    ) -> None:
        """Learn until each seat has had `boards` in all; threads write to the same table.

        A stop, an interrupt or an error leaves what has been learned by then.
        """
        had, before, left = tuple(self.done), self.learned, boards - self.learned

        def work(first: int, last: int, memory: tuple[BoardHands, BoardWorkspace]) -> None:
            player, start = first % PLAYERS, before + first // PLAYERS * PIECE
            start, end = max(start, had[player]), min(start + PIECE, boards)
            drawn = Boards(self.seed, self.clock, player)
            self._walk(start, end, drawn, self.learner.table, memory)
            self.done[player] = max(self.done[player], end)

        def seen(now: Progress) -> None:
            if watch is not None:
                each = min(before + now.done / PLAYERS * PIECE, boards)
                watch(Progress("learning", each, boards, unit="boards"))

        pieces = PLAYERS * max(0, -(-left // PIECE))
        in_pieces(work, pieces, 1, self._learning.workspaces(threads), watch=seen, stop=stop)

    def _walk(
        self,
        start: int,
        end: int,
        boards: Boards,
        table: NDArray[np.float32],
        memory: tuple[BoardHands, BoardWorkspace],
    ) -> NDArray[np.float64]:
        """Walk boards for one seat, whose player plays by the regrets of `table`.

        Returns float64[boards], what the player wins on each, in chips a deal.
        """
        values = np.zeros(max(0, end - start))
        players = (table, self.frozen.table) if boards.player == 0 else (self.frozen.table, table)
        respond_on_boards(
            start, end, boards, self._valuing.trees, *memory, players, self.learner.layout,
            self.learner.cards.lookup, evaluator(), values,
        )  # fmt: skip
        return values

    def response(self, way: str) -> Blueprint:
        """Build the response as played in one of `WAYS`: a blueprint whose regrets equal its averages."""
        made = Blueprint(self.blueprint.tree, self.blueprint.cards)
        for old, new in _rows(self.learner, made):
            regrets = old[..., 0, :]
            if way == WAYS[0]:
                played = (regrets == regrets.max(axis=-1, keepdims=True)).astype(np.float32)
            else:
                played = np.maximum(regrets, 0)
            new[...] = played[..., None, :]
        return made

    def value(
        self,
        response: Blueprint,
        boards: int,
        seed: int,
        threads: int = 1,
        *,
        watch: Watch | None = None,
        stop: Stop | None = None,
    ) -> Winnings:
        """Value a response over boards that `seed` draws, both seats of each being one observation."""

        def work(start: int, end: int, memory: tuple[BoardHands, BoardWorkspace]) -> NDArray[np.float64]:
            won = np.zeros(end - start)
            for player in range(PLAYERS):
                won += self._walk(start, end, Boards(seed, NOTHING, player), response.table, memory)
            return won

        def seen(now: Progress) -> None:
            if watch is not None:
                watch(Progress("valuing", now.done, boards, unit="boards"))

        won = in_pieces(work, boards, PIECE, self._valuing.workspaces(threads), watch=seen, stop=stop)
        parts = [round(each * PARTS) for each in np.concatenate(won).tolist()]
        return Winnings(len(parts), sum(parts), sum(part * part for part in parts), PARTS * self.big_blind)


def learned_response(
    blueprint: Blueprint,
    boards: int,
    *,
    post: PostProcessing = NONE,
    weight: float | None = None,
    seed: int = SEED,
    threads: int = 1,
) -> Blueprint:
    """Learn a response to an agent from `boards` for each seat; it is played greedily.

    See `Responder` for `post` and `weight`.
    """
    if boards < 1:
        raise InputError(f"a response is learned from one board at least, not {boards}")
    responder = Responder(blueprint, post=post, weight=weight, seed=seed)
    responder.learn(boards, threads)
    return responder.response(WAYS[0])


def response_winnings(blueprint: Blueprint, boards: int, valued: int, threads: int = 1) -> Winnings:
    """Value a response learned from `boards` over `valued` others; mbb a hand bound exploitability inside."""
    responder = Responder(blueprint)
    responder.learn(boards, threads)
    return responder.value(responder.response(WAYS[0]), valued, SEED + 1, threads)


def freeze(agent: TableAgent, tree: BettingTree, player: int, table: NDArray[np.float32]) -> None:
    """Write an agent's probabilities, as it plays them, in place of a player's regrets in a table."""
    mine = (tree.kind == DECISION) & (tree.player == player)
    acted = np.zeros(len(tree), dtype=np.int64)  # whether the player has acted before a node
    for node, above in enumerate(tree.parent.tolist()):
        if above >= 0:
            acted[node] = acted[above] or mine[above]
    for street in range(len(STREETS)):
        here = np.flatnonzero(mine & (tree.street == street))
        freeze_street(agent.playing, street, here, acted, workspace(), table)


def _rows(
    blueprint: Blueprint, other: Blueprint
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Yield each decision's rows in two tables, as views: float32[clusters, buckets, 2, actions]."""
    tree, layout = blueprint.tree, blueprint.layout
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        start, actions = int(tree.row[node]), int(tree.action_count[node])
        streets = [_street(table, layout, int(tree.street[node])) for table in (blueprint.table, other.table)]
        old, new = (
            street[..., start : start + 2 * actions].reshape(*street.shape[:2], 2, actions)
            for street in streets
        )
        yield old, new


def _street(table: NDArray[np.float32], layout: TableLayout, street: int) -> NDArray[np.float32]:
    """View a street's numbers, float32[clusters, buckets, numbers of one]; preflop is one cluster."""
    buckets, floats = int(layout.buckets[street]), int(layout.bucket[street])
    if street == 0:
        return table[: layout.head].reshape(1, buckets, floats)
    start = int(layout.street[street])
    arenas = table[layout.head :].reshape(layout.clusters, layout.arena)
    return arenas[:, start : start + buckets * floats].reshape(layout.clusters, buckets, floats)


@kernel
def freeze_street(agent, street, decisions, acted, room, table):  # type: ignore[no-untyped-def]
    """Write what an agent plays to the regrets of every row of some decisions of a street.

    agent: `Playing`. decisions: int64[]. acted: int64[nodes]. room: `Workspace`. table: float32[numbers].
    """
    layout, walk = agent.layout, room.walk
    for cluster in range(layout.clusters if street > 0 else 1):
        for bucket in range(layout.buckets[street]):
            start = row_start(layout, street, cluster, bucket)
            for number in range(len(decisions)):
                node = decisions[number]
                walk[NODE], walk[CLUSTER], walk[BUCKET], walk[ACTED] = node, cluster, bucket, acted[node]
                strategy(agent, room, street, np.bool_(True))
                for action in range(agent.nodes[node].actions):
                    table[start + agent.nodes[node].row + action] = np.float32(room.probabilities[action])
