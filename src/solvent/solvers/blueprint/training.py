"""Training a blueprint: from cards and betting to a run folder with an agent in it.

train(cards="abstractions/tiny", betting="fcpa", time="5m", out="runs/agent")
train(resume="runs/agent", time="30m")

A training is a run like a solve: the same session drives it, and `solvent.foundation.storage.run` keeps it. Its
checkpoints are the newest two and, to compare with, ones from about a quarter and a sixteenth of the way.

Rules: cfr and lcfr weigh iterations as they are sampled. A rule that discounts, dcfr(a,b,g), would have to
touch the whole table in each iteration; instead the run is divided into 100 equal parts, and the whole table is
discounted at the end of each, with the number of the part for the rule's t (Brown and Sandholm 2019, section
6).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.abstraction.cards.find import find_cards, noted_paths
from solvent.forms.betting import BettingTree, build_tree
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.html import facts_html
from solvent.foundation.progress import SIZED, Progress, Stop, Watch, interruptible
from solvent.foundation.storage.files import check_room
from solvent.foundation.storage.run import Retention, Run
from solvent.foundation.units import size, span
from solvent.solvers.blueprint.discounting import discount
from solvent.solvers.blueprint.initial_weights import begin_with_win_rates
from solvent.solvers.blueprint.solver import BlueprintSolver
from solvent.solvers.rules import RegretRule
from solvent.solvers.sampled.options import DECAY
from solvent.solvers.session import Limits, Session
from solvent.solvers.settings import TrainingSettings
from solvent.solvers.solver import compile_seconds
from solvent.strategy.agents.blueprint import TABLE_LAYOUT, Blueprint
from solvent.strategy.agents.training_run import betting_of

PARTS = 100
"""Parts of a run at whose ends a rule that discounts is applied to the whole table."""
CHUNK_SECONDS = 1.0
"""How long a compiled call may keep Ctrl-C, the clock and the progress display waiting."""
KEPT_CHECKPOINTS = Retention(newest=2, older=2, apart=4)
BESIDES = 400 << 20
"""Bytes of interpreter, compiled kernels and the parts of the card tables that are in use."""
TRAINING, COMPILING, WIN_RATES = "training", "compiling kernels", "simulating win rates"


@dataclass(frozen=True)
class TrainingCost:
    """What a training takes."""

    nodes: int
    rows: int
    infoset_actions: int
    table_bytes: int
    memory: int
    """Bytes in all."""
    disk: int
    """Bytes of the checkpoints that are kept, one being written."""

    def __str__(self) -> str:
        return (
            f"{self.nodes:,} betting nodes, {self.rows:,} rows, {self.infoset_actions:,} infoset-actions: "
            f"tables of {size(self.table_bytes)}, {size(self.memory)} of memory in all, "
            f"up to {size(self.disk)} on the disk"
        )


@dataclass(frozen=True)
class TrainingResult:
    """What a training reached. `as_dict` is what `--json` prints."""

    folder: Path
    settings: TrainingSettings
    cost: TrainingCost
    iterations: int
    seconds: float
    """Seconds of training in all, compiling and checkpoints apart."""
    compile_seconds: float
    rate: float
    """Iterations a second, over all of the training."""
    rows_touched: int
    rows_rate: float
    """Rows touched a second, over all of the training."""
    regret: float
    """The first decision's greatest positive regret, in mbb a hand."""
    stopped_by: str
    """iterations, time or interrupt"""

    def summary(self) -> dict[str, str]:
        """The most important facts in words, by their names."""
        return {
            "iterations": f"{self.iterations:,} (stopped by {self.stopped_by})",
            "time": f"{span(self.seconds)} (and {span(self.compile_seconds)} for kernels)",
            "rows touched": f"{self.rows_touched:,}, {self.rows_rate / 1e6:.1f} million a second",
            "regret of the first decision": f"{self.regret:.1f} mbb",
        }

    def _repr_html_(self) -> str:
        return facts_html(str(self.folder), self.summary())

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "cost"}
        return {
            **facts,
            **asdict(self.cost),
            "folder": str(self.folder),
            "settings": self.settings.as_json(),
        }


class Training:
    """The tables of a blueprint under training, as a session drives them."""

    first_check = 1_000
    check_growth = 1.1

    def __init__(
        self,
        tree: BettingTree,
        cards: CardAbstraction,
        settings: TrainingSettings,
        parts: Parts | None = None,
    ) -> None:
        """`parts` is the length of a run whose rule discounts."""
        self.tree, self.cards, self.settings, self.parts = tree, cards, settings, parts
        self.solver = BlueprintSolver(Blueprint(tree, cards))
        self.parts_done = 0
        """Parts of the run at whose end the table has been discounted."""
        self.weight = 0.0
        """The sum of the iterations' weights, faded as regrets fade."""
        self.seconds = 0.0
        """Seconds of training so far, by which parts of a time end."""

    @property
    def iterations(self) -> int:
        return self.solver.iterations

    @property
    def chunk_seconds(self) -> float:
        length = None if self.parts is None else self.parts.time
        return CHUNK_SECONDS if length is None else min(CHUNK_SECONDS, length / PARTS / 4)

    def begin(self) -> None:
        """Set what a new training starts from: zeros, or small regrets from simulated win rates."""
        if self.settings.initial_weights:
            begin_with_win_rates(self.solver.blueprint, threads=self.settings.threads)

    def warm_up(self) -> None:
        """Have the kernels compiled that training needs, by iterations and discounts that change nothing."""
        self._iterate(0)
        if self.parts is not None:
            discount(self.solver.blueprint, 1.0, 1.0, 1.0)

    def run(self, iterations: int) -> None:
        """Run so many more iterations, and discount the table wherever a part of the run ends."""
        target = self.iterations + iterations
        while self.iterations < target:
            start, before = time.perf_counter(), self.iterations
            end = target if self.parts is None else min(target, self.parts.end_of(self.parts_done) or target)
            self._iterate(end - before)
            self.weight += _weights(before, self.iterations, self.settings.rule.linear)
            now = self.seconds + time.perf_counter() - start
            while self.parts is not None and self.parts.is_over(self.parts_done, self.iterations, now):
                self._end_part()
            self.seconds += time.perf_counter() - start

    def _iterate(self, iterations: int) -> None:
        settings = self.settings
        self.solver.run(
            iterations,
            threads=settings.threads,
            seed=settings.seed,
            linear=settings.rule.linear,
            exploration=DECAY if settings.exploration_decay else (0.0, 0.0),
            floor=-settings.regret_floor * self.tree.abstraction.rules.blinds[1],
            reward=settings.reward,
            locks=settings.locks,
        )

    def _end_part(self) -> None:
        """Discount the whole table as the rule does after iteration t, the number of the part."""
        self.parts_done += 1
        part, power = self.parts_done, self.settings.rule.average_power or 0.0
        weights = self.settings.rule.weights(part)
        # The average counts by t^p: what came before part t + 1 keeps (t / (t + 1))^p of its weight beside it.
        keep = weights.keep * (part / (part + 1)) ** power
        discount(self.solver.blueprint, weights.positive, weights.negative, keep, self.settings.threads)
        self.weight *= weights.positive

    def regret(self) -> float:
        """The first decision's greatest positive regret a hand, summed over all hole cards, in mbb."""
        blueprint = self.solver.blueprint
        head = blueprint.table[: blueprint.layout.head].reshape(169, -1)
        first = int(self.tree.row[0])
        rows = head[:, first : first + len(self.tree.actions(0))]
        best = np.maximum(rows.max(axis=1), 0.0)
        return float(best.sum()) / max(self.weight, 1.0) / self.tree.abstraction.rules.blinds[1] * 1000

    # What a session asks for

    def measure(self) -> dict[str, Any]:
        return {"rows_touched": self.solver.touched, "regret": self.regret()}

    def describe(self) -> str:
        return (
            f"{self.iterations:,} iterations, {self.solver.touched / 1e6:,.0f}M rows, "
            f"regret {self.regret():.1f} mbb"
        )

    def facts(self) -> dict[str, Any]:
        return {
            "touched": self.solver.touched,
            "layout": TABLE_LAYOUT,
            "parts_done": self.parts_done,
            "weight": self.weight,
            "rule": str(self.settings.rule),
        }

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        return {"table": self.solver.blueprint.table}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        table = tables["table"]
        if table.dtype != np.float32:
            raise ValueError("table")
        self.solver = BlueprintSolver(Blueprint(self.tree, self.cards, table))

    def restore(self, facts: Mapping[str, Any]) -> None:
        if facts["layout"] != TABLE_LAYOUT:
            raise InputError("these tables were made by another version of solvent; train anew")
        self.solver.blueprint.iterations, self.solver.touched = facts["iterations"], facts["touched"]
        self.parts_done, self.weight = facts["parts_done"], facts["weight"]
        self.seconds = facts["seconds"]


@dataclass(frozen=True)
class Parts:
    """The equal parts of a run, a hundredth of its first length each; a longer run has more of them."""

    iterations: int | None
    """The length in iterations."""
    time: float | None
    """The length in seconds, where there is no length in iterations."""

    def end_of(self, done: int) -> int | None:
        """The iteration at which the part after `done` parts ends; None where parts are of time."""
        return None if self.iterations is None else (done + 1) * self.iterations // PARTS

    def is_over(self, done: int, iterations: int, seconds: float) -> bool:
        """Whether the part after `done` parts has ended."""
        if self.iterations is not None:
            return iterations >= (done + 1) * self.iterations // PARTS
        return self.time is not None and seconds >= (done + 1) * self.time / PARTS


def train(
    cards: str | Path | None = None,
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
    saved: Callable[[Run, Blueprint], None] | None = None,
    **options: Any,
) -> TrainingResult:
    """Train a heads-up no-limit hold'em blueprint by Monte Carlo CFR.

    `cards` is the folder of a card abstraction, and `out` the new folder to save the training in. `resume` names an
    earlier training's folder instead: `cards` is then needed only if they have moved. `options` are those of
    `solvent.solvers.settings.TrainingSettings`, such as `betting`, `rule`, `iterations` and `time`; `iterations`
    count from the beginning, `time` from this call.

    `watch` is called with each `Progress`, and `saved` after each checkpoint while the training goes on, with the
    run and its tables, which are still being trained and must not be changed. Ctrl-C, SIGTERM or, from any thread,
    `stop.request()` end the training with a checkpoint.
    """
    given = {name: value for name, value in options.items() if value is not None}
    asked = TrainingSettings.of(given)
    check_training(asked)
    if out is not None and resume is not None:
        raise InputError("give a new folder with out or an old one with resume, not both")
    watch, stop = watch or (lambda progress: None), stop or Stop()
    if resume is not None:
        run = Run.open(resume, "training")
        settings = TrainingSettings.resumed(run.configuration, given, str(run.folder))
        found = find_cards(run, cards)
        as_before = not Limits.of(asked).given
    else:
        if out is None:
            raise InputError("say by --out which folder to save the training in")
        if cards is None:
            raise InputError("say which cards to train with")
        settings, as_before, found = asked, False, CardAbstraction.load(cards)
        Run.check_new(out)
    if not Limits.of(settings).given:
        raise InputError("say how long to train, by --time or by --iterations")
    tree = build_tree(betting_of(settings.betting, settings.stack))
    cost = training_cost(tree, found)
    _check_memory(cost, settings.memory)
    if resume is None:
        assert out is not None
        assert cards is not None
        check_room(Path(out), cost.disk)
        run = _new_run(Path(out), Path(cards), found, settings)
    watch(Progress(SIZED, 0, detail=str(cost)))
    with run.locked():
        kept = sum(file.stat().st_size for n in run.checkpoints() for file in run.checkpoint(n).iterdir())
        check_room(run.folder, max(0, cost.disk - kept))
        training = Training(tree, found, settings, _parts(run))
        after = None if saved is None else lambda run: saved(run, training.solver.blueprint)
        session = Session(
            TRAINING, training, Limits.of(settings), run, settings.checkpoint_every, watch, stop, after
        )
        return _train(session, training, settings, cost, as_before)


def _train(
    session: Session, training: Training, settings: TrainingSettings, cost: TrainingCost, as_before: bool
) -> TrainingResult:
    run, watch = session.run, session.watch
    assert run is not None
    watch(Progress(COMPILING, 0))
    compiling = compile_seconds(training)
    with interruptible(session.stop):
        if run.checkpoints():
            session.resume(as_before)
        else:
            watch(Progress(WIN_RATES if settings.initial_weights else TRAINING, 0))
            training.begin()
        stopped_by = session.loop()
    seconds = max(session.seconds, 1e-9)
    return TrainingResult(
        folder=run.folder,
        settings=settings,
        cost=cost,
        iterations=training.iterations,
        seconds=session.seconds,
        compile_seconds=compiling,
        rate=training.iterations / seconds,
        rows_touched=training.solver.touched,
        rows_rate=training.solver.touched / seconds,
        regret=training.regret(),
        stopped_by=stopped_by,
    )


def check_training(settings: TrainingSettings) -> None:
    """Refuse what cannot be trained, before anything is made."""
    check_rule(settings.rule)
    if settings.rule.discounts:
        if settings.regret_floor:
            raise InputError(f"a regret floor goes with rules cfr and lcfr, not with {settings.rule}")
        if settings.iterations is not None and settings.iterations < PARTS:
            raise InputError(
                f"{settings.rule} is applied at the end of each of {PARTS} parts of the run: give at least {PARTS} "
                f"iterations, not {settings.iterations}"
            )
    betting_of(settings.betting, settings.stack)


def check_rule(rule: RegretRule) -> None:
    """Refuse a rule that neither weighs iterations nor discounts a table from time to time."""
    if rule.additive:
        return
    if rule.floors or rule.predictive or not rule.discounts or rule.average_power is None:
        raise InputError(
            f"training touches few rows in an iteration, so that it cannot cut or predict the regrets of all: give "
            f"rule cfr, lcfr or dcfr(a,b,g); {rule} cannot be trained with"
        )


def training_cost(tree: BettingTree, cards: CardAbstraction) -> TrainingCost:
    """What a training takes, before anything is taken."""
    buckets = [clusters * many for clusters, many in cards.sizes]
    table = 4 * table_layout(tree.bucket_floats, cards.sizes).numbers
    river = cards.arrays["river_code"].nbytes + cards.arrays["turn"].nbytes
    return TrainingCost(
        nodes=len(tree),
        rows=tree.rows(buckets),
        infoset_actions=tree.infoset_actions(buckets),
        table_bytes=table,
        memory=table + 3 * tree.nbytes + river + BESIDES,
        disk=(KEPT_CHECKPOINTS.newest + KEPT_CHECKPOINTS.older + 1) * table,
    )


def _check_memory(cost: TrainingCost, memory: int) -> None:
    if cost.memory > memory:
        raise InputError(
            f"this training takes {size(cost.memory)}, of which tables {size(cost.table_bytes)}, and --memory "
            f"allows {size(memory)}; take a smaller abstraction or fewer bet sizes"
        )


def _new_run(out: Path, cards: Path, found: CardAbstraction, settings: TrainingSettings) -> Run:
    """Begin the run of a training. It notes where its cards are, so that both can move together."""
    asked = replace(settings, betting=_betting_text(settings.betting)).as_json()
    kept = {name: asked.pop(name) for name in TrainingSettings.kept() if name in asked}
    length: dict[str, Any] = {}
    if settings.rule.discounts:
        length = {"length": settings.iterations} if settings.iterations else {"length_seconds": settings.time}
    fixed = {**kept, "cards_fingerprint": found.fingerprint, **length}
    adjustable = {**asked, "cards": noted_paths(cards, out)}
    return Run.create(out, "training", fixed, adjustable, retention=KEPT_CHECKPOINTS)


def _parts(run: Run) -> Parts | None:
    """The parts of a run whose rule discounts."""
    length, seconds = run.fixed.get("length"), run.fixed.get("length_seconds")
    return None if length is None and seconds is None else Parts(length, seconds)


def _betting_text(betting: str) -> str:
    """Bet sizes as text that needs no file: a TOML file's settings in one line."""
    if not betting.endswith(".toml"):
        return betting
    import tomllib

    betting_of(betting, None)  # refused here if it cannot be read
    settings = tomllib.loads(Path(betting).read_text(encoding="utf-8"))
    parts = (
        f"{key}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in settings.items()
    )
    text = "; ".join(parts)
    same = betting_of(text, None) == betting_of(betting, None) if settings else False
    return text if same else os.path.abspath(betting)


def _weights(before: int, after: int, linear: bool) -> float:
    """The sum of the weights of the iterations after `before`, up to `after`."""
    if not linear:
        return float(after - before)
    return float(after * (after + 1) // 2 - before * (before + 1) // 2)


def train_to(folder: Path, cards: Path, design: TrainingSettings, seconds: float, threads: int) -> int:
    """Train in a folder, new or not, until it has had `seconds` of training in all; return its iterations."""
    if not Run.is_run(folder):
        asked = design.as_json() | {"time": seconds, "threads": threads}
        return train(cards, out=folder, **asked).iterations
    facts = Run.open(folder, "training").facts()
    had = float(facts.get("seconds", 0.0))
    if had >= seconds:
        return int(facts["iterations"])
    return train(cards, resume=folder, time=seconds - had, threads=threads).iterations
