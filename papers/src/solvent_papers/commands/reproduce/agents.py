"""The `solvent reproduce` commands that train and match hold'em agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from solvent.app.options import MOST_THREADS, Json, ResultsFolder
from solvent.app.terminal import print_json, terminal
from solvent.app.watching import keeping_runs, watching
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


def reproduce_laptop_mccfr(
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="Parts to run, such as train-y1, figure-8, buckets, prior.  [default: all that have not been run]"
        ),
    ] = None,
    scale: PartScale = "full",
    cards: AllCards = Path("abstractions"),
    work: PartWork = Path("runs/laptop-mccfr"),
    again: Again = False,
    iterations: Annotated[
        int | None,
        typer.Option(min=100, help="Iterations of each bot of Figures 1, 5, 7 and 8.  [default: 48 million]"),
    ] = None,
    threads: Threads = THREADS,
    remark: Remark = "",
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Bots, their ensemble, biased rewards, buckets by rule, initial weights: parts of at most an hour each."""
    from solvent_papers.laptop_mccfr.bots import Setup
    from solvent_papers.laptop_mccfr.bots_page import reading, write_laptop_page
    from solvent_papers.laptop_mccfr.experiment import PARTS
    from solvent_papers.parts import is_small

    def read(results: Sequence[PartResult]) -> Reading:
        return reading({result.part.name: result.found for result in results})

    setup = Setup(cards, work / scale, is_small(scale), threads, iterations)
    options = [] if iterations is None else [f"--iterations {iterations}"]
    command = _parts_command("laptop-mccfr", threads, scale, options)
    _reproduce(
        PARTS, setup, part, again, remark, out / "laptop-mccfr.md", command, write_laptop_page, read, as_json
    )


def reproduce_public_sampling(
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="Parts to run: an agent each, tiny-fcpa-external, tiny-fcpa-public, the same with small cards or "
            "three-sizes, external-dcfr, public-lcfr, external-cfr, public-cfr, external-floor, public-floor and "
            "public-all-hands; and head-to-head.  [default: all that have not been run]"
        ),
    ] = None,
    scale: PartScale = "full",
    cards: AllCards = Path("abstractions"),
    work: PartWork = Path("runs/public-sampling"),
    again: Again = False,
    threads: Threads = THREADS,
    remark: Remark = "",
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Public against external sampling on cards, trees and rules: half an hour a part; stopped, it goes on."""
    from solvent_papers.parts import PartSetup, is_small
    from solvent_papers.public_sampling.comparison_page import PARTS, reading, write_comparison_page

    setup = PartSetup(cards, work / scale, is_small(scale), threads)
    page, command = out / "public-sampling.md", _parts_command("public-sampling", threads, scale)
    _reproduce(PARTS, setup, part, again, remark, page, command, write_comparison_page, reading, as_json)


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
