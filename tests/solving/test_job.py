"""Jobs: what is seen of work on a thread, and that pausing, stopping and deadlines hold and change no number."""

from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

import solvent
from solvent.foundation.progress import Interrupted, Progress
from solvent.solving.job import DONE, FAILED, PAUSED, RUNNING, STOPPED, WAITING, Job


def counting(steps, pace=0.001):
    """Work that counts, reads its stop before every step, and notes when it last counted."""
    seen = {"count": 0, "at": 0.0}

    def work(watch, stop):
        while seen["count"] < steps and not stop.requested:
            time.sleep(pace)
            seen["count"] += 1
            seen["at"] = time.monotonic()
            watch(Progress("counting", seen["count"], steps))
        return seen["count"]

    return work, seen


def test_a_job_ends_with_what_its_work_returns():
    told = []
    job = Job(counting(20)[0], watch=told.append)
    assert job.state == WAITING
    assert job.start().result(10) == 20
    assert (job.state, job.running, job.progress) == (DONE, False, Progress("counting", 20, 20))
    assert [one.done for one in told] == list(range(1, 21))


def test_what_the_work_raises_is_raised_to_whoever_asks_for_the_result():
    def fail(watch, stop):
        raise ValueError("broken")

    job = Job(fail).start()
    assert job.wait(10)
    assert job.state == FAILED
    with pytest.raises(ValueError, match="broken"):
        job.result()


def test_nothing_computes_while_a_job_is_paused():
    work, seen = counting(100_000)
    job = Job(work).start()
    for _ in range(20):
        with job.paused():
            before = seen["count"]
            assert job.state == PAUSED
            time.sleep(0.005)
            assert seen["count"] == before
        time.sleep(0.003)
    assert job.state == RUNNING
    job.stop()
    assert job.result(10) == seen["count"] < 100_000
    assert job.state == STOPPED


def test_a_paused_job_can_be_stopped_and_an_ended_one_paused():
    work, _ = counting(100_000)
    job = Job(work).start()
    assert job.pause(10)
    job.stop()
    assert job.wait(10)
    assert job.pause(0.1)
    with job.paused():
        pass
    with pytest.raises(TimeoutError, match="has not ended after 0 seconds"):
        Job(work).result(0)


def test_work_that_reads_no_stop_is_not_paused_in_time():
    release = threading.Event()
    job = Job(lambda watch, stop: release.wait(10)).start()
    assert not job.pause(0.05)
    release.set()
    assert job.result(10)


def test_a_deadline_ends_the_work_and_does_not_count_pauses():
    work, _ = counting(1_000_000)
    began = time.monotonic()
    job = Job(work, seconds=0.3).start()
    job.pause(10)
    time.sleep(0.5)
    assert job.running
    job.resume()
    assert job.wait(10)
    assert time.monotonic() - began >= 0.75
    assert job.state == STOPPED


def test_a_stop_before_there_is_a_result_is_an_interrupt():
    def work(watch, stop):
        while True:
            stop.check()
            time.sleep(0.001)

    job = Job(work).start()
    job.stop()
    with pytest.raises(Interrupted):
        job.result(10)
    assert job.state == STOPPED


def test_pausing_a_solve_changes_no_number():
    """The same iterations with pauses at random moments, and without any."""
    plain = solvent.solve("leduc", iterations=3_000)
    job = Job(lambda watch, stop: solvent.solve("leduc", iterations=3_000, watch=watch, stop=stop)).start()
    rng, pauses = random.Random(3), 0
    while job.running:
        with job.paused():
            pauses += job.running
        time.sleep(rng.random() * 0.01)
    found = job.result()
    assert pauses > 3
    for infoset in plain.strategy:
        mine, yours = (np.array(list(one.strategy[infoset].values())) for one in (plain, found))
        assert np.array_equal(mine, yours)
