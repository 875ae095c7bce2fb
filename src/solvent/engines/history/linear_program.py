"""Equilibria of small games by the sequence-form linear program (Koller, Megiddo and von Stengel 1994).

Player 0's realisation plans are the x >= 0 with E x = e, player 1's the y >= 0 with F y = f, and A holds player 0's
payoffs of pairs of sequences. The program

    maximise  f'q   subject to   E x = e,   F'q - A'x <= 0,   x >= 0

has an optimal plan of player 0 as its solution x and one of player 1 as the multipliers of the inequalities.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.history.solver import WholeTables
from solvent.engines.rules import LinearProgram
from solvent.forms.history import GameTree
from solvent.forms.sequence import Sequences, sequence_form
from solvent.foundation.errors import InputError
from solvent.strategy.arena import Arena
from solvent.strategy.solved.tables import TableStrategy

MOST_CELLS = 30_000
"""Infoset-actions up to which a game is small: half a minute of HiGHS."""
INTERIOR_POINT_FROM = 20_000
"""Infoset-actions from which the interior-point method is quicker than the simplex."""


class ProgramSolver(WholeTables):
    """One iteration that solves the linear program."""

    plan_name = "sequence"
    updates = "none"
    threads = 1
    dtype = "float64"
    head_start = 0.0

    def __init__(self, tree: GameTree, rule: LinearProgram) -> None:
        _check_tree(tree)
        self.tree, self.rule = tree, rule
        self.iterations = self.nodes_touched = 0
        self.arena = Arena.full(np.ones(tree.cells, dtype=np.int64), ["average"], np.dtype(np.float64))

    @property
    def form_bytes(self) -> int:
        form = sequence_form(self.tree)
        return form.pair.nbytes + form.pays.nbytes

    def run(self, iterations: int) -> None:
        """Solve the program, once."""
        if self.iterations or not iterations:
            return
        form = sequence_form(self.tree)
        average = self.arena.table("average")
        for own, plan in zip(form.sequences, _plans(self.tree), strict=True):
            average[own.cell[1:]] = plan[1:]
        self.iterations = 1
        self.nodes_touched += self.tree.histories

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None:
        raise InputError("rule lp has no iterations: it cannot start from a strategy")


def _check_tree(tree: GameTree) -> None:
    """Reject games that are too large for the program, or outside its theory."""
    if tree.cells > MOST_CELLS:
        raise InputError(
            f"rule lp is for games of at most {MOST_CELLS:,} infoset-actions, and {tree.name} has {tree.cells:,}; "
            f"take a regret rule such as dcfr"
        )
    if not tree.zero_sum:
        raise InputError(f"rule lp is for zero-sum games, and {tree.name} is not one")
    if not sequence_form(tree).perfect_recall:
        raise InputError(f"rule lp is for players who forget nothing, and in {tree.name} one does")


def _plans(tree: GameTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both players' optimal realisation plans, float64[sequences]."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix, hstack

    form = sequence_form(tree)
    sizes = [len(own) for own in form.sequences]
    pays = coo_matrix((form.pays[0], (form.pair[0], form.pair[1])), shape=sizes).tocsr()
    own, other = (_flow(each) for each in form.sequences)
    duals = other.shape[0]
    objective = np.zeros(sizes[0] + duals)
    objective[sizes[0]] = -1.0  # the value of the root
    begins = np.zeros(own.shape[0])
    begins[0] = 1.0
    solution = linprog(
        objective,
        A_ub=hstack([-pays.T, other.T]).tocsr(),
        b_ub=np.zeros(sizes[1]),
        A_eq=hstack([own, coo_matrix((own.shape[0], duals))]).tocsr(),
        b_eq=begins,
        bounds=[(0, None)] * sizes[0] + [(None, None)] * duals,
        method="highs-ipm" if tree.cells > INTERIOR_POINT_FROM else "highs",
    )
    if not solution.success:
        raise InputError(f"the linear program of {tree.name} was not solved: {solution.message}")
    return np.maximum(solution.x[: sizes[0]], 0.0), np.maximum(-solution.ineqlin.marginals, 0.0)


def _flow(own: Sequences) -> Any:
    """E: the empty sequence has probability 1, and the probability that enters a situation leaves it."""
    from scipy.sparse import coo_matrix

    situations = np.arange(1, own.situations + 1)
    leaving = np.repeat(situations, np.diff(own.first))
    rows = np.concatenate([[0], situations, leaving])
    columns = np.concatenate([[0], own.before, np.arange(1, len(own))])
    values = np.concatenate([[1.0], np.full(own.situations, -1.0), np.ones(len(own) - 1)])
    return coo_matrix((values, (rows, columns)), shape=(own.situations + 1, len(own))).tocsr()
