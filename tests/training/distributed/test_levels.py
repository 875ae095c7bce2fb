"""Children that are heads: unbiased at every level, and plain sampling where there is one cluster at each."""

import numpy as np
import pytest

from oracles.distributed import MakeSmallBranches, clustered_cards, small_tree
from oracles.level_deals import BUCKETS, Deals, LevelDealer, level_walk
from oracles.levels import (
    CARDS,
    FLOPS,
    TREE,
    TURNS,
    Expected,
    mean_choices,
    public_states,
    strategy,
)
from solvent.foundation.errors import InputError
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.distributed.batches import DistributedSettings
from solvent.training.distributed.branch import Branch
from solvent.training.distributed.child import Child
from solvent.training.distributed.engines import LocalChildren
from solvent.training.distributed.head import Head
from solvent.training.distributed.processes import ProcessChildren
from solvent.training.distributed.solver import DistributedSolver, make_head
from solvent.training.distributed.turns import make_branches
from solvent.training.solver import BlueprintSolver

PATHS = [
    (),
    *((n,) for n in range(len(FLOPS))),
    *((n, m) for n, many in enumerate(TURNS) for m in range(many)),
]


def repaired(path, chosen):
    numerator, denominator = mean_choices(path)
    return chosen * denominator / numerator


def literal(path, chosen):
    return 1.0


def expected(player, **options):
    found = Expected(player, **{"plain": False, "scale": repaired, **options})
    return found.run(), found.regrets, found.sums


def constant(path):
    """Plain sampling comes to a cluster's table less often, by the cluster's share of all public states."""
    return (1, CARDS, CARDS * (CARDS - 1))[len(path)] / (public_states(path) if path else 1)


def largest_difference(found, wanted, level):
    assert found.keys() == wanted.keys()
    places = [key for key in wanted if len(key[0]) == level]
    assert places
    return max(np.abs(found[key] - constant(key[0]) * wanted[key]).max() for key in places)


@pytest.mark.parametrize("player", [0, 1])
def test_expected_increments_are_those_of_plain_sampling_at_every_level(player):
    plain, found = expected(player, plain=True), expected(player)
    assert found[0] == pytest.approx(plain[0], abs=1e-12)
    for level in range(3):
        assert largest_difference(found[1], plain[1], level) < 1e-12
        assert largest_difference(found[2], plain[2], level) < 1e-12


@pytest.mark.parametrize("player", [0, 1])
def test_literal_weights_are_biased_at_both_levels_below_the_head(player):
    plain, found = expected(player, plain=True), expected(player, scale=literal)
    assert found[0] == pytest.approx(plain[0], abs=1e-12)
    assert largest_difference(found[1], plain[1], 0) < 1e-12
    for increments, wanted in ((found[1], plain[1]), (found[2], plain[2])):
        for path in ((0,), (2,), (0, 0), (0, 1), (2, 0), (2, 1)):  # no constant makes them equal
            ratios = [(increments[key] / wanted[key])[0] for key in wanted if key[0] == path]
            assert max(ratios) - min(ratios) > 0.01


@pytest.mark.parametrize("player", [0, 1])
def test_the_first_level_alone_does_not_repair_the_second(player):
    """Grandchildren weighed by their flops alone, as if turns were blocked alike."""
    plain = expected(player, plain=True)

    def flops_alone(path, chosen):
        return repaired(path, chosen) if len(path) == 1 else 1.0

    found = expected(player, scale=flops_alone)
    assert largest_difference(found[1], plain[1], 1) < 1e-12
    assert largest_difference(found[1], plain[1], 2) > 0.01


def tables_for(floats):
    """The head's table, and for each child one table with parts for itself and its children."""
    head = np.zeros(BUCKETS * floats[0], np.float32)
    own, leaf = BUCKETS * floats[1], BUCKETS * floats[2]
    whole = [np.zeros(own + many * leaf, np.float32) for many in TURNS]
    parts = {(n,): table[:own] for n, table in enumerate(whole)}
    for n, m in (path for path in PATHS if len(path) == 2):
        parts[n, m] = whole[n][own + m * leaf : own + (m + 1) * leaf]
    return {(): head, **parts}, whole


def build(settings, walk, floats, deals):
    """A head, branches, and the tables of all paths."""
    tables, whole = tables_for(floats)
    top = LevelDealer(deals)
    head, branches = Head(walk, tables[()], top, settings), []
    for n, many in enumerate(TURNS):
        dealer = LevelDealer(deals, (n,))
        options = {"last": 1, "samples": settings.samples, "mean": top.mean_choices(n)}
        middle = Head(walk, tables[n,], dealer, settings, **options)
        leaves = [Child(m, walk, tables[n, m], dealer, settings) for m in range(many)]
        branches.append(Branch(n, whole[n], middle, leaves))
    return head, LocalChildren(branches), tables


@pytest.mark.parametrize("is_literal", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("player", [0, 1])
def test_compiled_heads_and_children_have_these_expectations(player, is_literal):
    """Every public card through the compiled algorithm, against pure strategies, to float32."""
    walk, row, floats = level_walk()
    settings = DistributedSettings(linear=False, literal=is_literal)
    deals = Deals(floats)
    head, children, tables = build(settings, walk, floats, deals)
    places = {
        (path, history, bucket): bucket * floats[len(path)] + row[history]
        for path in PATHS
        for history in TREE
        for bucket in range(BUCKETS)
        if history.count("/") == len(path)
    }
    for (path, history, bucket), place in places.items():
        regrets = strategy(path, history, bucket)
        pure = np.eye(len(regrets))[int(regrets.argmax())]
        tables[path][place : place + len(regrets)] = pure if TREE[history][0] != player else regrets
    begun = {path: table.copy() for path, table in tables.items()}

    def used(path, history, bucket):
        place, actions = places[path, history, bucket], len(TREE[history][1])
        return begun[path][place : place + actions].astype(np.float64)

    found = {path: np.zeros(table.size) for path, table in tables.items()}
    for turn in range(player, 2 * deals.iterations, 2):
        children.load(children.shards(), turn)  # the other player's turns are left out
        recorded = head.record(turn)
        children.start(recorded.batch)
        head.replay(recorded, children.values())
        for path, table in tables.items():
            found[path] += (table - begun[path]) / deals.iterations
            table[:] = begun[path]
    _, regrets, sums = expected(player, scale=literal if is_literal else repaired, strategy=used)
    largest = 0.0
    for (path, history, bucket), place in places.items():
        actions = len(TREE[history][1])
        wanted = (regrets if TREE[history][0] == player else sums).get(
            (path, history, bucket), np.zeros(actions)
        )
        start = place if TREE[history][0] == player else place + actions
        largest = max(largest, np.abs(found[path][start : start + actions] - wanted).max())
    assert largest < 2e-6
    assert sum(np.abs(numbers).sum() for numbers in found.values()) > 5


def test_a_branch_answers_a_turn_again_and_resumes_from_its_table():
    walk, _, floats = level_walk()
    for batch, samples in ((1, 1), (20, 1), (20, 3)):
        settings, deals = DistributedSettings(batch=batch, samples=samples, seed=3), Deals(floats)
        head, children, tables = build(settings, walk, floats, deals)
        other_head, other, copies = build(settings, walk, floats, deals)
        for turn in range(10):
            recorded = head.record(turn)
            children.start(recorded.batch)
            first, again = children.values(), children.values()
            head.replay(recorded, first)
            assert all(a is b for a, b in zip(first, again, strict=True))
            if turn == 4:
                other.load(children.shards(), 5)
                other_head.table[:] = head.table
            elif turn > 4:
                there = other_head.record(turn)
                other.start(there.batch)
                other_head.replay(there, other.values())
        for path, table in tables.items():
            np.testing.assert_array_equal(table, copies[path])
            assert table.any()


# Hold'em: clusters of turns inside clusters of flops


def on_turns(inside, workers=0, **options):
    """A training with a branch for each cluster of flops, in this process or in workers."""
    settings, clusters = DistributedSettings(**{"seed": 7, **options}), len(inside)
    make = MakeSmallBranches(tuple(inside), settings)
    children = ProcessChildren(make, clusters, workers) if workers else LocalChildren(make(range(clusters)))
    return DistributedSolver(make_head(small_tree(), clustered_cards(clusters), settings), children)


@pytest.mark.parametrize("options", [{}, {"exploration": (0.2, 0.001)}, {"floor": -0.02}])
def test_one_cluster_at_every_level_is_plain_sampling_bit_for_bit(options):
    plain = BlueprintSolver(Blueprint(small_tree(), clustered_cards(1)))
    solver = on_turns([1], **options)
    plain.run(200, seed=7, **options)
    solver.run(200)
    table = np.concatenate([solver.head.table, solver.children.shards()[0]])
    np.testing.assert_array_equal(table, plain.blueprint.table)
    assert solver.touched == plain.touched > 2_000


def test_one_cluster_of_turns_in_each_of_flops_is_two_levels_bit_for_bit():
    """A branch with one child has the table of a child, as long as nothing is frozen."""
    blueprint = Blueprint(small_tree(), clustered_cards(3))
    two = DistributedSolver.in_process(blueprint, DistributedSettings(seed=7))
    three = on_turns([1, 1, 1])
    two.run(150)
    three.run(150)
    for name, table in two.tables().items():
        np.testing.assert_array_equal(three.tables()[name], table)
    assert two.touched == three.touched


@pytest.mark.parametrize("options", [{}, {"batch": 20, "ahead": 1, "samples": 2}])
def test_a_run_on_turns_in_parts_is_one_run(options):
    whole, parts, resumed = (on_turns([3, 1, 2], **options) for _ in range(3))
    whole.run(120)
    parts.run(60)
    resumed.load({name: table.copy() for name, table in parts.tables().items()}, parts.facts())
    resumed.run(60)
    for name, table in whole.tables().items():
        np.testing.assert_array_equal(resumed.tables()[name], table)
        assert table.any()


def test_turns_that_hands_and_flop_leave():
    """45 for every deal; the mean of the product with the flops is as `mean_choices` says."""
    solver = on_turns([3, 1, 2])
    for n, branch in enumerate(solver.children.children):
        dealer = branch.head.dealer
        deals = dealer.deal_head(0, 20_000, 1)
        dealt = deals.chosen[:, 0] > 0
        assert (deals.choices[dealt].sum(axis=-1) == 45).all()
        for m in range(dealer.clusters):
            below = dealer.deal_child(m, 0, 20_000, 1)
            np.testing.assert_array_equal(below.chosen, deals.chosen * deals.choices[:, :, m])
            scale = below.chosen[:, 0] * dealer.mean_choices(m)[1] / dealer.mean_choices(m)[0]
            assert abs(scale.mean() - 1) < 3 * scale.std() / len(scale) ** 0.5
        assert sum(dealer.mean_choices(m)[0] for m in range(dealer.clusters)) == (
            int(dealer.turns.flops.flops[n]) * 49 * 17_296 * 45
        )


def test_clusters_of_turns_without_gaps():
    cluster = np.zeros((22_100, 52), dtype=np.int16)
    cluster[:, 0] = 2
    with pytest.raises(InputError, match="without gaps"):
        make_branches(small_tree(), clustered_cards(1), DistributedSettings(), [0], cluster)
    with pytest.raises(InputError, match="int16"):
        make_branches(small_tree(), clustered_cards(1), DistributedSettings(), [0], cluster[:5])


@pytest.mark.slow
def test_branches_in_workers_have_the_tables_of_branches_here():
    """A branch answers to the protocol of children: it moves whole, is saved and loaded, and may be lost."""
    here, apart = on_turns([3, 1, 2], batch=20, ahead=1), on_turns([3, 1, 2], 2, batch=20, ahead=1)
    here.run(100)
    try:
        apart.run(40)
        apart.children.processes._processes[1].kill()
        apart.run(60)
        for name, table in here.tables().items():
            np.testing.assert_array_equal(apart.tables()[name], table)
    finally:
        apart.children.close()


@pytest.mark.slow
def test_regrets_of_the_head_are_those_of_plain_sampling():
    """With uniform strategies and separate deals, the means of both estimates are within 3 sigma."""
    many, one = root_regrets([3, 1, 2], seed=8), root_regrets([1], seed=9)
    for a, b in zip(many, one, strict=True):
        assert abs(a.mean() - b.mean()) < 3 * (a.var() / len(a) + b.var() / len(b)) ** 0.5
        assert a.std() < b.std()


def root_regrets(inside, seed, iterations=1_500):
    """The regret of all-in at the first decision, and of calling it at the next, in each of many iterations."""
    solver, tree = on_turns(inside, linear=False, seed=seed), small_tree()
    nodes = 0, tree.children(0)[-1]
    places = [int(tree.row[node]) + len(tree.actions(node)) - 1 for node in nodes]
    found = [], []
    for turn in range(2 * iterations):
        solver._take_turn()
        head = solver.head.table.reshape(169, -1)
        found[turn % 2].append(float(head[:, places[turn % 2]].sum()))
        for table in (solver.head.table, *solver.children.shards().values()):
            table[:] = 0
    return np.array(found)
