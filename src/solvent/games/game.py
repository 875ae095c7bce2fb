"""The game protocol, which every set of rules implements and every form compiles.

A game is a tree of immutable states. A state says who acts, what is legal and what it pays; it knows
nothing about solving. Write these two small classes and every solver in the package runs on your game
(`examples/rock_paper_scissors.py` does it in about thirty lines). Nothing need be inherited. A state in which
chance acts also has `chance` (`ChanceState`). Games in which hands are dealt first and all else is public are
solved far quicker when they are written as `solvent.PublicRules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol, runtime_checkable

from solvent.foundation.errors import InputError

CHANCE = -1
"""Returned by `State.player` where nature moves."""

TERMINAL = -2
"""Returned by `State.player` where the game is over."""

CHANCE_TOLERANCE = 1e-9
"""Distance from 1 that the sum of a chance node's probabilities may have."""


class GameError(InputError):
    """Rules that cannot be played or solved, or a game that does not exist."""


Probability = float | Fraction


class State(Protocol):
    """A position in the game, chance's hidden moves included. States are never changed in place."""

    def player(self) -> int:
        """The player who acts, 0 or 1, `CHANCE` or `TERMINAL`."""

    def actions(self) -> Sequence[str]:
        """The legal actions where a player acts, in a fixed order that depends on the infoset alone."""

    def child(self, action: str) -> State:
        """The state after an action or a chance outcome."""

    def infoset(self) -> str:
        """Everything the acting player knows, as text. States with equal text are one infoset of that player."""

    def payoffs(self) -> Sequence[float]:
        """The winnings of each player at the end, in chips."""


class ChanceState(State, Protocol):
    """A state of a game with chance."""

    def chance(self) -> Sequence[tuple[str, Probability]]:
        """Each outcome where chance acts, with its probability. They sum to 1."""


class ListedState:
    """A base for states that list what follows them quicker than they can be asked for it by label. Optional."""

    __slots__ = ()

    def children(self) -> Iterable[State]:
        """The states after each of `actions()`, in that order."""
        raise NotImplementedError

    def chance_children(self) -> Iterable[tuple[str, Probability, State]]:
        """Every outcome of `chance()` with its probability and the state after it."""
        raise NotImplementedError

    def chance(self) -> list[tuple[str, Probability]]:
        """Each outcome with its probability."""
        return [(label, probability) for label, probability, _ in self.chance_children()]


def player_of(game: object, state: State) -> int:
    """The player who acts in a state; what is no state is refused."""
    try:
        return state.player()
    except (AttributeError, TypeError):
        if isinstance(state, type) or not callable(getattr(state, "player", None)):
            raise GameError(
                f"{game} has {state!r} where a state should be: root() and child() return an object with player(), "
                f"actions(), child(), infoset() and payoffs()"
            ) from None
        raise


def children(state: State, actions: Iterable[str]) -> Iterable[State]:
    """The states after each action of a player."""
    return state.children() if isinstance(state, ListedState) else map(state.child, actions)


def chance_children(state: State) -> Iterable[tuple[str, Probability, State]]:
    """Every chance outcome with its probability and the state after it."""
    if isinstance(state, ListedState):
        return state.chance_children()
    outcomes = getattr(state, "chance", None)
    if outcomes is None:
        raise GameError(f"chance acts in a {type(state).__name__}, which has no method chance()")
    return [(outcome, probability, state.child(outcome)) for outcome, probability in outcomes()]


def check_chances(game: object, weights: Sequence[Probability]) -> None:
    """Refuse the probabilities of a chance node unless they are non-negative and sum to 1."""
    total, least = float(sum(weights)), float(min(weights, default=0))
    if least < 0 or not abs(total - 1) <= CHANCE_TOLERANCE:
        wrong = f"include {least:g}" if least < 0 else f"sum to {total:g}"
        raise GameError(
            f"{game} has a chance node whose probabilities {wrong}; they must be non-negative and sum to 1"
        )


@runtime_checkable
class Game(Protocol):
    """A set of rules. `str(game)` is its name; a class that gives none is named by itself and its parameters."""

    @property
    def players(self) -> int:
        """Number of players; the solvers take two."""

    def root(self) -> State:
        """The state before anything has happened."""
