"""Agents that play from a run's tables, or by a rule: the compiled ones, as anybody may ask them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.lookup import Lookup, read_only
from solvent.abstraction.cards.win_rates import rate_layout, win_rates
from solvent.forms.betting.kernels import BETTING_EDGE, BETTING_NODE, SHOWDOWN, new_position
from solvent.forms.betting.tree import BettingTree
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import HoldemRules
from solvent.play.contract import View
from solvent.play.styles import STYLES
from solvent.play.table_hand import TableHand
from solvent.play.table_kernels import (
    ANYTHING,
    BUCKET,
    CALLS,
    CLUSTER,
    FOLDS,
    LOST,
    MOST_MODELS,
    NODE,
    OWES,
    TABLE,
    Playing,
    real_action,
    respond,
    room,
)
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import NONE, PostProcessing

RULES = {"always-fold": FOLDS, "always-call": CALLS, "random": ANYTHING}
"""Agents that need no run."""


@dataclass(frozen=True)
class Decision:
    """What an agent thought of a situation."""

    actions: tuple[int, ...]
    """The real actions of the abstract ones, each once, in the order of the tree; where there was no strategy, the
    action alone."""
    probabilities: tuple[float, ...]
    chosen: int
    """Which of them was drawn."""
    history: str
    """The abstract hand so far, as the ACPC writes it."""
    bucket: tuple[int, int] | None
    """The public cluster and bucket of the hand, where they were looked at."""
    note: str = ""
    """Why there was no strategy."""


class TableAgent:
    """A compiled agent, from tables or by a rule. It is asked by one thread at a time."""

    def __init__(self, name: str, playing: Playing, tree: BettingTree | None = None) -> None:
        self._name, self.playing, self.tree = name, playing, tree
        self._room = room()

    @property
    def name(self) -> str:
        return self._name

    @property
    def rules(self) -> HoldemRules | None:
        """The stacks and blinds it was trained with."""
        return None if self.tree is None else self.tree.abstraction.rules

    def start(self, rules: HoldemRules, seat: int, seed: int) -> TableHand:
        """Begin a hand."""
        return TableHand(self, rules, seat, seed)

    def act(self, view: View) -> int:
        """What the agent does in view of the hand so far."""
        return self._respond(view)[1]

    def decision(self, view: View) -> Decision:
        """What the agent does, and with what probabilities."""
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
