"""Nodes of a solved spot by line: what the table sees, and refusals of lines that lead nowhere."""

from __future__ import annotations

import pytest

from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import holdem_game
from solvent.foundation.errors import InputError
from solvent.games.holdem.spot import Spot
from solvent.spots.nodes.solution import SpotSolution

TURN = Spot(
    "Tc9c6cQc", "QQ,99:0.5,T8s", "JJ:0.2,TT,AQo", pot=20, stack=60, bets="50%,a", raises="100%,a", rake="5%"
)


@pytest.fixture(scope="module")
def turn() -> SpotSolution:
    solver = HoldemSolver(holdem_game(TURN), dtype="float64")
    solver.run(5)
    assert solver.game.isomorphism
    return SpotSolution(solver)


def test_a_node_knows_board_pot_stacks_and_who_acts(turn: SpotSolution) -> None:
    node = turn.at("check, bet 10, call, 7s, bet 20, raise 50")
    assert (node.board, node.street, node.kind) == ("Tc9c6cQc7s", "river", "decision")
    assert (node.pot, node.stacks, node.player) == (20 + 20 + 70, (30, 0), 0)
    assert node.actions == ("fold", "call")
    assert (turn.root.line, turn.root.pot, turn.root.stacks) == ("", 20, (60, 60))


def test_short_forms_name_the_same_node(turn: SpotSolution) -> None:
    assert turn.at("x, b10,C ,7S, k , bet20").line == "check, bet 10, call, 7s, check, bet 20"


def test_all_in_names_the_bet_or_raise_of_everything(turn: SpotSolution) -> None:
    assert turn.at("x, b10, a").line == "check, bet 10, raise 60"
    assert turn.at("bet 10, call, 7s, all-in").line == "bet 10, call, 7s, bet 50"
    with pytest.raises(InputError, match="OOP acts after 'check, bet 60', with fold, call, not 'all-in'"):
        turn.at("check, bet 60, all-in")


@pytest.mark.parametrize("line", [None, 5, ["check"]])
def test_a_line_is_text(turn: SpotSolution, line: object) -> None:
    with pytest.raises(InputError, match="a line is text"):
        turn.at(line)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("check, bet 11", "IP acts after 'check', with check, bet 10, bet 60, not 'bet 11'"),
        ("7s", "OOP acts first, with check, bet 10, bet 60; no card is dealt, such as '7s'"),
        ("check, check, check", "a card is dealt after 'check, check', such as 7s; 'check' is none"),
        ("check, check, Qc", "Qc is on the board Tc9c6cQc already"),
        ("check, check, 7s8s", "after 'check, check' one card comes, not 7s8s"),
        (
            "bet 60, call, 7s",
            "both players are all-in after the line 'bet 60, call', so '7s' cannot follow it",
        ),
        (
            "bet 60, fold, check",
            "the hand is over after the line 'bet 60, fold', so 'check' cannot follow it",
        ),
    ],
)
def test_lines_that_lead_nowhere_are_refused(turn: SpotSolution, line: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        turn.at(line)
    assert says in str(refused.value)
