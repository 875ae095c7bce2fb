"""Bet sizes of a game's betting tree: lists by player, street and kind of bet, caps, thresholds and single lines.

Settings are written as on the command line. A list of sizes is called `bets`, `raises` or `donk`, alone or after
a player (`oop`, `ip`), a street (`preflop`, `flop`, `turn`, `river`) or both: `bets`, `flop-bets`, `oop-bets`,
`oop-river-donk`. The most specific list holds: player and street, then street, then player, then neither.

| setting | says |
|---|---|
| `bets` | sizes of the first bet of a street, and of the first raise of the blinds. None if not given |
| `raises` | sizes of raises, or `3x,a \\| 100%,a` for the first raise and the later ones. As `bets` if not given |
| `donk` | OOP's first bet where IP made the last bet or raise of the street before. As `bets` if not given |
| `cap`, `flop-cap` | the most bets and raises on a street, blinds not counted |
| `add-all-in` | adds all-in where it is a bet or raise of at most this fraction of the pot after calling |
| `force-all-in` | turns a size into all-in where a call would leave at most this fraction of the pot behind |
| `all-in-above` | turns a size into all-in above this share of the stack, half of the starting pot added to both |
| `merging` | drops sizes near a larger one: Y pots near X pots, if (1 + X) / (1 + Y) <= 1 + threshold |
| `add` | lines whose last action is added: `check, bet 100, raise 400`; several are a list, or separated by `;` |
| `remove` | lines whose last action is removed, with all that follows |

An empty list of sizes means that there is no such bet. Sizes are those of `solvent.games.betting.sizes`; `x` needs
a bet to multiply, so it is for raises and for `preflop-bets`. `e` without a number counts the streets that are
left, this one included, and a raise counts one less for every raise made before it on the street. Thresholds are
numbers or percentages (`1.5` and `150%` are equal), 0 is off. Amounts in lines are what the player has put in on
the street; deals are not written.

>>> sizes = parse_tree_sizes({"bets": "50%,a", "raises": "100%,a", "oop-river-donk": "", "cap": 3})
>>> sizes.lists[OOP][STREETS.index("river")].donks
()
>>> [str(size) for size in sizes.lists[IP][STREETS.index("turn")].raises_after(0)]
['100%', 'a']
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_share, parse_whole
from solvent.games.betting.action_words import ALL_IN, spelled_out
from solvent.games.betting.rules import STREETS
from solvent.games.betting.sizes import NO_CAP, TIMES, BetSize, StreetSizes, parse_lists

OOP, IP = 0, 1
"""Positions: who acts first on the later streets, and who acts last there."""
POSITIONS = ("oop", "ip")
KINDS = ("bets", "raises", "donk")
THRESHOLDS = ("add-all-in", "force-all-in", "all-in-above", "merging")

Line = tuple[str, ...]
"""Actions from the root on, as their names are written: ("check", "bet 100", "raise 400")."""


@dataclass(frozen=True)
class SizeLists:
    """The sizes of one player on one street."""

    bets: tuple[BetSize, ...] = ()
    raises: StreetSizes = ((),)
    """A list for the first raise, one for the second and so on; the last holds from there on."""
    donks: tuple[BetSize, ...] | None = None
    """Bets into the player who made the last bet or raise of the street before; None if they are `bets`."""

    def raises_after(self, raises: int) -> tuple[BetSize, ...]:
        """The sizes of a raise that has this many raises before it on the street."""
        return self.raises[min(raises, len(self.raises) - 1)]


@dataclass(frozen=True)
class TreeSizes:
    """Settings from which a betting tree is made besides the rules."""

    lists: tuple[tuple[SizeLists, ...], tuple[SizeLists, ...]]
    """Sizes by position (`OOP`, `IP`) and street (`STREETS`)."""
    caps: tuple[int, ...] = (NO_CAP,) * len(STREETS)
    """The most bets and raises on each street, blinds not counted; `NO_CAP` means no limit."""
    add_all_in: float = 0.0
    force_all_in: float = 0.0
    all_in_above: float = 0.0
    merging: float = 0.0
    added: tuple[Line, ...] = ()
    removed: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        if len(self.lists) != len(POSITIONS) or any(len(lists) != len(STREETS) for lists in self.lists):
            raise InputError(f"tree sizes are lists for OOP and IP and for each of {', '.join(STREETS)}")
        if len(self.caps) != len(STREETS) or any(type(cap) is not int or cap < NO_CAP for cap in self.caps):
            raise InputError(
                f"a cap is the most bets and raises on a street, a whole number, not {list(self.caps)}"
            )
        if min(self.add_all_in, self.force_all_in, self.all_in_above, self.merging) < 0:
            raise InputError("thresholds of all-in and merging are at least 0")
        for lists in self.lists:
            for street, one in zip(STREETS, lists, strict=True):
                first = one.bets + (one.donks or ())
                if street != STREETS[0] and (times := [size for size in first if size.unit == TIMES]):
                    raise InputError(
                        f"a first bet faces none, so sizes of bets and donk cannot use x, as {times[0]} does; "
                        f"raises can"
                    )


def parse_tree_sizes(settings: Mapping[str, Any]) -> TreeSizes:
    """Read the settings of the module's table; `_` in a name is read as `-`, and None as not given."""
    given: dict[str, Any] = {}
    for name, value in settings.items():
        key = name.strip().lower().replace("_", "-")
        if key in given:
            raise InputError(f"the sizes of a tree have {key} twice")
        if value is not None:
            given[key] = value
    known = known_settings()
    if unknown := [key for key in given if key not in known]:
        raise InputError(
            f"the sizes of a tree have no setting {unknown[0]!r}; they have bets, raises and donk, alone or after "
            f"oop or ip and a street (oop-river-donk), cap, {', '.join(THRESHOLDS)}, add and remove"
        )
    lists = tuple(tuple(_size_lists(given, position, street) for street in STREETS) for position in POSITIONS)
    caps = tuple(_cap(given.get(f"{street}-cap", given.get("cap", NO_CAP))) for street in STREETS)
    thresholds = {key.replace("-", "_"): _threshold(given.get(key, 0), key) for key in THRESHOLDS}
    added, removed = parse_lines(given.get("add", ())), parse_lines(given.get("remove", ()))
    return TreeSizes((lists[OOP], lists[IP]), caps, **thresholds, added=added, removed=removed)


def known_settings() -> set[str]:
    """The names of all settings."""
    lists = {name for place in product(POSITIONS, STREETS, KINDS) for name in _place_names(*place)}
    donks = {name for name in lists if name.startswith("ip-") and name.endswith("-donk")} | {"ip-donk"}
    caps = {"cap", *(f"{street}-cap" for street in STREETS)}
    return lists - donks | caps | {*THRESHOLDS, "add", "remove"}


def replaced_sizes(before: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a tree in which others are given anew, by names without dashes.

    What is given holds wherever its name applies, also where `before` has a name that says more. Lines are added to
    those of before.

    >>> replaced_sizes({"bets": "50%", "turn_bets": "75%", "oop_raises": "a"}, {"oop_bets": "33%"})
    {'bets': '50%', 'turn_bets': '75%', 'oop_raises': 'a', 'oop_bets': '33%', 'oop_turn_bets': '33%'}
    >>> replaced_sizes({"bets": "50%", "turn_bets": "75%", "oop_raises": "a"}, {"bets": "33%"})
    {'oop_raises': 'a', 'bets': '33%'}
    """
    old, new = (
        {name.replace("_", "-"): value for name, value in settings.items() if value is not None}
        for settings in (before, given)
    )
    kept = {name: value for name, value in old.items() if not _is_replaced(name, new)}
    found = {**kept, **new}
    for name in kept:
        for place in _covered(name):
            names, other = _place_names(*place), _holding(new, *place)
            if other is not None and names.index(name) < names.index(other):
                found[names[0]] = new[other]
    for name in ("add", "remove"):
        if name in old and name in new:
            found[name] = [", ".join(line) for lines in (old, new) for line in parse_lines(lines[name])]
    return {name.replace("-", "_"): value for name, value in found.items()}


def _place_names(position: str, street: str, kind: str) -> tuple[str, ...]:
    """The names of the settings that may hold at a place, the most specific one first."""
    if kind == "cap":
        return f"{street}-cap", "cap"
    return f"{position}-{street}-{kind}", f"{street}-{kind}", f"{position}-{kind}", kind


def _covered(name: str) -> list[tuple[str, str, str]]:
    """The places, by position, street and kind, at which a setting may hold; none of thresholds and lines."""
    return [place for place in product(POSITIONS, STREETS, (*KINDS, "cap")) if name in _place_names(*place)]


def _is_replaced(name: str, new: Mapping[str, Any]) -> bool:
    """Whether other settings hold at all places at which this one may."""
    places = _covered(name)
    return name in new or (bool(places) and all(_holding(new, *place) for place in places))


def _holding(settings: Mapping[str, Any], position: str, street: str, kind: str) -> str | None:
    """The name of the setting that holds at a place."""
    return next((name for name in _place_names(position, street, kind) if name in settings), None)


def _size_lists(given: Mapping[str, Any], position: str, street: str) -> SizeLists:
    def found(kind: str) -> StreetSizes | None:
        name = _holding(given, position, street, kind)
        return None if name is None else _street_sizes(given[name], name, street)

    bets, raises, donks = found("bets") or ((),), found("raises"), found("donk")
    for name, one in (("bets", bets), ("donk", donks or ((),))):
        if len(one) > 1:
            raise InputError(f"{name} is one list of sizes, and only raises have more, written with |")
    if position == "ip" or street == STREETS[0]:
        donks = None
    return SizeLists(bets[0], raises or bets, None if donks is None else donks[0])


def _street_sizes(written: Any, name: str, street: str) -> StreetSizes:
    parts = [written] if isinstance(written, str) else written
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) for part in parts):
        raise InputError(f"{name} is text such as '50%,a' or a list of sizes, not {written!r}")
    return parse_lists(",".join(parts).split("|"))


def _cap(cap: Any) -> int:
    number = parse_whole(cap) if isinstance(cap, str) else cap
    if type(number) is not int or (number < 0 and number != NO_CAP):
        raise InputError(f"cap is the most bets and raises on a street, a whole number, not {cap!r}")
    return number


def _threshold(given: Any, name: str) -> float:
    number = None if isinstance(given, bool) else parse_share(str(given))
    if number is None or number < 0:
        whole = "stack" if name == "all-in-above" else "pot"
        raise InputError(f"{name} is a part of the {whole} of at least 0, such as 0.5 or 50%, not {given!r}")
    return number


def parse_lines(written: str | Sequence[str]) -> tuple[Line, ...]:
    """Read lines of actions (`action_words`), a list or one text with `;` between lines.

    >>> parse_lines("check,bet 100 , r400; b50")
    (('check', 'bet 100', 'raise 400'), ('bet 50',))
    """
    lines = written.split(";") if isinstance(written, str) else written
    if not isinstance(lines, Sequence) or not all(isinstance(line, str) for line in lines):
        raise InputError(f"lines are text such as 'check, bet 100, raise 400', not {written!r}")
    return tuple(_line(line) for line in lines if line.strip())


def _line(written: str) -> Line:
    line = tuple(map(spelled_out, written.split(",")))
    for action in line:
        if not re.fullmatch(rf"fold|check|call|{ALL_IN}|(bet|raise) [1-9][0-9]*", action):
            raise InputError(
                f"a line is written 'check, bet 100, raise 400' with fold, check, call, bet and raise; "
                f"{written.strip()!r} has {action!r}"
            )
    return line
