"""Expected matches between any two agents that say their probabilities, by asking them at every decision.

This does in Python, with whatever agents, what `solvent.play.expected` does compiled for agents of one betting
tree: the cards are dealt, and then every action of the real game is followed that either agent may take, weighted
by how likely it is. Of agents of one tree both give the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solvent.cards.evaluator import evaluator
from solvent.cards.hands import hand_number
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compilations import working_seconds
from solvent.foundation.kernels.randomness import random_unit
from solvent.foundation.progress import Held, Progress, Stop, Watch
from solvent.games.betting.rules import NOBODY, HoldemRules, act
from solvent.play.checked import CheckedHand
from solvent.play.contract import Agent, EasyAgent, MeasurableHand, as_agent
from solvent.play.expected import FAINT, PARTS, Deal, can_be_averaged, expected_match, shares
from solvent.play.matches import Match, MatchResult
from solvent.play.statistics import Winnings
from solvent.play.table import DEALT, Table
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import deal_pair


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
    """Whether an agent says its probabilities."""
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
    """A match over so many pairs of deals, averaged over what the agents may draw wherever that is possible.

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
    """Two agents that say their probabilities, over pairs of deals with seats changed.

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
        """Chips that the button wins on average."""
        cards = self.deal.deck[:DEALT].tolist()
        self.numbers = [hand_number(cards[place], cards[place + 1]) for place in (0, 2)]
        table: Table[MeasurableHand] = Table(self.rules, cards)
        for seat, agent in enumerate((self.button, self.other)):
            table.seat(seat, measurable_hand(agent, self.rules, seat, self.seed), agent.name, told=False)
        return self._value(table, 1.0)

    def _value(self, table: Table[MeasurableHand], reach: float) -> float:
        """Chips that the button wins from here, weighted by how likely it is to come here."""
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
