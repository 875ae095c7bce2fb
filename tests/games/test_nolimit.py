"""No-limit hold'em on small decks: rules against OpenSpiel's universal poker, exact values, names and refusals."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pyspiel
import pytest

from solvent.cards.deck import parse_cards
from solvent.cards.ranking import best_strength, category, short_strengths
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.public.solver import PublicSolver
from solvent.forms.history import compile_tree
from solvent.forms.holdem.game import holdem_game
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.game import CHANCE, TERMINAL
from solvent.games.holdem.nolimit import NoLimit
from solvent.games.public_rules import FOLD, SHOWDOWN, Betting, PublicRules
from solvent.solving.solve import solve

# Cards


def test_short_hands_are_ordered_as_long_ones() -> None:
    names = ["AsAd", "2s2d", "AsKs", "3s2s"]
    strengths = short_strengths(np.array([parse_cards(name) for name in names]))
    assert list(strengths) == sorted(strengths, reverse=True)
    four = ["2s2d2c2h", "AsAdAcKh", "AsAdKcKh", "3s3d2c2h", "AsAdKcQh", "2s2d4c3h", "AsKsQsJs", "5s4s3s2s"]
    strengths = short_strengths(np.array([parse_cards(name) for name in four]))
    assert list(strengths) == sorted(strengths, reverse=True)
    assert [category(s) for s in strengths[::2]] == ["four of a kind", "two pair", "pair", "high card"]


@pytest.mark.parametrize("boards", [[0, 1], [0, 2], [0, 1, 2], [0, 1, 1, 2], [0, 3, 1, 1]], ids=str)
def test_strengths_of_all_hands_are_those_of_one(boards: list[int]) -> None:
    game, rng = NoLimit(4, 13, boards, stack=10), random.Random(3)
    shown = [tuple(rng.sample(game.deck, sum(boards))) for _ in range(20)]
    hands = rng.sample(list(game.hands()), 20)
    table = game.strengths(shown, hands)
    for row, board in zip(table, shown, strict=True):
        for found, hand in zip(row, hands, strict=True):
            if not set(board) & set(hand):
                assert found == game.strength(board, hand)
                if len(board) > 2:
                    assert found == best_strength(board + hand)


# Rules


def openspiel(game: NoLimit) -> Any:
    settings = {
        "betting": "nolimit",
        "numPlayers": 2,
        "numRounds": len(game.street_names),
        "stack": f"{game.stack} {game.stack}",
        "blind": "{} {}".format(*game.blinds),
        "firstPlayer": " ".join("1222"[: len(game.street_names)]),
        "numSuits": game.suits,
        "numRanks": game.ranks,
        "numHoleCards": 2,
        "numBoardCards": " ".join(map(str, (0, *game.deals))),
        "bettingAbstraction": "fullgame",
    }
    return pyspiel.load_game("universal_poker", settings)


@pytest.mark.parametrize(
    "game",
    [
        NoLimit(2, 4, [0, 1, 1], stack=9, bets="50%,100%,a"),
        NoLimit(4, 5, [0, 3, 1, 1], stack=40, bets="50%,a", raises="2x,a"),
        NoLimit(4, 5, [0, 1, 1, 1], stack=23, blinds="2/3", bets="100%", cap=2),
        NoLimit(3, 4, [0, 3, 1], stack=30, bets="2bb,a", flop_bets="25%", cap=3),
    ],
    ids=str,
)
def test_random_playouts_agree_with_openspiel(game: NoLimit) -> None:
    rng, root, ends = random.Random(5), openspiel(game).new_initial_state(), Counter[str]()
    for _ in range(300):
        ours: Any = game.root()
        theirs, base, paid, dealt = root.clone(), 0, [0, 0], False
        while ours.player() != TERMINAL:
            if ours.player() == CHANCE:
                before, (_, _, ours) = ours, rng.choice(ours.chance_children())
                for card in ours.board[len(before.board) :] or ours.hands[-1]:
                    theirs.apply_action(game.suits * (card // 4) + card % 4)
                if ours.board:
                    ends["run out"] += dealt
                    dealt, base = True, max(paid)
                continue
            assert theirs.current_player() == ours.player()
            dealt = False
            action = rng.choice(ours.actions())
            if action == "fold" and rng.random() < 0.7:
                continue
            move = 0 if action == "fold" else 1
            if " " in action:
                paid[ours.player()] = move = base + int(action.split()[1])
            elif action == "call":
                paid = [max(*paid, game.blinds[1])] * 2
            assert move in theirs.legal_actions()
            ours = ours.child(action)
            theirs.apply_action(move)
        assert theirs.is_terminal()
        assert list(ours.payoffs()) == theirs.returns()
        ends[ours.betting.symbol] += 1
    assert min(ends[kind] for kind in (FOLD, SHOWDOWN, "run out")) > 10


def test_an_ante_is_part_of_the_pot() -> None:
    game = NoLimit(2, 4, [0, 1], stack=12, bets="100%", ante=1, cap=1)
    assert game.betting.actions == ("fold", "call", "raise 8")  # calls to 2, and adds the pot of 6
    folded, called = game.betting.children[0], game.betting.children[2].children[1]
    assert (folded.symbol, folded.stake) == (FOLD, -2)
    assert called.deals
    assert game.betting.children[2].children[0].stake == 3


def test_players_take_turns_from_the_small_blind() -> None:
    game = NoLimit(2, 5, [0, 1, 1], stack=20, bets="100%", cap=1)
    assert game.betting.player == 0
    big_blind = game.betting.children[1]
    assert (big_blind.player, big_blind.actions) == (1, ("check", "raise 6"))
    flop = big_blind.children[0].children[0]
    assert (flop.player, flop.history) == (1, "call, check")


def test_an_all_in_is_followed_by_the_deals_that_are_left() -> None:
    game = NoLimit(2, 5, [0, 1, 1, 1], stack=5, bets="a")
    called = game.betting.children[2].children[1]
    for _ in range(3):
        assert called.deals
        (called,) = called.children
    assert (called.symbol, called.stake) == (SHOWDOWN, 5)


def decisions(betting: Betting) -> list[Betting]:
    below = [node for child in betting.children for node in decisions(child)]
    return [betting, *below] if betting.actions else below


# Exact values

SMALL = [
    "nolimit(suits=2,ranks=3,boards=[0,1],stack=4,blinds=1/2,bets='100%,a')",
    "nolimit(suits=1,ranks=5,boards=[0,1],stack=9,blinds=1/2,bets='50%,a',raises=a)",
    "nolimit(suits=2,ranks=3,boards=[0,1,1],stack=4,blinds=1/2,bets=a,cap=1)",
    "nolimit(suits=1,ranks=6,boards=[0,1,1],stack=6,blinds=1/2,ante=1,bets='100%,a',cap=2)",
]


@pytest.mark.parametrize("name", SMALL)
def test_the_linear_program_and_cfr_on_both_forms_agree(name: str) -> None:
    game = load_game(name)
    assert isinstance(game, NoLimit)
    histories = [node.history for node in decisions(game.betting)]
    assert len(set(histories)) == len(histories)
    assert game.histories() == PublicRules.histories(game) == compile_tree(game).histories
    exact = solve(game, rule="lp", form="history")
    assert exact.exploitability == pytest.approx(0, abs=1e-9)
    by_history = solve(game, rule="dcfr", form="history", iterations=1000)
    assert by_history.exploitability < 2e-3
    assert by_history.value == pytest.approx(exact.value, abs=2 * by_history.exploitability + 1e-9)
    solver = HoldemSolver(holdem_game(game), dtype="float64")
    solver.run(1000)
    found = solver.evaluate()
    assert found.exploitability < 1e-3
    assert found.value == pytest.approx((exact.value, -exact.value), abs=2 * found.exploitability + 1e-9)


def test_the_public_form_of_all_games_takes_run_outs() -> None:
    game = load_game(SMALL[2])
    assert isinstance(game, NoLimit)
    solver = PublicSolver(public_game(game), "dcfr")
    solver.run(200)
    assert solver.evaluate().exploitability < 1e-3


# Names and refusals


@pytest.mark.parametrize(
    "name",
    [
        *SMALL,
        "nolimit(suits=4,ranks=5,boards=[0,1,1,1],stack=162,blinds=1/2,bets=100%,cap=1)",
        "nolimit(suits=4,ranks=13,boards=[0,3,1,1],stack=200,blinds=0/1,bets='',river_bets=a,cap=1)",
    ],
)
def test_names_read_back(name: str) -> None:
    assert str(load_game(name)) == name


def test_blinds_and_sizes_may_be_lists() -> None:
    game = NoLimit(2, 4, (0, 1, 1), 8, (1, 2), ["100%", "a"])
    assert [node.actions for node in decisions(game.betting)] == [
        node.actions for node in decisions(NoLimit(2, 4, [0, 1, 1], 8, "1/2", "100%,a").betting)
    ]
    assert str(load_game(str(game))) == str(game)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("boards=[0]", "2 to 4 streets"),
        ("boards=[1,1]", "0 on the first"),
        ("boards=[0,0,1]", "at least 1 on each later"),
        ("boards=[0,1,1,1,1]", "2 to 4 streets"),
        ("boards=[0,0.5]", "2 to 4 streets"),
        ("boards=[0,3,2,1]", "at most 5 cards"),
        ("boards=x", "a number or a list"),
        ("suits=5", "1 to 4 suits"),
        ("ranks=14", "1 to 13 ranks"),
        ("suits=2,ranks=2,boards=[0,1]", "deals five cards"),
        ("suits=2,ranks=4,boards=[0,3,2]", "deals nine cards"),
        ("stack=0", "stack is a whole number"),
        ("stack=1", "nobody has anything to decide"),
        ("stack=1.5", "whole number"),
        ("blinds=2/1", "blinds are"),
        ("blinds=1-2", "blinds are written 1/2"),
        ("blinds=1/0", "big blind"),
        ("blinds=3", "blinds are written 1/2"),
        ("ante=300", "leaves nothing"),
        ("ante=-1", "ante is a whole number"),
        ("bets=100", "text such as '50%,a'"),
        ("bets='100'", "bet size is written"),
        ("bets=[1,2]", "text such as"),
        ("cap=-2", "cap is"),
        ("flops=3", "no setting 'flops'"),
        ("bets=1%,stack=100000", "cap or larger sizes|at most 2,097,152"),
    ],
)
def test_refusals(parameters: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as refused:
        load_game(f"nolimit({parameters})")
    assert "\n" not in str(refused.value)
