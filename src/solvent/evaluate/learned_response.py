"""A best response inside a blueprint's own abstraction, learned by sampling.

A card abstraction forgets, so no pass over it finds the best response exactly. Here one is learned for each seat:
the opponent is the agent as it plays, post-processing included, frozen at its rows, and external sampling trains
the responder's rows (Lanctot, Waugh, Zinkevich and Bowling 2009). The responder begins with the agent's own
regrets, and the clock goes on: iteration i counts T + i, where T is the number of the agent's own iterations, so
that near equilibrium it begins with most of the work done. It can be played in two ways: greedily, taking the
action of greatest regret at each row, or by regret matching, which is safer at rows that sampling hardly came to.

Both seats together are a blueprint of their own, and what that wins on average is found as between any two agents
of one betting tree, by `play/expected`. It is a lower bound of what the best response inside the abstraction
wins, up to its 95 % interval; unlike a local best response it knows nothing that buckets do not. How long to
learn is decided by `response_doublings`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.forms.betting import DECISION, BettingTree
from solvent.forms.sampled import TableLayout, row_start
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.randomness import iteration_key
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.games.betting.rules import STREETS
from solvent.play.expected import expected_match
from solvent.play.statistics import Winnings
from solvent.play.table_agent import TableAgent, table_agent
from solvent.play.table_kernels import ACTED, BUCKET, CLUSTER, NODE, room, strategy
from solvent.solvers.blueprint.kernels import BlueprintRoom, blueprint_room, deal_hand
from solvent.solvers.blueprint.solver import BlueprintSolver
from solvent.solvers.sampled.tables.kernels import traverse
from solvent.solvers.sampled.tables.keys import walk_key
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import NONE, PostProcessing

PLAYERS = 2
SEED = 1_000_003
"""Seed of a response: its deals are not those that the blueprint was trained on."""
PIECE = 5_000
"""Iterations that a thread runs for one seat between two looks at the clock."""
WAYS = ("greedily", "by regret matching")
"""How a learned response can be played."""


class Responder:
    """A response to one blueprint, as far as it has been learned: a table for each seat."""

    def __init__(
        self,
        blueprint: Blueprint,
        *,
        post: PostProcessing = NONE,
        weight: float | None = None,
        clock: int | None = None,
        seed: int = SEED,
    ) -> None:
        """`post`: how the agent's strategy is post-processed when it plays.

        `weight`: the sum of the weights of the agent's iterations, by default that of linear weights. Regrets are
        scaled to what they would be with linear weights, which the responder goes on with.
        `clock`: the iterations that the agent's regrets count for, by default as many as it was trained for.
        """
        self.blueprint, self.seed = blueprint, seed
        self.done = [0] * PLAYERS
        """Iterations that each seat has had."""
        self.agent = table_agent("the agent", [blueprint], post=post)
        own = blueprint.iterations
        self.clock = own if clock is None else clock
        linear, weighed = (count * (count + 1) / 2 for count in (self.clock, own))
        scale = linear / (weight or weighed) if own else 1.0
        self.learners = [self._learner(player, np.float32(scale)) for player in range(PLAYERS)]

    def _learner(self, player: int, scale: np.float32) -> Blueprint:
        """A table in which `player` begins with the agent's regrets, times `scale`, and the opponent is frozen.

        The opponent's probabilities stand where regrets do: regret matching then plays them. Traversals for
        `player` write to the opponent's sums and leave those be.
        """
        tree = self.blueprint.tree
        made = Blueprint(tree, self.blueprint.cards)
        for node, own, new in _rows(self.blueprint, made):
            if tree.player[node] == player:
                new[..., 0, :] = own[..., 0, :] * scale
        freeze(self.agent, tree, 1 - player, made.table)
        return made

    @property
    def learned(self) -> int:
        """Iterations that both seats have had."""
        return min(self.done)

    def learn(
        self, iterations: int, threads: int = 1, *, watch: Watch | None = None, stop: Stop | None = None
    ) -> None:
        """Learn on until each seat has had `iterations` in all; threads write to the same tables.

        A stop, an interrupt or an error leaves what has been learned by then.
        """
        had, before, left = tuple(self.done), self.learned, iterations - self.learned
        arrays = [BlueprintSolver(learner).arrays("y1") for learner in self.learners]
        lookup, tables, clock = self.blueprint.cards.lookup, evaluator(), self.clock

        def work(first: int, last: int, memory: BlueprintRoom) -> None:
            player, start = first % PLAYERS, before + first // PLAYERS * PIECE
            start, end = max(start, had[player]), min(start + PIECE, iterations)
            learn_against(start, end, self.seed, clock, player, arrays[player], lookup, tables, memory)
            self.done[player] = max(self.done[player], end)

        def seen(now: Progress) -> None:
            if watch is not None:
                each = min(before + now.done / PLAYERS * PIECE, iterations)
                watch(Progress("learning", each, iterations, unit="iterations"))

        rooms = [blueprint_room() for _ in range(threads)]
        in_pieces(work, PLAYERS * max(0, -(-left // PIECE)), 1, rooms, watch=seen, stop=stop)

    def response(self, way: str) -> Blueprint:
        """The response as it is played in one of `WAYS`: a blueprint of its average strategy."""
        made = Blueprint(self.blueprint.tree, self.blueprint.cards)
        for player, learner in enumerate(self.learners):
            for node, old, new in _rows(learner, made):
                if made.tree.player[node] == player:
                    regrets = old[..., 0, :]
                    if way == WAYS[0]:
                        new[..., 1, :] = regrets == regrets.max(axis=-1, keepdims=True)
                    else:
                        new[..., 1, :] = np.maximum(regrets, 0)
        return made


def learned_response(
    blueprint: Blueprint,
    iterations: int,
    *,
    post: PostProcessing = NONE,
    weight: float | None = None,
    seed: int = SEED,
    threads: int = 1,
) -> Blueprint:
    """Learn a response to an agent in so many iterations for each seat; it is played greedily.

    See `Responder` for `post` and `weight`.
    """
    if iterations < 1:
        raise InputError(f"a response is learned in one iteration at least, not {iterations}")
    responder = Responder(blueprint, post=post, weight=weight, seed=seed)
    responder.learn(iterations, threads)
    return responder.response(WAYS[0])


def response_winnings(
    blueprint: Blueprint,
    iterations: int,
    pairs: int,
    *,
    post: PostProcessing = NONE,
    weight: float | None = None,
    seed: int = SEED,
    threads: int = 1,
) -> Winnings:
    """What a response learned in so many iterations wins: in mbb a hand, a bound of exploitability inside.

    pairs: pairs of deals over which its winnings are averaged.
    """
    response = learned_response(blueprint, iterations, post=post, weight=weight, seed=seed, threads=threads)
    agents = table_agent("response", [response]), table_agent("blueprint", [blueprint], post=post)
    return expected_match(*agents, pairs, seed=seed, threads=threads).winnings


def freeze(agent: TableAgent, tree: BettingTree, player: int, table: NDArray[np.float32]) -> None:
    """Write an agent's probabilities, as it plays them, where a player's regrets stand in a table."""
    acted = _acted(tree, player)
    for street in range(len(STREETS)):
        here = (tree.kind == DECISION) & (tree.street == street) & (tree.player == player)
        freeze_street(agent.playing, street, np.flatnonzero(here), acted, room(), table)


def _acted(tree: BettingTree, player: int) -> NDArray[np.int64]:
    """int64[nodes]: whether a player has acted before each node, 0 or 1."""
    acted = np.zeros(len(tree), dtype=np.int64)
    mine = (tree.kind == DECISION) & (tree.player == player)
    for node, above in enumerate(tree.parent.tolist()):
        if above >= 0:
            acted[node] = acted[above] or mine[above]
    return acted


def _rows(
    blueprint: Blueprint, other: Blueprint
) -> Iterator[tuple[int, NDArray[np.float32], NDArray[np.float32]]]:
    """Each decision with its rows in two tables, as views: float32[clusters, buckets, 2, actions]."""
    tree, layout = blueprint.tree, blueprint.layout
    streets = [
        [_street(table, layout, street) for table in (blueprint.table, other.table)] for street in range(4)
    ]
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        start, actions = int(tree.row[node]), int(tree.action_count[node])
        old, new = (
            table[..., start : start + 2 * actions].reshape(*table.shape[:2], 2, actions)
            for table in streets[int(tree.street[node])]
        )
        yield node, old, new


def _street(table: NDArray[np.float32], layout: TableLayout, street: int) -> NDArray[np.float32]:
    """A street's numbers as a view, float32[clusters, buckets, numbers of one]; preflop is one cluster."""
    buckets, floats = int(layout.buckets[street]), int(layout.bucket[street])
    if street == 0:
        return table[: layout.head].reshape(1, buckets, floats)
    start = int(layout.street[street])
    arenas = table[layout.head :].reshape(layout.clusters, layout.arena)
    return arenas[:, start : start + buckets * floats].reshape(layout.clusters, buckets, floats)


@kernel
def freeze_street(agent, street, decisions, acted, room, table):  # type: ignore[no-untyped-def]
    """Write what an agent plays to the regrets of every row of some decisions of a street.

    agent: `Playing`. decisions: int64[]. acted: int64[nodes]. room: `Room`. table: float32[numbers].
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


@kernel
def learn_against(start, end, seed, clock, player, blueprint, lookup, evaluator, room):  # type: ignore[no-untyped-def]
    """Iterations `start` to `end` for one player alone, iteration i counting `clock` + i + 1.

    The other's regrets stay as they are. blueprint: `BlueprintArrays`. room: `BlueprintRoom`.
    """
    for iteration in range(start, end):
        key = iteration_key(seed, iteration)
        outcome, _ = deal_hand(key, blueprint.layout, lookup, evaluator, room.random, room.deck, room.base)
        room.walks.random[0] = walk_key(key, player, 0)
        traverse(
            0, player, np.float32(clock + iteration + 1), blueprint.walk, blueprint.pays, room.base, outcome,
            blueprint.table, room.walks, np.float32(0), np.float32(0), None,
        )  # fmt: skip
