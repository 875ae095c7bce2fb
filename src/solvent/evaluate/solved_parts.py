"""Measurements of a solved game: the best response and the local best response, both exactly.

Abstractions of games with continuous bet sizes are measured in the continuous game as well.

Local best response (Lisy and Bowling 2017) knows the other player's strategy and keeps that player's range by
Bayes' rule. At each decision it takes the action that would be best if both players only checked and called
afterwards:

    fold          what it has put in is lost
    check, call   the showdown against the range, all boards to come dealt
    bet, raise    the other player folds at once as the strategy says, or it is the showdown at the higher stake
                  against the hands that did not fold

It is a strategy like any other, so it wins at most what the best response wins; how much less is not bounded. The
values of all hands are computed together on the public form, and the resulting strategy is evaluated exactly.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.continuous.measure import has_continuous_sizes, measure_continuous
from solvent.engines.public.kernels import EVALUATE, Rule, Tables
from solvent.engines.public.public_pass import PublicPass
from solvent.forms.public.game import DECISION, PublicGame
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch
from solvent.foundation.storage.files import can_write_in
from solvent.games.public_rules import FOLD, SHOWDOWN, PublicRules
from solvent.solving.measure import measure
from solvent.strategy.opening import open_solved
from solvent.strategy.solved.policies import on_form
from solvent.strategy.solved.public_infosets import HoldemInfosets, PublicInfosets
from solvent.strategy.solved.tables import TableStrategy

LOCAL = (("fc", False), ("all bets", True))
"""Actions of the local best response: fold and call alone, or everything."""
AT_ONCE = 1 << 20
"""Pairs of hands that are compared in one array operation."""
Hands = NDArray[np.float64]
"""float64[boards, slots]: a number for every hand on every board of a round."""


class SolvedGame:
    """The newest strategy of a solved game, to be measured (`evaluation.Measured`)."""

    def __init__(self, folder: Path, own_code: bool = False) -> None:
        self.folder = folder if can_write_in(folder) else None
        self.strategy = open_solved(folder, own_code=own_code)
        self.parts: tuple[str, ...] = ("best_response", "local_best_response")
        if has_continuous_sizes(self.strategy):
            self.parts += ("continuous",)
        self.usual = self.parts
        self.facts = {
            "run": str(folder),
            "game": self.strategy.game,
            "unit": "chips a game",
            "iterations": self.strategy.facts.get("iterations"),
        }

    def measure(self, part: str, found: dict[str, Any], watch: Watch, stop: Stop) -> bool:
        """Measure a part and put it into `found`. Each is one computation that is not stopped half-way."""
        watch(Progress(part, 0, 1))
        if part == "best_response":
            exact = measure(self.strategy)
            found["exploitability"] = exact.exploitability
            found["value"], found["best_response"] = list(exact.value), list(exact.best_response)
            return True
        if part == "continuous":
            sizes = measure_continuous(self.strategy)
            bounds = sizes.uninformed.best_response
            found["continuous"] = {
                "uninformed": [(low + high) / 2 for low, high in bounds],
                "informed": list(sizes.informed.best_response),
                "gap": max(high - low for low, high in bounds),
            }
            return True
        try:
            found["local_best_response"] = {
                name: list(local_response(self.strategy, bets=bets)) for name, bets in LOCAL
            }
        except InputError as error:  # a game without folds, checks, calls and bets
            found["local_best_response"], found["no_local_best_response"] = None, str(error)
        return True


def local_response(
    strategy: TableStrategy, *, bets: bool = True, rounds: Collection[int] | None = None
) -> tuple[float, float]:
    """Play local best response against both players of a strategy of a game with bets.

    bets: whether the response bets and raises, or only folds, checks and calls.
    rounds: where the response decides, all by default; in other rounds it checks and calls.

    Returns what it wins as player 0 against player 1's strategy, and as player 1 against player 0's, in chips a
    game.
    """
    return LocalResponder(*_on_public_form(strategy), bets, rounds).values()


class LocalResponder:
    """Local best response to weights, float64[cells], such as those of hands that share buckets.

    The response itself sees real cards.
    """

    def __init__(
        self,
        game: PublicGame,
        weights: NDArray[np.float64],
        bets: bool = True,
        rounds: Collection[int] | None = None,
    ) -> None:
        self.game, self.bets = game, bets
        self.rounds = set(range(len(game.rounds)) if rounds is None else rounds)
        self.infosets = PublicInfosets(game)
        self.strategy = self.infosets.normalised(weights)
        self.calls = _passive_actions(game)

    def values(self) -> tuple[float, float]:
        """Value the response as either player."""
        public_pass, none = PublicPass(self.game, self.strategy.dtype), self.strategy[:0]
        rule = Rule(EVALUATE, 1.0, 1.0, -np.inf, 0.0, 0.0)

        def value(player: int) -> float:
            tables = Tables(self.infosets.block, none, none, none, none, self.weights(player), none)
            return float(public_pass.run(player, tables, rule).sum(dtype=np.float64))

        return value(0), value(1)

    def weights(self, player: int) -> NDArray[np.float64]:
        """Compute the response of `player`, with the other player's strategy unchanged: float64[cells]."""
        made = self.strategy.copy()
        game, nodes = self.game, self.game.nodes
        reach: dict[int, Hands] = {0: self._root_reach(1 - player)}
        for level, here in enumerate(game.rounds):
            for subtree in here.subtrees:
                if level:
                    reach[subtree.start] = self._dealt(level, reach[subtree.deal])
                for node in range(subtree.start, subtree.stop):
                    if nodes.symbol[node] != DECISION:
                        continue
                    for edge in self._edges(node):
                        child, at = int(nodes.child[edge]), reach[node]
                        mine = nodes.player[node] == player
                        reach[child] = at if mine else at * self._block(self.strategy, edge)
                    if nodes.player[node] == player:
                        chosen = self._choose(node, player, reach[node])
                        for place, edge in enumerate(self._edges(node)):
                            self._block(made, edge)[...] = chosen == place
        return made

    def _choose(self, node: int, player: int, reach: Hands) -> NDArray[np.int64]:
        """Choose the action of each hand: int64[boards, slots]."""
        nodes, edges = self.game.nodes, list(self._edges(node))
        call = self.calls[node]
        if nodes.round[node] not in self.rounds:
            return np.full(reach.shape, call)
        values = []
        for place, edge in enumerate(edges):
            child = int(nodes.child[edge])
            if place <= call:
                values.append(self._passive_value(child, player, reach))
            elif self.bets:
                values.append(self._bet_value(child, player, reach))
        best = np.array(values)
        # Where no other action gains anything, as where the other player cannot be, the response calls.
        return np.where(best.max(axis=0) > best[call], best.argmax(axis=0), call)

    def _bet_value(self, node: int, player: int, reach: Hands) -> Hands:
        """Value a bet that the other player answers at `node`: by folding, or both check and call to the end."""
        edges = list(self._edges(node))
        fold = [edge for edge in edges if self.game.betting[self.game.nodes.child[edge]].symbol == FOLD]
        called = int(self.game.nodes.child[edges[self.calls[node]]])
        if not fold:
            return self._passive_value(called, player, reach)
        folds = self._block(self.strategy, fold[0])
        folded = int(self.game.nodes.child[fold[0]])
        return self._passive_value(folded, player, reach * folds) + self._passive_value(
            called, player, reach * (1 - folds)
        )

    def _passive_value(self, node: int, player: int, reach: Hands) -> Hands:
        """Compute each hand's chips against the range `reach` if both players check and call from `node` on."""
        nodes, level = self.game.nodes, int(self.game.nodes.round[node])
        if nodes.symbol[node] == DECISION:
            return self._passive_value(
                int(nodes.child[list(self._edges(node))[self.calls[node]]]), player, reach
            )
        if self.game.betting[node].deals:
            below = next(s for s in self.game.rounds[level + 1].subtrees if s.deal == node)
            dealt = self._passive_value(below.start, player, self._dealt(level + 1, reach))
            return self._summed_up(level + 1, dealt)
        return self._terminal_value(node, level, player, reach)

    def _terminal_value(self, node: int, level: int, player: int, reach: Hands) -> Hands:
        game, here, stake = self.game, self.game.rounds[level], float(self.game.nodes.stake[node])
        if not game.sorted_hands:
            matrix = game.matrix[game.matrix_of[game.nodes.symbol[node], np.arange(len(here.boards))]]
            side = matrix if player == 0 else -matrix.transpose(0, 2, 1)
            won: Hands = stake * np.einsum("bij,bj->bi", side, reach)
            return won
        won, step = np.empty_like(reach), max(1, AT_ONCE // here.slots**2)
        for first in range(0, len(here.boards), step):
            some = slice(first, first + step)
            cards = here.card[some]
            shared = (cards[:, :, None, :, None] == cards[:, None, :, None, :]).any(axis=(3, 4))
            sign = np.where(shared, 0.0, 1.0 if player == 0 else -1.0)
            if game.betting[node].symbol == SHOWDOWN:
                # Slots are sorted by strength; those before `tie` of a slot are no better than it.
                beats = here.tie[some][:, None, :] <= np.arange(here.slots)[None, :, None]
                sign = np.where(shared, 0.0, beats.astype(np.float64) - beats.transpose(0, 2, 1))
            won[some] = np.einsum("bij,bj->bi", sign, reach[some])
        return stake * won

    def _dealt(self, level: int, reach: Hands) -> Hands:
        """Carry numbers of hands from the boards of the round before to the boards of a round."""
        here = self.game.rounds[level]
        return np.take_along_axis(reach[here.parent], here.parent_slot, axis=1)

    def _summed_up(self, level: int, values: Hands) -> Hands:
        """Sum values on the boards of a round up to the boards of the round before."""
        game, here, before = self.game, self.game.rounds[level], self.game.rounds[level - 1]
        total = np.zeros((len(before.boards), before.slots))
        weighed = values * (here.multiplicity * here.probability)[:, None]
        np.add.at(total, (here.parent[:, None], here.parent_slot), weighed)
        if game.isomorphism:  # hands that differ in the names of suits alone have one value
            count = np.bincount(game.orbit)
            total[0] = (np.bincount(game.orbit, weights=total[0]) / count)[game.orbit]
        return total

    def _root_reach(self, other: int) -> Hands:
        # Where terminals have matrices, the matrices hold the ranges.
        weight = self.game.ranges[other] if self.game.sorted_hands else np.ones(len(self.game.hands))
        return weight[self.game.rounds[0].hand].astype(np.float64)

    def _edges(self, node: int) -> range:
        first_edge = self.game.nodes.first_edge
        return range(int(first_edge[node]), int(first_edge[node + 1]))

    def _block(self, table: NDArray[np.float64], edge: int) -> Hands:
        """View the block of an action as float64[boards, slots]."""
        here = self.game.rounds[self.game.nodes.round[self.game.edge_node[edge]]]
        start = int(self.infosets.block[edge])
        return table[start : start + here.hand.size].reshape(here.hand.shape)


def _passive_actions(game: PublicGame) -> dict[int, int]:
    """Find the check or call among each decision's actions; a game without them is refused."""
    found = {}
    for node in np.flatnonzero(game.nodes.symbol == DECISION).tolist():
        actions = game.betting[node].actions
        calls = [place for place, action in enumerate(actions) if action in ("check", "call")]
        if len(calls) != 1 or any(action != "fold" for action in actions[: calls[0]]):
            raise InputError(
                f"local best response is for games in which one folds, checks, calls and bets; "
                f"{game.name} has a decision between {', '.join(actions)}"
            )
        found[node] = calls[0]
    return found


def _on_public_form(strategy: TableStrategy) -> tuple[PublicGame, NDArray[np.float64]]:
    """Build the public form of a strategy's game, with the probabilities by cell."""
    if isinstance(strategy.infosets, PublicInfosets):
        return strategy.infosets.game, np.array(strategy.probabilities, dtype=np.float64)
    if isinstance(strategy.infosets, HoldemInfosets):
        raise InputError(
            f"local best response is for games whose players have the same hands; {strategy.game} has a list of "
            f"hands for each"
        )
    from solvent.forms.public.game import public_game

    rules: Any = strategy.rules()
    if not isinstance(rules, PublicRules):
        raise InputError(f"local best response is for games with a public form; {strategy.game} has none")
    game = public_game(rules, isomorphism=False)
    return game, np.array(on_form(strategy, game).probabilities)
