"""An agent's loss to the best response inside its own abstraction, learned for ever longer until it settles.

A response (`learned_response`) is learned on 4,000, 8,000, 16,000, ... boards for each seat. At every doubling it
is played greedily and by regret matching, always on the same boards, and the larger value counts. A doubling that
adds less than 5 mbb/hand to the largest value so far is the last. The response of the largest value then plays
boards that it was not chosen by, all deals of each in both seats: so the figure is no larger for having been
chosen, and its 95 % interval is the usual one. It is a lower bound of what the best response inside the
abstraction wins.

What has been learned is kept in a folder, from which a measurement that was stopped is resumed.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.evaluate.learned_response import PIECE, SEED, WAYS, Responder
from solvent.foundation.errors import InputError
from solvent.foundation.machine import memory_gib
from solvent.foundation.progress import SIZED, TOLD, Progress, Stop, Watch
from solvent.foundation.storage.bundle import read_bundle, write_bundle
from solvent.foundation.storage.files import check_room
from solvent.foundation.units import duration, size
from solvent.play.statistics import Winnings
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.post_processing import NONE, PostProcessing

FIRST = 4_000
MOST = 256_000
VALUED = 12_000
ENOUGH = 5.0
SHARE = 6
"""Divisor of the last value's boards that gives the boards of a value at a doubling."""
TABLES, KEPT_TABLES = 5, 2
"""Tables in memory: the agent's own and its probabilities, the learner's regrets, the best response and the one
being valued; and those on the disk."""
KEEP_SECONDS = 120.0
"""Seconds of learning after which what was learned is written to the folder."""
TRIAL_BOARDS = 20
"""Boards by which the time is estimated."""


@dataclass(frozen=True)
class DoublingSettings:
    """Limits of the learning of a response, and the boards it is valued over."""

    first: int = FIRST
    """Boards for each seat before the first value."""
    most: int = MOST
    """Boards for each seat that are never exceeded: a doubling that would is not begun."""
    valued: int = VALUED
    """Boards of the last value."""
    enough: float = ENOUGH
    """A doubling that adds less than this, in mbb a hand, is the last."""
    seed: int = SEED

    def __post_init__(self) -> None:
        if self.first < 1 or self.most < self.first:
            raise InputError(
                f"a response is learned on one board at least and on up to {self.most:,}, which are to be no fewer "
                f"than the first {self.first:,}"
            )
        if self.valued < 2 * SHARE:
            raise InputError(f"a response is valued over {2 * SHARE} boards at least, not {self.valued}")

    @property
    def valued_each(self) -> int:
        """Boards of a value at a doubling."""
        return self.valued // SHARE


class ResponseDoublings:
    """The measurement of one agent."""

    def __init__(
        self,
        blueprint: Blueprint,
        settings: DoublingSettings | None = None,
        *,
        post: PostProcessing = NONE,
        weight: float | None = None,
        folder: Path | None = None,
        threads: int = 1,
    ) -> None:
        """`folder`: where what was learned is kept until the measurement is done; None keeps nothing.

        See `Responder` for `post` and `weight`.
        """
        self.settings = settings or DoublingSettings()
        check_tables(blueprint.table.nbytes, folder)
        self.responder = Responder(blueprint, post=post, weight=weight, seed=self.settings.seed)
        self.folder, self.threads, self.post = folder, threads, str(post)
        self.best: Blueprint | None = None
        """The response of the largest value so far."""
        self.final: list[Winnings] = []
        """Winnings of that response, part by part of the boards that it was not chosen by."""
        self.found: dict[str, Any] = {"rungs": [], "settled": False, "complete": False}
        """Findings so far, for files."""
        self._kept_at = time.monotonic()
        self._read()

    def run(self, watch: Watch | None = None, stop: Stop | None = None) -> dict[str, Any]:
        """Measure to the end; returns the findings. A stop or an interrupt raises, and what was learned is kept."""
        watch, stop = watch or (lambda now: None), stop or Stop()
        try:
            self._tell_cost(watch, stop)
            while not self.found["settled"] and self._next() <= self.settings.most:
                self._learn(self._next(), watch, stop)
                self._value_rung(watch, stop)
            self._value_best(watch, stop)
        finally:
            if not self.found["complete"]:
                self._write()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        return self.found

    @property
    def rungs(self) -> list[dict[str, Any]]:
        """Winnings of both ways of playing at each doubling, as files have them."""
        rungs: list[dict[str, Any]] = self.found["rungs"]
        return rungs

    def _next(self) -> int:
        """Boards at the next value."""
        return self.settings.first << len(self.rungs)

    def _learn(self, boards: int, watch: Watch, stop: Stop) -> None:
        """Learn until each seat has had `boards`, and keep what was learned now and then."""
        step = max(PIECE, self.settings.first // 4)
        seen = _retold(watch, "learning", boards, "learning a response")
        while self.responder.learned < boards:
            aim = min(boards, self.responder.learned + step)
            self.responder.learn(aim, self.threads, watch=seen, stop=stop)
            if time.monotonic() - self._kept_at > KEEP_SECONDS:
                self._write()

    def _value_rung(self, watch: Watch, stop: Stop) -> None:
        """Value the response in both ways, and see whether it has settled."""
        rung: dict[str, Any] = {"boards": self.responder.learned}
        before = max((self._largest(each)[0] for each in self.rungs), default=None)
        for way in WAYS:
            response = self.responder.response(way)
            won = self._value(response, self.settings.valued_each, 1, f"valuing it {way}", watch, stop)
            rung[way] = {"mbb_per_hand": won.mbb, "mbb_per_hand_95": won.mbb_interval}
            if self.best is None or won.mbb > self.found["chosen_by"]:
                self.best = response
                self.found |= {"boards": rung["boards"], "way": way, "chosen_by": won.mbb}
        self.rungs.append(rung)
        largest, way = self._largest(rung)
        self.found["settled"] = before is not None and largest - before < self.settings.enough
        watch(Progress(TOLD, 0, detail=f"{rung['boards']:,} boards: wins {largest:+.1f} mbb/hand {way}"))
        self._write()

    @staticmethod
    def _largest(rung: dict[str, Any]) -> tuple[float, str]:
        return max((rung[way]["mbb_per_hand"], way) for way in WAYS)

    def _value_best(self, watch: Watch, stop: Stop) -> None:
        """Value the best response over boards that it was not chosen by, in parts that are kept."""
        assert self.best is not None
        parts = -(-self.settings.valued // self.settings.valued_each)
        while len(self.final) < parts:
            what = f"valuing the best, part {len(self.final) + 1} of {parts}"
            part = 2 + len(self.final)
            self.final.append(self._value(self.best, self.settings.valued_each, part, what, watch, stop))
            if len(self.final) < parts:
                self._write()
        won = total(self.final)
        self.found |= {
            "valued": won.pairs,
            "mbb_per_hand": won.mbb,
            "mbb_per_hand_95": won.mbb_interval,
            "complete": True,
        }

    def _value(
        self, response: Blueprint, boards: int, part: int, what: str, watch: Watch, stop: Stop
    ) -> Winnings:
        """Value a response over some boards; `part` numbers them."""
        seed, seen = self.settings.seed + part, _retold(watch, "valuing", boards, what)
        return self.responder.value(response, boards, seed, self.threads, watch=seen, stop=stop)

    def _tell_cost(self, watch: Watch, stop: Stop) -> None:
        """Say how long the measurement takes at least, from the time to learn and value some boards."""
        settings, rungs = self.settings, len(self.rungs)
        watch(Progress("learning", self.responder.learned, detail="compiling and timing"))
        each = self._board_seconds(stop)
        seconds = (settings.valued - settings.valued_each * len(self.final)) * each
        said = (
            f"learning on {settings.first:,} boards for each seat, then twice as many, ..., until a doubling adds "
            f"less than {settings.enough:g} mbb/hand, or up to {settings.most:,}; values over "
            f"{settings.valued_each:,} boards, the last over {settings.valued:,}; "
            f"{size(TABLES * self.responder.blueprint.table.nbytes)} of tables"
        )
        if rungs:
            said += f"; going on after {self.responder.learned:,} boards"
        if self.found["settled"] or self._next() > settings.most:
            said += f". About {duration(seconds)}"
        elif (rate := self._rate(stop)) > 0:
            # Two values are needed to settle, unless no second one is allowed.
            last = max(rungs, 1) if settings.first << max(rungs, 1) <= settings.most else rungs
            ends, values = settings.first << last, 2 * settings.valued_each * each
            seconds += (ends - self.responder.learned) / rate + (1 + last - rungs) * values
            said += f". About {duration(seconds)}"
            if 2 * ends <= settings.most:
                more = duration(ends / rate + values)
                said += (
                    f" if it settles after {ends:,} boards, {more} more if one doubling later, and up to twice "
                    f"that for each further one"
                )
        watch(Progress(SIZED, 0, detail=said))

    def _rate(self, stop: Stop) -> float:
        """Time the boards that each seat learns a second, which count; 0 if there is nothing left to time."""
        for pieces in (1, 4):  # the first compiles
            began, before = time.perf_counter(), self.responder.learned
            self.responder.learn(min(self._next(), before + pieces * PIECE), self.threads, stop=stop)
        return (self.responder.learned - before) / (time.perf_counter() - began)

    def _board_seconds(self, stop: Stop) -> float:
        """Time a board when a response is valued, in seconds."""
        response, boards = self.responder.response(WAYS[0]), min(TRIAL_BOARDS, self.settings.valued_each)
        for timed in (2, boards):  # the first compiles
            began = time.perf_counter()
            self._value(response, timed, 0, "", lambda now: None, stop)
        return (time.perf_counter() - began) / boards

    # What is kept

    def _facts(self) -> dict[str, Any]:
        """Facts that two measurements must share for one to resume the other."""
        blueprint = self.responder.blueprint
        return {
            "measured": {**asdict(self.settings), "agent": blueprint.iterations, "post": self.post},
            "numbers": int(blueprint.table.size),
        }

    def _write(self) -> None:
        """Keep what was learned."""
        self._kept_at = time.monotonic()
        if self.folder is None:
            return
        arrays = {"learner": self.responder.learner.table}
        if self.best is not None:
            arrays["best"] = self.best.table
        facts = {
            **self._facts(),
            "done": self.responder.done,
            "found": self.found,
            "final": [asdict(each) for each in self.final],
        }
        write_bundle(self.folder, arrays, facts)

    def _read(self) -> None:
        """Resume from what was kept, if it is of the same agent and the same settings."""
        if self.folder is None or not self.folder.is_dir():
            return
        arrays, facts = read_bundle(self.folder)
        if any(facts.get(name) != value for name, value in self._facts().items()):
            return
        responder = self.responder
        responder.learner.table[:] = arrays["learner"]
        responder.done[:] = facts["done"]
        self.found, self.final = facts["found"], [Winnings(**each) for each in facts["final"]]
        if "best" in arrays:
            best: NDArray[np.float32] = arrays["best"]
            self.best = Blueprint(responder.blueprint.tree, responder.blueprint.cards, best)


def check_tables(each: int, folder: Path | None) -> None:
    """Refuse tables of `each` bytes that do not fit into this machine's memory or on the disk of the folder."""
    memory = memory_gib() * 2**30
    if TABLES * each > memory:
        raise InputError(
            f"a best response inside the abstraction takes {size(TABLES * each)} of tables, and this machine has "
            f"{size(memory)}"
        )
    if folder is not None:
        check_room(folder, KEPT_TABLES * each)


def _retold(watch: Watch, stage: str, total: int, what: str) -> Watch:
    """Retell progress as part of the measurement."""
    return lambda now: watch(Progress(stage, now.done, total, what, now.unit))


def total(parts: list[Winnings]) -> Winnings:
    """Add up the winnings of all parts."""
    return Winnings(
        sum(part.pairs for part in parts),
        sum(part.won for part in parts),
        sum(part.squares for part in parts),
        parts[0].big_blind,
    )
