"""Matches between two agents: duplicate deals, a number of hands fixed beforehand, the same result on any threads.

Hands are played in pairs with the same cards and the same random draws for each seat, and the agents change seats
in between. So luck in the deal cancels out, and an agent against itself wins exactly 0. The cards and draws of a
pair are decided by the seed of the match and the number of the pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compilations import working_seconds
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Held, Progress, Stop, Watch
from solvent.games.betting.rules import BOARD_CARDS, HoldemRules
from solvent.games.hand_history import Hand
from solvent.play.contract import Agent, AgentHand, EasyAgent, as_agent
from solvent.play.statistics import Winnings
from solvent.play.table import Table, play_on, replayed
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import (
    ILLEGAL,
    PAIRS,
    SQUARES,
    WON,
    Workspace,
    deal_pair,
    play_pairs,
    table_workspace,
    workspace,
)

LEAST_PIECE, MOST_PIECE = 1_000, 20_000
"""Pairs in a piece of a thread's work: few enough to stop soon, enough that a long match has few pieces."""
MOST_CHIPS = 10_000_000
"""The largest stack: the squares of what a piece wins must add up to less than 2^63."""
Hands = tuple[Hand, Hand]


@dataclass(frozen=True)
class MatchResult:
    """The result of a match."""

    names: tuple[str, str]
    winnings: Winnings
    """Winnings of the first agent."""
    asked: int
    """Hands that were to be played; a match that was stopped has fewer."""
    seconds: float

    @property
    def complete(self) -> bool:
        return self.winnings.hands == self.asked

    @property
    def hands_per_second(self) -> float:
        return self.winnings.hands / max(self.seconds, 1e-9)

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "a": self.names[0],
            "b": self.names[1],
            "hands": self.winnings.hands,
            "asked": self.asked,
            "complete": self.complete,
            **self.winnings.as_dict(),
            "chips": self.winnings.won,
            "seconds": self.seconds,
            "hands_per_second": self.hands_per_second,
        }


@dataclass
class PairPlayer:
    """One thread's memory for pairs of compiled hands."""

    rules: HoldemRules
    rooms: tuple[Workspace, Workspace] = field(default_factory=lambda: (workspace(), workspace()))

    def __post_init__(self) -> None:
        self.room = table_workspace(self.rules)
        # Every raise but the last adds a big blind at least.
        longest = self.rules.effective_stack // self.rules.blinds[1] + 4 * len(BOARD_CARDS) + 2
        self.histories: NDArray[np.int64] = np.zeros((2, longest), dtype=np.int64)
        self.counts: NDArray[np.int64] = np.zeros(4, dtype=np.int64)

    def play(self, first: int, last: int, seed: int, a: TableAgent, b: TableAgent) -> list[int]:
        """Play pairs `first` to `last`, and return what `play_pairs` counts."""
        self.counts[:] = 0
        play_pairs(
            first, last, seed, self.room, a.playing, b.playing, *self.rooms,
            evaluator(), self.histories, self.counts,
        )  # fmt: skip
        if self.counts[ILLEGAL]:
            raise RuntimeError(f"{a.name} or {b.name} chose {self.counts[ILLEGAL]} illegal actions")
        counts: list[int] = self.counts.tolist()
        return counts


@dataclass(frozen=True)
class Match:
    """Two agents, their stacks and blinds, and a number of hands."""

    a: Agent | EasyAgent
    b: Agent | EasyAgent
    rules: HoldemRules
    hands: int
    """An even number, since hands come in pairs."""
    seed: int = 0

    def __post_init__(self) -> None:
        rules = self.rules
        if self.hands < 2 or self.hands % 2:
            raise InputError(
                f"hands are played in pairs with the same cards, so their number is even, not {self.hands}"
            )
        if rules.bets or rules.caps or rules.streets != len(BOARD_CARDS):
            raise InputError("a match is played at no-limit hold'em with all four streets")
        if max(rules.stacks) > MOST_CHIPS:
            raise InputError(
                f"a stack has at most {MOST_CHIPS:,} chips in a match, not {max(rules.stacks):,}"
            )

    def run(
        self,
        threads: int = 1,
        *,
        watch: Watch | None = None,
        stop: Stop | None = None,
        record: Callable[[Hands], None] | None = None,
    ) -> MatchResult:
        """Play. A stop ends the match with what was played; Ctrl-C raises `Interrupted` with that as its result.

        `record` is called with the two hands of each pair. Agents that are not compiled are asked by one thread.
        """
        compiled, played, began = self._compiled(), list[list[int]](), 0.0
        held = Held(stop)
        with working_seconds() as seconds, held:
            if compiled is not None:
                PairPlayer(self.rules).play(0, 0, self.seed, *compiled)  # loading kernels is not timed
                began = seconds()
            if compiled is not None and record is None:
                self._play_compiled(*compiled, threads, played, watch, stop)
            else:
                self._play_each(played, watch, stop, record)
        pairs, won, squares = (sum(counts[place] for counts in played) for place in (PAIRS, WON, SQUARES))
        winnings = Winnings(pairs, won, squares, self.rules.blinds[1])
        return held.result(MatchResult((self.a.name, self.b.name), winnings, self.hands, seconds() - began))

    def _compiled(self) -> tuple[TableAgent, TableAgent] | None:
        if isinstance(self.a, TableAgent) and isinstance(self.b, TableAgent):
            return self.a, self.b
        return None

    def _play_compiled(
        self,
        a: TableAgent,
        b: TableAgent,
        threads: int,
        played: list[list[int]],
        watch: Watch | None,
        stop: Stop | None,
    ) -> None:
        """Play all pairs on threads, and add to `played` what each piece counts."""

        def work(first: int, last: int, player: PairPlayer) -> None:
            played.append(player.play(first, last, self.seed, a, b))

        def seen(now: Progress) -> None:
            if watch is not None:
                watch(Progress("playing", 2 * now.done, self.hands, unit="hands"))

        pairs = self.hands // 2
        piece = min(max(LEAST_PIECE, pairs // 2_000), MOST_PIECE)
        in_pieces(work, pairs, piece, [PairPlayer(self.rules) for _ in range(threads)], watch=seen, stop=stop)

    def _play_each(
        self,
        played: list[list[int]],
        watch: Watch | None,
        stop: Stop | None,
        record: Callable[[Hands], None] | None,
    ) -> None:
        """Play pair after pair, and add to `played` what each counts."""
        for number in range(self.hands // 2):
            if stop is not None:
                stop.check()
            both = self.pair(number)
            won = both[0].payoffs[0] + both[1].payoffs[1]
            if record is not None:
                record(both)
            played.append([1, won, won * won])
            if watch is not None:
                watch(Progress("playing", 2 * (number + 1), self.hands, unit="hands"))

    def pair(self, number: int) -> Hands:
        """Play the two hands of a pair. The agents have the button in turn, the first one in the first hand."""
        deck, random = np.zeros(52, dtype=np.int64), np.zeros(1, dtype=np.uint64)
        key = int(deal_pair(self.seed, number, deck, random))
        cards = deck[:9].tolist()
        seats = ((self.a, self.b), (self.b, self.a))
        compiled = self._compiled()
        if compiled is not None:
            player = PairPlayer(self.rules)
            player.play(number, number + 1, self.seed, *compiled)
            tables = [
                replayed(self.rules, cards, history[1 : history[0] + 1]) for history in player.histories
            ]
        else:
            tables = [play_hand(self.rules, agents, cards, key) for agents in seats]
        first, second = (
            table.hand((agents[0].name, agents[1].name), 2 * number + place + 1)
            for place, (table, agents) in enumerate(zip(tables, seats, strict=True))
        )
        return first, second


def play_hand(
    rules: HoldemRules, agents: tuple[Agent | EasyAgent, Agent | EasyAgent], cards: Sequence[int], seed: int
) -> Table[AgentHand]:
    """Play one hand between any two agents, the first on the button, to its end.

    cards: both hands and the board. Both agents draw from `seed`.
    """
    table: Table[AgentHand] = Table(rules, cards)
    for seat, agent in enumerate(agents):
        table.seat(seat, as_agent(agent).start(rules, seat, seed), agent.name)
    play_on(table)
    return table


def round_robin(
    agents: Sequence[Agent | EasyAgent],
    rules: HoldemRules,
    hands: int,
    seed: int = 0,
    threads: int = 1,
    *,
    watch: Watch | None = None,
    stop: Stop | None = None,
) -> Iterator[MatchResult]:
    """Play every agent against every other, one match after another; one that is stopped is the last."""
    meetings = list(combinations(agents, 2))
    for number, (a, b) in enumerate(meetings):

        def seen(
            now: Progress,
            before: int = number * hands,
            who: str = f"{a.name} against {b.name} ({number + 1} of {len(meetings)})",
        ) -> None:
            if watch is not None:
                watch(Progress("playing", before + now.done, len(meetings) * hands, who, unit="hands"))

        result = Match(a, b, rules, hands, seed).run(threads, watch=seen, stop=stop)
        yield result
        if not result.complete:
            return
