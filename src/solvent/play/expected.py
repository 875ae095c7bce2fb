"""Winnings of two agents of one betting tree from each other, averaged over what they may draw.

Cards are dealt as in a match, in pairs with seats changed; but then the whole betting tree is walked, each action
weighted by how likely it is, and a player who is all-in has what the hand is worth over boards to come (all rivers
after the turn, some boards before). What is hardly ever reached is walked for its share of deals, at full weight.
So the mean is that of a match, with a narrower interval from as many deals: five times narrower between versions of
one strategy, hardly narrower where both play without chance.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.dealing import deal_bucket, deal_cluster, lead
from solvent.cards.evaluator import evaluator
from solvent.forms.betting.tree import DEAL, DECISION, FOLDED, BettingTree
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.foundation.kernels.randomness import random_bits, random_unit
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Held, Progress, Stop, Watch
from solvent.games.betting.rules import FOLD
from solvent.play.matches import MatchResult
from solvent.play.statistics import Winnings
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import (
    ACTED,
    ANYTHING,
    BUCKET,
    CLUSTER,
    FOLDS,
    NODE,
    PAIRS,
    SQUARES,
    TABLE,
    WON,
    Playing,
    Workspace,
    deal_pair,
    start_walk,
    strategy,
    workspace,
)

PARTS = 100
"""Parts of a chip that winnings are counted in: sums of whole numbers do not depend on their order."""
FAINT = 1e-4
"""Nodes less likely than this are reached as often as they are likely, and then with this likelihood."""
PIECE = 100
"""Pairs that a thread walks between two looks at the clock."""
BOARDS = (100, 50)
"""Boards to come that are drawn for who is all-in before the flop and on it."""


class Player(NamedTuple):
    """One player of a walk."""

    agent: Playing
    room: Workspace
    bucket: NDArray[np.int64]
    """int64[4]: the hand's bucket on each street"""
    acted: NDArray[np.int8]
    """int8[nodes]: whether the player has acted before a node"""


class Deal(NamedTuple):
    """The cards of a pair of hands."""

    deck: NDArray[np.int64]
    random: NDArray[np.uint64]
    share: NDArray[np.float64]
    """float64[4]: what player 0's hand wins of a stake, -1 to 1 on average, by the street on which betting ends."""


def expected_match(
    a: TableAgent,
    b: TableAgent,
    pairs: int,
    seed: int = 0,
    threads: int = 1,
    faint: float = FAINT,
    *,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> MatchResult:
    """Play two agents of one betting tree, at least one of them with tables, over pairs of deals.

    Nodes less likely than `faint` are walked for their share of deals. A stop ends it with what was done;
    Ctrl-C raises `Interrupted` with that as its result.
    """
    tree = check_agents(a, b)
    rules = tree.abstraction.rules
    if pairs < 2:
        raise InputError(f"an interval takes two pairs of hands at least, not {pairs}")
    done: list[NDArray[np.int64]] = []

    def work(first: int, last: int, number: int) -> None:
        counts = np.zeros(3, dtype=np.int64)
        players = [
            Player(
                agent.playing, workspace(), np.zeros(4, dtype=np.int64), np.zeros(len(tree), dtype=np.int8)
            )
            for agent in (a, b)
        ]
        deal = Deal(np.zeros(52, np.int64), np.zeros(1, np.uint64), np.zeros(4))
        expected_pairs(
            first, last, seed, faint, tree.nodes, tree.edges, *players, np.zeros(len(tree)), deal, evaluator(),
            counts,
        )  # fmt: skip
        done.append(counts)

    def seen(now: Progress) -> None:
        if watch is not None:
            watch(Progress("playing", 2 * now.done, 2 * pairs, unit="hands"))

    work(0, 0, 0)
    began = time.perf_counter()
    held = Held(stop)
    with held:
        in_pieces(work, pairs, PIECE, list(range(threads)), watch=seen, stop=stop)
    counted, won, squares = (int(sum(each[place] for each in done)) for place in (PAIRS, WON, SQUARES))
    winnings = Winnings(counted, won, squares, PARTS * rules.blinds[1])
    return held.result(MatchResult((a.name, b.name), winnings, 2 * pairs, time.perf_counter() - began))


def check_agents(a: TableAgent, b: TableAgent) -> BettingTree:
    """Return the tree of two agents that can be walked together; one may remember more of the betting."""
    trees = [agent.tree for agent in (a, b) if agent.tree is not None]
    if not trees or any(not tree.abstraction.offers_as(trees[0].abstraction) for tree in trees):
        raise InputError(
            f"{a.name} and {b.name} have no betting tree in common, so their hands must be played"
        )
    for agent in (a, b):
        if agent.playing.kind == ANYTHING:
            raise InputError(
                f"{agent.name} bets any amount and has no betting tree, so its hands must be played"
            )
        if agent.playing.by_reach:
            raise InputError(f"{agent.name} weighs its runs by a hand's history: its hands must be played")
    return trees[0]


def can_be_averaged(a: TableAgent, b: TableAgent) -> bool:
    """Return whether two agents can be walked together."""
    try:
        check_agents(a, b)
    except InputError:
        return False
    return True


@kernel
def expected_pairs(start, stop, seed, faint, nodes, edges, a, b, reach, deal, evaluator, counts):  # type: ignore[no-untyped-def]
    """Play pairs `start` to `stop`, as `play_pairs` deals them, of two `Player`s; winnings in parts of a chip."""
    for pair in range(start, stop):
        deal.random[0] = deal_pair(seed, pair, deal.deck, deal.random)
        shares(deal, evaluator)
        won = expected_hand(deal, faint, nodes, edges, a, b, reach)
        won -= expected_hand(deal, faint, nodes, edges, b, a, reach)
        parts = np.int64(np.rint(won * PARTS))
        counts[PAIRS] += 1
        counts[WON] += parts
        counts[SQUARES] += parts * parts


@kernel
def shares(deal, evaluator):  # type: ignore[no-untyped-def]
    """Find the share of a stake that player 0's hand wins if betting ends on each street; cards stay put."""
    deck, random, share = deal
    share[3] = np.sign(lead(deck, evaluator))
    won, river = 0, deck[8]
    for place in range(8, 52):
        deck[8], deck[place] = deck[place], deck[8]
        won += np.sign(lead(deck, evaluator))
        deck[8], deck[place] = deck[place], deck[8]
    share[2] = won / 44
    kept = (deck[4], deck[5], deck[6], deck[7], river)
    for street in range(2):
        won, first = 0, 4 + 3 * street
        for _ in range(BOARDS[street]):
            for place in range(first, 9):
                drawn = place + np.int64(random_bits(random) % np.uint64(52 - place))
                deck[place], deck[drawn] = deck[drawn], deck[place]
            won += np.sign(lead(deck, evaluator))
        share[street] = won / BOARDS[street]
        for place in range(first, 9):  # back to what was dealt
            for other in range(place, 52):
                if deck[other] == kept[place - 4]:
                    deck[place], deck[other] = deck[other], deck[place]
                    break


@internal
def expected_hand(deal, faint, nodes, edges, button, blind, reach):  # type: ignore[no-untyped-def]
    """Return the button's mean winnings from these cards. reach: float64[nodes], zeros before and after."""
    won, node = 0.0, np.int64(0)
    look(button, deal.deck, np.int64(0))
    look(blind, deal.deck, np.int64(1))
    reach[0] = 1.0
    button.acted[0] = blind.acted[0] = 0
    while node < len(reach):
        kind, here = nodes[node].kind, reach[node]
        if here == 0.0:
            node = node + 1 if kind == DEAL else np.int64(nodes[node].end)
            continue
        reach[node] = 0.0
        if kind != DECISION:
            stake = here * np.float64(min(nodes[node].paid[0], nodes[node].paid[1]))
            if kind == FOLDED:
                won += stake * (2 * nodes[node].player - 1)
            else:
                won += stake * deal.share[nodes[node].street]
            node += 1
            continue
        on_button = nodes[node].player == 0
        if on_button:
            think(button, nodes, edges, node)
        else:
            think(blind, nodes, edges, node)
        probabilities = button.room.probabilities if on_button else blind.room.probabilities
        for action in range(nodes[node].actions):
            child = edges[nodes[node].first_edge + action].behind
            likely = here * probabilities[action]
            if 0 < likely < faint and nodes[child].kind == DECISION:
                likely = faint if random_unit(deal.random) * faint < likely else 0.0
            reach[child] = likely
            button.acted[child] = 1 if on_button else button.acted[node]
            blind.acted[child] = blind.acted[node] if on_button else 1
        node += 1
    return won


@internal
def look(player, deck, who):  # type: ignore[no-untyped-def]
    """Look up a player's buckets on every street."""
    agent, walk = player.agent, player.room.walk
    start_walk(agent, player.room)
    if agent.kind != TABLE:
        return
    walk[CLUSTER] = deal_cluster(deck, agent.lookup)
    for street in range(4):
        player.bucket[street] = deal_bucket(deck, who, street, walk[CLUSTER], agent.lookup)


@internal
def think(player, nodes, edges, node):  # type: ignore[no-untyped-def]
    """Write the probabilities of a player's actions at a node into the player's workspace."""
    agent, room = player.agent, player.room
    if agent.kind == TABLE:
        street = np.int64(nodes[node].street)
        room.walk[NODE], room.walk[ACTED] = node, player.acted[node]
        room.walk[BUCKET] = player.bucket[street]
        strategy(agent, room, street, np.bool_(True))
        return
    may_fold = edges[nodes[node].first_edge].action == FOLD
    for action in range(nodes[node].actions):
        room.probabilities[action] = 0.0
    room.probabilities[0 if agent.kind == FOLDS or not may_fold else 1] = 1.0
