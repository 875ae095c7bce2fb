"""A game read from a Gambit file, as a tree of nodes in preorder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from solvent.games.game import TERMINAL, GameError, ListedState, State


@dataclass(frozen=True, slots=True)
class Moves:
    """The actions of an infoset as the file lists them; those of chance have probabilities."""

    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()

    def __str__(self) -> str:
        shown = [f'"{label}"' for label in self.labels]
        if self.probabilities:
            shown = [f"{label} {weight}" for label, weight in zip(shown, self.probabilities, strict=True)]
        return "{ " + " ".join(shown) + " }"


@dataclass(slots=True)
class Infoset:
    """An infoset of the file. Chance nodes have infosets too."""

    player: int
    number: int
    name: str
    moves: Moves
    at: int
    """The position in the file, in characters, at which its actions are given."""
    actions: tuple[str, ...]
    """The labels of the moves, made distinct."""
    text: str = ""


@dataclass(slots=True)
class Tree:
    """The nodes in preorder, one row per node."""

    infosets: list[Infoset | None] = field(default_factory=list)
    """The infoset of each node; None at the end of a history."""
    children: list[list[int]] = field(default_factory=list)
    payoffs: list[tuple[float, ...]] = field(default_factory=list)
    """The sum of the outcomes along the history, in chips; empty except at the end of a history."""


class EfgGame:
    """A two-player game that was read from a Gambit file."""

    players = 2

    def __init__(self, path: str, title: str, names: Sequence[str], tree: Tree) -> None:
        self.path = path
        self.title = title
        self.names = tuple(names)
        self._tree = tree

    def __str__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<game {self}>"

    def root(self) -> State:
        """The state before anything has happened."""
        return _State(self._tree, 0)


class _State(ListedState):
    """A node of the file."""

    __slots__ = ("_infoset", "_row", "_tree")

    def __init__(self, tree: Tree, row: int) -> None:
        self._tree = tree
        self._row = row
        self._infoset = tree.infosets[row]

    def _acting(self) -> Infoset:
        if self._infoset is None:
            raise GameError("nobody moves at the end of a history")
        return self._infoset

    def player(self) -> int:
        return TERMINAL if self._infoset is None else self._infoset.player

    def actions(self) -> tuple[str, ...]:
        return self._acting().actions

    def child(self, action: str) -> _State:
        position = self._acting().actions.index(action)
        return _State(self._tree, self._tree.children[self._row][position])

    def children(self) -> list[_State]:
        return [_State(self._tree, row) for row in self._tree.children[self._row]]

    def chance_children(self) -> list[tuple[str, Fraction, _State]]:
        infoset = self._acting()
        return list(zip(infoset.actions, infoset.moves.probabilities, self.children(), strict=True))

    def infoset(self) -> str:
        return self._acting().text

    def payoffs(self) -> tuple[float, ...]:
        return self._tree.payoffs[self._row]
