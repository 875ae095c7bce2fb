"""Small games that stand in for large ones while kernels are compiled.

Numba compiles a kernel for the types of its arguments, which a game's form decides and its size does not. So a
solver warms up on one of these: they have every kind of node, and an iteration of them takes microseconds.
"""

from __future__ import annotations

from solvent.forms.history import GameTree, compile_tree
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.forms.public.game import PublicGame, public_game
from solvent.games.holdem.limit_holdem import FlopHoldem
from solvent.games.holdem.nolimit import NoLimit
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc

PRUNED_ITERATIONS = 30
"""Iterations of a pruned Leduc solve after which every kernel has run once."""


def small_tree(rounds: int = 1) -> GameTree:
    """A small game in history form: Kuhn or, with two rounds, Leduc."""
    return compile_tree(Kuhn() if rounds == 1 else Leduc())


def small_public_game(like: PublicGame, rounds: int = 2) -> PublicGame:
    """A small game in public form whose hands are evaluated as those of `like` are."""
    if like.sorted_hands:
        return public_game(FlopHoldem(2, 4, raises=1), like.isomorphism)
    return public_game(Kuhn() if rounds == 1 else Leduc(), like.isomorphism)


def small_holdem_game() -> HoldemGame:
    """A small no-limit game in public form, with deals, folds, showdowns and run-outs."""
    return holdem_game(NoLimit(suits=2, ranks=4, boards=(0, 1, 1), stack=6, bets="100%,a", cap=1))
