"""A node of a solved spot: strategy, EVs, equities and weights by hand, computed when they are asked for.

EVs are shares of the pot at the node, in chips: what a player gets from the pot from here on less what the player
puts in from here on. Over all pairs of hands both players' EVs and the rake sum to the pot.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import cards_label
from solvent.cards.ranges import hand_label
from solvent.forms.holdem.tree import DEAL, DECISION, FOLDED, RUN_OUT, SHOWN
from solvent.foundation.errors import InputError
from solvent.games.holdem.spot import NAMES
from solvent.spots.nodes.answers import Answers, Pair
from solvent.spots.nodes.grid import class_frequencies, grid_html, plot_grid
from solvent.spots.nodes.lines import Place, act, cards_to_come, deal, hands_at
from solvent.strategy.reach import ratio

KINDS = {DECISION: "decision", DEAL: "deal", FOLDED: "fold", SHOWN: "showdown", RUN_OUT: "run-out"}


class SpotNode:
    """A node of a solved spot. Hands are those of each player's range that the board leaves, by number.

    Numbers are of the strategy that the solver has when they are first asked for; ask `SpotSolution.at` for the
    node again after more iterations.
    """

    def __init__(self, place: Place, answers: Answers) -> None:
        self.solver, self.place = answers.solver, place
        self._answers, self._solved = answers, answers.at(place.node, place.board)
        game = self.solver.game
        self._betting = game.tree.betting[place.node]
        first, second = (hands_at(game, place, player) for player in (0, 1))
        self._columns = first[1], second[1]
        self.numbers = first[0], second[0]
        """The hands of each player by `cards.hands.hand_number`, ascending."""

    def __repr__(self) -> str:
        acting = f", {NAMES[self.player]} to act" if self.player is not None else f", {self.kind}"
        return f"<SpotNode {self.line!r} on {self.board}, pot {self.pot:,}{acting}>"

    def _repr_html_(self) -> str:
        return grid_html(self)

    @property
    def line(self) -> str:
        """The actions and cards that lead here; '' at the root."""
        return self.place.line

    @property
    def kind(self) -> str:
        """decision, deal (of the next street), fold, showdown or run-out (both all-in before the last street)."""
        return KINDS[int(self.solver.game.tree.kind[self.place.node])]

    @property
    def cards(self) -> tuple[int, ...]:
        """The board's cards by number."""
        return self.place.cards

    @property
    def board(self) -> str:
        """The board, such as Td9d6h."""
        return cards_label(self.place.cards)

    @property
    def street(self) -> str:
        """flop, turn or river"""
        names: tuple[str, ...] = self.solver.game.rules.street_names
        return names[int(self.solver.game.tree.street[self.place.node])]

    @property
    def player(self) -> int | None:
        """The player to act: 0 for OOP, 1 for IP, None where nobody acts."""
        return self._betting.player if self._betting.actions else None

    @property
    def actions(self) -> tuple[str, ...]:
        """Actions of the player to act."""
        return self._betting.actions

    @property
    def pot(self) -> int:
        """Chips in the middle, bets of this street included."""
        return int(self.solver.game.rules.starting_pot) + sum(self.place.paid)

    @property
    def stacks(self) -> tuple[int, int]:
        """Chips behind each player."""
        stack = int(self.solver.game.rules.stack)
        return stack - self.place.paid[0], stack - self.place.paid[1]

    @property
    def stands_for(self) -> tuple[int, int]:
        """Street and number of the board that was solved; nodes of one line that share it differ in suits only."""
        return int(self.solver.game.tree.street[self.place.node]), self.place.board

    # By hand

    @cached_property
    def hands(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The hands of each player, such as AhKh."""
        first, second = (tuple(map(hand_label, numbers.tolist())) for numbers in self.numbers)
        return first, second

    @cached_property
    def weights(self) -> Pair:
        """Weight of each hand here: its weight in the range times the player's own actions on the way."""
        first, second = self.solver.game.largest
        mine, yours = self._by_hand(self._solved.reaches)
        return mine * first, yours * second

    @cached_property
    def matchups(self) -> Pair:
        """Each hand's weight times the weight of the other's hands that can be held with it.

        Averages over a range are weighted by these: they are in proportion to how often a hand is held here.
        """
        first, second = self.solver.game.largest
        return self._relative[0] * first * second, self._relative[1] * first * second

    @cached_property
    def _relative(self) -> Pair:
        """`matchups` with weights as fractions of the largest of each range, which do not vanish in products."""
        mine, others = self._by_hand(self._solved.reaches), self._by_hand(self._solved.against)
        return mine[0] * others[0], mine[1] * others[1]

    @cached_property
    def reached(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether each hand can be here at all; the strategy of a hand that cannot is no advice."""
        return self._relative[0] > 0, self._relative[1] > 0

    @cached_property
    def strategy(self) -> NDArray[np.float64]:
        """float64[actions, hands of the player to act]: the probability of each action, `reached` or not."""
        player = self._acting()
        side = self.solver.game.streets[self.stands_for[0]].sides[player]
        slots = side.hand[self.place.board]
        rows = self.solver.strategy_at(self.place.node, self.place.board)
        found = np.full((len(rows), len(self.solver.game.hands[player])), np.nan)
        found[:, slots[slots >= 0]] = rows[:, slots >= 0]
        return found[:, self._columns[player]]

    @cached_property
    def locked(self) -> NDArray[np.bool_]:
        """bool[hands of the player to act]: whether a lock says what the hand plays here."""
        columns = self._columns[self._acting()]
        found = np.zeros(len(columns), dtype=bool)
        for lock in self.solver.locks:
            if lock.node == self.place.node and lock.board in (None, self.place.board):
                found |= np.isfinite(lock.play[0])[columns]
        return found

    @cached_property
    def ev(self) -> Pair:
        """Each hand's EV in chips, a share of the pot; NaN where the other has no hand to hold it against."""
        return self._ev(0, self.place.node), self._ev(1, self.place.node)

    @cached_property
    def action_evs(self) -> NDArray[np.float64]:
        """float64[actions, hands of the player to act]: the EV of taking each action and playing on from there."""
        player = self._acting()
        tree = self.solver.game.tree
        children = tree.child[tree.first_edge[self.place.node] : tree.first_edge[self.place.node + 1]]
        return np.stack([self._ev(player, child) for child in children.tolist()])

    @cached_property
    def equity(self) -> Pair:
        """Each hand's equity against the other's weights, from 0 to 1, over all boards to come; NaN as `ev`."""
        return self._by_hand(self._solved.equity)

    @cached_property
    def eqr(self) -> Pair:
        """Equity realised, EV / (equity x pot): above 1 where a hand wins more than its equity; NaN without any."""
        first, second = (ratio(self.ev[player], self.equity[player] * self.pot) for player in (0, 1))
        return first, second

    # Over a range

    def average(self, player: int, numbers: NDArray[np.float64]) -> float:
        """The mean of numbers by hand over a player's range, weighted by `matchups`; NaN where none is reached."""
        reached, weights = self.reached[player], self._relative[player]
        total = weights[reached].sum()
        return float(weights[reached] @ numbers[reached] / total) if total > 0 else float("nan")

    @cached_property
    def frequencies(self) -> dict[str, float]:
        """Frequency of each action of the player to act, over all hands; empty where nobody acts."""
        if self.player is None:
            return {}
        player = self.player
        shares = [self.average(player, row) for row in self.strategy]
        return dict(zip(self.actions, shares, strict=True))

    def summary(self) -> dict[str, Any]:
        """The node in a few numbers; pairs are of OOP and IP, None stands for what is not reached."""
        evs, equities = (
            [self.average(player, both[player]) for player in (0, 1)] for both in (self.ev, self.equity)
        )
        return {
            "line": self.line,
            "kind": self.kind,
            "board": self.board,
            "player": None if self.player is None else NAMES[self.player],
            "pot": self.pot,
            "stacks": list(self.stacks),
            "reached": bool(self.reached[0].any()),
            "frequencies": {action: _plain(share) for action, share in self.frequencies.items()},
            "combos": [float(weights.sum()) for weights in self.weights],
            "ev": [_plain(value) for value in evs],
            "equity": [_plain(value) for value in equities],
            "eqr": [
                _plain(ev / (equity * self.pot)) if equity else None
                for ev, equity in zip(evs, equities, strict=True)
            ],
        }

    def to_dict(self, player: int | str | None = None) -> dict[str, list[Any]]:
        """A player's hands as columns, ready for `pandas.DataFrame`; of the player to act, or OOP, if not said.

        The player to act also has strategies, EVs of the actions and what is locked; numbers that do not exist are
        NaN.
        """
        who = self._named(player)
        columns: dict[str, list[Any]] = {"hand": list(self.hands[who])}
        for name in ("weight", "reached", "ev", "equity", "eqr"):
            columns[name] = getattr(self, "weights" if name == "weight" else name)[who].tolist()
        if who == self.player:
            for action, row in zip(self.actions, self.strategy, strict=True):
                columns[action] = row.tolist()
            for action, row in zip(self.actions, self.action_evs, strict=True):
                columns[f"ev of {action}"] = row.tolist()
            columns["locked"] = self.locked.tolist()
        return columns

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; None stands for what does not exist."""
        by_hand = [
            {name: [_plain(one) for one in column] for name, column in self.to_dict(who).items()}
            for who in (0, 1)
        ]
        return self.summary() | {
            "actions": list(self.actions),
            "hands": dict(zip(NAMES, by_hand, strict=True)),
        }

    def classes(self) -> dict[str, list[float]]:
        """Average the strategy of the player to act by class of hands, AKs: a probability for each action.

        Hands that hardly come here are left out: their strategy has not been learned.
        """
        if self.player is None:
            return {}
        return class_frequencies(self.hands[self.player], self.matchups[self.player], self.strategy)

    def plot_grid(self, axes: Any = None) -> Any:
        """Draw the strategy as a 13 x 13 grid, coloured by action; returns Matplotlib's axes."""
        self._acting()
        return plot_grid(self, axes)

    # The nodes that follow

    def children(self) -> Mapping[str, SpotNode]:
        """The nodes after each action or, where a street is dealt, after each card."""
        if self.kind == "deal":
            return self.next_cards()
        return {
            action: self._at(act(self.solver.game, self.place, number))
            for number, action in enumerate(self.actions)
        }

    def next_cards(self) -> Mapping[str, SpotNode]:
        """The nodes after each card that can be dealt here; those with one `stands_for` differ in suits only."""
        game, place = self.solver.game, self.place
        if self.kind != "deal":
            raise InputError(f"no card is dealt after {self.line!r}: the next is a {self.kind}")
        return {
            cards_label([card]): self._at(deal(game, place, [card])) for card in cards_to_come(game, place)
        }

    # Inside

    def _at(self, place: Place) -> SpotNode:
        return SpotNode(place, self._answers)

    def _acting(self) -> int:
        if self.player is None:
            raise InputError(f"nobody acts after {self.line!r} ({self.kind}), so there is no strategy")
        return self.player

    def _named(self, player: int | str | None) -> int:
        if player is None:
            return self.player or 0
        if isinstance(player, str) and player.upper() in NAMES:
            return NAMES.index(player.upper())
        if player not in (0, 1):
            raise InputError(f"a player is OOP or IP (0 or 1), not {player!r}")
        return int(player)

    def _by_hand(self, both: Pair) -> Pair:
        """Select numbers of this node's hands from those of the game's lists."""
        return both[0][self._columns[0]], both[1][self._columns[1]]

    def _ev(self, player: int, node: int) -> NDArray[np.float64]:
        """EVs at this node of a player's hands if the play continues from `node`, here or one action further."""
        rules = self.solver.game.rules
        sunk: float = rules.starting_pot / 2 + self.place.paid[player]
        payoffs = self._solved.payoffs(player, node)[self._columns[player]]
        tree = self.solver.game.tree
        if tree.kind[node] == FOLDED:  # known exactly, while sums over hands are rounded
            payoffs = np.where(np.isnan(payoffs), np.nan, tree.pays[node, player, 0])
        return np.asarray(payoffs + sunk)


def _plain(number: Any) -> Any:
    """Write a number for JSON: None instead of NaN."""
    return None if isinstance(number, float) and number != number else number
