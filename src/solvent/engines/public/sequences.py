"""The aggregated plan where hands are few: the sequence plan on a public game, without its histories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history import serial_kernels as kernels
from solvent.engines.history.sequence_plan import SequencePlan
from solvent.engines.public.kernels import Tables
from solvent.forms.public.game import PublicGame
from solvent.forms.public.sequences import public_sequence_form


class PublicSequences:
    """Iterations on a public game with a matrix at each terminal, by pairs of sequences side by side."""

    threads = 1

    def __init__(self, game: PublicGame) -> None:
        self.game = game
        self.form = public_sequence_form(game)
        self.plan = SequencePlan(self.form, game.name)

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """Run one iteration of a regret rule for each row of `schedule`."""
        by_cell = kernels.Tables(tables.regret, tables.average, tables.last, tables.value)
        self.plan.iterate(schedule, alternating, by_cell, None)
