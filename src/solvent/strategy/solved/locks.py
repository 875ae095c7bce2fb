"""Locks: infosets where a given strategy is played, whatever is learnt elsewhere.

Node locking, frozen players and best responses by solving are one thing: some infosets keep a fixed strategy,
and a solver looks for the best play around them. A `Locks` names the infosets and what is played there; every
full-width and sampling solver takes one. It fits one form of a game: cells of a compiled tree, or blocks of a
public game.

Locks.of(strategy, player=1)                                  # player 1 plays the strategy everywhere
Locks.from_dict(tree, {"K|Q|kk/b": {"call": 1.0}})            # one infoset
Locks.at_node(game, "kb", [0.2, 0.8], hands=["As Ah"])        # a betting node, for some hands, on all boards
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.forms.public.game import PublicGame
from solvent.foundation.errors import InputError
from solvent.strategy.solved.form_infosets import Form, infosets_of
from solvent.strategy.solved.policies import check_weights, row_of
from solvent.strategy.solved.public_infosets import PublicInfosets
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

    @classmethod
    def at_node(
        cls,
        game: PublicGame,
        history: str,
        play: ArrayLike,
        hands: Collection[str] | None = None,
        boards: Collection[str] | None = None,
    ) -> Locks:
        """Lock a betting node of a public game, for all hands on all boards or for those that are named.

        `play` is float[actions], or float[actions, boards, slots] as the node's blocks have them.
        """
        infosets = PublicInfosets(game)
        named = [n for n in infosets.decisions.tolist() if game.betting[n].history == history]
        if not named:
            known = game.betting[int(infosets.decisions[0])].history
            raise InputError(f"{game.name} has no betting node {history!r}; one that it has is {known!r}")
        node = named[0]
        here, rules = game.rounds[game.nodes.round[node]], game.rules
        edges = slice(int(game.nodes.first_edge[node]), int(game.nodes.first_edge[node + 1]))
        weights = np.asarray(play, dtype=np.float64)
        if weights.ndim == 1:
            weights = weights[:, None, None]
        try:
            weights = np.broadcast_to(weights, (edges.stop - edges.start, *here.hand.shape))
        except ValueError:
            actions = ", ".join(game.betting[node].actions)
            raise InputError(f"node {history!r} has the actions {actions}: give a number for each") from None
        chosen = np.ones(here.hand.shape, dtype=np.bool_)
        if hands is not None:
            labels = [rules.hand_labels[hand] for hand in game.hands]
            chosen &= np.isin(here.hand, [labels.index(hand) for hand in _known("hand", hands, labels)])
        if boards is not None:
            labels = [rules.board_label(board) for board in here.boards]
            chosen &= np.isin(labels, _known("board", boards, labels))[:, None]
        check_weights(history, weights[:, chosen])
        locked, probabilities = np.zeros(game.cells, dtype=np.bool_), np.zeros(game.cells)
        cells = slice(int(infosets.block[edges.start]), int(infosets.block[edges.start]) + weights.size)
        locked[cells] = np.broadcast_to(chosen, weights.shape).ravel()
        total = np.where(chosen, weights.sum(axis=0), 1.0)
        probabilities[cells] = np.where(chosen, weights / total, 0.0).ravel()
        return cls(game.name, game.fingerprint, locked, probabilities)

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


def _known(kind: str, wanted: Collection[str], labels: Collection[str]) -> list[str]:
    """The labels that were asked for, all of which there must be."""
    if unknown := [label for label in wanted if label not in labels]:
        raise InputError(
            f"there is no {kind} {unknown[0]!r} here; one that there is is {next(iter(labels))!r}"
        )
    return list(wanted)
