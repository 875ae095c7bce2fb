"""No-limit hold'em on any deck, with any number of cards on each street, from the blinds on.

Each player gets two cards. Player 0 has the button, posts the small blind and acts first on the first street;
player 1 posts the big blind and acts first afterwards. Bets are those that the sizes say. The best five of a
player's two cards and the board win, or all of them where there are fewer than five (see `holdem_cards`); equal
hands split the pot. Smaller decks keep the lowest ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solvent.foundation.units import parse_whole
from solvent.games.betting.rules import STREETS
from solvent.games.betting.tree import TreeStart, betting_tree, nolimit_start, tree_nodes
from solvent.games.betting.tree_sizes import parse_tree_sizes
from solvent.games.game import GameError
from solvent.games.holdem.cards import MOST_BOARD_CARDS, Sizes, WholeDeck, given_sizes
from solvent.games.naming import spell, spell_call
from solvent.games.public_rules import Betting


class NoLimit(WholeDeck):
    """No-limit hold'em from the blinds on, on a deck of `suits` x `ranks` cards.

    boards: cards that each street lays on the board; the first lays none. stack: chips of each player, blinds
    included. blinds: '1/2' or (1, 2). bets, raises and further sizes such as `river_bets='50%'` and `cap=1`: see
    `solvent.games.betting.tree_sizes`; streets are called preflop, flop, turn and river, whatever they deal. ante:
    chips that each player posts before the blinds.

    >>> game = NoLimit(suits=2, ranks=4, boards=[0, 1, 1], stack=8, bets="100%,a")
    >>> print(game)
    nolimit(suits=2,ranks=4,boards=[0,1,1],stack=8,blinds=1/2,bets='100%,a')
    >>> game.betting.actions
    ('fold', 'call', 'raise 6', 'raise 8')
    """

    name = "nolimit"

    def __init__(
        self,
        suits: int = 4,
        ranks: int = 13,
        boards: Sequence[int] = (0, 3, 1, 1),
        stack: int = 200,
        blinds: str | Sequence[int] = "1/2",
        bets: Sizes = "100%,a",
        raises: Sizes | None = None,
        ante: int = 0,
        **sizes: Any,
    ) -> None:
        self._take_deck(suits, ranks, _deals(boards))
        self.street_names = STREETS[: len(boards)]
        self.stack, self.ante = _chips(stack, "stack", 1), _chips(ante, "ante", 0)
        self.blinds = _blinds(blinds)
        if self.ante >= self.stack:
            raise GameError(
                f"an ante of {self.ante} chips leaves nothing of a stack of {self.stack} to bet with"
            )
        self.sizes = given_sizes(bets=bets, raises=raises, **sizes)
        _ = self.betting  # sizes that cannot be played are refused here

    def __str__(self) -> str:
        given: dict[str, Any] = {"suits": self.suits, "ranks": self.ranks, "boards": [0, *self.deals]}
        given |= {"stack": self.stack, "blinds": "{}/{}".format(*self.blinds)}
        if self.ante:
            given["ante"] = self.ante
        return spell_call("nolimit", given | self.sizes)

    def betting_tree(self) -> Betting:
        return betting_tree(self._start, parse_tree_sizes(self.sizes))

    def betting_nodes(self) -> int:
        return tree_nodes(self._start, parse_tree_sizes(self.sizes))

    @property
    def _start(self) -> TreeStart:
        return nolimit_start(self.stack, self.blinds, len(self.street_names), ante=self.ante)


def _deals(boards: Sequence[int]) -> tuple[int, ...]:
    """The cards of each street after the first."""
    given = list(boards) if isinstance(boards, list | tuple) else []
    whole = all(isinstance(count, int) and not isinstance(count, bool) for count in given)
    if not whole or not 2 <= len(given) <= len(STREETS) or given[0] != 0 or min(given[1:]) < 1:
        raise GameError(
            f"nolimit's boards are the cards that each of 2 to {len(STREETS)} streets lays, 0 on the first and at "
            f"least 1 on each later one, such as [0,3,1,1], not {spell(boards)}"
        )
    if sum(given) > MOST_BOARD_CARDS:
        raise GameError(
            f"nolimit's board has at most {MOST_BOARD_CARDS} cards; boards={spell(given)} lays more"
        )
    return tuple(given[1:])


def _blinds(given: str | Sequence[int]) -> tuple[int, int]:
    blinds: Any = [parse_whole(part) for part in given.split("/")] if isinstance(given, str) else given
    if not isinstance(blinds, list | tuple) or len(blinds) != 2 or None in blinds:
        raise GameError(f"nolimit's blinds are written 1/2, small and big, in chips, not {given!r}")
    small, big = blinds
    return _chips(small, "small blind", 0), _chips(big, "big blind", 1)


def _chips(given: int, name: str, least: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise GameError(f"nolimit's {name} is a whole number of chips, at least {least}, not {given!r}")
    return given
