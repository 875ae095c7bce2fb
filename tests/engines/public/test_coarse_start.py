"""Total pruning that starts from a coarser game's run: what it begins with, that it goes on, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solvent.engines.pruning import Pruning
from solvent.engines.public.pruned.coarse_start import match_edges, start_from_coarse
from solvent.engines.public.pruned.hand_blocks import WORD, Stored
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.engines.public.public_pass import PublicPass
from solvent.engines.public.response import evaluate_public
from solvent.forms.public.game import DECISION, PublicGame, public_game
from solvent.foundation.errors import InputError
from solvent.games.leduc import Leduc
from solvent.solving.solve import solve

FULL, COARSE = Leduc(bets1=(1, 2, 4), bets2=(2, 4, 8)), Leduc(bets1=(1, 4), bets2=(2, 8))


def solver_of(rules: Leduc, every: int = 5, rule: str = "lcfr", filled: bool = True) -> PrunedPublicSolver:
    pruning = Pruning("total", average=0.0, every=every, gates="paper")
    return PrunedPublicSolver(
        public_game(rules, False), rule, "alternating", pruning, "float64", filled=filled
    )


def started(iterations: int = 60) -> tuple[PrunedPublicSolver, PrunedPublicSolver]:
    coarse, full = solver_of(COARSE), solver_of(FULL, filled=False)
    coarse.run(iterations)
    start_from_coarse(full, coarse)
    return full, coarse


def mapped(full: PublicGame, coarse: PrunedPublicSolver) -> np.ndarray:
    """The coarse average in the full game, by block: every node plays as the coarse node that stands for it."""
    edges, _ = match_edges(full, coarse.game)
    theirs = coarse.dense(coarse.averages, "average")
    begins = np.concatenate([[0], np.cumsum(coarse.game.block_sizes)])
    rows = [
        theirs[begins[edge] : begins[edge + 1]] if edge >= 0 else np.zeros(size)
        for edge, size in zip(edges.tolist(), full.block_sizes.tolist(), strict=True)
    ]
    return np.concatenate(rows)


def test_sizes_that_the_coarse_game_lacks_are_taken_for_the_nearest() -> None:
    full, coarse = public_game(FULL, False), public_game(COARSE, False)
    edges, kept = match_edges(full, coarse)
    assert (kept >= 0).sum() == len(coarse.nodes.symbol)
    for node in np.flatnonzero(full.nodes.symbol == DECISION):
        first, last = full.nodes.first_edge[node], full.nodes.first_edge[node + 1]
        lacking = [
            action
            for action, edge in zip(full.betting[node].actions, edges[first:last], strict=True)
            if edge < 0
        ]
        bets = len(full.betting[node].actions) > 2
        size = {0: "2", 1: "4"}[int(full.nodes.round[node])]
        assert [action.split()[1] for action in lacking] == ([size] if bets else [])


@pytest.mark.slow
def test_it_begins_with_the_coarse_average_played_through_the_mapping() -> None:
    full, coarse = started()
    weights = mapped(full.game, coarse)
    expected = evaluate_public(PublicPass(full.game, np.dtype("float64")), weights)
    found = full.evaluate()
    assert found.best_response == pytest.approx(expected.best_response, abs=1e-9)
    assert full.iterations == coarse.iterations
    assert full.stored_regrets < 1


@pytest.mark.slow
def test_it_goes_on_to_the_equilibrium_of_the_full_game() -> None:
    full, _ = started()
    begins = full.evaluate().exploitability
    whole = solver_of(FULL)
    full.run(540)
    whole.run(600)
    ends = full.evaluate().exploitability
    assert ends < begins / 3
    assert full.evaluate().value[0] == pytest.approx(whole.evaluate().value[0], abs=ends + 0.05)


def has(stored: Stored, block: int, hand: int) -> bool:
    """Whether a block has a number for a hand."""
    return bool(int(stored.mask[block, hand // WORD]) >> (hand % WORD) & 1)


def hands_without_tables(solver: PrunedPublicSolver) -> list[tuple[int, int, int]]:
    """Nodes, boards and hands at which both players may come and the hand has no action to play."""
    layout, stored = solver._layout, solver.regrets.stored
    tree, found = layout.tree, []

    def comes(player: int, node: int, board: int, hand: int) -> bool:
        """Whether the hand's last own action before a node is stored."""
        edge = layout.last_edge[1 - player, node]
        if edge < 0:
            return True
        boards = layout.top if layout.level[node] == 0 else layout.last
        if layout.level[layout.edge_node[edge]] != layout.level[node]:
            board, hand = 0, int(boards.parent_slot[board, hand])
        return has(stored, layout.edge_block[edge, 0] + board * layout.edge_block[edge, 1], hand)

    for node in np.flatnonzero(tree.symbol == DECISION):
        boards = layout.top if layout.level[node] == 0 else layout.last
        player, hands = int(tree.player[node]), range(boards.hand.shape[1])
        edges = range(tree.first_edge[node], tree.first_edge[node + 1])
        for board in range(len(boards.hand)):
            if not any(comes(1 - player, node, board, hand) for hand in hands):
                continue
            blocks = [layout.edge_block[edge, 0] + board * layout.edge_block[edge, 1] for edge in edges]
            found += [
                (int(node), board, hand)
                for hand in hands
                if comes(player, node, board, hand) and not any(has(stored, b, hand) for b in blocks)
            ]
    return found


@pytest.mark.slow
def test_every_hand_that_comes_somewhere_has_something_to_play() -> None:
    full, _ = started()
    for _ in range(12):
        assert hands_without_tables(full) == []
        full.run(7)


@pytest.mark.slow
def test_a_started_run_is_resumed_bit_for_bit(tmp_path: Path) -> None:
    options = {"rule": "lcfr", "pruning": "total", "form": "public", "prune_gates": "paper"}
    solve(COARSE, out=tmp_path / "coarse", iterations=40, **options)
    start = {"warm_start": tmp_path / "coarse"}
    through = solve(FULL, out=tmp_path / "through", iterations=120, **start, **options)
    solve(FULL, out=tmp_path / "stopped", iterations=70, **start, **options)
    resumed = solve(resume=tmp_path / "stopped", iterations=120)
    assert resumed.exploitability == through.exploitability
    assert resumed.nodes_touched == through.nodes_touched


@pytest.mark.parametrize(
    ("coarse", "message"),
    [
        (Leduc(ranks=4, bets1=(1, 4), bets2=(2, 8)), "other cards"),
        (Leduc(bets1=(1, 3), bets2=(2, 8)), "lacks, so it is not a coarser one"),
        (Leduc(bets1=(1, 4), bets2=(2, 8), max_bets=1), "nothing like 'raise"),
    ],
)
def test_other_games_are_refused(coarse: Leduc, message: str) -> None:
    with pytest.raises(InputError, match=message):
        match_edges(public_game(FULL, False), public_game(coarse, False))


def test_other_rules_are_refused() -> None:
    with pytest.raises(InputError, match="the full game must be, too"):
        start_from_coarse(solver_of(FULL, rule="cfr", filled=False), solver_of(COARSE))
    with pytest.raises(InputError, match="before the first iteration"):
        start_from_coarse(solver_of(FULL), solver_of(COARSE))
