"""A person against one agent: hands in turn on the button, and the agent's thoughts on them.

A terminal, or any other place where a person can be asked, is an `EasyAgent` that is given to `Sitting.play`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from solvent.cards.hands import hand_number
from solvent.games.betting.rules import HoldemRules
from solvent.games.hand_history import Hand
from solvent.play.answers import action_words, street_base
from solvent.play.contract import Agent, AgentHand, EasyAgent, MeasurableHand, View
from solvent.play.table import Table
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import deal_pair

SILENT = "it does not say its probabilities"


@dataclass(frozen=True)
class Thought:
    """A decision of the agent, or one of the person as the agent would have made it."""

    view: View
    actions: tuple[int, ...]
    probabilities: tuple[float, ...]
    chosen: int | None
    """Index of the action that was played; None where it was another."""
    note: str = ""
    """Reason why there are no probabilities."""
    history: str = ""
    """The hand so far as the agent takes it."""

    @property
    def words(self) -> tuple[str, ...]:
        """The actions in words."""
        return _words(self.view, self.actions)


@dataclass
class Sitting:
    """Hands of a person against one agent. The person has the button in every other hand."""

    agent: Agent
    rules: HoldemRules
    seed: int
    won: list[int] = field(default_factory=list)
    """Chips that the person won, by hand."""
    thoughts: list[Thought] = field(default_factory=list)
    """The agent's decisions in the last hand."""
    decided: list[tuple[View, int]] = field(default_factory=list)
    """The person's decisions in the last hand: the view, and the action."""

    @property
    def seat(self) -> int:
        """The person's seat in the next hand, 0 on the button."""
        return len(self.won) % 2

    def play(self, person: EasyAgent) -> Hand:
        """Play a hand to its end."""
        number, seat = len(self.won), self.seat
        deck, random = np.zeros(52, dtype=np.int64), np.zeros(1, dtype=np.uint64)
        key = int(deal_pair(self.seed, number, deck, random))
        table: Table[AgentHand] = Table(self.rules, deck[:9].tolist())
        hand = self.agent.start(self.rules, 1 - seat, key)
        table.seat(1 - seat, hand, self.agent.name)
        thoughts, decided = list[Thought](), list[tuple[View, int]]()
        while not table.over:
            hole = table.holes[table.player]
            assert hole is not None
            view = View(self.rules, table.player, table.board, table.actions, key, hole=hole)
            if table.player == seat:
                action = person.act(view)
                decided.append((view, action))
            else:
                thought, action = _thought(self.agent, hand, view)
                thoughts.append(thought)
            table.apply(action)
        self.thoughts, self.decided = thoughts, decided
        names = (person.name, self.agent.name) if seat == 0 else (self.agent.name, person.name)
        played = table.hand(names, number + 1)
        self.won.append(played.payoffs[seat])
        return played

    def in_your_place(self) -> list[Thought]:
        """The agent's own play at each of the person's decisions in the last hand, with the person's cards."""
        return [in_your_place(self.agent, view, action) for view, action in self.decided]

    def summary(self) -> dict[str, Any]:
        """The result, for JSON."""
        hands, won = len(self.won), sum(self.won) / self.rules.blinds[1]
        return {
            "agent": self.agent.name,
            "hands": hands,
            "bb_won": won,
            "mbb_per_hand": won / hands * 1000 if hands else None,
            "seed": self.seed,
        }


def _thought(agent: Agent, hand: AgentHand, view: View) -> tuple[Thought, int]:
    """A decision of the agent, with its probabilities if it says them, and its action."""
    if isinstance(agent, TableAgent):
        found = agent.decision(view)
        actions, shares, chosen = found.actions, found.probabilities, found.chosen
        return Thought(view, actions, shares, chosen, found.note, found.history), actions[chosen]
    action = hand.act()
    if not view.legal.allows(action) or not isinstance(hand, MeasurableHand):
        return Thought(view, (action,), (1.0,), 0, SILENT), action
    mixture = hand.probabilities()
    row = mixture.probabilities[hand_number(*view.hole)]
    known = dict(zip(mixture.actions, map(float, row), strict=True))
    known.setdefault(action, 0.0)
    likely = {one: share for one, share in known.items() if share > 0 or one == action}
    return Thought(view, tuple(likely), tuple(likely.values()), list(likely).index(action)), action


def in_your_place(agent: Agent, view: View, action: int) -> Thought:
    """The agent's own play where a person took an action, with the person's cards.

    Agents without tables are not asked: they keep a hand of their own, which is not the person's.
    """
    if not isinstance(agent, TableAgent):
        return Thought(view, (action,), (1.0,), 0, SILENT)
    found = agent.decision(view)
    if found.note:  # there is no strategy, so its one action says nothing of the person's
        return Thought(view, (action,), (1.0,), 0, found.note, found.history)
    if action in found.actions:
        chosen, note = found.actions.index(action), ""
    else:
        chosen, note = None, f"you {_words(view, (action,))[0]}, which is not among its sizes"
    return Thought(view, found.actions, found.probabilities, chosen, note, found.history)


def prepare(agent: Agent) -> None:
    """Have a compiled agent decide once, so that everything is compiled."""
    if isinstance(agent, TableAgent):
        agent.act(View(HoldemRules(), 0, (), (), 0, hole=(0, 1)))


def _words(view: View, actions: tuple[int, ...]) -> tuple[str, ...]:
    base = street_base(view.rules, view.actions)
    return tuple(action_words(action, view.state, base) for action in actions)
