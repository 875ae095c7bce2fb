"""`solvent.Spot`: solving, locks by text and by array, going on from there, and how things show themselves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import solvent
from solvent.foundation.errors import InputError
from solvent.spots.nodes.solution import SpotSolution

GIVEN = {"oop": "QQ:0.75,99,AhKh:0.3,T8s,76s:0.5", "ip": "JJ:0.2,TT,A9s,98s:0.6,AQo:0.9"}
GIVEN |= {"pot": 20, "stack": 60, "bets": "50%,a", "raises": "100%,a"}
OPTIONS = {"dtype": "float64", "threads": 1}


@pytest.fixture(scope="module")
def spot() -> solvent.Spot:
    return solvent.Spot(board="Td9d6hQc2s", **GIVEN)


@pytest.fixture(scope="module")
def solution(spot: solvent.Spot) -> SpotSolution:
    return spot.solve(until="0.5%", **OPTIONS)


def test_a_solve_stops_at_its_target_and_answers(solution: SpotSolution) -> None:
    assert 0 < solution.exploitability_percent <= 0.5
    root = solution.root
    assert sum(root.frequencies.values()) == pytest.approx(1)
    evs = [root.average(player, root.ev[player]) for player in (0, 1)]
    assert evs == pytest.approx([value + 10 for value in solution.evaluation.value])
    assert json.loads(json.dumps(root.as_dict()))["ev"] == evs


def test_the_cost_is_that_of_a_solve_with_the_same_options(spot: solvent.Spot) -> None:
    assert spot.cost().endswith("under a second")
    flop = solvent.Spot(board="Td9d6h", oop="random", ip="random", pot=20, stack=60, bets="50%,a")
    assert flop.cost(threads=1) == flop.cost(threads=1, until="0.3%") != flop.cost(threads=1, until="0.1%")
    assert "inf" not in flop.cost()


def test_a_solution_says_what_it_is_worth(solution: SpotSolution) -> None:
    shown = repr(solution)
    assert f"exploitability {solution.exploitability_percent:.4f} % of the pot, EV OOP" in shown
    assert f"EV IP {solution.evaluation.value[1] + 10:.3f}>" in shown


def test_the_value_of_a_fold_is_exact(solution: SpotSolution) -> None:
    node = solution.at("check, bet 10")
    assert set(node.action_evs[0].tolist()) == {0.0}
    assert set(solution.at("check, bet 10, fold").ev[1].tolist()) == {30.0}


def test_a_solve_goes_on_as_if_it_had_not_stopped(spot: solvent.Spot) -> None:
    parts = spot.solve(iterations=5, **OPTIONS).solve(iterations=12)
    whole = spot.solve(iterations=12, **OPTIONS)
    assert parts.iterations == whole.iterations == 12
    np.testing.assert_array_equal(parts.solver.average, whole.solver.average)


@pytest.mark.parametrize("isomorphism", [True, False])
def test_isomorphism_is_said_by_true_or_false(isomorphism: bool) -> None:
    turn = solvent.Spot(board="Tc9c6cQc", oop="QQ", ip="JJ", pot=20, stack=20, bets="a")
    assert turn.solve(iterations=1, isomorphism=isomorphism, **OPTIONS).solver.isomorphic == isomorphism


def test_a_lock_by_text_leaves_the_rest_and_the_original_as_they_are(solution: SpotSolution) -> None:
    before = solution.at("check, bet 10").strategy.copy()
    locked = solution.lock("x, b10: QQ = f:1")
    node = locked.at("check, bet 10")
    queens = np.array([hand[0] + hand[2] == "QQ" for hand in node.hands[0]])
    assert (node.strategy[0, queens] == 1).all()
    np.testing.assert_allclose(node.strategy[:, ~queens], before[:, ~queens], atol=1e-12)
    np.testing.assert_array_equal(solution.at("check, bet 10").strategy, before)
    assert locked.root.ev[0].sum() < solution.root.ev[0].sum()


def test_solving_after_a_lock_reaches_what_a_new_solve_of_the_locked_spot_does(
    spot: solvent.Spot, solution: SpotSolution
) -> None:
    text = "check, bet 10: random = call:1"
    again = solution.lock(text).solve(until="0.05%")
    anew = spot.lock(text).solve(until="0.05%", **OPTIONS)
    assert again.exploitability_percent <= 0.05
    np.testing.assert_allclose(again.evaluation.value, anew.evaluation.value, atol=0.02)
    assert (again.at("check, bet 10").strategy[1] == 1).all()


def test_locks_by_array_add_up(solution: SpotSolution) -> None:
    node = solution.at("bet 10")
    play = np.full(node.strategy.shape, np.nan)
    play[:, :3] = np.array([0.25, 0.75, 0, 0])[:, None]
    locked = solution.lock(node, play).lock("check", np.tile([[1.0], [0.0], [0.0]], len(node.hands[1])))
    locked.solve(iterations=4)
    assert len(locked.solver.locks) == 2
    np.testing.assert_allclose(locked.at("bet 10").strategy[:, :3], play[:, :3])
    assert (locked.at("check").strategy[0] == 1).all()


def test_a_lock_of_one_river_holds_there_alone() -> None:
    turn = solvent.Spot(board="Tc9d6hQs", oop="QQ,99", ip="JJ,TT,A9s", pot=20, stack=60, bets="50%", cap=1)
    solution = turn.solve(iterations=3, isomorphism=False, **OPTIONS)
    node = solution.at("check, check, 2d")
    locked = solution.lock(node, np.tile([[0.0], [1.0]], len(node.hands[0])))
    assert (locked.at("check, check, 2d").strategy[1] == 1).all()
    other = "check, check, 2h"
    np.testing.assert_allclose(locked.at(other).strategy, solution.at(other).strategy, atol=1e-12)


@pytest.mark.parametrize(
    ("lock", "play", "says"),
    [
        ("check, bet 10: 22 = fold:1", None, "names no hand that OOP can hold"),
        ("check, 2c: QQ = check:1", None, "a lock holds on all boards, so its line names no card"),
        ("check, bet 10", [[1.0]], "a row for each action and a column for each hand of the node, not 1 x 1"),
        ("check, bet 10", "fold", "a row for each action"),
        ("x, b11: QQ = fold:1", None, "IP acts after 'check', with check, bet 10, bet 60, not 'b11'"),
        ("check, check", [[1.0]], "nobody acts after 'check, check'"),
    ],
)
def test_locks_that_cannot_hold_are_refused(
    solution: SpotSolution, lock: str, play: object, says: str
) -> None:
    with pytest.raises(InputError) as refused:
        solution.lock(lock, play)  # type: ignore[arg-type]
    assert says in str(refused.value)


def test_what_is_wrong_is_refused_before_solving() -> None:
    with pytest.raises(InputError, match="3, 4 or 5 cards"):
        solvent.Spot(board="Td9d", **GIVEN)
    with pytest.raises(InputError, match="names no hand"):
        solvent.Spot(board="Td9d6hQc2s", **GIVEN, locks=[": 22 = check:1"])
    with pytest.raises(InputError, match="flop-bets changes nothing: the spot begins on the river"):
        solvent.Spot(board="Td9d6hQc2s", **GIVEN, flop_bets="50%")
    with pytest.raises(InputError, match="rake-cap changes nothing without rake"):
        solvent.Spot(board="Td9d6hQc2s", **GIVEN, rake_cap=3)
    with pytest.raises(InputError, match="no option 'untill'"):
        solvent.Spot(board="Td9d6hQc2s", **GIVEN).solve(untill="1%")


def test_a_kept_run_is_opened_with_the_same_numbers(spot: solvent.Spot, tmp_path: Path) -> None:
    solution = spot.solve(iterations=6, out=tmp_path / "run", **OPTIONS)
    opened = solvent.open_spot(tmp_path / "run")
    np.testing.assert_array_equal(opened.at("check").strategy, solution.at("check").strategy)
    np.testing.assert_array_equal(opened.at("check").ev[1], solution.at("check").ev[1])
    with pytest.raises(InputError, match="without regrets"):
        opened.solve(iterations=10)


def test_notebooks_and_pictures_show_the_grid(spot: solvent.Spot, solution: SpotSolution) -> None:
    html = solution._repr_html_()
    share = 100 * solution.root.frequencies["check"]
    assert f"{share:.1f} %" in html
    assert html.count("<td style=") == 169
    assert "76s:0.5" in spot._repr_html_()
    never = solution.lock(": random = check:1").at("bet 10")
    assert "not reached" in never._repr_html_()
    pytest.importorskip("matplotlib").use("Agg")
    axes = solution.plot_grid("check")
    assert len(axes.texts) == 169
    assert [
        each.get_text().rpartition(" %")[0].rpartition(" ")[0] for each in axes.get_legend().get_texts()
    ] == [
        "check",
        "bet 10",
        "bet 60",
    ]
    with pytest.raises(InputError, match="nobody acts"):
        solution.plot_grid("check, check")
