"""A hold'em game laid out for the kernels: which rows of a workspace hold what, and which terminals share a sweep.

The workspace of a board is a row of reach (the other player's) and a row of values (the traverser's) for its nodes.
An action changes the reach of the player who takes it alone, so behind the traverser's actions a child shares its
parent's row. On streets before the last one all nodes have rows of their own; on the last street subtrees are
visited in *bundles*, small enough for the cache, that use the same rows one after another, and all terminals of a
bundle are lanes of the same sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.vectors.code import WIDTH
from solvent.forms.holdem.game import FlatArrays, HoldemGame
from solvent.forms.holdem.tree import DEAL, DECISION, FOLDED, RUN_OUT, SHOWN
from solvent.forms.numbering import Subtree
from solvent.foundation.errors import InputError

Array = Any

BUNDLE_LANES = 48
"""Lanes from which on a bundle of subtrees is full."""


class Nodes(NamedTuple):
    """The betting tree for kernels. A leading axis of 2 is the traverser."""

    kind: Array
    player: Array
    first_edge: Array
    edge_at: Array
    """int64[edges]: where an action's numbers begin among those of a board."""
    reach_at: Array
    """int64[2, nodes]: where the row of the other's reach begins."""
    value_at: Array
    """int64[2, nodes]: where the row of the traverser's values begins."""
    child_reach: Array
    """int64[2, edges]: `reach_at` of the child behind each edge."""
    child_value: Array
    """int64[2, edges]: `value_at` likewise."""
    deals: Array
    """int64[deals]: the nodes at which cards are dealt."""
    below: Array
    """int64[deals]: the subtree that follows each."""
    subtrees: Array
    """int64[subtrees, 2]: the root, and the deal above it (-1 for none)."""
    bundles: Array
    """int64[bundles, 4]: first node, one past the last, first subtree, one past the last."""
    run_outs: Array
    """int64[run-outs]: the nodes that are run-outs."""
    number: Array
    """int64[nodes]: the number of a decision among those of its street."""


STREET = np.dtype(
    [
        (f"{end}_{name}", np.int64)
        for name in ("board", "bundle", "deal", "run_out")
        for end in ("first", "stop")
    ]
    + [(name, np.int64) for name in ("table_at", "board_cells", "scale_at", "decisions")]
    + [(name, np.int64) for name in ("won_at", "work_at", "work_stop")]
    + [(name, np.int64, (2,)) for name in ("slots", "slot_at")]
)
"""The places where a street's part begins and ends in arrays of all streets side by side.

`table_at` is where its numbers begin in a table and `board_cells` how many a board has; `scale_at` is where the
scales of its decisions begin, for tables of int16, and `decisions` how many there are on a board; `won_at` is where
its run-outs begin; `work_at` where its workspace begins in a thread's. `slots` are those of each player on a board,
`slot_at` where those of its first board begin.
"""


class Boards(NamedTuple):
    """The boards of all streets, and the hands on them by player, street, board and slot."""

    parent: Array
    """int64[boards]: the number of the board before."""
    first_child: Array
    """int64[boards]: the first board after it."""
    stop_child: Array
    """int64[boards]: one past the last."""
    multiplicity: Array
    symmetric: Array
    """bool[boards]: whether renaming suits turns hands into each other."""
    count: Array
    """int64[2, boards]: hands of each player."""
    flat: FlatArrays
    ranked_at: int
    """The last street's slots in `tie`, `below` and `upto` of `flat` begin at its `slot_at` less this."""


class Lanes(NamedTuple):
    """Terminals as lanes in groups of WIDTH; a lane without a terminal writes to a row that nobody reads."""

    first: Array
    """int64[2, bundles]: the first group of each bundle, by traverser."""
    stop: Array
    """int64[2, bundles]: one past the last group."""
    source: Array
    """int64[groups x WIDTH]: the row with the other's reach."""
    shown: Array
    """int64[groups x WIDTH]: the row for what a showdown pays."""
    ahead: Array
    """float[groups x WIDTH]: what it pays for D-, and for D+, D* and a tie in the next three."""
    level: Array
    behind: Array
    tied: Array
    given: Array
    """int64[groups x WIDTH]: the row for what a fold pays."""
    stake: Array
    showdowns: Array
    """bool[groups]: whether any lane has a showdown."""
    folds: Array
    raked: Array
    """bool[groups]: whether a tie pays anything."""
    run_outs: Array
    """float64[2, run-outs, 3]: what the traverser is paid for a board won, a tie and any board."""


class Plan(NamedTuple):
    """A game laid out for kernels."""

    nodes: Nodes
    boards: Boards
    lanes: Lanes
    streets: Array
    """`STREET`[streets]"""
    root_reach: Array
    """float[hands of player 1, then of player 0]: their weights, with which reach begins."""
    root_at: Array
    """int64[2]: where the other's begin, by traverser."""


def lay_out(game: HoldemGame, dtype: np.dtype[Any]) -> Plan:
    """Lay a game out for kernels that compute in `dtype`; refused where a payoff is too large for it."""
    tree = game.tree
    bundles = [_bundles(game, number) for number in range(len(game.streets))]
    reach_at, value_at, sizes = _rows(game, bundles)
    scale = np.cumprod([street.probability for street in game.streets]) * game.deal_scale
    every = [bundle for street in bundles for bundle in street]
    ends = np.cumsum([len(bundle) for bundle in every])
    run_outs, deals = np.flatnonzero(tree.kind == RUN_OUT), np.flatnonzero(tree.kind == DEAL)
    behind = {one.deal: number for number, one in enumerate(one for bundle in every for one in bundle)}
    nodes = Nodes(
        kind=tree.kind,
        player=tree.player,
        first_edge=tree.first_edge,
        edge_at=game.edge_at,
        reach_at=reach_at,
        value_at=value_at,
        child_reach=np.ascontiguousarray(reach_at[:, tree.child]),
        child_value=np.ascontiguousarray(value_at[:, tree.child]),
        deals=deals,
        below=np.array([behind[node] for node in deals.tolist()], dtype=np.int64),
        subtrees=np.array([(one.start, one.deal) for bundle in every for one in bundle], dtype=np.int64),
        bundles=np.array(
            [(one[0].start, one[-1].stop, end - len(one), end) for one, end in zip(every, ends, strict=True)],
            dtype=np.int64,
        ),
        run_outs=run_outs,
        number=_numbers(game),
    )
    with np.errstate(over="ignore"):
        lanes = _lanes(game, every, np.asarray(scale, dtype=np.float64), reach_at, value_at, dtype)
    _check_finite(lanes, dtype)
    return Plan(
        nodes=nodes,
        boards=_boards(game),
        lanes=lanes,
        streets=_streets(game, nodes, sizes),
        root_reach=np.concatenate(game.weights[::-1]).astype(dtype),
        root_at=np.array([0, len(game.weights[1])]),
    )


def _check_finite(lanes: Lanes, dtype: np.dtype[Any]) -> None:
    """Refuse payoffs, times the chance of a deal, that `dtype` turns into infinity."""
    with np.errstate(over="ignore"):
        run_outs = lanes.run_outs.astype(dtype)
    paid = (lanes.ahead, lanes.level, lanes.behind, lanes.tied, lanes.stake, run_outs)
    if not all(np.isfinite(numbers).all() for numbers in paid):
        instead = "solve it with dtype float64" if dtype != np.float64 else "bring them closer together"
        raise InputError(
            f"weights and chips of this spot are too far apart for {dtype}: payoffs overflow; {instead}"
        )


def _bundles(game: HoldemGame, number: int) -> list[list[Subtree]]:
    """The subtrees of a street in bundles: all in one before the last street, else few at a time."""
    subtrees = list(game.tree.subtrees[number])
    if number < len(game.streets) - 1:
        return [subtrees]
    bundles: list[list[Subtree]] = [[]]
    lanes = 0
    for subtree in subtrees:
        here = int((game.tree.kind[subtree.start : subtree.stop] >= 0).sum())
        if bundles[-1] and lanes + here > BUNDLE_LANES:
            bundles.append([])
            lanes = 0
        bundles[-1].append(subtree)
        lanes += here
    return bundles


def _rows(
    game: HoldemGame, bundles: Sequence[Sequence[Sequence[Subtree]]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[int]]:
    """The places of each node's rows of reach and values, by traverser, and the size of each street's workspace.

    The first row of a workspace is the one that nobody reads.
    """
    tree = game.tree
    reach_at, value_at = np.zeros((2, 2, len(tree.kind)), dtype=np.int64)
    sizes = [0] * len(game.streets)
    for number, street in enumerate(game.streets):
        for player in (0, 1):
            values, reach = street.sides[player].slots, street.sides[1 - player].slots
            start = used = max(reach, values)
            for bundle in bundles[number]:
                used = start if number == len(game.streets) - 1 else used
                for subtree in bundle:
                    reach_at[player, subtree.start], used = used, used + reach
                    for node in range(subtree.start, subtree.stop):
                        value_at[player, node], used = used, used + values
                        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
                            if tree.player[node] == player:
                                reach_at[player, tree.child[edge]] = reach_at[player, node]
                            else:
                                reach_at[player, tree.child[edge]], used = used, used + reach
                sizes[number] = max(sizes[number], used)
    return reach_at, value_at, sizes


def _numbers(game: HoldemGame) -> NDArray[np.int64]:
    """The number of each decision among those of its street."""
    tree = game.tree
    before = np.cumsum(tree.kind == DECISION) - (tree.kind == DECISION)
    first = before[np.searchsorted(tree.street, tree.street)]
    return np.asarray(before - first, dtype=np.int64)


def _streets(game: HoldemGame, nodes: Nodes, sizes: Sequence[int]) -> NDArray[Any]:
    tree, found = game.tree, np.zeros(len(game.streets), dtype=STREET)
    board = won = work = slot = scale = 0
    for number, street in enumerate(game.streets):
        here = found[number]
        here["first_board"], board = board, board + len(street.boards)
        here["stop_board"] = board
        for name, which in (
            ("bundle", nodes.bundles[:, 0]),
            ("deal", nodes.deals),
            ("run_out", nodes.run_outs),
        ):
            of_street = tree.street[which]
            here[f"first_{name}"] = np.searchsorted(of_street, number)
            here[f"stop_{name}"] = np.searchsorted(of_street, number, side="right")
        here["table_at"], here["board_cells"] = game.street_at[number], game.board_cells[number]
        here["decisions"] = tree.decisions(number)
        here["scale_at"], scale = scale, scale + len(street.boards) * tree.decisions(number)
        here["won_at"], won = won, won + street.run_outs.won.size
        here["work_at"], work = work, work + sizes[number]
        here["work_stop"] = work
        for player, side in enumerate(street.sides):
            here["slots"][player] = side.slots
            here["slot_at"][player], slot = slot, slot + side.hand.size
    return found


def _boards(game: HoldemGame) -> Boards:
    streets = game.streets
    starts = np.cumsum([0, *(len(street.boards) for street in streets)])

    def by_board(arrays: Sequence[NDArray[Any]], dtype: Any = np.int64) -> NDArray[Any]:
        return np.concatenate(arrays).astype(dtype)

    places = list(zip(streets, [0, *starts], starts[1:], strict=False))
    return Boards(
        parent=by_board([street.boards.parent + above for street, above, _ in places]),
        first_child=by_board([street.first_child[:-1] + below for street, _, below in places]),
        stop_child=by_board([street.first_child[1:] + below for street, _, below in places]),
        multiplicity=by_board([street.boards.multiplicity for street in streets], np.float64),
        symmetric=np.array([len(group) > 1 for street in streets for group in street.boards.groups]),
        count=np.stack([by_board([street.sides[player].count for street in streets]) for player in (0, 1)]),
        ranked_at=sum(side.hand.size for street in streets[:-1] for side in street.sides),
        flat=game.flat,
    )


def _lanes(
    game: HoldemGame,
    bundles: Sequence[Sequence[Subtree]],
    scale: NDArray[np.float64],
    reach_at: NDArray[np.int64],
    value_at: NDArray[np.int64],
    dtype: np.dtype[Any],
) -> Lanes:
    """Put the folds and showdowns of each bundle into lanes, those of player 0's passes first.

    A lane is a row of reach, the traverser, and the showdown and the fold that it comes to, -1 for none.
    """
    tree = game.tree
    lanes: list[list[int]] = []
    first, stop = np.zeros((2, 2, len(bundles)), dtype=np.int64)
    for player in (0, 1):
        for number, bundle in enumerate(bundles):
            found: dict[int, list[list[int]]] = {}
            for node in range(bundle[0].start, bundle[-1].stop):
                if tree.kind[node] in (SHOWN, FOLDED):
                    source, place = int(reach_at[player, node]), 2 if tree.kind[node] == SHOWN else 3
                    same = found.setdefault(source, [])
                    if all(lane[place] >= 0 for lane in same):
                        same.append([source, player, -1, -1])
                    next(lane for lane in same if lane[place] < 0)[place] = node
            here = sorted(chain(*found.values()), key=lambda lane: (lane[2] < 0, lane[3] < 0))
            first[player, number] = len(lanes) // WIDTH
            lanes += here
            lanes += [[here[-1][0] if here else 0, player, -1, -1]] * (-len(here) % WIDTH)
            stop[player, number] = len(lanes) // WIDTH
    sources, who, shown, folded = np.array(lanes, dtype=np.int64).reshape(-1, 4).T
    pays = tree.pays * scale[tree.street][:, None, None]
    win, tie, lose = np.where(shown >= 0, pays[shown, who].T, 0.0)
    run_outs = np.flatnonzero(tree.kind == RUN_OUT)
    boards = np.array([game.streets[tree.street[node]].run_outs.boards for node in run_outs])
    all_win, all_tie, all_lose = (pays[run_outs, :, k].T / boards for k in range(3))
    # With W, T and L boards won, tied and lost of all: win W + tie T + lose L, in terms of W - L, T and all.
    mean = (all_win + all_lose) / 2
    return Lanes(
        first,
        stop,
        source=np.ascontiguousarray(sources),
        shown=np.where(shown >= 0, value_at[who, shown], 0),
        ahead=(win - tie).astype(dtype),
        level=(tie - lose).astype(dtype),
        behind=lose.astype(dtype),
        tied=tie.astype(dtype),
        given=np.where(folded >= 0, value_at[who, folded], 0),
        stake=np.where(folded >= 0, pays[folded, who, 0], 0.0).astype(dtype),
        showdowns=(shown >= 0).reshape(-1, WIDTH).any(axis=1),
        folds=(folded >= 0).reshape(-1, WIDTH).any(axis=1),
        raked=(tie != 0).reshape(-1, WIDTH).any(axis=1),
        run_outs=np.ascontiguousarray(
            np.stack([(all_win - all_lose) / 2, all_tie - mean, mean * boards], axis=2)
        ),
    )
