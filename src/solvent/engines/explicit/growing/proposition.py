"""When an action is worth adding: Proposition 1 of Brown and Sandholm (2015).

Regret inside the abstraction grows like sqrt(T), regret outside of it like T, and an iteration costs as much as
there are nodes. A subgame S is added at the first T at which

    factor x sum_{I in Gamma} R(I) / |Gamma|
        <  [sum_{I in Gamma} R(I) + sum_{I' in S} (2 R(I') - R(I') / T)] / (|Gamma| + |S|)

where R(I) is the largest positive regret of an action of I, I' are the head's infosets with the new action, and
sizes are in nodes. The paper's factors are 1.0, 1.01 (its best), 1.1 (about as good) and 2.0 (worse).
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.errors import InputError

FACTORS = (1.0, 1.01, 1.1, 2.0)
"""The factors that the paper's experiments use."""


Number = TypeVar("Number", float, NDArray[np.float64])


class Candidate(NamedTuple):
    """A subgame that could be added, or many of them as arrays."""

    regret: Any
    """sum R(I') over the infosets that its regret is measured at, in chips times iterations."""
    nodes: Any
    """|S|."""


def gain(inside: Number, nodes: int, candidate: Candidate, iterations: float, factor: float = 1.0) -> Number:
    """The right side of Proposition 1's inequality less the left side, in chips times iterations per node.

    `inside` is the sum of R(I) over the abstraction's infosets of the candidate's player, `nodes` is |Gamma|. Of
    many candidates the gains are an array.
    """
    if factor <= 0:
        raise InputError(f"Proposition 1's factor must be above 0, not {factor}")
    growth = 2.0 - 1.0 / iterations if iterations > 0 else 0.0
    grown = inside + candidate.regret * growth
    found: Number = grown / (nodes + candidate.nodes) - factor * inside / nodes
    return found


def pays(inside: float, nodes: int, candidate: Candidate, iterations: float, factor: float = 1.0) -> bool:
    """Whether the candidate should be added now.

    >>> pays(10.0, 100, Candidate(2.0, 10), iterations=1000)
    True
    >>> pays(10.0, 100, Candidate(0.4, 10), iterations=1000)
    False
    """
    return bool(candidate.regret > 0) and gain(inside, nodes, candidate, iterations, factor) > 0
