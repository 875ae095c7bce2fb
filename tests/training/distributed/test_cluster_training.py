"""Trainings by a head and children in run folders: shards, resuming, lost workers, full disks, refusals."""

import os
import resource
import shutil
import signal
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from oracles.blueprints import BETTING, use_cards
from oracles.distributed import clustered_cards
from solvent.app.command_line import run as run_command
from solvent.app.views.report import write_report
from solvent.forms.betting.tree import build_tree
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Stop
from solvent.foundation.storage.run import Run
from solvent.solving.session import Limits
from solvent.strategy.agents.blueprint import CLUSTER
from solvent.strategy.agents.training_run import TrainingRun
from solvent.training.distributed import launching, training
from solvent.training.distributed.engines import LocalChildren
from solvent.training.distributed.solver import make_children
from solvent.training.distributed.workers import LostClusterError, share_out
from solvent.training.settings import DEFAULT_BATCH, TrainingSettings
from solvent.training.train import train

CLUSTERS = 3


@dataclass(frozen=True)
class MakeClusteredChildren:
    """Makes children as a training's workers do, but with cards that need no folder."""

    folder: str
    fingerprint: str
    betting: object
    settings: object

    def __call__(self, owned):
        return make_children(build_tree(self.betting), clustered_cards(CLUSTERS), self.settings, owned)


@pytest.fixture(autouse=True)
def cards(monkeypatch):
    """Cards of three public clusters, whatever folder is opened."""
    use_cards(clustered_cards(CLUSTERS), patch=monkeypatch)
    monkeypatch.setattr(launching, "MakeHoldemChildren", MakeClusteredChildren)


def trained(out, iterations, **options):
    options = {"batch": 50, **options}
    return train("cards", out=out, iterations=iterations, betting=BETTING, **options)


def assert_equal_runs(folder, other, engine_rows=False):
    """Equal tables and, but for what workers did, equal measurements."""
    runs = [Run.open(each, "training") for each in (folder, other)]
    (found, facts), (wanted, other_facts) = (run.load_checkpoint() for run in runs)
    assert found.keys() == wanted.keys()
    for name, table in wanted.items():
        np.testing.assert_array_equal(found[name], table, err_msg=name)
    assert facts["touched"] == other_facts["touched"] > 0
    rows = [[(row["iterations"], row["regret"]) for row in run.metrics()] for run in runs]
    assert rows[0] == rows[1]


def test_shards_are_kept_and_go_on(tmp_path):
    made = trained(tmp_path / "run", 1_480)
    assert made.iterations == 1_500  # whole turns
    assert made.summary()["iterations"] == "1,500 (stopped by iterations, in whole batches of 50)"
    run = Run.open(tmp_path / "run")
    names = {
        "manifest.json",
        "head.npy",
        "frozen.npy",
        *(f"{CLUSTER.format(n)}.npy" for n in range(CLUSTERS)),
    }
    assert {path.name for path in run.checkpoint(1_500).iterdir()} == names
    assert {name: run.fixed[name] for name in ("batch", "ahead", "samples", "child_weights")} == {
        "batch": 50,
        "ahead": 1,
        "samples": 1,
        "child_weights": "repaired",
    }
    assert not {"cluster", "children"} & run.configuration.keys()
    train(resume=tmp_path / "run", iterations=2_600, threads=2)
    straight = trained(tmp_path / "straight", 2_600)
    assert_equal_runs(tmp_path / "run", tmp_path / "straight")
    blueprint = TrainingRun.open(tmp_path / "run").blueprint()
    assert blueprint.iterations == straight.iterations == 2_600
    assert np.isfinite(blueprint.table).all()
    page = write_report(run, blueprint).read_text()
    assert "batches of 50, ahead 1" in page
    assert "Head and children" not in page  # no workers, nothing to say of them


@pytest.mark.parametrize(
    "options",
    [{"rule": "dcfr", "batch": 7}, {"initial_weights": True, "ahead": 0}, {"batch": 1}, {"samples": 2}],
)
def test_training_in_parts_is_training_at_once(tmp_path, options):
    first = {"iterations": 210} if options.get("rule") else {}  # the length that dcfr's parts are of
    stop = Stop()
    trained(tmp_path / "run", first.get("iterations", 100), stop=stop, watch=stop_at(stop, 90), **options)
    train(resume=tmp_path / "run", iterations=210)
    trained(tmp_path / "straight", 210, **options)
    assert_equal_runs(tmp_path / "run", tmp_path / "straight")


def stop_at(stop, iterations):
    def watch(progress):
        if progress.unit == "iterations" and progress.done >= iterations:
            stop.request()

    return watch


def test_lost_workers_and_full_disks_change_nothing(tmp_path, monkeypatch):
    """A worker is killed, another cannot write its shard, and the run goes on: in workers, then in this process."""
    begun, seen = [], []
    launch = launching.launch

    def launch_and_remember(*arguments):
        begun.append(launch(*arguments))
        return begun[-1]

    monkeypatch.setattr(launching, "launch", launch_and_remember)

    unlimited = resource.RLIM_INFINITY
    events = {
        500: lambda ids: resource.prlimit(ids[0], resource.RLIMIT_FSIZE, (1_000, unlimited)),
        1_000: lambda ids: os.kill(ids[1], signal.SIGKILL),
        1_500: lambda ids: resource.prlimit(ids[0], resource.RLIMIT_FSIZE, (unlimited, unlimited)),
    }

    def watch(progress):
        if progress.unit == "iterations" and progress.done != progress.total:
            seen.append(progress.detail)
            happens = events.pop(
                progress.done, lambda ids: None
            )  # once, though a failed checkpoint is told too
            happens(begun[0].processes.process_ids)

    folder = tmp_path / "run"
    options = {"check_every": 250, "cluster": "processes", "children": 2, "checkpoint_every": 1e-6}
    made = trained(folder, 2_000, watch=watch, **options)
    assert any("no checkpoint: cannot write" in detail and "File too large" in detail for detail in seen)
    assert "no checkpoint" not in seen[-1]
    assert "lost workers replaced: 1" in seen[-1]
    assert made.children["replaced"] == 1
    assert "lost and replaced 1" in made.summary()["children"]
    assert len(made.children["idle"]) == made.children["workers"] == 2
    assert begun[0].log_bytes == 0  # the last checkpoint ended it
    assert not any(map(alive, begun[0].processes.process_ids))
    train(resume=folder, iterations=2_500)
    trained(tmp_path / "straight", 2_500, check_every=250)
    assert_equal_runs(folder, tmp_path / "straight")
    page = write_report(Run.open(folder), TrainingRun.open(folder).blueprint()).read_text()
    for words in (
        "Head and children",
        "1 worker was lost and replaced;",
        "Idle time of each child",
        "Latency of a batch",
        "MB/s",
    ):
        assert words in page


def test_a_lost_cluster_leaves_a_checkpoint_and_a_sentence(tmp_path, monkeypatch):
    """What the children still answer is saved, and the sentence says how to go on."""
    folder = tmp_path / "run"

    def check(children):
        if children.children[0].turns == 200 // 50:
            raise LostClusterError("the cluster is gone")

    monkeypatch.setattr(LocalChildren, "check", check)
    with pytest.raises(
        InputError,
        match=rf"^the cluster is gone: 200 iterations are saved; go on by solvent train --resume {folder}, ",
    ):
        trained(folder, 1_000, check_every=100)
    monkeypatch.setattr(LocalChildren, "check", lambda children: None)
    train(resume=folder, iterations=300, check_every=100)
    trained(tmp_path / "straight", 300, check_every=100)
    assert_equal_runs(folder, tmp_path / "straight")


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_long_log_hastens_a_checkpoint_and_no_room_is_said(tmp_path, monkeypatch):
    """Here every log is too long, so that every chunk ends with a checkpoint, and some find no room."""
    monkeypatch.setattr(training, "LOG_BYTES", -1)
    monkeypatch.setattr(training, "check_room", lambda folder, needed: room(needed))
    told, needs = [], []

    def room(needed):
        needs.append(needed)
        if len(needs) % 2:
            raise InputError("no room")

    trained(tmp_path / "run", 600, check_every=50, watch=lambda progress: told.append(progress.detail))
    table = TrainingRun.open(tmp_path / "run").blueprint().table
    assert len(needs) >= 12
    assert needs[0] == table.nbytes
    assert sum(detail == "no checkpoint: no room" for detail in told) >= 6
    assert Run.open(tmp_path / "run").checkpoints()[-1] == 600


def test_shards_of_another_run_are_refused(tmp_path):
    trained(tmp_path / "one", 50)
    train(resume=tmp_path / "one", iterations=100)
    trained(tmp_path / "two", 100, seed=1)
    newest = [Run.open(tmp_path / name).checkpoint(100) for name in ("one", "two")]
    shutil.copy(newest[1] / "cluster_0001.npy", newest[0] / "cluster_0001.npy")
    with pytest.raises(InputError, match=r"cluster_0001.npy is damaged: its checksum does not match"):
        train(resume=tmp_path / "one", iterations=200)
    for other, iterations in (("cluster_0002", 100), ("cluster_0001", 50)):
        owner = Run.open(tmp_path / "one").checkpoint(iterations) / f"{other}.npy"
        shutil.copy(owner, newest[0] / "cluster_0001.npy")
        with pytest.raises(
            InputError, match=rf"cluster_0001.npy is not the file that belongs there, but that of {owner}"
        ):
            train(resume=tmp_path / "one", iterations=200)
    shutil.rmtree(newest[0])
    shutil.copytree(newest[1], newest[0])
    with pytest.raises(InputError, match="is not a checkpoint of this run"):
        train(resume=tmp_path / "one", iterations=200)


BAD = {
    "more children than clusters": (
        "--cluster processes --children 4",
        "these cards have 3 public clusters, which 3 children can share at most, not 4",
    ),
    "nobody answers": ("--cluster 127.0.0.1:1 --children 2", "nobody answers at 127.0.0.1:1"),
    "no cluster": ("--cluster nosuch", "a cluster is named processes, ray, auto or HOST:PORT"),
    "children of nothing": ("--children 2", "children change nothing: give cluster"),
    "no batch": ("--cluster processes --batch 0", "batch must be a whole number, at least 1"),
    "far ahead": ("--batch 10 --ahead 2", "ahead must be a whole number, at least 0 and at most 1"),
    "cores": ("--cluster processes --child-cores 2", "give at least 2 samples, not 1"),
    "cores of nothing": ("--child-cores 2", "child-cores change nothing"),
    "weights": ("--batch 10 --child-weights none", "choose from repaired, literal"),
    "memory": ("--cluster processes --children 2 --memory 1G", "and --memory allows 1.0 GiB"),
}


@pytest.mark.parametrize("case", BAD, ids=BAD.keys())
def test_bad_options_get_one_line_and_no_folder(case, tmp_path, monkeypatch, capsys):
    options, words = BAD[case]
    out = tmp_path / "run"
    given = ["--cards", "cards", "--betting", BETTING, "--iterations", "100", "--out", str(out), "--json"]
    monkeypatch.setattr(sys, "argv", ["solvent", "train", *given, *options.split()])
    assert run_command() == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not out.exists()


def test_threads_that_children_do_not_use_are_mentioned(tmp_path, monkeypatch, capsys):
    given = ["--cards", "cards", "--betting", BETTING, "--iterations", "100", "--out", str(tmp_path / "run")]
    more = ["--cluster", "processes", "--threads", "2", "--memory", "1G"]
    monkeypatch.setattr(sys, "argv", ["solvent", "train", *given, *more])
    assert run_command() == 2  # for want of memory, before anything is begun
    assert "children train on --child-cores threads each" in capsys.readouterr().err


def test_resuming_keeps_the_algorithm(tmp_path):
    train("cards", out=tmp_path / "plain", iterations=100, betting=BETTING)
    with pytest.raises(InputError, match="began on one table, not by a head and children"):
        train(resume=tmp_path / "plain", iterations=200, cluster="processes")
    trained(tmp_path / "run", 100)
    for options, words in (
        ({"batch": 20}, "batch 50"),
        ({"ahead": 0}, "ahead 1"),
        ({"samples": 3}, "samples 1"),
    ):
        with pytest.raises(InputError, match=f"began with {words}; it cannot go on"):
            train(resume=tmp_path / "run", iterations=200, **options)


def test_settings_of_a_cluster_have_their_defaults():
    assert not TrainingSettings().distributed
    settings = TrainingSettings(cluster="processes")
    assert settings.distributed
    assert (settings.batch, settings.samples, settings.child_weights) == (DEFAULT_BATCH, 1, "repaired")
    assert TrainingSettings(child_weights="literal").batch == DEFAULT_BATCH
    with pytest.raises(InputError, match="is named processes, ray, auto or HOST:PORT, such as"):
        TrainingSettings(cluster="host")  # before anything is read
    with pytest.raises(InputError, match="1 public cluster takes 1 child, not 2"):
        share_out(1, 2)


@pytest.mark.parametrize("every", [None, 30, 100, 1_000])
def test_measurements_stand_at_ends_of_turns(every):
    """They are those of the rule, moved to the end of their turn, wherever a run begins to ask for them."""
    from solvent.training.distributed.training import TurnSession

    session = TurnSession.__new__(TurnSession)
    session.limits = Limits(check_every=every)

    class Work:
        first_check, check_growth = 1_000, 1.1

        class how:  # noqa: N801
            batch = 70

    session.work = Work()
    due, checks = 0, set()
    while due < 20_000:
        due = session.limits.next_check(due, 1_000, 1.1)
        checks.add(-(-due // 70) * 70)
    for done in range(0, 15_000, 23):
        assert session._next_check(done) == min(check for check in checks if check > done)
