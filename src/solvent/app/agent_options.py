"""What the commands on agents share: options, loading agents by name, stacks and blinds, and files of hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from solvent.foundation.errors import InputError
from solvent.foundation.units import parse_decimal

if TYPE_CHECKING:
    from solvent.games.betting.rules import HoldemRules
    from solvent.games.hand_history import Hand
    from solvent.play.contract import Agent

STACK = 200.0
"""Big blinds where no agent was trained with any."""
AGENTS = (
    "A training's folder (with :STYLE, @POST, #ITERATIONS, and + for an ensemble), always-fold, always-call, "
    "random, or an own agent as bot.py:Class or module:Class."
)
Post = Annotated[
    str | None,
    typer.Option(
        help="Post-processing of agents that name none: none, purify, threshold(0.15), new(0.2), ..."
    ),
]
Ensemble = Annotated[
    str, typer.Option(help="How an ensemble weighs its runs: sum (alike), or reach (by their play so far).")
]
Stack = Annotated[
    str | None,
    typer.Option(
        help="Stack in big blinds, or two: button's,big blind's.  [default: as the first run was trained]"
    ),
]
Blinds = Annotated[str, typer.Option(help="Small and big blind, in chips.")]
PhhFile = Annotated[Path | None, typer.Option(help="Write every hand to this file, in PHH.")]


def load_agents(names: Sequence[str], post: str | None, ensemble: str, cards: Path | None) -> list[Agent]:
    """The agents of these names; a run that several name is opened once."""
    from solvent.play.agents import AgentLoader
    from solvent.strategy.post_processing import parse_post

    loader = AgentLoader(None if post is None else parse_post(post), ensemble, cards)
    return [loader.load(name) for name in names]


def trained_rules(agents: Sequence[Agent]) -> HoldemRules | None:
    """The stacks and blinds that the first trained agent was trained with; None where none was trained."""
    found = (getattr(agent, "rules", None) for agent in agents)
    return next((rules for rules in found if rules is not None), None)


def rules_of(agents: Sequence[Agent], stack: str | None, blinds: str = "50/100") -> HoldemRules:
    """The stacks and blinds that were asked for."""
    from solvent.games.betting.rules import HoldemRules

    small, big = _numbers(blinds, "/", "blinds are written small/big in chips, as 50/100")
    if int(small) != small or int(big) != big:
        raise InputError(f"blinds are whole chips, not {blinds!r}")
    if big < 1:
        raise InputError(f"the big blind is at least one chip, not {blinds!r}")
    if stack is None:
        trained = trained_rules(agents)
        depths = [STACK] if trained is None else [trained.effective_stack / trained.blinds[1]]
    else:
        depths = _numbers(stack, ",", "a stack is a number of big blinds, or two, as 200 or 100,40")
    chips = [round(depth * big) for depth in depths]
    if len(chips) > 2 or min(chips) < 1:
        raise InputError(f"a stack is one or two numbers of big blinds of at least a chip, not {stack!r}")
    return HoldemRules((chips[0], chips[-1]), (int(small), int(big)))


def stack_note(agents: Sequence[Agent], rules: HoldemRules) -> str:
    """A sentence where the stacks are not those that each agent was trained with; empty otherwise."""
    played = _depth(rules)
    depths = {
        agent.name: _depth(trained) for agent in agents if (trained := trained_rules([agent])) is not None
    }
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


@contextmanager
def hands_written(path: Path | None) -> Iterator[Callable[[Hand], None] | None]:
    """A function that adds a hand to a file in PHH as soon as it is played; None where no file is asked for."""
    from solvent.foundation.extras import extra
    from solvent.games.hand_history import PURPOSE, write_phh

    if path is None:
        yield None
        return
    extra("pokerkit", PURPOSE)  # missing, it is named before the first hand
    try:
        with path.open("w", encoding="utf-8") as file:

            def write(hand: Hand) -> None:
                file.write(f"[{hand.number}]\n{write_phh(hand)}\n\n")
                file.flush()

            yield write
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
