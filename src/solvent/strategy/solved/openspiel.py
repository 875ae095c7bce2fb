"""Strategies from OpenSpiel's policies and to its `TabularPolicy`."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.forms.history import GameTree, compile_tree
from solvent.foundation.errors import InputError
from solvent.foundation.storage.files import write_whole
from solvent.games.catalogue import named_game
from solvent.games.openspiel import PREFIX, OpenSpielGame, load_openspiel
from solvent.strategy.solved.infosets import InfosetTable
from solvent.strategy.solved.policies import row_of
from solvent.strategy.solved.tables import TableStrategy

THEIRS = {"kuhn": "kuhn_poker", "leduc(distinct=true)": "leduc_poker"}
"""Built-in games that OpenSpiel has too, history by history, under its own names."""


def to_tabular_policy(strategy: TableStrategy) -> Any:
    """OpenSpiel's `TabularPolicy` of a strategy for an `openspiel:` game, or for a game of `THEIRS`."""
    from open_spiel.python import policy as open_spiel_policy

    game, ours = _openspiel_game(strategy)
    policy = open_spiel_policy.TabularPolicy(game)
    for player, labels in enumerate(policy.states_per_player):
        for label in labels:
            row = policy.policy_for_key(label)
            legal = np.flatnonzero(policy.legal_actions_mask[policy.state_lookup[label]])
            row[:] = 0.0
            row[legal] = list(strategy.query(ours.get((player, label), label), player).values())
    return policy


def from_openspiel_policy(tree: GameTree, policy: Any) -> TableStrategy:
    """A strategy of an `openspiel:` game from any OpenSpiel policy: whatever has `action_probabilities(state)`.

    The policy is asked once at each infoset, in the first state of it that a depth-first walk finds.
    """
    game = tree.rules if isinstance(tree.rules, OpenSpielGame) else named_game(tree.name)
    if not isinstance(game, OpenSpielGame):
        raise InputError(f"{tree.name} is not OpenSpiel's, as the policy is; give openspiel:NAME")
    infosets = InfosetTable.of(tree)
    weights, asked = np.zeros(tree.cells), np.zeros(len(infosets), dtype=np.bool_)
    for state in game.decisions():
        label = game.infoset(state)
        infoset = infosets.find(label, state.current_player())
        if asked[infoset]:
            continue
        asked[infoset] = True
        try:
            given = dict(policy.action_probabilities(state))
        except (KeyError, IndexError) as error:
            raise InputError(f"the policy has no state {label!r} of {tree.name}") from error
        row = [given.get(action, 0.0) for action in state.legal_actions()]
        weights[infosets.cells_of(infoset)] = row_of(label, infosets.actions(infoset), row)
    return TableStrategy(tree.name, tree.fingerprint, infosets, weights, source=tree.rules)


def save_tabular_policy(strategy: TableStrategy, path: Path) -> None:
    """Pickle the `TabularPolicy`, as OpenSpiel's own examples keep theirs."""
    write_whole(path, pickle.dumps(to_tabular_policy(strategy)))


def _openspiel_game(strategy: TableStrategy) -> tuple[Any, dict[tuple[int, str], str]]:
    """The `pyspiel.Game` of a game, and our infosets by player and OpenSpiel's where they are named otherwise."""
    name = strategy.game
    if name.startswith(PREFIX):
        game = strategy.rules()
        assert isinstance(game, OpenSpielGame)
        return game.game, {}
    if name not in THEIRS:
        raise InputError(
            f"{name} is not OpenSpiel's; solve openspiel:NAME, {' or '.join(THEIRS)} to get a TabularPolicy"
        )
    game = load_openspiel(THEIRS[name])
    mine, other = compile_tree(strategy.rules()), compile_tree(game)
    for one, two in zip(_shape(mine), _shape(other), strict=True):
        if not np.array_equal(one, two):
            raise InputError(f"{name} is not {game} history by history; solve {game} instead")
    theirs = zip(other.infoset_player.tolist(), other.infoset_label, strict=True)
    return game.game, dict(zip(theirs, mine.infoset_label, strict=True))


def _shape(tree: GameTree) -> tuple[NDArray[Any], ...]:
    """The tree without names: equal where two games differ in names alone."""
    return tree.player, tree.infoset, tree.parent, tree.infoset_cell, tree.payoff
