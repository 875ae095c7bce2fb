"""Tables of agents that an experiment keeps in files, and where their trainings stood."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting.tree import BettingTree
from solvent.strategy.agents.blueprint import Blueprint


class Snapshot(NamedTuple):
    """Where a training stood at a mark."""

    mark: float
    seconds: float
    iterations: int
    touched: int


def save_table(path: Path, blueprint: Blueprint) -> None:
    """Keep a blueprint's table and iterations in a file, which is whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".half")
    with half.open("wb") as file:
        np.savez(file, table=blueprint.table, iterations=blueprint.iterations)
    half.rename(path)


def load_table(path: Path, tree: BettingTree, cards: CardAbstraction) -> Blueprint:
    """A blueprint that was kept."""
    with np.load(path) as found:
        return Blueprint(tree, cards, found["table"], int(found["iterations"]))
