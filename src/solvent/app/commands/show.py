"""The `solvent show` command: what a run found."""

from __future__ import annotations

from typing import Annotated

import typer

from solvent.app.options import Json, RunFolder
from solvent.app.terminal import print_json, terminal
from solvent.foundation.errors import InputError


def show(
    run: RunFolder,
    infoset: Annotated[
        str | None, typer.Argument(help="An infoset's label, or a pattern with * and ?.")
    ] = None,
    player: Annotated[
        int | None, typer.Option(min=0, max=1, help="Where both players have the label.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many infosets to list.")] = 20,
    as_json: Json = False,
) -> None:
    """What a run found: its summary, or the strategy at an infoset."""
    from solvent.app.views.display import show_strategy, strategy_rows, summary_table
    from solvent.strategy.opening import open_strategy

    strategy = open_strategy(run)
    rows, matching = strategy_rows(strategy, infoset, player, limit)
    if infoset is not None and not matching:
        raise InputError(f"no infoset matches {infoset!r}")
    if as_json:
        facts = {"game": strategy.game, "fingerprint": strategy.fingerprint, **strategy.facts}
        listed = [{"player": p, "infoset": label, "probabilities": row} for p, label, row in rows]
        print_json({**facts, "infosets": listed, "matching": matching})
        return
    console = terminal()
    if infoset is None:
        console.print(summary_table(strategy))
    console.print(show_strategy(rows, matching))
