"""The aggregated plan where hands are few: public nodes of one shape as lanes, on the sequence form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.forms.public import PublicGame
from solvent.forms.public_sequences import public_sequence_form
from solvent.forms.sequence import Sequences
from solvent.passes.public_kernels import Tables
from solvent.solvers.history import serial_kernels as kernels
from solvent.solvers.history.sequence_plan import SequencePlan


class PublicLanes:
    """Iterations on a public game with a matrix at each terminal."""

    threads = 1

    def __init__(self, game: PublicGame) -> None:
        self.game = game
        self.form = public_sequence_form(game)
        self.plan = SequencePlan(self.form, game.name)
        self.cells = game.cells
        edges = np.arange(len(game.block_sizes))
        self.edge = np.repeat(edges, game.block_sizes)
        self.within = np.arange(self.cells) - np.repeat(
            np.cumsum(game.block_sizes) - game.block_sizes, game.block_sizes
        )

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """As many iterations of a regret rule as `schedule` has rows."""
        offset = tables.offset[self.edge]
        slot = np.where(offset >= 0, offset + self.within, -1)
        by_cell = kernels.Tables(slot, tables.regret, tables.average, tables.last)
        prediction = float(schedule[0, 4]) if len(schedule) else 0.0
        strategy = np.zeros((2, self.cells))
        for player, sequences in enumerate(self.form.sequences):
            strategy[player] = self._strategy(sequences, by_cell, prediction)
        none = np.zeros(0)
        play = kernels.Play(np.zeros((2, self.cells)), strategy, none, none, none)
        self.plan.iterate(schedule, alternating, by_cell, play)

    def _strategy(
        self, sequences: Sequences, tables: kernels.Tables, prediction: float
    ) -> NDArray[np.float64]:
        """Regret matching over one player's situations, float64[cells]."""
        cell = sequences.cell[1:]
        slot = tables.slot[cell]
        expected = tables.regret[slot].astype(np.float64)
        if prediction:
            expected += prediction * tables.last[slot]
        stored = (slot >= 0).astype(np.float64)
        positive = np.maximum(expected, 0.0) * stored
        first, actions = sequences.first[:-1] - 1, np.diff(sequences.first)
        total = np.repeat(np.add.reduceat(positive, first), actions)
        alike = stored / np.maximum(np.repeat(np.add.reduceat(stored, first), actions), 1.0)
        strategy = np.zeros(self.cells)
        strategy[cell] = np.where(total > 0, positive / np.where(total > 0, total, 1.0), alike)
        return strategy
