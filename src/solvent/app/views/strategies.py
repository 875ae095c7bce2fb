"""Strategies of solved games: a summary, and the probabilities at infosets."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table

from solvent.app.terminal import facts_table, table
from solvent.foundation.units import size, span
from solvent.strategy.solved.tables import TableStrategy
from solvent.strategy.strategy import Row, Strategy

BAR = 24
"""Characters of a bar that stands for probability 1."""


def summary_table(strategy: Strategy) -> Table:
    """What a strategy says of itself."""
    shown = {key: fact for key, value in strategy.facts.items() if (fact := _fact(key, value))}
    return facts_table(strategy.game, {_NAMES.get(key, key.replace("_", " ")): shown[key] for key in shown})


_NAMES = {"seconds": "time", "peak_memory_bytes": "peak memory"}


def _fact(key: str, value: Any) -> str:
    """A fact as people read it.

    >>> _fact("seconds", 0.0534), _fact("peak_memory_bytes", 1 << 20), _fact("exploitability", 0.166796817)
    ('53.4 ms', '1.0 MiB', '0.166797')
    """
    if value is None or isinstance(value, bool | str):
        return "" if value is None else f"{value}"
    if key == "seconds":
        return span(value)
    if key.endswith("_bytes"):
        return size(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else f"{value}"


def strategy_rows(
    strategy: TableStrategy, wanted: str | None, player: int | None, limit: int
) -> tuple[list[Row], int]:
    """The infosets asked for, at most `limit` of them, and how many there are."""
    if wanted is not None and not any(letter in wanted for letter in "*?"):
        infoset = strategy.infosets.find(wanted, player)
        owner = strategy.infosets.player_of(infoset)
        return [Row(owner, strategy.infosets.label(infoset), strategy.at(infoset))], 1
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


def show_strategy(rows: Sequence[Row], matching: int) -> RenderableType:
    """A table of the rows, and how many more there are."""
    shown = table("player", "infoset", "action", "probability", "")
    for player, label, row in rows:
        for k, (action, probability) in enumerate(row.items()):
            bar = "█" * round(BAR * probability)
            first = (str(player), label) if k == 0 else ("", "")
            shown.add_row(*first, action, f"{probability:.4f}", bar, end_section=k == len(row) - 1)
    if matching > len(rows):
        return Group(shown, f"{len(rows)} of {matching:,} infosets; --limit shows more")
    return shown
