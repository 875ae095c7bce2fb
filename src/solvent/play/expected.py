"""What two agents of one betting tree win from each other, averaged over what they may draw.

Cards are dealt as in a match, in pairs with seats changed; but then the whole betting tree is walked, each action
weighted by how likely it is, and who is all-in has what his hand is worth over boards to come (all rivers after the
turn, some boards before). What is hardly ever reached is walked for its share of deals, at full weight. So the mean
is that of a match, with a narrower interval from as many deals: five times between versions of one strategy, hardly
where both play without chance.
"""

from __future__ import annotations

import contextlib
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.translation import CHILD, TOTAL
from solvent.abstraction.cards.dealing import bucket_of, lead, public_cluster
from solvent.cards.evaluator import evaluator
from solvent.forms.betting import DEAL, DECISION, FOLDED, BettingTree
from solvent.foundation.compiling import kernel
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Watch
from solvent.foundation.randomness import random_bits, random_unit
from solvent.foundation.threads import in_pieces
from solvent.games.betting.rules import FOLD
from solvent.play.matches import MatchResult
from solvent.play.statistics import Winnings
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import (
    ACTED,
    ACTIONS,
    ANYTHING,
    BUCKET,
    CLUSTER,
    FIRST,
    FOLDS,
    NODE,
    NODE_STREET,
    PAIRS,
    SQUARES,
    TABLE,
    WON,
    deal_pair,
    room,
    start_walk,
    strategy,
)

PARTS = 100
"""Winnings are counted in so many parts of a chip: whole numbers add up alike in any order."""
FAINT = 1e-4
"""Nodes less likely than this are reached as often as they are likely, and then with this likelihood."""
PIECE = 100
"""Pairs that a thread walks between two looks at the clock."""
BOARDS = (100, 50)
"""Boards to come that are drawn for who is all-in before the flop and on it."""


class Walked(NamedTuple):
    """What a kernel needs of the betting tree besides what an agent has."""

    kind: NDArray[np.int8]
    player: NDArray[np.int8]
    end: NDArray[np.int32]
    stake: NDArray[np.float64]
    """float64[nodes]: what each has put in that the other has matched."""


class Seat(NamedTuple):
    """One player's part of a walk."""

    bucket: NDArray[np.int64]
    """int64[4]: by street."""
    acted: NDArray[np.int8]
    """int8[nodes]: whether he has acted before a node."""


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
    progress: Watch | None = None,
    faint: float = FAINT,
) -> MatchResult:
    """Two agents of one betting tree, at least one of them with tables, over pairs of deals.

    Nodes less likely than `faint` are walked for their share of deals. An interrupt ends it with what was done.
    """
    tree = check_agents(a, b)
    rules = tree.abstraction.rules
    if pairs < 2:
        raise InputError(f"an interval takes two pairs of hands at least, not {pairs}")
    walked = Walked(tree.kind, tree.player, tree.end, tree.paid.min(axis=1).astype(np.float64))
    model = a if a.tree is not None else b
    done: list[NDArray[np.int64]] = []

    def work(first: int, last: int, number: int) -> None:
        counts = np.zeros(3, dtype=np.int64)
        seats = [Seat(np.zeros(4, dtype=np.int64), np.zeros(len(tree), dtype=np.int8)) for _ in range(2)]
        expected_pairs(
            first, last, seed, faint, model.playing, walked, a.playing, b.playing, room(), room(), *seats,
            np.zeros(len(tree)), Deal(np.zeros(52, np.int64), np.zeros(1, np.uint64), np.zeros(4)),
            evaluator(), counts,
        )  # fmt: skip
        done.append(counts)

    work(0, 0, 0)
    began = time.perf_counter()
    with contextlib.suppress(KeyboardInterrupt):
        in_pieces(work, pairs, PIECE, list(range(threads)), watch=progress, stage="pairs of deals")
    counted, won, squares = (int(sum(each[place] for each in done)) for place in (PAIRS, WON, SQUARES))
    winnings = Winnings(counted, won, squares, PARTS * rules.blinds[1])
    return MatchResult((a.name, b.name), winnings, 2 * pairs, time.perf_counter() - began)


def check_agents(a: TableAgent, b: TableAgent) -> BettingTree:
    """The tree of two agents that can be walked together."""
    trees = [agent.tree for agent in (a, b) if agent.tree is not None]
    if not trees or any(tree.abstraction != trees[0].abstraction for tree in trees):
        raise InputError(
            f"{a.name} and {b.name} have no betting tree in common, so their hands must be played"
        )
    for agent in (a, b):
        if agent.playing.kind == ANYTHING:
            raise InputError(
                f"{agent.name} bets any amount and has no betting tree: his hands must be played"
            )
        if agent.playing.by_reach:
            raise InputError(f"{agent.name} weighs its runs by a hand's history: its hands must be played")
    return trees[0]


def can_be_averaged(a: TableAgent, b: TableAgent) -> bool:
    """Whether two agents can be walked together."""
    try:
        check_agents(a, b)
    except InputError:
        return False
    return True


@kernel
def expected_pairs(  # type: ignore[no-untyped-def]
    start,
    stop,
    seed,
    faint,
    model,
    walked,
    a,
    b,
    a_room,
    b_room,
    a_seat,
    b_seat,
    reach,
    deal,
    evaluator,
    counts,
):
    """Pairs `start` to `stop`, as `play_pairs` has them; winnings in parts of a chip."""
    for pair in range(start, stop):
        deal.random[0] = deal_pair(seed, pair, deal.deck, deal.random)
        shares(deal, evaluator)
        won = expected_hand(deal, faint, model, walked, a, b, a_room, b_room, a_seat, b_seat, reach)
        won -= expected_hand(deal, faint, model, walked, b, a, b_room, a_room, b_seat, a_seat, reach)
        parts = np.int64(np.rint(won * PARTS))
        counts[PAIRS] += 1
        counts[WON] += parts
        counts[SQUARES] += parts * parts


@kernel
def shares(deal, evaluator):  # type: ignore[no-untyped-def]
    """What player 0's hand wins of a stake when betting ends on each street; the cards stay as they are."""
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


@kernel
def expected_hand(  # type: ignore[no-untyped-def]
    deal, faint, model, walked, first, second, first_room, second_room, first_seat, second_seat, reach
):
    """What the button wins on average from these cards. reach: float64[nodes], zeros before and after."""
    nodes, edges, won, node = model.nodes, model.edges, 0.0, np.int64(0)
    look(first, first_room, first_seat, deal.deck, 0)
    look(second, second_room, second_seat, deal.deck, 1)
    reach[0] = 1.0
    first_seat.acted[0] = second_seat.acted[0] = 0
    while node < len(reach):
        kind, here = walked.kind[node], reach[node]
        if here == 0.0:
            node = node + 1 if kind == DEAL else np.int64(walked.end[node])
            continue
        reach[node] = 0.0
        if kind != DECISION:
            if kind == FOLDED:
                won += here * walked.stake[node] * (2 * walked.player[node] - 1)
            else:
                won += here * walked.stake[node] * deal.share[nodes[node, NODE_STREET]]
            node += 1
            continue
        button = walked.player[node] == 0
        if button:
            think(first, first_room, first_seat, model, node)
        else:
            think(second, second_room, second_seat, model, node)
        probabilities = first_room.probabilities if button else second_room.probabilities
        for action in range(nodes[node, ACTIONS]):
            child = edges[nodes[node, FIRST] + action, CHILD]
            likely = here * probabilities[action]
            if 0 < likely < faint and walked.kind[child] == DECISION:
                likely = faint if random_unit(deal.random) * faint < likely else 0.0
            reach[child] = likely
            first_seat.acted[child] = 1 if button else first_seat.acted[node]
            second_seat.acted[child] = second_seat.acted[node] if button else 1
        node += 1
    return won


@kernel
def look(agent, room, seat, deck, who):  # type: ignore[no-untyped-def]
    """A player's buckets on every street."""
    start_walk(agent, room)
    if agent.kind != TABLE:
        return
    room.walk[CLUSTER] = public_cluster(deck, agent.lookup)
    for street in range(4):
        found = bucket_of(deck, who, street, room.walk[CLUSTER], agent.lookup)
        seat.bucket[street] = min(found, agent.layout[4, street] - 1)


@kernel
def think(agent, room, seat, model, node):  # type: ignore[no-untyped-def]
    """The probabilities of a player's actions at a node, in his room."""
    if agent.kind == TABLE:
        street = np.int64(model.nodes[node, NODE_STREET])
        room.walk[NODE], room.walk[ACTED] = node, seat.acted[node]
        room.walk[BUCKET] = seat.bucket[street]
        strategy(agent, room, street, True)
        return
    may_fold = model.edges[model.nodes[node, FIRST], TOTAL] == FOLD
    for action in range(model.nodes[node, ACTIONS]):
        room.probabilities[action] = 0.0
    room.probabilities[0 if agent.kind == FOLDS or not may_fold else 1] = 1.0
