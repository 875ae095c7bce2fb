"""The games that can be named, as a table."""

from __future__ import annotations

from rich.table import Table

from solvent.app.terminal import table
from solvent.games.catalogue import GAMES, parameters


def games_table() -> Table:
    """Every game with its parameters and defaults, and what it is; words are never broken at 80 columns."""
    games = table("game", "what it is")
    for name, kind in GAMES.items():
        doc = (kind.__doc__ or "").strip().splitlines()[0]
        given = ", ".join(map(str, parameters(name)))
        games.add_row(name, f"{doc}\n{given}" if given else doc, end_section=True)
    games.add_row("openspiel:NAME(...)", "Any two-player zero-sum OpenSpiel game.")
    games.add_row("path/to/game.efg", "A Gambit extensive-form file.")
    return games
