"""Which node an actor goes to, and which addresses are refused."""

import os
import socket
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.extras import installed
from solvent.training.distributed.ray_engine import connecting, probing
from solvent.training.distributed.ray_engine.connecting import RayCluster
from solvent.training.distributed.ray_engine.placing import Node, place
from solvent.training.distributed.workers import LostClusterError

GIB = 1 << 30


def node(name, cpus=4.0, gib=8.0, free=None):
    return Node(name, "10.0.0.1", cpus, cpus if free is None else free, int(gib * GIB))


def test_actors_are_spread_over_the_nodes_that_have_room():
    nodes = [node("head", cpus=0.0, gib=100), node("a"), node("b"), node("c", gib=3)]
    assert sorted(place([GIB] * 3, nodes)) == ["a", "b", "c"]
    # The two that only fit into a and b go there, the small one to c.
    assert place([GIB, 6 * GIB, 6 * GIB], nodes)[0] == "c"
    assert sorted(place([2 * GIB] * 9, nodes)) == ["a"] * 4 + ["b"] * 4 + ["c"]
    # More actors than processors: they share them.
    assert place([GIB] * 4, [node("a", cpus=2.0)], cores=2) == ["a"] * 4
    # A node on which others work has fewer processors left.
    assert place([GIB], [node("a", free=1.0), node("b")]) == ["b"]


@pytest.mark.parametrize(
    ("needs", "nodes", "said"),
    [
        ([9 * GIB], [node("a")], "the child needs 9.0 GiB, and the cluster's nodes have 8.0 GiB"),
        ([9 * GIB], [node("a")], "free: add nodes, or take a smaller abstraction"),
        ([9 * GIB], [node("a"), node("b")], "add nodes, or give more children, which are smaller, or take"),
        ([5 * GIB] * 3, [node("a"), node("b")], "3 children need 15.0 GiB, the largest 5.0 GiB"),
        ([5 * GIB] * 3, [node("a"), node("b")], "add nodes, or give more children, which are smaller, or"),
        ([3 * GIB] * 6, [node("a"), node("b")], "nodes, or give fewer children: each takes memory beside"),
        ([9 * GIB] * 2, [node("a"), node("b")], "free: add nodes, or take a smaller abstraction"),
        ([GIB], [node("head", cpus=0.0)], "no node of the cluster has a processor"),
        ([GIB], [], "no node of the cluster has a processor"),
    ],
)
def test_what_finds_no_room_is_refused(needs, nodes, said):
    with pytest.raises(InputError, match=said):
        place(needs, nodes)


@pytest.mark.parametrize(
    "address", ["", "host", "host:", ":6379", "host:0", "host:65536", "ray://host:10001"]
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(InputError, match="is named ray, auto or HOST:PORT"):
        RayCluster(address)


def test_without_ray_a_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    said = r'need Ray, which is not installed: pip install "solvent\[cluster\]"'
    for address in ("ray", "auto", "127.0.0.1:6379"):
        with pytest.raises(InputError, match=said):
            RayCluster(address)
    assert "RAY_AUTH_TOKEN" not in os.environ


@pytest.mark.skipif(not installed("ray"), reason="Ray is not installed")
def test_an_address_that_nobody_answers():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        port = taken.getsockname()[1]
        begun = time.monotonic()
        with pytest.raises(InputError, match=rf"nobody answers at 127.0.0.1:{port}: start the cluster there"):
            RayCluster(f"127.0.0.1:{port}")
        assert time.monotonic() - begun < 20


@contextmanager
def somebody(answer, stays=False):
    """The address of somebody who answers so, and then leaves or stays."""
    done = threading.Event()

    def serve():
        with server.accept()[0] as asking:
            asking.recv(1_000)
            asking.sendall(answer)
            if stays:
                done.wait(20)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        done.set()


SETTINGS = probing._frame(4, 0, 0, b"")
"""What a server of HTTP/2 says first."""
STRANGERS = {
    "HTTP/1.1": b"HTTP/1.1 400 Bad Request\r\n",
    "nothing": b"",
    "half a frame": SETTINGS[:5],
    "HTTP/2 and no answer": SETTINGS,
    "HTTP/2 and a page": SETTINGS + probing._frame(1, 4, 1, b"\x8d") + probing._frame(0, 1, 1, b"not found"),
    "HTTP/2 without a page": SETTINGS + probing._frame(1, 5, 1, b"\x8d"),
    "HTTP/2 and goodbye": SETTINGS + probing._frame(7, 0, 0, bytes(8)),
    "another service": SETTINGS + probing._frame(1, 5, 1, b"\x88@\x0bgrpc-status\x0212"),
}


@pytest.mark.skipif(not installed("ray"), reason="Ray is not installed")
@pytest.mark.parametrize("who", STRANGERS)
def test_an_address_where_something_else_answers(who, monkeypatch, capfd):
    monkeypatch.setattr(probing, "PROBE_SECONDS", 0.3)
    with (
        somebody(STRANGERS[who], stays=True) as address,
        pytest.raises(InputError, match=rf"somebody answers at {address}, but it is no Ray cluster"),
    ):
        RayCluster(address)
    assert capfd.readouterr() == ("", "")  # nothing of Ray's own


@pytest.mark.parametrize(
    "answer",
    [
        probing._frame(1, 4, 1, b"\x88") + probing._frame(0, 0, 1, b"\0\0\0\0\x03abc"),
        probing._frame(1, 5, 1, b"\x88@\x0bgrpc-status\x0216"),  # it wants a token
    ],
)
def test_an_answer_of_a_head(answer):
    with somebody(SETTINGS + answer) as address:
        probing.probe(address)


def test_a_head_that_is_out_of_reach_for_a_while(monkeypatch):
    monkeypatch.setattr(connecting, "LOOKING_SECONDS", 0.0)
    cluster = RayCluster.__new__(RayCluster)
    cluster.address, cluster._looked, cluster._missed_since = "host:1", 0.0, None
    answers = [True, False, False, True, False]
    monkeypatch.setattr(connecting, "accepts", lambda address, seconds: answers.pop(0) if answers else False)
    cluster._head = "10.0.0.1:6379"
    for _ in range(5):  # it may come back
        cluster.check_head()
    monkeypatch.setattr(connecting, "HEAD_SECONDS", 0.0)
    with pytest.raises(
        LostClusterError, match=r"the Ray cluster at 10.0.0.1:6379 cannot be reached any more"
    ):
        cluster.check_head()


@pytest.mark.skipif(not installed("ray"), reason="Ray is not installed")
def test_no_cluster_on_this_machine(monkeypatch, tmp_path):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    import ray

    monkeypatch.setattr(ray._private.utils, "read_ray_address", lambda *_: None)
    with pytest.raises(
        InputError, match="no Ray cluster runs on this machine: start one by ray start --head"
    ):
        RayCluster(connecting.RUNNING)
