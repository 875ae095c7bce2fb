"""Limit hold'em on any deck, to the flop, the turn or the river: small decks can be solved exactly.

Each player gets two cards; player 0 posts a blind of 1 and acts first before the flop, player 1 posts 2 and acts
first after it. A bet or raise adds 2 before and on the flop and 4 afterwards, at most `max_bets` of them a street,
of which the big blind is the first. The best five of a player's two cards and the board win; equal hands split the
pot. Smaller decks keep the lowest ranks (see `solvent.cards.deck`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations
from math import comb, factorial

from solvent.cards.deck import Card
from solvent.games.betting.rules import (
    BOARD_CARDS,
    CALL,
    FOLD,
    STREETS,
    HoldemRules,
    HoldemState,
    act,
    legal,
    payoffs,
    start,
)
from solvent.games.game import GameError
from solvent.games.holdem.cards import Hole, WholeDeck
from solvent.games.public_rules import FOLD as FOLDED
from solvent.games.public_rules import MOST_BETS, MOST_BETTING_NODES, SHOWDOWN, Betting

BLINDS = (1, 2)
BETS = (2, 2, 4, 4)
DEALS = (3, 1, 1)
"""Cards of the flop, the turn and the river."""


class LimitHoldem(WholeDeck):
    """Limit hold'em on a deck of `suits` x `ranks` cards that ends after 2, 3 or 4 streets.

    >>> LimitHoldem(suits=2, ranks=5, streets=3).histories()
    133386166
    """

    name = "holdem"

    def __init__(self, suits: int = 4, ranks: int = 13, streets: int = 4, max_bets: int = 4) -> None:
        if not 2 <= streets <= len(BOARD_CARDS):
            raise GameError(f"holdem has 2 streets (the flop), 3 or 4, not streets={streets}")
        if not 1 <= max_bets <= MOST_BETS:
            raise GameError(
                f"holdem's max_bets, 1 to {MOST_BETS}, is the number of bets a street, the big blind the first, "
                f"not {max_bets}"
            )
        self.max_bets = max_bets
        self._set(suits, ranks, BETS[:streets], (max_bets - 1, *(max_bets,) * (streets - 1)))

    def _set(self, suits: int, ranks: int, bets: tuple[int, ...], caps: tuple[int, ...]) -> None:
        """Take the deck and the betting: what a bet adds and the most bets and raises, by street."""
        self.streets = len(bets)
        self.street_names = STREETS[: self.streets]
        self._take_deck(suits, ranks, DEALS[: self.streets - 1])
        if _betting_nodes(caps) > MOST_BETTING_NODES:
            raise GameError(f"{self.name}'s betting tree has at most {MOST_BETTING_NODES:,} nodes")
        deep = BLINDS[1] + sum(bet * cap for bet, cap in zip(bets, caps, strict=True)) + 1
        self.rules = HoldemRules((deep, deep), BLINDS, self.streets, bets, caps)

    def __str__(self) -> str:
        max_bets = "" if self.max_bets == 4 else f",max_bets={self.max_bets}"
        return f"holdem(suits={self.suits},ranks={self.ranks},streets={self.streets}{max_bets})"

    def betting_nodes(self) -> int:
        return _betting_nodes(self.rules.caps)

    def _first_boards(self, isomorphism: bool) -> int:
        # Suits may be renamed where the only deal is the flop.
        renamed = isomorphism and self.streets == 2
        return _flop_classes(self.suits, self.ranks) if renamed else super()._first_boards(isomorphism)

    def _hands_of(self, cards: Iterable[Card]) -> list[Hole]:
        return list(combinations(cards, 2))  # saved strategies of limit games have the lower card first

    # Betting

    def betting_tree(self) -> Betting:
        return self._betting(start(self.rules), "")

    def _betting(self, state: HoldemState, history: str) -> Betting:
        """The tree below a state; `history` is what has been played, a letter an action."""
        if state.folded >= 0:
            return Betting(symbol=FOLDED, stake=payoffs(state)[0])
        if state.over:
            return Betting(symbol=SHOWDOWN, stake=state.at_stake)
        allowed, facing = legal(state), state.paid[1 - state.player] > state.paid[state.player]
        children: dict[str, Betting] = {}
        if allowed.fold:
            children["fold"] = self._betting(act(state, FOLD), history)
        called, passing = act(state, CALL), history + ("c" if facing else "k")
        children["call" if facing else "check"] = (
            Betting(deals=True, children=(self._betting(called, passing + "/"),))
            if called.street > state.street
            else self._betting(called, passing)
        )
        if allowed.min_raise:
            raising = state.street == 0 or facing  # the big blind is a bet already
            children["raise" if raising else "bet"] = self._betting(
                act(state, allowed.min_raise), history + ("r" if raising else "b")
            )
        return Betting(state.player, tuple(children), tuple(children.values()), history)


class FlopHoldem(LimitHoldem):
    """Flop hold'em: limit hold'em that ends after the flop, on a deck of `suits` x `ranks` cards.

    With the full deck it is the FHP of Deep CFR (Brown et al. 2019). A bet or raise adds 2, at most `raises` of
    them a round, the blinds not counted.

    >>> FlopHoldem(suits=4, ranks=5).histories()
    2393682131
    """

    name = "flop_holdem"

    def __init__(self, suits: int = 4, ranks: int = 13, raises: int = 3) -> None:
        if not 0 <= raises <= MOST_BETS:
            raise GameError(
                f"flop_holdem's raises, 0 to {MOST_BETS}, is the number of bets or raises a round, not {raises}"
            )
        self.raises = raises
        self._set(suits, ranks, BETS[:2], (raises, raises))

    def __str__(self) -> str:
        raises = "" if self.raises == 3 else f",raises={self.raises}"
        return f"flop_holdem(suits={self.suits},ranks={self.ranks}{raises})"


def _betting_nodes(caps: Sequence[int]) -> int:
    """Count the nodes of the betting tree with at most `caps[street]` bets and raises on each street."""
    total, subtrees = 0, 1
    for street, cap in enumerate(caps):
        ends = 2 * cap + 1  # both may check, or either may call each bet of the line that the other began
        folds = ends if street == 0 else ends - 1
        total += subtrees * (2 * cap + 2 + folds + ends)
        subtrees *= ends
    return total


def _flop_classes(suits: int, ranks: int) -> int:
    """Flops that differ in more than the names of suits: orbits under the permutations of suits (Burnside)."""
    total = 0
    for order in permutations(range(suits)):
        fixed = sum(order[suit] == suit for suit in range(suits))
        pairs = sum(order[suit] != suit and order[order[suit]] == suit for suit in range(suits)) // 2
        threes = sum(order[suit] != suit and order[order[order[suit]]] == suit for suit in range(suits)) // 3
        # A flop stays as it is if each card does, or one does and two change places, or three go round.
        total += comb(fixed * ranks, 3) + fixed * ranks * pairs * ranks + threes * ranks
    return total // factorial(suits)
