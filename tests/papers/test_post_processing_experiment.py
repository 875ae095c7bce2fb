"""Post-processing against strong opponents: the experiment at its smallest, who is let in, how one is chosen."""

import json
from dataclasses import replace

import pytest

from oracles.post_processing import processed
from oracles.trainings import small_cards_everywhere
from solvent.app.command_line import run as run_here
from solvent.foundation.errors import InputError
from solvent.strategy.post_processing import parse_post
from solvent_papers.frame.cards import CardSetup
from solvent_papers.frame.pages import new_page
from solvent_papers.frame.running import Record, found_by, run_parts
from solvent_papers.tartanian7.post_processing import meetings
from solvent_papers.tartanian7.post_processing.experiment import (
    EXPERIMENT,
    POSTS,
    by_strength,
    opponents_win,
    prices,
)
from solvent_papers.tartanian7.post_processing.meetings import FAMILY, FOLD_ALONE, Meetings, two_fold

TRAININGS = [player.part for player in meetings.PLAYERS]
NAMES = list(meetings.OPPONENTS)
BETTINGS = {
    "three": "preflop=3x,a; postflop=100%; cap=1; stack=10",
    "four": "preflop=3x,a; postflop=50%,100%; cap=1; stack=10",
    "other": "preflop=2x,a; postflop=100%; cap=1; stack=10",
}
NOISE = (-1.0, 0.0, 1.0, 0.0)
"""Differences of blocks from their mean: half an interval of 1.3."""


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for name, betting in BETTINGS.items():
        monkeypatch.setitem(meetings.BETTINGS, name, betting)
    with small_cards_everywhere():
        yield


@pytest.fixture
def setup(tmp_path):
    (tmp_path / "cards" / "tiny" / "tables").mkdir(parents=True)
    return CardSetup(tmp_path / "work" / "small", True, tmp_path / "cards", 1)


MADE = {
    "what": "an opponent",
    "cards": "169",
    "betting": "fcpa",
    "decisions": 10,
    "sampling": "public",
    "rule": "dcfr",
    "threads": 1,
    "seconds": 1.0,
    "iterations": 100,
}
"""The findings of the part that trains a player."""


def rows(won, opponents, posts):
    """Meetings in which the agent wins `won(post, opponent)`, give or take the noise."""
    return [
        {
            "post": post,
            "opponent": name,
            "pairs": 8,
            "averaged": False,
            "blocks": [won(post, name) + noise for noise in NOISE],
        }
        for name in opponents
        for post in posts
    ]


def judged(setup, weak=()):
    """Keep what `strength` would find, were the agent to beat the weak opponents alone."""
    met = rows(lambda post, name: 100 * (name in weak) - 50, NAMES, ["none"])
    found = {"players": [found_by(setup, name) for name in TRAININGS], "rows": met, "margin": 10.0}
    part = next(part for part in EXPERIMENT.parts if part.name == "strength")
    part = part._replace(run=lambda *given: found)
    return run_parts(replace(EXPERIMENT, parts=(part,)), setup)


def page_of(**found):
    """The page of parts that found this; `table_2` stands for table-2."""
    records = {
        name.replace("_", "-"): Record({"small": True}, "abc1234", "", 1.0, "", each)
        for name, each in found.items()
    }
    return new_page(EXPERIMENT, records, "solvent reproduce post-processing")


# The whole experiment


def test_the_command_runs_all_parts_and_resumes(setup, tmp_path, capfd):
    command = ["reproduce", "post-processing", "--scale", "small", "--threads", "1"]
    folders = ["--cards", str(setup.cards), "--work", str(tmp_path / "work"), "--out", str(tmp_path)]
    remark = ["--remark", "Alone on the machine."]
    assert run_here([*command, *folders, "--part", "train-agent", *remark, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["figures"] == {}
    page = tmp_path / "post-processing.md"
    assert "Not run: train-larger-cards" in page.read_text()
    assert run_here([*command, *folders]) == 0
    assert "Claimed" in capfd.readouterr().out
    text, figures = page.read_text(), json.loads(page.with_suffix(".json").read_text())["figures"]
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## The agent and its opponents",
        "## Table 2: post-processings against opponents at least as strong",
        "## Chosen on some opponents, judged on others",
        "## The price: local best response",
        "## How this page was made",
    ]
    assert "Not run" not in text
    assert "\ntrain-agent: Alone on the machine.\n" in text
    assert "the opponents play unprocessed" in text
    assert {f"lbr.{post}" for post in POSTS} <= set(figures)
    before = {path: path.stat().st_mtime_ns for path in (setup.work / "parts").iterdir()}
    assert len(before) == len(EXPERIMENT.parts)
    assert run_here([*command, *folders]) == 0
    assert {path: path.stat().st_mtime_ns for path in (setup.work / "parts").iterdir()} == before


def test_a_part_that_was_interrupted_resumes(setup, monkeypatch):
    run_parts(EXPERIMENT, setup, TRAININGS)
    judged(setup, weak=NAMES[1:])
    match, played = meetings.averaged_match, []

    def stopped_in_the_second_meeting(*given, **options):
        played.append(options["seed"])
        if len(played) == 7:
            raise KeyboardInterrupt
        return match(*given, **options)

    monkeypatch.setattr(meetings, "averaged_match", stopped_in_the_second_meeting)
    with pytest.raises(KeyboardInterrupt):
        run_parts(EXPERIMENT, setup, ["table-2"])
    monkeypatch.setattr(meetings, "averaged_match", match)
    said = []
    records = run_parts(EXPERIMENT, setup, ["table-2"], watch=lambda step: said.append(step.stage))
    met = records["table-2"].found["rows"]
    assert said[0] == f"table-2: {POSTS[1]} against {NAMES[0]}"
    assert played == [0, 1, 2, 3, 0, 1, 2]  # the same deals for each post-processing
    assert [row["post"] for row in met] == list(POSTS)
    assert len({tuple(row["blocks"]) for row in met}) > 1


def test_what_cannot_be_run_is_refused(setup):
    with pytest.raises(InputError, match="what the part train-agent finds is needed: run that part first"):
        run_parts(EXPERIMENT, setup, ["strength"])
    with pytest.raises(InputError, match="what the part strength finds is needed"):
        run_parts(EXPERIMENT, setup, ["table-2"])
    assert run_here(["reproduce", "post-processing", "--scale", "huge"]) == 2


# Who is at least as strong


def test_a_weaker_opponent_is_left_out_and_said(setup):
    run_parts(EXPERIMENT, setup, TRAININGS)
    weak = NAMES[2]
    strength = judged(setup, weak=[weak])["strength"].found
    assert by_strength(strength) == ([*NAMES[:2], *NAMES[3:]], [weak])
    assert opponents_win(strength)[weak].high < 0
    table = run_parts(EXPERIMENT, setup, ["table-2"])["table-2"].found
    assert Meetings(table["rows"]).opponents == [*NAMES[:2], *NAMES[3:]]
    text = page_of(strength=strength, table_2=table).text
    assert f"| {weak} | -50 ± 1 | no: it surely loses |" in text
    assert f"| {NAMES[0]} | +50 ± 1 | yes: surely stronger |" in text
    assert f"Left out, since they are not shown to be as strong as the agent: {weak}." in text
    assert f"\n- **Found.** 3 of 4 opponents are at least as strong as the agent ({weak} left out)." in text


def test_an_opponent_counts_as_strong_if_it_surely_loses_little():
    lost = dict(zip(NAMES, (0.5, 8.0, 9.5, 12.0), strict=True))
    found = {"rows": rows(lambda post, name: lost[name], NAMES, ["none"]), "margin": 10.0}
    found["players"] = [{**MADE, "name": name} for name in NAMES]
    assert by_strength(found) == (NAMES[:2], NAMES[2:])
    page = page_of(strength=found)
    assert f"| {NAMES[0]} | -0 ± 1 | yes: it surely loses less than 10 |" in page.text
    assert page.document["figures"]["strength.opponents"] == 2
    found["rows"] = rows(lambda post, name: 0.5, NAMES, ["none"])
    found["rows"][0]["blocks"] = [-50.0, 50.0]
    assert "| no: it may lose more |" in page_of(strength=found).text


def test_without_strong_opponents_nothing_is_played(setup):
    run_parts(EXPERIMENT, setup, TRAININGS)
    judged(setup, weak=NAMES)
    records = run_parts(EXPERIMENT, setup, ["table-2", "chosen", "price"])
    text = new_page(EXPERIMENT, records, "solvent reproduce post-processing").text
    assert "nothing was played" in text
    assert "nothing was chosen" in text
    assert list(prices(records["price"].found)) == list(POSTS)
    assert "**So what.** Nothing follows yet." in text


# What is said of Table 2


@pytest.mark.parametrize(
    ("average", "worst", "verdict"),
    [
        (
            30.0,
            30.0,
            "Here it is, against `none` surely ahead on average and at worst; against `purify` surely",
        ),
        (30.0, -10.0, "against `none` surely ahead on average and surely behind at worst;"),
        (-30.0, -30.0, "against `purify` surely behind on average and at worst;"),
        (
            0.0,
            0.0,
            "against `threshold(0.15)` neither surely ahead nor surely behind. Over `none` it wins +0 ± 0",
        ),
    ],
)
def test_the_page_says_what_came_out(average, worst, verdict):
    def won(post, name):
        return (worst if name == NAMES[0] else average) if post == "new(0.2)" else 0.0

    found = {"rows": rows(won, NAMES, POSTS), "left out": []}
    page = page_of(table_2=found)
    figures = page.document["figures"]
    assert verdict in page.text
    assert len(EXPERIMENT.tables(page.found)["post-processing.csv"]) == 6 * 4
    mean = (worst + 3 * average) / 4
    assert figures["mean.new(0.2)"] == pytest.approx(mean)
    assert figures["least.new(0.2)"] == pytest.approx(min(worst, average))
    assert figures["lead.mean.none"] == figures["over none.mean.new(0.2)"] == pytest.approx(mean)
    # All have the same noise, as on the same deals, so that nothing is left of it in a difference.
    assert figures["lead.mean.none.low"] == pytest.approx(mean)
    assert "Nothing follows yet" in page.head  # what is best here was not judged on others


# Chosen on some, judged on others


def test_a_post_processing_is_chosen_on_one_half_and_judged_on_the_other():
    """`a` wins 40 from the first and third opponent, `b` 20 from the second; elsewhere both lose 10."""
    posts, opponents = ("none", "new(0.2)", "a", "b"), ("one", "two", "three")
    wins = {("a", "one"): 40.0, ("a", "three"): 40.0, ("b", "two"): 20.0}

    def won(post, name):
        return {"none": 0.0, "new(0.2)": 5.0}.get(post, wins.get((post, name), -10.0))

    both = two_fold(Meetings(rows(won, opponents, posts)))
    first, second = both.folds
    assert (first.chosen_on, first.post, first.judged_on) == (["one", "three"], "a", ["two"])
    assert (second.chosen_on, second.post, second.judged_on) == (["two"], "b", ["one", "three"])
    for fold in both.folds:
        assert fold.won.middle == pytest.approx(-10)
        assert fold.over_none == pytest.approx((-10, -10, -10))
        assert fold.over_new == pytest.approx((-15, -15, -15))
    assert both.over_none.middle == pytest.approx(-10)
    assert both.over_new.middle == pytest.approx(-15)
    assert both.posts == ["a", "b"]
    found = {"rows": rows(won, opponents, (*posts, FOLD_ALONE, "new(0.1)"))}
    said = "is surely behind `none` (-10 ± 0) and surely behind `new(0.2)` (-15 ± 0)"
    assert said in page_of(chosen=found).text


@pytest.mark.parametrize(
    ("same_everywhere", "local", "advice"),
    [
        (True, 100.0, "play `new(0.2)`; local best response does not surely win more"),
        (True, 200.0, "leave the strategy alone against those who do, who win more from `new(0.2)`"),
        (False, 100.0, "Leave the strategy alone: what was chosen on some opponents is not surely ahead"),
    ],
)
def test_advice_follows_from_opponents_that_had_no_part_in_the_choice(same_everywhere, local, advice):
    """Either `new(0.2)` wins 30 more from all opponents, or from every second one, and 30 less from the others."""
    posts = ("none", "new(0.2)", FOLD_ALONE, "new(0.1)")

    def won(post, name):
        sign = 1 if same_everywhere else (-1) ** NAMES.index(name)
        return 30.0 * sign * (post == "new(0.2)")

    priced = [
        {"post": post, "actions": "fc", "mbb": mbb, "interval": 20.0}
        for post, mbb in zip(posts[:2], (100.0, local), strict=True)
    ]
    page = page_of(chosen={"rows": rows(won, NAMES, posts)}, price={"hands": 10, "rows": priced})
    assert advice in page.head


def test_every_candidate_is_a_post_processing_of_its_own():
    parsed = [str(parse_post(post)) for post in (*POSTS, *FAMILY)]
    assert len(set(parsed)) == len(parsed)
    only_folds = parse_post(FOLD_ALONE)
    assert processed(only_folds, [0.1, 0.5, 0.25, 0.15], range(4)) == pytest.approx([0.1, 0.5, 0.25, 0.15])
    assert processed(only_folds, [0.21, 0.4, 0.24, 0.15], range(4)) == [1.0, 0.0, 0.0, 0.0]


def test_the_price_is_that_of_the_largest_setting():
    wins = {"none": (0.0, 100.0), "new(0.2)": (300.0, 500.0), "purify": (0.0, 110.0)}
    found = {
        "hands": 10,
        "rows": [
            {"post": post, "actions": actions, "mbb": mbb, "interval": 20.0}
            for post, pair in wins.items()
            for actions, mbb in zip(("fc", "fcpa"), pair, strict=True)
        ],
    }
    page = page_of(price=found)
    figures = page.document["figures"]
    assert [figures[f"lbr.{post}"] for post in wins] == [100, 500, 110]
    assert "Surely dearer than `none` (intervals apart): `new(0.2)`.\n" in page.text


def test_opponents_have_larger_cards_or_more_sizes(monkeypatch):
    monkeypatch.undo()
    assert {player.cards for player in meetings.OPPONENTS.values()} == {"small", "rules", "flat"}
    assert {player.sampling for player in meetings.OPPONENTS.values()} == {"public", "external"}
    assert len({player.settings().betting for player in meetings.OPPONENTS.values()}) == 3
