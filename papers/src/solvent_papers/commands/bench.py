"""The `solvent bench` commands: speed measured on this machine, beside others' where there are any."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from solvent.app.later import Commands
from solvent.app.options import MOST_THREADS, Json, Repeats, ResultsPage
from solvent.app.terminal import print_json, table, terminal
from solvent.app.watching import watching
from solvent_papers.commands.experiments import add_experiments
from solvent_papers.experiments import BENCHED

bench = typer.Typer(cls=Commands, help="Measure speed against others on this machine.", no_args_is_help=True)


@bench.callback()
def options() -> None:
    """Measure speed against others on this machine."""


@bench.command()
def sampling(
    game: Annotated[
        list[str] | None, typer.Option(help="OpenSpiel games.  [default: leduc_poker, liars_dice]")
    ] = None,
    repeats: Repeats = 9,
    threads: Annotated[
        int | None, typer.Option(min=2, help="Compare so many lock-free threads on Leduc with one, too.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds of that comparison.")] = 10,
    iterations: Annotated[int, typer.Option(min=1, help="Iterations of that comparison.")] = 1_000_000,
    convergence: Annotated[
        bool, typer.Option("--convergence", help="Show how sampling approaches full-width solutions, too.")
    ] = False,
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """Monte Carlo CFR iterations a second: OpenSpiel's C++ external sampling and ours, interleaved."""
    from solvent_papers.laptop_mccfr.sampling_speed import (
        GAMES,
        approach,
        compare_threads,
        measure,
        write_results,
    )

    with watching() as watch:
        rows = measure(game or GAMES, repeats=repeats, watch=watch)
        shared = None
        if threads is not None:
            shared = compare_threads(iterations=iterations, threads=threads, seeds=seeds, watch=watch)
        approached = approach(watch=watch) if convergence else []
    if page is not None:
        write_results(rows, shared, approached, page)
    if as_json:
        document = {
            "rows": [row.as_dict() for row in rows],
            "threads": None if shared is None else shared.as_dict(),
            "convergence": [row.as_dict() for row in approached],
        }
        print_json(document)
        return
    results = table("game", "sampling", "OpenSpiel", "solvent", "ratio", "ns per history")
    for row in rows:
        results.add_row(
            row.game,
            row.sampling,
            "-" if row.openspiel_seconds is None else f"{1 / row.openspiel_seconds:,.0f} it/s",
            f"{1 / row.seconds:,.0f} it/s",
            "-" if row.ratio is None else f"{row.ratio:.0f}x",
            f"{row.nanoseconds_per_history:.1f}",
        )
    terminal().print(results)
    if shared is not None:
        terminal().print(
            f"{shared.game}, {shared.iterations:,} iterations, {shared.seeds} seeds: exploitability "
            f"{shared.exploitability:.5f} on one thread, {shared.shared_exploitability:.5f} on {shared.threads}",
            soft_wrap=True,
        )
    if approached:
        reached = table("game", "sampling", "10,000", "100,000", "1,000,000", "value", "full width")
        for line in approached:
            numbers = (*line.exploitability, line.value, line.full_width)
            reached.add_row(line.game, line.sampling, *(f"{number:.5f}" for number in numbers))
        terminal().print(reached)


@bench.command()
def clustering(
    threads: Annotated[int, typer.Option(min=2, max=MOST_THREADS, help="Threads to compare with one.")] = 2,
    repeats: Repeats = 5,
    as_json: Json = False,
) -> None:
    """Seconds to cluster hands' histograms: one thread against several, and the distances that bounds save."""
    from solvent_papers.tartanian7.clustering_speed import measure

    with terminal(stderr=True).status("measuring"):
        rows = measure(threads=threads, repeats=repeats)
    if as_json:
        print_json({"rows": [row.as_dict() for row in rows]})
        return
    results = table(
        "metric", "points", "k", "iterations", "distances computed", "1 thread", f"{threads} threads", "ratio"
    )
    for row in rows:
        results.add_row(
            row.metric,
            f"{row.points:,}",
            str(row.clusters),
            str(row.iterations),
            f"{row.computed:.1%}",
            f"{row.seconds_of_one:.2f} s",
            f"{row.seconds:.2f} s",
            f"{row.ratio:.2f}x",
        )
    terminal().print(results)


@bench.command()
def training(
    cards: Annotated[Path, typer.Option(help="A card abstraction's folder.")] = Path("abstractions/small"),
    betting: Annotated[str, typer.Option(help="As `solvent train` takes it.")] = "laptop",
    threads: Annotated[int, typer.Option(min=2, max=MOST_THREADS, help="Threads beside one.")] = 2,
    repeats: Repeats = 5,
    memory: Annotated[str, typer.Option(help="The most that the tables may take, such as 12G.")] = "12G",
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """Rows a second of blueprint training on a large table: threads, locks, pages; beside random access."""
    from solvent.foundation.units import parse_size, size
    from solvent_papers.laptop_mccfr.training_speed import measure, write_results

    with watching() as watch:
        found = measure(cards, betting, threads, repeats, parse_size(memory), watch)
    if page is not None:
        write_results(found, f"solvent bench training --cards {cards} --betting {betting}", page)
    if as_json:
        print_json(found.as_dict())
        return
    results = table(
        "pages", "threads", "locks", "million rows/s", "speed-up", "ns a row", title=size(found.table_bytes)
    )
    for way in found.ways:
        made = "as made" if way.locks == "inside" else str(way.threads)
        numbers = (f"{way.rows_per_second / 1e6:.2f}", f"{way.speed_up:.2f}", f"{way.nanoseconds:.0f}")
        results.add_row(way.pages, made, way.locks, *numbers)
    terminal().print(results)
    for pages, nanoseconds in found.access_nanoseconds.items():
        terminal().print(f"a random access with pages of {pages}: {nanoseconds:.0f} ns")


@bench.command()
def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


add_experiments(bench, BENCHED)
