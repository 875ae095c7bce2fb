"""Options of commands in which agents play, and files of the hands that they play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from solvent.app.options import Cards
from solvent.foundation.errors import InputError

if TYPE_CHECKING:
    from solvent.games.hand_history import Hand
    from solvent.play.contract import Agent

AGENTS = (
    "A training's folder (with :STYLE, @POST, #ITERATIONS, and + for an ensemble), always-fold, always-call, "
    "random, or an own agent as bot.py:Class or module:Class."
)
PhhFile = Annotated[Path | None, typer.Option(help="Write every hand to this file, in PHH.")]


@dataclass(frozen=True)
class TableOptions:
    """Options of loading agents, and of their stacks and blinds."""

    post: Annotated[
        str | None,
        typer.Option(
            help="Post-processing of agents that name none: none, purify, threshold(0.15), new(0.2), ..."
        ),
    ] = None
    ensemble: Annotated[
        str,
        typer.Option(help="How an ensemble weighs its runs: sum (equally), or reach (by their play so far)."),
    ] = "sum"
    stack: Annotated[
        str | None,
        typer.Option(
            help="Stack in big blinds, or two: button's,big blind's.  [default: as the first run was trained]"
        ),
    ] = None
    blinds: Annotated[str, typer.Option(help="Small and big blind, in chips.")] = "50/100"
    cards: Cards = None

    def agents(self, names: Sequence[str]) -> list[Agent]:
        """The agents of these names; a run that several name is opened once."""
        from solvent.play.agents import AgentLoader
        from solvent.strategy.post_processing import parse_post

        loader = AgentLoader(None if self.post is None else parse_post(self.post), self.ensemble, self.cards)
        return [loader.load(name) for name in names]


@contextmanager
def hands_written(path: Path | None) -> Iterator[Callable[[Sequence[Hand]], None] | None]:
    """A function that adds hands to a file in PHH as soon as they are played; None where no file is asked for."""
    from solvent.foundation.extras import extra
    from solvent.games.hand_history import PURPOSE, write_phh

    if path is None:
        yield None
        return
    extra("pokerkit", PURPOSE)  # missing, it is named before the first hand
    try:
        with path.open("w", encoding="utf-8") as file:

            def write(hands: Sequence[Hand]) -> None:
                for hand in hands:
                    file.write(f"[{hand.number}]\n{write_phh(hand)}\n\n")
                file.flush()

            yield write
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
