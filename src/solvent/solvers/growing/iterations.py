"""CFR on the explicit public tree, with tables that can grow between iterations.

Regrets are sums weighted by the iteration: 1 under cfr, t under lcfr. The kernels of other forms divide LCFR's sums
by T + 1 on the way; regret matching does not see the difference. Under dcfr, a heuristic here, regrets fade by its
factors and the sums of values by the factor of positive regrets.
"""

from __future__ import annotations

from solvent.forms.explicit.tree import ExplicitTree
from solvent.foundation.errors import InputError
from solvent.passes.explicit_kernels import UPDATE, Weights, Work, accumulate, ascend, descend
from solvent.solvers.growing.tables import AVERAGE, REGRET, SEEN, VALUE, GrowingTables
from solvent.solvers.rules import DCFR, RegretRule


def check_rule(rule: RegretRule) -> None:
    """Refuse rules for which neither Theorem 1 nor a measured heuristic says what an addition means."""
    if not rule.additive and not isinstance(rule, DCFR):
        raise InputError(f"growing games take the rules cfr and lcfr, or dcfr as a heuristic, not {rule}")


def regret_weights(rule: RegretRule, clock: int) -> Weights:
    """What iteration `clock` = 1, 2, ... does to regrets and sums of values."""
    if rule.additive:
        return Weights(UPDATE, 1.0, 1.0, float(clock) if rule.linear else 1.0)
    factors = rule.weights(clock)
    return Weights(UPDATE, factors.positive, factors.negative, 1.0)


def run_iterations(
    tree: ExplicitTree,
    tables: GrowingTables,
    work: Work,
    rule: RegretRule,
    first: int,
    count: int,
    skip: bool = False,
) -> int:
    """Run iterations `first`, `first` + 1, ... of a rule; returns the nodes that were touched, times hands.

    Updates are alternating where the tables have what player 1's regrets saw, else simultaneous. `skip` leaves out
    what no player reaches, which rules that fade regrets cannot.
    """
    arrays, offset, stop = tree.arrays, tables.offset, tree.nodes
    regret, average, values = (tables.table(name) for name in (REGRET, AVERAGE, VALUE))
    alternating = SEEN in tables.arena.names
    visited = 0
    work.reach[:, 0] = 1.0
    for clock in range(first, first + count):
        weights, play = regret_weights(rule, clock), rule.weights(clock).average
        here = descend(arrays, offset, regret, work, 0, stop, skip)
        for player in (0, 1):
            if player and alternating:
                here = descend(arrays, offset, regret, work, 0, stop, skip)
                seen = tables.table(SEEN)
                accumulate(arrays, offset, seen, work, 0, weights.weight, 0, stop)
                if weights.positive != 1.0:
                    seen *= weights.positive
            accumulate(arrays, offset, average, work, player, play, 0, stop)
            ascend(arrays, offset, regret, values, work, player, weights, 0, stop)
            visited += here
        tables.total = weights.positive * (tables.total + weights.weight)
        tables.squares = weights.positive * (tables.squares + weights.weight**2)
        tables.average_total += play
    return visited * tables.hands
