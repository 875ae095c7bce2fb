"""Spots: hands dealt from ranges, payoffs, rake, refusals, and toy games whose solution is known."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from solvent.cards.deck import parse_cards
from solvent.cards.equities import equity
from solvent.cards.hands import hand_number
from solvent.cards.ranges import parse_range
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.public.solver import PublicSolver
from solvent.forms.history import compile_tree
from solvent.forms.holdem.game import holdem_game
from solvent.forms.public.game import public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.game import TERMINAL, GameError
from solvent.games.holdem.spot import Spot
from solvent.games.public_rules import FOLD, SHOWDOWN, Betting, PublicRules, terminal_payoffs, win_tie_lose
from solvent.solving.solve import solve

RIVER = "2c2d7h8sKd"


def small(**changed: Any) -> Spot:
    """A river with 3 x 4 hands."""
    given = {"board": RIVER, "oop": "KhKs,5c4c:0.5,AhQh", "ip": "AcAd,QhQs,KcQc:0.25,9c9d"}
    return Spot(**given | {"pot": 100, "stack": 200, "bets": "50%,a"} | changed)


# Hands and boards


def test_hands_come_in_one_order() -> None:
    spot = small(oop="random", ip="AA,22")
    numbers = [hand_number(*hand) for hand in spot.hands()]
    assert numbers == sorted(numbers)
    assert len(numbers) == 47 * 46 // 2
    assert (spot.range_weights[0] > 0).sum() == 1081
    assert (spot.range_weights[1] > 0).sum() == 6 + 1  # two of the deuces lie on the board


def test_deals_are_proportional_to_products_of_weights() -> None:
    spot = small()
    first, second = spot.range_weights
    products = {
        (a, b): Fraction(first[hand_number(*a)]) * Fraction(second[hand_number(*b)])
        for a in spot.hands()
        for b in spot.hands()
        if not set(a) & set(b)
    }
    total = sum(products.values())
    dealt = {(a, b): p * q for a, p in spot.deal() for b, q in spot.deal(a)}
    assert dealt == {pair: weight / total for pair, weight in products.items() if weight}
    assert sum(dealt.values()) == 1
    assert all(spot.deal_weight(*pair) == weight / total for pair, weight in products.items())
    assert (8 * total).denominator == 1  # weights of 1, 1/2 and 1/4


def test_hands_that_meet_nobody_are_not_dealt() -> None:
    spot = small(oop="AcAd,KhKs", ip="AcAd")
    assert [hand for hand, _ in spot.deal()] == [parse_cards("KhKs")]
    assert spot.histories() == PublicRules.histories(spot) == compile_tree(spot).histories


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_later_streets_are_dealt_card_by_card(cards: int) -> None:
    spot = small(board=RIVER[: 2 * cards])
    assert spot.root_board == parse_cards(RIVER)[:cards]
    assert spot.deals == (1, 1)[cards - 3 :]
    assert spot.street_names == ("flop", "turn", "river")[cards - 3 :]
    first, second = parse_cards("KhKs"), parse_cards("AcAd")
    if cards < 5:
        boards = list(spot.boards(spot.root_board, first, second))
        assert len(boards) == 48 - cards
        assert sum(weight for _, weight in boards) == 1
        assert len(spot.public_boards(spot.root_board)) == 52 - cards


def test_histories_are_counted_as_they_are_compiled() -> None:
    for spot in (small(), small(board=RIVER[:8], oop="KhKs,5c4c", ip="AcAd,QhQs")):
        assert spot.histories() == compile_tree(spot).histories
    assert small().histories() == PublicRules.histories(small())


OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"


@pytest.mark.parametrize(
    ("board", "hands", "decisions"),
    [
        ("Td9d6hQc2s", (167, 246), [12]),
        ("Td9d6hQc", (167, 250), [12, 36]),
        ("Td9d6h", (180, 265), [12, 36, 92]),
    ],
)
def test_a_known_spot_has_its_known_size(board: str, hands: tuple[int, int], decisions: list[int]) -> None:
    spot = Spot(board, OOP, IP, pot=200, stack=900, bets="50%,a", raises="100%,a")
    assert tuple((weights > 0).sum() for weights in spot.range_weights) == hands
    found = [0] * len(decisions)

    def count(node: Betting, street: int) -> None:
        found[street] += bool(node.actions)
        for child in node.children:
            count(child, street + node.deals)

    count(spot.betting, 0)
    assert found == decisions


# Payoffs


def terminals(betting: Betting) -> list[Betting]:
    if betting.symbol is not None:
        return [betting]
    return [end for child in betting.children for end in terminals(child)]


def test_payoffs_are_measured_from_half_of_the_pot() -> None:
    called = small().betting.children[1].children[1]  # bet 50, call
    assert (called.symbol, called.stake, called.rake) == (SHOWDOWN, 100, 0)
    folded = small().betting.children[1].children[0]
    assert (folded.symbol, folded.stake) == (FOLD, 50)
    bet_into = small().betting.children[0].children[1].children[0]  # check, bet 50, fold
    assert (bet_into.symbol, bet_into.stake) == (FOLD, -50)


def test_rake_is_a_part_of_every_pot_up_to_the_cap() -> None:
    spot = small(rake="5%", rake_cap=12)
    for end in terminals(spot.betting):
        assert end.rake == min(0.05 * 2 * abs(end.stake), 12)
    assert {end.rake for end in terminals(spot.betting)} == {5, 10, 12}


def test_all_that_is_won_and_lost_is_the_rake() -> None:
    spot = small(rake="5%", rake_cap=12, ip="AcAd,QhQs,KcQc:0.25,AsQc")  # AQ ties with AQ
    tree = compile_tree(spot)
    assert not tree.zero_sum
    ends = tree.player == TERMINAL
    assert set((-tree.payoff.sum(axis=0)[ends]).tolist()) == {5, 10, 12}
    assert {-2.5, -5, -6} <= set(tree.payoff[0].tolist())


def test_the_house_is_paid_by_the_winner_or_by_both() -> None:
    end = Betting(symbol=SHOWDOWN, stake=100, rake=10)
    assert win_tie_lose(end) == (90, -5, -100)
    assert [terminal_payoffs(end.stake, end.rake, sign) for sign in (1, 0, -1)] == [
        (90, -100),
        (-5, -5),
        (-100, 90),
    ]
    assert terminal_payoffs(-100, 10, 1) == (-100, 90)


def shares(spot: Spot, **options: Any) -> list[float]:
    """The parts of the pot that both players win in the solved history form."""
    tree = compile_tree(spot)
    result = solve(spot, form="history", **options)
    reach, total = [1.0] + [0.0] * (tree.histories - 1), [0.0, 0.0]
    strategy = {label: list(row.values()) for label, row in result.strategy.items()}
    for row in range(1, tree.histories):
        parent, cell = int(tree.parent[row]), int(tree.cell[row])
        if cell >= tree.cells:
            chance = float(tree.chance[cell - tree.cells])
        else:
            infoset = int(tree.infoset[parent])
            chance = strategy[tree.infoset_label[infoset]][cell - int(tree.infoset_cell[infoset])]
        reach[row] = reach[parent] * chance
        for player in (0, 1):
            total[player] += reach[row] * float(tree.payoff[player, row])
    return [won + spot.pot / 2 for won in total]


@pytest.mark.parametrize("board", [RIVER, RIVER[:8]])
def test_ranges_that_check_down_win_their_equity(board: str) -> None:
    spot = small(board=board, bets="", check_down=True)
    won = equity(*spot.ranges, parse_cards(board)).sides[0].equity
    assert shares(spot, iterations=1) == pytest.approx([100 * won, 100 * (1 - won)], abs=1e-9)


@pytest.mark.parametrize(
    ("oop", "ip", "part"),
    [("KhKs", "AcAd,9c9d", 1.0), ("5c4c", "AcAd,9c9d", 0.0), ("AhQh", "AcQc", 0.5)],
)
@pytest.mark.parametrize("rake", [0.0, 0.1])
def test_a_hand_that_always_wins_loses_or_ties(oop: str, ip: str, part: float, rake: float) -> None:
    spot = small(oop=oop, ip=ip, rake=rake, rake_cap=50)
    won = shares(spot, iterations=2000, rule="cfr+")
    expected = [part * 100 * (1 - rake), (1 - part) * 100 * (1 - rake)]
    assert won == pytest.approx(expected, abs=0.2)


# Toy games whose solution is known


@pytest.mark.parametrize("percent", [25, 50, 100, 200])
def test_clairvoyance(percent: int) -> None:
    """A player with the nuts or nothing bluffs with s / (1 + s) of the nothing and is called by 1 / (1 + s)."""
    spot = small(
        oop="KhKs,5c4c", ip="AcAd", pot=100, stack=percent, bets=f"{percent}%", ip_bets="", raises=""
    )
    result, s = solve(spot, rule="lp", form="history"), percent / 100
    after = f"|{RIVER}|"
    assert result.strategy[f"KsKh{after}"][f"bet {percent}"] == pytest.approx(1)
    assert result.strategy[f"5c4c{after}"][f"bet {percent}"] == pytest.approx(s / (1 + s))
    assert result.strategy[f"AdAc{after}bet {percent}"]["call"] == pytest.approx(1 / (1 + s))
    assert result.value + 50 == pytest.approx(50 * (1 + s / (1 + s)))


def test_ace_king_queen() -> None:
    """The half-street game of one card each: bluff a third of the queens, call with a third of the kings."""
    cards = "AhAd,KhKs,QhQd"
    spot = small(board="2c3d5h7s9c", oop=cards, ip=cards, pot=200, stack=100, bets="a", ip_bets="", raises="")
    assert len(list(spot.deal())) == 3  # equal hands share their cards, as equal cards cannot be dealt twice
    result = solve(spot, rule="lp", form="history")
    after = "|2c3d5h7s9c|"
    bets = [result.strategy[f"{hand}{after}"]["bet 100"] for hand in ("AhAd", "KsKh", "QhQd")]
    calls = [result.strategy[f"{hand}{after}bet 100"]["call"] for hand in ("AhAd", "KsKh", "QhQd")]
    assert bets == pytest.approx([1, 0, 1 / 3])
    assert calls == pytest.approx([1, 1 / 3, 0])
    assert result.value == pytest.approx(100 / 18)


@pytest.mark.parametrize(
    "spot",
    [small(), small(board=RIVER[:8], oop="KhKs,5c4c:0.5", ip="AcAd,QhQs,KcQc:0.25", stack=100)],
    ids=["river", "turn"],
)
def test_all_forms_of_a_small_spot_agree(spot: Spot) -> None:
    exact = solve(spot, rule="lp", form="history").value
    found = solve(spot, form="history", until=0.01, rule="dcfr")
    assert found.value == pytest.approx(exact, abs=0.02)
    solvers: list[Any] = [
        PublicSolver(public_game(spot), "dcfr"),
        HoldemSolver(holdem_game(spot), dtype="float64"),
    ]
    for solver in solvers:
        solver.run(1000)
        assert solver.evaluate().value[0] == pytest.approx(exact, abs=0.02)


def test_whoever_needs_a_zero_sum_game_refuses_rake() -> None:
    spot = small(rake=0.05)
    with pytest.raises(InputError, match="zero-sum"):
        solve(spot, rule="lp", form="history")
    with pytest.raises(InputError, match="has rake"):
        public_game(spot)


# Names and refusals


@pytest.mark.parametrize(
    "name",
    [
        f"spot(board={RIVER},oop='QQ+,AKs,76s:0.5',ip=random,pot=200,stack=900,bets='50%,a',raises='100%,a')",
        f"spot(board={RIVER[:6]},oop=KK+,ip=QQ,pot=7,stack=10,rake=5%,rake_cap=0.5,bets=e,oop_turn_donk='',cap=3)",
        f"spot(board={RIVER},oop=AKs,ip=QQ,pot=1,stack=1,rake=0.012345678901234567,check_down=true)",
        f"spot(board={RIVER},oop=AKs,ip=QQ,pot=5,stack=90,least_bet=2,bets=50%,add='check,bet 20;bet 17')",
    ],
)
def test_names_read_back(name: str) -> None:
    spot = load_game(name)
    assert str(spot) == name
    again = load_game(str(spot))
    assert compile_size(again) == compile_size(spot)


def compile_size(spot: Any) -> tuple[Any, ...]:
    weights = [tuple(weights.tolist()) for weights in spot.range_weights]
    return spot.root_board, *weights, spot.betting_nodes(), spot.rake, spot.rake_cap


def test_a_range_may_be_an_object() -> None:
    held = parse_range("QQ+,AKs:0.3")
    assert str(small(oop=held)) == str(small(oop="QQ+,AKs:0.3"))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"board": "2c2d2c"}, "2c twice"),
        ({"board": "2c"}, "3, 4 or 5 cards, not 1"),
        ({"board": "2c2d"}, "3, 4 or 5 cards, not 2"),
        ({"board": "2c2d2h2s3c3d"}, "3, 4 or 5 cards, not 6"),
        ({"oop": ""}, "range of OOP is empty"),
        ({"ip": "AA:0"}, "range of IP is empty"),
        ({"ip": 3}, "range of IP is text"),
        ({"oop": "2c2d"}, "blocks every hand in the range of OOP"),
        ({"oop": "AcAd", "ip": "AcAh,AdAs"}, "no hands at once"),
        ({"pot": 0}, "pot of a spot is a whole number"),
        ({"pot": float("inf")}, "pot of a spot is a whole number"),
        ({"pot": -5}, "at least 1"),
        ({"stack": 0}, "stack of a spot"),
        ({"stack": 2.5}, "stack of a spot"),
        ({"rake": "101%"}, "from 0% to 100%"),
        ({"rake": -0.1}, "from 0% to 100%"),
        ({"rake": "much"}, "from 0% to 100%"),
        ({"rake_cap": -1}, "at least 0"),
        ({"least_bet": 0}, "least bet"),
        ({"bets": ""}, "leave no action"),
        ({"bets": "50"}, "a bet size is written"),
        ({"river_bet": "50%"}, "no setting 'river-bet'"),
    ],
)
def test_refusals(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as refused:
        small(**changed)
    assert "\n" not in str(refused.value)


def test_a_name_must_say_what_a_spot_needs() -> None:
    with pytest.raises(GameError, match="spot needs board, oop, ip, pot, stack"):
        load_game("spot")
    with pytest.raises(GameError, match="spot needs oop, stack"):
        load_game(f"spot(board={RIVER},ip=AA,pot=100)")
    with pytest.raises(GameError, match="key=value"):
        load_game(f"spot(board={RIVER},oop=QQ+,AKs,ip=AA,pot=100,stack=5)")
