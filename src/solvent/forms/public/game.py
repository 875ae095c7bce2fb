"""The public form: a betting tree x the boards of each round x the hands of each player.

For games in which hands are dealt and everything after is public. A few hundred betting nodes and a few thousand
boards stand for billions of histories, and a node on a board is a vector with an entry for each hand.

Nodes are in the order of `forms.numbering`, so that what is played between two deals is a slice of nodes. A board
knows its *slots*: the hands that can be held on it. Where hands are pairs of cards the slots are sorted by
strength, which makes a showdown one sweep.

With isomorphism, boards that differ only in the names of suits are stood for by one of them, with the
number of them as its multiplicity.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.forms.numbering import Subtree, number_nodes
from solvent.foundation.errors import InputError
from solvent.games.game import GameError, check_chances
from solvent.games.public_rules import (
    FOLD,
    SHOWDOWN,
    Betting,
    Board,
    Hand,
    PublicRules,
    boards_after,
    sign_of,
)

DECISION, DEAL, FOLDED, RANKED, MATRIX = -1, -2, 0, 1, 2
"""Values of `Nodes.symbol`, which say what a node is. Matrices are numbered from MATRIX upward."""

CARDS = 52


class Nodes(NamedTuple):
    """The betting tree. Edges are the actions of decision nodes, numbered in the order of the nodes."""

    symbol: NDArray[np.int32]
    player: NDArray[np.int8]
    first_edge: NDArray[np.int32]
    """The first edge of each node, int32[nodes + 1]; a node that is not a decision has no edges."""
    child: NDArray[np.int32]
    """The node behind each edge."""
    stake: NDArray[np.float64]
    """Chips that player 0 wins where the symbol says 1."""
    round: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Round:
    """The boards of one round. All of them have the same number of slots."""

    boards: Sequence[Board]
    parent: NDArray[np.int32]
    """The number of the parent board, in the round before: int32[boards]."""
    multiplicity: NDArray[np.float64]
    """Number of boards for which each board stands: float64[boards]."""
    probability: float
    """The probability of one board, given the board before and two hands that both boards leave possible; 1 where
    the matrices hold the probabilities."""
    hand: NDArray[np.int32]
    """The hand in each slot: int32[boards, slots]."""
    parent_slot: NDArray[np.int32]
    """The slot of that hand on the parent board: int32[boards, slots]."""
    card: NDArray[np.int8]
    """The two cards of the hand in each slot: int8[boards, slots, 2]; empty where terminals have matrices."""
    tie: NDArray[np.int32]
    """One past the last slot of the same strength: int32[boards, slots]; empty where terminals have matrices."""
    subtrees: Sequence[Subtree]

    @property
    def slots(self) -> int:
        return int(self.hand.shape[1])

    def slot_of(self, hands: int) -> NDArray[np.int64]:
        """int64[boards, hands]: the slot of each hand on each board; -1 where the board blocks it."""
        slot = np.full((len(self.boards), hands), -1, dtype=np.int64)
        np.put_along_axis(slot, self.hand.astype(np.int64), np.arange(self.slots)[None], axis=1)
        return slot


@dataclass(frozen=True, eq=False)
class PublicGame:
    """A game in public form."""

    rules: PublicRules
    hands: Sequence[Hand]
    nodes: Nodes
    betting: Sequence[Betting]
    """The betting node of each node."""
    rounds: Sequence[Round]
    ranges: tuple[NDArray[np.float64], NDArray[np.float64]]
    """A weight for each hand of each player."""
    matrix: NDArray[np.float64]
    """float64[matrices, hands, hands]: what player 0's hand wins from player 1's, weighted by chance."""
    matrix_of: NDArray[np.int32]
    """The matrix of a terminal's symbol on a board: int32[symbols, boards of its round]."""
    deal_scale: float
    """The probability of a pair of hands with weights 1; 1 where the matrices hold the probabilities."""
    isomorphism: bool
    orbit: NDArray[np.int32]
    """A number for each hand; hands that differ only in the names of suits share one."""

    def __repr__(self) -> str:
        return f"<PublicGame of {self.name}: {len(self.betting):,} betting nodes, {len(self.hands):,} hands>"

    @property
    def name(self) -> str:
        return str(self.rules)

    @property
    def sorted_hands(self) -> bool:
        """True if showdowns are sweeps over sorted hands, False if they are matrices."""
        return len(self.matrix) == 0

    @cached_property
    def edge_node(self) -> NDArray[np.int32]:
        """The node of each edge."""
        nodes = self.nodes
        return np.repeat(np.arange(len(nodes.symbol), dtype=np.int32), np.diff(nodes.first_edge))

    @cached_property
    def block_sizes(self) -> NDArray[np.int64]:
        """Numbers in the block of each edge: boards x slots of its round."""
        per_round = np.array([len(r.boards) * r.slots for r in self.rounds], dtype=np.int64)
        return per_round[self.nodes.round[self.edge_node]]

    @property
    def cells(self) -> int:
        """Numbers in each table: infoset-actions, and those of hands that nobody can hold."""
        return int(self.block_sizes.sum())

    @property
    def infosets(self) -> int:
        """Decision nodes x boards x hands that can be held there."""
        return self._counts[0]

    @property
    def infoset_actions(self) -> int:
        return self._counts[1]

    @cached_property
    def _counts(self) -> tuple[int, int]:
        nodes, actions = self.nodes, np.diff(self.nodes.first_edge)
        infosets = infoset_actions = 0
        for level in range(len(self.rounds)):
            held = self.possible(level).sum(axis=(1, 2))
            for player in (0, 1):
                here = (nodes.symbol == DECISION) & (nodes.round == level) & (nodes.player == player)
                infosets += int(here.sum()) * int(held[player])
                infoset_actions += int(actions[here].sum()) * int(held[player])
        return infosets, infoset_actions

    @property
    def public_nodes(self) -> int:
        """Nodes x boards x hands: what one pass visits."""
        per_round = np.bincount(self.nodes.round, minlength=len(self.rounds))
        return int(sum(count * here.hand.size for count, here in zip(per_round, self.rounds, strict=True)))

    def possible(self, level: int) -> NDArray[np.bool_]:
        """Say which hands each player can hold in a round: bool[players, boards, slots]."""
        here = self.rounds[level]
        if self.sorted_hands:
            return np.stack([weight[here.hand] > 0 for weight in self.ranges])
        ends = np.unique(self.nodes.symbol[self.nodes.symbol >= MATRIX])
        in_round = [s for s in ends if self.nodes.round[np.flatnonzero(self.nodes.symbol == s)[0]] >= level]
        found = np.zeros((2, len(here.boards), here.slots), dtype=np.bool_)
        for symbol in in_round:
            below = int(self.nodes.round[np.flatnonzero(self.nodes.symbol == symbol)[0]])
            board: NDArray[np.integer] = np.arange(len(self.rounds[below].boards))
            matrix = np.abs(self.matrix[self.matrix_of[symbol, board]])
            for r in range(below, level, -1):
                board = self.rounds[r].parent[board]
            np.logical_or.at(found[0], board, matrix.sum(axis=2) > 0)
            np.logical_or.at(found[1], board, matrix.sum(axis=1) > 0)
        return found

    def chances(self, level: int) -> NDArray[np.float64]:
        """The probability of each pair of hands on each board of a round, where matrices hold the probabilities."""
        return _chances(self.rules, self.hands, self.rounds[: level + 1], self.ranges)[level]

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the game and of how its tables are laid out."""
        digest = hashlib.sha256(f"{self.name} {self.isomorphism} {self.deal_scale!r}".encode())
        arrays = [*self.nodes, *self.ranges, self.matrix, self.matrix_of]
        for here in self.rounds:
            arrays += [here.hand, here.tie, here.multiplicity, here.parent]
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:32]


def public_game(
    rules: PublicRules,
    isomorphism: bool = True,
    ranges: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> PublicGame:
    """Compile rules to the public form.

    `ranges` weigh the hands of each player (default 1 each). Isomorphism switches itself off where the rules
    have no symmetries, ranges are not symmetric, or boards are dealt more than once.
    """
    if not isinstance(rules, PublicRules):
        raise GameError(f"{rules} has no public form: its hands are not dealt first with all else public")
    hands = list(rules.hands())
    weights, orbit = _ranges(rules, hands, ranges), _orbits(rules, hands)
    symmetric = all(_same_in_orbit(weight, orbit) for weight in weights)
    nodes, betting, subtrees, symbols = _flatten(rules)
    if any(node.rake for node in betting):
        raise GameError(f"{rules} has rake, which this public form does not hold; solve it on its histories")
    symmetric = symmetric and len(set(orbit.tolist())) < len(hands) and len(subtrees) <= 2
    isomorphism = isomorphism and symmetric
    sorts = rules.hole_cards(hands[0]) is not None
    rounds = _rounds(rules, hands, subtrees, sorts, isomorphism)
    if sorts:
        _check_showdowns(rules, nodes)
        matrix, matrix_of = np.zeros((0, 1, 1)), np.zeros((len(symbols) + MATRIX, 1), dtype=np.int32)
        scale = 1.0 / _compatible_weight(rules, hands, weights)
    else:
        matrix, matrix_of, symbol = _matrices(rules, hands, nodes, betting, rounds, weights, symbols)
        nodes = nodes._replace(symbol=symbol)
        scale = 1.0
    made = (rules, hands, nodes, betting, rounds, weights, matrix, matrix_of)
    return PublicGame(*made, scale, isomorphism, orbit)


def _check_showdowns(rules: PublicRules, nodes: Nodes) -> None:
    """Refuse games with hole cards that end in anything but a fold, or a showdown on a board."""
    if ((nodes.symbol > RANKED) | ((nodes.symbol == RANKED) & (nodes.round == 0))).any():
        raise GameError(f"{rules} has hole cards, so it must end in folds, or in showdowns on a board")


# The betting tree


def _flatten(rules: PublicRules) -> tuple[Nodes, list[Betting], list[list[Subtree]], list[Any]]:
    """Lay out the nodes round by round, and list the symbols of terminals."""
    numbered = number_nodes(rules.betting, f"{rules} uses one betting node in two places; each needs its own")
    order = numbered.betting
    symbols = [FOLD, SHOWDOWN]
    for node in order:
        if not node.actions and not node.deals and node.symbol not in symbols:
            symbols.append(node.symbol)
    symbol = [DECISION if n.actions else DEAL if n.deals else symbols.index(n.symbol) for n in order]
    nodes = Nodes(
        symbol=np.array(symbol, dtype=np.int32),
        player=np.array([n.player for n in order], dtype=np.int8),
        first_edge=numbered.first_edge,
        child=numbered.child,
        stake=np.array([n.stake for n in order], dtype=np.float64),
        round=np.array(numbered.street, dtype=np.int8),
    )
    return nodes, order, numbered.subtrees, symbols


# Boards and hands


def _rounds(
    rules: PublicRules,
    hands: Sequence[Hand],
    subtrees: Sequence[Sequence[Subtree]],
    sorts: bool,
    isomorphism: bool,
) -> list[Round]:
    rounds: list[Round] = []
    boards: list[Board] = [rules.root_board]
    parent = np.zeros(1, dtype=np.int32)
    multiplicity = np.ones(1)
    for level, here in enumerate(subtrees):
        if level:
            follow = [(k, after) for k, board in enumerate(boards) for after in rules.public_boards(board)]
            parent = np.array([k for k, _ in follow], dtype=np.int32)
            boards = [after for _, after in follow]
            multiplicity = np.ones(len(boards))
            if isomorphism:
                boards, multiplicity = _representatives(rules, boards)
                parent = np.zeros(len(boards), dtype=np.int32)
        before = rounds[-1] if rounds else None
        hand, card, tie = _slots(rules, hands, boards, sorts, sort=level > 0)
        probability = 1.0
        if sorts and level:
            probability = _board_probability(rules, hands, rounds[-1].boards[0])
        rounds.append(
            Round(
                boards,
                parent,
                multiplicity,
                probability,
                hand,
                _parent_slots(hand, parent, before, len(hands)),
                card,
                tie,
                here,
            )
        )
    return rounds


def _slots(
    rules: PublicRules, hands: Sequence[Hand], boards: Sequence[Board], sorts: bool, sort: bool
) -> tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.int32]]:
    """List the hands that can be held on each board, sorted by strength where strengths decide showdowns."""
    everyone = np.arange(len(hands), dtype=np.int32)
    if not sorts:
        hand = np.broadcast_to(everyone, (len(boards), len(hands))).copy()
        return hand, np.zeros((len(boards), 0, 2), np.int8), np.zeros((len(boards), 0), np.int32)
    cards = np.array([rules.hole_cards(h) for h in hands], dtype=np.int8)
    if not sort:
        tie = np.broadcast_to(np.int32(len(hands)), (len(boards), len(hands))).copy()
        return everyone[None].copy(), cards[None], tie
    strength = rules.strengths(boards, hands)
    dead = (cards[None, :, :, None] == np.array(boards, dtype=np.int8)[:, None, None, :]).any(axis=(2, 3))
    slots = int((~dead[0]).sum())
    # Hands that the board blocks sort last and are cut off.
    order = np.argsort(np.where(dead, np.iinfo(np.int64).max, strength), axis=1, kind="stable")[:, :slots]
    ordered = np.take_along_axis(strength, order, axis=1)
    last = np.ones(ordered.shape, dtype=bool)
    last[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    ends = np.where(last, np.arange(1, slots + 1), slots + 1)
    tie = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1].astype(np.int32)
    return order.astype(np.int32), cards[order], np.ascontiguousarray(tie)


def _parent_slots(
    hand: NDArray[np.int32], parent: NDArray[np.int32], before: Round | None, hands: int
) -> NDArray[np.int32]:
    if before is None:
        return hand
    return np.take_along_axis(before.slot_of(hands)[parent], hand, axis=1).astype(np.int32)


def _board_probability(rules: PublicRules, hands: Sequence[Hand], board: Board) -> float:
    """The probability of a board given two hands, which is the same for every pair of hands."""
    first = next(h for h in hands if not set(h) & set(board))
    second = next(h for h in hands if not set(h) & (set(board) | set(first)))
    return 1.0 / len(list(rules.boards(board, first, second)))


def _representatives(rules: PublicRules, boards: Sequence[Board]) -> tuple[list[Board], NDArray[np.float64]]:
    """Choose one board of each class under the symmetries, and count the boards it stands for."""
    count: dict[Board, int] = {}
    seen: dict[Board, Board] = {}
    for board in boards:
        if board not in seen:
            for _, relabel in rules.symmetries():
                seen[relabel(board)] = board
        count[seen[board]] = count.get(seen[board], 0) + 1
    return list(count), np.array(list(count.values()), dtype=np.float64)


def _orbits(rules: PublicRules, hands: Sequence[Hand]) -> NDArray[np.int32]:
    orbit: dict[Hand, int] = {}
    classes = 0
    for hand in hands:
        if hand not in orbit:
            orbit[hand] = classes
            classes += 1
            for relabel, _ in rules.symmetries():
                orbit[relabel(hand)] = orbit[hand]
    return np.array([orbit[hand] for hand in hands], dtype=np.int32)


def _same_in_orbit(weight: NDArray[np.float64], orbit: NDArray[np.int32]) -> bool:
    first = np.zeros(int(orbit.max()) + 1)
    first[orbit[::-1]] = weight[::-1]
    return bool((weight == first[orbit]).all())


def _ranges(
    rules: PublicRules, hands: Sequence[Hand], ranges: tuple[NDArray[np.float64], NDArray[np.float64]] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if ranges is None:
        return np.ones(len(hands)), np.ones(len(hands))
    first, second = (np.asarray(weight, dtype=np.float64) for weight in ranges)
    for weight in (first, second):
        if weight.shape != (len(hands),) or not np.isfinite(weight).all() or (weight < 0).any():
            raise InputError(f"a range for {rules} is {len(hands)} weights, none negative")
    return first, second


def _compatible_weight(
    rules: PublicRules, hands: Sequence[Hand], weights: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> float:
    """The total weight of all pairs of hands that share no card."""
    first, second = weights
    cards = np.array([rules.hole_cards(h) for h in hands])
    held = np.zeros((len(hands), CARDS))
    np.put_along_axis(held, cards, 1.0, axis=1)
    by_card = second @ held
    together = second.sum() - by_card[cards[:, 0]] - by_card[cards[:, 1]] + second
    if not (total := float(first @ together)) > 0:
        raise InputError(f"the ranges for {rules} leave no pair of hands that can be dealt")
    return total


# Matrices


def _chances(
    rules: PublicRules,
    hands: Sequence[Hand],
    rounds: Sequence[Round],
    weights: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> list[NDArray[np.float64]]:
    """The probability of every pair of hands on every board, by round: float64[boards, hands, hands]."""
    size = len(hands)
    firsts = list(rules.deal())
    for outcomes in (firsts, *(rules.deal(hand) for hand, weight in firsts if weight)):
        check_chances(rules, [float(weight) for _, weight in outcomes])
    deal = np.array([[float(rules.deal_weight(a, b)) for b in hands] for a in hands])
    deal *= weights[0][:, None] * weights[1][None, :]
    if weights[0].min() != 1 or weights[1].min() != 1 or max(w.max() for w in weights) != 1:
        if not deal.sum() > 0:
            raise InputError(f"the ranges for {rules} leave no pair of hands that can be dealt")
        deal /= deal.sum()
    chance = [deal[None]]
    for level, here in enumerate(rounds[1:], start=1):
        before = rounds[level - 1]
        follow = np.zeros((len(here.boards), size, size))
        index = {board: k for k, board in enumerate(here.boards)}
        for k, board in enumerate(before.boards):
            for i, a in enumerate(hands):
                for j, b in enumerate(hands):
                    if chance[-1][k, i, j]:
                        follows = boards_after(rules, board, a, b)
                        check_chances(rules, [float(weight) for _, weight in follows])
                        for after, weight in follows:
                            if after in index:
                                follow[index[after], i, j] = float(weight)
        chance.append(follow * chance[-1][here.parent])
    return chance


def _matrices(
    rules: PublicRules,
    hands: Sequence[Hand],
    nodes: Nodes,
    betting: Sequence[Betting],
    rounds: Sequence[Round],
    weights: tuple[NDArray[np.float64], NDArray[np.float64]],
    symbols: Sequence[Any],
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]:
    """Make a matrix of probability x sign for every symbol on every board of the rounds that it ends."""
    chance = _chances(rules, hands, rounds, weights)
    found: list[NDArray[np.float64]] = []
    keys = sorted({(int(r), int(s)) for r, s in zip(nodes.round, nodes.symbol, strict=True) if s >= 0})
    matrix_of = np.zeros((MATRIX + len(keys), max(len(r.boards) for r in rounds)), dtype=np.int32)
    symbol = nodes.symbol.copy()
    for number, (level, which) in enumerate(keys, start=MATRIX):
        for k, board in enumerate(rounds[level].boards):
            matrix_of[number, k] = len(found)
            found.append(terminal_matrix(rules, symbols[which], board, hands, chance[level][k]))
        symbol[(nodes.round == level) & (nodes.symbol == which)] = number
    return np.array(found), matrix_of, symbol


def terminal_matrix(
    rules: PublicRules, symbol: Any, board: Board, hands: Sequence[Hand], chance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """float64[hands, hands]: the sign of what player 0's hand wins from player 1's, times the chance of both."""
    signs = [
        [sign_of(rules, symbol, board, a, b) if chance[i, j] else 0 for j, b in enumerate(hands)]
        for i, a in enumerate(hands)
    ]
    return np.array(signs, dtype=np.float64) * chance
