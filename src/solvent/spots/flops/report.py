"""A spot solved on many flops: how often a player takes each action, EVs and equities, by flop and texture.

    report = flop_report(spot, flops, SpotSettings(until="0.5%", threads=2), run)
    report.mean, report.by_texture(), report.rows

A report is of one decision on the flop: the first, or the one after a line, such as `check` for what IP does then.
Each flop is solved on its own by `solve_spot`, several at a time, and counts by its weight. Results do not
depend on the number of threads. In a run of kind "report" every flop that is done is a line of `metrics.jsonl`: a
report that was killed loses the flops under way and ends, resumed, with the same numbers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from solvent.cards.deck import parse_cards
from solvent.cards.ranges import parse_range
from solvent.forms.holdem.game import holdem_game
from solvent.forms.holdem.sizing import HoldemSize, holdem_size
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import SIZED, Held, Progress, Stop, Watch
from solvent.foundation.storage.run import Run
from solvent.foundation.units import parse_whole, size, span
from solvent.games.holdem.spot import NAMES, Spot
from solvent.spots.cost import check_memory, needed_bytes
from solvent.spots.flops.choice import WeightedFlop, all_flops, medoid_flops, read_flops
from solvent.spots.flops.texture import FlopTexture, flop_texture, texture_values
from solvent.spots.nodes.lines import find_place
from solvent.spots.nodes.solution import SpotSolution
from solvent.spots.run import COMPILING_KERNELS, SpotResult, solve_spot
from solvent.spots.settings import SpotSettings

KIND = "report"
FLOPS, WEIGHTS, LINE = "flops", "weights", "line"
"""Names in a run's configuration, beside the parameters of the spot and the options of the solve."""
FIRST_FLOP, SOLVING_FLOPS = "solving one flop", "solving flops"
WARMING = {"board": "2c2d2h", "oop": "AA", "ip": "KK", "pot": 2, "stack": 2, "bets": "a"}
"""A small flop on which all kernels are compiled, so that the time of the first flop is the time of a flop."""
ADJUSTABLE = ("threads", "memory")
"""Options that change no number of a report."""


@dataclass(frozen=True)
class FlopResult:
    """Result of a solve on one flop. Pairs are of OOP and IP."""

    flop: str
    weight: float
    """Chance of the flop or those that it represents; the weights of all flops of a report sum to 1."""
    reach: float
    """Chance that the decision is reached; 1 at the first."""
    actions: Mapping[str, float]
    """Frequency of each action of the decision, over all hands; NaN where it is not reached."""
    ev: tuple[float, float]
    """Share of each player in the pot at the decision, in chips."""
    equity: tuple[float, float]
    exploitability_percent: float
    iterations: int
    seconds: float

    @property
    def texture(self) -> FlopTexture:
        return flop_texture(parse_cards(self.flop))


@dataclass(frozen=True)
class FlopMean:
    """Means over some flops of a report. Pairs are of OOP and IP.

    A flop counts by `FlopReport.share`: how often it comes, times how often play reaches the decision on it.
    """

    flops: int
    share: float
    """Share of these flops in the mean over all that are solved; 0 where the decision is never reached."""
    weight: float
    """Chance of these flops among all that are solved."""
    reach: float
    """Chance that the decision is reached on them."""
    actions: Mapping[str, float]
    ev: tuple[float, float]
    equity: tuple[float, float]


@dataclass(frozen=True)
class FlopReport:
    """A spot on the flops that have been solved so far, in the order in which they were asked for."""

    spot: Mapping[str, Any]
    settings: SpotSettings
    rows: tuple[FlopResult, ...]
    wanted: int
    """Flops that were asked for."""
    line: str
    """The line to the decision, empty for the first."""
    player: int
    """Player to act there: 0 for OOP, 1 for IP."""
    unsaved: str | None = None
    """The flops that the run lacks, and why: a full disk ends no report."""

    @property
    def pot(self) -> int:
        return int(self.spot["pot"])

    @property
    def mean(self) -> FlopMean:
        """Weighted means over all flops that have been solved."""
        return self._mean(self.rows)

    def share(self, row: FlopResult) -> float:
        """Weigh a flop in the mean over all that are solved: weight times reach, divided by their sum."""
        return _count(row) / self._total if self._total > 0 else 0.0

    @cached_property
    def _total(self) -> float:
        return math.fsum(_count(row) for row in self.rows)

    def by_texture(self) -> dict[str, dict[str, FlopMean]]:
        """Take weighted means by the values of each field of textures; values that no flop has are left out."""
        found: dict[str, dict[str, FlopMean]] = {}
        for field, values in texture_values().items():
            same = {
                value: [row for row in self.rows if getattr(row.texture, field) == value] for value in values
            }
            found[field] = {value: self._mean(rows) for value, rows in same.items() if rows}
        return found

    def _mean(self, rows: Sequence[FlopResult]) -> FlopMean:
        if not rows:
            raise InputError("no flop of the report has been solved yet")
        weight = math.fsum(row.weight for row in rows)
        counts = [_count(row) for row in rows]
        total = math.fsum(counts)

        def mean(values: Sequence[float]) -> float:
            if total == 0:
                return math.nan
            reached = [(count, value) for count, value in zip(counts, values, strict=True) if count > 0]
            return math.fsum(count * value for count, value in reached) / total

        return FlopMean(
            flops=len(rows),
            share=math.fsum(self.share(row) for row in rows),
            weight=weight / math.fsum(row.weight for row in self.rows),
            reach=total / weight,
            actions={name: mean([row.actions[name] for row in rows]) for name in rows[0].actions},
            ev=(mean([row.ev[0] for row in rows]), mean([row.ev[1] for row in rows])),
            equity=(mean([row.equity[0] for row in rows]), mean([row.equity[1] for row in rows])),
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        textures = self.by_texture() if self.rows else {}
        return {
            "flops_wanted": self.wanted,
            "flops_solved": len(self.rows),
            "mean": _plain(self.mean) if self.rows else None,
            "textures": {
                field: {value: _plain(mean) for value, mean in means.items()}
                for field, means in textures.items()
            },
            "flops": [
                {**_plain(row), "share": self.share(row), "texture": _plain(row.texture)} for row in self.rows
            ],
            "means_weighted_by": "share: weight (how often a flop comes) x reach (how often it is played to)",
            "spot": {name: value for name, value in self.spot.items() if value is not None},
            "settings": self.settings.as_json(),
            "unsaved": self.unsaved,
            "line": self.line,
            "player": NAMES[self.player],
        }


def new_report(
    folder: str | Path,
    spot: Mapping[str, Any],
    flops: Sequence[WeightedFlop],
    settings: SpotSettings,
    line: str = "",
) -> Run:
    """Begin a run for a report; `spot` has the parameters of a `Spot` by name, but for the board."""
    check_report(spot, flops, settings, line)
    asked = settings.as_json()
    fixed = {**spot, **{name: value for name, value in asked.items() if name not in ADJUSTABLE}}
    fixed |= {FLOPS: [flop.label for flop in flops], WEIGHTS: [flop.weight for flop in flops], LINE: line}
    return Run.create(folder, KIND, fixed, {name: asked[name] for name in ADJUSTABLE})


def check_report(
    spot: Mapping[str, Any], flops: Sequence[WeightedFlop], settings: SpotSettings, line: str = ""
) -> None:
    """Refuse what cannot be solved: a spot without actions, a flop that does not fit into memory, a time limit."""
    if settings.time is not None:
        raise InputError("the flops of a report are solved to --until or --iterations, not for a time")
    work = _ReportWork(spot, flops, settings, None, line, lambda progress: None, Stop())
    check_memory(work.largest, settings)
    _decision(spot, flops[0], line)


def resumed_report(
    run: Run, changes: Mapping[str, Any]
) -> tuple[dict[str, Any], list[WeightedFlop], SpotSettings, str]:
    """Read the spot, flops, settings and line of a resumed report; `changes` may be of threads and memory."""
    checked = SpotSettings.of(changes).as_json()
    run.configure({name: checked[name] for name in changes})
    asked = run.configuration
    flops = [
        WeightedFlop(parse_cards(flop), weight)
        for flop, weight in zip(asked.pop(FLOPS), asked.pop(WEIGHTS), strict=True)
    ]
    line = asked.pop(LINE)
    options = {each.name: asked.pop(each.name) for each in fields(SpotSettings) if each.name in asked}
    return asked, flops, SpotSettings.of(options), line


def flop_report(
    spot: Mapping[str, Any],
    flops: Sequence[WeightedFlop],
    settings: SpotSettings,
    run: Run | None = None,
    line: str = "",
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> FlopReport:
    """Solve a spot on these flops; those that the run has are not solved again.

    settings.threads are those of all solves together, settings.memory what they may take at a time. A requested
    stop ends the report with the flops that are done; Ctrl-C raises `Interrupted` with them as its result. One flop
    is solved first, for the time that all will take.
    """
    line, player = _decision(spot, flops[0], line)
    work = _ReportWork(spot, flops, settings, run, line, watch or (lambda progress: None), stop or Stop())
    held = Held(work.stop)
    with held:
        work.solve_all()
    rows = tuple(work.done[flop.label] for flop in flops if flop.label in work.done)
    return held.result(FlopReport(dict(spot), settings, rows, len(flops), line, player, work.unsaved))


def _decision(spot: Mapping[str, Any], flop: WeightedFlop, line: str) -> tuple[str, int]:
    """Spell a line as the tree names it, and find who acts after it on the flop."""
    if not line.strip():
        return "", 0
    game = holdem_game(Spot(**{**spot, "board": flop.label}))
    place = find_place(game, line)
    if game.tree.kind[place.node] != DECISION or game.tree.street[place.node] != 0:
        raise InputError(f"a report is of a decision on the flop, which {line!r} does not lead to")
    return place.line, int(game.tree.player[place.node])


class _ReportWork:
    """The flops of a report, done and to do."""

    def __init__(
        self,
        spot: Mapping[str, Any],
        flops: Sequence[WeightedFlop],
        settings: SpotSettings,
        run: Run | None,
        line: str,
        watch: Watch,
        stop: Stop,
    ) -> None:
        self.spot, self.flops, self.settings, self.run = spot, flops, settings, run
        self.line, self.watch, self.stop, self.writing = line, watch, stop, Lock()
        self.cut = Stop(stop)
        """Ends the solves under way: requested with `stop`, and by an interrupt."""
        known = {flop.label for flop in flops}
        rows = [_read_row(row) for row in (run.metrics() if run is not None else [])]
        self.done = {row.flop: row for row in rows if row.flop in known}
        self.unwritten: list[dict[str, Any]] = []
        self.unsaved: str | None = None
        self.sizes: dict[tuple[str, str], HoldemSize] = {}

    @property
    def left(self) -> list[WeightedFlop]:
        return [flop for flop in self.flops if flop.label not in self.done]

    @property
    def largest(self) -> HoldemSize:
        return max((self.size_on(flop) for flop in self.flops), key=lambda each: each.cells)

    def solve_all(self) -> None:
        if not self.left:
            return
        largest = self.largest
        check_memory(largest, self.settings)
        fitting = max(1, self.settings.memory // needed_bytes(largest, self.settings.dtype))
        at_once = min(self.settings.threads, fitting)
        threads = self.settings.threads // at_once
        self.watch(Progress(COMPILING_KERNELS, 0))
        solve_spot(WARMING, replace(self.settings, iterations=1, until=None, threads=1))
        self.stop.check()
        if not self.done:
            self.watch(Progress(FIRST_FLOP, 0))
            self.solve(self.left[0], threads)
            self.stop.check()
        self.watch(Progress(SIZED, 0, detail=self.cost(largest, at_once)))
        left, before = self.left, len(self.done)

        def tell(now: Progress) -> None:
            self.watch(Progress(SOLVING_FLOPS, before + now.done, len(self.flops), unit="flops"))

        def work(start: int, end: int, _: None) -> None:
            for flop in left[start:end]:
                self.solve(flop, threads)

        in_pieces(work, len(left), 1, [None] * at_once, watch=tell, stop=self.stop, cut=self.cut.request)

    def solve(self, flop: WeightedFlop, threads: int) -> None:
        """Solve on one flop and note the result; one that a stop cut off is forgotten."""
        began = time.perf_counter()
        settings = replace(self.settings, threads=threads)
        found = solve_spot({**self.spot, "board": flop.label}, settings, stop=self.cut)
        if found.stopped_by == "interrupt":
            return
        row = {
            "flop": flop.label,
            "weight": flop.weight,
            **self.asked(found),
            "exploitability_percent": found.exploitability_percent,
            "iterations": found.iterations,
            "seconds": time.perf_counter() - began,
        }
        with self.writing:
            self.done[flop.label] = _read_row(row)
            self.unwritten.append(row)
            self.write()

    def write(self) -> None:
        """Note the flops that the run does not have yet; a full disk ends no report, and is tried again."""
        try:
            while self.unwritten and self.run is not None:
                self.run.add_metric(self.unwritten[0])
                del self.unwritten[0]
            self.unsaved = None
        except InputError as error:
            flops = f"{len(self.unwritten):,} flop{'s' * (len(self.unwritten) > 1)}"
            self.unsaved = f"{error}; the run lacks {flops}"

    def asked(self, found: SpotResult) -> dict[str, Any]:
        """Read the report's decision from a solve."""
        if not self.line:
            return {"reach": 1.0, "actions": found.root_actions, "ev": found.ev, "equity": found.equity}
        solution = SpotSolution(found.solver)
        node = solution.at(self.line)
        return {
            "reach": float(node.matchups[0].sum() / solution.root.matchups[0].sum()),
            "actions": node.frequencies,
            "ev": [node.average(player, node.ev[player]) for player in (0, 1)],
            "equity": [node.average(player, node.equity[player]) for player in (0, 1)],
        }

    def cost(self, largest: HoldemSize, at_once: int) -> str:
        """Say how long the report will take, from the flops that are done."""
        cells = sum(self.size_on(flop).cells for flop in self.flops if flop.label in self.done)
        a_cell = math.fsum(row.seconds for row in self.done.values()) / cells
        ahead = [a_cell * self.size_on(flop).cells for flop in self.left]
        nodes = ", ".join(
            f"{decisions:,} on {boards:,} board{'s' * (boards > 1)}"
            for decisions, boards in zip(largest.decisions, largest.boards, strict=False)
        )
        memory = size(at_once * needed_bytes(largest, self.settings.dtype))
        each, left = "", 0.0
        if ahead:
            each = f", about {span(math.fsum(ahead) / len(ahead))} each"
            left = max(math.fsum(ahead) / at_once, *ahead)
        return (
            f"{len(self.flops):,} flops, {len(self.done):,} of them done{each}, {at_once} at a time, up to "
            f"{memory} together: about {span(left)} to go; decision nodes of "
            f"the largest: {nodes}"
        )

    def size_on(self, flop: WeightedFlop) -> HoldemSize:
        """Compute the size of the spot on a flop, or take that of a flop of the same pattern of suits and ranks.

        Only the number of hands that the board leaves may differ a little.
        """
        texture = flop_texture(flop.cards)
        suits = tuple(card % 4 for card in flop.cards)
        pattern = texture.pairing, str([suits.index(suit) for suit in suits])
        if pattern not in self.sizes:
            rules = Spot(**{**self.spot, "board": flop.label})
            self.sizes[pattern] = holdem_size(rules, self.settings.isomorphism == "on")
        return self.sizes[pattern]


def _count(row: FlopResult) -> float:
    """Chance that a flop comes and that play reaches the decision on it."""
    return row.weight * row.reach


def _read_row(row: Mapping[str, Any]) -> FlopResult:
    pairs = {name: (float(row[name][0]), float(row[name][1])) for name in ("ev", "equity")}
    return FlopResult(**{**row, **pairs})


def _plain(record: FlopResult | FlopMean | FlopTexture) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in asdict(record).items()
    }


def requested_flops(
    flops: str, spot: Mapping[str, Any], settings: SpotSettings, line: str, watch: Watch, stop: Stop
) -> list[WeightedFlop]:
    """The flops that a text names: a number of flops to choose, `all`, or a file.

    Before flops are chosen, which takes a while, the report is checked on one of them.
    """
    ranges = parse_range(spot["oop"]), parse_range(spot["ip"])
    if flops == "all":
        return all_flops(*ranges)
    if (count := parse_whole(flops)) is not None:
        check_report(spot, all_flops(*ranges)[:1], settings, line)
        return medoid_flops(*ranges, count, settings.threads, watch, stop)
    return read_flops(flops, *ranges)
