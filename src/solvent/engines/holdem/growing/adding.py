"""Adding actions to a spot's tree while it is solved, as if they had always been there (SAEF, section 3).

What is outside S, behind the new actions, stays as it is to the bit. Inside S, and for the new actions at the
decision, regrets and averages come from the recovery game; then everything so far is discounted by w, because the
regret of a new action may be higher than CFR would have let it grow (Theorem 2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.discounts import DiscountName, PlayerRegrets, discount
from solvent.engines.holdem.carry_over import common_edges, edge_numbers, moved_table, nearest_edges
from solvent.engines.holdem.growing.growing_solver import (
    AVERAGES,
    REGRETS,
    SQUARES,
    GrowingSolver,
    range_weights,
    stands_for,
)
from solvent.engines.holdem.growing.recovery import RecoverySolver, line_of
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.forms.holdem.locks import NodeLock
from solvent.forms.holdem.tree import DECISION, RUN_OUT, HoldemTree, holdem_tree
from solvent.games.betting.tree_sizes import Line
from solvent.games.holdem.spot import Spot

REPAIRED, FAITHFUL = VERSIONS = ("repaired", "faithful")
"""What the opponent's regrets are in S: a small part of the recovery game's, or 0 as in the paper."""
SMALL = 1e-3
"""`repaired`: the part of the recovery game's regrets that the opponent keeps. Regret matching does not see the
scale, so the opponent plays on as it has learnt; with regrets of 0 it would play uniformly for an iteration."""


RECOVERED = 40
"""Rules that are not sums: iterations of a recovery game. The opponent keeps all regrets that it has learnt there:
with a small part of them an addition was followed by ten times the exploitability for twenty iterations."""
SOON = 10.0
"""Rules that are not sums (dcfr): iterations whose gain a new action has as regret. Other regrets are far below T
times a gain, and beside them T times the gain of a new action would be all that is played."""
YOUNG = 20
"""Rules that are not sums: the most iterations that the clock shows after an addition. Averages that weigh
iteration t by t^3 would otherwise take as many iterations again to forget that the action was never taken."""


@dataclass(frozen=True)
class Added:
    """What adding the actions of one decision came to."""

    history: str
    """The line to the decision."""
    actions: tuple[str, ...]
    iterations: int
    """K, those of the recovery game."""
    nodes: int
    """Public nodes x hands that were touched."""


@dataclass(frozen=True)
class Grown:
    """A solver of the larger tree, and how it came about."""

    solver: GrowingSolver
    added: tuple[Added, ...]
    discount: float
    """w."""


def larger_game(game: HoldemGame, rules: Spot) -> HoldemGame:
    """The form of a spot with more lines; boards and hands are shared."""
    tree = holdem_tree(rules.betting)
    if len(tree.subtrees) == len(game.streets) and _has_run_outs(game, tree):
        return replace(game, rules=rules, tree=tree)
    return holdem_game(rules, game.isomorphism)


def _has_run_outs(game: HoldemGame, tree: HoldemTree) -> bool:

    needed = {int(street) for street in tree.street[tree.kind == RUN_OUT]}
    return all(game.streets[street].run_outs.won.size for street in needed)


def add_actions(
    before: GrowingSolver,
    chosen: Mapping[str, Sequence[str]],
    locks: Callable[[HoldemGame], Sequence[NodeLock]] | None = None,
    iterations: int | None = None,
    version: str = REPAIRED,
    discounted: DiscountName = "recommended",
    behind: Sequence[Line] = (),
) -> Grown:
    """Add actions, by the line to their decision, and go on with everything that was learnt.

    Actions at several decisions are added at once: none is in the S of another, and all are recovered from the same
    T iterations. locks: says what is locked in the larger tree, where anything is. iterations: K, or None
    for Z rounded up. discounted: by equation (22) or by the cap (8). behind: lines
    inside S whose last action the larger tree has too.
    """
    old = before.game
    game = _game_with(old, chosen, behind)
    after = GrowingSolver(game, before.rule, before.threads, before.dtype)
    edges, _ = common_edges(old, game)
    for table in ("regret", "average"):
        getattr(after, table)[:] = moved_table(getattr(before, table), old, game, edges)
    _copy_sums(before, after)
    after.weight[:] = before.weight
    after.iterations, after.head_start = before.iterations, before.head_start
    after.nodes_touched = before.nodes_touched
    squares = [_squares(after, player) if before.rule.additive else 0.0 for player in (0, 1)]
    found, inside, gained = [], [0.0, 0.0], [0.0, 0.0]
    for history, actions in chosen.items():
        recovery = RecoverySolver(before, game, history, actions)
        recovery.recover(RECOVERED if iterations is None and not before.rule.additive else iterations)
        gained[recovery.player] += _install(recovery, after, history, actions, version)
        if before.rule.additive:
            inside[recovery.player] += _inside_squares(recovery)
        after.nodes_touched += recovery.nodes_touched
        found.append(Added(history, tuple(actions), recovery.iterations, recovery.nodes_touched))
    if before.rule.additive:
        players = [_player_regrets(game, *each) for each in zip((0, 1), squares, inside, gained, strict=True)]
        w = discount(players, float(before.weight[SQUARES]), discounted)
        discount_all(after, w)
    else:
        w = 1.0
        rejuvenate(after)
    if locks is not None:
        after.lock(locks(game))
    return Grown(after, tuple(found), w)


def copy_nearest(
    before: GrowingSolver,
    chosen: Mapping[str, Sequence[str]],
    locks: Callable[[HoldemGame], Sequence[NodeLock]] | None = None,
    behind: Sequence[Line] = (),
) -> Grown:
    """Add actions as `add_actions` does, without recovery games: behind each stands what the nearest bet has.

    A heuristic for rules that are not sums. A new action has no regret at first, everything else goes on with what
    it had, and the clock goes back to `YOUNG`. On a turn with 16 candidates the last addition was followed by 170
    iterations until 0.3 % of the pot, where uniform play in the larger tree took 300.
    """
    old = before.game
    game = _game_with(old, chosen, behind)
    after = GrowingSolver(game, before.rule, before.threads, before.dtype)
    edges = nearest_edges(old.tree, game.tree)
    for table in ("regret", "average"):
        getattr(after, table)[:] = moved_table(getattr(before, table), old, game, edges)
    after.weight[AVERAGES] = before.weight[AVERAGES]
    after.iterations, after.head_start = before.iterations, before.head_start
    after.nodes_touched = before.nodes_touched
    rejuvenate(after)
    if locks is not None:
        after.lock(locks(game))
    return Grown(after, tuple(Added(at, tuple(names), 0, 0) for at, names in chosen.items()), 1.0)


def _game_with(game: HoldemGame, chosen: Mapping[str, Sequence[str]], behind: Sequence[Line]) -> HoldemGame:
    lines = [(*line_of(at), name) for at, names in chosen.items() for name in names]
    return larger_game(game, game.rules.with_added([*lines, *behind]))


def discount_all(solver: GrowingSolver, w: float) -> None:
    """Weigh everything so far by w: regrets, averages, sums of v(I), and T."""
    if w == 1:
        return
    for table in (solver.regret, solver.average):
        table *= np.asarray(w, dtype=table.dtype)
    solver.marked.sums[:] *= w
    solver.weight *= w


def rejuvenate(solver: GrowingSolver) -> None:
    """Set the clock of a rule that is not a sum back to `YOUNG`, and scale averages to what they weigh by then."""
    clock = solver.iterations + solver.head_start
    if clock <= YOUNG:
        return
    weighed = sum(solver.rule.weights(t).average for t in range(1, YOUNG + 1))
    solver.average *= np.asarray(weighed / solver.weight[AVERAGES], dtype=solver.average.dtype)
    solver.weight[AVERAGES] = weighed
    solver.head_start = float(YOUNG - solver.iterations)


def _copy_sums(before: GrowingSolver, after: GrowingSolver) -> None:
    old, new = before.game.tree, after.game.tree
    known = {old.betting[node].history: node for node in before.opening}
    for node in after.opening:
        if (there := known.get(new.betting[node].history)) is not None:
            player = int(new.player[node])
            after.value_sums(player, node)[:] = before.value_sums(player, there)


def _player_regrets(
    game: HoldemGame, player: int, before: float, inside: float, gained: float
) -> PlayerRegrets:
    """What the discounts ask of a player."""
    tree, infosets = game.tree, 0
    own = (tree.kind == DECISION) & (tree.player == player)
    for number, street in enumerate(game.streets):
        infosets += int((own & (tree.street == number)).sum()) * int(street.sides[player].count.sum())
    pays = tree.pays[:, player]
    return PlayerRegrets(
        infosets,
        int(np.diff(tree.first_edge)[own].max(initial=1)),
        float(pays.max() - pays.min()),
        before,
        inside,
        before + inside + gained,
    )


def _squares(solver: GrowingSolver, player: int) -> float:
    """The sum of a player's squared positive regrets; infosets count for all boards they stand for."""
    tree = solver.game.tree
    edges = np.flatnonzero(tree.player[tree.edge_node] == player).tolist()
    return sum(_edge_squares(solver, edge) for edge in edges)


def _edge_squares(solver: HoldemSolver, edge: int) -> float:
    tree = solver.game.tree
    street = int(tree.street[tree.edge_node[edge]])
    regrets = edge_numbers(solver.regret, solver.game, edge, street)
    return _squared(solver.game, street, int(tree.player[tree.edge_node[edge]]), regrets)


def _squared(game: HoldemGame, street: int, player: int, regrets: NDArray[np.floating]) -> float:
    """The sum of squared positive regrets on the boards of a street; the chance of the hand is part of a regret."""
    positive = np.maximum(regrets, 0) * range_weights(game, street, player)
    return float(((positive * positive).sum(axis=1) * stands_for(game, street)).sum())


def _inside_edges(recovery: RecoverySolver) -> list[int]:
    """The edges of the recovery game's tree that are in S."""
    tree = recovery.game.tree
    inside = [
        recovery.inside(node) if tree.kind[node] == DECISION else False for node in range(len(tree.kind))
    ]
    return np.flatnonzero(np.array(inside)[tree.edge_node]).tolist()


def _inside_squares(recovery: RecoverySolver) -> float:
    """The sum of the player's squared positive regrets inside S, as they are installed."""
    tree, scale = recovery.game.tree, recovery.regret_scale_to_install
    own = [edge for edge in _inside_edges(recovery) if tree.player[tree.edge_node[edge]] == recovery.player]
    return scale**2 * sum(_edge_squares(recovery, edge) for edge in own)


def _install(
    recovery: RecoverySolver, after: GrowingSolver, history: str, actions: Sequence[str], version: str
) -> float:
    """Put what a recovery game found into the tables of the larger tree; the squares of the new head regrets."""
    small, large = recovery.game, after.game
    nodes = large.tree.by_history
    times, mass = recovery.regret_scale_to_install, recovery.average_scale_to_install
    for edge in _inside_edges(recovery):
        node = int(small.tree.edge_node[edge])
        street = int(small.tree.street[node])
        there = int(large.tree.first_edge[nodes[small.tree.betting[node].history]])
        there += edge - int(small.tree.first_edge[node])
        regrets = edge_numbers(recovery.regret, small, edge, street)
        into = edge_numbers(after.regret, large, there, street)
        if small.tree.player[node] == recovery.player:
            into[:] = times * regrets
        else:
            part = 0.0 if version == FAITHFUL else times * SMALL if after.rule.additive else 1.0
            into[:] = part * regrets
            average = edge_numbers(recovery.average, small, edge, street)
            edge_numbers(after.average, large, there, street)[:] = mass * average
    for node in recovery.own_openings:
        there = nodes[small.tree.betting[node].history]
        after.value_sums(recovery.player, there)[:] = times * recovery.value_sums(recovery.player, node)
    head, gained = nodes[history], 0.0
    for name, regrets in zip(actions, recovery.head_regrets(), strict=True):
        edge = int(large.tree.first_edge[head]) + large.tree.betting[head].actions.index(name)
        if not after.rule.additive:
            regrets = regrets * min(1.0, SOON / recovery.before.weight[REGRETS])
        edge_numbers(after.regret, large, edge, int(large.tree.street[head]))[:] = regrets
        gained += _squared(large, int(large.tree.street[head]), recovery.player, regrets)
    return gained
