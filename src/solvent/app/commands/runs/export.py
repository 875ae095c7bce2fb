"""The `solvent export` command: strategies, games and nodes of spots as other programs read them."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from solvent.app.options import Cards, OwnCode, spot_option, with_fields
from solvent.app.output import check_writable, written
from solvent.app.terminal import terminal, watching
from solvent.foundation.errors import InputError

if TYPE_CHECKING:
    from solvent.foundation.progress import Watch
    from solvent.strategy.solved.tables import TableStrategy

FORMATS = ("csv", "json", "openspiel", "strategy", "efg")
SPOT_FORMATS = ("csv", "json", "range", "html", "png")


@dataclass(frozen=True)
class NodeOptions:
    """The options that are for runs of spots."""

    line: Annotated[str | None, spot_option("The line to the node.  [default: the first]")] = None
    street: Annotated[
        str | None, spot_option("The last street whose nodes json has.  [default: that of the line]")
    ] = None
    part: Annotated[
        str | None, spot_option("The range to write alone: OOP, IP or an action, such as 'bet 100'.")
    ] = None
    least: Annotated[
        float | None,
        spot_option(
            "Leave hands of less weight out of a range; 0 writes those down to a millionth.  [default: 0.001]",
            min=0,
            max=1,
            metavar="<weight>",
        ),
    ] = None

    def check(self, to: str, out: Path | None) -> None:
        """Refuse what a format does not have."""
        if to not in SPOT_FORMATS:
            raise InputError(f"a spot is exported as {', '.join(SPOT_FORMATS)}, not {to!r}")
        if to != "json" and self.street is not None:
            raise InputError("--street is for json, which may have many nodes")
        if to != "range" and self.part is not None:
            raise InputError("--part is for range texts")
        if to != "range" and self.least is not None:
            raise InputError("--least is for range texts; other formats have every hand")
        if to == "png" and out is None:
            raise InputError("name the file of the picture with --out")


@with_fields
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
    *,
    options: NodeOptions,
) -> None:
    """Write a strategy as CSV, JSON, a pickled OpenSpiel TabularPolicy or a saved strategy; a game as .efg.

    Solved games and trained agents are written in the same way: one row for each action of each infoset. An
    agent's infosets are buckets of hands at a betting line. Of a spot one node is written, its numbers by hand, and
    as JSON also what follows it.
    """
    from solvent.play.agents import open_named
    from solvent.spots.folder import is_spot
    from solvent.strategy.writing import write_csv, write_json

    if out is not None and out.is_file() and not force:
        raise InputError(f"{out} exists; choose another name, or write over it with --force")
    if is_spot(source):
        if cards is not None:
            raise InputError("--cards is for trained agents; --line names the cards of a spot's board")
        _write_spot(source, to, options, out)
        return
    if options != NodeOptions():
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
        _say_written(f"{rows:,} rows", out)


def _write_spot(run: str, to: str, options: NodeOptions, out: Path | None) -> None:
    from solvent.foundation.storage.files import write_picture
    from solvent.spots.nodes.exports import node_page, node_ranges, write_node_csv, write_nodes_json
    from solvent.spots.nodes.solution import open_spot

    options.check(to, out)
    if out is not None:
        check_writable(out)
    nodes, node = 1, open_spot(Path(run)).at(options.line or "")
    if to == "png":
        assert out is not None
        write_picture(out, node.plot_grid().figure, dpi=150, format="png")
    else:
        with _watching(out) as watch, written(out) as file:
            if to == "json":
                nodes = write_nodes_json(node, options.street, file, watch)
            elif to == "csv":
                write_node_csv(node, file)
            else:
                file.write(
                    node_page(node) if to == "html" else node_ranges(node, options.part, options.least)
                )
    _say_written(f"{nodes:,} node{'s' * (nodes > 1)}", out)


def _say_written(what: str, out: Path | None) -> None:
    if out is not None:
        terminal(stderr=True).print(f"wrote {what} to {out}", soft_wrap=True)


def _watching(out: Path | None) -> AbstractContextManager[Watch | None]:
    """A watch, unless the export itself is shown on the terminal: a bar would be drawn into it."""
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
    from solvent.play.agents import open_named
    from solvent.strategy.solved.tables import TableStrategy

    strategy = open_named(source, own_code=own_code)
    if not isinstance(strategy, TableStrategy):
        raise InputError(f"{source} is a trained agent, which is exported as csv or json")
    return strategy
