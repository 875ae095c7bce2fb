"""Total pruning on the public form against a replay of every iteration on the unrolled game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracles.random_public import RandomHoldem, RandomPublic
from oracles.replays import Replay
from solvent.engines.pruning import Pruning
from solvent.engines.public.pruned.hand_blocks import HandBlocks
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.forms.public.game import PublicGame, public_game
from solvent.forms.public.unroll import unroll
from solvent.games.bluff import Bluff
from solvent.games.holdem.limit_holdem import FlopHoldem
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc
from solvent.games.public_rules import PublicRules

UPDATES = ["alternating", "simultaneous"]
RULES = ["cfr", "lcfr", "cfr+"]
GAMES = {
    "one round": Kuhn(),
    "bids": Bluff(dice=1, faces=3),
    "matrices": Leduc(ranks=2, bets1=(1, 4), bets2=(2, 8)),
    "sorted": FlopHoldem(suits=2, ranks=4, raises=1),
}
NOBODY = np.zeros(0, dtype=np.int64)


def numbers_at(tables: HandBlocks, name: str, block: np.ndarray, slot: np.ndarray) -> np.ndarray:
    """Stored numbers of some hands of some blocks, NaN where there is none; read from the masks bit by bit."""
    stored = tables.stored
    bits = np.unpackbits(stored.mask.view(np.uint8), axis=1, bitorder="little").astype(np.int64)
    before = np.cumsum(bits, axis=1) - bits
    held = bits[block, slot] > 0
    at = stored.offset[block] + before[block, slot]
    assert (stored.offset[block[held]] >= 0).all()
    assert (bits.sum(axis=1) == stored.count).all()
    assert bits.sum() == stored.room[2] == tables.numbers <= stored.room[0]
    return np.where(held, tables.table(name)[np.where(held, at, 0)], np.nan)


class Cells:
    """Where the cells and infosets of an unrolled game lie in the tables of a public one.

    With isomorphism, boards are found on the board that stands for them, with suits named anew.
    """

    def __init__(self, rules: PublicRules, game: PublicGame) -> None:
        whole = public_game(rules, isomorphism=False)
        self.tree, place = unroll(whole)
        ends = np.cumsum(whole.block_sizes)
        self.edge = np.searchsorted(ends, place, side="right")
        within = place - (ends - whole.block_sizes)[self.edge]
        self.node = whole.edge_node[self.edge]
        level = whole.nodes.round[self.node]
        slots = np.array([here.slots for here in whole.rounds])[level]
        self.board, self.slot = within // slots, within % slots
        if game.isomorphism:
            moved = [self._moved(rules, whole, game, number) for number in range(len(game.rounds))]
            for cell, number in enumerate(level.tolist()):
                self.board[cell], self.slot[cell] = moved[number][self.board[cell], self.slot[cell]]
        self.first = self.tree.infoset_cell[:-1]

    @staticmethod
    def _moved(
        rules: PublicRules, whole: PublicGame, game: PublicGame, level: int
    ) -> dict[tuple[int, int], tuple[int, int]]:
        """Board and slot of the whole game -> those of the game with isomorphism."""
        here, there = whole.rounds[level], game.rounds[level]
        number = {board: k for k, board in enumerate(there.boards)}
        same: Any = (lambda hand: hand, lambda board: board)
        found = {}
        for k, board in enumerate(here.boards):
            hand_of, board_of = next(m for m in (same, *rules.symmetries()) if m[1](board) in number)
            target = number[board_of(board)]
            slot_of = {hand: slot for slot, hand in enumerate(there.hand[target].tolist())}
            for slot, hand in enumerate(here.hand[k].tolist()):
                other = whole.hands.index(hand_of(whole.hands[hand]))
                found[k, slot] = (target, slot_of[other])
        return found


class Watched(PrunedPublicSolver):
    """A solver of total pruning that is compared to its replay after every step."""

    def __init__(
        self, rules: PublicRules, game: PublicGame, rule: str, updates: str, pruning: Pruning, iterations: int
    ) -> None:
        super().__init__(game, rule, updates, pruning, "float64")
        self.cell = Cells(rules, game)
        self.tree = self.cell.tree
        self.replays = [Replay(self.tree, player, iterations) for player in (0, 1)]
        self.begun = self.returned = self.bounded = self.nested = 0
        self.quiet = False
        self.playing = np.zeros(0)
        self.played = np.zeros(self.tree.cells)
        """Cumulative reach of the actions that the regrets have been computed against."""
        self.expected = np.zeros(self.tree.cells)
        """Regrets by the rule, step by step."""
        self.size = float(np.abs(self.tree.payoff).max(initial=1.0))
        layout, cell = self._layout, self.cell
        self.edge_block = layout.edge_block[cell.edge, 0] + cell.board * layout.edge_block[cell.edge, 1]
        first = cell.first
        self.node_block = (
            layout.node_block[cell.node[first], 0]
            + cell.board[first] * layout.node_block[cell.node[first], 1]
        )

    # By the tree's cells

    def by_cell(self, tables: HandBlocks, name: str) -> np.ndarray:
        return numbers_at(tables, name, self.edge_block, self.cell.slot)

    def by_infoset(self, name: str) -> np.ndarray:
        return numbers_at(self.values, name, self.node_block, self.cell.slot[self.cell.first])

    @property
    def missing(self) -> np.ndarray:
        return np.isnan(self.by_cell(self.regrets, "regret"))

    def current(self) -> np.ndarray:
        regret = self.by_cell(self.regrets, "regret")
        counts, first = np.diff(self.tree.infoset_cell), self.tree.infoset_cell[:-1]
        live = ~np.isnan(regret)
        positive = np.where(live, np.maximum(regret, 0), 0)
        total = np.repeat(np.add.reduceat(positive, first), counts)
        many = np.repeat(np.maximum(1, np.add.reduceat(live, first)), counts)
        return np.where(total > 0, positive / np.where(total > 0, total, 1), live / many)

    def own_reach(self, player: int, strategy: np.ndarray) -> np.ndarray:
        """The player's own reach of each of the player's cells."""
        replay = self.replays[player]
        reach = np.zeros(self.tree.cells)
        starts = np.flatnonzero(replay.mine[replay.infoset_of] & (replay.moves[replay.infoset_of] == 0))
        reach[starts] = strategy[starts]
        for _, _, cells, _ in replay.stages:
            reach[cells] = strategy[cells] * reach[replay.before[replay.infoset_of[cells]]]
        return reach

    # Steps

    def _walk(self, player, step):  # type: ignore[no-untyped-def]
        if player == 0 or self.updates == "alternating":
            self.playing = self.current()
        replay, absent = self.replays[player], self.missing
        replay.play(self.playing, step.average, absent)
        self.played += step.average * self.own_reach(1 - player, self.playing)
        t, stays = replay.t - 1, replay.cells[~absent[replay.cells]]
        gained = replay.cell_value[t] - replay.value[t][replay.infoset_of]
        self.expected[stays] = np.maximum(self.expected[stays] + step.gain * gained[stays], step.floor)
        return super()._walk(player, step)

    def _prune(self, player, step, failed):  # type: ignore[no-untyped-def]
        replay = self.replays[player]
        before, live = self.missing, ~np.isnan(self.by_infoset("value"))
        self.quiet = True
        super()._prune(player, step, failed)
        self.quiet = False
        fresh = before & ~self.missing
        roots = np.flatnonzero(fresh & live[replay.infoset_of])
        assert replay.mine[replay.infoset_of[roots]].all()
        self.returned += len(roots)
        self.nested += int(fresh.sum()) - len(roots)
        if len(roots):
            replay.replace(roots)
            gap, scale = replay.sums()[0], (self.iterations + 1) / 2
            self.expected[fresh] = np.maximum(gap[fresh] / scale, 0) if self.floored else gap[fresh]
        self.check(player)
        self.check_seen(1 - player)
        if self._looks:
            gaps, regret = self.gaps(player), self.by_cell(self.regrets, "regret")
            super()._prune(player, step, NOBODY)
            self.check_begun(player, gaps, regret)
            self.check(player)

    @property
    def _looks(self) -> bool:
        return super()._looks and not self.quiet

    # Checks

    def near(self, found: np.ndarray, expected: np.ndarray) -> None:
        np.testing.assert_allclose(found, expected, rtol=0, atol=self.slack)

    @property
    def slack(self) -> float:
        return 1e-10 * (1 + self.size * self.replays[0].weight.sum())

    def check(self, player: int) -> None:
        """Sums of values, regrets and bounds are those of the replay; nothing is stored behind what is pruned."""
        replay, missing = self.replays[player], self.missing
        live = replay.mine & ~replay.absent(missing)
        values, bounds = self.by_infoset("value"), self.by_infoset("bound")
        assert np.array_equal(~np.isnan(values[replay.mine]), live[replay.mine])
        assert not (~missing & ~live[replay.infoset_of])[replay.cells].any()
        stored = live[replay.infoset_of] & ~missing
        kept = np.bincount(replay.infoset_of[stored], minlength=self.tree.infosets)
        assert (kept[live] > 0).all()
        regret, value = replay.sums()
        self.near(values[live], value[live])
        gap = self.by_cell(self.regrets, "gap" if self.floored else "regret")
        self.near(gap[stored], regret[stored])
        self.near(self.by_cell(self.regrets, "regret")[stored], self.expected[stored])
        assert not np.isnan(self.by_cell(self.averages, "average")[stored]).any()
        true = replay.respond() - value[replay.infoset_of]
        held = np.flatnonzero(live[replay.infoset_of] & missing)
        assert (bounds[replay.infoset_of[held]] >= true[held] - self.slack).all()
        assert (bounds[replay.infoset_of[held]] <= 0).all()
        self.bounded += len(held)
        whole = live & (kept == np.diff(self.tree.infoset_cell))
        assert (bounds[whole] == -np.inf).all()
        assert (self.gaps(player)[stored] >= true[stored] - self.slack).all()

    def gaps(self, player: int) -> np.ndarray:
        """What regrets and bounds say of T psi(I, a) - sum v(I), for every cell that is stored."""
        replay = self.replays[player]
        gap = self.by_cell(self.regrets, "gap" if self.floored else "regret")
        bound = self.by_infoset("bound")
        for infosets, before, cells, starts in replay.stages[::-1]:
            largest = np.maximum.reduceat(np.where(np.isnan(gap[cells]), -np.inf, gap[cells]), starts)
            largest = np.fmax(largest, bound[infosets])
            np.add.at(gap, before, np.where(np.isnan(bound[infosets]), 0, largest))
        return gap

    def check_begun(self, player: int, gaps: np.ndarray, regret: np.ndarray) -> None:
        """What begins to be pruned has a gap below 0; what has such a gap and stays is an infoset's last action."""
        replay, after = self.replays[player], self.missing
        live = ~np.isnan(self.by_infoset("value"))
        begun = np.flatnonzero(after & ~np.isnan(regret) & live[replay.infoset_of])
        self.begun += len(begun)
        assert (gaps[begun] < 0).all()
        assert (regret[begun] <= 0).all()
        kept = np.bincount(replay.infoset_of[~after], minlength=self.tree.infosets)
        stays = replay.cells[~after[replay.cells]]
        below = stays[(gaps[stays] < -1e3 * self.slack) & (regret[stays] <= 0)]
        assert (kept[replay.infoset_of[below]] == 1).all()

    def check_seen(self, player: int) -> None:
        """The average is what the other player's regrets were computed against."""
        cells = self.replays[player].cells
        average = self.by_cell(self.averages, "average")
        self.near(np.nan_to_num(average[cells]), self.played[cells])


def watched(
    rules: PublicRules,
    rule: str,
    updates: str,
    iterations: int,
    every: int = 1,
    isomorphism: bool = False,
    after: str = "cbr",
) -> Watched:
    pruning = Pruning("total", average=0.0, gates="paper", every=every, after=after)
    solver = Watched(rules, public_game(rules, isomorphism), rule, updates, pruning, iterations)
    solver.run(iterations)
    return solver


@pytest.mark.slow  # its kernels take two minutes to compile
def test_total_pruning_does_what_its_replay_does() -> None:
    """The smallest of the tests below, for every run of the suite: kernels take long to compile."""
    solver = watched(Leduc(ranks=2, suits=2), "cfr", "alternating", 40)
    assert solver.begun > 0
    assert solver.returned > 0


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", GAMES)
def test_hands_do_what_their_replay_does(name: str, rule: str, updates: str, every: int) -> None:
    solver = watched(GAMES[name], rule, updates, 24 if name == "sorted" else 60, every)
    assert solver.begun > 0
    assert solver.returned > 0
    assert solver.bounded > 0
    assert solver.nested > 0 or name == "one round"


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
def test_boards_stand_for_others_like_them(rule: str, updates: str) -> None:
    solver = watched(GAMES["sorted"], rule, updates, 24, isomorphism=True)
    assert solver.game.isomorphism
    assert solver.returned > 0
    assert solver.nested > 0


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("name", ["matrices", "sorted"])
def test_all_actions_may_return_at_once(name: str, updates: str) -> None:
    solver = watched(GAMES[name], "cfr", updates, 24, after="uniform")
    assert solver.nested > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", [RandomPublic, RandomHoldem])
def test_random_games_do_what_their_replay_does(kind: Any) -> None:
    begun = returned = 0
    for seed in range(48):
        if public_game(kind(seed), False).cells == 0:
            continue
        rule, updates = RULES[seed % 3], UPDATES[seed // 3 % 2]
        solver = watched(kind(seed), rule, updates, 25, every=1 + seed % 4)
        begun, returned = begun + solver.begun, returned + solver.returned
    assert begun > 0
    assert returned > 0
