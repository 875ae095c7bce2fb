"""The `solvent reproduce` commands: each runs an experiment and writes its page; `--list` lists the papers' claims.

Commands of experiments are made from their declarations, which `solvent_papers.experiments` lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from solvent.app.later import Commands
from solvent.app.options import Json, ResultsPage
from solvent.app.terminal import print_json, table, terminal
from solvent.foundation.errors import InputError
from solvent_papers.commands.experiments import RESULTS, add_experiments
from solvent_papers.experiments import REPRODUCED

if TYPE_CHECKING:
    from solvent_papers.ledger.ledger import Entry


reproduce = typer.Typer(cls=Commands, no_args_is_help=True)


@reproduce.callback(invoke_without_command=True)
def list_claims(
    context: typer.Context,
    listed: Annotated[
        bool, typer.Option("--list", help="List every claim of the five papers with its verdict.")
    ] = False,
    results: Annotated[Path, typer.Option(help="With --list: the folder of the results pages.")] = RESULTS,
    page: ResultsPage = None,
    as_json: Json = False,
) -> None:
    """Regenerate the papers' tables and figures on this machine."""
    if context.invoked_subcommand is not None:
        if listed or as_json or page is not None:
            raise InputError(
                "--list, --page and --json before the name of an experiment list claims; leave it out"
            )
        return
    if not listed:
        raise InputError("name an experiment, or ask for the list of claims by --list")
    from solvent_papers.ledger.ledger import entries, read_results
    from solvent_papers.ledger.ledger_page import write_ledger

    pages = read_results(results)
    found = entries(pages)
    if page is not None:
        write_ledger(found, pages, page)
    if as_json:
        print_json(
            {"claims": [entry.as_dict() for entry in found], "page": None if page is None else str(page)}
        )
        return
    _show(found)
    if page is not None:
        terminal().print(f"written to {page}")


def _show(found: Sequence[Entry]) -> None:
    from solvent_papers.ledger.ledger import counted, papers
    from solvent_papers.ledger.ledger_page import SYMBOLS

    for paper in papers():
        lines = table("verdict", "where", "the paper", "here", title=f"{paper.number} {paper.name}")
        for entry in found:
            if entry.paper is paper:
                verdict = f"{SYMBOLS[entry.verdict]} {entry.verdict}"
                lines.add_row(verdict, entry.claim.place, entry.claim.states, entry.ours)
        terminal().print(lines)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in counted(found).items())
    terminal().print(f"{len(found)} claims: {counts}")


add_experiments(reproduce, REPRODUCED)
