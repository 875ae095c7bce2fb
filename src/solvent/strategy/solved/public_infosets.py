"""The infosets of both public forms: a decision, a board and a hand, found and named without a table of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import parse_cards
from solvent.cards.hands import hand_number, hole_cards
from solvent.forms.holdem.boards import IDENTITY, Suits, moved
from solvent.forms.holdem.game import HoldemGame, Side
from solvent.forms.holdem.locks import LockTables
from solvent.forms.public.game import PublicGame
from solvent.foundation.errors import InputError
from solvent.games.public_rules import Betting, Hand
from solvent.strategy.strategy import normalise_block

Number = TypeVar("Number", bound=np.generic)


class DecisionInfosets(ABC):
    """Infosets numbered by decision, then board, then slot; their cells lie where the form's tables have them.

    Slots of hands that a board or the deal rules out have numbers, too, but `numbers` leaves them out.
    """

    def __init__(
        self, game: PublicGame | HoldemGame, player: NDArray[np.integer], betting: Sequence[Betting]
    ) -> None:
        """`player` and `betting` are those of each node of the form."""
        self.decisions = [node for node, here in enumerate(betting) if here.actions]
        self.cells = game.cells
        self._player, self._betting = player, betting
        sizes = [self._hands(node).size for node in self.decisions]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def __len__(self) -> int:
        return int(self.first[-1])

    @cached_property
    def held(self) -> int:
        """Number of infosets that can arise: `len` counts hands that a board or the deal rules out, too."""
        return sum(int(self._possible(node).sum(dtype=np.int64)) for node in self.decisions)

    @property
    def shared_labels(self) -> frozenset[str]:
        """The labels that both players have: none, because a label says who acted before."""
        return frozenset()

    def numbers(self) -> Iterator[int]:
        """The infosets that can arise."""
        for first, node in zip(self.first[:-1].tolist(), self.decisions, strict=True):
            for place in np.flatnonzero(self._possible(node)).tolist():
                yield first + place

    def player_of(self, infoset: int) -> int:
        return int(self._player[self._place(infoset)[0]])

    @abstractmethod
    def label(self, infoset: int) -> str:
        """The text of an infoset: hand, board and history."""

    def actions(self, infoset: int) -> tuple[str, ...]:
        return self._betting[self._place(infoset)[0]].actions

    @abstractmethod
    def cells_of(self, infoset: int) -> NDArray[np.int64]:
        """The places of the infoset's actions in a vector over cells."""

    def find(self, label: str, player: int | None = None) -> int:
        """The infoset with this label. With isomorphism, any board's label finds the board that stands for it."""
        hand, _, rest = label.partition("|")
        board, _, history = rest.partition("|")
        which = self._which_history.get(history)
        if which is not None and player in (None, int(self._player[self.decisions[which]])):
            slot = self._slot(self.decisions[which], hand, board)
            if slot is not None:
                return int(self.first[which]) + slot
        raise InputError(f"there is no infoset {label!r}; one that exists is {self.label(0)!r}")

    def normalised(self, weights: NDArray[np.floating]) -> NDArray[np.float64]:
        """Every probability, float64[cells]: weights in proportion inside each infoset, uniform where all are 0."""
        result = np.empty(len(weights))
        for node in self.decisions:
            rows = self._rows(np.asarray(weights), node)
            self._rows(result, node)[:] = normalise_block(rows.reshape(len(rows), -1)).reshape(rows.shape)
        return result

    def distances(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Total variation between two strategies at every infoset."""
        difference = np.abs(a - b)
        return np.concatenate(
            [(self._rows(difference, node).sum(axis=0) / 2).ravel() for node in self.decisions]
        )

    def owners(self) -> NDArray[np.int8]:
        """The player of every cell, int8[cells]."""
        found = np.zeros(self.cells, dtype=np.int8)
        for node in self.decisions:
            self._rows(found, node)[:] = self._player[node]
        return found

    def _place(self, infoset: int) -> tuple[int, int, int]:
        """Decision, board and slot."""
        which = int(np.searchsorted(self.first, infoset, side="right")) - 1
        node = self.decisions[which]
        board, slot = divmod(infoset - int(self.first[which]), self._hands(node).shape[1])
        return node, board, slot

    @cached_property
    def _which_history(self) -> dict[str, int]:
        """Places among `decisions` by the public line so far."""
        return {self._betting[node].history: k for k, node in enumerate(self.decisions)}

    @abstractmethod
    def _hands(self, node: int) -> NDArray[np.integer]:
        """The hands of a decision's player: int[boards, slots]."""

    @abstractmethod
    def _possible(self, node: int) -> NDArray[np.bool_]:
        """Whether the slots of a decision hold hands that can arise: bool[boards, slots]."""

    @abstractmethod
    def _rows(self, table: NDArray[Number], node: int) -> NDArray[Number]:
        """A decision's share of a table by cell, [actions, boards, slots], in place."""

    @abstractmethod
    def _slot(self, node: int, hand: str, board: str) -> int | None:
        """Board and slot, as one number, of a hand by its label and the board's; None if there is none."""


class PublicInfosets(DecisionInfosets):
    """The infosets of a `PublicGame`, whose cells lie in blocks, one for each action of a decision."""

    def __init__(self, game: PublicGame) -> None:
        self.game = game
        self.block = np.cumsum(game.block_sizes) - game.block_sizes
        super().__init__(game, game.nodes.player, game.betting)

    def label(self, infoset: int) -> str:
        node, board, slot = self._place(infoset)
        here, rules = self.game.rounds[self.game.nodes.round[node]], self.game.rules
        hand = rules.hand_labels[self.game.hands[here.hand[board, slot]]]
        return f"{hand}|{rules.board_label(here.boards[board])}|{self.game.betting[node].history}"

    def cells_of(self, infoset: int) -> NDArray[np.int64]:
        node, board, slot = self._place(infoset)
        blocks = self.block[slice(*self.game.nodes.first_edge[node : node + 2])]
        cells: NDArray[np.int64] = blocks + board * self._hands(node).shape[1] + slot
        return cells

    def _hands(self, node: int) -> NDArray[np.integer]:
        hands: NDArray[np.int32] = self.game.rounds[self.game.nodes.round[node]].hand
        return hands

    def _possible(self, node: int) -> NDArray[np.bool_]:
        possible: NDArray[np.bool_] = self._in_round[self.game.nodes.round[node]][self._player[node]]
        return possible

    def _rows(self, table: NDArray[Number], node: int) -> NDArray[Number]:
        first, stop = self.game.nodes.first_edge[node : node + 2]
        shape = (stop - first, *self._hands(node).shape)
        return table[self.block[first] :][: np.prod(shape)].reshape(shape)

    def _slot(self, node: int, hand: str, board: str) -> int | None:
        level, number, names = self._board_of_label.get(board, (-1, 0, None))
        if level != self.game.nodes.round[node] or hand not in self._hand_of_label:
            return None
        here, named = self.game.rounds[level], self._hand_of_label[hand]
        held = self.game.hands.index(named if names is None else names[named])
        slots = np.flatnonzero(here.hand[number] == held)
        return number * here.slots + int(slots[0]) if len(slots) else None

    @cached_property
    def _in_round(self) -> list[NDArray[np.bool_]]:
        """Whether a player can hold a hand: bool[players, boards, slots] for each round."""
        return [self.game.possible(level) for level in range(len(self.game.rounds))]

    @cached_property
    def _hand_of_label(self) -> dict[str, Hand]:
        return {label: hand for hand, label in self.game.rules.hand_labels.items()}

    @cached_property
    def _board_of_label(self) -> dict[str, tuple[int, int, Mapping[Hand, Hand] | None]]:
        """Round, number, and the new names of hands, if they have others, for the label of every board."""
        rules = self.game.rules
        found: dict[str, tuple[int, int, Mapping[Hand, Hand] | None]] = {}
        for level, here in enumerate(self.game.rounds):
            for number, board in enumerate(here.boards):
                found[rules.board_label(board)] = (level, number, None)
        if self.game.isomorphism:
            for number, board in enumerate(self.game.rounds[-1].boards):
                for on_hands, on_boards in rules.symmetries():
                    # A symmetry that takes some board to the representative takes its hands along.
                    inverse = {on_hands(hand): hand for hand in self.game.hands}
                    found.setdefault(rules.board_label(on_boards(board)), (1, number, inverse))
        return found


class HoldemInfosets(DecisionInfosets):
    """The infosets of a `HoldemGame`, where each player has hands of their own."""

    def __init__(self, game: HoldemGame) -> None:
        self.game = game
        super().__init__(game, game.tree.player, game.tree.betting)

    def label(self, infoset: int) -> str:
        node, board, slot = self._place(infoset)
        street, player = self._at(node)
        rules, here = self.game.rules, self.game.streets[street]
        low, high = hole_cards()[self.game.hands[player][here.sides[player].hand[board, slot]]].tolist()
        cards = tuple(here.boards.cards[board].tolist())
        history = self.game.tree.betting[node].history
        return f"{rules.hand_label((low, high))}|{rules.board_label(cards)}|{history}"

    def cells_of(self, infoset: int) -> NDArray[np.int64]:
        node, board, slot = self._place(infoset)
        game, street = self.game, self.game.tree.street[node]
        base = game.street_at[street] + board * game.board_cells[street]
        cells: NDArray[np.int64] = base + game.edge_at[slice(*game.tree.first_edge[node : node + 2])] + slot
        return cells

    def distances(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Total variation between two strategies at every infoset; 0 at those that cannot arise."""
        possible = np.concatenate([self._possible(node).ravel() for node in self.decisions])
        return np.where(possible, super().distances(a, b), 0.0)

    def locks_by_edge(self, locked: NDArray[np.bool_], probabilities: NDArray[np.float64]) -> LockTables:
        """Locks by cell as the kernels take them: boards x slots for each action of decisions that have any."""
        at = np.full(len(self.game.tree.child), -1, dtype=np.int64)
        pieces: list[NDArray[np.bool_]] = [np.zeros(0, dtype=np.bool_)]
        played: list[NDArray[np.float64]] = [np.zeros(0)]
        used = 0
        for node in self.decisions:
            here, first = self._rows(locked, node), int(self.game.tree.first_edge[node])
            for action in range(len(here) if here.any() else 0):
                at[first + action] = used
                pieces.append(here[action].ravel())
                played.append(self._rows(probabilities, node)[action].ravel())
                used += pieces[-1].size
        return LockTables(at, np.concatenate(pieces), np.concatenate(played))

    def _at(self, node: int) -> tuple[int, int]:
        """The street and the player of a decision."""
        return int(self.game.tree.street[node]), int(self._player[node])

    def _hands(self, node: int) -> NDArray[np.integer]:
        street, player = self._at(node)
        return self.game.streets[street].sides[player].hand

    def _possible(self, node: int) -> NDArray[np.bool_]:
        return self._can_arise[self._at(node)]

    def _rows(self, table: NDArray[Number], node: int) -> NDArray[Number]:
        game, street = self.game, self.game.tree.street[node]
        boards, slots = self._hands(node).shape
        first, stop = game.tree.first_edge[node : node + 2]
        whole = table[game.street_at[street] : game.street_at[street + 1]].reshape(boards, -1)
        rows = whole[:, game.edge_at[first] :][:, : (stop - first) * slots]
        return rows.reshape(boards, stop - first, slots).transpose(1, 0, 2)

    def _slot(self, node: int, hand: str, board: str) -> int | None:
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
    def _can_arise(self) -> dict[tuple[int, int], NDArray[np.bool_]]:
        """Whether a hand can meet one of the other player's: bool[boards, slots] by street and player."""
        return {
            (number, player): _can_meet(street.sides[player], street.sides[1 - player])
            for number, street in enumerate(self.game.streets)
            for player in (0, 1)
        }

    @cached_property
    def _board_numbers(self) -> list[dict[tuple[int, ...], int]]:
        """The number of each board by its cards, for each street."""
        return [
            {tuple(cards): number for number, cards in enumerate(street.boards.cards.tolist())}
            for street in self.game.streets
        ]


def _can_meet(mine: Side, others: Side) -> NDArray[np.bool_]:
    """Whether slots hold hands that share no card with some hand of the other player: bool[boards, slots]."""
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
