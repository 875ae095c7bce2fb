"""Agents from tables as `play.table_kernels` describes them, slow and plain, and small tables to play from."""

from __future__ import annotations

from functools import cache

import numpy as np

from oracles.post_processing import processed
from solvent.abstraction.betting.translation import translation
from solvent.abstraction.cards.buckets import CardAbstraction, describe_tables
from solvent.abstraction.cards.presets import Design
from solvent.abstraction.cards.win_rates import rate_layout, win_rates
from solvent.forms.betting.tree import DEAL, DECISION, build_tree
from solvent.forms.sampled import row_start
from solvent.foundation.kernels.randomness import STEP, uniform
from solvent.games.betting.rules import BOARD_CARDS, CALL, FOLD, act, legal, start
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.prior import prior_strategy
from solvent.strategy.post_processing import NONE


@cache
def small_cards(seed: int = 0) -> CardAbstraction:
    """Two public clusters, three buckets on the flop, three on the turn, two on the river, by chance."""
    rng = np.random.default_rng(seed)
    river_code = np.zeros(123_156_254, dtype=np.uint16)
    river_code[-12_000_000::2] = 1  # the rest is memory that nobody writes to
    turn = np.zeros(55_190_538, dtype=np.uint16)
    turn[-8_000_000::3], turn[-8_000_000 + 1 + seed :: 3] = 1, 2
    arrays = {
        "cluster_of_flop": rng.integers(0, 2, 1_755).astype(np.int16),
        "flop": rng.integers(0, 3, 1_286_792).astype(np.uint16),
        "turn": turn,
        "river_code": river_code,
        "river": np.array([[1, 0], [0, 1]], dtype=np.uint16),
    }
    design = Design(clusters=2, flop=3, turn=3, river=2, strips=1, codes_per_strip=2)
    facts = describe_tables({}, design)
    cards = CardAbstraction(arrays, {**facts, "fingerprint": f"random {seed}"})
    win_rates(cards, 20_000)  # kept, so that agents have these
    return cards


def rate_of(cards: CardAbstraction, street: int, cluster: int, bucket: int) -> float:
    """The win rate of a bucket."""
    return float(win_rates(cards)[row_start(rate_layout(cards), street, cluster, bucket)])


def random_model(betting: str, seed: int = 0, cards: int = 0) -> Blueprint:
    """A blueprint of random sums: actions that are never played among them, and rows that were never reached."""
    model = Blueprint(build_tree(parse_betting(betting)), small_cards(cards))
    rng = np.random.default_rng(seed)
    numbers = rng.random(model.table.size) ** 4
    numbers[rng.random(len(numbers)) < 0.2] = 0
    starts = rng.integers(0, len(numbers), len(numbers) // 50)
    for ahead in range(20):
        numbers[np.minimum(starts + ahead, len(numbers) - 1)] = 0
    model.table[:] = numbers
    return model


class Twin:
    """One agent; every decision replays the hand from the beginning."""

    def __init__(self, models, style="own", post=NONE, by_reach=False, name="twin"):
        self.models, self.style, self.post, self.by_reach, self.name = models, style, post, by_reach, name
        self.tree, self.cards = models[0].tree, models[0].cards
        self.rules = self.tree.abstraction.rules

    def act(self, view):
        node, owes, acted, reach = 0, False, 0, [1.0] * len(self.models)  # node None: no strategy any more
        state = start(view.rules)
        for number, action in enumerate((*view.actions, None)):
            draw, taken = (
                float(uniform(np.uint64((view.seed + int(STEP) * k) % 2**64)))
                for k in (2 * number, 2 * number + 1)
            )
            if state.player == view.seat:
                place, chosen = self.decide(view, state, node, owes, acted, reach, draw)
                if action is None:
                    return chosen
                assert chosen == action
                if place is not None:
                    bucket = self.bucket(view, state)
                    reach = [
                        one * model.average(node, *bucket)[place]
                        for one, model in zip(reach, self.models, strict=True)
                    ]
                    node = self.below(node, place)
                acted, owes = acted + 1, False
            else:
                node, owes = self.observe(state, node, action, taken)
            state = act(state, action)
            if node is not None and not owes and not state.over:
                assert (self.tree.street[node], self.tree.player[node]) == (state.street, state.player)
        raise AssertionError("nobody was to act")

    def bucket(self, view, state):
        return self.cards.bucket(state.street, view.hole, view.board[: BOARD_CARDS[state.street]])

    def below(self, node, place):
        child = self.tree.children(node)[place]
        child = child + 1 if self.tree.kind[child] == DEAL else child
        return child if self.tree.kind[child] == DECISION else None

    def decide(self, view, state, node, owes, acted, reach, draw):
        """(the place of the abstract action, the real action)"""
        allowed, me = legal(state), state.player
        if owes:
            return None, CALL
        bucket = self.bucket(view, state)
        rate = rate_of(self.cards, state.street, *bucket)
        if node is None:
            pot = 2 * min(state.paid[1 - me], view.rules.stacks[me])
            return None, CALL if rate * pot >= allowed.call else FOLD
        shares = self.probabilities(node, bucket, rate, allowed.fold, acted, reach)
        place, left = max(k for k, share in enumerate(shares) if share > 0), draw
        for k, share in enumerate(shares):
            left -= share
            if share > 0 and left < 0:
                place = k
                break
        return place, self.real(node, place, state)

    def probabilities(self, node, bucket, rate, folds, acted, reach):
        actions = self.tree.actions(node)
        may_fold = actions[0] == FOLD
        weights = reach if self.by_reach and sum(reach) > 0 else [1.0] * len(reach)
        mixed = sum(
            w / sum(weights) * m.average(node, *bucket) for w, m in zip(weights, self.models, strict=True)
        )
        if self.style == "random":
            mixed = np.ones(len(actions))
        if self.style == "initial-weights":
            mixed = prior_strategy(rate, may_fold, len(actions) - 1 - may_fold)
        allowed = np.array([action != FOLD or folds for action in actions], dtype=float)
        style = self.style
        if style == "tight-aggressive":
            style = "tight" if rate < 0.5 else "aggressive"
        factors = {
            "aggressive": [0.5, 1.0, *(2.0 + k for k in range(len(actions)))],
            "tight": [2.0, 1.0, *[0.5] * len(actions)],
            "calling-machine": [1.0, 5.0, *[1.0] * len(actions)],
        }.get(style, [1.0] * (len(actions) + 2))
        mixed = mixed * allowed * factors[0 if may_fold else 1 :][: len(actions)]
        if style == "deterministic":
            mixed = (mixed == mixed.max()) * allowed
        mixed = mixed / mixed.sum() if mixed.sum() > 0 else allowed / allowed.sum()
        if self.post.first or acted:
            classes = {"kinds": self.kinds, "sizes": self.sizes}.get(self.post.classes, self.each)
            return processed(self.post, mixed.tolist(), [classes(node, action) for action in actions])
        return mixed.tolist()

    def kinds(self, node, action):
        return min(action, 1) + 1

    def sizes(self, node, action):
        return self.kinds(node, action) + int(action > 0 and self.part(node, action) > 1)

    def each(self, node, action):
        return action + 1

    def part(self, node, total):
        faced = int(self.tree.paid[node].max())
        return (total - faced) / (2 * faced)

    def real(self, node, place, state):
        total, allowed = self.tree.actions(node)[place], legal(state)
        if total <= CALL:
            return total
        if not allowed.min_raise:
            return CALL
        shorter = state.rules.effective_stack
        most = min(allowed.max_raise, max(shorter, allowed.min_raise))
        deeper = shorter / state.rules.blinds[1] > self.rules.effective_stack / self.rules.blinds[1]
        if total == self.rules.effective_stack and not deeper:
            return most
        yours, faced = state.paid[1 - state.player], int(self.tree.paid[node].max())
        exact = yours + (total - faced) * yours / faced
        return min(max(int(np.floor(exact + 0.5)), allowed.min_raise), most)

    def observe(self, state, node, action, draw):
        """(node, owes) behind what the other did."""
        if node is None or action == FOLD:
            return node, False
        actions = self.tree.actions(node)
        call = actions.index(CALL)
        if action == CALL:
            return self.below(node, call), False
        if call + 1 == len(actions):
            return None, False
        shorter = state.rules.effective_stack
        place = len(actions) - 1
        shallow = shorter / state.rules.blinds[1] < self.rules.effective_stack / self.rules.blinds[1]
        if action < shorter or shallow or actions[-1] != self.rules.effective_stack:
            yours = state.paid[1 - state.player]
            size = (min(action, shorter) - yours) / (2 * yours)
            shares = translation(size, [self.part(node, total) for total in actions[call + 1 :]])
            place = call + int(np.searchsorted(np.cumsum(shares), draw, side="right"))
        below = self.below(node, place)
        ends = below is None or self.tree.street[below] > self.tree.street[node]
        return below, place == call and ends


class Wild:
    """Bets arbitrary amounts, most of them small, and otherwise calls more than he folds."""

    name = "wild"

    def act(self, view):
        rng = np.random.default_rng([view.seed, len(view.actions)])
        allowed = view.legal
        if allowed.min_raise and rng.random() < 0.45:
            low, high = np.log([allowed.min_raise, allowed.max_raise + 1])
            return min(int(np.exp(rng.uniform(low, high))), allowed.max_raise)
        return FOLD if allowed.fold and rng.random() < 0.1 else CALL
