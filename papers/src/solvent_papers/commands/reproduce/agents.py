"""The `solvent reproduce` commands that train and match hold'em agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from solvent.app.options import MOST_THREADS, Json, ResultsFolder
from solvent.app.terminal import print_json, terminal
from solvent.app.watching import keeping_runs, watching
from solvent.foundation.units import parse_size
from solvent_papers.commands.reproduce.papers import RESULTS

if TYPE_CHECKING:
    from solvent_papers.page import Reading
    from solvent_papers.parts import Part, PartResult, PartSetup

    S = TypeVar("S", bound=PartSetup)

THREADS = 2
Threads = Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Threads.")]
PartScale = Annotated[str, typer.Option(help="full, or small: seconds on tiny cards, to see that it works.")]
AllCards = Annotated[
    Path, typer.Option(help="The folder of card abstractions; those that are missing are made.")
]
PartWork = Annotated[
    Path, typer.Option(help="The folder of trained agents and finished parts, which are not run again.")
]
Again = Annotated[bool, typer.Option(help="Run parts again that have been run.")]
Remark = Annotated[
    str,
    typer.Option(
        help="A sentence for the page about the parts that are run, such as what else the machine did."
    ),
]


def reproduce_post_processing(
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="Parts to run: train-agent, train-larger-cards, train-rule-buckets, train-other-tree, "
            "train-flat-cards, strength, table-2, chosen, price.  [default: all that have not been run]"
        ),
    ] = None,
    scale: PartScale = "full",
    cards: AllCards = Path("abstractions"),
    work: PartWork = Path("runs/post-processing"),
    again: Again = False,
    threads: Threads = THREADS,
    remark: Remark = "",
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Post-processings against opponents as strong as the agent, and their price: parts of at most an hour each."""
    from solvent_papers.parts import is_small
    from solvent_papers.tartanian7.post_processing.experiment import PARTS
    from solvent_papers.tartanian7.post_processing.players import Setup
    from solvent_papers.tartanian7.post_processing.results_page import (
        reading,
        write_post_processing_page,
    )

    setup = Setup(cards, work / scale, is_small(scale), threads)
    page, command = out / "post-processing.md", _parts_command("post-processing", threads, scale)
    _reproduce(PARTS, setup, part, again, remark, page, command, write_post_processing_page, reading, as_json)


def reproduce_tartanian7(
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="Parts to run: figure-1, table-1, cost, resumed, staleness.  [default: all that have not been run]"
        ),
    ] = None,
    scale: PartScale = "full",
    cards: AllCards = Path("abstractions"),
    work: PartWork = Path("runs/tartanian7"),
    again: Again = False,
    threads: Threads = THREADS,
    remark: Remark = "",
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="Iterations of a turn of Algorithm 4.  [default: that of training]"),
    ] = None,
    memory: Annotated[str, typer.Option(help="What medium cards may take, such as 4G.")] = "4G",
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Algorithm 4 against a shared table and a pool, cost, resuming, staleness: 45 minutes; stopped, it goes on."""
    from solvent_papers.parts import figures_and_bars, is_small
    from solvent_papers.tartanian7.cluster.cluster_page import reading, write_cluster_page
    from solvent_papers.tartanian7.cluster.experiment import PARTS
    from solvent_papers.tartanian7.cluster.part import Setup

    def read(results: Sequence[PartResult]) -> Reading:
        return reading(figures_and_bars(results)[0])

    setup = Setup(cards, work / scale, is_small(scale), threads, memory=parse_size(memory))
    setup = setup if batch is None else replace(setup, batch=batch)
    page, command = out / "tartanian7.md", _parts_command("tartanian7", threads, scale)
    _reproduce(PARTS, setup, part, again, remark, page, command, write_cluster_page, read, as_json)


def _parts_command(name: str, threads: int, scale: str, options: Sequence[str] = ()) -> str:
    """The command that runs all parts of an experiment."""
    asked = [f"--threads {threads}"] if threads != THREADS else []
    small = ["--scale small"] if scale == "small" else []
    return " ".join([f"solvent reproduce {name}", *small, *asked, *options])


def _reproduce(
    parts: Sequence[Part[S]],
    setup: S,
    asked: list[str] | None,
    again: bool,
    remark: str,
    page: Path,
    command: str,
    write: Callable[[Sequence[PartResult], Path, str], None],
    read: Callable[[Sequence[PartResult]], Reading],
    as_json: bool,
) -> None:
    """Run the parts of an experiment that were asked for, write its page, and print its three lines or figures."""
    from solvent_papers.parts import figures_and_bars, run_parts

    with watching() as watch, keeping_runs(setup.work):
        results = run_parts(parts, setup, asked or (), again, watch, page, remark)
    write(results, page, command)
    if as_json:
        print_json({"figures": figures_and_bars(results)[0], "page": str(page)})
    else:
        terminal().print(f"{read(results)}written to {page}", soft_wrap=True, markup=False)
