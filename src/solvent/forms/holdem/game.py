"""Hold'em from any board on, in public form, on which spots and no-limit games on a small deck are solved.

Each player has a list of hands, those with weight, in the order of `cards.hands.hand_number`. On a board the
hands that it leaves possible stand in *slots*: on the last street from the weakest to the strongest, so that a
showdown is one sweep, before it by number. All boards of a street have as many slots, a multiple of `WIDTH`; those
past the last hand are never reached.

A table has one number for each action in each slot. The numbers of one board lie together, those of an action side
by side: that is the order in which a pass over the board reads them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.cards.hands import hole_cards, renamed_hands
from solvent.forms.holdem import hand_kernels
from solvent.forms.holdem.boards import IDENTITY, Boards, list_boards, suit_group
from solvent.forms.holdem.tree import DECISION, RUN_OUT, HoldemTree, holdem_tree
from solvent.foundation.kernels.memory import give_back_memory
from solvent.games.game import GameError
from solvent.games.holdem.nolimit import NoLimit
from solvent.games.holdem.spot import Spot

WIDTH = 8
"""Numbers that one instruction handles; slots are padded to a multiple of it."""
NO_CARD = 52
"""Stands for the cards of a slot that no hand is in."""
MOST = 1 << 40
"""More than any strength."""
MOST_AT_ONCE = 4096
"""Boards on which hands are evaluated at once."""


@dataclass(frozen=True, eq=False)
class Side:
    """One player's hands on the boards of one street, by board and slot."""

    count: NDArray[np.int32]
    """int32[boards]: how many slots hold a hand."""
    hand: NDArray[np.int16]
    """int16[boards, slots]: the hand's place in the player's list; -1 past the last."""
    parent_slot: NDArray[np.int16]
    """int16[boards, slots]: the hand's slot on the parent board."""
    card: NDArray[np.uint8]
    """uint8[boards, slots, 2]: the hand's cards."""
    same: NDArray[np.int16]
    """int16[boards, slots]: the slot in which the other would hold the same hand; past the last slot for none."""
    tie: NDArray[np.int16]
    """int16[boards, slots] on the last street, as the next two: one past the last slot of equal strength."""
    below: NDArray[np.int16]
    """Number of the other's hands that are weaker."""
    upto: NDArray[np.int16]
    """Number of the other's hands that are at most as strong."""
    orbit: NDArray[np.int16]
    """int16[boards, slots]: one slot of those that renaming suits turns into each other; empty where none does."""

    @property
    def slots(self) -> int:
        return int(self.hand.shape[1])


class RunOuts(NamedTuple):
    """All-ins on the boards of one street: how many of the boards to come are won, by board and pair of slots."""

    won: NDArray[np.float32]
    """float32[boards, slots of player 0, slots of player 1]: boards that player 0 wins less those lost."""
    tied: NDArray[np.float32]
    """Boards that both win, likewise; empty where nothing is raked."""
    boards: int
    """Number of boards that may come, given both hands."""


@dataclass(frozen=True, eq=False)
class Street:
    """The boards of one street and the hands on them."""

    boards: Boards
    first_child: NDArray[np.int32]
    """int32[boards + 1]: the first board of the next street after each board."""
    sides: tuple[Side, Side]
    probability: float
    """The probability of each board's deal, given the board before and both hands."""
    run_outs: RunOuts


class FlatArrays(NamedTuple):
    """The arrays of all streets end to end, street by street and in each player by player, for kernels.

    Those of `Side` and `RunOuts` are views of them.
    """

    parent_slot: NDArray[np.int16]
    card: NDArray[np.uint8]
    alike: NDArray[np.uint8]
    """The cards of the hand in the slot's `orbit`; values go by them, so that renaming suits changes none."""
    same: NDArray[np.int16]
    tie: NDArray[np.int16]
    """The last street's alone, as `below` and `upto`."""
    below: NDArray[np.int16]
    upto: NDArray[np.int16]
    orbit: NDArray[np.int16]
    """0 on streets where renaming suits turns no hand into another."""
    won: NDArray[np.float32]
    tied: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class HoldemGame:
    """A hold'em game in public form."""

    rules: Any
    tree: HoldemTree
    hands: tuple[NDArray[np.int64], NDArray[np.int64]]
    """The numbers of each player's hands."""
    weights: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Their weights, as fractions of the largest in the range: float32 carries no range of tiny weights."""
    largest: tuple[float, float]
    """The largest weight of each range, as it was given."""
    streets: Sequence[Street]
    deal_scale: float
    """1 / the sum over pairs of hands without a common card of the product of their weights."""
    isomorphism: bool
    flat: FlatArrays

    @property
    def name(self) -> str:
        return str(self.rules)

    @cached_property
    def root_pot(self) -> float:
        """Chips in the middle at the root, which EVs are shares of; without any, twice the least stake."""
        stakes = np.abs(self.tree.pays[self.tree.pays != 0])
        return float(self.rules.starting_pot) or 2 * float(stakes.min(initial=np.inf))

    @property
    def compatible_share(self) -> float:
        """Fraction of the product of both ranges' weights that belongs to hands that share no card."""
        return 1 / (self.deal_scale * float(self.weights[0].sum() * self.weights[1].sum()))

    @property
    def raked(self) -> bool:
        """True if the house takes anything: then the game is not zero-sum."""
        return bool((self.tree.pays.sum(axis=(1, 2)) != 0).any())

    @cached_property
    def edge_slots(self) -> NDArray[np.int64]:
        """int64[edges]: slots of the player whose action each edge is."""
        node = self.tree.edge_node
        slots = np.array([[side.slots for side in street.sides] for street in self.streets])
        return slots[self.tree.street[node], self.tree.player[node]].astype(np.int64)

    @cached_property
    def edge_at(self) -> NDArray[np.int64]:
        """int64[edges]: where an action's numbers begin among those of its board."""
        sizes, street = self.edge_slots, self.tree.street[self.tree.edge_node]
        before = np.cumsum(sizes) - sizes
        return before - before[np.searchsorted(street, street)]

    @cached_property
    def board_cells(self) -> NDArray[np.int64]:
        """int64[streets]: numbers that one board of each street has in a table."""
        street = self.tree.street[self.tree.edge_node]
        return np.bincount(street, self.edge_slots, minlength=len(self.streets)).astype(np.int64)

    @cached_property
    def street_at(self) -> NDArray[np.int64]:
        """int64[streets + 1]: where each street's numbers begin in a table."""
        sizes = self.board_cells * [len(street.boards) for street in self.streets]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def cells(self) -> int:
        """Numbers in each table, those of empty slots included."""
        return int(self.street_at[-1])

    @cached_property
    def infosets(self) -> int:
        """Decisions x boards x hands that can be held there."""
        return self._count(lambda actions: np.ones_like(actions))

    @cached_property
    def infoset_actions(self) -> int:
        return self._count(lambda actions: actions)

    def _count(self, of: Any) -> int:
        tree, total = self.tree, 0
        counted = of(np.diff(tree.first_edge).astype(np.int64))
        for number, street in enumerate(self.streets):
            for player, side in enumerate(street.sides):
                here = (tree.kind == DECISION) & (tree.street == number) & (tree.player == player)
                total += int(counted[here].sum()) * int(side.count.sum(dtype=np.int64))
        return total

    @property
    def form_bytes(self) -> int:
        """Bytes of the form, without the tables."""
        arrays: list[NDArray[Any]] = []
        for street in self.streets:
            arrays += [array for side in street.sides for array in vars(side).values()]
            arrays += [street.run_outs.won, street.run_outs.tied]
        return sum(array.nbytes for array in arrays)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the game and of how its tables are laid out."""
        tree = self.tree
        digest = hashlib.sha256(f"hold'em {self.isomorphism} {self.deal_scale!r}".encode())
        arrays = [tree.kind, tree.player, tree.street, tree.first_edge, tree.child, tree.pays]
        arrays += [*self.hands, *self.weights]
        for street in self.streets:
            arrays += [street.boards.cards, street.boards.parent, street.boards.multiplicity]
            arrays += [side.hand for side in street.sides]
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:32]


def has_holdem_form(rules: object) -> bool:
    """Return whether rules are those of a spot or a no-limit game; limit games have `forms.public` alone."""
    return isinstance(rules, NoLimit | Spot)


def holdem_game(rules: Any, isomorphism: bool = True) -> HoldemGame:
    """Compile the rules of a spot or a no-limit game to the public form.

    Isomorphism switches itself off where no suits can be renamed without changing the board or a range.
    """
    tree = holdem_tree(rules.betting)
    if len(tree.subtrees) > len(rules.deals) + 1:
        raise GameError(f"{rules} has betting after its last deal")
    deck, ranges = sorted(rules.deck), rules.range_weights
    group = suit_group(deck, rules.root_board, ranges) if isomorphism else [IDENTITY]
    hands = (np.flatnonzero(ranges[0]), np.flatnonzero(ranges[1]))
    largest = (float(ranges[0].max()), float(ranges[1].max()))
    weights = (ranges[0][hands[0]] / largest[0], ranges[1][hands[1]] / largest[1])
    compatible = _compatible(hands)
    pairs = float((compatible * np.outer(*weights)).sum())
    if not pairs > 0:
        if compatible.any():
            raise GameError("the only hands that can be held at the same time weigh next to nothing")
        raise GameError("the ranges leave no pair of hands that can be held at the same time")
    deals = rules.deals[: len(tree.subtrees) - 1]
    streets: list[Street] = []
    boards = list_boards(deck, rules.root_board, deals, group)
    for number, here in enumerate(boards):
        last = number == len(rules.deals)
        above = streets[-1].sides if streets else None
        sides = _sides(rules, here, hands, above, last)
        after = boards[number + 1].parent if number + 1 < len(boards) else np.zeros(0, dtype=np.int32)
        first_child = np.searchsorted(after, np.arange(len(here) + 1)).astype(np.int32)
        dealt = rules.deals[number - 1] if number else 0
        left = len(deck) - here.cards.shape[1] + dealt - 4
        run_outs = _run_outs(rules, tree, number, here, hands, sides, compatible)
        streets.append(Street(here, first_child, sides, 1 / comb(left, dealt), run_outs))
    streets, flat = _end_to_end(streets)
    give_back_memory()  # what building took is not to lie beside the tables
    return HoldemGame(rules, tree, hands, weights, largest, streets, 1.0 / pairs, len(group) > 1, flat)


def _end_to_end(streets: Sequence[Street]) -> tuple[list[Street], FlatArrays]:
    """Lay the arrays of all streets end to end; returns the streets with views of them too."""
    sides: list[dict[str, NDArray[Any]]] = [dict(vars(side)) for street in streets for side in street.sides]
    flat: dict[str, NDArray[Any]] = {}
    for name in ("parent_slot", "card", "same", "tie", "below", "upto"):
        flat[name] = _joined([side[name] for side in sides])
        for side, view in zip(sides, _views(flat[name], [side[name] for side in sides]), strict=True):
            side[name] = view
    orbits = [
        side["orbit"] if side["orbit"].size else np.zeros(side["hand"].size, np.int16) for side in sides
    ]
    flat["orbit"] = _joined(orbits)
    flat["alike"] = _joined([_cards_alike(side["card"], side["orbit"]) for side in sides])
    made = [Side(**side) for side in sides]
    won, tied = ([getattr(street.run_outs, name) for street in streets] for name in ("won", "tied"))
    flat["won"], flat["tied"] = _joined(won), _joined(tied)
    run_outs = zip(streets, _views(flat["won"], won), _views(flat["tied"], tied), strict=True)
    return [
        replace(
            street,
            sides=(made[2 * number], made[2 * number + 1]),
            run_outs=street.run_outs._replace(won=of_won, tied=of_tied),
        )
        for number, (street, of_won, of_tied) in enumerate(run_outs)
    ], FlatArrays(**flat)


def _cards_alike(card: NDArray[np.uint8], orbit: NDArray[np.int16]) -> NDArray[np.uint8]:
    """The cards of the hands in the slots of `orbit`; the cards themselves where there are no orbits."""
    if not orbit.size:
        return card
    return np.take_along_axis(card, orbit.astype(np.int64)[:, :, None], axis=1)


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    dtype = arrays[0].dtype if arrays else np.int16
    return np.concatenate([np.zeros(0, dtype=dtype), *(array.ravel() for array in arrays)])


def _views(flat: NDArray[Any], arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """The parts of an array in which `arrays` lie end to end, in their shapes."""
    ends = np.cumsum([array.size for array in arrays])
    return [
        flat[end - array.size : end].reshape(array.shape) for array, end in zip(arrays, ends, strict=True)
    ]


def strengths(rules: Any, boards: NDArray[np.int8], hands: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the strength of each hand on each board, int32[boards, hands]; 0 where they share a card."""
    cards = hole_cards()[hands].astype(np.uint8)
    found = np.zeros((len(boards), len(hands)), dtype=np.int32)
    if 3 <= boards.shape[1] <= 5:
        hand_kernels.evaluate_hands(boards, cards, evaluator(), found)
        return found
    whole = rules.strengths(
        [tuple(board) for board in boards.tolist()], [tuple(pair) for pair in cards.tolist()]
    )
    blocked = (cards[None, :, :, None] == boards[:, None, None, :].astype(np.uint8)).any(axis=(2, 3))
    found[:] = np.where(blocked, hand_kernels.BLOCKED, whole + 1)
    return found


def _compatible(hands: tuple[NDArray[np.int64], NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Which pairs of hands have no card in common: bool[hands of player 0, hands of player 1]."""
    first, second = (hole_cards()[numbers] for numbers in hands)
    shared = (first[:, None, :, None] == second[None, :, None, :]).any(axis=(2, 3))
    return np.asarray(~shared, dtype=np.bool_)


def padded_slots(size: int) -> int:
    return max(WIDTH, -(-size // WIDTH) * WIDTH)


def _sides(
    rules: Any,
    boards: Boards,
    hands: tuple[NDArray[np.int64], NDArray[np.int64]],
    above: tuple[Side, Side] | None,
    last: bool,
) -> tuple[Side, Side]:
    """Place both players' hands on the boards of a street."""
    placed = [_place(rules, boards, numbers, last) for numbers in hands]
    made = []
    for player in (0, 1):
        (place, count, strength), (others, _, other_strength) = placed[player], placed[1 - player]
        numbers, held = hands[player], place >= 0
        card = np.full((*place.shape, 2), NO_CARD, dtype=np.uint8)
        card[held] = hole_cards()[numbers[place[held]]]
        before = np.arange(len(numbers), dtype=np.int16)[None] if above is None else above[player].hand
        up = np.take_along_axis(_slot_of(before, len(numbers))[boards.parent], place.astype(np.int64), axis=1)
        twin = _places(numbers, hands[1 - player])
        slot_of = np.append(_slot_of(others, len(hands[1 - player])), np.full((len(boards), 1), -1), axis=1)
        same = np.take_along_axis(slot_of, twin[place].astype(np.int64), axis=1)
        same = np.where(held & (same >= 0), same, others.shape[1]).astype(np.int16)
        none = np.zeros((0, 0), dtype=np.int16)
        tie, below, upto = _compare(strength, other_strength) if last else (none, none, none)
        orbit = _orbits(boards, numbers, place)
        made.append(
            Side(count, place, np.where(held, up, 0).astype(np.int16), card, same, tie, below, upto, orbit)
        )
    return made[0], made[1]


def _place(
    rules: Any, boards: Boards, numbers: NDArray[np.int64], last: bool
) -> tuple[NDArray[np.int16], NDArray[np.int32], NDArray[np.int64]]:
    """The hand in each slot, how many there are, and their strengths, ascending; `MOST` past the last hand."""
    if last:
        strength = strengths(rules, boards.cards, numbers).astype(np.int64)
        strength[strength == hand_kernels.BLOCKED] = MOST
    else:
        cards = hole_cards()[numbers].astype(np.int8)
        blocked = (cards[None, :, :, None] == boards.cards[:, None, None, :]).any(axis=(2, 3))
        strength = np.where(blocked, MOST, 0)
    order = np.argsort(strength, axis=1, kind="stable")
    strength = np.take_along_axis(strength, order, axis=1)
    count = (strength < MOST).sum(axis=1, dtype=np.int32)
    slots = padded_slots(int(count.max(initial=0)))
    shape = (len(boards), slots)
    place, strong = np.full(shape, -1, dtype=np.int16), np.full(shape, MOST, dtype=np.int64)
    fits = min(slots, order.shape[1])
    place[:, :fits] = np.where(strength[:, :fits] < MOST, order[:, :fits], -1)
    strong[:, :fits] = strength[:, :fits]
    return place, count, strong


def _slot_of(place: NDArray[np.int16], hands: int) -> NDArray[np.int64]:
    """int64[boards, hands]: the slot that each hand is in; -1 where it is in none."""
    found = np.full((len(place), hands + 1), -1, dtype=np.int64)
    slots = np.broadcast_to(np.arange(place.shape[1]), place.shape)
    np.put_along_axis(found, place.astype(np.int64), slots, axis=1)
    return found[:, :hands]


def _compare(
    strength: NDArray[np.int64], others: NDArray[np.int64]
) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int16]]:
    """`Side.tie`, `below` and `upto` from the ascending strengths of both players' slots."""
    board = np.arange(len(strength))[:, None]
    mine, against = (values + board * (MOST + 1) for values in (strength, others))

    def passed(among: NDArray[np.int64], side: Any) -> NDArray[np.int16]:
        found = np.searchsorted(among.ravel(), mine.ravel(), side=side).reshape(mine.shape)
        return np.asarray(found - board * among.shape[1], dtype=np.int16)

    return passed(mine, "right"), passed(against, "left"), passed(against, "right")


def _places(numbers: NDArray[np.int64], among: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the place of each number in a sorted list; -1 where it has none."""
    at = np.minimum(np.searchsorted(among, numbers), len(among) - 1)
    return np.where(among[at] == numbers, at, -1).astype(np.int16)


def _orbits(boards: Boards, numbers: NDArray[np.int64], place: NDArray[np.int16]) -> NDArray[np.int16]:
    """For each slot the slot of the least hand that the permutations of its board turn its hand into."""
    if all(len(group) == 1 for group in boards.groups):
        return np.zeros((0, 0), dtype=np.int16)
    orbit = np.broadcast_to(np.arange(place.shape[1], dtype=np.int16), place.shape).copy()
    for board, group in enumerate(boards.groups):
        held = place[board][place[board] >= 0]
        if len(group) > 1:
            least = np.min([renamed_hands(suits)[numbers[held]] for suits in group], axis=0)
            by_number = np.argsort(held)
            orbit[board, : len(held)] = by_number[np.searchsorted(numbers[held], least, sorter=by_number)]
    return orbit


def _run_outs(
    rules: Any,
    tree: HoldemTree,
    number: int,
    boards: Boards,
    hands: tuple[NDArray[np.int64], NDArray[np.int64]],
    sides: tuple[Side, Side],
    compatible: NDArray[np.bool_],
) -> RunOuts:
    """Count for each board and pair of hands how the boards to come turn out, where a street has run-outs."""
    nodes = (tree.kind == RUN_OUT) & (tree.street == number)
    left = sum(rules.deals[number:])
    to_come = comb(len(rules.deck) - boards.cards.shape[1] - 4, left)
    none = np.zeros((0, 1, 1), dtype=np.float32)
    if not nodes.any():
        return RunOuts(none, none, to_come)
    raked = bool((tree.pays[nodes].sum(axis=2) != 0).any())
    shape = (len(boards), sides[0].slots, sides[1].slots)
    won = np.zeros(shape, dtype=np.float32)
    tied = np.zeros(shape if raked else (0, 1, 1), dtype=np.float32)
    for board in range(len(boards)):
        so_far = boards.cards[board].tolist()
        to_deal = combinations([card for card in rules.deck if card not in so_far], left)
        held = [side.hand[board, : side.count[board]] for side in sides]
        pairs = compatible[np.ix_(*held)]
        counted = np.zeros((2, *pairs.shape) if raked else (1, *pairs.shape), dtype=np.int32)
        while after := list(islice(to_deal, MOST_AT_ONCE)):
            whole = np.array([so_far + list(cards) for cards in after], dtype=np.int8)
            first, second = (strengths(rules, whole, hands[player][held[player]]) for player in (0, 1))
            hand_kernels.count_run_outs(first, second, counted[0], counted[1] if raked else counted[0, :0])
        won[board, : len(held[0]), : len(held[1])] = counted[0] * pairs
        if raked:
            tied[board, : len(held[0]), : len(held[1])] = counted[1] * pairs
    return RunOuts(won, tied, to_come)
