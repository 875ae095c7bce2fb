"""Connecting to a Ray cluster: one that this process starts, one that runs here, or one at an address."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from threading import Event, Thread, current_thread, main_thread
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.extras import extra
from solvent.foundation.progress import SIGNALS
from solvent.solving.option_checks import is_address
from solvent.training.distributed.ray_engine.placing import Node
from solvent.training.distributed.ray_engine.probing import accepts, probe
from solvent.training.distributed.workers import LostClusterError

LOCAL, RUNNING = "ray", "auto"
"""Names of clusters: one that is started here and ends with this process, and the one that runs here already."""
STORE_BYTES = 256 << 20
"""The object store of a local cluster: batches, values and shards pass through it and do not stay."""
HEAD_SECONDS = 10.0
"""Seconds for which the cluster's head may be out of reach before a training gives up: it may be started again."""
LOOKING_SECONDS = 1.0
"""Seconds to wait between two looks at the head, and for its answer."""
VARIABLES = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "600",
}
"""Ray's settings where the user gives none.

Nothing is told to anybody, and no line of a log is held back. Ray ends every process that does not reach the head
for a minute; this one is to end by itself, with a sentence.
"""


class RayCluster:
    """A Ray cluster that this process is connected to. Close it at the end."""

    def __init__(self, address: str = LOCAL) -> None:
        """address: `ray` starts a cluster on this machine, `auto` joins the one that runs here, or HOST:PORT."""
        _check_address(address)
        for name, value in VARIABLES.items():
            os.environ.setdefault(name, value)
        self.address, self._temporary = address, ""
        self._head = ""
        """HOST:PORT of the head, once this process is connected."""
        self._looked = 0.0
        """The time of the last look for the head."""
        self._missed_since: float | None = None
        """The time since which it has been out of reach."""
        self._before: dict[str, str | None] = {}
        self.ray: Any = None
        try:
            if address == LOCAL:
                self._guard_local_cluster()
            self.ray = extra("ray", "clusters of machines")
            if address != LOCAL:
                probe(self._found(address))
            with _signal_handlers_kept():
                self._join()
        except BaseException:
            self.close()
            raise

    def _guard_local_cluster(self) -> None:
        """Let only this process and its children use the cluster, without a file in the home folder."""
        given = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        if "RAY_AUTH_MODE" not in os.environ:
            self._before = {name: os.environ.get(name) for name in given}
            os.environ.update(given)
        os.environ.setdefault("RAY_worker_niceness", "0")  # children are what the user waits for

    def _found(self, address: str) -> str:
        """HOST:PORT of the cluster."""
        if address != RUNNING:
            return address
        found = os.environ.get("RAY_ADDRESS") or self.ray._private.utils.read_ray_address()
        if not found or found == "local":
            raise InputError("no Ray cluster runs on this machine: start one by ray start --head")
        return str(found)

    def _join(self) -> None:
        options: dict[str, Any] = {
            "log_to_driver": False,
            "logging_level": logging.CRITICAL,
        }
        if self.address == LOCAL:
            self._temporary = tempfile.mkdtemp(prefix="ray", dir="/tmp" if os.path.isdir("/tmp") else None)
            options |= {"address": "local", "include_dashboard": False, "object_store_memory": STORE_BYTES}
            options |= {"_temp_dir": self._temporary, "_node_ip_address": "127.0.0.1"}
        else:
            options["address"] = self.address
        try:
            self.ray.init(**options)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise InputError(
                f"cannot join the Ray cluster {self.address!r}: {said[0].rstrip('.')}"
            ) from error
        self._head = self.ray.get_runtime_context().gcs_address
        # Ray prints what it hears of lost nodes among the output, where nobody expects it.
        self.ray._private.worker.print_to_stdstream = lambda *_, **__: None

    def check_head(self) -> None:
        """Give up where the head has been out of reach for a while. It is looked for once a second at most."""
        if self.address == LOCAL and not self._processes_live():
            raise LostClusterError("the Ray cluster that was started for this training has ended")
        now = time.monotonic()
        if now < self._looked + LOOKING_SECONDS:
            return
        if accepts(self._head, LOOKING_SECONDS):
            self._missed_since = None
        elif self._missed_since is None:
            self._missed_since = now
        elif now >= self._missed_since + HEAD_SECONDS:
            raise LostClusterError(f"the head of the Ray cluster at {self._head} cannot be reached any more")
        self._looked = time.monotonic()

    def _processes_live(self) -> bool:
        """Whether the processes live that make up a cluster that was started here."""
        ended = {kind for kind, _ in self.ray._private.worker._global_node.dead_processes()}
        return not ended & {"gcs_server", "raylet"}

    def nodes(self) -> list[Node]:
        """The nodes that are alive, with what nobody has reserved on them.

        Ray would wait for a lost head, so it is asked by a thread of its own.
        """
        answer: Future[list[Node]] = Future()

        def ask() -> None:
            try:
                answer.set_result(self._ask_for_nodes())
            except Exception as error:
                answer.set_exception(error)

        Thread(target=ask, daemon=True).start()
        while True:
            with contextlib.suppress(TimeoutError):
                return answer.result(LOOKING_SECONDS)
            self.check_head()

    def _ask_for_nodes(self) -> list[Node]:
        free: Mapping[str, Mapping[str, float]] = self.ray._private.state.available_resources_per_node()
        found = []
        for node in self.ray.nodes():
            name = node["NodeID"]
            if node["Alive"] and name in free:
                cpus, memory = (float(free[name].get(what, 0.0)) for what in ("CPU", "memory"))
                total = float(node["Resources"].get("CPU", 0.0))
                found.append(Node(name, node["NodeManagerAddress"], total, cpus, int(memory)))
        return sorted(found)

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here, whatever signals come meanwhile."""
        with uninterrupted():
            self._close()

    def _close(self) -> None:
        if self.ray is not None and self.ray.is_initialized():
            with _signal_handlers_kept(), _termination_ignored():
                self.ray.shutdown()
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._before = {}
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = ""

    def __enter__(self) -> RayCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check_address(address: str) -> None:
    if address in (LOCAL, RUNNING):
        return
    if not is_address(address):
        raise InputError(
            f"a Ray cluster is named {LOCAL}, {RUNNING} or HOST:PORT, such as 10.0.0.1:6379, not {address!r}"
        )


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore signals while Ray ends, which handles them in its own way: what it has begun must not outlive us."""
    if current_thread() is not main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _termination_ignored() -> Iterator[None]:
    """Keep SIGTERM ignored while Ray shuts down, which gives the signal its default action on the way.

    Python sets handlers on the main thread alone, and that one is busy in Ray, so another asks the system.
    """
    if current_thread() is not main_thread():  # which has its own handlers, and they could not be put back
        yield
        return
    system, done = ctypes.CDLL(None), Event()
    system.signal.argtypes, system.signal.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_void_p

    def ignore() -> None:
        while not done.wait(0.001):
            system.signal(signal.SIGTERM, int(signal.SIG_IGN))

    keeper = Thread(target=ignore, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        done.set()
        keeper.join()


@contextlib.contextmanager
def _signal_handlers_kept() -> Iterator[None]:
    """Put back the handlers of signals that Ray replaces: a run that is stopped saves first."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # not the main thread, where Ray replaces none
            for number, handler in kept.items():
                signal.signal(number, handler)
