"""CFR with pruning on the public form, block by block: a block is an action on all boards and for all hands.

Here is partial pruning, and what the solvers with interval and total pruning share with it.

solver = PrunedPublicSolver(public_game(Leduc(ranks=13)), "cfr", "simultaneous")
solver.run(1000)
solver.nodes_touched
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from solvent.forms.public import DECISION, PublicGame
from solvent.foundation.errors import InputError
from solvent.passes.public_kernels import UPDATE, Rule, Tables
from solvent.passes.public_pass import PublicPass
from solvent.response.history import Evaluation
from solvent.response.public import evaluate_public
from solvent.solvers.history.solver import check_options, table_dtype
from solvent.solvers.pruned.pruning import Pruning
from solvent.solvers.pruned.public import kernels
from solvent.solvers.pruned.public.block_layout import BlockLayout, Blocks
from solvent.solvers.pruned.public.kernels import CUT, Sums
from solvent.solvers.public.solver import OnPublicForm
from solvent.solvers.rules import RegretRule, load_rule
from solvent.solvers.small_games import PRUNED_ITERATIONS, small_public_game
from solvent.strategy.arena import Arena
from solvent.strategy.solved.locks import Locks
from solvent.strategy.solved.public_infosets import PublicInfosets
from solvent.strategy.solved.tables import TableStrategy


class PrunedPublicSolver(OnPublicForm):
    """CFR, CFR+ or LCFR by block. `run` as often as you like; the average strategy is the result."""

    mode: ClassVar[str] = "partial"
    plan_name = "aggregated"
    touched_unit = "public nodes x hands"
    threads = 1
    device = "cpu"
    evaluator = "sweep"
    head_start = 0

    def __init__(
        self,
        game: PublicGame,
        rule: str | RegretRule = "cfr",
        updates: str = "alternating",
        pruning: Pruning | None = None,
        dtype: str = "auto",
        locks: Locks | None = None,
    ) -> None:
        check_options(updates, dtype)
        self.game, self.updates, self.dtype = game, updates, table_dtype(dtype, game.cells)
        self.rule = load_rule(rule)
        self.pruning = pruning or Pruning(self.mode)
        self.pruning.check_rule(self.rule)
        self.pruning.check_locks(locks)
        if self.pruning.mode != self.mode:
            raise InputError(f"a {type(self).__name__} prunes by {self.mode}, not {self.pruning.mode}")
        self.pruning.check_blocks()
        if len(game.rounds) > 2:
            raise InputError(
                f"{game.name} has {len(game.rounds)} rounds; blocks are pruned in games of up to two"
            )
        self.linear, self.floored = self.rule.linear, self.rule.floors
        self.iterations = self.walked = self.response_nodes = 0
        self.peak_stored = 1.0
        self._make_tables()

    def _make_tables(self) -> None:
        """Make the tables and layouts of a new solve; kinds of pruning add theirs."""
        game, number = self.game, np.dtype(self.dtype)
        gaps_apart = self.floored and self.pruning.skips
        names = ("regret", "average", "gap") if gaps_apart else ("regret", "average")
        self.live = Arena.full(game.block_sizes, names, number)
        """Regrets and averages of blocks."""
        self.frozen = Arena(game.block_sizes, ("average",), number)
        """Averages of blocks that have no regrets."""
        edges = len(game.block_sizes)
        self.pruned = np.zeros(edges, dtype=np.uint8)
        self.since = np.zeros(edges, dtype=np.int64)
        """The iteration after which a block was pruned, or has returned."""
        self._pass = PublicPass(game, number)
        self._layout = BlockLayout(game, self._pass.tree.stake, number)
        self._tree = self._pass.tree._replace(symbol=self._pass.tree.symbol.copy())
        self._owns = tuple(self._tree._replace(symbol=self._tree.symbol.copy()) for _ in range(2))
        """By player: only what is behind the player's own pruned blocks is cut; elsewhere there are regrets."""
        self._downs = tuple(self._tree._replace(symbol=self._tree.symbol.copy()) for _ in range(2))
        """By player, for the way down: the other player's nodes are cut too where they play nothing."""
        self._seen_regrets = np.zeros(0, dtype=number)
        """With simultaneous updates: the regrets that an iteration's strategies come from."""

    # What a run says of itself

    @property
    def notes(self) -> list[str]:
        if self.floored:
            return [f"{self.rule} with pruning is noisy: an earlier average may have been less exploitable"]
        return []

    @property
    def nodes_touched(self) -> int:
        return self.walked + self.response_nodes

    @property
    def stored_regrets(self) -> float:
        """Regret cells held, as a part of all."""
        return self.live.stored / max(1, self.cells)

    @property
    def stored_averages(self) -> float:
        return (self.live.stored + self.frozen.stored) / max(1, self.cells)

    @property
    def pruned_actions(self) -> int:
        """Infoset-actions in pruned blocks."""
        return int(self.game.block_sizes[self.pruned > 0].sum())

    @property
    def table_bytes(self) -> int:
        """Memory of the tables, and of the copy of the regrets that simultaneous updates need."""
        copy = self.live.table("regret").nbytes if self.updates == "simultaneous" else 0
        return sum(arena.bytes for arena in self._arenas.values()) + copy

    @property
    def _arenas(self) -> dict[str, Arena]:
        return {"live": self.live, "frozen": self.frozen}

    # Solving

    def warm_up(self) -> None:
        """Have the kernels compiled that `run` and `evaluate` need."""
        eager = replace(self.pruning, every=1, least=0.0, lasting=0.0)
        small = type(self)(small_public_game(self.game), self.rule, self.updates, eager, self.dtype)
        small.run(PRUNED_ITERATIONS)
        small.evaluate()

    def run(self, iterations: int) -> None:
        """Run so many more iterations."""
        for weights in self.rule.schedule(self.iterations + 1, iterations, self.dtype):
            self.iterations += 1
            rule = Rule(UPDATE, *map(float, weights[:5]))
            if self.updates == "alternating":
                for player in (0, 1):
                    self._play(player, rule)
                    self._prune(player)
            else:
                tables = self._tables()
                tables.seen[:] = tables.regret
                for player in (0, 1):
                    self._play(player, rule)
                for player in (0, 1):
                    self._prune(player)
            self._tidy()

    def _play(self, player: int, rule: Rule) -> None:
        """One player's pass."""
        passes = self._pass
        self.walked += kernels.pass_live(
            self._tree, self._downs[player], passes.rounds, passes.spaces, self._tables(), rule,
            self._sums(), self._layout.chances, player, passes.above, passes.out,
        )  # fmt: skip

    def _prune(self, player: int) -> None:
        """What returns and what is pruned after a player's pass: nothing, where only reach is looked at."""

    def _tidy(self) -> None:
        """What is done when an iteration is over."""

    @property
    def _looks(self) -> bool:
        """Whether this is an iteration after which blocks may be pruned."""
        return self.iterations % self.pruning.every == 0

    # What lies where

    def _own_pruned(self, player: int) -> NDArray[np.uint8]:
        return np.where(self._layout.owner == player, self.pruned, np.uint8(0))

    def _mark(self) -> None:
        """Cut all nodes behind pruned blocks."""
        whole, parent = self._pass.tree.symbol, self._layout.parent
        kernels.cut(whole, parent, self.pruned, self._tree.symbol)
        for player in (0, 1):
            own, down = self._owns[player].symbol, self._downs[player].symbol
            kernels.cut(whole, parent, self._own_pruned(player), own)
            theirs = (self._tree.symbol == CUT) & (self.game.nodes.player != player) & (own == DECISION)
            down[:] = np.where(theirs, CUT, own)

    # What the kernels take

    @property
    def _offset(self) -> Blocks:
        """Where the regrets of blocks lie that can be played."""
        return self.live.offset

    def _tables(self) -> Tables:
        regret, average = self.live.table("regret"), self.live.table("average")
        none = regret[:0]
        if self.updates == "alternating":
            return Tables(self._offset, regret, average, none, none, regret, none)
        if len(self._seen_regrets) != len(regret):
            self._seen_regrets = np.zeros_like(regret)
        return Tables(self._offset, regret, average, none, none, self._seen_regrets, none)

    def _sums(self) -> Sums:
        none, nowhere = self.live.table("regret")[:0], self.live.offset[:0]
        return Sums(
            nowhere, none, False, nowhere, none, np.zeros(0), self.pruned[:0], nowhere, none, False, 0.0
        )

    def _averages(self) -> tuple[Blocks, NDArray[Any]]:
        """All averages behind one table of offsets: live, frozen, and a block of 0 for those that are gone."""
        live, frozen = self.live.table("average"), self.frozen.table("average")
        offset = np.where(self.live.offset >= 0, self.live.offset, len(live) + self.frozen.offset)
        offset[(self.live.offset < 0) & (self.frozen.offset < 0)] = len(live) + len(frozen)
        nothing = np.zeros(int(self.game.block_sizes.max()), dtype=live.dtype)
        return offset, np.concatenate([live, frozen, nothing])

    # Checkpoints

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps: every table with all its blocks, and which of them are stored where."""
        saved: dict[str, NDArray[Any]] = {}
        for kind, arena in self._arenas.items():
            kept = arena.save()
            saved |= {f"{kind}_{fact}": kept.pop(fact) for fact in ("stored", "room")}
            saved |= kept
        return saved | {"average": self._average, "pruned": self.pruned, "since": self.since}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Take up what a checkpoint has kept; a ValueError if it is not of this game and rule."""
        now = self.saved_tables()
        if any(name not in tables or tables[name].shape != now[name].shape for name in now):
            raise ValueError("tables")
        self.pruned[:], self.since[:] = tables["pruned"], tables["since"]
        for kind, arena in self._arenas.items():
            kept = {name: tables[name] for name in arena.names}
            arena.restore(kept | {fact: tables[f"{kind}_{fact}"] for fact in ("stored", "room")})
        self._mark()

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Go on from tables that were loaded, as they were when a checkpoint said so of itself."""
        self.iterations, self.response_nodes = facts["iterations"], facts["response_nodes"]
        self.walked = facts["nodes_touched"] - self.response_nodes
        self.peak_stored = facts["peak_stored"]

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None:
        """Refused: what was played before is not known, and pruning makes up for it."""
        raise InputError(f"a solve with {self.pruning.mode} pruning by block cannot start from a strategy")

    # Results

    def evaluate(self) -> Evaluation:
        """Exploitability and value of the average strategy, by exact best responses."""
        return evaluate_public(self._pass, *self._averages())

    def strategy(self, **facts: Any) -> TableStrategy:
        """The average strategy."""
        infosets = PublicInfosets(self.game)
        return TableStrategy(self.name, self.fingerprint, infosets, self._average, facts, self.game.rules)

    @property
    def _average(self) -> NDArray[Any]:
        """The cumulative strategy with all its blocks in order: a block is live, frozen or, where it is 0, gone."""
        return self.live.spread("average") + self.frozen.spread("average")
