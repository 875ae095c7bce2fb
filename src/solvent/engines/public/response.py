"""Exact best responses, exploitability and value on the public form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.response import Evaluation, evaluate_sequences
from solvent.engines.public import kernels
from solvent.engines.public.kernels import Rule, Tables
from solvent.engines.public.public_pass import PublicPass
from solvent.forms.sequence import SequenceForm
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.public_infosets import PublicInfosets


def evaluate_public(public_pass: PublicPass, weights: NDArray[Any], locks: Locks | None = None) -> Evaluation:
    """Evaluate the strategy that plays each action in proportion to `weights`, a table by block.

    With `locks` both players respond outside the locked infosets alone.
    """
    # Regret matching on weights that are nowhere negative is normalising them.
    none = weights[:0]
    mask = locks.locked.astype(weights.dtype) if locks else none
    played = locks.over(weights) if locks else weights
    tables = Tables(public_pass.offset, mask, none, none, none, played, none)
    mode = kernels.RESPOND_UNLOCKED if locks else kernels.RESPOND
    best = [_total(public_pass, player, tables, mode) for player in (0, 1)]
    value = _total(public_pass, 0, tables, kernels.EVALUATE)
    return Evaluation(max(0.0, sum(best) / 2), (value, -value), (best[0], best[1]))


def evaluate_paired(
    form: SequenceForm, infosets: PublicInfosets, weights: NDArray[Any], locks: Locks | None = None
) -> Evaluation:
    """Evaluate the strategy of a game with few histories on its pairs of sequences (see `few_histories`).

    It needs far fewer kernels than a pass of the public form, whose first use takes most of a minute to compile.
    """
    found = evaluate_sequences(form, infosets.normalised(weights), locks)
    return Evaluation(
        max(0.0, sum(found.best_response) / 2), (found.value[0], -found.value[0]), found.best_response
    )


def _total(public_pass: PublicPass, player: int, tables: Tables, mode: int) -> float:
    rule = Rule(mode, 1.0, 1.0, -np.inf, 0.0, 0.0)
    return float(public_pass.run(player, tables, rule).sum(dtype=np.float64))
