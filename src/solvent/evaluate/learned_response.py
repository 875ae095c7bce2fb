"""A best response inside a blueprint's own abstraction, learned by sampling, and what it wins.

A card abstraction forgets, so no pass over it finds the best response exactly. Here one is learned: the blueprint's
average strategy is frozen at one player's rows, external sampling trains the other player's (Lanctot, Waugh,
Zinkevich and Bowling 2009), and at each row the response takes the action of greatest regret. It begins with the
blueprint's own strategy, as if every row had been visited `PRIOR` times and each action had won as much of the
stake as it is likely: rows that sampling hardly comes to stay as they are. Both seats together are a blueprint of
their own, and what it wins on average is found as between any two agents of one betting tree, by `play/expected`.
That is a lower bound of the best response inside the abstraction, with a 95 % interval, and says how far training
has come; unlike a local best response it knows nothing that buckets do not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.forms.betting import DECISION
from solvent.forms.sampled import TableLayout
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.randomness import iteration_key
from solvent.foundation.kernels.threads import on_each
from solvent.play.expected import expected_match
from solvent.play.statistics import Winnings
from solvent.play.table_agent import table_agent
from solvent.solvers.blueprint.kernels import blueprint_room, deal_hand
from solvent.solvers.blueprint.solver import BlueprintSolver
from solvent.solvers.sampled.tables.kernels import traverse
from solvent.solvers.sampled.tables.keys import walk_key
from solvent.strategy.agents.blueprint import Blueprint

PLAYERS = 2
PRIOR = 1_000.0
"""Visits of a row that the blueprint's own strategy counts for at first."""
SEED = 1_000_003
"""Seed of a response: its deals are not those that the blueprint was trained on."""


def learned_response(
    blueprint: Blueprint, iterations: int, *, seed: int = SEED, threads: int = 1
) -> Blueprint:
    """Learn a response to a blueprint's average strategy, in so many iterations for each seat.

    Seats are learned side by side where there are threads for both.
    """
    if iterations < 1:
        raise InputError(f"a response is learned in one iteration at least, not {iterations}")
    learners = [frozen_opponent(blueprint, player, iterations) for player in range(PLAYERS)]
    arrays = [BlueprintSolver(learner).arrays("y1") for learner in learners]
    rooms, tables = [blueprint_room() for _ in range(PLAYERS)], evaluator()

    def learn(player: int) -> None:
        learn_against(iterations, seed, player, arrays[player], blueprint.cards.lookup, tables, rooms[player])

    if threads > 1:
        on_each(learn, PLAYERS)
    else:
        for player in range(PLAYERS):
            learn(player)
    return greedy(learners)


def response_winnings(
    blueprint: Blueprint, iterations: int, pairs: int, *, seed: int = SEED, threads: int = 1
) -> Winnings:
    """What a learned response wins from a blueprint: in mbb a hand, a bound of its exploitability inside.

    pairs: pairs of deals over which its winnings are averaged.
    """
    response = learned_response(blueprint, iterations, seed=seed, threads=threads)
    agents = table_agent("response", [response]), table_agent("blueprint", [blueprint])
    return expected_match(*agents, pairs, seed=seed, threads=threads).winnings


def frozen_opponent(blueprint: Blueprint, player: int, iterations: int) -> Blueprint:
    """A blueprint in which `player` begins with this one's average strategy, and the opponent stays with it.

    Sums of the opponent's rows stand where regrets do: regret matching then plays them. Traversals for `player`
    write to the opponent's sums and leave those be. `player`'s regrets are as of `PRIOR` visits, each weighed as
    the mean of so many iterations.
    """
    made, tree = Blueprint(blueprint.tree, blueprint.cards), blueprint.tree
    weight = PRIOR * (iterations + 1) / 2
    for node, old, new in _rows(blueprint, made):
        sums = old[..., 1, :]
        if tree.player[node] == player:
            stake = np.float32(weight * max(tree.paid[node]))
            total = sums.sum(axis=-1, keepdims=True)
            new[..., 0, :] = stake * np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
        else:
            new[..., 0, :] = sums
    return made


def greedy(learners: list[Blueprint]) -> Blueprint:
    """A blueprint whose average strategy at each player's rows is the action of greatest regret of that learner's.

    Where training never came all actions are alike.
    """
    made = Blueprint(learners[0].tree, learners[0].cards)
    for learner, player in zip(learners, range(PLAYERS), strict=True):
        for node, old, new in _rows(learner, made):
            if made.tree.player[node] == player:
                regrets = old[..., 0, :]
                best = regrets == regrets.max(axis=-1, keepdims=True)
                new[..., 1, :] = best
    return made


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
def learn_against(iterations, seed, player, blueprint, lookup, evaluator, room):  # type: ignore[no-untyped-def]
    """Iterations for one player alone, each counting as much as its number; the other's regrets stay as they are.

    blueprint: `BlueprintArrays`. room: `BlueprintRoom`.
    """
    for iteration in range(iterations):
        key = iteration_key(seed, iteration)
        outcome, _ = deal_hand(key, blueprint.layout, lookup, evaluator, room.random, room.deck, room.base)
        room.walks.random[0] = walk_key(key, player, 0)
        traverse(
            0, player, np.float32(iteration + 1), blueprint.walk, blueprint.pays, room.base, outcome,
            blueprint.table, room.walks, np.float32(0), np.float32(0), None,
        )  # fmt: skip
