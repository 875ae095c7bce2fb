"""Heads-up hold'em betting, no-limit or limit: who acts, what is legal, what it pays. No cards.

The rules are the ACPC's, which are the card room's. Player 0 has the button: that player posts the small blind,
acts first before the flop and last after it. The least bet or raise is the big blind or the last bet or raise of
the street, whichever is more; less is legal only all-in. Nobody raises a player who is all-in. A blind may put a
player all-in. What nobody calls goes back. In limit betting a street has one size of bet and a cap on bets and
raises.

A hand may also start later, with chips in the middle: `pot` chips that neither player has put in since the start,
no blinds, `least_bet` chips as the least bet, and `first_to_act` to say who begins.

An action is an int: `FOLD`, `CALL` (a check where there is nothing to call), or the total that a bet or raise
brings the player to, counted from the beginning of the hand, as the ACPC writes it.

>>> state = start(HoldemRules(stacks=(20_000, 20_000), blinds=(50, 100)))
>>> legal(state)
Legal(fold=True, call=50, min_raise=200, max_raise=20000)
>>> state = act(act(act(state, 300), CALL), 600)  # the flop: the big blind bets 300
>>> state.player, state.paid, legal(state).min_raise
(0, (300, 600), 900)
>>> payoffs(act(state, FOLD))
(-300, 300)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from solvent.games.game import TERMINAL, GameError

FOLD = -1
CALL = 0
STREETS = ("preflop", "flop", "turn", "river")
BOARD_CARDS = (0, 3, 4, 5)
"""Public cards on each street."""
NOBODY = -1


@dataclass(frozen=True, slots=True)
class HoldemRules:
    """Stacks, blinds and limits. Amounts are in chips; pairs are (button, big blind)."""

    stacks: tuple[int, int] = (20_000, 20_000)
    blinds: tuple[int, int] = (50, 100)
    streets: int = 4
    bets: tuple[int, ...] = ()
    """Limit betting: what a bet or raise adds, by street. Empty for no limit."""
    caps: tuple[int, ...] = ()
    """The most bets and raises, by street, blinds not counted. Empty for no cap."""
    pot: int = 0
    """Chips in the middle at the start, besides what `HoldemState.paid` counts."""
    least_bet: int = 0
    """The least first bet of a street; 0 for the big blind."""
    first_to_act: tuple[int, int] = (0, 1)
    """The players who act first on the first street, and on all later ones."""

    def __post_init__(self) -> None:
        if len(self.stacks) != 2 or min(self.stacks) < 1:
            raise GameError(f"both stacks are at least 1 chip, not {self.stacks}")
        if self.pot < 0 or self.least_bet < 0 or not {*self.first_to_act} <= {0, 1}:
            raise GameError(
                f"the pot and the least bet are at least 0 and player 0 or 1 acts first, not pot {self.pot}, "
                f"least bet {self.least_bet} and {self.first_to_act}"
            )
        least = 0 if self.least_bet else 1
        if len(self.blinds) != 2 or not 0 <= self.blinds[0] <= self.blinds[1] or self.blinds[1] < least:
            raise GameError(
                f"blinds are (small, big), the big at least {least} and the small no more, not {self.blinds}"
            )
        if not 1 <= self.streets <= len(STREETS):
            raise GameError(f"hold'em has 1 to {len(STREETS)} streets, not {self.streets}")
        for name, numbers, least in (("bets", self.bets, 1), ("caps", self.caps, 0)):
            if numbers and (len(numbers) != self.streets or min(numbers) < least):
                raise GameError(
                    f"{name} has a number of at least {least} for each of {self.streets} streets, not {numbers}"
                )

    @property
    def effective_stack(self) -> int:
        """The most that either player can lose."""
        return min(self.stacks)


@dataclass(frozen=True, slots=True)
class HoldemState:
    """A position in the betting."""

    rules: HoldemRules = field(hash=False)  # the same for all states of a hand
    street: int
    player: int
    """The player to act; `TERMINAL` where the betting is over."""
    paid: tuple[int, int]
    """Chips that each player has put in since the hand began, uncalled ones included."""
    raised: int = 0
    """The largest bet or raise of this street; the next is at least as large."""
    raises: int = 0
    """Bets and raises on this street."""
    opened: bool = False
    """Whether anybody has acted on this street."""
    folded: int = NOBODY

    @property
    def over(self) -> bool:
        return self.player == TERMINAL

    @property
    def showdown(self) -> bool:
        """Whether cards decide."""
        return self.over and self.folded == NOBODY

    @property
    def run_out(self) -> bool:
        """Whether cards decide and the rest of the board is dealt without betting."""
        return self.showdown and self.all_in

    @property
    def all_in(self) -> bool:
        """Whether a player has put in the whole stack."""
        return self.paid[0] == self.rules.stacks[0] or self.paid[1] == self.rules.stacks[1]

    @property
    def pot(self) -> int:
        """All chips in the middle, uncalled ones included."""
        return self.rules.pot + self.paid[0] + self.paid[1]

    @property
    def at_stake(self) -> int:
        """Chips of each player that the other has matched; at the end of a hand the rest goes back."""
        return min(self.paid)


class Legal(NamedTuple):
    """The actions of the player to act."""

    fold: bool
    """Whether folding is legal: only where there is something to call."""
    call: int
    """Chips that calling adds; 0 is a check."""
    min_raise: int
    """The least total that a bet or raise may bring the player to; 0 where raising is not legal."""
    max_raise: int
    """The greatest; every total between is legal."""

    def allows(self, action: int) -> bool:
        """Whether an action is legal."""
        if action <= CALL:
            return action == CALL or (action == FOLD and self.fold)
        return self.min_raise <= action <= self.max_raise


def start(rules: HoldemRules) -> HoldemState:
    """The position after the blinds; whoever is first acts, unless the blinds leave nothing to decide."""
    stacks, blinds, player = rules.stacks, rules.blinds, rules.first_to_act[0]
    paid = (min(stacks[0], blinds[0]), min(stacks[1], blinds[1]))
    mine, yours = paid[player], paid[1 - player]
    decides = mine < stacks[player] and (mine < yours or yours < stacks[1 - player])
    return HoldemState(rules, 0, player if decides else TERMINAL, paid)


def legal(state: HoldemState) -> Legal:
    """The actions of the player to act."""
    if state.over:
        raise GameError("the betting is over; nobody has anything to decide")
    rules, player = state.rules, state.player
    stack, mine, yours = rules.stacks[player], state.paid[player], state.paid[1 - player]
    call = max(0, min(yours, stack) - mine)
    capped = bool(rules.caps) and state.raises >= rules.caps[state.street]
    if capped or stack <= yours or yours == rules.stacks[1 - player]:
        return Legal(yours > mine, call, 0, 0)
    least = rules.bets[state.street] if rules.bets else max(rules.least_bet or rules.blinds[1], state.raised)
    min_raise = min(yours + least, stack)
    return Legal(yours > mine, call, min_raise, min_raise if rules.bets else stack)


def act(state: HoldemState, action: int, allowed: Legal | None = None) -> HoldemState:
    """The state after an action. allowed: `legal(state)`, from callers that have it."""
    allowed = allowed or legal(state)
    if not allowed.allows(action):
        raise GameError(f"{action_text(action)} is not legal: {_choices(allowed)}")
    rules, player, paid, street = state.rules, state.player, state.paid, state.street
    if action == FOLD:
        return HoldemState(rules, street, TERMINAL, paid, state.raised, state.raises, True, player)
    total = action if action > CALL else paid[player] + allowed.call
    after = (total, paid[1]) if player == 0 else (paid[0], total)
    if action > CALL:
        raised = max(state.raised, action - paid[1 - player])
        return HoldemState(rules, street, 1 - player, after, raised, state.raises + 1, True)
    all_in = after[0] == rules.stacks[0] or after[1] == rules.stacks[1]
    if not state.opened and not all_in:
        return HoldemState(rules, street, 1 - player, after, state.raised, state.raises, True)
    if all_in or street + 1 == rules.streets:
        return HoldemState(rules, street, TERMINAL, after, state.raised, state.raises, True)
    return HoldemState(rules, street + 1, rules.first_to_act[1], after)


def play(rules: HoldemRules, actions: Iterable[int]) -> HoldemState:
    """The state after these actions."""
    state = start(rules)
    for action in actions:
        state = act(state, action)
    return state


def payoffs(state: HoldemState, strengths: tuple[int, int] | None = None) -> tuple[int, int]:
    """Return both players' winnings, in chips. A showdown needs both hands' strengths, the better one greater."""
    if not state.over:
        raise GameError("the betting is not over, so nobody has won")
    if state.folded != NOBODY:
        winner = 1 - state.folded
    elif strengths is None:
        raise GameError("at a showdown the strengths of both hands say who wins")
    elif strengths[0] == strengths[1]:
        return 0, 0
    else:
        winner = int(strengths[1] > strengths[0])
    won = state.at_stake if winner == 0 else -state.at_stake
    return won, -won


def action_text(action: int) -> str:
    """An action as the ACPC writes it.

    >>> [action_text(action) for action in (FOLD, CALL, 300)]
    ['f', 'c', 'r300']
    """
    if action in (FOLD, CALL):
        return "f" if action == FOLD else "c"
    return f"r{action}"


def _choices(allowed: Legal) -> str:
    choices = ["f", "c"] if allowed.fold else ["c"]
    if allowed.min_raise:
        choices.append(f"r{allowed.min_raise} to r{allowed.max_raise}")
    return f"legal are {', '.join(choices)}"
