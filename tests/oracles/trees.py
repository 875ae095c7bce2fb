"""Slow, obvious answers to check the fast ones against. None of them uses the code under test's own shortcuts."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, hstack

from solvent.forms.history import GameTree
from solvent.games.game import CHANCE, TERMINAL, Game, State


def edge_probability(tree: GameTree, row: int, strategy: np.ndarray) -> float:
    cell = tree.cell[row]
    return float(strategy[cell] if cell < tree.cells else tree.chance[cell - tree.cells])


def children(tree: GameTree, row: int) -> list[int]:
    found, child = [], row + 1
    while child < tree.end[row]:
        found.append(child)
        child = int(tree.end[child])
    return found


def counterfactual_values(tree: GameTree, strategy: np.ndarray, player: int) -> np.ndarray:
    """v_i(I, a) by plain recursion over histories: the definition, written down."""
    values = np.zeros(tree.cells)

    def visit(row: int, reach: float) -> float:
        if tree.player[row] == TERMINAL:
            return float(tree.payoff[player, row])
        total = 0.0
        for child in children(tree, row):
            probability = edge_probability(tree, child, strategy)
            own = tree.player[row] == player
            value = visit(child, reach if own else reach * probability)
            if own:
                values[tree.cell[child]] += reach * value
            total += probability * value
        return total

    visit(0, 1.0)
    return values


def expected_payoffs(state: State, play) -> np.ndarray:
    """Each player's winnings when `play(player, infoset)` gives the probabilities, straight from the rules."""
    player = state.player()
    if player == TERMINAL:
        return np.array(state.payoffs(), dtype=float)
    if player == CHANCE:
        return sum(float(p) * expected_payoffs(state.child(a), play) for a, p in state.chance())
    probabilities = play(player, state.infoset())
    return sum(
        p * expected_payoffs(state.child(a), play)
        for a, p in zip(state.actions(), probabilities, strict=True)
    )


def game_value(tree: GameTree) -> float:
    """The value for player 0 of a zero-sum game with perfect recall, by the sequence-form linear program.

    Maximise q.r over player 0's realisation plans x (E x = e) with A' x - F' q >= 0 against each of player 1's
    sequences: Koller, Megiddo and von Stengel's program, solved by HiGHS.
    """
    sequence = [{}, {}]  # (infoset, action index) -> sequence; 0 is the empty one
    before = [{}, {}]  # infoset -> sequence that leads to it
    last = np.zeros((2, tree.histories), dtype=int)
    reach = np.ones(tree.histories)
    rows, columns, pays = [], [], []
    for row in range(tree.histories):
        if row:
            up, cell = int(tree.parent[row]), int(tree.cell[row])
            last[:, row] = last[:, up]
            reach[row] = reach[up]
            mover = int(tree.player[up])
            if mover == CHANCE:
                reach[row] *= tree.chance[cell - tree.cells]
            else:
                last[mover, row] = sequence[mover].setdefault(cell, len(sequence[mover]) + 1)
        player = int(tree.player[row])
        if player >= 0:
            before[player].setdefault(int(tree.infoset[row]), last[player, row])
        elif player == TERMINAL:
            rows.append(last[0, row])
            columns.append(last[1, row])
            pays.append(reach[row] * tree.payoff[0, row])
    sizes = [len(sequence[player]) + 1 for player in (0, 1)]
    payoff = coo_matrix((pays, (rows, columns)), shape=sizes).tocsr()
    flow = [_flow(tree, sequence[p], before[p], sizes[p]) for p in (0, 1)]
    # Variables: x (player 0's plan, >= 0) and q (one free dual value per infoset of player 1, and the root's).
    duals = flow[1].shape[0]
    objective = np.zeros(sizes[0] + duals)
    objective[sizes[0]] = -1.0  # maximise the root's dual value
    at_least = hstack([-payoff.T, flow[1].T]).tocsr()  # F' q - A' x <= 0
    plan = hstack([flow[0], coo_matrix((flow[0].shape[0], duals))]).tocsr()
    one = np.zeros(flow[0].shape[0])
    one[0] = 1.0
    solution = linprog(
        objective,
        A_ub=at_least,
        b_ub=np.zeros(sizes[1]),
        A_eq=plan,
        b_eq=one,
        bounds=[(0, None)] * sizes[0] + [(None, None)] * duals,
        method="highs-ipm" if tree.cells > 20_000 else "highs",
    )
    assert solution.success, solution.message
    return float(-solution.fun)


def _flow(tree: GameTree, sequence: dict, before: dict, size: int):
    """E: the empty sequence has probability 1, and what enters an infoset leaves it."""
    rows, columns, values = [0], [0], [1.0]
    for k, (infoset, entering) in enumerate(before.items(), start=1):
        rows.append(k)
        columns.append(entering)
        values.append(-1.0)
        for cell in range(tree.infoset_cell[infoset], tree.infoset_cell[infoset + 1]):
            rows.append(k)
            columns.append(sequence[cell])
            values.append(1.0)
    return coo_matrix((values, (rows, columns)), shape=(len(before) + 1, size)).tocsr()


def count(game: Game) -> int:
    """Count the histories of a game by walking them."""
    stack, histories = [game.root()], 0
    while stack:
        state = stack.pop()
        histories += 1
        player = state.player()
        if player == CHANCE:
            stack.extend(state.child(a) for a, _ in state.chance())
        elif player != TERMINAL:
            stack.extend(map(state.child, state.actions()))
    return histories
