"""Stacks and blinds of a match: from text, or as agents were trained."""

from __future__ import annotations

from collections.abc import Sequence

from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_decimal
from solvent.games.betting.rules import HoldemRules
from solvent.play.contract import Agent

STACK = 200.0
"""Big blinds where no agent was trained with any."""


def rules_of(agents: Sequence[Agent], stack: str | None, blinds: str = "50/100") -> HoldemRules:
    """Stacks and blinds from text; without a stack, that of the first trained agent.

    stack: big blinds, or two numbers of them, button's,big blind's
    blinds: small/big, in chips
    """
    small, big = _numbers(blinds, "/", "blinds are written small/big in chips, as 50/100")
    if int(small) != small or int(big) != big:
        raise InputError(f"blinds are whole chips, not {blinds!r}")
    if big < 1:
        raise InputError(f"the big blind is at least one chip, not {blinds!r}")
    if stack is None:
        trained = (trained_rules(agent) for agent in agents)
        depths = [next((_depth(rules) for rules in trained if rules is not None), STACK)]
    else:
        depths = _numbers(stack, ",", "a stack is a number of big blinds, or two, as 200 or 100,40")
    chips = [round(depth * big) for depth in depths]
    if len(chips) > 2 or min(chips) < 1:
        raise InputError(f"a stack is one or two numbers of big blinds of at least a chip, not {stack!r}")
    return HoldemRules((chips[0], chips[-1]), (int(small), int(big)))


def trained_rules(agent: Agent) -> HoldemRules | None:
    """The stacks and blinds that an agent was trained with; None where it was not trained."""
    return getattr(agent, "rules", None)


def stack_note(agents: Sequence[Agent], rules: HoldemRules) -> str:
    """A sentence where the stacks are not those that each agent was trained with; empty otherwise."""
    played = _depth(rules)
    known = ((agent.name, trained_rules(agent)) for agent in agents)
    depths = {name: _depth(trained) for name, trained in known if trained is not None}
    others = [f"{name} was trained with {depth:g} BB" for name, depth in depths.items() if depth != played]
    if not others:
        return ""
    who = "it" if len(others) == 1 else "each"
    return (
        f"The shorter stack is {played:g} BB, but {' and '.join(others)}: {who} plays as if it still had that "
        f"wherever the betting allows, so expect weaker play."
    )


def stacks_label(rules: HoldemRules) -> str:
    """The stacks and blinds of a match: `200 BB, blinds 50/100`, the button's first where they differ."""
    stacks = dict.fromkeys(f"{stack / rules.blinds[1]:g} BB" for stack in rules.stacks)
    return f"{' and '.join(stacks)}, blinds {'/'.join(map(str, rules.blinds))}"


def _depth(rules: HoldemRules) -> float:
    """The shorter stack in big blinds."""
    return rules.effective_stack / rules.blinds[1]


def _numbers(text: str, between: str, wanted: str) -> list[float]:
    parts = [parse_decimal(part) for part in text.split(between)]
    numbers = [number for number in parts if number is not None and 0 <= number < 1e9]
    if len(numbers) < len(parts) or (between == "/" and len(numbers) != 2):
        raise InputError(f"{wanted}, not {text!r}")
    return numbers
