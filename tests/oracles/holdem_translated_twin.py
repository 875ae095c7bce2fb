"""A slow twin of carrying strategies over to a larger tree: recursion over histories, boards and dictionaries.

It follows one player down the large tree. `Belief`s say which nodes of the small tree the player may take the true
node for, with a weight for each hand of the player.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracles.holdem_twin import Array, Board, Play, Table, Twin
from solvent.games.public_rules import Betting


@dataclass(frozen=True)
class Chips:
    """Chips that both have put in before this street and on it."""

    before: int = 0
    paid: tuple[int, int] = (0, 0)
    street: int = 0

    def after(self, player: int, action: str) -> Chips:
        now = list(self.paid)
        word, _, amount = action.partition(" ")
        now[player] = int(amount) if amount else now[1 - player] if word == "call" else now[player]
        return Chips(self.before, (now[0], now[1]), self.street)

    def part(self, player: int, action: str, pot: int) -> float:
        """A bet's part of the pot after calling."""
        faced = self.before + self.paid[1 - player]
        return (self.before + int(action.split()[1]) - faced) / (pot + 2 * faced)

    def dealt(self) -> Chips:
        return Chips(self.before + self.paid[0], (0, 0), self.street + 1)


@dataclass(frozen=True)
class Belief:
    """A node of the small tree that the player may be at; None if that hand is over."""

    node: Betting | None
    chips: Chips


Beliefs = dict[Belief, Array]


class TranslatedTwin:
    """A small tree's strategy as it plays in a larger one, times the player's reach, by decision and board."""

    def __init__(self, small: Twin, large: Twin, play: Play, small_bets: str = "check") -> None:
        self.small, self.large, self.play, self.small_bets = small, large, play, small_bets
        self.pot, self.stack = large.rules.pot, large.rules.stack
        self.table: Table = {
            (node, board): np.zeros((len(node.actions), len(large.hands[node.player])))
            for node, board in large.places()
        }
        board = tuple(large.rules.root_board)
        for player in (0, 1):
            start = {Belief(small.rules.betting, Chips()): np.ones(len(large.hands[player]))}
            self.follow(player, large.rules.betting, board, Chips(), start)

    def follow(self, player: int, node: Betting, board: Board, chips: Chips, beliefs: Beliefs) -> None:
        """Go down from a node of the large tree."""
        if node.symbol is not None:
            return
        if node.deals:
            child = node.children[0]
            if child.deals or child.symbol is not None:
                return
            for longer in self.large.boards_after(board):
                possible = self.large.possible(player, longer)
                self.follow(
                    player, child, longer, chips.dealt(), {b: w * possible for b, w in beliefs.items()}
                )
            return
        for place, (action, child) in enumerate(zip(node.actions, node.children, strict=True)):
            after: Beliefs = {}
            for belief, weight in beliefs.items():
                if node.player == player:
                    taken = self.own(node, place, chips, belief, board)
                else:
                    taken = self.others(node, action, chips, belief)
                for to, share in taken:
                    after[to] = after.get(to, 0.0) + weight * share
            if node.player == player:
                self.table[node, board][place] = sum(after.values(), np.zeros(len(self.large.hands[player])))
            self.follow(player, child, board, chips.after(node.player, action), after)

    def own(
        self, node: Betting, place: int, chips: Chips, belief: Belief, board: Board
    ) -> list[tuple[Belief, Array]]:
        """The beliefs that follow one if the player takes an action, with their probabilities by hand."""
        hands = len(self.large.hands[node.player])
        passive = next(k for k, action in enumerate(node.actions) if action in ("check", "call"))
        if belief.node is None or belief.chips.street > chips.street:
            return [(belief, np.ones(hands))] if place == passive else []
        seen, found = belief.node, []
        chances = self.play(seen, board)
        for number, action in enumerate(seen.actions):
            if self.played_as(node, chips, belief, action) != place:
                continue
            went = action
            if " " in action and " " not in node.actions[place]:  # a bet that cannot be made
                went = next(each for each in seen.actions if each in ("check", "call"))
            found.append((self.step(belief, went), chances[number]))
        return found

    def played_as(self, node: Betting, chips: Chips, belief: Belief, action: str) -> int:
        """The place of the true action that a player's action at a belief is played as."""
        passive = next(k for k, each in enumerate(node.actions) if each in ("check", "call"))
        if action == "fold":
            return node.actions.index("fold")
        bets = [k for k, each in enumerate(node.actions) if " " in each]
        if " " not in action or not bets:
            return passive
        if self.all_in(belief.chips, action) and self.all_in(chips, node.actions[bets[-1]]):
            return bets[-1]
        size = belief.chips.part(node.player, action, self.pot)
        apart = [abs(chips.part(node.player, node.actions[k], self.pot) - size) for k in bets]
        return bets[int(np.argmin(apart))]

    def others(self, node: Betting, action: str, chips: Chips, belief: Belief) -> list[tuple[Belief, float]]:
        """The beliefs that follow one after an action of the other, with the probability that it is taken so."""
        if belief.node is None or belief.chips.street > chips.street:
            return [(belief, 1.0)]
        if action == "fold":
            return []
        passive = next(each for each in belief.node.actions if each in ("check", "call"))
        bets = [each for each in belief.node.actions if " " in each]
        if " " not in action or not bets:
            return [(self.step(belief, passive), 1.0)]
        if self.all_in(chips, action) and self.all_in(belief.chips, bets[-1]):
            return [(self.step(belief, bets[-1]), 1.0)]
        x = chips.part(node.player, action, self.pot)
        sizes = [belief.chips.part(node.player, each, self.pot) for each in bets]
        if x >= sizes[-1]:
            return [(self.step(belief, bets[-1]), 1.0)]
        if x < sizes[0] and self.small_bets == "smallest":
            return [(self.step(belief, bets[0]), 1.0)]
        above = next(k for k, size in enumerate(sizes) if x < size)
        a, b = (sizes[above - 1] if above else 0.0), sizes[above]
        share = (b - x) * (1 + a) / ((b - a) * (1 + x))
        below = bets[above - 1] if above else passive
        return [(self.step(belief, below), share), (self.step(belief, bets[above]), 1 - share)]

    def all_in(self, chips: Chips, action: str) -> bool:
        return chips.before + int(action.split()[1]) == self.stack

    def step(self, belief: Belief, action: str) -> Belief:
        """The belief after an action of the small tree."""
        assert belief.node is not None
        node, chips = belief.node, belief.chips.after(belief.node.player, action)
        child = node.children[node.actions.index(action)]
        if child.deals:
            chips, child = chips.dealt(), child.children[0]
        return Belief(child, chips) if child.actions else Belief(None, Chips())
