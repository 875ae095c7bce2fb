"""Trainings in folders, with random tables and cards that need no folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from oracles.blueprints import BETTING, use_cards
from oracles.table_agent import random_model, small_cards
from solvent.foundation.storage.run import Run
from solvent.strategy.agents.blueprint import TABLE_LAYOUT
from solvent.training.settings import TrainingSettings
from solvent.training.train import KEPT_CHECKPOINTS


@contextmanager
def small_cards_everywhere() -> Iterator[None]:
    """Let every training have the small cards, whatever folder it names."""
    with pytest.MonkeyPatch.context() as patch:
        use_cards(small_cards(), patch=patch)
        yield


def train_command(cards: Path, sampling: str = "external") -> tuple[object, ...]:
    """A command that trains a small agent, the same one each time; its length and its folder are to be added."""
    return (
        *("train", "--cards", cards, "--betting", BETTING, "--sampling", sampling),
        *("--threads", 1, "--json"),
    )


def save_training(
    folder: Path, betting: str, checkpoints: Sequence[int], without: Sequence[str] = (), **options: Any
) -> Path:
    """A training with random tables at each of `checkpoints`; `without`: options that it does not know."""
    asked = TrainingSettings.of({"betting": betting, "sampling": "external", **options}).as_json()
    fixed = {name: asked[name] for name in TrainingSettings.kept() if name in asked and name not in without}
    fixed["cards_fingerprint"] = small_cards().fingerprint
    run = Run.create(folder, "training", fixed, {"cards": ["cards"]}, retention=KEPT_CHECKPOINTS)
    facts = {
        "touched": 0,
        "seconds": 1.0,
        "layout": TABLE_LAYOUT,
        "parts_done": 0,
        "weight": 1.0,
        "rule": "lcfr",
    }
    for iterations in checkpoints:
        run.save_checkpoint(iterations, {"table": random_model(betting, iterations).table}, facts)
    return folder
