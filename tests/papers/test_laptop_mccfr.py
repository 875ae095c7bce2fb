"""`solvent reproduce laptop-mccfr`: its parts run, are kept, go on where they were stopped, and make a page."""

from dataclasses import replace

import pytest

from oracles.blueprints import random_cards, use_cards
from solvent.abstraction.cards.presets import PRESETS
from solvent.app.command_line import run as run_here
from solvent.foundation.errors import InputError
from solvent.training.settings import TrainingSettings
from solvent_papers.confidence import Interval
from solvent_papers.frame.cards import DESIGNS
from solvent_papers.frame.pages import new_page, save_page
from solvent_papers.frame.running import Record, run_parts
from solvent_papers.laptop_mccfr import bots, experiment
from solvent_papers.laptop_mccfr.bots import Setup, over_seeds
from solvent_papers.laptop_mccfr.experiment import EXPERIMENT

SMALL = bots.SMALL._replace(iterations=300, bucket_iterations=200, marks=(0.005, 0.01), pairs=10)


@pytest.fixture
def setup(monkeypatch, tmp_path):
    """Random cards, a small betting tree, and next to no time."""
    use_cards(random_cards(), patch=monkeypatch)
    (tmp_path / "cards" / "tiny" / "tables").mkdir(parents=True)
    monkeypatch.setattr(bots, "SMALL", SMALL)
    return Setup(tmp_path / "work", small=True, cards=tmp_path / "cards")


def page_of(**found):
    """The page of what parts found, by their names with _ for -."""
    records = {
        name.replace("_", "-"): Record({"small": True}, "0", "", 1.0, "", each)
        for name, each in found.items()
    }
    return new_page(EXPERIMENT, records, "solvent reproduce laptop-mccfr")


def test_parts_run_once_and_make_a_page(setup, tmp_path):
    records = run_parts(EXPERIMENT, setup)
    page = tmp_path / "laptop-mccfr.md"
    made = new_page(EXPERIMENT, records, "solvent reproduce laptop-mccfr --scale small")
    save_page(EXPERIMENT, made, page)
    text, figures = page.read_text(), made.document["figures"]
    for heading in ("Bots against", "The ensemble", "Biased", "Buckets by rule", "Initial weights"):
        assert f"\n## {heading}" in text
    assert "Not run" not in text
    assert "| y1 | 169 / 2x3 / 2x1 / 2x2 | 2 | 300 |" in text
    assert figures["y1 from y2"] == -figures["y2 from y1"]
    for name in ("mean.tight", "ensemble.tight"):
        assert figures[f"{name}.low"] < figures[name] < figures[f"{name}.high"]
    assert {"buckets.rules from emd.low", "prior.weights from plain.0.01.high"} <= set(figures)
    assert figures["buckets.rows.raises"] <= figures["buckets.rows.rules"] == figures["buckets.rows.emd"]
    assert page.with_suffix(".png").exists()
    meetings = 2 * 7 + 3 * 7 + 2 * 6 + 2 * 3 + 2 * 2 * 3
    assert page.with_suffix(".csv").read_text().count("\n") == 1 + meetings
    before = {path: path.stat().st_mtime_ns for path in (setup.work / "parts").iterdir()}
    again = run_parts(EXPERIMENT, setup)
    assert {name: each.found for name, each in again.items()} == made.found
    assert {path: path.stat().st_mtime_ns for path in (setup.work / "parts").iterdir()} == before


def test_a_training_that_was_stopped_goes_on_with_the_next_bot(setup, monkeypatch):
    trained, train, most = [], bots.train_bot, [1]

    def counted(setup, say, bot, seed, *given):
        if len(trained) == most[0]:
            raise KeyboardInterrupt
        trained.append(seed)
        return train(setup, say, bot, seed, *given)

    monkeypatch.setattr(bots, "train_bot", counted)
    with pytest.raises(KeyboardInterrupt):
        run_parts(EXPERIMENT, setup, ["train-y2"])
    assert trained == [0]
    most[0] = 10
    records = run_parts(EXPERIMENT, setup, ["train-y2"])
    assert trained == [0, 1]
    assert [row["iterations"] for row in records["train-y2"].found["bots"]] == [300, 300]


def test_what_cannot_be_run_is_refused(setup, tmp_path, capfd):
    with pytest.raises(InputError, match="run the part train-y1 first"):
        run_parts(EXPERIMENT, setup, ["figure-8"])
    with pytest.raises(InputError, match="there is no part 'figure-2'"):
        run_parts(EXPERIMENT, setup, ["figure-2"])
    assert run_here(["reproduce", "laptop-mccfr", "--scale", "huge", "--out", str(tmp_path)]) == 2
    assert "--scale is full or small, not 'huge'" in capfd.readouterr().err


def test_bots_of_a_comparison_differ_by_what_is_compared_alone():
    settings = {reward: bots.reward_bot(reward).settings for reward in ("y1", "y2")}
    assert replace(settings["y2"], reward="y1") == settings["y1"]
    rules, emd = PRESETS["rules"], DESIGNS["emd"]
    assert emd.label == rules.label
    assert not emd.by_rule
    plain, weights = (experiment.PRIOR_BOTS[name].settings for name in ("plain", "weights"))
    assert (
        replace(weights, initial_weights=False, unvisited="uniform")
        == plain
        == TrainingSettings(sampling="external")
    )


def test_intervals_are_over_seeds_and_deals():
    """Student's interval of two seeds a unit apart has a half of 6.35; that of the deals may be wider."""
    rows = [{"mbb": 10.0, "interval": 3.0}, {"mbb": 11.0, "interval": 4.0}]
    assert over_seeds(rows) == pytest.approx((10.5, 10.5 - 6.353, 10.5 + 6.353), abs=0.001)
    rows = [{"mbb": 10.0, "interval": 30.0}, {"mbb": 11.0, "interval": 40.0}]
    assert over_seeds(rows) == Interval(10.5, -14.5, 35.5)
    assert over_seeds(rows[:1]) == Interval(10.0, -20.0, 40.0)


def styled(mbb):
    """The findings of Figure 8's part where every bot wins `mbb[style]`, or 0."""
    rows = [
        {"style": style, "seed": seed, "mbb": mbb.get(style, 0.0), "interval": 5.0}
        for style in experiment.STYLES
        for seed in range(2)
    ]
    return {"cards": "4x20", "iterations": 1, "bots": 2, "pairs": 10, "rows": rows}


def test_bars_are_what_bots_win_from_their_versions():
    page = page_of(figure_8=styled({"deterministic": -49.0, "tight": -21.0, "random": 3_000.0}))
    missed = [bar["name"] for bar in page.document["bars"] if not bar["met"]]
    assert missed == ["bots win from tight"]
    assert "surely win from random, and surely lose to tight, deterministic." in page.text
    assert (
        "surely beat 1 and surely lose to 2 of 7 changed versions of themselves; the best of these wins 49"
        in page.head
    )
    assert "- **So what.** A bot that loses x" in page.head


def test_meetings_of_rewards_are_counted_as_in_the_paper():
    won = {("y1", "y2"): -50.0, ("y1", "y3"): 50.0}
    rows = [
        {"first": a, "second": b, "seed": 0, "mbb": won.get((a, b), 0.0), "interval": 10.0}
        for a, b in experiment.PAPER_REWARDS
    ]
    page = page_of(figure_5={"iterations": 1, "seeds": 1, "rows": rows})
    assert "1 surely came out as in the paper and 1 surely the other way round" in page.head
    assert "| y1 | - | **-50 ± 10** | **50 ± 10** | 0 ± 10 | -50 |" in page.text
    assert page.document["figures"]["worst.y1"] == -50


def test_nothing_is_said_of_what_was_not_run():
    assert "- **Found.** Nothing has been compared.\n" in page_of().head
