"""Local best response to any agent that says its probabilities: asked for its strategy at every decision.

This plays the hands of `kernels` with the agent contract (`solvent.play.contract`) in place of compiled tables: the
same cards, the same draws, so that a compiled agent gives the same numbers both ways.

A bet off the agent's tree is taken for another by chance, and nobody but the agent knows which. So a bet is valued
over `FORKS` copies of the agent's hand, each with a seed of its own; and from its first bet on the response knows
the agent by such copies alone, each with a range of its own by Bayes' rule, as samples of what the agent may have
taken the bets for. The hand itself is played and paid with the agent's own draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.cards.hands import HANDS
from solvent.cards.showdown import pairs
from solvent.evaluate.local_response.kernels import LEAST_REST, Choices
from solvent.evaluate.local_response.ranges import (
    BOARD,
    LENGTH,
    LIVE,
    ResponseMemory,
    begin_hand,
    deal_board,
    find_equities,
    response_memory,
)
from solvent.forms.betting.kernels import begin, raise_totals, take
from solvent.foundation.kernels.compiling import kernel
from solvent.foundation.kernels.randomness import random_unit, stream
from solvent.games.betting.rules import (
    BOARD_CARDS,
    CALL,
    FOLD,
    NOBODY,
    HoldemRules,
    HoldemState,
    act,
    legal,
    start,
)
from solvent.play.asked import measurable_hand
from solvent.play.contract import Agent, Board, EasyAgent, MeasurableHand, Mixture

FORKS = 4
"""Copies of the agent's hand by which the response knows it."""
TRIAL_STREAM = 1 << 20
"""First of a hand's streams that seed copies."""


class AskedResponse:
    """Local best response to one agent."""

    def __init__(self, agent: Agent | EasyAgent, rules: HoldemRules, choices: Choices, seed: int) -> None:
        measurable_hand(agent, rules, 0, 0)  # refuses an agent without probabilities
        self.agent, self.rules, self.choices, self.seed = agent, rules, choices, seed

    def memory(self) -> ResponseMemory:
        """Memory for one thread."""
        return response_memory(HANDS, self.rules, self.choices.sizes)

    def play(self, first: int, last: int, memory: ResponseMemory, results: NDArray[np.float64]) -> None:
        """Play hands `first` to `last`, seats in turn. results: float64[hands], chips won in each."""
        for number in range(first, last):
            results[number] = _Hand(self, number, memory).play()


@dataclass
class Copy:
    """A copy of the agent's hand, and the range that it would have."""

    hand: MeasurableHand
    weight: NDArray[np.float64]
    """float64[1326]; those of all copies together sum to 1."""


class _Hand:
    """One hand. The response sits at `me`, the agent at `you`."""

    def __init__(self, response: AskedResponse, number: int, memory: ResponseMemory) -> None:
        self.response, self.number, self.memory = response, number, memory
        self.choices, self.me, self.you = response.choices, number & 1, 1 - (number & 1)
        seed = int(stream(response.seed, number, 1))
        self.hand = measurable_hand(response.agent, response.rules, self.you, seed)
        self.trials = 0
        self.copies: list[Copy] | None = None
        """The response's knowledge of the agent after its first bet; empty where all copies have been disproved."""
        self.won, self.rest = 0.0, 1.0

    def play(self) -> float:
        """Play the hand; returns the chips that the response wins on average over the agent's range."""
        memory = self.memory
        begin_response(self.response.seed, self.number, self.me, pairs(), memory)
        begin(memory.state)
        state, street, known, actions = start(self.response.rules), 0, False, list[int]()
        while not state.over:
            if state.street > street:
                street, known = state.street, False
                self._deal(street)
            if state.player == self.me:
                action = CALL
                if self.choices.decides[street]:
                    if not known:
                        self._find_equities(street)
                        known = True
                    action = self._choose(state)
                random_unit(memory.random)  # where the compiled agent draws what a bet is taken for
                if action > CALL and self.copies is None:
                    self.copies = [Copy(self._fork(self.hand), memory.weight / FORKS) for _ in range(FORKS)]
            else:
                action = self._agent_acts(state)
            for hand in (self.hand, *(copy.hand for copy in self.copies or ())):
                hand.observe(action)
            state = act(state, action)
            take(memory.state, action)
            actions.append(action)
        memory.history[: len(actions)] = actions
        memory.counts[LENGTH] = len(actions)
        if state.folded != NOBODY:
            return self.won + self.rest * state.at_stake * (1.0 if state.folded == self.you else -1.0)
        self._find_equities(state.street)
        return self.won + self.rest * float(memory.weight @ self._equity()) * state.at_stake

    def _deal(self, street: int) -> None:
        before, after = BOARD_CARDS[street - 1], BOARD_CARDS[street]
        next_board(after - before, before, self.me, pairs(), self.memory)
        board = tuple(self.memory.deck[BOARD + before : BOARD + after].tolist())
        self.hand.observe(Board(board))
        shared = np.isin(pairs().low, board) | np.isin(pairs().high, board)
        for copy in self.copies or ():
            copy.hand.observe(Board(board))
            copy.weight[shared] = 0.0
        self._weigh_copies()

    def _find_equities(self, street: int) -> None:
        equities(self.me, street, self.choices.run_outs, evaluator(), pairs(), self.memory)

    def _equity(self) -> NDArray[np.float64]:
        """float64[1326]: equities of the hands with a weight, true or believed, 0 elsewhere."""
        live = (self.memory.weight > 0) | (self.memory.joint > 0)
        return np.where(live, self.memory.equity, 0.0)

    def _weigh_copies(self) -> None:
        """Scale the copies' ranges to sum to 1 together, and list the hands that anybody may have."""
        memory = self.memory
        if self.copies is not None:
            self.copies = [copy for copy in self.copies if copy.weight.any()]
            total = sum(float(copy.weight.sum()) for copy in self.copies)
            memory.joint[:] = 0.0
            for copy in self.copies:
                copy.weight /= total
                memory.joint[:] += copy.weight
        live = np.flatnonzero((memory.weight > 0) | (memory.joint > 0))
        memory.live[: len(live)], memory.counts[LIVE] = live, len(live)

    def _choose(self, state: HoldemState) -> int:
        """Choose what would be best if both players only checked and called afterwards.

        Where the agent has done what no copy of it would do, the response checks and calls.
        """
        memory, allowed = self.memory, legal(state)
        if self.copies == []:
            return CALL
        yours, stack = state.paid[self.you], state.rules.stacks[self.me]
        weight = memory.weight if self.copies is None else memory.joint
        best, value = CALL, float(weight @ self._equity()) * min(yours, stack)
        if allowed.fold and -state.paid[self.me] > value:
            best, value = FOLD, -float(state.paid[self.me])
        if allowed.min_raise:
            count = raise_totals(self.choices.sizes, memory.state, memory.totals)
            for total in memory.totals[:count].tolist():
                found = self._bet_value(total, act(state, total))
                if found > value:
                    best, value = total, found
        return best

    def _bet_value(self, total: int, state: HoldemState) -> float:
        """Value a bet in chips if the agent folds, or both check and call to the end."""
        equity, value = self._equity(), 0.0
        stake = min(total, state.rules.stacks[self.you])
        for weight, answer in self._answers(total):
            folds = _column(answer, FOLD)
            value += (
                float(weight @ folds) * state.paid[self.you] + float(weight @ (equity * (1 - folds))) * stake
            )
        return value

    def _answers(self, total: int) -> list[tuple[NDArray[np.float64], Mixture]]:
        """Ask each range, which sum to 1 together, for its answer to a bet."""
        if self.copies is not None:
            return [(copy.weight, self._answer(copy.hand, total)) for copy in self.copies]
        answers: list[Mixture] = []
        while len(answers) < FORKS:
            answers.append(self._answer(self.hand, total))
            if len(answers) == 2 and _equal(*answers):
                break
        return [(self.memory.weight / len(answers), answer) for answer in answers]

    def _answer(self, hand: MeasurableHand, total: int) -> Mixture:
        trial = self._fork(hand)
        trial.observe(total)
        return trial.probabilities()

    def _fork(self, hand: MeasurableHand) -> MeasurableHand:
        """Copy a hand with a seed of its own."""
        self.trials += 1
        return hand.fork(int(stream(self.response.seed, self.number, TRIAL_STREAM + self.trials)))

    def _agent_acts(self, state: HoldemState) -> int:
        """Draw what the agent does from the mixture over its range, which learns of it; folds are counted."""
        memory, mixture = self.memory, self.hand.probabilities()
        number = float(random_unit(memory.random))
        likely = memory.weight @ mixture.probabilities
        if FOLD in mixture.actions:
            folded = float(likely[mixture.actions.index(FOLD)])
            self.won += self.rest * folded * state.paid[self.you]
            self.rest *= 1 - folded
            if self.rest < LEAST_REST:
                goes_on = float(random_unit(memory.random)) * LEAST_REST < self.rest
                self.rest = LEAST_REST if goes_on else 0.0
            if self.rest == 0:
                return FOLD
            number *= 1 - folded
        chosen = -1
        for column, action in enumerate(mixture.actions):
            if action != FOLD and likely[column] > 0:
                chosen = column
                number -= likely[column]
                if number < 0:
                    break
        memory.weight[:] *= mixture.probabilities[:, chosen]
        memory.weight[:] /= memory.weight.sum()
        for copy in self.copies or ():
            copy.weight *= _column(copy.hand.probabilities(), mixture.actions[chosen])
        self._weigh_copies()
        return mixture.actions[chosen]


def _column(mixture: Mixture, action: int) -> NDArray[np.float64]:
    """float64[1326]: how likely each hand takes an action."""
    if action not in mixture.actions:
        return np.zeros(HANDS)
    return mixture.probabilities[:, mixture.actions.index(action)]


def _equal(first: Mixture, second: Mixture) -> bool:
    return first.actions == second.actions and np.array_equal(first.probabilities, second.probabilities)


@kernel
def begin_response(seed, number, me, hands, memory):  # type: ignore[no-untyped-def]
    """`begin_hand` for a caller in Python."""
    begin_hand(seed, number, me, hands, memory)


@kernel
def next_board(count, start, me, hands, memory):  # type: ignore[no-untyped-def]
    """`deal_board` for a caller in Python, around a hand drawn from the range."""
    deal_board(count, start, me, np.int64(-1), hands, memory)


@kernel
def equities(me, street, run_outs, evaluator, hands, memory):  # type: ignore[no-untyped-def]
    """`find_equities` for a caller in Python."""
    find_equities(me, street, run_outs, evaluator, hands, memory)
