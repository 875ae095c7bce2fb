"""An agent whose decisions are kept: a person can look at what it might have done, also in the person's place."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text

from solvent.app.playing.answers import action_words, street_base
from solvent.app.views.charts.playing_cards import cards_text
from solvent.cards.hands import hand_number
from solvent.games.betting.rules import STREETS, HoldemRules
from solvent.play.contract import Agent, AgentHand, Board, Event, Hole, MeasurableHand, View
from solvent.play.table_agent import TableAgent

SILENT = "it does not say its probabilities"


@dataclass(frozen=True)
class Thought:
    """A decision, the agent's own or one of the person's as the agent would have made it, in words."""

    place: Text
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]
    chosen: int | None
    """Which of the actions was played; None where it was another."""
    note: str = ""
    """Why there are no probabilities."""


class WatchedAgent:
    """Any agent, with the decisions of its hand."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name = agent, agent.name
        self.thoughts: list[Thought] = []

    def start(self, rules: HoldemRules, seat: int, seed: int) -> WatchedHand:
        """Begin a hand."""
        return WatchedHand(self, rules, seat, seed)


class WatchedHand:
    """A hand of an agent that is watched."""

    def __init__(self, watched: WatchedAgent, rules: HoldemRules, seat: int, seed: int) -> None:
        self.watched, self.hand = watched, watched.agent.start(rules, seat, seed)
        self.view = View(rules, seat, (), (), seed, hole=(-1, -1))

    def observe(self, event: Event) -> None:
        """Take note of an action of either player, or of cards."""
        view, hole, board, actions = self.view, self.view.hole, self.view.board, self.view.actions
        if isinstance(event, Hole):
            hole = event.cards
        elif isinstance(event, Board):
            board += event.cards
        else:
            actions += (event,)
        self.view = View(view.rules, view.seat, board, actions, view.seed, hole=hole)
        self.hand.observe(event)

    def act(self) -> int:
        """Decide, and keep the decision."""
        found, seen = _compiled_decision(self.watched.agent, self.view), ""
        if found is None:
            actions, probabilities, chosen, note = _own_decision(self.hand, self.view)
        else:
            actions, probabilities, chosen, note, seen = found
        words = _words(self.view, actions)
        place = _place(self.view, seen)
        self.watched.thoughts.append(Thought(place, words, probabilities, chosen, note))
        return actions[chosen]


def in_your_place(agent: Agent, view: View, action: int) -> Thought:
    """The agent's own play where a person took an action, with the person's cards.

    Agents without tables are not asked: they keep a hand of their own, which is not the person's.
    """
    found = _compiled_decision(agent, view)
    if found is None:
        return Thought(_place(view, ""), _words(view, (action,)), (1.0,), 0, SILENT)
    actions, probabilities, _, note, seen = found
    if note:  # there is no strategy, so its one action says nothing of the person's
        return Thought(_place(view, seen), _words(view, (action,)), (1.0,), 0, note)
    if action in actions:
        return Thought(_place(view, seen), _words(view, actions), probabilities, actions.index(action))
    (yours,) = _words(view, (action,))
    note = f"you {yours}, which is not among its sizes"
    return Thought(_place(view, seen), _words(view, actions), probabilities, None, note)


def _words(view: View, actions: tuple[int, ...]) -> tuple[str, ...]:
    base = street_base(view.rules, view.actions)
    return tuple(action_words(action, view.state, base) for action in actions)


def _place(view: View, seen: str) -> Text:
    """Where a decision is made; `seen`: the hand so far as the agent takes it."""
    place = Text(STREETS[view.state.street].capitalize() + " ").append_text(cards_text(view.board))
    place.rstrip()
    place.append(", with ").append_text(cards_text(view.hole))
    place.append(f", after what it takes for {seen}" if seen else "")
    return place


def _compiled_decision(
    agent: Agent, view: View
) -> tuple[tuple[int, ...], tuple[float, ...], int, str, str] | None:
    if not isinstance(agent, TableAgent):
        return None
    found = agent.decision(view)
    return found.actions, found.probabilities, found.chosen, found.note, found.history


def _own_decision(hand: AgentHand, view: View) -> tuple[tuple[int, ...], tuple[float, ...], int, str]:
    """The action of an own agent, with its probabilities if it says them."""
    action = hand.act()
    if not view.legal.allows(action) or not isinstance(hand, MeasurableHand):
        return (action,), (1.0,), 0, SILENT
    mixture = hand.probabilities()
    row = mixture.probabilities[hand_number(*view.hole)]
    shares = dict(zip(mixture.actions, map(float, row), strict=True))
    shares.setdefault(action, 0.0)
    likely = {one: share for one, share in shares.items() if share > 0 or one == action}
    return tuple(likely), tuple(likely.values()), list(likely).index(action), ""
