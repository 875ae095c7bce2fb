"""Connecting to a Ray cluster: one that this process starts, one that runs here, or one at an address."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.extras import extra
from solvent.solvers.distributed.ray_engine.placing import Node

LOCAL, RUNNING = "ray", "auto"
"""Names of clusters: one that is started here and ends with this process, and the one that runs here already."""
PROBE_SECONDS = 4.0
"""How long an address may take to accept a connection, and then to answer."""
STORE_BYTES = 256 << 20
"""The object store of a local cluster: batches, values and shards pass through it and do not stay."""
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0"}
"""Ray's settings where the user gives none: nothing is told to anybody, no line of a log is held back."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""What a client of gRPC says first (RFC 9113, section 3.4): the preface of HTTP/2 and settings, which are empty."""
SETTINGS = 4
"""The type of the frame that a server answers with."""


class RayCluster:
    """A Ray cluster that this process is connected to. Close it at the end."""

    def __init__(self, address: str = LOCAL) -> None:
        """address: `ray` starts a cluster on this machine, `auto` joins the one that runs here, or HOST:PORT."""
        _check_address(address)
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
        self.address, self._temporary = address, ""
        self._before: dict[str, str | None] = {}
        self.ray: Any = None
        try:
            if address == LOCAL:
                self._guard_local_cluster()
            self.ray = extra("ray", "clusters of machines")
            if address != LOCAL:
                _probe(self._found(address))
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

    def nodes(self) -> list[Node]:
        """The nodes that are alive, with what nobody has reserved on them."""
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
        """Leave the cluster, and end it if it was started here."""
        if self.ray is not None and self.ray.is_initialized():
            with _signal_handlers_kept():
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
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isdecimal() and 0 < int(port) < 65_536) or "/" in address:
        raise InputError(
            f"a Ray cluster is named {LOCAL}, {RUNNING} or HOST:PORT, such as 10.0.0.1:6379, not {address!r}"
        )


def _probe(address: str) -> None:
    """Refuse an address where no control service of a Ray cluster answers; Ray itself would try for a minute."""
    host, _, port = address.rpartition(":")
    try:
        connection = socket.create_connection((host.strip("[]"), int(port)), PROBE_SECONDS)
    except OSError as error:
        raise InputError(
            f"nobody answers at {address}: start the cluster there by ray start --head --port={port}"
        ) from error
    with connection:
        if os.environ.get("RAY_USE_TLS", "0") == "1":
            return
        said = b""
        with contextlib.suppress(OSError):
            connection.sendall(GREETING)
            said = connection.recv(9)
    if len(said) < 4 or said[3] != SETTINGS:
        raise InputError(f"somebody answers at {address}, but it is no Ray cluster")


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
