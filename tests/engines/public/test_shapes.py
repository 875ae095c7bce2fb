"""Betting nodes by shape: every node has its place, and nodes of one shape have one future."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_public import RandomPublic
from solvent.engines.public.shapes import END, find_shapes
from solvent.engines.public.solver import PublicSolver
from solvent.forms.public.game import DECISION, PublicGame, public_game
from solvent.forms.public.sequences import MANY_NODES
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game


def check_shapes(game: PublicGame) -> None:
    nodes, shapes = game.nodes, find_shapes(game)
    placed = np.concatenate([shape.nodes for shape in shapes])
    assert sorted(placed) == np.flatnonzero(nodes.symbol == DECISION).tolist()
    for number, shape in enumerate(shapes):
        assert (nodes.player[shape.nodes] == shape.player).all()
        for a, (child, segment) in enumerate(zip(shape.children, shape.segments, strict=True)):
            below = nodes.child[nodes.first_edge[shape.nodes] + a]
            if child == END:
                assert len(set(zip(nodes.symbol[below], nodes.stake[below], strict=True))) == 1
            else:
                assert child > number
                assert (shapes[child].nodes[segment : segment + len(below)] == below).all()


@pytest.mark.parametrize("name", ["kuhn", "bluff(dice=1,faces=4)", "bluff(dice=2,faces=2)"])
def test_every_node_has_its_place(name: str) -> None:
    check_shapes(public_game(load_game(name)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_every_node_of_a_random_game_has_its_place(seed: int) -> None:
    game = public_game(RandomPublic(seed), isomorphism=False)
    if len(game.rounds) == 1 and game.nodes.symbol[0] == DECISION:
        check_shapes(game)


def test_bids_after_the_same_bid_have_one_shape() -> None:
    shapes = find_shapes(public_game(load_game("bluff(dice=2,faces=3)")))
    assert len(shapes) == 24  # the start, player 1 after the lowest bid, either player after the 11 others
    assert max(len(shape.nodes) for shape in shapes) == 1024


def test_many_nodes_go_by_shape() -> None:
    large, small = (public_game(load_game(f"bluff(dice=2,faces={faces})")) for faces in (3, 2))
    assert len(large.nodes.symbol) > MANY_NODES > len(small.nodes.symbol)
    assert PublicSolver(large).variant == "shapes"
    assert PublicSolver(small).variant == "sequences"


def test_games_with_boards_are_refused() -> None:
    with pytest.raises(InputError, match="one round"):
        PublicSolver(public_game(load_game("leduc"), isomorphism=False), plan="shapes")
