"""The `solvent reproduce` commands that train and match hold'em agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from solvent.app.commands.reproduce.papers import RESULTS
from solvent.app.making_cards import cards_folder
from solvent.app.options import MOST_THREADS, Json, ResultsFolder
from solvent.app.terminal import print_json, table, terminal
from solvent.app.watching import watching
from solvent.foundation.units import parse_size

if TYPE_CHECKING:
    from solvent.experiments.page import Summary

Cards = Annotated[
    Path | None,
    typer.Option(help="A card abstraction's folder.  [default: abstractions/tiny, made if need be]"),
]
Work = Annotated[
    Path, typer.Option(help="The folder in which agents are trained; those found there are used.")
]
Seconds = Annotated[float | None, typer.Option(min=0.1, help="Seconds of training for each agent.")]
Threads = Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Threads.")]
PartScale = Annotated[str, typer.Option(help="full, or small: seconds on tiny cards, to see that it works.")]
AllCards = Annotated[
    Path, typer.Option(help="The folder of card abstractions; those that are missing are made.")
]
PartWork = Annotated[
    Path, typer.Option(help="The folder of trained agents and finished parts, which are not run again.")
]
Again = Annotated[bool, typer.Option(help="Run parts again that have been run.")]
Quick = Annotated[bool, typer.Option(help="A second of training each, to see that it works.")]


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
    threads: Threads = 2,
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Bots, their ensemble, biased rewards, buckets by rule, initial weights: parts of at most an hour each."""
    from solvent.experiments.laptop_mccfr.bots import Setup
    from solvent.experiments.laptop_mccfr.bots_page import reading, write_laptop_page
    from solvent.experiments.laptop_mccfr.experiment import PARTS
    from solvent.experiments.parts import figures_and_bars, is_small, run_parts

    page = out / "laptop-mccfr.md"
    setup = Setup(cards, work / scale, is_small(scale), threads, iterations)
    with watching() as watch:
        results = run_parts(PARTS, setup, part or (), again, watch)
    options = [] if iterations is None else [f"--iterations {iterations}"]
    write_laptop_page(results, page, _parts_command("laptop-mccfr", part, scale, options))
    figures, _ = figures_and_bars(results)
    by = {result.part.name: result.found for result in results}
    if as_json:
        print_json({"figures": figures, "page": str(page)})
    else:
        terminal().print(f"{reading(by)}written to {page}", soft_wrap=True, markup=False)


def reproduce_post_processing(
    cards: Cards = None,
    work: Work = Path("runs/post-processing"),
    seconds: Seconds = None,
    threads: Threads = 2,
    quick: Quick = False,
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """None, purification, thresholding and New-0.2 against four opponents and a local best response."""
    from solvent.experiments.tartanian7 import post_processing, post_processing_page

    command, page = _command("post-processing", quick), out / "post-processing.md"
    _reproduce(
        post_processing, post_processing_page, command, page, cards, work, seconds, threads, quick, as_json
    )


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
    threads: Threads = 2,
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="Iterations of a turn of Algorithm 4.  [default: that of training]"),
    ] = None,
    memory: Annotated[str, typer.Option(help="What medium cards may take, such as 4G.")] = "4G",
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Algorithm 4 against a shared table and a pool, cost, resuming, staleness: 45 minutes; stopped, it goes on."""
    from solvent.experiments.parts import figures_and_bars, is_small, run_parts
    from solvent.experiments.tartanian7.cluster.cluster_page import reading, write_cluster_page
    from solvent.experiments.tartanian7.cluster.experiment import PARTS
    from solvent.experiments.tartanian7.cluster.part import Setup

    page = out / "tartanian7.md"
    setup = Setup(cards, work / scale, is_small(scale), threads, memory=parse_size(memory))
    setup = setup if batch is None else replace(setup, batch=batch)
    with watching() as watch:
        results = run_parts(PARTS, setup, part or (), again, watch)
    write_cluster_page(results, page, _parts_command("tartanian7", part, scale))
    figures, _ = figures_and_bars(results)
    if as_json:
        print_json({"figures": figures, "page": str(page)})
    else:
        terminal().print(f"{reading(figures)}written to {page}", soft_wrap=True, markup=False)


def reproduce_public_sampling(
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="Parts to run: tiny-fcpa, small-fcpa, tiny-three-sizes, small-three-sizes, cfr, dcfr, floor.  "
            "[default: all that have not been run]"
        ),
    ] = None,
    scale: PartScale = "full",
    cards: AllCards = Path("abstractions"),
    work: PartWork = Path("runs/public-sampling"),
    again: Again = False,
    threads: Threads = 2,
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Public against external sampling on cards, trees and rules: an hour a part; stopped, it goes on."""
    from solvent.experiments.board_sampling.comparison import PARTS
    from solvent.experiments.board_sampling.comparison_page import reading, write_comparison_page
    from solvent.experiments.parts import PartSetup, figures_and_bars, is_small, run_parts

    page = out / "public-sampling.md"
    setup = PartSetup(cards, work / scale, is_small(scale), threads)
    with watching() as watch:
        results = run_parts(PARTS, setup, part or (), again, watch)
    write_comparison_page(results, page, _parts_command("public-sampling", part, scale))
    if as_json:
        print_json({"figures": figures_and_bars(results)[0], "page": str(page)})
    else:
        terminal().print(f"{reading(results)}written to {page}", soft_wrap=True, markup=False)


def _parts_command(name: str, parts: list[str] | None, scale: str, options: Sequence[str] = ()) -> str:
    """The command that ran parts of an experiment."""
    asked = [f"--part {part}" for part in parts or ()] + (["--scale small"] if scale == "small" else [])
    return " ".join([f"solvent reproduce {name}", *asked, *options])


def _command(name: str, quick: bool) -> str:
    return f"solvent reproduce {name}" + (" --quick" if quick else "")


def _reproduce(
    experiment: ModuleType,
    pages: ModuleType,
    command: str,
    page: Path,
    cards: Path | None,
    work: Path,
    seconds: float | None,
    threads: int,
    quick: bool,
    as_json: bool,
) -> None:
    """Run an experiment of agents, write its page and print its table.

    `experiment` has `run`, `Scale` and `QUICK`; `pages` has `write_results` and `summary`.
    """
    folder = cards_folder("tiny" if cards is None else None, cards, threads, not as_json)
    scale = experiment.QUICK if quick else experiment.Scale()
    scale = scale if seconds is None else replace(scale, seconds=seconds)
    with watching() as watch:
        found = experiment.run(folder, work, scale, threads, watch)
    pages.write_results(found, page, command)
    _show(pages.summary(found), page, as_json)


def _show(shown: Summary, page: Path, as_json: bool) -> None:
    """Print the table of an experiment, and where its page is."""
    if as_json:
        print_json({"rows": [record.as_dict() for record in shown.records], "page": str(page)})
        return
    lines = table(*shown.header, title=shown.title or None)
    for row in shown.rows:
        lines.add_row(*row)
    terminal().print(lines)
    terminal().print(f"written to {page}")
