"""The 169 classes of two cards from the strongest to the weakest: by equity against a random hand.

The order is our own: each class's exact all-in equity before the flop against any two other cards, over all boards,
a tie counting half, as `equities.equity` of `random` against `random` gives it by hand. A test computes it again.
No two classes are equal: neighbours differ by 6 in a million or more.
"""

from __future__ import annotations

from itertools import accumulate

from solvent.cards.hands import HANDS

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
"""`AA`, `KK`, ..., `32o`."""


def top_classes(part: float) -> tuple[str, ...]:
    """The fewest classes from the strongest on that hold at least this part of all 1,326 hands, from 0 to 1.

    >>> top_classes(0.01), len(top_classes(1))
    (('AA', 'KK', 'QQ'), 169)
    """
    held = accumulate(map(hands_of_class, CLASSES_BY_EQUITY), initial=0)
    return CLASSES_BY_EQUITY[: sum(hands < part * HANDS for hands in held)]


def hands_of_class(label: str) -> int:
    """Number of hands in a class: 6 of a pair, 4 suited, 12 offsuit.

    >>> hands_of_class("77"), hands_of_class("AKs"), hands_of_class("AKo")
    (6, 4, 12)
    """
    return 6 if len(label) == 2 else 4 if label[2] == "s" else 12
