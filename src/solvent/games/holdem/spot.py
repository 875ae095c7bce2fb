"""A spot: heads-up hold'em from a flop, turn or river on, with ranges, a pot and stacks. What solvers are asked.

Player 0 is out of position (OOP) and acts first on every street; player 1 is in position (IP). The hands of both
are dealt from their ranges: a pair of hands that share no card has a probability proportional to the product of
their weights. Payoffs are measured from half of the starting pot each, so a player's share of the pot is the payoff
plus half of the pot: where both have added m chips, a showdown or a fold pays pot / 2 + m. The house takes
`rake` of every pot, `rake_cap` chips at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import Card, cards_label, deck, parse_cards
from solvent.cards.hands import hole_cards
from solvent.cards.ranges import Range, parse_range
from solvent.foundation.units import parse_share, scaling_advice
from solvent.games.betting.rules import BOARD_CARDS, STREETS
from solvent.games.betting.tree import betting_tree, spot_start
from solvent.games.betting.tree_sizes import Line, parse_lines, parse_tree_sizes
from solvent.games.game import GameError
from solvent.games.holdem.cards import HoldemCards, Hole, Sizes, count_histories, given_sizes
from solvent.games.naming import spell_call
from solvent.games.public_rules import Betting, RoundSize

DEALS = (1, 1)
"""Cards of the turn and of the river."""
NAMES = ("OOP", "IP")


class Spot(HoldemCards):
    """Hold'em from a flop, turn or river on: two ranges, a pot, a stack, bet sizes and rake.

    board: three to five cards, as text or numbers. oop, ip: the ranges, as text or `Range`; hands that the board
    blocks are left out. pot, stack: whole chips in the middle and behind each player. bets, raises and further
    sizes such as `oop_river_donk=''` and `cap=3`: see `solvent.games.betting.tree_sizes`. rake: a fraction of the
    pot, 0.05 or '5%'. rake_cap: chips, or None for no cap. least_bet: chips of the least bet. check_down: whether
    sizes that leave nobody a choice are taken.

    >>> spot = Spot("Td9d6hQc2s", "AA,76s:0.5", "JJ,T9s", pot=200, stack=900, bets="50%,a")
    >>> print(spot)
    spot(board=Td9d6hQc2s,oop='AA,76s:0.5',ip='JJ,T9s',pot=200,stack=900,bets='50%,a')
    >>> spot.betting.actions
    ('check', 'bet 100', 'bet 900')
    """

    name = "spot"

    def __init__(
        self,
        board: str | Sequence[Card],
        oop: str | Range,
        ip: str | Range,
        pot: int,
        stack: int,
        bets: Sizes | None = None,
        raises: Sizes | None = None,
        rake: float | str = "0%",
        rake_cap: float | None = None,
        least_bet: int = 1,
        check_down: bool = False,
        **sizes: Any,
    ) -> None:
        self.root_board = _board(board)
        self.deck = deck()
        street = BOARD_CARDS.index(len(self.root_board))
        self.street_names, self.deals = STREETS[street:], DEALS[street - 1 :]
        self.ranges = _range(oop, NAMES[0]), _range(ip, NAMES[1])
        self.range_weights = tuple(map(self._unblocked_weights, self.ranges, NAMES))  # type: ignore[assignment]
        if not self._pairs.any():
            raise GameError(
                "OOP and IP can hold no hands at once: every hand of one range shares a card with all of the other"
            )
        self.pot, self.stack, self.least_bet = _chips(pot, "pot"), _chips(stack, "stack"), least_bet
        self.rake, self.rake_cap, self.check_down = _rake(rake), _rake_cap(rake_cap), check_down
        self.sizes = given_sizes(bets=bets, raises=raises, **sizes)
        self.starting_pot = self.pot
        _ = self.betting  # sizes that cannot be played are refused here

    def __str__(self) -> str:
        given: dict[str, Any] = {"board": cards_label(self.root_board)}
        given |= {"oop": str(self.ranges[0]), "ip": str(self.ranges[1]), "pot": self.pot, "stack": self.stack}
        if self.rake:
            given["rake"] = _percentage(self.rake)
        if self.rake_cap < inf:
            given["rake_cap"] = self.rake_cap
        if self.least_bet != 1:
            given["least_bet"] = self.least_bet
        if self.check_down:
            given["check_down"] = True
        return spell_call("spot", given | self.sizes)

    def _unblocked_weights(self, held: Range, name: str) -> NDArray[np.float64]:
        """The weights of a range without the hands that the board blocks."""
        if not held.weights.any():
            raise GameError(f"the range of {name} is empty: no hand in it has a weight above 0")
        blocked = np.isin(hole_cards(), self.root_board).any(axis=1)
        weights = np.where(blocked, 0.0, held.weights)
        if not weights.any():
            raise GameError(
                f"the board {cards_label(self.root_board)} blocks every hand in the range of {name}"
            )
        weights.flags.writeable = False
        return weights

    # Hands

    @cached_property
    def _pairs(self) -> NDArray[np.int64]:
        """Number of hands of IP with which each hand of OOP can be dealt: int64[OOP's hands]."""
        first, second = (hole_cards()[np.flatnonzero(weights)] for weights in self.range_weights)
        shares = (first[:, None, :, None] == second[None, :, None, :]).any(axis=(2, 3))
        return np.asarray((~shares).sum(axis=1), dtype=np.int64)

    @cached_property
    def _exact(self) -> tuple[dict[Hole, Fraction], dict[Hole, Fraction]]:
        """The weight of each player's hands as fractions."""
        first, second = (
            {_hole(hand): Fraction(float(weights[hand])) for hand in np.flatnonzero(weights).tolist()}
            for weights in self.range_weights
        )
        return first, second

    @cached_property
    def _against(self) -> dict[Hole, Fraction]:
        """The weight of all hands of IP that each hand of OOP can be dealt with; hands without any are left out."""
        first, second = self._exact
        total, by_card = sum(second.values(), Fraction(0)), dict.fromkeys(self.deck, Fraction(0))
        for hand, weight in second.items():
            for card in hand:
                by_card[card] += weight
        # Hands with either card are taken off, and a hand with both has been taken off twice.
        left = {hand: total - by_card[hand[0]] - by_card[hand[1]] + second.get(hand, 0) for hand in first}
        return {hand: weight for hand, weight in left.items() if weight}

    @cached_property
    def _total(self) -> Fraction:
        """The weight of all pairs of hands."""
        weights = self._exact[0]
        return sum((weights[hand] * other for hand, other in self._against.items()), Fraction(0))

    def hands(self) -> Sequence[Hole]:
        either = np.flatnonzero(self.range_weights[0] + self.range_weights[1])
        return [_hole(hand) for hand in either.tolist()]

    def deal(self, first: Hole | None = None) -> Iterable[tuple[Hole, Fraction]]:
        mine, yours = self._exact
        if first is None:
            return [(hand, mine[hand] * other / self._total) for hand, other in self._against.items()]
        if first not in self._against:
            return []
        total = self._against[first]
        return [(hand, weight / total) for hand, weight in yours.items() if not set(hand) & set(first)]

    def deal_weight(self, first: Hole, second: Hole) -> Fraction:
        mine, yours = self._exact
        if set(first) & set(second) or first not in mine or second not in yours:
            return Fraction(0)
        return mine[first] * yours[second] / self._total

    # Sizes of the game

    def histories(self) -> int:
        pairs, firsts = int(self._pairs.sum()), int(np.count_nonzero(self._pairs))
        return 1 + firsts + count_histories(self.betting, pairs, self._boards_to_follow())

    def round_sizes(self, isomorphism: bool = False) -> Sequence[RoundSize]:
        hands, left, boards = len(self.hands()), len(self.deck) - len(self.root_board), 1
        sizes, free = [RoundSize(1, hands, hands)], 1
        for _ in self.deals:
            boards, free, left = boards * left, free * (left - 2), left - 1
            sizes.append(RoundSize(boards, hands, free * hands))
        return sizes

    # Betting

    def betting_tree(self) -> Betting:
        begin = spot_start(
            self.street_names[0],
            self.pot,
            self.stack,
            least_bet=self.least_bet,
            rake=self.rake,
            rake_cap=self.rake_cap,
        )
        return betting_tree(begin, parse_tree_sizes(self.sizes), check_down=self.check_down)

    def with_bets(self, bets: Sizes) -> Spot:
        """The spot with these sizes of bets in place of its own; what does not depend on the betting is shared."""
        return self._with_sizes(bets=bets)

    def actions_after(self, history: str) -> tuple[str, ...]:
        """The actions after a line, without deals, of the spot's betting tree."""
        betting = self.betting
        for name in history.split(", ") if history else ():
            betting = betting.children[betting.actions.index(name)]
            while betting.deals:
                betting = betting.children[0]
        return betting.actions

    def with_added(self, lines: Sequence[Line]) -> Spot:
        """The spot with these lines in its tree too: the last action of each, and what its sizes give behind it.

        What does not depend on the betting is shared. The order of the lines changes nothing.
        """
        added = sorted(", ".join(line) for line in (*parse_lines(self.sizes.get("add", ())), *lines))
        return self._with_sizes(add=added)

    def _with_sizes(self, **sizes: Any) -> Spot:
        other = copy(self)
        other.__dict__.pop("betting", None)
        other.sizes = self.sizes | sizes
        return other


def check_used(names: Iterable[str], board: str | Sequence[Card], rake: float | str) -> None:
    """Refuse settings, by name, that somebody has given and that change nothing with this board and rake."""
    first = BOARD_CARDS.index(len(_board(board)))
    for name in names:
        flag = name.replace("_", "-")
        streets = [number for number, street in enumerate(STREETS) if street in flag.split("-")]
        if streets and streets[0] < first:
            raise GameError(f"{flag} changes nothing: the spot begins on the {STREETS[first]}")
        last = streets[0] if streets else len(STREETS) - 1
        if flag.endswith("donk") and last == first:
            raise GameError(
                f"{flag} changes nothing: a donk bet follows a bet on an earlier street, and the spot begins on "
                f"the {STREETS[first]}"
            )
        if flag == "rake-cap" and not _rake(rake):
            raise GameError(f"{flag} changes nothing without rake")


def _hole(hand: int) -> Hole:
    low, high = hole_cards()[hand].tolist()
    return low, high


def _board(given: str | Sequence[Card]) -> tuple[Card, ...]:
    board = parse_cards(given if isinstance(given, str) else cards_label(given))
    if len(board) not in BOARD_CARDS[1:]:
        raise GameError(f"the board of a spot has 3, 4 or 5 cards, not {len(board)}")
    return board


def _range(given: str | Range, name: str) -> Range:
    if isinstance(given, Range):
        return given
    if not isinstance(given, str):
        raise GameError(f"the range of {name} is text such as QQ+,AKs or a Range, not {given!r}")
    if not given.strip():
        raise GameError(f"the range of {name} is empty")
    return parse_range(given)


def _chips(given: int, name: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int | float) or given < 1 or given % 1 != 0:
        advice = scaling_advice(given) if isinstance(given, float) else ""
        raise GameError(f"the {name} of a spot is a whole number of chips, at least 1, not {given!r}{advice}")
    return int(given)


def _rake(given: float | str) -> float:
    rate = None if isinstance(given, bool) else parse_share(str(given))
    if rate is None or not 0 <= rate <= 1:
        raise GameError(f"rake is a part of the pot from 0% to 100%, such as 5% or 0.05, not {given!r}")
    return rate


def _rake_cap(given: float | None) -> float:
    if given is None:
        return inf
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise GameError(f"the rake's cap is a number of chips, at least 0, not {given!r}")
    return given


def _percentage(rate: float) -> str | float:
    """A rate as text that is read back exactly: a percentage where there is one."""
    written = f"{rate * 100:.10g}%"
    return written if _rake(written) == rate else rate
