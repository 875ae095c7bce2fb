"""Pruning on the public form: the numbers of the unpruned solver, what was played, and what may be forgotten."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from solvent.engines.pruning import Pruning
from solvent.engines.public.pruned.hand_blocks import HandBlocks
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.engines.public.solver import PublicSolver
from solvent.forms.public.game import PublicGame, public_game
from solvent.foundation.errors import InputError
from solvent.games.bluff import Bluff
from solvent.games.holdem.limit_holdem import FlopHoldem
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc
from solvent.solving.measure import measure

UPDATES = ["alternating", "simultaneous"]
RULES = ["cfr", "cfr+", "lcfr"]
GAMES = {
    "one round": (Kuhn(), False),
    "bids": (Bluff(dice=1, faces=3), False),
    "matrices": (Leduc(bets1=(1, 2, 4, 8), bets2=(2, 4, 8)), False),
    "sorted": (FlopHoldem(suits=2, ranks=4, raises=1), False),
    "isomorphic boards": (FlopHoldem(suits=2, ranks=4, raises=1), True),
}


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> PublicGame:
    rules, isomorphism = GAMES[request.param]
    made = public_game(rules, isomorphism)
    assert made.isomorphism == isomorphism
    return made


def solver_of(
    game: PublicGame, rule: str = "cfr", updates: str = "simultaneous", mode: str = "total", **options: Any
) -> PrunedPublicSolver:
    return PrunedPublicSolver(game, rule, updates, Pruning(mode, gates="paper", **options), "float64")


# Without pruning for good


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
def test_partial_pruning_changes_no_number(game: PublicGame, rule: str, updates: str) -> None:
    whole, pruned = (solver_of(game, rule, updates, mode) for mode in ("none", "partial"))
    whole.run(40)
    pruned.run(40)
    for name, table in whole.saved_tables().items():
        np.testing.assert_array_equal(pruned.saved_tables()[name], table)
    assert pruned.nodes_touched < whole.nodes_touched == 2 * 40 * game.public_nodes


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
def test_the_walk_is_that_of_the_public_solver(game: PublicGame, rule: str, updates: str) -> None:
    """Regrets are the same; with alternating updates player 0's average is one strategy ahead."""
    scale = 1e-9 * (1 + float(np.abs(game.nodes.stake).max()))
    plain = PublicSolver(game, rule, updates, "vectors", "swept", dtype="float64")
    walk = solver_of(game, rule, updates, "none")
    # Where two regrets are equal rounding decides what is played; it does not where regrets begin at random.
    begin = np.random.default_rng(7).normal(size=walk.regrets.numbers)
    walk.regrets.table("regret")[: len(begin)] = np.abs(begin) if rule == "cfr+" else begin
    plain.arena.table("regret")[:] = walk.dense(walk.regrets, "regret")
    owner = np.repeat(game.nodes.player[game.edge_node], game.block_sizes)
    ahead = (owner == 0) & (updates == "alternating")
    before, late = np.zeros(game.cells), np.zeros(game.cells)
    for t in range(1, 25):
        plain.run(1)
        unit = t + 1.0 if rule == "lcfr" else 1.0  # the public solver lets the past fade
        regret, average = (plain.arena.table(name) for name in ("regret", "average"))
        weighs = 1.0 if rule == "cfr" else float(t)
        added = (average - before) / weighs
        np.testing.assert_allclose(late[ahead], added[ahead] * (t > 1), rtol=0, atol=1e-9)
        behind = walk.dense(walk.averages, "average")
        walk.run(1)
        played = (walk.dense(walk.averages, "average") - behind) / weighs
        np.testing.assert_allclose(played[~ahead], added[~ahead], rtol=0, atol=1e-9)
        found = walk.dense(walk.regrets, "regret")
        np.testing.assert_allclose(found, regret * unit, rtol=0, atol=scale * weighs * t)
        regret[:], late = found / unit, played
        before = average.copy()


# Total pruning


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
def test_averages_are_those_that_were_played(game: PublicGame, updates: str) -> None:
    """What a player's actions at a node add up to is the player's reach of it, though neither comes everywhere."""
    solver = solver_of(game, updates=updates, average=0.0, every=1)
    solver.run(50)
    average = blocks_of(solver, solver.averages, "average")
    for node, board in positions(game):
        total = sum(average[edge][board] for edge in edges_of(game, node))
        np.testing.assert_allclose(total, own_reach(solver, average, node, board, 50.0), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
def test_nothing_is_stored_behind_what_is_pruned(game: PublicGame, rule: str, updates: str) -> None:
    """Cells of hands that nobody can hold are counted too."""
    solver = solver_of(game, rule, updates, every=1)
    for _ in range(6):
        solver.run(10)
        regrets, averages = (held_of(solver, tables) for tables in (solver.regrets, solver.averages))
        for node, board in positions(game):
            block = solver._layout.node_block[node, 0] + board * solver._layout.node_block[node, 1]
            slots = game.rounds[game.nodes.round[node]].slots
            live = bits_of(solver.values)[block, :slots]
            np.testing.assert_array_equal(live, own_reach(solver, regrets, node, board, True))
            actions = [regrets[edge][board] for edge in edges_of(game, node)]
            np.testing.assert_array_equal(np.any(actions, axis=0), live)
            for edge in edges_of(game, node):
                assert (averages[edge][board] >= regrets[edge][board]).all()
    assert solver.stored_regrets < 1
    assert solver.pruned_actions == game.cells - sum(int(held.sum()) for held in regrets)


class Forgetting(PrunedPublicSolver):
    """Looks at what is forgotten whenever something may be."""

    gone = scaled = 0

    def _tidy(self) -> None:
        before = blocks_of(self, self.averages, "average")
        held = held_of(self, self.averages)
        super()._tidy()
        self.compare(before, held)

    def compare(self, before: list[np.ndarray], held: list[np.ndarray]) -> None:
        game, weight = self.game, self._weight
        after, holds = blocks_of(self, self.averages, "average"), held_of(self, self.averages)
        regrets = held_of(self, self.regrets)
        limit = self.pruning.average / math.sqrt(self.iterations) * weight
        near = 1e-9 * weight
        for node, board in positions(game):
            edges = edges_of(game, node)
            reached = own_reach(self, after, node, board, weight)
            stays = own_reach(self, holds, node, board, True)
            total = sum(before[edge][board] for edge in edges)
            left = sum(after[edge][board] for edge in edges)
            kept = sum(before[edge][board] * holds[edge][board] for edge in edges)
            scale = np.divide(reached, total, out=np.ones_like(total), where=total > 0)
            again = np.divide(reached, kept, out=np.ones_like(total), where=kept > 0)
            for edge in edges:
                was, have = held[edge][board], holds[edge][board]
                assert (was >= have).all()
                assert (have >= regrets[edge][board]).all()
                gone = was & ~have
                self.gone += int(gone.sum())
                # What went was little, and pruned; or it was behind an action that went.
                assert (before[edge][board] * scale <= limit + near)[gone & stays].all()
                np.testing.assert_allclose(after[edge][board], before[edge][board] * have * again, atol=near)
            np.testing.assert_allclose(left, reached, atol=near)
            assert not any((holds[edge][board] & ~stays).any() for edge in edges)
            self.scaled += int((again > 1 + 1e-9).sum())


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["matrices", "sorted", "isomorphic boards"])
def test_what_is_forgotten_was_pruned_and_little(name: str, rule: str, updates: str) -> None:
    rules, isomorphism = GAMES[name]
    pruning = Pruning("total", gates="paper", average=0.2, every=8)
    solver = Forgetting(public_game(rules, isomorphism), rule, updates, pruning, "float64")
    solver.run(40)
    assert solver.gone > 0
    assert solver.scaled > 0
    assert solver.stored_averages < 1


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["none", "partial", "total"])
@pytest.mark.parametrize("updates", UPDATES)
def test_exploitability_is_that_of_the_strategy(game: PublicGame, updates: str, mode: str) -> None:
    solver = solver_of(game, "cfr", updates, mode, average=0.1, every=2)
    solver.run(60)
    found, expected = solver.evaluate(), measure(solver.strategy())
    assert found.exploitability == pytest.approx(expected.exploitability, abs=1e-9)
    assert found.value == pytest.approx(expected.value, abs=1e-9)
    assert found.best_response == pytest.approx(expected.best_response, abs=1e-9)


@cache
def exploitability(game: PublicGame, rule: str, updates: str, iterations: int) -> float:
    whole = PublicSolver(game, rule, updates, "vectors", "swept", dtype="float64")
    whole.run(iterations)
    return whole.evaluate().exploitability


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "updates"),
    [("cfr", "alternating"), ("cfr", "simultaneous"), ("lcfr", "alternating"), ("lcfr", "simultaneous"),
     ("cfr+", "alternating")],
)  # fmt: skip
def test_total_pruning_converges(game: PublicGame, rule: str, updates: str) -> None:
    """CFR+ and LCFR lose some of their lead when actions return late: they stay ahead of CFR.

    CFR+ with simultaneous updates is not among them: with pruning it does not stay ahead, and the papers promise
    nothing for it (on Kuhn 0.023 after 400 iterations, CFR 0.013).
    """
    pruned = solver_of(game, rule, updates)
    pruned.run(400)
    plain = exploitability(game, rule, updates, 400)
    if rule != "cfr":
        plain = max(plain, exploitability(game, "cfr", updates, 400) / 1.3)
    assert pruned.evaluate().exploitability <= max(1.3 * plain, 0.004)


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rules", [Leduc(), GAMES["matrices"][0]], ids=str)
def test_pruned_leduc_is_as_good_as_unpruned(rules: Leduc, updates: str) -> None:
    game = public_game(rules, isomorphism=False)
    pruned = solver_of(game, "cfr", updates)
    for count in (400, 1600):
        pruned.run(count)
        plain = exploitability(game, "cfr", updates, pruned.iterations)
        assert pruned.evaluate().exploitability <= 1.10 * plain


# Checkpoints and refusals


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("mode", ["none", "partial", "total"])
def test_a_solve_goes_on_from_what_it_saved(game: PublicGame, mode: str, rule: str, updates: str) -> None:
    through, first, second = (solver_of(game, rule, updates, mode, every=3, average=0.1) for _ in range(3))
    through.run(80)
    first.run(40)
    second.load_tables({name: table.copy() for name, table in first.saved_tables().items()})
    names = ("iterations", "nodes_touched", "response_nodes", "peak_stored")
    second.restore({name: getattr(first, name) for name in names})
    second.run(40)
    for name, table in through.saved_tables().items():
        np.testing.assert_array_equal(second.saved_tables()[name], table)
    assert second.nodes_touched == through.nodes_touched
    assert second.peak_stored == through.peak_stored


def test_interval_pruning_is_refused() -> None:
    with pytest.raises(InputError, match="give pruning total, or form history"):
        PrunedPublicSolver(public_game(Leduc()), "cfr", pruning=Pruning("interval"))


# Tables by edge, board and slot


def positions(game: PublicGame) -> list[tuple[int, int]]:
    """Every decision node with every board of its round."""
    nodes = np.flatnonzero(np.diff(game.nodes.first_edge)).tolist()
    return [
        (node, board) for node in nodes for board in range(len(game.rounds[game.nodes.round[node]].boards))
    ]


def edges_of(game: PublicGame, node: int) -> range:
    return range(int(game.nodes.first_edge[node]), int(game.nodes.first_edge[node + 1]))


def blocks_of(solver: PrunedPublicSolver, tables: HandBlocks, name: str) -> list[np.ndarray]:
    """For each edge float64[boards, slots], 0 where nothing is stored."""
    game = solver.game
    parts = np.split(solver.dense(tables, name), np.cumsum(game.block_sizes)[:-1])
    levels = game.nodes.round[game.edge_node]
    return [part.reshape(-1, game.rounds[level].slots) for part, level in zip(parts, levels, strict=True)]


def bits_of(tables: HandBlocks) -> np.ndarray:
    """bool[blocks, hands]: what is stored."""
    return np.unpackbits(tables.stored.mask.view(np.uint8), axis=1, bitorder="little").astype(bool)


def held_of(solver: PrunedPublicSolver, tables: HandBlocks) -> list[np.ndarray]:
    """For each edge bool[boards, slots]: what is stored."""
    game, bits = solver.game, bits_of(tables)
    found = []
    for edge, (first, step) in enumerate(solver._layout.edge_block.tolist()):
        here = game.rounds[game.nodes.round[game.edge_node[edge]]]
        found.append(bits[first + step * np.arange(len(here.boards)), : here.slots])
    return found


def own_reach(
    solver: PrunedPublicSolver, of_edges: list[np.ndarray], node: int, board: int, root: Any
) -> np.ndarray:
    """Numbers of a player's last action before one of the player's nodes; `root` where there was none."""
    game = solver.game
    here = game.rounds[game.nodes.round[node]]
    last = int(solver._layout.last_edge[1 - game.nodes.player[node], node])
    if last < 0:
        return np.full(here.slots, root)
    if game.nodes.round[game.edge_node[last]] == game.nodes.round[node]:
        return of_edges[last][board]
    return of_edges[last][0][here.parent_slot[board]]
