"""The `solvent spot` command."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from solvent.app.options import Json
from solvent.app.settings_options import settings_parameters, with_parameters
from solvent.app.terminal import print_json, terminal
from solvent.app.watching import watching
from solvent.foundation.own_code import explained
from solvent.foundation.progress import Stop, interruptible
from solvent.games.betting.tree_sizes import known_settings
from solvent.solvers.holdem.spot_settings import SpotSettings
from solvent.solvers.settings import GAME, SIZES

NARROWER = "Also of a street, a player or both: --turn-{0}, --oop-{0}, --oop-turn-{0}."
SHOWN = {
    "bets": f"Sizes of bets, such as '33%,75%,a': 33%, 2.5x, 100c, e, 3e200%, a. {NARROWER.format('bets')}",
    "raises": f"Sizes of raises, '3x,a | 100%,a' for the first and the later ones; as bets if not given. "
    f"{NARROWER.format('raises')}",
    "donk": "Sizes of OOP's bets into whoever bet or raised last on the street before; as bets if not given. "
    "Also --turn-donk.",
    "cap": "The most bets and raises on a street. Also --turn-cap.",
    "add-all-in": "Add all-in where it is at most this part of the pot, such as 150%.",
    "force-all-in": "Go all-in where a call would leave at most this part of the pot behind, such as 20%.",
    "merging": "Drop sizes near a larger one, such as 10%.",
    "add": "Add the last action of a line, such as 'check, bet 100, raise 400'; may be repeated.",
    "remove": "Remove the last action of a line, with all that follows; may be repeated.",
}
"""What the help says of sizes, in this order; those of one street or player are not listed."""
REPEATED = ("add", "remove")


def _size_parameters() -> list[inspect.Parameter]:
    """An option for every setting of a betting tree's sizes, preflop's apart."""
    narrower = sorted(name for name in known_settings() - SHOWN.keys() if "preflop" not in name)
    return [_size_parameter(name) for name in (*SHOWN, *narrower)]


def _size_parameter(name: str) -> inspect.Parameter:
    metavar = "<line>" if name in REPEATED else "<whole number>" if name.endswith("cap") else "<sizes>"
    option = typer.Option(
        f"--{name}",
        help=SHOWN.get(name),
        hidden=name not in SHOWN,
        show_default=False,
        metavar="<part of pot>" if "-all-in" in name or name == "merging" else metavar,
        rich_help_panel=SIZES,
    )
    kind = list[str] if name in REPEATED else str
    return inspect.Parameter(
        name.replace("-", "_"),
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],
    )


SIZE_PARAMETERS = _size_parameters()


@with_parameters([*settings_parameters(SpotSettings), *SIZE_PARAMETERS])
def spot(
    board: Annotated[str, typer.Option(help="Three to five cards, such as Td9d6h.", rich_help_panel=GAME)],
    oop: Annotated[
        str,
        typer.Option(
            help="The range out of position, which acts first: '66+,A8s+,KQo:0.5'.", rich_help_panel=GAME
        ),
    ],
    ip: Annotated[str, typer.Option(help="The range in position.", rich_help_panel=GAME)],
    pot: Annotated[int, typer.Option(help="Chips in the middle.", rich_help_panel=GAME)],
    stack: Annotated[int, typer.Option(help="Chips behind each player.", rich_help_panel=GAME)],
    rake: Annotated[
        str, typer.Option(help="What the house takes of every pot, such as 5%.", rich_help_panel=GAME)
    ] = "0%",
    rake_cap: Annotated[
        float | None,
        typer.Option(
            help="The most chips that the house takes.  [default: no cap]",
            show_default=False,
            rich_help_panel=GAME,
        ),
    ] = None,
    least_bet: Annotated[int, typer.Option(help="Chips of the least bet.", rich_help_panel=GAME)] = 1,
    lock: Annotated[
        list[str] | None,
        typer.Option(
            help="What hands play at a decision: 'check, bet 100: 22-55 = fold:0.25, call:0.75'; may be repeated.",
            metavar="<lock>",
            rich_help_panel=GAME,
        ),
    ] = None,
    as_json: Json = False,
    **options: Any,
) -> int:
    """Solve a hold'em spot from a flop, turn or river on: two ranges, a pot, stacks and bet sizes.

    Exploitability is half of what both players would gain by best responses, in percent of the pot; EVs are shares
    of the pot.
    """
    stop = Stop()
    with interruptible(stop):  # Ctrl-C could get lost in an import
        from solvent.app.views.spot import spot_tables
        from solvent.foundation.machine import cores
        from solvent.solvers.holdem.spot_run import solve_spot
    stop.check()

    sizes = {each.name: options.pop(each.name) for each in SIZE_PARAMETERS if each.name in options}
    settings = SpotSettings.of({"threads": cores(), **options})
    given = {"board": board, "oop": oop, "ip": ip, "pot": pot, "stack": stack, "rake": rake}
    given |= {"rake_cap": rake_cap, "least_bet": least_bet, **sizes}
    with watching(quiet=as_json) as watch, explained():
        result = solve_spot(given, settings, lock or (), watch, stop)
    if as_json:
        print_json(result.as_dict())
    else:
        terminal().print(*spot_tables(result), sep="\n")
    return stop.exit_code if stop.requested else 0
