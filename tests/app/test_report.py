"""A training's report: colours, charts, bounds, examples, and that it refreshes itself while the training runs."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from oracles.trainings import save_training, small_cards_everywhere
from solvent.app.command_line import run
from solvent.app.views.charts.html_chart import strategy_chart
from solvent.app.views.charts.line_chart import Line, line_chart
from solvent.app.views.report import (
    bounds_section,
    evaluation_section,
    postflop_examples,
    preflop_decisions,
    response_lines,
    write_report,
)
from solvent.cards.deck import parse_cards
from solvent.evaluate.evaluation import save
from solvent.forms.betting.tree import build_tree
from solvent.foundation.colours import (
    ALL_IN_COLOUR,
    BET_COLOURS,
    CALL_COLOUR,
    CHECK_COLOUR,
    FOLD_COLOUR,
    TEXT_COLOUR,
    bet_colour,
)
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.betting_line import find_decision
from solvent.strategy.agents.decisions import action_colours
from solvent.strategy.agents.trained import TrainedStrategy
from solvent.strategy.agents.training_run import TrainingRun

BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"


@pytest.fixture(scope="module", autouse=True)
def cards():
    with small_cards_everywhere():
        yield


@pytest.fixture
def training(tmp_path: Path) -> TrainingRun:
    made = TrainingRun.open(save_training(tmp_path / "a", BETTING, (500, 1_000)))
    for iterations in (500, 1_000):
        made.run.add_metric({"iterations": iterations, "seconds": 1.0, "regret": 1e5 / iterations})
    return made


def page(training: TrainingRun, running: bool = False) -> str:
    return write_report(training.run, training.blueprint(), running).read_text()


def test_text_is_readable_on_every_colour() -> None:
    """WCAG 2.1 asks for a contrast ratio of 4.5."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for colour in (FOLD_COLOUR, CHECK_COLOUR, CALL_COLOUR, ALL_IN_COLOUR, *BET_COLOURS):
        assert (luminance(colour) + 0.05) / (luminance(TEXT_COLOUR) + 0.05) >= 4.5


def test_one_colour_for_each_action_everywhere() -> None:
    tree = build_tree(parse_betting("acpc"))
    first, after_call, after_raise, flop = (
        dict(zip(tree.actions(node), action_colours(tree, node), strict=True))
        for node in (find_decision(tree, line) for line in ("", "c", "r300", "r300c/"))
    )
    assert first[-1] == after_raise[-1] == FOLD_COLOUR
    assert first[0] == after_raise[0] == CALL_COLOUR
    assert after_call[0] == flop[0] == CHECK_COLOUR
    assert after_raise[20_000] == flop[20_000] == ALL_IN_COLOUR
    assert len(set(flop.values())) == len(flop)
    assert first[300] == bet_colour(1.0) == flop[900]  # a bet of the pot, before the flop and after it
    assert len({bet_colour(pots / 4) for pots in range(1, 30)}) == 29


def test_a_page_stands_alone_and_fits_any_screen(training: TrainingRun) -> None:
    text = page(training)
    assert "<meta name='viewport' content='width=device-width, initial-scale=1'>" in text
    assert "minmax(min(100%,28rem),1fr)" in text  # two charts abreast where there is room, else one
    assert not re.search(r"<script|<link|src=|https?://", text)
    introduction = text.partition("<p>")[2].partition("</p>")[0]
    assert "after 1,000 iterations" in introduction
    assert "mbb/hand" in introduction
    assert text.count("<figure><figcaption>") == 4 + 4
    assert "No bound has been measured yet" in text
    assert "It is no bound of what the agent can lose" in " ".join(text.split())
    for opened in ("figure", "table", "div", "ul", "svg", "tr"):
        assert text.count(f"<{opened}>") + text.count(f"<{opened} ") == text.count(f"</{opened}>")


def test_a_page_refreshes_itself_only_while_training_runs(training: TrainingRun) -> None:
    assert "http-equiv='refresh'" in page(training, running=True)
    assert "The training is running." in page(training, running=True)
    assert "http-equiv" not in page(training)


def test_a_chart_shows_the_strategy(training: TrainingRun) -> None:
    strategy = TrainedStrategy(training.blueprint(), {})
    node, board = find_decision(training.tree, "r300c/"), parse_cards("Kd7d2c")
    shown = strategy_chart(strategy, node, "title", board)
    assert shown.count("<td") == 169
    assert re.search(r"title='22: check \d+ %, bet 6 BB \d+ %; \d+ % come here'", shown)
    assert " 0 100%/100% 100% no-repeat" in shown, "the class that comes most fills its cell"
    assert "K♦" in shown
    shares = [int(share) for share in re.findall(r"<b>(\d+) %</b>", shown)]
    assert abs(sum(shares) - 100) <= 1
    holes = [(high, low) for high in range(52) for low in range(high) if not {high, low} & set(board)]
    reach = [strategy.hand_reach(node, hole, board) for hole in holes]
    mean = np.average([strategy.hand(node, hole, board) for hole in holes], axis=0, weights=reach)
    assert shares == np.rint(100 * mean).astype(int).tolist()
    gone = strategy_chart(strategy, node, "title", parse_cards("KdKsKc"))
    assert "<td class='none'>KK</td>" in gone, "no pair of kings is left"


@pytest.mark.parametrize("betting", ["fcpa", "preflop=a; stack=10", "stack=20; flop=50%", BETTING])
def test_examples_are_decisions_of_any_betting(betting: str) -> None:
    tree = build_tree(parse_betting(betting))
    assert 1 <= len(preflop_decisions(tree)) <= 4
    examples = postflop_examples(tree)
    assert len(examples) == 4
    for node, title, board in examples:
        assert len(board) // 2 == (0, 3, 4, 5)[tree.street[node]]
        assert "pot" in title


def responded(
    iterations: int, mbb: float, post: str = "none", actions: str = "fcpa on river"
) -> dict[str, object]:
    row = {"actions": actions, "hands": 100, "complete": True, "mbb_per_hand": mbb, "mbb_per_hand_95": 10.0}
    return {"iterations": iterations, "post": post, "parts": {"lbr": True}, "lbr": [row]}


def test_bounds_are_shown_over_time_and_called_lower(training: TrainingRun) -> None:
    save(training.folder, responded(500, -3.0))
    assert "gives no lower bound" in bounds_section(training.folder)
    for found in (responded(500, 90.0), responded(1_000, 40.0), responded(1_000, 30.0, "purify")):
        save(training.folder, found)
    text = bounds_section(training.folder)
    assert "lower bound of the agent's exploitability" in text
    assert "no upper bound" in text
    assert "<svg" in text
    lines = response_lines([responded(1_000, 40.0), responded(500, 90.0), responded(700, -1.0)])
    assert lines == [Line("fcpa on river", [(500.0, 90.0), (1_000.0, 40.0)], [10.0, 10.0])]
    (training.folder / "evaluation.json").write_text("{")
    assert "is damaged" in page(training)


def test_lines_are_drawn_within_the_picture() -> None:
    assert line_chart([], "x", "y") == ""
    for points in ([(5.0, 3.0)], [(1.0, 1e-3), (1e9, 2.0), (1e4, 50.0)]):
        drawn = line_chart([Line("one", points, [1.0] * len(points))], "x", "y")
        places = re.findall(r"cx='([\d.]+)' cy='([\d.]+)'", drawn)
        assert len(places) == len(points)
        assert all(0 <= float(x) <= 480 and 0 <= float(y) <= 300 for x, y in places)
    falling = line_chart([Line("", [(float(x), 1e3 / x) for x in range(1, 20)])], "x", "y")
    places = [tuple(map(float, place)) for place in re.findall(r"cx='([\d.]+)' cy='([\d.]+)'", falling)]
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(places))


def test_the_report_is_written_at_every_checkpoint(tmp_path, monkeypatch, capsys) -> None:
    written: list[tuple[bool, int]] = []

    def noted(run_, blueprint, running=False):
        written.append((running, blueprint.iterations))
        return write_report(run_, blueprint, running)

    monkeypatch.setattr("solvent.app.views.report.write_report", noted)
    monkeypatch.chdir(tmp_path)
    options = ("--cards", "cards", "--betting", BETTING, "--threads", "1", "--checkpoint-every", "0.001")
    monkeypatch.setattr(
        sys, "argv", ["solvent", "train", *options, "--iterations", "1300", "--out", "run", "--json"]
    )
    assert run() == 0
    capsys.readouterr()
    assert len(written) > 2
    assert [running for running, _ in written] == [True] * (len(written) - 1) + [False]
    assert written[-1][1] == 1_300
    assert "http-equiv" not in (tmp_path / "run" / "report.html").read_text()


def test_a_report_that_cannot_be_written_stops_no_training(tmp_path, monkeypatch, capsys) -> None:
    def refused(run_, blueprint, running=False):
        if running:
            raise OSError(28, "No space left on device")
        return write_report(run_, blueprint, running)

    monkeypatch.setattr("solvent.app.views.report.write_report", refused)
    monkeypatch.chdir(tmp_path)
    options = ("--cards", "cards", "--betting", BETTING, "--threads", "1", "--checkpoint-every", "0.001")
    monkeypatch.setattr(sys, "argv", ["solvent", "train", *options, "--iterations", "1100", "--out", "run"])
    assert run() == 0
    assert "report.html" in capsys.readouterr().out


def test_commands_name_the_folder_as_it_was_given(training: TrainingRun, monkeypatch) -> None:
    """Also where a run has moved since it was measured."""
    assert f"<code>solvent evaluate {training.folder} --parts lbr</code>" in bounds_section(training.folder)
    made = {"run": "elsewhere/x", "iterations": 1_000, "post": "none", "parts": {}, "complete": True}
    save(training.folder, made)
    shown = evaluation_section(training.folder, 1_000)
    assert f"solvent train --resume {training.folder} --time" in shown
    assert "elsewhere" not in shown
