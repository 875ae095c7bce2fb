"""The `solvent solve` command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from solvent.app.options import Json, OwnCode
from solvent.app.outcomes import stopped_by_signals
from solvent.app.settings_options import with_settings
from solvent.app.terminal import print_json, terminal
from solvent.app.watching import watching
from solvent.foundation.errors import InputError
from solvent.foundation.own_code import explained
from solvent.foundation.progress import interruptible
from solvent.solving.settings import ALGORITHM, KEEP, ONE_THREAD_PLANS, Settings


@with_settings(Settings)
def solve(
    game: Annotated[
        str | None,
        typer.Argument(help="A name, openspiel:NAME(...), a path to an .efg file, or file.py:Class."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Save the run to this folder (must be new).", rich_help_panel=KEEP)
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Resume the run in this folder.", rich_help_panel=KEEP)
    ] = None,
    warm_start: Annotated[
        Path | None,
        typer.Option(
            help="Start from the strategy of this run instead of uniform play; with --pruning total --form public, "
            "from this run of a coarser game.",
            rich_help_panel=ALGORITHM,
        ),
    ] = None,
    own_code: OwnCode = False,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Solve a game and watch exploitability fall."""
    with interruptible() as stop:  # Ctrl-C could get lost in an import
        from solvent.app.views.results import PICTURE, result_table
        from solvent.foundation.extras import installed
        from solvent.foundation.machine import cores
        from solvent.solving.curves import save
        from solvent.solving.result import curve
        from solvent.solving.solve import solve as solve_game
    stop.check()

    asked = Settings.of(options)
    whole = {asked.pruning, asked.sampling, asked.grow} == {"none"}
    if resume is None and whole and asked.plan not in ONE_THREAD_PLANS:
        options.setdefault("threads", cores())
    with watching(quiet=as_json) as watch, explained():
        result, code = stopped_by_signals(
            lambda: solve_game(
                game,
                out=out,
                resume=resume,
                warm_start=warm_start,
                own_code=own_code,
                watch=watch,
                **options,
            )
        )
    unsaved = result.unsaved
    if result.run is not None and unsaved is None and installed("matplotlib"):
        try:
            save([curve(result)], result.run / PICTURE)
        except InputError as error:  # it is said after the result
            unsaved = str(error)
    if as_json:
        print_json(result.as_dict())
    else:
        terminal().print(result_table(result))
    if unsaved is not None:
        raise InputError(unsaved)
    return code
