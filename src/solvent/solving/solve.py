"""Solve a game, from its name to a strategy.

result = solve("leduc", rule="dcfr", until=1e-3)
result.exploitability, result.strategy["K|Q|kk/"]
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Unpack

from solvent.engines.explicit.growing.solver import GrowingSolver
from solvent.engines.history.response import Evaluation
from solvent.engines.public.pruned.coarse_start import start_from_coarse
from solvent.engines.public.pruned.solver import PrunedPublicSolver
from solvent.engines.rules import LinearProgram
from solvent.engines.solver import Solver, compile_seconds
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import peak_memory
from solvent.foundation.progress import SIZED, Progress, Stop, Watch
from solvent.foundation.storage.run import Run
from solvent.foundation.units import size
from solvent.games.catalogue import allowed_game, load_game, stored_game
from solvent.games.efg.reading import EfgGame
from solvent.games.game import Game
from solvent.games.own import source_of
from solvent.solving.choose import check_given, default_rule, make_solver
from solvent.solving.option_types import SolveOptions, with_options
from solvent.solving.result import UNIT, Result
from solvent.solving.session import Limits, Session, watched
from solvent.solving.settings import DEFAULT_ITERATIONS, SAMPLED_ITERATIONS, Settings, given_options
from solvent.strategy.opening import open_solved
from solvent.strategy.solved.infosets import InfosetTable
from solvent.strategy.solved.tables import TableStrategy

COMPILING_KERNELS = "compiling kernels"
SOLVING = "solving"
CHUNK_SECONDS = 0.2
"""Seconds that a compiled call may keep Ctrl-C, the clock and the progress display waiting."""
GROWTH, SAMPLED_GROWTH = 1.1, 1.5
"""Growth of iterations from one exploitability check to the next."""


@with_options(SolveOptions)
def solve(
    game: Any = None,
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    warm_start: TableStrategy | str | Path | None = None,
    own_code: bool = False,
    watch: Watch | None = None,
    progress: bool = False,
    stop: Stop | None = None,
    **options: Unpack[SolveOptions],
) -> Result:
    """Solve a two-player game by counterfactual regret minimisation.

    `game` is whatever `load_game` takes. `options` are those of `solvent.Settings`, such as `rule`, `iterations`,
    `until`, `time` ("90s", "5m" or seconds), `plan`, `threads`, `pruning` and `sampling`. The first limit of
    `iterations`, `until` (exploitability in chips) and `time` stops the solve; with none, 1,000 iterations, or a
    million with sampling.

    `out` names a new folder to save the run in. `resume` names an earlier run's folder: the game may be left
    out, the rule and whatever else decides the numbers stay as they were, and limits, plan and threads may
    change. `warm_start` is a strategy, or the folder of one, to start from instead of uniform play; with total
    pruning on the public form it is the folder of a run of a coarser game, with fewer bet sizes. A run of a game of
    your own is resumed with that game given again, or with `own_code=True`, which runs the code that the run names.

    `progress` shows how far the solve is, on standard error or in a notebook; `watch` is called with each
    `Progress`. From any thread `stop.request()` ends the solve after the running iterations; the result then says
    `stopped_by` "interrupt", and the run can be resumed. Ctrl-C raises `Interrupted`, a KeyboardInterrupt, once the
    run is saved, with the result so far as its `result`; other signals are the program's own.
    """
    began = time.perf_counter()
    if out is not None and resume is not None:
        raise InputError("give a new folder with out or an old one with resume, not both")
    if resume is not None and warm_start is not None:
        raise InputError("a resumed run has its own start; leave warm-start out")
    given = given_options(options)
    asked = Settings.of(given)
    if out is not None:
        Run.check_new(out)
    run = None if resume is None else Run.open(resume, "solve")
    settings = asked if run is None else _resumed(run, given)
    if game is None and run is None:
        raise InputError("say which game to solve")
    rules = _game_of(run, own_code) if game is None and run is not None else load_game(game)
    start = _start_of(warm_start, settings, rules, own_code)
    if run is None and "rule" not in given:
        settings = replace(settings, rule=default_rule(rules, settings))
    settings.check_given(given)
    settings.check_rule()
    limits, as_before = _limits(settings, Limits.of(asked).given, run)
    if limits.iterations:
        settings.rule.check_clock(limits.iterations)
    stop, filled = stop or Stop(), run is None and not isinstance(start, Run)
    with watched(watch, progress) as watch:
        solver = _prepare(rules, settings, given, run, watch, stop, filled)
        if limits.iterations:
            solver.rule.check_clock(limits.iterations, solver.dtype)
        watch(Progress(COMPILING_KERNELS, 0))
        compiling = compile_seconds(solver.warm_up)
        if start is not None:
            _begin_from(solver, start, own_code)
        watch(Progress(SIZED, 0, detail=_cost(solver)))
        work = _Solve(solver)
        if out is not None:
            run = _new_run(out, rules, work, settings, limits)
        with run.locked() if run is not None else nullcontext():
            spent = time.perf_counter() - began - compiling
            session = Session(SOLVING, work, limits, run, settings.checkpoint_every, watch, stop, spent=spent)
            if resume is not None:
                session.resume(as_before)
            stopped_by = session.loop()
            result = _result(session, work, settings, stopped_by, compiling)
            session.write_result(result.as_dict())
        return session.held.result(replace(result, unsaved=session.shortfall()))


def _resumed(run: Run, given: Mapping[str, Any]) -> Settings:
    """Read the settings of a resumed run."""
    settings = Settings.resumed(run.configuration, given, str(run.folder))
    if "plan" in given and "form" not in given:
        return replace(settings, form="auto")  # the plan may need another form: refused with that reason
    return settings


def _game_of(run: Run, own_code: bool) -> Game:
    """Load the game of a run; code that the run names runs only if a person allows it by `own_code`."""
    source = allowed_game(run.configuration.get("source"), own_code)
    return stored_game(run.configuration.get("game"), source, run.folder)


def _start_of(
    given: TableStrategy | str | Path | None, settings: Settings, rules: Game, own_code: bool
) -> TableStrategy | Run | None:
    """Open the given start: a strategy, or with total pruning the run in a folder.

    Where the solve is of a game of one's own, a strategy in a folder is one of that game.
    """
    if settings.pruning == "total" and isinstance(given, str | Path):
        return Run.open(given, "solve")
    start: Any = given
    if isinstance(given, str | Path):
        start = open_solved(given, None if source_of(rules) is None else rules, own_code)
    if start is not None and not isinstance(start, TableStrategy):
        raise InputError(f"warm_start is a strategy or the folder of one, not a {type(start).__name__}")
    return start


def _begin_from(solver: Solver, start: TableStrategy | Run, own_code: bool) -> None:
    """Start a solve from a strategy, or from the run of a coarser game."""
    if isinstance(start, TableStrategy):
        _check_same_tables(solver, start)
        solver.warm_start(start)
        return
    if not isinstance(solver, PrunedPublicSolver):
        raise InputError(
            "total pruning starts from a coarser game on the public form alone: give form public"
        )
    settings = Settings.resumed(start.configuration, {}, str(start.folder))
    if settings.pruning != "total" or settings.form != "public":
        raise InputError(
            f"{start.folder} was not solved with pruning total on the public form, so it has no sums of values"
        )
    coarse = make_solver(_game_of(start, own_code), settings, filled=False)
    assert isinstance(coarse, PrunedPublicSolver)
    tables, facts = start.load_checkpoint()
    coarse.load_tables(tables)
    coarse.restore(facts)
    start_from_coarse(solver, coarse)


def _check_same_tables(solver: Solver, strategy: TableStrategy) -> None:
    if strategy.fingerprint == solver.fingerprint:
        return
    if strategy.game == solver.name:
        raise InputError(
            f"the strategy of {strategy.game} has its tables by other boards or histories than this solve; "
            f"give the isomorphism and plan that made it"
        )
    raise InputError(
        f"a strategy of {strategy.game} cannot start a solve of {solver.name} on the {solver.form} form"
    )


def _prepare(
    rules: Game,
    settings: Settings,
    given: dict[str, Any],
    run: Run | None,
    watch: Watch,
    stop: Stop,
    filled: bool,
) -> Solver:
    """Make the solver of a game; options that it does not use and another game than the run's are refused."""

    def watch_compiling(progress: Progress) -> None:
        stop.check()
        watch(progress)

    solver = make_solver(rules, settings, watch_compiling, filled)
    stop.check()
    check_given(given, settings, solver)
    if run is not None:
        _check_same_game(run, solver)
    return solver


def _check_same_game(run: Run, solver: Solver) -> None:
    """Refuse to resume a run on another game, or on another form of it."""
    began = run.configuration
    if solver.fingerprint == began.get("fingerprint"):
        return
    if began["game"] != solver.name:
        raise InputError(f"{run.folder} is a run of {began['game']}, not of {solver.name}")
    if (form := began.get("form", "history")) != solver.form:
        raise InputError(
            f"{run.folder} began on the {form} form, and plan {solver.plan_name} runs on the {solver.form} form"
        )
    raise InputError(f"{solver.name} has changed since {run.folder} began: its tree is no longer the same")


class _Solve:
    """A solve as a session drives it, measured by its exploitability."""

    chunk_seconds = CHUNK_SECONDS

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.evaluation: Evaluation | None = None
        self.evaluated_at: int | None = None
        self.first_check = solver.first_check
        self.check_growth = SAMPLED_GROWTH if solver.sampling else GROWTH
        self.run = solver.run
        self.saved_tables, self.load_tables = solver.saved_tables, solver.load_tables

    @property
    def iterations(self) -> int:
        return self.solver.iterations

    def evaluate(self) -> Evaluation:
        """Measure exploitability, at most once at an iteration."""
        if self.evaluation is None or self.evaluated_at != self.iterations:
            self.evaluation, self.evaluated_at = self.solver.evaluate(), self.iterations
        return self.evaluation

    def measure(self) -> dict[str, Any]:
        solver, evaluation = self.solver, self.evaluate()
        row: dict[str, Any] = {
            "exploitability": evaluation.exploitability,
            "value": evaluation.value[0],
            "nodes_touched": solver.nodes_touched,
        }
        if solver.pruning.mode != "none":
            row |= {
                "response_nodes": solver.response_nodes,
                "pruned_actions": solver.pruned_actions,
                "stored_regrets": solver.stored_regrets,
                "stored_averages": solver.stored_averages,
                "table_bytes": solver.table_bytes,
            }
        if isinstance(solver, GrowingSolver):
            row |= solver.grown()
        return row

    def describe(self) -> str:
        return "" if self.evaluation is None else f"exploitability {self.evaluation.exploitability:.3g} chips"

    def facts(self) -> dict[str, Any]:
        solver, evaluation = self.solver, self.evaluation
        return {
            "nodes_touched": solver.nodes_touched,
            "response_nodes": solver.response_nodes,
            "peak_stored": solver.peak_stored,
            "head_start": solver.head_start,
            "rule": str(solver.rule),
            "updates": solver.updates,
            "exploitability": None if evaluation is None else evaluation.exploitability,
            "exploitability_at": self.evaluated_at,
            "exploitability_unit": f"{UNIT}, exact best response",
            "peak_memory_bytes": peak_memory(),
        }

    def restore(self, facts: Mapping[str, Any]) -> None:
        self.solver.restore(facts)


def _result(
    session: Session, work: _Solve, settings: Settings, stopped_by: str, compile_seconds: float
) -> Result:
    solver, evaluation = work.solver, work.evaluate()
    made_by = {
        "rule": str(solver.rule),
        "updates": solver.updates,
        "iterations": solver.iterations,
        "exploitability": evaluation.exploitability,
    }
    return Result(
        game=solver.name,
        settings=settings,
        form=solver.form,
        plan=solver.plan_name,
        dtype=solver.dtype,
        threads=solver.threads,
        evaluator=solver.evaluator,
        isomorphism=solver.isomorphic,
        iterations=solver.iterations,
        exploitability=evaluation.exploitability,
        value=evaluation.value[0],
        infosets=solver.infosets,
        infoset_actions=solver.infoset_actions,
        histories=solver.histories,
        seconds=session.seconds,
        seconds_per_iteration=session.seconds / max(1, solver.iterations),
        compile_seconds=compile_seconds,
        peak_memory_bytes=peak_memory(),
        table_bytes=solver.table_bytes,
        nodes_touched=solver.nodes_touched,
        response_nodes=solver.response_nodes,
        pruned_actions=solver.pruned_actions,
        stored_regrets=solver.stored_regrets,
        stored_averages=solver.stored_averages,
        peak_stored=solver.peak_stored,
        additions=tuple(map(asdict, solver.log)) if isinstance(solver, GrowingSolver) else (),
        stopped_by=stopped_by,
        warnings=tuple(solver.notes),
        strategy=solver.strategy(**made_by),
        convergence=tuple(session.metrics),
        run=None if session.run is None else session.run.folder,
        touched_unit=solver.touched_unit,
    )


def _limits(settings: Settings, asked: bool, run: Run | None) -> tuple[Limits, bool]:
    """Read the limits of this call, and whether they are those that a resumed run has had before."""
    limits = Limits.of(settings)
    if isinstance(settings.rule, LinearProgram):  # one iteration, which is all of it
        return replace(limits, iterations=0 if limits.iterations == 0 else 1), False
    if limits.given:
        return limits, run is not None and not asked
    usual = SAMPLED_ITERATIONS if settings.how_to_sample else DEFAULT_ITERATIONS
    return replace(limits, iterations=usual), False


def _cost(solver: Solver) -> str:
    """Say the size of a solve and its notes, one sentence a line."""
    needed = (
        f"{solver.histories:,} histories, {solver.infosets:,} infosets, {solver.infoset_actions:,} "
        f"infoset-actions: {size(solver.form_bytes)} for the tree, {size(solver.table_bytes)} for the tables"
    )
    return "\n".join([needed, *(f"note: {sentence}" for sentence in solver.notes)])


def _new_run(out: str | Path, rules: Game, work: _Solve, settings: Settings, limits: Limits) -> Run:
    """Begin a run with the solver's tables as its first checkpoint."""
    solver = work.solver
    grows = settings.grow != "none"
    used = replace(
        settings,
        plan=settings.plan if settings.how_to_sample or grows else solver.plan_name,
        form=solver.form if settings.form == "auto" and not grows else settings.form,
        threads=solver.threads,
        dtype=solver.dtype,
        iterations=limits.iterations,
    ).as_json()
    kept = {name: used.pop(name) for name in Settings.kept() if name in used}
    fixed = {
        # A run is resumed from anywhere.
        "game": os.path.abspath(rules.path) if isinstance(rules, EfgGame) else solver.name,
        "fingerprint": solver.fingerprint,
        "isomorphic": bool(solver.isomorphic),
        **kept,
    }
    if (source := source_of(rules)) is not None:
        fixed["source"] = source
    infosets = solver.strategy().infosets
    return Run.create(
        out,
        "solve",
        fixed,
        used,
        parts={"infosets": infosets.arrays} if isinstance(infosets, InfosetTable) else {},
        tables=solver.saved_tables(),
        facts={**work.facts(), "seconds": 0.0},
    )
