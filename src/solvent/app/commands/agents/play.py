"""The `solvent play` command: a person against an agent in the terminal, one hand after another."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from solvent.app.agent_options import AGENTS, PhhFile, TableOptions, hands_written
from solvent.app.options import MOST_SEED, Json, with_fields
from solvent.app.terminal import print_json, terminal
from solvent.foundation.own_code import explained
from solvent.foundation.progress import INTERRUPTED, Interrupted, raising_signals

MOST_HANDS = 10**9


@with_fields
def play(
    agent: Annotated[str, typer.Argument(help=f"The opponent. {AGENTS}")],
    hands: Annotated[
        int | None, typer.Option(min=1, max=MOST_HANDS, help="Stop after this many hands.")
    ] = None,
    *,
    options: TableOptions,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=MOST_SEED, help="Seed of the deals.  [default: another each time]"),
    ] = None,
    show: Annotated[
        bool,
        typer.Option(
            "--show",
            help="Show after every hand its cards, its probabilities, and what it would do in your place.",
        ),
    ] = False,
    phh: PhhFile = None,
    as_json: Json = False,
) -> None:
    """Play against an agent in the terminal. With --json only the summary is on standard output."""
    from solvent.app.playing import Quit, Session
    from solvent.play.sitting import Sitting, prepare
    from solvent.play.stakes import rules_of, stack_note

    console = terminal(stderr=as_json)
    with console.status("opening the agent (kernels are compiled once per machine)"), explained():
        players = options.agents([agent])
        rules = rules_of(players, options.stack, options.blinds)
        prepare(players[0])
    sitting = Sitting(players[0], rules, int.from_bytes(os.urandom(4)) if seed is None else seed)
    code = 0
    with hands_written(phh) as write:
        session = Session(sitting, console, show, write, editing=not as_json)
        session.greet(stack_note(players, rules))
        try:
            with raising_signals(), explained():
                while hands is None or len(sitting.won) < hands:
                    session.play_hand()
                    session.between(last=hands is not None and len(sitting.won) == hands)
        except (Quit, EOFError):
            console.print()
        except KeyboardInterrupt as error:
            console.print()
            code = error.exit_code if isinstance(error, Interrupted) else INTERRUPTED
    if as_json:
        print_json(sitting.summary())
    else:
        session.show_summary()
    if code:
        raise typer.Exit(code)
