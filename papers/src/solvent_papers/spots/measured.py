"""The parts of `solvent bench spots`, run one after the other on the named spots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.progress import Watch
from solvent_papers.spots.bandwidth import STREAMED_BYTES, streamed_bytes_per_second
from solvent_papers.spots.named import NamedSpot
from solvent_papers.spots.peer_command import PeerCommand
from solvent_papers.spots.rule_choice import Run, compare_rules, standings
from solvent_papers.spots.speed import DTYPES, Reached, Timing, time_spot, time_to_targets
from solvent_papers.spots.values import Worth, measure_values
from solvent_papers.steps import Say, saying

VALUES, SPEED, RULES = "values", "speed", "rules"
PARTS = (VALUES, SPEED, RULES)
FLOP_STREETS = 3
FLOP_OF_RULES = "flop-narrow"
"""The one spot from the flop on that rules are compared on; the others take minutes."""


@dataclass(frozen=True)
class Scale:
    """How much is measured. Targets are in percent of the pot."""

    repeats: int = 3
    batch_seconds: float = 0.3
    values_until: tuple[str, str] = ("0.01%", "0.1%")
    """Where values are taken: of rivers and turns, and of flops."""
    targets: tuple[float, ...] = (0.5, 0.3)
    every: int = 10
    most_iterations: int = 1000
    checkpoints: tuple[int, ...] = (50, 100, 200, 400)
    streamed_bytes: int = STREAMED_BYTES


QUICK = Scale(1, 0.02, ("1%", "5%"), (5.0, 2.0), 10, 200, (20, 40), 1 << 24)
"""To see that everything works."""


@dataclass
class Measured:
    """What was measured; parts that were not asked for are empty."""

    scale: Scale
    threads: int
    spots: Sequence[NamedSpot]
    parts: Sequence[str]
    peer: str | None
    worths: list[Worth] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    reached: list[Reached] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {
            "threads": self.threads,
            "peer": self.peer,
            "values": [each.as_dict() for each in self.worths],
            "speed": [each.as_dict() for each in self.timings],
            "targets": [each.as_dict() for each in self.reached],
            "rules": [each.as_dict() for each in self.runs],
            "standings": [each.as_dict() for each in standings(self.runs)],
        }


def check_parts(parts: Sequence[str], peer: PeerCommand | None) -> None:
    """Refuse parts that do not exist, and a peer whose figures no part would take."""
    for part in parts:
        if part not in PARTS:
            raise InputError(
                f"there is no part {part!r}{did_you_mean(part, PARTS)}; parts are {', '.join(PARTS)}"
            )
    if peer is not None and SPEED not in parts:
        raise InputError("a peer's figures are taken in the part speed, which --parts leaves out")


def measure(
    spots: Sequence[NamedSpot],
    parts: Sequence[str] = PARTS,
    scale: Scale | None = None,
    threads: int = 2,
    peer: PeerCommand | None = None,
    watch: Watch | None = None,
) -> Measured:
    """Measure the parts on the spots."""
    check_parts(parts, peer)
    scale, say = scale or Scale(), saying(watch)
    found = Measured(scale, threads, spots, parts, None if peer is None else peer.name)
    if SPEED in parts:  # first: nothing has grown the process yet
        say("streaming memory")
        bandwidth = {
            count: streamed_bytes_per_second(count, count=scale.streamed_bytes)
            for count in sorted({1, threads})
        }
    for spot in spots:
        if SPEED in parts:
            _measure_speed(spot, found, bandwidth, peer, say)
        if VALUES in parts:
            say(f"{spot.name}: values")
            flop = spot.streets == FLOP_STREETS
            # A flop's tables in float64 take a gigabyte, and its target needs no more digits than float32 has.
            until, dtype = scale.values_until[flop], "float32" if flop else "float64"
            found.worths.append(measure_values(spot, until, dtype, threads))
        if RULES in parts and (spot.streets < FLOP_STREETS or spot.name == FLOP_OF_RULES):
            say(f"{spot.name}: rules")
            found.runs += compare_rules(spot, scale.checkpoints, scale.targets[-1], scale.every, threads)
    return found


def _measure_speed(
    spot: NamedSpot, found: Measured, bandwidth: dict[int, float], peer: PeerCommand | None, say: Say
) -> None:
    scale = found.scale
    for dtype in DTYPES:
        found.timings += time_spot(spot, dtype, bandwidth, scale.repeats, scale.batch_seconds, peer, say)
        # A peer's way to a target is taken with its usual tables alone: on flops it takes a minute.
        beside = peer if dtype == DTYPES[0] else None
        say(f"{spot.name}, {dtype}: to {scale.targets[-1]:g} % of the pot")
        found.reached += time_to_targets(
            spot,
            dtype,
            found.threads,
            scale.targets,
            scale.every,
            scale.most_iterations,
            scale.repeats,
            beside,
        )
