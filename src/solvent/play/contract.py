"""The agent contract: an agent starts a hand, the hand is told what happens, and is asked to act.

    hand = agent.start(rules, seat, seed)
    hand.observe(Hole((ace, king)))     the agent's own cards, told once and first
    hand.observe(300)                   an action of either player, the agent's own included
    hand.observe(Board((8, 21, 33)))    new public cards
    hand.act()                          what the agent does now

What an agent draws comes from `seed` alone, so that a seed repeats a match.

An agent whose hands also answer `probabilities` can be measured: local best response (`solvent.evaluate`) and
expected matches (`solvent.play.expected`) ask for the strategy of all 1,326 hole cards at once. Such a hand may be
started without being told its hole cards: it answers from public information alone.

Most agents are easier to write without state: an `EasyAgent` has `act(view)`, and perhaps `probabilities(view)`.
`as_agent` makes an agent of it.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import Card
from solvent.games.betting.rules import HoldemRules, HoldemState, Legal, legal, play


class Hole(NamedTuple):
    """The agent is dealt its own two cards."""

    cards: tuple[Card, Card]


class Board(NamedTuple):
    """The next public cards are dealt: three on the flop, then one on the turn and one on the river."""

    cards: tuple[Card, ...]


Event = int | Hole | Board
"""News for a hand. An int is an action: `FOLD`, `CALL` or the total raised to."""


class Mixture(NamedTuple):
    """The strategy of an agent for every hand it may hold.

    Row h is the hand whose cards are `solvent.play.hole_cards()[h]`: hands by their higher card, then by their
    lower, as the weights of a `solvent.cards.Range` are. Rows of hands that share a card with the board are not
    read.
    """

    actions: tuple[int, ...]
    """Legal actions, each once."""
    probabilities: NDArray[np.float64]
    """float64[1326, actions]: a row for each hand, numbered by `solvent.cards.hands.hand_number`."""


class AgentHand(Protocol):
    """One hand of an agent, from its seat."""

    def observe(self, event: Event) -> None:
        """Take note of an action of either player, or of cards."""

    def act(self) -> int:
        """The action chosen: `FOLD`, `CALL` or the total raised to. It must be legal.

        The hand is told it by `observe` afterwards, as it is told the other player's.
        """


@runtime_checkable
class MeasurableHand(Protocol):
    """A hand that says what it would do with any cards."""

    def observe(self, event: Event) -> None:
        """Take note of an action of either player, or of cards."""

    def probabilities(self) -> Mixture:
        """The strategy of all hands where the agent is to act, from public information alone."""

    def fork(self, seed: int) -> MeasurableHand:
        """Return a copy that is played on by itself, and draws from `seed` from here on."""


class Agent(Protocol):
    """A player of heads-up no-limit hold'em, in either seat, with any stacks and blinds."""

    @property
    def name(self) -> str:
        """The agent's name in results."""

    def start(self, rules: HoldemRules, seat: int, seed: int) -> AgentHand:
        """Begin a hand. Seat 0 has the button."""


@dataclass(frozen=True)
class PublicView:
    """The hand as both players know it."""

    rules: HoldemRules
    """Stacks and blinds."""
    seat: int
    """The agent's; 0 has the button."""
    board: tuple[Card, ...]
    """The public cards so far, in dealing order."""
    actions: tuple[int, ...]
    """All actions so far, by both players: `FOLD`, `CALL` or the total raised to."""
    seed: int
    """The seed of an agent's draws, which depend on it and on `len(actions)` alone."""

    @cached_property
    def state(self) -> HoldemState:
        """The betting so far."""
        return play(self.rules, self.actions)

    @cached_property
    def legal(self) -> Legal:
        """The legal actions of the player to act."""
        return legal(self.state)


@dataclass(frozen=True)
class View(PublicView):
    """The hand as the player to act knows it."""

    hole: tuple[Card, Card] = field(kw_only=True)
    """The player's own two cards."""


class EasyAgent(Protocol):
    """An agent without state: shown the hand so far, it chooses an action.

    Where it also has `probabilities(view: PublicView) -> Mixture`, it can be measured.
    """

    @property
    def name(self) -> str:
        """The agent's name in results."""

    def act(self, view: View) -> int:
        """The action chosen: `FOLD`, `CALL` or the total raised to. It must be legal."""


@runtime_checkable
class _Strategic(Protocol):
    def probabilities(self, view: PublicView) -> Mixture: ...


class EasyHand:
    """A hand of an `EasyAgent`: it collects what happens and shows it whenever the agent is to act."""

    def __init__(self, agent: EasyAgent, rules: HoldemRules, seat: int, seed: int) -> None:
        self.agent, self.rules, self.seat, self.seed = agent, rules, seat, seed
        self.hole: tuple[Card, Card] | None = None
        self.board: tuple[Card, ...] = ()
        self.actions: tuple[int, ...] = ()

    def observe(self, event: Event) -> None:
        """Take note of an action of either player, or of cards."""
        if isinstance(event, Hole):
            self.hole = event.cards
        elif isinstance(event, Board):
            self.board += event.cards
        else:
            self.actions += (event,)

    def act(self) -> int:
        """Choose the action, in view of the hand so far."""
        if self.hole is None:
            raise ValueError("a hand is told its hole cards before it is asked to act")
        view = View(self.rules, self.seat, self.board, self.actions, self.seed, hole=self.hole)
        return self.agent.act(view)

    def fork(self, seed: int) -> Self:
        """Return a copy that draws from `seed`; an agent without state draws anew what it has drawn so far."""
        made = copy(self)
        made.seed = seed
        return made


class EasyMeasurableHand(EasyHand):
    """A hand of an `EasyAgent` that has `probabilities`."""

    def probabilities(self) -> Mixture:
        """The strategy of all hands in view of the public hand so far."""
        assert isinstance(self.agent, _Strategic)
        return self.agent.probabilities(
            PublicView(self.rules, self.seat, self.board, self.actions, self.seed)
        )


@runtime_checkable
class _Starts(Protocol):
    def start(self, rules: HoldemRules, seat: int, seed: int) -> AgentHand: ...


class _Adapted:
    """An `EasyAgent` as an `Agent`, or an agent that has no name of its own."""

    def __init__(self, agent: _Starts | EasyAgent, name: str) -> None:
        self.agent, self.name = agent, name

    def start(self, rules: HoldemRules, seat: int, seed: int) -> AgentHand:
        """Begin a hand."""
        if isinstance(self.agent, _Starts):
            return self.agent.start(rules, seat, seed)
        made = EasyMeasurableHand if isinstance(self.agent, _Strategic) else EasyHand
        return made(self.agent, rules, seat, seed)


def as_agent(agent: Agent | EasyAgent, name: str | None = None) -> Agent:
    """Return an agent by the contract: the agent itself, or an adapter where it only has `act(view)`.

    `name` is for an agent without a name of its own, which is called by its class otherwise.
    """
    if isinstance(agent, _Starts) and hasattr(agent, "name"):
        return agent
    return _Adapted(agent, str(getattr(agent, "name", name or type(agent).__name__)))


def is_agent(candidate: object) -> bool:
    """Return whether an object has what the contract asks for: `start`, or `act` of an agent without state."""
    return any(callable(getattr(candidate, method, None)) for method in ("start", "act"))
