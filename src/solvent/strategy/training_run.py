"""The run folder of a training, opened: its cards, its betting tree and the blueprint of each checkpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting import build_tree
from solvent.foundation.errors import InputError
from solvent.foundation.run import Run
from solvent.games.betting.sizes import BettingAbstraction, parse_betting
from solvent.strategy.blueprint import TABLE_LAYOUT, Blueprint
from solvent.strategy.trained import TrainedStrategy

CARDS = "cards"
"""The folder inside a run that may hold its card abstraction, as in a packed run."""
ABSTRACTIONS = "abstractions"
"""The folder in which card abstractions are made, and in which they are looked for by their fingerprint."""


class TrainingRun:
    """A training in its folder."""

    def __init__(self, run: Run, cards: CardAbstraction) -> None:
        self.run, self.cards = run, cards
        self.tree = build_tree(betting_of(run.fixed.get("betting"), run.fixed.get("stack")))

    @classmethod
    def open(cls, folder: str | Path, cards: str | Path | None = None) -> TrainingRun:
        """The training in a folder. `cards` is the folder of its card abstraction, should it have moved."""
        run = Run.open(folder, "training")
        return cls(run, find_cards(run, cards))

    @property
    def folder(self) -> Path:
        return self.run.folder

    def checkpoints(self) -> list[int]:
        """The iterations of the checkpoints, oldest first."""
        return self.run.checkpoints()

    def blueprint(self, iterations: int | None = None) -> Blueprint:
        """The tables of a checkpoint, by default the newest, memory-mapped."""
        if not self.run.checkpoints():
            raise InputError(f"{self.folder} has no checkpoint yet; train it first")
        tables, facts = self.run.load_checkpoint(iterations, mapped=True)
        return Blueprint(
            self.tree, self.cards, table_of(tables, facts, self.folder), int(facts["iterations"])
        )

    def strategy(self, iterations: int | None = None) -> TrainedStrategy:
        """The average strategy of a checkpoint, by default the newest."""
        blueprint = self.blueprint(iterations)
        return TrainedStrategy(blueprint, {**self.run.facts(), "iterations": blueprint.iterations})


def table_of(tables: dict[str, Any], facts: dict[str, Any], folder: Path) -> Any:
    """The one table of a training's checkpoint."""
    if facts.get("layout") != TABLE_LAYOUT:
        raise InputError(f"{folder} was trained by another version of solvent; train it anew")
    if "table" not in tables or tables["table"].dtype != "float32":
        raise InputError(f"{folder} is damaged: its checkpoint has no table of float32 numbers")
    return tables["table"]


def betting_of(betting: Any, stack: Any) -> BettingAbstraction:
    """A betting abstraction from its text, with stacks of so many big blinds unless they are None."""
    if not isinstance(betting, str) or not isinstance(stack, int | float | None):
        raise InputError("a training's betting is text and its stack a number of big blinds")
    found = parse_betting(betting)
    return found if stack is None else found.with_stack(stack)


def find_cards(run: Run, cards: str | Path | None = None) -> CardAbstraction:
    """The card abstraction that a run was trained with: where the user says, where it was, or near the run.

    It is known by its fingerprint: a folder that holds another abstraction is passed over.
    """
    wanted = run.fixed.get("cards_fingerprint")
    if cards is not None:
        given = CardAbstraction.load(cards)
        if given.fingerprint != wanted:
            raise InputError(f"{cards} is not the card abstraction that {run.folder} was trained with")
        return given
    refusal: InputError | None = None
    for folder in _places(run):
        try:
            found = CardAbstraction.load(folder)
        except InputError as error:
            refusal = refusal or error
            continue
        if found.fingerprint == wanted:
            return found
        refusal = refusal or InputError(
            f"{folder} is not the card abstraction that {run.folder} was trained with"
        )
    raise InputError(
        f"the cards of {run.folder} are not found; say by --cards where they are ({refusal})"
    ) from refusal


def _places(run: Run) -> Iterator[Path]:
    """Folders that may hold the cards of a run, likeliest first."""
    before = run.adjustable.get("cards")
    if (run.folder / CARDS).is_dir():
        yield run.folder / CARDS
    if isinstance(before, str):
        yield Path(os.path.normpath(run.folder / before))  # relative to the run, or absolute
    beside = {Path(ABSTRACTIONS), run.folder.parent / ABSTRACTIONS, run.folder.parent.parent / ABSTRACTIONS}
    for folder in sorted(beside):
        if folder.is_dir():
            yield from sorted(path for path in folder.iterdir() if path.is_dir())
