"""Hierarchical abstraction: one round's public states in clusters, and in each the private states of later rounds.

Algorithm 1 of Brown, Ganzfried and Sandholm (2015). Rounds before the public round r̂ are bucketed freely. From r̂
on, states whose public part at r̂ lies in one cluster share no bucket with states of another: players remember the
public cluster and nothing else, and the game below r̂ falls into pieces that can be solved apart.

Nothing here knows cards. A round says how many states it has, how they are bucketed (the paper's A_r) and, from
r̂ on, from which public state each of them comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, Watch

FEW = 40
"""Clusters up to which looking for each is quicker than sorting, at tens of millions of states."""


class Bucketing(Protocol):
    """The paper's A_r: puts some of a round's states into buckets."""

    def __call__(self, members: NDArray[np.int64], buckets: int, seed: int, /) -> NDArray[Any]:
        """integers[members] from 0 to buckets - 1, for these states of the round. Equal seeds, equal buckets."""
        ...


@dataclass(frozen=True)
class Round:
    """A round to be abstracted."""

    states: int
    """Number of states (of private and public information together)."""
    buckets: int
    """B_r: in how many buckets they go, from the public round on in each public cluster."""
    bucketing: Bucketing
    """A_r. It is not asked where there are no more states than buckets: each gets its own."""
    public: NDArray[np.integer[Any]] | None = None
    """integers[states]: the state of the public round that each comes from; None before r̂."""


@dataclass(frozen=True)
class BucketedRound:
    """A round's abstraction: a state is played by its cluster and bucket."""

    cluster: NDArray[np.int32]
    """int32[states]: the public cluster; 0 throughout before r̂."""
    bucket: NDArray[np.int32]
    """int32[states]: the bucket within the cluster."""
    buckets: NDArray[np.int32]
    """int32[clusters]: how many buckets each cluster has: B_r, or its number of states if that is less."""


@dataclass(frozen=True)
class Hierarchy:
    """The result of Algorithm 1."""

    cluster_of_public: NDArray[np.int32]
    """int32[public states]: the cluster of each state of r̂."""
    rounds: tuple[BucketedRound, ...]


def hierarchical(
    rounds: Sequence[Round],
    clusters: ArrayLike,
    seed: int = 0,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Hierarchy:
    """Run Algorithm 1: every round's states into buckets, from the public round on within each public cluster.

    clusters: integers[public states], from 0 on, e.g. from `cluster_public`. r̂ is the first round that says where
    its states come from. Every call of A_r has its own seed, derived from `seed`, round and cluster, so rounds and
    clusters can be done again alone. `watch` is told states. A round takes under 30 bytes a state beside what A_r
    takes.

    >>> halves = lambda members, buckets, seed: np.arange(len(members)) * buckets // len(members)
    >>> rounds = [Round(3, 3, halves), Round(8, 2, halves, np.array([0, 0, 1, 1, 2, 2, 3, 3]))]
    >>> found = hierarchical(rounds, [0, 1, 1, 1])
    >>> found.rounds[0].bucket.tolist(), found.rounds[1].bucket.tolist()
    ([0, 1, 2], [0, 1, 0, 0, 0, 1, 1, 1])
    """
    cluster_of_public = _checked_clusters(rounds, clusters)
    if seed < 0:
        raise InputError(f"seeds are whole numbers from 0 on, not {seed}")
    total, before = sum(each.states for each in rounds), 0
    made, many = [], int(cluster_of_public.max()) + 1
    for r, each in enumerate(rounds):
        cluster = np.zeros(each.states, np.int32) if each.public is None else cluster_of_public[each.public]
        count = 1 if each.public is None else many
        bucket = np.empty(each.states, np.int32)
        done, given = before, np.zeros(count, np.int32)
        for c, members in enumerate(_members(cluster, count)):
            given[c] = min(each.buckets, len(members))
            bucket[members] = _bucketed(each, r, c, members, seed)
            done += len(members)
            if watch is not None:
                watch(Progress("buckets", done, total))
            if stop is not None:
                stop.check(done)
        before += each.states
        made.append(BucketedRound(cluster, bucket, given))
    return Hierarchy(cluster_of_public, tuple(made))


def _members(cluster: NDArray[np.int32], count: int) -> Iterator[NDArray[np.int64]]:
    """Yield the states of each cluster in order: by a look for each of a few clusters, by sorting for many."""
    if count <= FEW:
        yield from (np.flatnonzero(cluster == c) for c in range(count))
        return
    # 16-bit keys are sorted by radix, in linear time.
    order = np.argsort(cluster.astype(np.uint16) if count < 2**16 else cluster, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(cluster, minlength=count))[:-1])


def _bucketed(each: Round, r: int, c: int, members: NDArray[np.int64], seed: int) -> NDArray[Any]:
    """Call A_r once, and check its buckets."""
    if len(members) <= each.buckets:
        return np.arange(len(members))
    own_seed = int(np.random.SeedSequence([seed, r, c]).generate_state(1)[0])
    found = np.asarray(each.bucketing(members, each.buckets, own_seed))
    if found.shape != members.shape or found.dtype.kind not in "iu":
        raise InputError(
            f"the bucketing of round {r} must give a whole number for each of the {len(members):,} states of "
            f"cluster {c}, not {found.dtype} of shape {found.shape}"
        )
    if found.min() < 0 or found.max() >= each.buckets:
        raise InputError(
            f"the bucketing of round {r} must give buckets from 0 to {each.buckets - 1:,}, "
            f"not {found.min()} to {found.max()} as in cluster {c}"
        )
    return found


def _checked_clusters(rounds: Sequence[Round], cluster_of_public: ArrayLike) -> NDArray[np.int32]:
    """Return the clusters of public states; refuse rounds whose numbers or public states are not a hierarchy's."""
    first = next((r for r, each in enumerate(rounds) if each.public is not None), None)
    if first is None:
        raise InputError(
            "a hierarchy has a round, and then all later ones, whose states say from which public state they come"
        )
    clusters = np.asarray(cluster_of_public)
    if clusters.ndim != 1 or not clusters.size or clusters.dtype.kind not in "iu" or clusters.min() < 0:
        raise InputError("clusters of public states are one whole number from 0 on for each public state")
    if clusters.max() >= len(clusters):
        raise InputError(f"{len(clusters):,} public states have no cluster {clusters.max():,}")
    for r, each in enumerate(rounds):
        if each.states < 1 or each.buckets < 1:
            raise InputError(
                f"a round has at least one state and one bucket, "
                f"not {each.states:,} and {each.buckets:,} as round {r}"
            )
        if each.public is not None:
            _check_public(each.public, each.states, len(clusters), f"round {r}")
        elif r > first:
            raise InputError(
                f"round {r} comes after the public round {first}, so its states must say from which "
                f"public state they come"
            )
    return clusters.astype(np.int32)


def _check_public(public: NDArray[np.integer[Any]], states: int, public_states: int, name: str) -> None:
    """Refuse numbers that do not say of every state from which public state it comes."""
    if public.shape != (states,) or public.dtype.kind not in "iu":
        raise InputError(
            f"{name} has {states:,} states and needs a public state for each, not {public.dtype} of shape "
            f"{public.shape}"
        )
    if public.min() < 0 or public.max() >= public_states:
        raise InputError(
            f"public states are 0 to {public_states - 1:,}, not {public.min():,} to {public.max():,} as in {name}"
        )
