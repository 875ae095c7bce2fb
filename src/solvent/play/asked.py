"""Expected matches between any two agents that say their probabilities, by asking them at every decision.

This does in Python, with whatever agents, what `solvent.play.expected` does compiled for agents of one betting
tree: the cards are dealt, and then every action of the real game is followed that either agent may take, weighted
by how likely it is. Of agents of one tree both give the same numbers. Answers of agents are checked once a call,
because a wrong one would give a wrong figure.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solvent.cards.deck import Card
from solvent.cards.evaluator import evaluator
from solvent.cards.hands import HANDS, hand_number, hole_cards
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compilations import working_seconds
from solvent.foundation.kernels.randomness import random_unit
from solvent.foundation.progress import Held, Progress, Stop, Watch
from solvent.games.betting.rules import NOBODY, HoldemRules, act
from solvent.play.contract import Agent, Board, EasyAgent, Event, MeasurableHand, Mixture, as_agent
from solvent.play.expected import FAINT, PARTS, Deal, can_be_averaged, expected_match, shares
from solvent.play.matches import Match, MatchResult
from solvent.play.statistics import Winnings
from solvent.play.table import DEALT, Table
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import deal_pair

SUM_TOLERANCE = 1e-4
"""Tolerance of the sum of a hand's probabilities, which agents may compute in float32."""


class CheckedHand:
    """A measurable hand whose answers are checked. It knows the board, on which some hands are not read."""

    def __init__(self, hand: MeasurableHand, name: str, board: tuple[Card, ...] = ()) -> None:
        self.hand, self.name, self.board = hand, name, board

    def observe(self, event: Event) -> None:
        """Take note of an action of either player, or of cards."""
        if isinstance(event, Board):
            self.board += event.cards
        self.hand.observe(event)

    def probabilities(self) -> Mixture:
        """Return the strategy of all hands, checked."""
        return checked(self.hand.probabilities(), self.name, self.board)

    def fork(self, seed: int) -> CheckedHand:
        """Return a copy that is played on by itself, and draws from `seed` from here on."""
        return CheckedHand(self.hand.fork(seed), self.name, self.board)


def checked(mixture: Mixture, name: str, board: Sequence[Card] = ()) -> Mixture:
    """Return a mixture as numbers; refuse it unless each hand that can be held has probabilities that sum to 1."""
    try:
        actions, given = mixture
        actions, rows = tuple(map(operator.index, actions)), np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} answers probabilities with what is no Mixture of actions and numbers: {error}"
        ) from error
    if not actions or len(set(actions)) < len(actions):
        raise InputError(f"{name} answers probabilities with the actions {actions}; give each legal one once")
    if rows.shape != (HANDS, len(actions)):
        raise InputError(
            f"{name} answers probabilities of shape {rows.shape}; for {len(actions)} actions they are "
            f"float64[{HANDS}, {len(actions)}], a row for each hand of solvent.play.hole_cards()"
        )
    wrong = ~((rows >= 0).all(axis=1) & (np.abs(rows.sum(axis=1) - 1) <= SUM_TOLERANCE))
    if board and wrong.any():
        wrong &= ~np.isin(hole_cards(), board).any(axis=1)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            f"{name} answers row {row} of its probabilities with {rows[row].tolist()}; the probabilities of a hand "
            f"are 0 or more and sum to 1"
        )
    return Mixture(actions, rows)


def measurable_hand(agent: Agent | EasyAgent, rules: HoldemRules, seat: int, seed: int) -> MeasurableHand:
    """Begin a hand that is asked for its strategy and not told its hole cards; refuse an agent without one.

    Whatever the hand answers is checked.
    """
    agent = as_agent(agent)
    hand = agent.start(rules, seat, seed)
    if not isinstance(hand, MeasurableHand):
        raise InputError(f"{agent.name} does not say its probabilities, so its hands must be played")
    return CheckedHand(hand, agent.name)


def is_measurable(agent: Agent | EasyAgent) -> bool:
    """Return whether an agent says its probabilities."""
    return isinstance(as_agent(agent).start(HoldemRules(), 0, 0), MeasurableHand)


def averaged_match(
    a: Agent | EasyAgent,
    b: Agent | EasyAgent,
    rules: HoldemRules,
    pairs: int,
    *,
    seed: int = 0,
    threads: int = 1,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> MatchResult:
    """Play a match over `pairs` of deals, averaged over what the agents may draw wherever that is possible.

    Compiled agents of one betting tree are walked together. Other compiled agents play their hands, which is
    quicker than asking them. Agents that are not compiled are asked if both say their probabilities, and else play.
    """
    if isinstance(a, TableAgent) and isinstance(b, TableAgent):
        if can_be_averaged(a, b) and rules in (a.rules, b.rules):
            return expected_match(a, b, pairs, seed, threads, watch=watch, stop=stop)
    elif is_measurable(a) and is_measurable(b):
        return asked_match(a, b, rules, pairs, seed, watch=watch, stop=stop)
    return Match(a, b, rules, 2 * pairs, seed).run(threads, watch=watch, stop=stop)


def asked_match(
    a: Agent | EasyAgent,
    b: Agent | EasyAgent,
    rules: HoldemRules,
    pairs: int,
    seed: int = 0,
    faint: float = FAINT,
    *,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> MatchResult:
    """Play two agents that say their probabilities, over pairs of deals with seats changed.

    Decisions less likely than `faint` are followed for their share of deals, at full weight. A stop ends
    the match with what was done; Ctrl-C raises `Interrupted` with that as its result.
    """
    if pairs < 2:
        raise InputError(f"an interval takes two pairs of hands at least, not {pairs}")
    deal = Deal(np.zeros(52, np.int64), np.zeros(1, np.uint64), np.zeros(4))
    counted, won, squares = 0, 0, 0
    held = Held(stop)
    with working_seconds() as seconds, held:
        for pair in range(pairs):
            if stop is not None:
                stop.check()
            key = deal_pair(seed, pair, deal.deck, deal.random)
            deal.random[0] = key
            shares(deal, evaluator())
            walks = (_Walk(rules, deal, faint, *agents, int(key)) for agents in ((a, b), (b, a)))
            first, second = (walk.value() for walk in walks)
            parts = round((first - second) * PARTS)
            counted, won, squares = counted + 1, won + parts, squares + parts * parts
            if watch is not None:
                watch(Progress("playing", 2 * counted, 2 * pairs, unit="hands"))
    winnings = Winnings(counted, won, squares, PARTS * rules.blinds[1])
    return held.result(MatchResult((a.name, b.name), winnings, 2 * pairs, seconds()))


@dataclass
class _Walk:
    """One deal, followed through all that two agents may do."""

    rules: HoldemRules
    deal: Deal
    faint: float
    button: Agent | EasyAgent
    other: Agent | EasyAgent
    seed: int

    def value(self) -> float:
        """Return the chips that the button wins on average."""
        cards = self.deal.deck[:DEALT].tolist()
        self.numbers = [hand_number(cards[place], cards[place + 1]) for place in (0, 2)]
        table: Table[MeasurableHand] = Table(self.rules, cards)
        for seat, agent in enumerate((self.button, self.other)):
            table.seat(seat, measurable_hand(agent, self.rules, seat, self.seed), agent.name, told=False)
        return self._value(table, 1.0)

    def _value(self, table: Table[MeasurableHand], reach: float) -> float:
        """Return the chips that the button wins from here, weighted by the chance of coming here."""
        state = table.state
        if state.folded != NOBODY:
            return reach * state.at_stake * (1 if state.folded == 1 else -1)
        if state.over:
            return reach * state.at_stake * float(self.deal.share[state.street])
        mixture = table.seated(state.player).probabilities()
        row = mixture.probabilities[self.numbers[state.player]]
        found = []
        for action, share in zip(mixture.actions, row.tolist(), strict=True):
            likely = reach * share
            if 0 < likely < self.faint and not act(state, action).over:
                likely = self.faint if random_unit(self.deal.random) * self.faint < likely else 0.0
            if likely > 0:
                found.append((action, likely))
        total = 0.0
        for action, likely in found:
            after = table.fork(self.seed)
            after.apply(action)
            total += self._value(after, likely)
        return total
