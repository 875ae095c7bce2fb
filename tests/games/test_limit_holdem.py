"""Limit hold'em, to the flop or further, by its counts and, state by state, against OpenSpiel's universal poker."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvent.cards.deck import parse_cards
from solvent.games.catalogue import load_game
from solvent.games.game import CHANCE, TERMINAL, GameError
from solvent.games.holdem.limit_holdem import FlopHoldem, LimitHoldem
from solvent.games.public_rules import FOLD, SHOWDOWN, Betting, PublicRules
from solvent.solving.solve import solve

ACTION_NUMBERS = {"fold": 0, "call": 1, "check": 1, "bet": 2, "raise": 2}
"""Our actions as universal poker numbers them."""


def openspiel(rules: LimitHoldem) -> Any:
    settings = {
        "betting": "limit",
        "numPlayers": 2,
        "numRounds": rules.streets,
        "blind": "1 2",
        "raiseSize": " ".join(map(str, rules.rules.bets)),
        "firstPlayer": " ".join("1222"[: rules.streets]),
        "maxRaises": " ".join(map(str, rules.rules.caps)),
        "numSuits": rules.suits,
        "numRanks": rules.ranks,
        "numHoleCards": 2,
        "numBoardCards": " ".join("0311"[: rules.streets]),
    }
    return pyspiel.load_game("universal_poker", settings)


def in_order(cards: Iterable[int]) -> Any:
    """Cards as the rules hold them: a sorted tuple."""
    return tuple(sorted(cards))


def deal_cards(rules: LimitHoldem, theirs: Any, cards: Iterable[int]) -> Any:
    """Their state after these cards of ours, dealt one at a time."""
    after = theirs.clone()
    for card in cards:
        after.apply_action(rules.suits * (card // 4) + card % 4)
    return after


def new_cards(before: Any, after: Any) -> Any:
    """The cards that a chance move dealt."""
    return after.board[len(before.board) :] or after.hands[-1]


def assert_agree(ours: Any, theirs: Any, infosets: dict[str, str]) -> None:
    """Both games say the same about one state: who acts, what is legal, what is known, what it pays.

    Universal poker sorts all public cards, so that its infosets forget which of them came on the turn.
    """
    if theirs.is_terminal():
        assert ours.player() == TERMINAL
        assert list(ours.payoffs()) == theirs.returns()
        return
    assert ours.player() == theirs.current_player()
    if ours.player() != CHANCE:
        assert [ACTION_NUMBERS[action] for action in ours.actions()] == theirs.legal_actions()
        text = theirs.information_state_string()
        assert infosets.setdefault(ours.infoset(), text) == text


def assert_agree_below(rules: LimitHoldem, ours: Any, theirs: Any, infosets: dict[str, str]) -> int:
    """`assert_agree` at and below a state; how many states of ours that are."""
    assert_agree(ours, theirs, infosets)
    if ours.player() == CHANCE:
        children = [
            (after, deal_cards(rules, theirs, new_cards(ours, after)))
            for _, _, after in ours.chance_children()
        ]
    else:
        children = [(ours.child(action), theirs.child(ACTION_NUMBERS[action])) for action in ours.actions()]
    return 1 + sum(assert_agree_below(rules, *pair, infosets) for pair in children)


@pytest.mark.parametrize(
    "rules",
    [
        FlopHoldem(1, 7, 4),
        FlopHoldem(1, 8, 1),
        FlopHoldem(2, 4, 0),
        FlopHoldem(2, 4, 3),
        LimitHoldem(1, 7, 2),
        LimitHoldem(1, 8, 3, 1),
    ],
    ids=str,
)
def test_every_state_agrees_with_openspiel(rules: LimitHoldem) -> None:
    infosets: dict[str, str] = {}
    walked = assert_agree_below(rules, rules.root(), openspiel(rules).new_initial_state(), infosets)
    assert walked == rules.histories()
    assert len(set(infosets.values())) == len(infosets) or rules.streets > 2


@pytest.mark.parametrize(
    "rules",
    [
        FlopHoldem(3, 3),
        FlopHoldem(2, 6),
        FlopHoldem(4, 3),
        LimitHoldem(2, 5, 3),
        LimitHoldem(3, 3, 4),
        LimitHoldem(2, 6, 4, 2),
    ],
    ids=str,
)
def test_random_playouts_agree_with_openspiel(rules: LimitHoldem) -> None:
    rng = random.Random(7)
    game, infosets = openspiel(rules), dict[str, str]()
    for _ in range(300):
        ours: Any = rules.root()
        theirs = game.new_initial_state()
        while ours.player() != TERMINAL:
            assert_agree(ours, theirs, infosets)
            if ours.player() == CHANCE:
                before, (_, _, ours) = ours, rng.choice(ours.chance_children())
                theirs = deal_cards(rules, theirs, new_cards(before, ours))
            else:
                action = rng.choice(ours.actions()[-2:])  # never fold: folds end at once
                ours, theirs = ours.child(action), theirs.child(ACTION_NUMBERS[action])
        assert_agree(ours, theirs, infosets)
    assert len(set(infosets.values())) == len(infosets) or rules.streets > 2


@pytest.mark.parametrize("raises", [3, 4])
def test_showdowns_of_the_full_deck_agree_with_openspiel(raises: int) -> None:
    rules, rng = FlopHoldem(raises=raises), random.Random(7)
    root = openspiel(rules).new_initial_state()
    signs: Counter[int] = Counter()
    for _ in range(1_000):
        cards = rng.sample(rules.deck, 7)
        first, second, board = map(in_order, (cards[:2], cards[2:4], cards[4:]))
        betting, theirs = rules.betting, deal_cards(rules, root, first + second)
        while betting.symbol is None:
            assert theirs.current_player() == betting.player
            assert theirs.legal_actions() == [ACTION_NUMBERS[action] for action in betting.actions]
            index = rng.randrange(len(betting.actions))
            theirs.apply_action(ACTION_NUMBERS[betting.actions[index]])
            betting = betting.children[index]
            if betting.deals:
                betting, theirs = betting.children[0], deal_cards(rules, theirs, board)
        sign = rules.sign(betting.symbol, board, first, second)
        assert theirs.returns() == [betting.stake * sign, -betting.stake * sign]
        signs[sign] += betting.symbol == SHOWDOWN
    assert min(signs.values()) > 0


# Sizes


def nodes_of_round(betting: Betting) -> Iterator[Betting]:
    yield betting
    if not betting.deals:
        for child in betting.children:
            yield from nodes_of_round(child)


def kinds(betting: Betting) -> Counter[str]:
    """How many nodes of each kind a round has."""
    return Counter(node.symbol or ("deals" if node.deals else "decision") for node in nodes_of_round(betting))


def test_three_raises_make_the_published_betting_tree() -> None:
    preflop = FlopHoldem().betting
    assert kinds(preflop) == {"decision": 8, FOLD: 7, "deals": 7}
    for node in nodes_of_round(preflop):
        if node.deals:
            assert kinds(node.children[0]) == {"decision": 8, FOLD: 6, SHOWDOWN: 7}


def test_histories_text_names_one_node_each() -> None:
    preflop = FlopHoldem().betting
    ends = [node.children[0] for node in nodes_of_round(preflop) if node.deals]
    texts = [node.history for top in (preflop, *ends) for node in nodes_of_round(top) if node.actions]
    assert len(set(texts)) == len(texts) == 8 + 7 * 8


@pytest.mark.parametrize(
    "rules",
    [
        FlopHoldem(1, 7),
        FlopHoldem(2, 4),
        FlopHoldem(3, 3, 1),
        LimitHoldem(1, 8, 3, 2),
        LimitHoldem(1, 9, 4, 1),
    ],
    ids=str,
)
def test_histories_are_the_generic_count(rules: LimitHoldem) -> None:
    assert rules.histories() == PublicRules.histories(rules)


def test_histories_of_larger_decks() -> None:
    assert FlopHoldem(suits=4, ranks=5).histories() == 2_393_682_131
    assert len(FlopHoldem().hands()) == 1_326


def all_nodes(betting: Betting) -> int:
    return 1 + sum(map(all_nodes, betting.children))


@pytest.mark.parametrize(("streets", "nodes"), [(2, 211), (3, 1_912), (4, 17_221)])
def test_betting_trees_to_each_street(streets: int, nodes: int) -> None:
    assert all_nodes(LimitHoldem(2, 5, streets).betting) == nodes


# Rules


def play(rules: LimitHoldem, *moves: str) -> Any:
    state: Any = rules.root()
    for move in moves:
        state = state.child(move)
    return state


def test_a_hand_played_out() -> None:
    rules = FlopHoldem(suits=2, ranks=5)
    preflop = play(rules, "6d6c", "5d2c")
    assert preflop.player() == 0
    assert preflop.actions() == ("fold", "call", "raise")
    assert preflop.child("fold").payoffs() == (-1, 1)
    limped = preflop.child("call")
    assert limped.player() == 1
    assert limped.actions() == ("check", "raise")
    assert limped.child("raise").child("fold").payoffs() == (-2, 2)
    flop = limped.child("check").child("4d4c2d")
    assert flop.player() == 1
    assert flop.infoset() == "5d2c|4d4c2d|ck/"
    assert flop.actions() == ("check", "bet")
    assert flop.child("check").child("check").payoffs() == (2, -2)
    assert flop.child("bet").child("raise").child("fold").payoffs() == (4, -4)
    assert flop.child("bet").child("raise").child("raise").child("call").payoffs() == (8, -8)


def test_equal_hands_split() -> None:
    state = play(FlopHoldem(suits=2, ranks=5), "6d5d", "6c5c", "raise", "call", "4c3d2c", "bet", "call")
    assert state.payoffs() == (0, 0)


def test_later_streets_bet_twice_as_much() -> None:
    state = play(
        LimitHoldem(suits=2, ranks=5), "6d6c", "5d2c", "call", "check", "4d4c2d", "check", "check", "3d"
    )
    assert state.infoset() == "5d2c|4d4c2d3d|ck/kk/"
    river = state.child("bet").child("call").child("3c")
    assert river.infoset() == "5d2c|4d4c2d3d3c|ck/kk/bc/"
    assert river.child("check").child("bet").child("fold").payoffs() == (6, -6)
    assert river.child("check").child("bet").child("call").payoffs() == (10, -10)
    capped = play(LimitHoldem(suits=2, ranks=5), "6d6c", "5d2c", "raise", "raise", "raise")
    assert capped.actions() == ("fold", "call")


@settings(deadline=None, max_examples=50)
@given(st.sampled_from([LimitHoldem(1, 9), LimitHoldem(2, 5, 3), LimitHoldem(4, 4)]), st.data())
def test_chance_weights_sum_to_one_on_every_street(rules: LimitHoldem, data: st.DataObject) -> None:
    first = data.draw(st.sampled_from(list(rules.hands())))
    second = data.draw(st.sampled_from([hand for hand, _ in rules.deal(first)]))
    board: Any = ()
    for _ in range(1, rules.streets):
        after = dict(rules.boards(board, first, second))
        assert sum(after.values()) == 1
        assert not any({*first, *second} & set(longer) for longer in after)
        assert all(longer[: len(board)] == board for longer in after)
        assert set(after) <= set(rules.public_boards(board))
        board = data.draw(st.sampled_from(list(after)))
    strengths = rules.strengths([board], [first, second])[0].tolist()
    assert strengths == [rules.strength(board, hand) for hand in (first, second)]


@pytest.mark.slow
def test_both_forms_agree_on_uniform_play_to_the_turn() -> None:
    rules = LimitHoldem(1, 8, 3, 1)
    public, histories = (solve(rules, rule="cfr", iterations=1, form=form) for form in ("public", "history"))
    assert public.exploitability == pytest.approx(histories.exploitability, rel=1e-9)
    assert public.value == pytest.approx(histories.value, abs=1e-9)
    assert public.isomorphism is False


@pytest.mark.slow
def test_a_game_to_the_turn_is_solved() -> None:
    result = solve("holdem(suits=3,ranks=3,streets=3,max_bets=2)", iterations=100)
    assert result.exploitability < 0.02
    assert -2 < result.value < 2


@given(st.sampled_from([(1, 7), (1, 13), (2, 4), (3, 3), (3, 6), (4, 2), (4, 5)]), st.data())
def test_chance_weights_sum_to_one(deck: tuple[int, int], data: st.DataObject) -> None:
    rules = FlopHoldem(*deck)
    hands = dict(rules.deal())
    assert list(hands) == list(rules.hands())
    first = data.draw(st.sampled_from(list(hands)))
    replies = dict(rules.deal(first))
    second = data.draw(st.sampled_from(list(replies)))
    flops = dict(rules.boards((), first, second))
    assert [sum(weights.values()) for weights in (hands, replies, flops)] == [1, 1, 1]
    assert not any(set(first) & set(hand) for hand in replies)
    assert not any({*first, *second} & set(flop) for flop in flops)
    assert isinstance(flops[next(iter(flops))], Fraction)


@given(st.permutations(FlopHoldem().deck), st.permutations(range(4)))
def test_signs_are_antisymmetric_and_blind_to_suits(cards: list[int], suits: list[int]) -> None:
    rules = FlopHoldem()
    parts = cards[4:7], cards[:2], cards[2:4]
    moved = [[card - card % 4 + suits[card % 4] for card in part] for part in parts]
    board, first, second = map(in_order, parts)
    sign = rules.sign(SHOWDOWN, board, first, second)
    assert sign == -rules.sign(SHOWDOWN, board, second, first)
    assert sign == rules.sign(SHOWDOWN, *map(in_order, moved))


def test_strength_orders_hands_on_a_flop() -> None:
    rules = FlopHoldem()
    board = in_order(parse_cards("Ah7c2d"))
    worst_to_best = ["4d3c", "KsQs", "7d3c", "As3c", "As7d", "2h2s", "7h7s", "AcAd"]
    strengths = [rules.strength(board, in_order(parse_cards(hand))) for hand in worst_to_best]
    assert strengths == sorted(set(strengths))


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (FlopHoldem(4, 5), "flop_holdem(suits=4,ranks=5)"),
        (FlopHoldem(4, 5, 2), "flop_holdem(suits=4,ranks=5,raises=2)"),
        (LimitHoldem(2, 5, 3), "holdem(suits=2,ranks=5,streets=3)"),
        (LimitHoldem(2, 5, 3, 2), "holdem(suits=2,ranks=5,streets=3,max_bets=2)"),
    ],
)
def test_name(rules: LimitHoldem, name: str) -> None:
    assert str(rules) == str(load_game(name)) == name


@pytest.mark.parametrize(
    ("suits", "ranks", "raises", "sentence"),
    [
        (0, 13, 3, "1 to 4 suits, not suits=0"),
        (5, 13, 3, "1 to 4 suits, not suits=5"),
        (4, 0, 3, "1 to 13 ranks, not ranks=0"),
        (4, 14, 3, "1 to 13 ranks, not ranks=14"),
        (2, 3, 3, "deals seven cards; suits=2 and ranks=3 make 6"),
        (4, 13, -1, "number of bets or raises a round, not -1"),
    ],
)
def test_bad_parameters_are_refused(suits: int, ranks: int, raises: int, sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        FlopHoldem(suits, ranks, raises)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"streets": 1}, "2 streets .* not streets=1"),
        ({"streets": 5}, "not streets=5"),
        ({"max_bets": 0}, "not 0"),
        ({"max_bets": 60}, "at most 2,097,152 nodes"),
        ({"suits": 2, "ranks": 4}, "deals nine cards; suits=2 and ranks=4 make 8"),
    ],
)
def test_bad_parameters_of_holdem_are_refused(settings: dict[str, int], sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        LimitHoldem(**settings)


def test_rules_that_the_public_form_would_get_wrong_are_refused() -> None:
    """One betting node in two places; a showdown before any board."""
    from solvent.forms.public.game import public_game
    from solvent.games.public_rules import FOLD, SHOWDOWN, Betting

    class Odd(FlopHoldem):
        def betting_tree(self) -> Betting:
            return self.odd

    game = Odd(2, 4)
    twice = Betting(symbol=FOLD, stake=1)
    game.odd = Betting(0, ("a", "b"), (twice, twice))
    with pytest.raises(GameError, match="two places"):
        public_game(game)
    game = Odd(2, 4)
    game.odd = Betting(0, ("a",), (Betting(symbol=SHOWDOWN, stake=1),))
    with pytest.raises(GameError, match="showdowns on a board"):
        public_game(game)
