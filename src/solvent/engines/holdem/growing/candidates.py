"""Bet sizes that a solve may find: `auto,from=25%,to=300%,steps=16,at-most=16,nodes=33.3333%`.

The candidates are `steps` sizes from the smallest to the largest, each larger than the one before by the same
factor. A solve starts with the smallest, the largest and all-in; raises are those of the spot. The limit of
nodes keeps the tree small: sizes then stand where they gain most for a node, many at the decisions that
matter and none at most others. With at most three at a decision turns stay too exploitable.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.units import parse_whole
from solvent.games.betting.sizes import POT, BetSize, parse_bet_size

AUTO = "auto"
FORM = "sizes are written auto, or auto,from=25%,to=300%,steps=16,at-most=16,nodes=33.3333%"
RAISES = "100%,a"
"""Raises of a spot that gives none."""
MOST_STEPS = 100
STEPS, AT_MOST = 16, 16
ROOM = 16 / 3
"""The limit of nodes where none is given, times `steps`: a third of the tree with 16 candidates."""
KEYS = ("from", "to", "steps", "at-most", "nodes", "trial")
REFUSED = ("add", "remove", "merging")
"""Settings of a tree that would change what the candidates are."""


@dataclass(frozen=True)
class AutoSizes:
    """The candidates, and how many may be added at a decision.

    >>> AutoSizes(steps=4).percentages
    ('25%', '57.2357%', '131.037%', '300%')
    """

    smallest: float = 0.25
    """Fractions of the pot."""
    largest: float = 3.0
    steps: int = STEPS
    at_most: int = AT_MOST
    """The most sizes that are added at one decision."""
    nodes: float = ROOM / STEPS
    """The most nodes that the tree may grow to, as a fraction of those of the tree with all candidates."""
    trial: int | None = None
    """Iterations of the recovery game by which candidates are judged; None: by best responses."""

    def __str__(self) -> str:
        said: dict[str, object] = {
            "from": f"{100 * self.smallest:.10g}%",
            "to": f"{100 * self.largest:.10g}%",
            "steps": self.steps,
            "at-most": self.at_most,
            "nodes": f"{100 * self.nodes:.6g}%",
        }
        if self.trial is not None:
            said["trial"] = self.trial
        return ",".join([AUTO, *(f"{key}={value}" for key, value in said.items())])

    @property
    def percentages(self) -> tuple[str, ...]:
        """The candidates as bet sizes."""
        growth = (self.largest / self.smallest) ** (1 / max(1, self.steps - 1))
        inner = [self.smallest * growth**k for k in range(self.steps - 1)]
        return tuple(f"{100 * size:.6g}%" for size in (*inner, self.largest))

    @property
    def start(self) -> str:
        """The bets that a solve starts with."""
        return f"{self.percentages[0]},{self.percentages[-1]},a"

    @property
    def all(self) -> str:
        """All candidates, and all-in."""
        return ",".join((*self.percentages, "a"))

    def start_of(self, spot: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of the spot that a solve starts with; refused where the spot gives bets of its own."""
        given = {name: value for name, value in spot.items() if value is not None}
        for name in given:
            flag = name.replace("_", "-")
            if flag.split("-")[-1] in ("bets", "donk"):
                raise InputError(f"sizes {AUTO} finds the bets, so the spot gives none; leave out {flag}")
            if flag in REFUSED:
                raise InputError(f"sizes {AUTO} finds the bets, and {flag} would change them; leave it out")
        return {"raises": RAISES, **given, "bets": self.start}


def parse_auto_sizes(text: str) -> AutoSizes:
    """Read the value of `--sizes`.

    >>> str(parse_auto_sizes("auto,to=200%"))
    'auto,from=25%,to=200%,steps=16,at-most=16,nodes=33.3333%'
    >>> str(parse_auto_sizes("auto,steps=8"))
    'auto,from=25%,to=300%,steps=8,at-most=16,nodes=66.6667%'
    """
    name, *parts = [part.strip() for part in str(text).split(",")]
    if name.lower() != AUTO:
        raise InputError(f"{FORM}, not {str(text)!r}; sizes of one's own are given by --bets")
    given: dict[str, str] = {}
    for part in parts:
        key, equals, value = (each.strip() for each in part.partition("="))
        key = key.lower().replace("_", "-")
        if not equals or key not in KEYS:
            raise InputError(f"{FORM}; it has no {part!r}{did_you_mean(key, KEYS)}")
        if key in given:
            raise InputError(f"sizes has {key} twice")
        given[key] = value
    steps = _whole(given.get("steps", str(STEPS)), "steps", 2, MOST_STEPS)
    found = AutoSizes(
        _part(given.get("from", "25%"), "from"),
        _part(given.get("to", "300%"), "to"),
        steps,
        _whole(given.get("at-most", str(AT_MOST)), "at-most", 0, MOST_STEPS),
        _part(given["nodes"], "nodes") if "nodes" in given else min(1.0, ROOM / steps),
        _whole(given["trial"], "trial", 1, 10_000) if "trial" in given else None,
    )
    if found.nodes > 1:
        said = given["nodes"]
        raise InputError(f"nodes of sizes is at most 100% of the tree with all candidates, not {said!r}")
    if found.smallest >= found.largest:
        raise InputError("the sizes go from a smaller part of the pot to a larger one; from is not below to")
    return found


def _part(text: str, key: str) -> float:
    size = BetSize(-1, 0.0)
    with suppress(InputError):
        size = parse_bet_size(text)
    if size.unit != POT:
        whole = "tree with all candidates" if key == "nodes" else "pot"
        raise InputError(f"{key} of sizes is a part of the {whole} such as 25%, not {text!r}")
    return size.value


def _whole(text: str, key: str, least: int, most: int) -> int:
    number = parse_whole(text)
    if number is None or not least <= number <= most:
        raise InputError(f"{key} of sizes is a whole number from {least} to {most:,}, not {text!r}")
    return number
