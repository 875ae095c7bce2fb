"""Reports after a hand and after a match: the agent's play in one's place, one's cards, the stacks."""

import io
import json
import re
import sys

import pytest

from oracles.trainings import save_training, small_cards_everywhere
from solvent.app.command_line import run

BETTING = "preflop=3x,a; postflop=100%; cap=1; stack=10"


@pytest.fixture(scope="module", autouse=True)
def loaded_cards():
    """Every training's cards are the small ones."""
    with small_cards_everywhere():
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two trainings of other stacks."""
    found = tmp_path_factory.mktemp("runs")
    save_training(found / "a", BETTING, (500,))
    save_training(found / "b", BETTING.replace("stack=10", "stack=20"), (500,))
    return found


@pytest.fixture
def solvent(folder, monkeypatch, capsys):
    """Run a command in this process, in the runs' folder: (exit code, standard output, standard error)."""

    def command(*arguments, typed=""):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = run([str(argument) for argument in arguments])
        found = capsys.readouterr()
        return code, found.out, found.err

    return command


def test_what_the_agent_would_have_done_in_your_place_is_shown(solvent):
    """With the person's cards, on each decision of the person; what was done is marked."""
    typed = "c\n" * 12
    _, out, _ = solvent("play", "a@purify", "--seed", 2, "--hands", 1, typed=typed + "\n")
    _, asked, _ = solvent("play", "a@purify", "--seed", 2, "--hands", 1, typed=typed + "w\n\n")
    assert "w its play in your place" in out
    said = asked[len(out.rstrip()) - 200 :]
    assert "│ you" in said
    assert "100.0 %" in said
    hole = re.search(r"Preflop, with (\S+ \S+)", said)
    shown = re.search(r"^  (\S+ \S+)   pot", out, re.MULTILINE)
    assert hole is not None
    assert shown is not None
    assert hole[1] == shown[1]


def test_a_bet_that_the_agent_never_makes_is_named(solvent):
    _, out, _ = solvent("play", "a", "--seed", 2, "--hands", 1, typed="raise 2\n" + "c\n" * 12 + "w\n\n")
    assert "you raise to 2 BB, which is not among its sizes" in out


def test_the_cards_of_a_hand_that_the_agent_folds_at_once_are_shown(solvent):
    """The person has the big blind in the second hand, and the button gives up at once."""
    _, out, _ = solvent("play", "always-fold", "--seed", 3, "--hands", 2, typed="f\n\n\n")
    assert "It folds." in out
    assert re.search(r"It folds\.\s+You had \S+ \S+\.", out)


def test_a_match_says_the_stacks_and_who_was_trained_with_others(solvent):
    code, out, _ = solvent("match", "a", "always-call", "--hands", 40)
    assert code == 0
    assert "10 BB, blinds 50/100" in out
    assert "trained with" not in out
    _, out, _ = solvent("match", "a", "always-call", "--hands", 40, "--stack", "30,40")
    assert "30 BB and 40 BB, blinds 50/100" in out
    assert "The shorter stack is 30 BB, but a was trained with 10 BB: it plays as if" in " ".join(out.split())
    _, out, _ = solvent("match", "a", "always-call", "random", "--hands", 40, "--stack", 30, "--json")
    assert json.loads(out)["note"].startswith("The shorter stack is 30 BB")
    _, out, _ = solvent("match", "a", "b", "--hands", 40)
    note = "The shorter stack is 10 BB, but b was trained with 20 BB: it plays as if"
    assert note in " ".join(out.split())
