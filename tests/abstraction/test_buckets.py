"""Looking hands up in a card abstraction, and folders that hold none."""

import shutil
import signal
import subprocess
import sys
import time
from itertools import combinations, permutations

import numpy as np
import pytest

from solvent.abstraction.cards import build as building
from solvent.abstraction.cards.buckets import (
    KIND,
    LOOKED_UP,
    VERSION,
    CardAbstraction,
    describe_tables,
    street_number,
    table_bounds,
)
from solvent.abstraction.cards.build import build
from solvent.abstraction.cards.examine import hands_in_bucket, public_clusters, run_out_equities
from solvent.abstraction.cards.presets import Design, read_design
from solvent.cards.deck import CardError, parse_cards
from solvent.cards.evaluator import hand_strengths
from solvent.cards.isomorphism import Indexer
from solvent.cards.showdown import FULL
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Interrupted, Stop
from solvent.foundation.storage.bundle import write_bundle
from solvent.foundation.storage.run import Run

SMALLEST = Design(
    "smallest", clusters=2, flop=6, turn=5, river=4, base=30, strips=4, codes_per_strip=4, iterations=3
)


def random_deals(count, cards, seed=0):
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((count, 52)), axis=1)[:, :cards]


@pytest.fixture(scope="module")
def numbered():
    """An abstraction whose tables hold random numbers, on the turn and river only where the tests look."""
    rng = np.random.default_rng(0)
    arrays = {
        "cluster_of_flop": rng.integers(0, 3, 1_755).astype(np.int16),
        "flop": rng.integers(0, 5, 1_286_792).astype(np.uint16),
        "turn": np.zeros(55_190_538, dtype=np.uint16),
        "river_code": np.zeros(123_156_254, dtype=np.uint16),
        "river": rng.integers(0, 9, (3, 11)).astype(np.uint16),
    }
    for seed in (0, 1):
        hands = random_deals(500, 7, seed)
        arrays["turn"][Indexer([2, 3, 1]).indices(hands[:, :6])] = rng.integers(0, 7, 500)
        arrays["river_code"][Indexer([2, 5]).indices(hands)] = rng.integers(0, 11, 500)
    design = Design(clusters=3, flop=5, turn=7, river=9, strips=1, codes_per_strip=11)
    return CardAbstraction(arrays, {"design": design.as_dict(), "fingerprint": "f" * 16})


def test_a_look_up_is_an_index_and_a_read(numbered):
    arrays = numbered.arrays
    hands = random_deals(500, 7)
    cluster = arrays["cluster_of_flop"][Indexer([3]).indices(hands[:, 2:5])]
    expected = {
        "preflop": (np.zeros(500), Indexer([2]).indices(hands[:, :2])),
        "flop": (cluster, arrays["flop"][Indexer([2, 3]).indices(hands[:, :5])]),
        "turn": (cluster, arrays["turn"][Indexer([2, 3, 1]).indices(hands[:, :6])]),
        "river": (cluster, arrays["river"][cluster, arrays["river_code"][Indexer([2, 5]).indices(hands)]]),
    }
    for street, (clusters, buckets) in expected.items():
        cards = hands[:, : {"preflop": 2, "flop": 5, "turn": 6, "river": 7}[street]]
        found = numbered.buckets(street, cards)
        np.testing.assert_array_equal(found[0], clusters)
        np.testing.assert_array_equal(found[1], buckets)
        assert numbered.bucket(street, cards[0, :2], cards[0, 2:]) == (clusters[0], buckets[0])


@pytest.mark.parametrize("street", ["preflop", "flop", "turn", "river"])
def test_suits_and_the_order_in_a_street_change_no_bucket(numbered, street):
    cards = 2 + (0, 3, 4, 5)[street_number(street)]
    hands = random_deals(500, cards, seed=1)
    expected = numbered.buckets(street, hands)
    for suits in list(permutations(range(4)))[::5]:
        moved = hands & ~3 | np.array(suits)[hands & 3]
        np.testing.assert_array_equal(numbered.buckets(street, moved), expected)
    turned = hands.copy()
    turned[:, :2] = hands[:, 1::-1]
    if cards > 2:
        turned[:, 2:5] = hands[:, 4:1:-1]
    np.testing.assert_array_equal(numbered.buckets(street, turned), expected)


def test_hands_that_cannot_be_are_refused(numbered):
    hole = parse_cards("AsKs")
    with pytest.raises(CardError, match="a flop hand is two cards and a board of 3"):
        numbered.bucket("flop", hole, parse_cards("2c3c"))
    with pytest.raises(CardError, match="twice"):
        numbered.bucket("flop", hole, parse_cards("As2c3c"))
    with pytest.raises(CardError, match="0 to 51"):
        numbered.bucket("preflop", (0, 52))
    with pytest.raises(InputError, match="a street is preflop, flop, turn, river"):
        numbered.bucket("showdown", hole)


def test_folders_that_hold_no_abstraction_are_refused(tmp_path):
    with pytest.raises(InputError, match="holds no card abstraction"):
        CardAbstraction.load(tmp_path)
    small = {"flop": np.zeros(3, dtype=np.uint16)}
    facts = describe_tables(small, SMALLEST)
    assert facts["kind"] == KIND
    write_bundle(tmp_path / "old" / "tables", small, facts | {"version": VERSION - 1})
    with pytest.raises(InputError, match="another version of solvent"):
        CardAbstraction.load(tmp_path / "old")
    write_bundle(tmp_path / "other" / "tables", small, {"kind": "strategy"})
    with pytest.raises(InputError, match="holds no card abstraction"):
        CardAbstraction.load(tmp_path / "other")
    write_bundle(tmp_path / "part" / "tables", small, facts)
    with pytest.raises(InputError, match="'cluster_of_flop' is missing"):
        CardAbstraction.load(tmp_path / "part")


def test_a_build_refuses_what_it_cannot_use(tmp_path, monkeypatch):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(InputError, match="holds files that are not a run's"):
        build(SMALLEST, tmp_path / "full")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        build(SMALLEST, tmp_path / "file")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9 - 100, 100))
    with pytest.raises(InputError, match="no room in"):
        build(SMALLEST, tmp_path / "new")
    monkeypatch.undo()
    assert not (tmp_path / "new").exists()
    stop = Stop()
    stop.request()
    with pytest.raises(Interrupted):
        build(SMALLEST, tmp_path / "new", stop=stop)
    with pytest.raises(InputError, match="another design or version"):
        build(Design("other"), tmp_path / "new")
    with pytest.raises(Interrupted):
        build(SMALLEST, tmp_path / "new", stop=stop)


def test_a_stopped_clustering_goes_on_where_it_was(tmp_path):
    points = np.cumsum(np.random.default_rng(3).integers(0, 5, (400, 6)), axis=1).astype(np.uint16)
    weights = np.ones(400, dtype=np.int64)

    def clustered(folder, stop_after):
        told, stop = [], Stop()
        run = Run.open(folder) if Run.is_run(folder) else Run.create(folder, "cards", {"name": "test"})
        (folder / building.WORK).mkdir(exist_ok=True)

        def watch(progress):
            told.append(progress)
            if len(told) == stop_after:
                stop.request()

        builder = building._Builder(SMALLEST, run, 1, watch, stop)
        return told, lambda: builder.clustered(points, 20, "emd", weights, 0, "base")

    told, whole = clustered(tmp_path / "whole", None)
    expected = whole()
    assert len(told) == SMALLEST.iterations
    _, stopped = clustered(tmp_path / "stopped", 2)
    with pytest.raises(Interrupted):
        stopped()
    checkpoint = tmp_path / "stopped" / building.WORK / "base"
    shutil.copytree(checkpoint, tmp_path / "copy")
    told, resumed = clustered(tmp_path / "stopped", None)
    np.testing.assert_array_equal(resumed(), expected)
    assert len(told) == SMALLEST.iterations - 2
    (tmp_path / "copy" / "track_lower.npy").unlink()  # damaged: it begins anew
    shutil.move(tmp_path / "copy", checkpoint)
    told, again = clustered(tmp_path / "stopped", None)
    np.testing.assert_array_equal(again(), expected)
    assert len(told) == SMALLEST.iterations
    assert not checkpoint.exists()


def test_a_stage_is_made_once_and_a_damaged_one_again(tmp_path):
    run = Run.create(tmp_path / "run", "cards", {"name": "test"})
    made = []

    def make():
        made.append(1)
        return {"base": np.arange(10, dtype=np.uint16)}

    def stage():
        builder = building._Builder(SMALLEST, run, 1, lambda progress: None, Stop())
        np.testing.assert_array_equal(builder.stage("base buckets", make)["base"], np.arange(10))
        return builder.seconds

    assert stage().keys() == stage().keys() == {"base buckets"}
    assert len(made) == 1
    path = run.checkpoint(building.STAGES.index("base buckets") + 1) / "base.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    stage()
    assert len(made) == 2


@pytest.fixture(scope="module")
def smallest(tmp_path_factory):
    """A whole abstraction, as small as can be."""
    folder = tmp_path_factory.mktemp("smallest") / "made"
    return build(SMALLEST, folder, threads=2)[0], folder


@pytest.mark.slow
def test_a_whole_abstraction_has_hands_in_all_its_buckets(smallest):
    made, folder = smallest
    assert made.sizes == ((1, 169), (2, 6), (2, 5), (2, 4))
    hands = random_deals(20_000, 7, seed=2)
    for street, cards in (("flop", 5), ("turn", 6), ("river", 7)):
        clusters, buckets = made.buckets(street, hands[:, :cards])
        many = made.sizes[street_number(street)][1]
        assert set(zip(clusters.tolist(), buckets.tolist(), strict=True)) == {
            (c, b) for c in range(2) for b in range(many)
        }
    assert not (folder / building.WORK).exists()
    assert CardAbstraction.load(folder).fingerprint == made.fingerprint


@pytest.mark.slow
def test_the_river_table_is_exact(smallest):
    made, _ = smallest
    for hand in random_deals(200, 7, seed=3):
        others = [(*pair, *hand[2:]) for pair in combinations(np.setdiff1d(np.arange(52), hand), 2)]
        mine, theirs = int(hand_strengths(hand)), hand_strengths(others).astype(np.int64)
        expected = 2 * np.count_nonzero(theirs < mine) + np.count_nonzero(theirs == mine)
        assert made.arrays["river_equity"][Indexer([2, 5]).index(hand)] == expected
    assert made.arrays["river_equity"].max() == FULL


@pytest.mark.slow
def test_better_hands_are_in_buckets_of_more_equity(smallest):
    """Aces full and seven high are never played alike on the river, and a bucket's hands have near equities."""
    made, _ = smallest
    board = parse_cards("AcAd8h8s2d")
    assert made.bucket("river", parse_cards("AhAs"), board) != made.bucket(
        "river", parse_cards("7c6c"), board
    )
    spreads = []
    for bucket in range(4):
        hands = hands_in_bucket(made, "river", 0, bucket, 300)
        spreads.append(run_out_equities(made, hands).std())
    assert np.mean(spreads) < 0.2  # equities of all hands have 0.29


@pytest.mark.slow
def test_public_clusters_cover_all_flops(smallest):
    found = public_clusters(smallest[0])
    assert sum(each.flops for each in found) == 1_755
    assert sum(each.raw_flops for each in found) == 22_100


@pytest.mark.slow
def test_a_killed_build_goes_on_and_makes_the_same(smallest, tmp_path):
    made, _ = smallest
    folder = tmp_path / "killed"
    config = tmp_path / "smallest.toml"
    config.write_text(
        "\n".join(f"{key} = {value!r}" for key, value in SMALLEST.as_dict().items()).replace("'", '"')
    )
    command = [
        sys.executable,
        "-m",
        "solvent.app.main",
        "abstract",
        "--config",
        str(config),
        "--out",
        str(folder),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    waited = time.monotonic() + 300
    base = 1 + building.STAGES.index("base buckets")
    while not (folder / "checkpoints" / f"{base:015d}").is_dir() and time.monotonic() < waited:
        time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (folder / "tables").exists()
    told = []
    again, seconds = build(SMALLEST, folder, threads=1, watch=lambda progress: told.append(progress.stage))
    assert again.fingerprint == made.fingerprint
    assert "turn histograms" in seconds
    assert {"turn histograms", "flop histograms", "base buckets"}.isdisjoint(told)
    assert not (folder / "checkpoints").exists()
    assert build(SMALLEST, folder)[0].fingerprint == made.fingerprint  # a second run finds it done


@pytest.mark.slow
def test_damage_is_found(smallest, tmp_path):
    _, folder = smallest
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    with (copy / "tables" / "flop.npy").open("r+b") as file:
        file.seek(1000)
        file.write(b"\xff\xff")
    with pytest.raises(InputError, match="checksum does not match"):
        CardAbstraction.load(copy)
    with (copy / "tables" / "turn.npy").open("r+b") as file:
        file.truncate(1000)
    with pytest.raises(InputError, match="damaged"):
        CardAbstraction.load(copy)


@pytest.mark.parametrize(
    ("hole", "board", "sentence"),
    [
        ((51, 47, 10), (1, 2), "two hole cards, not 3"),
        ((1.5, 1), (2, 3, 4), "whole numbers"),
    ],
)
def test_hole_cards_are_two_and_whole(numbered, hole, board, sentence):
    with pytest.raises(CardError, match=sentence):
        numbered.bucket(np.int64(1), hole, board)


def test_tables_that_hold_what_they_cannot_are_refused(numbered, tmp_path):
    bounds = table_bounds(numbered.design)
    assert set(LOOKED_UP) <= bounds.keys()
    facts = describe_tables({}, numbered.design)
    for name, bound in bounds.items():
        write_bundle(tmp_path / name / "tables", {name: np.array([0, bound - 1, bound], np.int16)}, facts)
        with pytest.raises(InputError, match=f"{name}.npy is damaged: it must hold whole numbers from 0 to"):
            CardAbstraction.load(tmp_path / name)
    with pytest.raises(InputError, match="the table 'flop' is missing or has another shape"):
        CardAbstraction({**numbered.arrays, "flop": numbered.arrays["flop"][:-1]}, numbered.facts)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [('preset = ["small"]', "no preset"), ('preset = "small"\nname = 1979-05-27', "name is text")],
)
def test_settings_of_another_kind_are_refused(tmp_path, text, sentence):
    (tmp_path / "odd.toml").write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_design(tmp_path / "odd.toml")
