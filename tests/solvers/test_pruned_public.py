"""Pruning by block on the public form: the numbers of the unpruned solver, or those of best responses."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from solvent.solvers.pruned.public.total import TotalPublicSolver

from solvent.forms.public import PublicGame, public_game
from solvent.foundation.errors import InputError
from solvent.games.bluff import Bluff
from solvent.games.holdem.flop_holdem import FlopHoldem
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc
from solvent.solvers.choose import BY_BLOCK
from solvent.solvers.pruned.pruning import Pruning
from solvent.solvers.pruned.public.solver import PrunedPublicSolver
from solvent.solvers.public.solver import PublicSolver

UPDATES = ["alternating", "simultaneous"]
GAMES = {
    "one round": Kuhn(),
    "bids": Bluff(dice=1, faces=3),
    "matrices": Leduc(bets1=(1, 2, 4, 8), bets2=(2, 4, 8)),
    "sorted": FlopHoldem(suits=2, ranks=4, raises=1),
}


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> PublicGame:
    return public_game(GAMES[request.param], isomorphism=False)


def solver_of(
    game: PublicGame, rule: str = "cfr", updates: str = "simultaneous", mode: str = "total", **options: Any
) -> Any:
    return BY_BLOCK[mode](game, rule, updates, Pruning(mode, **options), "float64")


def gaps(solver: TotalPublicSolver, edge: int) -> np.ndarray:
    """T psi(I, a) - sum v(I) of one block, of hands that can be held."""
    node = int(solver.game.edge_node[edge])
    nodes = solver.game.nodes
    won = solver._respond(edge, solver._seen(edge))
    possible = solver._layout.possible[nodes.round[node]][nodes.player[node]]
    value = solver.values.block("value", node).reshape(won.shape)
    return np.where(possible, won - value, -np.inf)


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
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
@pytest.mark.parametrize(
    ("rule", "updates"), [("cfr", "simultaneous"), ("lcfr", "simultaneous"), ("cfr", "alternating")]
)
def test_regrets_tell_the_best_responses(game: PublicGame, rule: str, updates: str) -> None:
    """After prunings and returns too: what regrets say of every block is what a best response says, or more.

    More where every stored action has a regret below 0: then the bound of those that are pruned counts.
    """
    solver = solver_of(game, rule, updates, average=0.0, every=1)
    seen = 0
    for _ in range(12):
        solver.run(3)
        # After an iteration of alternating updates player 1 alone has just seen what the averages have.
        players = (0, 1) if updates == "simultaneous" else (1,)
        for player in players:
            worst = np.zeros(len(solver.pruned))
            solver._add_up(player, worst, np.zeros(len(solver.pruned), dtype=np.uint8))
            mine = solver.game.nodes.player[solver.game.edge_node] == player
            for edge in np.flatnonzero(mine & (solver.live.offset >= 0))[::7].tolist():
                found = float(gaps(solver, edge).max())
                assert worst[edge] >= found - 1e-9 * solver.iterations**2
        for edge in np.flatnonzero(solver.pruned * np.isin(solver._layout.owner, players)).tolist():
            seen += 1
            node = int(solver.game.edge_node[edge])
            bound = solver.bounds.block("bound", node).reshape(gaps(solver, edge).shape)
            assert (gaps(solver, edge) <= bound + 1e-9).all()
            assert (bound <= 0).all()
    # Every action of Kuhn's is right for somebody.
    assert seen > 0 or len(game.rounds) == 1 or updates == "alternating"
    assert solver.response_nodes > 0


@pytest.mark.slow
def test_nothing_is_stored_behind_a_pruned_block(game: PublicGame) -> None:
    solver = solver_of(game, every=1)
    solver.run(60)
    for edge in np.flatnonzero(solver.pruned).tolist():
        assert (solver.live.offset[solver._layout.own_behind(edge)] < 0).all()
    assert solver.stored_regrets < 1 or len(game.nodes.symbol) < 100  # each may be right
    assert solver.live.stored == solver.game.block_sizes[solver.live.offset >= 0].sum()
    first = solver.game.nodes.first_edge
    live = np.add.reduceat(solver.pruned == 0, first[:-1][np.diff(first) > 0])
    assert (live > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("mode", ["interval", "total"])
def test_averages_are_those_that_were_played(game: PublicGame, mode: str, updates: str) -> None:
    """What a player's actions at a node add up to is his reach of it, though neither comes everywhere."""
    solver = solver_of(game, updates=updates, mode=mode, average=0.0, every=1)
    solver.run(50)
    offset, average = solver._averages()
    nodes, sizes = game.nodes, game.block_sizes
    for node in np.flatnonzero(np.diff(nodes.first_edge)).tolist():
        total = sum(average[offset[edge] : offset[edge] + sizes[edge]] for edge in solver._layout.edges(node))
        last = int(solver._layout.behind.last_edge[1 - nodes.player[node], node])
        reach = np.full(len(total), 50.0)
        if last >= 0:
            reach = average[offset[last] : offset[last] + sizes[last]]
            if nodes.round[game.edge_node[last]] < nodes.round[node]:
                here = game.rounds[nodes.round[node]]
                reach = reach[here.parent_slot].ravel()
        np.testing.assert_allclose(total, reach, atol=1e-9)


@cache
def exploitability(game: PublicGame, rule: str, updates: str, iterations: int) -> float:
    whole = PublicSolver(game, rule, updates, "vectors", "sweep", dtype="float64")
    whole.run(iterations)
    return whole.evaluate().exploitability


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", ["cfr", "cfr+", "lcfr"])
@pytest.mark.parametrize("mode", ["interval", "total"])
def test_all_modes_converge(game: PublicGame, mode: str, rule: str, updates: str) -> None:
    """CFR+ and LCFR lose some of their lead when actions return late: they stay ahead of CFR."""
    pruned = solver_of(game, rule, updates, mode)
    pruned.run(400)
    plain = exploitability(game, rule, updates, 400)
    if rule != "cfr":
        plain = max(plain, exploitability(game, "cfr", updates, 400) / 1.3)
    assert pruned.evaluate().exploitability <= max(1.3 * plain, 0.004)


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("mode", ["interval", "total"])
@pytest.mark.parametrize("rules", [Leduc(), GAMES["matrices"]], ids=str)
def test_pruned_leduc_is_as_good_as_unpruned(rules: Leduc, mode: str, updates: str) -> None:
    game = public_game(rules, isomorphism=False)
    pruned = solver_of(game, "cfr", updates, mode)
    for count in (400, 1600):
        pruned.run(count)
        plain = exploitability(game, "cfr", updates, pruned.iterations)
        assert pruned.evaluate().exploitability <= 1.10 * plain


@pytest.mark.slow
def test_interval_pruning_keeps_all_regrets_and_copies_besides() -> None:
    solver = solver_of(public_game(GAMES["matrices"], isomorphism=False), mode="interval")
    before = solver.table_bytes
    solver.run(300)
    assert solver.pruned_actions > 0
    assert solver.stored_regrets == solver.stored_averages == 1
    assert 1 < solver.peak_stored < 2
    assert solver.table_bytes > before


@pytest.mark.slow
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("rule", ["cfr", "cfr+", "lcfr"])
@pytest.mark.parametrize("mode", ["interval", "total"])
def test_a_solve_goes_on_from_what_it_saved(game: PublicGame, mode: str, rule: str, updates: str) -> None:
    through, first, second = (
        solver_of(game, rule, updates, mode, every=5, least=1.0, average=0.1) for _ in range(3)
    )
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


@pytest.mark.parametrize("mode", ["interval", "total"])
@pytest.mark.parametrize("options", [{"near": 0.1}, {"length": "guaranteed"}])
def test_what_blocks_cannot_do_is_refused(mode: str, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="exact best responses and dynamic lengths"):
        BY_BLOCK[mode](public_game(Leduc()), "cfr", "simultaneous", Pruning(mode, **options))


def test_a_solver_refuses_another_way_to_prune() -> None:
    with pytest.raises(InputError, match="prunes by total, not interval"):
        TotalPublicSolver(public_game(Leduc()), "cfr", pruning=Pruning("interval"))
