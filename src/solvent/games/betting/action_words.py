"""Actions as people write them in lines of play: `check, bet 100, raise 300`, or short `x, b100, r300`.

| written | action |
|---|---|
| `f`, `x` or `k`, `c` | fold, check, call |
| `b100`, `bet 100` | bet 100 |
| `r300`, `raise 300`, `raise to 300` | raise 300 |
| `a`, `all-in`, `all in` | the bet or raise of everything |

Amounts are what the player has put in on the street. Everything that reads a line reads its words here: `show`,
`export` and `.at`, locks, lines that are added to a tree or removed from it, and parts of ranges.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.units import LONGEST_NUMBER, parse_decimal, parse_whole

SHORT = {"f": "fold", "x": "check", "k": "check", "c": "call"}
ALL_IN = "all-in"
_ALL_IN_WORDS = ("a", "allin", "all in", ALL_IN)
_AMOUNT = re.compile(rf"(b|bet|r|raise|raise to)\s*([0-9]{{1,{LONGEST_NUMBER}}})")
_CARDS = re.compile(r"([2-9tjqka][cdhs])+")


def spelled_out(word: str) -> str:
    """An action as the betting tree names it, or `ALL_IN`; what is no action is only tidied.

    >>> [spelled_out(word) for word in ("X", " b100", "raise  to 300", "a", "7s")]
    ['check', 'bet 100', 'raise 300', 'all-in', '7s']
    """
    text = " ".join(word.lower().split())
    if amount := _AMOUNT.fullmatch(text):
        return f"{'bet' if amount[1][0] == 'b' else 'raise'} {int(amount[2])}"
    return ALL_IN if text in _ALL_IN_WORDS else SHORT.get(text, text)


def is_cards(word: str) -> bool:
    """Whether a word of a line names cards, such as 7s."""
    return _CARDS.fullmatch("".join(word.lower().split())) is not None


def match_action(word: str, actions: Sequence[str], most: int) -> str | None:
    """The one of a decision's actions that a word names, or None; `most` is the amount that is all-in."""
    name = spelled_out(word)
    if name == ALL_IN:
        return next((each for each in actions if amount_of(each) >= most), None)
    return name if name in actions else None


def choose_action(word: str, actions: Sequence[str], most: int, who: str, before: Sequence[str]) -> str:
    """The one of a decision's actions that a word names; refused, with the nearest, where there is none.

    most: the amount that is all-in. who: the player to act. before: the words of the line so far.
    """
    found = match_action(word, actions, most)
    if found is not None:
        return found
    text = " ".join(word.split())
    acts = f"{who} acts {after(before)}, with {', '.join(actions)}"
    if is_cards(word):
        raise InputError(f"{acts}; no card is dealt, such as {text!r}")
    raise InputError(f"{acts}, not {text!r}{_nearest(spelled_out(word), actions)}")


def after(before: Sequence[str]) -> str:
    """The place after the words of a line, in words."""
    return f"after {', '.join(before)!r}" if before else "first"


def amount_of(action: str) -> int:
    """The amount of a bet or raise; 0 for other actions, and where it is no whole number.

    >>> amount_of("raise 300"), amount_of("check")
    (300, 0)
    """
    return parse_whole(action.rpartition(" ")[2]) or 0 if action.startswith(("bet ", "raise ")) else 0


def paid_after(action: str, player: int, paid: Sequence[int]) -> tuple[int, int]:
    """Return what each player has put in on the street after an action, from what each had before."""
    now = list(paid)
    if action == "call":
        now[player] = now[1 - player]
    elif amount_of(action):
        now[player] = amount_of(action)
    return now[0], now[1]


def _nearest(name: str, actions: Sequence[str]) -> str:
    """The end of a refusal: the action that was meant, by its amount where there is one."""
    bets, sizes = name.startswith(("bet ", "raise ")), [each for each in actions if amount_of(each)]
    amount = parse_decimal(name.rpartition(" ")[2]) if bets else None
    if amount is not None and sizes:
        return f"; did you mean {min(sizes, key=lambda each: abs(amount_of(each) - amount))}?"
    return did_you_mean(name, actions)
