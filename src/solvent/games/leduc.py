"""Leduc hold'em and its relatives: one private card, one public card, two rounds of betting.

Standard Leduc (Southey et al. 2005) has two suits of J, Q, K, ante 1, bets of 2 then 4, at most two bets or
raises a round, and player 0 first in both. Pairing the public card wins, then the higher card; equal ranks
tie. A bet or raise of x adds x on top of calling, and any size may follow any size.

By default hands are *ranks*: suits decide nothing, so J of hearts and J of spades are one hand with its
multiplicity. `distinct=true` deals the six cards themselves, as OpenSpiel's `leduc_poker` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

from solvent.games.game import GameError
from solvent.games.naming import spell, spell_call
from solvent.games.public_rules import (
    FOLD,
    MOST_BETS,
    MOST_BETTING_NODES,
    SHOWDOWN,
    Betting,
    Board,
    PublicRules,
    RoundSize,
)

ANTE = 1
MOST_CARDS = 10_000
SMALLEST_BET, LARGEST_BET = 0.001, 10**9
"""Chips: far enough apart for any deck and close enough that adding bets up loses none of them."""
Card = tuple[int, int]
"""(rank, suit); by rank every suit is written 0."""


class Leduc(PublicRules):
    """Leduc with any number of ranks, suits, bet sizes and bets a round.

    >>> Leduc().histories(), Leduc(distinct=True).histories()
    (1939, 9457)
    """

    def __init__(
        self,
        ranks: int = 3,
        suits: int = 2,
        bets1: Sequence[float] = (2,),
        bets2: Sequence[float] = (4,),
        max_bets: int = 2,
        distinct: bool = False,
    ) -> None:
        if ranks < 1 or suits < 1 or ranks * suits < 3:
            raise GameError(f"leduc deals three cards; ranks={ranks} and suits={suits} make {ranks * suits}")
        if ranks * suits > MOST_CARDS:
            raise GameError(f"leduc has at most {MOST_CARDS:,} cards; ranks={ranks} x suits={suits} are more")
        for name, sizes in (("bets1", bets1), ("bets2", bets2)):
            if not all(SMALLEST_BET <= size <= LARGEST_BET for size in sizes):
                raise GameError(
                    f"leduc's {name} must be positive bet sizes from {SMALLEST_BET} to {LARGEST_BET:,}, "
                    f"not {list(sizes)}"
                )
            if len(set(sizes)) < len(sizes):
                raise GameError(f"leduc's {name} has a size twice: {list(sizes)}")
        if not 0 <= max_bets <= MOST_BETS:
            raise GameError(f"leduc's max_bets is 0 to {MOST_BETS} bets a round, not {max_bets}")
        self.ranks, self.suits, self.max_bets, self.distinct = ranks, suits, max_bets, distinct
        self.sizes = (tuple(bets1), tuple(bets2))
        if self.betting_nodes() > MOST_BETTING_NODES:
            raise GameError(
                f"leduc's betting tree has at most {MOST_BETTING_NODES:,} nodes; max_bets={max_bets} of "
                f"{len(bets1)} and {len(bets2)} sizes make more"
            )

    def __str__(self) -> str:
        given = {
            "ranks": (self.ranks, 3),
            "suits": (self.suits, 2),
            "bets1": (self.sizes[0], (2,)),
            "bets2": (self.sizes[1], (4,)),
            "max_bets": (self.max_bets, 2),
            "distinct": (self.distinct, False),
        }
        return spell_call("leduc", {key: value for key, (value, usual) in given.items() if value != usual})

    def histories(self) -> int:
        first, second = self._betting_sizes()
        deals, dealt = self._deals()
        return 1 + len(self.hands()) + deals * first.nodes + dealt * first.ends * second.nodes

    def betting_nodes(self) -> int:
        first, second = self._betting_sizes()
        return first.nodes + first.ends * second.nodes

    def round_sizes(self, isomorphism: bool = False) -> Sequence[RoundSize]:
        hands = len(self.hands())
        copies = 1 if self.distinct else self.suits
        boards = self.ranks if isomorphism and self.distinct and self.suits <= 4 else hands
        return [RoundSize(1, hands, hands), RoundSize(boards, hands, boards * (hands - (copies < 2)))]

    def _deals(self) -> tuple[int, int]:
        """Count the pairs of hands, and the pairs of hands with a board."""
        hands = len(self.hands())
        copies = 1 if self.distinct else self.suits
        # Two hands of one rank need two copies of it, a board that makes three of them a third.
        unlike, alike = hands * (hands - 1), hands * (copies > 1)
        return unlike + alike, unlike * (hands - 2 * (copies < 2)) + alike * (hands - (copies < 3))

    def _betting_sizes(self) -> tuple[_BettingSize, _BettingSize]:
        first, second = (_betting_size(len(sizes), self.max_bets) for sizes in self.sizes)
        return first, second

    # Cards

    def hands(self) -> Sequence[Card]:
        suits = self.suits if self.distinct else 1
        return [(rank, suit) for rank in range(self.ranks) for suit in range(suits)]

    def deal(self, first: Card | None = None) -> Iterable[tuple[Card, Fraction]]:
        return self._draw(() if first is None else (first,))

    def boards(self, board: Board, first: Card, second: Card) -> Iterable[tuple[Board, Fraction]]:
        return [((card,), weight) for card, weight in self._draw((first, second))]

    def _draw(self, dead: tuple[Card, ...]) -> list[tuple[Card, Fraction]]:
        copies = 1 if self.distinct else self.suits
        left = self.ranks * self.suits - len(dead)
        counts = ((card, copies - dead.count(card)) for card in self.hands())
        return [(card, Fraction(count, left)) for card, count in counts if count > 0]

    def public_boards(self, board: Board) -> Sequence[Board]:
        return [(card,) for card in self.hands()]

    def symmetries(self) -> Sequence[tuple[Callable[[Card], Card], Callable[[Board], Board]]]:
        if not self.distinct or self.suits > 4:
            return ()

        def relabel(order: tuple[int, ...]) -> tuple[Callable[[Card], Card], Callable[[Board], Board]]:
            def card(old: Card) -> Card:
                return old[0], order[old[1]]

            return card, lambda board: tuple(map(card, board))

        return [relabel(order) for order in permutations(range(self.suits))]

    def hand_label(self, hand: Card) -> str:
        rank, suit = hand
        name = "JQK"[rank] if self.ranks == 3 else str(rank + 1)
        if not self.distinct:
            return name
        return name + ("shdc"[suit] if self.suits <= 4 else f".{suit + 1}")

    def board_label(self, board: Board) -> str:
        return "".join(self.hand_label(card) for card in board)

    def sign(self, symbol: str, board: Board, first: Card, second: Card) -> int:
        if symbol == FOLD:
            return 1
        mine, yours = (self.strength(board, hand) for hand in (first, second))
        return (mine > yours) - (mine < yours)

    def strength(self, board: Board, hand: Card) -> int:
        """Return the strength of a hand at the showdown: its rank, above all others when it pairs the board."""
        paired: bool = hand[0] == board[0][0]
        return hand[0] + self.ranks * paired

    # Betting

    def betting_tree(self) -> Betting:
        return self._decision(0, 0, (ANTE, ANTE), 0, "")

    def _decision(
        self, stage: int, player: int, paid: tuple[float, float], bets: int, history: str
    ) -> Betting:
        """A player to act, having paid `paid[player]`, after `bets` bets or raises this round."""
        facing = paid[1 - player] - paid[player]
        children: dict[str, Betting] = {}
        if facing:
            # Folding loses what has been paid: player 0 wins paid[1] or loses paid[0].
            children["fold"] = Betting(symbol=FOLD, stake=paid[1] if player == 1 else -paid[0])
        called = _pay(paid, player, facing)
        passing = "call" if facing else "check"
        opens = bets == 0 and player == 0
        children[passing] = (
            self._decision(stage, 1, called, 0, history + "k")
            if opens
            else self._round_end(stage, called, history + ("c" if facing else "k"))
        )
        if bets < self.max_bets:
            for size in self.sizes[stage]:
                name = f"{'raise' if facing else 'bet'} {spell(size)}"
                letter = "r" if facing else "b"
                if len(self.sizes[stage]) > 1:
                    letter += spell(size)
                raised = _pay(called, player, size)
                children[name] = self._decision(stage, 1 - player, raised, bets + 1, history + letter)
        return Betting(player, tuple(children), tuple(children.values()), history)

    def _round_end(self, stage: int, paid: tuple[float, float], history: str) -> Betting:
        if stage == 1:
            return Betting(symbol=SHOWDOWN, stake=paid[0])
        below = self._decision(1, 0, paid, 0, history + "/")
        return Betting(deals=True, children=(below,))


class _BettingSize(NamedTuple):
    """The betting tree of a round: its nodes, and how many of them end the round without a fold."""

    nodes: int
    ends: int


def _betting_size(sizes: int, max_bets: int) -> _BettingSize:
    """Count the betting tree of a round with this number of bet sizes without building it."""
    # A player who faces a bet folds, calls or raises; the two who may open check or bet.
    nodes = ends = 0
    for _ in range(max_bets):
        nodes, ends = 3 + sizes * nodes, 1 + sizes * ends
    return _BettingSize(3 + 2 * sizes * nodes, 1 + 2 * sizes * ends)


def _pay(paid: tuple[float, float], player: int, chips: float) -> tuple[float, float]:
    return (paid[0] + chips, paid[1]) if player == 0 else (paid[0], paid[1] + chips)


class Leduc5(Leduc):
    """Leduc with five bet sizes a round, as in the pruning experiments of Brown and Sandholm (2017)."""

    def __init__(self, distinct: bool = False) -> None:
        super().__init__(bets1=(0.5, 1, 2, 4, 8), bets2=(1, 2, 4, 8, 16), distinct=distinct)

    def __str__(self) -> str:
        return "leduc5(distinct=true)" if self.distinct else "leduc5"
