"""Opening what a user names: a solve, a training, one of its checkpoints, or a saved strategy."""

from __future__ import annotations

from pathlib import Path

from solvent.foundation.errors import InputError
from solvent.foundation.run import Run
from solvent.strategy.opening import open_strategy
from solvent.strategy.tables import TableStrategy
from solvent.strategy.trained import TrainedStrategy
from solvent.strategy.training_run import TrainingRun


def open_any(source: str | Path) -> TableStrategy | TrainedStrategy:
    """The strategy of a run, whatever its kind; `RUN#ITERATIONS` names a checkpoint of a training."""
    folder = Path(source)
    if not folder.is_dir() and "#" in str(source):
        folder = Path(str(source).rpartition("#")[0])
    if not folder.exists():
        raise InputError(f"there is no run {source}; `solvent runs` lists the runs in a folder")
    if Run.is_run(folder) and Run.open(folder).kind == "training":
        return open_trained(str(source))
    return open_strategy(folder)


def open_trained(source: str) -> TrainedStrategy:
    """The average strategy of a training's newest checkpoint, or of the one named as in `RUN#ITERATIONS`."""
    from solvent.play.agents import checkpoint_of, parse_run

    name = parse_run(source)
    run = TrainingRun.open(name.folder)
    return run.strategy(checkpoint_of(run, name.checkpoint))
