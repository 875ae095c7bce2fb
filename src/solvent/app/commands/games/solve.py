"""The `solvent solve` command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.options import Json, NewRun, OldRun, OwnCode, panel_option
from solvent.app.outcomes import stopped_by_signals
from solvent.app.settings_options import with_settings
from solvent.app.terminal import facts_table, print_found, watching
from solvent.foundation.errors import InputError
from solvent.foundation.own_code import explained
from solvent.solving.settings import ALGORITHM, ONE_THREAD_PLANS, Settings

if TYPE_CHECKING:
    from rich.table import Table

    from solvent.solving.result import Result

PICTURE = "convergence.png"
"""The file in a run's folder that shows its convergence."""


@with_settings(Settings)
def solve(
    game: Annotated[
        str | None,
        typer.Argument(help="A name, openspiel:NAME(...), a path to an .efg file, or file.py:Class."),
    ] = None,
    out: NewRun = None,
    resume: OldRun = None,
    warm_start: Annotated[
        Path | None,
        panel_option(
            ALGORITHM,
            "Start from the strategy of this run instead of uniform play; with --pruning total --form public, from "
            "this run of a coarser game.",
        ),
    ] = None,
    own_code: OwnCode = False,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Solve a game and watch exploitability fall."""
    from solvent.foundation.extras import installed
    from solvent.foundation.machine import cores
    from solvent.solving.curves import save
    from solvent.solving.result import curve
    from solvent.solving.solve import solve as solve_game

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
    print_found(as_json, result.as_dict(), lambda: _result_table(result))
    if unsaved is not None:
        raise InputError(unsaved)
    return code


def _result_table(result: Result) -> Table:
    """A table of a result; one that is not kept says how to keep it."""
    rows = result.summary()
    if result.run is None:
        rows["run"] = "not kept; --out DIR keeps it"
    elif (result.run / PICTURE).is_file():
        rows["picture"] = str(result.run / PICTURE)
    return facts_table(result.game, rows)
