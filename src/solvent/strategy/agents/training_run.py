"""The run folder of a training, opened: its cards, its betting tree and the blueprint of each checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.abstraction.cards.find import find_cards
from solvent.forms.betting.tree import build_tree
from solvent.foundation.errors import InputError
from solvent.foundation.storage.run import Run
from solvent.games.betting.sizes import BettingAbstraction, parse_betting
from solvent.strategy.agents.blueprint import HEAD, TABLE_LAYOUT, Blueprint, join_shards
from solvent.strategy.agents.trained import TrainedStrategy


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
        """The tables of a checkpoint, by default the newest: one memory-mapped, or shards that are joined."""
        if not self.run.checkpoints():
            raise InputError(f"{self.folder} has no checkpoint yet; train it first")
        tables, facts = self.run.load_checkpoint(iterations, mapped=True)
        if facts.get("layout") != TABLE_LAYOUT:
            raise InputError(f"{self.folder} was trained by another version of solvent; train it anew")
        if HEAD in tables:
            blueprint = Blueprint(self.tree, self.cards, iterations=int(facts["iterations"]))
            join_shards(blueprint, tables)
            return blueprint
        if "table" not in tables or tables["table"].dtype != "float32":
            raise InputError(f"{self.folder} is damaged: its checkpoint has no table of float32 numbers")
        return Blueprint(self.tree, self.cards, tables["table"], int(facts["iterations"]))

    def strategy(self, iterations: int | None = None) -> TrainedStrategy:
        """The average strategy of a checkpoint, by default the newest."""
        blueprint = self.blueprint(iterations)
        return TrainedStrategy(blueprint, {**self.run.facts(), "iterations": blueprint.iterations})


def betting_of(betting: Any, stack: Any) -> BettingAbstraction:
    """Read a betting abstraction from its text, with stacks of this many big blinds unless they are None."""
    if not isinstance(betting, str) or not isinstance(stack, int | float | None):
        raise InputError("a training's betting is text and its stack a number of big blinds")
    found = parse_betting(betting)
    return found if stack is None else found.with_stack(stack)
