"""A hold'em solver beside its slow twin: the solver's numbers by decision, board and hand as the twin has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from holdem.twin import Array, Board, Place, Play, Table, Twin, TwinSolver
from solvent.forms.holdem.boards import moved, moved_hands
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.forms.holdem.locks import NodeLock
from solvent.forms.holdem.tree import DECISION
from solvent.games.public_rules import Betting
from solvent.passes.holdem.kernels import EVALUATE, RESPOND
from solvent.solvers.holdem.solver import HoldemSolver


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
                    moved_to = np.searchsorted(game.hands[player], moved_hands(suits)[game.hands[player]])
                    turned = np.zeros_like(rows)
                    turned[:, moved_to] = rows
                    found[game.tree.betting[node], image] = turned
    return found


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


def check_values(solver: HoldemSolver, twin: Twin, play: Play) -> None:
    """Values by hand at the root, best responses and exploitability of the solver's strategy, which is `play`."""
    root = twin.rules.betting, tuple(twin.rules.root_board)
    measured = solver.evaluate()
    gains = []
    for player in (0, 1):
        for mode, respond in ((EVALUATE, False), (RESPOND, True)):
            expected = twin.values(player, play, respond)[root]
            close(solver.hand_values(player, mode), expected)
        value, best = twin.value(player, play), twin.value(player, play, True)
        close([measured.value[player], measured.best_response[player]], [value, best])
        gains.append(best - value)
    close(measured.gains, gains)
    close([measured.exploitability, solver.exploitability()], [sum(gains) / 2] * 2)


def check_nodes(solver: HoldemSolver, twin: Twin, play: Play, picks: list[tuple[int, int]]) -> None:
    """`values_at` at picked nodes, decisions or not, on picked boards that the solver keeps."""
    game = solver.game
    expected = [[twin.values(player, play, respond) for respond in (False, True)] for player in (0, 1)]
    for pick, which in picks:
        node = pick % len(game.tree.kind)
        street = int(game.tree.street[node])
        number = which % len(game.streets[street].boards)
        place: Place = (game.tree.betting[node], board_of(game, street, number))
        for player in (0, 1):
            for mode, values in zip((EVALUATE, RESPOND), expected[player], strict=True):
                found = by_hand(game, player, street, number, solver.values_at(player, node, number, mode))
                possible = twin.possible(player, place[1])
                close(found[possible], values[place][possible])


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
