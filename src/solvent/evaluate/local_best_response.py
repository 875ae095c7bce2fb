"""Local best response to an agent on 52 cards: a lower bound of what it can lose (Lisy and Bowling 2017).

The response knows the agent's strategy, style and post-processing included, and never its hand: it keeps a range
over the agent's 1,326 hands by Bayes' rule. At each decision it takes what would be best if both players only
checked and called afterwards (the paper's LOCALBR):

    fold          what it has put in is lost
    check, call   the showdown against the range, WpRollout in the paper
    bet           the agent folds at once as often as its strategy says, or it is the showdown at the higher stake
                  against the hands that do not fold

Showdowns are exact on the river and, over all rivers, on the turn; before, they are over boards drawn at random
(`run_outs`). On streets where the response does not decide it checks and calls.

Bets that the agent's tree does not have are taken for others by the agent's own random mapping, as in play. The
response values a bet over all that it may be taken for, and is not told afterwards either: from then on it keeps a
joint range over (place in the agent's tree, hand). So its winnings bound the agent's loss from below off the tree
too.

What is drawn is public, except for what the agent takes bets for, which is kept from the response: own cards,
board, the agent's actions (from the mixture over its range). A hand's end counts with its expectation over the
range, and the agent's folds with their probability while the rest of the hand continues, which has the same mean
and a smaller variance than dealing the agent a hand. What hand k draws is decided by the seed and k; the response
has the button in every second hand.

Compiled agents are played by `local_response.kernels`; any other agent that says its probabilities
(`solvent.play.contract`) is asked at every decision, by `local_response.asked`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import cards_label
from solvent.cards.evaluator import evaluator
from solvent.cards.hands import HANDS
from solvent.cards.showdown import pairs
from solvent.evaluate.local_response.asked import AskedResponse
from solvent.evaluate.local_response.kernels import Choices, respond_hands
from solvent.evaluate.local_response.ranges import LENGTH, ResponseMemory, response_memory
from solvent.forms.betting.kernels import size_table
from solvent.foundation.errors import InputError
from solvent.foundation.kernels.threads import in_pieces
from solvent.foundation.progress import Held, Stop, Watch
from solvent.games.betting.rules import BOARD_CARDS, STREETS, HoldemRules, play
from solvent.games.betting.sizes import BettingAbstraction, parse_street
from solvent.play.contract import Agent, EasyAgent
from solvent.play.statistics import SURE, SURE_SHARE
from solvent.play.table_agent import TableAgent

PIECE = 50
"""Hands that a thread plays between two looks at the stop; an even number."""
RUN_OUTS = 100
LEAST_RUN_OUTS = 16
"""Least number of boards: no hand is left out, as each is possible on four fifths of them."""
LATE = ("turn", "river")
ALL_STREETS = "all streets"
SHORT = {"fc": "", "fcpa": "100%,a"}
EXAMPLE = "'turn=fc,50%,a; river=fcpa'"


@dataclass(frozen=True)
class ResponseActions:
    """Actions of the response on each street: its bets, or None where it only checks and calls.

    >>> str(response_actions("fcpa")), str(response_actions("fc,50%,a", ["river"]))
    ('fcpa on turn, river', 'fc,50%,a on river')
    """

    name: str
    by_street: tuple[str | None, ...]
    """Bet sizes as players write them; the empty string stands for fold, check and call."""

    def __str__(self) -> str:
        return self.name

    def choices(self, run_outs: int) -> Choices:
        """Write the actions for kernels."""
        nothing = ((),)
        sizes = [
            nothing if not bets else parse_street(bets, street)
            for bets, street in zip(self.by_street, STREETS, strict=True)
        ]
        decides = np.array([bets is not None for bets in self.by_street], dtype=np.int64)
        return Choices(decides, size_table(BettingAbstraction(tuple(sizes))), run_outs)


def response_actions(text: str, streets: Collection[str] = LATE) -> ResponseActions:
    """Read the response's actions.

    They are written for all `streets` as `fc`, `fcpa` or `fc,50%,100%,200%,a`, or street by street as
    `flop=fc; turn=fc,50%,a; river=fcpa`.
    """
    unknown = [street for street in streets if street not in STREETS]
    if unknown or not streets:
        raise InputError(f"streets are {', '.join(STREETS)}, not {', '.join(unknown) or 'none'}")
    by_street: dict[str, str] = {}
    if "=" in text:
        for part in filter(str.strip, text.split(";")):
            street, _, written = (piece.strip() for piece in part.partition("="))
            if street not in STREETS or street in by_street:
                raise InputError(f"the response's actions by street are written {EXAMPLE}, not {text!r}")
            by_street[street] = written
        name = text.strip()
    else:
        by_street = {street: text for street in STREETS if street in streets}
        where = ALL_STREETS if len(by_street) == len(STREETS) else ", ".join(by_street)
        name = f"{text.strip()} on {where}"
    found = ResponseActions(
        name, tuple(_bets(by_street[street]) if street in by_street else None for street in STREETS)
    )
    found.choices(RUN_OUTS)  # refuses sizes that cannot be read
    return found


def _bets(text: str) -> str:
    written = text.strip().lower()
    if written in SHORT:
        return SHORT[written]
    if not written.startswith("fc,"):
        raise InputError(
            f"the response's actions are fc, fcpa, or fc and bets as fc,50%,100%,a, not {text!r}"
        )
    return written.removeprefix("fc,")


STANDARD = (
    response_actions("fc"),
    response_actions("fcpa"),
    response_actions("fcpa", STREETS),
    response_actions("fc,25%,50%,75%,100%,150%,200%,a", STREETS),
)
"""The default settings. One alone misleads: a response that checks and calls before the turn must call every all-in
there, and one that bets early may bet into what it does not foresee."""


@dataclass(frozen=True)
class LargestResponse:
    """The largest winnings of several settings of local best response, with an interval of the true largest value.

    The intervals of all settings are widened to hold at once with 95 % certainty (Bonferroni's correction). Then
    the largest true value is neither below the largest lower end nor above the largest upper end, whichever
    setting it is: so the interval holds although the setting was chosen for its result.
    """

    actions: str
    """The setting of the largest mean."""
    mbb: float
    mbb_range: tuple[float, float]


def largest_response(found: Sequence[tuple[str, float, float]]) -> LargestResponse:
    """Find the largest of several settings, each given as its actions, its mean and half its own 95 % interval.

    >>> best = largest_response([("fc", 10.0, 20.0), ("fcpa", 90.0, 20.0)])
    >>> best.actions, best.mbb, [round(end) for end in best.mbb_range]
    ('fcpa', 90.0, [67, 113])
    """
    wider = NormalDist().inv_cdf(1 - (1 - SURE_SHARE) / 2 / len(found)) / SURE
    actions, mbb, _ = max(found, key=lambda each: each[1])
    low = max(mean - wider * half for _, mean, half in found)
    high = max(mean + wider * half for _, mean, half in found)
    return LargestResponse(actions, mbb, (low, high))


def check_hands(hands: int) -> None:
    """Refuse a number of hands that cannot be played."""
    if hands < 2 or hands % 2:
        raise InputError(f"local best response plays in both seats, an even number of hands, not {hands}")


@dataclass(frozen=True)
class ResponseResult:
    """Winnings of local best response."""

    actions: str
    won: NDArray[np.float64]
    """float64[hands]: chips in each hand that was played, the button's and the big blind's in turn."""
    asked: int
    big_blind: int
    seconds: float

    @property
    def hands(self) -> int:
        return len(self.won)

    @property
    def mbb(self) -> float:
        """Thousandths of a big blind a hand; NaN before the first."""
        return float(self.won.mean()) / self.big_blind * 1000 if self.hands else math.nan

    @cached_property
    def mbb_interval(self) -> float:
        """Half the width of the 95 % interval of `mbb`; infinite below four hands.

        A pair of hands, one in each seat, is one observation.
        """
        pairs = self.won.reshape(-1, 2).mean(axis=1)
        if len(pairs) < 2:
            return math.inf
        return SURE * float(pairs.std(ddof=1)) / math.sqrt(len(pairs)) / self.big_blind * 1000

    @property
    def complete(self) -> bool:
        return self.hands == self.asked


@dataclass(frozen=True)
class ResponseHand:
    """One hand of the response's, as it was played."""

    seat: int
    """The response's; 0 has the button."""
    hole: tuple[int, int]
    board: tuple[int, ...]
    actions: tuple[int, ...]
    """Actions drawn: the agent's folds are counted instead, and end a hand only where nothing else is likely."""
    won: float
    """Chips, on average over the agent's range."""

    def __str__(self) -> str:
        return f"{cards_label(self.hole)} {cards_label(self.board)} {self.actions} {self.won:+.1f}"


class LocalBestResponse:
    """The response to one agent."""

    def __init__(
        self,
        agent: Agent | EasyAgent,
        actions: ResponseActions | str = "fcpa",
        rules: HoldemRules | None = None,
        run_outs: int = RUN_OUTS,
        seed: int = 0,
    ) -> None:
        """`rules`: stacks and blinds; by default those that the agent was trained with."""
        self.rules = rules or getattr(agent, "rules", None) or HoldemRules()
        self.actions = response_actions(actions) if isinstance(actions, str) else actions
        if self.rules.bets or self.rules.caps or self.rules.streets != len(BOARD_CARDS):
            raise InputError("local best response plays no-limit hold'em to the river")
        if run_outs < LEAST_RUN_OUTS:
            raise InputError(f"at least {LEAST_RUN_OUTS} run-outs are drawn, not {run_outs}")
        self.agent, self.seed = agent, seed
        self._choices = self.actions.choices(run_outs)
        compiled = isinstance(agent, TableAgent)
        self._asked = None if compiled else AskedResponse(agent, self.rules, self._choices, seed)

    def run(
        self,
        hands: int,
        threads: int = 1,
        *,
        watch: Watch | None = None,
        stop: Stop | None = None,
        plain: bool = False,
    ) -> ResponseResult:
        """Play hands. A stop ends it with those played; Ctrl-C raises `Interrupted` with them.

        An agent that is not compiled is asked by one thread. `plain` deals a compiled agent a hand and shows it
        down: the same mean, much noisier, to compare with.
        """
        check_hands(hands)
        results = np.full(hands, np.nan)
        self._play(0, 0, plain, self._memory(), results)  # compiles
        began = time.perf_counter()

        def work(first: int, last: int, memory: ResponseMemory) -> None:
            self._play(first, last, plain, memory, results)

        held = Held(stop)
        with held:
            memories = [self._memory() for _ in range(threads if self._asked is None else 1)]
            piece = PIECE if self._asked is None else 2
            in_pieces(work, hands, piece, memories, watch=watch, stage="local best response", stop=stop)
        pairs_played = ~np.isnan(results.reshape(-1, 2)).any(axis=1)
        won = results.reshape(-1, 2)[pairs_played].ravel()
        return held.result(
            ResponseResult(self.actions.name, won, hands, self.rules.blinds[1], time.perf_counter() - began)
        )

    def hand(self, number: int) -> ResponseHand:
        """Play one hand as `run` does."""
        results, memory = np.zeros(number + 1), self._memory()
        self._play(number, number + 1, False, memory, results)
        seat, cards = number % 2, tuple(memory.deck[:9].tolist())
        actions = tuple(memory.history[: memory.counts[LENGTH]].tolist())
        seen = BOARD_CARDS[play(self.rules, actions).street]
        hole = (cards[2 * seat], cards[2 * seat + 1])
        return ResponseHand(seat, hole, cards[4 : 4 + seen], actions, float(results[number]))

    def _memory(self) -> ResponseMemory:
        if self._asked is not None:
            return self._asked.memory()
        assert isinstance(self.agent, TableAgent)
        groups = max(HANDS, int(self.agent.playing.layout.buckets.max()))
        return response_memory(groups, self.rules, self._choices.sizes, bool(self.agent.playing.by_reach))

    def _play(
        self, first: int, last: int, plain: bool, memory: ResponseMemory, results: NDArray[np.float64]
    ) -> None:
        if self._asked is not None:
            if plain:
                raise InputError("hands are plainly dealt only to compiled agents")
            self._asked.play(first, last, memory, results)
            return
        assert isinstance(self.agent, TableAgent)
        respond_hands(
            first, last, self.seed, plain, self.agent.playing, self._choices, evaluator(), pairs(), memory,
            results,
        )  # fmt: skip
