"""The `solvent train` command: a heads-up no-limit hold'em blueprint, to a time and memory budget."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from solvent.app.terminal import table, terminal
from solvent.foundation.errors import InputError
from solvent.foundation.units import duration, parse_size, size

if TYPE_CHECKING:
    from solvent.solvers.blueprint.training import Training, TrainingProgress

DESIGNED = (
    "preset",
    "cards",
    "betting",
    "stack",
    "weights",
    "exploration_decay",
    "reward",
    "regret_floor",
    "initial_weights",
    "seed",
)
"""Options that a training is begun with and keeps."""
LINE_SECONDS = 30.0
"""Between two lines on the progress where there is no terminal."""
ROWS_A_SECOND = 5e6
"""About what one thread touches."""


def train(
    context: typer.Context,
    preset: Annotated[
        str | None,
        typer.Option(help="Cards: tiny, small, medium or tartanian7; made if need be.  [default: tiny]"),
    ] = None,
    cards: Annotated[
        Path | None, typer.Option(help="A card abstraction's folder.  [default: abstractions/PRESET]")
    ] = None,
    betting: Annotated[
        str, typer.Option(help="fcpa, laptop, acpc, a TOML file, or text such as 'flop=50%,a | 3x; cap=2'.")
    ] = "fcpa",
    stack: Annotated[float | None, typer.Option(help="Big blinds.  [default: as the betting has it]")] = None,
    minutes: Annotated[float | None, typer.Option(help="Stop after so many minutes of this call.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many iterations in all.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads.  [default: all cores]")] = None,
    memory: Annotated[str, typer.Option(help="The most that training may take, such as 8G.")] = "8G",
    out: Annotated[Path | None, typer.Option(help="Keep the training in this folder.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the training in --out.")] = False,
    weights: Annotated[str, typer.Option(help="linear: iteration t counts t; or uniform.")] = "linear",
    exploration_decay: Annotated[
        bool, typer.Option("--exploration-decay", help="No action below 1 % at first, falling to 0.")
    ] = False,
    reward: Annotated[str, typer.Option(help="y1 (true chips), y2, y3 or y4: losses weigh more.")] = "y1",
    regret_floor: Annotated[
        float,
        typer.Option(
            max=0.0,
            help="Mostly leave out actions whose regret an iteration is below so many big blinds, such as -0.01.",
        ),
    ] = 0.0,
    initial_weights: Annotated[
        bool,
        typer.Option("--initial-weights", help="Begin with what simulated win rates suggest, not uniformly."),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed.")] = 0,
    locks: Annotated[
        str,
        typer.Option(help="none; rows: one for each; inside: also threads inside a traversal, to compare."),
    ] = "none",
    checkpoint_minutes: Annotated[float, typer.Option(min=0.01, help="Minutes between checkpoints.")] = 3.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document and nothing else.")
    ] = False,
) -> None:
    """Train a heads-up no-limit hold'em blueprint by Monte Carlo CFR."""
    from solvent.abstraction.cards.buckets import CardAbstraction
    from solvent.app.views.display import cores
    from solvent.app.views.report import write_report
    from solvent.foundation.threads import check_threads
    from solvent.solvers.blueprint.solver import check_locks
    from solvent.solvers.blueprint.training import Training, TrainingDesign, check_design
    from solvent.solvers.sampled.options import DECAY

    if out is None:
        raise InputError("say by --out which folder to keep the training in")
    if minutes is None and iterations is None:
        raise InputError("say how long to train, by --minutes or by --iterations")
    if minutes is not None and not 0 < minutes < float("inf"):
        raise InputError(f"--minutes is a number above 0, not {minutes:g}")
    if iterations is not None and iterations < 1:
        raise InputError(f"--iterations is a number above 0, not {iterations}")
    limit, console = parse_size(memory), terminal(stderr=True)
    said = not as_json or sys.stderr.isatty()
    threads = threads or cores()
    check_threads(threads)
    check_locks(locks, regret_floor)
    if resume:
        given = [name for name in DESIGNED if context.get_parameter_source(name).name != "DEFAULT"]  # type: ignore[union-attr]
        if given:
            option = given[0].replace("_", "-")
            raise InputError(f"--resume goes on as the training was begun; leave out --{option}")
        training = Training.open(out)
    else:
        if weights not in ("linear", "uniform"):
            raise InputError(f"weights are linear or uniform, not {weights!r}")
        design = TrainingDesign(
            cards="",
            cards_fingerprint="",
            betting=betting,
            stack=stack,
            linear=weights == "linear",
            exploration=DECAY if exploration_decay else (0.0, 0.0),
            floor=regret_floor,
            reward=reward,
            initial_weights=initial_weights,
            seed=seed,
        )
        check_design(design)
        folder = cards_folder(preset, cards, threads, said, limit)
        fingerprint = CardAbstraction.load(folder).fingerprint
        design = replace(design, cards=str(folder.resolve()), cards_fingerprint=fingerprint)
        training = Training.create(out, design)
    if said:
        _say_cost(training, console, minutes, threads)
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(20),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not said or not console.is_terminal,
    ) as shown:
        task = shown.add_task("compiling", total=None)
        next_line = [0.0]

        def watch(progress: TrainingProgress) -> None:
            done = (
                None
                if progress.left is None
                else progress.seconds / max(progress.seconds + progress.left, 1e-9)
            )
            shown.update(task, description=_line(progress), total=1.0, completed=done)
            if said and not console.is_terminal and progress.seconds >= next_line[0]:
                console.print(_line(progress), soft_wrap=True)
                next_line[0] = progress.seconds + LINE_SECONDS

        try:
            made = training.run(
                seconds=None if minutes is None else 60 * minutes,
                iterations=iterations,
                threads=threads,
                memory=limit,
                locks=locks,
                checkpoint_seconds=60 * checkpoint_minutes,
                watch=watch,
            )
        except KeyboardInterrupt:
            kept = training.facts().get("iterations", 0)
            console.print(f"stopped; {out} keeps {kept:,} iterations, and --resume goes on", soft_wrap=True)
            raise
    write_report(training, out / "report.html")
    document = {
        "folder": str(out),
        **asdict(made),
        **asdict(training.cost()),
        "design": asdict(training.design),
    }
    if as_json:
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
        return
    result = table("", "", title=f"{out}")
    result.add_row("iterations", f"{made.iterations:,}")
    result.add_row("seconds", f"{made.seconds:,.0f}")
    result.add_row("rows touched", f"{made.rows_touched:,}, {made.rows_rate / 1e6:.1f} million a second")
    result.add_row("regret of the first decision", f"{made.regret:.1f} mbb")
    result.add_row("report", str(out / "report.html"))
    terminal().print(result)


def cards_folder(
    preset: str | None, cards: Path | None, threads: int, said: bool, memory: int | None = None
) -> Path:
    """The folder of the card abstraction, which is made if a preset's is not there and `memory` allows it."""
    from solvent.abstraction.cards.buckets import TABLES
    from solvent.abstraction.cards.build import estimate
    from solvent.abstraction.cards.presets import preset_named
    from solvent.app.commands.abstract import make_abstraction

    if cards is not None and preset is not None:
        raise InputError("name the cards' folder by --cards or a preset by --preset, not both")
    folder = cards if cards is not None else Path("abstractions") / (preset or "tiny")
    if cards is None and not (folder / TABLES).is_dir():
        design = preset_named(preset or "tiny")
        needed = estimate(design, threads).memory
        if memory is not None and needed > memory:
            raise InputError(
                f"making the {design.name} cards takes {size(needed)}, and --memory allows {size(memory)}"
            )
        make_abstraction(design, folder, threads, said)
    return folder


def _say_cost(training: Training, console: Console, minutes: float | None, threads: int) -> None:
    cost = training.cost()
    visits = 60 * (minutes or 0) * threads * ROWS_A_SECOND / cost.rows
    expected = f"; about {visits:,.0f} visits of each row in {minutes:g} minutes" if minutes else ""
    console.print(
        f"{cost.nodes:,} betting nodes, {cost.rows:,} rows, {cost.infoset_actions:,} infoset-actions: tables of "
        f"{size(cost.table_bytes)}, {size(cost.memory)} of memory in all, up to {size(cost.disk)} on the disk"
        + expected,
        soft_wrap=True,
    )


def _line(progress: TrainingProgress) -> str:
    return (
        f"{progress.iterations:,} iterations, {progress.rate:,.0f}/s, {progress.rows_touched / 1e6:,.0f}M rows, "
        f"{progress.rows_rate / 1e6:.1f}M/s, regret {progress.regret:.1f} mbb"
        + ("" if progress.left is None else f", {duration(progress.left)} left")
    )
