"""The `solvent train` command: a heads-up no-limit hold'em blueprint, to a time and memory budget."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.making_cards import cards_folder
from solvent.app.options import Json
from solvent.app.outcomes import stopped_by_signals
from solvent.app.settings_options import with_settings
from solvent.app.terminal import facts_table, print_json, terminal
from solvent.app.watching import said, watching
from solvent.foundation.errors import InputError
from solvent.foundation.progress import TOLD, Progress, Stop, interruptible
from solvent.solving.settings import GAME, KEEP
from solvent.training.settings import TrainingSettings

if TYPE_CHECKING:
    from rich.table import Table

    from solvent.foundation.storage.run import Run
    from solvent.strategy.agents.blueprint import Blueprint
    from solvent.training.train import TrainingResult

UNUSED_THREADS = "--threads make cards and simulate win rates; children train on --child-cores threads each"
"""What is said of threads that are given with a cluster."""


@with_settings(TrainingSettings)
def train(
    preset: Annotated[
        str | None,
        typer.Option(
            help="Cards: tiny, small, medium, tartanian7 or rules; made if they are not there.  [default: tiny]",
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
        from solvent.app.views.report import write_report
        from solvent.foundation.machine import cores
        from solvent.strategy.agents.training_run import TrainingRun
        from solvent.training.train import check_training
        from solvent.training.train import train as train_blueprint
    stop.check()

    threads = options.get("threads")
    if resume is None:  # A resumed training keeps its number of threads.
        options.setdefault("threads", cores())
    settings = TrainingSettings.of(options)
    check_training(settings)
    if resume is None:
        cards = _cards_for_a_new_training(out, preset, cards, settings, said(as_json))
    elif preset is not None:
        raise InputError("a resumed training has its cards; leave out --preset")
    with watching(quiet=as_json) as watch:
        if threads is not None and settings.cluster is not None:
            watch(Progress(TOLD, 0, detail=UNUSED_THREADS))
        made, code = stopped_by_signals(
            lambda: train_blueprint(cards, out=out, resume=resume, watch=watch, saved=_report_on, **options)
        )
    with interruptible(stop):  # what was trained is shown, whatever comes
        training = TrainingRun.open(made.folder, cards)
        report = write_report(training.run, training.blueprint())
        if as_json:
            print_json(made.as_dict())
        else:
            terminal().print(_result(made, report))
    return stop.exit_code if stop.requested else code


def _cards_for_a_new_training(
    out: Path | None, preset: str | None, cards: Path | None, settings: TrainingSettings, speak: bool
) -> Path:
    """The cards of a new training, made only after everything else has been found in order."""
    from solvent.foundation.storage.run import Run

    if out is None:
        raise InputError("say by --out which folder to save the training in")
    Run.check_new(out)
    if settings.iterations is None and settings.time is None:
        raise InputError("say how long to train, by --time or by --iterations")
    return cards_folder(preset, cards, settings.threads, speak, settings.memory)


def _report_on(run: Run, blueprint: Blueprint) -> None:
    """Write the report of a training that goes on; one that cannot be written stops no training."""
    from solvent.app.views.report import write_report

    with suppress(OSError, InputError):
        write_report(run, blueprint, running=True)


def _result(made: TrainingResult, report: Path) -> Table:
    return facts_table(f"{made.folder}", {**made.summary(), "report": str(report)})
