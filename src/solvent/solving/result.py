"""The result of a solve: its facts for JSON, for people and as a curve."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from solvent.foundation.html import facts_html
from solvent.foundation.units import size, span
from solvent.solving.curves import Curve, draw
from solvent.solving.settings import PRUNING, SAMPLING, Settings
from solvent.strategy.solved.tables import TableStrategy

UNIT = "chips, NashConv/2"
NOT_REPORTED = ("iterations", "time", "until", "check_every", "checkpoint_every", "memory")
"""Options that bound a solve rather than say how it was made; `Result.as_dict` leaves them out."""


@dataclass(frozen=True)
class Result:
    """Result of a solve. `as_dict` is what `--json` prints."""

    game: str
    """Name of the game."""
    settings: Settings
    """Settings of the call; the next six fields say what was used where those left a choice."""
    form: str
    """The form of the game: history or public."""
    plan: str
    """Way in which iterations were computed."""
    dtype: str
    """Numbers of the tables."""
    threads: int
    """Threads used."""
    evaluator: str | None
    """Evaluation of terminals on the public form."""
    isomorphism: bool | None
    """Whether boards that differ only in the names of suits are solved once; None where there are none."""
    iterations: int
    """Iterations in all, those before a resume included."""
    exploitability: float
    """NashConv / 2 of the strategy by exact best responses, in chips."""
    value: float
    """Winnings of player 0 under the average strategy, in chips a game."""
    infosets: int
    """Infosets of both players."""
    infoset_actions: int
    """Actions of all infosets."""
    histories: int
    """Histories of the game."""
    seconds: float
    """Seconds of solving in all, checks and set-up apart."""
    seconds_per_iteration: float
    """`seconds` divided by `iterations`."""
    compile_seconds: float
    """Seconds of compiling or loading kernels."""
    peak_memory_bytes: int
    """The most memory that the process has had."""
    table_bytes: int
    """Bytes of the solver's tables."""
    nodes_touched: int
    """Nodes touched by regret passes and best responses together."""
    response_nodes: int
    """Nodes touched by best responses."""
    pruned_actions: int
    """Actions that are pruned at the end."""
    stored_regrets: float
    """Regrets held at the end, as a fraction of all infoset-actions."""
    stored_averages: float
    """Averages held at the end, as a fraction of all."""
    peak_stored: float
    """Regrets and averages held at most, as a fraction of all; copies of interval pruning may bring it above 1."""
    stopped_by: str
    """iterations, until, time or interrupt"""
    warnings: tuple[str, ...]
    """Limits of what the result promises, a sentence each."""
    strategy: TableStrategy = field(repr=False)
    """The average strategy."""
    convergence: tuple[dict[str, Any], ...] = field(repr=False, default=())
    """One row per exploitability check."""
    run: Path | None = None
    """The run's folder, if it is kept."""
    additions: tuple[dict[str, Any], ...] = field(repr=False, default=())
    """Additions of a growing run, in order (`engines.explicit.growing.additions.Addition`)."""
    unsaved: str | None = None
    """The part of this that the run's folder lacks, and why: a full disk stops no solve."""
    touched_unit: str = "histories"
    """Unit of `nodes_touched`."""
    exploitability_unit: str = UNIT
    """Unit of `exploitability`."""

    def as_dict(self) -> dict[str, Any]:
        """Everything but the strategy, ready for JSON; options that change nothing are None."""
        skipped = ("strategy", "settings")
        asked = {name: value for name, value in self.settings.as_json().items() if name not in NOT_REPORTED}
        pruning, sampling = self.settings.how_to_prune, self.settings.how_to_sample
        unused = {key for key, name in PRUNING.items() if name not in pruning.effective(self.form)}
        unused |= {name for name in SAMPLING if name not in sampling.effective}
        reached = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in skipped}
        return {
            **asked,
            **dict.fromkeys(unused),
            **reached,
            "run": None if self.run is None else str(self.run),
            "warnings": list(self.warnings),
            "convergence": list(self.convergence),
        }

    def summary(self) -> dict[str, str]:
        """Say the most important facts in words, by name."""
        settings = self.settings
        plan = self.plan if settings.sampling == "none" else f"{settings.sampling} sampling"
        rows = {
            "rule": f"{settings.rule}, {settings.updates} updates",
            "plan": f"{plan} on the {self.form} form, {self.threads} thread"
            + ("s" if self.threads > 1 else ""),
            "iterations": f"{self.iterations:,} (stopped by {self.stopped_by})",
            "exploitability": f"{self.exploitability:.6g} chips (NashConv/2, exact){self._in_blinds()}",
            "value for player 0": f"{self.value:.6f} chips",
            "infosets": f"{self.infosets:,} in {self.histories:,} histories",
            "time": f"{span(self.seconds)}, {span(self.seconds_per_iteration)} an iteration"
            f" (and {span(self.compile_seconds)} for kernels)",
            "peak memory": size(self.peak_memory_bytes),
        }
        if settings.grow != "none":
            rows["growing"] = (
                f"{settings.grow}, factor {settings.grow_factor:g}: {len(self.additions):,} bets added; "
                f"{self.nodes_touched:,} {self.touched_unit} touched"
            )
        if settings.pruning != "none":
            rows["pruning"] = f"{settings.pruning}: {self.pruned_actions:,} actions pruned"
            rows["stored"] = (
                f"{self.stored_regrets:.1%} of the regrets, {self.stored_averages:.1%} of the averages, "
                f"{size(self.table_bytes)} of tables"
            )
            rows["touched"] = (
                f"{self.nodes_touched:,} {self.touched_unit}, "
                f"{self.response_nodes / max(1, self.nodes_touched):.0%} of them by best responses"
            )
        if "budget_bytes" in (last := self.convergence[-1] if self.convergence else {}):
            rows["memory budget"] = (
                f"{size(last['budget_bytes'])} for the tables, which took at most "
                f"{size(last['peak_table_bytes'])}; "
                f"refused for memory: {last['refused_additions']:,} additions, {last['refused_returns']:,} returns"
            )
        if self.warnings:
            rows["note"] = "; ".join(self.warnings)
        if self.run is not None:
            rows["run"] = str(self.run)
        return rows

    def plot(self, over: str = "iterations", axes: Any = None) -> Any:
        """Draw exploitability over "iterations" or "seconds", log-log, on new or given Matplotlib axes."""
        return draw([curve(self)], over, axes=axes)

    def _repr_html_(self) -> str:
        return facts_html(self.game, self.summary())

    def _in_blinds(self) -> str:
        """Give the exploitability in thousandths of a big blind too, where the game has blinds."""
        blinds = getattr(self.strategy.source, "blinds", None)
        return "" if blinds is None else f", {1000 * self.exploitability / blinds[1]:.4g} mbb/hand"


def curve(result: Result) -> Curve:
    """Take the exploitability of a result over time as a curve."""
    label = f"{result.settings.rule}, {result.settings.updates} updates"
    return Curve(label, result.game, "solve", result.convergence)
