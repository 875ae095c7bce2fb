"""What a strategy of a small betting tree is worth in a larger tree of the same spot, by exact best responses.

The player of the strategy takes bets that the small tree does not have for some that it has
(`abstraction.betting.tree_translation`), and keeps a joint range over (node that the true one may be taken for,
hand). The responder sees the true sizes alone. As nobody forgets anything, that is an ordinary behaviour strategy
of the large tree: it is written into a table of that tree (`engines.holdem.translated.tables`), and best
responses are found as to any strategy. The large tree is never solved. It takes one table of the large tree, and
two for action values.

    larger = LargerTree(holdem_game(spot_with_all_sizes), threads=2)
    larger.evaluate(solver.game, solver.average, solver.locks).exploitability
    larger.action_values(solver.game, solver.average).at("check")        # float64[actions, boards, hands]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.tree_translation import CHECK
from solvent.engines.holdem.holdem_pass import HoldemPass
from solvent.engines.holdem.kernels import RECORD, RESPOND, Tables
from solvent.engines.holdem.response import HoldemEvaluation, evaluate_holdem, values_by_player
from solvent.engines.holdem.translated.tables import TranslatedTable
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import NodeLock, lock_tables
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.errors import InputError


@dataclass(frozen=True)
class LeftOut:
    """An action that the small tree lacks at one of its decisions, and what a best response gains by it."""

    history: str
    """The line before the action."""
    action: str
    player: int
    chips: float
    """What the player wins more by it than by the best of the small tree's actions, in chips a deal: with the hands
    that win more, as often as the player's strategy brings them to the decision."""


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
        alike a board stands for several (`stands_for`).
        """
        game, node = self.game, self._nodes.get(history)
        if node is None:
            raise InputError(f"the tree has no decision after {history!r}")
        player = int(game.tree.player[node])
        place = game.streets[game.tree.street[node]].sides[player].hand.astype(np.int64)
        held = place >= 0
        rows = _rows(game, self.table, node)
        found = np.zeros((rows.shape[1], len(place), len(game.hands[player])))
        for action in range(rows.shape[1]):
            found[action, np.nonzero(held)[0], place[held]] = rows[:, action][held]
        return found

    def left_out(self) -> list[LeftOut]:
        """The actions that the small tree lacks at its own decisions and a response gains by, the best first."""
        found = []
        for history, actions in self.known.items():
            node = self._nodes.get(history)
            names = () if node is None else self.game.tree.betting[node].actions
            present = [place for place, name in enumerate(names) if name in actions]
            if node is None or not present or len(present) == len(names):
                continue
            values, reach = _rows(self.game, self.table, node), self._reach(node)
            best = values[:, present].max(axis=1)
            for place, name in enumerate(names):
                chips = (
                    0.0 if place in present else float((np.maximum(values[:, place] - best, 0) * reach).sum())
                )
                if chips > 0:
                    found.append(LeftOut(history, name, int(self.game.tree.player[node]), chips))
        return sorted(found, key=lambda each: -each.chips)

    @cached_property
    def _nodes(self) -> dict[str, int]:
        """The decisions by history."""
        tree = self.game.tree
        return {tree.betting[node].history: node for node in np.flatnonzero(tree.kind == DECISION).tolist()}

    def _reach(self, node: int) -> NDArray[np.float64]:
        """The reach of the hands of the player to act, times the boards that each stands for: [boards, slots].

        It is 0 for hands that are locked there.
        """
        game, tree = self.game, self.game.tree
        street, player = int(tree.street[node]), int(tree.player[node])
        hand = game.streets[street].sides[player].hand
        weight = np.append(game.weights[player], 0.0)[hand]  # -1 stands for no hand
        reach = _rows(game, self.played.played, node).sum(axis=1, dtype=np.float64) * weight
        at = int(self.played.lock_at[tree.first_edge[node]])
        if at >= 0:
            reach[self.played.locked[at : at + hand.size].reshape(hand.shape)] = 0.0
        return np.asarray(reach * stands_for(game, street)[:, None])


def stands_for(game: HoldemGame, street: int) -> NDArray[np.float64]:
    """How many boards each board of a street stands for, float64[boards]."""
    found = np.ones(1)
    for boards in (each.boards for each in game.streets[: street + 1]):
        found = found[boards.parent] * boards.multiplicity
    return found


def _rows(game: HoldemGame, table: NDArray[Any], node: int) -> NDArray[Any]:
    """A decision's part of a table, a view [boards, actions, slots]."""
    tree, street = game.tree, int(game.tree.street[node])
    first, actions = int(tree.first_edge[node]), len(tree.betting[node].actions)
    start, slots = int(game.edge_at[first]), int(game.edge_slots[first])
    boards = len(game.streets[street].boards)
    by_board = table[game.street_at[street] : game.street_at[street + 1]].reshape(boards, -1)
    return by_board[:, start : start + actions * slots].reshape(boards, actions, slots)


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
        """What every action of the large tree is worth to a best response, whether the small tree has it or not."""
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
        at, locked, probability = lock_tables(self.game, carried_locks(small, self.game, locks))
        probability = probability.astype(played.dtype)
        _impose(self.game, played, at, locked, probability)
        return Tables(played, played, played[:0], played[:0], at, locked, probability)


def carried_locks(small: HoldemGame, large: HoldemGame, locks: Sequence[NodeLock]) -> list[NodeLock]:
    """Locks of the small tree at the same decisions of the large one; actions that are new there are not taken."""
    by_line = {large.tree.betting[n].history: n for n in np.flatnonzero(large.tree.kind == DECISION).tolist()}
    found = []
    for lock in locks:
        betting = small.tree.betting[lock.node]
        node = by_line.get(betting.history)
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


def _impose(
    game: HoldemGame,
    played: NDArray[Any],
    at: NDArray[np.int64],
    locked: NDArray[np.bool_],
    probability: NDArray[Any],
) -> None:
    """Let locked hands play their locks also where the strategy does not play to."""
    for edge in np.flatnonzero(at >= 0):
        street = int(game.tree.street[game.tree.edge_node[edge]])
        boards, slots = len(game.streets[street].boards), int(game.edge_slots[edge])
        piece = slice(int(at[edge]), int(at[edge]) + boards * slots)
        first = game.street_at[street] + game.edge_at[edge]
        cells = (first + np.arange(boards)[:, None] * game.board_cells[street] + np.arange(slots)).ravel()
        played[cells[locked[piece]]] = probability[piece][locked[piece]]
