"""A look at the sizes that the tree does not have yet: their values, and those that pay (SAEF, section 5).

The present average strategy is carried over to the tree with all candidates: behind a size that the present tree
lacks the opponent answers through the randomised pseudo-harmonic mapping. A best response there gives the
counterfactual value of every candidate at every decision, by hand. That is an upper bound on what the candidate
could have earned, so the regret of never having taken it is at most T times the value, less the sum of v(I). Here
the value of the best action that is there already takes the place of the sum of v(I) / T, where it is larger: what
the solve will still learn with the actions that it has does not speak for a new one. A hand counts there as
often as the average strategy brings it and, in part, as a best response does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.growing.proposition import Candidate, pays
from solvent.engines.holdem.growing.adding import larger_game
from solvent.engines.holdem.growing.candidates import AutoSizes
from solvent.engines.holdem.growing.growing_solver import (
    AVERAGES,
    REGRETS,
    GrowingSolver,
    RecoverySolver,
    line_of,
)
from solvent.engines.holdem.kernels import RECORD
from solvent.engines.holdem.response import HoldemEvaluation
from solvent.engines.holdem.table_views import (
    action_rows,
    board_counts,
    dealt_on,
    edge_numbers,
    last_edge,
    public_nodes,
    range_weights,
    street_hands,
)
from solvent.engines.holdem.translated.response import LargerTree
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.tree import DEAL, DECISION, HoldemTree
from solvent.games.betting.action_words import amount_of, paid_after
from solvent.games.holdem.spot import Spot

FACTOR = 1.01
"""Factor of the left side of Proposition 1: the paper's best."""
RESPONSE = 0.25
"""Weight of best-response reach in a candidate's value; average reach has the rest."""


@dataclass(frozen=True)
class Worth:
    """The value of a candidate at a decision."""

    history: str
    action: str
    player: int
    size: float
    """The bet as a fraction of the pot."""
    chips: float
    """The player's gain by it, in chips: the gain of each hand by the hand's average reach."""
    nodes: int
    """About how many public nodes x hands it would add."""


Inherited = tuple[Worth, str, str, float]
"""A new bet, and a size that comes behind it: its line, its action and its fraction of the pot."""


def place_of(spot: Spot, history: str) -> tuple[str, int]:
    """The street after a line, and the pot when it began."""
    betting, street, matched, paid = spot.betting, 0, 0, (0, 0)
    for name in line_of(history):
        paid = paid_after(name, betting.player, paid)
        betting = betting.children[betting.actions.index(name)]
        while betting.deals:
            betting, street, matched, paid = betting.children[0], street + 1, matched + paid[0], (0, 0)
    return spot.street_names[street], spot.pot + 2 * matched


def pot_at(spot: Spot, history: str) -> int:
    """The pot when the street after a line began."""
    return place_of(spot, history)[1]


def own_reach(solver: GrowingSolver, node: int) -> NDArray[np.float64]:
    """The average reach of the player to act at a decision, float64[boards, slots], range weights included."""
    game, tree = solver.game, solver.game.tree
    player, street = int(tree.player[node]), int(tree.street[node])
    at, entry = 0, range_weights(game, 0, player)
    if (edge := last_edge(tree, node, player)) >= 0:
        at = int(tree.street[tree.edge_node[edge]])
        entry = edge_numbers(solver.average, game, edge).astype(np.float64)
        entry /= max(solver.weight[AVERAGES], 1e-300)
    for later in range(at + 1, street + 1):
        entry = dealt_on(game, player, later, entry)
    return entry


def response_reach(
    solver: GrowingSolver, larger: HoldemGame, values: NDArray[np.floating], player: int
) -> dict[int, NDArray[np.float64]]:
    """The reach of a player's opening decisions by a best response that keeps to the present tree on its way.

    values: those of all actions of the larger tree to a best response, by cell. The reach of a node is
    float64[boards, slots], range weights included; 0 for hands that are locked on the way. A responder goes where
    the average strategy hardly ever goes if the sizes that are missing there are worth it.
    """
    game, tree = solver.game, solver.game.tree
    opening = set(solver.opening)
    found: dict[int, NDArray[np.float64]] = {}
    left = [(0, range_weights(game, 0, player))]
    while left:
        node, reach = left.pop()
        if tree.kind[node] == DEAL:
            left.append((tree.behind_deal[node], dealt_on(game, player, int(tree.street[node]) + 1, reach)))
        if tree.kind[node] != DECISION:
            continue
        children = tree.child[tree.first_edge[node] : tree.first_edge[node + 1]].tolist()
        if tree.player[node] != player:
            left += [(child, reach) for child in children]
            continue
        if node in opening:
            found[node] = reach
        rows = _rows_by_name(values, larger, tree.betting[node].history)
        best = np.argmax([rows[name] for name in tree.betting[node].actions], axis=0)
        free = reach * ~solver.locked_hands(node)
        left += [(child, np.where(best == place, free, 0.0)) for place, child in enumerate(children)]
    return found


def regrets_inside(solver: GrowingSolver, target: float | None = None) -> list[float]:
    """The regret of each player in the present tree, in chips x T: what the best response gains there.

    Proposition 1 has the sum of R(I) over all infosets in its place, which bounds it from above, and for candidates
    regrets that the player's own reach is no part of. Here both are what they come to in the value of the game:
    decisions that are hardly ever reached then neither ask for sizes nor keep others from getting them. A solve
    that ends at a target, in chips, will have that regret in the end, with whatever is added now: the question is
    put for that moment, so that sizes come early, before the tree has been solved without them.
    """
    if target is not None:
        return [float(solver.weight[REGRETS] * target)] * 2
    return [float(solver.weight[REGRETS] * gain) for gain in solver.evaluate().gains]


def subtree_nodes(solver: GrowingSolver) -> NDArray[np.int64]:
    """Public nodes x hands at and below each node of the tree."""
    tree = solver.game.tree
    found = street_hands(solver.game)[tree.street]
    for node in range(len(found) - 1, 0, -1):
        found[tree.parent[node]] += found[node]
    return found


@dataclass(frozen=True)
class Look:
    """The result of a look."""

    chosen: tuple[Worth, ...]
    """Candidates that are added now."""
    worths: tuple[Worth, ...]
    """Every candidate that would gain anything."""
    full: bool
    """Whether the limit of nodes has kept a candidate out that pays."""


class LookLimits(NamedTuple):
    """Limits of the additions of one look."""

    least: float
    """The least gain, in chips, for which a size is added."""
    target: float | None = None
    """The exploitability, in chips, that the solve ends at."""
    part: float = 1.0
    """The fraction of the limit of nodes up to which the tree may grow now."""


class Looks:
    """The tree with all candidates, on which looks are taken and the result is measured."""

    def __init__(self, base: HoldemGame, rules: Spot, threads: int = 1, dtype: str = "float32") -> None:
        """base: the game that the solve begins with. rules: the spot with all candidates."""
        self.larger = LargerTree(larger_game(base, rules), threads, dtype)
        self._recorded: NDArray[np.floating] | None = None

    @property
    def game(self) -> HoldemGame:
        """The game with all candidates."""
        return self.larger.game

    def look(self, solver: GrowingSolver, auto: AutoSizes, lines: Counter[str], limits: LookLimits) -> Look:
        """Weigh all candidates against the present average strategy, and choose those to add."""
        worths: list[Worth] = []
        below, betting = subtree_nodes(solver), solver.game.tree.betting
        values = self._action_values(solver) if auto.trial is None else np.zeros(0)
        responses = [response_reach(solver, self.game, values, who) for who in (0, 1) if auto.trial is None]
        for node, new in _candidates(solver, self.game, auto, lines):
            reach = own_reach(solver, node)
            if auto.trial is not None:
                gains = trial_gains(solver, node, new, auto.trial)
            else:
                rows = _rows_by_name(values, self.game, betting[node].history)
                best = np.max([rows[name] for name in betting[node].actions], axis=0).astype(np.float64)
                gains = {name: np.maximum(rows[name] - best, 0.0) for name in new}
                response = responses[solver.game.tree.player[node]][node]
                reach = (1 - RESPONSE) * reach + RESPONSE * response
            worths += _worths(solver, node, below, reach, gains)
        most = round(auto.nodes * public_nodes(self.game))
        chosen, crowded = choose(solver, worths, auto, lines, limits, most)
        return Look(tuple(chosen), tuple(worths), crowded and limits.part == 1)

    def _action_values(self, solver: GrowingSolver) -> NDArray[np.floating]:
        """Values of all actions to a best response, by cell; the table is written over by the next look."""
        tables = self.larger.tables(solver.game, solver.average, solver.locks)
        if self._recorded is None:
            self._recorded = np.empty_like(tables.played)
        self.larger.passes.measure_both(tables._replace(average=self._recorded), RECORD)
        return self._recorded

    def evaluate(self, solver: GrowingSolver) -> HoldemEvaluation:
        """Evaluate the average strategy in the game with all candidates."""
        return self.larger.evaluate(solver.game, solver.average, solver.locks)


def trial_gains(
    solver: GrowingSolver, node: int, new: Sequence[str], iterations: int
) -> dict[str, NDArray[np.float64]]:
    """The gains of new actions at a decision by a recovery game with all of them: [boards, slots] each."""
    history = solver.game.tree.betting[node].history
    rules = solver.game.rules.with_added([(*line_of(history), name) for name in new])
    trial = RecoverySolver(solver, larger_game(solver.game, rules), history, new)
    trial.run(iterations)
    gains = np.maximum(trial.head_regrets(), 0.0) / solver.weight[REGRETS]
    return dict(zip(new, gains, strict=True))


def _rows_by_name(
    values: NDArray[np.floating], game: HoldemGame, history: str
) -> dict[str, NDArray[np.floating]]:
    """The numbers of each action at the decision after a line, [boards, slots]."""
    node = game.tree.by_history[history]
    return dict(zip(game.tree.betting[node].actions, action_rows(values, game, node), strict=True))


def _candidates(
    solver: GrowingSolver, larger: HoldemGame, auto: AutoSizes, lines: Counter[str]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Decisions that may get a size, and the candidates that they lack.

    lines: the number of sizes that each decision has got already, by its line.
    """
    tree = solver.game.tree
    for node in solver.opening:
        history, actions = tree.betting[node].history, tree.betting[node].actions
        there = larger.tree.by_history.get(history)
        if there is None or lines[history] >= auto.at_most:
            continue
        if new := tuple(name for name in larger.tree.betting[there].actions if name not in actions):
            yield node, new


def _worths(
    solver: GrowingSolver,
    node: int,
    below: NDArray[np.int64],
    reach: NDArray[np.float64],
    gains: Mapping[str, NDArray[np.float64]],
) -> Iterator[Worth]:
    """The worth of candidates at a decision from what each gains by board and slot, weighted as values are.

    below: public nodes x hands at and below each node. reach: how the player's hands come there.
    """
    game, tree = solver.game, solver.game.tree
    history, player, street = tree.betting[node].history, int(tree.player[node]), int(tree.street[node])
    times, pot = board_counts(game, street)[:, None], pot_at(game.rules, history)
    reach = reach * times * ~solver.locked_hands(node)
    for name, gain in gains.items():
        if (chips := float((gain * reach).sum())) > 0:
            size, behind = amount_of(name) / pot, _nodes_behind(tree, node, name, below)
            yield Worth(history, name, player, size, chips, behind)


def _nodes_behind(tree: HoldemTree, node: int, action: str, below: NDArray[np.int64]) -> int:
    """About the size of the subgame behind a new action: that behind the nearest bet that is there."""
    children = tree.child[tree.first_edge[node] : tree.first_edge[node + 1]].tolist()
    bets = [
        (abs(amount_of(name) - amount_of(action)), int(below[child]))
        for name, child in zip(tree.betting[node].actions, children, strict=True)
        if amount_of(name)
    ]
    return min(bets)[1] if bets else int(below[children[0]])


def choose(
    solver: GrowingSolver,
    worths: Sequence[Worth],
    auto: AutoSizes,
    lines: Counter[str],
    limits: LookLimits,
    most_nodes: int,
) -> tuple[list[Worth], bool]:
    """The candidates to add now, and whether the limit of nodes has kept any out.

    most_nodes: those that the tree may have in the end, which Proposition 1 is asked for where there is a target.
    They pay by Proposition 1 and gain at least `limits.least` chips. Those of earlier streets come before those of
    the last one, whose many decisions would take all the nodes with sizes that gain little each; within both they
    are taken by what they gain for a node. A size changes what its neighbours are worth. Under the pseudo-harmonic
    mapping the answer to a size x between two sizes is linear in u = 1 / (1 + x), and what is wrong with it grows
    like the product of the distances to both, so what a candidate is worth falls by that product when a size is
    added beside it.
    """
    inside, nodes, total = regrets_inside(solver, limits.target), solver.nodes, solver.weight[REGRETS]
    there = {
        solver.game.tree.betting[node].history: present_sizes(solver.game, node) for node in solver.opening
    }
    tree = solver.game.tree
    early = {tree.betting[node].history for node in solver.opening if tree.street[node] < tree.street.max()}
    left, room = list(worths), Counter({line: auto.at_most - lines[line] for line in there})
    chosen: list[Worth] = []
    crowded = False
    while left := [one for one in left if one.chips >= limits.least and room[one.history] > 0]:
        best = max(left, key=lambda one: (one.history in early, one.chips / one.nodes))
        left.remove(best)
        regret = float(total * best.chips)
        size = nodes if limits.target is None else max(nodes, most_nodes)
        if not pays(inside[best.player], size, Candidate(regret, best.nodes), total, FACTOR):
            continue
        if nodes + best.nodes > limits.part * most_nodes:
            crowded = True
            continue
        chosen.append(best)
        room[best.history] -= 1
        nodes += best.nodes
        if limits.target is None:
            inside[best.player] += regret
        sizes = there[best.history]
        left = [_beside(one, sizes, best.size) if one.history == best.history else one for one in left]
        sizes.append(best.size)
    return chosen, crowded


def inherited(
    solver: GrowingSolver, larger: HoldemGame, chosen: Sequence[Worth], log: Mapping[str, Sequence[float]]
) -> list[Inherited]:
    """The sizes that later streets behind new bets begin with: those added behind the nearest bet that is there.

    log: the sizes added so far, as fractions of the pot, by line. Returns new bets, lines, actions and fractions of
    the pot. Behind a new bet everything is played for the first time, so these sizes cost nothing more.
    """
    if not log:
        return []
    rules = solver.game.rules.with_added([(*line_of(one.history), one.action) for one in chosen])
    there = {each.history: each.actions for each in larger.tree.betting if each.actions}
    bets = {each.history: each.actions for each in solver.game.tree.betting if each.actions}
    found: list[Inherited] = []
    for one in chosen:
        sized = [name for name in bets[one.history] if amount_of(name)]
        for near in sorted(sized, key=lambda name: abs(amount_of(name) - amount_of(one.action))):
            lines = _lines_behind(one, near, log)
            copied = [
                (one, line, *new)
                for line, sizes in lines.items()
                if line in there
                for new in _nearest_sizes(rules, larger.rules, line, there[line], sizes)
            ]
            found += copied
            if copied:
                break
    return found


def _lines_behind(one: Worth, near: str, log: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """The log's lines behind a bet, as they are called behind a new bet at the same decision."""
    prefix = f"{one.history}, " if one.history else ""
    old = prefix + near
    return {
        prefix + one.action + line.removeprefix(old): sizes
        for line, sizes in log.items()
        if line.startswith(old + ",")
    }


def _nearest_sizes(
    rules: Spot, larger: Spot, line: str, candidates: Sequence[str], sizes: Sequence[float]
) -> list[tuple[str, float]]:
    """The candidates at a decision nearest to some sizes and not there yet, with their parts of the pot."""
    pot, start, found = pot_at(larger, line), set(rules.actions_after(line)), []
    for size in sizes:
        new = [name for name in candidates if amount_of(name) and name not in start]
        if new:
            name = min(new, key=lambda name: abs(1 / (1 + amount_of(name) / pot) - 1 / (1 + size)))
            start.add(name)
            found.append((name, amount_of(name) / pot))
    return found


def present_sizes(game: HoldemGame, node: int) -> list[float]:
    """The bets at a decision as fractions of the pot."""
    pot = pot_at(game.rules, game.tree.betting[node].history)
    return [amount_of(name) / pot for name in game.tree.betting[node].actions if amount_of(name)]


def _beside(one: Worth, sizes: Sequence[float], new: float) -> Worth:
    """The worth of a candidate once a size is added beside it."""
    before, after = _distances(one.size, sizes), _distances(one.size, [*sizes, new])
    part = min(1.0, after / before) if before > 0 else 0.0
    return replace(one, chips=part * one.chips)


def _distances(size: float, sizes: Sequence[float]) -> float:
    """The product of a size's distances in 1 / (1 + x) to its neighbours; past the last, the square of one."""
    here = 1.0 / (1.0 + size)
    above = [1.0 / (1.0 + one) - here for one in sizes if one < size]
    below = [here - 1.0 / (1.0 + one) for one in sizes if one > size]
    first = min(above) if above else min(below)
    return first * (min(below) if below else first)
