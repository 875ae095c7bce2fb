"""Pruning on the history form against a slow replay of every iteration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import compiled
from oracles.pruning import check_invariants, forgotten
from oracles.random_games import RandomGame
from oracles.replays import Replay
from oracles.trees import counterfactual_values
from solvent.engines.history.pruned import prune_kernels
from solvent.engines.history.pruned.solver import PrunedSolver
from solvent.engines.pruning import Pruning
from solvent.forms.history import GameTree, compile_tree

UPDATES = ["alternating", "simultaneous"]
RULES = ["cfr", "cfr+", "lcfr"]
SMALL = "leduc(ranks=2,suits=2)"
BLUFF = "bluff(dice=1,faces=3)"
EXACT = [("cfr", "alternating"), ("cfr", "simultaneous"), ("lcfr", "simultaneous")]
"""Where a player's regrets and what he has seen of the other's play weigh iterations alike."""


class Watched(PrunedSolver):
    """A solver that is compared to its replay after every step; `players` are those who are watched."""

    def __init__(
        self,
        tree: GameTree,
        rule: str,
        updates: str,
        pruning: Pruning,
        iterations: int,
        players: tuple[int, ...] = (0, 1),
    ) -> None:
        super().__init__(tree, rule, updates, pruning, dtype="float64")
        self.replays = [Replay(tree, player, iterations) for player in (0, 1)]
        self.watched = players
        self.begun = self.released = self.bounds = 0
        self.size = float(np.abs(tree.payoff).max(initial=1.0))

    def ordered(self, cells: np.ndarray) -> np.ndarray:
        """By the tree's cells what is by those of the layout."""
        found = np.zeros(self.tree.cells, dtype=cells.dtype)
        found[self._layout.cell_of] = cells[: self.tree.cells]
        return found

    def current(self) -> np.ndarray:
        return np.maximum(self.ordered(self._play.sigma), 0)

    def _walk(self, player):  # type: ignore[no-untyped-def]
        weight = 1.0 if str(self.rule) == "cfr" else float(self.iterations)
        self.replays[player].play(self.current(), weight, self.ordered(self.pruned))
        return super()._walk(player)

    def _release(self, player, step, released):  # type: ignore[no-untyped-def]
        cells = released.copy()
        super()._release(player, step, released)
        self.released += len(cells)
        self.replays[player].replace(self._layout.cell_of[cells])
        self.check_total(player)

    def _prune(self, player, step, failed):  # type: ignore[no-untyped-def]
        pruned, since = self.ordered(self.pruned), self.ordered(self.since)
        super()._prune(player, step, failed)
        now, replay = self.ordered(self.pruned), self.replays[player]
        self.begun += int((now > pruned).sum())
        if self.total:
            self.check_total(player)
            return
        ended = (pruned > 0) & ((now == 0) | (self.ordered(self.since) > since))
        ended = replay.cells[ended[replay.cells]]
        self.released += len(ended)
        for first in np.unique(since[ended]):
            replay.replace(ended[since[ended] == first], int(first))
        self.check_interval(player)

    def near(self, found: np.ndarray, expected: np.ndarray) -> None:
        scale = 1 + self.size * self.replays[0].weight.sum()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * scale)

    def table(self, arena, name):  # type: ignore[no-untyped-def]
        """A table by the tree's cells or infosets, NaN where nothing is stored."""
        order = self._layout.infoset_of if arena is self.values else self._layout.cell_of
        found = np.full(len(order), np.nan)
        stored = np.flatnonzero(arena.offset >= 0)
        found[order[stored]] = arena.table(name)[arena.offset[stored]]
        return found

    def check_total(self, player: int) -> None:
        if player not in self.watched:
            return
        replay = self.replays[player]
        pruned = self.ordered(self.pruned) > 0
        absent = replay.absent(pruned)
        # What is stored is just what is not pruned.
        values, bounds = self.table(self.values, "value"), self.table(self.values, "bound")
        gaps = self.table(self.regrets, "gap" if "gap" in self.regrets.names else "regret")
        live = replay.mine & ~absent
        assert np.array_equal(~np.isnan(values[replay.mine]), live[replay.mine])
        stored = live[replay.infoset_of] & ~pruned
        assert np.array_equal(~np.isnan(gaps[replay.cells]), stored[replay.cells])
        assert not pruned[absent[replay.infoset_of]].any()
        regret, value = replay.sums()
        self.near(values[live], value[live])
        self.near(gaps[stored], regret[stored])
        # Bounds, and what best responses are found to have won without a walk.
        psi = replay.respond()
        true = psi - value[replay.infoset_of]
        held = np.flatnonzero(pruned & live[replay.infoset_of])
        bound = bounds[replay.infoset_of[held]]
        self.bounds += len(held)
        slack = 1e-10 * (1 + self.size * replay.weight.sum())
        assert (bound >= true[held] - slack).all()
        assert (bound <= 0).all()
        found = np.zeros(self.tree.cells)
        prune_kernels.add_up_regrets(self._forests[player], self._tables(), found)
        found = self.ordered(found)
        assert (found[stored] >= true[stored] - slack).all()
        if self.pruning.after == "cbr" and not self.floored:
            # Where regrets are matched some regret is at least 0, and no bound of a pruned action counts.
            self.near(found[stored], true[stored])

    def check_interval(self, player: int) -> None:
        if player not in self.watched:
            return
        replay = self.replays[player]
        pruned = self.ordered(self.pruned) > 0
        regrets, values = self.table(self.regrets, "regret"), self.table(self.values, "value")
        regret, value = replay.sums()
        self.near(values[replay.mine], value[replay.mine])
        stands = replay.cells[~pruned[replay.cells]]
        self.near(regrets[stands], regret[stands])
        slack = 1e-10 * (1 + self.size * replay.weight.sum())
        since = self.ordered(self.since)
        held = replay.cells[pruned[replay.cells]]
        self.bounds += len(held)
        assert (regrets[held] <= 0).all()
        for first in np.unique(since[held]):
            cells = held[since[held] == first]
            assert (regrets[cells] >= regret[cells] + replay.respond(int(first))[cells] - slack).all()
        assert not pruned[replay.absent(pruned)[replay.infoset_of]].any()


# Total pruning against the replay


@pytest.mark.parametrize("seed", range(5))
def test_the_replay_has_counterfactual_values_by_definition(seed: int) -> None:
    tree = compile_tree(RandomGame(seed, zero_sum=seed % 2 == 0))
    weights = np.random.default_rng(seed).random((2, tree.cells))
    totals = np.add.reduceat(weights, tree.infoset_cell[:-1], axis=1)
    strategies = weights / np.repeat(totals, np.diff(tree.infoset_cell), axis=1)
    for player in (0, 1):
        found, value, _ = Replay(tree, player, 1).values(strategies)
        for k in range(2):
            expected = counterfactual_values(tree, strategies[k], player)
            np.testing.assert_allclose(found[k], expected, rtol=1e-12, atol=1e-12)
            sums = np.add.reduceat(strategies[k] * expected, tree.infoset_cell[:-1])
            mine = tree.infoset_player == player
            np.testing.assert_allclose(value[k, mine], sums[mine], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("after", ["uniform", "cbr"])
@pytest.mark.parametrize(("rule", "updates"), EXACT)
@pytest.mark.parametrize(("game", "iterations"), [("leduc", 40), (SMALL, 70), ("kuhn", 70)])
def test_total_pruning_does_what_its_replay_does(
    game: str, iterations: int, rule: str, updates: str, after: str
) -> None:
    pruning = Pruning("total", average=0.0, gates="paper", every=1, after=after)
    solver = Watched(compiled(game), rule, updates, pruning, iterations)
    solver.run(iterations)
    assert solver.begun > 0
    assert solver.released > 0
    assert solver.bounds > 0
    check_invariants(solver)


@pytest.mark.parametrize("every", [3, 10])
def test_what_is_played_uniformly_after_a_release_adds_up(every: int) -> None:
    """With looks far apart, what returns is not pruned again at once."""
    pruning = Pruning("total", average=0.0, least=1.0, every=every, after="uniform")
    solver = Watched(compiled(SMALL), "cfr", "alternating", pruning, 90)
    solver.run(90)
    assert solver.released > 0


@pytest.mark.parametrize(
    ("rule", "updates", "players"),
    [("cfr+", "simultaneous", (0, 1)), ("cfr+", "alternating", (0,)), ("lcfr", "alternating", (0,))],
)
def test_weighted_gaps_are_those_of_the_replay(rule: str, updates: str, players: tuple[int, ...]) -> None:
    """With alternating updates player 1 sees strategies at the weights of the iterations before, nearly."""
    pruning = Pruning("total", average=0.0, gates="paper", every=2)
    solver = Watched(compiled("leduc"), rule, updates, pruning, 40, players)
    solver.run(40)
    assert solver.begun > 0


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(EXACT),
    st.sampled_from(["cbr", "uniform"]),
    st.integers(1, 3),
    st.booleans(),
)
def test_total_pruning_of_random_games_does_what_its_replay_does(
    seed: int, exact: tuple[str, str], after: str, every: int, zero_sum: bool
) -> None:
    tree = compile_tree(RandomGame(seed, depth=6, zero_sum=zero_sum))
    pruning = Pruning("total", average=0.0, gates="paper", every=every, after=after)
    solver = Watched(tree, *exact, pruning, 25)
    solver.run(25)


# What is forgotten of averages


class Forgetful(PrunedSolver):
    """A solver whose averages are compared to a plain recursion whenever some are given up."""

    dropped = behind = 0

    def _forget(self, player):  # type: ignore[no-untyped-def]
        limit = self.pruning.average / self.iterations**0.5 * self._weight(self.iterations)
        since = int(self.pruning.settled * self.iterations)
        before = self.averages.offset >= 0
        average, stored = forgotten(self, player, limit, since)
        super()._forget(player)
        now = self.averages.offset >= 0
        assert np.array_equal(now, stored)
        np.testing.assert_allclose(self.averages.spread("average"), average, rtol=1e-9, atol=1e-12)
        self.dropped += int((before & ~now).sum())
        gone = self._layout.cell_of[np.flatnonzero(before & ~now)]
        replay = Replay(self.tree, player, 0)
        absent = np.zeros(self.tree.cells, dtype=self.pruned.dtype)
        absent[self._layout.cell_of] = self.pruned
        self.behind += int(replay.absent(absent)[replay.infoset_of[gone]].sum())


@pytest.mark.parametrize("gates", ["paper", "lasting"])
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("game", ["leduc", SMALL])
def test_small_averages_are_forgotten_also_behind_pruned_actions(game: str, updates: str, gates: str) -> None:
    pruning = Pruning("total", average=0.3, every=2, gates=gates)
    solver = Forgetful(compiled(game), "cfr", updates, pruning, dtype="float64")
    solver.run(150)
    assert solver.dropped > 0
    assert solver.behind > 0 or gates == "lasting"
    check_invariants(solver)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(EXACT), st.sampled_from(["paper", "lasting"]))
def test_averages_of_random_games_are_forgotten_by_the_rule(
    seed: int, exact: tuple[str, str], gates: str
) -> None:
    pruning = Pruning("total", average=1.0, every=2, gates=gates, least=0.0)
    solver = Forgetful(compile_tree(RandomGame(seed, depth=6)), *exact, pruning, dtype="float64")
    solver.run(40)
    check_invariants(solver)


# Interval pruning against the replay


@pytest.mark.parametrize(("rule", "updates"), EXACT)
@pytest.mark.parametrize(("game", "iterations"), [("leduc", 30), (SMALL, 50), ("kuhn", 70)])
def test_interval_pruning_does_what_its_replay_does(
    game: str, iterations: int, rule: str, updates: str
) -> None:
    pruning = Pruning("interval", gates="paper", every=1)
    solver = Watched(compiled(game), rule, updates, pruning, iterations)
    solver.run(iterations)
    assert solver.begun > 0
    assert solver.released > 0
    assert solver.bounds > 0
    check_invariants(solver)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(EXACT),
    st.integers(1, 4),
    st.booleans(),
)
def test_interval_pruning_of_random_games_does_what_its_replay_does(
    seed: int, exact: tuple[str, str], every: int, zero_sum: bool
) -> None:
    tree = compile_tree(RandomGame(seed, depth=6, zero_sum=zero_sum))
    solver = Watched(tree, *exact, Pruning("interval", gates="paper", every=every), 25)
    solver.run(25)
