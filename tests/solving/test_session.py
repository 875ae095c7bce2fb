"""The session loop, on solves: stopping from threads and by signals, limits, metrics, checkpoints."""

from __future__ import annotations

import json
import signal
import threading
import time
from pathlib import Path

import pytest

import solvent
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Interrupted, Progress, Stop
from solvent.foundation.storage.run import Run
from survival.forking import shared

MEASURED = ("iterations", "exploitability", "nodes_touched")


def curve(folder: Path, keys: tuple[str, ...] = MEASURED) -> list[tuple[object, ...]]:
    return [tuple(row[key] for key in keys) for row in Run.open(folder).metrics()]


def test_any_thread_can_stop_a_solve(tmp_path: Path) -> None:
    stop, results = Stop(), []
    thread = threading.Thread(
        target=lambda: results.append(
            solvent.solve("kuhn", iterations=10**12, out=tmp_path / "run", stop=stop, check_every=10**9)
        )
    )
    thread.start()
    while not Run.is_run(tmp_path / "run"):
        time.sleep(0.01)
    stop.request()
    thread.join(timeout=60)
    assert results[0].stopped_by == "interrupt"
    assert Run.open(tmp_path / "run").checkpoints()[-1] == results[0].iterations


def test_a_stop_before_the_game_is_compiled_ends_at_once(tmp_path: Path) -> None:
    stop = Stop()
    stop.request()
    with pytest.raises(Interrupted):
        solvent.solve("leduc", iterations=10, stop=stop, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def stopped_at(iterations: int, stop: Stop):
    """A watcher that stops a solve once it has so many iterations."""

    def watch(progress: Progress) -> None:
        if progress.stage == "solving" and progress.done >= iterations:
            stop.request()

    return watch


@pytest.mark.parametrize(
    "options", [{}, {"rule": "cfr", "pruning": "total", "form": "history", "prune_every": 5}]
)
def test_metrics_of_an_interrupted_run_are_those_of_an_undisturbed_one(tmp_path: Path, options: dict) -> None:
    stop = Stop()
    asked = {"plan": "serial", "threads": 1, "iterations": 400, **options}
    solvent.solve("leduc", out=tmp_path / "parts", stop=stop, watch=stopped_at(100, stop), **asked)
    assert 0 < Run.open(tmp_path / "parts").checkpoints()[-1] < 400
    parts = solvent.solve(resume=tmp_path / "parts")
    whole = solvent.solve("leduc", out=tmp_path / "whole", **asked)
    keys = MEASURED if not options else (*MEASURED, "table_bytes", "stored_regrets", "pruned_actions")
    assert curve(tmp_path / "parts", keys) == curve(tmp_path / "whole", keys)
    assert (parts.table_bytes, parts.exploitability) == (whole.table_bytes, whole.exploitability)


def test_what_a_watcher_raises_ends_the_work_with_a_checkpoint(tmp_path: Path) -> None:
    def watch(progress: Progress) -> None:
        if progress.stage == "solving" and progress.done >= 50:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        solvent.solve("kuhn", iterations=10**9, out=tmp_path / "run", watch=watch)
    reached = Run.open(tmp_path / "run").checkpoints()[-1]
    assert reached >= 50
    assert solvent.solve(resume=tmp_path / "run", iterations=reached + 10).iterations == reached + 10


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_save_and_have_their_exit_codes(tmp_path: Path, number: int, code: int) -> None:
    run = tmp_path / "run"
    endless = ("solve", "kuhn", "--iterations", 10**12, "--checkpoint-every", "0.1s")
    process = shared().begin(*endless, "--out", run, "--json")
    while not (Run.is_run(run) and any(Run.open(run).checkpoints())):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    document = json.loads(output)
    assert document["stopped_by"] == "interrupt"
    assert Run.open(run).checkpoints()[-1] == document["iterations"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seed": 1}, "seed changes nothing"),
        ({"plan": "serial", "threads": 2}, "threads 2 changes nothing"),
        ({"evaluator": "gemm"}, "evaluator gemm changes nothing"),
        ({"form": "history", "isomorphism": "on"}, "isomorphism on changes nothing"),
        ({"reward": "y2"}, "reward is for sampling"),
        ({"prune_every": 5}, "prune-every changes nothing"),
    ],
)
def test_options_that_change_nothing_are_refused(options: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        solvent.solve("kuhn", iterations=5, **options)


def test_a_changed_configuration_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    solvent.solve("kuhn", iterations=5, out=run)
    written = (run / "run.toml").read_text()
    for change in (("dcfr(1.5,0,2)", "cfr"), ("seed = 0", "seed = 1"), ('"alternating"', '"simultaneous"')):
        assert change[0] in written
        (run / "run.toml").write_text(written.replace(*change))
        with pytest.raises(InputError, match="has been changed since it was written"):
            solvent.solve(resume=run, iterations=10)
    (run / "run.toml").write_text(written)
    with pytest.raises(InputError, match="holds a solve, not a training"):
        solvent.train(resume=run, iterations=10)


def test_what_cannot_fit_is_refused_before_it_is_built() -> None:
    start = time.process_time()
    with pytest.raises(InputError, match=r"the memory limit is 500\.0 MiB"):
        solvent.solve("holdem(suits=4,ranks=13)", memory="500M")
    assert time.process_time() - start < 20


def test_solves_one_after_another_do_not_touch_each_other() -> None:
    """A solve of Bluff gives the same after a solve of Leduc as alone, and so the other way round."""
    names = ("bluff(dice=1,faces=3)", "leduc")
    alone = [solvent.solve(name, iterations=30).strategy.probabilities for name in names]
    for name, first in zip(reversed(names), reversed(alone), strict=True):
        again = solvent.solve(name, iterations=30)
        assert (again.strategy.probabilities == first).all()
        assert again.exploitability < solvent.solve(name, iterations=0).exploitability / 2
