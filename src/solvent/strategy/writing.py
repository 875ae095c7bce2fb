"""Strategies as text: one row after another, so that a table larger than memory can be written."""

from __future__ import annotations

import csv
import json
from typing import TextIO

from solvent.strategy.strategy import Strategy


def write_csv(strategy: Strategy, file: TextIO) -> None:
    """Write one line for each infoset-action: player, infoset, action, probability."""
    writer = csv.writer(file)
    writer.writerow(["player", "infoset", "action", "probability"])
    for row in strategy.rows():
        writer.writerows(
            [row.player, row.infoset, action, repr(p)] for action, p in row.probabilities.items()
        )


def write_json(strategy: Strategy, file: TextIO) -> None:
    """Write one document: game, fingerprint, facts, and each player's infosets with their probabilities."""
    head = {**strategy.facts, "game": strategy.game, "fingerprint": strategy.fingerprint}
    file.write(json.dumps(head)[:-1] + ', "players": [')
    for player in range(2):
        file.write(", {" if player else "{")
        separator = ""
        for row in strategy.rows(player):
            file.write(f"{separator}{json.dumps(row.infoset)}: {json.dumps(row.probabilities)}")
            separator = ", "
        file.write("}")
    file.write("]}\n")
