"""Pruning by block on the public form: the numbers of the unpruned solver, or those of best responses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvent.errors import InputError
from solvent.forms.public import PublicGame, public_game
from solvent.games.flop_holdem import FlopHoldem
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc
from solvent.solvers.pruned_public import PrunedPublicSolver
from solvent.solvers.pruning import Pruning
from solvent.solvers.public_cfr import PublicSolver

GAMES = {
    "one round": Kuhn(),
    "matrices": Leduc(bets1=(1, 2, 4, 8), bets2=(2, 4, 8)),
    "sorted": FlopHoldem(suits=2, ranks=4, raises=1),
}


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> PublicGame:
    return public_game(GAMES[request.param], isomorphism=False)


def solver_of(game: PublicGame, rule: str = "cfr", **options: Any) -> PrunedPublicSolver:
    return PrunedPublicSolver(game, rule, "simultaneous", Pruning("total", **options), "float64")


def gaps(solver: PrunedPublicSolver, edge: int) -> np.ndarray:
    """T psi(I, a) - sum v(I) of one block, of hands that can be held."""
    node = int(solver.game.edge_node[edge])
    nodes = solver.game.nodes
    won = solver._respond(edge, writes=False)
    possible = solver._possible[nodes.round[node]][nodes.player[node]]
    value = solver.values.block("value", node).reshape(won.shape)
    return np.where(possible, won - value, -np.inf)


@pytest.mark.slow
@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("rule", ["cfr", "cfr+", "lcfr"])
def test_partial_pruning_changes_no_number(game: PublicGame, rule: str, updates: str) -> None:
    whole = PublicSolver(game, rule, updates, "vectors", "sweep", dtype="float64")
    pruned = PrunedPublicSolver(game, rule, updates, Pruning("partial"), "float64")
    whole.run(40)
    pruned.run(40)
    for name in ("regret", "average"):
        np.testing.assert_array_equal(pruned.live.table(name), whole.arena.table(name))
    assert pruned.nodes_touched < whole.nodes_touched


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["cfr", "lcfr"])
def test_regrets_tell_the_best_responses(game: PublicGame, rule: str) -> None:
    """After prunings and returns too: what regrets say of every block is what a best response says."""
    solver = solver_of(game, rule, average=0.0, every=1)
    seen = 0
    for _ in range(12):
        solver.run(3)
        for player in (0, 1):
            worst = np.zeros(len(solver.pruned))
            solver._add_up(player, worst, np.zeros(len(solver.pruned), dtype=np.uint8))
            mine = solver.game.nodes.player[solver.game.edge_node] == player
            for edge in np.flatnonzero(mine & (solver.live.offset >= 0))[::7].tolist():
                found = float(gaps(solver, edge).max())
                assert worst[edge] == pytest.approx(found, abs=1e-9 * solver.iterations**2)
        for edge in np.flatnonzero(solver.pruned).tolist():
            seen += 1
            node = int(solver.game.edge_node[edge])
            bound = solver.bounds.block("bound", node).reshape(gaps(solver, edge).shape)
            assert (gaps(solver, edge) <= bound + 1e-9).all()
            assert (bound <= 0).all()
    assert seen > 0 or len(game.rounds) == 1  # every action of Kuhn's is right for somebody
    assert solver.response_nodes > 0


@pytest.mark.slow
def test_nothing_is_stored_behind_a_pruned_block(game: PublicGame) -> None:
    solver = solver_of(game, every=1)
    solver.run(60)
    for edge in np.flatnonzero(solver.pruned).tolist():
        assert (solver.live.offset[solver._own_behind(edge)] < 0).all()
    assert solver.stored_regrets < 1 or len(game.nodes.symbol) < 100  # each may be right
    assert solver.live.stored == solver.game.block_sizes[solver.live.offset >= 0].sum()
    first = solver.game.nodes.first_edge
    live = np.add.reduceat(solver.pruned == 0, first[:-1][np.diff(first) > 0])
    assert (live > 0).all()


@pytest.mark.slow
def test_averages_are_those_that_were_played(game: PublicGame) -> None:
    """What a player's actions at a node add up to is his reach of it, though neither comes everywhere."""
    solver = solver_of(game, average=0.0, every=1)
    solver.run(50)
    offset, average = solver._averages()
    nodes, sizes = game.nodes, game.block_sizes
    for node in np.flatnonzero(np.diff(nodes.first_edge)).tolist():
        total = sum(average[offset[edge] : offset[edge] + sizes[edge]] for edge in solver._edges(node))
        last = int(solver._behind.last_edge[1 - nodes.player[node], node])
        reach = np.full(len(total), 50.0)
        if last >= 0:
            reach = average[offset[last] : offset[last] + sizes[last]]
            if nodes.round[game.edge_node[last]] < nodes.round[node]:
                here = game.rounds[nodes.round[node]]
                reach = reach[here.parent_seat].ravel()
        np.testing.assert_allclose(total, reach, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["cfr", "cfr+", "lcfr"])
def test_total_pruning_converges(game: PublicGame, rule: str) -> None:
    whole = PublicSolver(game, rule, "simultaneous", "vectors", "sweep", dtype="float64")
    pruned = solver_of(game, rule)
    whole.run(400)
    pruned.run(400)
    plain = PublicSolver(game, "cfr", "simultaneous", "vectors", "sweep", dtype="float64")
    plain.run(400)
    allowed = max(1.3 * whole.evaluate().exploitability, plain.evaluate().exploitability)
    assert pruned.evaluate().exploitability < allowed


@pytest.mark.slow
def test_a_solve_goes_on_from_what_it_saved(game: PublicGame) -> None:
    through, first = solver_of(game, every=5), solver_of(game, every=5)
    through.run(80)
    first.run(40)
    second = solver_of(game, every=5)
    second.load_tables(first.saved_tables())
    facts = {"nodes_touched": first.nodes_touched, "response_nodes": first.response_nodes}
    second.restore({**facts, "iterations": 40, "peak_stored": 1.0})
    second.run(40)
    for name, table in through.saved_tables().items():
        np.testing.assert_array_equal(second.saved_tables()[name], table)
    assert second.nodes_touched == through.nodes_touched


@pytest.mark.parametrize(
    ("updates", "pruning", "reason"),
    [
        ("alternating", Pruning("total"), "simultaneous"),
        ("simultaneous", Pruning("interval"), "history form"),
        ("simultaneous", Pruning("total", near=0.1), "exact"),
        ("simultaneous", Pruning("total", length="guaranteed"), "exact"),
    ],
)
def test_what_blocks_cannot_do_is_refused(updates: str, pruning: Pruning, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        PrunedPublicSolver(public_game(Leduc()), "cfr", updates, pruning)
