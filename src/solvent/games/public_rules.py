"""Games in which private hands are dealt first and everything after is public: the public form.

Kuhn, Leduc, Bluff and every hold'em game have this shape: a *betting tree* of public actions, *boards* of
public cards dealt between its rounds, and a private *hand* for each player. Rules written this way are
stated once and read two ways: one history at a time (`root`, the `Game` protocol) or whole, as betting
tree x boards x hands, which solvers sweep with arrays.

To write a game of your own, subclass `PublicRules` and give it four methods:

| method | says |
|---|---|
| `hands()` | every hand that a player can hold; anything hashable |
| `deal(first=None)` | the hands of player 0 with probabilities; given player 0's hand, those of player 1 |
| `betting_tree()` | the root of a tree of `Betting` nodes |
| `sign(symbol, board, first, second)` | who wins at a terminal: 1 player 0, -1 player 1, 0 nobody |

A `Betting` node is a decision (`player`, `actions`, `children`, `history`), a terminal (`symbol`, `stake`) or, in
games with boards, the end of a round (`deals=True` and one child). A terminal pays player 0 `stake` x `sign`; the
symbol is whatever `sign` tells terminals apart by. Where the house takes a `rake`, the winner gets that much less
(`terminal_payoffs`). The `history` is public and ends the infoset's label, `hand|board|history`, so it must differ
between decisions. Games with boards also give `boards(board, first, second)`. Payoffs that depend on the hands in
other ways than by a sign need the `Game` protocol. `examples/public_game.py` is a whole game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.games.game import CHANCE, TERMINAL, GameError, ListedState, State
from solvent.games.own import spelt

Hand = Any
"""A private state: a card, a pair of cards, a roll of dice. Hashable; each game has its own kind."""

Board = tuple[Any, ...]
"""The public cards so far, in dealing order; () before any."""

FOLD = "fold"
SHOWDOWN = "showdown"

MOST_BETS = 100
"""The most bets or raises in a round: betting trees are built by recursion."""
MOST_BETTING_NODES = 1 << 21
"""The largest betting tree that is built; it takes about a gigabyte."""


@dataclass(frozen=True, eq=False)
class Betting:
    """A node of the betting tree: what the table sees apart from the cards.

    A node is exactly one of three things: a decision (`actions`), the end of a round (`deals`), or a terminal
    (`symbol`), which pays player 0 `stake` x the sign that the symbol gives to the cards.
    """

    player: int = TERMINAL
    actions: tuple[str, ...] = ()
    children: tuple[Betting, ...] = ()
    history: str = ""
    """The public actions so far, as the infoset's text shows them."""
    deals: bool = False
    """Public cards come next; the only child is the first decision of the next round."""
    symbol: Any = None
    stake: float = 0.0
    rake: float = 0.0
    """Chips that the house takes from the pot at a terminal; at least 0."""

    def size(self) -> int:
        """Nodes of this round below and including this one, the `deals` nodes among them."""
        return 1 + (0 if self.deals else sum(child.size() for child in self.children))


def terminal_payoffs(stake: float, rake: float, sign: int) -> tuple[float, float]:
    """Return what both players get at a terminal: the winner the stake less the rake; a tie costs each half of it.

    >>> terminal_payoffs(100, 10, 1), terminal_payoffs(100, 10, 0), terminal_payoffs(-100, 0, 1)
    ((90, -100), (-5.0, -5.0), (-100, 100))
    """
    won = stake * sign
    if won > 0:
        return won - rake, -won
    if won < 0:
        return won, -won - rake
    return won - rake / 2, -won - rake / 2


class WinTieLose(NamedTuple):
    """Payments to a player at a terminal for winning, for a tie and for losing, in chips."""

    win: float
    tie: float
    lose: float


def win_tie_lose(betting: Betting) -> WinTieLose:
    """Return what a terminal pays either player for winning, for a tie and for losing.

    >>> win_tie_lose(Betting(symbol=FOLD, stake=-100, rake=10))
    WinTieLose(win=90, tie=-5.0, lose=-100)
    """
    at_stake = abs(betting.stake)
    return WinTieLose(*(terminal_payoffs(at_stake, betting.rake, sign)[0] for sign in (1, 0, -1)))


class RoundSize(NamedTuple):
    """Numbers of boards and hands of a round."""

    boards: int
    hands: int
    """Hands listed on each board, whether or not they can be held there."""
    held: int
    """Pairs of a board and a hand that can be held on it."""


class PublicRules(ABC):
    """Rules of a two-player game with private hands and public everything else, zero-sum but for a rake.

    The module's text says how to write a game of your own. A class without `__str__` is named by itself and by
    attributes that have the names of its parameters.
    """

    players = 2
    root_board: Board = ()
    """The public cards that lie on the table from the beginning."""

    def __str__(self) -> str:
        return spelt(self)

    def __repr__(self) -> str:
        return f"<game {self}>"

    @abstractmethod
    def hands(self) -> Sequence[Hand]:
        """Every hand a player can hold."""

    @abstractmethod
    def deal(self, first: Hand | None = None) -> Iterable[tuple[Hand, Fraction]]:
        """The hands that player 0 can be dealt or, given player 0's, player 1 can, with probabilities."""

    @abstractmethod
    def betting_tree(self) -> Betting:
        """The root of the betting tree."""

    @abstractmethod
    def sign(self, symbol: Any, board: Board, first: Hand, second: Hand) -> int:
        """The winner at a terminal with this symbol: 1 for player 0, -1 for player 1, 0 for nobody."""

    def boards(self, board: Board, first: Hand, second: Hand) -> Iterable[tuple[Board, Fraction]]:
        """The boards that can follow, with probabilities given both hands. A game without boards has none."""
        return ()

    def public_boards(self, board: Board) -> Sequence[Board]:
        """Every board that can follow, whatever the hands are."""
        pairs = ((first, second) for first in self.hands() for second in self.hands())
        after = (b for pair in pairs if self.deal_weight(*pair) for b, _ in boards_after(self, board, *pair))
        return list(dict.fromkeys(after))

    def deal_weight(self, first: Hand, second: Hand) -> Fraction:
        """The probability that the two hands are dealt."""
        zero = Fraction(0)
        return dict(self.deal()).get(first, zero) * dict(self.deal(first)).get(second, zero)

    def hole_cards(self, hand: Hand) -> tuple[int, int] | None:
        """The two cards of a hand where every deal of different cards is as likely as any other, else None.

        Games that have them are evaluated by sorting hands; in others each terminal has a matrix.
        """
        return None

    def strengths(self, boards: Sequence[Board], hands: Sequence[Hand]) -> NDArray[np.int64]:
        """Return each hand's strength on each board, int64[boards, hands]; needed where there are hole cards."""
        raise NotImplementedError

    def symmetries(self) -> Sequence[tuple[Callable[[Hand], Hand], Callable[[Board], Board]]]:
        """The permutations of suits that change nothing in the game, as maps of hands and boards."""
        return ()

    def hand_label(self, hand: Hand) -> str:
        """A hand as the infoset's text shows it."""
        return str(hand)

    def board_label(self, board: Board) -> str:
        """A board as the infoset's text shows it."""
        return "".join(map(str, board))

    @cached_property
    def betting(self) -> Betting:
        """The betting tree, built once."""
        return self.betting_tree()

    @cached_property
    def hand_labels(self) -> dict[Hand, str]:
        """`hand_label` of every hand, computed once."""
        return {hand: self.hand_label(hand) for hand in self.hands()}

    def root(self) -> State:
        """The state before any hand is dealt."""
        return _State(self, (), self.root_board, self.betting)

    def histories(self) -> int:
        """Count the histories of the game without building them."""
        deals = [(first, second) for first, _ in self.deal() for second, _ in self.deal(first)]
        dealing = 1 + len({first for first, _ in deals})
        return dealing + self._histories_below(self.betting, [(self.root_board, *pair) for pair in deals])

    def betting_nodes(self) -> int:
        """Count the nodes of the betting tree. Rules that can count them without building the tree do."""
        roots, total = [self.betting], 0
        while roots:
            root = roots.pop()
            total += root.size()
            roots += [end.children[0] for end in _round_ends(root)]
        return total

    def round_sizes(self, isomorphism: bool = False) -> Sequence[RoundSize]:
        """The boards and hands of each round, counted without building the public form.

        With `isomorphism`, boards that differ only in the names of suits count once, as in the public form. Rules
        with large decks count in closed form; the count here lists every board and makes no use of isomorphism.
        """
        hands = self.hands()
        board = self.root_board
        deals = [(board, first, second) for first, _ in self.deal() for second, _ in self.deal(first)]
        sizes = [RoundSize(1, len(hands), len({first for _, first, _ in deals}))]
        roots = [self.betting]
        while roots := [end.children[0] for root in roots for end in _round_ends(root)]:
            deals = [
                (after, *pair) for board, *pair in deals for after, _ in boards_after(self, board, *pair)
            ]
            held = {(board, first) for board, first, _ in deals}
            sizes.append(RoundSize(len({board for board, _ in held}), len(hands), len(held)))
        return sizes

    def _histories_below(self, betting: Betting, deals: list[tuple[Board, Hand, Hand]]) -> int:
        rounds = _round_ends(betting)
        total = betting.size() * len(deals)
        if rounds:
            dealt = [
                (after, *pair) for board, *pair in deals for after, _ in boards_after(self, board, *pair)
            ]
            total += sum(self._histories_below(node.children[0], dealt) for node in rounds)
        return total


def boards_after(rules: PublicRules, board: Board, first: Hand, second: Hand) -> list[tuple[Board, Fraction]]:
    """Return what `rules.boards` gives, which must be pairs of a board and a number."""
    pairs = list(rules.boards(board, first, second))
    for pair in pairs:
        match pair:
            case (tuple(), Real()):
                continue
        raise GameError(
            f"{rules} has boards that cannot be read ({pair!r}); "
            f"boards() must give pairs of a board, which is a tuple, and its probability"
        )
    return pairs


def sign_of(rules: PublicRules, symbol: Any, board: Board, first: Hand, second: Hand) -> int:
    """Return what `rules.sign` gives, which must be -1, 0 or 1."""
    sign = rules.sign(symbol, board, first, second)
    if sign not in (-1, 0, 1):
        raise GameError(f"{rules} has the sign {sign!r} at a terminal; sign() must give -1, 0 or 1")
    return sign


def _round_ends(betting: Betting) -> list[Betting]:
    if betting.deals:
        return [betting]
    return [end for child in betting.children for end in _round_ends(child)]


class _State(ListedState):
    """One history of a public game."""

    __slots__ = ("betting", "board", "hands", "rules")

    def __init__(self, rules: PublicRules, hands: tuple[Hand, ...], board: Board, betting: Betting) -> None:
        self.rules = rules
        self.hands = hands
        self.board = board
        self.betting = betting

    def player(self) -> int:
        if len(self.hands) < 2 or self.betting.deals:
            return CHANCE
        return self.betting.player

    def actions(self) -> tuple[str, ...]:
        return self.betting.actions

    def child(self, action: str) -> _State:
        if self.player() == CHANCE:
            return next(state for label, _, state in self.chance_children() if label == action)
        return self._after(self.betting.children[self.betting.actions.index(action)])

    def children(self) -> list[_State]:
        return [self._after(betting) for betting in self.betting.children]

    def chance_children(self) -> list[tuple[str, Fraction, _State]]:
        rules, hands = self.rules, self.hands
        if len(hands) < 2:
            return [
                (rules.hand_labels[hand], weight, _State(rules, (*hands, hand), self.board, self.betting))
                for hand, weight in rules.deal(*hands)
            ]
        below = self.betting.children[0]
        return [
            (rules.board_label(board[len(self.board) :]), weight, _State(rules, hands, board, below))
            for board, weight in rules.boards(self.board, *hands)
        ]

    def _after(self, betting: Betting) -> _State:
        return _State(self.rules, self.hands, self.board, betting)

    def infoset(self) -> str:
        rules, betting = self.rules, self.betting
        hand = rules.hand_labels[self.hands[betting.player]]
        return f"{hand}|{rules.board_label(self.board)}|{betting.history}"

    def payoffs(self) -> tuple[float, float]:
        betting = self.betting
        sign = sign_of(self.rules, betting.symbol, self.board, *self.hands)
        return terminal_payoffs(betting.stake, betting.rake, sign)
