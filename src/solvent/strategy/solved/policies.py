"""Strategies from what people have at hand: a dict, a function, numbers by cell, OpenSpiel's policies.

Each becomes a `TableStrategy` on one form of the game. A table of one form is carried to another by the labels of
the infosets, which all forms of a game share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.forms.history import GameTree, compile_tree
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.public_rules import PublicRules
from solvent.strategy.solved.infosets import Form, Infosets, infosets_of, public_form
from solvent.strategy.solved.tables import TableStrategy
from solvent.strategy.strategy import Chosen, Policy

MOST_HISTORIES = 5_000_000
"""Histories up to which a game that is given by its rules is compiled to them rather than to its public form."""


def form_of(game: Any) -> Form:
    """A compiled game as it is; else the form on which a policy of these rules is read and measured."""
    if isinstance(game, Form):
        return game
    rules = load_game(game)
    if isinstance(rules, PublicRules) and rules.histories() > MOST_HISTORIES:
        return public_form(rules, isomorphism=False)  # a policy may treat suits differently
    return compile_tree(rules)


def as_strategy(game: Any, policy: Any) -> TableStrategy:
    """Any policy as a strategy on `form_of(game)`.

    A policy is a strategy on any form of the game, a mapping as `Strategy.from_dict` takes it, a function as
    `Strategy.from_function` takes it, an OpenSpiel policy, or float[cells] of a compiled game.
    """
    if isinstance(policy, TableStrategy):
        return on_form(policy, form_of(game))
    if isinstance(policy, Mapping):
        return strategy_from_dict(game, policy)
    if hasattr(policy, "action_probabilities"):  # a policy of OpenSpiel's Python or C++ library
        from solvent.strategy.solved.openspiel import from_openspiel_policy

        form = form_of(game)
        if not isinstance(form, GameTree):
            raise InputError(f"{form.name} is not OpenSpiel's, as the policy is; give openspiel:NAME")
        return from_openspiel_policy(form, policy)
    if callable(policy):
        return strategy_from_function(game, policy)
    return _from_numbers(game, policy)


def strategy_from_dict(game: Any, rows: Mapping[Any, Chosen]) -> TableStrategy:
    """See `Strategy.from_dict`."""
    form = form_of(game)
    infosets = infosets_of(form)
    weights, given = np.zeros(infosets.cells), np.zeros(len(infosets), dtype=np.bool_)
    for key, chosen in rows.items():
        player, label = key if isinstance(key, tuple) else (None, key)
        infoset = infosets.find(label, player)
        weights[infosets.cells_of(infoset)] = row_of(label, infosets.actions(infoset), chosen)
        given[infoset] = True
    missing = [infoset for infoset in infosets.numbers() if not given[infoset]]
    if missing:
        first = f"player {infosets.player_of(missing[0])}'s {infosets.label(missing[0])!r}"
        raise InputError(
            f"the strategy leaves out {len(missing):,} of the {infosets.held:,} infosets of {form.name}, "
            f"such as {first}; give every one"
        )
    return _table(form, infosets, weights)


def strategy_from_function(game: Any, policy: Policy) -> TableStrategy:
    """See `Strategy.from_function`."""

    def row(player: int, label: str, actions: tuple[str, ...]) -> NDArray[np.float64]:
        return row_of(label, actions, policy(player, label, actions))

    return _filled(form_of(game), row, {})


def _filled(
    form: Form, row: Callable[[int, str, tuple[str, ...]], ArrayLike], facts: dict[str, Any]
) -> TableStrategy:
    """A strategy from the weights that a function gives for each player, label and actions."""
    infosets = infosets_of(form)
    weights = np.zeros(infosets.cells)
    for infoset in infosets.numbers():
        asked = infosets.player_of(infoset), infosets.label(infoset), infosets.actions(infoset)
        weights[infosets.cells_of(infoset)] = row(*asked)
    return TableStrategy(form.name, form.fingerprint, infosets, weights, facts, form.rules)


def on_form(strategy: TableStrategy, form: Form) -> TableStrategy:
    """A strategy of a game on another form of the same game, carried over by the labels of its infosets."""
    if strategy.fingerprint == form.fingerprint:
        return strategy
    if strategy.game != form.name:
        raise InputError(f"the strategy is of {strategy.game}, not of {form.name}")

    def row(player: int, label: str, actions: tuple[str, ...]) -> list[float]:
        found = strategy.query(label, player)
        if tuple(found) != actions:
            raise InputError(
                f"the strategy has {', '.join(found)} at {label!r}, and {form.name} has {', '.join(actions)}"
            )
        return list(found.values())

    return _filled(form, row, strategy.facts)


def row_of(label: str, actions: tuple[str, ...], chosen: Chosen) -> NDArray[np.float64]:
    """The probabilities of an infoset's actions, in their order."""
    try:
        if isinstance(chosen, Mapping):
            fits = all(action in actions for action in chosen)
            row = np.array([float(chosen.get(action, 0.0)) for action in actions])
        else:
            row = np.array([float(number) for number in chosen])
            fits = len(row) == len(actions)
    except (TypeError, ValueError):
        fits, row = False, np.ones(1)
    if not fits:
        raise InputError(f"the actions at {label!r} are {', '.join(actions)}; {chosen!r} does not fit them")
    check_weights(label, row[:, None])
    return np.asarray(row / row.sum())


def check_weights(label: str, weights: NDArray[np.float64]) -> None:
    """Refuse what are not probabilities up to a factor: float[actions, infosets]."""
    if not (np.isfinite(weights).all() and (weights >= 0).all() and (weights.sum(axis=0) > 0).all()):
        raise InputError(
            f"the weights of the actions at {label!r} must be finite, none below 0 and not all of them 0"
        )


def _from_numbers(game: Any, numbers: Any) -> TableStrategy:
    """A strategy from float[cells] of a compiled game."""
    weights = None
    with suppress(TypeError, ValueError):
        weights = None if numbers is None else np.array(numbers, dtype=np.float64)
    if weights is None:
        raise InputError(
            f"a policy is a strategy, a dict, a function of (player, infoset, actions), an OpenSpiel policy or "
            f"numbers by cell, not {type(numbers).__name__}"
        )
    if not isinstance(game, Form):
        raise InputError("numbers by cell need the compiled game they belong to")
    infosets = infosets_of(game)
    strategy = _table(game, infosets, weights)
    for infoset in infosets.numbers():
        row = weights[infosets.cells_of(infoset)]
        if not row.sum() > 0 or row.min() < 0:
            check_weights(infosets.label(infoset), row[:, None])
    return strategy


def _table(form: Form, infosets: Infosets, weights: NDArray[np.float64]) -> TableStrategy:
    return TableStrategy(form.name, form.fingerprint, infosets, weights, source=form.rules)
