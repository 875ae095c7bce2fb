"""The infosets of a game on whichever form it has been compiled to: histories, or one of the two public forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solvent.forms.history import GameTree
from solvent.forms.holdem.game import HoldemGame, has_holdem_form, holdem_game
from solvent.forms.public.game import PublicGame, public_game
from solvent.foundation.errors import InputError
from solvent.games.catalogue import stored_game
from solvent.games.public_rules import PublicRules
from solvent.strategy.solved.holdem_infosets import HoldemInfosets
from solvent.strategy.solved.infosets import InfosetTable
from solvent.strategy.solved.public_infosets import PublicInfosets

Form = GameTree | PublicGame | HoldemGame
PublicForm = PublicGame | HoldemGame
Infosets = InfosetTable | PublicInfosets | HoldemInfosets


def infosets_of(form: Form) -> Infosets:
    """The infosets of a compiled game."""
    if isinstance(form, HoldemGame):
        return HoldemInfosets(form)
    return PublicInfosets(form) if isinstance(form, PublicGame) else InfosetTable.of(form)


def public_form(rules: PublicRules, isomorphism: bool) -> PublicForm:
    """The public form on which a game is solved."""
    return holdem_game(rules, isomorphism) if has_holdem_form(rules) else public_game(rules, isomorphism)


def public_infosets(
    name: str, source: Any, isomorphism: bool, fingerprint: str, where: Path
) -> PublicInfosets | HoldemInfosets:
    """The infosets of a public form by the game's name or source, as for `stored_game`."""
    rules = stored_game(name, source, where)
    game = public_form(rules, isomorphism) if isinstance(rules, PublicRules) else None
    if game is None or game.fingerprint != fingerprint:
        raise InputError(f"{where} belongs to another game than {name}, or to another version of it")
    return HoldemInfosets(game) if isinstance(game, HoldemGame) else PublicInfosets(game)
