"""Another solver's figures, from a command that is given a spot as JSON and prints one line of JSON.

The command's last argument is a JSON object:

    board, oop, ip, pot, stack      as `solvent spot` takes them; a range may be "random", all hands
    rake_rate, rake_cap             a share of every pot, folds included, and its limit in chips; or 0 and 0
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
from typing import Any, NamedTuple

from solvent.foundation.errors import InputError
from solvent_papers.spots.named import NamedSpot

COMPRESSED = "int16"
"""Our tables of 16 bits."""


class PeerReached(NamedTuple):
    """When a peer reached a target."""

    iterations: int
    seconds: float


class PeerCommand:
    """A command that runs another solver."""

    def __init__(self, command: str) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"the peer's command {command!r} cannot be read: {error}") from error
        if not self.words:
            raise InputError("the peer's command is empty")

    def time(self, spot: NamedSpot, dtype: str, threads: int, iterations: int) -> dict[str, float]:
        """Time iterations, after a quarter as many that touch the memory and are not counted.

        `seconds` is the median of an iteration, `memory_bytes` the peer's own account.
        """
        asked = {"mode": "time", "iterations": iterations, "warmup": max(2, iterations // 4)}
        said = self._ask(spot, dtype, threads, asked)
        try:
            return {
                "seconds": float(said["seconds_per_iteration"]["median"]),
                "build_seconds": float(said["build_seconds"]),
                "memory_bytes": int(said["memory_usage"]["i16" if dtype == COMPRESSED else "f32"]),
                "uniform_percent": float(said["uniform"]["exploitability_pct"]),
            }
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
