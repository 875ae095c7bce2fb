"""The history form: every history of a game as a row of flat arrays, in depth-first (preorder) order.

Any extensive-form game compiles to it. A row's first child is the next row and its subtree is the slice
`row : end[row]`, so a forward sweep over rows is the descent of a depth-first walk and a backward sweep its
return.

Every edge has a *cell*: the infoset-action that was taken or, after all of those, one slot per distinct
chance probability. So the probability of any edge, whoever moved, is one look-up in one vector.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.games.game import CHANCE, TERMINAL, Game, GameError, State

BYTES_PER_HISTORY = 72
"""Tree arrays, the walk's two vectors and the terminals of the sequence form, per history."""

DEFAULT_MEMORY = 8 << 30
"""Bytes a compiled game may take unless the user says otherwise."""

CHANCE_TOLERANCE = 1e-9
SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class GameTree:
    """A compiled game. Arrays are indexed by history (row), by infoset or by infoset-action (cell)."""

    name: str
    player: NDArray[np.int8]
    """Who acts at each history: 0, 1, CHANCE or TERMINAL."""
    infoset: NDArray[np.int32]
    """The acting player's infoset, -1 where no player acts."""
    parent: NDArray[np.int32]
    """The history one action earlier; the root is its own parent."""
    cell: NDArray[np.int32]
    """The cell of the edge that led here; the root's has probability 1."""
    end: NDArray[np.int32]
    """One past the last history of the subtree."""
    payoff: NDArray[np.float64]
    """float64[players, histories], in chips; 0 before the end of the game."""
    chance: NDArray[np.float64]
    """The distinct chance probabilities; cell `cells + k` has probability `chance[k]`, and `chance[0]` is 1."""
    infoset_player: NDArray[np.int8]
    infoset_cell: NDArray[np.int64]
    """The first cell of each infoset, and the number of cells at the end: int64[infosets + 1]."""
    infoset_label: Sequence[str]
    action_label: Sequence[tuple[str, ...]]
    """The actions of each infoset."""
    zero_sum: bool
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def histories(self) -> int:
        return len(self.player)

    @property
    def infosets(self) -> int:
        return len(self.infoset_player)

    @property
    def cells(self) -> int:
        """The number of infoset-actions."""
        return int(self.infoset_cell[-1])

    @cached_property
    def cell_player(self) -> NDArray[np.int8]:
        """Whose action each cell is."""
        return np.repeat(self.infoset_player, np.diff(self.infoset_cell))

    @cached_property
    def uniform(self) -> NDArray[np.float64]:
        """The strategy that plays every action alike: float64[cells]."""
        actions = np.diff(self.infoset_cell)
        return np.repeat(1.0 / actions, actions)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the rules: two games that differ in any history, infoset or payoff differ in it."""
        digest = hashlib.sha256()
        for column in (self.player, self.infoset, self.parent, self.cell, self.payoff, self.chance):
            digest.update(np.ascontiguousarray(column).tobytes())
        for label, actions in zip(self.infoset_label, self.action_label, strict=True):
            digest.update("\0".join((label, *actions)).encode())
        return digest.hexdigest()[:32]


def compile_tree(
    game: Game,
    memory: int = DEFAULT_MEMORY,
    progress: Callable[[int], None] | None = None,
) -> GameTree:
    """Compile a game to the history form, or say why it cannot be.

    `memory` is in bytes; a game that would take more is refused with its size and the limit. `progress` is
    called now and then with the number of histories so far.
    """
    if game.players != 2:
        raise GameError(f"{game} has {game.players} players; the solvers take two")
    limit = memory // BYTES_PER_HISTORY
    count = getattr(game, "histories", None)
    if count is not None and (histories := count()) > limit:
        raise _too_large(game, f"{histories:,}", histories, memory, limit)
    return _Compiler(game, memory, limit, progress).compile()


def _too_large(game: Game, counted: str, histories: int, memory: int, limit: int) -> GameError:
    return GameError(
        f"{game} has {counted} histories, which take {histories * BYTES_PER_HISTORY / 2**30:,.1f} GiB; "
        f"the memory limit of {memory / 2**30:,.1f} GiB holds {limit:,}"
    )


class _Compiler:
    """One depth-first walk over the rules that writes a row for each state."""

    def __init__(self, game: Game, memory: int, limit: int, progress: Callable[[int], None] | None) -> None:
        self.game, self.memory, self.limit, self.progress = game, memory, limit, progress
        self.player = array("b")
        self.infoset = array("i")
        self.parent = array("i")
        self.cell = array("i")
        self.end = array("i")
        self.payoff = (array("d"), array("d"))
        self.infosets: dict[tuple[int, str], int] = {}
        self.actions: list[tuple[str, ...]] = []
        self.first_cell = [0]
        # Chance cells get negative numbers until the number of infoset-actions is known.
        self.chance: dict[Fraction | float, int] = {1: -1}
        self.zero_sum = True

    def compile(self) -> GameTree:
        # A stack entry is a state with the edge that leads to it, or (None, row, 0): the subtree of `row` ends.
        stack: list[tuple[Any, int, int]] = [(self.game.root(), 0, -1)]
        while stack:
            state, parent, cell = stack.pop()
            if state is None:
                self.end[parent] = len(self.player)
                continue
            row = len(self.player)
            if row >= self.limit:
                raise _too_large(self.game, f"more than {row:,}", row, self.memory, self.limit)
            if self.progress is not None and row % 65536 == 65535:
                self.progress(row)
            player = state.player()
            self.player.append(player)
            self.parent.append(parent)
            self.cell.append(cell)
            self.end.append(row + 1)
            if player == TERMINAL:
                self._terminal(state)
                continue
            self.payoff[0].append(0.0)
            self.payoff[1].append(0.0)
            stack.append((None, row, 0))
            if player == CHANCE:
                self.infoset.append(-1)
                children = self._chance(state, row)
            else:
                children = self._decision(state, player, row)
            stack.extend(reversed(children))
        return self._tree()

    def _terminal(self, state: State) -> None:
        first, second = state.payoffs()
        if not (np.isfinite(first) and np.isfinite(second)):
            raise GameError(f"{self.game} pays {first} and {second} at one end; payoffs must be finite")
        self.infoset.append(-1)
        self.payoff[0].append(first)
        self.payoff[1].append(second)
        if abs(first + second) > SUM_TOLERANCE * (1 + abs(first)):
            self.zero_sum = False

    def _chance(self, state: Any, row: int) -> list[tuple[State, int, int]]:
        if hasattr(state, "chance_children"):
            outcomes = [(weight, child) for _, weight, child in state.chance_children()]
        else:
            outcomes = [(weight, state.child(outcome)) for outcome, weight in state.chance()]
        total = sum(weight for weight, _ in outcomes)
        if abs(total - 1) > CHANCE_TOLERANCE or any(weight < 0 for weight, _ in outcomes):
            raise GameError(
                f"{self.game} has a chance node whose probabilities sum to {float(total):g}; "
                f"they must be non-negative and sum to 1"
            )
        chance = self.chance
        return [(child, row, chance.setdefault(weight, -1 - len(chance))) for weight, child in outcomes]

    def _decision(self, state: Any, player: int, row: int) -> list[tuple[State, int, int]]:
        if player not in (0, 1):
            raise GameError(f"{self.game} gives the move to player {player}; players are 0 and 1")
        actions = tuple(state.actions())
        key = (player, state.infoset())
        number = self.infosets.setdefault(key, len(self.infosets))
        if number == len(self.actions):
            if not actions:
                raise GameError(f"{self.game} offers player {player} no action at {key[1]!r}")
            if len(set(actions)) < len(actions):
                raise GameError(f"{self.game} offers an action twice at {key[1]!r}: {', '.join(actions)}")
            self.actions.append(actions)
            self.first_cell.append(self.first_cell[-1] + len(actions))
        elif self.actions[number] != actions:
            raise GameError(
                f"{self.game} offers {', '.join(actions)} and elsewhere {', '.join(self.actions[number])} "
                f"in one infoset of player {player}, {key[1]!r}"
            )
        self.infoset.append(number)
        first = self.first_cell[number]
        children = state.children() if hasattr(state, "children") else map(state.child, actions)
        return [(child, row, first + k) for k, child in enumerate(children)]

    def _tree(self) -> GameTree:
        cells = self.first_cell[-1]
        cell = np.array(self.cell, dtype=np.int32)
        np.copyto(cell, cells - 1 - cell, where=cell < 0)
        return GameTree(
            name=str(self.game),
            player=np.array(self.player, dtype=np.int8),
            infoset=np.array(self.infoset, dtype=np.int32),
            parent=np.array(self.parent, dtype=np.int32),
            cell=cell,
            end=np.array(self.end, dtype=np.int32),
            payoff=np.array(self.payoff, dtype=np.float64),
            chance=np.array([float(weight) for weight in self.chance]),
            infoset_player=np.array([player for player, _ in self.infosets], dtype=np.int8),
            infoset_cell=np.array(self.first_cell, dtype=np.int64),
            infoset_label=[label for _, label in self.infosets],
            action_label=self.actions,
            zero_sum=self.zero_sum,
        )
