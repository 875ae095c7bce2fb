"""The `solvent games` command: which games can be named."""

from __future__ import annotations

from solvent.app.options import Json
from solvent.app.terminal import print_json, terminal


def games(as_json: Json = False) -> None:
    """List the games that can be named, with their parameters."""
    from solvent.app.views.games import games_table
    from solvent.games.catalogue import GAMES, parameters

    if as_json:
        rows = [{"name": n, "parameters": {p.name: p.default for p in parameters(n)}} for n in GAMES]
        print_json({"games": rows})
    else:
        terminal().print(games_table())
