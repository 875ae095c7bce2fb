"""Locks: infosets where a given strategy is played, whatever is learnt elsewhere.

Node locking, frozen players and best responses by solving are one thing: some infosets keep a fixed strategy,
and a solver looks for the best play around them. A `Locks` names the infosets and what is played there; every
full-width and sampling solver takes one. It fits one form of a game: cells of a compiled tree, or blocks of a
public game.

Locks.of(strategy, player=1)                            # player 1 plays the strategy everywhere
Locks.from_dict(tree, {"K|Q|kk/b": {"call": 1.0}})      # one infoset
Locks.from_function(game, lambda player, label, actions: [0.2, 0.8] if label.endswith("|kb") else None)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError
from solvent.strategy.solved.infosets import Form, infosets_of
from solvent.strategy.solved.policies import row_of
from solvent.strategy.solved.tables import TableStrategy
from solvent.strategy.strategy import Chosen

Number = TypeVar("Number", bound=np.floating)


@dataclass(frozen=True, eq=False)
class Locks:
    """Some infosets of a game and the strategy that is played there."""

    game: str
    fingerprint: str
    """The digest of the form whose cells these are (see `TableStrategy.fingerprint`)."""
    locked: NDArray[np.bool_]
    """bool[cells]: whether each cell belongs to a locked infoset. All cells of an infoset are locked, or none."""
    probabilities: NDArray[np.float64]
    """float64[cells]: what is played at the locked infosets, 0 elsewhere."""

    def __post_init__(self) -> None:
        self.locked.flags.writeable = self.probabilities.flags.writeable = False

    @classmethod
    def of(
        cls,
        strategy: TableStrategy,
        player: int | None = None,
        where: Callable[[int, str], bool] | None = None,
    ) -> Locks:
        """Lock infosets to what a strategy plays there.

        All are locked, or only those of one player, or only those for which `where(player, infoset)` is true.
        """
        infosets = strategy.infosets
        locked = np.ones(infosets.cells, dtype=np.bool_)
        if player is not None:
            locked &= infosets.owners() == player
        if where is not None:
            for infoset in infosets.numbers():
                if not where(infosets.player_of(infoset), infosets.label(infoset)):
                    locked[infosets.cells_of(infoset)] = False
        return cls(strategy.game, strategy.fingerprint, locked, np.where(locked, strategy.probabilities, 0.0))

    @classmethod
    def from_dict(cls, game: Form, play: Mapping[str | tuple[int, str], Chosen]) -> Locks:
        """Lock infosets by label, or by (player, label) where both players have one of that label.

        What is played is given by the names of the actions, or as one number for each action in their order.
        """
        infosets = infosets_of(game)
        locked, probabilities = np.zeros(infosets.cells, dtype=np.bool_), np.zeros(infosets.cells)
        for key, chosen in play.items():
            player, label = key if isinstance(key, tuple) else (None, key)
            infoset = infosets.find(label, player)
            cells = infosets.cells_of(infoset)
            locked[cells] = True
            probabilities[cells] = row_of(label, infosets.actions(infoset), chosen)
        return cls(game.name, game.fingerprint, locked, probabilities)

    @classmethod
    def from_function(
        cls,
        game: Form,
        play: Callable[[int, str, tuple[str, ...]], Chosen | None],
    ) -> Locks:
        """Lock the infosets for which `play(player, label, actions)` gives probabilities and not None."""
        infosets = infosets_of(game)
        found: dict[str | tuple[int, str], Chosen] = {}
        for infoset in infosets.numbers():
            player, label = infosets.player_of(infoset), infosets.label(infoset)
            chosen = play(player, label, infosets.actions(infoset))
            if chosen is not None:
                found[player, label] = chosen
        return cls.from_dict(game, found)

    def __or__(self, other: Locks) -> Locks:
        """Both locks; where both have an infoset the second one counts."""
        if self.fingerprint != other.fingerprint:
            raise InputError(f"locks of {self.game} and of {other.game} cannot be put together")
        probabilities = np.where(other.locked, other.probabilities, self.probabilities)
        return Locks(self.game, self.fingerprint, self.locked | other.locked, probabilities)

    def __bool__(self) -> bool:
        return bool(self.locked.any())

    def over(self, weights: NDArray[Number]) -> NDArray[Number]:
        """A strategy's weights, float[cells], with the locks' probabilities in their places."""
        found: NDArray[Number] = np.where(self.locked, self.probabilities, weights).astype(weights.dtype)
        return found

    def check(self, game: str, fingerprint: str) -> None:
        """Refuse locks of another game, or of another form of this one."""
        if self.fingerprint == fingerprint:
            return
        if self.game == game:
            raise InputError(f"the locks of {game} are for another of its forms, or for other boards")
        raise InputError(f"the locks are for {self.game}, not for {game}")

    @property
    def digest(self) -> str:
        """A digest of what is locked and to what, for a run to remember."""
        content = blake2b(self.fingerprint.encode(), digest_size=16)
        content.update(np.packbits(self.locked).tobytes())
        content.update(np.ascontiguousarray(self.probabilities[self.locked]).tobytes())
        return content.hexdigest()
