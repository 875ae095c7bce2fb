"""The subcommands of `solvent`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from solvent import __version__
from solvent.app.commands.abstract import abstract
from solvent.app.commands.bench import bench
from solvent.app.commands.cards import cards
from solvent.app.commands.evaluate import evaluate
from solvent.app.commands.match import match
from solvent.app.commands.play import play
from solvent.app.commands.reproduce import (
    bench_plans,
    reproduce_abstraction,
    reproduce_aggregation,
    reproduce_full_deck,
    reproduce_larger_game,
    reproduce_sampled_buckets,
    reproduce_sampling_options,
    reproduce_total_rbp,
)
from solvent.app.commands.reproduce_agents import reproduce_laptop_mccfr, reproduce_post_processing
from solvent.app.commands.train import train
from solvent.app.terminal import print_json, terminal
from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_size

app = typer.Typer(
    name="solvent",
    help="Solve imperfect-information games.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # help says "[default: ...]", which rich would take for markup
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(abstract, name="abstract")
app.command()(train)
app.command()(match)
app.command()(play)
app.command()(evaluate)
app.add_typer(bench, name="bench")
app.add_typer(cards, name="cards")
reproduce = typer.Typer(
    help="Regenerate the papers' tables and figures on this machine.", no_args_is_help=True
)
app.add_typer(reproduce, name="reproduce")
bench.command("plans")(bench_plans)
reproduce.command("aggregation")(reproduce_aggregation)
reproduce.command("full-deck")(reproduce_full_deck)
reproduce.command("total-rbp")(reproduce_total_rbp)
reproduce.command("larger-game")(reproduce_larger_game)
reproduce.command("abstraction")(reproduce_abstraction)
reproduce.command("laptop-mccfr")(reproduce_laptop_mccfr)
reproduce.command("post-processing")(reproduce_post_processing)
reproduce.command("sampling-options")(reproduce_sampling_options)
reproduce.command("sampled-buckets")(reproduce_sampled_buckets)

# typer carries its own copy of click; this is that copy's root of all usage errors.
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
RunFolder = Annotated[Path, typer.Argument(help="A run's folder, or a saved strategy's.")]


def run() -> int:
    """Run the command line: 0 on success, 2 with one line on bad input, never a traceback for a user's slip."""
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except InputError as error:
        return _refuse(str(error))
    except _UsageError as error:
        return _refuse(error.format_message())
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has stopped (click exits then), and nothing more may be written to him.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        return _refuse(f"{where}{error.strerror or error}")
    except typer.Abort:
        return 130
    return code if isinstance(code, int) else 0


def _refuse(sentence: str) -> int:
    line = " ".join(sentence.split())
    if line:  # without arguments the help has said it
        sys.stderr.write(f"solvent: {line}\n")
    return 2


def _version(asked: bool) -> None:
    if asked:
        print(f"solvent {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Solve imperfect-information games."""


@app.command()
def games(as_json: Json = False) -> None:
    """The games that can be named, with their parameters."""
    from solvent.app.views.display import games_table
    from solvent.games.catalogue import GAMES, parameters

    if as_json:
        rows = [{"name": n, "parameters": {p.name: p.default for p in parameters(n)}} for n in GAMES]
        print_json({"games": rows})
    else:
        terminal().print(games_table())


@app.command()
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


@app.command()
def show(
    run: RunFolder,
    infoset: Annotated[
        str | None, typer.Argument(help="An infoset's label, or a pattern with * and ?.")
    ] = None,
    player: Annotated[
        int | None, typer.Option(min=0, max=1, help="Where both players have the label.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many infosets to list.")] = 20,
    as_json: Json = False,
) -> None:
    """What a run found: its summary, or the strategy at an infoset."""
    from solvent.app.views.display import show_strategy, strategy_rows, summary_table
    from solvent.strategy.strategy import Strategy

    strategy = Strategy.load(run)
    rows, matching = strategy_rows(strategy, infoset, player, limit)
    if infoset is not None and not matching:
        raise InputError(f"no infoset matches {infoset!r}")
    if as_json:
        facts = {"game": strategy.game, "fingerprint": strategy.fingerprint, **strategy.facts}
        listed = [{"player": p, "infoset": label, "probabilities": row} for p, label, row in rows]
        print_json({**facts, "infosets": listed, "matching": matching})
        return
    console = terminal()
    if infoset is None:
        console.print(summary_table(strategy))
    console.print(show_strategy(rows, matching))


@app.command()
def export(
    source: Annotated[str, typer.Argument(help="A run, a saved strategy or, for efg, a game.")],
    to: Annotated[str, typer.Option("--format", help="csv, json, openspiel, strategy or efg.")] = "csv",
    out: Annotated[Path | None, typer.Option(help="Where to; standard output for csv, json and efg.")] = None,
) -> None:
    """Write a strategy as CSV, JSON, a pickled OpenSpiel TabularPolicy or a saved strategy; a game as .efg."""
    from solvent.app.commands.export import export as write

    write(source, to, out)


@app.command()
def compare(a: RunFolder, b: RunFolder, as_json: Json = False) -> None:
    """How two strategies of one game differ, and what each wins against the other."""
    from solvent.app.views.display import comparison_table
    from solvent.app.views.head_to_head import head_to_head

    document = head_to_head(a, b)
    if as_json:
        print_json(document)
    else:
        terminal().print(comparison_table(document))


@app.command()
def runs(
    folder: Annotated[Path, typer.Argument(help="Where to look.")] = Path("runs"), as_json: Json = False
) -> None:
    """The runs in a folder and below it."""
    from solvent.app.views.display import run_summary, runs_table
    from solvent.strategy.run import find_runs

    if not folder.is_dir() and (folder.exists() or folder != Path("runs")):
        raise InputError(f"{folder} is not a folder")
    found = [run_summary(run) for run in find_runs(folder)]
    if as_json:
        print_json({"runs": found})
    else:
        console = terminal()
        console.print(runs_table(found))
        for row in found:
            if row["damage"] is not None:
                console.print(f"damaged: {row['damage']}", soft_wrap=True)
