"""Interval and total pruning by block against a replay of every iteration on the unrolled game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from solvent.solvers.pruned.public.interval import IntervalPublicSolver
from solvent.solvers.pruned.public.skipping_base import SkippingPublicBase
from solvent.solvers.pruned.public.total import TotalPublicSolver

from oracles.random_public import RandomHoldem, RandomPublic
from oracles.replays import Replay
from solvent.forms.public import PublicGame, public_game
from solvent.forms.unroll import unroll
from solvent.games.bluff import Bluff
from solvent.games.holdem.flop_holdem import FlopHoldem
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc
from solvent.solvers.pruned.pruning import Pruning

EXACT = [
    ("cfr", "alternating", (0, 1)),
    ("cfr", "simultaneous", (0, 1)),
    ("lcfr", "simultaneous", (0, 1)),
    ("lcfr", "alternating", (0,)),
]
"""Where the players who are watched weigh iterations alike in regrets and in what they see of the other's play."""
GAMES = {
    "one round": Kuhn(),
    "bids": Bluff(dice=1, faces=3),
    "matrices": Leduc(ranks=2, bets1=(1, 4), bets2=(2, 8)),
    "sorted": FlopHoldem(suits=2, ranks=4, raises=1),
}


class Watched(SkippingPublicBase):
    """A solver that is compared to its replay after every step; `players` are those who are watched."""

    def __init__(
        self,
        game: PublicGame,
        rule: str,
        updates: str,
        pruning: Pruning,
        iterations: int,
        players: tuple[int, ...] = (0, 1),
    ) -> None:
        super().__init__(game, rule, updates, pruning, "float64")
        self.tree, self.place = unroll(game)
        self.ends = np.cumsum(game.block_sizes)
        self.block = np.searchsorted(self.ends, self.place, side="right")
        """The block of each of the tree's cells."""
        self.replays = [Replay(self.tree, player, iterations) for player in (0, 1)]
        self.watched = players
        # A hand that wins nothing whatever is played has no matrix that tells it from one that is not dealt.
        ever = [
            self._layout.possible[r][p].ravel()
            for r, p in zip(game.nodes.round, game.nodes.player, strict=True)
        ]
        within = self.place - (self.ends - game.block_sizes)[self.block]
        nodes = game.edge_node[self.block]
        self.matters = np.array([ever[node][at] for node, at in zip(nodes, within, strict=True)], dtype=bool)
        self.begun = self.released = self.bounded = 0
        self.playing = np.zeros(0)
        self.size = float(np.abs(self.tree.payoff).max(initial=1.0))

    # By the tree's cells

    def cells_of(self, edge: int) -> np.ndarray:
        return np.flatnonzero(self.block == edge)

    def by_cell(self, offset: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Numbers of blocks by cell, NaN where nothing is stored."""
        within = self.place - (self.ends - self.game.block_sizes)[self.block]
        at = offset[self.block]
        return np.append(table, np.nan)[np.where(at >= 0, at + within, -1)]

    def by_infoset(self, offset: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Numbers of nodes by infoset, NaN where nothing is stored."""
        first = self.tree.infoset_cell[:-1]
        at = offset[self.game.edge_node[self.block[first]]]
        within = (self.place - (self.ends - self.game.block_sizes)[self.block])[first]
        return np.append(table, np.nan)[np.where(at >= 0, at + within, -1)]

    def current(self) -> np.ndarray:
        regret = self.by_cell(self._offset, self.live.table("regret"))
        counts = np.diff(self.tree.infoset_cell)
        first = self.tree.infoset_cell[:-1]
        live = ~np.isnan(regret)
        positive = np.where(live, np.maximum(regret, 0), 0)
        total = np.repeat(np.add.reduceat(positive, first), counts)
        many = np.repeat(np.maximum(1, np.add.reduceat(live, first)), counts)
        return np.where(total > 0, positive / np.where(total > 0, total, 1), live / many)

    # Steps

    def _play(self, player, rule):  # type: ignore[no-untyped-def]
        if player == 0 or self.updates == "alternating":
            self.playing = self.current()
        weight = 1.0 if str(self.rule) == "cfr" else float(self.iterations)
        self.replays[player].play(self.playing, weight, self.pruned[self.block])
        super()._play(player, rule)

    def _prune(self, player):  # type: ignore[no-untyped-def]
        before = self.pruned.copy()
        super()._prune(player)
        self.begun += int((self.pruned > before).sum())
        if player in self.watched:
            self.check(player)

    def near(self, found: np.ndarray, expected: np.ndarray) -> None:
        np.testing.assert_allclose(found, expected, rtol=0, atol=self.slack)

    @property
    def slack(self) -> float:
        return 1e-10 * (1 + self.size * self.replays[0].weight.sum())

    def check(self, player: int) -> None:
        raise NotImplementedError

    def stored(self, name: str) -> np.ndarray:
        return self.by_cell(self.live.offset, self.live.table(name))


class WatchedTotal(Watched, TotalPublicSolver):
    def _release(self, edge, gap):  # type: ignore[no-untyped-def]
        super()._release(edge, gap)
        self.released += 1
        self.replays[int(self._layout.owner[edge])].replace(self.cells_of(edge))

    def check(self, player: int) -> None:
        replay = self.replays[player]
        pruned = self.pruned[self.block] > 0
        live = replay.mine & ~replay.absent(pruned)
        values = self.by_infoset(self.values.offset, self.values.table("value"))
        assert np.array_equal(~np.isnan(values[replay.mine]), live[replay.mine])
        gaps = self.stored("gap" if self.floored else "regret") * self._unit
        stored = live[replay.infoset_of] & ~pruned
        assert np.array_equal(~np.isnan(gaps[replay.cells]), stored[replay.cells])
        regret, value = replay.sums()
        self.near(values[live], value[live])
        self.near(gaps[stored], regret[stored])
        true = replay.respond() - value[replay.infoset_of]
        bounds = self.by_infoset(self.bounds.offset, self.bounds.table("bound"))
        held = np.flatnonzero(pruned & live[replay.infoset_of] & self.matters)
        self.bounded += len(held)
        assert (bounds[replay.infoset_of[held]] >= true[held] - self.slack).all()
        assert (bounds[replay.infoset_of[held]] <= 0).all()
        worst = np.zeros(len(self.pruned))
        self._add_up(player, worst, np.zeros(len(self.pruned), dtype=np.uint8))
        for edge in np.unique(self.block[stored]):
            cells = self.cells_of(edge)
            assert worst[edge] >= true[cells[self.matters[cells]]].max(initial=-np.inf) - self.slack


class WatchedInterval(Watched, IntervalPublicSolver):
    def _settle(self, edge):  # type: ignore[no-untyped-def]
        since = int(self.since[edge])
        super()._settle(edge)
        self.released += 1
        self.replays[int(self._layout.owner[edge])].replace(self.cells_of(edge), since)

    def check(self, player: int) -> None:
        replay = self.replays[player]
        pruned = self.pruned[self.block] > 0
        regret, value = replay.sums()
        values = self.by_infoset(self.values.offset, self.values.table("value"))
        self.near(values[replay.mine], value[replay.mine])
        # Behind pruned blocks the regrets of LCFR wait in the units of when those were pruned.
        unit = np.full(len(self.pruned), self._unit)
        held = np.flatnonzero(self._own_pruned(player)).tolist()
        for edge in held:
            assert not self.pruned[self._layout.own_behind(edge)].any()
            if self.linear:
                unit[self._layout.own_behind(edge)] = self.since[edge] + 1
        stands = replay.cells[~pruned[replay.cells]]
        waits = replay.absent(pruned)[replay.infoset_of][stands]
        found = self.stored("regret") * unit[self.block]
        values_then = value[replay.infoset_of]
        self.near(found[stands[~waits]], regret[stands[~waits]])
        self.near(found[stands[waits]], regret[stands[waits]])
        bounds = self.by_cell(self.bounds.offset, self.bounds.table("bound"))
        base = self.stored("regret")
        for edge in held:
            cells = self.cells_of(edge)
            cells = cells[self.matters[cells]]
            self.bounded += 1
            most = regret[cells] + replay.respond(int(self.since[edge]))[cells]
            assert (bounds[cells] >= most - self.slack).all()
            assert (bounds[cells] <= 0).all()
            self.near(base[cells], regret[cells] + values_then[cells])


KINDS: dict[str, Any] = {"interval": WatchedInterval, "total": WatchedTotal}


def watched(
    game: PublicGame,
    mode: str,
    rule: str,
    updates: str,
    iterations: int,
    players: tuple[int, ...],
    every: int = 1,
) -> Any:
    pruning = Pruning(mode, average=0.0, least=0.0, lasting=0.0, every=every)
    solver = KINDS[mode](game, rule, updates, pruning, iterations, players)
    solver.run(iterations)
    return solver


@pytest.mark.slow
def test_interval_pruning_does_what_its_replay_does() -> None:
    """The smallest of the tests below, for every run of the suite: kernels take long to compile."""
    game = public_game(Leduc(ranks=2, suits=2), False)
    solver = watched(game, "interval", "cfr", "alternating", 40, (0, 1))
    assert solver.begun > 0
    assert solver.released > 0


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "updates", "players"), EXACT)
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("mode", KINDS)
def test_blocks_do_what_their_replay_does(
    mode: str, name: str, rule: str, updates: str, players: tuple[int, ...]
) -> None:
    game = public_game(GAMES[name], False)
    solver = watched(game, mode, rule, updates, 60, players)
    if len(game.rounds) > 1:
        assert solver.begun > 0
        assert solver.released > 0
        assert solver.bounded > 0


@pytest.mark.slow
@pytest.mark.parametrize(("updates", "players"), [("simultaneous", (0, 1)), ("alternating", (0,))])
def test_weighted_gaps_are_those_of_the_replay(updates: str, players: tuple[int, ...]) -> None:
    solver = watched(public_game(GAMES["matrices"], False), "total", "cfr+", updates, 60, players, every=2)
    assert solver.begun > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", [RandomPublic, RandomHoldem])
@pytest.mark.parametrize("mode", KINDS)
def test_blocks_of_random_games_do_what_their_replay_does(mode: str, kind: Any) -> None:
    begun = released = 0
    for seed in range(40):
        game = public_game(kind(seed), False)
        if game.cells == 0:
            continue
        rule, updates, players = EXACT[seed % len(EXACT)]
        solver = watched(game, mode, rule, updates, 25, players, every=1 + seed % 3)
        begun, released = begun + solver.begun, released + solver.released
    assert begun > 0
    assert released > 0
