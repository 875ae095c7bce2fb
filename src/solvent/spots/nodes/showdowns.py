"""How pairs of hands fare against each other on the boards to come, counted exactly."""

from __future__ import annotations

from itertools import combinations, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import hole_cards
from solvent.forms.holdem.game import MOST_AT_ONCE, HoldemGame, strengths
from solvent.forms.holdem.hand_kernels import count_run_outs

MOST_KEPT = 16
"""Boards whose counts are kept."""


class Showdowns:
    """Equities of pairs of hands on the boards of a game."""

    def __init__(self, game: HoldemGame) -> None:
        self.game = game
        first, second = (hole_cards()[numbers] for numbers in game.hands)
        shared = (first[:, None, :, None] == second[None, :, None, :]).any(axis=(2, 3))
        self.apart: NDArray[np.float64] = (~shared).astype(np.float64)
        """float64[hands of player 0, hands of player 1]: 1 where two hands have no card in common, 0 elsewhere."""
        self._kept: dict[tuple[int, int], NDArray[np.int16]] = {}
        """Boards won less boards lost, by pair of hands; 1,081 at most."""

    def against(self, player: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """The other's reach, float64[the other's hands], summed over the hands that leave each hand possible."""
        return self._of(player, self.apart) @ reach

    def equity(self, player: int, street: int, board: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each hand's equity against the other's reach on a board; NaN where the reach leaves no hand.

        Ties count half. `reach` is 0 for hands that the board blocks; hands of the player that it blocks have no
        meaning.
        """
        ahead = self._of(player, self.ahead(street, board)) @ reach * (1 - 2 * player)
        all_pairs = self.against(player, reach)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(all_pairs > 0, (1 + ahead / all_pairs) / 2, np.nan))

    def ahead(self, street: int, board: int) -> NDArray[np.float64]:
        """By pair of hands: the part of the boards to come that player 0 wins less the part that is lost."""
        if (street, board) not in self._kept:
            while len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[street, board] = self._count(street, board)
        so_far = self.game.streets[street].boards.cards.shape[1]
        return self._kept[street, board] / comb(len(self.game.rules.deck) - so_far - 4, self._left(street))

    def _left(self, street: int) -> int:
        """Cards to come after a street."""
        return int(sum(self.game.rules.deals[street:]))

    def _of(self, player: int, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        return pairs if player == 0 else pairs.T

    def _count(self, street: int, board: int) -> NDArray[np.int16]:
        rules, hands = self.game.rules, self.game.hands
        so_far = self.game.streets[street].boards.cards[board].tolist()
        to_deal = combinations([card for card in rules.deck if card not in so_far], self._left(street))
        counted = np.zeros(self.apart.shape, dtype=np.int32)
        while after := list(islice(to_deal, MOST_AT_ONCE)):
            whole = np.array([so_far + list(cards) for cards in after], dtype=np.int8)
            first, second = (strengths(rules, whole, numbers) for numbers in hands)
            count_run_outs(first, second, counted, counted[:0])
        return (counted * self.apart).astype(np.int16)
