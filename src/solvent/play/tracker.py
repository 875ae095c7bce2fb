"""The ranges of both players by Bayes, from what everybody sees: actions and public cards.

A player's *reach* by hand is the product of the probabilities with which the player's agent would have taken its
actions so far with that hand. Where an agent draws a coin about what an action of the other is to it, as agents do
that translate bets to the sizes of their tree, nobody else knows the outcome. The tracker then keeps a *view* for
each: what the agent may believe, with the reach of each hand under it, the coin's chance included. So

    reach(h) = sum over views v of w_v(h)        sigma(h, a) = sum over v of w_v(h) sigma_v(h, a) / reach(h)

is the strategy as it is seen from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import HANDS, hole_cards
from solvent.games.betting.rules import HoldemRules, act, start
from solvent.play.asked import CheckedHand, checked, measurable_hand
from solvent.play.contract import Agent, Board, EasyAgent, MeasurableHand, Mixture, as_agent

MOST_VIEWS = 16
"""Views that are kept of an agent, at most; beyond that the least likely are left out."""
SMALLEST = 1e-12
"""Views that weigh less than this part of all are left out."""


@runtime_checkable
class CoinHand(Protocol):
    """A measurable hand that draws coins about the other's actions, and says what may come of them."""

    def outcomes(self, action: int) -> Sequence[tuple[float, MeasurableHand]]:
        """The hands that follow an action of the other, and how likely each is."""


@dataclass(frozen=True)
class View:
    """A possible outcome of an agent's coins so far: its hand, and the reach of all hole cards, float64[1326]."""

    reach: NDArray[np.float64]
    hand: MeasurableHand


class Tracker:
    """The public state of a hand and the range of each seat."""

    def __init__(
        self,
        rules: HoldemRules,
        agents: tuple[Agent | EasyAgent | None, Agent | EasyAgent | None],
        seed: int = 0,
    ) -> None:
        """Begin a hand. A seat whose agent is None keeps all hands: nothing is known of how it plays."""
        self.state = start(rules)
        self.board: tuple[int, ...] = ()
        self.surprises = 0
        """Actions that the agent of a seat would never have taken with any hand; they leave its range as it was."""
        self._names = ["" if agent is None else as_agent(agent).name for agent in agents]
        self._views: list[list[View]] = [
            [] if agent is None else [View(np.ones(HANDS), measurable_hand(agent, rules, seat, seed))]
            for seat, agent in enumerate(agents)
        ]

    def reach(self, seat: int) -> NDArray[np.float64]:
        """The reach of each hand of a seat, float64[1326]; 0 for hands that the board blocks."""
        found = sum((view.reach for view in self._views[seat]), np.zeros(HANDS))
        return np.where(self._blocked, 0.0, found if self._views[seat] else 1.0)

    def probabilities(self) -> Mixture:
        """The strategy of the seat that is to act, as it is seen from outside.

        Hands that never come here have the mean of what they would do under each view.
        """
        mixtures = [self._answer(view) for view in self._views[self.state.player]]
        reaches = [view.reach for view in self._views[self.state.player]]
        return mixed(mixtures, reaches)

    def observe(self, event: int | Board) -> None:
        """Take note of an action, which must be legal, or of public cards."""
        if isinstance(event, Board):
            self.board += event.cards
            for view in self._all_views():
                view.hand.observe(event)
            return
        actor, after = self.state.player, act(self.state, event)
        self._views[actor] = self._acted(self._views[actor], event)
        self._views[1 - actor] = _thinned(_answered(self._views[1 - actor], event))
        self.state = after

    @property
    def _blocked(self) -> NDArray[np.bool_]:
        return np.asarray(np.isin(hole_cards(), self.board).any(axis=1))

    def _all_views(self) -> list[View]:
        return [view for views in self._views for view in views]

    def _answer(self, view: View) -> Mixture:
        return checked(view.hand.probabilities(), self._names[self.state.player], self.board)

    def _acted(self, views: list[View], action: int) -> list[View]:
        """The views of the seat that has acted."""
        found = []
        for view in views:
            actions, probabilities = self._answer(view)
            taken = probabilities[:, actions.index(action)] if action in actions else np.zeros(HANDS)
            found.append(replace(view, reach=view.reach * np.where(self._blocked, 0.0, taken)))
        if views and not any(view.reach.any() for view in found):
            self.surprises += 1
            found = views
        for view in found:
            view.hand.observe(action)
        return _thinned(found)


def mixed(mixtures: Sequence[Mixture], reaches: Sequence[NDArray[np.float64]]) -> Mixture:
    """The strategy of somebody who plays one of several, each as likely, by hand, as its reach says."""
    actions = tuple(dict.fromkeys(action for mixture in mixtures for action in mixture.actions))
    found, even = np.zeros((HANDS, len(actions))), np.zeros((HANDS, len(actions)))
    for mixture, reach in zip(mixtures, reaches, strict=True):
        columns = [actions.index(action) for action in mixture.actions]
        found[:, columns] += reach[:, None] * mixture.probabilities
        even[:, columns] += mixture.probabilities / len(mixtures)
    total = sum(reaches, np.zeros(HANDS))[:, None]
    return Mixture(actions, np.where(total > 0, found / np.where(total > 0, total, 1.0), even))


def _answered(views: list[View], action: int) -> list[View]:
    """The views of the seat that has seen the other act: one for each outcome of its coin."""
    found = []
    for view in views:
        hand = view.hand.hand if isinstance(view.hand, CheckedHand) else view.hand
        if isinstance(hand, CoinHand):
            found += [View(chance * view.reach, after) for chance, after in hand.outcomes(action)]
        else:
            hand.observe(action)
            found.append(view)
    return found


def _thinned(views: list[View]) -> list[View]:
    """The likeliest views, those that weigh next to nothing left out."""
    weights = [float(view.reach.sum()) for view in views]
    order = sorted(range(len(views)), key=lambda place: -weights[place])[:MOST_VIEWS]
    kept = {place for place in order if weights[place] > SMALLEST * sum(weights)}
    return [view for place, view in enumerate(views) if place in kept] or views
