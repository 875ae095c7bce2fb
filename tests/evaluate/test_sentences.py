"""What the sentences say of figures that are given by hand."""

from __future__ import annotations

from typing import Any

import pytest

from solvent.evaluate.sentences import sentences


def document(**parts: Any) -> dict[str, Any]:
    return {"run": "runs/x", "iterations": 1_000, "post": "none", "parts": {}, "complete": True, **parts}


def styles(**won: tuple[float, float | None]) -> list[dict[str, Any]]:
    return [
        {"opponent": name, "complete": half is not None, "mbb_per_hand": mbb, "mbb_per_hand_95": half}
        for name, (mbb, half) in won.items()
    ]


def inside(mbb: float, half: float, **others: Any) -> dict[str, Any]:
    return {"complete": True, "settled": True, "mbb_per_hand": mbb, "mbb_per_hand_95": half, **others}


def local(mbb: float, low: float, high: float) -> dict[str, Any]:
    return {"actions": "fcpa on all streets", "mbb_per_hand": mbb, "mbb_per_hand_95": [low, high]}


def behaviour(*passed: bool | None) -> dict[str, Any]:
    return {
        "checks": [
            {
                "name": f"check {number}",
                "measured": None if one is None else 1.0,
                "passed": one is not False,
                "unit": "",
                "wanted": "0",
                "meaning": "",
            }
            for number, one in enumerate(passed)
        ]
    }


def test_nothing_measured_names_the_parts() -> None:
    first, second, third = sentences(document())
    assert "`--parts styles`" in first
    assert "`--parts lbr,inside`" in second
    assert "`--parts behaviour`" in third


def test_an_interval_that_is_too_wide_does_not_praise_training() -> None:
    _, second, third = sentences(document(inside=inside(39.0, 54.0)))
    assert "too few boards to tell" in second
    assert "come far" not in second
    assert "valued over more boards" in third
    _, second, third = sentences(document(inside=inside(9.0, 14.0)))
    assert "come far" in second
    assert "would probably improve it more than" in third


def test_wins_against_all() -> None:
    said = sentences(document(styles=styles(tight=(12.4, 3.0), random=(3_000.0, 50.0))))[0]
    assert said == (
        "It wins against all 2 versions of itself and simple players, by 12 (tight) to 3,000 mbb/hand (random): it "
        "has learned something, but wins do not show how much it can lose."
    )


def test_a_sure_loss_proves_that_it_can_be_exploited() -> None:
    rows = styles(
        tight=(-34.0, 5.0), random=(3_000.0, 50.0), aggressive=(-2.0, 5.0), deterministic=(-90.0, 9.0)
    )
    said = sentences(document(styles=rows))[0]
    assert "wins against 1 of 4" in said
    assert "by 3,000 mbb/hand (random)" in said
    assert "too close to tell against aggressive" in said
    assert "loses to deterministic (90 ± 9) and tight (34 ± 5)" in said
    assert "proves that it can be exploited by at least about 90 (+79 to +101) mbb/hand" in said


def test_the_worst_of_many_matches_may_be_lost_by_chance() -> None:
    rows = styles(**{f"style {number}": (-1.0 if number else -10.0, 9.0) for number in range(9)})
    said = sentences(document(styles=rows))[0]
    assert "loses to style 0 (10 ± 9)" in said
    assert "proves nothing, as one of so many matches may be lost by chance" in said


def test_figures_that_are_not_significant_prove_nothing() -> None:
    said = sentences(document(styles=styles(tight=(-34.0, 50.0))))[0]
    assert "proves nothing" in said
    assert "loses" not in said
    stopped = sentences(document(styles=styles(tight=(-34.0, None))))[0]
    assert "has not been played" in stopped


def test_inside_is_told_apart_from_what_the_abstraction_costs() -> None:
    given = document(inside=inside(50.0, 10.0), lbr_maximum=local(900.0, 700.0, 1_100.0))
    _, losses, advice = sentences(given)
    assert "at least about 50 (+40 to +60) mbb/hand with the agent's own buckets and bets" in losses
    assert "at least about 900 (+700 to +1,100) with exact cards" in losses
    assert ": the rest is what buckets and bet sizes cost" in losses
    assert "more sizes to bet and raise (`--betting`), and then larger cards (`--preset`), would" in advice
    assert "improve it more than training time (`solvent train --resume runs/x --time 30m`)" in advice
    given["inside"]["settled"] = False
    assert ": the rest is probably what" in sentences(given)[1]


def test_unfinished_training_is_improved_by_time() -> None:
    given = document(inside=inside(500.0, 50.0), lbr_maximum=local(520.0, 300.0, 700.0))
    _, losses, advice = sentences(given)
    assert "is not shown to find more (+300 to +700)" in losses
    assert "more training time (`solvent train --resume runs/x --time 30m`) would improve it most" in advice


def test_bounds_that_prove_nothing() -> None:
    far = sentences(document(inside=inside(3.0, 10.0)))
    nothing = (
        "is not shown to win anything with the agent's own buckets and bets (-7 to +13 mbb/hand), so that"
    )
    assert nothing in far[1]
    assert "`--parts lbr`" in far[1]
    _, unsettled, advice = sentences(document(inside=inside(3.0, 10.0) | {"settled": False}))
    assert "(-7 to +13 mbb/hand), but may not have learned long enough" in unsettled
    assert "shows when the response inside learns longer" in advice
    assert "would probably improve it more than training time" in far[2]
    alone = sentences(document(lbr_maximum=local(-50.0, -90.0, -10.0)))[1]
    assert (
        "is not shown to win anything (-90 to -10 mbb/hand), which does not prove that nobody does" in alone
    )


def test_a_response_that_was_stopped_counts_as_not_measured() -> None:
    given = document(inside={"complete": False, "settled": False, "rungs": []}, lbr=[{}])
    assert "has not been measured (`--parts lbr,inside`)" in sentences(given)[1]


def test_an_agent_without_a_run_has_its_losses_alone() -> None:
    (said,) = sentences({"agent": "mine", "lbr_maximum": local(900.0, 700.0, 1_100.0)})
    assert "at least about 900 (+700 to +1,100) mbb/hand from it by local best response" in said
    assert "--parts" not in said


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        ((True, True), "It passes all 2 checks of sane play;"),
        ((True, None), "It fails none of 2 checks of sane play (1 too rare to tell);"),
        ((False, True, False), "It FAILED 2 of 3 checks of sane play (check 0, check 2);"),
    ],
)
def test_behaviour(passed, said) -> None:
    assert sentences(document(behaviour=behaviour(*passed)))[2].startswith(said)


def test_a_near_miss_is_not_called_a_failure() -> None:
    checked = behaviour(False, True, False)
    checked["checks"][0]["near"] = True
    assert sentences(document(behaviour=checked))[2].startswith(
        "It FAILED 1 of 3 checks of sane play (check 2), and misses 1 by no more than chance explains (check 0);"
    )
    checked["checks"][2]["near"] = True
    assert sentences(document(behaviour=checked))[2].startswith(
        "It fails none of 3 checks of sane play, and misses 2 by no more than chance explains (check 0, check 2);"
    )


@pytest.mark.parametrize("others", [{}, {"inside": inside(50.0, 10.0)}])
def test_a_loss_stands_beside_that_of_folding_every_hand(others) -> None:
    given = document(lbr_maximum=local(2_800.0, 2_500.0, 3_100.0), folding_loses=750.0, **others)
    assert "local best response (folding every hand loses 750)" in sentences(given)[1]


@pytest.mark.parametrize("has_inside", [False, True])
@pytest.mark.parametrize("has_local", [False, True])
@pytest.mark.parametrize("has_checks", [False, True])
def test_there_are_three_sentences_whatever_was_measured(has_inside, has_local, has_checks) -> None:
    given = document(styles=styles(tight=(-34.0, 5.0)))
    given |= {"inside": inside(50.0, 10.0)} if has_inside else {}
    given |= {"lbr_maximum": local(90.0, 70.0, 110.0)} if has_local else {}
    given |= {"behaviour": behaviour(True)} if has_checks else {}
    said = sentences(given)
    assert len(said) == 3
    for sentence in said:
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert ". " not in sentence
