"""Matches of two agents: duplicate deals, a number of hands fixed beforehand, results that any threads give alike.

A pair of hands has the same cards and the same random draws for each seat, and the agents change seats between
them. So luck in the deal cancels out, and an agent against itself gets exactly 0. The cards and draws of a pair are
decided by the match's seed and the pair's number.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from solvent.cards.evaluator import evaluator
from solvent.forms.betting_kernels import new_position
from solvent.foundation.errors import InputError
from solvent.foundation.progress import Progress, Watch
from solvent.foundation.threads import in_pieces
from solvent.games.betting.rules import BOARD_CARDS, HoldemRules, act, start
from solvent.games.hand_history import Hand
from solvent.play.contract import Agent, Board, EasyAgent, Hole, as_agent
from solvent.play.statistics import Winnings
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import ILLEGAL, PAIRS, SQUARES, WON, Room, deal_pair, play_pairs, room

LEAST_PIECE, MOST_PIECE = 1_000, 20_000
"""Pairs that a thread plays at once: few enough to stop soon, not so few that a long match has too many pieces."""
MOST_CHIPS = 10_000_000
"""Of a stack: the squares of what a piece wins add up to less than 2^63."""
Hands = tuple[Hand, Hand]


@dataclass(frozen=True)
class MatchResult:
    """What came of a match."""

    names: tuple[str, str]
    winnings: Winnings
    """Of the first agent."""
    asked: int
    """Hands that were to be played; fewer were if somebody stopped the match."""
    seconds: float

    @property
    def complete(self) -> bool:
        return self.winnings.hands == self.asked


@dataclass
class Table:
    """One thread's memory for compiled hands."""

    rules: HoldemRules
    rooms: tuple[Room, Room] = field(default_factory=lambda: (room(), room()))

    def __post_init__(self) -> None:
        self.deck: NDArray[np.int64] = np.zeros(52, dtype=np.int64)
        self.state, self.random = new_position(self.rules), np.zeros(1, dtype=np.uint64)
        # Every raise but the last adds a big blind at least.
        longest = self.rules.effective_stack // self.rules.blinds[1] + 4 * len(BOARD_CARDS) + 2
        self.histories: NDArray[np.int64] = np.zeros((2, longest), dtype=np.int64)
        self.counts: NDArray[np.int64] = np.zeros(4, dtype=np.int64)

    def play(self, first: int, last: int, seed: int, a: TableAgent, b: TableAgent) -> list[int]:
        """Play pairs `first` to `last`; what `play_pairs` counts."""
        self.counts[:] = 0
        play_pairs(
            first, last, seed, self.deck, self.state, self.random, a.playing, b.playing, *self.rooms,
            evaluator(), self.histories, self.counts,
        )  # fmt: skip
        if self.counts[ILLEGAL]:
            raise RuntimeError(f"{a.name} or {b.name} did what is not legal {self.counts[ILLEGAL]} times")
        counts: list[int] = self.counts.tolist()
        return counts


@dataclass(frozen=True)
class Match:
    """Two agents, stacks and blinds, and a number of hands."""

    a: Agent | EasyAgent
    b: Agent | EasyAgent
    rules: HoldemRules
    hands: int
    """Even: they come in pairs."""
    seed: int = 0

    def __post_init__(self) -> None:
        rules = self.rules
        if self.hands < 2 or self.hands % 2:
            raise InputError(
                f"hands are played in pairs with the same cards, so their number is even, not {self.hands}"
            )
        if rules.bets or rules.caps or rules.streets != len(BOARD_CARDS):
            raise InputError("matches are of no-limit hold'em to the river")
        if max(rules.stacks) > MOST_CHIPS:
            raise InputError(
                f"a stack has at most {MOST_CHIPS:,} chips in a match, not {max(rules.stacks):,}"
            )

    def run(
        self,
        threads: int = 1,
        progress: Watch | None = None,
        record: Callable[[int, Hands], None] | None = None,
    ) -> MatchResult:
        """Play. `progress` is told hands; `record` gets each pair. An interrupt ends it with what was played."""
        began, played = time.perf_counter(), [0, 0, 0]

        def add(counts: list[int]) -> None:
            for place, count in zip((PAIRS, WON, SQUARES), counts, strict=True):
                played[place] += count

        pairs, compiled = self.hands // 2, None
        if isinstance(self.a, TableAgent) and isinstance(self.b, TableAgent):
            compiled = self.a, self.b

        def seen(now: Progress) -> None:
            if progress is not None:
                progress(Progress("hands", 2 * now.done, 2 * pairs))

        try:
            if compiled is not None:
                Table(self.rules).play(0, 0, self.seed, *compiled)  # compiling is not timed
                began = time.perf_counter()
            if compiled is not None and record is None:
                done: list[list[int]] = []
                try:
                    self._compiled(*compiled, pairs, threads, seen, done)
                finally:
                    for counts in done:
                        add(counts)
            else:
                for pair in range(pairs):
                    both = self.pair(pair)
                    won = both[0].payoffs[0] + both[1].payoffs[1]
                    if record is not None:
                        record(pair, both)
                    add([1, won, won * won])
                    seen(Progress("hands", pair + 1, pairs))
        except KeyboardInterrupt:
            pass
        winnings = Winnings(played[PAIRS], played[WON], played[SQUARES], self.rules.blinds[1])
        return MatchResult((self.a.name, self.b.name), winnings, self.hands, time.perf_counter() - began)

    def _compiled(
        self,
        a: TableAgent,
        b: TableAgent,
        pairs: int,
        threads: int,
        progress: Watch | None,
        done: list[list[int]],
    ) -> None:
        def work(first: int, last: int, table: Table) -> None:
            done.append(table.play(first, last, self.seed, a, b)[:ILLEGAL])

        piece = min(max(LEAST_PIECE, pairs // 2_000), MOST_PIECE)
        in_pieces(work, pairs, piece, [Table(self.rules) for _ in range(threads)], watch=progress)

    def pair(self, number: int) -> Hands:
        """The two hands of a pair: the first agent has the button in the first, the second in the second."""
        deck, random = np.zeros(52, dtype=np.int64), np.zeros(1, dtype=np.uint64)
        key = int(deal_pair(self.seed, number, deck, random))
        cards = tuple(deck[:9].tolist())
        seats = ((self.a, self.b), (self.b, self.a))
        if isinstance(self.a, TableAgent) and isinstance(self.b, TableAgent):
            table = Table(self.rules)
            table.play(number, number + 1, self.seed, self.a, self.b)
            played = [tuple(history[1 : history[0] + 1].tolist()) for history in table.histories]
        else:
            played = [play_hand(self.rules, agents, cards, key) for agents in seats]
        first, second = (
            as_hand(self.rules, actions, cards, (agents[0].name, agents[1].name), 2 * number + place + 1)
            for place, (actions, agents) in enumerate(zip(played, seats, strict=True))
        )
        return first, second


def play_hand(
    rules: HoldemRules, agents: tuple[Agent | EasyAgent, Agent | EasyAgent], cards: tuple[int, ...], seed: int
) -> tuple[int, ...]:
    """The actions of one hand between any two agents, the first on the button.

    cards: both hands and the board. Both agents draw from `seed`.
    """
    state, actions = start(rules), list[int]()
    hands = [as_agent(agent).start(rules, seat, seed) for seat, agent in enumerate(agents)]
    for seat, hand in enumerate(hands):
        hand.observe(Hole((cards[2 * seat], cards[2 * seat + 1])))
    while not state.over:
        action = hands[state.player].act()
        after = act(state, action)
        actions.append(action)
        for hand in hands:
            hand.observe(action)
            if after.street > state.street:
                hand.observe(dealt(cards[4:9], after.street))
        state = after
    return tuple(actions)


def dealt(board: Sequence[int], street: int) -> Board:
    """The cards of a board that are new on a street."""
    return Board(tuple(board[BOARD_CARDS[street - 1] : BOARD_CARDS[street]]))


def as_hand(
    rules: HoldemRules, actions: tuple[int, ...], cards: tuple[int, ...], names: tuple[str, str], number: int
) -> Hand:
    """A hand that was played, with the public cards that were seen."""
    state = start(rules)
    for action in actions:
        state = act(state, action)
    seen = BOARD_CARDS[-1] if state.showdown else BOARD_CARDS[state.street]
    holes = ((cards[0], cards[1]), (cards[2], cards[3]))
    return Hand(rules, actions, holes, cards[4 : 4 + seen], names, number)


def round_robin(
    agents: Sequence[Agent | EasyAgent],
    rules: HoldemRules,
    hands: int,
    seed: int = 0,
    threads: int = 1,
    progress: Watch | None = None,
) -> Iterator[MatchResult]:
    """Every agent against every other, one match after another; an interrupted one is the last."""
    meetings = list(combinations(agents, 2))
    for number, (a, b) in enumerate(meetings):

        def seen(now: Progress, before: int = number * hands) -> None:
            if progress is not None:
                progress(Progress("hands", before + now.done, len(meetings) * hands))

        result = Match(a, b, rules, hands, seed).run(threads, seen)
        yield result
        if not result.complete:
            return
