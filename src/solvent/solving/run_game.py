"""The game of a solve's run: loading it from what the run says, and refusing another one."""

from __future__ import annotations

from solvent.engines.solver import Solver
from solvent.foundation.errors import InputError
from solvent.foundation.storage.run import Run
from solvent.games.catalogue import allowed_game, stored_game
from solvent.games.game import Game


def game_of(run: Run, own_code: bool) -> Game:
    """The game of a run, which runs the code that the run names only if a person allows it by `own_code`."""
    source = allowed_game(run.configuration.get("source"), own_code)
    return stored_game(run.configuration.get("game"), source, run.folder)


def check_same_game(run: Run, solver: Solver) -> None:
    """Refuse to go on with a run on another game, or on another form of it."""
    began = run.configuration
    if solver.fingerprint == began.get("fingerprint"):
        return
    if began["game"] == solver.name and began.get("form", "history") != solver.form:
        raise InputError(
            f"{run.folder} began on the {began.get('form', 'history')} form, and plan {solver.plan_name} "
            f"runs on the {solver.form} form"
        )
    if began["game"] == solver.name:
        raise InputError(
            f"{solver.name} has changed since {run.folder} began: its tree is no longer the same"
        )
    raise InputError(f"{run.folder} is a run of {began['game']}, not of {solver.name}")
