"""Starting total pruning from the solution of a coarser game, so that the full game's tables never exist.

Brown and Sandholm (2017, section 1) note that total pruning needs the whole game's memory in its first
iterations, and that these can be left to a game with fewer bet sizes. The full game begins where the coarse
solve ended, after T iterations: kept actions have the coarse regrets, averages and sums of v(I). Behind an
action that the coarse game lacks both players have played the coarse average through the action mapping, which
is read from the coarse tables and never stored. Such an action begins pruned if T psi(I, a) <= sum v(I).
Otherwise it begins with the regret T psi(I, a) - sum v(I), and what the best response plays behind it is stored.

Lemma 1 of the paper lets an action start from its best response's regret where that is not positive. A positive one
adds its square to the potential that bounds exploitability, which `CoarseStart` reports.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.translation import lower_share
from solvent.engines.public.pruned.hand_blocks import ELSEWHERE, add_hands, block_of, holds
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.forms.public.game import DECISION, PublicGame
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import compiled, internal
from solvent.games.public_rules import FOLD

SIZE = re.compile(r"(bet|raise) ([0-9.]+)$")


@dataclass(frozen=True)
class CoarseStart:
    """Facts about a solve's start from a coarser game."""

    game: str
    iterations: int
    lacking: int
    """Infoset-actions of the nodes on the coarse game's lines that it lacks."""
    returned: int
    """Infoset-actions that were stored because some of those were worth playing."""
    potential: float
    """The sum of squared positive regrets after the start over that before it: CFR's bound grows by its square
    root."""


def start_from_coarse(solver: PrunedPublicSolver, coarse: PrunedPublicSolver) -> CoarseStart:
    """Begin a solve where that of a coarser game ended."""
    if not (solver.total and coarse.total):
        raise InputError(
            "a solve starts from a coarser game's run if both are pruned by total, on the public form"
        )
    if solver.iterations or solver.regrets.numbers:
        raise InputError("a start from a coarser game comes before the first iteration")
    if (
        str(solver.rule) != str(coarse.rule)
        or solver.updates != coarse.updates
        or solver.dtype != coarse.dtype
    ):
        raise InputError(
            f"{coarse.name} was solved by rule {coarse.rule} with {coarse.updates} updates in {coarse.dtype}; the "
            f"full game must be, too"
        )
    edges, kept = match_edges(solver.game, coarse.game)
    layout, tables = solver._layout, solver._stored()
    copy_kept(layout, coarse._layout, edges, kept, tables, coarse._stored())
    leave_elsewhere(layout, tables.averages, kept)
    solver.play_from(edges, coarse._layout.edge_block, coarse.averages)
    solver.iterations = coarse.iterations
    counts, before = np.zeros(1), solver.regrets.numbers
    first = potential(tables.regrets, tables.regret)
    waiting = await_measure(layout, tables, counts)
    for player in (0, 1):
        mine = solver.game.nodes.player[layout.block_node[waiting]] == player
        solver._settle(player, solver._step(), waiting[mine])
    solver._note_peak()
    return CoarseStart(
        coarse.name,
        coarse.iterations,
        int(counts[0]),
        solver.regrets.numbers - before,
        potential(tables.regrets, tables.regret) / first if first > 0 else 1.0,
    )


def match_edges(game: PublicGame, coarse: PublicGame) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Find for every edge of a game the coarse game's edge that stands for it, -1 where it lacks the action.

    Nodes behind an action that the coarse game lacks are played as those behind the nearest of its sizes. Also, for
    every node, the coarse node if all actions on the way there are in the coarse game, else -1.
    """
    if list(map(len, (r.boards for r in game.rounds))) != list(map(len, (r.boards for r in coarse.rounds))):
        raise InputError(f"{coarse.name} has other cards than {game.name}")
    if game.hands != coarse.hands:
        raise InputError(f"{coarse.name} has other hands than {game.name}")
    stands = np.full(len(game.nodes.symbol), -1, dtype=np.int32)
    kept = np.full(len(game.nodes.symbol), -1, dtype=np.int32)
    edges = np.full(len(game.nodes.child), -1, dtype=np.int32)
    stands[0] = kept[0] = 0
    starts = [{s.deal: s.start for s in here.subtrees} for here in game.rounds]
    others = [{s.deal: s.start for s in here.subtrees} for here in coarse.rounds]
    for node in range(len(stands)):
        like = int(stands[node])
        level = int(game.nodes.round[node])
        if game.betting[node].deals:
            child = starts[level + 1][node]
            stands[child] = others[level + 1][like]
            kept[child] = others[level + 1][like] if kept[node] >= 0 else -1
            continue
        if game.nodes.symbol[node] != DECISION:
            continue
        known = coarse.betting[like].actions
        first, coarse_first = int(game.nodes.first_edge[node]), int(coarse.nodes.first_edge[like])
        for k, action in enumerate(game.betting[node].actions):
            edge, child = first + k, int(game.nodes.child[first + k])
            if action in known:
                place = known.index(action)
                edges[edge] = coarse_first + place
                if kept[node] >= 0:
                    kept[child] = coarse.nodes.child[coarse_first + place]
            else:
                place = _nearest(game, node, action, known, coarse.name)
            stands[child] = coarse.nodes.child[coarse_first + place]
            if (game.nodes.symbol[child] == DECISION) != (coarse.nodes.symbol[stands[child]] == DECISION):
                raise InputError(
                    f"{coarse.name} is no coarser {game.name}: {action!r} does not lead to the same"
                )
    if (kept >= 0).sum() != len(coarse.nodes.symbol):
        raise InputError(f"{coarse.name} has actions that {game.name} lacks, so it is not a coarser one")
    return edges, kept


def _nearest(game: PublicGame, node: int, action: str, known: Sequence[str], name: str) -> int:
    """Choose which of the coarse game's sizes stands for one that it lacks: the more probable of its neighbours.

    That is the pseudo-harmonic mapping, with the larger of its two probabilities taken for 1.
    """
    wanted = SIZE.match(action)
    sizes = sorted(
        (float(found[2]), place)
        for place, found in ((k, SIZE.match(text)) for k, text in enumerate(known))
        if wanted and found and found[1] == wanted[1]
    )
    if wanted is None or not sizes:
        raise InputError(f"{name} has nothing like {action!r} after {game.betting[node].history!r}")
    child = game.betting[
        game.nodes.child[game.nodes.first_edge[node] + list(game.betting[node].actions).index(action)]
    ]
    folded = next(c.stake for c in child.children if c.symbol == FOLD)
    pot, size = 2 * abs(folded), float(wanted[2])
    below = [each for each in sizes if each[0] <= size]
    above = [each for each in sizes if each[0] > size]
    if not below or not above:
        return (below[-1] if below else above[0])[1]
    low = lower_share(size / pot, below[-1][0] / pot, above[0][0] / pot)
    return below[-1][1] if low >= 0.5 else above[0][1]


@internal
def copy_block(stored, block, slots, wanted, one, two, source, source_block, from_one, from_two):  # type: ignore[no-untyped-def]
    """Copy a block of the coarse game's tables with the hands that it has."""
    for hand in range(slots):
        wanted[hand] = holds(source, source_block, hand)
    add_hands(stored, block, slots, wanted, one, two)
    place, origin = stored.offset[block], source.offset[source_block]
    for k in range(source.count[source_block]):
        one[place + k] = from_one[origin + k]
        if len(two):
            two[place + k] = from_two[origin + k]


@compiled
def copy_kept(layout, coarse_layout, edges, kept, into, origin):  # type: ignore[no-untyped-def]
    """Copy regrets, averages and sums of values of all nodes and actions that the coarse game has."""
    tree = layout.tree
    wanted = np.zeros(max(layout.top.hand.shape[1], layout.last.hand.shape[1]))
    for node in range(len(tree.symbol)):
        if tree.symbol[node] != DECISION or kept[node] < 0:
            continue
        boards = layout.top if layout.level[node] == 0 else layout.last
        slots = boards.hand.shape[1]
        for board in range(len(boards.hand)):
            block = block_of(layout.node_block, node, board)
            like = block_of(coarse_layout.node_block, kept[node], board)
            copy_block(
                into.values, block, slots, wanted, into.value, into.bound,
                origin.values, like, origin.value, origin.bound,
            )  # fmt: skip
            for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
                if edges[edge] < 0:
                    continue
                block = block_of(layout.edge_block, edge, board)
                like = block_of(coarse_layout.edge_block, edges[edge], board)
                copy_block(
                    into.regrets, block, slots, wanted, into.regret, into.gap,
                    origin.regrets, like, origin.regret, origin.gap,
                )  # fmt: skip
                copy_block(
                    into.averages, block, slots, wanted, into.average, into.average[:0],
                    origin.averages, like, origin.average, origin.average[:0],
                )  # fmt: skip


@compiled
def leave_elsewhere(layout, averages, kept):  # type: ignore[no-untyped-def]
    """Mark the averages of all nodes that are not the coarse game's as read from its tables."""
    tree = layout.tree
    for node in range(len(tree.symbol)):
        if tree.symbol[node] == DECISION and kept[node] < 0:
            boards = layout.top if layout.level[node] == 0 else layout.last
            for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
                for board in range(len(boards.hand)):
                    averages.offset[block_of(layout.edge_block, edge, board)] = ELSEWHERE


@compiled
def await_measure(layout, tables, counts):  # type: ignore[no-untyped-def]
    """Mark infosets of which some actions are not stored for measuring; returns their blocks.

    `counts[0]` grows by the actions.
    """
    tree = layout.tree
    found = np.zeros(len(tables.values.offset), dtype=np.int64)
    size = 0
    for block in range(len(tables.values.offset)):
        if tables.values.offset[block] < 0:
            continue
        node = layout.block_node[block]
        board = (block - layout.node_block[node, 0]) // layout.node_block[node, 1]
        slots = (layout.top if layout.level[node] == 0 else layout.last).hand.shape[1]
        place = tables.values.offset[block]
        waits = False
        for hand in range(slots):
            if not holds(tables.values, block, hand):
                continue
            lacking = 0
            for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
                lacking += not holds(tables.regrets, block_of(layout.edge_block, edge, board), hand)
            tables.bound[place] = 0.0 if lacking else -np.inf
            counts[0] += lacking
            waits |= lacking > 0
            place += 1
        if waits:
            found[size] = block
            size += 1
    return found[:size]


@compiled
def potential(regrets, regret):  # type: ignore[no-untyped-def]
    """The sum of the squares of all regrets above 0."""
    total = 0.0
    for block in range(len(regrets.offset)):
        for k in range(regrets.count[block]):
            total += max(0.0, regret[regrets.offset[block] + k]) ** 2
    return total
