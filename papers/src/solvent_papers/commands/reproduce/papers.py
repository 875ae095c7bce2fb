"""The `solvent reproduce` commands that solve games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from solvent.app.options import MOST_THREADS, Json, ResultsFolder
from solvent.app.terminal import print_json, terminal
from solvent.app.watching import keeping_runs, watching
from solvent.foundation.units import parse_size
from solvent_papers.commands.measurements import checks_table, plans_view, timings_table

RESULTS = Path("docs/results")


def reproduce_aggregation(
    out: ResultsFolder = RESULTS,
    quick: Annotated[bool, typer.Option(help="Small games and short times, to see that it works.")] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Seconds of each plan in Figure 3.  [default: 30]")
    ] = None,
    memory: Annotated[str, typer.Option(help="The most that a plan may take, such as 8G.")] = "8G",
    as_json: Json = False,
) -> None:
    """Table 1 and Figure 3 of the aggregation paper on this machine: about half an hour."""
    from solvent_papers.aggregation import plans as paper
    from solvent_papers.aggregation.plans_page import write_results

    games = paper.QUICK_GAMES if quick else paper.GAMES
    repeats, plan_seconds = (3, 2.0) if quick else (paper.REPEATS, paper.PLAN_SECONDS)
    span = seconds or (1.0 if quick else paper.CURVE_SECONDS)
    limit, page = parse_size(memory), out / "aggregation.md"
    with watching() as watch:
        rows = paper.measure(games, repeats, memory=limit, watch=watch, plan_seconds=plan_seconds)
        points = paper.curves(games, span, 2 * span, memory=limit, watch=watch)
    command = "solvent reproduce aggregation" + (" --quick" if quick else "")
    write_results(rows, page, points, command)
    if as_json:
        curves = [point.as_dict() for point in points]
        print_json({"rows": [row.as_dict() for row in rows], "curves": curves, "page": str(page)})
    else:
        terminal().print(plans_view(rows))
        terminal().print(f"written to {page}")


def reproduce_full_deck(
    minutes: Annotated[float, typer.Option(help="Stop after this many minutes, checks included.")] = 20.0,
    threads: Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Threads.")] = 2,
    rule: Annotated[str, typer.Option(help="cfr, cfr+, lcfr, dcfr, dcfr(a,b,g) or pcfr+.")] = "dcfr",
    target: Annotated[float, typer.Option(help="Stop below this exploitability, in mbb/hand.")] = 0.9,
    game: Annotated[str, typer.Option(help="The deck.")] = "flop_holdem(suits=4,ranks=13)",
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Flop hold'em with all 52 cards, to below 1 mbb/hand; it takes about 3 GB."""
    from solvent_papers.aggregation.full_deck import full_deck, write_full_deck

    page = out / "full-deck.md"
    with watching() as watch:
        checks = full_deck(minutes, threads, rule, target, game, watch=watch)
    command = f"solvent reproduce full-deck --minutes {minutes:g} --threads {threads}"
    write_full_deck(checks, page, command)
    if as_json:
        print_json({"rows": [check.as_dict() for check in checks], "page": str(page)})
    else:
        terminal().print(checks_table(checks))
        terminal().print(f"written to {page}")


def reproduce_total_rbp(
    game: Annotated[
        list[str] | None, typer.Option(help="Games; the last is timed.  [default: leduc and leduc5]")
    ] = None,
    quick: Annotated[bool, typer.Option(help="Leduc and few iterations, to see that it works.")] = False,
    target: Annotated[
        float | None, typer.Option(help="The exploitability to be timed, in chips.  [default: 0.05]")
    ] = None,
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """What partial, interval and total pruning store and touch: about half an hour; once stopped, it goes on."""
    from solvent_papers.kept import kept_file
    from solvent_papers.total_rbp import pruning as paper
    from solvent_papers.total_rbp.pruning_page import claims, write_total_rbp

    page, scale = out / "total-rbp.md", paper.QUICK if quick else paper.FULL
    if target is not None:
        scale = replace(scale, target=target)
    with watching() as watch, keeping_runs(kept_file(page)) as kept:
        games = game or paper.GAMES[: 1 if quick else None]
        result = paper.total_rbp(games, scale, watch, kept)
    options = [*(f"--game '{name}'" for name in game or ()), *(["--quick"] if quick else [])]
    options += [] if target is None else [f"--target {target:g}"]
    write_total_rbp(result, page, " ".join(["solvent reproduce total-rbp", *options]))
    kept_file(page).unlink(missing_ok=True)
    if as_json:
        rows = {name: [each.as_dict() for each in getattr(result, name)] for name in ("points", "timings")}
        print_json({**rows, "page": str(page)})
    else:
        terminal().print(timings_table(result.timings))
        _show_claims(claims(result), page)


def reproduce_larger_game(
    game: Annotated[
        str | None,
        typer.Option(help="A Leduc with several bet sizes.  [default: one of 18 million infoset-actions]"),
    ] = None,
    iterations: Annotated[int, typer.Option(min=2, help="Iterations with and without pruning.")] = 100,
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Memory and time with total pruning, from a coarser game too, and without: at most an hour; it goes on."""
    from solvent_papers.kept import kept_file
    from solvent_papers.total_rbp.larger_game import GAME, larger_figures, larger_game
    from solvent_papers.total_rbp.larger_game_page import reading, write_larger_game

    page = out / "larger-game.md"
    with watching() as watch, keeping_runs(kept_file(page)) as kept:
        result = larger_game(game or GAME, iterations, watch, kept)
    options = [] if game is None else [f"--game '{game}'"]
    options += [] if iterations == 100 else [f"--iterations {iterations}"]
    write_larger_game(result, page, " ".join(["solvent reproduce larger-game", *options]))
    kept_file(page).unlink(missing_ok=True)
    if as_json:
        print_json({"points": [point.as_dict() for point in result.points], "page": str(page)})
    else:
        terminal().print(f"{reading(larger_figures(result))}written to {page}", soft_wrap=True, markup=False)


def reproduce_saef(
    quick: Annotated[bool, typer.Option(help="A few seconds for each run, to see that it works.")] = False,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Seconds of the runs that are compared in seconds; the others have a quarter.  [default: 600]"
        ),
    ] = None,
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """Figure 1 of the SAEF paper, abstractions that grow and fixed ones: about an hour; stopped, it goes on."""
    from solvent_papers.kept import kept_file
    from solvent_papers.saef import figure_one as paper
    from solvent_papers.saef.saef_figures import saef_figures
    from solvent_papers.saef.saef_page import reading, write_saef

    page, scale = out / "saef.md", paper.QUICK if quick else paper.FULL
    if seconds is not None:
        scale = paper.Scale(seconds, seconds / 4)
    with watching() as watch, keeping_runs(kept_file(page)) as kept:
        result = paper.saef(scale=scale, watch=watch, kept=kept)
    options = [*(["--quick"] if quick else []), *([] if seconds is None else [f"--seconds {seconds:g}"])]
    write_saef(result, page, " ".join(["solvent reproduce saef", *options]))
    kept_file(page).unlink(missing_ok=True)
    if as_json:
        print_json({"points": [point.as_dict() for point in result.points], "page": str(page)})
    else:
        terminal().print(f"{reading(saef_figures(result))}written to {page}", soft_wrap=True, markup=False)


def reproduce_sampling_options(
    quick: Annotated[
        bool, typer.Option(help="Small games and few iterations, to see that it works.")
    ] = False,
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """What each option of Monte Carlo CFR does to exact exploitability, with intervals: about 8 minutes."""
    from solvent_papers.laptop_mccfr import sampling_options as paper
    from solvent_papers.laptop_mccfr.sampling_options_page import claims, write_sampling_options

    page = out / "sampling-options.md"
    with watching() as watch:
        result = paper.sampling_options(paper.QUICK if quick else paper.FULL, watch)
    write_sampling_options(result, page, "solvent reproduce sampling-options" + (" --quick" if quick else ""))
    if as_json:
        rows = {name: [each.as_dict() for each in getattr(result, name)] for name in ("points", "meetings")}
        print_json({**rows, "page": str(page)})
    else:
        _show_claims(claims(result), page)


def _show_claims(claims: Sequence[Sequence[str]], page: Path) -> None:
    for claim, measured, verdict in claims:
        terminal().print(
            f"{claim}. {measured}: {verdict}".replace("<br>", "; "), soft_wrap=True, markup=False
        )
    terminal().print(f"written to {page}")
