"""The `solvent export` command: strategies and games as other programs read them."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from solvent.app.options import Cards, OwnCode
from solvent.app.output import check_writable, written
from solvent.foundation.errors import InputError

if TYPE_CHECKING:
    from solvent.app.browsing.exported import Wanted
    from solvent.foundation.progress import Watch
    from solvent.strategy.solved.tables import TableStrategy

FORMATS = ("csv", "json", "openspiel", "strategy", "efg")
SPOTS = "Spots"
"""The panel of the options that are for runs of spots."""


def export(
    source: Annotated[str, typer.Argument(help="A run, a saved strategy or, for efg, a game.")],
    to: Annotated[
        str,
        typer.Option(
            "--format", help="csv, json, openspiel, strategy or efg; of spots csv, json, range, html or png."
        ),
    ] = "csv",
    out: Annotated[
        Path | None,
        typer.Option(help="The file or folder to write.  [default: standard output for csv, json and efg]"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that exists.")] = False,
    cards: Cards = None,
    own_code: OwnCode = False,
    line: Annotated[
        str | None,
        typer.Option(help="The line to the node.  [default: the first]", rich_help_panel=SPOTS),
    ] = None,
    street: Annotated[
        str | None,
        typer.Option(
            help="The last street whose nodes json has.  [default: that of the line]", rich_help_panel=SPOTS
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            help="The range to write alone: OOP, IP or an action, such as 'bet 100'.", rich_help_panel=SPOTS
        ),
    ] = None,
    least: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Leave hands of less weight out of a range; 0 writes those down to a millionth.  [default: 0.001]",
            metavar="<weight>",
            rich_help_panel=SPOTS,
        ),
    ] = None,
) -> None:
    """Write a strategy as CSV, JSON, a pickled OpenSpiel TabularPolicy or a saved strategy; a game as .efg.

    Solved games and trained agents are written alike: one row for each action of each infoset. An agent's infosets
    are buckets of hands at a betting line. Of a spot one node is written, its numbers by hand, and as JSON also
    what follows it.
    """
    from solvent.app.opening import is_spot, open_named
    from solvent.app.terminal import terminal
    from solvent.strategy.writing import write_csv, write_json

    if out is not None and out.is_file() and not force:
        raise InputError(f"{out} exists; choose another name, or write over it with --force")
    if is_spot(source):
        from solvent.app.browsing.exported import Wanted

        if cards is not None:
            raise InputError("--cards is for trained agents; --line names the cards of a spot's board")
        _write_spot(source, Wanted(to, line or "", street, part, least), out)
        return
    if any(given is not None for given in (line, street, part, least)):
        raise InputError(f"--line, --street, --part and --least are for spots, and {source} is none")
    if to not in FORMATS:
        raise InputError(f"there is no format {to!r}; the formats are {', '.join(FORMATS)}")
    if out is not None and to != "strategy":
        check_writable(out)
    if to == "efg":
        _write_game(source, out, own_code)
    elif to in ("openspiel", "strategy"):
        if out is None:
            raise InputError(f"name the file or folder of the {to} export with --out")
        _write_solved(source, to, out, own_code)
    else:
        strategy = open_named(source, cards, own_code)
        with _watching(out) as watch, written(out) as file:
            rows = (write_csv if to == "csv" else write_json)(strategy, file, watch)
        if out is not None:
            terminal(stderr=True).print(f"wrote {rows:,} rows to {out}", soft_wrap=True)


def _write_spot(run: str, wanted: Wanted, out: Path | None) -> None:
    from solvent.app.browsing.exported import export_spot
    from solvent.app.terminal import terminal

    with _watching(out) as watch:
        nodes = export_spot(run, wanted, out, watch)
    if out is not None:
        terminal(stderr=True).print(f"wrote {nodes:,} node{'s' * (nodes > 1)} to {out}", soft_wrap=True)


def _watching(out: Path | None) -> AbstractContextManager[Watch | None]:
    """A watch, unless the export itself is shown on the terminal: a bar would be drawn into it."""
    from solvent.app.watching import watching

    return nullcontext() if out is None and sys.stdout.isatty() else watching()


def _write_game(source: str, out: Path | None, own_code: bool) -> None:
    from solvent.foundation.own_code import explained
    from solvent.games.catalogue import load_game
    from solvent.games.efg.writing import write_efg

    game = _solved(source, own_code).rules() if Path(source).is_dir() else load_game(source)
    with _watching(out) as watch, written(out) as file, explained():
        write_efg(game, file, watch=watch)


def _write_solved(source: str, to: str, out: Path, own_code: bool) -> None:
    from solvent.strategy.solved.openspiel import save_tabular_policy

    strategy = _solved(source, own_code)
    if to == "openspiel":
        save_tabular_policy(strategy, out)
    elif out.exists():
        raise InputError(f"{out} exists; choose another folder")
    else:
        strategy.save(out)


def _solved(source: str, own_code: bool) -> TableStrategy:
    from solvent.app.opening import open_named
    from solvent.strategy.solved.tables import TableStrategy

    strategy = open_named(source, own_code=own_code)
    if not isinstance(strategy, TableStrategy):
        raise InputError(f"{source} is a trained agent, which is exported as csv or json")
    return strategy
