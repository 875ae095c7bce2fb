"""Ranges of hands as players write them, such as `QQ+,AKs,76s:0.5`.

Entries stand between commas. Later ones override earlier ones, so `random,AA:0` is every hand but aces.

| entry | hands |
|---|---|
| `77` | the six pairs of sevens |
| `77+` | sevens and every better pair |
| `99-77`, `77-99` | pairs from sevens to nines |
| `AKs`, `AKo`, `AK` | suited, of two suits, or both |
| `ATs+` | the higher card stays and the lower one rises to just below it: ATs, AJs, AQs, AKs |
| `A5s-A2s`, `A2s-A5s` | the higher card stays: A2s, A3s, A4s, A5s |
| `T9s-76s`, `76s-T9s` | both cards rise together: 76s, 87s, 98s, T9s |
| `Ax`, `Axs`, `Kxo` | the higher card stays with any lower one: aces but AA, suited aces, offsuit kings |
| `AsKh` | this hand alone |
| `top 10%` | the strongest classes that hold at least this part of all hands, by `CLASSES_BY_EQUITY` |
| `random`, `100%` | every hand |

`:0.5` after any of them is its weight, from 0 to 1; without it the weight is 1. `[50]AKo,QQ[/50]` gives all entries
inside a weight in percent, as GTO+ writes it. Upper and lower case are equal, cards may come in either order,
spaces and a comma at the end are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.cards.deck import RANKS, CardError, card_label, parse_cards
from solvent.cards.hands import HANDS, hand_number, hole_cards
from solvent.foundation.units import parse_decimal

ACE = len(RANKS) - 1

LEAST_PLAIN, SMALLEST_PLAIN = 1e-3, 1e-6
"""Hands of less weight are left out of texts for other programs: unless they are asked for, and in any case."""
LONGEST_TEXT, LONGEST_ENTRY = 200_000, 100
"""Letters of the longest range that is read, and of one entry; all hands with weights of their own take 40,000."""
_OPENED = re.compile(r"\[([^]/]*)\](.*)")
_CLOSED = re.compile(r"(.*)\[/([^]]*)\]")
_ANY_KICKER = re.compile(rf"([{RANKS}])x([so]?)", re.IGNORECASE | re.ASCII)
_TOP = re.compile(r"top(.*)%", re.IGNORECASE | re.ASCII)

_ORDER = """
AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o KJo 55
QJs K9s A5s A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44 A4o K6s K8o Q8s
A3o K5s J9s Q9o JTo K7o A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o K5o J9o K2s Q5s T8s K4o J7s Q4s Q7o
T9o J8o K3o Q6o Q3s 98s T7s J6s K2o 22 Q2s Q5o J5s T8o J7o Q4o 97s J4s T6s J3s Q3o 98o 87s T7o J6o
96s J2s Q2o T5s J5o T4s 97o 86s J4o T6o 95s T3s 76s J3o 87o T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o
65s 84s 95o T3o 92s 76o 74s T2o 54s 85o 64s 83s 94o 75o 82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s
54o 64o 52s 62s 83o 42s 82o 73o 53o 63o 32s 43o 72o 52o 62o 42o 32o
"""
CLASSES_BY_EQUITY = tuple(_ORDER.split())
"""The 169 classes of two cards from the strongest to the weakest.

The order is our own: each class's exact all-in equity before the flop against any two other cards, over all boards,
a tie counting half, as `equities.equity` of `random` against `random` gives it by hand. A test computes it again.
No two classes are equal: neighbours differ by 6 in a million or more.
"""

_Class = tuple[int, int, str]
"""Higher rank, lower rank, and 's', 'o' or '' for both (and for pairs)."""


@dataclass(frozen=True, eq=False)
class Range:
    """A weight for each hand."""

    weights: NDArray[np.float64]
    """float64[1326] by `hands.hand_number`, from 0 to 1; read-only."""

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != (HANDS,):
            raise CardError(f"a range is {HANDS:,} weights, one for each hand, not {weights.size:,}")
        if not ((weights >= 0) & (weights <= 1)).all():
            raise CardError("the weights of a range are from 0 to 1")
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    def __str__(self) -> str:
        return range_label(self.weights)

    @property
    def combos(self) -> float:
        """Number of hands, each counted by its weight."""
        return float(self.weights.sum())


def parse_range(text: str) -> Range:
    """The range that a text names; the module says what may stand in it.

    >>> parse_range("QQ+, AKs, 76s:0.5").combos
    24.0
    >>> str(parse_range("A2s-A5s, KK, QQ, AA, 87s, AKo, AKs"))
    'QQ+,AK,A5s-A2s,87s'
    """
    weights = np.zeros(HANDS)
    for entry, weight in _entries(text):
        named, colon, own = entry.partition(":")
        weights[_hands_of(named, entry)] = _weight(own, entry) if colon else weight
    return Range(weights)


def range_label(weights: ArrayLike) -> str:
    """A short text that `parse_range` reads as these weights, float64[1326], to the last bit.

    >>> range_label(parse_range("random,AA:0.5").weights)
    'KK-22,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32,AA:0.5'
    """
    given = Range(np.asarray(weights)).weights
    if (given == given[0]).all():
        return "random" + _suffix(given[0])
    by_class = {kind: given[hands] for kind, hands in _classes().items()}
    whole = {kind: row[0] for kind, row in by_class.items() if (row == row[0]).all()}
    apart = [hand for kind, hands in _classes().items() if kind not in whole for hand in hands]
    entries: list[str] = []
    for weight in sorted(set(given[given > 0].tolist()), reverse=True):
        alike = [kind for kind, held in whole.items() if held == weight]
        named = [*_runs(alike), *(hand_label(hand) for hand in apart if given[hand] == weight)]
        entries += [name + _suffix(weight) for name in named]
    return ",".join(entries)


def plain_range(weights: ArrayLike, least: float = LEAST_PLAIN) -> str:
    """The weights, float64[1326], as text that other programs read too: hands and classes with weights, no more.

    A class stands for its hands where all of them have one weight. Weights have six significant digits. Hands of
    less weight than `least`, or than a millionth, are left out, so that the text may be empty.

    >>> weights = parse_range("AA,99-88:0.123456789,AhKh:0.00001,76s,7h6h:0").weights
    >>> plain_range(weights)
    'AA,99:0.123457,88:0.123457,7s6s,7d6d,7c6c'
    >>> plain_range(weights, least=0)
    'AA,99:0.123457,88:0.123457,AhKh:0.00001,7s6s,7d6d,7c6c'
    """
    given = Range(np.asarray(weights)).weights
    entries: list[str] = []
    for kind, hands in _classes().items():
        kept = [hand for hand in reversed(hands) if given[hand] >= max(least, SMALLEST_PLAIN)]
        rounded = {hand: float(f"{given[hand]:.6g}") for hand in kept}
        if len(rounded) == len(hands) and len(set(rounded.values())) == 1:
            entries.append(_class_label(kind) + _plain_suffix(given[hands[0]]))
        else:
            entries += [hand_label(hand) + _plain_suffix(weight) for hand, weight in rounded.items()]
    return ",".join(entries)


def hand_label(hand: int) -> str:
    """A hand by its number, the higher card first.

    >>> hand_label(1325)
    'AsAh'
    """
    low, high = hole_cards()[hand].tolist()
    return card_label(high) + card_label(low)


# From text


def _entries(text: str) -> Iterator[tuple[str, float]]:
    """The entries between commas without blanks, each with the weight of the block that it stands in, or 1."""
    if len(text) > LONGEST_TEXT:
        raise CardError(f"a range has at most {LONGEST_TEXT:,} letters, not {len(text):,}")
    parts = ["".join(part.split()) for part in text.split(",")]
    if long := [part for part in parts if len(part) > LONGEST_ENTRY]:
        raise CardError(f"{long[0]!r} names no hands: it is too long for an entry of a range")
    if len(parts) > 1 and not parts[-1]:
        parts.pop()
    percent, weight = "", 1.0
    for part in parts:
        opened = _OPENED.fullmatch(part)
        if opened is not None:
            if percent:
                raise CardError(f"{part!r} begins before [{percent}] has ended with [/{percent}]")
            percent, part = opened.groups()
            weight = _percent(percent, f"[{percent}]")
        closed = _CLOSED.fullmatch(part)
        if closed is not None:
            part = closed[1]
            if closed[2] != percent:
                raise CardError(f"[/{closed[2]}] ends a block that has not begun with [{closed[2]}]")
        if not part:
            raise CardError(f"a range is hands between commas, such as QQ+,AKs; {text!r} has none somewhere")
        if percent and ":" in part:
            raise CardError(f"{part!r} has two weights: its own and that of [{percent}]")
        yield part, weight
        if closed is not None:
            percent, weight = "", 1.0
    if percent:
        raise CardError(f"[{percent}] does not end: write [/{percent}] after the last of its hands")


def _percent(text: str, entry: str) -> float:
    """A share that is written in percent."""
    percent = parse_decimal(text)
    if percent is None or not 0 <= percent <= 100:
        raise CardError(f"a percentage is a number from 0 to 100; {entry!r} has {text!r}")
    return percent / 100


def _weight(text: str, entry: str) -> float:
    weight = parse_decimal(text)
    if weight is None or not 0 <= weight <= 1:
        raise CardError(f"the weight of a hand is a number from 0 to 1; {entry!r} has {text!r}")
    return weight


def _hands_of(name: str, entry: str) -> list[int]:
    """The numbers of the hands that an entry names, without its weight."""
    if name.lower() in ("random", "100%"):
        return list(range(HANDS))
    if (share := _TOP.fullmatch(name)) is not None:
        return _strongest(_percent(share[1], entry))
    if (found := _ANY_KICKER.fullmatch(name)) is not None and found[1] != RANKS[0]:
        high = RANKS.index(found[1].upper())
        return [hand for kicker in range(high) for hand in _of_class((high, kicker, found[2].lower()))]
    if "-" in name:
        bottom, top = sorted(_parse_class(end, entry) for end in name.split("-", 1))
        return [hand for kind in _span(bottom, top, entry) for hand in _of_class(kind)]
    if name.endswith("+"):
        high, low, suits = _parse_class(name[:-1], entry)
        if high == low:
            return [hand for rank in range(low, ACE + 1) for hand in _of_class((rank, rank, ""))]
        return [hand for kicker in range(low, high) for hand in _of_class((high, kicker, suits))]
    if len(name) == 4:
        try:
            return [hand_number(*parse_cards(name))]
        except CardError as error:
            raise CardError(f"{entry!r} is no hand: {error}") from None
    return _of_class(_parse_class(name, entry))


def _strongest(part: float) -> list[int]:
    """The hands of the fewest classes, from the strongest on, that hold at least this part of all hands."""
    found: list[int] = []
    for label in CLASSES_BY_EQUITY:
        if len(found) < part * HANDS:
            found += _of_class(_parse_class(label, label))
    return found


def _parse_class(name: str, entry: str) -> _Class:
    """Pairs, or two ranks with or without suits."""
    ranks, suits = name[:2].upper(), name[2:].lower()
    if len(ranks) != 2 or not set(ranks) <= set(RANKS) or suits not in ("", "s", "o"):
        raise CardError(
            f"{entry!r} names no hands; entries look like 77+, ATs+, A5s-A2s, AKo, Ax, AsKh or top 15%"
        )
    low, high = sorted(map(RANKS.index, ranks))
    if low == high and suits:
        raise CardError(f"{entry!r} names no hands: a pair is neither suited nor offsuit")
    return high, low, suits


def _span(bottom: _Class, top: _Class, entry: str) -> list[_Class]:
    """The classes from one to another, by pair, by kicker or by both ranks."""
    (high0, low0, suits), (high1, low1, others) = bottom, top
    if suits != others or (high0 == low0) != (high1 == low1):
        raise CardError(f"{entry!r} names no hands: both ends are pairs, or suited, or offsuit")
    if high0 == high1:
        return [(high0, kicker, suits) for kicker in range(low0, low1 + 1)]
    if high0 - low0 == high1 - low1:
        return [(high0 + up, low0 + up, suits) for up in range(high1 - high0 + 1)]
    raise CardError(f"{entry!r} names no hands: its ends share the higher card, or are equally far apart")


def _of_class(kind: _Class) -> list[int]:
    high, low, suits = kind
    if high != low and not suits:
        return [*_classes()[high, low, "s"], *_classes()[high, low, "o"]]
    return _classes()[kind]


@cache
def _classes() -> dict[_Class, list[int]]:
    """The hands of each of the 169 classes, from aces down: pairs, then suited, then offsuit."""
    found: dict[_Class, list[int]] = {}
    for number, (low, high) in enumerate(hole_cards().tolist()):
        suits = "" if low // 4 == high // 4 else "s" if low % 4 == high % 4 else "o"
        found.setdefault((high // 4, low // 4, suits), []).append(number)
    order = sorted(found, key=lambda kind: (["", "s", "o"].index(kind[2]), -kind[0], -kind[1]))
    return {kind: found[kind] for kind in order}


# To text


def _runs(kinds: list[_Class]) -> Iterator[str]:
    """The names of whole classes, neighbours joined, suited and offsuit in one where they run alike."""
    held = set(kinds)
    pair_ranks = [high for high, low, _ in kinds if high == low]
    for first, last in _stretches(pair_ranks):
        yield _run_label((last, last, ""), (first, first, ""), tops=last == ACE)
    runs: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for suits, high in [(suits, high) for suits in "so" for high in range(ACE, 0, -1)]:
        kickers = [low for low in range(high - 1, -1, -1) if (high, low, suits) in held]
        runs[suits, high] = list(_stretches(kickers))
    for (suits, high), stretches in runs.items():
        for first, last in stretches:
            alike = (first, last) in runs["o" if suits == "s" else "s", high]
            if alike and suits == "o":
                continue
            named = "" if alike else suits
            yield _run_label((high, last, named), (high, first, named), tops=last == high - 1)


def _stretches(ranks: list[int]) -> Iterator[tuple[int, int]]:
    """The lowest and highest of each run of neighbours, given ranks from high to low."""
    for _, run in groupby(enumerate(ranks), key=lambda numbered: numbered[0] + numbered[1]):
        found = [rank for _, rank in run]
        yield found[-1], found[0]


def _run_label(top: _Class, bottom: _Class, tops: bool) -> str:
    if top == bottom:
        return _class_label(top)
    return f"{_class_label(bottom)}+" if tops else f"{_class_label(top)}-{_class_label(bottom)}"


def _class_label(kind: _Class) -> str:
    high, low, suits = kind
    return RANKS[high] + RANKS[low] + suits


def _suffix(weight: float) -> str:
    return "" if weight == 1 else f":{float(weight)!r}"


def _plain_suffix(weight: float) -> str:
    """A weight in six significant digits and without an exponent, which some programs do not read."""
    rounded = float(f"{weight:.6g}")
    return "" if rounded == 1 else f":{np.format_float_positional(rounded, trim='-')}"
