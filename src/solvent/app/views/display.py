"""What the command line shows: progress while it works, tables when it is done."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
)
from rich.progress import TimeRemainingColumn as TimeLeft
from rich.table import Table

from solvent.app.terminal import table
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress as WorkProgress
from solvent.foundation.units import size
from solvent.games.catalogue import GAMES, parameters
from solvent.solvers.solve import COMPILING_KERNELS, SIZED, Result
from solvent.strategy.run import Run
from solvent.strategy.tables import TableStrategy

Row = tuple[int, str, dict[str, float]]
BAR = 24


def cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class SolveDisplay:
    """A live line for a solve: first what it will cost, then iterations, exploitability and rate."""

    def __init__(self, console: Console, quiet: bool = False) -> None:
        self.console, self.quiet = console, quiet
        self.progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(BAR),
            MofNCompleteColumn(),
            TextColumn("{task.fields[detail]}"),
            TimeLeft(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self.task = self.progress.add_task("starting", total=None, detail="")

    def __enter__(self) -> SolveDisplay:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def show(self, state: WorkProgress) -> None:
        """Show where the solve stands: what it will take once, then its progress."""
        if state.stage == SIZED:
            if not self.quiet:
                self.progress.console.print(state.detail, soft_wrap=True)
            return
        once = " (once per machine)" if state.stage == COMPILING_KERNELS else ""
        self.progress.update(
            self.task,
            description=state.stage + once,
            completed=state.done,
            total=state.total,
            detail=state.detail,
        )


def result_table(result: Result) -> Table:
    settings = result.settings
    plan = result.plan if settings.sampling == "none" else f"{settings.sampling} sampling"
    rows = {
        "rule": f"{settings.rule}, {settings.updates} updates",
        "plan": f"{plan} on the {result.form} form, {result.threads} thread"
        + ("s" if result.threads > 1 else ""),
        "iterations": f"{result.iterations:,} (stopped by {result.stopped_by})",
        "exploitability": f"{result.exploitability:.6g} chips (NashConv/2, exact)",
        "value for player 0": f"{result.value:.6f} chips",
        "infosets": f"{result.infosets:,} in {result.histories:,} histories",
        "time": f"{result.seconds:.2f} s, {result.seconds_per_iteration * 1e6:,.1f} us an iteration"
        + f" (and {result.compile_seconds:.1f} s for kernels)",
        "peak memory": size(result.peak_memory_bytes),
    }
    if settings.pruning != "none":
        rows["pruning"] = f"{settings.pruning}: {result.pruned_actions:,} actions pruned"
        rows["stored"] = (
            f"{result.stored_regrets:.1%} of the regrets, {result.stored_averages:.1%} of the averages, "
            f"{size(result.table_bytes)} of tables"
        )
        rows["touched"] = (
            f"{result.nodes_touched:,} {result.touched_unit}, "
            f"{result.response_nodes / max(1, result.nodes_touched):.0%} of them by best responses"
        )
    if result.run is not None:
        rows["run"] = str(result.run)
        rows["picture"] = str(result.run / "convergence.png")
    return _facts(result.game, rows)


def summary_table(strategy: TableStrategy) -> Table:
    return _facts(strategy.game, {key: f"{value}" for key, value in strategy.facts.items()})


def _facts(title: str, rows: Mapping[str, str]) -> Table:
    facts = table("", "", title=title)
    for key, value in rows.items():
        facts.add_row(key, value)
    return facts


def games_table() -> Table:
    games = table("game", "parameters and defaults", "what it is")
    for name, kind in GAMES.items():
        doc = (kind.__doc__ or "").strip().splitlines()[0]
        games.add_row(name, ", ".join(map(str, parameters(name))) or "-", doc)
    games.add_row("openspiel:NAME(...)", "OpenSpiel's own", "Any two-player zero-sum game of OpenSpiel's.")
    games.add_row("path/to/game.efg", "-", "A Gambit extensive-form file.")
    return games


def strategy_rows(
    strategy: TableStrategy, wanted: str | None, player: int | None, limit: int
) -> tuple[list[Row], int]:
    """The infosets asked for, at most `limit` of them, and how many there are."""
    if wanted is not None and not any(letter in wanted for letter in "*?"):
        infoset = strategy.infosets.find(wanted, player)
        owner = strategy.infosets.player_of(infoset)
        return [(owner, strategy.infosets.label(infoset), strategy.at(infoset))], 1
    if wanted is None and player is None:
        return list(islice(strategy.rows(), limit)), len(strategy)
    matching = [
        (owner, label, row)
        for owner, label, row in strategy.rows()
        if (wanted is None or fnmatchcase(label, wanted)) and player in (None, owner)
    ]
    return matching[:limit], len(matching)


def show_strategy(rows: Sequence[Row], matching: int) -> RenderableType:
    shown = table("player", "infoset", "action", "probability", "")
    for player, label, row in rows:
        for k, (action, probability) in enumerate(row.items()):
            bar = "█" * round(BAR * probability)
            first = (str(player), label) if k == 0 else ("", "")
            shown.add_row(*first, action, f"{probability:.4f}", bar, end_section=k == len(row) - 1)
    if matching > len(rows):
        return Group(shown, f"{len(rows)} of {matching:,} infosets; --limit shows more")
    return shown


def comparison_table(document: Mapping[str, Any]) -> Table:
    a, b = document["a"], document["b"]
    return _facts(
        document["game"],
        {
            "a": f"{a['source']}: exploitability {a['exploitability']:.6g} chips",
            "b": f"{b['source']}: exploitability {b['exploitability']:.6g} chips",
            "a wins against b": f"{document['a_wins']:+.6g} chips a game, both seats",
            "mean distance": f"{document['mean_distance']:.4f} (total variation per infoset)",
            "largest distance": f"{document['largest_distance']:.4f} at {document['largest_at']!r}, "
            f"player {document['largest_at_player']}",
        },
    )


def run_summary(folder: Path) -> dict[str, Any]:
    """A run in one row; of a damaged one, what is wrong with it."""
    facts: dict[str, Any] = {}
    began: dict[str, Any] = {}
    damage = None
    try:
        run = Run.open(folder)
        began = run.configuration
        facts = run.facts()
    except InputError as error:
        damage = str(error)
    return {
        "run": str(folder),
        "damage": damage,
        "game": began.get("game"),
        "rule": began.get("rule"),
        "updates": began.get("updates"),
        "created": began.get("created"),
        "iterations": facts.get("iterations", 0),
        "exploitability": facts.get("exploitability"),
        "seconds": facts.get("seconds", 0.0),
    }


def runs_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    runs = table("run", "game", "rule", "iterations", "exploitability (chips)", "seconds", "created")
    for row in rows:
        if row["damage"] is not None:
            runs.add_row(row["run"], "damaged")
            continue
        reached = row["exploitability"]
        runs.add_row(
            row["run"],
            row["game"],
            f"{row['rule']}, {row['updates']}",
            f"{row['iterations']:,}",
            "-" if reached is None else f"{reached:.4g}",
            f"{row['seconds']:.1f}",
            row["created"],
        )
    return runs
