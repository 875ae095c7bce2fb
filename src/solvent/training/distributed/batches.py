"""Messages between the head and its children: batches of continuations, and their values.

A *turn* of Algorithm 4 is a pass of the head, the children's work, and the second pass. With batches of one
iteration a turn is one player's: both see what the turn before changed, as in the paper. With batches of B > 1
iterations a turn is B iterations of both players, all on the head's strategies before it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.training.kernels import IterationOptions, iteration_options


@dataclass(frozen=True)
class DistributedSettings:
    """Settings on which the tables of a distributed training depend, whatever engine runs it."""

    seed: int = 0
    linear: bool = True
    exploration: tuple[float, float] = (0.0, 0.0)
    """The least probability of an action, and by how much it falls with each iteration."""
    mix: bool = False
    """Whether strategies get it by mixing in uniform play."""
    floor: float = 0.0
    """Chips: the regret per iteration below which actions are left out of most iterations; 0 for none."""
    reward: str = "y1"
    batch: int = 1
    """B, iterations of a turn."""
    ahead: int = 0
    """1: the head passes for the next turn while children work, on strategies that are one turn older."""
    samples: int = 1
    """Boards that a child draws for an iteration. Each counts 1 / samples."""
    cores: int = 1
    """Threads of a child, which share its samples and its table. More than one makes draws depend on chance."""
    literal: bool = False
    """Children's weights as in the paper, 1: then hands that leave a cluster few flops count too much there."""

    def __post_init__(self) -> None:
        for name in ("batch", "samples", "cores"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is a whole number from 1 on, not {getattr(self, name)}")
        if self.ahead not in (0, 1):
            raise InputError(f"ahead is 0 or 1, not {self.ahead}")
        if self.cores > self.samples:
            raise InputError(
                f"the cores of a child share its samples: give at least {self.cores} samples, not {self.samples}"
            )

    @property
    def options(self) -> IterationOptions:
        """The options of iterations, for kernels."""
        return iteration_options(self.linear, self.exploration, self.mix, self.floor)

    def turn(self, number: int) -> Turn:
        """A turn by its number, from 0."""
        if self.batch == 1:
            return Turn(number // 2, number // 2 + 1, number % 2, 1)
        return Turn(number * self.batch, (number + 1) * self.batch, 0, 2)

    def iterations(self, turns: int) -> int:
        """Count the iterations that are complete after some turns."""
        return turns // 2 if self.batch == 1 else turns * self.batch

    def turns(self, iterations: int) -> int:
        """Count the fewest turns that complete some iterations."""
        return 2 * iterations if self.batch == 1 else -(-iterations // self.batch)


class Turn(NamedTuple):
    """The passes of a turn: iterations `start` to `end`, each for `players` players from `player` on."""

    start: int
    end: int
    player: int
    players: int

    @property
    def passes(self) -> int:
        return (self.end - self.start) * self.players


class Batch(NamedTuple):
    """The continuations of a turn, which every child values."""

    number: int
    """The turn's number."""
    ends: NDArray[np.int64]
    """int64[passes]: continuations up to the end of each pass"""
    node: NDArray[np.int32]
    """int32[continuations]: their nodes in the walk"""


class Reply(NamedTuple):
    """One child's answer to a batch."""

    cluster: int
    number: int
    """The turn's number."""
    values: NDArray[np.float32]
    """float32[continuations]: what they are worth to the player of their pass; 0 where hands leave no flop"""
    touched: int
    """Rows that the child touched."""
    seconds: float
    """Seconds for which the child worked."""


class Discount(NamedTuple):
    """Factors of the numbers of all tables, at the end of a part of a training."""

    positive: float
    """The factor of regrets above 0."""
    negative: float
    """The factor of regrets below 0."""
    keep: float
    """The factor of strategy sums."""


class ShardFile(NamedTuple):
    """The table of a cluster in a file of a checkpoint."""

    path: str
    sha256: str
    """The file's checksum: another machine may have another file by this name."""


Shard = NDArray[np.float32] | ShardFile
"""The table of a cluster: its numbers, or the file that has them."""


class Traffic(NamedTuple):
    """A worker's work and its messages with the head, since it was begun."""

    clusters: tuple[int, ...]
    turns: int
    """Turns that it has answered."""
    work: float
    """Seconds for which it worked on them."""
    latency: float
    """Seconds for which the head waited for its answers and it did not work on them."""
    bytes: int
    """Bytes of batches and of values."""


class Children(ABC):
    """An engine that runs the children. Every method but `start` waits. Engines subclass it for the defaults."""

    replaced: int = 0
    """Workers that have been replaced."""
    log_bytes: int = 0
    """Bytes, about, of the log from which a lost worker is brought up to date."""

    @property
    @abstractmethod
    def clusters(self) -> int: ...

    @abstractmethod
    def start(self, batch: Batch) -> None:
        """Let all children begin to value a batch. A child that has valued it before answers as before."""

    def prepare(self, batch: Batch) -> None:
        """Hear which batch will be started next, while one is under way: a child that is done may begin with it."""
        return

    @abstractmethod
    def values(self) -> Sequence[Reply]:
        """Return the replies to the batch that was started last, in the order of clusters."""

    @abstractmethod
    def discount(self, factors: Discount) -> None:
        """Multiply the numbers of all tables."""

    @abstractmethod
    def shards(self) -> Mapping[int, NDArray[np.float32]]:
        """Return the tables of all children, by cluster, as they are after the last batch; not to be changed."""

    @abstractmethod
    def save(self, folder: Path) -> dict[str, dict[str, Any]]:
        """Write every table to a file of a folder; returns each file's entry in a bundle's manifest."""

    def saved(self, shards: Mapping[int, ShardFile], turns: int) -> None:
        """Hear that a checkpoint with these files is whole: a child that is lost begins again from it."""
        return

    @abstractmethod
    def load(self, shards: Mapping[int, Shard], turns: int) -> None:
        """Set the tables of all children to those after some turns."""

    def check(self) -> None:
        """Raise a `LostClusterError` where what runs the workers has ended."""
        return

    def traffic(self) -> Sequence[Traffic]:
        """Return each worker's work and messages; nothing where children are in the process of the head."""
        return ()

    def close(self) -> None:
        """End whatever was begun. Nothing can be asked for afterwards."""
        return
