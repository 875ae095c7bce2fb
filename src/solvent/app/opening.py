"""Opening what a user names: a solve, a training, one of its checkpoints, or a saved strategy."""

from __future__ import annotations

from pathlib import Path

from solvent.foundation.errors import InputError
from solvent.strategy.opening import open_strategy
from solvent.strategy.tables import TableStrategy
from solvent.strategy.trained import TrainedStrategy


def open_any(source: str | Path) -> TableStrategy | TrainedStrategy:
    """The strategy of a run, whatever its kind; `RUN#ITERATIONS` names a checkpoint of a training."""
    from solvent.solvers.blueprint.training import ASKED

    folder = Path(source)
    if not folder.is_dir() and "#" in str(source):
        folder = Path(str(source).rpartition("#")[0])
    if not folder.exists():
        raise InputError(f"there is no run {source}; `solvent runs` lists the runs in a folder")
    if (folder / ASKED).is_file():
        return open_trained(str(source))
    return open_strategy(folder)


def open_trained(source: str) -> TrainedStrategy:
    """The average strategy of a training's newest checkpoint, or of the one that `RUN#ITERATIONS` names."""
    from solvent.play.agents import load_tables
    from solvent.solvers.blueprint.training import Training

    folder, number = source, None
    if not Path(source).is_dir():
        folder, _, written = source.rpartition("#")
        if not written.isdecimal():
            raise InputError(f"a checkpoint is named by its iterations, as {folder}#500000, not {source!r}")
        number = int(written)
    training = Training.open(Path(folder))
    blueprint = load_tables(training, number)
    design = training.design
    facts = {
        "iterations": blueprint.iterations,
        "betting": design.betting,
        "cards": design.cards,
        "reward": design.reward,
        "seed": design.seed,
    }
    return TrainedStrategy(blueprint, facts)
