"""The `solvent export` command: strategies and games as other programs read them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import typer

from solvent.foundation.errors import InputError

FORMATS = ("csv", "json", "openspiel", "strategy", "efg")


def export(
    source: Annotated[str, typer.Argument(help="A run, a saved strategy or, for efg, a game.")],
    to: Annotated[str, typer.Option("--format", help="csv, json, openspiel, strategy or efg.")] = "csv",
    out: Annotated[Path | None, typer.Option(help="Where to; standard output for csv, json and efg.")] = None,
) -> None:
    """Write a strategy as CSV, JSON, a pickled OpenSpiel TabularPolicy or a saved strategy; a game as .efg."""
    from solvent.games.catalogue import load_game
    from solvent.games.efg.writing import write_efg
    from solvent.strategy.opening import open_strategy
    from solvent.strategy.openspiel import save_tabular_policy
    from solvent.strategy.writing import write_csv, write_json

    if to not in FORMATS:
        raise InputError(f"there is no format {to!r}; the formats are {', '.join(FORMATS)}")
    if out is None and to in ("openspiel", "strategy"):
        raise InputError(f"say with --out where the {to} export goes")
    if to == "efg":
        game = open_strategy(source).game if Path(source).is_dir() else source
        write_efg(load_game(game), sys.stdout if out is None else out)
        return
    strategy = open_strategy(source)
    if to == "strategy":
        assert out is not None
        if out.exists():
            raise InputError(f"{out} exists; choose another folder")
        strategy.save(out)
    elif to == "openspiel":
        assert out is not None
        save_tabular_policy(strategy, out)
    else:
        with _opened(out) as file:
            (write_csv if to == "csv" else write_json)(strategy, file)


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    if out is None:
        yield sys.stdout
        return
    try:
        file = out.open("w", newline="", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror}") from error
    with file:
        yield file
