"""Strategies as text: one row after another, so that a table larger than memory can be written."""

from __future__ import annotations

import csv
import json
from typing import TextIO

from solvent.foundation.progress import Progress, Watch
from solvent.strategy.strategy import Strategy

INFOSETS_BETWEEN_REPORTS = 1000


def write_csv(strategy: Strategy, file: TextIO, watch: Watch | None = None) -> int:
    """Write one line for each infoset-action: player, infoset, action, probability. Return how many there are."""
    writer, written = csv.writer(file), 0
    writer.writerow(["player", "infoset", "action", "probability"])
    for number, row in enumerate(strategy.rows()):
        _tell(watch, strategy, number)
        writer.writerows(
            [row.player, row.infoset, action, repr(p)] for action, p in row.probabilities.items()
        )
        written += len(row.probabilities)
    return written


def write_json(strategy: Strategy, file: TextIO, watch: Watch | None = None) -> int:
    """Write one document: game, fingerprint, facts, and each player's infosets with their probabilities.

    Return how many infoset-actions there are.
    """
    infosets = written = 0
    head = {**strategy.facts, "game": strategy.game, "fingerprint": strategy.fingerprint}
    file.write(json.dumps(head)[:-1] + ', "players": [')
    for player in range(2):
        file.write(", {" if player else "{")
        separator = ""
        for row in strategy.rows(player):
            _tell(watch, strategy, infosets)
            file.write(f"{separator}{json.dumps(row.infoset)}: {json.dumps(row.probabilities)}")
            separator = ", "
            infosets, written = infosets + 1, written + len(row.probabilities)
        file.write("}")
    file.write("]}\n")
    return written


def _tell(watch: Watch | None, strategy: Strategy, infosets: int) -> None:
    """Report progress now and then; `infosets` have been written."""
    if watch is not None and infosets % INFOSETS_BETWEEN_REPORTS == 0:
        watch(Progress("writing", infosets, len(strategy), unit="infosets"))
