"""Opening the strategy of a run, whatever its kind, or a saved strategy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.storage.bundle import MANIFEST, read_bundle
from solvent.foundation.storage.run import Run
from solvent.games.catalogue import allowed_game
from solvent.strategy.agents.trained import TrainedStrategy
from solvent.strategy.agents.training_run import TrainingRun
from solvent.strategy.solved.infosets import Infosets, InfosetTable, stored_infosets
from solvent.strategy.solved.tables import TableStrategy

INFOSET = "infoset_"
"""Prefix of arrays that describe the infosets in a checkpoint of a growing run."""


def open_strategy(
    folder: str | Path,
    cards: str | Path | None = None,
    checkpoint: Callable[[TrainingRun], int] | None = None,
    game: Any = None,
    own_code: bool = False,
) -> TableStrategy | TrainedStrategy:
    """The strategy of a run, the newest unless `checkpoint` picks another of a training, or a saved strategy.

    Tables open memory-mapped. `cards` is the folder of a training's card abstraction, should it have moved. Opening
    runs no code that the folder names: a game of your own is passed as `game`, or `own_code` allows to import it
    from where the folder says that it was defined, `module:Class` or `file.py:Class`.
    """
    folder = Path(folder)
    if Run.is_run(folder) and Run.open(folder).kind == "training":
        run = TrainingRun.open(folder, cards)
        return run.strategy(None if checkpoint is None else checkpoint(run))
    return open_solved(folder, game, own_code)


def open_solved(folder: str | Path, game: Any = None, own_code: bool = False) -> TableStrategy:
    """The newest strategy of a solve, or a saved strategy; `game` and `own_code` as for `open_strategy`."""
    folder = Path(folder)
    if Run.is_run(folder):
        return _newest(Run.open(folder, "solve"), game, own_code)
    if not (folder / MANIFEST).is_file():
        raise InputError(
            f"{folder} is neither a run nor a saved strategy; `solvent solve --out` and `solvent train` make runs"
        )
    return TableStrategy.load(folder, game, own_code)


def _newest(run: Run, game: Any, own_code: bool) -> TableStrategy:
    tables, facts = run.load_checkpoint(mapped=True)
    configuration = run.fixed
    name, fingerprint = configuration.get("game"), configuration.get("fingerprint")
    if not isinstance(name, str) or not isinstance(fingerprint, str):
        raise InputError(
            f"the configuration of {run.folder} is damaged: it does not say which game was solved"
        )
    source = allowed_game(configuration.get("source"), own_code) if game is None else game
    facts = {name: fact for name, fact in facts.items() if name != "configuration"}
    infosets: Infosets
    if "grown" in tables:  # the infosets of a growing run are those that it had at the checkpoint
        fingerprint = bytes(tables["grown"]).decode()
        infosets = InfosetTable.from_arrays(
            {name.removeprefix(INFOSET): array for name, array in tables.items() if name.startswith(INFOSET)}
        )
    elif configuration.get("form") == "public":
        isomorphic = bool(configuration.get("isomorphic"))
        infosets = stored_infosets(name, source, isomorphic, fingerprint, run.folder)
    else:
        infosets = InfosetTable.from_arrays(read_bundle(run.folder / "infosets", mapped=True)[0])
    return TableStrategy(name, fingerprint, infosets, tables["average"], facts, source)
