"""Strategies to and from OpenSpiel's `TabularPolicy`."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from solvent.forms.history import GameTree
from solvent.foundation.errors import InputError
from solvent.games.catalogue import load_game
from solvent.games.openspiel import OpenSpielGame
from solvent.strategy.tables import TableStrategy


def to_tabular_policy(strategy: TableStrategy) -> Any:
    """OpenSpiel's `TabularPolicy` of a strategy for an `openspiel:` game."""
    from open_spiel.python import policy as open_spiel_policy

    policy = open_spiel_policy.TabularPolicy(_pyspiel_game(strategy.game))
    for player, labels in enumerate(policy.states_per_player):
        for label in labels:
            row = policy.policy_for_key(label)
            legal = np.flatnonzero(policy.legal_actions_mask[policy.state_lookup[label]])
            row[:] = 0.0
            row[legal] = list(strategy.query(label, player).values())
    return policy


def from_tabular_policy(tree: GameTree, policy: Any) -> TableStrategy:
    """A strategy from OpenSpiel's `TabularPolicy` of the same game."""
    weights = np.zeros(tree.cells)
    for infoset, label in enumerate(tree.infoset_label):
        start, stop = tree.infoset_cell[infoset : infoset + 2]
        if label not in policy.state_lookup:
            raise InputError(f"the policy has no state {label!r} of {tree.name}")
        legal = np.flatnonzero(policy.legal_actions_mask[policy.state_lookup[label]])
        weights[start:stop] = policy.policy_for_key(label)[legal]
    return TableStrategy.of(tree, weights)


def save_tabular_policy(strategy: TableStrategy, path: Path) -> None:
    """Pickle the `TabularPolicy`, as OpenSpiel's own examples keep theirs."""
    content = pickle.dumps(to_tabular_policy(strategy))
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def _pyspiel_game(name: str) -> Any:
    game = load_game(name)
    if not isinstance(game, OpenSpielGame):
        raise InputError(f"{name} is not OpenSpiel's; solve openspiel:NAME to get a TabularPolicy")
    return game.game
