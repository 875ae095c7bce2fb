"""Laptop MCCFR's experiment: which bots are trained, and what its page says of what was measured."""

from itertools import combinations

from solvent.experiments.laptop_mccfr.bots import (
    BOTS,
    PAPER_REWARDS,
    PAPER_WINS,
    QUICK,
    STYLES,
    LaptopMccfr,
    Meeting,
    bots,
    mean_of,
)
from solvent.experiments.laptop_mccfr.bots_page import write_results
from solvent.experiments.laptop_mccfr.training_speed import TrainingSpeed, Way
from solvent.solvers.rewards import REWARDS
from solvent.solvers.training_settings import TrainingSettings


def measured(deterministic: float) -> LaptopMccfr:
    """Numbers as they might come out: y2 ahead of y1, all else even, deterministic versions as given."""
    meetings = []
    for style in STYLES:
        won = deterministic if style == "deterministic" else 100.0
        meetings += [Meeting("8", f"y1-{k}", f"y1-{k}:{style}", 200, won, 30.0) for k in range(BOTS)]
        meetings.append(Meeting("7", "ensemble", f"ensemble:{style}", 200, won, 20.0, PAPER_WINS.get(style)))
    for pair in combinations(REWARDS, 2):
        won = -50.0 if pair == ("y1", "y2") else 0.0
        meetings.append(Meeting("5", f"{pair[0]}-0", f"{pair[1]}-0", 200, won, 10.0, PAPER_REWARDS[pair]))
    ways = [Way("2 MB", 1, "none", 5e6, 1e5, 1.0), Way("2 MB", 2, "none", 9e6, 2e5, 1.8)]
    speed = TrainingSpeed("4x20", "laptop", 1 << 30, ways, {"2 MB": 90.0}, {"2 MB": 1.0}, 1)
    return LaptopMccfr(QUICK, "4x20", {"y1-0": 1_000_000}, meetings, speed)


def test_the_page_says_who_lost(tmp_path):
    page = tmp_path / "laptop-mccfr.md"
    write_results(measured(deterministic=-100.0), page, "solvent reproduce laptop-mccfr --quick")
    text = page.read_text()
    assert "Some bot surely loses to its deterministic version" in text
    assert "1 come out surely as in the paper and 0 surely the other way round" in text
    assert "| y1 | - | -50 ± 10 |" in text
    assert "| y2 | 50 ± 10 | - |" in text
    head = text.splitlines()[2:5]
    assert [line.partition(".**")[0] for line in head] == ["- **Claimed", "- **Found", "- **So what"]
    assert "beats 6 and surely loses to 1 of 7" in head[1]
    assert page.with_suffix(".csv").exists()
    assert page.with_suffix(".png").exists()
    write_results(measured(deterministic=10.0), page, "")
    assert "No bot loses surely" in page.read_text()


def test_bots_differ_by_reward_and_seed_alone():
    design = TrainingSettings(betting="fcpa")
    trained = bots(design, QUICK)
    assert list(trained) == ["y1-0", "y1-1", "y1-2", "y1-3", "y2-0", "y3-0", "y4-0"]
    assert trained["y2-0"].reward == "y2"
    assert trained["y1-3"].seed == 3
    mbb, interval = mean_of([Meeting("8", "a", "b", 10, 10.0, 3.0), Meeting("8", "a", "b", 10, 20.0, 4.0)])
    assert (mbb, interval) == (15.0, 2.5)
