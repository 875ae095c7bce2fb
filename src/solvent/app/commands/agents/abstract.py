"""The `solvent abstract` commands: make a card abstraction, and look into it."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from solvent.app.later import Commands
from solvent.app.options import MOST_SEED, Json, PictureFile, Threads
from solvent.app.terminal import print_found, table, watching
from solvent.foundation.errors import InputError
from solvent.foundation.progress import interruptible


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
"""A bucket, with its public cluster or without."""

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
    from solvent.training.cards import make_abstraction

    if (preset is None) == (config is None):
        raise InputError("name a preset, or a file with --config")
    if out is None:
        raise InputError("name the folder of the abstraction with --out")
    design = read_design(config) if config is not None else preset_named(str(preset))
    if seed is not None:
        design = replace(design, seed=seed)
    with watching(quiet=as_json) as watch, interruptible() as stop:
        made, seconds = make_abstraction(design, out, threads or cores(), watch, stop)
    document = {
        "folder": str(out),
        "design": design.as_dict(),
        "fingerprint": made.fingerprint,
        "sizes": [list(pair) for pair in made.sizes],
        "seconds": {stage: round(spent, 3) for stage, spent in seconds.items()},
        "bytes": sum(array.nbytes for array in made.arrays.values()),
    }
    title = f"{out}: {design.label}, fingerprint {made.fingerprint}"
    stages = (*seconds.items(), ("in all", sum(seconds.values())))
    rows = ((stage, f"{spent:.1f}") for stage, spent in stages)
    print_found(as_json, document, lambda: table("stage", "seconds", title=title, rows=rows))


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
    from solvent.abstraction.cards.examine import bucket_document, summary_document
    from solvent.app.views.abstraction import bucket_table, plot_bucket, summary_table

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
    print_found(as_json, document, lambda: shown)


def _bucket(cluster: int | None, written: str) -> tuple[int, int]:
    """The public cluster and the bucket that a text names."""
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
    rows = [{**asdict(each), "examples": [cards_label(board) for board in each.examples]} for each in found]
    print_found(as_json, {"clusters": rows}, lambda: clusters_table(found))
