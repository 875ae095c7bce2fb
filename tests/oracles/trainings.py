"""Trainings in folders, with random tables and cards that need no folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

from oracles.table_agent import random_model, small_cards
from solvent.foundation.bundle import write_bundle
from solvent.solvers.blueprint import training as training_module
from solvent.solvers.blueprint.training import Training, TrainingDesign
from solvent.strategy.blueprint import TABLE_LAYOUT


@contextmanager
def small_cards_everywhere() -> Iterator[None]:
    """Let every training have the small cards, whatever folder it names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_module.CardAbstraction, "load", classmethod(lambda cls, folder: small_cards()))
        yield


def save_training(folder: Path, betting: str, checkpoints: Sequence[int]) -> Path:
    """A training with random tables at so many iterations each."""
    training = Training(folder, TrainingDesign("cards", small_cards().fingerprint, betting))
    folder.mkdir(parents=True)
    asked = json.dumps({"version": "0", "design": asdict(training.design)})
    (folder / "train.json").write_text(asked)
    for number in checkpoints:
        facts = {"iterations": number, "touched": 0, "seconds": 1.0, "layout": TABLE_LAYOUT}
        table = random_model(betting, number).table
        write_bundle(folder / "checkpoints" / f"{number:015d}", {"table": table}, facts)
    return folder
