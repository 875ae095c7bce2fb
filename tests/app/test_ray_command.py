"""`solvent train --cluster` on a real Ray cluster: whatever fails, the tables are those of an undisturbed run."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commands_run import solvent, start

from oracles.distributed import BETTING, clustered_cards
from oracles.ray_blades import Blades
from solvent.foundation.extras import installed
from solvent.foundation.storage.run import CHECKPOINTS, Run

pytestmark = [pytest.mark.slow, pytest.mark.cluster]
CLUSTERS = 3
ITERATIONS = 60_000


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of cards with three public clusters."""
    folder = tmp_path_factory.mktemp("cards")
    clustered_cards(CLUSTERS).save(folder)
    return folder


@pytest.fixture(scope="module")
def wanted(cards: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """The tables of an undisturbed run, in one process."""
    run = tmp_path_factory.mktemp("runs") / "undisturbed"
    done = solvent("train", *options(cards), "--out", run)
    assert done.returncode == 0, done.stderr
    return tables(run)


def options(cards: Path) -> tuple[str, ...]:
    limits = ("--iterations", str(ITERATIONS), "--checkpoint-every", "0.3s", "--threads", "1")
    return ("--cards", str(cards), "--betting", BETTING, "--batch", "20", "--seed", "7", *limits)


def tables(run: Path) -> dict[str, np.ndarray]:
    found, facts = Run.open(run).load_checkpoint()
    assert facts["iterations"] == ITERATIONS
    return found


def same(run: Path, wanted: dict[str, np.ndarray]) -> bool:
    found = tables(run)
    return found.keys() == wanted.keys() and all(np.array_equal(found[name], wanted[name]) for name in wanted)


def begin_alone(cards: Path, run: Path) -> subprocess.Popen[str]:
    """A training on two actors of a cluster that it starts for itself."""
    training = start("train", *options(cards), "--out", str(run), "--cluster", "ray", "--children", "2")
    until(lambda: checkpoints(run) and checkpoints(run)[-1] > 0, training)
    return training


def begin(blades: Blades, cards: Path, run: Path, *more: str) -> subprocess.Popen[str]:
    """A training on three actors, in a process of its own."""
    chosen = ("--resume", str(run)) if Run.is_run(run) else (*options(cards), "--out", str(run))
    return start("train", *chosen, "--cluster", blades.address, "--children", "3", *more)


def resume(run: Path, *more: str) -> None:
    done = solvent("train", "--resume", run, "--iterations", ITERATIONS, *more, env=os.environ)
    assert done.returncode == 0, done.stderr


def actors() -> list[int]:
    """The process ids of actors on this machine."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdecimal() and b"ray::ChildrenActor" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


def of_cluster(training: subprocess.Popen[str], program: str) -> int:
    """The process id of a program of the cluster that a training has started."""
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdecimal():
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                name = (process / "cmdline").read_bytes().split(b"\0")[0].decode()
                if int(parent) == training.pid and name.endswith(f"/{program}"):
                    return int(process.name)
        except OSError:  # it has ended meanwhile
            continue
    raise AssertionError(f"no {program}")


def folders_of_ray() -> set[Path]:
    return set(Path("/tmp").glob("ray*"))


def until(happened: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something has happened, while a process runs."""
    begun = time.monotonic()
    while not happened():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < begun + 300
        time.sleep(0.001)


def checkpoints(run: Path) -> list[int]:
    return Run.open(run).checkpoints() if Run.is_run(run) else []


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_the_driver_killed_and_resumed(blades, cards, wanted, tmp_path):
    run = tmp_path / "run"
    training = begin(blades, cards, run)
    until(lambda: checkpoints(run) and checkpoints(run)[-1] > 0, training)
    assert len(actors()) == 3
    kill(training)
    until(lambda: not actors())  # they end with the command
    assert checkpoints(run)[-1] < ITERATIONS
    resume(run, "--cluster", blades.address, "--children", "2")
    assert same(run, wanted)


def test_everything_killed_during_a_checkpoint(blades, cards, wanted, tmp_path):
    run = tmp_path / "run"

    def being_written() -> list[Path]:
        return [path for path in run.glob(f"{CHECKPOINTS}/.*") if any(path.glob("*.npy"))]

    training = begin(blades, cards, run)
    until(lambda: checkpoints(run) and checkpoints(run)[-1] > 0, training)
    until(being_written, training)
    training.kill()
    for node in list(blades.nodes):
        blades.kill(node.node_id)
    training.communicate()
    left = being_written()
    for process in actors():
        os.kill(process, signal.SIGKILL)
    blades.add(3)
    assert left
    assert 0 < checkpoints(run)[-1] < ITERATIONS
    resume(run)  # without Ray
    assert same(run, wanted)


def test_a_full_disk_in_a_child(blades, cards, wanted, tmp_path):
    """The checkpoint is not declared, the last whole one stays, and the training goes on and says so."""
    run = tmp_path / "run"
    training = begin(blades, cards, run)
    until(lambda: checkpoints(run) and checkpoints(run)[-1] > 0, training)
    full = actors()[0]
    before = resource.prlimit(full, resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    time.sleep(0.3)
    last = checkpoints(run)[-1]
    time.sleep(0.7)  # a few checkpoints; the training takes some seconds
    assert checkpoints(run)[-1] == last  # and it is whole: the training can be killed now
    resource.prlimit(full, resource.RLIMIT_FSIZE, before)
    until(lambda: checkpoints(run)[-1] > last, training)
    _, said = training.communicate(timeout=300)
    assert training.returncode == 0, said
    assert "no checkpoint: cannot write" in said
    assert same(run, wanted)


def test_ctrl_c_saves_and_leaves_nothing_running(blades, cards, wanted, tmp_path):
    run = tmp_path / "run"
    training = begin(blades, cards, run, "--json")
    until(lambda: checkpoints(run) and checkpoints(run)[-1] > 0, training)
    training.send_signal(signal.SIGINT)
    output, said = training.communicate(timeout=120)
    assert training.returncode == 130, said
    assert json.loads(output)["iterations"] == checkpoints(run)[-1]
    until(lambda: not actors())
    resume(run, "--cluster", "processes", "--children", "2")
    assert same(run, wanted)


@pytest.mark.skipif(not installed("ray"), reason="Ray is not installed")
@pytest.mark.parametrize("program", ["gcs_server", "raylet"])
def test_the_head_of_the_cluster_killed(program, cards, wanted, tmp_path):
    """One sentence says what is kept and how to go on, and nothing of Ray is left."""
    before, run = folders_of_ray(), tmp_path / "run"
    training = begin_alone(cards, run)
    os.kill(of_cluster(training, program), signal.SIGKILL)
    output, said = training.communicate(timeout=120)
    assert training.returncode == 2, said
    assert output == ""
    told = [line for line in said.splitlines() if line.startswith("solvent: ")]
    assert len(told) == 1
    assert "the Ray cluster that was started for this training has ended: " in told[0]
    assert f"{checkpoints(run)[-1]:,} iterations are saved; go on by solvent train --resume {run}" in told[0]
    assert said.rstrip().splitlines()[-1] == told[0]
    assert folders_of_ray() == before
    resume(run)
    assert same(run, wanted)


@pytest.mark.skipif(not installed("ray"), reason="Ray is not installed")
@pytest.mark.parametrize(("number", "apart"), [(signal.SIGINT, 0.02), (signal.SIGTERM, 0.3)])
def test_signals_that_come_several_times(number, apart, cards, wanted, tmp_path):
    """The first one saves, and the others change nothing, not even while the cluster is ended."""
    before, run = folders_of_ray(), tmp_path / "run"
    training = begin_alone(cards, run)
    last = checkpoints(run)[-1]
    for _ in range(4):
        training.send_signal(number)
        time.sleep(apart)
    _, said = training.communicate(timeout=120)
    assert training.returncode == 128 + number, said
    assert "Traceback" not in said
    assert checkpoints(run)[-1] >= last
    assert folders_of_ray() == before
    resume(run)
    assert same(run, wanted)
