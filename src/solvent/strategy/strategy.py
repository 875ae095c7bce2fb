"""The strategy protocol: which probabilities are played here?

A strategy gives, for every infoset, how often each action is played. Solved games keep theirs in a table over
the cells of the game (`strategy.solved.tables`), trained hold'em agents in a blueprint over buckets of hands
(`strategy.blueprint`); whatever only asks for probabilities takes both. `strategy.opening` opens either from a
run's folder.

strategy = open_strategy("runs/leduc")
strategy["K|Q|kk/b"]                # {'fold': 0.07, 'call': 0.91, 'raise 4': 0.02}
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.foundation.html import table_html

if TYPE_CHECKING:
    from solvent.strategy.solved.tables import TableStrategy

Key = str | tuple[int, str]
"""An infoset's label or, where both players have an infoset of that label, (player, label)."""
Chosen = Mapping[str, float] | Sequence[float]
"""Play at an infoset: by the name of the action, those left out not at all, or one number for each."""
Policy = Callable[[int, str, tuple[str, ...]], Chosen]
"""A strategy as a function of (player, infoset, actions)."""
SHOWN = 12
"""Infosets that a notebook lists."""


class Row(NamedTuple):
    """A strategy at one infoset."""

    player: int
    infoset: str
    """The infoset's label, as `Strategy.query` takes it."""
    probabilities: dict[str, float]
    """Probabilities by the name of the action; they sum to 1."""


class NoSuchInfosetError(InputError, KeyError):
    """A strategy was asked, as a mapping, for an infoset that its game does not have."""

    __str__ = ValueError.__str__  # a KeyError would print the sentence in quotes


class Strategy(Mapping[Key, dict[str, float]]):
    """A strategy for both players of a game: a mapping from infosets to the probability of each action.

    strategy["K|Q|kk/b"], len(strategy), dict(strategy) and iteration work as they do for a dict. Keys are labels
    or, where both players have an infoset of one label, (player, label).
    """

    game: str
    """The name of the game."""
    fingerprint: str
    """A digest of the game's infosets: two strategies with one fingerprint can be compared row by row."""
    facts: dict[str, Any]
    """Origin of the strategy: rule, iterations, seconds, what was measured."""

    @abstractmethod
    def query(self, infoset: str, player: int | None = None) -> dict[str, float]:
        """The probability of each action at an infoset; `player` where both players have one of that label."""

    @abstractmethod
    def rows(self, player: int | None = None) -> Iterator[Row]:
        """Every infoset, or every infoset of one player, in a fixed order; nothing is kept in memory."""

    @staticmethod
    def from_dict(game: Any, rows: Mapping[Any, Chosen]) -> TableStrategy:
        """A strategy from what is played at each infoset of both players; see `Key` and `Chosen`.

        `game` is a compiled game or whatever `load_game` takes. An infoset that is missing is refused, and so are
        weights that are negative, not finite or all 0. Weights are scaled to sum to 1.
        """
        from solvent.strategy.solved.policies import strategy_from_dict

        return strategy_from_dict(game, rows)

    @staticmethod
    def from_function(game: Any, policy: Policy) -> TableStrategy:
        """A strategy from a function of (player, infoset, actions), asked at every infoset; else as `from_dict`."""
        from solvent.strategy.solved.policies import strategy_from_function

        return strategy_from_function(game, policy)

    def __getitem__(self, key: Key) -> dict[str, float]:
        player, label = key if isinstance(key, tuple) else (None, key)
        try:
            return self.query(label, player)
        except InputError as error:
            raise NoSuchInfosetError(str(error)) from error

    def __iter__(self) -> Iterator[Key]:
        return (row.infoset for row in self.rows())

    def __repr__(self) -> str:
        return f"<strategy of {self.game}: {len(self):,} infosets>"

    def _repr_html_(self) -> str:
        """The first infosets as an HTML table, for notebooks."""
        rows = [
            (str(player), infoset, ", ".join(f"{name} {part:.3f}" for name, part in probabilities.items()))
            for player, infoset, probabilities in islice(self.rows(), SHOWN)
        ]
        made = ", ".join(f"{self.facts[key]}" for key in ("rule", "updates") if self.facts.get(key))
        title = f"{self.game}{f' ({made})' if made else ''}"
        note = f"{len(rows):,} of {len(self):,} infosets"
        return table_html(title, ("player", "infoset", "probabilities"), rows, note)


def normalise(weights: NDArray[np.floating], first_cell: NDArray[np.integer]) -> NDArray[np.float64]:
    """Scale the weights of each infoset, float[cells], to sum to 1; uniform where they are all 0.

    `first_cell`, int[infosets + 1], says where each infoset's cells begin.

    >>> normalise(np.array([1.0, 3.0, 0.0, 0.0]), np.array([0, 2, 4])).tolist()
    [0.25, 0.75, 0.5, 0.5]
    """
    cells: NDArray[np.float64] = np.asarray(weights, dtype=np.float64)
    if not len(cells):
        return cells.copy()
    actions = np.diff(first_cell)
    total = np.repeat(np.add.reduceat(cells, first_cell[:-1]), actions)
    return _shares(cells, total, np.repeat(1.0 / actions, actions))


def normalise_block(weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """`normalise` of infosets that have the same actions: float[actions, infosets], scaled along axis 0.

    >>> normalise_block(np.array([[1.0, 0.0], [3.0, 0.0]])).tolist()
    [[0.25, 0.5], [0.75, 0.5]]
    """
    block: NDArray[np.float64] = np.asarray(weights, dtype=np.float64)
    return _shares(block, block.sum(axis=0), np.full(block.shape, 1.0 / len(block)))


def _shares(
    weights: NDArray[np.float64], total: NDArray[np.float64], uniform: NDArray[np.float64]
) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = np.divide(weights, total, out=uniform, where=total > 0)
    return shares
