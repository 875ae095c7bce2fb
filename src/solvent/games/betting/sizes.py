"""Bet sizes as players write them, and the betting abstractions made of them. Nothing here is compiled.

A betting abstraction lists the bets an agent considers, street by street. On a street there is one list for the
first bet, one for the raise of it, and so on; the last list holds for all later raises.

| written | raises to |
|---|---|
| `50%` | the call plus half the pot as it stands after calling |
| `2.5x` | 2.5 times the bet faced, counted on this street (before the flop the big blind is a bet) |
| `3bb` | 3 big blinds, counted on this street |
| `100c` | the call plus 100 chips, whatever the pot is |
| `e` | the call plus the share of the pot that is all-in on the last street, if bet and called on every street |
| `2e` | likewise with all chips in after two bets, this one and another |
| `3e200%` | likewise in three bets, but at most twice the pot |
| `a` | all-in: the shorter stack |

Totals are rounded to whole chips, half up. A total that does not exceed the bet faced is no raise and is
dropped; one below the minimum becomes the minimum; one above the shorter stack becomes all-in; equal totals
merge. Folding to a bet, calling and checking are always possible. `size_total` is the one place that says what a
size comes to. `solvent.forms.betting.tree` builds the betting tree of an abstraction, whose sizes are written
with `%`, `x`, `bb` and `a`; `solvent.games.betting.tree` builds the trees of games and takes all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from solvent.foundation.errors import InputError
from solvent.foundation.storage.reading import read_toml
from solvent.foundation.units import parse_decimal, parse_whole
from solvent.games.betting.rules import STREETS, HoldemRules

POT, TIMES, TOTAL, ALL_IN, ADDED, GEOMETRIC = 0, 1, 2, 3, 4, 5
"""Units of a size: fractions of the pot after calling, times the bet faced, big blinds, all-in, chips on top of the
call, and equal fractions of the pot on every street."""
TRAINED_UNITS = (POT, TIMES, TOTAL, ALL_IN)
"""The units that betting abstractions can use."""
NO_CAP = -1
"""The cap of a street whose bets and raises are not limited."""
EVERYTHING, RAISES = "all", "raises"
HISTORIES = (EVERYTHING, RAISES)
"""Memories of the betting: everything, or which players raised on which streets."""
CHIPS = (50, 100)
"""The blinds of the presets, in chips."""


class BetSize(NamedTuple):
    """One size of bet or raise: a number in one of the units."""

    unit: int
    value: float
    """Fraction of the pot for `POT` (0.5 is half); the largest one for `GEOMETRIC`; unused for `ALL_IN`."""
    bets: int = 0
    """`GEOMETRIC`: how many bets put all chips in; 0 for one on each street that is left."""

    def __str__(self) -> str:
        if self.unit == ALL_IN:
            return "a"
        if self.unit == GEOMETRIC:
            most = "" if self.value == inf else f"{self.value * 100:.10g}%"
            return f"{self.bets or ''}e{most}"
        number = f"{self.value * 100 if self.unit == POT else self.value:.10g}"
        return number + {POT: "%", TIMES: "x", TOTAL: "bb", ADDED: "c"}[self.unit]


UNITS = {"%": POT, "x": TIMES, "bb": TOTAL, "c": ADDED}
NUMBER = r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
MOST_GEOMETRIC_BETS = 100
LONGEST_SIZE = 100
"""Letters of the longest text that is read as a size."""


def parse_bet_size(text: str) -> BetSize:
    """Parse a size as players write it.

    >>> [str(parse_bet_size(text)) for text in ("50%", "2.5x", " 3bb", "100c", "e", "3e200%", "A")]
    ['50%', '2.5x', '3bb', '100c', 'e', '3e200%', 'a']
    """
    written = text.strip().lower() if len(text) <= LONGEST_SIZE else ""
    if written in ("a", "allin", "all-in"):
        return BetSize(ALL_IN, 0.0)
    if match := re.fullmatch(rf"([0-9]*)e(?:{NUMBER}\s*%)?", written):
        bets, most = int(match[1] or 0), float(match[2] or inf) / 100
        if most > 0 and (not match[1] or 1 <= bets <= MOST_GEOMETRIC_BETS):
            return BetSize(GEOMETRIC, most, bets)
    match = re.fullmatch(rf"{NUMBER}\s*(%|x|bb|c)", written)
    if match is None or not 0 < float(match[1]) < 1e9 or (match[2] == "c" and not match[1].isdigit()):
        raise InputError(
            f"a bet size is written 50% (of the pot after calling), 2.5x (the bet faced), 3bb (where there are "
            f"blinds), 100c (whole chips), e, 2e or 3e200% (geometric) or a (all-in), not {text.strip()!r}"
        )
    unit = UNITS[match[2]]
    return BetSize(unit, float(match[1]) / 100 if unit == POT else float(match[1]))


def size_total(
    unit: int, value: float, bets: int, faced: int, base: int, pot: int, big: int, most: int
) -> float:
    """The total that a size comes to before rounding. Kernels compile this function too.

    unit, value, bets: the size; bets is at least 1 where the unit is `GEOMETRIC`. faced: the total of the player
    who bet last. base: what each player had put in when the street began. pot: the pot after calling. big: the big
    blind. most: the shorter stack. Totals are chips since the beginning of the hand.
    """
    if unit == POT:
        return faced + value * pot
    if unit == TIMES:
        return base + value * (faced - base)
    if unit == TOTAL:
        return base + value * big
    if unit == ADDED:
        return faced + value
    if unit == GEOMETRIC:
        # Bets of f pots, all called, make the pot (1 + 2f)^n times as large, and all-in makes it pot + 2 x rest.
        growth: float = (1.0 + 2.0 * (most - faced) / pot) ** (1.0 / bets)
        return faced + min((growth - 1.0) / 2.0, value) * pot
    return most + 0.0


StreetSizes = tuple[tuple[BetSize, ...], ...]
"""The sizes of one street: a list for the first bet, one for its raise and so on; the last holds from there on."""


def parse_street(written: str | Sequence[str], street: str) -> StreetSizes:
    """Parse the sizes of a street: `50%,a` for all bets, `50%,a | 3x,a` or a list for bets and raises apart.

    >>> [list(map(str, sizes)) for sizes in parse_street("50%,a | 3x,a", "flop")]
    [['50%', 'a'], ['3x', 'a']]
    """
    parts = written.split("|") if isinstance(written, str) else written
    if not isinstance(parts, list | tuple) or not parts or not all(isinstance(part, str) for part in parts):
        raise InputError(
            f"the sizes of the {street} are text such as '50%, a', or a list of such for the first bet, its "
            f"raise and so on"
        )
    lists = parse_lists(parts)
    if street != STREETS[0] and any(one.unit == TIMES for one in lists[0]):
        raise InputError(f"the first bet of the {street} faces none, so its size cannot be written with x")
    return lists


def parse_lists(parts: Iterable[str]) -> StreetSizes:
    """Parse lists of sizes between commas; blank text is an empty list."""
    return tuple(tuple(map(parse_bet_size, part.split(","))) if part.strip() else () for part in parts)


@dataclass(frozen=True)
class BettingAbstraction:
    """The bets that are considered, and the stacks and blinds they are made with."""

    sizes: tuple[StreetSizes, ...]
    """Bet sizes of each street."""
    caps: tuple[int, ...] = (NO_CAP,) * len(STREETS)
    """The most bets and raises on each street, blinds not counted; `NO_CAP` means no limit."""
    rules: HoldemRules = field(default_factory=lambda: HoldemRules((20_000, 20_000), CHIPS))
    name: str = "custom"
    history: str = EVERYTHING
    """The agent's memory of the betting, one of `HISTORIES`: see `solvent.forms.betting.tree`."""

    def __post_init__(self) -> None:
        if self.history not in HISTORIES:
            raise InputError(f"history is {' or '.join(HISTORIES)}, not {self.history!r}")
        if len(self.sizes) != len(STREETS) or len(self.caps) != len(STREETS):
            raise InputError(f"a betting abstraction has sizes and a cap for each of {', '.join(STREETS)}")
        if any(isinstance(cap, bool) or not isinstance(cap, int) or cap < NO_CAP for cap in self.caps):
            raise InputError(
                f"a cap is the most bets and raises on a street, a whole number, not {list(self.caps)}"
            )
        lists = [one for street in self.sizes for one in street]
        if other := [one for sizes in lists for one in sizes if one.unit not in TRAINED_UNITS]:
            raise InputError(f"a betting abstraction has sizes written with %, x, bb and a, not {other[0]}")
        if self.rules.bets or self.rules.caps:
            raise InputError("bets are abstracted in no-limit betting; these rules are limit or have caps")

    def with_stack(self, big_blinds: float) -> BettingAbstraction:
        """This abstraction with both stacks set to `big_blinds`."""
        big_blinds = _stack(big_blinds)
        chips = round(big_blinds * self.rules.blinds[1])
        return replace(self, rules=replace(self.rules, stacks=(chips, chips)))

    def offers_as(self, other: BettingAbstraction) -> bool:
        """Whether both have the same tree: the same bets, stacks and blinds, whatever is remembered of them."""
        return (self.sizes, self.caps, self.rules) == (other.sizes, other.caps, other.rules)

    @property
    def unbet_streets(self) -> list[str]:
        """The streets without any size, on which players can only check, call and fold.

        >>> parse_betting("flop=50%,a | 3x; cap=2").unbet_streets
        ['preflop', 'turn', 'river']
        """
        return [street for street, lists in zip(STREETS, self.sizes, strict=True) if not any(lists)]

    def describe(self) -> list[str]:
        """Describe the sizes and the cap of each street in one line."""
        lines = []
        for street, sizes, cap in zip(STREETS, self.sizes, self.caps, strict=True):
            written = " | ".join(",".join(map(str, one)) or "none" for one in sizes)
            lines.append(f"{street}: {written}" + ("" if cap == NO_CAP else f"; at most {cap}"))
        if self.history == RAISES:
            lines.append("remembered: who raised on which streets")
        return lines


def parse_betting(source: str | Path | Mapping[str, Any]) -> BettingAbstraction:
    """Read a betting abstraction from a preset's name, a TOML file, one line of text or a mapping of settings.

    A line looks like `preflop=2.5x,a; flop=50%,a | 3x,a; turn=100%,a; river=100%,a; cap=3; stack=200`. `postflop`
    stands for flop, turn and river; `preset` names the preset to change; `stack` is in big blinds; `cap` is one
    number, or one for each street (`cap=4,3,3,3`). A street that is not named has no bets. With `history=raises`
    decisions after raises by the same players on the same streets are played the same; `all` tells all apart.

    >>> parse_betting("preset=fcpa; river=50%,100%; stack=100").describe()[-1]
    'river: 50%,100%'
    """
    if isinstance(source, Mapping):
        return _from_settings(source)
    if isinstance(source, Path) or source.endswith(".toml"):
        return _from_settings(read_toml(Path(source)))
    if "=" not in source:
        return betting_preset(source.strip())
    settings: dict[str, Any] = {}
    for part in filter(str.strip, source.split(";")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise InputError(
                f"betting is written like 'preset=fcpa; flop=50%,a | 3x,a; cap=2'; {part.strip()!r} has no ="
            )
        if key in settings:
            raise InputError(f"betting got {key} twice")
        settings[key] = [_number(one, key) for one in value.split(",")] if key in ("cap", "stack") else value
    return _from_settings(settings)


def _number(text: str, key: str) -> float:
    whole, number = parse_whole(text), parse_decimal(text)
    if number is None:
        raise InputError(f"{key} is a number, not {text.strip()!r}")
    return number if whole is None else whole


def _from_settings(settings: Mapping[str, Any]) -> BettingAbstraction:
    given = dict(settings)
    known = ("preset", "stack", "cap", "history", "postflop", *STREETS)
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InputError(f"betting has no setting {unknown[0]!r}; it has {', '.join(known)}")
    preset = given.pop("preset", None)
    nothing: StreetSizes = ((),)
    start = BettingAbstraction((nothing,) * len(STREETS)) if preset is None else betting_preset(preset)
    stack, cap = given.pop("stack", None), given.pop("cap", None)
    history = given.pop("history", start.history)
    if "postflop" in given:
        everywhere = given.pop("postflop")
        given = dict.fromkeys(STREETS[1:], everywhere) | given
    sizes = list(start.sizes)
    for street, written in given.items():
        sizes[STREETS.index(street)] = parse_street(written, street)
    changed = bool(given) or cap is not None or stack is not None or history != start.history
    name = start.name + " changed" if preset is not None and changed else start.name
    caps = start.caps if cap is None else _caps(cap)
    found = replace(start, sizes=tuple(sizes), caps=caps, name=name, history=history)
    return found if stack is None else found.with_stack(_stack(stack))


def _caps(cap: Any) -> tuple[int, ...]:
    caps = cap if isinstance(cap, list | tuple) else [cap]
    caps = [*caps] * len(STREETS) if len(caps) == 1 else caps
    if len(caps) != len(STREETS) or not all(type(one) is int and one >= 0 for one in caps):
        raise InputError(
            f"cap is the most bets and raises on a street, one whole number or one for each of "
            f"{len(STREETS)} streets, not {cap!r}"
        )
    return tuple(caps)


def _stack(stack: Any) -> float:
    one = stack[0] if isinstance(stack, list) and len(stack) == 1 else stack
    if isinstance(one, bool) or not isinstance(one, int | float) or not 1 <= one <= 1_000_000:
        raise InputError(f"stack is 1 to 1,000,000 big blinds, not {stack!r}")
    return float(one)


def betting_presets() -> dict[str, BettingAbstraction]:
    """The built-in betting abstractions by name.

    `fcpa` offers fold, call, pot and all-in. `laptop` has the many sizes and few raises of Laptop MCCFR (Lin 2024).
    `acpc` is for 200 big blinds: the opens that strong players use, re-raises as fractions of the pot, fewer sizes
    the more raises came before, and all-in with every raise except the first before the flop.
    """
    return {name: replace(parse_betting(text), name=name) for name, text in PRESETS.items()}


PRESETS = {
    "fcpa": "preflop=100%,a; postflop=100%,a; stack=200",
    "laptop": "preflop=2bb,4bb,8bb,16bb,a; postflop=30%,50%,70%,100%,150%,200%,a; cap=2; stack=100",
    "acpc": (
        "preflop=2x,2.5x,3x,4x | 70%,100%,a | 100%,a; flop=33%,66%,100%,200%,a | 75%,150%,a | 100%,a; "
        "turn=50%,100%,200%,a | 100%,a; river=50%,100%,200%,a | 100%,a; cap=4,3,3,3; stack=200"
    ),
}


def betting_preset(name: str) -> BettingAbstraction:
    """Return the preset called `name`, or refuse with the names that exist."""
    found = betting_presets()
    if name not in found:
        raise InputError(f"there is no betting preset {name!r}; there are {', '.join(found)}")
    return found[name]
