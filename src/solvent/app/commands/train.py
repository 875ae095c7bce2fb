"""The `solvent train` command: a heads-up no-limit hold'em blueprint, to a time and memory budget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.making_cards import cards_folder
from solvent.app.options import Json
from solvent.app.settings_options import with_settings
from solvent.app.terminal import print_json, table, terminal
from solvent.app.watching import said, watching
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Stop, interruptible
from solvent.solvers.settings import GAME, KEEP, TrainingSettings

if TYPE_CHECKING:
    from rich.table import Table

    from solvent.solvers.blueprint.training import TrainingResult


@with_settings(TrainingSettings)
def train(
    preset: Annotated[
        str | None,
        typer.Option(
            help="Cards: tiny, small, medium or tartanian7; made if they are not there.  [default: tiny]",
            rich_help_panel=GAME,
        ),
    ] = None,
    cards: Annotated[
        Path | None,
        typer.Option(
            help="A card abstraction's folder.  [default: abstractions/PRESET]", rich_help_panel=GAME
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Save the training to this folder (must be new).", rich_help_panel=KEEP),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Resume the training in this folder.", rich_help_panel=KEEP)
    ] = None,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Train a heads-up no-limit hold'em blueprint by Monte Carlo CFR."""
    stop = Stop()
    with interruptible(stop):  # Ctrl-C could get lost in an import
        from solvent.app.views.display import cores
        from solvent.app.views.report import write_report
        from solvent.solvers.blueprint.training import SIZED, check_training
        from solvent.solvers.blueprint.training import train as train_blueprint
        from solvent.strategy.training_run import TrainingRun
    stop.check()

    if resume is None:  # A resumed training keeps its number of threads.
        options.setdefault("threads", cores())
    settings = TrainingSettings.of(options)
    check_training(settings)
    if resume is None:
        cards = _cards_for_a_new_training(out, preset, cards, settings, said(as_json))
    elif preset is not None:
        raise InputError("a resumed training has its cards; leave out --preset")
    console = terminal(stderr=True)
    with watching(quiet=as_json, console=console) as show:

        def watch(progress: Progress) -> None:
            if progress.stage != SIZED:
                show(progress)
            elif said(as_json):
                console.print(progress.detail, soft_wrap=True)

        made = train_blueprint(cards, out=out, resume=resume, watch=watch, stop=stop, **options)
    report = made.folder / "report.html"
    write_report(TrainingRun.open(made.folder, cards), report)
    if as_json:
        print_json(made.as_dict())
    else:
        terminal().print(_result(made, report))
    return stop.exit_code if stop.requested else 0


def _cards_for_a_new_training(
    out: Path | None, preset: str | None, cards: Path | None, settings: TrainingSettings, speak: bool
) -> Path:
    """The cards of a new training, made only after everything else has been found in order."""
    from solvent.foundation.run import Run

    if out is None:
        raise InputError("say by --out which folder to save the training in")
    Run.check_new(out)
    if settings.iterations is None and settings.time is None:
        raise InputError("say how long to train, by --time or by --iterations")
    return cards_folder(preset, cards, settings.threads, speak, settings.memory)


def _result(made: TrainingResult, report: Path) -> Table:
    result = table("", "", title=f"{made.folder}")
    result.add_row("iterations", f"{made.iterations:,} (stopped by {made.stopped_by})")
    result.add_row("time", f"{made.seconds:,.0f} s (and {made.compile_seconds:.0f} s for kernels)")
    result.add_row("rows touched", f"{made.rows_touched:,}, {made.rows_rate / 1e6:.1f} million a second")
    result.add_row("regret of the first decision", f"{made.regret:.1f} mbb")
    result.add_row("report", str(report))
    return result
