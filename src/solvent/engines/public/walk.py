"""The serial and branched plans on a public game: its histories are walked depth first, one scalar at a time.

Memory is that of the tables and of the depth. Branched gives each thread some of the traverser's hands; what
they find belongs to different infosets, so nothing is added up and the number of threads changes nothing.

Hands are dealt, then the betting tree is walked, and boards are dealt at its deal nodes. A *position* is one
player's situation with one hand in one subtree on one board. The numbers of its edges lie together, so that a walk
over the subtree reads a few cache lines:

    cell = first[subtree] + ((hand x boards) + board) x edges + edge within the subtree
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.engines.public.kernels import Tables
from solvent.engines.schedule import NEXT_PREDICTION, PREDICTION
from solvent.engines.vectors.matching import expected_regret, gain_of, instantaneous, share_of, updated
from solvent.forms.public.game import DEAL, DECISION, FOLDED, MATRIX, RANKED, PublicGame
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import compiled, internal_compiled
from solvent.foundation.kernels.threads import in_pieces

Array = Any

CHUNKS_PER_THREAD = 4


class Walk(NamedTuple):
    """A public game of one or two rounds as the walk reads it."""

    symbol: Array
    player: Array
    parent: Array
    """int32[nodes]: the node one action earlier inside the subtree; a root is its own."""
    edge: Array
    """int32[nodes]: the action that led here, counted inside the subtree."""
    first_edge: Array
    """int64[nodes, 2]: a decision's first edge and one past its last, counted inside the subtree."""
    stake: Array
    """float64[2, nodes]: what each player wins where the symbol says 1, times the chance of deal and board."""
    subtree: Array
    """int64[subtrees, 4]: first node, one past the last, number of edges, first cell."""
    behind: Array
    """int64[nodes]: the subtree behind a deal node, else -1."""
    slot: Array
    """int32[boards of the last round, hands]: -1 where the board blocks the hand."""
    tie: Array
    """int32[boards of the last round, slots]"""
    matrix: Array
    """float64[matrices, hands, hands]"""
    matrix_of: Array
    possible: Array
    """bool[boards of the last round, hands, hands]: what can be dealt; empty where slots say it."""
    weight: Array
    """float64[hands, hands]: product of the ranges, 0 where the hands cannot be dealt together."""


class Deal(NamedTuple):
    """Two hands, and the player for whom they are walked."""

    first: int
    """Player 0's hand."""
    second: int
    """Player 1's hand."""
    player: int


class Path(NamedTuple):
    """One thread's scratch for the nodes of a subtree, float64[nodes] each."""

    down: Array
    """The reach of all but the traverser."""
    up: Array
    """The traverser's value times that reach."""


class Learned(NamedTuple):
    """The tables by position."""

    regret: Array
    average: Array
    last: Array
    """The last instantaneous regrets; empty where the rule predicts nothing."""
    value: Array
    """Sums of v(I), weighted like the average, at a node's first edge; empty where none are kept."""


class HistoryWalk:
    """Iterations on a public game, one scalar history at a time."""

    def __init__(self, game: PublicGame, threads: int = 1) -> None:
        if len(game.rounds) > 2:
            raise InputError(
                f"{game.name} has {len(game.rounds)} rounds; its histories can be walked up to two"
            )
        if game.isomorphism:
            raise InputError("the serial and branched plans walk every board; they need isomorphism off")
        self.game, self.threads = game, threads
        self.walk, self.cells = _walk(game)

    def iterate(self, tables: Tables, schedule: NDArray[np.float64], alternating: bool) -> None:
        """Run one iteration of a regret rule for each row of `schedule`."""
        if len(schedule) == 0:
            return
        kept = (tables.regret, tables.average, tables.last, tables.value)
        learned = Learned(*map(self._gather, kept))
        sigma, value = np.zeros(self.cells), np.zeros(self.cells)
        match_hands(self.walk, schedule[0, PREDICTION], learned, sigma)
        for weights in schedule:
            if not alternating:
                # A position is one player's: both find room in one table of values.
                self._walk(0, sigma, value)
                self._walk(1, sigma, value)
            for player in (0, 1):
                if alternating:
                    self._walk(player, sigma, value)
                update_hands(self.walk, player, weights, learned, sigma, value)
        for table, walked in zip(kept, learned, strict=True):
            self._scatter(table, walked)

    def _walk(self, player: int, sigma: NDArray[np.float64], value: NDArray[np.float64]) -> None:
        hands = len(self.game.hands)
        if self.threads == 1:
            walk_deals(self.walk, player, sigma, value, 0, hands)
            return
        cuts = np.linspace(0, hands, self.threads * CHUNKS_PER_THREAD + 1).astype(int)
        in_pieces(
            lambda cut, _, room: walk_deals(self.walk, player, sigma, value, cuts[cut], cuts[cut + 1]),
            len(cuts) - 1,
            1,
            [None] * self.threads,
        )

    # Between blocks, [board][slot], and positions, [hand][board][edge]

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The places of the blocks' numbers, all present and in order, among the positions."""
        game, walk = self.game, self.walk
        found = []
        for edge, node in enumerate(game.edge_node):
            here = game.rounds[game.nodes.round[node]]
            s = int(np.searchsorted(walk.subtree[:, 0], node, side="right")) - 1
            start, _, edges, first = walk.subtree[s]
            boards = np.arange(len(here.boards))[:, None]
            position = here.hand.astype(np.int64) * len(here.boards) + boards
            found.append((first + position * edges + edge - game.nodes.first_edge[start]).ravel())
        return np.concatenate(found)

    def _gather(self, table: NDArray[Any]) -> NDArray[Any]:
        """A table by position, in its own number type: how a run is cut into calls must round nothing."""
        walked = np.zeros(self.cells if len(table) else 0, dtype=table.dtype)
        if len(table):
            walked[self.places] = table
        return walked

    def _scatter(self, table: NDArray[Any], walked: NDArray[Any]) -> None:
        if len(table):
            table[:] = walked[self.places]


def _walk(game: PublicGame) -> tuple[Walk, int]:
    """Lay the game out as the walk reads it; also the number of its positions' cells."""
    nodes = game.nodes
    size = len(nodes.symbol)
    parent, edge = np.arange(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    first_edge = np.zeros((size, 2), dtype=np.int64)
    behind = np.full(size, -1, dtype=np.int64)
    subtree, cells = [], 0
    everything = [(level, s) for level, here in enumerate(game.rounds) for s in here.subtrees]
    for number, (level, s) in enumerate(everything):
        begin, end = int(nodes.first_edge[s.start]), int(nodes.first_edge[s.stop])
        for node in np.flatnonzero(nodes.symbol[s.start : s.stop] == DECISION) + s.start:
            first, last = nodes.first_edge[node], nodes.first_edge[node + 1]
            first_edge[node] = first - begin, last - begin
            for k in range(first, last):
                parent[nodes.child[k]], edge[nodes.child[k]] = node, k - begin
        if s.deal >= 0:
            behind[s.deal] = number
        subtree.append((s.start, s.stop, end - begin, cells))
        cells += (end - begin) * len(game.hands) * len(game.rounds[level].boards)
    last_round = game.rounds[-1]
    slot = np.full((len(last_round.boards), len(game.hands)), -1, dtype=np.int32)
    np.put_along_axis(slot, last_round.hand, np.arange(last_round.slots, dtype=np.int32)[None], axis=1)
    scale = np.cumprod([here.probability for here in game.rounds]) * game.deal_scale
    stake = nodes.stake * scale[nodes.round]
    return Walk(
        symbol=nodes.symbol,
        player=nodes.player,
        parent=parent,
        edge=edge,
        first_edge=first_edge,
        stake=np.stack([stake, np.where(nodes.symbol == RANKED, stake, -stake)]),
        subtree=np.array(subtree, dtype=np.int64),
        behind=behind,
        slot=slot,
        tie=last_round.tie,
        matrix=game.matrix,
        matrix_of=game.matrix_of,
        possible=_possible(game),
        weight=_pair_weights(game),
    ), cells


def _pair_weights(game: PublicGame) -> NDArray[np.float64]:
    """Multiply the ranges for pairs of hands that can be dealt together, else 0."""
    if not game.sorted_hands:
        possible: NDArray[np.float64] = (np.abs(game.matrix).sum(axis=0) > 0).astype(np.float64)
        return possible
    cards = np.array([game.rules.hole_cards(hand) for hand in game.hands])
    shared = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    weights: NDArray[np.float64] = np.where(shared, 0.0, game.ranges[0][:, None] * game.ranges[1][None, :])
    return weights


def _possible(game: PublicGame) -> NDArray[np.bool_]:
    """Find the boards that can follow each pair of hands, where matrices tell: bool[boards, hands, hands]."""
    if game.sorted_hands:
        return np.zeros((0, 0, 0), dtype=np.bool_)
    last = len(game.rounds) - 1
    ends = np.unique(game.nodes.symbol[(game.nodes.round == last) & (game.nodes.symbol >= MATRIX)])
    boards = range(len(game.rounds[last].boards))
    return np.array([(np.abs(game.matrix[game.matrix_of[ends, b]]).sum(axis=0) > 0) for b in boards])


@internal_compiled
def walk_last(walk, s, board, deal, sign, reach, sigma, value, path):  # type: ignore[no-untyped-def]
    """Depth first through one subtree without deals; the traverser's value at its root times the others' reach.

    What arrives through each of the traverser's edges is added to `value`. `sign` is who wins a showdown.
    """
    first, second, player = deal
    down, up = path
    start, stop, edges, cells = walk.subtree[s, 0], walk.subtree[s, 1], walk.subtree[s, 2], walk.subtree[s, 3]
    mine = first if player == 0 else second
    yours = second if player == 0 else first
    boards = len(walk.slot)
    own = cells + (mine * boards + board) * edges
    other = cells + (yours * boards + board) * edges
    weight = walk.weight[first, second]
    down[0] = reach
    up[0] = 0.0
    for node in range(start + 1, stop):
        k = node - start
        above = walk.parent[node]
        arrived = down[above - start]
        if walk.player[above] != player:
            arrived *= sigma[other + walk.edge[node]]
        down[k] = arrived
        symbol = walk.symbol[node]
        if symbol == DECISION:
            up[k] = 0.0
        elif symbol == RANKED:
            up[k] = arrived * walk.stake[player, node] * sign
        elif symbol == FOLDED:
            up[k] = arrived * walk.stake[player, node] * weight
        else:
            won = walk.matrix[walk.matrix_of[symbol, board], first, second]
            up[k] = arrived * walk.stake[player, node] * won
    for node in range(stop - 1, start, -1):
        below = up[node - start]
        above = walk.parent[node]
        if walk.player[above] == player:
            at = own + walk.edge[node]
            value[at] += below
            below *= sigma[at]
        up[above - start] += below
    return up[0]


@internal_compiled
def walk_deal(walk, deal, sigma, value, path, last_path, open_boards):  # type: ignore[no-untyped-def]
    """Walk all histories of one pair of hands."""
    first, second, player = deal
    down, up = path
    if len(walk.subtree) == 1:
        walk_last(walk, 0, 0, deal, 0.0, 1.0, sigma, value, path)
        return
    count = 0
    for board in range(len(walk.slot)):
        possible = walk.slot[board, first] >= 0 and walk.slot[board, second] >= 0
        if len(walk.possible):
            possible = walk.possible[board, first, second]
        if possible:
            open_boards[count] = board
            count += 1
    stop, edges = walk.subtree[0, 1], walk.subtree[0, 2]
    mine = first if player == 0 else second
    yours = second if player == 0 else first
    own = walk.subtree[0, 3] + mine * edges
    other = walk.subtree[0, 3] + yours * edges
    down[0] = 1.0
    up[0] = 0.0
    for node in range(1, stop):
        above = walk.parent[node]
        arrived = down[above]
        if walk.player[above] != player:
            arrived *= sigma[other + walk.edge[node]]
        down[node] = arrived
        symbol = walk.symbol[node]
        total = 0.0
        if symbol == DEAL:
            s = walk.behind[node]
            for k in range(count):
                board = open_boards[k]
                sign = 0.0
                if walk.tie.shape[1] > 0:
                    sign = outcome_ranked(walk, board, deal)
                total += walk_last(walk, s, board, deal, sign, arrived, sigma, value, last_path)
        elif symbol != DECISION:
            won = walk.weight[first, second]
            if symbol != FOLDED:
                won = walk.matrix[walk.matrix_of[symbol, 0], first, second]
            total = arrived * walk.stake[player, node] * won
        up[node] = total
    for node in range(stop - 1, 0, -1):
        below = up[node]
        above = walk.parent[node]
        if walk.player[above] == player:
            at = own + walk.edge[node]
            value[at] += below
            below *= sigma[at]
        up[above] += below


@internal_compiled
def outcome_ranked(walk, board, deal):  # type: ignore[no-untyped-def]
    """Whether the traverser's hand wins a showdown (1), loses it (-1) or ties (0), times the hands' weight."""
    first, second, player = deal
    mine = walk.tie[board, walk.slot[board, first]]
    yours = walk.tie[board, walk.slot[board, second]]
    sign = 1.0 if mine > yours else (-1.0 if mine < yours else 0.0)
    return walk.weight[first, second] * (sign if player == 0 else -sign)


@internal_compiled
def most_nodes(walk):  # type: ignore[no-untyped-def]
    """The size of the largest subtree."""
    nodes = 1
    for s in range(len(walk.subtree)):
        nodes = max(nodes, walk.subtree[s, 1] - walk.subtree[s, 0])
    return nodes


@compiled
def walk_deals(walk, player, sigma, value, from_hand, to_hand):  # type: ignore[no-untyped-def]
    """Walk all histories in which the player holds one of the hands from_hand..to_hand-1."""
    nodes = most_nodes(walk)
    path, last_path = Path(np.empty(nodes), np.empty(nodes)), Path(np.empty(nodes), np.empty(nodes))
    open_boards = np.empty(len(walk.slot), dtype=np.int64)
    for mine in range(from_hand, to_hand):
        for yours in range(walk.weight.shape[0]):
            first = mine if player == 0 else yours
            second = yours if player == 0 else mine
            if walk.weight[first, second] != 0.0:
                deal = Deal(first, second, player)
                walk_deal(walk, deal, sigma, value, path, last_path, open_boards)


@internal_compiled
def match_position(walk, s, player, base, prediction, learned, sigma):  # type: ignore[no-untyped-def]
    """Regret matching at all of a player's nodes of one position."""
    for node in range(walk.subtree[s, 0], walk.subtree[s, 1]):
        if walk.symbol[node] != DECISION or walk.player[node] != player:
            continue
        begin = base + walk.first_edge[node, 0]
        end = base + walk.first_edge[node, 1]
        total = 0.0
        for cell in range(begin, end):
            sigma[cell] = max(expected_regret(learned.regret, learned.last, cell, prediction), 0.0)
            total += sigma[cell]
        for cell in range(begin, end):
            sigma[cell] = share_of(sigma[cell], total, 1.0 / (end - begin))


@internal_compiled
def update_position(walk, s, player, base, weights, reach, learned, sigma, value, own):  # type: ignore[no-untyped-def]
    """Average and regrets at all of a player's nodes of one position; `own` receives the player's reach of each."""
    regret, average, last, sums = learned
    start = walk.subtree[s, 0]
    own[0] = reach
    for node in range(start, walk.subtree[s, 1]):
        if node > start:
            above = walk.parent[node]
            own[node - start] = own[above - start]
            if walk.player[above] == player:
                own[node - start] *= sigma[base + walk.edge[node]]
    for node in range(start, walk.subtree[s, 1]):
        if walk.symbol[node] != DECISION or walk.player[node] != player:
            continue
        begin = base + walk.first_edge[node, 0]
        end = base + walk.first_edge[node, 1]
        origin, gain = value[begin], gain_of(sigma, value, begin, end)
        if len(sums) > 0:
            sums[begin] += weights[3] * (origin + gain)
        for cell in range(begin, end):
            average[cell] += weights[3] * own[node - start] * sigma[cell]
            gained = instantaneous(value[cell], origin, gain)
            regret[cell] = updated(regret[cell], gained, weights[0], weights[1], weights[2])
            if weights[4] != 0.0:
                last[cell] = gained
            value[cell] = 0.0


@compiled
def update_hands(walk, player, weights, learned, sigma, value):  # type: ignore[no-untyped-def]
    """Update all of a player's positions after the player's walk, and match their regrets."""
    nodes = most_nodes(walk)
    own, own_last = np.empty(nodes), np.empty(nodes)
    boards = len(walk.slot)
    for hand in range(len(walk.weight)):
        base = walk.subtree[0, 3] + hand * walk.subtree[0, 2]
        update_position(walk, 0, player, base, weights, 1.0, learned, sigma, value, own)
        match_position(walk, 0, player, base, weights[NEXT_PREDICTION], learned, sigma)
        for node in range(walk.subtree[0, 1]):
            s = walk.behind[node]
            if s < 0:
                continue
            for board in range(boards):
                if walk.slot[board, hand] >= 0:
                    base = walk.subtree[s, 3] + (hand * boards + board) * walk.subtree[s, 2]
                    update_position(
                        walk, s, player, base, weights, own[node], learned, sigma, value, own_last
                    )
                    match_position(walk, s, player, base, weights[NEXT_PREDICTION], learned, sigma)


@compiled
def match_hands(walk, prediction, learned, sigma):  # type: ignore[no-untyped-def]
    """Regret matching everywhere."""
    boards = len(walk.slot)
    for player in range(2):
        for hand in range(len(walk.weight)):
            for s in range(len(walk.subtree)):
                for board in range(boards if s > 0 else 1):
                    base = walk.subtree[s, 3] + (hand * boards + board) * walk.subtree[s, 2]
                    if s == 0:
                        base = walk.subtree[0, 3] + hand * walk.subtree[0, 2]
                    match_position(walk, s, player, base, prediction, learned, sigma)
