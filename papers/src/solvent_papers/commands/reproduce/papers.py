"""The `solvent reproduce` commands that solve games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from solvent.app.options import MOST_THREADS, Json, ResultsFolder
from solvent.app.terminal import print_json, terminal
from solvent.app.watching import watching

RESULTS = Path("docs/results")


def reproduce_abstraction(
    quick: Annotated[bool, typer.Option(help="The hands on a dozen flops, to see that it works.")] = False,
    threads: Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Threads.")] = 2,
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """How well buckets of hands fit: hierarchical and free, EMD and percentiles: about 4 minutes, 2 GB."""
    from solvent_papers.tartanian7 import abstraction_quality as quality
    from solvent_papers.tartanian7.abstraction_hands import deal
    from solvent_papers.tartanian7.abstraction_page import claims, write_abstraction_quality

    page, scale = out / "abstraction.md", quality.QUICK if quick else quality.FULL_SCALE
    with watching() as watch:
        hands, river = deal(
            scale.flops, scale.strips, scale.codes_per_strip, scale.river_every, threads, watch
        )
        result = quality.abstraction_quality(hands, river, scale, threads, watch)
    options = ["--quick"] if quick else []
    options += [] if threads == 2 else [f"--threads {threads}"]
    write_abstraction_quality(result, page, " ".join(["solvent reproduce abstraction", *options]))
    if as_json:
        rows = {name: [each.as_dict() for each in getattr(result, name)] for name in ("rows", "publics")}
        print_json({**rows, "page": str(page)})
    else:
        _show_claims(claims(result), page)


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


def reproduce_sampled_buckets(
    quick: Annotated[
        bool, typer.Option(help="A small deck and few iterations, to see that it works.")
    ] = False,
    out: ResultsFolder = RESULTS,
    as_json: Json = False,
) -> None:
    """How strategies on EMD, percentile and hierarchical buckets fare against real cards: about 5 minutes."""
    from solvent_papers.tartanian7 import sampled_buckets as experiment
    from solvent_papers.tartanian7.sampled_buckets_page import claims, write_sampled_buckets

    page = out / "sampled-buckets.md"
    with watching() as watch:
        result = experiment.sampled_buckets(experiment.QUICK if quick else experiment.FULL, watch)
    write_sampled_buckets(result, page, "solvent reproduce sampled-buckets" + (" --quick" if quick else ""))
    if as_json:
        print_json({"rows": [row.as_dict() for row in result.rows], "page": str(page)})
    else:
        _show_claims(claims(result), page)


def _show_claims(claims: Sequence[Sequence[str]], page: Path) -> None:
    for claim, measured, verdict in claims:
        terminal().print(
            f"{claim}. {measured}: {verdict}".replace("<br>", "; "), soft_wrap=True, markup=False
        )
    terminal().print(f"written to {page}")
