"""The `solvent solve` command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from solvent.app.options import Json
from solvent.app.terminal import print_json, terminal
from solvent.foundation.units import parse_size


def solve(
    game: Annotated[
        str | None, typer.Argument(help="A name, openspiel:NAME(...) or a path to an .efg file.")
    ] = None,
    rule: Annotated[
        str | None, typer.Option(help="cfr, cfr+, lcfr, dcfr, dcfr(a,b,g) or pcfr+.  [default: dcfr]")
    ] = None,
    updates: Annotated[
        str | None, typer.Option(help="alternating or simultaneous.  [default: alternating]")
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option(help="auto, serial, branched, flattened, aggregated or sequence.  [default: auto]"),
    ] = None,
    evaluator: Annotated[
        str | None,
        typer.Option(help="How showdowns are summed: swept, sweep or gemm.  [default: the quickest]"),
    ] = None,
    isomorphism: Annotated[
        str | None, typer.Option(help="on: boards that differ in suits' names once; or off.  [default: on]")
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(help="cpu, or arrays of numpy, torch, cupy or jax.  [default: cpu]"),
    ] = None,
    form: Annotated[
        str | None, typer.Option(help="auto, history or public.  [default: what suits the plan]")
    ] = None,
    pruning: Annotated[
        str | None, typer.Option(help="none, partial, interval or total.  [default: none]")
    ] = None,
    prune_average: Annotated[
        float | None,
        typer.Option(help="C: pruned actions below C/sqrt(T) of the average are set to 0.  [default: 0.01]"),
    ] = None,
    prune_every: Annotated[
        int | None, typer.Option(help="Iterations between looks for actions to prune.  [default: 10]")
    ] = None,
    prune_near: Annotated[
        float | None,
        typer.Option(help="How far from best responses may be, as a part of CFR's bound.  [default: 0]"),
    ] = None,
    prune_after: Annotated[
        str | None,
        typer.Option(help="What is played behind an action that returns: cbr or uniform.  [default: cbr]"),
    ] = None,
    prune_length: Annotated[
        str | None, typer.Option(help="How long to prune: dynamic or guaranteed.  [default: dynamic]")
    ] = None,
    sampling: Annotated[
        str | None,
        typer.Option(help="Monte Carlo CFR: external, outcome or chance; none.  [default: none]"),
    ] = None,
    exploration: Annotated[
        float | None, typer.Option(help="Of outcome sampling: how much is drawn uniformly.  [default: 0.6]")
    ] = None,
    exploration_decay: Annotated[
        bool, typer.Option("--exploration-decay", help="Play all with 1 %, falling to 0 at iteration 40,000.")
    ] = False,
    exploration_mix: Annotated[
        bool, typer.Option("--exploration-mix", help="The same by mixing instead of by renormalising.")
    ] = False,
    reward: Annotated[
        str | None, typer.Option(help="How losses feel while learning: y1 to y4.  [default: y1, as they are]")
    ] = None,
    reward_unit: Annotated[
        float | None, typer.Option(help="Chips in a big blind, the unit of rewards.  [default: 1]")
    ] = None,
    regret_floor: Annotated[
        float | None, typer.Option(help="Chips of regret below which actions are mostly skipped.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads.  [default: all cores; 1 with pruning or sampling]")
    ] = None,
    dtype: Annotated[str | None, typer.Option(help="auto, float64 or float32.  [default: auto]")] = None,
    iterations: Annotated[
        int | None, typer.Option(help="Stop after so many in all.  [default: 1000, sampling 1000000]")
    ] = None,
    until: Annotated[
        float | None, typer.Option(help="Stop at this exploitability, NashConv/2 in chips.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after so many seconds of solving, counted from this call.")
    ] = None,
    check_every: Annotated[
        int | None,
        typer.Option(help="Iterations between exploitability checks.  [default: 10 % more, sampling 50 %]"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of what sampling draws.  [default: 0]")] = None,
    memory: Annotated[str, typer.Option(help="The most the game may take, such as 8G.")] = "8G",
    out: Annotated[Path | None, typer.Option(help="Keep the run in this new folder.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder.")] = None,
    warm_start: Annotated[
        Path | None, typer.Option(help="Start from the strategy of this run instead of uniform play.")
    ] = None,
    checkpoint_seconds: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 30.0,
    as_json: Json = False,
) -> None:
    """Solve a game and watch exploitability fall."""
    from solvent.app.views.display import SolveDisplay, cores, result_table
    from solvent.app.views.plots import plot_convergence
    from solvent.solvers.solve import solve as solve_game

    if threads is None and resume is None and {pruning, sampling} <= {None, "none"}:
        threads = cores()
    with SolveDisplay(terminal(stderr=True), quiet=as_json and not sys.stderr.isatty()) as display:
        result = solve_game(
            game,
            rule=rule,
            updates=updates,
            plan=plan,
            evaluator=evaluator,
            isomorphism=isomorphism,
            device=device,
            form=form,
            pruning=pruning,
            prune_average=prune_average,
            prune_every=prune_every,
            prune_near=prune_near,
            prune_after=prune_after,
            prune_length=prune_length,
            sampling=sampling,
            exploration=exploration,
            exploration_decay=exploration_decay or None,
            exploration_mix=exploration_mix or None,
            reward=reward,
            reward_unit=reward_unit,
            regret_floor=regret_floor,
            threads=threads,
            dtype=dtype,
            iterations=iterations,
            until=until,
            seconds=seconds,
            check_every=check_every,
            seed=seed,
            memory=parse_size(memory),
            out=out,
            resume=resume,
            warm_start=warm_start,
            checkpoint_seconds=checkpoint_seconds,
            watch=display.show,
        )
    if result.run is not None:
        plot_convergence(result, result.run / "convergence.png")
    if as_json:
        print_json(result.as_dict())
    else:
        terminal().print(result_table(result))
