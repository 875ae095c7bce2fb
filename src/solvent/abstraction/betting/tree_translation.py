"""Nodes of a small betting tree that a player may take a node of a larger tree for, when both are of one spot.

A player who has a strategy for the small tree plays in the large one. The player follows a node of the small tree,
the *seen* node, and plays what the strategy says there:

* **The other's bet**, a share x of the true pot after calling, is taken for a bet of the seen node by the
  randomised pseudo-harmonic mapping (`translation`) on the shares of the seen pot that those are. All-in is one of
  the sizes, and its share of the pot is what is left in the stacks; but a true all-in is always taken for all-in
  where the seen node has that. A bet above the largest size is taken for the largest. Below the smallest size A it
  is taken for a check or call or for A, by the mapping between 0 and A, or else always for A (`SMALL_BETS`).
* **The player's own bet** is the seen bet's share of the pot at the true pot: the bet of the true node whose share
  of the pot is nearest. All-in is played as all-in where the true node has that. Sizes that the stacks cap come to
  all-in. Where nothing can be bet the player checks or calls, and sees that too.
* **Check and call** are one action: what stays in for the least. A bet that has been taken for a check leaves the
  player to check (truly: to call) or to bet (truly: to raise).
* **Ahead.** Where the seen street is over and the true one is not, because a bet was taken for a check or call that
  ends the street, the player calls. Where the seen hand is over because all chips are in, the player checks and
  calls to the end.

`Translation` holds all *views*, pairs of a true node and a node that it may be taken for, as arrays for kernels
(`engines.holdem.translated.kernels`). What a player does at a view depends on the player's own hand only through
the strategy, and the other's bets are taken by shares that depend on no hand, so the weight of a view is a
product.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.betting.translation import translation
from solvent.forms.holdem.tree import DEAL, DECISION, HoldemTree
from solvent.foundation.errors import InputError
from solvent.games.betting.action_words import amount_of, paid_after
from solvent.games.holdem.spot import Spot

CHECK, SMALLEST = "check", "smallest"
SMALL_BETS = (CHECK, SMALLEST)
"""Readings of a bet below the smallest size of the seen node: as a check or call or the smallest size, by the
mapping; or always the smallest size."""
OVER = -1
"""Stands for the seen node where the seen hand is over."""
NONE = -1


Step = tuple[float, int, int, tuple[int, int] | None]
"""Share, seen edge, edge and the (true node, seen node) that follows: see `Views`."""


class Action(NamedTuple):
    """An action of a betting tree in shares of the pot."""

    edge: int
    size: float
    """A bet's or raise's share of the pot after calling; 0 for the others."""
    all_in: bool


class Decision(NamedTuple):
    """The actions of a node by what they do; each group may be empty."""

    fold: tuple[Action, ...]
    passive: tuple[Action, ...]
    """The check or the call."""
    bets: tuple[Action, ...]
    """Bets or raises, from the smallest on."""


class Views(NamedTuple):
    """The views of one player, in the order of the true nodes, and what the player does there, as arrays."""

    node: NDArray[np.int64]
    """int64[views]: the true node, a decision or a deal."""
    seen: NDArray[np.int64]
    """int64[views]: the node of the small tree, or `OVER`."""
    source: NDArray[np.int64]
    """int64[views]: at the root of a subtree the view at the deal above, else -1."""
    first_step: NDArray[np.int64]
    """int64[views + 1]: the first step of each view. A step is an action that leads to another view."""
    share: NDArray[np.float64]
    """float64[steps]: how often a bet of the other is taken so; 1 for the player's own actions."""
    seen_edge: NDArray[np.int64]
    """int64[steps]: the small tree's action whose probability is the step's; -1 where there is none."""
    edge: NDArray[np.int64]
    """int64[steps]: the player's action in the large tree, or -1 for steps of the other."""
    target: NDArray[np.int64]
    """int64[steps]: the view that follows, or -1 where the hand is over."""


@dataclass
class _Growing:
    """Views while they are being listed: by true node, the seen nodes with their places."""

    at: dict[int, dict[int, int]] = field(default_factory=dict)
    source: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    def add(self, node: int, seen: int) -> None:
        here = self.at.setdefault(node, {})
        here.setdefault(seen, len(here))


def decisions(tree: HoldemTree, spot: Spot) -> dict[int, Decision]:
    """List the actions of every decision in shares of the pot, by node."""
    found: dict[int, Decision] = {}
    base, paid = {0: 0}, {0: (0, 0)}
    above = {one.deal: one.start for street in tree.subtrees for one in street if one.deal >= 0}
    for node, kind in enumerate(tree.kind.tolist()):
        if node not in base:
            continue
        if kind == DEAL:
            root = above[node]
            base[root], paid[root] = base[node] + max(paid[node]), (0, 0)
        if kind != DECISION:
            continue
        player = int(tree.player[node])
        faced = base[node] + paid[node][1 - player]
        groups: tuple[list[Action], list[Action], list[Action]] = ([], [], [])
        first = int(tree.first_edge[node])
        for place, name in enumerate(tree.betting[node].actions):
            amount, child = amount_of(name), int(tree.child[first + place])
            base[child], paid[child] = base[node], paid_after(name, player, paid[node])
            total = base[node] + amount
            size = (total - faced) / (spot.pot + 2 * faced) if amount else 0.0
            action = Action(first + place, size, bool(amount) and total >= spot.stack)
            groups[2 if amount else name != "fold"].append(action)
        found[node] = Decision(*map(tuple, groups))
    return found


def shares(bet: Action, seen: Decision, small_bets: str = CHECK) -> list[tuple[Action, float]]:
    """The actions of a seen decision that a bet of the other is taken for, and how often; shares sum to 1."""
    if bet.all_in and seen.bets and seen.bets[-1].all_in:
        return [(seen.bets[-1], 1.0)]
    if not seen.bets:
        return [(action, 1.0) for action in seen.passive]
    same = [action for action in seen.bets if action.size == bet.size]
    if same:
        return [(same[0], 1.0)]
    if bet.size < seen.bets[0].size and (small_bets == SMALLEST or not seen.passive):
        return [(seen.bets[0], 1.0)]
    found = translation(bet.size, [action.size for action in seen.bets])
    known = [*seen.passive[:1], *seen.bets] if seen.passive else [seen.bets[0], *seen.bets]
    return [(action, share) for action, share in zip(known, found, strict=True) if share > 0]


def own_action(seen: Action, true: Decision) -> Action | None:
    """The bet of a true decision that a player's seen bet is played as; None where nothing can be bet."""
    if not true.bets:
        return None
    if seen.all_in and true.bets[-1].all_in:
        return true.bets[-1]
    return min(true.bets, key=lambda action: abs(action.size - seen.size))


class Translation:
    """Translation of strategies of a small tree into a large tree of the same spot, both with their chips."""

    def __init__(self, small: HoldemTree, large: HoldemTree, spot: Spot, small_bets: str = CHECK) -> None:
        if small_bets not in SMALL_BETS:
            raise InputError(
                f"a bet below all sizes is taken for {' or '.join(SMALL_BETS)}, not {small_bets!r}"
            )
        self.small, self.large, self.small_bets = small, large, small_bets
        self._seen, self._true = decisions(small, spot), decisions(large, spot)
        self._root_below = {one.deal: one.start for street in small.subtrees for one in street}
        self.views = self._list(0), self._list(1)

    def _list(self, player: int) -> Views:
        """List a player's views, true node by true node; parents come before children."""
        large, growing = self.large, _Growing()
        below = {one.deal: one.start for street in large.subtrees for one in street}
        growing.add(0, 0)
        number: dict[tuple[int, int], int] = {}
        counts: list[int] = []
        steps: list[Step] = []
        for node in range(len(large.kind)):
            for seen in growing.at.get(node, ()):
                number[node, seen] = len(number)
                before = len(steps)
                if large.kind[node] == DEAL:
                    growing.add(below[node], seen)
                    growing.source[below[node], seen] = (node, seen)
                else:
                    own = large.player[node] == player
                    steps += self._own(node, seen) if own else self._others(node, seen)
                    for step in steps[before:]:
                        if step[3] is not None:
                            growing.add(*step[3])
                counts.append(len(steps) - before)
        return Views(
            node=np.array([node for node, _ in number], dtype=np.int64),
            seen=np.array([seen for _, seen in number], dtype=np.int64),
            source=np.array(
                [number[growing.source[view]] if view in growing.source else NONE for view in number]
            ),
            first_step=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            share=np.array([step[0] for step in steps], dtype=np.float64),
            seen_edge=np.array([step[1] for step in steps], dtype=np.int64),
            edge=np.array([step[2] for step in steps], dtype=np.int64),
            target=np.array([NONE if step[3] is None else number[step[3]] for step in steps], dtype=np.int64),
        )

    def _own(self, node: int, seen: int) -> list[Step]:
        """The steps of the player to act at a view."""
        true = self._true[node]
        if not self._together(node, seen):
            if not true.passive:
                raise InputError(self._missing(self.large, node, "check or call"))
            return [(1.0, NONE, true.passive[0].edge, self._behind(true.passive[0], seen))]
        here = self._seen[seen]
        steps: list[Step] = []
        for action in here.fold + here.passive:
            same = true.fold if action in here.fold else true.passive
            if not same:
                raise InputError(
                    self._missing(self.large, node, "fold" if action in here.fold else "check or call")
                )
            steps.append((1.0, action.edge, same[0].edge, self._behind(same[0], self._next(action))))
        for action in here.bets:
            played, after = own_action(action, true), action
            if played is None:
                if not (true.passive and here.passive):
                    raise InputError(self._missing(self.large, node, "bet, check or call"))
                played, after = true.passive[0], here.passive[0]
            steps.append((1.0, action.edge, played.edge, self._behind(played, self._next(after))))
        return steps

    def _others(self, node: int, seen: int) -> list[Step]:
        """The steps of a view at which the other player acts."""
        true = self._true[node]
        steps: list[Step] = []
        together = self._together(node, seen)
        for action in true.passive + true.bets:
            if not together:
                taken = [(seen, 1.0)]
            else:
                here = self._seen[seen]
                passive = [(each, 1.0) for each in here.passive]
                found = shares(action, here, self.small_bets) if action in true.bets else passive
                if not found:
                    raise InputError(self._missing(self.small, seen, "check or call"))
                taken = [(self._next(each), share) for each, share in found]
            for after, share in taken:
                view = self._behind(action, after)
                if view is not None:
                    steps.append((share, NONE, NONE, view))
        return steps

    def _together(self, node: int, seen: int) -> bool:
        """Return whether the seen hand is on the street of the true one; else it is ahead."""
        return seen != OVER and bool(self.small.street[seen] == self.large.street[node])

    def _behind(self, action: Action, seen: int) -> tuple[int, int] | None:
        """The view after an action of the large tree; None where the hand is over."""
        node = int(self.large.child[action.edge])
        return (node, seen) if self.large.kind[node] in (DECISION, DEAL) else None

    def _next(self, action: Action) -> int:
        """The seen node after an action of the small tree, past the deal if there is one."""
        node = int(self.small.child[action.edge])
        if self.small.kind[node] == DEAL:
            return self._root_below[node]
        return node if self.small.kind[node] == DECISION else OVER

    def _missing(self, tree: HoldemTree, node: int, what: str) -> str:
        line = tree.betting[node].history or "the start"
        return (
            f"a strategy cannot be carried over: after {line!r} one of the trees has no {what} where the other "
            f"has; trees may differ in their bets and raises"
        )
