"""The games that can be named, as a table."""

from __future__ import annotations

from rich.table import Table

from solvent.app.terminal import table
from solvent.games.catalogue import GAMES, parameters


def games_table() -> Table:
    games = table("game", "parameters and defaults", "what it is")
    for name, kind in GAMES.items():
        doc = (kind.__doc__ or "").strip().splitlines()[0]
        games.add_row(name, ", ".join(map(str, parameters(name))) or "-", doc)
    games.add_row("openspiel:NAME(...)", "OpenSpiel's own", "Any two-player zero-sum OpenSpiel game.")
    games.add_row("path/to/game.efg", "-", "A Gambit extensive-form file.")
    return games
