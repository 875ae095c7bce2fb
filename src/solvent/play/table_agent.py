"""Compiled agents, which play from a run's tables or by a rule, as anybody may ask them.

They answer by the agent contract: with an action, and with the strategy for all 1,326 hole cards at once. A match
between compiled agents does not come here: `table_kernels.play_pairs` plays it whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.translation import NONE as NO_EDGE
from solvent.abstraction.cards.lookup import Lookup, read_only
from solvent.abstraction.cards.win_rates import rate_layout, win_rates
from solvent.cards.hands import HANDS
from solvent.cards.showdown import pairs
from solvent.forms.betting.kernels import (
    BETTING_EDGE,
    BETTING_NODE,
    PLAYER,
    SHOWDOWN,
    STREET,
    begin,
    new_position,
    options,
    take,
)
from solvent.forms.betting.tree import BettingTree
from solvent.forms.sampled import MOST_ACTIONS, table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.games.betting.rules import CALL, FOLD, HoldemRules, legal, play
from solvent.play.contract import Board, EasyHand, Event, Hole, Mixture, View
from solvent.play.styles import STYLES
from solvent.play.table import BOARD
from solvent.play.table_kernels import (
    ACTED,
    ANYTHING,
    BUCKET,
    BUCKET_STREET,
    CALLS,
    CLUSTER,
    FOLDS,
    LOST,
    MOST_MODELS,
    NODE,
    OWES,
    TABLE,
    Playing,
    decide,
    draw_of,
    find_bucket,
    first_share,
    go_to,
    observe,
    real_action,
    respond,
    start_walk,
    strategy,
    workspace,
)
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import NONE, PostProcessing

RULES = {"always-fold": FOLDS, "always-call": CALLS, "random": ANYTHING}
"""Agents that need no run."""
BY_SEED = -1.0
"""A draw that a hand's seed decides."""


@dataclass(frozen=True)
class Decision:
    """The strategy of an agent in a situation, and the action that was drawn."""

    actions: tuple[int, ...]
    """The real actions of the abstract ones, each once, in the order of the tree; where there was no strategy, the
    action alone."""
    probabilities: tuple[float, ...]
    chosen: int
    """The place of the action that was drawn."""
    history: str
    """The abstract hand so far, as the ACPC writes it."""
    bucket: tuple[int, int] | None
    """The public cluster and bucket of the hand, where they were looked at."""
    note: str = ""
    """Why there was no strategy."""


class TableAgent:
    """A compiled agent, from tables or by a rule. It is asked by one thread at a time."""

    def __init__(self, name: str, playing: Playing, tree: BettingTree | None = None) -> None:
        self.name, self.playing, self.tree = name, playing, tree
        self._room = workspace()

    @property
    def rules(self) -> HoldemRules | None:
        """The stacks and blinds it was trained with."""
        return None if self.tree is None else self.tree.abstraction.rules

    def start(self, rules: HoldemRules, seat: int, seed: int) -> TableHand:
        """Begin a hand."""
        return TableHand(self, rules, seat, seed)

    def act(self, view: View) -> int:
        """Choose the action, in view of the hand so far."""
        return self._respond(view)[1]

    def decision(self, view: View) -> Decision:
        """Choose the action, with the probabilities of all."""
        edge, action, state = self._respond(view)
        walk = self._room.walk
        if edge < 0:
            return Decision((action,), (1.0,), 0, "", None, self._note())
        assert self.tree is not None
        node = int(walk[NODE])
        start = int(self.playing.nodes["first_edge"][node])
        edges = range(start, start + len(self.tree.actions(node)))
        real = [int(real_action(self.playing, node, one, state)) for one in edges]
        likely = dict.fromkeys(real, 0.0)
        for one, share in zip(real, self._room.probabilities[: len(real)].tolist(), strict=True):
            likely[one] += share
        return Decision(
            tuple(likely),
            tuple(likely.values()),
            list(likely).index(action),
            self.tree.history(node),
            (max(int(walk[CLUSTER]), 0), int(walk[BUCKET])),
        )

    def _note(self) -> str:
        walk = self._room.walk
        if self.playing.kind != TABLE:
            return "plays by a rule"
        if walk[OWES]:
            return "the last bet was small enough to be taken for a call"
        assert walk[LOST]
        return "this is off the tree: win rate against pot odds"

    def _respond(self, view: View) -> tuple[int, int, NDArray[np.int64]]:
        """The edge that is drawn, or -1, the real action, and the position."""
        deck = np.zeros(52, dtype=np.int64)
        deck[2 * view.seat : 2 * view.seat + 2] = view.hole
        deck[4 : 4 + len(view.board)] = view.board
        actions, state = np.array(view.actions, dtype=np.int64), new_position(view.rules)
        edge, action = respond(
            np.uint64(view.seed), view.seat, deck, state, actions, self.playing, self._room
        )
        return int(edge), int(action), state


def rule_agent(name: str) -> TableAgent:
    """`always-fold` (checks where it can), `always-call` or `random`."""
    return TableAgent(name, _playing(RULES[name]))


def table_agent(
    name: str,
    models: Sequence[Blueprint],
    style: str = "own",
    post: PostProcessing = NONE,
    by_reach: bool = False,
) -> TableAgent:
    """An agent from the tables of one run, or of several with one betting tree and one card abstraction."""
    if not 1 <= len(models) <= MOST_MODELS:
        raise InputError(f"an ensemble has 1 to {MOST_MODELS} runs, not {len(models)}")
    first = models[0]
    for other in models[1:]:
        if other.cards.fingerprint != first.cards.fingerprint:
            raise InputError(f"the runs of {name} have different card abstractions; an ensemble shares one")
        if other.tree.abstraction != first.tree.abstraction:
            raise InputError(f"the runs of {name} have different betting; an ensemble shares one")
    if style not in STYLES:
        raise InputError(f"there is no style {style!r}; there are {', '.join(STYLES[1:])}")
    empty = np.zeros(0, dtype=np.float32)
    tables = [model.table for model in models] + [empty] * (MOST_MODELS - len(models))
    playing = _playing(TABLE)._replace(
        style=STYLES.index(style),
        models=len(models),
        by_reach=by_reach and len(models) > 1,
        stack=first.tree.abstraction.rules.effective_stack,
        big_blind=first.tree.abstraction.rules.blinds[1],
        post=post.numbers,
        nodes=read_only(first.tree.nodes),
        edges=read_only(first.tree.edges),
        layout=first.layout,
        rate_layout=rate_layout(first.cards),
        rates=read_only(win_rates(first.cards)),
        lookup=first.cards.lookup,
        tables=tuple(map(read_only, tables)),
    )
    return TableAgent(name, playing, first.tree)


def _playing(kind: int) -> Playing:
    """An agent without tables: one node, at which everything is over."""
    nodes = np.zeros(1, dtype=BETTING_NODE)
    nodes["kind"] = SHOWDOWN
    nowhere = table_layout([0] * 4, [(1, 0)] * 4)
    none = np.zeros(0, dtype=np.float32)
    index, codes = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.uint16)
    card_tables: tuple[NDArray[Any], ...] = (
        *(index,) * 5,
        codes.astype(np.int16),
        *(codes,) * 3,
        codes.reshape(1, 1),
        np.zeros(4, np.int64),
    )
    return Playing(
        kind=kind,
        style=0,
        models=0,
        by_reach=False,
        stack=0,
        big_blind=1,
        post=NONE.numbers,
        nodes=read_only(nodes),
        edges=read_only(np.zeros(1, dtype=BETTING_EDGE)),
        layout=nowhere,
        rate_layout=nowhere,
        rates=read_only(np.zeros(1, dtype=np.float32)),
        lookup=Lookup(*map(read_only, card_tables)),
        tables=(read_only(none),) * MOST_MODELS,
    )


# Hands


class TableHand(EasyHand):
    """One hand of a compiled agent."""

    agent: TableAgent
    seeds: tuple[int, ...] = ()
    """The seed of the draw by which each action was taken for an abstract one."""
    draws: tuple[float, ...] = ()
    """The draw itself where it was given; below 0 where the seed decides."""

    def observe(self, event: Event) -> None:
        """Take note of an action of either player, or of cards."""
        self._observe(event, BY_SEED)

    def _observe(self, event: Event, draw: float) -> None:
        super().observe(event)
        if not isinstance(event, Hole | Board):
            self.seeds, self.draws = (*self.seeds, self.seed), (*self.draws, draw)

    def outcomes(self, action: int) -> list[tuple[float, TableHand]]:
        """The hands that follow an action of the other, and how likely each is.

        Between two sizes of the tree a coin decides which of them a bet is taken for.
        """
        share = reading_share(*self._place(), action)
        found = []
        for chance, draw in ((share, 0.0), (1.0 - share, share)):
            if chance > 0:
                hand = self.fork(self.seed)
                hand._observe(action, draw)
                found.append((chance, hand))
        return found

    def probabilities(self) -> Mixture:
        """Return the strategy of all hands where the agent is to act. Abstract actions of one real one merge."""
        if self.agent.playing.kind != TABLE:
            return rule_mixture(self.agent.playing.kind, self.rules, self.actions)
        found, actions = np.zeros((HANDS, MOST_ACTIONS)), np.zeros(MOST_ACTIONS, dtype=np.int64)
        count = hand_strategies(*self._place(), found, actions)
        return merged(actions[:count].tolist(), found[:, :count])

    def _place(self) -> tuple[Any, ...]:
        """The arguments with which kernels replay the hand up to here."""
        playing, deck = self.agent.playing, np.zeros(52, dtype=np.int64)
        deck[BOARD : BOARD + len(self.board)] = self.board
        line = Line(
            np.array(self.actions, dtype=np.int64),
            np.array(self.seeds, dtype=np.uint64),
            np.array(self.draws, dtype=np.float64),
        )
        reach = np.ones((HANDS if playing.by_reach else 1, MOST_MODELS))
        return playing, workspace(), self.seat, deck, new_position(self.rules), line, pairs(), reach


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
    """Return the strategy of an agent without tables, the same for every hand: see `table_kernels.by_rule`."""
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


class Line(NamedTuple):
    """The actions of a hand, and what decided how an agent took each of them."""

    actions: NDArray[np.int64]
    seeds: NDArray[np.uint64]
    draws: NDArray[np.float64]
    """Below 0 where the seed decides."""


@internal
def replay(agent, room, seat, deck, state, line, hands, reach):  # type: ignore[no-untyped-def]
    """Follow a line from the start of the hand. reach: float64[1326, models], ones, where models weigh by it."""
    begin(state)
    start_walk(agent, room)
    for number in range(len(line.actions)):
        action, draw = line.actions[number], line.draws[number]
        if state[PLAYER] == seat:
            follow_own(agent, room, seat, deck, state, action, hands, reach)
        else:
            by_seed = draw_of(line.seeds[number], 2 * number + 1)
            observe(agent, room, state, action, False, by_seed if draw < 0 else draw)
        take(state, action)


@kernel
def reading_share(agent, room, seat, deck, state, line, hands, reach, action):  # type: ignore[no-untyped-def]
    """Probability that the other's action after a line is taken for the lower of its two readings."""
    replay(agent, room, seat, deck, state, line, hands, reach)
    return first_share(agent, room, state, action)


@kernel
def hand_strategies(agent, room, seat, deck, state, line, hands, reach, found, real):  # type: ignore[no-untyped-def]
    """Find the strategy of every hand after a line; returns the number of its columns.

    found: float64[1326, actions], zeros, is filled with probabilities, and `real` with the actions of its columns.
    """
    replay(agent, room, seat, deck, state, line, hands, reach)
    walk = room.walk
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
    """Move past the agent's own action, by the first edge that becomes it."""
    walk = room.walk
    edge = np.int64(NO_EDGE)
    if not (walk[LOST] or walk[OWES]):
        first = agent.nodes[walk[NODE]].first_edge
        for place in range(agent.nodes[walk[NODE]].actions - 1, -1, -1):
            if real_action(agent, walk[NODE], first + place, state) == action:
                edge = np.int64(first + place)
    if edge == NO_EDGE:
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
