"""The history form: every history of a game as a row of flat arrays, in depth-first (preorder) order.

Any extensive-form game compiles to it. A row's first child is the next row and its subtree is the slice
`row : end[row]`, so a forward sweep over rows is the descent of a depth-first walk and a backward sweep its
return.

Every edge has a *cell*: the infoset-action that was taken or, after all of those, one slot per distinct
chance probability. So the probability of any edge, whoever moved, is one look-up in one vector.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from math import inf, isfinite
from random import Random
from statistics import median
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.foundation.progress import Progress, Watch
from solvent.foundation.units import size
from solvent.games.game import (
    CHANCE,
    TERMINAL,
    Game,
    GameError,
    Probability,
    State,
    chance_children,
    check_chances,
    children,
    player_of,
)
from solvent.games.own import name_of
from solvent.games.public_rules import PublicRules

BYTES_PER_HISTORY = 72
"""Tree arrays, the walk's two vectors and the terminals of the sequence form, per history."""
BYTES_PER_INFOSET = 320
"""Its entries in the compiler's dictionary and lists and in the table of infosets, the label's text apart."""
BYTES_PER_CELL = 200
"""The action's name, the solver's tables and vectors and the sequence form, per infoset-action."""
BYTES_PER_STATE = 1000
"""A state that waits for its turn while the game is compiled; what the rules keep in it is not known."""

DEFAULT_MEMORY = 8 << 30
"""Bytes a compiled game may take unless the user says otherwise."""

DEEPEST = 100_000
"""Moves of a history from which a game is taken to have no end."""

ROWS_BETWEEN_LOOKS = 256
"""Histories compiled between two looks at the clock."""
SECONDS_BETWEEN_REPORTS = 0.25
COMPILING_GAME = "compiling the game"
"""The stage that progress reports name."""
ROWS_BEFORE_ESTIMATE = 100_000
"""Histories compiled before the size of the whole game is estimated; smaller games are compiled by then."""
SECONDS_BEFORE_ESTIMATE = 0.5
"""Seconds of compiling before the size of the whole game is estimated for the first time, by fewer playouts."""
FIRST_PLAYOUTS, PLAYOUTS, GROUPS = 60, 400, 5
"""Random playouts from which a game's size is estimated, and the groups of them whose median counts."""
SECONDS_BEFORE_LOOKS, LIKELY_PLAYOUTS = 4.0, 2000
"""Seconds of compiling before the memory of the whole game is estimated, then each time it has taken twice as long,
and the playouts for that. A game that compiles quicker is never refused by an estimate that is only likely."""
LONGEST_PLAYOUT = 1000
"""Moves after which a playout ends, which counts too few histories: games without end are found by the walk."""
CERTAIN_EXCESS = 100
"""A game is refused by its estimated size alone if that is this many times the memory limit. By Markov's inequality
one group overestimates by this factor with probability 1/100 at most, three of five with about 1e-5."""

SUM_TOLERANCE = 1e-9

Edges = Iterator[tuple[int, Any]]
"""Cells and the states they lead to."""
NO_EDGES: Edges = iter(())
INTEGERS = (int, np.integer)


@dataclass(frozen=True, eq=False)
class GameTree:
    """A compiled game. Arrays are indexed by history (row), by infoset or by infoset-action (cell)."""

    name: str
    player: NDArray[np.int8]
    """The player who acts at each history: 0, 1, CHANCE or TERMINAL."""
    infoset: NDArray[np.int32]
    """The acting player's infoset, -1 where no player acts."""
    parent: NDArray[np.int32]
    """The history one action earlier; the root is its own parent."""
    cell: NDArray[np.int32]
    """The cell of the edge that led here; the root's has probability 1."""
    end: NDArray[np.int32]
    """One past the last history of the subtree."""
    payoff: NDArray[np.float64]
    """float64[players, histories], in chips; 0 before the end of the game."""
    chance: NDArray[np.float64]
    """The distinct chance probabilities; cell `cells + k` has probability `chance[k]`, and `chance[0]` is 1."""
    infoset_player: NDArray[np.int8]
    infoset_cell: NDArray[np.int64]
    """The first cell of each infoset, and the number of cells at the end: int64[infosets + 1]."""
    infoset_label: Sequence[str]
    action_label: Sequence[tuple[str, ...]]
    """The actions of each infoset."""
    zero_sum: bool
    rules: Game | None = field(default=None, repr=False)
    """The game that was compiled."""
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"<GameTree of {self.name}: {self.histories:,} histories, {self.infosets:,} infosets>"

    @property
    def histories(self) -> int:
        return len(self.player)

    @property
    def infosets(self) -> int:
        return len(self.infoset_player)

    @property
    def cells(self) -> int:
        """The number of infoset-actions."""
        return int(self.infoset_cell[-1])

    @cached_property
    def cell_player(self) -> NDArray[np.int8]:
        """Whose action each cell is."""
        return np.repeat(self.infoset_player, np.diff(self.infoset_cell))

    @cached_property
    def uniform(self) -> NDArray[np.float64]:
        """The strategy that plays all actions with equal probability: float64[cells]."""
        actions = np.diff(self.infoset_cell)
        return np.repeat(1.0 / actions, actions)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the rules: two games that differ in any history, infoset or payoff differ in it."""
        digest = hashlib.sha256()
        for column in (self.player, self.infoset, self.parent, self.cell, self.payoff, self.chance):
            digest.update(np.ascontiguousarray(column).tobytes())
        for label, actions in zip(self.infoset_label, self.action_label, strict=True):
            digest.update("\0".join((label, *actions)).encode())
        return digest.hexdigest()[:32]


def compile_tree(
    game: Game,
    memory: int = DEFAULT_MEMORY,
    watch: Watch | None = None,
) -> GameTree:
    """Compile a game to the history form, or say why it cannot be.

    `memory` is in bytes; a game that would take more is refused with its size and the limit. Rules that can count
    their histories are refused before the first one is built, others as soon as an estimate from random playouts
    leaves no doubt. `watch` is called about four times a second with the number of histories so far.
    """
    if game.players != 2:
        raise GameError(f"{game} has {game.players} players; the solvers take two")
    if isinstance(game, PublicRules):
        histories = game.histories()
        if histories * BYTES_PER_HISTORY > memory:
            raise GameError(
                f"{game} has {histories:,} histories, which take {size(histories * BYTES_PER_HISTORY)}; "
                f"the memory limit is {size(memory)}"
            )
    return _Compiler(game, memory, watch).compile()


class _Compiler:
    """One depth-first walk over the rules that writes a row for each state."""

    def __init__(self, game: Game, memory: int, watch: Watch | None) -> None:
        self.game, self.memory, self.watch = game, memory, watch
        self.name = name_of(game)
        self.player = array("b")
        self.infoset = array("i")
        self.parent = array("i")
        self.cell = array("i")
        self.end = array("i")
        self.payoff = (array("d"), array("d"))
        self.infosets: dict[tuple[int, str], int] = {}
        self.actions: list[tuple[str, ...]] = []
        self.first_cell = [0]
        # Chance cells get negative numbers until the number of infoset-actions is known.
        self.chance: dict[Probability, int] = {1: -1}
        self.zero_sum = True
        self.left = memory
        """Bytes that the game may still take."""
        self.next_report = monotonic() + SECONDS_BETWEEN_REPORTS
        self.first_estimate = monotonic() + SECONDS_BEFORE_ESTIMATE
        """The time of the first estimate; infinity once it has been made."""
        self.began, self.next_look = monotonic(), SECONDS_BEFORE_LOOKS
        self.looked = 0, memory
        """Rows and bytes left at the last look."""

    def compile(self) -> GameTree:
        # The open histories, outermost first: a row, how many states wait there, and the edges still to follow.
        stack: list[tuple[int, int, Edges]] = [(0, 0, iter([(-1, self.game.root())]))]
        while stack:
            parent, waiting, edges = stack[-1]
            edge = next(edges, None)
            if edge is None:
                stack.pop()
                self.left += waiting * BYTES_PER_STATE
                self.end[parent] = len(self.player)
                continue
            row = len(self.player)
            waiting, below = self._row(row, parent, *edge)
            self.left -= BYTES_PER_HISTORY + waiting * BYTES_PER_STATE
            if self.left < 0:
                raise self._too_large(row + 1)
            if waiting:
                stack.append((row, waiting, below))
                if len(stack) > DEEPEST:
                    raise GameError(
                        f"{self.name} has more than {DEEPEST:,} moves in a row; does it ever end?"
                    )
            if row % ROWS_BETWEEN_LOOKS == ROWS_BETWEEN_LOOKS - 1:
                self._report(row + 1)
            if row == ROWS_BEFORE_ESTIMATE:
                self._refuse_by_estimate(PLAYOUTS)
        return self._tree()

    def _report(self, rows: int) -> None:
        now = monotonic()
        if now >= self.first_estimate:
            self.first_estimate = inf
            self._refuse_by_estimate(FIRST_PLAYOUTS)
        if now >= self.began + self.next_look:
            self.next_look *= 2
            self._refuse_what_grows_too_large(rows)
        if self.watch is not None and now >= self.next_report:
            self.next_report = now + SECONDS_BETWEEN_REPORTS
            self.watch(Progress(COMPILING_GAME, rows, detail=f"{rows:,} histories"))

    def _estimate(self, playouts: int) -> float:
        try:
            return estimated_histories(self.game, playouts)
        except Exception:  # A fault in the rules: the walk meets it too, and says where it is.
            return 0.0

    def _refuse_by_estimate(self, playouts: int) -> None:
        histories = self._estimate(playouts)
        if histories * BYTES_PER_HISTORY > CERTAIN_EXCESS * self.memory:
            raise GameError(
                f"{self.name} is too large: it has about {histories:.0e} histories (estimated from {playouts} "
                f"random playouts), and the memory limit of {size(self.memory)} holds "
                f"{self.memory // BYTES_PER_HISTORY:,}; give the game smaller parameters"
            )

    def _refuse_what_grows_too_large(self, rows: int) -> None:
        """Refuse a game that takes long to compile and, at this rate, will probably not fit."""
        (before, left), self.looked = self.looked, (rows, self.left)
        histories = self._estimate(LIKELY_PLAYOUTS)
        needed = int(histories * (left - self.left) / (rows - before))
        if needed > self.memory:
            raise GameError(
                f"{self.name} is too large: it has about {histories:.0e} histories (estimated from "
                f"{LIKELY_PLAYOUTS:,} random playouts), which would take about {size(needed)}; the memory limit is "
                f"{size(self.memory)}; give the game smaller parameters, or raise the limit"
            )

    def _too_large(self, rows: int) -> GameError:
        return GameError(
            f"{self.name} is too large: {rows:,} of its histories with {len(self.infosets):,} infosets and "
            f"their labels take {size(self.memory - self.left)}, and there are more; "
            f"the memory limit is {size(self.memory)}"
        )

    def _row(self, row: int, parent: int, cell: int, state: Any) -> tuple[int, Edges]:
        """Write a state's row; how many states are held for the edges that lead on from it, and those edges."""
        player = player_of(self.name, state)
        if player not in (0, 1, CHANCE, TERMINAL) or not isinstance(player, INTEGERS):
            raise GameError(f"{self.name} gives the move to player {player!r}; players are 0 and 1")
        self.player.append(player)
        self.parent.append(parent)
        self.cell.append(cell)
        self.end.append(row + 1)
        if player == TERMINAL:
            self._terminal(state)
            return 0, NO_EDGES
        self.payoff[0].append(0.0)
        self.payoff[1].append(0.0)
        return self._chance(state) if player == CHANCE else self._decision(state, player)

    def _terminal(self, state: State) -> None:
        pays = state.payoffs()
        try:
            first, second = map(float, pays)
        except (TypeError, ValueError) as error:
            raise GameError(f"{self.name} pays {pays!r} at one end; payoffs must be two numbers") from error
        if not (isfinite(first) and isfinite(second)):
            raise GameError(f"{self.name} pays {first} and {second} at one end; payoffs must be finite")
        self.infoset.append(-1)
        self.payoff[0].append(first)
        self.payoff[1].append(second)
        if abs(first + second) > SUM_TOLERANCE * (1 + abs(first)):
            self.zero_sum = False

    def _chance(self, state: State) -> tuple[int, Edges]:
        try:
            outcomes: list[tuple[Any, State]] = [
                (weight, child) for _, weight, child in chance_children(state)
            ]
            check_chances(self.name, [weight for weight, _ in outcomes])
        except GameError:
            raise
        except (AttributeError, TypeError, ValueError) as error:
            raise GameError(
                f"{self.name} has a chance node that cannot be read ({error}); "
                f"chance() must give pairs of an outcome and its probability"
            ) from error
        self.infoset.append(-1)
        chance = self.chance
        edges = [(chance.setdefault(weight, -1 - len(chance)), child) for weight, child in outcomes]
        return len(edges), iter(edges)

    def _decision(self, state: State, player: int) -> tuple[int, Edges]:
        actions, label = state.actions(), state.infoset()
        if not isinstance(label, str):
            raise GameError(f"{self.name} has the infoset {label!r}; infosets must be text")
        if not isinstance(actions, tuple):
            actions = _listed(self.name, actions, label)
        number = self.infosets.setdefault((player, label), len(self.infosets))
        if number == len(self.actions):
            self._new_infoset(player, label, actions)
        elif self.actions[number] != actions:
            raise GameError(
                f"{self.name} offers {', '.join(map(str, actions))} and elsewhere "
                f"{', '.join(self.actions[number])} in one infoset of player {player}, {label!r}"
            )
        self.infoset.append(number)
        return 1, zip(count(self.first_cell[number]), children(state, actions), strict=False)

    def _new_infoset(self, player: int, label: str, actions: tuple[str, ...]) -> None:
        if not actions:
            raise GameError(f"{self.name} offers player {player} no action at {label!r}")
        if not all(isinstance(action, str) for action in actions):
            raise GameError(f"{self.name} offers {actions!r} at {label!r}; actions must be text")
        if len(set(actions)) < len(actions):
            raise GameError(f"{self.name} offers an action twice at {label!r}: {', '.join(actions)}")
        self.actions.append(actions)
        self.first_cell.append(self.first_cell[-1] + len(actions))
        # A label is kept twice: here, and encoded in the table of infosets.
        self.left -= BYTES_PER_INFOSET + 2 * len(label)
        self.left -= sum(BYTES_PER_CELL + len(action) for action in actions)

    def _tree(self) -> GameTree:
        cells = self.first_cell[-1]
        cell = np.array(self.cell, dtype=np.int32)
        np.copyto(cell, cells - 1 - cell, where=cell < 0)
        return GameTree(
            name=self.name,
            player=np.array(self.player, dtype=np.int8),
            infoset=np.array(self.infoset, dtype=np.int32),
            parent=np.array(self.parent, dtype=np.int32),
            cell=cell,
            end=np.array(self.end, dtype=np.int32),
            payoff=np.array(self.payoff, dtype=np.float64),
            chance=np.array([float(weight) for weight in self.chance]),
            infoset_player=np.array([player for player, _ in self.infosets], dtype=np.int8),
            infoset_cell=np.array(self.first_cell, dtype=np.int64),
            infoset_label=[label for _, label in self.infosets],
            action_label=self.actions,
            zero_sum=self.zero_sum,
            rules=self.game,
        )


def estimated_histories(game: Game, playouts: int = PLAYOUTS, seed: int = 0) -> float:
    """Estimate the number of histories of a game from random playouts (Knuth 1975).

    A playout takes one of the n_k moves at its k-th state, all equally likely; 1 + n_1 + n_1 n_2 + ... is an
    unbiased estimate of the number of histories. Its distribution has a long tail, so the result is the median of
    the means of `GROUPS` groups, which errs towards too few.
    """
    random = Random(seed)
    estimates = [_playout(game, random) for _ in range(playouts)]
    return median(sum(estimates[k::GROUPS]) / len(estimates[k::GROUPS]) for k in range(GROUPS))


def _playout(game: Game, random: Random) -> float:
    state, total, width = game.root(), 1.0, 1.0
    for _ in range(LONGEST_PLAYOUT):
        player = state.player()
        if player == TERMINAL or width > 1e100:
            break
        if player == CHANCE:
            after = [child for _, _, child in chance_children(state)]
            width *= len(after)
            state = random.choice(after)
        else:
            actions = state.actions()
            width *= len(actions)
            state = state.child(random.choice(actions))
        total += width
    return total


def _listed(game: str, actions: Any, label: str) -> tuple[str, ...]:
    try:
        return tuple(actions)
    except TypeError as error:
        raise GameError(f"{game} offers {actions!r} at {label!r}; actions() must give a list") from error
