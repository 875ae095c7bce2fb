"""The worth of a small betting tree's strategy in a larger tree of the same spot, by exact best responses.

The player of the strategy takes bets that the small tree does not have for some that it has
(`abstraction.betting.tree_translation`), and keeps a joint range over (node that the true one may be taken for,
hand). The responder sees the true sizes alone. As nobody forgets anything, that is an ordinary behaviour strategy
of the large tree: it is written into a table of that tree (`TranslatedTable`), and best responses are found as to
any strategy. The large tree is never solved. It takes one table of the large tree, and two for action values.

    larger = LargerTree(holdem_game(spot_with_all_sizes), threads=2)
    larger.evaluate(solver.game, solver.average, solver.locks).exploitability
    larger.action_values(solver.game, solver.average).at("check")        # float64[actions, boards, hands]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.tree_translation import CHECK, NONE, Translation, Views
from solvent.engines.holdem.carry_over import same_cards
from solvent.engines.holdem.holdem_pass import HoldemPass
from solvent.engines.holdem.kernels import RECORD, RESPOND, Tables
from solvent.engines.holdem.response import (
    HoldemEvaluation,
    evaluate_holdem,
    measured_tables,
    values_by_player,
)
from solvent.engines.holdem.table_views import (
    board_counts,
    impose_locks,
    locked_hands,
    node_numbers,
    range_weights,
)
from solvent.engines.holdem.translated import kernels
from solvent.engines.holdem.translated.kernels import SmallTable, ViewPlan
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import NodeLock, lock_tables
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import new_table
from solvent.foundation.kernels.threads import in_pieces
from solvent.games.holdem.spot import Spot


@dataclass(frozen=True)
class LeftOut:
    """An action that the small tree lacks at one of its decisions, and the gain of a best response by it."""

    history: str
    """The line before the action."""
    action: str
    player: int
    chips: float
    """The player's gain by it over the best of the small tree's actions, in chips a deal: with the hands that win
    more, as often as the player's strategy brings them to the decision."""


@dataclass(frozen=True, eq=False)
class ActionValues:
    """The counterfactual best-response value of every action at every decision of a hold'em game.

    The value of an action with a hand is what the player to act wins by taking it and responding best from there
    on, weighted by chance and by the other's reach, in chips: see `HoldemSolver.hand_values`.
    """

    game: HoldemGame
    table: NDArray[Any]
    """float[cells]"""
    played: Tables
    """The strategy that is responded to, times the reach of whoever plays it; and the locks."""
    known: Mapping[str, tuple[str, ...]]
    """The actions of the small tree by the histories of its decisions."""

    def at(self, history: str) -> NDArray[np.float64]:
        """Values at the decision after a line, float64[actions, boards, hands]; 0 for hands that a board blocks.

        Actions are in the order of the game's; hands in that of `game.hands` of the player to act. Where suits are
        alike a board stands for several (`table_views.board_counts`).
        """
        game, node = self.game, self.game.tree.by_history.get(history)
        if node is None:
            raise InputError(f"the tree has no decision after {history!r}")
        player = int(game.tree.player[node])
        place = game.streets[game.tree.street[node]].sides[player].hand.astype(np.int64)
        held = place >= 0
        rows = node_numbers(self.table, game, node)
        found = np.zeros((rows.shape[1], len(place), len(game.hands[player])))
        for action in range(rows.shape[1]):
            found[action, np.nonzero(held)[0], place[held]] = rows[:, action][held]
        return found

    def left_out(self) -> list[LeftOut]:
        """The actions that the small tree lacks at its own decisions and a response gains by, the best first."""
        found = []
        for history, actions in self.known.items():
            node = self.game.tree.by_history.get(history)
            names = () if node is None else self.game.tree.betting[node].actions
            present = [place for place, name in enumerate(names) if name in actions]
            if node is None or not present or len(present) == len(names):
                continue
            values, reach = node_numbers(self.table, self.game, node), self._reach(node)
            best = values[:, present].max(axis=1)
            for place, name in enumerate(names):
                gained = np.maximum(values[:, place] - best, 0) * reach
                if name not in actions and (chips := float(gained.sum())) > 0:
                    found.append(LeftOut(history, name, int(self.game.tree.player[node]), chips))
        return sorted(found, key=lambda each: -each.chips)

    def _reach(self, node: int) -> NDArray[np.float64]:
        """The reach of the hands of the player to act, times the boards that each stands for: [boards, slots].

        It is 0 for hands that are locked there.
        """
        game, tree = self.game, self.game.tree
        street, player = int(tree.street[node]), int(tree.player[node])
        reach = node_numbers(self.played.played, game, node).sum(axis=1, dtype=np.float64)
        reach = reach * range_weights(game, street, player)
        reach[locked_hands(game, self.played.locks, node)] = 0.0
        return np.asarray(reach * board_counts(game, street)[:, None])


class TranslatedTable:
    """Writes strategies of a small tree into tables of the large tree that a pass goes over.

    Both trees are of one spot: board, ranges, pot, stacks and isomorphism are the same. It depends on no strategy,
    so it can be made once and used often.
    """

    def __init__(self, small: HoldemGame, passes: HoldemPass, small_bets: str = CHECK) -> None:
        large = passes.game
        _check_same_spot(small, large)
        self.small, self.passes = small, passes
        self.translation = Translation(small.tree, large.tree, large.rules, small_bets)
        self._plans = [_view_plan(large, views) for views in self.translation.views]

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
            kernels.fill_below(plan, given, views, table, player, start, stop, root, *own)

        root, factors = room(sizes[0], (2, max(slots)))
        kernels.fill_root(plan, given, views, table, player, root, factors)
        if len(streets) > 1:
            rooms = [room(sizes[1], sizes[2], (2, max(slots))) for _ in range(self.passes.threads)]
            in_pieces(fill_below, len(streets[1].boards), 1, rooms)


def _view_plan(game: HoldemGame, views: Views) -> tuple[ViewPlan, list[int]]:
    """A player's views as kernels take them, and the number of rows of weights in the workspace of each street."""
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
    """Reject two games that are not one spot with two betting trees."""
    one, other = small.rules, large.rules
    if not isinstance(one, Spot) or not isinstance(other, Spot):
        raise InputError(
            "a strategy is carried over between two betting trees of a spot, and of no other game"
        )
    alike = (one.pot, one.stack, one.root_board, one.rake, one.rake_cap) == (
        other.pot, other.stack, other.root_board, other.rake, other.rake_cap,
    )  # fmt: skip
    alike = alike and same_cards(small, large)
    alike = alike and all(map(np.array_equal, small.weights, large.weights))
    if not alike:
        raise InputError(
            "a strategy is carried over between two betting trees of one spot: the same board, ranges, pot, stack, "
            "rake and isomorphism"
        )


class LargerTree:
    """A spot with a large betting tree, in which strategies of smaller trees of the spot are measured."""

    def __init__(
        self, game: HoldemGame, threads: int = 1, dtype: str = "float32", small_bets: str = CHECK
    ) -> None:
        self.game, self.small_bets = game, small_bets
        self.passes = HoldemPass(game, np.dtype(dtype), threads)
        self._last: TranslatedTable | None = None

    def evaluate(
        self, small: HoldemGame, average: NDArray[Any], locks: Sequence[NodeLock] = ()
    ) -> HoldemEvaluation:
        """Exploitability and values in the large tree of what `average`, float[cells of `small`], plays.

        locks: those of the small tree. Responses keep to them at the same decisions of the large tree.
        """
        return evaluate_holdem(self.passes, self.tables(small, average, locks))

    def exploitability(
        self, small: HoldemGame, average: NDArray[Any], locks: Sequence[NodeLock] = ()
    ) -> float:
        """Half of what both would gain by best responses, in chips; without rake quicker than `evaluate`."""
        tables = self.tables(small, average, locks)
        if self.game.raked:
            return evaluate_holdem(self.passes, tables).exploitability
        return max(0.0, sum(values_by_player(self.passes, tables, RESPOND)) / 2)

    def action_values(
        self, small: HoldemGame, average: NDArray[Any], locks: Sequence[NodeLock] = ()
    ) -> ActionValues:
        """The values of all actions of the large tree, those that the small tree lacks too, to a best response."""
        return self.values_against(small, self.tables(small, average, locks))

    def values_against(self, small: HoldemGame, tables: Tables) -> ActionValues:
        """The action values against a strategy of a small tree that has become `tables`."""
        recorded = np.zeros_like(tables.played)
        self.passes.measure_both(tables._replace(average=recorded), RECORD)
        known = {each.history: each.actions for each in small.tree.betting if each.actions}
        return ActionValues(self.game, recorded, tables, known)

    def tables(self, small: HoldemGame, average: NDArray[Any], locks: Sequence[NodeLock] = ()) -> Tables:
        """The strategy and the locks in the large tree, as passes take them."""
        if self._last is None or self._last.small is not small:
            self._last = TranslatedTable(small, self.passes, self.small_bets)
        played = self._last.fill(average)
        tables = measured_tables(played, lock_tables(self.game, carried_locks(small, self.game, locks)))
        impose_locks(self.game, tables.locks, played)
        return tables


def carried_locks(small: HoldemGame, large: HoldemGame, locks: Sequence[NodeLock]) -> list[NodeLock]:
    """Locks of the small tree at the same decisions of the large one; actions that are new there are not taken."""
    found = []
    for lock in locks:
        betting = small.tree.betting[lock.node]
        node = large.tree.by_history.get(betting.history)
        actions = () if node is None else large.tree.betting[node].actions
        if node is None or not set(betting.actions) <= set(actions):
            raise InputError(
                f"the decision after {betting.history or 'the start'!r} is locked, and the larger tree does not "
                f"have it with all of its actions"
            )
        play = np.where(np.isfinite(lock.play).all(axis=0), 0.0, np.nan) * np.ones((len(actions), 1))
        for action, row in zip(betting.actions, lock.play, strict=True):
            play[actions.index(action)] = row
        found.append(NodeLock(node, play, lock.board))
    return found
