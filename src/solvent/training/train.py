"""Training a blueprint: from cards and betting to a run folder with an agent in it.

train(cards="abstractions/tiny", betting="fcpa", time="5m", out="runs/agent")
train(resume="runs/agent", time="30m")

A training is a run like a solve: the same session drives it, and `solvent.foundation.storage.run` keeps it. Its
checkpoints are the newest two and, to compare with, ones from about a quarter and a sixteenth of the way.

With `cluster` or `batch` a head and children train, by Algorithm 4 of Brown, Ganzfried and Sandholm (2015), and the
checkpoints have one shard for the head and one for each public cluster: see `solvent.training.distributed`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.abstraction.cards.find import find_cards, noted_paths
from solvent.engines.rules import RegretRule
from solvent.engines.solver import compile_seconds
from solvent.forms.betting.tree import BettingTree, build_tree
from solvent.forms.sampled import table_layout
from solvent.foundation.errors import InputError
from solvent.foundation.html import facts_html
from solvent.foundation.progress import SIZED, TOLD, Progress, Stop, Watch
from solvent.foundation.storage.files import check_room
from solvent.foundation.storage.reading import read_toml
from solvent.foundation.storage.run import Retention, Run
from solvent.foundation.units import size, span
from solvent.solving.option_types import TrainOptions, with_options
from solvent.solving.session import Limits, Session
from solvent.solving.settings import given_options
from solvent.strategy.agents.blueprint import Blueprint
from solvent.strategy.agents.training_run import betting_of
from solvent.training.settings import EXTERNAL, PARTS, TrainingSettings
from solvent.training.work import Length, Training, TrainingWork

KEPT_CHECKPOINTS = Retention(newest=2, older=2, apart=4)
BESIDES = 400 << 20
"""Bytes of interpreter, compiled kernels and the parts of the card tables that are in use."""
BEFORE_SAMPLINGS = {"sampling": EXTERNAL}
"""Options of runs that were begun when there was one kind of sampling."""
NO_SIZES = (
    "the betting names no sizes for {streets}: nobody can bet or raise there. To change some streets of a preset, "
    "begin with it, as in 'preset=fcpa; flop=50%,a'"
)
"""A remark before a training whose agent cannot bet on some streets."""
FEWEST_VISITS = 100
"""Visits of a row, on average, below which a training says nothing.

On the tree of `make run` the first decision's regret is 3,900 mbb/hand after 19 visits a row, 365 after 70, 75
after 270 and 43 after 770; folding every hand loses 750.
"""
TRAINING, COMPILING, WIN_RATES = "training", "compiling kernels", "simulating win rates"


@dataclass(frozen=True)
class TrainingCost:
    """The cost of a training."""

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
    """The result of a training. `--json` prints `as_dict`."""

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
    children: dict[str, Any] | None = None
    """The work of a cluster's workers since the last measurement but one; None where there were none."""

    @property
    def visits_per_row(self) -> float:
        """Visits of a row, on average."""
        return self.rows_touched / max(self.cost.rows, 1)

    @property
    def remark(self) -> str:
        """A sentence on a training that was too short to mean anything; empty for others."""
        if self.visits_per_row >= FEWEST_VISITS:
            return ""
        return (
            f"This training is too short to mean anything: its {self.cost.rows:,} rows were visited "
            f"{self.visits_per_row:.2g} times each, and with fewer than {FEWEST_VISITS} visits play is still "
            f"mostly chance. Train {FEWEST_VISITS / max(self.visits_per_row, 1e-9):.2g} times as long, or on a "
            f"tree with fewer bets."
        )

    def summary(self) -> dict[str, str]:
        """The most important facts in words, by their names."""
        asked, remark = self.settings.iterations, ""
        if self.settings.batch and asked is not None and self.iterations > asked:
            remark = f", in whole batches of {self.settings.batch:,}"
        elif self.settings.rule.discounts and self.iterations < PARTS:
            remark = (
                f"; {self.settings.rule} discounts at the end of each of {PARTS} parts of a run: train longer"
            )
        return {
            "iterations": f"{self.iterations:,} (stopped by {self.stopped_by}{remark})",
            "time": f"{span(self.seconds)} (and {span(self.compile_seconds)} for kernels)",
            "rows touched": f"{self.rows_touched:,}, {self.rows_rate / 1e6:.1f} million a second",
            "regret of the first decision": f"{self.regret:.1f} mbb",
            **({} if self.children is None else {"children": self.children["summary"]}),
            **({"remark": self.remark} if self.remark else {}),
        }

    def _repr_html_(self) -> str:
        return facts_html(str(self.folder), self.summary())

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        facts = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "cost"}
        return {
            **facts,
            **asdict(self.cost),
            "visits_per_row": self.visits_per_row,
            "remark": self.remark,
            "folder": str(self.folder),
            "settings": self.settings.as_json(),
        }


@with_options(TrainOptions)
def train(
    cards: str | Path | None = None,
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    watch: Watch | None = None,
    stop: Stop | None = None,
    saved: Callable[[Run, Blueprint], None] | None = None,
    **options: Unpack[TrainOptions],
) -> TrainingResult:
    """Train a heads-up no-limit hold'em blueprint by Monte Carlo CFR.

    `cards` is the folder of a card abstraction, and `out` the new folder to save the training in. `resume` names an
    earlier training's folder instead: `cards` is then needed only if they have moved. `options` are those of
    `solvent.training.settings.TrainingSettings`, such as `betting`, `rule`, `iterations` and `time`;
    `iterations` count from the beginning, `time` from this call.

    `watch` is called with each `Progress`, and `saved` after each checkpoint of a training under way, with the
    run and its tables, which are still being trained and must not be changed. From any thread `stop.request()` ends
    the training with a checkpoint. Ctrl-C raises `Interrupted` after that checkpoint, with the result so far.
    """
    given = given_options(options)
    asked = TrainingSettings.of(given)
    check_training(asked)
    if out is not None and resume is not None:
        raise InputError("give a new folder with out or an old one with resume, not both")
    watch, stop = watch or (lambda progress: None), stop or Stop()
    if resume is not None:
        run = Run.open(resume, "training")
        _check_same_algorithm(run, asked)
        began = BEFORE_SAMPLINGS | run.configuration
        settings = TrainingSettings.resumed(began, given, str(run.folder))
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
    cost = training_cost(tree, found, settings)
    _check_memory(cost, settings)
    if resume is None:
        assert out is not None
        assert cards is not None
        check_room(Path(out), cost.disk)
        run = _new_run(Path(out), Path(cards), found, settings)
    watch(Progress(SIZED, 0, detail=str(cost)))
    if unbet := tree.abstraction.unbet_streets:
        named = " and ".join(filter(None, (", ".join(unbet[:-1]), unbet[-1])))
        watch(Progress(TOLD, 0, detail=NO_SIZES.format(streets=named)))
    with run.locked():
        kept = sum(file.stat().st_size for n in run.checkpoints() for file in run.checkpoint(n).iterdir())
        check_room(run.folder, max(0, cost.disk - kept))
        length = _length(run, settings, as_before)
        training, session = _session(run, tree, found, settings, length, cost, watch, stop, saved)
        return _train(session, training, settings, cost, as_before)


def _session(
    run: Run,
    tree: BettingTree,
    cards: CardAbstraction,
    settings: TrainingSettings,
    length: Length | None,
    cost: TrainingCost,
    watch: Watch,
    stop: Stop,
    saved: Callable[[Run, Blueprint], None] | None,
) -> tuple[TrainingWork, Session]:
    """The work of a training and the session that drives it."""
    limits, every = Limits.of(settings), settings.checkpoint_every
    if not settings.distributed:
        plain = Training(tree, cards, settings, length)
        after = None if saved is None else lambda run: saved(run, plain.solver.blueprint)
        return plain, Session(TRAINING, plain, limits, run, every, watch, stop, after, plain.unit, None)
    from solvent.training.distributed.launching import launch
    from solvent.training.distributed.training import DistributedTraining, TurnSession, saved_blueprint

    work = DistributedTraining(tree, cards, settings, length, lambda: launch(settings, tree, cards))
    after = None
    if saved is not None and cost.memory + cost.table_bytes <= settings.memory:
        after = lambda run: saved(run, saved_blueprint(run, tree, cards))  # noqa: E731
    return work, TurnSession(TRAINING, work, limits, run, every, watch, stop, after, spent=None)


def _train(
    session: Session, training: TrainingWork, settings: TrainingSettings, cost: TrainingCost, as_before: bool
) -> TrainingResult:
    run, watch = session.run, session.watch
    assert run is not None
    watch(Progress(COMPILING, 0))
    compiling = compile_seconds(training.warm_up)
    try:
        _launch(training, run)
        stopped_by = _loop(session, training, settings, as_before)
        children = training.about_children()
    finally:
        training.close()
    if (shortfall := session.shortfall()) is not None:
        raise InputError(f"{shortfall}; make room and go on from there by --resume")
    seconds = max(session.seconds, 1e-9)
    result = TrainingResult(
        folder=run.folder,
        settings=settings,
        cost=cost,
        iterations=training.iterations,
        seconds=session.seconds,
        compile_seconds=compiling,
        rate=training.iterations / seconds,
        rows_touched=training.touched,
        rows_rate=training.touched / seconds,
        regret=training.regret(),
        stopped_by=stopped_by,
        children=children,
    )
    return session.held.result(result)


def _launch(training: TrainingWork, run: Run) -> None:
    """Begin what a training needs beside this process; where that is refused, a new run leaves no folder."""
    try:
        training.launch()
    except InputError:
        if not run.checkpoints():
            shutil.rmtree(run.folder, ignore_errors=True)
        raise


def _loop(session: Session, training: TrainingWork, settings: TrainingSettings, as_before: bool) -> str:
    """Begin or take up a training and run it until a limit is reached; which one it was."""
    assert session.run is not None
    if session.run.checkpoints():
        session.resume(as_before)
    else:
        session.run.forget_metrics_after(0)  # those of a process that was killed before its first checkpoint
        session.watch(Progress(WIN_RATES if settings.begins_with_prior else TRAINING, 0))
        training.begin()
        if settings.begins_with_prior and settings.distributed:
            session.begin()  # children that are lost begin again from a checkpoint
    return session.loop()


def check_training(settings: TrainingSettings) -> None:
    """Reject settings that cannot be trained with, before anything is made."""
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
    """Reject a rule that neither weighs iterations nor discounts a table from time to time."""
    if rule.additive:
        return
    if rule.floors or rule.predictive or not rule.discounts or rule.average_power is None:
        raise InputError(
            f"training touches few rows in an iteration, so that it cannot cut or predict the regrets of all: give "
            f"rule cfr, lcfr or dcfr(a,b,g); {rule} cannot be trained with"
        )


def training_cost(
    tree: BettingTree, cards: CardAbstraction, settings: TrainingSettings | None = None
) -> TrainingCost:
    """Estimate what a training takes, before it takes anything; `settings` tell the workers beside it."""
    buckets = [clusters * many for clusters, many in cards.sizes]
    layout = table_layout(tree.bucket_floats, cards.sizes)
    table = 4 * layout.numbers
    river = cards.arrays["river_code"].nbytes + cards.arrays["turn"].nbytes
    memory = table + 3 * tree.nbytes + river + BESIDES
    if settings is not None and settings.distributed:
        from solvent.training.distributed.launching import here_bytes

        memory = here_bytes(settings, tree, cards) + 3 * tree.nbytes + river + BESIDES
    return TrainingCost(
        nodes=len(tree),
        rows=tree.stored_rows(buckets),
        infoset_actions=tree.infoset_actions(buckets),
        table_bytes=table,
        memory=memory,
        disk=(KEPT_CHECKPOINTS.newest + KEPT_CHECKPOINTS.older + 1) * table,
    )


def _check_same_algorithm(run: Run, asked: TrainingSettings) -> None:
    """Reject a head and children where plain training began."""
    if asked.distributed and "batch" not in run.fixed:
        raise InputError(
            f"{run.folder} began on one table, not by a head and children: it cannot go on with the options of a "
            "cluster"
        )


def _check_memory(cost: TrainingCost, settings: TrainingSettings) -> None:
    if cost.memory > settings.memory:
        fewer = " or fewer bet sizes" if settings.cluster is None else ", fewer bet sizes or fewer children"
        raise InputError(
            f"this training takes {size(cost.memory)}, of which tables {size(cost.table_bytes)}, and --memory "
            f"allows {size(settings.memory)}; take a smaller abstraction{fewer}"
        )


def _new_run(out: Path, cards: Path, found: CardAbstraction, settings: TrainingSettings) -> Run:
    """Begin the run of a training. It notes where its cards are, so that both can move together."""
    asked = replace(settings, betting=_betting_text(settings.betting)).as_json()
    kept = {name: asked.pop(name) for name in TrainingSettings.kept() if name in asked}
    for name in TrainingSettings.given_anew:
        asked.pop(name, None)
    fixed = {**kept, "cards_fingerprint": found.fingerprint}
    adjustable = {**asked, "cards": noted_paths(cards, out)}
    return Run.create(out, "training", fixed, adjustable, retention=KEPT_CHECKPOINTS)


def _length(run: Run, settings: TrainingSettings, as_before: bool) -> Length | None:
    """Compute the length, by its limits now, of a run that discounts or explores for a fraction of it."""
    if not settings.rule.discounts and settings.exploration_part is None:
        return None
    had = 0.0 if as_before else float(run.facts().get("seconds", 0.0))
    limits = Limits.of(settings).later(-had)
    return Length(limits.iterations, limits.time)


def _betting_text(betting: str) -> str:
    """Bet sizes as text that needs no file: a TOML file's settings in one line."""
    if not betting.endswith(".toml"):
        return betting
    betting_of(betting, None)  # refused here if it cannot be read
    settings = read_toml(Path(betting))
    parts = (
        f"{key}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in settings.items()
    )
    text = "; ".join(parts)
    same = betting_of(text, None) == betting_of(betting, None) if settings else False
    return text if same else os.path.abspath(betting)


def train_to(
    folder: Path,
    cards: Path,
    design: TrainingSettings,
    seconds: float,
    threads: int,
    watch: Watch | None = None,
) -> int:
    """Train in a folder, new or not, until it has had `seconds` of training in all; return its iterations.

    Ctrl-C raises `Interrupted` once the folder is written; called again, the training continues.
    """
    if Run.is_run(folder):
        facts = Run.open(folder, "training").facts()
        had = float(facts.get("seconds", 0.0))
        if had >= seconds:
            return int(facts["iterations"])
        result = train(cards, resume=folder, time=seconds - had, threads=threads, watch=watch)
    else:
        asked = design.as_json() | {"time": seconds, "threads": threads}
        result = train(cards, out=folder, watch=watch, **asked)
    return result.iterations
