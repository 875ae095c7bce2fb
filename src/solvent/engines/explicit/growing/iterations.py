"""CFR on the explicit public tree, with tables that can grow between iterations.

Regrets are sums weighted by the iteration: 1 under cfr, t under lcfr. The kernels of other forms divide LCFR's sums
by T + 1 on the way; regret matching does not see the difference. Under dcfr, a heuristic here, regrets fade by its
factors and the sums of values by the factor of positive regrets.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from solvent.engines.explicit.growing.archive import Archive
from solvent.engines.explicit.growing.tables import AVERAGE, REGRET, SEEN, VALUE, GrowingTables
from solvent.engines.explicit.kernels import UPDATE, Sums, Weights, Work, accumulate, ascend, descend
from solvent.engines.rules import DCFR, RegretRule
from solvent.forms.explicit.tree import ExplicitTree
from solvent.foundation.errors import InputError


def check_rule(rule: RegretRule) -> None:
    """Refuse rules for which neither Theorem 1 nor a measured heuristic says what an addition means."""
    if not rule.additive and not isinstance(rule, DCFR):
        raise InputError(f"growing games take the rules cfr and lcfr, or dcfr as a heuristic, not {rule}")


def regret_weights(rule: RegretRule, clock: float) -> Weights:
    """What the iteration at a clock above 0 does to regrets and sums of values."""
    if rule.additive:
        return Weights(UPDATE, 1.0, 1.0, clock if rule.linear else 1.0)
    factors = rule.weights(clock)
    return Weights(UPDATE, factors.positive, factors.negative, 1.0)


def discount(tables: GrowingTables, rule: RegretRule, weight: float) -> None:
    """Let every iteration so far count for `weight` of what it did, and set the rule's clock back accordingly.

    T becomes w T. The clock is then the one at which the rule would have that T of itself: under lcfr, whose T is
    1 + 2 + ... + clock, the positive root of clock (clock + 1) / 2 = w T; under dcfr, whose T grows with the clock,
    w times the clock, and averages get the weight w^(gamma + 1) that they have at that clock. Else the iterations
    after a heavy discount would count nearly alike, which is what these rules improve upon.
    """
    tables.scale(weight)
    if rule.linear:
        tables.clock = (math.sqrt(1.0 + 8.0 * tables.total) - 1.0) / 2.0
    elif isinstance(rule, DCFR):
        tables.clock *= weight
        tables.table(AVERAGE)[:] *= weight**rule.gamma
        tables.average_total *= weight**rule.gamma


def run_iterations(
    tree: ExplicitTree,
    tables: GrowingTables,
    work: Work,
    rule: RegretRule,
    count: int,
    skip: bool = False,
    after_pass: Callable[[int, float], None] | None = None,
    archive: Archive | None = None,
) -> int:
    """Run more iterations of a rule; returns the nodes that were touched, times hands.

    Updates are alternating where the tables have what player 1's regrets saw, else simultaneous. `skip` leaves out
    what no player reaches, which rules that fade regrets cannot. `after_pass` is called after each player's pass up
    with the player and the weight of the regrets. What is in the `archive` is brought back when a pass comes there.
    """
    arrays, stop = tree.arrays, tree.nodes
    alternating = SEEN in tables.names
    visited = 0
    work.reach[:, 0] = 1.0
    for _ in range(count):
        tables.clock += 1.0
        weights, play = regret_weights(rule, tables.clock), rule.weights(tables.clock).average
        if archive is not None:
            archive.begin_iteration()
        here = _pass_down(tree, tables, work, skip, archive)
        for player in (0, 1):
            if player and alternating:
                here = _pass_down(tree, tables, work, skip, archive)
                seen = tables.table(SEEN)
                accumulate(arrays, tables.offset[SEEN], seen, work, 0, weights.weight, 0, stop)
                if weights.positive != 1.0:
                    seen *= weights.positive
            average, sums = (Sums(tables.offset[name], tables.table(name)) for name in (AVERAGE, VALUE))
            accumulate(arrays, average.offset, average.table, work, player, play, 0, stop)
            ascend(arrays, tables.offset[REGRET], tables.table(REGRET), sums, work, player, weights, 0, stop)
            visited += here
            if after_pass is not None:
                after_pass(player, weights.weight)
        tables.total = weights.positive * (tables.total + weights.weight)
        tables.squares = weights.positive * (tables.squares + weights.weight**2)
        tables.average_total += play
    return visited * tables.hands


def _pass_down(
    tree: ExplicitTree, tables: GrowingTables, work: Work, skip: bool, archive: Archive | None
) -> int:
    """Compute strategies and reaches, once more if the pass came to what was put away; returns nodes visited."""
    while True:
        instead = Sums(tables.offset[AVERAGE], tables.table(AVERAGE))
        regret = tables.table(REGRET)
        here = descend(tree.arrays, tables.offset[REGRET], regret, instead, work, 0, tree.nodes, skip)
        if archive is None or not archive.reached(work.active):
            return int(here)
