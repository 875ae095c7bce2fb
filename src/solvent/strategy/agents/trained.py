"""The strategy of a trained hold'em agent: probabilities by betting line and bucket, asked by hand or by class.

An infoset is written `hand|board|line`, as in solved games: `AKs||r300` or `AsKs||r300` before the flop,
`AsKs|Ks7d2c|r300c/` after it. Rows are by bucket, of which there are far fewer than hands: `4.17|flop|r300c/` is
bucket 17 of public cluster 4.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import RANKS, Card, cards_label, parse_cards
from solvent.cards.hands import hole_cards as all_hole_cards
from solvent.cards.isomorphism import Indexer
from solvent.cards.ranges import parse_range
from solvent.forms.betting.tree import DECISION
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import BOARD_CARDS, STREETS, action_text
from solvent.strategy.agents.betting_line import find_decision, own_actions
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.reach import not_negligible, ratio, relative
from solvent.strategy.strategy import Row, Strategy

BUCKET = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})")
CLASS = re.compile(rf"([{RANKS}])([{RANKS}])([so]?)")


@dataclass(frozen=True, eq=False)
class ClassChart:
    """A decision by class of hands: [0, 0] are aces, and suited hands stand above the diagonal.

    A hand counts by its reach: how often it comes there, as far as the player's own actions on the way go.
    """

    probabilities: NDArray[np.float64]
    """float64[13, 13, actions]: the mean of a class's hands by reach; NaN where none comes, or hardly any."""
    reach: NDArray[np.float64]
    """float64[13, 13]: the part of a class's hands that comes, from 0 to 1; NaN where the board leaves no hand."""
    frequencies: NDArray[np.float64]
    """float64[actions]: the mean of all hands by reach; NaN where none comes."""

    @property
    def heights(self) -> NDArray[np.float64]:
        """float64[13, 13]: reach beside that of the class that comes most, 0 where none comes."""
        return relative(np.nan_to_num(self.reach))


class TrainedStrategy(Strategy):
    """A trained agent's average strategy, for both players."""

    def __init__(self, tables: Blueprint, facts: Mapping[str, Any]) -> None:
        self.tables, self.tree, self.cards = tables, tables.tree, tables.cards
        self.facts = dict(facts)
        abstraction = self.tree.abstraction
        stack = abstraction.rules.effective_stack / abstraction.rules.blinds[1]
        self.game = (
            f"no-limit hold'em, {stack:g} BB, {abstraction.name} betting, {self.cards.design.name} cards"
        )
        digest = hashlib.sha256(self.cards.fingerprint.encode())
        for column in (self.tree.kind, self.tree.parent, self.tree.action, self.tree.paid):
            digest.update(np.ascontiguousarray(column).tobytes())
        self.fingerprint = digest.hexdigest()[:32]

    def __len__(self) -> int:
        return self.tree.rows([clusters * buckets for clusters, buckets in self.cards.sizes])

    def query(self, infoset: str, player: int | None = None) -> dict[str, float]:
        """The probability of each action for a hand, a class of hands or a bucket."""
        hand, _, rest = infoset.partition("|")
        board, bar, line = rest.partition("|")
        if not bar:
            raise InputError(
                f"an agent's infoset is written hand|board|line, such as 'AsKs|Ks7d2c|r300c/', not {infoset!r}"
            )
        node = find_decision(self.tree, line)
        owner = int(self.tree.player[node])
        if player not in (None, owner):
            raise InputError(f"player {owner} decides after {line!r}, not player {player}")
        return self._named(node, self.tables.average(node, *self._bucket(node, hand, board)))

    def rows(self, player: int | None = None) -> Iterator[Row]:
        """Every bucket at every decision, or at every decision of one player."""
        for node in np.flatnonzero(self.tree.kind == DECISION).tolist():
            owner = int(self.tree.player[node])
            if player not in (None, owner):
                continue
            line, street = self.tree.history(node), int(self.tree.street[node])
            for cluster, bucket in product(*map(range, self.cards.sizes[street])):
                label = f"{cluster}.{bucket}|{STREETS[street]}" if street else f"{_preflop_labels()[bucket]}|"
                probabilities = self._named(node, self.tables.average(node, cluster, bucket))
                yield Row(owner, f"{label}|{line}", probabilities)

    def hand(self, node: int, hole: tuple[Card, ...], board: tuple[Card, ...]) -> NDArray[np.float64]:
        """float64[actions]: the strategy with two hole cards on a board."""
        street = self.check_board(node, board)
        return self.tables.average(node, *self.cards.bucket(street, hole, board))

    def hand_reach(self, node: int, hole: tuple[Card, ...], board: tuple[Card, ...]) -> float:
        """Return how often two hole cards come to a decision by the player's own actions, from 0 to 1."""
        self.check_board(node, board)
        return float(self._reach(node, np.array([hole], dtype=np.int64), board)[0])

    def class_of_hands(
        self, node: int, label: str, board: tuple[Card, ...]
    ) -> tuple[NDArray[np.float64], float, int]:
        """The strategy of a class such as `AKs`, its reach, and how many of its hands the board leaves.

        The strategy, float64[actions], is the mean of its hands by reach, or their plain mean where none comes.
        """
        self.check_board(node, board)
        holes = class_holes(label, board)
        if not len(holes):
            raise InputError(f"the board {cards_label(board)} leaves no hand of {label}")
        played, reach = self._play(node, holes, board), self._reach(node, holes, board)
        weights = reach if reach.sum() > 0 else np.ones(len(holes))
        mean: NDArray[np.float64] = weights @ played / weights.sum()
        return mean, float(reach.mean()), len(holes)

    def classes(self, node: int, board: tuple[Card, ...] = ()) -> ClassChart:
        """The strategy by class of hands."""
        self.check_board(node, board)
        left = [card for card in range(52) if card not in board]
        holes = np.array(list(combinations(left, 2)), dtype=np.int64)[:, ::-1]
        played, reach = self._play(node, holes, board), self._reach(node, holes, board)
        high, low = 12 - holes[:, 0] // 4, 12 - holes[:, 1] // 4
        suited = holes[:, 0] % 4 == holes[:, 1] % 4
        row, column = np.where(suited, high, low), np.where(suited, low, high)
        hands, comes, total = np.zeros((13, 13)), np.zeros((13, 13)), np.zeros((13, 13, played.shape[1]))
        np.add.at(hands, (row, column), 1.0)
        np.add.at(comes, (row, column), reach)
        np.add.at(total, (row, column), reach[:, None] * played)
        part = ratio(comes, hands)
        often = not_negligible(np.nan_to_num(part))
        return ClassChart(
            np.where(often[:, :, None], ratio(total, comes[:, :, None]), np.nan),
            part,
            ratio(total.sum(axis=(0, 1)), np.full(played.shape[1], reach.sum())),
        )

    def _reach(self, node: int, holes: NDArray[np.int64], board: tuple[Card, ...]) -> NDArray[np.float64]:
        """float64[hands]: the product of the player's own actions on the way to a decision."""
        reach = np.ones(len(holes))
        for above, action in own_actions(self.tree, node):
            so_far = board[: BOARD_CARDS[self.tree.street[above]]]
            reach *= self._play(above, holes, so_far)[:, action]
        return reach

    def _play(self, node: int, holes: NDArray[np.int64], board: tuple[Card, ...]) -> NDArray[np.float64]:
        """float64[hands, actions]: the strategy of many hands, int64[hands, 2], on a board."""
        hands = np.concatenate([holes, np.tile(np.array(board, np.int64), (len(holes), 1))], axis=1)
        clusters, buckets = self.cards.buckets(int(self.tree.street[node]), hands)
        found, which = np.unique(np.stack([clusters, buckets]), axis=1, return_inverse=True)
        rows = np.array([self.tables.average(node, int(c), int(b)) for c, b in found.T])
        played: NDArray[np.float64] = rows[which.ravel()]
        return played

    def check_board(self, node: int, board: tuple[Card, ...]) -> int:
        """The street of a decision, if the board has that street's cards."""
        street = int(self.tree.street[node])
        wanted = BOARD_CARDS[street]
        if len(board) != wanted:
            line, name = self.tree.history(node), STREETS[street]
            raise InputError(
                f"after {line!r} it is {name}, with a board of {wanted} cards such as "
                f"{'Ks7d2c9h5s'[: 2 * wanted]}; {cards_label(board) or 'none'} was given"
                if wanted
                else f"after {line!r} it is before the flop, where there is no board"
            )
        return street

    def _named(self, node: int, probabilities: NDArray[np.float64]) -> dict[str, float]:
        names = [action_text(action) for action in self.tree.actions(node)]
        return dict(zip(names, probabilities.tolist(), strict=True))

    def _bucket(self, node: int, hand: str, board: str) -> tuple[int, int]:
        street = int(self.tree.street[node])
        numbered = BUCKET.fullmatch(hand)
        if numbered is not None:
            cluster, bucket = int(numbered[1]), int(numbered[2])
            clusters, buckets = self.cards.sizes[street]
            if board not in ("", STREETS[street]) or cluster >= clusters or bucket >= buckets:
                raise InputError(
                    f"the {STREETS[street]} has {clusters} public clusters of {buckets} buckets; there is no "
                    f"{hand}|{board}"
                )
            return cluster, bucket
        hole = hole_cards(hand) if street == 0 else parse_cards(hand)
        cards = parse_cards(board)
        return self.cards.bucket(self.check_board(node, cards), hole, cards)


def hole_cards(hand: str) -> tuple[Card, ...]:
    """Two cards, from cards such as `AsKs` or, before the flop, from a class such as `AKs`, `AKo` or `77`.

    >>> [cards_label(hole_cards(hand)) for hand in ("AsKh", "AKs", "AKo", "77")]
    ['AsKh', 'AcKc', 'AcKd', '7c7d']
    """
    found = CLASS.fullmatch(hand)
    if found is None:
        return parse_cards(hand)
    first, second = RANKS.index(found[1]), RANKS.index(found[2])
    if (first == second) != (found[3] == ""):
        raise InputError(f"a class of hands is written AKs, AKo or 77, not {hand}")
    return 4 * first, 4 * second + (0 if found[3] == "s" else 1)


def is_class(hand: str) -> bool:
    """Whether a hand is written as a class, such as `AKs` or `77`, and not by its cards."""
    return CLASS.fullmatch(hand) is not None


def class_holes(label: str, board: tuple[Card, ...] = ()) -> NDArray[np.int64]:
    """int64[hands, 2]: the hands of a class that a board leaves.

    >>> [len(class_holes(label)) for label in ("AKs", "AKo", "77")], len(class_holes("77", parse_cards("7d2c9h")))
    ([4, 12, 6], 3)
    """
    hole_cards(label)  # refuses AK, which ranges know
    holes = all_hole_cards()[np.flatnonzero(parse_range(label).weights)[::-1], ::-1]
    return holes[~np.isin(holes, board).any(axis=1)]


def class_label(row: int, column: int) -> str:
    """The class of hands at a place of the 13 x 13 chart.

    >>> class_label(0, 0), class_label(0, 1), class_label(1, 0)
    ('AA', 'AKs', 'AKo')
    """
    ranks = RANKS[12 - min(row, column)] + RANKS[12 - max(row, column)]
    return ranks + ("" if row == column else "s" if column > row else "o")


@cache
def _preflop_labels() -> list[str]:
    """The classes of hands in the order of their indices."""
    index = Indexer([2])
    labels = [class_label(row, column) for row, column in product(range(13), repeat=2)]
    return sorted(labels, key=lambda label: index.index(hole_cards(label)))
