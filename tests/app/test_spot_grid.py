"""The 13 x 13 grid of a spot's strategy: with and without colours, on wide and narrow terminals."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from solvent.app.terminal import has_colours
from solvent.app.views.spots.solved import grid_text
from solvent.foundation.colours import paler

HANDS = ["AsAh", "AsKs", "AhKh", "KdQc", "7c2d", "9c9d"]
WEIGHTS = np.array([1.0, 1.0, 3.0, 0.5, 0.0, 1.0])
ACTIONS = ("check", "bet 100", "bet 900")
PLAY = np.array(
    [[1.0, 1.0, 0.0, 0.25, 1.0, 0.0], [0.0, 0.0, 1.0, 0.25, 0.0, 0.0], [0.0, 0.0, 0.0, 0.5, 0.0, 1.0]]
)
HEIGHTS = {"AA": 1.0, "AKs": 0.5, "KQo": 1.0, "72o": 0.0, "99": 0.1}
COLOURS = ("#c8e6b4", "#ffe066", "#c3a0f0")


def grid(colour: bool, width: int) -> Text:
    return grid_text(HANDS, WEIGHTS, PLAY, HEIGHTS, ACTIONS, colour, width, COLOURS)


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("width", [200, 80, 78, 77, 70, 65, 64, 52, 51, 40, 28])
def test_the_grid_fits_the_terminal(colour: bool, width: int) -> None:
    lines = grid(colour, width).plain.splitlines()
    assert max(map(len, lines)) <= width
    rows = lines[: lines.index("")]
    assert len(rows) in (13, 14)
    shares = [float(line.split()[-2]) for line in lines[-3:]]
    assert shares == pytest.approx((100 * PLAY @ WEIGHTS / WEIGHTS.sum()).tolist(), abs=0.006)


def test_without_colours_a_class_says_its_likeliest_action() -> None:
    rows = grid(False, 80).plain.splitlines()
    assert rows[0].split()[:3] == ["AA", "c", "AKs~1"], "AhKh weighs more than AsKs, and the class mixes"
    assert "KQo~2 " in rows[2], "half of the time it does something else"
    assert "99'2 " in rows[5], "little of it comes"
    assert not any("72o" in row for row in rows), "a hand of no weight is not shown"
    narrow = grid(False, 40).plain.splitlines()
    assert narrow[0].split() == list("AKQJT98765432")
    assert narrow[1].split()[:3] == ["A", "c", "1~."]


def test_colours_are_as_wide_as_actions_are_likely() -> None:
    text = grid(True, 80)
    at = text.plain.index("KQo") - 1
    cell = [
        next(str(span.style).split()[-1] for span in text.spans if span.start <= place < span.end)
        for place in range(at, at + 5)
    ]
    assert cell == [COLOURS[0], COLOURS[1], COLOURS[1], COLOURS[2], COLOURS[2]]
    nines = text.plain.index("99")
    shown = {str(span.style).split()[-1] for span in text.spans if span.start <= nines < span.end}
    assert shown == {paler(COLOURS[2], 0.1)}, "a class that hardly comes is pale"
    assert not any("on #" in str(span.style) for span in grid(False, 80).spans)


def test_a_node_that_nobody_reaches_has_an_empty_grid() -> None:
    empty = grid_text(HANDS, np.zeros(len(HANDS)), PLAY, HEIGHTS, ACTIONS, False, 80, COLOURS)
    assert set(empty.plain.split("\n\n")[0]) <= {".", " ", "\n"}


def test_the_grid_says_how_it_is_read() -> None:
    assert "paler where less of the class comes here" in " ".join(grid(True, 80).plain.split())
    assert "marks are likeliest actions; ~ below 90%; ' less than a quarter" in grid(False, 80).plain


@pytest.mark.parametrize("no_color", [True, False])
def test_a_terminal_that_is_told_not_to_colour_gets_marks(no_color: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", no_color=no_color)
    assert has_colours(console) is not no_color


def test_hands_that_hardly_come_have_no_cell() -> None:
    weights = np.array([1.0, 1e-7, 1e-7, 0.5, 0.0, 1e-3])
    shown = grid_text(HANDS, weights, PLAY, HEIGHTS, ACTIONS, False, 80, COLOURS).plain
    assert "AKs" not in shown, "what such a hand plays was never learned"
    assert "99'2" in shown
