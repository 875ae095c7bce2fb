"""The strategy of a solved game: a table with one number for each action of each infoset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.history import GameTree
from solvent.foundation.errors import InputError
from solvent.foundation.storage.bundle import read_bundle, write_bundle
from solvent.games.catalogue import allowed_game, stored_game
from solvent.games.game import Game
from solvent.games.own import source_of
from solvent.strategy.solved.infosets import Infosets, InfosetTable, stored_infosets
from solvent.strategy.strategy import Key, Row, Strategy, normalise_block

LONGEST_PATTERN = 4_000
"""Letters of a pattern; reading one may take time in proportion to the square of its length."""


@dataclass(frozen=True, eq=False, repr=False)
class TableStrategy(Strategy):
    """An immutable strategy for both players.

    `weights`, float[cells], are proportional to the probabilities inside each infoset. All zero is what solvers
    leave where a player never came, and means uniform play; strategies made with `from_dict` and `from_function`
    have no such infosets. Weights may be memory-mapped, so a table larger than memory can be asked one infoset at a
    time.
    """

    game: str
    fingerprint: str
    infosets: Infosets
    weights: NDArray[np.floating]
    facts: dict[str, Any] = field(default_factory=dict)
    """Its origin: rule, iterations, exploitability and how it was measured, seconds, peak memory."""
    source: Any = None
    """The game itself; or where its own code is, as a file says, which is not run; None where the name says all."""

    def __post_init__(self) -> None:
        if self.weights.shape != (self.infosets.cells,):
            raise InputError(
                f"a strategy for {self.game} has {self.infosets.cells} numbers, not {self.weights.size}"
            )
        self.weights.flags.writeable = False

    @classmethod
    def of(cls, tree: GameTree, weights: NDArray[np.floating], **facts: Any) -> TableStrategy:
        """A strategy of a compiled game from float[cells], none below 0; uniform where an infoset's are all 0."""
        if not (np.asarray(weights) >= 0).all():
            raise InputError(f"a strategy for {tree.name} has numbers of at least 0")
        return cls(tree.name, tree.fingerprint, InfosetTable.of(tree), np.array(weights), facts, tree.rules)

    def rules(self) -> Game:
        """The game that the strategy is of. One of own code is there only if a person gave it or allowed it."""
        return stored_game(self.game, self.source, "this strategy")

    def __len__(self) -> int:
        return self.infosets.held

    def __iter__(self) -> Iterator[Key]:
        infosets, shared = self.infosets, self.infosets.shared_labels
        for infoset in infosets.numbers():
            label = infosets.label(infoset)
            yield (infosets.player_of(infoset), label) if label in shared else label

    def query(self, infoset: str, player: int | None = None) -> dict[str, float]:
        """The probability of each action at an infoset; `player` where both players have one of that label."""
        return self.at(self.infosets.find(infoset, player))

    def at(self, infoset: int) -> dict[str, float]:
        """The probability of each action at an infoset given by number."""
        row = normalise_block(np.asarray(self.weights[self.infosets.cells_of(infoset)])[:, None])[:, 0]
        return dict(zip(self.infosets.actions(infoset), row.tolist(), strict=True))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Every probability, float64[cells]."""
        probabilities = self.infosets.normalised(self.weights)
        probabilities.flags.writeable = False
        return probabilities

    def rows(self, player: int | None = None) -> Iterator[Row]:
        """Every infoset, or every infoset of one player."""
        for infoset in self.infosets.numbers():
            owner = self.infosets.player_of(infoset)
            if player in (None, owner):
                yield Row(owner, self.infosets.label(infoset), self.at(infoset))

    def save(self, folder: str | Path) -> None:
        """Save as a folder that `open_strategy` opens memory-mapped."""
        facts = {**self.facts, "game": self.game, "fingerprint": self.fingerprint}
        source = self.source
        if source is not None and not isinstance(source, str):
            source = source_of(source)
        if source is not None:
            facts["source"] = source
        arrays: dict[str, NDArray[Any]] = {"weights": self.weights}
        if isinstance(self.infosets, InfosetTable):
            arrays |= self.infosets.arrays
        else:
            facts |= {"form": "public", "isomorphism": self.infosets.game.isomorphism}
        write_bundle(Path(folder), arrays, facts)

    @classmethod
    def load(cls, folder: str | Path, game: Any = None, own_code: bool = False) -> TableStrategy:
        """Open what `save` wrote; `game` and `own_code` as for `open_strategy`."""
        folder = Path(folder)
        arrays, facts = read_bundle(folder, mapped=True)
        weights, source = arrays.pop("weights", None), facts.pop("source", None)
        name, fingerprint = facts.pop("game", None), facts.pop("fingerprint", None)
        if weights is None or not isinstance(name, str) or not isinstance(fingerprint, str):
            raise InputError(f"{folder} is not a saved strategy")
        source = allowed_game(source, own_code) if game is None else game
        if facts.pop("form", None) == "public":
            isomorphism = bool(facts.pop("isomorphism", False))
            infosets: Infosets = stored_infosets(name, source, isomorphism, fingerprint, folder)
        else:
            infosets = InfosetTable.from_arrays(arrays)
        return cls(name, fingerprint, infosets, weights, facts, source)


@dataclass(frozen=True)
class Comparison:
    """Difference of two strategies of one game, in total variation distance per infoset."""

    mean: float
    largest: float
    infoset: str
    """The infoset at which they differ most."""
    player: int


def different_games(a: TableStrategy, b: TableStrategy) -> str:
    """The reason why two strategies do not have the same infosets."""
    if a.game == b.game and isinstance(a.infosets, InfosetTable) and isinstance(b.infosets, InfosetTable):
        return (
            f"both strategies are of {a.game}, but with other actions, as games have that grew while solved"
        )
    if a.game == b.game:
        return f"both strategies are of {a.game}, but one has its tables by other boards or by histories"
    return f"the strategies are of different games: {a.game} and {b.game}"


def compare(a: TableStrategy, b: TableStrategy) -> Comparison:
    """Compare two strategies infoset by infoset."""
    if a.fingerprint != b.fingerprint:
        raise InputError(different_games(a, b))
    if not len(a):
        raise InputError(f"{a.game} has no decisions, so its strategies cannot differ")
    distance = a.infosets.distances(a.probabilities, b.probabilities)
    worst = int(distance.argmax())
    return Comparison(
        float(distance.sum()) / len(a),
        float(distance[worst]),
        a.infosets.label(worst),
        a.infosets.player_of(worst),
    )


def matching_rows(
    strategy: TableStrategy, wanted: str | None, player: int | None, limit: int
) -> tuple[list[Row], int]:
    """Rows of the infosets that match, at most `limit` of them, and how many infosets match.

    `wanted` is an infoset, or a pattern with * and ?; None matches all.
    """
    if wanted is not None and not any(letter in wanted for letter in "*?"):
        infoset = strategy.infosets.find(wanted, player)
        owner = strategy.infosets.player_of(infoset)
        return [Row(owner, strategy.infosets.label(infoset), strategy.at(infoset))], 1
    if wanted is not None and len(wanted) > LONGEST_PATTERN:
        raise InputError(f"a pattern has at most {LONGEST_PATTERN:,} letters, not {len(wanted):,}")
    if wanted is None and player is None:
        return list(islice(strategy.rows(), limit)), len(strategy)
    shown: list[Row] = []
    matching = 0
    for row in strategy.rows(player):
        if wanted is None or fnmatchcase(row.infoset, wanted):
            matching += 1
            if len(shown) < limit:
                shown.append(row)
    return shown, matching
