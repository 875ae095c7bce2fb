"""The `solvent games` command: the games that can be named."""

from __future__ import annotations

from rich.table import Table

from solvent.app.options import Json
from solvent.app.terminal import print_found, table
from solvent.games.catalogue import GAMES, parameters


def games(as_json: Json = False) -> None:
    """List the games that can be named, with their parameters."""
    rows = [{"name": n, "parameters": {p.name: p.default for p in parameters(n)}} for n in GAMES]
    print_found(as_json, {"games": rows}, games_table)


def games_table() -> Table:
    """A table of every game with its parameters and defaults; words are never broken at 80 columns."""
    games = table("game", "what it is")
    for name, kind in GAMES.items():
        doc = (kind.__doc__ or "").strip().splitlines()[0]
        given = ", ".join(map(str, parameters(name)))
        games.add_row(name, f"{doc}\n{given}" if given else doc, end_section=True)
    games.add_row("openspiel:NAME(...)", "Any two-player zero-sum OpenSpiel game.")
    games.add_row("path/to/game.efg", "A Gambit extensive-form file.")
    return games
