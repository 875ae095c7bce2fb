"""The public form against the history form: the same game, with the same histories, chances and counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import compiled
from oracles.public_forms import (
    BLUFF,
    FLOP,
    LARGER_FLOP,
    RANGED,
    SMALL,
    UPDATES,
    assert_invariant,
    assert_same_evaluation,
    both,
    uneven_ranges,
    unrolled,
)
from oracles.random_public import RandomBetting, RandomHoldem, RandomPublic
from solvent import solve
from solvent.engines.history.response import evaluate
from solvent.engines.public.solver import PublicSolver
from solvent.engines.rules import RULES
from solvent.forms.history import GameTree, compile_tree
from solvent.forms.public.game import public_game
from solvent.forms.public.unroll import unroll
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.game import CHANCE
from solvent.games.holdem.limit_holdem import FlopHoldem
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc
from solvent.games.public_rules import Betting, Board, PublicRules
from solvent.strategy.strategy import normalise

# Unrolling


def assert_same_tree(ours: GameTree, theirs: GameTree) -> None:
    for column in ("player", "infoset", "parent", "end", "payoff", "infoset_player", "infoset_cell"):
        assert (getattr(ours, column) == getattr(theirs, column)).all(), column
    assert list(ours.infoset_label) == list(theirs.infoset_label)
    assert list(ours.action_label) == list(theirs.action_label)
    edges, expected = (np.concatenate([np.arange(tree.cells), -tree.chance]) for tree in (ours, theirs))
    np.testing.assert_allclose(edges[ours.cell], expected[theirs.cell], rtol=1e-14)
    assert ours.chance[0] == 1


@pytest.mark.parametrize("name", [*SMALL, *BLUFF, FLOP])
def test_unrolling_gives_the_tree_that_the_rules_give(name: str) -> None:
    ours, theirs = unrolled(name).tree, compiled(name)
    assert_same_tree(ours, theirs)
    draw = np.random.default_rng(0)
    for _ in range(3):
        strategy = normalise(draw.random(theirs.cells), theirs.infoset_cell)
        found, expected = evaluate(ours, strategy), evaluate(theirs, strategy)
        assert found.value == pytest.approx(expected.value, abs=1e-13)
        assert found.best_response == pytest.approx(expected.best_response, abs=1e-13)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([RandomPublic, RandomHoldem]), st.integers(1, 2))
def test_unrolling_a_random_game(seed: int, kind: type[RandomBetting], rounds: int) -> None:
    rules = kind(seed, rounds)
    assert_same_tree(unroll(public_game(rules))[0], compile_tree(rules))


@pytest.mark.parametrize("kind", [RandomPublic, RandomHoldem])
def test_unrolling_three_rounds(kind: type[RandomBetting]) -> None:
    seeds = (2, 5) if kind is RandomHoldem else range(5)
    for seed in seeds:
        rules = kind(seed, 3)
        assert_same_tree(unroll(public_game(rules))[0], compile_tree(rules))


@pytest.mark.parametrize("name", [*SMALL, *BLUFF, FLOP, LARGER_FLOP, *RANGED])
def test_places_are_the_rows_of_the_public_tables(name: str) -> None:
    game, tree, place, _ = unrolled(name)
    assert len(np.unique(place)) == tree.cells
    assert place.max() < game.cells
    if name not in ("leduc(distinct=true)", *RANGED):  # the others have hands that do not occur
        assert tree.cells == game.cells


@pytest.mark.parametrize("name", RANGED)
def test_ranges_become_chances(name: str) -> None:
    rules = load_game(name.removesuffix(" with ranges"))
    tree, (first, second) = unrolled(name).tree, uneven_ranges(rules)
    hands = rules.hands()
    weight = np.array([[float(rules.deal_weight(a, b)) for b in hands] for a in hands])
    weight *= first[:, None] * second
    weight /= weight.sum()
    probability = np.append(np.ones(tree.cells), tree.chance)[tree.cell]
    tops = np.flatnonzero(tree.parent == 0)[1:]
    assert probability[tops] == pytest.approx(weight.sum(axis=1)[weight.sum(axis=1) > 0], rel=1e-14)
    below = np.flatnonzero(np.isin(tree.parent, tops))
    assert probability[below] * probability[tree.parent[below]] == pytest.approx(
        weight[weight > 0], rel=1e-13
    )


def test_even_ranges_change_nothing() -> None:
    rules = Leduc()
    halves = np.full(len(rules.hands()), 0.5)
    halved, _ = unroll(public_game(rules, ranges=(halves, halves)))
    assert_same_tree(halved, compiled("leduc"))


def test_what_cannot_be_unrolled_is_refused() -> None:
    with pytest.raises(InputError, match="with isomorphism off"):
        unroll(public_game(FlopHoldem(2, 4)))
    game = unrolled(FLOP).game
    with pytest.raises(InputError, match=r"256,229 histories.*the memory limit is 10\.0 MiB"):
        unroll(game, memory=10 << 20)
    with pytest.raises(InputError, match="the memory limit"):
        unroll(public_game(FlopHoldem(4, 4), isomorphism=False))


# Chances, symmetries and counts


@pytest.mark.parametrize("name", [*SMALL, *BLUFF, FLOP, LARGER_FLOP, *RANGED])
def test_chances_sum_to_one(name: str) -> None:
    """At every chance node: so for every pair of hands, and for every board that follows it."""
    tree = unrolled(name).tree
    probability = np.append(np.ones(tree.cells), tree.chance)[tree.cell]
    dealt = np.flatnonzero(tree.player[tree.parent] == CHANCE)[1:]
    total = np.bincount(tree.parent[dealt], weights=probability[dealt], minlength=tree.histories)
    assert total[tree.player == CHANCE] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("isomorphism", [False, True])
@pytest.mark.parametrize(("suits", "ranks"), [(2, 4), (3, 3), (4, 3)])
def test_boards_sum_to_one_for_every_pair(suits: int, ranks: int, isomorphism: bool) -> None:
    rules = FlopHoldem(suits, ranks)
    game = public_game(rules, isomorphism)
    flop = game.rounds[1]
    assert flop.multiplicity.sum() == len(rules.public_boards(()))
    held = np.zeros((len(flop.boards), len(game.hands)))
    np.put_along_axis(held, flop.hand, 1.0, axis=1)
    total = flop.probability * held.T @ (flop.multiplicity[:, None] * held)
    together = np.array([[not set(a) & set(b) for b in game.hands] for a in game.hands])
    assert together.sum() * game.deal_scale == pytest.approx(1)
    if not isomorphism:
        assert total[together] == pytest.approx(1)
        return
    # A representative meets other pairs than the boards it stands for, but as many of each kind.
    orbits: dict[Any, list[float]] = {}
    for i, j in np.argwhere(together):
        kind = min((a(game.hands[i]), a(game.hands[j])) for a, _ in rules.symmetries())
        orbits.setdefault(kind, []).append(total[i, j])
    assert np.array([np.mean(of) for of in orbits.values()]) == pytest.approx(1)


@pytest.mark.parametrize("isomorphism", [False, True])
@pytest.mark.parametrize("name", ["leduc", "leduc(distinct=true)", "leduc(ranks=2,suits=3,distinct=true)"])
def test_matrices_hold_the_chance_of_every_pair(name: str, isomorphism: bool) -> None:
    rules = load_game(name)
    game = public_game(rules, isomorphism)
    nodes = game.nodes
    deal = np.array([[float(rules.deal_weight(a, b)) for b in game.hands] for a in game.hands])
    for level, here in enumerate(game.rounds):
        folds = [k for k, b in enumerate(game.betting) if b.symbol == "fold" and nodes.round[k] == level]
        matrices = game.matrix[game.matrix_of[nodes.symbol[folds[0]], : len(here.boards)]]
        assert here.multiplicity.sum() == (len(game.hands) if level else 1)
        total = (here.multiplicity[:, None, None] * matrices).sum(axis=0)
        assert total.sum() == pytest.approx(1)
        if not game.isomorphism:
            assert total == pytest.approx(deal)


@pytest.mark.parametrize("rules", [FlopHoldem(2, 4), FlopHoldem(3, 3), FlopHoldem(4, 3)])
def test_names_of_suits_decide_nothing(rules: FlopHoldem) -> None:
    hands, boards = rules.hands(), rules.public_boards(())
    strength = rules.strengths(boards, hands)
    for hand, board in rules.symmetries():
        moved_hands, moved_boards = [hand(h) for h in hands], [board(b) for b in boards]
        assert sorted(moved_hands) == sorted(hands)
        assert sorted(moved_boards) == sorted(boards)
        assert (rules.strengths(moved_boards, moved_hands) == strength).all()


def test_orbits_and_representatives() -> None:
    """169 hands before the flop, and of 22,100 flops 1,755 that differ in more than names."""
    rules = FlopHoldem(4, 13)
    game = public_game(rules)
    assert game.isomorphism
    assert game.orbit.max() + 1 == 169
    assert sorted(set(np.bincount(game.orbit))) == [4, 6, 12]
    flop = game.rounds[1]
    assert len(flop.boards) == 1755
    assert flop.multiplicity.sum() == 22_100
    assert flop.slots == 1176


def test_isomorphism_switches_itself_off() -> None:
    rules = FlopHoldem(2, 4)
    orbit = public_game(rules).orbit
    even = np.random.default_rng(0).uniform(0.1, 1, orbit.max() + 1)[orbit]
    assert public_game(rules, ranges=(even, even)).isomorphism
    assert not public_game(rules, ranges=(even, uneven_ranges(rules)[1])).isomorphism
    assert not public_game(Kuhn()).isomorphism
    assert not public_game(Leduc()).isomorphism


# Figure 2


class QuitOrBid(PublicRules):
    """The toy game of the paper's Figure 2: a card each, then each player quits or bids.

    Who quits loses 1; after two bids the higher card wins 2. Every public node stands for four states, so there
    are two cards, and both may hold the same: then nobody wins. In the game tree each of the four deals has a
    betting tree of its own; in the public tree there is one.

    >>> game = public_game(QuitOrBid())
    >>> tree, place = unroll(game)
    >>> tree.histories, len(game.nodes.symbol)
    (23, 5)

    At the end of two bids the four states pay 2 x the symbol matrix, each with a chance of 1/4:

    >>> 2 * game.matrix[game.matrix_of[game.nodes.symbol[-1], 0]] * 4
    array([[ 0., -2.],
           [ 2.,  0.]])

    Either tree gives the same values:

    >>> from solvent.engines.history.solver import HistorySolver
    >>> on_public, on_game = PublicSolver(game, "cfr"), HistorySolver(tree, "cfr")
    >>> on_public.run(50), on_game.run(50)
    (None, None)
    >>> bool((on_public.arena.table("regret")[place] == on_game.arena.table("regret")).all())
    True
    """

    def __str__(self) -> str:
        return "quit_or_bid"

    def hands(self) -> Sequence[int]:
        return (1, 2)

    def deal(self, first: int | None = None) -> Iterable[tuple[int, Fraction]]:
        return [(card, Fraction(1, 2)) for card in self.hands()]

    def sign(self, symbol: str, board: Board, first: int, second: int) -> int:
        return 1 if symbol == "quit" else (first > second) - (first < second)

    def betting_tree(self) -> Betting:
        both_bid = Betting(symbol="higher card", stake=2)
        answer = Betting(1, ("quit", "bid"), (Betting(symbol="quit", stake=1), both_bid), "b")
        return Betting(0, ("quit", "bid"), (Betting(symbol="quit", stake=-1), answer), "")


def test_figure_2_has_the_same_values_on_either_tree() -> None:
    rules = QuitOrBid()
    game, tree, place, _ = both(public_game(rules))
    assert_same_tree(tree, compile_tree(rules))
    for rule in RULES:
        for updates in UPDATES:
            assert_invariant(both(game), rule, updates)
    solver = PublicSolver(game, "cfr+")
    solver.run(1000)
    assert_same_evaluation(solver, tree, place)
    # Player 0 loses nothing by bidding always, and then player 1 is indifferent: the game is fair.
    assert solver.evaluate().value[0] == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc(distinct=true)", "bluff(dice=2,faces=2)"])
def test_infoset_actions_are_those_of_the_histories(name: str) -> None:
    game = public_game(load_game(name), isomorphism=False)
    assert game.infosets == compiled(name).infosets
    assert game.infoset_actions == compiled(name).cells


class Dealt(PublicRules):
    """Two cards and a board, with any chances and any sign."""

    def __init__(self, given: Sequence[Any], boards: Sequence[Any], sign: Any = 1) -> None:
        self.given, self.after, self.won = given, boards, sign

    def hands(self) -> Sequence[str]:
        return "ab"

    def deal(self, first: str | None = None) -> Iterable[tuple[str, Fraction]]:
        return zip(self.hands(), self.given if first == "b" else (Fraction(1, 2),) * 2, strict=True)

    def boards(self, board: Board, first: str, second: str) -> Iterable[tuple[Board, Fraction]]:
        return self.after

    def betting_tree(self) -> Betting:
        last = Betting(1, ("x", "y"), (Betting(symbol="end", stake=1), Betting(symbol="end", stake=2)), "d")
        return Betting(0, ("d",), (Betting(deals=True, children=(last,)),))

    def sign(self, symbol: str, board: Board, first: str, second: str) -> int:
        return self.won


HALVES = (Fraction(1, 2), Fraction(1, 2))
FLOPS = ((("f",), 0.5), (("g",), 0.5))


@pytest.mark.parametrize(
    ("rules", "refusal"),
    [
        (Dealt((Fraction(2, 3), Fraction(2, 3)), FLOPS), "probabilities sum to 1.33333"),
        (Dealt((Fraction(3, 2), Fraction(-1, 2)), FLOPS), "must be non-negative"),
        (Dealt(HALVES, ((("f",), 1), (("g",), 1))), "probabilities sum to 2;"),
        (Dealt(HALVES, ((("f",), 1.5), (("g",), -0.5))), "must be non-negative"),
        (Dealt(HALVES, ((("f",), float("nan")),)), "probabilities sum to nan"),
        (Dealt(HALVES, (("f",), ("g",))), "pairs of a board"),
        (Dealt(HALVES, ("f", "g")), "pairs of a board"),
        (Dealt(HALVES, (("f", 0.5), ("g", 0.5))), "which is a tuple"),
        (Dealt(HALVES, FLOPS, sign=2), "has the sign 2 at a terminal"),
        (Dealt(HALVES, FLOPS, sign=None), "has the sign None at a terminal"),
    ],
)
def test_chances_boards_and_signs_that_cannot_be_are_refused(rules: Dealt, refusal: str) -> None:
    with pytest.raises(InputError, match=refusal):
        public_game(rules)
    with pytest.raises(InputError):
        solve(rules, iterations=1)
    assert public_game(Dealt(HALVES, FLOPS)).infosets == 2 + 4
