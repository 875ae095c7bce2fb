"""A slow twin of the hold'em form: values, best responses and CFR by recursion over betting, boards and hands.

It reads the rules alone: the betting tree, both ranges, the deck and the deals. Every board is dealt, no two boards
are joined, every terminal is a matrix over pairs of hands, and a run-out lists all boards to come. A strategy is a
function (node, board, player's hands) that gives a row of probabilities for each action; `Table` is one kept by
decision and board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.hands import hole_cards
from solvent.engines.rules import load_rule
from solvent.games.public_rules import FOLD, Betting, terminal_payoffs

Array = NDArray[np.float64]
Board = tuple[int, ...]
Place = tuple[Betting, Board]
"""A node of the betting tree on a board."""
Table = dict[Place, Array]
"""Numbers by action and hand of the player to act at each decision on each board."""
Play = Callable[[Betting, Board], Array]
"""The strategy at a decision on a board: probabilities, float64[actions, hands of the player]."""

NOTHING = 1.2e-38
"""Positive regrets that sum to no more than this count as none."""


def uniform(twin: Twin) -> Play:
    """Every action of every hand with the same probability."""
    return lambda node, board: np.full(
        (len(node.actions), len(twin.hands[node.player])), 1 / len(node.actions)
    )


def matched(table: Mapping[Place, Array]) -> Play:
    """Play in proportion to the positive numbers of a table, uniformly where there are none."""

    def play(node: Betting, board: Board) -> Array:
        positive = np.maximum(table[node, board], 0)
        total = positive.sum(axis=0)
        shares = positive / np.where(total > NOTHING, total, 1)
        return np.where(total > NOTHING, shares, 1 / len(node.actions))

    return play


class Twin:
    """A spot or no-limit game, with locks by decision: probabilities by action and hand, NaN where not locked."""

    def __init__(self, rules: Any, locks: Mapping[Betting, Array] | None = None) -> None:
        self.rules, self.locks = rules, dict(locks or {})
        numbers = [np.flatnonzero(weights) for weights in rules.range_weights]
        self.hands = [[tuple(hole_cards()[hand].tolist()) for hand in held] for held in numbers]
        given = rules.range_weights
        self.weights = [given[player][numbers[player]] / given[player].max() for player in (0, 1)]
        self.apart = np.array(
            [[not set(mine) & set(yours) for yours in self.hands[1]] for mine in self.hands[0]]
        )
        self.scale = 1 / (self.apart * np.outer(*self.weights)).sum()
        self._shown: dict[Board, Sequence[Array]] = {}
        self._possible: dict[tuple[int, Board], NDArray[np.bool_]] = {}
        self._paid: dict[tuple[Betting, Board, int], Array] = {}

    # Cards

    def boards_after(self, board: Board) -> list[Board]:
        """The boards that the next deal makes, whatever the hands are."""
        left = [card for card in sorted(self.rules.deck) if card not in board]
        return [board + cards for cards in combinations(left, self._deal(board))]

    def _deal(self, board: Board) -> int:
        """The number of cards that the next deal adds."""
        dealt, more = len(self.rules.root_board), iter(self.rules.deals)
        while dealt < len(board):
            dealt += next(more)
        return int(next(more))

    def chance(self, board: Board) -> float:
        """The probability of each board that may come next, given both hands."""
        return 1 / comb(len(self.rules.deck) - len(board) - 4, self._deal(board))

    def possible(self, player: int, board: Board) -> NDArray[np.bool_]:
        """The hands of a player that the board leaves possible."""
        if (player, board) not in self._possible:
            free = [not set(hand) & set(board) for hand in self.hands[player]]
            self._possible[player, board] = np.array(free)
        return self._possible[player, board]

    @cached_property
    def _strength(self) -> dict[frozenset[int], Sequence[NDArray[np.int64]]]:
        """The strengths of both players' hands on every last board."""
        root = tuple(self.rules.root_board)
        left = [card for card in sorted(self.rules.deck) if card not in root]
        boards = [root + cards for cards in combinations(left, sum(self.rules.deals))]
        by_player = [self.rules.strengths(boards, hands) for hands in self.hands]
        return {frozenset(board): [held[k] for held in by_player] for k, board in enumerate(boards)}

    def shown(self, board: Board) -> Sequence[Array]:
        """The probability, given both hands, that player 0 wins, ties and loses at a showdown after this board.

        Three matrices of a row for each hand of player 0 and a column for each of player 1; 0 for pairs of hands
        that share a card with each other or with the board.
        """
        if board not in self._shown:
            to_come = sum(self.rules.deals) + len(self.rules.root_board) - len(board)
            left = [card for card in self.rules.deck if card not in board]
            found = np.zeros((3, *self.apart.shape))
            for cards in combinations(left, to_come):
                last = board + cards
                first, second = self._strength[frozenset(last)]
                live = self.apart & self.possible(0, last)[:, None] & self.possible(1, last)
                difference = np.sign(first[:, None] - second)
                found += [live & (difference == sign) for sign in (1, 0, -1)]
            self._shown[board] = found / comb(len(left) - 4, to_come)
        return self._shown[board]

    # Payoffs

    def terminal(self, node: Betting, board: Board, player: int) -> Array:
        """A player's payoff at a terminal by both hands, the player's in rows; 0 where they cannot meet."""
        place = node, board, player
        if place not in self._paid:
            self._paid[place] = self._terminal(*place)
        return self._paid[place]

    def _terminal(self, node: Betting, board: Board, player: int) -> Array:
        if node.symbol == FOLD:
            live = self.apart & self.possible(0, board)[:, None] & self.possible(1, board)
            paid = live * terminal_payoffs(node.stake, node.rake, 1)[player]
        else:
            each = [terminal_payoffs(node.stake, node.rake, sign)[player] for sign in (1, 0, -1)]
            paid = sum(pays * share for pays, share in zip(each, self.shown(board), strict=True))
        return paid if player == 0 else paid.T

    # Values

    def values(self, player: int, play: Play, respond: bool = False) -> dict[Place, Array]:
        """A player's counterfactual values by hand at every node on every board.

        They are weighted by the other's range and reach and by the chance of the deal and the board. With `respond`
        the player takes the best action with every hand that is not locked.
        """
        found: dict[Place, Array] = {}

        def own(node: Betting, board: Board, values: Array) -> Array:
            played = self.locked(node, play(node, board))
            expected = (played * values).sum(axis=0)
            if not respond:
                return expected
            locked = np.isfinite(self.locks[node]).all(axis=0) if node in self.locks else False
            return np.where(locked, expected, values.max(axis=0))

        def other(node: Betting, board: Board, reach: Array) -> Array:
            return reach * self.locked(node, play(node, board))

        self.walk(player, own, other, found)
        return found

    def locked(self, node: Betting, played: Array) -> Array:
        """Numbers of a decision with those of locked hands replaced."""
        lock = self.locks.get(node)
        return played if lock is None else np.where(np.isfinite(lock), lock, played)

    def walk(self, player: int, own: Any, other: Any, found: dict[Place, Array]) -> None:
        """Walk all nodes and boards with the other's reach; `own` and `other` say what happens at decisions."""

        def below(node: Betting, board: Board, reach: Array, chance: float) -> Array:
            if node.symbol is not None:
                values = chance * self.terminal(node, board, player) @ reach
            elif node.deals and (end := run_out(node)) is not None:
                values = chance * self.terminal(end, board, player) @ reach
            elif node.deals:
                values = np.zeros(len(self.hands[player]))
                for after in self.boards_after(board):
                    left = reach * self.possible(1 - player, after)
                    come = below(node.children[0], after, left, chance * self.chance(board))
                    values = values + come * self.possible(player, after)
            elif node.player == player:
                each = [below(child, board, reach, chance) for child in node.children]
                values = own(node, board, np.array(each))
            else:
                shares = other(node, board, reach)
                pairs = zip(node.children, shares, strict=True)
                values = np.sum([below(child, board, share, chance) for child, share in pairs], axis=0)
            found[node, board] = values
            return values

        below(self.rules.betting, tuple(self.rules.root_board), self.weights[1 - player], self.scale)

    def value(self, player: int, play: Play, respond: bool = False) -> float:
        """A player's winnings, in chips."""
        root = self.rules.betting, tuple(self.rules.root_board)
        return float(self.weights[player] @ self.values(player, play, respond)[root])

    def exploitability(self, play: Play) -> float:
        """Half of what both players gain by best responses."""
        gains = [self.value(player, play, True) - self.value(player, play) for player in (0, 1)]
        return sum(gains) / 2

    def meetings(self, player: int) -> Array:
        """The weight of the other's hands that each hand of a player may meet, as a probability of the deal."""
        apart = self.apart if player == 0 else self.apart.T
        return np.asarray(self.scale * (apart @ self.weights[1 - player]))

    def equities(self, player: int) -> Array:
        """The share of the pot that each hand of a player wins if both check down; NaN where it can meet nobody."""
        won, tied, lost = self.shown(tuple(self.rules.root_board))
        share = won + tied / 2 if player == 0 else (lost + tied / 2).T
        with np.errstate(invalid="ignore"):
            return np.asarray(self.scale * (share @ self.weights[1 - player]) / self.meetings(player))

    def equity(self, player: int) -> float:
        """The share of the pot that a player wins if both check down."""
        dealt = self.weights[player] * self.meetings(player)
        return float((dealt * np.nan_to_num(self.equities(player))).sum())

    def places(self) -> Iterator[Place]:
        """Every decision on every board."""

        def below(node: Betting, board: Board) -> Iterator[Place]:
            if node.deals and run_out(node) is None:
                for after in self.boards_after(board):
                    yield from below(node.children[0], after)
            elif node.actions:
                yield node, board
                for child in node.children:
                    yield from below(child, board)

        return below(self.rules.betting, tuple(self.rules.root_board))


class TwinSolver:
    """CFR on a twin: while one player updates regrets the other's average grows by weight x reach x play."""

    def __init__(self, twin: Twin, rule: str = "dcfr(1.5,0,3)") -> None:
        self.twin, self.rule = twin, load_rule(rule)
        self.regret: Table = {}
        self.average: Table = {}
        for node, board in twin.places():
            for table in (self.regret, self.average):
                table[node, board] = np.zeros((len(node.actions), len(twin.hands[node.player])))

    def run(self, iterations: int) -> None:
        """Run the first iterations."""
        for t in range(1, iterations + 1):
            for player in (0, 1):
                self.update(player, t)

    def update(self, player: int, t: int) -> None:
        """A player's half of iteration t."""
        weights, play = self.rule.weights(t), matched(self.regret)
        for table in self.average.values():
            table *= weights.keep if player == 0 else 1

        def own(node: Betting, board: Board, values: Array) -> Array:
            # Values are measured from the first action's, so that actions of equal value have no regret at all.
            above = values - values[0]
            gain = (self.twin.locked(node, play(node, board)) * above).sum(axis=0)
            total = self.regret[node, board] + (above - gain)
            total = total * np.where(total > 0, weights.positive, weights.negative)
            self.regret[node, board] = self.twin.locked(node, np.maximum(total, weights.floor))
            return np.asarray(values[0] + gain)

        def other(node: Betting, board: Board, reach: Array) -> Array:
            shares = reach * self.twin.locked(node, play(node, board))
            grown = self.average[node, board] + weights.average * shares
            self.average[node, board] = self.twin.locked(node, grown)
            return shares

        self.twin.walk(player, own, other, {})

    @property
    def play(self) -> Play:
        """The average strategy."""
        return matched(self.average)


def run_out(node: Betting) -> Betting | None:
    """The showdown that a chain of deals ends in; None where a decision comes first."""
    while node.deals:
        node = node.children[0]
    return None if node.actions else node


def decisions(node: Betting) -> Iterable[Betting]:
    """All decisions at and below a node."""
    if node.actions:
        yield node
    for child in node.children:
        yield from decisions(child)
