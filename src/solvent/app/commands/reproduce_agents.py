"""The `solvent reproduce` commands that train and match hold'em agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from solvent.app.commands.reproduce import RESULTS, Json, Out, telling
from solvent.app.commands.train import cards_folder
from solvent.app.terminal import print_json, table, terminal

Cards = Annotated[
    Path | None,
    typer.Option(help="A card abstraction's folder.  [default: abstractions/tiny, made if need be]"),
]
Work = Annotated[Path, typer.Option(help="The folder that bots are trained in, and taken up from.")]
Seconds = Annotated[float | None, typer.Option(min=0.1, help="Of training, each bot.")]
Threads = Annotated[int, typer.Option(min=2, help="Threads.")]
Quick = Annotated[bool, typer.Option(help="A second of training each, to see that it works.")]


def reproduce_laptop_mccfr(
    cards: Cards = None,
    work: Work = Path("runs/laptop-mccfr"),
    seconds: Seconds = None,
    threads: Threads = 2,
    quick: Quick = False,
    out: Out = RESULTS,
    as_json: Json = False,
) -> None:
    """Four bots, their ensemble, biased rewards, style opponents and threads: about a quarter of an hour."""
    from dataclasses import replace

    from solvent.experiments.laptop_mccfr import bots as paper
    from solvent.experiments.laptop_mccfr.bots_page import write_results

    folder = cards_folder("tiny" if cards is None else None, cards, threads, not as_json)
    scale = paper.QUICK if quick else paper.Scale()
    scale = scale if seconds is None else replace(scale, seconds=seconds)
    page = out / "laptop-mccfr.md"
    with telling() as say:
        found = paper.run(folder, work, scale, threads, say)
    write_results(found, page, "solvent reproduce laptop-mccfr" + (" --quick" if quick else ""))
    if as_json:
        print_json({"rows": [meeting.as_dict() for meeting in found.meetings], "page": str(page)})
        return
    shown = table("opponent", "the ensemble wins, mbb/hand", "paper")
    for meeting in found.of("7"):
        paper_mbb = "-" if meeting.paper_mbb is None else f"{meeting.paper_mbb:,.0f}"
        style = meeting.opponent.rpartition(":")[2]
        shown.add_row(style, f"{meeting.mbb:,.0f} ± {meeting.interval:,.0f}", paper_mbb)
    terminal().print(shown)
    terminal().print(f"written to {page}")


def reproduce_post_processing(
    cards: Cards = None,
    work: Work = Path("runs/post-processing"),
    seconds: Seconds = None,
    threads: Threads = 2,
    quick: Quick = False,
    out: Out = RESULTS,
    as_json: Json = False,
) -> None:
    """None, purification, thresholding and New-0.2 against four opponents and a local best response."""
    from dataclasses import replace

    from solvent.experiments.tartanian7 import post_processing as paper

    folder = cards_folder("tiny" if cards is None else None, cards, threads, not as_json)
    scale = paper.QUICK if quick else paper.Scale()
    scale = scale if seconds is None else replace(scale, seconds=seconds)
    page = out / "post-processing.md"
    with telling() as say:
        found = paper.run(folder, work, scale, threads, say)
    paper.write_results(found, page, "solvent reproduce post-processing" + (" --quick" if quick else ""))
    if as_json:
        rows = [row.as_dict() for row in (*found.rows, *found.responses)]
        print_json({"rows": rows, "page": str(page)})
        return
    names = [name.partition(":")[0] for name in found.opponents]
    shown = table("post-processing", *names, "mean", "least", title="mbb/hand")
    for post in paper.POSTS:
        row = found.row(post)
        numbers = (f"{one.mbb:+,.0f} ± {one.interval:,.0f}" for one in row)
        shown.add_row(post, *numbers, f"{paper.average(row):+,.0f}", f"{paper.least(row):+,.0f}")
    terminal().print(shown)
    terminal().print(f"written to {page}")
