"""Playing cards: names, ranges, the hand evaluator, suit isomorphism and equities.

from solvent import cards

cards.equity(cards.parse_range("QQ+,AKs"), cards.parse_range("random"), cards.parse_cards("Ks7d2c"))

This room may import only `foundation`. Cards are numbers from 0 to 51, rank by rank (`deck`), and hands of two
from 0 to 1,325 (`hands`); `ranges` reads and writes weights of hands. `ranking` says in plain NumPy which hand
beats which, `evaluator` fast, from tables; `hand_kinds` has players' names for hands. `isomorphism` numbers hands
up to suits; `showdown` and `equities` compare hands over boards. Start with `deck`, then `evaluator`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvent.foundation.lazy import lazily

if TYPE_CHECKING:
    from solvent.cards.deck import CardError as CardError
    from solvent.cards.deck import card_label as card_label
    from solvent.cards.deck import cards_label as cards_label
    from solvent.cards.deck import parse_card as parse_card
    from solvent.cards.deck import parse_cards as parse_cards
    from solvent.cards.equities import Equity as Equity
    from solvent.cards.equities import equity as equity
    from solvent.cards.evaluator import hand_strengths as hand_strengths
    from solvent.cards.evaluator import strength_label as strength_label
    from solvent.cards.ranges import Range as Range
    from solvent.cards.ranges import hand_label as hand_label
    from solvent.cards.ranges import parse_range as parse_range
    from solvent.cards.ranges import range_label as range_label

__getattr__, __dir__ = lazily(__name__)
