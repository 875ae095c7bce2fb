"""Total pruning of growing games by block: what stays is untouched, what returns is exact, the budget is kept."""

from __future__ import annotations

import numpy as np
import pytest
from replay import Profile, current, replayed, values

from solvent import solve
from solvent.engines.explicit.growing.game import GrowingGame
from solvent.engines.explicit.growing.growth_settings import AdditionSettings, GrowthSettings
from solvent.engines.explicit.growing.pruning.pruner import Budget, Pruner
from solvent.engines.explicit.growing.recovery import EPSILON
from solvent.engines.explicit.growing.solver import GrowingSolver
from solvent.engines.explicit.growing.tables import AVERAGE, BOUND, REGRET, VALUE
from solvent.engines.pruning import Pruning
from solvent.engines.rules import load_rule
from solvent.forms.explicit.tree import DECISION, explicit_tree
from solvent.foundation.errors import InputError
from solvent.games.continuous_leduc import ContinuousLeduc
from solvent.games.leduc import Leduc

PLENTY = 1 << 40


def responses(tree, profiles, player):
    """T psi by node: best-response values against the opponent's recorded strategies, by brute force."""
    total = sum(profile.weight for profile in profiles)
    other = 1 - player
    mean = np.zeros((tree.nodes, len(tree.hands)))
    reach = np.zeros_like(mean)
    for profile in profiles:
        _, reaches = values(tree, profile.saw[player], player)
        for node in range(1, tree.nodes):
            if tree.edge_player[node] == other:
                mean[node] += profile.weight * reaches[node][other]
                reach[node] += profile.weight * reaches[int(tree.parent[node])][other]
    sigma = np.divide(mean, reach, out=np.zeros_like(mean), where=reach > 0)
    found = {}

    def visit(node, come):
        if tree.kind[node] > 1:
            pays = tree.stake[node] * tree.ends.matrix[tree.column("matrix_of")[node]]
            found[node] = pays @ come if player == 0 else -(come @ pays)
            return found[node]
        below = []
        for child in tree.children(node):
            theirs = tree.kind[node] == DECISION and tree.player[node] == other
            below.append(visit(child, come * sigma[child] if theirs else come))
        mine = tree.kind[node] == DECISION and tree.player[node] == player
        found[node] = np.max(below, axis=0) if mine else np.sum(below, axis=0)
        return found[node]

    visit(0, np.full(len(tree.hands), total))
    return found


def record_one(game):
    """Run an iteration and return its profile; `current` plays pruned actions never."""
    before = current(game)
    game.run(1)
    mixed = before.copy()
    if game.updates == "alternating":
        mine = game.tree.edge_player == 0
        mixed[mine] = current(game)[mine]
    return Profile(game.tables.clock if game.rule.linear else 1.0, (before, mixed), before)


def assert_returned_exactly(game, profiles, edge):
    """Everything stored at and behind an edge is as if its player had played a best response there all along."""
    tree, tables = game.tree, game.tables
    head = int(tree.parent[edge])
    best = responses(tree, profiles, int(tree.player[head]))
    np.testing.assert_allclose(tables.row(REGRET, edge), best[edge] - tables.row(VALUE, head), atol=1e-9)
    for node in tree.subtree(edge).tolist():
        if tree.player[node] != tree.player[head] or tables.offset[VALUE][node] < 0:
            continue
        np.testing.assert_allclose(tables.row(VALUE, node), best[node], atol=1e-9)
        for child in tree.children(node):
            lost = best[child] - best[node]
            if tables.offset[REGRET][child] >= 0:
                np.testing.assert_allclose(tables.row(REGRET, child), lost, atol=1e-9)
            else:
                assert (lost < 0).all()
                assert (tables.row(BOUND, node) >= lost - 1e-9).all()


@pytest.mark.parametrize("gates", ["paper", "lasting"])
@pytest.mark.parametrize(("rule", "updates"), [("cfr", "simultaneous"), ("lcfr", "alternating")])
def test_what_stays_is_untouched_and_what_returns_is_exact(rule, updates, gates):
    """Brute force: the strategies that were played are replayed with nothing pruned."""
    game = GrowingGame(explicit_tree(Leduc(ranks=2, max_bets=2)), load_rule(rule), updates)
    pruner = Pruner(game, Pruning("total", average=0.0, gates=gates, every=1), Budget(PLENTY))
    tree, tables, profiles = game.tree, game.tables, []
    never = np.ones(tree.nodes, dtype=bool)  # edges with nothing above them that was ever pruned
    returned = 0
    for clock in range(40):
        profiles.append(record_one(game))
        pruned = pruner.pruned
        pruner.after_iteration()
        back = np.flatnonzero(pruned & (tables.offset[REGRET] >= 0)).tolist()
        returned += len(back)
        for edge in back:
            assert_returned_exactly(game, profiles, edge)
        if clock % 5 == 4:
            pruner.look()
        for edge in np.flatnonzero((tables.offset[REGRET] < 0) & (tree.edge_player >= 0)).tolist():
            behind = tree.subtree(edge)
            never[behind[tree.edge_player[behind] == tree.edge_player[edge]]] = False
    regret, average, _ = replayed(tree, profiles)
    assert pruner.pruned.any()
    assert not never.all()
    stays = np.flatnonzero(never & (tables.offset[REGRET] >= 0))
    assert len(stays)
    np.testing.assert_allclose(tables.rows(REGRET)[stays], regret[stays], atol=1e-9)
    np.testing.assert_allclose(tables.rows("average"), average, atol=1e-9)
    for edge in np.flatnonzero(pruner.pruned).tolist():  # the paper's test holds for every pruned action
        head = int(tree.parent[edge])
        best = responses(tree, profiles, int(tree.player[head]))
        assert (best[edge] <= tables.row(VALUE, head) + 1e-6).all()
    if gates == "paper":
        assert returned


@pytest.mark.parametrize("updates", ["simultaneous", "alternating"])
def test_opponent_forgets_its_answer_to_an_action_never_chosen_and_plays_its_average(updates):
    game = GrowingGame(explicit_tree(Leduc(ranks=2, max_bets=2)), load_rule("cfr"), updates)
    pruner = Pruner(game, Pruning("total", average=0.0, after="uniform"), Budget(PLENTY))
    tree, tables = game.tree, game.tables
    game.run(20)
    head = tree.children(0)[0]  # player 1 after a check
    edge = tree.children(head)[-1]
    behind = tree.subtree(edge)
    mine, theirs = (behind[tree.edge_player[behind] == player] for player in (1, 0))
    deciding = [
        behind[(tree.kind[behind] == DECISION) & (tree.player[behind] == player)] for player in (0, 1)
    ]
    for name in (REGRET, AVERAGE):
        tables.let_go(name, mine)
    tables.let_go(VALUE, deciding[1])
    tables.hold(BOUND, np.array([head]))
    tables.row(BOUND, head)[:] = -1.0
    pruner.look()
    assert (tables.offset[REGRET][theirs] < 0).all()
    assert (tables.offset[VALUE][deciding[0]] < 0).all()
    assert (tables.offset[AVERAGE][theirs] >= 0).all()
    before = game.average_strategy()
    tables.row(BOUND, head)[:] = -np.inf
    game.run(5)
    np.testing.assert_allclose(game.average_strategy()[theirs], before[theirs], atol=1e-12)
    tables.row(BOUND, head)[:] = tables.row(VALUE, head)[:] = -1e3  # now the action pays
    pruner._settle(1, np.array([head]))
    assert (tables.offset[REGRET][mine] >= 0).all()
    assert (tables.offset[REGRET][theirs] >= 0).all()
    np.testing.assert_array_equal(tables.rows(REGRET)[theirs], EPSILON * tables.rows(AVERAGE)[theirs])
    assert (tables.rows(VALUE)[deciding[0]] == 0).all()


@pytest.mark.parametrize(("rule", "updates"), [("cfr", "simultaneous"), ("lcfr", "alternating")])
def test_budget_is_kept_at_every_iteration(rule, updates):
    limit = 140_000 if updates == "alternating" else 110_000
    pruning = Pruning("total", gates="paper")
    solver = GrowingSolver(ContinuousLeduc(), load_rule(rule), updates, memory=limit, pruning=pruning)
    for _ in range(200):
        solver.run(1)
        assert solver.table_bytes <= limit
        assert solver.table_bytes == 8 * solver.game.tables.stored
    budget = solver.pruner.budget
    assert solver.table_bytes <= budget.peak <= limit
    assert budget.refused_additions > 0
    assert len(solver.log) > 0
    assert solver.pruned_actions > 0
    assert solver.stored_regrets < 1
    assert solver.evaluate().exploitability < 1


@pytest.mark.parametrize("version", ["repaired", "faithful"])
@pytest.mark.parametrize("updates", ["simultaneous", "alternating"])
def test_additions_take_the_bytes_that_were_announced(updates, version):
    growth = GrowthSettings(every=7, additions=AdditionSettings(version))
    solver = GrowingSolver(ContinuousLeduc(), load_rule("cfr"), updates, growth, pruning=Pruning("total"))
    solver.run(6)
    for each in solver.looker.look(solver.game.regret_sums())[:1]:
        before = solver.table_bytes
        solver.looker.add(each.node, each.theta, each.source, solver.game.regret_sums())
        assert solver.table_bytes - before == each.table_bytes


@pytest.mark.parametrize("rule", ["cfr", "lcfr"])
def test_resumed_run_equals_an_undisturbed_one_to_the_bit(tmp_path, rule):
    options = {"grow": "recovery", "pruning": "total", "prune_gates": "paper", "memory": 140_000}
    whole = solve("continuous_leduc", rule=rule, iterations=133, out=tmp_path / "whole", **options)
    solve("continuous_leduc", rule=rule, iterations=68, out=tmp_path / "cut", **options)
    cut = solve(resume=tmp_path / "cut", iterations=133)
    assert whole.additions == cut.additions
    assert whole.pruned_actions == cut.pruned_actions > 0
    np.testing.assert_array_equal(whole.strategy.weights, cut.strategy.weights)
    assert whole.exploitability == cut.exploitability
    assert (whole.nodes_touched, whole.response_nodes) == (cut.nodes_touched, cut.response_nodes)
    numbers = ("table_bytes", "peak_table_bytes", "refused_additions", "refused_returns", "prune_average")
    for name in numbers:
        assert whole.convergence[-1][name] == cut.convergence[-1][name]


def test_budget_too_small_for_the_base_game_is_refused():
    with pytest.raises(
        InputError, match=r"begins with 84\.4 KiB of tables, .* at least 87\.0 KiB, not 48\.8 KiB"
    ):
        solve(
            "continuous_leduc",
            grow="recovery",
            pruning="total",
            updates="simultaneous",
            memory=50_000,
            iterations=1,
        )


def test_budget_below_what_the_tables_have_grown_to_is_refused(tmp_path):
    options = {"grow": "recovery", "pruning": "total", "updates": "simultaneous", "memory": 200_000}
    solve("continuous_leduc", iterations=100, out=tmp_path / "run", **options)
    with pytest.raises(InputError, match="have grown to"):
        solve(resume=tmp_path / "run", iterations=120, memory=95_000)
