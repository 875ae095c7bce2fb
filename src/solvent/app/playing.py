"""A person at the terminal: hands of a sitting, shown and asked."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.text import Text

from solvent.app.terminal import table
from solvent.app.views.charts.html_chart import SYMBOLS
from solvent.cards.deck import RANKS, Card
from solvent.cards.ranking import best_strength, hand_names
from solvent.foundation.errors import shortened
from solvent.foundation.storage.reading import read_line
from solvent.games.betting.rules import BOARD_CARDS, STREETS, act, legal, start
from solvent.games.hand_history import Hand
from solvent.play.answers import action_words, choices, in_big_blinds, read_answer, refusal, street_base
from solvent.play.contract import View
from solvent.play.sitting import Sitting, Thought

HELP = """Type the number of a choice, a word or a letter:
  fold, f                 give up the hand
  check, k                pass where there is nothing to call
  call, c                 pay what the other has bet
  bet 3, raise 3, b 3     bet or raise to 3 big blinds, counted on this street
  bet 300c, bet 50%       the same in chips, or in parts of the pot
  bet min, bet pot        the least that is allowed, or the pot
  all-in, a               everything
  p                       the agent's probabilities in the last hand
  w                       what it would have done in your place in the last hand
  s                       the score
  q                       quit
  ?                       this help"""
STYLES = ("green", "blue", "red", "bold")
"""Styles of the suits by number, in the four colours of card rooms."""
HELP_WORDS = ("?", "h", "help")
LONGEST_ANSWER = 1_000
"""Letters of an answer that are read; the rest of its line is skipped."""


class Quit(Exception):  # noqa: N818 -- no error
    """The person ends the session."""


class Session:
    """A sitting at the terminal, where a person plays as an `EasyAgent`."""

    name = "you"

    def __init__(
        self,
        sitting: Sitting,
        console: Console,
        show: bool = False,
        record: Callable[[Sequence[Hand]], None] | None = None,
        editing: bool = True,
    ) -> None:
        """Prepare the terminal.

        show: show after each hand the agent's cards and thoughts
        record: called with the hand that was played
        editing: whether lines may be edited, where standard input and output are a terminal
        """
        self.sitting, self.console, self.show, self.record = sitting, console, show, record
        self.seat, self.told = 0, 0
        """The person's seat, and how many actions of the hand the person has been told of."""
        if isinstance(sys.stdin, io.TextIOWrapper):  # bytes that are no text are answers like any other
            sys.stdin.reconfigure(errors="replace")
        self.editing = editing and sys.stdin.isatty() and sys.stdout.isatty() and _edits_lines()

    def greet(self, note: str) -> None:
        """Say whom the person plays, and how; `note` is a sentence about the stacks."""
        button, blind = map(self.amount, self.sitting.rules.stacks)
        both = button if button == blind else f"{button} on the button, {blind} in the big blind"
        self.console.print(
            f"You play {self.sitting.agent.name}. Stacks: {both}. Amounts are in big blinds (BB). "
            f"Type a number, a word or a letter; ? explains them. Seed {self.sitting.seed}."
        )
        if note:
            self.console.print(note, style="yellow")

    def play_hand(self) -> None:
        """Play one hand."""
        seat = self.sitting.seat
        place = "the button and the small blind" if seat == 0 else "the big blind"
        self.console.print(f"\nHand {len(self.sitting.won) + 1}: you have {place}.", style="bold")
        self.seat, self.told = seat, 0
        hand = self.sitting.play(self)
        self.tell(hand.actions, hand.board)
        if self.record is not None:
            self.record([hand])
        self._end(hand, seat)

    def _end(self, hand: Hand, seat: int) -> None:
        won = hand.payoffs[seat]
        holes = [hole for hole in hand.holes if hole is not None]
        if hand.state.showdown:
            self.console.print(_showdown(holes[seat], holes[1 - seat], hand.board))
        else:
            if not self.sitting.decided:  # they have not been seen yet
                self.console.print(Text.assemble("You had ", cards_text(holes[seat]), "."))
            if self.show:
                self.console.print(Text.assemble("It had ", cards_text(holes[1 - seat]), "."))
        result = f"You win {self.amount(won)}." if won > 0 else f"You lose {self.amount(-won)}."
        style = "green" if won > 0 else "red" if won else ""
        self.console.print(Text(result if won else "You share the pot.", style=style), self.score())
        if self.show:
            self.show_thoughts()
            self.show_your_place()

    def score(self) -> str:
        """The running score in a sentence."""
        won = self.sitting.won
        if not won:
            return "Score: no hand has been played to its end."
        hands = f"{len(won):,} hand{'s' if len(won) > 1 else ''}"
        total = sum(won)
        sign = "+" if total > 0 else "-" if total else ""
        return f"Score: {sign}{self.amount(abs(total))} for you after {hands}."

    def between(self, last: bool) -> None:
        """Ask after a hand: deal the next, look at this one, or stop."""
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
        """Obey a word that may come at any time: p, w, s, q or ?; returns whether it was one of them."""
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
        return in_big_blinds(chips, self.sitting.rules.blinds[1])

    def act(self, view: View) -> int:
        """Ask until the answer is legal."""
        self.tell(view.actions, view.board)
        state, base = view.state, street_base(view.rules, view.actions)
        self._show_place(view)
        offered = [f"{number} {one.label}" for number, one in enumerate(choices(state, base), start=1)]
        for line in packed(offered, self.console.width - 2):
            self.console.print(f"  {line}", soft_wrap=True)
        while True:
            answer = self.ask("  > ")
            if self.answers(answer.lower()):
                continue
            if not answer:
                self.console.print("  Type a number, a word or a letter; ? explains them.")
                continue
            action = read_answer(answer, state, base)
            if action is not None and legal(state).allows(action):
                return action
            self.console.print(f"  {refusal(answer, state, base)}")

    def _show_place(self, view: View) -> None:
        """Show the cards, the pot and the stacks."""
        state, amount = view.state, self.amount
        stacks = [view.rules.stacks[seat] - state.paid[seat] for seat in (self.seat, 1 - self.seat)]
        line = Text("  ").append_text(cards_text(view.hole))
        if view.board:
            line.append("   board ").append_text(cards_text(view.board))
        line.append(
            f"   pot {amount(state.pot)}   you have {amount(stacks[0])} left, it has {amount(stacks[1])}"
        )
        self.console.print(line)

    def tell(self, actions: tuple[int, ...], board: tuple[int, ...]) -> None:
        """Print the actions and cards since the last call."""
        state, base = start(self.sitting.rules), 0
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

    def show_thoughts(self) -> None:
        """Show the agent's options in the last hand, and how likely each was."""
        if not self.sitting.thoughts:
            self.console.print("It had nothing to decide in the last hand.")
        for thought in self.sitting.thoughts:
            self._show_thought(thought, "played")

    def show_your_place(self) -> None:
        """Show the agent's own play in the person's place in the last hand, with the person's cards."""
        if not self.sitting.decided:
            self.console.print("You had nothing to decide in the last hand.")
        for thought in self.sitting.in_your_place():
            self._show_thought(thought, "you")

    def _show_thought(self, thought: Thought, mark: str) -> None:
        view = thought.view
        place = Text(STREETS[view.state.street].capitalize() + " ").append_text(cards_text(view.board))
        place.rstrip()
        place.append(", with ").append_text(cards_text(view.hole))
        place.append(f", after what it takes for {thought.history}" if thought.history else "")
        self.console.print(place)
        if thought.note:
            self.console.print(f"  {thought.note}")
        shown = table("action", "probability", "")
        for number, (words, share) in enumerate(zip(thought.words, thought.probabilities, strict=True)):
            shown.add_row(words, f"{100 * share:.1f} %", mark if number == thought.chosen else "")
        self.console.print(shown)

    def show_summary(self) -> None:
        """Print the result."""
        found = self.sitting.summary()
        if not found["hands"]:
            self.console.print("No hand was played to its end.")
            return
        hands = f"{found['hands']:,} hand{'s' if found['hands'] > 1 else ''}"
        won = f"{found['bb_won']:+,.4g} BB, {found['mbb_per_hand']:+,.0f} mbb/hand"
        self.console.print(f"{hands}: {won} for you.")


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
    """Both players' hands, by name."""
    names = hand_names(best_strength(yours + board), best_strength(its + board))
    return Text.assemble(
        "Showdown on ", cards_text(board), ": you have ", cards_text(yours), f", {names[0]}; it has ",
        cards_text(its), f", {names[1]}.",
    )  # fmt: skip


def cards_text(cards: Iterable[Card]) -> Text:
    """Cards with spaces in between.

    >>> cards_text([51, 45]).plain
    'A♠ K♦'
    """
    return Text(" ").join(
        Text(RANKS[card // 4] + SYMBOLS[card % 4], style=STYLES[card % 4]) for card in cards
    )


def _edits_lines() -> bool:
    """Whether Python can edit lines here; importing its module switches that on."""
    try:
        import readline
    except ImportError:
        return False
    return bool(readline.__doc__)
