"""Which form and plan a game is solved on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solvent.forms.history import BYTES_PER_HISTORY, GameTree, compile_tree
from solvent.forms.public import PublicGame, public_game
from solvent.forms.public_size import betting_bytes, public_size
from solvent.foundation.errors import InputError
from solvent.foundation.units import size
from solvent.games.game import Game
from solvent.games.public_rules import PublicRules
from solvent.response.history import Evaluation
from solvent.solvers.history.flattened import flattened_bytes
from solvent.solvers.history.plans import check_plan
from solvent.solvers.history.solver import HistorySolver, check_options, table_dtype
from solvent.solvers.pruned.history.solver import PrunedSolver
from solvent.solvers.pruned.pruning import NO_PRUNING, Pruning
from solvent.solvers.pruned.public.interval import IntervalPublicSolver
from solvent.solvers.pruned.public.solver import PrunedPublicSolver
from solvent.solvers.pruned.public.total import TotalPublicSolver
from solvent.solvers.public.arrays import array_bytes
from solvent.solvers.public.solver import PublicSolver, check_public_options, way_of
from solvent.solvers.rules import RegretRule, load_rule
from solvent.solvers.sampled.history.layout import BYTES_PER_HISTORY as SAMPLED_BYTES_PER_HISTORY
from solvent.solvers.sampled.history.solver import SamplingSolver, check_seed
from solvent.solvers.sampled.options import NO_SAMPLING, Sampling
from solvent.strategy.tables import TableStrategy

ON_PUBLIC_FORM = ("auto", "aggregated", "serial", "branched")
"""Plans that a game with a public form runs there; the others need its histories stored."""


MOST_MATRIX_HANDS = 150
"""Hands up to which every terminal may have a matrix of its own."""
BYTES_PER_NODE = 512
"""Of a betting node while the public form is being built."""
WALK_BYTES_PER_CELL = 72
"""Of the serial plans on the public form, beside the tables: they work in float64, hand by hand."""
PRUNED_BYTES_PER_HISTORY = 160
"""Of interval and total pruning on the history form, while its layout is made."""
LANES_BYTES_PER_HISTORY = 88
"""Of pairs of sequences side by side."""


FORMS = ("auto", "history", "public")
PRUNE_HISTORIES_UP_TO = 5_000_000
"""Histories up to which pruning goes history by history rather than by block, unless the user says otherwise."""


BY_BLOCK: dict[str, type[PrunedPublicSolver]] = {
    kind.mode: kind for kind in (PrunedPublicSolver, IntervalPublicSolver, TotalPublicSolver)
}
"""The solvers on the public form by how they prune."""
SUMS = {"interval": 3, "total": 1}
"""Of values, bounds and, for interval pruning, copies of averages: at most so many times a table of regrets."""


class Solver(Protocol):
    """What every solver is: one verb set, and what a run says of itself."""

    form: str
    rule: RegretRule
    updates: str
    dtype: str
    pruning: Pruning
    iterations: int

    @property
    def head_start(self) -> float: ...
    @property
    def nodes_touched(self) -> int: ...
    @property
    def response_nodes(self) -> int: ...
    @property
    def pruned_actions(self) -> int: ...
    @property
    def stored_regrets(self) -> float: ...
    @property
    def stored_averages(self) -> float: ...
    @property
    def peak_stored(self) -> float: ...
    @property
    def table_bytes(self) -> int: ...
    @property
    def touched_unit(self) -> str: ...
    @property
    def plan_name(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def histories(self) -> int: ...
    @property
    def infosets(self) -> int: ...
    @property
    def infoset_actions(self) -> int: ...
    @property
    def cells(self) -> int: ...
    @property
    def form_bytes(self) -> int: ...
    @property
    def notes(self) -> list[str]: ...

    def run(self, iterations: int) -> None: ...
    def evaluate(self) -> Evaluation: ...
    def strategy(self, **facts: Any) -> TableStrategy: ...
    def saved_tables(self) -> dict[str, NDArray[Any]]: ...
    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None: ...
    def restore(self, facts: Mapping[str, Any]) -> None: ...
    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None: ...


@dataclass(frozen=True)
class Options:
    """How to solve, apart from the rule."""

    updates: str = "alternating"
    plan: str = "auto"
    evaluator: str = "auto"
    isomorphism: str = "on"
    device: str = "cpu"
    threads: int = 1
    dtype: str = "auto"
    form: str = "auto"
    pruning: Pruning = NO_PRUNING
    sampling: Sampling = NO_SAMPLING
    seed: int = 0

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise InputError(f"there is no form {self.form!r}; the forms are {', '.join(FORMS)}")
        check_seed(self.seed)
        self.sampling.check_others(
            self.pruning,
            {
                "plan": (self.plan, "auto"),
                "updates": (self.updates, "alternating"),
                "evaluator": (self.evaluator, "auto"),
                "isomorphism": (self.isomorphism, "on"),
                "device": (self.device, "cpu"),
                "form": (self.form if self.form != "history" else "auto", "auto"),
            },
        )
        self.pruning.check_plan(self.plan)
        self.pruning.check_threads(self.threads)
        check_options(self.updates, self.dtype)
        check_plan(self.plan, self.threads)
        if self.isomorphism not in ("on", "off"):
            raise InputError(f"isomorphism is on or off, not {self.isomorphism}")
        plan = self.plan if self.plan in ON_PUBLIC_FORM else "auto"
        check_public_options(plan, self.evaluator, self.device, self.threads)


def make_solver(
    game: Game,
    rule: str | RegretRule,
    options: Options,
    memory: int,
    progress: Callable[[int], None] | None = None,
) -> Solver:
    """A solver for a game: on the public form where the game and the plan have one, else on its histories."""
    options.pruning.check_rule(load_rule(rule))
    options.sampling.check_rule(load_rule(rule))
    if options.sampling:
        return _sampled(game, rule, options, memory, progress)
    if _on_public_form(game, options, memory):
        assert isinstance(game, PublicRules)
        return _public(game, rule, options, memory)
    for name, value, default in (("evaluator", options.evaluator, "auto"), ("device", options.device, "cpu")):
        if value != default:
            raise InputError(f"{name} {value} is for the aggregated plan, and {game} is not solved on it")
    if options.plan == "aggregated" or options.form == "public":
        why = "its public form does not fit" if isinstance(game, PublicRules) else "this game is not so"
        if options.plan not in ON_PUBLIC_FORM:
            why = f"the {options.plan} plan runs on stored histories"
        elif options.form == "history":
            why = "it is to be solved on its histories"
        raise InputError(
            f"the public form needs hands that are dealt, all else public, and room for both in memory: "
            f"{game} is refused because {why}"
        )
    tree = compile_tree(game, memory, progress)
    if options.pruning.skips:
        if (needed := PRUNED_BYTES_PER_HISTORY * tree.histories) > memory:
            raise InputError(
                f"{game} has {tree.histories:,} histories, which take {size(needed)} with "
                f"{options.pruning.mode} pruning; the memory limit is {size(memory)}"
            )
        return PrunedSolver(tree, rule, options.updates, options.pruning, options.dtype)
    _check_history_memory(tree, options, memory)
    return HistorySolver(
        tree, rule, options.updates, options.plan, options.threads, options.dtype, options.pruning
    )


def _sampled(
    game: Game,
    rule: str | RegretRule,
    options: Options,
    memory: int,
    progress: Callable[[int], None] | None,
) -> Solver:
    tree = compile_tree(game, memory, progress)
    if (needed := (BYTES_PER_HISTORY + SAMPLED_BYTES_PER_HISTORY) * tree.histories) > memory:
        raise InputError(
            f"{game} has {tree.histories:,} histories, which take {size(needed)} with sampling; "
            f"the memory limit is {size(memory)}"
        )
    return SamplingSolver(tree, rule, options.sampling, options.seed, options.threads, options.dtype)


def _on_public_form(game: Game, options: Options, memory: int) -> bool:
    if not isinstance(game, PublicRules) or options.plan not in ON_PUBLIC_FORM or options.form == "history":
        return False
    if options.pruning.mode != "none" and options.form == "auto" and options.plan != "aggregated":
        by_history = options.plan == "serial" or game.histories() <= PRUNE_HISTORIES_UP_TO
        return not by_history and _has_public_form(game, memory)
    return _has_public_form(game, memory)


def _has_public_form(game: PublicRules, memory: int) -> bool:
    """Whether the public form can be built: hands that sort always can, matrices while they are small.

    What is too large for it is too large for the history form too, which refuses it with its size.
    """
    hands = len(game.hands())
    if game.hole_cards(game.hands()[0]) is not None:
        return True
    return hands <= MOST_MATRIX_HANDS and game.histories() // hands**2 <= memory // BYTES_PER_NODE


def _public(game: PublicRules, rule: str | RegretRule, options: Options, memory: int) -> Solver:
    # Boards are walked one by one by the serial plans, and told apart where matrices hold the chances.
    sorts = game.hole_cards(game.hands()[0]) is not None
    every_board = options.plan in ("serial", "branched") or (not sorts and options.device == "cpu")
    isomorphism = options.isomorphism == "on" and not every_board
    _check_public_size(game, isomorphism, load_rule(rule), options, memory)
    public = public_game(game, isomorphism)
    if (needed := _public_bytes(public, load_rule(rule), options)) > memory:
        raise InputError(
            f"{game} has {public.infoset_actions:,} infoset-actions, which take {size(needed)} on this plan; "
            f"the memory limit is {size(memory)}"
        )
    if options.pruning.mode != "none":
        for name in ("evaluator", "device"):
            if getattr(options, name) not in ("auto", "cpu"):
                raise InputError(
                    f"{name} {getattr(options, name)} is not for pruning, which sweeps one terminal at a time"
                )
        if options.plan == "serial":
            raise InputError("the serial plan prunes on the history form; by block it is the aggregated plan")
        solver = BY_BLOCK[options.pruning.mode]
        return solver(public, rule, options.updates, options.pruning, options.dtype)
    return PublicSolver(
        public,
        rule,
        options.updates,
        options.plan,
        options.evaluator,
        options.threads,
        options.dtype,
        options.device,
    )


def _check_public_size(
    game: PublicRules, isomorphism: bool, rule: RegretRule, options: Options, memory: int
) -> None:
    """Refuse a public form that does not fit into memory before any of it is built."""
    if (needed := betting_bytes(game)) > memory:
        raise InputError(
            f"{game} has a betting tree of {game.betting_nodes():,} nodes, which take {size(needed)}; "
            f"the memory limit is {size(memory)}"
        )
    expected = public_size(game, isomorphism)
    dtype = np.dtype(table_dtype(options.dtype, expected.cells))
    tables = 3 if rule.predictive else 2
    if (needed := expected.bytes + tables * expected.cells * dtype.itemsize) > memory:
        raise InputError(
            f"{game} has {expected.infoset_actions:,} infoset-actions, which take {size(needed)} on its public "
            f"form; the memory limit is {size(memory)}"
        )


def _public_bytes(game: PublicGame, rule: RegretRule, options: Options) -> int:
    """About what a solve on the public form takes: tables, copies of them, and what the plan keeps beside."""
    dtype = np.dtype(table_dtype(options.dtype, game.cells))
    tables = 3 if rule.predictive else 2
    copies = tables - 1 if options.updates == "simultaneous" else 0
    sums = SUMS.get(options.pruning.mode, 0)
    if options.pruning.skips and rule.floors:
        sums += 1  # regrets below 0
    total = (tables + copies + sums) * game.cells * dtype.itemsize
    if options.plan in ("serial", "branched"):
        return total + WALK_BYTES_PER_CELL * game.cells
    if options.device != "cpu":
        return total + array_bytes(game, dtype)
    if way_of(game) == "lanes":
        return total + LANES_BYTES_PER_HISTORY * game.rules.histories()
    return total


def _check_history_memory(tree: GameTree, options: Options, memory: int) -> None:
    if options.plan == "flattened" and (needed := flattened_bytes(tree)) > memory:
        raise InputError(
            f"the flattened plan keeps all {tree.histories:,} histories of {tree.name} in levels, which take "
            f"{needed / 2**30:,.1f} GiB; the memory limit is {memory / 2**30:,.1f} GiB"
        )
