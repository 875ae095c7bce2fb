"""The contracts of solvers: work that a session drives, and solvers of games in particular."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from solvent.engines.history.response import Evaluation
from solvent.engines.pruning import NO_PRUNING, Pruning
from solvent.engines.rules import RegretRule
from solvent.engines.sampling import NO_SAMPLING, Sampling
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.public.game import PublicGame
from solvent.strategy.solved.tables import TableStrategy


class Work(Protocol):
    """Work that a session drives: iterations that can be measured, saved and resumed."""

    @property
    def iterations(self) -> int:
        """Iterations so far, those before a resume included."""

    @property
    def chunk_seconds(self) -> float:
        """Seconds that one call of `run` may keep the clock, a stop and the progress display waiting."""

    @property
    def first_check(self) -> int:
        """The iteration of the first measurement, unless the user says how often to measure."""

    @property
    def check_growth(self) -> float:
        """Ratio of the iterations at a measurement to those at the one before."""

    def run(self, iterations: int) -> None:
        """Run more iterations."""

    def measure(self) -> dict[str, Any]:
        """Measure the strategy: a row of the metrics, without iterations and seconds."""

    def describe(self) -> str:
        """The last measurement in a few words, for the progress display."""

    def facts(self) -> dict[str, Any]:
        """The facts of a checkpoint, without iterations, seconds and the last measurement."""

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """The tables of a checkpoint."""

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Load the tables of a checkpoint; a ValueError if they are of another game or rule."""

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Restore the counters that a checkpoint recorded beside its tables."""


class Solver(Protocol):
    """A solver of a game, whatever its form and plan: one set of verbs, and what it reports of itself.

    Engines subclass it for the defaults, which are those of full-width CFR without pruning.
    """

    form: str
    plan_name: str
    rule: RegretRule
    updates: str
    dtype: str
    threads: int
    iterations: int
    nodes_touched: int
    head_start: float = 0
    """Iterations that a warm start counts for; the rule's clock is this plus `iterations`."""
    pruning: Pruning = NO_PRUNING
    sampling: Sampling = NO_SAMPLING
    device: str = "cpu"
    evaluator: str | None = None
    """The evaluation of terminals on the public form; None on the history form."""
    touched_unit: str = "histories"

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
    def table_bytes(self) -> int: ...
    @property
    def isomorphic(self) -> bool | None:
        """Whether boards that differ only in the names of suits are solved once; None where there are none."""
        return None

    @property
    def notes(self) -> list[str]:
        """Sentences about what the algorithm does not promise on this game."""
        return []

    @property
    def first_check(self) -> int:
        """The iteration of the first measurement, unless the user says how often to measure."""
        return 1

    @property
    def response_nodes(self) -> int:
        """Nodes touched by best responses."""
        return 0

    @property
    def pruned_actions(self) -> int:
        return 0

    @property
    def stored_regrets(self) -> float:
        """Regrets held, as a fraction of all infoset-actions."""
        return 1.0

    @property
    def stored_averages(self) -> float:
        return 1.0

    @property
    def peak_stored(self) -> float:
        """Regrets and averages held at most, as a fraction of all."""
        return 1.0

    def warm_up(self) -> None:
        """Have every kernel compiled, or loaded from the cache, that `run` and `evaluate` need.

        A small game of the same form stands in for the real one. The solver itself does not change.
        """

    def run(self, iterations: int) -> None:
        """Run more iterations."""

    def evaluate(self) -> Evaluation:
        """Exploitability and value of the average strategy, by exact best responses."""
        ...

    def strategy(self, **facts: Any) -> TableStrategy:
        """The average strategy."""
        ...

    def saved_tables(self) -> dict[str, NDArray[Any]]: ...
    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None: ...
    def restore(self, facts: Mapping[str, Any]) -> None:
        """Restore the counters that a checkpoint recorded beside its tables."""
        self.iterations, self.nodes_touched = facts["iterations"], facts["nodes_touched"]
        self.head_start = facts.get("head_start", self.head_start)

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None: ...


class OnPublicForm(Solver):
    """A solver on the public form, general or hold'em."""

    form = "public"
    touched_unit = "public nodes x hands"
    game: PublicGame | HoldemGame

    @property
    def name(self) -> str:
        return self.game.name

    @property
    def fingerprint(self) -> str:
        return self.game.fingerprint

    @property
    def isomorphic(self) -> bool:
        return self.game.isomorphism

    @property
    def histories(self) -> int:
        return int(self.game.rules.histories())

    @property
    def infosets(self) -> int:
        return self.game.infosets

    @property
    def infoset_actions(self) -> int:
        return self.game.infoset_actions

    @property
    def cells(self) -> int:
        """Numbers in each table; some belong to hands that nobody can hold."""
        return self.game.cells


def compile_seconds(warm_up: Callable[[], None]) -> float:
    """Have a solver's `warm_up` compile its kernels; returns the seconds that took."""
    start = time.perf_counter()
    warm_up()
    return time.perf_counter() - start
