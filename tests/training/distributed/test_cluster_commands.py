"""`solvent train --cluster processes` stopped, killed and resumed, as a command."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from oracles.blueprints import BETTING, random_cards
from solvent.foundation.storage.run import Run

pytestmark = pytest.mark.slow
COMMAND = "import sys; from solvent.app.main import main; sys.exit(main())"
SECONDS = 240


@pytest.fixture(scope="module")
def cards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cards") / "cards"
    random_cards().save(folder)
    return folder


def begin(*arguments):
    """The command in a process group of its own, as a terminal starts it."""
    signals = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    assert signal.SIGINT not in signals
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "train", *map(str, arguments), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def finish(process):
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    return out


def wait_for(condition):
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def in_group(group):
    """Whether any process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def design(cards):
    return "--cards", cards, "--betting", BETTING, "--batch", 100, "--threads", 1


@pytest.fixture(scope="module")
def undisturbed(design, tmp_path_factory):
    """The tables after 60,000 iterations in one process."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    finish(begin(*design, "--iterations", 60_000, "--out", folder))
    return Run.open(folder).load_checkpoint()[0]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGHUP, signal.SIGKILL], ids=lambda how: how.name)
def test_a_command_that_is_stopped_leaves_nothing_running_and_goes_on(how, design, undisturbed, tmp_path):
    """The whole group gets Ctrl-C or loses its terminal, or the head alone is killed."""
    folder = tmp_path / "run"
    limits = "--iterations", 60_000, "--checkpoint-every", "0.2s"
    process = begin(*design, *limits, "--out", folder, "--cluster", "processes", "--children", 2)
    wait_for(lambda: Run.is_run(folder) and Run.open(folder).checkpoints())
    if how == signal.SIGKILL:
        process.kill()
    else:
        os.killpg(process.pid, how)
    _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == {signal.SIGKILL: -how}.get(how, 128 + how), said
    assert "Traceback" not in said
    wait_for(lambda: not in_group(process.pid))
    before = Run.open(folder).checkpoints()[-1]
    assert 0 < before < 60_000
    finish(begin("--resume", folder, "--cluster", "processes", "--children", 1))
    tables = Run.open(folder).load_checkpoint()[0]
    assert tables.keys() == undisturbed.keys()
    for name, table in undisturbed.items():
        np.testing.assert_array_equal(tables[name], table, err_msg=name)
