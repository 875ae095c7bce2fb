"""Answers of a person at the table: words, letters and numbered choices, and the actions that they mean.

Amounts are totals of the street in big blinds, as players say them. In the rules a total counts from the beginning
of the hand; `base` is what each player had put in when the street began.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from solvent.foundation.errors import shortened
from solvent.foundation.units import parse_whole
from solvent.games.betting.rules import CALL, FOLD, HoldemRules, HoldemState, Legal, act, legal, start

MOST = 1e12
"""The largest number that a bet is read as."""
POTS = ((0.5, "half the pot"), (1.0, "the pot"), (2.0, "twice the pot"))
"""Sizes that are offered beside the least and all-in, as fractions of the pot after calling."""
WORDS = {
    "fold": "f", "folds": "f", "check": "k", "checks": "k", "x": "k", "call": "c", "calls": "c", "bet": "b",
    "bets": "b", "raise": "b", "raises": "b", "r": "b", "all-in": "a", "allin": "a", "all": "a", "shove": "a",
}  # fmt: skip
"""Words that are understood as their letters."""


@dataclass(frozen=True)
class Choice:
    """An action that is offered."""

    action: int
    label: str
    """In words, with its amount."""


def choices(state: HoldemState, base: int) -> list[Choice]:
    """The choices of the player to act: fold, check or call, and bets of usual sizes.

    >>> [choice.label for choice in choices(start(HoldemRules()), 0)]
    ['fold', 'call 0.5 BB', 'raise to 2 BB (minimum)', 'raise to 3 BB (the pot)', 'raise to 5 BB (twice the pot)', \
'all-in, 200 BB']
    """
    allowed = legal(state)
    made = [Choice(FOLD, "fold")] if allowed.fold else []
    all_in = ", all-in" if allowed.call and not allowed.min_raise and _calls_all_in(state) else ""
    made.append(Choice(CALL, action_words(CALL, state, base) + all_in))
    if not allowed.min_raise:
        return made
    sizes = {allowed.min_raise: "minimum"}
    for part, name in POTS:
        total = pot_bet(part, state)
        if allowed.min_raise <= total < allowed.max_raise:
            sizes.setdefault(total, name)
    sizes.pop(allowed.max_raise, None)
    made += [Choice(total, f"{action_words(total, state, base)} ({sizes[total]})") for total in sorted(sizes)]
    most = in_big_blinds(allowed.max_raise - base, state.rules.blinds[1])
    return [*made, Choice(allowed.max_raise, f"all-in, {most}")]


def pot_bet(part: float, state: HoldemState) -> int:
    """The total that bets a fraction of the pot as it stands after calling."""
    faced = state.paid[1 - state.player]
    return faced + round(part * 2 * faced)


def read_answer(answer: str, state: HoldemState, base: int) -> int | None:
    """The action that an answer means; None where it means none. It may be illegal.

    >>> state = start(HoldemRules())
    >>> [read_answer(answer, state, 0) for answer in ("f", "call", "k", "2", "b", "All-in")]
    [-1, 0, None, 0, None, 20000]
    >>> [read_answer(answer, state, 0) for answer in ("raise to 3", "b250c", "bet 50%", "raise min", "pot")]
    [300, 250, 200, 200, 300]
    """
    allowed, text = legal(state), " ".join(answer.lower().split())
    if (number := parse_whole(text)) is not None:
        offered = choices(state, base)
        return offered[number - 1].action if 0 < number <= len(offered) else None
    word = re.match(r"[a-z-]+", text)
    if word is not None and word[0] in WORDS:
        text = WORDS[word[0]] + text[word.end() :].replace(" to ", " ")
    if text in ("f", "c"):
        return FOLD if text == "f" else CALL
    if text == "k":
        return CALL if allowed.call == 0 else None
    if text in ("a", "a in"):
        return allowed.max_raise or (CALL if _calls_all_in(state) else None)
    return _bet(text, state, allowed, base)


def _bet(text: str, state: HoldemState, allowed: Legal, base: int) -> int | None:
    if re.fullmatch(r"(b ?)?(the )?pot", text):
        return pot_bet(1.0, state)
    if re.fullmatch(r"(b ?)?half( the)? pot", text):
        return pot_bet(0.5, state)
    if re.fullmatch(r"(b ?)?min(imum)?", text):
        return allowed.min_raise or None
    match = re.fullmatch(r"b ?([0-9]+(?:\.[0-9]*)?|\.[0-9]+) ?(bb|c|%)?", text)
    if match is None:
        return None
    number = min(float(match[1]), MOST)
    if match[2] == "%":
        return pot_bet(number / 100, state)
    return base + round(number * (1 if match[2] == "c" else state.rules.blinds[1]))


def refusal(answer: str, state: HoldemState, base: int) -> str:
    """Why an answer is not an action here, in a sentence.

    >>> refusal("raise 1.5", start(HoldemRules()), 0)
    "'raise 1.5' is not possible here: the minimum is 2 BB, and all-in is 200 BB; ? for help"
    """
    allowed, big = legal(state), state.rules.blinds[1]
    action = read_answer(answer, state, base)
    because = ""
    if action == FOLD:
        because = ": there is nothing to call, so check"
    elif action is not None and action > CALL and not allowed.min_raise:
        because = ": only a call or a fold is left, since somebody is all-in"
    elif action is not None and action > CALL:
        least, most = (in_big_blinds(total - base, big) for total in (allowed.min_raise, allowed.max_raise))
        because = f": the minimum is {least}, and all-in is {most}"
    elif answer.strip().lower() in ("k", "check", "x"):
        because = f": there are {in_big_blinds(allowed.call, big)} to call"
    return shortened(f"{answer!r} is not possible here{because}; ? for help")


def action_words(action: int, state: HoldemState, base: int) -> str:
    """An action in words.

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
    """An amount of chips in big blinds.

    >>> in_big_blinds(250, 100), in_big_blinds(2_000_050, 100)
    ('2.5 BB', '20,000.5 BB')
    """
    return f"{round(chips / big_blind, 3):,}".removesuffix(".0") + " BB"


def street_base(rules: HoldemRules, actions: tuple[int, ...]) -> int:
    """Chips that each player had put in when the street began."""
    state, base = start(rules), 0
    for action in actions:
        after = act(state, action)
        base = after.paid[0] if after.street > state.street else base
        state = after
    return base


def _calls_all_in(state: HoldemState) -> bool:
    """Whether a call takes the player's last chips."""
    return state.paid[1 - state.player] >= state.rules.stacks[state.player]
