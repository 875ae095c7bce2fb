"""The `solvent pack` and `solvent unpack` commands: a run as one file, to be moved or shared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from solvent.app.options import Cards, Json
from solvent.app.terminal import print_found, watching
from solvent.foundation.errors import InputError
from solvent.foundation.units import size

if TYPE_CHECKING:
    from solvent.foundation.storage.run import Run

ENDING = ".solvent"
"""The end of the names of packed runs."""


def pack(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    out: Annotated[Path | None, typer.Option(help="The file to write.  [default: NAME.solvent]")] = None,
    cards: Cards = None,
    as_json: Json = False,
) -> None:
    """Pack a run, with its newest checkpoint and a trained agent's cards, into one file."""
    from solvent.foundation.progress import interruptible
    from solvent.foundation.storage.pack import pack as write_pack
    from solvent.foundation.storage.run import Run

    opened = Run.open(run)
    target = out if out is not None else Path(run.resolve().name + ENDING)
    if opened.kind == "cards":
        raise InputError(f"{run} is a card abstraction, which is packed with the agents that use it")
    if not opened.checkpoints():
        raise InputError(f"{run} has no checkpoint yet, so there is nothing to pack")
    bundles = _cards_of(opened, cards) if opened.kind == "training" else {}
    with interruptible() as stop, watching(quiet=as_json) as watch:
        write_pack(opened, target, bundles, watch=watch, stop=stop)
    written = target.stat().st_size
    document = {"run": str(run), "file": str(target), "bytes": written}
    print_found(as_json, document, lambda: f"{target}: {size(written)}")


def unpack(
    file: Annotated[Path, typer.Argument(help="A file that `solvent pack` wrote.")],
    out: Annotated[
        Path | None, typer.Option(help="The folder to make (must be new).  [default: runs/NAME]")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a packed run a folder again, which every command takes."""
    from solvent.foundation.progress import interruptible
    from solvent.foundation.storage.pack import unpack as read_pack

    target = out if out is not None else Path("runs") / file.name.removesuffix(ENDING)
    with interruptible() as stop, watching(quiet=as_json) as watch:
        made = read_pack(file, target, watch, stop)
    document = {"file": str(file), "run": str(target), "kind": made.kind}
    print_found(as_json, document, lambda: f"{target}: a {made.kind}")


def _cards_of(run: Run, given: Path | None) -> dict[str, Path]:
    """The tables of a training's cards, by the folder that they get in the unpacked run."""
    from solvent.abstraction.cards.buckets import TABLES
    from solvent.abstraction.cards.find import INSIDE, cards_folder

    return {f"{INSIDE}/{TABLES}": cards_folder(run, given) / TABLES}
