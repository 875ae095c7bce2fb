"""Algorithm 4 on hold'em: plain sampling as a special case, two equal passes, the same tables on every engine."""

import random
from multiprocessing import get_context

import numpy as np
import pytest

from oracles.distributed import MakeSmallChildren, clustered_cards, small_tree
from solvent.foundation.errors import InputError
from solvent.strategy.agents.blueprint import CLUSTER, Blueprint, join_shards
from solvent.training.distributed import processes
from solvent.training.distributed.batches import Discount, DistributedSettings, ShardFile
from solvent.training.distributed.engines import LocalChildren
from solvent.training.distributed.processes import ProcessChildren
from solvent.training.distributed.recovering import WorkerChildren
from solvent.training.distributed.solver import DistributedSolver, make_head
from solvent.training.distributed.workers import LostWorkerError
from solvent.training.solver import BlueprintSolver

CLUSTERS = 5
HALVES = Discount(0.5, 0.25, 0.75)


def new(clusters, seed=7, **options):
    blueprint = Blueprint(small_tree(), clustered_cards(clusters))
    return DistributedSolver.in_process(blueprint, DistributedSettings(seed=seed, **options)), blueprint


@pytest.mark.parametrize(
    "options", [{}, {"linear": False, "reward": "y2"}, {"exploration": (0.2, 0.001)}, {"floor": -0.02}]
)
def test_one_cluster_is_plain_sampling_bit_for_bit(options):
    solver, blueprint = new(1, **options)
    shared = {name: value for name, value in options.items() if name != "reward"}
    plain = BlueprintSolver(Blueprint(small_tree(), clustered_cards(1)), options.get("reward", "y1"))
    for _ in range(4):
        solver.run(100)
        plain.run(100, seed=7, **shared)
        np.testing.assert_array_equal(blueprint.table, plain.blueprint.table)
    assert solver.iterations == plain.iterations == 400
    assert solver.touched == plain.touched > 4_000
    assert np.count_nonzero(blueprint.table) > 1_000


def test_one_cluster_is_plain_sampling_where_sums_are_rounded():
    """Sums so large that additions are rounded by chance, in the head and below."""
    solver, blueprint = new(1)
    plain = BlueprintSolver(Blueprint(small_tree(), clustered_cards(1)))
    for table in (blueprint.table, plain.blueprint.table):
        table[:] = 2.0**30
    solver.run(50)
    plain.run(50, seed=7)
    np.testing.assert_array_equal(blueprint.table, plain.blueprint.table)
    assert (blueprint.table != 2.0**30).any()


@pytest.mark.parametrize("options", [{}, {"batch": 20}, {"batch": 20, "ahead": 1}, {"ahead": 1}])
def test_the_second_pass_repeats_the_first(options):
    solver, _ = new(CLUSTERS, **options)
    solver.run(60)  # every second pass checks that it meets what the first did
    before = solver.head.table.copy()
    recorded = solver.head.record(solver.turns, before.copy())
    again = solver.head.record(solver.turns, before.copy())
    np.testing.assert_array_equal(solver.head.table, before)  # the first pass writes nothing
    np.testing.assert_array_equal(recorded.batch.node, again.batch.node)
    np.testing.assert_array_equal(recorded.batch.ends, again.batch.ends)
    assert len(again.batch.node) > 0


def test_a_second_pass_on_other_strategies_is_noticed():
    solver, _ = new(CLUSTERS, batch=20)
    solver.run(60)
    recorded = solver.head.record(solver.turns)
    solver.children.start(recorded.batch)
    replies = solver.children.values()
    recorded.frozen[:] = np.random.default_rng(1).random(recorded.frozen.size)
    with pytest.raises(RuntimeError, match="the second pass of turn 3 is not the first"):
        solver.head.replay(recorded, replies)


def test_room_for_continuations_grows():
    solver, blueprint = new(CLUSTERS, batch=20)
    narrow, same = new(CLUSTERS, batch=20)
    narrow.head._width = 0
    solver.run(40)
    narrow.run(40)
    np.testing.assert_array_equal(blueprint.table, same.table)


def test_averages_are_added_once():
    """With plain weights, the sums of a decision's row count how often the other player's pass came there."""
    solver, blueprint = new(CLUSTERS, linear=False, batch=20)
    solver.run(200)
    first = int(blueprint.tree.row[0])
    actions = len(blueprint.tree.actions(0))
    head = blueprint.table[: blueprint.layout.head].reshape(169, -1)
    assert head[:, first + actions : first + 2 * actions].sum() == pytest.approx(200, rel=1e-5)


def test_regrets_of_the_head_are_those_of_plain_sampling():
    """With uniform strategies and separate deals, the means of both estimates within 3 sigma, and less variance."""
    many, one = (root_regrets(clusters, seed) for clusters, seed in ((CLUSTERS, 8), (1, 9)))
    for player in (0, 1):
        a, b = many[player], one[player]
        assert abs(a.mean() - b.mean()) < 3 * (a.var() / len(a) + b.var() / len(b)) ** 0.5
        assert a.std() < b.std()


def root_regrets(clusters, seed, iterations=1_500):
    """The regret of all-in at the first decision, and of calling it at the next, in each of many iterations."""
    solver, blueprint = new(clusters, linear=False, seed=seed)
    tree = blueprint.tree
    nodes = 0, tree.children(0)[-1]
    places = [int(tree.row[node]) + len(tree.actions(node)) - 1 for node in nodes]
    found = [], []
    for turn in range(2 * iterations):
        solver._take_turn()
        head = solver.head.table.reshape(169, -1)
        found[turn % 2].append(float(head[:, places[turn % 2]].sum()))
        blueprint.table[:] = 0
    return np.array(found)


def test_a_run_in_parts_is_one_run_and_shards_resume_it():
    for options in ({}, {"batch": 20}, {"batch": 20, "ahead": 1}, {"ahead": 1}, {"batch": 7, "samples": 3}):
        whole, one = new(CLUSTERS, **options)
        whole.run(140)
        parts, _ = new(CLUSTERS, **options)
        parts.run(60)
        tables = {name: table.copy() for name, table in parts.tables().items()}
        resumed, two = new(CLUSTERS, **options)
        resumed.load(tables, parts.facts())
        resumed.run(140 - resumed.iterations)
        assert whole.iterations == resumed.iterations
        np.testing.assert_array_equal(one.table, two.table)
        assert whole.touched == resumed.touched


def test_cores_share_a_child_s_samples():
    """Two threads on each child's table: about the work of one thread."""
    one, wanted = new(CLUSTERS, batch=50, samples=4)
    two, blueprint = new(CLUSTERS, batch=50, samples=4, cores=2)
    one.run(50)
    two.run(50)
    assert np.isfinite(blueprint.table).all()
    assert two.touched == pytest.approx(one.touched, rel=0.2)
    sums = [each.table[each.layout.head :].clip(0).sum() for each in (wanted, blueprint)]
    assert sums[1] == pytest.approx(sums[0], rel=0.3)


def test_older_strategies_make_other_tables():
    tables = []
    for options in ({}, {"batch": 20}, {"batch": 20, "ahead": 1}, {"literal": True}, {"samples": 2}):
        solver, blueprint = new(CLUSTERS, **options)
        solver.run(100)
        tables.append(blueprint.table)
    assert all((a != b).any() for i, a in enumerate(tables) for b in tables[:i])


class Shuffled(LocalChildren):
    """Children that are asked in any order, and twice."""

    def values(self):
        order = self.children.copy()
        random.Random(self._batch.number).shuffle(order)
        for child in order:
            child.values(self._batch)
        return super().values()


@pytest.mark.parametrize("options", [{"batch": 20, "ahead": 1}, {"batch": 1}])
def test_tables_do_not_depend_on_the_order_of_replies(options):
    solver, wanted = new(CLUSTERS, **options)
    solver.run(80)
    other, blueprint = new(CLUSTERS, **options)
    other.children = Shuffled(other.children.children)
    other.run(80)
    np.testing.assert_array_equal(blueprint.table, wanted.table)


@pytest.fixture
def quick_workers(monkeypatch):
    """Worker processes that are forks of one that has imported what they need."""
    context = get_context("forkserver")
    context.set_forkserver_preload(
        ["pytest", "scipy.linalg.cython_blas", "numba.np.arraymath", "solvent.training.distributed.solver"]
    )
    monkeypatch.setattr(processes, "get_context", lambda method: context)


def test_tables_do_not_depend_on_the_engine(tmp_path, quick_workers):
    """Two workers, then three with the shards of these, some of which are lost, then threads of one process."""
    solver, wanted = new(CLUSTERS, batch=20, ahead=1)
    solver.run(120)
    solver.discount(HALVES)
    solver.run(60)
    two = apart(solver.settings, workers=2)
    try:
        two.run(20)
        lose(two, 1)  # its tables began as zeros
        two.run(20)
        kept, facts = two.tables(), two.facts()
        assert two.children.replaced == 1
    finally:
        two.children.close()
    three = apart(solver.settings, workers=3)
    try:
        three.load(kept, facts)
        three.run(20)
        lose(three, 1)  # goes on from what it loaded
        three.run(20)
        files = save(three, tmp_path)
        three.run(40)
        three.discount(HALVES)
        lose(three, 0)  # goes on from its files
        three.run(20)
        kept, facts = {name: table.copy() for name, table in three.tables().items()}, three.facts()
        assert three.children.replaced == 2
        assert [each.turns for each in three.children.traffic()] == [5] * 3
        damage(files[1])
        lose(three, 1)
        with pytest.raises(InputError, match="the shard of cluster 1 is missing or damaged"):
            three.run(20)
    finally:
        three.children.close()
    assert not any(process.is_alive() for process in three.children.processes._processes)
    blueprint = Blueprint(small_tree(), clustered_cards(CLUSTERS))
    here = DistributedSolver.in_process(blueprint, solver.settings, threads=2)
    here.load(kept, facts)
    joined = Blueprint(small_tree(), clustered_cards(CLUSTERS))
    join_shards(joined, kept)
    np.testing.assert_array_equal(joined.table, blueprint.table)
    here.run(40)
    np.testing.assert_array_equal(blueprint.table, wanted.table)
    assert here.touched == solver.touched


def lose(solver, worker):
    """Kill a worker process."""
    process = solver.children.processes._processes[worker]
    process.kill()
    process.join()


def save(solver, folder):
    """Let the children write their shards, and tell them that these are a whole checkpoint; the files."""
    written = solver.children.save(folder)
    names = {n: CLUSTER.format(n) for n in range(CLUSTERS)}
    files = {n: ShardFile(f"{folder / name}.npy", written[name]["sha256"]) for n, name in names.items()}
    solver.children.saved(files, solver.turns)
    assert solver.children.log_bytes == 0
    return files


def damage(file):
    with open(file.path, "r+b") as shard:
        shard.seek(200)
        shard.write(b"damaged")


class FickleWorkers:
    """Workers in this process: those of some numbers end whenever they are asked."""

    def __init__(self, fickle):
        self.owned, self.fickle, self.asked = [[0, 2], [1]], fickle, {}

    def ask(self, workers, request):
        self.asked |= dict.fromkeys(workers, request)

    def next_answer(self, waiting):
        worker = max(waiting)
        return worker, LostWorkerError("the worker has ended") if worker in self.fickle else []

    def replace(self, worker):
        pass

    def close(self):
        pass


def test_a_worker_that_is_lost_again_and_again_ends_the_training():
    children = WorkerChildren(FickleWorkers({1}))
    with pytest.raises(LostWorkerError, match="the worker has ended, as did 3 others in its place"):
        children.discount(HALVES)
    assert children.replaced == 3


def apart(settings, workers):
    """A solver whose children are worker processes."""
    children = ProcessChildren(MakeSmallChildren(CLUSTERS, settings), CLUSTERS, workers)
    return DistributedSolver(make_head(small_tree(), clustered_cards(CLUSTERS), settings), children)


def test_what_cannot_be_run_is_refused():
    for options in ({"batch": 0}, {"ahead": 2}, {"samples": 0}, {"cores": 2}):
        with pytest.raises(InputError):
            DistributedSettings(**options)
    with pytest.raises(InputError, match="1 to 5 children, not 6"):
        ProcessChildren(MakeSmallChildren(CLUSTERS, DistributedSettings()), CLUSTERS, 6)
    solver, _ = new(CLUSTERS)
    other, _ = new(2)
    with pytest.raises(InputError, match="another training"):
        solver.load(other.tables(), other.facts())
    solver.run(2)
    solver.children.start(solver.head.record(9).batch)
    with pytest.raises(InputError, match="has had 4 turns and cannot take turn 9"):
        solver.children.values()
    with pytest.raises(InputError, match="public clusters"):
        DistributedSolver(solver.head, other.children)
