"""Trees that grow while they are solved: Theorem 1 of SAEF by brute force, and what an addition leaves as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solvent.engines.holdem.carry_over import common_edges
from solvent.engines.holdem.growing.adding import (
    FAITHFUL,
    REPAIRED,
    YOUNG,
    add_actions,
    copy_nearest,
    larger_game,
)
from solvent.engines.holdem.growing.growing_solver import GrowingSolver, RecoverySolver, SummingSolver
from solvent.engines.holdem.growing.looks import response_reach
from solvent.engines.holdem.kernels import UPDATE
from solvent.engines.holdem.table_views import action_rows, dealt_on, edge_numbers, range_weights
from solvent.engines.schedule import AVERAGE, POSITIVE
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.errors import InputError
from solvent.games.holdem.spot import Spot

RIVER = Spot(
    "Td9d6hQc2s", "QQ,76s,AKs:0.3", "JJ,T9s:0.5,AhKh", pot=20, stack=90, bets="25%,a", raises="100%", cap=2
)
TURN = Spot("Td9d6hQc", "QQ,AKs:0.3", "JJ,AhKh,8h7h:0.5", pot=20, stack=40, bets="50%,a", raises="a", cap=2)
CASES = [
    (RIVER, "", "bet 13"),
    (RIVER, "check", "bet 30"),
    (TURN, "", "bet 16"),
    (TURN, "check", "bet 16"),
    (TURN, "bet 10, call", "bet 12"),
    (TURN, "check, bet 10, call, check", "bet 7"),
]

Array = Any
Recorded = list[tuple[int, Array, Array]]


def played(game: HoldemGame, regret: Array) -> Array:
    """The strategy that a table of regrets plays, by cell."""
    found = np.zeros_like(regret)
    for node in np.flatnonzero(game.tree.kind == DECISION).tolist():
        rows = np.maximum(action_rows(regret, game, node), 0)
        total = rows.sum(axis=0)
        rows = np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / len(rows))
        for edge, row in enumerate(rows, start=int(game.tree.first_edge[node])):
            edge_numbers(found, game, edge)[:] = row
    return found


def record(solver: SummingSolver) -> Recorded:
    """Make a solver keep what is played in each pass: (player, strategy, weights of the iteration)."""
    kept: Recorded = []

    def iterate(tables: Any, schedule: Array) -> None:
        for row in schedule:
            for player in (0, 1):
                kept.append((player, played(solver.game, solver.regret), row))
                solver.passes.update(tables, row[None], player)

    solver.passes.iterate = iterate  # type: ignore[method-assign]
    return kept


def weights(passes: Recorded, player: int) -> tuple[list[Array], Array, Array]:
    """A player's passes: strategies, their weights in the regrets at the end, and in the averages."""
    rows = [(strategy, row) for who, strategy, row in passes if who == player]
    fade = np.array([row[POSITIVE] for _, row in rows])
    return (
        [strategy for strategy, _ in rows],
        np.array([fade[t:].prod() for t in range(len(rows))]),
        np.array([row[AVERAGE] for _, row in rows]),
    )


def replay(
    before: GrowingSolver, first: Recorded, recovery: RecoverySolver, second: Recorded, after: GrowingSolver
) -> tuple[Array, Array, Array]:
    """Regrets, averages and sums of values after all pairs of passes in the enlarged game."""
    game = after.game
    outside, _ = common_edges(before.game, game)
    inside, _ = common_edges(recovery.game, game)
    inside = [(a, b) for a, b in inside if recovery.inside(int(recovery.game.tree.edge_node[a]))]
    regret, average = np.zeros(game.cells), np.zeros(game.cells)
    sums = np.zeros_like(after.marked.sums)
    for player in (0, 1):
        one, two = weights(first, player), weights(second, player)
        for t1, sigma in enumerate(one[0]):
            for t2, below in enumerate(two[0]):
                both = np.zeros(game.cells)
                for source, table, pairs in (
                    (before.game, sigma, outside),
                    (recovery.game, below, inside),
                ):
                    for there, here in pairs:
                        edge_numbers(both, game, here)[:] = edge_numbers(table, source, there)
                clean = GrowingSolver(game, "cfr", 1, "float64")
                clean.regret[:] = both
                row = clean.rule.schedule(1, 1)
                clean.passes._run(clean._tables(), UPDATE, row, player, player + 1)
                in_regrets = one[1][t1] * two[1][t2] / two[1].sum()
                regret += in_regrets * (clean.regret - both)
                sums += in_regrets * clean.marked.sums
                average += one[2][t1] * two[2][t2] / two[2].sum() * clean.average
    return regret, average, sums


@pytest.mark.parametrize("rule", ["cfr", "lcfr"])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_theorem_1_is_an_equality(case: int, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaying all pairs of passes in the enlarged game gives what was installed."""
    spot, history, action = CASES[case]
    before = GrowingSolver(holdem_game(spot), rule, 1, "float64")
    first = record(before)
    before.run(3)
    seen: list[tuple[RecoverySolver, Recorded]] = []
    recover = RecoverySolver.recover

    def recorded(self: RecoverySolver, iterations: int | None = None) -> None:
        seen.append((self, record(self)))
        recover(self, iterations)

    monkeypatch.setattr(RecoverySolver, "recover", recorded)
    grown = add_actions(before, {history: [action]}, iterations=2 + case % 2, version=FAITHFUL)
    after, w = grown.solver, grown.discount
    assert 0 < w <= 1
    regret, average, sums = replay(before, first, *seen[0], after)
    scale = np.abs(regret).max()
    np.testing.assert_allclose(after.regret / w, regret, atol=1e-9 * scale)
    np.testing.assert_allclose(after.average / w, average, atol=1e-9)
    np.testing.assert_allclose(after.marked.sums / w, sums, atol=1e-9 * scale)
    np.testing.assert_allclose(after.weight, w * before.weight)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_outside_nothing_changes(dtype: str) -> None:
    """Regrets and averages of actions that were there before are the same to the bit, but for the discount."""
    before = GrowingSolver(holdem_game(TURN), "dcfr", 1, dtype)
    before.run(7)
    grown = add_actions(before, {"": ["bet 16"], "check": ["bet 7"]}, iterations=5)
    assert before.iterations < YOUNG
    after, w = grown.solver, np.asarray(grown.discount, dtype=dtype)
    edges, decisions = common_edges(before.game, after.game)
    assert decisions == int((before.game.tree.kind == DECISION).sum())
    for there, here in edges:
        for table in ("regret", "average"):
            was = edge_numbers(getattr(before, table), before.game, there)
            now = edge_numbers(getattr(after, table), after.game, here)
            assert np.array_equal(now, was if grown.discount == 1 else was * w)


def test_a_bad_action_costs_nothing() -> None:
    """An action that pays less than every alternative gives w = 1: nothing is forgotten for it."""
    spot = Spot("AsAdAhKc2s", "33", "AcKs", pot=20, stack=900, bets="25%", raises="a", cap=2)
    before = GrowingSolver(holdem_game(spot), "cfr", 1, "float64")
    before.run(200)
    grown = add_actions(before, {"": ["bet 800"]})
    assert grown.discount == 1


@pytest.mark.parametrize(
    ("version", "added"),
    [
        (REPAIRED, {"": ["bet 13"], "check": ["bet 30"]}),
        (REPAIRED, {"": ["bet 30"]}),
        (REPAIRED, {"check": ["bet 13"]}),
        (FAITHFUL, {"": ["bet 13"], "check": ["bet 30"]}),
        (FAITHFUL, {"": ["bet 30"]}),
    ],
)
def test_a_grown_tree_is_solved_like_one_that_had_the_action(
    version: str, added: dict[str, list[str]]
) -> None:
    """At equal iterations after the addition it is at most 1.5 times as exploitable, and it goes on falling."""
    for rule in ("cfr", "lcfr"):
        before = GrowingSolver(holdem_game(RIVER), rule, 1, "float64")
        before.run(200)
        grown = add_actions(before, added, version=version).solver
        start = GrowingSolver(grown.game, rule, 1, "float64")
        for _ in range(3):
            grown.run(200)
            start.run(200)
            assert grown.exploitability() <= 1.5 * start.exploitability()


def test_discounted_cfr_catches_up() -> None:
    """The heuristic for dcfr: 100 iterations after the addition exploitability is what solving anew comes to."""
    spot = Spot(
        "Ks7d2c9h4s", "99+,A9s+,KTs+,QJs", "88+,A9s+,KJs+,76s", pot=100, stack=450, bets="25%,300%,a",
        raises="100%,a", cap=2,
    )  # fmt: skip
    before = GrowingSolver(holdem_game(spot))
    before.run(60)
    grown = add_actions(before, {"": ["bet 75"], "check": ["bet 75", "bet 150"]}).solver
    start = GrowingSolver(grown.game)
    for _ in range(2):
        grown.run(50)
        start.run(50)
    assert grown.exploitability() <= 1.5 * start.exploitability()


@pytest.mark.parametrize("rule", ["cfr+", "dcfr+"])
def test_rules_without_a_measured_heuristic_are_refused(rule: str) -> None:
    with pytest.raises(InputError, match="cfr and lcfr, or dcfr as a heuristic"):
        GrowingSolver(holdem_game(RIVER), rule, 1, "float64")


def test_int16_tables_do_not_grow() -> None:
    with pytest.raises(InputError, match="float32 or float64"):
        GrowingSolver(holdem_game(RIVER), "dcfr", 1, "int16")


def test_behind_an_action_that_is_copied_stands_what_the_nearest_bet_has() -> None:
    before = GrowingSolver(holdem_game(TURN), "dcfr", dtype="float64")
    before.run(7)
    grown = copy_nearest(before, {"": ["bet 16"]})
    after, old, new = grown.solver, before.game, grown.solver.game
    assert (grown.discount, after.iterations, after.head_start) == (1, 7, 0)
    there, here = old.tree.by_history, new.tree.by_history
    for history, node in there.items():  # lines that were there keep their numbers, and a new action has none
        for table in ("regret", "average"):
            rows = action_rows(getattr(after, table), new, here[history])
            kept = [
                name in old.tree.betting[node].actions for name in new.tree.betting[here[history]].actions
            ]
            assert np.array_equal(rows[kept], action_rows(getattr(before, table), old, node))
            assert not rows[[not each for each in kept]].any()
    for end in ("", ", call", ", call, check"):
        for table in ("regret", "average"):
            mine = action_rows(getattr(after, table), new, here[f"bet 16{end}"])
            nearest = action_rows(getattr(before, table), old, there[f"bet 10{end}"])
            assert mine.any()
            assert np.array_equal(mine, nearest[: len(mine)])  # there is one bet less on the river
    after.run(3)
    assert after.exploitability() < before.exploitability()


def test_a_responder_comes_only_where_its_best_present_actions_lead() -> None:
    solver = GrowingSolver(holdem_game(TURN), "dcfr", dtype="float64")
    larger = larger_game(solver.game, TURN.with_added([("bet 16",), ("check", "bet 16")]))
    values = np.random.default_rng(1).normal(size=larger.cells)
    known, there = solver.game.tree.by_history, larger.tree.by_history
    reach = response_reach(solver, larger, values, 0)
    start = range_weights(solver.game, 0, 0)
    assert np.array_equal(reach[known[""]], start)
    rows = dict(zip(larger.tree.betting[0].actions, action_rows(values, larger, there[""]), strict=True))
    checks = (rows["check"] > rows["bet 10"]) & (rows["check"] > rows["bet 40"])
    expected = dealt_on(solver.game, 0, 1, np.where(checks, start, 0.0))
    assert 0 < expected.sum() < dealt_on(solver.game, 0, 1, start).sum()
    assert np.array_equal(reach[known["check, check"]], expected)
    assert not reach[known["bet 10, call"]][expected > 0].any()
