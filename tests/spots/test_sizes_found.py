"""Bet sizes that the solver finds: what is asked for, what is found, locks, rake, resuming, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvent import Spot
from solvent.engines.holdem.growing.candidates import AutoSizes, parse_auto_sizes
from solvent.foundation.errors import InputError
from solvent.foundation.storage.run import Run
from solvent.spots.folder import open_solver, spot_of
from solvent.spots.growing_work import GrowingWork
from solvent.spots.run import resume_spot, solve_spot
from solvent.spots.settings import SpotSettings

RIVER: dict[str, Any] = {
    "board": "Ks7d2c9h4s", "oop": "99+,A9s+,KTs+,QJs", "ip": "88+,A9s+,KJs+,76s",
    "pot": 100, "stack": 450, "cap": 2,
}  # fmt: skip


def solved(
    spot: dict[str, Any] = RIVER, locks: tuple[str, ...] = (), out: Path | None = None, **options: Any
) -> Any:
    settings = SpotSettings.of({"sizes": "auto,steps=8", "threads": 1, "until": "0.3%", **options})
    return solve_spot(spot, settings, locks, out=out)


def test_sizes_are_read() -> None:
    assert parse_auto_sizes("auto") == AutoSizes()
    assert parse_auto_sizes(" AUTO, to=200% ,at_most=5,trial=9") == AutoSizes(largest=2.0, at_most=5, trial=9)
    assert parse_auto_sizes(str(AutoSizes(0.3, 2.5, 7, 2, 0.5, 8))) == AutoSizes(0.3, 2.5, 7, 2, 0.5, 8)
    sizes = AutoSizes().percentages
    assert len(sizes) == 16
    assert (sizes[0], sizes[-1]) == ("25%", "300%")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("often", "sizes are written auto"),
        ("auto,form=25%", "did you mean from"),
        ("auto,from=2x", "from of sizes is a part of the pot"),
        ("auto,from=300%,to=25%", "from is not below to"),
        ("auto,steps=1", "steps of sizes is a whole number from 2"),
        ("auto,steps=4,steps=5", "steps twice"),
    ],
)
def test_bad_sizes_are_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_auto_sizes(text)


@pytest.mark.parametrize("name", ["bets", "river_bets", "oop_donk", "add", "merging"])
def test_a_spot_that_says_its_bets_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="leave"):
        AutoSizes().start_of({**RIVER, name: "50%"})


def test_sizes_are_found_and_told() -> None:
    """Sizes are added, the tree stays small, and the strategy holds against all candidates."""
    result = solved()
    found = result.sizes_found
    assert found.added
    assert all(one.worth_percent > 0 and 0 < one.discount <= 1 for one in found.added)
    assert found.nodes < found.candidate_nodes
    assert result.exploitability_percent <= 0.3
    assert result.exploitability_percent <= found.exploitability_percent + 1e-3 <= 1.0
    assert result.as_dict()["sizes_found"]["added"][0]["action"].startswith("bet ")


def test_a_run_that_was_stopped_goes_on_to_the_bit(tmp_path: Path) -> None:
    whole = solved(out=tmp_path / "whole", until=None, iterations=50)
    solved(out=tmp_path / "cut", until=None, iterations=33)
    assert Run.open(tmp_path / "cut").facts()["additions"]
    resumed = resume_spot(tmp_path / "cut", {"iterations": 50})
    assert resumed.sizes_found.added == whole.sizes_found.added
    for name, table in whole.solver.saved_tables().items():
        assert np.array_equal(table, resumed.solver.saved_tables()[name]), name
    opened = open_solver(tmp_path / "cut")
    assert np.array_equal(opened.average, whole.solver.average)
    assert str(spot_of(Run.open(tmp_path / "cut"))) == str(whole.spot)


def test_locks_and_rake_hold() -> None:
    lock = ": random = check:1"
    result = solved({**RIVER, "rake": "5%"}, (lock,))
    assert result.root_actions["check"] == pytest.approx(1)
    assert all(one.player == "IP" for one in result.sizes_found.added)
    assert result.sizes_found.added


def test_trials_judge_candidates_too() -> None:
    """A trial's opponent learns to answer a candidate, so fewer candidates pay than against the mapping."""
    result, mapped = solved(sizes="auto,steps=5,trial=20"), solved(sizes="auto,steps=5")
    assert 0 < len(result.sizes_found.added) <= len(mapped.sizes_found.added)


def test_the_front_for_python_takes_sizes() -> None:
    spot = Spot(**RIVER, sizes="auto,steps=5")
    solution = spot.solve(iterations=30, threads=1)
    assert (
        len(solution.root.actions) > len(spot.rules.betting.actions) or len(solution.at("check").actions) > 4
    )


def test_int16_is_refused() -> None:
    with pytest.raises(InputError, match="float32 or float64"):
        solved(dtype="int16")


def test_a_limit_of_nodes_holds() -> None:
    found = solved(sizes="auto,steps=8,at-most=8,nodes=60%").sizes_found
    assert found.nodes <= 0.6 * found.candidate_nodes
    with pytest.raises(InputError, match="at most 100%"):
        parse_auto_sizes("auto,nodes=120%")


def test_a_full_tree_is_not_looked_at_again() -> None:
    """Where no candidate fits below the limit of nodes, looks would only take time."""
    settings = SpotSettings.of({"sizes": "auto,steps=8,at-most=8,nodes=45%", "threads": 1, "until": "0.3%"})
    works: list[GrowingWork] = []
    looked: list[int] = []

    def counted(work: GrowingWork, part: float = 1.0) -> int:
        works.append(work)
        looked.append(work.iterations)
        return look(work, part)

    look = GrowingWork.look
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GrowingWork, "look", counted)
        result = solve_spot(RIVER, settings)
    assert works[-1].settled_at == 0
    assert result.iterations > looked[-1] == result.sizes_found.added[-1].iteration
    assert result.exploitability_percent <= 0.3


def test_no_look_follows_an_addition_at_once() -> None:
    """It would weigh candidates by no iterations at all, find none that pays, and end the growth."""
    turn = {
        "board": "Td9d6hQc", "oop": "TT,AQs,87s,KJs", "ip": "99,QJs,A9s,J8s", "pot": 100, "stack": 450,
    }  # fmt: skip
    found = solved(turn, sizes="auto,steps=8,nodes=40%", until="5%").sizes_found
    assert len({one.iteration for one in found.added}) > 1
    assert found.exploitability_percent < 8


def test_a_bet_comes_with_the_sizes_behind_its_neighbour() -> None:
    """On the turn a new bet brings the river sizes that were found behind the nearest bet."""
    turn = {**RIVER, "board": "Ks7d2c9h", "oop": "99+,AKs,KQs", "ip": "TT+,AQs,76s"}
    found = solved(turn, sizes="auto,steps=6,at-most=6", until=None, iterations=55).sizes_found
    copied = [one for one in found.added if one.behind]
    assert copied
    for one in copied:
        assert one.street == "river"
        assert one.behind in one.line
        assert one.worth_percent == 0
