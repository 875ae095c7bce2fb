"""Betting trees of spots and no-limit games: known counts, conventions, thresholds, lines and refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvent.foundation.errors import InputError
from solvent.games.betting import tree as tree_module
from solvent.games.betting.rules import CALL, STREETS, HoldemRules, act, start
from solvent.games.betting.rules import FOLD as FOLDS
from solvent.games.betting.tree import (
    TreeStart,
    betting_tree,
    nolimit_start,
    spot_start,
    tree_nodes,
)
from solvent.games.betting.tree_sizes import POSITIONS, parse_tree_sizes, replaced_sizes
from solvent.games.public_rules import FOLD, MOST_BETTING_NODES, SHOWDOWN, Betting

S = {"bets": "50%,a", "raises": "100%,a"}


def tree(start: TreeStart, **settings: Any) -> Betting:
    return betting_tree(start, parse_tree_sizes(settings))


def walk(node: Betting, rounds: int = 0) -> Iterator[tuple[Betting, int]]:
    yield node, rounds
    for child in node.children:
        yield from walk(child, rounds + node.deals)


def at(node: Betting, line: str) -> Betting:
    """The node at the end of a line, past deals."""
    for name in filter(None, line.split(", ")):
        node = node.children[node.actions.index(name)]
        while node.deals:
            node = node.children[0]
    return node


@pytest.mark.parametrize(
    ("street", "decisions"), [("river", [12]), ("turn", [12, 36]), ("flop", [12, 36, 92])]
)
def test_reference_spots(street: str, decisions: list[int]) -> None:
    spot = spot_start(street, 200, 900)
    root = tree(spot, **S)
    found = Counter(rounds for node, rounds in walk(root) if node.actions)
    assert [found[street] for street in range(len(decisions))] == decisions
    assert tree_nodes(spot, parse_tree_sizes(S)) == sum(1 for _ in walk(root))


def test_histories_are_the_lines_and_differ() -> None:
    root = tree(spot_start("turn", 200, 900), **S)
    decisions = [node for node, _ in walk(root) if node.actions]
    assert len({node.history for node in decisions}) == len(decisions)
    assert all(at(root, node.history) is node for node in decisions)


def test_stakes_and_rake() -> None:
    root = tree(spot_start("turn", 200, 900, rake=0.05, rake_cap=30), **S)
    folds = at(root, "bet 100, fold")
    assert (folds.symbol, folds.stake, folds.rake) == (FOLD, 100, 10)
    folds = at(root, "check, bet 900, fold")
    assert (folds.symbol, folds.stake, folds.rake) == (FOLD, -100, 10)
    raised = at(root, "bet 100, raise 500, fold")
    assert (raised.stake, raised.rake) == (-200, 20)
    down = at(root, "check, check, check, check")
    assert (down.symbol, down.stake, down.rake) == (SHOWDOWN, 100, 10)
    all_in = root.children[2].children[1]
    assert all_in.deals
    assert (all_in.children[0].symbol, all_in.children[0].stake, all_in.children[0].rake) == (
        SHOWDOWN,
        1000,
        30,
    )


def test_all_in_on_the_flop_deals_twice() -> None:
    node = tree(spot_start("flop", 200, 900), **S).children[2].children[1]
    assert node.deals
    assert node.children[0].deals
    assert node.children[0].children[0].symbol == SHOWDOWN


@pytest.mark.parametrize(
    ("bets", "actions"),
    [
        ("50%", "bet 100"),
        ("33%, 0.1%", "bet 1, bet 66"),
        ("12.25%", "bet 25"),  # 24.5, rounded half away from zero
        ("100c,150c", "bet 100, bet 150"),
        ("1000%, a", "bet 900"),
        ("e", "bet 216"),  # ((1 + 9)^(1/2) - 1) / 2 pots
        ("1e", "bet 900"),
        ("3e", "bet 115"),
        ("1e200%", "bet 400"),
    ],
)
def test_sizes_of_bets(bets: str, actions: str) -> None:
    root = tree(spot_start("turn", 200, 900), bets=bets, raises="")
    assert ", ".join(root.actions) == f"check, {actions}"


@pytest.mark.parametrize(
    ("raises", "actions"),
    [
        ("100%", "raise 500"),
        ("2.5x", "raise 250"),
        ("1.1x", "raise 200"),  # the least raise adds the bet once more
        ("150c", "raise 250"),
        ("50c", "raise 200"),
        ("2e", "raise 347"),  # (5^(1/2) - 1) / 2 of the pot of 400
        ("e", "raise 900"),
        ("", ""),
        ("3x | a", "raise 300"),
    ],
)
def test_sizes_of_raises(raises: str, actions: str) -> None:
    root = tree(spot_start("river", 200, 900), bets="50%", raises=raises)
    assert ", ".join(at(root, "bet 100").actions[2:]) == actions


def test_later_raises_have_lists_of_their_own() -> None:
    root = tree(spot_start("river", 200, 9000), bets="50%", raises="3x | 50% | a")
    assert at(root, "bet 100, raise 300").actions[2:] == ("raise 700",)
    assert at(root, "bet 100, raise 300, raise 700").actions[2:] == ("raise 9000",)
    assert at(root, "bet 100, raise 300, raise 700, raise 9000").actions == ("fold", "call")


def test_donk_bets() -> None:
    start = spot_start("flop", 200, 2000)
    root = tree(start, bets="50%", raises="3x", **{"oop-turn-donk": "25%", "oop_river_donk": ""})
    assert at(root, "").actions == ("check", "bet 100")  # nobody has bet before
    assert at(root, "check, check").actions == ("check", "bet 100")
    assert at(root, "check, bet 100, call").actions == ("check", "bet 100")  # a quarter of 400
    assert at(root, "bet 100, call").actions == ("check", "bet 200")  # OOP bet last
    assert at(root, "bet 100, raise 300, call").actions == ("check", "bet 200")
    assert at(root, "check, bet 100, raise 300, call").actions == ("check", "bet 400")
    assert at(root, "check, bet 100, call, check, bet 200, call").actions == ("check",)
    assert at(root, "check, bet 100, call, check, check").actions == ("check", "bet 200")
    without = tree(start, bets="50%", raises="3x")
    assert at(without, "check, bet 100, call").actions == ("check", "bet 200")


def test_lists_by_player_and_street() -> None:
    given = {"bets": "10%", "oop-bets": "20%", "river-bets": "30%", "ip-river-bets": "40%", "raises": ""}
    root = tree(spot_start("turn", 200, 9000), **given)
    assert at(root, "").actions == ("check", "bet 40")
    assert at(root, "check").actions == ("check", "bet 20")
    assert at(root, "check, check").actions == ("check", "bet 60")
    assert at(root, "check, check, check").actions == ("check", "bet 80")


def test_raises_are_as_bets_unless_given() -> None:
    root = tree(spot_start("river", 200, 900), bets="50%")
    assert at(root, "bet 100").actions == ("fold", "call", "raise 300")


def test_cap_counts_bets_and_raises() -> None:
    root = tree(spot_start("turn", 200, 9000), **S, cap=2, **{"river-cap": 1})
    assert at(root, "bet 100, raise 500").actions == ("fold", "call")
    assert at(root, "bet 100, call, bet 200").actions == ("fold", "call")
    root = tree(nolimit_start(162, (1, 2)), bets="100%", cap=1)
    assert root.actions == ("fold", "call", "raise 6")
    assert at(root, "call").actions == ("check", "raise 6")
    assert at(root, "raise 6").actions == ("fold", "call")


def test_thresholds() -> None:
    start = spot_start("river", 200, 300)
    assert tree(start, bets="50%", add_all_in=1.5).actions == ("check", "bet 100", "bet 300")
    assert tree(start, bets="50%", add_all_in="149%").actions == ("check", "bet 100")
    assert tree(start, bets="100%", force_all_in=0.17).actions == ("check", "bet 300")
    assert tree(start, bets="100%", force_all_in=0.16).actions == ("check", "bet 200")
    # Half of the starting pot is added to both sides: (100 + 200) / (100 + 300) = 75 %.
    assert tree(start, bets="100%", all_in_above=0.74).actions == ("check", "bet 300")
    assert tree(start, bets="100%", all_in_above="75%").actions == ("check", "bet 200")
    sizes = "50%,60%,75%,100%"
    wide = spot_start("river", 100, 1000)
    # From 100 %: (1 + 1) / (1 + .75) = 1.14, / 1.6 = 1.25, / 1.5 = 1.33.
    assert tree(wide, bets=sizes, merging=0.1).actions == ("check", "bet 50", "bet 75", "bet 100")
    assert tree(wide, bets=sizes, merging="26%").actions == ("check", "bet 50", "bet 100")


@pytest.mark.parametrize(
    ("street", "pot", "stack", "settings", "decisions", "actions", "chips"),
    [
        ("flop", 200, 900, ["50%,a", "100%,a", "50%,a", "100%,a"], 140, 344, 59_000),
        ("flop", 55, 275, ["33%,75%", "60%,a", "33%", "2.5x", None, None, 1.5, 0.15, 0.1], 424, 1068, 49_998),
        ("flop", 200, 1500, ["e,33%", "2.2x", "3e200%,50%", "e", "25%", ""], 1025, 2595, 466_355),
        ("turn", 333, 500, ["12.5%,50%", "3x", "66%,120%", "66%", "33%", "50%,a", 1.5], 58, 146, 15_180),
        (
            "turn",
            7,
            97,
            ["37.5%,40%", "25%", "150%,2e", "33%,100%,120%", None, None, 0, 0.3, 0.2],
            149,
            383,
            6152,
        ),
        (
            "turn",
            100,
            97,
            ["50%,a", "66%,120%,a", "10%,120%,a", "100%", None, None, 0, 0, 0.15],
            26,
            62,
            1263,
        ),
        ("river", 1, 15, ["100%,a", "25%", "150%,a", "10%,37.5%,a", None, None, 0.5], 35, 101, 350),
        (
            *("river", 120, 2000),
            ["77c,250c,2e", "100c,3x", "33%,66%,100%", "50c", None, None, 3, 0.1, 0.3],
            *(79, 233, 100_123),
        ),
    ],
)
def test_trees_of_another_solver(
    street: str, pot: int, stack: int, settings: list[Any], decisions: int, actions: int, chips: int
) -> None:
    """Decisions, their actions, and the amounts of all bets and raises added up, as postflop-solver builds them."""
    names = ["oop-bets", "oop-raises", "ip-bets", "ip-raises", "turn-donk", "river-donk"]
    names += ["add-all-in", "force-all-in", "merging"]
    root = tree(spot_start(street, pot, stack), **dict(zip(names, settings, strict=False)))
    found = [node.actions for node, _ in walk(root) if node.actions]
    assert (len(found), sum(map(len, found))) == (decisions, actions)
    assert sum(int(name.split()[1]) for names in found for name in names if " " in name) == chips


def test_lines_are_added_and_removed() -> None:
    start = spot_start("river", 200, 900)
    plain, lines = tree(start, **S), ["check, bet 100, raise 400", "bet 250"]
    root = tree(start, **S, add=lines, remove="check, bet 900")
    assert root.actions == ("check", "bet 100", "bet 250", "bet 900")
    assert at(root, "check").actions == ("check", "bet 100")
    assert at(root, "check, bet 100").actions == ("fold", "call", "raise 400", "raise 500", "raise 900")
    assert at(root, "check, bet 100, raise 400").actions == ("fold", "call", "raise 900")
    assert at(root, "bet 100").actions == at(plain, "bet 100").actions
    assert tree_nodes(start, parse_tree_sizes({**S, "add": lines, "remove": "check, bet 900"})) == sum(
        1 for _ in walk(root)
    )
    both = tree(start, **S, add="bet 250; bet 250, raise 600", remove="bet 250, raise 900")
    assert at(both, "bet 250").actions == ("fold", "call", "raise 600")


def test_no_limit_from_the_blinds() -> None:
    root = tree(nolimit_start(150, (1, 2)), bets="100%,a", raises="2.5x,a", **{"preflop-bets": "3bb,2.5x"})
    assert root.player == 0
    assert root.actions == ("fold", "call", "raise 5", "raise 6")
    assert at(root, "raise 5").actions == ("fold", "call", "raise 13", "raise 150")  # 12.5, half up
    flop = at(root, "raise 5, call")
    assert flop.player == 1
    assert flop.actions == ("check", "bet 10", "bet 145")
    fold = at(root, "fold")
    assert (fold.symbol, fold.stake, fold.rake) == (FOLD, -1, 0)
    assert at(root, "raise 5, fold").stake == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "leave no action"),
        ({"bets": ""}, "leave no action"),
        ({"bets": "2x"}, "cannot use x"),
        ({"bets": "3bb"}, "no blinds"),
        ({"bets": "1.5c"}, "a bet size is written"),
        ({"bets": "0e"}, "a bet size is written"),
        ({"bets": "50%,,a"}, "a bet size is written"),
        ({"bets": 50}, "bets is text"),
        ({"bets": "50% | a"}, "only raises"),
        ({"ip-river-donk": "a"}, "no setting"),
        ({"bet": "a"}, "no setting"),
        ({"flop_bets": "a", "flop-bets": "a"}, "twice"),
        ({"bets": "a", "cap": -2}, "cap is"),
        ({"bets": "a", "merging": "nan"}, "merging is"),
        ({"bets": "a", "add": "bet"}, "a line is written"),
        ({"bets": "a", "add": "check, check"}, "ends in a bet"),
        ({"bets": "a", "add": "bet 900"}, "already"),
        ({"bets": "a", "add": "bet 901"}, "legal are bet 1 to 900"),
        ({"bets": "a", "add": "bet 900, raise 901"}, "nobody can bet or raise"),
        ({"bets": "a", "add": "bet 5, raise 60"}, "cannot be changed"),
        ({"bets": "a", "remove": "bet 5"}, "cannot be removed"),
        ({"bets": "a", "add": "bet 5", "remove": "bet 5"}, "both added and removed"),
        ({"bets": "a", "remove": "check; bet 900"}, "leaves no action"),
        ({"bets": "1c"}, "more than 100 times"),
    ],
)
def test_refusals(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        tree(spot_start("river", 200, 900), **settings)
    assert "\n" not in str(caught.value)


def test_refused_starts() -> None:
    for street, pot, stack in (("showdown", 1, 1), ("river", 0, 1), ("river", 1, 0), ("river", 1.5, 1)):
        with pytest.raises(InputError):
            spot_start(street, pot, stack)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rake"):
        spot_start("river", 200, 900, rake=1.5)
    with pytest.raises(InputError, match="all-in"):
        tree(nolimit_start(1, (1, 2)), bets="a")
    with pytest.raises(InputError, match="empty"):
        TreeStart(HoldemRules((9, 9), (0, 0), least_bet=1), ("river",))


def test_trees_too_large_are_refused_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    start = spot_start("preflop", 10, 1000)
    sizes = parse_tree_sizes({"bets": "33%,75%,a"})
    nodes = tree_nodes(start, sizes)
    assert nodes > MOST_BETTING_NODES
    with pytest.raises(InputError, match=f"has {nodes:,} nodes"):
        betting_tree(start, sizes)
    monkeypatch.setattr(tree_module, "MOST_FOLLOWED", 2_000)
    with pytest.raises(InputError, match="has more than 2,000 actions"):
        tree(spot_start("flop", 10, 50_000), bets="20%,33%,50%,60%,75%,90%,120%,150%,a")


def test_checking_down_when_asked_for() -> None:
    root = betting_tree(spot_start("turn", 200, 900), parse_tree_sizes({}), check_down=True)
    assert [node.actions for node, _ in walk(root) if node.actions] == [("check",)] * 4


def test_antes_are_at_stake() -> None:
    root = tree(nolimit_start(100, (1, 2), 2, ante=3), bets="50%", raises="a")
    assert root.actions == ("fold", "call", "raise 7")  # half of 6 + 4
    assert at(root, "fold").stake == -4
    assert at(root, "raise 7, raise 97, call").stake == 100


@st.composite
def random_starts(draw: st.DrawFn) -> TreeStart:
    pot, stack = draw(st.integers(1, 300)), draw(st.integers(1, 600))
    if draw(st.booleans()):
        return nolimit_start(max(stack, 3), (1, 2), draw(st.integers(1, 3)))
    rake, cap = draw(st.sampled_from([0, 0.05, 0.1])), draw(st.sampled_from([3.0, inf]))
    return spot_start(draw(st.sampled_from(STREETS[1:])), pot, min(stack, 8 * pot), rake=rake, rake_cap=cap)


SIZES = st.lists(st.sampled_from(["30%", "75%", "2e", "e", "40c", "a"]), max_size=2, unique=True)


@settings(deadline=None, max_examples=60)
@given(random_starts(), SIZES, SIZES, st.sampled_from([0, 0.5]), st.sampled_from([0, 0.3]))
def test_random_trees_replay_by_the_rules(
    beginning: TreeStart, bets: list[str], raises: list[str], force: float, merging: float
) -> None:
    """Every line of a tree is legal, ends as the rules say, and pays what the players have matched."""
    sizes = parse_tree_sizes(
        {"bets": bets, "raises": raises, "force_all_in": force, "merging": merging, "cap": 3}
    )
    root = betting_tree(beginning, sizes, check_down=True)
    rules, pending = beginning.rules, [(root, start(beginning.rules), 0)]
    while pending:
        node, state, base = pending.pop()
        assert node.player == state.player
        amounts = [int(name.split()[1]) for name in node.actions if " " in name]
        assert all(first < second for first, second in pairwise(amounts))
        for name, child in zip(node.actions, node.children, strict=True):
            plain = {"fold": FOLDS, "check": CALL, "call": CALL}
            after = act(state, plain[name] if name in plain else base + int(name.split()[1]))
            deals = 0
            while child.deals:
                child, deals = child.children[0], deals + 1
            if not after.over:
                assert deals == after.street - state.street
                pending.append((child, after, after.paid[0] if deals else base))
                continue
            assert deals == (rules.streets - 1 - after.street if after.showdown else 0)
            assert child.symbol == (SHOWDOWN if after.showdown else FOLD)
            assert abs(child.stake) == rules.pot / 2 + after.at_stake
            assert child.rake == min(beginning.rake * (rules.pot + 2 * after.at_stake), beginning.rake_cap)


def size_settings(kind: str) -> st.SearchStrategy[dict[str, str]]:
    """Some settings of one kind, each with a size of its own."""
    streets = ["", *STREETS]
    names = [
        "_".join(filter(None, (position, street, kind)))
        for position in ("", *POSITIONS)
        for street in streets
    ]
    chosen = st.lists(st.sampled_from(names), unique=True)
    return chosen.map(lambda few: {name: f"{10 + names.index(name)}%" for name in few})


@settings(max_examples=60, deadline=None)
@given(data=st.data(), kind=st.sampled_from(("bets", "raises")))
def test_sizes_given_anew_hold_wherever_their_name_applies(data: st.DataObject, kind: str) -> None:
    before, anew = data.draw(size_settings(kind)), data.draw(size_settings(kind))
    anew = {name: f"{size[:-1]}0%" for name, size in anew.items()}

    def sizes(written: dict[str, str], position: int, street: int) -> Any:
        return getattr(parse_tree_sizes(written).lists[position][street], kind)

    found = replaced_sizes(before, anew)
    for position, who in enumerate(POSITIONS):
        for street, where in enumerate(STREETS):
            named = any(
                name in anew for name in (f"{who}_{where}_{kind}", f"{where}_{kind}", f"{who}_{kind}", kind)
            )
            wanted = sizes(anew if named else before, position, street)
            assert sizes(found, position, street) == wanted


def test_caps_and_lines_given_anew() -> None:
    before = {"cap": 3, "turn_cap": 1, "merging": "10%", "add": "bet 50", "remove": ["bet 900"]}
    found = replaced_sizes(before, {"cap": 2, "add": ["check,b70"], "merging": "5%", "oop_bets": None})
    assert found == {"cap": 2, "merging": "5%", "add": ["bet 50", "check, bet 70"], "remove": ["bet 900"]}
