"""The infosets of a hold'em game: a decision, a board and a hand, found and named without a table of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import parse_cards
from solvent.cards.hands import hand_number, hole_cards
from solvent.forms.holdem.boards import IDENTITY, Suits, moved
from solvent.forms.holdem.game import HoldemGame, Side
from solvent.forms.holdem.locks import LockTables
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.errors import InputError
from solvent.strategy.strategy import normalise_block

Number = TypeVar("Number", bound=np.generic)


class HoldemInfosets:
    """Infosets numbered by decision, then board, then slot; their cells lie where the form's tables have them."""

    def __init__(self, game: HoldemGame) -> None:
        self.game = game
        self.decisions: list[int] = np.flatnonzero(game.tree.kind == DECISION).tolist()
        sizes = [self._side(node).hand.size for node in self.decisions]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def __len__(self) -> int:
        return int(self.first[-1])

    @cached_property
    def held(self) -> int:
        """Number of infosets that can arise: `len` counts empty slots, too."""
        return sum(int(self._possible[self._at(node)].sum(dtype=np.int64)) for node in self.decisions)

    @property
    def cells(self) -> int:
        return self.game.cells

    @property
    def shared_labels(self) -> frozenset[str]:
        """The labels that both players have: none, because a label says who acted before."""
        return frozenset()

    def numbers(self) -> Iterator[int]:
        """The infosets that can arise: hands for which the other player can hold something, too."""
        for first, node in zip(self.first[:-1].tolist(), self.decisions, strict=True):
            for place in np.flatnonzero(self._possible[self._at(node)]).tolist():
                yield first + place

    def player_of(self, infoset: int) -> int:
        return int(self.game.tree.player[self._place(infoset)[0]])

    def label(self, infoset: int) -> str:
        node, board, slot = self._place(infoset)
        rules, side = self.game.rules, self._side(node)
        hand = self.game.hands[self.game.tree.player[node]][side.hand[board, slot]]
        low, high = hole_cards()[hand].tolist()
        cards = tuple(self.game.streets[self.game.tree.street[node]].boards.cards[board].tolist())
        history = self.game.tree.betting[node].history
        return f"{rules.hand_label((low, high))}|{rules.board_label(cards)}|{history}"

    def actions(self, infoset: int) -> tuple[str, ...]:
        return self.game.tree.betting[self._place(infoset)[0]].actions

    def cells_of(self, infoset: int) -> NDArray[np.int64]:
        """Where the infoset's actions lie in a vector over cells."""
        node, board, slot = self._place(infoset)
        game, street = self.game, self.game.tree.street[node]
        first, stop = game.tree.first_edge[node : node + 2]
        base = game.street_at[street] + board * game.board_cells[street]
        cells: NDArray[np.int64] = base + game.edge_at[first:stop] + slot
        return cells

    def find(self, label: str, player: int | None = None) -> int:
        """The infoset with this label. With isomorphism, any board's label finds the board that stands for it."""
        hand, _, rest = label.partition("|")
        board, _, history = rest.partition("|")
        which = self._which_history.get(history)
        if which is not None and player in (None, int(self.game.tree.player[self.decisions[which]])):
            node = self.decisions[which]
            slot = self._slot(node, hand, board)
            if slot is not None:
                return int(self.first[which]) + slot
        raise InputError(f"there is no infoset {label!r}; one that exists is {self.label(0)!r}")

    def normalised(self, weights: NDArray[np.floating]) -> NDArray[np.float64]:
        """Every probability, float64[cells]: weights in proportion inside each infoset, uniform where all are 0."""
        result = np.empty(len(weights))
        for node in self.decisions:
            rows = self._rows(np.asarray(weights), node)
            shares = normalise_block(rows.transpose(1, 0, 2).reshape(rows.shape[1], -1))
            self._rows(result, node)[:] = shares.reshape(rows.shape[1], len(rows), -1).transpose(1, 0, 2)
        return result

    def distances(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Total variation between two strategies at every infoset; 0 at those that cannot arise."""
        difference = np.abs(a - b)
        found = [
            np.where(
                self._possible[self._at(node)], self._rows(difference, node).sum(axis=1) / 2, 0.0
            ).ravel()
            for node in self.decisions
        ]
        return np.concatenate(found)

    def owners(self) -> NDArray[np.int8]:
        """The player of every cell, int8[cells]."""
        found = np.zeros(self.cells, dtype=np.int8)
        for node in self.decisions:
            self._rows(found, node)[:] = self.game.tree.player[node]
        return found

    def locks_by_edge(self, locked: NDArray[np.bool_], probabilities: NDArray[np.float64]) -> LockTables:
        """Locks by cell as the kernels take them: boards x slots for each action of decisions that have any."""
        at = np.full(len(self.game.tree.child), -1, dtype=np.int64)
        pieces: list[NDArray[np.bool_]] = [np.zeros(0, dtype=np.bool_)]
        played: list[NDArray[np.float64]] = [np.zeros(0)]
        used = 0
        for node in self.decisions:
            here, first = self._rows(locked, node), int(self.game.tree.first_edge[node])
            for action in range(here.shape[1] if here.any() else 0):
                at[first + action] = used
                pieces.append(here[:, action].ravel())
                played.append(self._rows(probabilities, node)[:, action].ravel())
                used += pieces[-1].size
        return LockTables(at, np.concatenate(pieces), np.concatenate(played))

    def _rows(self, table: NDArray[Number], node: int) -> NDArray[Number]:
        """A decision's part of a table by cell, [boards, actions, slots], in place."""
        game, street = self.game, self.game.tree.street[node]
        boards, slots = self._side(node).hand.shape
        first, stop = game.tree.first_edge[node : node + 2]
        whole = table[game.street_at[street] : game.street_at[street + 1]].reshape(boards, -1)
        start = game.edge_at[first]
        return whole[:, start : start + (stop - first) * slots].reshape(boards, stop - first, slots)

    def _at(self, node: int) -> tuple[int, int]:
        """The street and the player of a decision."""
        return int(self.game.tree.street[node]), int(self.game.tree.player[node])

    def _side(self, node: int) -> Side:
        """The hands of a decision's player on the boards of its street."""
        street, player = self._at(node)
        return self.game.streets[street].sides[player]

    def _place(self, infoset: int) -> tuple[int, int, int]:
        """Decision, board and slot."""
        which = int(np.searchsorted(self.first, infoset, side="right")) - 1
        node = self.decisions[which]
        board, slot = divmod(infoset - int(self.first[which]), self._side(node).slots)
        return node, board, slot

    def _slot(self, node: int, hand: str, board: str) -> int | None:
        """Board and slot, as one number, of a hand by its label and the board's; None if there is none."""
        street, player = self._at(node)
        found = self._board(street, board)
        try:
            cards = parse_cards(hand)
        except InputError:
            return None
        if found is None or len(cards) != 2 or self.game.rules.hand_label(tuple(sorted(cards))) != hand:
            return None
        number, suits = found
        held = hand_number(*sorted(moved(card, suits) for card in cards))
        side, hands = self.game.streets[street].sides[player], self.game.hands[player]
        place = int(np.searchsorted(hands, held))
        if place == len(hands) or hands[place] != held:
            return None
        slots = np.flatnonzero(side.hand[number] == place)
        return number * side.slots + int(slots[0]) if len(slots) else None

    def _board(self, street: int, label: str) -> tuple[int, Suits] | None:
        """The board that stands for the one with this label, and how suits are renamed to get to it."""
        rules = self.game.rules
        try:
            given = parse_cards(label) if label else ()
        except InputError:
            return None
        shown = len(rules.root_board)
        board, suits, number = rules.root_board, IDENTITY, 0
        whole = tuple(given[:shown])
        for level, count in enumerate(rules.deals[:street]):
            dealt = tuple(sorted(given[shown : shown + count]))
            shown, whole = shown + count, whole + dealt
            renamed = [moved(card, suits) for card in dealt]
            for further in self.game.streets[level].boards.groups[number]:
                longer = board + tuple(sorted(moved(card, further) for card in renamed))
                if longer in self._board_numbers[level + 1]:
                    board, number = longer, self._board_numbers[level + 1][longer]
                    suits = tuple(further[suit] for suit in suits)
                    break
            else:
                return None
        return (number, suits) if rules.board_label(whole) == label else None

    @cached_property
    def _possible(self) -> dict[tuple[int, int], NDArray[np.bool_]]:
        """By street and player, bool[boards, slots]: whether there is a hand, and one that the other can hold."""
        return {
            (number, player): _can_meet(street.sides[player], street.sides[1 - player])
            for number, street in enumerate(self.game.streets)
            for player in (0, 1)
        }

    @cached_property
    def _which_history(self) -> dict[str, int]:
        """Places among `decisions` by the public line so far."""
        return {self.game.tree.betting[node].history: k for k, node in enumerate(self.decisions)}

    @cached_property
    def _board_numbers(self) -> list[dict[tuple[int, ...], int]]:
        """By street, the number of each board by its cards."""
        return [
            {tuple(cards): number for number, cards in enumerate(street.boards.cards.tolist())}
            for street in self.game.streets
        ]


def _can_meet(mine: Side, others: Side) -> NDArray[np.bool_]:
    """Which slots hold a hand that shares no card with some hand of the other player: bool[boards, slots]."""
    boards = np.arange(len(mine.hand))[:, None]
    by_card = np.zeros((len(boards), 53), dtype=np.int64)
    for k in (0, 1):
        np.add.at(
            by_card, (np.broadcast_to(boards, others.hand.shape), others.card[:, :, k]), others.hand >= 0
        )
    # A hand that has both cards has been taken off twice.
    blocked = by_card[boards, mine.card[:, :, 0]] + by_card[boards, mine.card[:, :, 1]]
    blocked -= mine.same < others.slots
    met: NDArray[np.bool_] = (mine.hand >= 0) & (others.count[:, None] > blocked)
    return met
