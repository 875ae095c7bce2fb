"""The `solvent abstract` commands: make a card abstraction, and look into it."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from solvent.app.later import Commands
from solvent.app.making_cards import make_abstraction
from solvent.app.options import MOST_SEED, Json, PictureFile, Threads
from solvent.app.terminal import print_json, table, terminal
from solvent.app.watching import said
from solvent.foundation.errors import InputError


class _PresetOrCommand(Commands):
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

BUCKET = re.compile(r"(?:(\d{1,9})\.)?(\d{1,9})")
"""A bucket as it is written: with its public cluster or without."""

Folder = Annotated[Path, typer.Argument(help="An abstraction's folder.")]


@abstract.command()
def build(
    preset: Annotated[str | None, typer.Argument(help="tiny, small, medium, tartanian7 or rules.")] = None,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with the design, instead of a preset.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder to make it in, new or unfinished.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=MOST_SEED, help="Seed.  [default: 0]")] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Make a card abstraction; resumes an unfinished one."""
    from solvent.abstraction.cards.presets import preset_named, read_design
    from solvent.foundation.machine import cores

    if (preset is None) == (config is None):
        raise InputError("name a preset, or a file with --config")
    if out is None:
        raise InputError("name the folder of the abstraction with --out")
    design = read_design(config) if config is not None else preset_named(str(preset))
    if seed is not None:
        design = replace(design, seed=seed)
    made, seconds = make_abstraction(design, out, threads or cores(), said(as_json))
    document = {
        "folder": str(out),
        "design": design.as_dict(),
        "fingerprint": made.fingerprint,
        "sizes": [list(pair) for pair in made.sizes],
        "seconds": {stage: round(spent, 3) for stage, spent in seconds.items()},
        "bytes": sum(array.nbytes for array in made.arrays.values()),
    }
    if as_json:
        print_json(document)
        return
    shown = table("stage", "seconds", title=f"{out}: {design.label}, fingerprint {made.fingerprint}")
    for stage, spent in seconds.items():
        shown.add_row(stage, f"{spent:.1f}")
    shown.add_row("in all", f"{sum(seconds.values()):.1f}")
    terminal().print(shown)


@abstract.command()
def show(
    folder: Folder,
    street: Annotated[str, typer.Option(help="preflop, flop, turn or river.")] = "flop",
    cluster: Annotated[int | None, typer.Option(help="A public cluster.  [default: 0]")] = None,
    bucket: Annotated[
        str | None,
        typer.Option(
            help="A bucket of it; or both as `solvent show` says them, 1.17 for bucket 17 of cluster 1.  "
            "[default: a summary]"
        ),
    ] = None,
    examples: Annotated[int, typer.Option(min=1, max=1000, help="Example hands.")] = 12,
    plot: PictureFile = None,
    as_json: Json = False,
) -> None:
    """Show what an abstraction is or, with --bucket, which hands fall into a bucket."""
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
        document = bucket_document(made, street, *_bucket(cluster, bucket), examples)
        shown = bucket_table(document)
        if plot is not None:
            plot_bucket(document, plot)
    if as_json:
        print_json(document)
    else:
        terminal().print(shown)


def _bucket(cluster: int | None, written: str) -> tuple[int, int]:
    """The public cluster and the bucket that are meant."""
    found = BUCKET.fullmatch(written.strip())
    if found is None:
        raise InputError(
            f"a bucket is a number, such as 17, or cluster and bucket, such as 1.17, not {written!r}"
        )
    if found[1] is not None and cluster not in (None, int(found[1])):
        raise InputError(f"bucket {written} is of public cluster {found[1]}, and --cluster says {cluster}")
    return int(found[1] or cluster or 0), int(found[2])


@abstract.command()
def clusters(
    folder: Folder,
    plot: PictureFile = None,
    examples: Annotated[int, typer.Option(min=1, max=100, help="Example flops of each cluster.")] = 8,
    as_json: Json = False,
) -> None:
    """List the public clusters of flops, with their boards."""
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
        print_json({"clusters": rows})
    else:
        terminal().print(clusters_table(found))
