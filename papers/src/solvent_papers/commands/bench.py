"""The `solvent bench` commands: speed measured on this machine, beside others' where there are any."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from solvent.app.later import Commands
from solvent.app.options import MOST_THREADS, Json, Repeats, ResultsPage, Threads
from solvent.app.terminal import print_json, table, terminal
from solvent.app.watching import watching
from solvent.training.settings import DEFAULT_AHEAD, DEFAULT_BATCH
from solvent_papers.commands.experiments import add_experiments
from solvent_papers.experiments import BENCHED

bench = typer.Typer(cls=Commands, help="Measure speed against others on this machine.", no_args_is_help=True)


@bench.callback()
def options() -> None:
    """Measure speed against others on this machine."""


@bench.command()
def openspiel(
    game: Annotated[
        list[str] | None, typer.Option(help="OpenSpiel games.  [default: leduc_poker, liars_dice]")
    ] = None,
    threads: Annotated[
        int, typer.Option(min=1, max=MOST_THREADS, help="Threads for plans that use them.")
    ] = 1,
    repeats: Repeats = 9,
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """Seconds per CFR iteration: OpenSpiel's C++ CFRSolver and ours, interleaved in one process."""
    from solvent_papers.aggregation.openspiel_speed import GAMES, measure, write_results

    with watching() as watch:
        rows = measure(game or GAMES, threads=threads, repeats=repeats, watch=watch)
    if page is not None:
        write_results(rows, page)
    if as_json:
        print_json({"rows": [row.as_dict() for row in rows]})
        return
    results = table("game", "plan", "threads", "OpenSpiel", "solvent", "ratio", "ns per history")
    for row in rows:
        plan = row.plan if row.plan == row.runs_as else f"{row.plan} ({row.runs_as})"
        results.add_row(
            row.game,
            plan,
            str(row.threads),
            f"{row.openspiel_seconds * 1e3:.3f} ms",
            f"{row.seconds * 1e3:.4f} ms",
            f"{row.ratio:.0f}x",
            f"{row.nanoseconds_per_history:.1f}",
        )
    terminal().print(results)


@bench.command()
def peers(
    game: Annotated[
        list[str] | None, typer.Option(help="OpenSpiel games.  [default: leduc_poker, liars_dice]")
    ] = None,
    target: Annotated[float, typer.Option(min=1e-12, help="Exploitability to reach, in chips.")] = 1e-4,
    patience: Annotated[
        float, typer.Option(min=0, help="Seconds of iterating after which a solver is given up.")
    ] = 180,
    repeats: Repeats = 9,
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """CFR+ beside OpenSpiel's C++ solver and, if it is installed, LiteEFG: an iteration, and to a target."""
    from solvent_papers.peers import GAMES, measure, summary, write_results

    with watching() as watch:
        rows = measure(game or GAMES, target, repeats, patience, watch)
    if page is not None:
        write_results(rows, page, target, repeats, patience)
    if as_json:
        print_json({"rows": [row.as_dict() for row in rows]})
        return
    found = summary(rows)
    results = table(*found.header)
    results.show_edge = False  # Its columns fit 80 characters without it.
    for line in found.rows:
        results.add_row(*line)
    terminal().print(results)


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
def sizes(
    spot: Annotated[list[str] | None, typer.Option(help="Spots by name.  [default: all six]")] = None,
    threads: Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Threads.")] = 1,
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """Bet sizes that the solver finds, against the full tree, ten two-size trees and evenly spaced trees.

    With --page finished solves are kept beside the page until all are done, so that it can be stopped and resumed.
    """
    from solvent.foundation.errors import InputError
    from solvent_papers.kept import kept_file
    from solvent_papers.spots.found_sizes import SPOTS, bars, measure, write_results

    for name in spot or ():
        if name not in SPOTS:
            raise InputError(f"there is no spot {name!r}; the spots are {'; '.join(SPOTS)}")
    with watching() as watch:
        rows = measure(spot or tuple(SPOTS), threads, None if page is None else kept_file(page), watch)
    if page is not None:
        given = "".join(f" --spot '{name}'" for name in spot or ())
        write_results(rows, page, f"solvent bench sizes{given} --threads {threads} --page {page}")
    if as_json:
        print_json({"rows": [row.as_dict() for row in rows], "bars": [bar._asdict() for bar in bars(rows)]})
        return
    results = table("spot", "tree", "nodes", "own, %", "all candidates, %", "seconds", numbers=True)
    for row in rows:
        results.add_row(
            row.spot,
            row.tree,
            f"{row.nodes:,}",
            f"{row.exploitability:.3f}",
            f"{row.full_exploitability:.3f}",
            f"{row.seconds:.2f}",
        )
    terminal().print(results)


@bench.command("cards")
def bench_cards(
    repeats: Repeats = 7,
    scale: Annotated[
        float, typer.Option(min=1e-6, max=100, help="Times a million hands and 10,000 boards.")
    ] = 1.0,
    as_json: Json = False,
) -> None:
    """Hands evaluated, hands indexed and river boards worked out a second, on one thread."""
    from solvent_papers.card_speed import measure

    with watching() as watch:
        rows = measure(repeats, scale, watch=watch)
    if as_json:
        print_json({"rows": [row.as_dict() for row in rows]})
        return
    results = table("", "a second", "nanoseconds each")
    for row in rows:
        results.add_row(row.what, f"{row.per_second:,.0f}", f"{1e9 / row.per_second:,.1f}")
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


@bench.command("cluster")
def bench_cluster(
    cards: Annotated[Path, typer.Option(help="A card abstraction's folder.")] = Path("abstractions/tiny"),
    betting: Annotated[str, typer.Option(help="As `solvent train` takes it.")] = "fcpa",
    children: Annotated[
        int, typer.Option(min=1, max=MOST_THREADS, help="Worker processes, actors, and threads beside them.")
    ] = 2,
    batch: Annotated[int, typer.Option(min=1, help="Iterations of a turn.")] = DEFAULT_BATCH,
    ahead: Annotated[
        int, typer.Option(min=0, max=1, help="1: the head prepares the next turn while children work.")
    ] = DEFAULT_AHEAD,
    ways: Annotated[
        str, typer.Option(help="What to measure beside threads: processes, ray.")
    ] = "processes,ray",
    repeats: Repeats = 7,
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """Rows a second of Algorithm 4 in worker processes and in Ray actors, beside threads on one shared table."""
    from solvent.training.distributed.batches import DistributedSettings
    from solvent_papers.cluster_speed import measure, summary_rows, write_results

    settings = DistributedSettings(batch=batch, ahead=ahead)
    with watching() as watch:
        found = measure(cards, betting, children, settings, repeats, _words(ways), watch)
    if page is not None:
        options = f"--children {children} --batch {batch} --ahead {ahead}"
        command = f"solvent bench cluster --cards {cards} --betting {betting} {options}"
        write_results(found, f"{command} --page {page}", page)
    if as_json:
        print_json(found.as_dict())
        return
    header, rows = summary_rows(found)
    results = table(*header)
    for line in rows:
        results.add_row(*line)
    terminal().print(results)


@bench.command()
def plans(
    game: Annotated[
        list[str] | None, typer.Option(help="Games with a public form.  [default: the paper's six]")
    ] = None,
    repeats: Repeats = 7,
    threads: Annotated[
        int, typer.Option(min=1, max=MOST_THREADS, help="Threads for the aggregated plan.")
    ] = 1,
    dtype: Annotated[str, typer.Option(help="float32, float64 or auto.")] = "float32",
    memory: Annotated[str, typer.Option(help="The most that a plan may take, such as 8G.")] = "8G",
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """Seconds per CFR iteration on every plan, evaluator and board isomorphism, interleaved in one process."""
    from solvent.foundation.units import parse_size
    from solvent_papers.aggregation.plans import GAMES, measure
    from solvent_papers.aggregation.plans_page import write_results
    from solvent_papers.commands.measurements import plans_view

    with watching() as watch:
        rows = measure(game or GAMES, repeats, threads, dtype, parse_size(memory), watch)
    if page is not None:
        write_results(rows, page)
    if as_json:
        print_json({"rows": [row.as_dict() for row in rows]})
    else:
        terminal().print(plans_view(rows))


@bench.command()
def spots(
    names: Annotated[
        str | None, typer.Option("--spots", help="Spots to measure, such as river-s,turn-s.  [default: all]")
    ] = None,
    parts: Annotated[str, typer.Option(help="What to measure: values, speed, rules.")] = "values,speed,rules",
    threads: Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Threads beside one.")] = 2,
    peer: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Time another solver in turn with ours: a command that is given a spot as JSON and prints a line "
            "of JSON, as `solvent_papers.spots.peer_command` says.",
        ),
    ] = None,
    peer_name: Annotated[str, typer.Option(help="What the page calls that solver.")] = "the peer",
    quick: Annotated[bool, typer.Option("--quick", help="Measure little, to see that it works.")] = False,
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """Hold'em spots: values, seconds and memory of solving them, regret rules; beside another solver if given."""
    from solvent_papers.spots.measured import QUICK, Scale, measure
    from solvent_papers.spots.measured_page import write_results
    from solvent_papers.spots.measured_tables import summaries
    from solvent_papers.spots.named import spots_named
    from solvent_papers.spots.peer_command import PeerCommand

    chosen = spots_named(None if names is None else _words(names))
    other = None if peer is None else PeerCommand(peer, peer_name)
    with watching() as watch:
        found = measure(chosen, _words(parts), QUICK if quick else Scale(), threads, other, watch)
    if page is not None:
        write_results(found, page, quick)
    if as_json:
        print_json(found.as_dict())
        return
    for shown in summaries(found):
        results = table(*shown.header, title=shown.title)
        for line in shown.rows:
            results.add_row(*line)
        terminal().print(results)


@bench.command()
def flops(
    whole: Annotated[
        int | None,
        typer.Option(
            min=2, help="Compare with so many random flops instead of all 1,755, which take longest."
        ),
    ] = None,
    medoids: Annotated[
        list[int] | None, typer.Option(min=1, help="Numbers of chosen flops.  [default: 25 and 50]")
    ] = None,
    threads: Threads = None,
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """How well a few chosen flops stand for all in a report's means, beside random ones: about 15 minutes."""
    from solvent.foundation.machine import cores
    from solvent_papers.spots.flop_subsets import MEDOIDS, flop_subsets, summary, write_results

    with watching() as watch:
        found = flop_subsets(whole, medoids or MEDOIDS, threads or cores(), watch)
    if page is not None:
        options = [] if whole is None else [f"--whole {whole}"]
        options += [f"--medoids {count}" for count in medoids or ()]
        write_results(found, page, " ".join(["solvent bench flops", *options]))
    if as_json:
        print_json(found.as_dict())
        return
    shown = summary(found)
    results = table(*shown.header, title=shown.title)
    for line in shown.rows:
        results.add_row(*line)
    terminal().print(results)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


add_experiments(bench, BENCHED)
