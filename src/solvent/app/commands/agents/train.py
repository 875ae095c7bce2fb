"""The `solvent train` command: a heads-up no-limit hold'em blueprint, to a time and memory budget."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from solvent.app.options import Json, NewRun, OldRun, panel_option
from solvent.app.outcomes import stopped_by_signals
from solvent.app.settings_options import with_settings
from solvent.app.terminal import facts_table, print_found, watching
from solvent.foundation.errors import InputError
from solvent.foundation.progress import TOLD, Progress, Stop, interruptible
from solvent.solving.settings import GAME
from solvent.training.settings import TrainingSettings

if TYPE_CHECKING:
    from solvent.foundation.storage.run import Run
    from solvent.strategy.agents.blueprint import Blueprint

UNUSED_THREADS = "--threads make cards and simulate win rates; children train on --child-cores threads each"
"""A note on threads that are given with a cluster."""


@with_settings(TrainingSettings)
def train(
    preset: Annotated[
        str | None,
        panel_option(
            GAME,
            "Cards: tiny, small, medium, tartanian7 or rules; made if they are not there.  [default: tiny]",
        ),
    ] = None,
    cards: Annotated[
        Path | None, panel_option(GAME, "A card abstraction's folder.  [default: abstractions/PRESET]")
    ] = None,
    out: NewRun = None,
    resume: OldRun = None,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Train a heads-up no-limit hold'em blueprint by Monte Carlo CFR."""
    from solvent.app.views.report import write_report
    from solvent.foundation.machine import cores
    from solvent.strategy.agents.training_run import TrainingRun
    from solvent.training.cards import cards_for_training
    from solvent.training.train import check_training
    from solvent.training.train import train as train_blueprint

    threads, stop = options.get("threads"), Stop()
    if resume is None:  # A resumed training keeps its number of threads.
        options.setdefault("threads", cores())
    settings = TrainingSettings.of(options)
    check_training(settings)
    if resume is not None and preset is not None:
        raise InputError("a resumed training has its cards; leave out --preset")
    with watching(quiet=as_json) as watch:
        if resume is None:
            with interruptible(stop):
                cards = cards_for_training(out, preset, cards, settings, watch, stop)
        if threads is not None and settings.cluster is not None:
            watch(Progress(TOLD, 0, detail=UNUSED_THREADS))
        made, code = stopped_by_signals(
            lambda: train_blueprint(cards, out=out, resume=resume, watch=watch, saved=_report_on, **options)
        )
    with interruptible(stop):  # the result is shown, whatever comes
        training = TrainingRun.open(made.folder, cards)
        report = write_report(training.run, training.blueprint())
        facts = {**made.summary(), "report": str(report)}
        print_found(as_json, made.as_dict(), lambda: facts_table(f"{made.folder}", facts))
    return stop.exit_code if stop.requested else code


def _report_on(run: Run, blueprint: Blueprint) -> None:
    """Write the report of a running training; one that cannot be written stops no training."""
    from solvent.app.views.report import write_report

    with suppress(OSError, InputError):
        write_report(run, blueprint, running=True)
