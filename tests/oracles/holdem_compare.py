"""A hold'em solver beside its slow twin: the solver's numbers by decision, board and hand as the twin has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from oracles.holdem_twin import Array, Board, Play, Table, Twin, TwinSolver
from solvent.cards.hands import renamed_hands
from solvent.engines.holdem.kernels import EVALUATE, RESPOND
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.boards import moved
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.forms.holdem.locks import NodeLock
from solvent.forms.holdem.tree import DECISION
from solvent.games.public_rules import Betting


def exact_solver(rules: Any, isomorphism: bool = True, **options: Any) -> HoldemSolver:
    """A solver in float64."""
    return HoldemSolver(holdem_game(rules, isomorphism), dtype="float64", **options)


def node_locks(game: HoldemGame, locks: Mapping[Betting, Array]) -> list[NodeLock]:
    """A twin's locks as the solver takes them."""
    return [NodeLock(game.tree.betting.index(node), play) for node, play in locks.items()]


def board_of(game: HoldemGame, street: int, number: int) -> Board:
    return tuple(game.streets[street].boards.cards[number].tolist())


def by_hand(game: HoldemGame, player: int, street: int, board: int, by_slot: Array) -> Array:
    """Numbers by slot as numbers by hand; 0 for hands that the board blocks."""
    side = game.streets[street].sides[player]
    found = np.zeros((*by_slot.shape[:-1], len(game.hands[player])))
    count = int(side.count[board])
    found[..., side.hand[board, :count]] = by_slot[..., :count]
    return found


def spread(solver: HoldemSolver, table: Array) -> Table:
    """A table of a solver by decision and board, also on the boards that others stand for, with suits renamed."""
    game, found = solver.game, {}
    for node in np.flatnonzero(game.tree.kind == DECISION).tolist():
        street, player = int(game.tree.street[node]), int(game.tree.player[node])
        edges = slice(game.tree.first_edge[node], game.tree.first_edge[node + 1])
        places = game.edge_at[edges, None] + np.arange(game.streets[street].sides[player].slots)
        for number in range(len(game.streets[street].boards)):
            base = game.street_at[street] + number * game.board_cells[street]
            rows = by_hand(game, player, street, number, table[base + places])
            board = board_of(game, street, number)
            for suits in game.streets[0].boards.groups[0]:
                image = renamed_board(game, board, suits)
                if (game.tree.betting[node], image) not in found:
                    moved_to = np.searchsorted(game.hands[player], renamed_hands(suits)[game.hands[player]])
                    turned = np.zeros_like(rows)
                    turned[:, moved_to] = rows
                    found[game.tree.betting[node], image] = turned
    return found


def load(solver: HoldemSolver, table: Array, rows: Table) -> None:
    """Write numbers by decision, board and hand into a solver's table."""
    game = solver.game
    for node in np.flatnonzero(game.tree.kind == DECISION).tolist():
        street, player = int(game.tree.street[node]), int(game.tree.player[node])
        side = game.streets[street].sides[player]
        for number, count in enumerate(side.count):
            base = game.street_at[street] + number * game.board_cells[street]
            first, stop = game.tree.first_edge[node : node + 2]
            given = rows[game.tree.betting[node], board_of(game, street, number)]
            for action, at in enumerate(game.edge_at[first:stop]):
                table[base + at : base + at + count] = given[action, side.hand[number, :count]]


def renamed_board(game: HoldemGame, board: Board, suits: tuple[int, ...]) -> Board:
    """A board with its suits renamed; the cards of a deal in order, those of the root as they lie there."""
    start = len(game.rules.root_board)
    found = tuple(game.rules.root_board)
    for count in game.rules.deals:
        found += tuple(sorted(moved(card, suits) for card in board[start : start + count]))
        start += count
    return found


def close(found: Any, expected: Any, error: float = 1e-10) -> None:
    """Assert that numbers agree to an error relative to the largest, or absolute if that is below 1."""
    found, expected = np.asarray(found), np.asarray(expected)
    worst = np.abs(found - expected).max(initial=0)
    assert worst <= error * max(1.0, np.abs(expected).max(initial=0)), (worst, found, expected)


def check_values(solver: HoldemSolver, twin: Twin, play: Play, picks: Sequence[tuple[int, int]] = ()) -> None:
    """Values and best responses by hand, exploitability, values at picked nodes and boards, if `play` is played.

    A pick is any two numbers: the first says which node, a decision or not, the second which board.
    """
    root = twin.rules.betting, tuple(twin.rules.root_board)
    measured, totals = solver.evaluate(), np.zeros((2, 2))
    for player in (0, 1):
        for mode, respond in ((EVALUATE, 0), (RESPOND, 1)):
            expected = twin.values(player, play, bool(respond))
            close(solver.hand_values(player, mode), expected[root])
            totals[player, respond] = twin.weights[player] @ expected[root]
            for pick, which in picks:
                _check_node(solver, twin, player, mode, expected, pick, which)
    close(measured.value, totals[:, 0])
    close(measured.best_response, totals[:, 1])
    gains = totals[:, 1] - totals[:, 0]
    close(measured.gains, gains)
    close([measured.exploitability, solver.exploitability()], [gains.sum() / 2] * 2)


def _check_node(
    solver: HoldemSolver, twin: Twin, player: int, mode: int, expected: Table, pick: int, which: int
) -> None:
    game = solver.game
    node = pick % len(game.tree.kind)
    street = int(game.tree.street[node])
    number = which % len(game.streets[street].boards)
    board = board_of(game, street, number)
    found = by_hand(game, player, street, number, solver.values_at(player, node, number, mode))
    possible = twin.possible(player, board)
    close(found[possible], expected[game.tree.betting[node], board][possible])


def check_halves(solver: HoldemSolver, slow: TwinSolver, iterations: int) -> None:
    """Each player's half of some iterations, each from the tables that the solver has then.

    The solver must be new. From tables of their own the two would part where a hand gains nothing by an action: a
    rounding error of its regret is then played.
    """
    start = solver.regret.copy(), solver.average.copy()
    for t in range(1, iterations + 1):
        row = solver.rule.schedule(t, 1, "float64")
        for player in (0, 1):
            slow.regret, slow.average = spread(solver, solver.regret), spread(solver, solver.average)
            solver.passes.update(solver._tables(), row, player)
            slow.update(player, t)
            for mine, other in ((solver.regret, slow.regret), (solver.average, slow.average)):
                found = spread(solver, mine)
                assert found.keys() == other.keys()
                for (node, board), rows in found.items():
                    possible = slow.twin.possible(node.player, board)
                    close(rows[:, possible], other[node, board][:, possible])
    ran = [spread(solver, table) for table in (solver.regret, solver.average)]
    solver.regret[:], solver.average[:] = start
    solver.run(iterations)
    for table, before in zip((solver.regret, solver.average), ran, strict=True):
        after = spread(solver, table)
        assert all((after[place] == rows).all() for place, rows in before.items())
