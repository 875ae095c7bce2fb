"""Another solver's figures, from a command that is given a spot as JSON and prints one line of JSON.

The command's last argument is a JSON object:

    board, oop, ip, pot, stack      as `solvent spot` takes them; a range may be "random", all hands
    rake_rate, rake_cap             0 and 0, or a part of the pot and chips; taken from every pot, folds included
    flop, turn, river               for each street from the root's on {"oop": {"bet", "raise", "donk"}, "ip": ...}:
                                    sizes such as "50%,a"; without "donk" OOP bets as usual
    threads, compressed             threads to use, and whether tables have 16 bits instead of 32
    mode                            "time": run `warmup` iterations and then time `iterations` of them; or
                                    "until": solve to each of `targets`, in % of the pot, measured every
                                    `check_every` iterations, at most `max_iterations`

No thresholds apply that add, force or merge sizes. Of what the command prints, on its last line, these are read:

    seconds_per_iteration.median    mode "time"
    build_seconds                   from the spot to tables
    memory_usage.f32, .i16          bytes by the solver's own account
    uniform.exploitability_pct      of uniform play, in % of the pot: both must solve the same game
    reached                         mode "until": objects with target_pct, iterations and seconds, checks included
"""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from solvent.foundation.errors import InputError
from solvent_papers.spots.named import NamedSpot

COMPRESSED = "int16"
"""Our tables that a peer's of 16 bits are compared with."""


@dataclass(frozen=True)
class PeerTiming:
    """What a peer says of its iterations."""

    seconds: float
    """An iteration's, the median."""
    build_seconds: float
    memory_bytes: int
    uniform_percent: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class PeerReached:
    """When a peer reached a target."""

    iterations: int
    seconds: float


class PeerCommand:
    """A command that runs another solver."""

    def __init__(self, command: str, name: str) -> None:
        self.name = name
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"the peer's command {command!r} cannot be read: {error}") from error
        if not self.words:
            raise InputError("the peer's command is empty")

    def time(self, spot: NamedSpot, dtype: str, threads: int, iterations: int) -> PeerTiming:
        """Time iterations, after a quarter as many that touch the memory and are not counted."""
        asked = {"mode": "time", "iterations": iterations, "warmup": max(2, iterations // 4)}
        said = self._ask(spot, dtype, threads, asked)
        try:
            return PeerTiming(
                seconds=float(said["seconds_per_iteration"]["median"]),
                build_seconds=float(said["build_seconds"]),
                memory_bytes=int(said["memory_usage"]["i16" if dtype == COMPRESSED else "f32"]),
                uniform_percent=float(said["uniform"]["exploitability_pct"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise self._unreadable(error) from error

    def until(
        self, spot: NamedSpot, dtype: str, threads: int, targets: Sequence[float], every: int, most: int
    ) -> dict[float, PeerReached]:
        """Solve to each target, in % of the pot; those that `most` iterations do not reach are left out."""
        asked = {"mode": "until", "targets": list(targets), "check_every": every, "max_iterations": most}
        said = self._ask(spot, dtype, threads, asked)
        try:
            return {
                float(one["target_pct"]): PeerReached(int(one["iterations"]), float(one["seconds"]))
                for one in said["reached"]
            }
        except (KeyError, TypeError, ValueError) as error:
            raise self._unreadable(error) from error

    def _ask(self, spot: NamedSpot, dtype: str, threads: int, asked: Mapping[str, Any]) -> Any:
        document = {**spot.as_json(), **asked, "threads": threads, "compressed": dtype == COMPRESSED}
        shown = shlex.join(self.words)
        try:
            done = subprocess.run(
                [*self.words, json.dumps(document)], capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise InputError(f"the peer's command {shown} cannot be run: {error.strerror}") from error
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise InputError(f"the peer's command {shown} failed on {spot.name}: {said}")
        try:
            return json.loads(done.stdout.strip().splitlines()[-1])
        except (IndexError, ValueError) as error:
            raise InputError(f"the peer's command {shown} printed no line of JSON on {spot.name}") from error

    def _unreadable(self, error: Exception) -> InputError:
        return InputError(f"the peer's command {shlex.join(self.words)} printed no usable field: {error}")
