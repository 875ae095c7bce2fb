"""A hand of a compiled agent by the agent contract, and its strategy for all 1,326 hole cards at once.

A match between compiled agents does not come here: `table_kernels.play_pairs` plays it whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.translation import NONE
from solvent.cards.deck import Card
from solvent.cards.hands import HANDS
from solvent.cards.showdown import pairs
from solvent.forms.betting.kernels import PLAYER, STREET, begin, new_position, options, take
from solvent.forms.sampled import MOST_ACTIONS
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.games.betting.rules import CALL, FOLD, HoldemRules, legal, play
from solvent.play.contract import Board, Event, Hole, Mixture, View
from solvent.play.table_kernels import (
    ACTED,
    ANYTHING,
    BUCKET_STREET,
    FOLDS,
    LOST,
    MOST_MODELS,
    NODE,
    OWES,
    TABLE,
    decide,
    draw_of,
    find_bucket,
    go_to,
    observe,
    real_action,
    room,
    start_walk,
    strategy,
)

if TYPE_CHECKING:
    from solvent.play.table_agent import TableAgent

BOARD = 4
"""Where the board lies in a deal: behind both hands."""


class TableHand:
    """One hand of a compiled agent."""

    def __init__(self, agent: TableAgent, rules: HoldemRules, seat: int, seed: int) -> None:
        self.agent, self.rules, self.seat, self.seed = agent, rules, seat, seed
        self.hole: tuple[Card, Card] | None = None
        self.board: tuple[Card, ...] = ()
        self.actions: tuple[int, ...] = ()
        self.seeds: tuple[int, ...] = ()
        """What decides how each action was taken for an abstract one."""

    def observe(self, event: Event) -> None:
        """Take note of an action of either player, or of cards."""
        if isinstance(event, Hole):
            self.hole = event.cards
        elif isinstance(event, Board):
            self.board += event.cards
        else:
            self.actions += (event,)
            self.seeds += (self.seed,)

    def act(self) -> int:
        """What the agent does."""
        if self.hole is None:
            raise ValueError("a hand is told its hole cards before it is asked to act")
        view = View(self.rules, self.seat, self.board, self.actions, self.seed, hole=self.hole)
        return self.agent.act(view)

    def fork(self, seed: int) -> TableHand:
        """A copy that draws from `seed` from here on."""
        made = TableHand(self.agent, self.rules, self.seat, seed)
        made.hole, made.board = self.hole, self.board
        made.actions, made.seeds = self.actions, self.seeds
        return made

    def probabilities(self) -> Mixture:
        """The strategy of all hands where the agent is to act. Abstract actions that become one real one merge."""
        if self.agent.playing.kind != TABLE:
            return rule_mixture(self.agent.playing.kind, self.rules, self.actions)
        deck, found = np.zeros(52, dtype=np.int64), np.zeros((HANDS, MOST_ACTIONS))
        deck[BOARD : BOARD + len(self.board)] = self.board
        actions = np.zeros(MOST_ACTIONS, dtype=np.int64)
        count = hand_strategies(
            self.agent.playing,
            room(),
            self.seat,
            deck,
            new_position(self.rules),
            np.array(self.actions, dtype=np.int64),
            np.array(self.seeds, dtype=np.uint64),
            pairs(),
            np.ones((HANDS if self.agent.playing.by_reach else 1, MOST_MODELS)),
            found,
            actions,
        )
        return merged(actions[:count].tolist(), found[:, :count])


def merged(actions: list[int], probabilities: NDArray[np.float64]) -> Mixture:
    """Add up the columns of equal actions. probabilities: float64[hands, actions].

    >>> merged([0, 300, 300], np.array([[0.5, 0.25, 0.25]]))
    Mixture(actions=(0, 300), probabilities=array([[0.5, 0.5]]))
    """
    kept = list(dict.fromkeys(actions))
    made = np.zeros((len(probabilities), len(kept)))
    for column, action in enumerate(actions):
        made[:, kept.index(action)] += probabilities[:, column]
    return Mixture(tuple(kept), made)


def rule_mixture(kind: int, rules: HoldemRules, actions: tuple[int, ...]) -> Mixture:
    """What an agent without tables does, whatever its hand: see `table_kernels.by_rule`."""
    allowed = legal(play(rules, actions))
    found = {CALL: 1.0}
    if kind == FOLDS and allowed.fold:
        found = {FOLD: 1.0}
    elif kind == ANYTHING:
        found = {FOLD: 1.0, CALL: 1.0} if allowed.fold else {CALL: 1.0}
        ways = len(found) + bool(allowed.min_raise)
        found = dict.fromkeys(found, 1.0 / ways)
        if allowed.min_raise:
            totals = np.arange(allowed.min_raise, allowed.max_raise + 1)
            shares = np.log1p(1 / totals) / np.log((allowed.max_raise + 1) / allowed.min_raise)
            found |= dict(zip(totals.tolist(), (shares / ways).tolist(), strict=True))
    row = np.array(list(found.values()))
    return Mixture(tuple(found), np.broadcast_to(row, (HANDS, len(row))))


@kernel
def hand_strategies(agent, room, seat, deck, state, actions, seeds, hands, reach, found, real):  # type: ignore[no-untyped-def]
    """The strategy of every hand after some actions; how many columns it has.

    found: float64[1326, actions], zeros, is filled with probabilities, and `real` with the actions of its columns.
    seeds: uint64[actions]. reach: float64[1326, models], ones, where models weigh by it.
    """
    begin(state)
    start_walk(agent, room)
    walk = room.walk
    for number in range(len(actions)):
        action = actions[number]
        if state[PLAYER] == seat:
            follow_own(agent, room, seat, deck, state, action, hands, reach)
        else:
            observe(agent, room, state, action, False, draw_of(seeds[number], 2 * number + 1))
        take(state, action)
    folds = options(state)[0]
    lost = walk[LOST] or walk[OWES]
    count = np.int64(2) if lost else np.int64(agent.nodes[walk[NODE]].actions)
    for hand in range(HANDS):
        if not turn_to_hand(agent, room, seat, deck, state[STREET], hand, hands, reach):
            continue
        if lost:
            _, action = decide(agent, room, deck, state, 0.0)
            found[hand, 0] = 1.0 if action == FOLD else 0.0
            found[hand, 1] = 1.0 - found[hand, 0]
            continue
        strategy(agent, room, state[STREET], folds)
        for column in range(count):
            found[hand, column] = room.probabilities[column]
    real[0], real[1] = FOLD, CALL
    if not lost:
        first = agent.nodes[walk[NODE]].first_edge
        for column in range(count):
            real[column] = real_action(agent, walk[NODE], first + column, state)
    return count


@internal
def turn_to_hand(agent, room, seat, deck, street, hand, hands, reach):  # type: ignore[no-untyped-def]
    """Give the agent a hand; False where the hand shares a card with the board."""
    for place in range(BOARD, BOARD + (0 if street == 0 else street + 2)):
        if deck[place] == hands.low[hand] or deck[place] == hands.high[hand]:
            return False
    deck[2 * seat], deck[2 * seat + 1] = hands.low[hand], hands.high[hand]
    room.walk[BUCKET_STREET] = -1
    find_bucket(agent, room.walk, deck, seat, street)
    if agent.by_reach:
        for model in range(agent.models):
            room.reach[model] = reach[hand, model]
    return True


@internal
def follow_own(agent, room, seat, deck, state, action, hands, reach):  # type: ignore[no-untyped-def]
    """Go on behind the agent's own action, by the first edge that becomes it."""
    walk = room.walk
    edge = np.int64(NONE)
    if not (walk[LOST] or walk[OWES]):
        first = agent.nodes[walk[NODE]].first_edge
        for place in range(agent.nodes[walk[NODE]].actions - 1, -1, -1):
            if real_action(agent, walk[NODE], first + place, state) == action:
                edge = np.int64(first + place)
    if edge == NONE:
        if walk[OWES] and action == CALL:
            walk[OWES] = 0
            walk[ACTED] += 1
        else:
            observe(agent, room, state, action, True, 0.5)
        return
    if agent.by_reach:
        for hand in range(HANDS):
            if not turn_to_hand(agent, room, seat, deck, state[STREET], hand, hands, reach):
                continue
            strategy(agent, room, state[STREET], options(state)[0])
            for model in range(agent.models):
                reach[hand, model] *= room.played[model, edge - agent.nodes[walk[NODE]].first_edge]
    walk[ACTED] += 1
    go_to(agent, walk, edge)
