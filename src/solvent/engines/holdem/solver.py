"""Counterfactual regret minimisation on hold'em in public form.

solver = HoldemSolver(holdem_game(Spot("Td9d6hQc2s", oop, ip, pot=200, stack=900, bets="50%,a")))
solver.run(100)
solver.evaluate().exploitability
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.engines.defaults import HOLDEM_DTYPES, HOLDEM_RULE
from solvent.engines.history.solver import NOT_ZERO_SUM
from solvent.engines.holdem.holdem_pass import HoldemPass
from solvent.engines.holdem.kernels import EVALUATE, RESPOND, UNMARKED, Tables
from solvent.engines.holdem.node_code import LARGEST
from solvent.engines.holdem.response import HoldemEvaluation, check_sum, evaluation_of, values_by_player
from solvent.engines.holdem.table_views import (
    edge_to,
    impose_locks,
    node_numbers,
    probabilities,
    public_nodes,
)
from solvent.engines.rules import RegretRule, by_keeping, load_rule
from solvent.engines.small_games import small_holdem_game
from solvent.engines.solver import OnPublicForm
from solvent.forms.holdem.game import HoldemGame
from solvent.forms.holdem.locks import LockTables, NodeLock, lock_tables
from solvent.forms.holdem.tree import DECISION
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.memory import new_table
from solvent.foundation.kernels.threads import check_threads
from solvent.strategy.solved.public_infosets import HoldemInfosets
from solvent.strategy.solved.tables import TableStrategy


class HoldemSolver(OnPublicForm):
    """CFR with alternating updates on a hold'em game. `run` as often as you like; the average is the result.

    While one player's regrets are updated the other's average grows: player 0's average is that of iterations
    2 to T + 1, player 1's that of 1 to T, with the weights of iterations 1 to T for both.
    """

    game: HoldemGame
    plan_name = "aggregated"
    evaluator = "sorted"
    updates = "alternating"
    head_start = 0.0
    marked = UNMARKED

    def __init__(
        self,
        game: HoldemGame,
        rule: str | RegretRule = HOLDEM_RULE,
        threads: int = 1,
        dtype: str = "float32",
        locks: Sequence[NodeLock] = (),
    ) -> None:
        check_threads(threads)
        if dtype not in HOLDEM_DTYPES:
            raise InputError(
                f"the numbers of a spot's tables are {' or '.join(HOLDEM_DTYPES)}, not {dtype!r}"
            )
        self.game, self.dtype, self.rule = game, dtype, load_rule(rule)
        self._prepare()
        narrow = dtype == "int16"
        kind = np.dtype("float32" if narrow else dtype)
        self.passes = HoldemPass(game, kind, threads)
        self.threads = self.passes.threads
        self.iterations = self.nodes_touched = 0
        self.regret, self.average = (new_table(game.cells, dtype) for _ in range(2))
        scales = self.passes.decisions if narrow else 0
        self.regret_scale, self.average_scale = (new_table(scales, kind) for _ in range(2))
        self.lock(locks)

    def _prepare(self) -> None:
        """Refuse what cannot be solved, before there are tables; subclasses begin their own state here."""
        if self.rule.predictive:
            raise InputError(f"rule {self.rule} predicts regrets, which the hold'em form keeps no table for")

    # What a run says of itself

    @property
    def table_bytes(self) -> int:
        return sum(table.nbytes for table in self.saved_tables().values())

    @property
    def form_bytes(self) -> int:
        return self.game.form_bytes

    @property
    def notes(self) -> list[str]:
        return [NOT_ZERO_SUM] if self.raked else []

    @cached_property
    def nodes(self) -> int:
        """Public nodes x hands of an iteration."""
        return public_nodes(self.game)

    def warm_up(self) -> None:
        """Have the kernels compiled that `run` and `evaluate` need, on a small game."""
        small = HoldemSolver(small_holdem_game(), self.rule, self.threads, self.dtype)
        small.run(1)
        small.evaluate()

    # Solving

    def run(self, iterations: int) -> None:
        """Run more iterations."""
        if iterations == 0:
            return
        for keep, rows in by_keeping(self._schedule(iterations)):
            if keep != 1:
                self._keep(keep)
            self._iterate(rows)
        self.iterations += iterations
        self.nodes_touched += iterations * self.nodes

    def _iterate(self, schedule: NDArray[np.float64]) -> None:
        """Run one iteration for each row of a schedule, none of which scales the average."""
        self.passes.iterate(self._tables(), schedule)

    def _schedule(self, iterations: int) -> NDArray[np.float64]:
        """The rule's weights of the next iterations."""
        first = self.iterations + self.head_start + 1
        return self.rule.schedule(first, iterations, self.passes.dtype)

    def evaluate(self) -> HoldemEvaluation:
        """Exploitability and values of the average strategy, by exact best responses that keep to the locks."""
        value = self.values(EVALUATE)
        check_sum(self.passes, value, self.passes.house_takes(self._played(), self.root_reach(0)))
        return evaluation_of(value, self.values(RESPOND))

    def exploitability(self) -> float:
        """Half of what both players would gain by best responses."""
        return self.evaluate().exploitability

    @property
    def raked(self) -> bool:
        """Whether the house takes anything: then the game is not zero-sum."""
        return self.game.raked

    def values(self, mode: int) -> tuple[float, float]:
        """Winnings of each player by the average strategy (`EVALUATE`) or by best responses to it (`RESPOND`)."""
        return values_by_player(self.passes, self._played(), mode)

    def hand_values(
        self, player: int, mode: int = EVALUATE, node: int = 0, board: int = 0
    ) -> NDArray[np.float64]:
        """A player's counterfactual values at a node, float64[hands] in the order of `game.hands[player]`.

        `board` is the number of a board of the node's street. By `EVALUATE` both play the average strategy from the
        node on; by `RESPOND` the player responds best to it from the node on (the counterfactual best response),
        but for what is locked. The value of hand h is

            chance x sum over the other's hands g of reach(g) x payoff(h, g)

        where g shares no card with h or the board, payoff(h, g) is what the player wins from here on average, in
        chips, reach(g) is g's weight in the game times the probabilities of the other's actions on the way
        (`reaches_at`), and chance is a factor for the whole board (`chance_at`). The player's own reach is left
        out. So the values of both players, each times the player's own reach, sum to the same with opposite signs
        (without rake); at the root the sum is the value of the game. Hands that the board blocks have the value 0.
        """
        if node == 0:
            return self.passes.measure(self._played(), mode, player)
        side = self.game.streets[self.game.tree.street[node]].sides[player]
        return self._by_hand(player, side.hand[board], self.values_at(player, node, board, mode))

    def reaches_at(self, node: int, board: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The reach of each player's hands at a node on a board of its street, float64[hands] each.

        It is the hand's weight at the root, a fraction of the largest in the range, times the probabilities by the
        average strategy of the player's own actions on the way to the node; 0 for hands that the board blocks.
        Chance and the other player are left out.
        """
        game, tree = self.game, self.game.tree
        street = int(tree.street[node])
        reaches = self.root_reach(0), self.root_reach(1)
        for player, side in enumerate(game.streets[street].sides):
            held = np.zeros(len(game.hands[player]), dtype=np.bool_)
            held[side.hand[board][side.hand[board] >= 0]] = True
            reaches[player][~held] = 0.0
        while (above := int(tree.parent[node])) >= 0:
            if tree.street[above] < street:
                board, street = int(game.streets[street].boards.parent[board]), street - 1
            if tree.kind[above] == DECISION:
                player, action = int(tree.player[above]), edge_to(tree, node) - tree.first_edge[above]
                slots = game.streets[street].sides[player].hand[board]
                reaches[player][:] *= self._by_hand(player, slots, self.strategy_at(above, board)[action])
            node = above
        return reaches

    def root_reach(self, player: int) -> NDArray[np.float64]:
        """The reach with which a player's hands come to the root: their weights in the game. A copy."""
        return self.game.weights[player].copy()

    def chance_at(self, node: int) -> float:
        """The factor of chance in `hand_values`: the probability of two hands of weight 1 and the node's board.

        Whichever hands and board they are, as long as they share no card, it is the same.
        """
        streets = self.game.streets[: int(self.game.tree.street[node]) + 1]
        return self.game.deal_scale * math.prod(street.probability for street in streets)

    def values_at(self, player: int, node: int, board: int = 0, mode: int = EVALUATE) -> NDArray[np.float64]:
        """A player's counterfactual values at a node, float64[slots of the board]: `hand_values` by slot."""
        street = int(self.game.tree.street[node])
        return self.passes.values_at(self._played(), mode, player, street, board, node)

    def strategy_at(self, node: int, board: int = 0) -> NDArray[np.float64]:
        """The average strategy at a decision on a board, float64[actions, slots]; uniform if unreached."""
        game, tree = self.game, self.game.tree
        if tree.kind[node] != DECISION:
            raise InputError(f"node {node} of {game.name} is no decision")
        return probabilities(node_numbers(self.average, game, node)[board].astype(np.float64))

    def _by_hand(
        self, player: int, slots: NDArray[np.int16], numbers: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Turn numbers by slot, where `slots` are the hands in them, into numbers by hand of the player's list."""
        found = np.zeros(len(self.game.hands[player]))
        found[slots[slots >= 0]] = numbers[slots >= 0]
        return found

    def _tables(self) -> Tables:
        """The tables as they are while solving: what is played comes from regrets."""
        scales = self.average_scale, self.regret_scale
        return Tables(self.average, self.regret, *scales, self.lock_tables, self.marked)

    def _played(self) -> Tables:
        """The tables as they are while measuring: what is played is the average."""
        return Tables(self.average, self.average, self.average_scale, self.average_scale, self.lock_tables)

    def _keep(self, share: float) -> None:
        """Scale the average."""
        if self.dtype == "int16":
            self.average_scale *= share
        else:
            self.average *= share

    def lock(self, locks: Sequence[NodeLock]) -> None:
        """Set the locks; hands that were locked before and are no longer play on from there."""
        self.locks, held = tuple(locks), lock_tables(self.game, locks)
        narrow = self.dtype == "int16"
        scaled = (held.probability * (LARGEST if narrow else 1)).round(0 if narrow else 12)
        self._play_locks(held._replace(probability=scaled.astype(self.passes.dtype)))

    def _play_locks(self, locks: LockTables) -> None:
        """Let the tables play the locks: kernels set locked regrets back, and averages only grow in proportion."""
        self.lock_tables = locks
        impose_locks(self.game, locks, self.regret, self.average)

    # Results and checkpoints

    def strategy(self, **facts: Any) -> TableStrategy:
        """The average strategy by infoset."""
        infosets = HoldemInfosets(self.game)
        return TableStrategy(
            self.name, self.fingerprint, infosets, self.average.copy(), facts, self.game.rules
        )

    def saved_tables(self) -> dict[str, NDArray[Any]]:
        tables = {"regret": self.regret, "average": self.average}
        if self.dtype == "int16":
            tables |= {"regret_scale": self.regret_scale, "average_scale": self.average_scale}
        return tables

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Load the tables of a checkpoint; a ValueError if they are of another game."""
        _load(tables, self.saved_tables())

    def load_averages(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Load the averages of a checkpoint alone: nothing but `run` reads the rest."""
        _load(tables, {name: own for name, own in self.saved_tables().items() if name.startswith("average")})

    def start_from(self, regret: NDArray[Any], average: NDArray[Any], head_start: float) -> None:
        """Start a new solve from tables of this layout, in which this solver's locks replace locked hands.

        head_start: iterations that the tables count for on the rule's clock.
        """
        self.regret[:], self.average[:], self.head_start = regret, average, head_start
        self._play_locks(self.lock_tables)

    def warm_start(self, strategy: TableStrategy, iterations: int | None = None) -> None:
        """Refuse: the passes keep no table of what was played before regrets changed."""
        raise InputError(
            f"{self.name} cannot be started from a strategy on its public form; give form history"
        )


def _load(tables: Mapping[str, NDArray[Any]], into: Mapping[str, NDArray[Any]]) -> None:
    for name, table in into.items():
        given = tables[name]
        if given.shape != table.shape or given.dtype != table.dtype:
            raise ValueError(f"the table {name} is of another game or of other numbers")
        table[:] = given
