"""CFR with partial or total pruning on the public form, block by block: memory falls in truth.

solver = PrunedPublicSolver(public_game(Leduc(ranks=13)), "cfr", "simultaneous", Pruning("total"))
solver.run(1000)
solver.table_bytes
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.errors import InputError
from solvent.forms.public import DECISION, FOLDED, MATRIX, RANKED, PublicGame
from solvent.response.exploitability import Evaluation
from solvent.response.public_kernels import Tables
from solvent.response.public_pass import PublicPass
from solvent.response.public_response import evaluate_public
from solvent.solvers import pruned_public_kernels as kernels
from solvent.solvers.cfr import check_options, table_dtype
from solvent.solvers.pruned_public_kernels import CUT, Averages, Behind, Chances, Into, Sums
from solvent.solvers.pruning import Pruning
from solvent.solvers.public_cfr import OnPublicForm
from solvent.solvers.rules import LCFR, CFRPlus, RegretRule, load_rule
from solvent.strategy.arena import Arena
from solvent.strategy.public_infosets import PublicInfosets
from solvent.strategy.strategy import Strategy

Blocks = NDArray[np.int64]
ROOM = 1.1
"""Tables are compacted when their room is so much more than what is stored."""
WAIT = 1.1
"""A block that has returned is not pruned again before so many times the iterations."""
SLACK = {"float64": 1e-9, "float32": 1e-5}


class PrunedPublicSolver(OnPublicForm):
    """CFR, CFR+ or LCFR by block. `run` as often as you like; the average strategy is the result.

    A block (an action on all boards and for all hands) is pruned when that is right for every hand on every
    board. What is stored for its player behind it goes; his averages there wait in an arena of their own until
    they are too small to matter.
    """

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
        updates: str = "simultaneous",
        pruning: Pruning | str = "total",
        dtype: str = "auto",
    ) -> None:
        check_options(updates, dtype)
        self.game, self.updates, self.dtype = game, updates, table_dtype(dtype, game.cells)
        self.rule = load_rule(rule)
        self.pruning = Pruning(pruning) if isinstance(pruning, str) else pruning
        self.pruning.check_rule(self.rule)
        self.total = self.pruning.mode == "total"
        _check(game, self.pruning, updates)
        self.linear, self.floored = isinstance(self.rule, LCFR), isinstance(self.rule, CFRPlus)
        self.iterations = self.walked = self.response_nodes = 0
        self.peak_stored = 1.0
        number = np.dtype(self.dtype)
        names = ("regret", "average", "gap") if self.floored and self.total else ("regret", "average")
        self.live = Arena.full(game.block_sizes, names, number)
        """Regrets and averages of all blocks that are not behind a pruned one, nor pruned."""
        self.frozen = Arena(game.block_sizes, ("average",), number)
        """The averages of the others, as long as they matter."""
        sizes = _node_sizes(game) if self.total else np.zeros(len(game.nodes.symbol), dtype=np.int64)
        self.values = Arena.full(sizes, ("value",), number)
        self.bounds = Arena(sizes, ("bound",), number)
        edges, nodes = len(game.block_sizes), len(game.nodes.symbol)
        self.pruned = np.zeros(edges, dtype=np.uint8)
        self.since = np.zeros(edges, dtype=np.int64)
        """The iteration after which a block was pruned, or has returned."""
        self._pass = PublicPass(game, number)
        self._tree = self._pass.tree._replace(symbol=self._pass.tree.symbol.copy())
        self._owns = tuple(self._tree._replace(symbol=self._tree.symbol.copy()) for _ in range(2))
        """What is behind a player's own pruned blocks cut alone: elsewhere he has averages and regrets."""
        self._downs = tuple(self._tree._replace(symbol=self._tree.symbol.copy()) for _ in range(2))
        """The same for his way down: the other player's nodes are cut where those have nothing stored."""
        self._most, self._failed = np.zeros(nodes), np.zeros(nodes, dtype=np.uint8)
        self._seen = np.zeros(0, dtype=number)
        self._node_sizes = sizes
        self._parent = _parents(game)
        self._order = _order(game, self._parent)
        self._behind = _behind(game, self._parent)
        self._highest = _highest(game, self._pass.tree.stake, self._parent)
        self._chances = _chances(game, number)
        self._possible = tuple(game.possible(level) for level in range(len(game.rounds)))
        self._won = np.zeros(
            (max(len(r.boards) for r in game.rounds), max(r.seats for r in game.rounds)), dtype=number
        )

    # What a run says of itself

    @property
    def notes(self) -> list[str]:
        if self.floored:
            return ["cfr+ with pruning is noisy: an earlier average may have been less exploitable"]
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
        """What the tables hold in memory, the copy that simultaneous updates need among them."""
        return sum(arena.bytes for arena in self._arenas) + self._seen.nbytes

    @property
    def _arenas(self) -> tuple[Arena, Arena, Arena, Arena]:
        return self.live, self.frozen, self.values, self.bounds

    # Solving

    def run(self, iterations: int) -> None:
        """Run so many more iterations."""
        for weights in self.rule.schedule(self.iterations + 1, iterations, self.dtype):
            self.iterations += 1
            t, passes = self.iterations, self._pass
            gain = 0.0 if not self.total else float(t) if self.linear or self.floored else 1.0
            static = (self._tree, self._downs, passes.rounds, passes.spaces)
            rest = (self._chances, passes.above, passes.out)
            self.walked += kernels.play_live(
                *static, self._tables(), weights, self._sums(), gain, self.updates == "alternating", *rest
            )
            if not self.total:
                continue
            if self.linear:
                self._fade(float(weights[0]))
            released = self._settle() if self._failed.any() else False
            if t % self.pruning.every == 0:
                begun = [self._begin(player) for player in (0, 1)]
                self._forget()
                if released or any(begun):
                    self._compact()

    def _fade(self, factor: float) -> None:
        where = (self.live.offset, self.game.block_sizes, self.live.table("regret"))
        for player in (0, 1):
            kernels.fade_cut(self._tree, self._owns[player], *where, player, factor)

    def _settle(self) -> bool:
        """Measure the pruned blocks of nodes whose bounds have come above 0; whether any has returned."""
        nodes = self.game.nodes
        released: list[int] = []
        for node in np.flatnonzero(self._failed).tolist():
            if self.bounds.offset[node] < 0:
                continue
            shape = self._shape(node)
            possible = self._possible[nodes.round[node]][nodes.player[node]]
            value = self.values.block("value", node).reshape(shape)
            bound = np.full(shape, -np.inf)
            for edge in self._edges(node):
                if not self.pruned[edge]:
                    continue
                won = self._respond(edge, writes=False)
                gap = won - value
                slack = SLACK[self.dtype] * (1 + np.abs(value))
                if ((gap < -slack) | ~possible).all():
                    bound = np.maximum(bound, np.where(possible, gap, -1.0))
                else:
                    released.append(int(edge))
                    self._release(int(edge), gap)
            if self.pruned[list(self._edges(node))].any():
                self.bounds.block("bound", node)[:] = bound.ravel()
                self._note_most(node)
            else:
                self.bounds.free([node])
        self._failed[:] = 0
        return bool(released)

    def _release(self, edge: int, gap: NDArray[Any]) -> None:
        """Store a block and all of its player behind it again, with the regrets that the CBR would have had."""
        behind = self._own_behind(edge)
        blocks = np.append(behind[self.live.offset[behind] < 0], edge)
        self.pruned[blocks] = 0
        self.since[edge] = self.iterations
        self.live.grow(blocks)
        self.values.grow(np.unique(self.game.edge_node[blocks]))
        for block in blocks[self.frozen.offset[blocks] >= 0]:
            self.live.block("average", block)[:] = self.frozen.block("average", block)
        self.frozen.free(blocks)
        gone = np.unique(self.game.edge_node[behind])
        self.bounds.free(gone)
        regret = gap.ravel() / self._mean
        self.live.block("regret", edge)[:] = np.maximum(regret, self._floor)
        if "gap" in self.live.names:
            self.live.block("gap", edge)[:] = gap.ravel()
        self._respond(edge, writes=True)
        self._mark()

    def _begin(self, player: int) -> bool:
        """Prune what its CBR could not have made worth playing, from the first actions on; whether anything was."""
        edge_node = self.game.edge_node
        worst, chosen = np.zeros(len(self.pruned)), np.zeros(len(self.pruned), dtype=np.uint8)
        self._add_up(player, worst, chosen)
        level = np.zeros(len(self._parent))
        tree = self._owns[player]
        kernels.largest(tree, self._sums(), self._node_sizes, player, level)
        low = worst < -SLACK[self.dtype] * (1 + level[edge_node])
        low &= (worst > -np.inf) & (self.iterations >= WAIT * self.since)
        begun = np.flatnonzero(kernels.outermost(tree, self._parent, self._own_pruned(player), low))
        if not len(begun):
            return False
        chosen[begun] = 1
        owners = np.unique(edge_node[begun])
        fresh = owners[self.bounds.offset[owners] < 0]
        self.bounds.grow(fresh)
        for node in fresh:
            self.bounds.block("bound", node)[:] = -np.inf
        self._add_up(player, worst, chosen)
        behind = np.unique(np.concatenate([self._own_behind(edge) for edge in begun.tolist()]))
        self.pruned[behind] = 0
        self.pruned[begun] = 1
        self.since[begun] = self.iterations
        blocks = np.append(behind, begun)
        stored = blocks[self.live.offset[blocks] >= 0]
        self.frozen.grow(stored)
        for block in stored:
            self.frozen.block("average", block)[:] = self.live.block("average", block)
        self.live.free(stored)
        gone = np.unique(edge_node[behind])
        self.values.free(gone)
        self.bounds.free(gone)
        for node in owners.tolist():
            self._note_most(node)
        self._mark()
        return True

    def _add_up(self, player: int, worst: NDArray[np.float64], chosen: NDArray[np.uint8]) -> None:
        gap = self.live.table("gap" if "gap" in self.live.names else "regret")
        scale = float(self.iterations + 1) if self.linear else 1.0
        kernels.add_up_regrets(
            self._owns[player], self._pass.rounds, self._possible, self.live.offset, gap, scale, player,
            worst, chosen, self._sums(), self._pass.out,
        )  # fmt: skip

    def _forget(self) -> None:
        """Let go of averages behind blocks that have been pruned for long and were hardly played before."""
        limit = self.pruning.average / math.sqrt(self.iterations) * self._weight
        settled = self.pruned & (self.since <= self.pruning.settled * self.iterations)
        for edge in np.flatnonzero(settled).tolist():
            if self.frozen.offset[edge] >= 0 and self.frozen.block("average", edge).max() <= limit:
                self.frozen.free(np.append(self._own_behind(edge), edge))

    def _compact(self) -> None:
        for arena in self._arenas:
            if arena.capacity > ROOM * arena.stored:
                arena.compact()

    def _respond(self, edge: int, writes: bool) -> NDArray[Any]:
        """sum psi behind a block, by board and seat."""
        nodes = self.game.nodes
        player = int(nodes.player[self.game.edge_node[edge]])
        averages = Averages(
            self.live.offset, self.live.table("average"), self.frozen.offset, self.frozen.table("average")
        )
        into = Into(self.live.offset, self.live.table("regret"), self._mean, self._floor)
        self.response_nodes += kernels.respond(
            self._pass.tree, self._pass.rounds, self._behind, averages, self._weight, player,
            int(nodes.child[edge]), writes, self._sums(), into, self._won,
        )  # fmt: skip
        boards, seats = self._shape(self.game.edge_node[edge])
        return self._won[:boards, :seats].astype(np.float64)

    # What lies where

    def _edges(self, node: int) -> range:
        first = self.game.nodes.first_edge
        return range(first[node], first[node + 1])

    def _shape(self, node: int) -> tuple[int, int]:
        here = self.game.rounds[self.game.nodes.round[node]]
        return len(here.boards), here.seats

    def _own_behind(self, edge: int) -> Blocks:
        """The blocks of a block's own player behind it."""
        nodes = self.game.nodes
        first, last = self._order.place[nodes.child[edge]]
        edges, starts = self._order.blocks[int(nodes.player[self.game.edge_node[edge]])]
        return edges[starts[first] : starts[last]]

    def _own_pruned(self, player: int) -> NDArray[np.uint8]:
        return np.where(self.game.nodes.player[self.game.edge_node] == player, self.pruned, np.uint8(0))

    def _note_most(self, node: int) -> None:
        self._most[node] = max(self._highest[edge] for edge in self._edges(node) if self.pruned[edge])

    def _mark(self) -> None:
        """Cut all nodes behind pruned blocks."""
        whole = self._pass.tree.symbol
        kernels.cut(whole, self._parent, self.pruned, self._tree.symbol)
        for player in (0, 1):
            own, down = self._owns[player].symbol, self._downs[player].symbol
            kernels.cut(whole, self._parent, self._own_pruned(player), own)
            theirs = (self._tree.symbol == CUT) & (self.game.nodes.player != player) & (own == DECISION)
            down[:] = np.where(theirs, CUT, own)

    # What the kernels take

    @property
    def _weight(self) -> float:
        """The weight of all iterations in the average."""
        t = self.iterations
        return t * (t + 1) / 2 if self.linear or self.floored else float(t)

    @property
    def _mean(self) -> float:
        """By how much gaps outweigh regrets."""
        t = self.iterations
        return float(t + 1) if self.linear else (t + 1) / 2 if self.floored else 1.0

    @property
    def _floor(self) -> float:
        return 0.0 if self.floored else -math.inf

    def _tables(self) -> Tables:
        regret, average = self.live.table("regret"), self.live.table("average")
        none = regret[:0]
        if self.updates == "alternating":
            return Tables(self.live.offset, regret, average, none, regret, none)
        if len(self._seen) != len(regret):
            self._seen = np.zeros_like(regret)
        return Tables(self.live.offset, regret, average, none, self._seen, none)

    def _sums(self) -> Sums:
        return Sums(
            self.values.offset,
            self.values.table("value"),
            self.bounds.offset,
            self.bounds.table("bound"),
            self._most,
            self._failed,
            self.live.offset,
            self.live.table("gap") if "gap" in self.live.names else self.live.table("regret")[:0],
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
        """What a checkpoint keeps: every table with all its blocks, and which of them are stored."""
        saved = {name: self._whole(self.live, name) for name in self.live.names if name != "average"}
        offset, average = self._averages()
        saved["average"] = _spread(self.game.block_sizes, offset, average)
        saved["value"] = self._whole(self.values, "value")
        saved["bound"] = self._whole(self.bounds, "bound")
        for name, arena in zip(("live", "frozen", "value", "bound"), self._arenas, strict=True):
            saved[f"{name}_stored"] = arena.offset >= 0
        return saved | {"pruned": self.pruned, "since": self.since}

    def load_tables(self, tables: Mapping[str, NDArray[Any]]) -> None:
        """Take up what a checkpoint has kept; a ValueError if it is not of this game and rule."""
        now = self.saved_tables()
        if any(name not in tables or tables[name].shape != now[name].shape for name in now):
            raise ValueError("tables")
        self.pruned[:], self.since[:] = tables["pruned"], tables["since"]
        for name, arena in zip(("live", "frozen", "value", "bound"), self._arenas, strict=True):
            arena.grow(np.flatnonzero(arena.offset < 0))
            arena.compact()
            arena.load({table: tables[table] for table in arena.names})
            arena.free(np.flatnonzero(~tables[f"{name}_stored"]))
            arena.compact()
        for node in np.flatnonzero(self.bounds.offset >= 0).tolist():
            self._note_most(node)
        self._mark()

    def _whole(self, arena: Arena, name: str) -> NDArray[Any]:
        return _spread(arena.sizes, arena.offset, arena.table(name))

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Go on from tables that were loaded, as they were when a checkpoint said so of itself."""
        self.iterations, self.response_nodes = facts["iterations"], facts["response_nodes"]
        self.walked = facts["nodes_touched"] - self.response_nodes
        self.peak_stored = facts["peak_stored"]

    def warm_start(self, strategy: Strategy, iterations: int | None = None) -> None:
        """Refused: what was played before is not known, and pruning makes up for it."""
        raise InputError(f"a solve with {self.pruning.mode} pruning by block cannot start from a strategy")

    # Results

    def evaluate(self) -> Evaluation:
        """Exploitability and value of the average strategy, by exact best responses."""
        return evaluate_public(self._pass, *self._averages())

    def strategy(self, **facts: Any) -> Strategy:
        """The average strategy."""
        offset, average = self._averages()
        whole = _spread(self.game.block_sizes, offset, average)
        return Strategy(self.name, self.fingerprint, PublicInfosets(self.game), whole, facts)


def _check(game: PublicGame, pruning: Pruning, updates: str) -> None:
    if len(game.rounds) > 2:
        raise InputError(
            f"{game.name} has {len(game.rounds)} rounds; blocks are pruned in games of up to two"
        )
    if pruning.mode == "interval":
        raise InputError(
            "interval pruning keeps what it skips history by history: it runs on the history form; "
            "by block there are partial and total pruning"
        )
    if pruning.mode == "total" and updates != "simultaneous":
        raise InputError(
            "total pruning by block needs the sums that both players have seen of each other: "
            "give simultaneous updates, or the history form"
        )
    if pruning.mode == "total" and (pruning.near or pruning.length != "dynamic"):
        raise InputError("total pruning by block takes exact best responses and dynamic lengths alone")


class Order(NamedTuple):
    """All nodes depth first, later rounds behind their deals: what lies behind a node is a slice."""

    place: NDArray[np.int64]
    """int64[nodes, 2]: that slice."""
    blocks: tuple[tuple[Blocks, NDArray[np.int64]], tuple[Blocks, NDArray[np.int64]]]
    """By player: his blocks in this order, and how many of them come before each place."""


def _order(game: PublicGame, parent: NDArray[np.int64]) -> Order:
    nodes = game.nodes
    size = len(nodes.symbol)
    count = np.ones(size, dtype=np.int64)
    for node in range(size - 1, 0, -1):
        count[parent[node, 0]] += count[node]
    first = np.zeros(size, dtype=np.int64)
    taken = np.ones(size, dtype=np.int64)
    for node in range(1, size):
        up = parent[node, 0]
        first[node] = first[up] + taken[up]
        taken[up] += count[node]
    sequence = np.argsort(first)
    actions = np.diff(nodes.first_edge)
    blocks = []
    for player in (0, 1):
        mine = np.where((nodes.symbol == DECISION) & (nodes.player == player), actions, 0)[sequence]
        starts = np.concatenate([[0], np.cumsum(mine)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], mine)
        blocks.append((np.repeat(nodes.first_edge[:-1][sequence], mine) + within, starts))
    return Order(np.stack([first, first + count], axis=1), (blocks[0], blocks[1]))


def _parents(game: PublicGame) -> NDArray[np.int64]:
    """The node before each node, and the edge that leads here, -1 behind a deal: int64[nodes, 2]."""
    nodes = game.nodes
    parent = np.full((len(nodes.symbol), 2), -1, dtype=np.int64)
    parent[nodes.child, 0] = game.edge_node
    parent[nodes.child, 1] = np.arange(len(nodes.child))
    for here in game.rounds[1:]:
        for subtree in here.subtrees:
            parent[subtree.start] = subtree.deal, -1
    return parent


def _behind(game: PublicGame, parent: NDArray[np.int64]) -> Behind:
    nodes = game.nodes
    size = len(nodes.symbol)
    stop = np.arange(1, size + 1, dtype=np.int64)
    last = np.full((2, size), -1, dtype=np.int64)
    for node in range(1, size):
        up, edge = parent[node]
        last[:, node] = last[:, up]
        if edge >= 0:
            last[1 - nodes.player[up], node] = edge
    for node in range(size - 1, 0, -1):
        up, edge = parent[node]
        if edge >= 0:
            stop[up] = max(stop[up], stop[node])
    return Behind(stop, last, nodes.round.astype(np.int64), game.edge_node.astype(np.int64))


def _highest(game: PublicGame, stake: NDArray[np.float64], parent: NDArray[np.int64]) -> NDArray[np.float64]:
    """The most that the player of each edge can win behind it, times the chance of deal and board of its round.

    A showdown can be won; everything else pays what it pays.
    """
    nodes = game.nodes
    chance = np.cumprod([here.probability for here in game.rounds]) * game.deal_scale
    top = np.full((2, len(nodes.symbol)), -np.inf)
    ends = nodes.symbol >= 0
    signs = _signs(game)
    for player in (0, 1):
        won = stake[player, ends] / chance[nodes.round[ends]]
        top[player, ends] = np.where(signs[nodes.symbol[ends]], np.abs(won), won)
    for node in range(len(nodes.symbol) - 1, 0, -1):
        up = parent[node, 0]
        top[:, up] = np.maximum(top[:, up], top[:, node])
    owner = nodes.player[game.edge_node]
    return np.asarray(top[owner, nodes.child] * chance[nodes.round[game.edge_node]])


def _signs(game: PublicGame) -> NDArray[np.bool_]:
    """Whether a symbol can go either way."""
    symbols = int(game.nodes.symbol.max()) + 1
    either = np.ones(max(symbols, RANKED + 1), dtype=np.bool_)
    either[FOLDED] = False
    for symbol in range(MATRIX, symbols):
        used = game.matrix[np.unique(game.matrix_of[symbol])]
        either[symbol] = bool((used < 0).any())
    return either


def _chances(game: PublicGame, dtype: np.dtype[Any]) -> Chances:
    if game.sorted_hands:
        return Chances(np.zeros((2, 0, 1, 1), dtype=dtype), np.zeros(len(game.rounds), dtype=np.int64))
    found = [matrix for level in range(len(game.rounds)) for matrix in game.chances(level)]
    first = np.cumsum([0] + [len(here.boards) for here in game.rounds[:-1]])
    matrix = np.array(found)
    both = np.stack([matrix.transpose(0, 2, 1), matrix])
    return Chances(np.ascontiguousarray(both, dtype=dtype), first.astype(np.int64))


def _spread(sizes: NDArray[np.int64], offset: Blocks, table: NDArray[Any]) -> NDArray[Any]:
    """A table with all its blocks in order, 0 where one is not stored."""
    ends = np.cumsum(sizes)
    whole = np.zeros(int(ends[-1]) if len(ends) else 0, dtype=table.dtype)
    for block in np.flatnonzero(offset >= 0):
        start = ends[block] - sizes[block]
        whole[start : ends[block]] = table[offset[block] : offset[block] + sizes[block]]
    return whole


def _node_sizes(game: PublicGame) -> NDArray[np.int64]:
    """Infosets of each node, on all boards; 0 where nobody acts."""
    per_round = np.array([len(here.boards) * here.seats for here in game.rounds], dtype=np.int64)
    return np.where(game.nodes.symbol == DECISION, per_round[game.nodes.round], 0)
