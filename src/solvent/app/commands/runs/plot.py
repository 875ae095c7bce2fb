"""The `solvent plot` command: how runs converged, in one picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from solvent.app.options import Json
from solvent.app.output import check_writable
from solvent.app.terminal import print_found


def plot(
    runs: Annotated[list[Path], typer.Argument(help="Folders of solves, or of trainings.")],
    out: Annotated[Path, typer.Option(help="The picture to write: a .png, .svg or .pdf file.")],
    over: Annotated[str, typer.Option(help="What to draw over: iterations or seconds.")] = "iterations",
    title: Annotated[str | None, typer.Option(help="The title.  [default: the game]")] = None,
    as_json: Json = False,
) -> None:
    """Draw how runs converged: exploitability, or an agent's regret, on logarithmic axes."""
    from solvent.solving.curves import Curve, save

    check_writable(out)
    curves = [Curve.of_run(run) for run in runs]
    save(curves, out, over, title)
    document = {"picture": str(out), "runs": [str(run) for run in runs], "over": over}
    print_found(as_json, document, lambda: f"the picture: {out}")
