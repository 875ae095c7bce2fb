"""Measurements of strategies on any form: exploitability, best responses, one against another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.explicit.continuous.measure import has_continuous_sizes, measure_within
from solvent.engines.history.response import Evaluation, evaluate, expected_value, respond
from solvent.engines.holdem.holdem_pass import HoldemPass
from solvent.engines.holdem.response import evaluate_holdem, played_tables
from solvent.engines.public.public_pass import PublicPass
from solvent.engines.public.response import evaluate_paired, evaluate_public
from solvent.forms.history import GameTree, compile_tree
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.public.game import PublicGame
from solvent.forms.public.sequences import few_histories, public_sequence_form
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.own import name_of
from solvent.strategy.solved.infosets import Form, InfosetTable
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.policies import as_strategy, on_form
from solvent.strategy.solved.public_infosets import HoldemInfosets, PublicInfosets
from solvent.strategy.solved.tables import TableStrategy


@dataclass(frozen=True)
class BestResponse:
    """The best a player can do against the other's strategy."""

    player: int
    value: float
    """Winnings of the response, in chips a game."""
    strategy: TableStrategy
    """The player's pure response, and at the other player's infosets the strategy that it responds to.

    For a player with imperfect recall the value is that of a responder who forgets nothing, and the strategy has
    the actions of that responder on first coming to an infoset.
    """


def exploitability(game: Any, policy: Any, locks: Locks | None = None) -> float:
    """NashConv / 2 of a policy, in chips a game.

    `game` is a compiled game or whatever `load_game` takes. `policy` is a strategy on any form, a dict from
    infosets to probabilities by action, a function of (player, infoset, actions), an OpenSpiel policy or, with a
    compiled game, numbers by cell such as `HistorySolver.average_strategy`. With `locks` both players respond
    outside the locked infosets alone.

    >>> exploitability("kuhn", lambda player, infoset, actions: [0.5, 0.5])
    0.4583333333333333
    """
    if isinstance(policy, TableStrategy) and not isinstance(game, Form):
        rules = load_game(game)
        by_name = has_continuous_sizes(policy) or not isinstance(policy.infosets, InfosetTable)
        tree = None if by_name else compile_tree(rules)
        same = policy.game == name_of(rules) if tree is None else policy.fingerprint == tree.fingerprint
        if not same:
            raise InputError(f"the strategy is of {policy.game}, not of {name_of(rules)}")
        return measure(policy, tree, locks).exploitability
    strategy = as_strategy(game, policy)
    return measure(strategy, game if isinstance(game, GameTree) else None, locks).exploitability


def best_response(game: Any, policy: Any, player: int, locks: Locks | None = None) -> BestResponse:
    """Compute the best response of `player` to a policy; `game` and `policy` are as for `exploitability`.

    A strategy on the public form is responded to on the game's histories. With `locks` the player responds outside
    the locked infosets and plays the lock inside them.
    """
    if player not in (0, 1):
        raise InputError(f"a player is 0 or 1, not {player!r}")
    if isinstance(game, GameTree):
        tree = game
    else:
        tree = compile_tree(game.rules if isinstance(game, PublicGame | HoldemGame) else load_game(game))
    strategy = as_strategy(tree, policy)
    found = respond(tree, strategy.probabilities, player, locks)
    played = np.where(tree.cell_player == player, found.strategy, strategy.probabilities)
    return BestResponse(player, found.value, TableStrategy.of(tree, played))


def measure(strategy: TableStrategy, tree: GameTree | None = None, locks: Locks | None = None) -> Evaluation:
    """Exploitability, value and best-response values; `tree` spares compiling the game again.

    With `locks` both players respond outside the locked infosets alone.
    """
    if locks:
        locks.check(strategy.game, strategy.fingerprint)
    if not isinstance(strategy.infosets, InfosetTable):
        return _measure_public(strategy.infosets, strategy.weights, locks)
    if tree is None and not locks and has_continuous_sizes(strategy):
        return measure_within(strategy)
    return evaluate(tree or _tree_of(strategy), strategy.probabilities, locks)


def value_against(first: TableStrategy, second: TableStrategy, tree: GameTree | None = None) -> float:
    """Value of a game for player 0, in chips, who plays the first strategy against player 1's second.

    Strategies on different forms of a game meet on one of them.
    """
    if first.fingerprint != second.fingerprint:
        form = _meeting_form(first, second, tree)
        first, second = on_form(first, form), on_form(second, form)
        tree = form if isinstance(form, GameTree) else None
    if not isinstance(first.infosets, InfosetTable):
        weights = np.where(first.infosets.owners() == 0, first.probabilities, second.probabilities)
        return _measure_public(first.infosets, weights, None).value[0]
    tree = tree or _tree_of(first)
    return expected_value(tree, (first.probabilities, second.probabilities))[0]


def _tree_of(strategy: TableStrategy) -> GameTree:
    """Compile the game of a strategy on the history form."""
    tree = compile_tree(strategy.rules())
    if tree.fingerprint != strategy.fingerprint:
        raise InputError(f"{strategy.game} has changed since the strategy was made: its tree is not the same")
    return tree


def _meeting_form(first: TableStrategy, second: TableStrategy, tree: GameTree | None) -> Form:
    """Choose the form on which two strategies of one game can be compared: histories, or the boards told apart."""
    if first.game != second.game:
        raise InputError(f"the strategies are of different games: {first.game} and {second.game}")
    infosets = (first.infosets, second.infosets)
    public = [each.game for each in infosets if not isinstance(each, InfosetTable)]
    if len(public) == 2:
        return min(public, key=lambda game: game.isomorphism)
    return tree or compile_tree(first.rules())


def _measure_public(
    infosets: PublicInfosets | HoldemInfosets, weights: NDArray[np.floating], locks: Locks | None
) -> Evaluation:
    if isinstance(infosets, HoldemInfosets):
        return evaluate_holdem(
            HoldemPass(infosets.game, weights.dtype), played_tables(infosets, weights, locks)
        )
    if few_histories(infosets.game):
        return evaluate_paired(public_sequence_form(infosets.game), infosets, weights, locks)
    weights = np.array(weights)  # a copy: kernels take arrays that can be written to
    return evaluate_public(PublicPass(infosets.game, weights.dtype), weights, locks)
