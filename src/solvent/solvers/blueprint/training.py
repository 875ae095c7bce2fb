"""Training a blueprint to a time or a number of iterations, within a memory limit, in a folder that survives kills.

train.json       what was asked for: cards, betting, rule, seed, version
checkpoints/N/   the tables after N iterations: the newest two, and two from a quarter and a sixteenth of the way
metrics.jsonl    one line for each look at the progress
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from solvent import __version__
from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.forms.betting import BettingTree, build_tree
from solvent.forms.sampled import table_layout
from solvent.foundation.bundle import read_bundle, read_facts, write_bundle
from solvent.foundation.errors import InputError
from solvent.foundation.files import check_room, held, remove_half_written, write_text
from solvent.foundation.threads import check_threads
from solvent.foundation.units import size
from solvent.games.betting.sizes import BettingAbstraction, parse_betting
from solvent.solvers.blueprint.initial_weights import begin_with_win_rates
from solvent.solvers.blueprint.solver import BlueprintSolver, check_locks
from solvent.solvers.rewards import REWARDS
from solvent.solvers.sampled.history.solver import check_seed
from solvent.strategy.blueprint import TABLE_LAYOUT, Blueprint

ASKED = "train.json"
KEEP = 2
"""Checkpoints that are always kept, the newest."""
OLDER, APART = 2, 4
"""Of the ones before, how many are kept, and about how many times as many iterations the next one has."""
LOOK_SECONDS = 2.0
"""Between two looks at the progress."""
FIRST_PIECE = 2_000
BESIDES = 400 << 20
"""Bytes of interpreter, compiled kernels and the parts of the card tables that are in use."""


@dataclass(frozen=True)
class TrainingDesign:
    """What decides a blueprint."""

    cards: str
    """The folder of a card abstraction."""
    cards_fingerprint: str
    betting: str
    """As `parse_betting` reads it."""
    stack: float | None = None
    """Big blinds; None: as the betting has it."""
    linear: bool = True
    """Whether iteration t counts t."""
    exploration: tuple[float, float] = (0.0, 0.0)
    """The least probability of an action, and by how much it falls each iteration."""
    floor: float = 0.0
    """In big blinds, below 0: actions whose regret, shared out over all iterations, is below it are left out of
    most iterations. A row is visited in few of them, so that -0.01 leaves out much and -1 little. 0: none."""
    reward: str = "y1"
    """y1, y2, y3 or y4: see `rewards`."""
    initial_weights: bool = False
    """Whether to begin with what simulated win rates suggest, instead of with all actions alike."""
    seed: int = 0


@dataclass(frozen=True)
class TrainingCost:
    """What training takes."""

    nodes: int
    rows: int
    infoset_actions: int
    table_bytes: int
    memory: int
    """Bytes in all."""
    disk: int
    """Bytes of the checkpoints that are kept, one being written."""


@dataclass(frozen=True)
class TrainingProgress:
    """How far training has come."""

    iterations: int
    seconds: float
    """Of training, all calls together."""
    rate: float
    """Iterations a second since the look before."""
    rows_touched: int
    rows_rate: float
    regret: float
    """The first decision's greatest positive regret, in mbb a hand."""
    left: float | None
    """Seconds."""


class Training:
    """A blueprint in a folder."""

    def __init__(self, folder: Path, design: TrainingDesign) -> None:
        self.folder, self.design = folder, design
        self.cards = CardAbstraction.load(design.cards)
        if self.cards.fingerprint != design.cards_fingerprint:
            raise InputError(f"{design.cards} is not the card abstraction that {folder} was trained with")
        check_design(design)
        self.tree: BettingTree = build_tree(betting_of(design))

    @classmethod
    def create(cls, folder: Path, design: TrainingDesign) -> Training:
        """A new training in a new or empty folder."""
        if (folder / ASKED).exists():
            raise InputError(
                f"{folder} already holds a training; go on with it by --resume, or choose another"
            )
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} exists and is not an empty folder; choose another")
        return cls(folder, design)

    @classmethod
    def open(cls, folder: Path) -> Training:
        """A training that was begun."""
        try:
            asked = json.loads((folder / ASKED).read_text(encoding="utf-8"))
            given = asked["design"]
            design = TrainingDesign(**{**given, "exploration": tuple(given["exploration"])})
        except FileNotFoundError as error:
            raise InputError(f"{folder} is not a training: it has no {ASKED}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{folder / ASKED} is damaged: {error}") from error
        return cls(folder, design)

    def cost(self) -> TrainingCost:
        """What training takes, before anything is taken."""
        buckets = [clusters * many for clusters, many in self.cards.sizes]
        table = 4 * table_layout(self.tree.bucket_floats, self.cards.sizes).numbers
        river = self.cards.arrays["river_code"].nbytes + self.cards.arrays["turn"].nbytes
        return TrainingCost(
            nodes=len(self.tree),
            rows=self.tree.rows(buckets),
            infoset_actions=self.tree.infoset_actions(buckets),
            table_bytes=table,
            memory=table + 3 * self.tree.nbytes + river + BESIDES,
            disk=(KEEP + OLDER + 1) * table,
        )

    def run(
        self,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        threads: int = 1,
        memory: int = 8 << 30,
        locks: str = "none",
        checkpoint_seconds: float = 180.0,
        watch: Callable[[TrainingProgress], None] | None = None,
    ) -> TrainingProgress:
        """Train until a limit is reached; `seconds` count from this call, `iterations` from the beginning."""
        if seconds is None and iterations is None:
            raise InputError("say how long to train, by minutes or by iterations")
        check_threads(threads)
        cost = self.cost()
        if cost.memory > memory:
            raise InputError(
                f"this training takes {size(cost.memory)}, of which tables {size(cost.table_bytes)}, and --memory "
                f"allows {size(memory)}; take a smaller abstraction or fewer bet sizes"
            )
        check_locks(locks, self.design.floor)
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._held():
            kept = sum(file.stat().st_size for path in self.checkpoints() for file in path.iterdir())
            check_room(self.folder, max(0, cost.disk - kept))
            if not (self.folder / ASKED).exists():
                asked = {"version": __version__, "design": asdict(self.design)}
                write_text(self.folder / ASKED, json.dumps(asked, indent=1))
            return self._run(
                seconds, iterations, threads, locks, checkpoint_seconds, watch or (lambda progress: None)
            )

    def _run(
        self,
        seconds: float | None,
        iterations: int | None,
        threads: int,
        locks: str,
        checkpoint_seconds: float,
        watch: Callable[[TrainingProgress], None],
    ) -> TrainingProgress:
        solver, before = self.load()
        if self.design.initial_weights and solver.iterations == 0:
            begin_with_win_rates(solver.blueprint, threads=threads)
        options = asdict(self.design)
        start = saved = looked = time.monotonic()
        piece, at = FIRST_PIECE, (solver.iterations, solver.touched)
        progress = TrainingProgress(solver.iterations, before, 0.0, solver.touched, 0.0, 0.0, None)

        def save() -> None:
            facts = {
                "iterations": solver.iterations,
                "touched": solver.touched,
                "seconds": progress.seconds,
                "layout": TABLE_LAYOUT,
            }
            self.save(solver, facts)

        try:
            while True:
                now = time.monotonic()
                spent = now - start
                if seconds is not None and spent >= seconds:
                    break
                left = None if iterations is None else iterations - solver.iterations
                if left is not None and left <= 0:
                    break
                begun = time.monotonic()
                solver.run(
                    min(piece, left) if left is not None else piece,
                    threads=threads,
                    seed=options["seed"],
                    linear=options["linear"],
                    exploration=options["exploration"],
                    floor=self.design.floor * self.tree.abstraction.rules.blinds[1],
                    reward=options["reward"],
                    locks=locks,
                )
                took = time.monotonic() - begun
                piece = max(threads, int(piece * min(4.0, max(0.25, LOOK_SECONDS / max(took, 1e-6)))))
                now = time.monotonic()
                made = (solver.iterations - at[0], solver.touched - at[1])
                since = max(now - looked, 1e-9)
                looked, at = now, (solver.iterations, solver.touched)
                rate = made[0] / since
                by_time = None if seconds is None else max(0.0, seconds - (now - start))
                by_count = None if iterations is None else (iterations - solver.iterations) / max(rate, 1e-9)
                progress = TrainingProgress(
                    iterations=solver.iterations,
                    seconds=before + now - start,
                    rate=rate,
                    rows_touched=solver.touched,
                    rows_rate=made[1] / since,
                    regret=self.regret(solver),
                    left=min((t for t in (by_time, by_count) if t is not None), default=None),
                )
                self._note(progress)
                watch(progress)
                if now - saved >= checkpoint_seconds:
                    save()
                    saved = time.monotonic()
        except KeyboardInterrupt:
            save()
            raise
        save()
        return progress

    def load(self, mapped: bool = False) -> tuple[BlueprintSolver, float]:
        """The tables of the newest checkpoint, or empty ones; the seconds they took."""
        found = self.checkpoints()
        if not found:
            return BlueprintSolver(Blueprint(self.tree, self.cards)), 0.0
        tables, facts = read_bundle(found[-1], mapped=mapped)
        if facts.get("layout") != TABLE_LAYOUT:
            raise InputError(f"{found[-1]} was made by another version of solvent; train anew")
        blueprint = Blueprint(self.tree, self.cards, tables["table"], facts["iterations"])
        return BlueprintSolver(blueprint, facts["touched"]), float(facts["seconds"])

    def checkpoints(self) -> list[Path]:
        """Complete checkpoints, oldest first."""
        return sorted(path for path in (self.folder / "checkpoints").glob("[0-9]*") if path.is_dir())

    def facts(self) -> dict[str, Any]:
        """What the newest checkpoint says of itself."""
        found = self.checkpoints()
        return read_facts(found[-1]) if found else {}

    def save(self, solver: BlueprintSolver, facts: dict[str, Any]) -> None:
        """Keep the tables, and drop the oldest."""
        path = self.folder / "checkpoints" / f"{solver.iterations:015d}"
        if path.is_dir() and read_facts(path)["iterations"] == solver.iterations:
            return
        write_bundle(path, {"table": solver.blueprint.table}, facts)
        for old in superseded(self.checkpoints()):
            shutil.rmtree(old, ignore_errors=True)

    def regret(self, solver: BlueprintSolver) -> float:
        """The first decision's greatest positive regret a hand, summed over all hole cards, in mbb."""
        weight = solver.iterations
        if self.design.linear:
            weight = weight * (weight + 1) // 2
        blueprint = solver.blueprint
        head = blueprint.table[: blueprint.layout.head].reshape(169, -1)
        first = int(self.tree.row[0])
        rows = head[:, first : first + len(self.tree.actions(0))]
        best = np.maximum(rows.max(axis=1), 0.0)
        return float(best.sum()) / max(weight, 1) / self.tree.abstraction.rules.blinds[1] * 1000

    def _note(self, progress: TrainingProgress) -> None:
        try:
            with (self.folder / "metrics.jsonl").open("a+b") as file:
                end = file.seek(0, 2)
                file.seek(max(0, end - 1))
                broken = end > 0 and file.read(1) != b"\n"  # a line that a kill has cut off
                file.write(b"\n" * broken + json.dumps(asdict(progress)).encode() + b"\n")
        except OSError as error:
            raise InputError(f"cannot write in {self.folder}: {error.strerror or error}") from error

    @contextmanager
    def _held(self) -> Iterator[None]:
        with held(self.folder):
            for folder in (self.folder, self.folder / "checkpoints"):
                remove_half_written(folder)
            yield


def betting_of(design: TrainingDesign) -> BettingAbstraction:
    """The bets of a design, with its stacks."""
    betting = parse_betting(design.betting)
    return betting if design.stack is None else betting.with_stack(design.stack)


def check_design(design: TrainingDesign) -> None:
    """Refuse what cannot be trained, before anything is made."""
    if not isinstance(design.betting, str) or not isinstance(design.floor, int | float):
        raise InputError("a training's betting is text and its regret floor a number")
    if design.reward not in REWARDS:
        raise InputError(f"rewards are {', '.join(REWARDS)}, not {design.reward!r}")
    if not -np.inf < design.floor <= 0:
        raise InputError(f"a regret floor is a finite number of big blinds, at most 0, not {design.floor}")
    check_seed(design.seed)
    betting_of(design)


def superseded(checkpoints: Sequence[Path]) -> list[Path]:
    """Which checkpoints, oldest first and named by their iterations, need not be kept.

    Iterations fall into spans, each `APART` times as long as the one before; the last of an earlier span is kept.
    """

    def span(path: Path) -> int:
        return int(math.log(max(1, int(path.name)), APART) + 1e-9)

    now = span(checkpoints[-1])
    last_of = {span(path): path for path in checkpoints}
    kept = [last_of[each] for each in range(now - OLDER, now) if each in last_of]
    return [path for path in checkpoints[:-KEEP] if path not in kept]
