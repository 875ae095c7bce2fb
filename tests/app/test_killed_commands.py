"""Commands in processes of their own that are killed, interrupted or started twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commands_run import begin, refused, solved, wait_for_checkpoint

from solvent.foundation.storage.run import Run


@pytest.mark.parametrize("rule", ["dcfr", pytest.param("pcfr+", marks=pytest.mark.slow)])
def test_killed_and_resumed_equals_uninterrupted_bit_for_bit(tmp_path: Path, rule: str) -> None:
    run, whole = tmp_path / "killed", tmp_path / "whole"
    options = ("--rule", rule, "--plan", "serial", "--threads", "1")
    process = begin(
        "solve", "leduc", *options, "--iterations", "30000", "--out", run, "--checkpoint-every", "0.1s"
    )
    wait_for_checkpoint(run, process, 500)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.communicate()
    killed_at = Run.open(run).checkpoints()[-1]
    assert killed_at < 30_000, "the solve was over before it could be killed"
    limit = ("--iterations", str(killed_at + 2_000))
    resumed = solved("solve", "leduc", "--resume", run, *limit)
    uninterrupted = solved("solve", "leduc", *options, *limit, "--out", whole)
    assert resumed["exploitability"] == uninterrupted["exploitability"]
    assert resumed["nodes_touched"] == uninterrupted["nodes_touched"]
    tables = [Run.open(folder).load_checkpoint()[0] for folder in (run, whole)]
    for name in tables[0]:
        assert np.array_equal(tables[0][name], tables[1][name]), name
    metrics = [[row["iterations"] for row in Run.open(folder).metrics()] for folder in (run, whole)]
    assert metrics[0] == metrics[1]


def test_ctrl_c_keeps_what_was_reached(tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = begin(
        "solve", "leduc", "--iterations", "100000000", "--out", run, "--checkpoint-every", "0.1s", "--json"
    )
    wait_for_checkpoint(run, process, 1)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    document = json.loads(output)
    assert document["stopped_by"] == "interrupt"
    assert Run.open(run).checkpoints()[-1] == document["iterations"]


def test_two_processes_do_not_share_a_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = begin("solve", "leduc", "--iterations", "100000000", "--out", run, "--checkpoint-every", "0.1s")
    try:
        wait_for_checkpoint(run, process, 1)
        assert "in use by another process" in refused("solve", "--resume", run, "--iterations", "10")
    finally:
        process.kill()
        process.communicate()


def test_a_run_killed_at_once_has_its_start(tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = begin("solve", "leduc", "--iterations", "100000000", "--out", run)
    while not Run.is_run(run):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert Run.open(run).checkpoints()[0] == 0
    assert solved("solve", "--resume", run, "--iterations", "30")["iterations"] == 30


def test_ctrl_c_while_starting_is_no_traceback() -> None:
    code = "import os, signal, threading; threading.Timer({}, os.kill, (os.getpid(), signal.SIGINT)).start()"
    for seconds in (0.02, 0.1, 0.2):
        script = "import sys; sys.argv = ['solvent', 'solve', 'leduc', '--time', '1s']\n"
        script += f"from solvent.app.main import main\n{code.format(seconds)}\nmain()"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == 130
