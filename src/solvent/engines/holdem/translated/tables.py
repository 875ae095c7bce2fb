"""A strategy of a small tree as a table of a larger tree of the same spot."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.tree_translation import CHECK, NONE, Translation, Views
from solvent.engines.holdem.holdem_pass import HoldemPass
from solvent.engines.holdem.translated import kernels as translated_kernels
from solvent.engines.holdem.translated.kernels import SmallTable, ViewPlan
from solvent.forms.holdem.game import HoldemGame
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import new_table
from solvent.foundation.kernels.threads import in_pieces
from solvent.games.holdem.spot import Spot


class TranslatedTable:
    """How strategies of a small tree are written into tables of the large tree that a pass goes over.

    Both trees are of one spot: board, ranges, pot, stacks and isomorphism are the same. It depends on no strategy,
    so it can be made once and used often.
    """

    def __init__(self, small: HoldemGame, passes: HoldemPass, small_bets: str = CHECK) -> None:
        large = passes.game
        _check_same_spot(small, large)
        self.small, self.passes = small, passes
        self.translation = Translation(small.tree, large.tree, large.rules, small_bets)
        self._plans = [_view_plan(large, views) for views in self.translation.views]

    @property
    def views(self) -> int:
        """Pairs of a true node and a node that it may be taken for, of both players."""
        return sum(len(views.node) for views in self.translation.views)

    def fill(self, average: NDArray[Any]) -> NDArray[Any]:
        """The table, float[cells of the large tree], of what `average`, by cells of the small tree, plays.

        Numbers are probabilities of playing to the action with the hand, what chance and the other do left out. An
        infoset that the strategy never plays to has zeros, which count as uniform play.
        """
        small, large, dtype = self.small, self.passes.game, self.passes.dtype
        if average.shape != (small.cells,):
            raise InputError(f"a strategy of {small.name} has {small.cells:,} numbers, not {average.shape}")
        table = new_table(large.cells, dtype)
        given = SmallTable(np.asarray(average), small.street_at, small.board_cells, small.edge_at)
        for player in (0, 1):
            self._fill_player(player, given, table)
        return table

    def _fill_player(self, player: int, given: SmallTable, table: NDArray[Any]) -> None:
        """Write one player's part of the table, the boards after the root's on threads."""
        plan, streets = self.passes.plan, self.passes.game.streets
        views, rows = self._plans[player]
        slots = [street.sides[player].slots for street in streets]
        sizes = [count * width for count, width in zip(rows, slots, strict=True)] + [0, 0]

        def room(*of: int | tuple[int, int]) -> list[NDArray[Any]]:
            return [np.zeros(size, dtype=table.dtype) for size in of]

        def fill_below(start: int, stop: int, own: list[NDArray[Any]]) -> None:
            translated_kernels.fill_below(plan, given, views, table, player, start, stop, root, *own)

        root, factors = room(sizes[0], (2, max(slots)))
        translated_kernels.fill_root(plan, given, views, table, player, root, factors)
        if len(streets) > 1:
            rooms = [room(sizes[1], sizes[2], (2, max(slots))) for _ in range(self.passes.threads)]
            in_pieces(fill_below, len(streets[1].boards), 1, rooms)


def _view_plan(game: HoldemGame, views: Views) -> tuple[ViewPlan, list[int]]:
    """A player's views as kernels take them, and how many rows of weights the workspace of each street has."""
    tree, last = game.tree, len(game.streets) - 1
    groups: list[tuple[int, int, int]] = []
    street_groups, rows = [0], []
    row = np.zeros(len(views.node), dtype=np.int64)
    for number, subtrees in enumerate(tree.subtrees):
        used = most = 0
        for subtree in subtrees:
            first, roots, stop = np.searchsorted(
                views.node, (subtree.start, subtree.start + 1, subtree.stop)
            ).tolist()
            if first == stop:
                continue
            used = 0 if number == last else used
            row[first:stop] = used + np.arange(stop - first)
            used += stop - first
            most = max(most, used)
            groups.append((first, roots, stop))
        street_groups.append(len(groups))
        rows.append(most)

    def rows_of(which: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(which >= 0, row[which], NONE)

    plan = ViewPlan(
        np.array(groups, dtype=np.int64),
        np.array(street_groups, dtype=np.int64),
        row,
        rows_of(views.source),
        views.first_step,
        views.share,
        views.seen_edge,
        views.edge,
        rows_of(views.target),
    )
    return plan, rows


def _check_same_spot(small: HoldemGame, large: HoldemGame) -> None:
    """Refuse two games that are not one spot with two betting trees."""
    one, other = small.rules, large.rules
    if not isinstance(one, Spot) or not isinstance(other, Spot):
        raise InputError(
            "a strategy is carried over between two betting trees of a spot, and of no other game"
        )
    alike = (one.pot, one.stack, one.root_board, one.rake, one.rake_cap) == (
        other.pot, other.stack, other.root_board, other.rake, other.rake_cap,
    )  # fmt: skip
    alike = alike and small.isomorphism == large.isomorphism
    alike = alike and all(map(np.array_equal, small.hands + small.weights, large.hands + large.weights))
    alike = alike and all(
        np.array_equal(before.boards.cards, now.boards.cards)
        for before, now in zip(small.streets, large.streets, strict=False)
    )
    if not alike:
        raise InputError(
            "a strategy is carried over between two betting trees of one spot: the same board, ranges, pot, stack, "
            "rake and isomorphism"
        )
