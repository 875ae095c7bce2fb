"""Opening what a user names: a solve, a training, one of its checkpoints, or a saved strategy."""

from __future__ import annotations

from pathlib import Path

from solvent.foundation.errors import InputError
from solvent.foundation.storage.pack import is_packed
from solvent.foundation.storage.run import Run
from solvent.play.agents import checkpoint_of, parse_run
from solvent.strategy.agents.trained import TrainedStrategy
from solvent.strategy.opening import open_strategy
from solvent.strategy.solved.tables import TableStrategy


def open_named(
    source: str, cards: Path | None = None, own_code: bool = False
) -> TableStrategy | TrainedStrategy:
    """The strategy of a run, whatever its kind; `RUN#500000`, `RUN#50%` and `RUN#first` name checkpoints.

    `cards` is the folder of a training's card abstraction, should it have moved; `own_code` is --own-code.
    """
    if Path(source).is_file() and is_packed(Path(source)):
        raise InputError(f"{source} is a packed run; `solvent unpack {source}` makes a folder of it")
    name = parse_run(source)
    if not name.folder.exists():
        raise InputError(f"there is no run {source}; `solvent runs FOLDER` lists the runs in a folder")
    return open_strategy(
        name.folder, cards, lambda run: checkpoint_of(run, name.checkpoint), own_code=own_code
    )


def is_spot(source: str) -> bool:
    """Whether a user names the run of a spot."""
    return Run.is_run(Path(source)) and Run.open(Path(source)).kind == "spot"
