"""The knowledge that local best response has of a compiled agent: dictionaries of hands, place by place.

A place is where the agent may be in its abstract hand. Bets off its tree are taken for others by chance, so there
may be several; nothing here knows which is true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from oracles.table_agent import rate_of
from solvent.abstraction.betting.translation import translation
from solvent.games.betting.rules import CALL, FOLD, act, legal


@dataclass(frozen=True)
class Place:
    """A place with the hands that the agent may hold there; weights of all places sum to 1 or less."""

    node: int | None
    """None where the agent has no strategy any more."""
    owes: bool
    acted: int
    weights: dict
    reach: dict
    """The probability that each model played so, by hand; read where models weigh by reach."""

    def without(self, cards):
        left = {hand: w for hand, w in self.weights.items() if not set(hand) & set(cards)}
        return replace(self, weights=left)


def answers(twin, place, state, board, hand, cache):
    """(probability, real action, place in the tree's actions or None) of everything that a hand may do."""
    if place.owes:
        return [(1.0, CALL, None)]
    bucket = twin.cards.bucket(state.street, hand, board)
    rate, allowed = rate_of(twin.cards, state.street, *bucket), legal(state)
    if place.node is None:
        pot = 2 * min(state.paid[1 - state.player], state.rules.stacks[state.player])
        return [(1.0, CALL if rate * pot >= allowed.call else FOLD, None)]
    key = (place.node, place.acted, bucket, place.reach[hand])
    if key not in cache:
        cache[key] = twin.probabilities(
            place.node, bucket, rate, allowed.fold, place.acted, list(place.reach[hand])
        )
    return [(share, twin.real(place.node, k, state), k) for k, share in enumerate(cache[key]) if share > 0]


def splits(twin, state, node, action):
    """(share, node, owes) of everything that an action of the response may be taken for."""
    if node is None or action in (FOLD, CALL):
        return [(1.0, *twin.observe(state, node, action, 0.5))]
    actions, yours = twin.tree.actions(node), state.paid[1 - state.player]
    sizes = [twin.part(node, total) for total in actions[actions.index(CALL) + 1 :]]
    if not sizes:
        return [(1.0, None, False)]
    found: dict = {}
    before = 0.0
    for share in translation((action - yours) / (2 * yours), sizes):
        if share > 0:
            led = twin.observe(state, node, action, before + share / 2)
            found[led] = found.get(led, 0.0) + share
        before += share
    return [(share, *led) for led, share in found.items()]


def after_own(twin, places, state, action):
    """The places after an action of the response."""
    made = []
    for place in places:
        for share, node, owes in splits(twin, state, place.node, action):
            weights = {hand: w * share for hand, w in place.weights.items()}
            made.append(replace(place, node=node, owes=owes, weights=weights))
    return made


def after_agent(twin, places, state, board, action):
    """The places after an action of the agent: by Bayes' rule, over everything that becomes this action."""
    made: dict = {}
    for number, place in enumerate(places):
        cache: dict = {}
        for hand, weight in place.weights.items():
            for share, real, k in answers(twin, place, state, board, hand, cache):
                if real != action:
                    continue
                key = number, k
                if key not in made:
                    node = place.node if k is None else twin.below(place.node, k)
                    made[key] = Place(node, False, place.acted + 1, {}, {})
                made[key].weights[hand] = weight * share
                made[key].reach[hand] = _reach_on(twin, place, state, board, hand, k)
    total = sum(sum(place.weights.values()) for place in made.values())
    return [
        replace(place, weights={hand: w / total for hand, w in place.weights.items()})
        for place in made.values()
    ]


def _reach_on(twin, place, state, board, hand, k):
    if not twin.by_reach or k is None:
        return place.reach[hand]
    bucket = twin.cards.bucket(state.street, hand, board)
    return tuple(
        one * model.average(place.node, *bucket)[k]
        for one, model in zip(place.reach[hand], twin.models, strict=True)
    )


def folded(twin, places, state, board):
    """The probability that the agent folds in `state`, over all places."""
    total, likely = 0.0, 0.0
    for place in places:
        cache: dict = {}
        for hand, weight in place.weights.items():
            total += weight
            for share, real, _ in answers(twin, place, state, board, hand, cache):
                likely += weight * share * (real == FOLD)
    return likely / total


def bet_value(twin, places, state, board, amount, equity):
    """Chips that a bet wins if the agent folds at once, or both check and call to the end."""
    yours, after, won = state.paid[1 - state.player], act(state, amount), 0.0
    for place in after_own(twin, places, state, amount):
        cache: dict = {}
        for hand, weight in place.weights.items():
            fold = sum(
                share for share, real, _ in answers(twin, place, after, board, hand, cache) if real == FOLD
            )
            won += weight * (fold * yours + (1 - fold) * amount * equity[hand])
    return won
