"""The infosets of a game by label: what a strategy needs to be read by people, kept apart from the tree.

Games of histories have a table of them, those of public forms need none (`public_infosets`). A table opens
memory-mapped and finds a label by binary search over hashes, so that asking a strategy of millions of infosets for
one of them reads a few pages.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.forms.history import GameTree
from solvent.forms.holdem.game import HoldemGame, has_holdem_form, holdem_game
from solvent.forms.public.game import PublicGame, public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import stored_game
from solvent.games.public_rules import PublicRules
from solvent.strategy.solved.public_infosets import HoldemInfosets, PublicInfosets
from solvent.strategy.strategy import normalise


@dataclass(frozen=True, eq=False)
class InfosetTable:
    """Players, labels and actions of every infoset, in the order of the tree's infosets."""

    player: NDArray[np.int8]
    first_cell: NDArray[np.int64]
    """The first cell of each infoset, and the number of cells at the end."""
    text: NDArray[np.uint8]
    """All labels as UTF-8, one after another."""
    text_start: NDArray[np.int64]
    action_set: NDArray[np.int32]
    """Number of each infoset's actions among `action_sets`."""
    action_sets: tuple[tuple[str, ...], ...]
    hashes: NDArray[np.uint64]
    """Sorted hashes of (player, label)."""
    order: NDArray[np.int64]
    """The infoset of each hash."""

    @classmethod
    def of(cls, tree: GameTree) -> InfosetTable:
        """The infosets of a compiled game."""
        return cls.made(tree.infoset_player, tree.infoset_label, tree.action_label)

    @classmethod
    def made(
        cls, players: ArrayLike, labels: Sequence[str], actions: Sequence[tuple[str, ...]]
    ) -> InfosetTable:
        """A table from the player, label and actions of each infoset."""
        player = np.asarray(players, dtype=np.int8)
        encoded = [label.encode() for label in labels]
        sets: dict[tuple[str, ...], int] = {}
        action_set = [sets.setdefault(names, len(sets)) for names in actions]
        hashes = np.array(
            [_hash(owner, label) for owner, label in zip(player.tolist(), encoded, strict=True)],
            dtype=np.uint64,
        )
        order = np.argsort(hashes, kind="stable")
        return cls(
            player=player,
            first_cell=np.concatenate([[0], np.cumsum([len(names) for names in actions])]).astype(np.int64),
            text=np.frombuffer(b"".join(encoded), dtype=np.uint8),
            text_start=np.concatenate([[0], np.cumsum([len(label) for label in encoded])]).astype(np.int64),
            action_set=np.array(action_set, dtype=np.int32),
            action_sets=tuple(sets),
            hashes=hashes[order],
            order=order,
        )

    def __len__(self) -> int:
        return len(self.player)

    @property
    def held(self) -> int:
        """Number of infosets that can arise: all of them."""
        return len(self)

    @property
    def cells(self) -> int:
        return int(self.first_cell[-1])

    @cached_property
    def shared_labels(self) -> frozenset[str]:
        """The labels that both players have."""
        labels: tuple[set[str], set[str]] = (set(), set())
        for infoset in self.numbers():
            labels[self.player_of(infoset)].add(self.label(infoset))
        return frozenset(labels[0] & labels[1])

    def label(self, infoset: int) -> str:
        return bytes(self.text[self.text_start[infoset] : self.text_start[infoset + 1]]).decode()

    def actions(self, infoset: int) -> tuple[str, ...]:
        return self.action_sets[self.action_set[infoset]]

    def cells_of(self, infoset: int) -> slice:
        """The places of the infoset's actions in a vector over cells."""
        return slice(int(self.first_cell[infoset]), int(self.first_cell[infoset + 1]))

    def player_of(self, infoset: int) -> int:
        return int(self.player[infoset])

    def owners(self) -> NDArray[np.int8]:
        """The player of every cell, int8[cells]."""
        return np.repeat(self.player, np.diff(self.first_cell))

    def numbers(self) -> Iterable[int]:
        """Every infoset."""
        return range(len(self))

    def normalised(self, weights: NDArray[np.floating]) -> NDArray[np.float64]:
        """Every probability, float64[cells]: weights in proportion inside each infoset, uniform where all are 0."""
        return normalise(weights, self.first_cell)

    def distances(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Total variation between two strategies at every infoset."""
        if not len(self):
            return np.zeros(0)
        distances: NDArray[np.float64] = np.add.reduceat(np.abs(a - b), self.first_cell[:-1]) / 2
        return distances

    def find(self, label: str, player: int | None = None) -> int:
        """The infoset with this label; `player` where both players have one."""
        found = [
            infoset
            for candidate in ((0, 1) if player is None else (player,))
            for infoset in self._candidates(candidate, label)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(f"both players have an infoset {label!r}; say which player, as in {(0, label)}")
        hint = f"one that exists is {self.label(0)!r}" if len(self) else "the game has no decisions"
        raise InputError(f"there is no infoset {label!r}; {hint}")

    def _candidates(self, player: int, label: str) -> Sequence[int]:
        wanted = np.uint64(_hash(player, label.encode()))
        start, stop = (
            np.searchsorted(self.hashes, wanted, "left"),
            np.searchsorted(self.hashes, wanted, "right"),
        )
        same = (int(infoset) for infoset in self.order[start:stop])
        return [
            infoset for infoset in same if self.player[infoset] == player and self.label(infoset) == label
        ]

    @cached_property
    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """The table as arrays that a bundle stores."""
        names = json.dumps(self.action_sets).encode()
        return {
            "player": self.player,
            "first_cell": self.first_cell,
            "text": self.text,
            "text_start": self.text_start,
            "action_set": self.action_set,
            "action_names": np.frombuffer(names, dtype=np.uint8),
            "hashes": self.hashes,
            "order": self.order,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> InfosetTable:
        """The table that `arrays` describes, which a saved strategy has unless it was changed."""
        rest = dict(arrays)
        try:
            names = json.loads(bytes(rest.pop("action_names")))
            return cls(action_sets=tuple(tuple(actions) for actions in names), **rest)  # type: ignore[arg-type]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError("a saved strategy is damaged: it has not the arrays of its infosets") from error


def _hash(player: int, label: bytes) -> int:
    digest = hashlib.blake2b(label, digest_size=8, salt=bytes([player]))
    return int.from_bytes(digest.digest(), "little")


Form = GameTree | PublicGame | HoldemGame
Infosets = InfosetTable | PublicInfosets | HoldemInfosets


def infosets_of(form: Form) -> Infosets:
    """The infosets of a compiled game."""
    if isinstance(form, HoldemGame):
        return HoldemInfosets(form)
    return PublicInfosets(form) if isinstance(form, PublicGame) else InfosetTable.of(form)


def public_form(rules: PublicRules, isomorphism: bool) -> PublicGame | HoldemGame:
    """The public form on which a game is solved."""
    return holdem_game(rules, isomorphism) if has_holdem_form(rules) else public_game(rules, isomorphism)


def stored_infosets(name: str, source: Any, isomorphism: bool, fingerprint: str, where: Path) -> Infosets:
    """The infosets of a public form by the game's name or source, as for `stored_game`."""
    rules = stored_game(name, source, where)
    game = public_form(rules, isomorphism) if isinstance(rules, PublicRules) else None
    if game is None or game.fingerprint != fingerprint:
        raise InputError(f"{where} belongs to another game than {name}, or to another version of it")
    return infosets_of(game)
