"""Asking an address, before Ray does, whether the head of a Ray cluster answers there.

Ray itself would try for long and complain in lines of its own. Its head speaks gRPC, which is HTTP/2 (RFC 9113)
with messages of five bytes and a body. So one call of it is written out here: which nodes are alive.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time

from solvent.foundation.errors import InputError

PROBE_SECONDS = 4.0
"""Seconds that an address may take to accept a connection, and then to answer."""
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
"""The first bytes of a client (RFC 9113, section 3.4)."""
CALL = b"/ray.rpc.NodeInfoGcsService/CheckAlive"
"""The call of Ray's head that asks which nodes are alive."""
DATA, HEADERS, ABORTED, SETTINGS, LEAVING = 0, 1, 3, 4, 7
"""Types of frames (RFC 9113, section 6)."""
END_OF_STREAM, END_OF_HEADERS = 1, 4
"""Flags of frames."""
FRAME_HEAD = 9
"""Bytes before what a frame carries: its length (3), type, flags and stream (4)."""
MOST_BYTES = 1 << 20
"""A longer frame is not one of the head's answer."""
UNKNOWN_CALL = b"\x0bgrpc-status\x0212"
"""The answer of a gRPC server that does not know the call: status 12, in a header that is written out."""


def probe(address: str) -> None:
    """Refuse an address where no head of a Ray cluster answers. With TLS only the connection is tried."""
    host, port = split_address(address)
    try:
        connection = socket.create_connection((host, port), PROBE_SECONDS)
    except OSError as error:
        raise InputError(
            f"nobody answers at {address}: start the cluster there by ray start --head --port={port}"
        ) from error
    with connection:
        if os.environ.get("RAY_USE_TLS", "0") == "1":
            return
        answered = False
        with contextlib.suppress(OSError, EOFError):
            connection.sendall(_call(address))
            answered = _knows_the_call(connection, time.monotonic() + PROBE_SECONDS)
    if not answered:
        raise InputError(f"somebody answers at {address}, but it is no Ray cluster")


def accepts(address: str, seconds: float) -> bool:
    """Whether anybody accepts a connection at an address within some seconds."""
    try:
        socket.create_connection(split_address(address), seconds).close()
    except OSError:
        return False
    return True


def split_address(address: str) -> tuple[str, int]:
    """The host and the port of HOST:PORT."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def _call(address: str) -> bytes:
    """Preface, settings (none) and the call, on stream 1; headers are as RFC 7541 encodes them, in full."""
    headers = b"\x83\x86"  # POST, http
    headers += b"\x04" + _text(CALL) + b"\x01" + _text(address.encode()[:100])
    headers += b"\x0f\x10" + _text(b"application/grpc") + b"\x00" + _text(b"te") + _text(b"trailers")
    message = bytes(5)  # not compressed, of no bytes
    return (
        PREFACE
        + _frame(SETTINGS, 0, 0, b"")
        + _frame(HEADERS, END_OF_HEADERS, 1, headers)
        + _frame(DATA, END_OF_STREAM, 1, message)
    )


def _text(text: bytes) -> bytes:
    return bytes([len(text)]) + text


def _frame(kind: int, flags: int, stream: int, carried: bytes) -> bytes:
    return len(carried).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + carried


def _knows_the_call(connection: socket.socket, until: float) -> bool:
    """Whether the answer to the call is a message, or a refusal by somebody who knows it, for want of a token."""
    while True:
        head = _read(connection, FRAME_HEAD, until)
        length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        if length > MOST_BYTES or kind in (ABORTED, LEAVING):
            return False
        carried = _read(connection, length, until)
        if kind == DATA:
            return length >= 5 and carried[0] == 0 and int.from_bytes(carried[1:5], "big") == length - 5
        if kind == HEADERS and flags & END_OF_STREAM:
            return b"grpc-status" in carried and UNKNOWN_CALL not in carried


def _read(connection: socket.socket, count: int, until: float) -> bytes:
    found = b""
    while len(found) < count:
        connection.settimeout(max(0.01, until - time.monotonic()))
        more = connection.recv(count - len(found))
        if not more:
            raise EOFError
        found += more
    return found
