"""Strategies as text: one row after another, so that a table larger than memory can be written."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import TextIO

from solvent.foundation.progress import Progress, Watch
from solvent.strategy.strategy import Row, Strategy

INFOSETS_BETWEEN_REPORTS = 1000


class _Told:
    """A strategy's rows, with how many have been passed on told to a watch."""

    def __init__(self, strategy: Strategy, watch: Watch | None) -> None:
        self.strategy, self.watch = strategy, watch
        self.infosets = self.actions = 0

    def rows(self, player: int | None = None) -> Iterator[Row]:
        for row in self.strategy.rows(player):
            if self.watch is not None and self.infosets % INFOSETS_BETWEEN_REPORTS == 0:
                self.watch(Progress("writing", self.infosets, len(self.strategy), unit="infosets"))
            self.infosets += 1
            self.actions += len(row.probabilities)
            yield row


def write_csv(strategy: Strategy, file: TextIO, watch: Watch | None = None) -> int:
    """Write one line for each infoset-action: player, infoset, action, probability. Return how many there are."""
    told, writer = _Told(strategy, watch), csv.writer(file)
    writer.writerow(["player", "infoset", "action", "probability"])
    for row in told.rows():
        writer.writerows(
            [row.player, row.infoset, action, repr(p)] for action, p in row.probabilities.items()
        )
    return told.actions


def write_json(strategy: Strategy, file: TextIO, watch: Watch | None = None) -> int:
    """Write one document: game, fingerprint, facts, and each player's infosets with their probabilities.

    Return how many infoset-actions there are.
    """
    told = _Told(strategy, watch)
    head = {**strategy.facts, "game": strategy.game, "fingerprint": strategy.fingerprint}
    file.write(json.dumps(head)[:-1] + ', "players": [')
    for player in range(2):
        file.write(", {" if player else "{")
        separator = ""
        for row in told.rows(player):
            file.write(f"{separator}{json.dumps(row.infoset)}: {json.dumps(row.probabilities)}")
            separator = ", "
        file.write("}")
    file.write("]}\n")
    return told.actions
