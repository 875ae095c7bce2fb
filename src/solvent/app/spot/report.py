"""The `solvent spot report` command: a spot on many flops.

`spot` registers it with the options that both take (`report_command`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.options import Json
from solvent.app.settings_options import settings_parameters, with_parameters
from solvent.app.spot.words import read_spoken
from solvent.app.terminal import print_json, terminal
from solvent.app.watching import watching
from solvent.foundation.errors import InputError
from solvent.foundation.own_code import explained
from solvent.foundation.progress import Stop, Watch, interruptible
from solvent.foundation.storage.run import Run
from solvent.foundation.units import parse_whole
from solvent.games.holdem.spot import check_used
from solvent.solving.settings import GAME, KEEP
from solvent.spots.settings import SpotSettings

if TYPE_CHECKING:
    from solvent.spots.flops.choice import WeightedFlop

NEEDED = ("oop", "ip", "pot", "stack")
LEFT_OUT = ("board", "lock", "lock_file", "time", "checkpoint_every")
"""Parameters of one solve that a report does not take."""
SETTINGS = {each.name for each in settings_parameters(SpotSettings)}


def report_command(parameters: Sequence[inspect.Parameter]) -> Callable[..., Any]:
    """The command, with these parameters of a spot and with the options of a solve that a report takes."""
    every = [*parameters, *settings_parameters(SpotSettings)]
    return with_parameters([each for each in every if each.name not in LEFT_OUT])(report)


def report(
    flops: Annotated[
        str | None,
        typer.Option(
            help="How many flops to solve, chosen to stand for all; or `all`; or a file with a flop on each line, "
            "such as 'Ks7d2c' or, with a weight, 'Ks7d2c 0.5'.",
            metavar="<number|all|file>",
            show_default=False,
            rich_help_panel=GAME,
        ),
    ] = None,
    line: Annotated[
        str,
        typer.Option(
            help="Report on the decision on the flop after this line, such as 'check'.  [default: the first]",
            metavar="<line>",
            show_default=False,
            rich_help_panel=GAME,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Save the report to this folder (must be new): flops.csv, textures.csv, report.svg, report.html.",
            rich_help_panel=KEEP,
        ),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Resume the report in this folder.", rich_help_panel=KEEP)
    ] = None,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Solve a spot on many flops: frequencies of actions, EVs and equities by flop and texture.

    Means are weighted by how often flops come with these ranges. A number of flops N stands for all 1,755: flops
    are clustered by both players' equities and by texture, and the middle one of each of N clusters is solved.
    """
    stop = Stop()
    with interruptible(stop):  # Ctrl-C could get lost in an import
        from solvent.app.views.spots.flop_report import report_tables, write_files
        from solvent.foundation.machine import cores
        from solvent.spots.flops.report import (
            KIND,
            check_report,
            flop_report,
            new_report,
            resumed_report,
        )
        from solvent.spots.work import with_limits
    stop.check()

    settings_given = {name: value for name, value in options.items() if name in SETTINGS}
    given = read_spoken({name: value for name, value in options.items() if name not in SETTINGS})
    with watching(quiet=as_json) as watch, explained(), interruptible(stop):
        run: Run | None
        if resume is not None:
            _check_resumed({"flops": flops, "line": line or None, "out": out, **given})
            run = Run.open(resume, KIND)
            given, chosen, settings, line = resumed_report(run, settings_given)
        else:
            settings = with_limits(SpotSettings.of({"threads": cores(), **settings_given}))
            _check_complete({"flops": flops, **given})
            if out is not None:
                Run.check_new(out)
            chosen = _chosen(str(flops), given, settings, line, watch, stop)
            check_used(given, chosen[0].label, given.get("rake", 0))
            check_report(given, chosen, settings, line)
            run = None if out is None else new_report(out, given, chosen, settings, line)
        files: list[Path] = []
        with nullcontext() if run is None else run.locked():
            made = flop_report(given, chosen, settings, run, line, watch, stop)
            unsaved = made.unsaved
            if run is not None and made.rows and unsaved is None:
                try:
                    files = write_files(made, run.folder)
                except InputError as error:  # it is said after the report
                    unsaved = str(error)
    if as_json:
        print_json(made.as_dict())
    elif made.rows:
        console = terminal()
        console.print(*report_tables(made, console.width), sep="\n")
        for path in files:
            console.print(f"written: {path}", soft_wrap=True)
    if unsaved is not None:
        raise InputError(unsaved)
    return stop.exit_code if stop.requested else 0


def _chosen(
    flops: str, given: dict[str, Any], settings: SpotSettings, line: str, watch: Watch, stop: Stop
) -> list[WeightedFlop]:
    """The flops that --flops names; before some are chosen from all, the rest is checked on one of them."""
    from solvent.cards.ranges import parse_range
    from solvent.spots.flops.choice import all_flops, medoid_flops, read_flops
    from solvent.spots.flops.report import check_report

    ranges = parse_range(given["oop"]), parse_range(given["ip"])
    if flops == "all":
        return all_flops(*ranges)
    if (count := parse_whole(flops)) is not None:
        check_report(given, all_flops(*ranges)[:1], settings, line)
        return medoid_flops(*ranges, count, settings.threads, watch, stop)
    return read_flops(flops, *ranges)


def _check_complete(given: dict[str, Any]) -> None:
    missing = [f"--{name}" for name in ("flops", *NEEDED) if given.get(name) is None]
    if missing:
        raise InputError(f"a report needs {', '.join(missing)}, or --resume with the folder of a report")


def _check_resumed(given: dict[str, Any]) -> None:
    extra = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None]
    if extra:
        raise InputError(f"a resumed report keeps what it began with: leave out {', '.join(extra)}")
