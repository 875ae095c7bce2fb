"""Public sampling of blueprints: its expectation is external sampling's, and its kernel is that of a slow twin."""

from itertools import combinations, permutations

import numpy as np
import pytest

from oracles.blueprints import BETTING
from oracles.public_sampling import BOARD_CARDS, BoardTwin, expected_deal, hands_of
from oracles.table_agent import small_cards
from solvent.abstraction.cards.dealing import shuffle
from solvent.cards.evaluator import evaluator, hand_strengths
from solvent.engines.sampled.kernels import frames, traverse
from solvent.forms.betting.tree import DEAL, DECISION, build_tree
from solvent.forms.sampled import row_start
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.randomness import iteration_key, random_float
from solvent.games.betting.rules import FOLD
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.boards.dealing import draw_board, find_board_buckets, sort_hands
from solvent.training.boards.kernels import BoardWeights, walk_board
from solvent.training.boards.solver import BoardSolver
from solvent.training.boards.street_trees import street_trees
from solvent.training.solver import BlueprintSolver

TEN = np.array([0, 5, 10, 15, 18, 21, 28, 33, 46, 51])
"""A deck of ten cards, of all suits, with a pair of twos."""


@pytest.fixture(scope="module")
def cards():
    return small_cards()


@pytest.fixture(scope="module")
def tree():
    return build_tree(parse_betting(BETTING))


def with_regrets(tree, cards, pure=False, seed=1):
    """A blueprint with random regrets: mixed strategies, or one action of positive regret at each row."""
    blueprint, rng = Blueprint(tree, cards), np.random.default_rng(seed)
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        clusters, buckets = cards.sizes[tree.street[node]]
        for cluster, bucket in np.ndindex(clusters, buckets):
            regrets = blueprint.row(node, cluster, bucket)[0]
            regrets[:] = rng.normal(size=len(regrets)) * 1_000
            if pure:
                regrets[:] = -1
                regrets[rng.integers(len(regrets))] = 1
    return blueprint


def added_by_walk(blueprint, board, deck, weights, drawn=()):
    """What the kernel adds to a table for one board, with all hands or with those of the cards `drawn`."""
    solver = BoardSolver(blueprint, deck=deck, hole_cards=len(drawn) or None)
    hands, room = solver.workspaces(1)[0]
    hands.deck[:] = [*board, *drawn, *(card for card in deck if card not in (*board, *drawn))]
    sort_hands(hands, evaluator())
    find_board_buckets(hands, solver.trees.stride, blueprint.layout, blueprint.cards.lookup)
    table = blueprint.table.copy()
    walk_board(solver.trees, hands, room, (table, table), BoardWeights(*map(np.float32, (*weights, 0, 0))))
    return table.astype(np.float64) - blueprint.table


def test_a_board_is_the_sum_of_its_deals(tree, cards):
    """All hands of a board at once add what external sampling adds on average, summed over all pairs of hands.

    Averages are added once for each hand of the player, not once for each pair.
    """
    blueprint = with_regrets(tree, cards)
    for board in ([0, 5, 10, 15, 18], [51, 46, 33, 5, 0]):
        twin, deals = BoardTwin(blueprint, TEN, board), 0
        added = Blueprint(tree, cards, np.zeros(len(blueprint.table)))
        for first in hands_of(TEN, board):
            for second in hands_of(TEN, [*board, *first]):
                expected_deal(blueprint, (first, second), board, added)
                deals += 1
        assert deals == 10 * 3
        for node in np.flatnonzero(tree.kind == DECISION).tolist():
            clusters, buckets = cards.sizes[tree.street[node]]
            for cluster, bucket in np.ndindex(clusters, buckets):
                regrets, sums = added.row(node, cluster, bucket)
                found = twin.added.row(node, cluster, bucket)
                np.testing.assert_allclose(found[0], regrets, atol=1e-6)
                np.testing.assert_allclose(found[1], sums / 3, atol=1e-9)


@pytest.mark.parametrize("hole_cards", [4, 5])
def test_hands_of_drawn_cards_are_all_hands_on_average(tree, cards, hole_cards):
    """Over every choice of hole cards, with each choice weighed as the solver weighs it."""
    deck, board = np.append(TEN, [40]), [0, 5, 10, 15, 18]
    blueprint = with_regrets(tree, cards)

    def weights(left):
        return 2 / (left * (left - 1)) * 2 / ((left - 2) * (left - 3)), 2 / (left * (left - 1))

    left = [int(card) for card in deck if card not in board]
    every = added_by_walk(blueprint, board, deck, weights(len(left)))
    choices = list(combinations(left, hole_cards))
    drawn = sum(added_by_walk(blueprint, board, deck, weights(hole_cards), drawn) for drawn in choices)
    assert np.count_nonzero(every) > 200
    np.testing.assert_allclose(drawn / len(choices), every, rtol=1e-3, atol=0.02)


def test_hole_cards_are_drawn_anew_for_each_board(tree, cards):
    solver = BoardSolver(Blueprint(tree, cards), hole_cards=20)
    hands, room = solver.workspaces(1)[0]
    seen = set()
    for iteration in range(200):
        room.random[0] = iteration_key(3, iteration)
        draw_board(hands, room.random)
        assert sorted(hands.deck) == list(range(52))
        sort_hands(hands, evaluator())
        held = set(hands.card[: hands.counts[0]].ravel().tolist())
        assert hands.counts[0] == 190
        assert held == set(hands.deck[5:25].tolist())
        seen.add(tuple(sorted(held)))
    assert len(seen) == 200


def test_boards_are_external_sampling_times_a_constant(tree, cards):
    """Boards of a deck of nine cards by the kernel, against external sampling's own traversal of all their deals.

    The boards are every twenty-third of 2,520, with the cards of the flop in one order and those of the turn and
    river in both: the two sums agree board by board, and so for any choice of boards.
    Strategies are pure, so that external sampling draws nothing and each of its traversals is its expectation.
    """
    deck, blueprint = TEN[:9], with_regrets(tree, cards, pure=True)
    public, external = np.zeros((2, len(blueprint.table)))
    solver, room = BlueprintSolver(blueprint), frames()
    walk, pays, layout, _ = solver.arrays
    boards = [(*flop, *rest) for flop in combinations(deck.tolist(), 3)
              for rest in permutations([card for card in deck.tolist() if card not in flop], 2)]  # fmt: skip
    assert len(boards) == 2_520
    for board in boards[::23]:
        public += added_by_walk(blueprint, board, deck, (1 / 6, 1 / 6))
        hands = hands_of(deck, board)
        strength = hand_strengths([[*hand, *board] for hand in hands]).astype(int)
        starts = np.zeros((4, len(hands)), dtype=np.int64)
        for street in range(4):
            clusters, buckets = cards.buckets(street, [[*h, *board[: BOARD_CARDS[street]]] for h in hands])
            starts[street] = [row_start(layout, street, *row) for row in zip(clusters, buckets, strict=True)]
        for one, other in permutations(range(len(hands)), 2):
            if set(hands[one]) & set(hands[other]):
                continue
            base = np.stack([starts[:, one], starts[:, other]])
            outcome = 1 - int(np.sign(strength[one] - strength[other]))
            for player in (0, 1):
                table = blueprint.table.copy()
                traverse(
                    0, player, np.float32(1), walk, pays, base, outcome, table, room, np.float32(0),
                    np.float32(0),
                )  # fmt: skip
                external += (table.astype(np.float64) - blueprint.table) / 6
    assert np.count_nonzero(external) > 200
    np.testing.assert_allclose(public, external, rtol=1e-3, atol=0.05)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"linear": False},
        {"exploration": (0.2, 0.001)},
        {"floor": -0.5},
        {"floor": -0.5, "exploration": (0.2, 0.001)},
    ],
)
def test_iterations_are_those_of_the_twin(tree, cards, options):
    """With the same random numbers, on a deck of all ranks from ten to ace in three suits, and two more cards."""
    seed, deck = 7, np.array([card for card in range(32, 52) if card % 4 < 3] + [0, 23])
    blueprint = Blueprint(tree, cards)
    solver, left_out = BoardSolver(blueprint, deck=deck), 0
    solver.run(20, seed=seed, **options)
    hands, others = 12 * 11 // 2, 10 * 9 // 2
    for iteration in range(20, 23):
        random = np.array([iteration_key(seed, iteration)], dtype=np.uint64)
        drawn = deck.copy()
        shuffle(drawn, 5, random)
        linear = options.get("linear", True)
        weight = iteration + 1 if linear else 1
        floor = options.get("floor", 0.0) * (iteration * (iteration + 1) / 2 if linear else iteration)
        lowest = floor if random_float(random) < 0.95 else 0.0
        least, fall = options.get("exploration", (0.0, 0.0))
        weights = weight / (hands * others), weight / hands
        twin = BoardTwin(blueprint, deck, drawn[:5], weights, max(0.0, least - fall * iteration), lowest)
        before = blueprint.table.copy()
        solver.run(1, seed=seed, **options)
        exact, largest = before + twin.added.table, np.abs(twin.added.table).max()
        np.testing.assert_allclose(blueprint.table, exact, rtol=2e-4, atol=2e-5 * largest)
        left_out += twin.left_out
    assert (left_out > 0) == ("floor" in options and "exploration" not in options)


def test_street_trees_have_every_decision_once():
    tree = build_tree(parse_betting("fcpa"))
    made = street_trees(tree)
    decisions = np.flatnonzero(tree.kind == DECISION)
    assert len(made.decision) == len(decisions)
    columns = [made.decision[name] for name in ("player", "row", "actions")]
    given = tree.player[decisions], tree.row[decisions], tree.action_count[decisions]
    assert sorted(zip(*columns, strict=True)) == sorted(zip(*given, strict=True))
    assert len(made.deal) == (tree.kind == DEAL).sum() == len(made.tree) - 1
    assert sorted(made.deal["tree"]) == list(range(1, len(made.tree)))
    assert len(made.terminal) == len(tree) - len(decisions) - len(made.deal)


def test_one_run_in_two_parts_is_one_run(tree, cards):
    whole, parts, shared = (BoardSolver(Blueprint(tree, cards)) for _ in range(3))
    whole.run(9, seed=3)
    parts.run(4, seed=3)
    parts.run(5, seed=3)
    np.testing.assert_array_equal(whole.blueprint.table, parts.blueprint.table)
    assert whole.touched == parts.touched > 0
    shared.run(9, seed=3, threads=2)
    assert shared.iterations == 9
    assert shared.touched == pytest.approx(whole.touched, rel=0.05)


def test_a_strategy_grows_sane(cards):
    """Aces are never folded, and seven-deuce is folded to all-in, after a few hundred boards."""
    from solvent.cards.deck import parse_cards
    from solvent.cards.isomorphism import Indexer

    tree = build_tree(parse_betting("preflop=a; stack=10"))
    blueprint = Blueprint(tree, cards)
    BoardSolver(blueprint).run(600, seed=1)
    aces, worst = (Indexer([2]).index(parse_cards(hand)) for hand in ("AsAh", "7d2c"))
    fold, all_in = tree.actions(0).index(FOLD), tree.children(0)[-1]
    assert blueprint.average(0, 0, aces)[fold] < 0.02
    assert blueprint.average(all_in, 0, worst)[tree.actions(all_in).index(FOLD)] > 0.9


def test_a_deck_has_room_for_two_hands_and_a_board(tree, cards):
    with pytest.raises(InputError, match="nine cards"):
        BoardSolver(Blueprint(tree, cards), deck=np.arange(8))
    with pytest.raises(InputError, match="4 to 47 of the cards"):
        BoardSolver(Blueprint(tree, cards), hole_cards=3)
