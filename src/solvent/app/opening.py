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
    """The average strategy of a training's newest checkpoint, or of the one that `RUN#ITERATIONS` names."""
    folder, number = source, None
    if not Path(source).is_dir():
        folder, _, written = source.rpartition("#")
        if not written.isdecimal():
            raise InputError(f"a checkpoint is named by its iterations, as {folder}#500000, not {source!r}")
        number = int(written)
    return TrainingRun.open(folder).strategy(number)
