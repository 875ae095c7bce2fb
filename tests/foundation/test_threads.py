"""Work on threads and how it is stopped."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from solvent.foundation import progress
from solvent.foundation.kernels import threads as threads_module
from solvent.foundation.kernels.threads import in_pieces, on_each, unbroken
from solvent.foundation.progress import (
    INTERRUPTED,
    TERMINATED,
    Held,
    Interrupted,
    Progress,
    Stop,
    interruptible,
    raising_signals,
)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_pieces_cover_everything_once(workers):
    seen = np.zeros(103, dtype=np.int64)

    def mark(start, end, _):
        seen[start:end] += 1

    said: list[Progress] = []
    assert in_pieces(mark, 103, 10, [None] * workers, watch=said.append, stage="marks") == []
    assert (seen == 1).all()
    assert said[-1] == Progress("marks", 103, 103)
    assert [each.done for each in said] == sorted({each.done for each in said})
    assert in_pieces(mark, 0, 10, [None] * workers) == []


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_the_order_of_the_pieces(workers):
    def work(start, end, room):
        time.sleep(0.001 * (start % 3))
        return start, end

    assert in_pieces(work, 25, 10, list(range(workers))) == [(0, 10), (10, 20), (20, 25)]


def test_no_two_pieces_have_one_room_at_a_time():
    rooms = [threading.Lock() for _ in range(3)]

    def work(start, end, room):
        assert room.acquire(blocking=False)
        time.sleep(0.0005)
        room.release()

    in_pieces(work, 100, 1, rooms)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_ends_the_pieces(workers):
    calls = []

    def fail(start, end, _):
        calls.append(start)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        in_pieces(fail, 1_000_000_000_000, 1, [None] * workers)
    assert len(calls) <= workers

    def refuse(progress):
        raise RuntimeError("seen enough")

    with pytest.raises(RuntimeError, match="seen enough"):
        in_pieces(lambda start, end, _: None, 1_000_000, 1, [None] * workers, watch=refuse)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stop_ends_the_pieces_with_what_they_cover(workers):
    stop, seen = Stop(), np.zeros(1000, dtype=np.int64)

    def work(start, end, _):
        seen[start:end] += 1
        if start >= 300:
            stop.request()

    with pytest.raises(Interrupted) as stopped:
        in_pieces(work, 1000, 10, [None] * workers, stop=stop)
    done = stopped.value.done
    assert 310 <= done < 1000
    assert (seen[:done] == 1).all()
    assert (seen[done:] == 0).all()
    assert stopped.value.exit_code == INTERRUPTED


def test_one_call_for_each_worker_side_by_side():
    barrier = threading.Barrier(4)

    def work(which):
        barrier.wait(timeout=10)
        return which * which

    assert on_each(work, 4) == [0, 1, 4, 9]
    assert on_each(lambda which: on_each(lambda inner: inner + which, 3), 2) == [[0, 1, 2], [1, 2, 3]]


def test_threads_are_kept_for_the_next_call():
    names = set()
    for _ in range(200):
        names.update(on_each(lambda _: threading.get_ident(), 2))
    assert len(names) <= 8
    on_each(lambda which: time.sleep(0.01), threads_module.KEPT + 8)
    assert len(threads_module._idle) <= threads_module.KEPT + 8


def test_the_first_error_is_raised_when_all_calls_are_done():
    ended = []

    def work(which):
        if which == 0:
            raise ValueError("first")
        time.sleep(0.02)
        ended.append(which)

    with pytest.raises(ValueError, match="first"):
        on_each(work, 3)
    assert sorted(ended) == [1, 2]


def test_an_interrupt_waits_until_every_call_is_done():
    ended = []

    def work(which):
        if which == 0:
            time.sleep(0.02)
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        ended.append(which)

    with pytest.raises(KeyboardInterrupt):
        on_each(work, 3)
    assert sorted(ended) == [0, 1, 2]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)])
def test_signals_request_a_stop(number, code):
    before = signal.getsignal(number)
    with interruptible() as stop:
        assert not stop.requested
        os.kill(os.getpid(), number)
        assert stop.requested
        assert stop.exit_code == code
        with pytest.raises(Interrupted) as stopped:
            stop.check()
        assert stopped.value.exit_code == code
    assert signal.getsignal(number) is before


def test_a_second_interrupt_comes_at_once(monkeypatch):
    """But not from a key that is held down: then the first one is seen to its end."""
    with interruptible() as stop:
        for _ in range(4):
            os.kill(os.getpid(), signal.SIGINT)
        assert stop.requested
        monkeypatch.setattr(progress, "SAME_SECONDS", 0.0)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_waits_for_what_must_not_be_broken_off():
    began, done = threading.Event(), []

    def call():
        began.set()
        time.sleep(0.05)
        done.append(True)

    def interrupt():
        began.wait()
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        unbroken(call)
    assert done == [True]
    sender.join()
    assert unbroken(lambda: threading.current_thread() is threading.main_thread()) is False
    assert on_each(lambda _: unbroken(threading.get_ident) == threading.get_ident(), 2) == [True, True]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_has_signals_raised_with_their_codes(number):
    before = signal.getsignal(number)
    with raising_signals(), pytest.raises(Interrupted) as stopped:
        signal.raise_signal(number)
    assert stopped.value.exit_code == 128 + number
    assert signal.getsignal(number) is before


def test_held_interrupts_are_raised_with_the_result():
    held = Held()
    with held:
        raise KeyboardInterrupt
    with pytest.raises(Interrupted) as stopped:
        held.result("so far")
    assert (stopped.value.result, stopped.value.exit_code) == ("so far", INTERRUPTED)
    with pytest.raises(KeyboardInterrupt), held:  # a second one is not held
        raise KeyboardInterrupt


def test_a_requested_stop_is_no_interrupt():
    stop = Stop()
    stop.request()
    held = Held(Stop(stop))
    with held:
        stop.check()
    assert held.result("so far") == "so far"
    with pytest.raises(KeyboardInterrupt), held:  # Ctrl-C while the work is being stopped
        raise KeyboardInterrupt


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with interruptible() as stop:
            os.kill(os.getpid(), signal.SIGTERM)
            assert not stop.requested
    finally:
        signal.signal(signal.SIGTERM, before)


def test_work_on_another_thread_is_stopped_by_request():
    stop = Stop()

    def work(_):
        with interruptible(stop) as same:
            in_pieces(lambda start, end, room: time.sleep(0.001), 1_000_000, 1, [None], stop=same)

    timer = threading.Timer(0.02, stop.request)
    timer.start()
    with pytest.raises(Interrupted):
        on_each(work, 1)
    timer.join()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_cuts_the_pieces_under_way(workers):
    cut = Stop()

    def work(start, end, _):
        if start == 0:
            raise KeyboardInterrupt
        while not cut.requested:
            time.sleep(0.001)

    with pytest.raises(KeyboardInterrupt):
        in_pieces(work, 2, 1, [None] * workers, cut=cut.request)
    assert cut.requested
