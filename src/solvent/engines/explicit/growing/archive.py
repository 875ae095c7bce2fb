"""An archive of the tables that no player reaches: the third removal of Brown and Sandholm (2015), section 6.

Iterations leave out nodes that neither player reaches with any hand, so that no number there changes. The tables
of nodes that are idle for a while are written to a temporary file and freed. They are read back to the last bit
as soon as a pass comes there or anything but an iteration wants them: looks, additions, checks, checkpoints.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.tables import BY_NODE, GrowingTables
from solvent.forms.explicit.tree import DECISION, ExplicitTree
from solvent.foundation.storage.bundle import put_array

IDLE = 10
"""Iterations for which nobody has come to a node before its tables are put away."""
LEAST = 1 << 18
"""The fewest bytes that are put away: for less, moving them costs more than the memory is worth."""


class Archive:
    """The tables of one game that are put away."""

    def __init__(self, tree: ExplicitTree, tables: GrowingTables) -> None:
        self._tree, self._tables = tree, tables
        self.idle = np.zeros(tree.nodes, dtype=np.int32)
        """Iterations since each node was last reached."""
        self.bytes = 0
        """Bytes that are put away now."""
        self.last_bytes = 0
        """Bytes that were put away the last time."""
        self._heads: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._file: IO[bytes] | None = None

    def begin_iteration(self) -> None:
        """Count an iteration for every node, those that the tree has gained included."""
        more = self._tree.nodes - len(self.idle)
        self.idle = np.pad(self.idle, (0, more)) + 1 if more else self.idle + 1

    def reached(self, active: NDArray[np.bool_]) -> bool:
        """Note the nodes that a pass down has visited; returns whether it has to be made again.

        That is so where it came to nodes whose tables were put away, which are back now.
        """
        if self.bytes and active[self._heads].any():
            self.bring_back()
            return True
        self.idle[active[: len(self.idle)]] = 0
        return False

    def put_away(self) -> None:
        """Write the tables of idle nodes to a file and free them."""
        tree, tables = self._tree, self._tables
        resting = self.idle[: tree.nodes] >= IDLE
        if self.bytes or len(self.idle) < tree.nodes or not resting.any():
            return
        behind = np.zeros(tree.nodes, dtype=np.bool_)
        behind[1:] = resting[tree.parent[1:]]
        chosen = {}
        for name in tables.names:
            mask = resting & (tree.kind == DECISION) if name in BY_NODE else behind & (tree.edge_player >= 0)
            chosen[name] = np.flatnonzero(mask & (tables.offset[name] >= 0))
        if 8 * tables.hands * sum(map(len, chosen.values())) < LEAST:
            return
        try:
            self._file = self._file or tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the archive)
            self._file.seek(0)
            for name, blocks in chosen.items():
                put_array(self._file, blocks)
                put_array(self._file, tables.table(name)[tables.places(name, blocks)])
        except OSError:  # no room on the disk: the tables stay in memory
            return
        self._heads = np.flatnonzero(resting & ~behind)
        for name, blocks in chosen.items():
            self.bytes += 8 * tables.hands * len(blocks)
            tables.let_go(name, blocks)
        self.last_bytes = self.bytes

    def bring_back(self) -> None:
        """Read everything back."""
        if not self.bytes:
            return
        assert self._file is not None
        self._file.seek(0)
        for name in self._tables.names:
            blocks, rows = np.load(self._file), np.load(self._file)
            self._tables.hold(name, blocks)
            self._tables.table(name)[self._tables.places(name, blocks)] = rows
        self.bytes = 0

    # Checkpoints

    def saved(self) -> dict[str, NDArray[Any]]:
        """The arrays of a checkpoint, the tables apart, which are all in it."""
        return {"idle": self.idle, "archived": np.array([self.last_bytes])}

    def load(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Load the arrays of `saved`; a ValueError if they are another tree's."""
        if len(kept["idle"]) > self._tree.nodes:
            raise ValueError("idle")
        self.idle, self.last_bytes = np.array(kept["idle"]), int(kept["archived"][0])
