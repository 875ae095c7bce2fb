"""Winnings of the traverser's hands at the terminals of a street, against the other player's reach."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solvent.engines.holdem import sweep_code as _sweep_code
from solvent.engines.vectors.code import WIDTH
from solvent.forms.holdem.game import NO_CARD
from solvent.foundation.kernels.compiling import inlined, internal

Array = Any

code: Any = _sweep_code
"""Intrinsics, whose types only the compiler knows."""


class Scratch(NamedTuple):
    """One thread's space for one group of lanes, and where it is in the game."""

    reach: Array
    """float[(slots + 1) x WIDTH]: the other's reach; the row past the last slot is 0."""
    won: Array
    """float[slots x WIDTH]"""
    sums: Array
    """float[(cards + 2) x WIDTH]: P, then P_c of each card and of none."""
    board: Array
    """int64[streets]: the board that is being visited on each street."""
    child: Array
    """int64[streets]: the next board after it."""


def scratch_for(dtype: np.dtype[Any], slots: int, streets: int) -> Scratch:
    """Space for one thread."""
    return Scratch(
        np.zeros((slots + 1) * WIDTH, dtype=dtype),
        np.zeros(slots * WIDTH, dtype=dtype),
        np.zeros((NO_CARD + 2) * WIDTH, dtype=dtype),
        np.zeros(streets, dtype=np.int64),
        np.zeros(streets, dtype=np.int64),
    )


@inlined
def slot_of(plan, street, player, board):  # type: ignore[no-untyped-def]
    """The place where a player's slots on a board begin in arrays by slot."""
    here = plan.streets[street]
    return here.slot_at[player] + (board - here.first_board) * here.slots[player]


@inlined
def empty_slots(sums):  # type: ignore[no-untyped-def]
    """Let P - P_a - P_b be 0 for the cards of a slot without a hand: nothing is won there, nor learnt."""
    for lane in range(WIDTH):
        sums[(1 + NO_CARD) * WIDTH + lane] = sums[lane] / 2


@inlined
def evaluate(plan, street, player, board, bundle, work, scratch):  # type: ignore[no-untyped-def]
    """Value the folds and showdowns of a bundle on one board."""
    boards, lanes, here = plan.boards, plan.lanes, plan.streets[street]
    flat, slots, others = boards.flat, here.slots[player], here.slots[1 - player]
    own, other = slot_of(plan, street, player, board), slot_of(plan, street, 1 - player, board)
    held, against = boards.count[player, board], boards.count[1 - player, board]
    sums, reach, won = scratch.sums, scratch.reach, scratch.won
    for lane in range(WIDTH):
        reach[others * WIDTH + lane] = 0
    for k in range(held * WIDTH, slots * WIDTH):
        won[k] = 0
    for group in range(lanes.first[player, bundle], lanes.stop[player, bundle]):
        first = group * WIDTH
        code.gather(reach, work, lanes.source, first, others)
        for k in range(len(sums)):
            sums[k] = 0
        if lanes.showdowns[group]:
            code.sweep(
                sums, reach, (flat.card, flat.alike), other, won, own, (flat.tie, flat.below, flat.upto),
                own - boards.ranked_at, (lanes.ahead, lanes.level), first, held, against,
            )  # fmt: skip
            empty_slots(sums)
            if lanes.raked[group]:
                code.give_showdowns(
                    sums, reach, flat.alike, own, flat.same, work, lanes.shown, (lanes.behind, lanes.tied),
                    first, slots, won,
                )  # fmt: skip
            else:
                code.give_showdowns(
                    sums, reach, flat.alike, own, flat.same, work, lanes.shown, (lanes.behind,), first, slots,
                    won,
                )  # fmt: skip
        else:
            code.pile(sums, reach, flat.card, other, against)
            empty_slots(sums)
        if lanes.folds[group]:
            code.give_folds(
                sums, reach, flat.alike, own, flat.same, work, lanes.given, lanes.stake, first, slots
            )


@internal
def run_out(plan, street, player, board, number, work, scratch):  # type: ignore[no-untyped-def]
    """Value an all-in before the last street: a product with what the boards to come pay."""
    nodes, pays, here = plan.nodes, plan.lanes.run_outs, plan.streets[street]
    first, second = here.slots[0], here.slots[1]
    at = here.won_at + (board - here.first_board) * first * second
    node = nodes.run_outs[number]
    source, target = nodes.reach_at[player, node], nodes.value_at[player, node]
    # The matrix has player 0's slots in rows and counts what player 0 wins.
    if player == 0:
        code.weigh_rows(work, target, source, plan.boards.flat.won, at, first, second, pays[0, number, 0])
    else:
        code.weigh_columns(work, target, source, plan.boards.flat.won, at, first, second, -pays[1, number, 0])
    if pays[player, number, 1] != 0.0 or pays[player, number, 2] != 0.0:
        add_raked(plan, street, player, board, number, work, scratch)


@internal
def add_raked(plan, street, player, board, number, work, scratch):  # type: ignore[no-untyped-def]
    """Add to a run-out what ties and all boards pay where the pot is raked."""
    boards, here, node = plan.boards, plan.streets[street], plan.nodes.run_outs[number]
    flat = boards.flat
    source, target = plan.nodes.reach_at[player, node], plan.nodes.value_at[player, node]
    own, other = slot_of(plan, street, player, board), slot_of(plan, street, 1 - player, board)
    at = here.won_at + (board - here.first_board) * here.slots[0] * here.slots[1]
    across = here.slots[1] if player == 0 else 1
    along = 1 if player == 0 else here.slots[1]
    sums = scratch.sums
    for k in range(NO_CARD + 1):
        sums[k] = 0
    total = 0.0
    for k in range(boards.count[1 - player, board]):
        reach = work[source + k]
        total += reach
        sums[flat.card[2 * (other + k)]] += reach
        sums[flat.card[2 * (other + k) + 1]] += reach
    for k in range(boards.count[player, board]):
        apart = total - sums[flat.card[2 * (own + k)]] - sums[flat.card[2 * (own + k) + 1]]
        if flat.same[own + k] < here.slots[1 - player]:
            apart += work[source + flat.same[own + k]]
        tied = 0.0
        for j in range(boards.count[1 - player, board]):
            tied += flat.tied[at + k * across + j * along] * work[source + j]
        work[target + k] += plan.lanes.run_outs[player, number, 2] * apart
        work[target + k] += plan.lanes.run_outs[player, number, 1] * tied
