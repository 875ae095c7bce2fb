"""A person at the table: hands against one agent, what is shown of them, and what is asked."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from solvent.app.playing.answers import (
    HELP,
    action_words,
    choices,
    in_big_blinds,
    read_answer,
    refusal,
    street_base,
)
from solvent.app.playing.watched_agent import Thought, WatchedAgent, in_your_place
from solvent.app.terminal import table
from solvent.app.views.charts.playing_cards import cards_text
from solvent.cards.ranking import best_strength, hand_names
from solvent.foundation.errors import shortened
from solvent.foundation.storage.reading import read_line
from solvent.games.betting.rules import BOARD_CARDS, STREETS, HoldemRules, act, legal, start
from solvent.games.hand_history import Hand
from solvent.play.contract import Agent, View
from solvent.play.matches import play_hand
from solvent.play.table_agent import TableAgent
from solvent.play.table_kernels import deal_pair

HELP_WORDS = ("?", "h", "help")
LONGEST_ANSWER = 1_000
"""Letters of an answer that are read; the rest of its line is skipped."""


class Quit(Exception):  # noqa: N818 -- no error
    """The person ends the session."""


def prepare(agent: Agent) -> None:
    """Have a compiled agent decide once, so that everything is compiled."""
    if isinstance(agent, TableAgent):
        agent.act(View(HoldemRules(), 0, (), (), 0, hole=(0, 1)))


@dataclass
class Session:
    """Hands against one agent. The person has the button in every other hand."""

    agent: Agent
    rules: HoldemRules
    seed: int
    console: Console
    show: bool = False
    record: Callable[[Hand], None] | None = None
    """Called with each hand that is played."""
    editing: bool = True
    """Whether lines may be edited, where standard input and output are a terminal."""
    won: list[int] = field(default_factory=list)
    """Chips that the person won, by hand."""
    thoughts: list[Thought] = field(default_factory=list)
    """The agent's decisions in the last hand."""
    decided: list[tuple[View, int]] = field(default_factory=list)
    """The person's decisions in the last hand: what was seen, and what was done."""

    def __post_init__(self) -> None:
        if isinstance(sys.stdin, io.TextIOWrapper):  # bytes that are no text are answers like any other
            sys.stdin.reconfigure(errors="replace")
        self.editing = self.editing and sys.stdin.isatty() and sys.stdout.isatty() and _edits_lines()

    def greet(self, note: str) -> None:
        """Say whom the person plays, and how; `note` is a sentence about the stacks."""
        stacks = [in_big_blinds(stack, self.rules.blinds[1]) for stack in self.rules.stacks]
        both = (
            stacks[0]
            if stacks[0] == stacks[1]
            else f"{stacks[0]} on the button, {stacks[1]} in the big blind"
        )
        self.console.print(
            f"You play {self.agent.name}. Stacks: {both}. Amounts are in big blinds (BB). "
            f"Type a number, a word or a letter; ? explains them. Seed {self.seed}."
        )
        if note:
            self.console.print(note, style="yellow")

    def play_hand(self) -> None:
        """Play one hand."""
        number = len(self.won)
        deck, random = np.zeros(52, dtype=np.int64), np.zeros(1, dtype=np.uint64)
        key = int(deal_pair(self.seed, number, deck, random))
        cards = tuple(deck[:9].tolist())
        person = number % 2
        you, it = Person(self, person), WatchedAgent(self.agent)
        place = "the button and the small blind" if person == 0 else "the big blind"
        self.console.print(f"\nHand {number + 1}: you have {place}.", style="bold")
        table = play_hand(self.rules, (you, it) if person == 0 else (it, you), cards, key)
        names = ("you", self.agent.name)
        hand = table.hand(names if person == 0 else names[::-1], number + 1)
        you.tell(hand.actions, hand.board)
        self.thoughts, self.decided = it.thoughts, you.decided
        self.won.append(hand.payoffs[person])
        if self.record is not None:
            self.record(hand)
        self._end(hand, person)

    def _end(self, hand: Hand, person: int) -> None:
        won = hand.payoffs[person]
        holes = [hole for hole in hand.holes if hole is not None]
        if hand.state.showdown:
            self.console.print(_showdown(holes[person], holes[1 - person], hand.board))
        else:
            if not self.decided:  # they have not been seen yet
                self.console.print(Text.assemble("You had ", cards_text(holes[person]), "."))
            if self.show:
                self.console.print(Text.assemble("It had ", cards_text(holes[1 - person]), "."))
        result = f"You win {self.amount(won)}." if won > 0 else f"You lose {self.amount(-won)}."
        style = "green" if won > 0 else "red" if won else ""
        self.console.print(Text(result if won else "You share the pot.", style=style), self.score())
        if self.show:
            self.show_thoughts()
            self.show_your_place()

    def score(self) -> str:
        """The running score in a sentence."""
        if not self.won:
            return "Score: no hand has been played to its end."
        hands = f"{len(self.won):,} hand{'s' if len(self.won) > 1 else ''}"
        total = sum(self.won)
        sign = "+" if total > 0 else "-" if total else ""
        return f"Score: {sign}{self.amount(abs(total))} for you after {hands}."

    def between(self, last: bool) -> None:
        """After a hand: go on, look at it, or stop."""
        asked = "Enter ends" if last else "Enter deals the next hand"
        while True:
            word = self.ask(f"{asked}; p shows its play, w its play in your place; ? helps: ").lower()
            if not word:
                return
            if not self.answers(word):
                self.console.print(
                    shortened(f"{word!r} is none of these: the hand is over, and Enter goes on.")
                )

    def answers(self, word: str) -> bool:
        """Do what may be asked for at any time: p, w, s, q and ?; whether it was one of them."""
        if word in ("q", "quit", "exit"):
            raise Quit
        if word in ("p", "probabilities"):
            self.show_thoughts()
        elif word in ("w", "what"):
            self.show_your_place()
        elif word in ("s", "score"):
            self.console.print(self.score())
        elif word in HELP_WORDS:
            self.console.print(HELP, soft_wrap=True)
        else:
            return False
        return True

    def ask(self, question: str) -> str:
        """A line from the person, who can edit it on a terminal and call back earlier ones with the arrow keys."""
        if self.editing:
            return input(question).strip()
        self.console.print(question, end="", soft_wrap=True)
        line: str = read_line(sys.stdin, LONGEST_ANSWER)
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
            self._show_thought(thought, "played")

    def show_your_place(self) -> None:
        """Show what the agent would have done in the person's place in the last hand, with the person's cards."""
        if not self.decided:
            self.console.print("You had nothing to decide in the last hand.")
        for view, action in self.decided:
            self._show_thought(in_your_place(self.agent, view, action), "you")

    def _show_thought(self, thought: Thought, mark: str) -> None:
        self.console.print(thought.place)
        if thought.note:
            self.console.print(f"  {thought.note}")
        shown = table("action", "probability", "")
        for number, share in enumerate(thought.probabilities):
            shown.add_row(
                thought.actions[number], f"{100 * share:.1f} %", mark if number == thought.chosen else ""
            )
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
        hands = f"{found['hands']:,} hand{'s' if found['hands'] > 1 else ''}"
        won = f"{found['bb_won']:+,.4g} BB, {found['mbb_per_hand']:+,.0f} mbb/hand"
        self.console.print(f"{hands}: {won} for you.")


class Person:
    """The person at the terminal."""

    name = "you"

    def __init__(self, session: Session, seat: int) -> None:
        self.session, self.seat, self.told = session, seat, 0
        self.decided: list[tuple[View, int]] = []
        self.console = session.console

    def act(self, view: View) -> int:
        """Ask until the answer is legal."""
        self.tell(view.actions, view.board)
        state, base = view.state, street_base(view.rules, view.actions)
        self._show_place(view)
        offered = [f"{number} {one.label}" for number, one in enumerate(choices(state, base), start=1)]
        for line in packed(offered, self.console.width - 2):
            self.console.print(f"  {line}", soft_wrap=True)
        while True:
            answer = self.session.ask("  > ")
            if self.session.answers(answer.lower()):
                continue
            if not answer:
                self.console.print("  Type a number, a word or a letter; ? explains them.")
                continue
            action = read_answer(answer, state, base)
            if action is not None and legal(state).allows(action):
                self.decided.append((view, action))
                return action
            self.console.print(f"  {refusal(answer, state, base)}")

    def _show_place(self, view: View) -> None:
        """Show the cards, the pot and the stacks."""
        state, amount = view.state, self.session.amount
        stacks = [view.rules.stacks[seat] - state.paid[seat] for seat in (self.seat, 1 - self.seat)]
        line = Text("  ").append_text(cards_text(view.hole))
        if view.board:
            line.append("   board ").append_text(cards_text(view.board))
        line.append(
            f"   pot {amount(state.pot)}   you have {amount(stacks[0])} left, it has {amount(stacks[1])}"
        )
        self.console.print(line)

    def tell(self, actions: tuple[int, ...], board: tuple[int, ...]) -> None:
        """Print what happened since the person was told last."""
        state, base = start(self.session.rules), 0
        for number, action in enumerate(actions):
            after = act(state, action)
            if number >= self.told and state.player != self.seat:
                verb, _, rest = action_words(action, state, base).partition(" ")
                self.console.print(f"  It {verb}s{rest and ' '}{rest}.")
            if after.street > state.street:
                base = after.paid[0]
                if number >= self.told:
                    dealt = cards_text(board[: BOARD_CARDS[after.street]])
                    street = Text(f"{STREETS[after.street].capitalize()}: ", style="bold")
                    self.console.print(street.append_text(dealt))
            state = after
        self.told = len(actions)


def packed(items: list[str], width: int) -> list[str]:
    """Items in as few lines as they fit in, so that no line breaks inside one.

    >>> packed(["1 fold", "2 call 1 BB", "3 all-in"], 20)
    ['1 fold   2 call 1 BB', '3 all-in']
    """
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + 3 + len(item) <= width:
            lines[-1] += f"   {item}"
        else:
            lines.append(item)
    return lines


def _showdown(yours: tuple[int, ...], its: tuple[int, ...], board: tuple[int, ...]) -> Text:
    """What both players hold, by name."""
    names = hand_names(best_strength(yours + board), best_strength(its + board))
    return Text.assemble(
        "Showdown on ", cards_text(board), ": you have ", cards_text(yours), f", {names[0]}; it has ",
        cards_text(its), f", {names[1]}.",
    )  # fmt: skip


def _edits_lines() -> bool:
    """Whether Python can edit lines here; importing its module switches that on."""
    try:
        import readline
    except ImportError:
        return False
    return bool(readline.__doc__)
