"""`solvent reproduce laptop-mccfr`: its parts run, are kept, go on where they were stopped, and make a page."""

import json
from dataclasses import replace

import pytest

from oracles.blueprints import BETTING, random_cards, use_cards
from solvent.abstraction.cards.presets import PRESETS
from solvent.app.command_line import run as run_here
from solvent.foundation.errors import InputError
from solvent.training.settings import TrainingSettings
from solvent_papers.laptop_mccfr import (
    bots,
    experiment,
    prior_comparison,
    reward_figure,
    style_figures,
    training_speed,
)
from solvent_papers.laptop_mccfr.bots import Setup, Won, over_seeds
from solvent_papers.laptop_mccfr.bots_page import reading, write_laptop_page
from solvent_papers.page import figures_file
from solvent_papers.parts import run_parts

SMALL = replace(bots.SMALL, iterations=300, bucket_iterations=200, marks=(0.005, 0.01), pairs=10)


@pytest.fixture
def setup(monkeypatch, tmp_path):
    """Random cards, a small betting tree, and next to no time."""
    use_cards(random_cards(), patch=monkeypatch)
    (tmp_path / "cards" / "tiny" / "tables").mkdir(parents=True)
    monkeypatch.setattr(bots, "SMALL", SMALL)
    for name, small in (("WARM", 50), ("ACCESSES", 1_000), ("BATCH_SECONDS", 0.001), ("INSIDE", 2)):
        monkeypatch.setattr(training_speed, name, small)
    return Setup(tmp_path / "cards", tmp_path / "work", small=True, betting=BETTING)


def test_parts_run_once_and_make_a_page(setup, tmp_path):
    results = run_parts(experiment.PARTS, setup)
    page = tmp_path / "laptop-mccfr.md"
    write_laptop_page(results, page, "solvent reproduce laptop-mccfr --scale small")
    text, figures = page.read_text(), json.loads(figures_file(page).read_text())["figures"]
    for heading in (
        "Bots against",
        "The ensemble",
        "Biased",
        "Buckets by rule",
        "Initial weights",
        "Threads",
    ):
        assert f"\n## {heading}" in text
    assert "Not run" not in text
    assert "| y1 | 169 / 2x3 / 2x1 / 2x2 | 2 | 300 |" in text
    assert figures["y1 from y2"] == -figures["y2 from y1"]
    for name in ("mean.tight", "ensemble.tight"):
        assert figures[f"{name}.low"] < figures[name] < figures[f"{name}.high"]
    assert {"buckets.rules from emd.low", "prior.weights from plain.0.01.high", "threads.rows"} <= set(
        figures
    )
    assert figures["buckets.rows.raises"] <= figures["buckets.rows.rules"] == figures["buckets.rows.emd"]
    assert page.with_suffix(".png").exists()
    meetings = 2 * 7 + 3 * 7 + 2 * 6 + 2 * 3 + 2 * 2 * 3
    assert page.with_suffix(".csv").read_text().count("\n") == 1 + meetings
    before = {path: path.stat().st_mtime_ns for path in (setup.work / "parts").iterdir()}
    again = run_parts(experiment.PARTS, setup)
    assert [result.found for result in again] == [result.found for result in results]
    assert {path: path.stat().st_mtime_ns for path in (setup.work / "parts").iterdir()} == before


def test_a_training_that_was_stopped_goes_on_with_the_next_bot(setup, monkeypatch):
    trained, train, most = [], bots.train_bot, [1]

    def counted(setup, say, bot, seed, *given):
        if len(trained) == most[0]:
            raise KeyboardInterrupt
        trained.append(seed)
        return train(setup, say, bot, seed, *given)

    monkeypatch.setattr(bots, "train_bot", counted)
    part = bots.training_part("train-y2", bots.reward_bot("y2"))
    with pytest.raises(KeyboardInterrupt):
        run_parts([part], setup)
    assert trained == [0]
    most[0] = 10
    (result,) = run_parts([part], setup)
    assert trained == [0, 1]
    assert [row["iterations"] for row in result.found["bots"]] == [300, 300]


def test_what_cannot_be_run_is_refused(setup, tmp_path, capfd):
    with pytest.raises(InputError, match="run the part train-y1 first"):
        run_parts(experiment.PARTS, setup, ["figure-8"])
    with pytest.raises(InputError, match="there is no part 'figure-2'"):
        run_parts(experiment.PARTS, setup, ["figure-2"])
    assert run_here(["reproduce", "laptop-mccfr", "--scale", "huge", "--out", str(tmp_path)]) == 2
    assert "--scale is full or small, not 'huge'" in capfd.readouterr().err


def test_bots_of_a_comparison_differ_by_what_is_compared_alone():
    settings = {reward: bots.reward_bot(reward).settings for reward in ("y1", "y2")}
    assert replace(settings["y2"], reward="y1") == settings["y1"]
    rules, emd = PRESETS["rules"], bots.emd_design()
    assert emd.label == rules.label
    assert not emd.by_rule
    plain, weights = (prior_comparison.BOTS[name].settings for name in ("plain", "weights"))
    assert (
        replace(weights, initial_weights=False, unvisited="uniform")
        == plain
        == TrainingSettings(sampling="external")
    )


def test_intervals_are_over_seeds_and_deals():
    """Student's interval of two seeds a unit apart has a half of 6.35; that of the deals may be wider."""
    rows = [{"mbb": 10.0, "interval": 3.0}, {"mbb": 11.0, "interval": 4.0}]
    assert over_seeds(rows) == Won(10.5, pytest.approx(6.353, abs=0.001))
    rows = [{"mbb": 10.0, "interval": 30.0}, {"mbb": 11.0, "interval": 40.0}]
    assert over_seeds(rows) == Won(10.5, 25.0)
    assert over_seeds(rows[:1]) == Won(10.0, 30.0)


def styled(mbb):
    """What Figure 8's part finds where every bot wins `mbb[style]`, or 0."""
    rows = [
        {"style": style, "seed": seed, "mbb": mbb.get(style, 0.0), "interval": 5.0}
        for style in style_figures.STYLES
        for seed in range(2)
    ]
    return {"cards": "4x20", "iterations": 1, "bots": 2, "pairs": 10, "rows": rows}


def test_bars_are_what_bots_lose_to_their_versions():
    found = styled({"deterministic": -49.0, "tight": -21.0, "random": 3_000.0})
    assert [bar.name.split()[0] for bar in style_figures.bars(found) if not bar.met] == ["tight"]
    assert "surely win from random and surely lose to tight, deterministic" in style_figures.bots_section(
        found
    )
    said = reading({"figure-8": found})
    assert (
        "surely beat 1 and surely lose to 2 of 7 changed versions of themselves; the best of these wins 49"
        in said.found
    )
    assert said.so_what.startswith("A bot that loses x")


def test_meetings_of_rewards_are_counted_as_in_the_paper():
    won = {("y1", "y2"): -50.0, ("y1", "y3"): 50.0}
    rows = [
        {"first": a, "second": b, "seed": 0, "mbb": won.get((a, b), 0.0), "interval": 10.0}
        for a, b in reward_figure.PAPER_REWARDS
    ]
    found = {"iterations": 1, "seeds": 1, "rows": rows}
    assert reward_figure.agreement(found) == (1, 1)
    text = reward_figure.section(found)
    assert "1 surely came out as in the paper and 1 surely the other way round" in text
    assert "| y1 | - | -50 ± 10 | 50 ± 10 | 0 ± 10 | -50 |" in text
    assert reward_figure.figures(found)["worst.y1"] == -50
