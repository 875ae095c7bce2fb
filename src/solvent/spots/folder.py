"""The folder of a spot's run: its spot, locks and settings, and the solver in its newest checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from solvent.engines.holdem.best_average import best_tables
from solvent.engines.holdem.growing.growing_solver import GrowingSolver
from solvent.engines.holdem.solver import HoldemSolver
from solvent.forms.holdem.game import HoldemGame, holdem_game
from solvent.foundation.errors import InputError
from solvent.foundation.storage.run import Run
from solvent.games.catalogue import named_spot
from solvent.games.holdem.spot import Spot
from solvent.spots.growing_work import LOG, SizeAdded, grown_solver, log_of
from solvent.spots.locks import parse_lock
from solvent.spots.settings import SpotSettings
from solvent.spots.work import SpotWork

KIND = "spot"


def new_spot_run(
    out: str | Path,
    work: SpotWork,
    settings: SpotSettings,
    locks: Sequence[str],
    started_from: str | Path | None = None,
) -> Run:
    """Begin a run with the solver's tables as its first checkpoint."""
    solver = work.solver
    used = replace(settings, threads=solver.threads).as_json()
    kept = {name: used.pop(name) for name in SpotSettings.kept() if name in used}
    fixed = {
        "game": str(solver.game.rules),
        "locks": list(locks),
        "fingerprint": solver.fingerprint,
        **kept,
        "from": None if started_from is None else str(Path(started_from).absolute()),
    }
    facts = {**work.facts(), "seconds": 0.0}
    return Run.create(out, KIND, fixed, used, tables=work.saved_tables(), facts=facts)


def spot_of(run: Run) -> Spot:
    """Read the spot of a run, with the sizes that its solve has found."""
    first, log = first_spot_of(run), run.facts().get(LOG, ())
    return first.with_added([SizeAdded(**row).whole_line for row in log]) if log else first


def first_spot_of(run: Run) -> Spot:
    """Read the spot that a run began with."""
    rules = named_spot(run.configuration.get("game"))
    if rules is None:
        raise InputError(f"the configuration of {run.folder} is damaged: its game is no spot")
    return rules


def locks_of(run: Run) -> tuple[str, ...]:
    """Read the locks of a run, as text."""
    return tuple(map(str, run.configuration.get("locks", ())))


def settings_of(run: Run) -> SpotSettings:
    """Read the settings of a run."""
    return SpotSettings.resumed(run.configuration, {}, str(run.folder))


def inherited_options(run: Run) -> dict[str, Any]:
    """Read the options that a solve inherits from the run that it starts from, by name."""
    kept = {name: run.fixed[name] for name in SpotSettings.kept() if name in run.fixed and name != "sizes"}
    return {**kept, "until": run.configuration.get("until")}


def check_game(run: Run, game: HoldemGame) -> None:
    """Refuse a game that is built differently than when the run began: the tables would not fit."""
    if game.fingerprint != run.configuration.get("fingerprint"):
        raise InputError(
            f"{run.folder} was made by a version of solvent that builds this spot otherwise; solve it anew"
        )


def open_solver(folder: str | Path, threads: int = 1, regrets: bool = False) -> HoldemSolver:
    """Open the solver of a spot's run at its newest checkpoint.

    regrets: whether to read them too. Without them the solver answers every question about the average strategy
    in half the time, and cannot be resumed.
    """
    run = Run.open(folder, KIND)
    rules, settings, locks = first_spot_of(run), settings_of(run), locks_of(run)
    game = holdem_game(rules, settings.isomorphism == "on")
    check_game(run, game)
    locked = [parse_lock(text, rules, game.tree) for text in locks]
    tables, facts = run.load_checkpoint(mapped=True)
    solver: HoldemSolver
    if settings.sizes is None:
        solver = HoldemSolver(game, settings.rule, threads, settings.dtype, locked)
    else:
        first = GrowingSolver(game, settings.rule, threads, settings.dtype, locked)
        solver = grown_solver(first, log_of(tables), locks)
    try:
        if regrets:
            solver.load_tables(tables)
        else:
            solver.load_averages(best_tables(tables))
        solver.restore(facts)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"the checkpoint of {run.folder} does not fit what the run's configuration says"
        ) from error
    return solver


def is_spot(source: str) -> bool:
    """Whether a folder holds the run of a spot."""
    return Run.is_run(Path(source)) and Run.open(Path(source)).kind == KIND
