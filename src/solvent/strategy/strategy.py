"""A strategy: for every infoset, how often each action is played. The result of solving.

strategy = Strategy.load("runs/leduc")
strategy["K|Q|kk/b"]          # {'fold': 0.07, 'call': 0.91, 'raise 4': 0.02}
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from solvent.forms.history import GameTree
from solvent.foundation.bundle import read_bundle, write_bundle
from solvent.foundation.errors import InputError
from solvent.strategy.infosets import InfosetTable
from solvent.strategy.public_infosets import PublicInfosets, public_infosets

VERIFY_UP_TO = 1 << 28
"""Bytes up to which a strategy's checksums are verified when it is opened; larger ones open mapped at once."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """An immutable strategy for both players.

    `weights`, float[cells], are proportional to the probabilities inside each infoset; all zero means
    uniform. They may be memory-mapped, so a table larger than memory can be asked one infoset at a time.
    """

    game: str
    fingerprint: str
    infosets: InfosetTable | PublicInfosets
    weights: NDArray[np.floating]
    facts: dict[str, Any] = field(default_factory=dict)
    """What made it: rule, iterations, exploitability and how it was measured, seconds, peak memory."""

    def __post_init__(self) -> None:
        if self.weights.shape != (self.infosets.cells,):
            raise InputError(
                f"a strategy for {self.game} has {self.infosets.cells} numbers, not {self.weights.size}"
            )
        self.weights.flags.writeable = False

    @classmethod
    def of(cls, tree: GameTree, weights: NDArray[np.floating], **facts: Any) -> Strategy:
        """A strategy of a compiled game from float[cells]."""
        return cls(tree.name, tree.fingerprint, InfosetTable.of(tree), np.array(weights), facts)

    def __len__(self) -> int:
        return len(self.infosets)

    def __getitem__(self, label: str) -> dict[str, float]:
        return self.at(self.infosets.find(label))

    def query(self, label: str, player: int | None = None) -> dict[str, float]:
        """The probability of each action at an infoset; `player` where both have one of that label."""
        return self.at(self.infosets.find(label, player))

    def at(self, infoset: int) -> dict[str, float]:
        """The probability of each action at an infoset given by number."""
        row = np.asarray(self.weights[self.infosets.cells_of(infoset)], dtype=np.float64)
        total = row.sum()
        row = row / total if total > 0 else np.full(len(row), 1 / len(row))
        return dict(zip(self.infosets.actions(infoset), row.tolist(), strict=True))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Every probability, float64[cells]."""
        probabilities = self.infosets.normalised(self.weights)
        probabilities.flags.writeable = False
        return probabilities

    def rows(self) -> Iterator[tuple[int, str, dict[str, float]]]:
        """Player, label and probabilities of every infoset."""
        for infoset in self.infosets.numbers():
            yield self.infosets.player_of(infoset), self.infosets.label(infoset), self.at(infoset)

    # Files

    def save(self, folder: str | Path) -> None:
        """Save as a folder that `load` opens memory-mapped."""
        facts = {**self.facts, "game": self.game, "fingerprint": self.fingerprint}
        arrays: dict[str, NDArray[Any]] = {"weights": self.weights}
        if isinstance(self.infosets, InfosetTable):
            arrays |= self.infosets.arrays
        else:
            facts |= {"form": "public", "isomorphism": self.infosets.game.isomorphism}
        write_bundle(Path(folder), arrays, facts)

    @classmethod
    def load(cls, folder: str | Path) -> Strategy:
        """Open a saved strategy, or the latest strategy of a run."""
        from solvent.strategy.run import Run

        folder = Path(folder)
        if Run.is_run(folder):
            return Run.open(folder).strategy()
        if not folder.is_dir():
            raise InputError(f"{folder} is neither a run nor a saved strategy")
        size = sum(path.stat().st_size for path in folder.glob("*.npy"))
        arrays, facts = read_bundle(folder, verify=size <= VERIFY_UP_TO, mapped=True)
        if not {"game", "fingerprint"} <= facts.keys() or "weights" not in arrays:
            raise InputError(f"{folder} is not a saved strategy")
        weights = arrays.pop("weights")
        game, fingerprint = facts.pop("game"), facts.pop("fingerprint")
        if facts.pop("form", None) == "public":
            infosets: InfosetTable | PublicInfosets = public_infosets(
                game, facts.pop("isomorphism"), fingerprint, folder
            )
        else:
            infosets = InfosetTable.from_arrays(arrays)
        return cls(game, fingerprint, infosets, weights, facts)

    def write_csv(self, file: TextIO) -> None:
        """One line per infoset-action: player, infoset, action, probability."""
        writer = csv.writer(file)
        writer.writerow(["player", "infoset", "action", "probability"])
        for player, label, row in self.rows():
            writer.writerows([player, label, action, repr(p)] for action, p in row.items())

    def write_json(self, file: TextIO) -> None:
        """One document: game, fingerprint, facts, and each player's infosets with their probabilities."""
        players: list[dict[str, dict[str, float]]] = [{}, {}]
        for player, label, row in self.rows():
            players[player][label] = row
        json.dump(
            {"game": self.game, "fingerprint": self.fingerprint, **self.facts, "players": players}, file
        )


@dataclass(frozen=True)
class Comparison:
    """How two strategies of one game differ, in total variation distance per infoset."""

    mean: float
    largest: float
    infoset: str
    """Where they differ most."""
    player: int


def different_games(a: Strategy, b: Strategy) -> str:
    """Why two strategies have not the same infosets."""
    if a.game == b.game:
        return f"both strategies are of {a.game}, but one has its tables by other boards or by histories"
    return f"the strategies are of different games: {a.game} and {b.game}"


def compare(a: Strategy, b: Strategy) -> Comparison:
    """Compare two strategies infoset by infoset."""
    if a.fingerprint != b.fingerprint:
        raise InputError(different_games(a, b))
    if not len(a):
        raise InputError(f"{a.game} has no decisions, so its strategies cannot differ")
    distance = a.infosets.distances(a.probabilities, b.probabilities)
    worst = int(distance.argmax())
    return Comparison(
        float(distance.mean()),
        float(distance[worst]),
        a.infosets.label(worst),
        a.infosets.player_of(worst),
    )
