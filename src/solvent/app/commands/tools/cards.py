"""The `solvent cards` commands: what hands and ranges are worth."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.later import Commands
from solvent.app.options import Json, Threads
from solvent.app.terminal import print_json, table, terminal, watching
from solvent.foundation.progress import Progress

if TYPE_CHECKING:
    from solvent.cards.equities import Equity, Side

cards = typer.Typer(cls=Commands, help="Compute what hands and ranges are worth.", no_args_is_help=True)

Hands = Annotated[str, typer.Argument(help="A hand such as AsKh, or a range such as QQ+,AKs,76s:0.5.")]


@cards.callback()
def options() -> None:
    """Compute what hands and ranges are worth."""


@cards.command("equity")
def show_equity(
    first: Hands,
    second: Hands,
    board: Annotated[str, typer.Option(help="The board so far: 3, 4 or 5 cards such as Ks7d2c.")] = "",
    dead: Annotated[str, typer.Option(help="Cards that are out of play.")] = "",
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Compute the exact equity of two hands or ranges, over every deal and every run-out."""
    from solvent.cards.deck import parse_cards
    from solvent.cards.equities import equity
    from solvent.cards.ranges import parse_range
    from solvent.foundation.machine import cores

    ranges = parse_range(first), parse_range(second)
    on_board, out = parse_cards(board), parse_cards(dead)
    start = time.perf_counter()
    with watching(quiet=True) as watch:
        watch(Progress("compiling kernels (once per machine)", 0))
        found = equity(*ranges, on_board, out, threads or cores(), watch)
    seconds = time.perf_counter() - start
    if as_json:
        print_json(_document(found, (first, second), board, dead, seconds))
    else:
        _show(found, (first, second), seconds)


def _document(found: Equity, given: tuple[str, str], board: str, dead: str, seconds: float) -> dict[str, Any]:
    return {
        "players": [_player(side, text) for side, text in zip(found.sides, given, strict=True)],
        "board": board,
        "dead": dead,
        "pairs": found.pairs,
        "runouts": found.runouts,
        "boards": found.boards,
        "seconds": seconds,
    }


def _player(side: Side, text: str) -> dict[str, Any]:
    from solvent.cards.ranges import hand_label

    hands = {
        hand_label(number): value for number, value in enumerate(side.hands.tolist()) if not math.isnan(value)
    }
    return {"range": text, "equity": side.equity, "win": side.win, "tie": side.tie, "hands": hands}


def _show(found: Equity, given: tuple[str, str], seconds: float) -> None:
    console = terminal()
    rows = table("hands", "equity", "wins", "ties")
    for side, text in zip(found.sides, given, strict=True):
        rows.add_row(text, *(f"{100 * share:.4f} %" for share in (side.equity, side.win, side.tie)))
    console.print(rows)
    deals = f"{found.pairs:,} pair{'s' if found.pairs > 1 else ''} of hands"
    each = f"{found.runouts:,} run-out{'s' if found.runouts > 1 else ''} each"
    console.print(f"exact: {deals}, {each}, in {seconds:.2f} s", soft_wrap=True)
