"""Placement of actors on the nodes of a cluster: by memory, spread over the nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from solvent.foundation.errors import InputError
from solvent.foundation.units import size


@dataclass(frozen=True, order=True)
class Node:
    """A machine of the cluster, or what a test calls one."""

    name: str
    """Ray's id."""
    address: str
    cpus: float
    """Processors in all; a node that has none runs no actors."""
    free_cpus: float
    free_bytes: int
    """Memory that nobody has reserved."""


def place(needs: Sequence[int], nodes: Sequence[Node], cores: int = 1) -> list[str]:
    """The name of the node for each actor, by its bytes; refused if they do not all find room.

    The largest actor comes first, and each goes where most processors are left, among the nodes that have room for
    it. Processors may be shared by more actors than there are of them; memory may not.
    """
    left = [node for node in nodes if node.cpus > 0]
    places = [""] * len(needs)
    for actor in sorted(range(len(needs)), key=lambda actor: (-needs[actor], actor)):
        room = [node for node in left if node.free_bytes >= needs[actor]]
        if not room:
            raise InputError(_too_little(needs, nodes))
        best = max(room, key=lambda node: (node.free_cpus / node.cpus, node.free_bytes, node.name))
        places[actor] = best.name
        left[left.index(best)] = replace(
            best, free_cpus=best.free_cpus - cores, free_bytes=best.free_bytes - needs[actor]
        )
    return places


def _too_little(needs: Sequence[int], nodes: Sequence[Node]) -> str:
    """The sentence for actors that do not all find room."""
    working = [node for node in nodes if node.cpus > 0]
    if not working:
        return "no node of the cluster has a processor for children: start nodes by ray start --address=HOST:PORT"
    count, most, total = len(needs), max(needs), sum(needs)
    children = "the child needs" if count == 1 else f"{count} children need"
    largest = "" if count == 1 else f", the largest {size(most)}"
    free = ", ".join(size(node.free_bytes) for node in working)
    too_large = most > max(node.free_bytes for node in working)
    too_much = total > sum(node.free_bytes for node in working)
    advice = "add nodes"
    if too_much and count > 1 and not too_large:
        advice += ", or give fewer children: each takes memory beside its tables"
    elif not too_much:
        advice += ", or give more children, which are smaller"
    return (
        f"{children} {size(total)}{largest}, and the cluster's nodes have {free} of memory free: "
        f"{advice}, or take a smaller abstraction"
    )
