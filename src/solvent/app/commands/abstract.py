"""The `solvent abstract` commands: make a card abstraction, and look into it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from typer.core import TyperGroup

from solvent.app.terminal import table, terminal
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress as Now
from solvent.foundation.units import duration, size

if TYPE_CHECKING:
    from solvent.abstraction.cards.buckets import CardAbstraction
    from solvent.abstraction.cards.presets import Design


class _PresetOrCommand(TyperGroup):
    """`solvent abstract small --out DIR` is `solvent abstract build small --out DIR`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["build", *args]
        return super().parse_args(ctx, args)


abstract = typer.Typer(
    cls=_PresetOrCommand,
    help="Make card abstractions: solvent abstract PRESET --out DIR; and look into them.",
    no_args_is_help=True,
)

Folder = Annotated[Path, typer.Argument(help="An abstraction's folder.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


@abstract.command()
def build(
    preset: Annotated[str | None, typer.Argument(help="tiny, small, medium or tartanian7.")] = None,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with the design, instead of a preset.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder to make it in, new or unfinished.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed.  [default: 0]")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads.  [default: all cores]")] = None,
    as_json: Json = False,
) -> None:
    """Make a card abstraction; an unfinished one is gone on with."""
    from solvent.abstraction.cards.presets import preset_named, read_design
    from solvent.app.views.display import cores

    if (preset is None) == (config is None):
        raise InputError("name a preset, or a file by --config")
    if out is None:
        raise InputError("say by --out which folder to make the abstraction in")
    design = read_design(config) if config is not None else preset_named(str(preset))
    if seed is not None:
        design = replace(design, seed=seed)
    made, seconds = make_abstraction(design, out, threads or cores(), said=not as_json or sys.stderr.isatty())
    document = {
        "folder": str(out),
        "design": design.as_dict(),
        "fingerprint": made.fingerprint,
        "sizes": [list(pair) for pair in made.sizes],
        "seconds": {stage: round(spent, 3) for stage, spent in seconds.items()},
        "bytes": sum(array.nbytes for array in made.arrays.values()),
    }
    if as_json:
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
        return
    shown = table("stage", "seconds", title=f"{out}: {design.label}, fingerprint {made.fingerprint}")
    for stage, spent in seconds.items():
        shown.add_row(stage, f"{spent:.1f}")
    shown.add_row("in all", f"{sum(seconds.values()):.1f}")
    terminal().print(shown)


def make_abstraction(
    design: Design, out: Path, threads: int, said: bool
) -> tuple[CardAbstraction, dict[str, float]]:
    """Build a card abstraction in a folder; `said`: tell what it will cost and how far it is, on standard error."""
    from solvent.abstraction.cards.build import build as build_tables
    from solvent.abstraction.cards.build import estimate

    console = terminal(stderr=True)
    cost = estimate(design, threads)
    if said:
        console.print(
            f"{design.name}: {design.label}, base {design.base:,} flop buckets; about {duration(cost.seconds)} "
            f"with {threads} thread{'s' * (threads > 1)} after compiling, "
            f"{size(cost.memory)} of memory, {size(cost.disk)} on the disk, of which {size(cost.kept)} stay",
            soft_wrap=True,
        )
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(24),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not said or not console.is_terminal,
    ) as progress:
        tasks: dict[str, Any] = {}

        def watch(now: Now) -> None:
            if now.stage not in tasks:
                tasks[now.stage] = progress.add_task(now.stage, total=now.total)
                if said and not console.is_terminal:
                    console.print(now.stage)
            progress.update(tasks[now.stage], completed=now.done, total=now.total)

        return build_tables(design, out, threads, watch)


@abstract.command()
def show(
    folder: Folder,
    street: Annotated[str, typer.Option(help="preflop, flop, turn or river.")] = "flop",
    cluster: Annotated[int, typer.Option(help="A public cluster.")] = 0,
    bucket: Annotated[int | None, typer.Option(help="A bucket of it.  [default: a summary]")] = None,
    examples: Annotated[int, typer.Option(min=1, max=1000, help="Example hands.")] = 12,
    plot: Annotated[Path | None, typer.Option(help="Write a picture of the bucket's equities here.")] = None,
    as_json: Json = False,
) -> None:
    """What an abstraction is; with --bucket, what falls into a bucket."""
    from solvent.abstraction.cards.buckets import CardAbstraction
    from solvent.app.views.abstraction import (
        bucket_document,
        bucket_table,
        plot_bucket,
        summary_document,
        summary_table,
    )

    if bucket is None and plot is not None:
        raise InputError("a picture is of one bucket: name it by --bucket")
    made = CardAbstraction.load(folder)
    if bucket is None:
        document = summary_document(made, folder)
        shown: RenderableType = summary_table(document)
    else:
        document = bucket_document(made, street, cluster, bucket, examples)
        shown = bucket_table(document)
        if plot is not None:
            plot_bucket(document, plot)
    if as_json:
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
    else:
        terminal().print(shown)


@abstract.command()
def clusters(
    folder: Folder,
    plot: Annotated[Path | None, typer.Option(help="Write a picture of the clusters' boards here.")] = None,
    examples: Annotated[int, typer.Option(min=1, max=100, help="Example flops of each cluster.")] = 8,
    as_json: Json = False,
) -> None:
    """The public clusters of flops, with their boards."""
    from solvent.abstraction.cards.buckets import CardAbstraction
    from solvent.abstraction.cards.examine import public_clusters
    from solvent.app.views.abstraction import clusters_table, plot_clusters
    from solvent.cards.deck import cards_label

    found = public_clusters(CardAbstraction.load(folder), examples)
    if plot is not None:
        plot_clusters(found, plot)
    if as_json:
        rows = [
            {**asdict(each), "examples": [cards_label(board) for board in each.examples]} for each in found
        ]
        sys.stdout.write(json.dumps({"clusters": rows}, indent=1) + "\n")
    else:
        terminal().print(clusters_table(found))
