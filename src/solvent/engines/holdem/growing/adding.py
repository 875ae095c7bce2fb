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

from solvent.engines.explicit.growing.discounts import PlayerRegrets, discount
from solvent.engines.holdem.carry_over import common_edges, moved_table, nearest_edges
from solvent.engines.holdem.growing.growing_solver import (
    AVERAGES,
    REGRETS,
    SQUARES,
    GrowingSolver,
    RecoverySolver,
    line_of,
)
from solvent.engines.holdem.solver import HoldemSolver
from solvent.engines.holdem.table_views import board_counts, edge_numbers, range_weights
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.forms.holdem.locks import NodeLock
from solvent.forms.holdem.tree import DECISION, RUN_OUT, holdem_tree
from solvent.games.betting.tree_sizes import Line
from solvent.games.holdem.spot import Spot

REPAIRED, FAITHFUL = VERSIONS = ("repaired", "faithful")
"""Regrets of the opponent in S: a small fraction of the recovery game's, or 0 as in the paper."""
SMALL = 1e-3
"""`repaired`: the fraction of the recovery game's regrets that the opponent keeps. Regret matching does not see the
scale, so the opponent plays on as it has learnt; with regrets of 0 it would play uniformly for an iteration."""
RECOVERED = 40
"""Rules that are not sums: iterations of a recovery game. The opponent keeps all regrets that it has learnt there:
with a small fraction of them an addition was followed by ten times the exploitability for twenty iterations."""
SOON = 10.0
"""Rules that are not sums (dcfr): iterations whose gain a new action has as regret. Other regrets are far below T
times a gain, and beside them T times the gain of a new action would be all that is played."""
YOUNG = 20
"""Rules that are not sums: the most iterations that the clock shows after an addition. Averages that weigh
iteration t by t^3 would otherwise take as many iterations again to forget that the action was never taken."""


@dataclass(frozen=True)
class Added:
    """The result of adding the actions of one decision."""

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
    needed = np.unique(tree.street[tree.kind == RUN_OUT]).tolist()
    has_run_outs = all(game.streets[street].run_outs.won.size for street in needed)
    if len(tree.subtrees) == len(game.streets) and has_run_outs:
        return replace(game, rules=rules, tree=tree)
    return holdem_game(rules, game.isomorphism)


def add_actions(
    before: GrowingSolver,
    chosen: Mapping[str, Sequence[str]],
    locks: Callable[[HoldemGame], Sequence[NodeLock]] | None = None,
    iterations: int | None = None,
    version: str = REPAIRED,
    behind: Sequence[Line] = (),
) -> Grown:
    """Add actions, by the line to their decision, and keep everything that was learnt.

    Actions at several decisions are added at once: none is in the S of another, and all are recovered from the same
    T iterations.

    locks: gives the locks of the larger tree, where there are any
    iterations: K, or None for Z rounded up
    behind: lines inside S whose last action the larger tree has too
    """
    game = _game_with(before.game, chosen, behind)
    edges, _ = common_edges(before.game, game)
    after = _larger_solver(before, game, edges)
    _copy_sums(before, after)
    after.weight[:] = before.weight
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
        w = discount(players, float(before.weight[SQUARES]), "recommended")
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
    """Add actions without recovery games: behind each stands what the nearest bet has. Parameters: `add_actions`.

    A heuristic for rules that are not sums. A new action has no regret at first, everything else keeps what it had,
    and the clock goes back to `YOUNG`. On a turn with 16 candidates the last addition was followed by 170
    iterations until 0.3 % of the pot, where uniform play in the larger tree took 300.
    """
    game = _game_with(before.game, chosen, behind)
    after = _larger_solver(before, game, nearest_edges(before.game.tree, game.tree))
    after.weight[AVERAGES] = before.weight[AVERAGES]
    rejuvenate(after)
    if locks is not None:
        after.lock(locks(game))
    return Grown(after, tuple(Added(at, tuple(names), 0, 0) for at, names in chosen.items()), 1.0)


def _game_with(game: HoldemGame, chosen: Mapping[str, Sequence[str]], behind: Sequence[Line]) -> HoldemGame:
    lines = [(*line_of(at), name) for at, names in chosen.items() for name in names]
    return larger_game(game, game.rules.with_added([*lines, *behind]))


def _larger_solver(
    before: GrowingSolver, game: HoldemGame, edges: Sequence[tuple[int, int]]
) -> GrowingSolver:
    """A solver of the larger tree with the numbers of pairs of edges and the clock of the one before."""
    after = GrowingSolver(game, before.rule, before.threads, before.dtype)
    after.regret[:] = moved_table(before.regret, before.game, game, edges)
    after.average[:] = moved_table(before.average, before.game, game, edges)
    after.iterations, after.head_start = before.iterations, before.head_start
    after.nodes_touched = before.nodes_touched
    return after


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
    weighed = solver.rule.total_weight(YOUNG)
    solver.average *= np.asarray(weighed / solver.weight[AVERAGES], dtype=solver.average.dtype)
    solver.weight[AVERAGES] = weighed
    solver.head_start = float(YOUNG - solver.iterations)


def _copy_sums(before: GrowingSolver, after: GrowingSolver) -> None:
    tree, known = after.game.tree, before.game.tree.by_history
    for node in after.opening:
        if (there := known.get(tree.betting[node].history)) in before.opening:
            player = int(tree.player[node])
            after.value_sums(player, node)[:] = before.value_sums(player, there)


def _player_regrets(
    game: HoldemGame, player: int, before: float, inside: float, gained: float
) -> PlayerRegrets:
    """The facts about a player that the discounts take."""
    tree = game.tree
    own = (tree.kind == DECISION) & (tree.player == player)
    hands = np.array([int(street.sides[player].count.sum()) for street in game.streets])
    pays = tree.pays[:, player]
    return PlayerRegrets(
        int(hands[tree.street[own]].sum()),
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
    node = int(solver.game.tree.edge_node[edge])
    return _squared(solver.game, node, edge_numbers(solver.regret, solver.game, edge))


def _squared(game: HoldemGame, node: int, regrets: NDArray[np.floating]) -> float:
    """The sum of an action's squared positive regrets; the chance of the hand is part of a regret."""
    street, player = int(game.tree.street[node]), int(game.tree.player[node])
    positive = np.maximum(regrets, 0) * range_weights(game, street, player)
    return float(((positive * positive).sum(axis=1) * board_counts(game, street)).sum())


def _inside_edges(recovery: RecoverySolver) -> list[int]:
    """The edges of the recovery game's tree that are in S."""
    return [edge for edge, node in enumerate(recovery.game.tree.edge_node.tolist()) if recovery.inside(node)]


def _inside_squares(recovery: RecoverySolver) -> float:
    """The sum of the player's squared positive regrets inside S, as they are installed."""
    tree, scale = recovery.game.tree, float(recovery.scale_to_install[REGRETS])
    own = [edge for edge in _inside_edges(recovery) if tree.player[tree.edge_node[edge]] == recovery.player]
    return scale**2 * sum(_edge_squares(recovery, edge) for edge in own)


def _install(
    recovery: RecoverySolver, after: GrowingSolver, history: str, actions: Sequence[str], version: str
) -> float:
    """Put what a recovery game found into the tables of the larger tree; the squares of the new head regrets."""
    small, large = recovery.game, after.game
    nodes = large.tree.by_history
    times, mass, _ = recovery.scale_to_install.tolist()
    for edge in _inside_edges(recovery):
        node = int(small.tree.edge_node[edge])
        there = int(large.tree.first_edge[nodes[small.tree.betting[node].history]])
        there += edge - int(small.tree.first_edge[node])
        regrets = edge_numbers(recovery.regret, small, edge)
        into = edge_numbers(after.regret, large, there)
        if small.tree.player[node] == recovery.player:
            into[:] = times * regrets
        else:
            part = 0.0 if version == FAITHFUL else times * SMALL if after.rule.additive else 1.0
            into[:] = part * regrets
            average = edge_numbers(recovery.average, small, edge)
            edge_numbers(after.average, large, there)[:] = mass * average
    for node in recovery.own_openings:
        there = nodes[small.tree.betting[node].history]
        after.value_sums(recovery.player, there)[:] = times * recovery.value_sums(recovery.player, node)
    head, gained = nodes[history], 0.0
    for name, regrets in zip(actions, recovery.head_regrets(), strict=True):
        edge = int(large.tree.first_edge[head]) + large.tree.betting[head].actions.index(name)
        if not after.rule.additive:
            regrets = regrets * min(1.0, SOON / recovery.before.weight[REGRETS])
        edge_numbers(after.regret, large, edge)[:] = regrets
        gained += _squared(large, head, regrets)
    return gained
