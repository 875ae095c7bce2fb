"""The options of a solve of a spot, apart from the spot itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solvent.engines.defaults import HOLDEM_DTYPES, HOLDEM_RULE
from solvent.engines.holdem.growing.candidates import AutoSizes, parse_auto_sizes
from solvent.engines.local_update import LocalUpdate
from solvent.engines.rules import LinearProgram, RegretRule, load_rule
from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_decimal
from solvent.solving.option_checks import Check, one_of, whole
from solvent.solving.settings import (
    ALGORITHM,
    MACHINE,
    MOST_ITERATIONS,
    SIZES,
    STOP,
    Options,
    altered,
    option,
)

DEFAULT_UNTIL, MOST_DEFAULT_ITERATIONS = "0.3%", 10_000
"""Limits of a solve if none is given; the iterations are far more than a spot takes."""


def _target(name: str, value: Any) -> str:
    text = f"{value}".strip()
    target_chips(text, 1.0)
    return text


def target_chips(until: str, pot: float) -> float:
    """Read an exploitability in chips from a percentage of the pot, or from chips.

    >>> target_chips("0.5%", 200), target_chips("0.5", 200)
    (1.0, 0.5)
    """
    percent = until.endswith("%")
    number = parse_decimal(until.removesuffix("%"))
    if number is None or number < 0:
        raise InputError(
            f"until is an exploitability of at least 0, in percent of the pot or chips, such as 0.3% or 0.6, "
            f"not {until!r}"
        )
    return number / 100 * pot if percent else number


TARGET = Check(str, _target, "<part of pot>")
AUTO_SIZES = Check(str, lambda name, value: str(parse_auto_sizes(value)), "<auto,...>")


@dataclass(frozen=True)
class SpotSettings(Options):
    """The options of a solve of a spot."""

    iterations: int | None = altered(
        "iterations", help="Stop after this many iterations; 0 measures uniform play.", shown=None
    )
    until: str | None = option(
        None,
        "Stop at this exploitability: 0.3% of the pot, or 0.6 chips.",
        TARGET,
        STOP,
        shown=f"{DEFAULT_UNTIL} where nothing else is given",
    )
    time: float | None = altered("time")
    every: int | None = option(
        None,
        "Iterations between measurements of exploitability.",
        whole(1, MOST_ITERATIONS),
        ALGORITHM,
        shown="10; 20 with rake; seldom without --until",
    )
    rule: RegretRule = altered(  # noqa: RUF009
        "rule", help="Rule: cfr, cfr+, lcfr, dcfr, dcfr(a,b,g), dcfr+ or file.py:Class.", shown=HOLDEM_RULE
    )
    isomorphism: str = altered("isomorphism")
    sizes: str | None = option(
        None,
        "Let the solver find the bets: auto, or auto followed by any of ,from=25% ,to=300% ,steps=16 "
        ",at-most=16 (at a decision) ,nodes=33% (of the tree with all candidates; more where steps are fewer) "
        ",trial=K (judges by games of K iterations). Raises are as given, else 100%,a.",
        AUTO_SIZES,
        SIZES,
        kept=True,
        shown="the bets that are given",
    )
    checkpoint_every: float = altered("checkpoint_every", default=60.0, shown="60s")
    dtype: str = option(
        "float32",
        f"Numbers of the tables: {', '.join(HOLDEM_DTYPES)}.",
        one_of("dtype", HOLDEM_DTYPES),
        MACHINE,
        kept=True,
    )
    threads: int = altered("threads", shown="all cores")
    memory: int = altered("memory")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rule is None:
            object.__setattr__(self, "rule", load_rule(HOLDEM_RULE))
        if isinstance(self.rule, LocalUpdate | LinearProgram):
            raise InputError(f"a spot is solved by a regret rule such as dcfr, which {self.rule} is not")
        if self.rule.predictive:
            raise InputError(f"rule {self.rule} predicts regrets, which a spot's solver keeps no table for")
        if self.sizes is not None and self.dtype == "int16":
            raise InputError("sizes that the solver finds need tables of float32 or float64, not int16")
        if self.iterations:
            self.rule.check_clock(self.iterations, "float64" if self.dtype == "float64" else "float32")

    @property
    def auto_sizes(self) -> AutoSizes | None:
        """The candidates of a solve that finds its bet sizes; None where the spot gives them."""
        return None if self.sizes is None else parse_auto_sizes(self.sizes)
