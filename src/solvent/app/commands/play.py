"""The `solvent play` command: a person against an agent in the terminal, one hand after another."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from solvent.app.commands.match import Blinds, Ensemble, Post, Stack, load_agents, rules_of
from solvent.app.options import Cards, Json
from solvent.app.terminal import print_json, table, terminal
from solvent.cards.deck import card_label
from solvent.foundation.progress import INTERRUPTED, Interrupted
from solvent.games.betting.rules import (
    BOARD_CARDS,
    CALL,
    FOLD,
    STREETS,
    HoldemRules,
    HoldemState,
    Legal,
    legal,
    start,
)
from solvent.games.betting.rules import act as take

if TYPE_CHECKING:
    from solvent.games.hand_history import Hand
    from solvent.play.contract import View
    from solvent.play.table_agent import Decision, TableAgent

HELP = (
    "f fold, k check, c call, b 3 bets or raises to 3 big blinds on this street (b 300c: to 300 chips, b 50%: half "
    "the pot after calling), a all-in, p the agent's probabilities in the last hand, q quit"
)


class Quit(Exception):  # noqa: N818 -- no error
    """The person ends the session."""


MOST = 1e12
"""The largest number that a bet is read as."""
MOST_HANDS = 10**9
WORDS = {"fold": "f", "check": "k", "call": "c", "bet": "b", "raise": "b", "all-in": "a", "allin": "a"}
"""Words that are understood as their letters."""


def play(
    agent: Annotated[
        str, typer.Argument(help="The opponent: a training's folder, or any agent as in `solvent match`.")
    ],
    hands: Annotated[
        int | None, typer.Option(min=1, max=MOST_HANDS, help="Stop after this many hands.")
    ] = None,
    post: Post = None,
    ensemble: Ensemble = "sum",
    stack: Stack = None,
    blinds: Blinds = "50/100",
    cards: Cards = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=(1 << 63) - 1, help="Seed of the deals.  [default: another each time]"),
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Show the agent's cards and probabilities after every hand.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play against an agent in the terminal. With --json only the summary is on standard output."""
    console = terminal(stderr=as_json)
    with console.status("opening the agent (kernels are compiled once per machine)"):
        players = load_agents([agent], post, ensemble, cards)
        rules = rules_of(players, stack, blinds)
        ready(players[0])
    chosen = int.from_bytes(os.urandom(4)) if seed is None else seed
    session = Session(players[0], rules, chosen, console, show)
    session.console.print(f"You play {players[0].name}. {HELP}. Seed {chosen}.", soft_wrap=True)
    code = 0
    try:
        with _ended_by_signals():
            while hands is None or len(session.won) < hands:
                session.play_hand()
                session.between(last=hands is not None and len(session.won) == hands)
    except (Quit, EOFError):
        session.console.print()
    except KeyboardInterrupt as error:
        session.console.print()
        code = error.exit_code if isinstance(error, Interrupted) else INTERRUPTED
    if as_json:
        print_json(session.summary())
    else:
        session.show_summary()
    if code:
        raise typer.Exit(code)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the session as Ctrl-C does, also while it waits for an answer."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise Interrupted(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ready(agent: TableAgent) -> None:
    """Have the agent decide once, so that everything is compiled."""
    from solvent.play.contract import View

    agent.act(View(HoldemRules(), 0, (), (), 0, hole=(0, 1)))


@dataclass
class Session:
    """Hands against one agent. The person has the button in every other hand."""

    agent: TableAgent
    rules: HoldemRules
    seed: int
    console: Console
    show: bool = False
    won: list[int] = field(default_factory=list)
    """Chips that the person won, by hand."""
    thoughts: list[Thought] = field(default_factory=list)
    """The agent's decisions in the last hand."""

    def __post_init__(self) -> None:
        if isinstance(
            sys.stdin, io.TextIOWrapper
        ):  # bytes that are no text are not possible here, like other answers
            sys.stdin.reconfigure(errors="replace")

    def play_hand(self) -> None:
        """Play one hand."""
        import numpy as np

        from solvent.play.matches import as_hand, play_hand
        from solvent.play.table_kernels import deal_pair

        number = len(self.won)
        deck, random = np.zeros(52, dtype=np.int64), np.zeros(1, dtype=np.uint64)
        key = int(deal_pair(self.seed, number, deck, random))
        cards = tuple(deck[:9].tolist())
        person = number % 2
        you, it = Person(self, person), Watched(self.agent)
        place = "the button and the small blind" if person == 0 else "the big blind"
        self.console.print(f"\nHand {number + 1}: you have {place}.", style="bold")
        actions = play_hand(self.rules, (you, it) if person == 0 else (it, you), cards, key)
        names = ("you", self.agent.name)
        hand = as_hand(self.rules, actions, cards, names if person == 0 else names[::-1], number + 1)
        you.tell(hand.actions, hand.board)
        self.thoughts = it.thoughts
        self.won.append(hand.payoffs[person])
        self._end(hand, person)

    def _end(self, hand: Hand, person: int) -> None:
        won = hand.payoffs[person]
        holes = [spaced(hole) for hole in hand.holes if hole is not None]
        if hand.state.showdown:
            board = f" on {spaced(hand.board)}"
            self.console.print(
                f"Showdown: you have {holes[person]}, it has {holes[1 - person]}{board}.", soft_wrap=True
            )
        elif self.show:
            self.console.print(f"It had {holes[1 - person]}.")
        result = f"You win {self.amount(won)}." if won > 0 else f"You lose {self.amount(-won)}."
        self.console.print(
            result if won else "You share the pot.", style="green" if won > 0 else "red" if won else ""
        )
        if self.show:
            self.show_thoughts()

    def between(self, last: bool) -> None:
        """After a hand: go on, look at it, or stop."""
        asked = "enter to end" if last else "enter for the next hand"
        while True:
            word = self.ask(f"{asked}, p for its probabilities, q to quit: ").lower()
            if word == "p":
                self.show_thoughts()
            elif word == "q":
                raise Quit
            elif not word:
                return
            else:
                self.console.print(f"{word!r} is none of these.")

    def ask(self, question: str) -> str:
        """A line from the person."""
        self.console.print(question, end="", soft_wrap=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        if not sys.stdin.isatty():
            self.console.print(line.rstrip("\n"))
        return line.strip()

    def amount(self, chips: int) -> str:
        return in_big_blinds(chips, self.rules.blinds[1])

    def show_thoughts(self) -> None:
        """Show what the agent could have done in the last hand, and how likely each was."""
        if not self.thoughts:
            self.console.print("It had nothing to decide in the last hand.")
        for thought in self.thoughts:
            decision = thought.decision
            shown = table("action", "probability", "")
            for number, share in enumerate(decision.probabilities):
                played = "played" if number == decision.chosen else ""
                shown.add_row(thought.actions[number], f"{100 * share:.1f} %", played)
            note = f": {decision.note}" if decision.note else ""
            self.console.print(f"{thought.place}{note}", soft_wrap=True)
            self.console.print(shown)

    def summary(self) -> dict[str, Any]:
        """The session's result."""
        big = self.rules.blinds[1]
        hands, won = len(self.won), sum(self.won)
        return {
            "agent": self.agent.name,
            "hands": hands,
            "bb_won": won / big,
            "mbb_per_hand": won / big / hands * 1000 if hands else None,
            "seed": self.seed,
        }

    def show_summary(self) -> None:
        """Print the session's result."""
        found = self.summary()
        if not found["hands"]:
            self.console.print("No hand was played to its end.")
            return
        hands = f"{found['hands']} hand{'s' if found['hands'] > 1 else ''}"
        won = f"{found['bb_won']:+,.4g} BB, {found['mbb_per_hand']:+,.0f} mbb/hand"
        self.console.print(f"{hands}: {won} for you.", soft_wrap=True)


@dataclass(frozen=True)
class Thought:
    """A decision of the agent, in words."""

    place: str
    actions: tuple[str, ...]
    decision: Decision


class Watched:
    """An agent whose decisions are kept to be shown."""

    def __init__(self, agent: TableAgent) -> None:
        self.agent = agent
        self.thoughts: list[Thought] = []

    @property
    def name(self) -> str:
        return self.agent.name

    def act(self, view: View) -> int:
        """Decide, and keep the decision."""
        decision = self.agent.decision(view)
        base = street_base(view.rules, view.actions)
        board = f" {spaced(view.board)}" if view.board else ""
        history = f", seen as {decision.history}" if decision.history else ""
        place = f"{STREETS[view.state.street].capitalize()}{board}, with {spaced(view.hole)}{history}"
        words = tuple(action_words(action, view.state, base) for action in decision.actions)
        self.thoughts.append(Thought(place, words, decision))
        return decision.actions[decision.chosen]


class Person:
    """The person at the terminal."""

    name = "you"

    def __init__(self, session: Session, seat: int) -> None:
        self.session, self.seat, self.told = session, seat, 0
        self.console = session.console

    def act(self, view: View) -> int:
        """Ask until the answer is legal."""
        self.tell(view.actions, view.board)
        state, allowed, amount = view.state, view.legal, self.session.amount
        base = street_base(view.rules, view.actions)
        stacks = [view.rules.stacks[seat] - state.paid[seat] for seat in (self.seat, 1 - self.seat)]
        board = f"   board {spaced(view.board)}" if view.board else ""
        self.console.print(
            f"  {spaced(view.hole)}{board}   pot {amount(state.pot)}   you have {amount(stacks[0])} left, "
            f"it {amount(stacks[1])}",
            soft_wrap=True,
        )
        ways = ["f fold"] if allowed.fold else []
        ways.append(f"c call {amount(allowed.call)}" if allowed.call else "k check")
        if allowed.min_raise:
            least, most = allowed.min_raise - base, allowed.max_raise - base
            ways += [f"b {least / view.rules.blinds[1]:.4g} to {amount(most)}", "a all-in"]
        while True:
            answer = self.session.ask(f"  {', '.join(ways)}: ").lower()
            if answer == "p":
                self.session.show_thoughts()
                continue
            if answer == "q":
                raise Quit
            action = parse_answer(answer, state, base)
            if action is not None and allowed.allows(action):
                return action
            self.console.print(f"  {self.refusal(answer, action, allowed, base)}", soft_wrap=True)

    def refusal(self, answer: str, action: int | None, allowed: Legal, base: int) -> str:
        """Why an answer is not an action."""
        if answer in ("", "?", "h", "help"):
            return HELP
        amount = self.session.amount
        if action is not None and action > CALL and allowed.min_raise:
            least, most = amount(allowed.min_raise - base), amount(allowed.max_raise - base)
            return f"{answer!r} is not possible here: a bet is {least} to {most} on this street; ? for help"
        return f"{answer!r} is not possible here; ? for help"

    def tell(self, actions: tuple[int, ...], board: tuple[int, ...]) -> None:
        """Print what happened since the person was told last."""
        state, base = start(self.session.rules), 0
        for number, action in enumerate(actions):
            after = take(state, action)
            if number >= self.told and state.player != self.seat:
                verb, _, rest = action_words(action, state, base).partition(" ")
                self.console.print(f"  It {verb}s{rest and ' '}{rest}.")
            if after.street > state.street:
                base = after.paid[0]
                if number >= self.told:
                    dealt = board[: BOARD_CARDS[after.street]]
                    self.console.print(f"{STREETS[after.street].capitalize()}: {spaced(dealt)}", style="bold")
            state = after
        self.told = len(actions)


def action_words(action: int, state: HoldemState, base: int) -> str:
    """An action in words.

    Bets and raises are totals of the street, on which each player began with `base` in the pot.

    >>> state = start(HoldemRules())
    >>> [action_words(action, state, 0) for action in (FOLD, CALL, 300, 20_000)]
    ['fold', 'call 0.5 BB', 'raise to 3 BB', 'raise to 200 BB, all-in']
    """
    call, big = legal(state).call, state.rules.blinds[1]
    if action == FOLD:
        return "fold"
    if action == CALL:
        return f"call {in_big_blinds(call, big)}" if call else "check"
    word = "raise to" if state.raises or state.street == 0 else "bet"
    all_in = ", all-in" if action >= state.rules.effective_stack else ""
    return f"{word} {in_big_blinds(action - base, big)}{all_in}"


def in_big_blinds(chips: int, big_blind: int) -> str:
    """An amount of chips in big blinds."""
    return f"{chips / big_blind:,.4g} BB"


def street_base(rules: HoldemRules, actions: tuple[int, ...]) -> int:
    """What each player had put in when the street began."""
    state, base = start(rules), 0
    for action in actions:
        after = take(state, action)
        base = after.paid[0] if after.street > state.street else base
        state = after
    return base


def parse_answer(answer: str, state: HoldemState, base: int) -> int | None:
    """The action that an answer means; None where it means none.

    Amounts are totals of the street, on which each player began with `base` in the pot.

    >>> state = start(HoldemRules())
    >>> [parse_answer(text, state, 0) for text in ("f", "call", "k", "raise 3", "b250c", "b 50%", "a", "b", "x")]
    [-1, 0, None, 300, 250, 200, 20000, None, None]
    """
    allowed = legal(state)
    word = re.match(r"[a-z-]+", answer)
    if word is not None and word[0] in WORDS:
        answer = WORDS[word[0]] + answer[word.end() :]
    if answer in ("f", "c"):
        return FOLD if answer == "f" else CALL
    if answer == "k":
        return CALL if allowed.call == 0 else None
    if answer == "a":
        stack = state.rules.stacks[state.player]
        return allowed.max_raise or (CALL if state.paid[1 - state.player] >= stack else None)
    match = re.fullmatch(r"[br]\s*(\d+(?:\.\d*)?|\.\d+)\s*(bb|c|%)?", answer)
    if match is None:
        return None
    number, yours = min(float(match[1]), MOST), state.paid[1 - state.player]
    if match[2] == "%":
        return yours + round(number / 100 * 2 * yours)
    return base + round(number * (1 if match[2] == "c" else state.rules.blinds[1]))


def spaced(cards: Sequence[int]) -> str:
    """Cards with spaces in between."""
    return " ".join(map(card_label, cards))
