"""Betting abstractions: notation, presets' sizes, and every tree against the rules and a plain Python twin."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvent.forms.betting.tree import DEAL, DECISION, FOLDED, SHOWDOWN, BettingTree, build_tree
from solvent.foundation.errors import InputError
from solvent.games.betting.rules import CALL, FOLD, STREETS, HoldemRules, HoldemState, act, legal, play, start
from solvent.games.betting.sizes import (
    ALL_IN,
    NO_CAP,
    POT,
    TIMES,
    TOTAL,
    BetSize,
    BettingAbstraction,
    betting_preset,
    betting_presets,
    parse_bet_size,
    parse_betting,
    parse_street,
)
from solvent.games.betting.tree import betting_tree, nolimit_start
from solvent.games.betting.tree_sizes import SizeLists, TreeSizes
from solvent.games.game import TERMINAL

# A twin


def twin_actions(abstraction: BettingAbstraction, state: HoldemState, base: int) -> list[int]:
    """What a state offers, `base` being what each had put in when the street began."""
    allowed, rules = legal(state), state.rules
    totals = set()
    lists, cap = abstraction.sizes[state.street], abstraction.caps[state.street]
    if allowed.min_raise and (cap == NO_CAP or state.raises < cap):
        yours = state.paid[1 - state.player]
        for unit, value, _ in lists[min(state.raises, len(lists) - 1)]:
            total = {
                POT: yours + value * 2 * yours,
                TIMES: base + value * (yours - base),
                TOTAL: base + value * rules.blinds[1],
                ALL_IN: rules.effective_stack,
            }[unit]
            if total > yours:
                totals.add(max(floor(min(total, rules.effective_stack) + 0.5), allowed.min_raise))
    return [FOLD] * allowed.fold + [CALL, *sorted(totals)]


def twin(abstraction: BettingAbstraction) -> Iterator[tuple[int, int, int, tuple[int, int], list[int]]]:
    """Kind, player, street, paid and actions of every node in preorder, by the rules."""

    def below(state: HoldemState, base: int) -> Any:
        if state.over:
            kind, who = (SHOWDOWN, -1) if state.showdown else (FOLDED, state.folded)
            yield kind, who, state.street, state.paid, []
            return
        actions = twin_actions(abstraction, state, base)
        yield DECISION, state.player, state.street, state.paid, actions
        for action in actions:
            after = act(state, action)
            deals = after.street > state.street
            if deals:
                yield DEAL, -1, state.street, after.paid, []
            yield from below(after, after.paid[0] if deals else base)

    yield from below(start(abstraction.rules), 0)


def nodes_of(tree: BettingTree) -> Iterator[tuple[int, int, int, tuple[int, int], list[int]]]:
    for node in range(len(tree)):
        kind, player, street = int(tree.kind[node]), int(tree.player[node]), int(tree.street[node])
        yield kind, player, street, tuple(tree.paid[node].tolist()), tree.actions(node)


sizes = st.one_of(
    st.builds(BetSize, st.just(POT), st.sampled_from([0.1, 0.33, 0.5, 1.0, 1.5, 3.0])),
    st.builds(BetSize, st.just(TOTAL), st.sampled_from([1.0, 2.0, 2.5, 5.0])),
    st.just(BetSize(ALL_IN, 0.0)),
)
raised_sizes = st.one_of(sizes, st.builds(BetSize, st.just(TIMES), st.sampled_from([0.5, 1.5, 2.0, 3.3])))
streets = st.tuples(
    st.lists(sizes, max_size=2).map(tuple), st.lists(raised_sizes, max_size=2).map(tuple)
).map(tuple)
blinds = st.sampled_from([(1, 2), (50, 100), (0, 3), (5, 5)])


@st.composite
def abstractions(draw: st.DrawFn) -> BettingAbstraction:
    small, big = draw(blinds)
    stack = st.integers(1, 12 * big)
    rules = HoldemRules((draw(stack), draw(stack)), (small, big))
    caps = draw(st.tuples(*[st.sampled_from([NO_CAP, 0, 1, 2])] * 4))
    return BettingAbstraction(draw(st.tuples(streets, streets, streets, streets)), caps, rules)


@settings(deadline=None, max_examples=60)
@given(abstractions())
def test_trees_are_the_twins(abstraction: BettingAbstraction) -> None:
    tree = build_tree(abstraction)
    if len(tree) < 3_000:
        for found, expected in zip(nodes_of(tree), twin(abstraction), strict=True):
            assert found == expected


# The trees of games


def tree_of_a_game(abstraction: BettingAbstraction) -> Iterator[tuple[int, int, list[str]]]:
    """Kind, player and actions of every node in preorder, as `betting_tree` builds them; run-outs left out."""
    lists = [SizeLists(street[0], street[1:] or street) for street in abstraction.sizes]
    rules = abstraction.rules
    game = nolimit_start(rules.effective_stack, rules.blinds)
    roots = [betting_tree(game, TreeSizes((tuple(lists),) * 2, abstraction.caps), check_down=True)]
    while roots:
        node = roots.pop()
        if node.deals:
            below = node.children[0]
            while below.deals:
                below = below.children[0]
            if below.actions:
                yield DEAL, -1, []
            roots.append(below)
        elif node.actions:
            yield DECISION, node.player, list(node.actions)
            roots += node.children[::-1]
        else:
            yield SHOWDOWN if node.symbol == "showdown" else FOLDED, int(node.stake), []


def tree_of_training(abstraction: BettingAbstraction) -> Iterator[tuple[int, int, list[str]]]:
    """Kind, player (or what player 0 wins) and actions of the compiled tree's nodes, named as in games."""
    tree = build_tree(abstraction)
    bases = np.zeros(len(tree), dtype=np.int64)
    for node in range(len(tree)):
        kind, player, (first, second) = int(tree.kind[node]), int(tree.player[node]), tree.paid[node].tolist()
        above = int(tree.parent[node])
        base = 0 if above < 0 else int(tree.paid[above][0]) if tree.kind[above] == DEAL else int(bases[above])
        bases[node] = base
        if kind == DECISION:
            faced, mine = (second, first) if player == 0 else (first, second)
            verb, passing = "raise" if faced > base else "bet", "call" if faced > mine else "check"
            names = {FOLD: "fold", CALL: passing}
            yield kind, player, [names.get(one, f"{verb} {one - base}") for one in tree.actions(node)]
        elif kind == DEAL:
            yield kind, -1, []
        else:
            yield kind, -first if kind == FOLDED and player == 0 else min(first, second), []


@pytest.mark.parametrize("name", betting_presets())
@pytest.mark.parametrize("stack", [3, 8.5])
def test_games_and_training_build_equal_trees_of_presets(name: str, stack: float) -> None:
    abstraction = betting_preset(name).with_stack(stack)
    nodes = 0
    for found, expected in zip(tree_of_a_game(abstraction), tree_of_training(abstraction), strict=True):
        assert found == expected
        nodes += 1
    assert nodes > 30


@settings(deadline=None, max_examples=60)
@given(abstractions())
def test_games_and_training_build_equal_trees(abstraction: BettingAbstraction) -> None:
    stack = max(abstraction.rules.effective_stack, abstraction.rules.blinds[1] + 1)
    even = replace(abstraction, rules=replace(abstraction.rules, stacks=(stack, stack)))
    assert list(tree_of_a_game(even)) == list(tree_of_training(even))


@settings(deadline=None, max_examples=60)
@given(abstractions(), st.integers(0, 2**32))
def test_random_paths_are_legal_and_end(abstraction: BettingAbstraction, seed: int) -> None:
    tree, rng = build_tree(abstraction), random.Random(seed)
    assert (tree.paid <= np.array(abstraction.rules.stacks)).all()
    for _ in range(20):
        node, state = 0, start(abstraction.rules)
        while tree.kind[node] in (DECISION, DEAL):
            if tree.kind[node] == DECISION:
                assert (state.player, state.street) == (tree.player[node], tree.street[node])
                action = rng.choice(tree.actions(node))
                assert legal(state).allows(action)
                state = act(state, action)
                below = tree.children(node)[tree.actions(node).index(action)]
            else:
                below = node + 1
            assert tree.parent[below] == node < below < tree.end[node]
            node = below
        assert state.over
        assert state.paid == tuple(tree.paid[node])
        assert state.folded == (tree.player[node] if tree.kind[node] == FOLDED else -1)
        assert play(abstraction.rules, tree.path(node)) == state


def test_subtrees_are_slices() -> None:
    tree = build_tree(betting_preset("fcpa").with_stack(20))
    for node in range(len(tree)):
        end = tree.end[node]
        assert (tree.parent[node + 1 : end] >= node).all()
        assert end == len(tree) or tree.parent[end] < node
    assert tree.end[0] == len(tree)


# Against OpenSpiel


def test_fcpa_is_openspiels() -> None:
    game = pyspiel.load_game(
        "universal_poker",
        {
            "betting": "nolimit",
            "bettingAbstraction": "fcpa",
            "numPlayers": 2,
            "numRounds": 4,
            "blind": "50 100",
            "firstPlayer": "1 2 2 2",
            "numSuits": 4,
            "numRanks": 13,
            "numHoleCards": 2,
            "numBoardCards": "0 3 1 1",
            "stack": "2000 2000",
        },
    )
    tree = build_tree(betting_preset("fcpa").with_stack(20))

    def walk(node: int, theirs: Any) -> int:
        while theirs.is_chance_node():
            theirs.apply_action(theirs.legal_actions()[0])
        node += int(tree.kind[node] == DEAL)
        if tree.kind[node] != DECISION:
            assert theirs.is_terminal()
            if tree.kind[node] == FOLDED:
                lost = tree.paid[node].min()
                assert theirs.returns()[tree.player[node]] == -lost
            return 1
        assert theirs.current_player() == tree.player[node]
        actions = theirs.legal_actions()
        ours = tree.actions(node)
        assert len(actions) == len(ours)
        return 1 + sum(
            walk(below, theirs.child(action))
            for below, action in zip(tree.children(node), actions, strict=True)
        )

    assert walk(0, game.new_initial_state()) == len(tree) - int((tree.kind == DEAL).sum())


# Presets


@pytest.mark.parametrize(
    ("name", "decisions"),
    [
        ("fcpa", (20, 100, 340, 900)),
        ("laptop", (32, 1_636, 38_936, 431_948)),
        ("acpc", (98, 2_356, 16_566, 71_650)),
    ],
)
def test_decisions_of_presets(name: str, decisions: tuple[int, ...]) -> None:
    tree = build_tree(betting_preset(name))
    assert tree.decisions_by_street == decisions
    assert tree.decisions == sum(decisions) == int((tree.kind == DECISION).sum())
    assert len(tree.action) == sum(tree.actions_by_street)
    assert len(tree) == 1 + len(tree.action) + int((tree.kind == DEAL).sum())


@pytest.mark.slow
def test_laptop_without_a_cap_has_three_million_decisions() -> None:
    tree = build_tree(replace(betting_preset("laptop"), caps=(NO_CAP,) * 4))
    assert tree.decisions_by_street == (64, 45_740, 468_916, 2_607_980)


def test_presets_start_as_they_say() -> None:
    laptop = build_tree(betting_preset("laptop"))
    assert laptop.actions(0) == [FOLD, CALL, 200, 400, 800, 1_600, 10_000]
    opened = laptop.children(0)[3]
    assert (laptop.actions(opened), laptop.history(opened)) == ([FOLD, CALL, 800, 1_600, 10_000], "r400")
    flop = laptop.children(opened)[1]
    assert laptop.kind[flop] == DEAL
    assert laptop.actions(flop + 1) == [CALL, 640, 800, 960, 1_200, 1_600, 2_000, 10_000]
    assert laptop.history(flop + 1) == "r400c/"
    fcpa = build_tree(betting_preset("fcpa"))
    assert fcpa.actions(0) == [FOLD, CALL, 300, 20_000]
    assert build_tree(betting_preset("acpc")).actions(0) == [FOLD, CALL, 200, 250, 300, 400]


def test_rows_and_bytes() -> None:
    tree = build_tree(betting_preset("fcpa"))
    buckets = (169, 10, 20, 30)
    assert tree.rows(buckets) == 20 * 169 + 100 * 10 + 340 * 20 + 900 * 30
    cells = sum(count * of for count, of in zip(tree.actions_by_street, buckets, strict=True))
    assert tree.infoset_actions(buckets) == cells
    assert tree.table_bytes(buckets) == 8 * cells
    assert "1,360 of them decisions (preflop 20, flop 100, turn 340, river 900)" in tree.describe(buckets)[0]
    assert f"{cells:,} infoset-actions" in tree.describe(buckets)[1]
    with pytest.raises(InputError, match="for each of preflop"):
        tree.rows((1, 2, 3))


# Notation


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("flop=50%", [CALL, 200]),
        ("flop=10%", [CALL, 200]),  # below the minimum
        ("flop=10%,20%,50%", [CALL, 200]),  # equal sizes
        ("flop=150%,1bb,4bb", [CALL, 200, 400, 500]),
        ("flop=a", [CALL, 2_000]),
        ("flop=2000%", [CALL, 2_000]),
        ("flop=33.3%,a", [CALL, 200, 2_000]),
        ("turn=a", [CALL]),
        ("postflop=60%; turn=a", [CALL, 220]),
        ("flop=100%; cap=0", [CALL]),
        ("flop=100%; cap=9,0,1,1", [CALL]),
    ],
)
def test_sizes_on_a_flop_of_two_big_blinds(text: str, actions: list[int]) -> None:
    tree = build_tree(parse_betting(f"{text}; stack=20"))
    flop = tree.children(tree.children(0)[1])[0] + 1
    assert tree.paid[flop].tolist() == [100, 100]
    assert tree.actions(flop) == actions


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("preflop=3bb | 3x", [FOLD, CALL, 900]),
        ("preflop=3bb | 2.5x, 100%", [FOLD, CALL, 750, 900]),
        ("preflop=3bb | 1.2x", [FOLD, CALL, 500]),  # the least raise
        ("preflop=3bb | 1x, 2bb", [FOLD, CALL]),  # no raise
        ("preflop=3bb", [FOLD, CALL]),
        ("preflop=3bb,a", [FOLD, CALL, 2_000]),
        ("preflop=3bb | a; cap=1", [FOLD, CALL]),
        ("preflop=3bb | ", [FOLD, CALL]),
    ],
)
def test_sizes_facing_a_raise_to_three_big_blinds(text: str, actions: list[int]) -> None:
    tree = build_tree(parse_betting(f"{text}; stack=20"))
    raised = tree.children(0)[2]
    assert tree.history(raised) == "r300"
    assert tree.actions(raised) == actions


def test_multiples_count_from_the_street() -> None:
    tree = build_tree(parse_betting("preflop=; flop=50% | 3x").with_stack(20))
    bet = tree.children(tree.children(tree.children(0)[1])[0] + 1)[1]
    assert tree.history(bet) == "cc/r200"
    assert tree.actions(bet) == [FOLD, CALL, 400]


def test_a_call_for_less_ends_in_a_showdown() -> None:
    rules = HoldemRules((1_000, 300), (50, 100))
    tree = build_tree(replace(parse_betting("preflop=a"), rules=rules))
    shove = tree.children(0)[2]
    called = tree.children(shove)[1]
    assert tree.actions(0) == [FOLD, CALL, 300]
    assert (tree.kind[called], tree.street[called], tree.paid[called].tolist()) == (SHOWDOWN, 0, [300, 300])


def test_blinds_may_leave_nothing_to_decide() -> None:
    tree = build_tree(replace(betting_preset("fcpa"), rules=HoldemRules((50, 700), (50, 100))))
    assert tree.kind.tolist() == [SHOWDOWN]
    assert start(tree.abstraction.rules).player == TERMINAL


def test_toml(tmp_path: Path) -> None:
    path = tmp_path / "bets.toml"
    path.write_text('preset = "fcpa"\nstack = 50\ncap = [3, 2, 2, 2]\nflop = ["50%, a", "3x, a"]\n')
    found = parse_betting(path)
    assert found == parse_betting(str(path))
    assert found.name == "fcpa changed"
    assert found.rules.stacks == (5_000, 5_000)
    assert found.describe() == [
        "preflop: 100%,a; at most 3",
        "flop: 50%,a | 3x,a; at most 2",
        "turn: 100%,a; at most 2",
        "river: 100%,a; at most 2",
    ]
    path.write_text("flop = 3 4")
    with pytest.raises(InputError, match="is not TOML"):
        parse_betting(path)


@given(st.lists(st.tuples(st.sampled_from(["%", "x", "bb"]), st.integers(1, 10**6)), min_size=1))
def test_sizes_read_back(given_sizes: list[tuple[str, int]]) -> None:
    for unit, hundredths in given_sizes:
        parsed = parse_bet_size(f"{hundredths / 100:.2f}{unit}")
        assert parse_bet_size(str(parsed)) == parsed
    text = ",".join(f"{number}{unit}" for unit, number in given_sizes)
    assert len(parse_street(text, "preflop")[0]) == len(given_sizes)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nosuch", "no betting preset 'nosuch'; there are fcpa, laptop, acpc"),
        ("flop=50", "not '50'"),
        ("flop=50%,,a", "not ''"),
        ("flop=-5%", "not '-5%'"),
        ("flop=0%", "not '0%'"),
        ("flop=2x", "first bet of the flop faces none"),
        ("flop=100c", "not 100c"),
        ("flop=3e200%", "not 3e200%"),
        ("flop=a; flop=a", "flop twice"),
        ("flop=a; sea=1", "no setting 'sea'"),
        ("flop=a; 7", "has no ="),
        ("flop=a; cap=x", "cap is a number"),
        ("flop=a; cap=1.5", "whole number"),
        ("flop=a; cap=1,2", "whole number"),
        ("flop=a; cap=-1", "whole number"),
        ("flop=a; stack=0", "1 to 1,000,000 big blinds"),
        ("flop=a; stack=2,3", "1 to 1,000,000 big blinds"),
        ("nowhere.toml", "no file nowhere.toml"),
        ("preset=x", "no betting preset 'x'"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as error:
        parse_betting(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [3, [], [1], {"a": 1}, True])
def test_values_of_toml_are_checked(value: Any) -> None:
    with pytest.raises(InputError, match="sizes of the flop are text"):
        parse_betting({"flop": value})


def test_trees_without_end_are_refused() -> None:
    with pytest.raises(InputError, match="more than 67,108,864 nodes"):
        build_tree(parse_betting("preflop=10%,20%,30%,40%,50%; postflop=10%,20%,30%,40%,50%; stack=10000"))


def test_presets_have_their_names() -> None:
    assert (
        [preset.name for preset in betting_presets().values()]
        == list(betting_presets())
        == ["fcpa", "laptop", "acpc"]
    )
    assert all(len(preset.describe()) == len(STREETS) for preset in betting_presets().values())
