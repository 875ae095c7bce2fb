"""Description of a tree: the commands before `build_tree`, and the lines of `add_line`.

A line is what each action brings the acting player's chips to, counted from the root on. A number that equals the
other player's chips is a check or a call, a larger one a bet or raise: `0 100 300 300` is check, bet 100, raise
300, call. A tree has exactly the bets and raises of its lines; checks, calls and folds are there wherever they are
legal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from solvent.cards.deck import cards_label, parse_cards
from solvent.cards.hands import HANDS
from solvent.cards.ranges import Range, parse_range
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import BOARD_CARDS, CALL, STREETS, HoldemRules, act, legal, start
from solvent.games.betting.tree import spot_start
from solvent.games.holdem.spot import NAMES, Spot
from solvent.serve.upi.numbers import decimal, parse_numbers, whole

NEEDED = ("set_board", "set_range OOP", "set_range IP", "set_pot", "set_eff_stack")
"""Commands without which no tree is built."""


def player_number(name: str) -> int:
    """0 for OOP, 1 for IP."""
    if name.upper() not in NAMES:
        raise InputError(f"a player is OOP or IP, not {name!r}")
    return NAMES.index(name.upper())


class TreeSetup:
    """Board, ranges, chips and lines of the next tree. Every setter takes the words after its command."""

    def __init__(self) -> None:
        self.board: tuple[int, ...] | None = None
        self.ranges: list[Range | None] = [None, None]
        self.pot: int | None = None
        self.stack: int | None = None
        self.rake: tuple[float, float | None] = (0.0, None)
        self.isomorphism = True
        self.lines: dict[tuple[int, ...], None] = {}

    def set_board(self, words: Sequence[str]) -> None:
        board = parse_cards("".join(words))
        if len(board) not in BOARD_CARDS[1:]:
            raise InputError(f"a board has 3, 4 or 5 cards, such as Qs Jh 2h, not {len(board)}")
        self.board = board

    def set_range(self, words: Sequence[str]) -> None:
        if len(words) < 2:
            raise InputError(
                "set_range takes OOP or IP and a range, 1,326 numbers or text such as QQ+,AKs:0.5"
            )
        player = player_number(words[0])
        if len(words) == 2 or "," in words[1]:
            self.ranges[player] = parse_range("".join(words[1:]))
            return
        if len(words) - 1 != HANDS:
            raise InputError(
                f"a range is {HANDS:,} numbers or text such as QQ+,AKs:0.5, not {len(words) - 1:,} words"
            )
        self.ranges[player] = Range(parse_numbers(words[1:], "the range"))

    def set_pot(self, words: Sequence[str]) -> None:
        if len(words) != 3:
            raise InputError("set_pot takes three numbers: the chips of OOP, of IP, and those in the middle")
        oop, ip, pot = (whole(word, "pot") for word in words)
        if oop or ip:
            raise InputError(
                "a tree starts with no bets in front of the players, so the first two numbers are 0"
            )
        self.pot = pot

    def set_eff_stack(self, words: Sequence[str]) -> None:
        if len(words) != 1:
            raise InputError("set_eff_stack takes one word, the chips behind each player")
        self.stack = whole(words[0], "stack", 1)

    def set_rake(self, words: Sequence[str]) -> None:
        if len(words) < 2:
            raise InputError("set_rake takes a part of the pot, such as 0.05, and the most chips taken")
        rate, cap = decimal(words[0], "rake"), decimal(words[1], "cap of the rake")
        if any(decimal(word, "rake") for word in words[2:]):
            raise InputError("a tree has one rake and one cap, so further numbers of set_rake are 0")
        self.rake = (rate, cap) if rate else (0.0, None)

    def set_isomorphism(self, words: Sequence[str]) -> None:
        if not words or not set(words) <= {"0", "1"}:
            raise InputError("set_isomorphism takes 1 or 0 for the flop and for the turn")
        self.isomorphism = "1" in words

    def add_line(self, words: Sequence[str]) -> None:
        self.lines[self._amounts(words)] = None

    def remove_line(self, words: Sequence[str]) -> None:
        amounts = self._amounts(words)
        kept = {line: None for line in self.lines if line[: len(amounts)] != amounts}
        if len(kept) == len(self.lines):
            raise InputError(f"no line begins with {' '.join(words)}")
        self.lines = kept

    def clear_lines(self, words: Sequence[str]) -> None:
        self.lines = {}

    def _amounts(self, words: Sequence[str]) -> tuple[int, ...]:
        if not words:
            raise InputError("a line is what each action brings the player's chips to, such as 0 100 300 300")
        return tuple(whole(word, "amount of a line") for word in words)

    def spot(self) -> Spot:
        """The rules that have been described."""
        oop, ip = self.ranges
        if self.board is None or oop is None or ip is None or self.pot is None or self.stack is None:
            said = (self.board, oop, ip, self.pot, self.stack)
            missing = ", ".join(command for command, value in zip(NEEDED, said, strict=True) if value is None)
            raise InputError(f"a tree needs {missing} first")
        street = STREETS[BOARD_CARDS.index(len(self.board))]
        lines: dict[str, Any] = {}
        if added := bets_of_lines(self.lines, spot_start(street, self.pot, self.stack).rules):
            lines["add"] = added
        rake, cap = self.rake
        return Spot(
            cards_label(self.board),
            oop,
            ip,
            self.pot,
            self.stack,
            rake=rake,
            rake_cap=cap,
            check_down=True,
            **lines,
        )


def bets_of_lines(lines: Iterable[Sequence[int]], rules: HoldemRules) -> list[str]:
    """Lines up to each bet or raise of the given ones, each once, as spots take them in `add`.

    >>> from solvent.games.betting.tree import spot_start
    >>> bets_of_lines([(0, 100, 300, 300, 500), (0, 100)], spot_start("turn", pot=200, stack=900).rules)
    ['check, bet 100', 'check, bet 100, raise 300', 'check, bet 100, raise 300, call, bet 200']
    """
    found: dict[str, None] = {}
    for line in lines:
        names = _names(line, rules)
        for place, name in enumerate(names, start=1):
            if " " in name:
                found[", ".join(names[:place])] = None
    return list(found)


def _names(line: Sequence[int], rules: HoldemRules) -> list[str]:
    """The actions of a line as the betting tree names them."""
    state, base, names = start(rules), 0, list[str]()
    for amount in line:
        where = f"the line {' '.join(map(str, line))} has {amount} after {', '.join(names) or 'the start'}"
        if state.over:
            raise InputError(f"{where}, where the betting is over")
        facing, allowed = state.paid[1 - state.player], legal(state)
        if amount == facing:
            name, action = "call" if allowed.call else "check", CALL
        elif allowed.min_raise and allowed.min_raise <= amount <= allowed.max_raise:
            name, action = f"{'raise' if facing > base else 'bet'} {amount - base}", amount
        else:
            raising = f" or {allowed.min_raise} to {allowed.max_raise}" if allowed.min_raise else ""
            raise InputError(f"{where}, where {facing}{raising} is legal")
        after = act(state, action, allowed)
        names.append(name)
        if after.street != state.street:
            base = after.paid[0]
        state = after
    return names
