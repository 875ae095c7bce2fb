"""Which node an actor goes to, and which addresses are refused."""

import os
import socket
import sys
import threading
import time

import pytest

from solvent.foundation.errors import InputError
from solvent.foundation.extras import installed
from solvent.solvers.distributed.ray_engine import connecting
from solvent.solvers.distributed.ray_engine.connecting import RayCluster
from solvent.solvers.distributed.ray_engine.placing import Node, place

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
        ([5 * GIB] * 3, [node("a"), node("b")], "3 children need 15.0 GiB, the largest 5.0 GiB"),
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


@pytest.mark.skipif(not installed("ray"), reason="Ray is not installed")
@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n", b""])
def test_an_address_where_something_else_answers(answer):
    def serve():
        with server.accept()[0] as asking:
            asking.recv(100)
            asking.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        with pytest.raises(InputError, match=r"somebody answers at .*, but it is no Ray cluster"):
            RayCluster(f"127.0.0.1:{server.getsockname()[1]}")


@pytest.mark.skipif(not installed("ray"), reason="Ray is not installed")
def test_no_cluster_on_this_machine(monkeypatch, tmp_path):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    import ray

    monkeypatch.setattr(ray._private.utils, "read_ray_address", lambda *_: None)
    with pytest.raises(
        InputError, match="no Ray cluster runs on this machine: start one by ray start --head"
    ):
        RayCluster(connecting.RUNNING)
