"""The bytes that the tables of a growing run may take."""

from __future__ import annotations

from dataclasses import dataclass

from solvent.engines.explicit.growing.tables import GrowingTables
from solvent.forms.explicit.tree import ExplicitTree
from solvent.foundation.errors import InputError
from solvent.foundation.units import size
from solvent.games.public_rules import Betting

SPARED = 0.03
"""The part of a budget that additions leave free, so that pruned actions can return."""


@dataclass
class Budget:
    """How much the tables may take, and what was not done for lack of room."""

    limit: int
    """Bytes."""
    peak: int = 0
    """The most that the tables have taken, in bytes."""
    refused_additions: int = 0
    """How many times a bet that paid was not added."""
    refused_returns: int = 0
    """How many times a pruned action had to wait although it paid again."""

    def check_base(self, tables: GrowingTables, name: str) -> None:
        """Refuse a budget into which the tables of the game as it begins do not fit."""
        needed = int(tables.bytes / (1.0 - SPARED)) + 1
        if needed > self.limit:
            raise InputError(
                f"{name} begins with {size(tables.bytes)} of tables, so that its memory budget must be at least "
                f"{size(needed)}, not {size(self.limit)}"
            )

    def check_loaded(self, tables: GrowingTables, name: str) -> None:
        """Refuse to go on under a budget that the tables of a checkpoint are above already."""
        if tables.bytes > self.limit:
            raise InputError(
                f"the tables of {name} have grown to {size(tables.bytes)}, so that its memory budget cannot be "
                f"{size(self.limit)} any more"
            )

    def fits(self, tables: GrowingTables, more: int, adds: bool) -> bool:
        """Whether so many more bytes fit; `adds`: for an addition, which leaves some of the budget free."""
        return tables.bytes + more <= self.limit * (1.0 - SPARED if adds else 1.0)


def addition_bytes(below: Betting, tree: ExplicitTree, player: int, alternating: bool) -> int:
    """What the tables of a bet of a player take, from the betting behind it."""
    boards = len(tree.boards) - 1
    edges, first, decisions = _rows(below, boards)
    numbers = 2 * (edges + 1) + decisions + (first + (player == 0) if alternating else 0)
    return 8 * len(tree.hands) * numbers


def _rows(betting: Betting, boards: int) -> tuple[int, int, int]:
    """The edges of players, those of player 0, and the decisions of a betting subtree on all boards."""
    below = [_rows(child, boards) for child in betting.children]
    edges, first, decisions = (sum(column) for column in zip(*below, strict=True)) if below else (0, 0, 0)
    if betting.deals:
        return boards * edges, boards * first, boards * decisions
    count = len(betting.actions)
    return edges + count, first + (count if count and betting.player == 0 else 0), decisions + (count > 0)
