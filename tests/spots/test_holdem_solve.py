"""Spots and no-limit games solved by name, on the public form of hold'em."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solvent import exploitability, open_strategy, solve
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.history import compile_tree
from solvent.forms.holdem.boards import list_boards, suit_group
from solvent.forms.holdem.sizing import count_boards, holdem_size, least_cells
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.solving.choose import make_solver
from solvent.solving.measure import measure, value_against
from solvent.solving.settings import Settings
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.policies import on_form
from solvent.strategy.solved.public_infosets import HoldemInfosets
from solvent.strategy.solved.tables import compare

TWO_STREETS = "nolimit(suits=2,ranks=3,boards=[0,1],stack=4,blinds=1/2,bets='100%,a')"
RUN_OUTS = "nolimit(suits=2,ranks=3,boards=[0,1,1],stack=4,blinds=1/2,bets=a,cap=1)"
TWO_CARDS = "nolimit(suits=2,ranks=4,boards=[0,2,1],stack=3,blinds=1/2,bets=a,cap=1)"
THREE_SUITS = "nolimit(suits=3,ranks=3,boards=[0,1],stack=5,blinds=1/2,bets='100%,a',cap=1)"
ANTE = "nolimit(suits=1,ranks=6,boards=[0,1,1],stack=6,blinds=1/2,ante=1,bets='100%,a',cap=2)"
SMALL = [TWO_STREETS, RUN_OUTS, TWO_CARDS, THREE_SUITS, ANTE]
BAR = "nolimit(suits=4,ranks=5,boards=[0,1,1,1],stack=162,blinds=1/2,bets=100%,cap=1)"
SPOT = (
    "spot(board=Td9d6hQc,oop='QdQh,JJ',ip='QdTs,9s9c,AhTh',pot=20,stack=30,bets='50%,a',rake=5%,rake_cap=3)"
)


@pytest.mark.parametrize("name", SMALL)
def test_the_value_is_the_linear_programs(name: str) -> None:
    solved = solve(name, dtype="float64", iterations=1500, until=2e-5)
    assert solved.form == "public"
    assert solved.exploitability < 1e-4
    assert solved.value == pytest.approx(solve(name, rule="lp").value, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "isomorphism"),
    [
        (TWO_STREETS, "off"),
        (RUN_OUTS, "on"),
        (RUN_OUTS, "off"),
        (TWO_CARDS, "on"),
        (THREE_SUITS, "on"),
        (SPOT, "on"),
    ],
)
def test_a_strategy_is_worth_the_same_on_histories(name: str, isomorphism: str) -> None:
    solved = solve(name, dtype="float64", iterations=7, isomorphism=isomorphism)
    tree = compile_tree(load_game(name))
    on_histories = on_form(solved.strategy, tree)
    exact = measure(on_histories, tree)
    assert exact.exploitability == pytest.approx(solved.exploitability, abs=1e-9)
    assert exact.value[0] == pytest.approx(solved.value, abs=1e-9)
    assert value_against(solved.strategy, on_histories) == pytest.approx(solved.value, abs=1e-9)
    assert exploitability(name, solved.strategy) == pytest.approx(solved.exploitability, abs=1e-9)


def uniform(name: str, **options: object) -> HoldemSolver:
    """The solver of a game before its first iteration."""
    solver = make_solver(load_game(name), Settings.of(options))
    assert isinstance(solver, HoldemSolver)
    return solver


@pytest.mark.parametrize(
    ("name", "isomorphism"), [(RUN_OUTS, "on"), (RUN_OUTS, "off"), (THREE_SUITS, "on"), (SPOT, "off")]
)
def test_infosets_are_those_of_the_histories(name: str, isomorphism: str) -> None:
    infosets = HoldemInfosets(uniform(name, isomorphism=isomorphism).game)
    tree = compile_tree(load_game(name))
    known = dict(
        zip(tree.infoset_label, zip(tree.infoset_player, tree.action_label, strict=True), strict=True)
    )
    cells: list[int] = []
    for infoset in infosets.numbers():
        label = infosets.label(infoset)
        assert infosets.find(label) == infoset
        assert (infosets.player_of(infoset), infosets.actions(infoset)) == known[label]
        cells += infosets.cells_of(infoset).tolist()
    assert len(set(cells)) == len(cells)
    for label in known:
        infosets.find(label)
    if isomorphism == "off":
        assert infosets.held == len(known)


@pytest.mark.parametrize(
    "label", ["", "2c2d", "2c2c||", "4d4c|2c|", "4d4c||no such line", "Ac2c||", "4c4d||", "zz||"]
)
def test_labels_of_no_infoset_are_refused(label: str) -> None:
    infosets = HoldemInfosets(uniform(RUN_OUTS).game)
    with pytest.raises(InputError, match="there is no infoset"):
        infosets.find(label)


def test_a_run_is_kept_resumed_and_opened(tmp_path: Path) -> None:
    whole = solve(RUN_OUTS, dtype="float64", iterations=30)
    solve(RUN_OUTS, dtype="float64", iterations=10, out=tmp_path / "run")
    resumed = solve(resume=tmp_path / "run", iterations=30)
    assert resumed.exploitability == whole.exploitability
    assert resumed.nodes_touched == whole.nodes_touched
    opened = open_strategy(tmp_path / "run")
    assert np.array_equal(opened.weights, whole.strategy.weights)
    opened.save(tmp_path / "saved")
    saved = open_strategy(tmp_path / "saved")
    assert dict(saved) == dict(whole.strategy)
    assert compare(saved, whole.strategy).largest == 0
    assert measure(saved).exploitability == whole.exploitability


def test_strategies_are_compared_over_infosets_that_can_arise() -> None:
    first, second = (solve(SPOT, dtype="float64", iterations=count).strategy for count in (2, 9))
    found = compare(first, second)
    apart = [sum(abs(a - second[key][action]) for action, a in row.items()) / 2 for key, row in first.items()]
    assert found.mean == pytest.approx(np.mean(apart))
    assert found.largest == pytest.approx(max(apart))


def test_responses_keep_to_locks() -> None:
    strategy = solve(RUN_OUTS, dtype="float64", iterations=4).strategy
    tree = compile_tree(load_game(RUN_OUTS))
    there = on_form(strategy, tree)
    for player in (0, 1):
        kept = measure(strategy, locks=Locks.of(strategy, player))
        assert kept.best_response[player] == pytest.approx(kept.value[player], abs=1e-12)
        exact = measure(there, tree, Locks.of(there, player))
        assert kept.best_response == pytest.approx(exact.best_response, abs=1e-9)


def test_defaults_are_those_of_spots() -> None:
    solver = uniform(BAR, threads=2)
    assert (solver.dtype, solver.threads, solver.isomorphic) == ("float32", 2, True)
    assert (solver.infosets, solver.infoset_actions, solver.histories) == (
        7_382_560,
        14_765_310,
        24_313_043_531,
    )
    found = solve(RUN_OUTS, dtype="float64", iterations=1)
    assert str(found.settings.rule) == "dcfr(1.5,0,3)"
    assert "mbb/hand" in found.summary()["exploitability"]
    assert str(solve("kuhn", iterations=1).settings.rule) != "dcfr(1.5,0,3)"
    assert solve(SPOT, dtype="float64", iterations=1).warnings


@pytest.mark.parametrize(
    "options",
    [
        {"rule": "pcfr+"},
        {"updates": "simultaneous"},
        {"plan": "serial"},
        {"form": "history"},
        {"pruning": "partial", "rule": "cfr"},
        {"sampling": "external", "rule": "lcfr"},
    ],
)
def test_small_games_run_the_rest_on_their_histories(options: dict[str, str]) -> None:
    assert make_solver(load_game(RUN_OUTS), Settings.of(options)).form == "history"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"rule": "pcfr+"}, "keeps no table of the last regrets"),
        ({"updates": "simultaneous"}, "updates are alternating"),
        ({"pruning": "partial", "rule": "cfr"}, "partial pruning would break up"),
        ({"rule": "pcfr+", "plan": "aggregated"}, "keeps no table of the last regrets"),
        ({"device": "numpy"}, "not on numpy"),
        ({"evaluator": "gemm"}, "sorted sweeps"),
        ({"plan": "serial", "form": "public"}, "runs the aggregated plan"),
        ({"plan": "serial"}, "histories, which take"),
        ({"memory": "10M"}, "tables of at least"),
        ({"memory": "113M"}, "with its public form"),
    ],
)
def test_what_the_form_does_not_run_is_refused(options: dict[str, str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        make_solver(load_game(BAR), Settings.of(options))


def test_the_whole_deck_is_refused_before_its_boards_are_listed() -> None:
    game = load_game("nolimit(stack=20,bets=100%,cap=1)")
    with pytest.raises(InputError, match="at least"):
        make_solver(game, Settings())


@pytest.mark.parametrize("deals", [(1, 1), (2, 1), (3,)])
@pytest.mark.parametrize("suits", [1, 2, 3, 4])
def test_boards_are_counted_without_listing_them(suits: int, deals: tuple[int, ...]) -> None:
    deck = [4 * rank + suit for rank in range(4) for suit in range(suits)]
    for root in ((), (0,), tuple(deck[:2])):
        group = suit_group(deck, root, [])
        listed = list_boards(deck, root, deals, group)
        for street, boards in enumerate(listed):
            assert count_boards(deck, root, deals[:street], group) == len(boards)


@pytest.mark.parametrize("name", [*SMALL, SPOT, BAR])
def test_the_least_size_is_near_the_size(name: str) -> None:
    least, exact = least_cells(load_game(name)), holdem_size(load_game(name)).cells
    assert least <= exact
    if name == BAR:
        assert least > 0.9 * exact


def test_a_warm_start_says_where_it_runs() -> None:
    strategy = solve(RUN_OUTS, dtype="float64", iterations=2).strategy
    with pytest.raises(InputError, match="give form history"):
        solve(RUN_OUTS, warm_start=strategy, dtype="float64", iterations=2)
