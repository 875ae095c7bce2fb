"""What every agent is: someone who, shown a hand as far as he may see it, says what he does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from solvent.cards.deck import Card
from solvent.games.betting.rules import HoldemRules, HoldemState, Legal, legal, play


@dataclass(frozen=True)
class View:
    """A hand as the player to act sees it."""

    rules: HoldemRules
    seat: int
    """0 has the button."""
    hole: tuple[Card, Card]
    board: tuple[Card, ...]
    """The public cards so far, in dealing order."""
    actions: tuple[int, ...]
    """Everything that was done so far, by both: `holdem.FOLD`, `holdem.CALL` or the total raised to."""
    key: int
    """Of the hand's random stream: what an agent draws must come from it and `len(actions)` alone."""

    @cached_property
    def state(self) -> HoldemState:
        """The betting so far."""
        return play(self.rules, self.actions)

    @cached_property
    def legal(self) -> Legal:
        """What the player may do."""
        return legal(self.state)


class Agent(Protocol):
    """Someone who plays heads-up no-limit hold'em, from any seat, with any stacks and blinds."""

    @property
    def name(self) -> str:
        """What he is called in results."""

    def act(self, view: View) -> int:
        """What he does: `holdem.FOLD`, `holdem.CALL` or the total that he raises to, which must be legal."""
