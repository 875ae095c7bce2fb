"""The `solvent show` command: what a run found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.later import Command
from solvent.app.options import Cards, Json, OwnCode, RunName
from solvent.app.outcomes import EXIT_CODES
from solvent.app.terminal import has_colours, print_json, terminal
from solvent.foundation.errors import InputError

if TYPE_CHECKING:
    from solvent.strategy.agents.trained import TrainedStrategy
    from solvent.strategy.solved.tables import TableStrategy

MOST_LISTED = 1_000_000
SPOTS = "Spots"
"""The panel of the options that are for runs of spots."""


class ShowCommand(Command):
    """`show`, in which --cards without a folder after it asks for the cards that may come in a spot."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        last = len(args) - 1
        for place, word in enumerate(args):
            if word == "--cards" and (place == last or args[place + 1].startswith("--")):
                args[place] = "--next-cards"
        return super().parse_args(ctx, args)


show = typer.Typer()


@show.command("show", cls=ShowCommand, epilog=EXIT_CODES)
def show_run(
    run: RunName,
    where: Annotated[
        str | None,
        typer.Argument(
            help="A solved game's infoset, or a pattern with * and ?; a trained agent's betting line, such as "
            "r300c/ or 'raise 300, call'; a spot's line, such as 'check, bet 100, call, 7s'."
        ),
    ] = None,
    hand: Annotated[
        str | None,
        typer.Option(
            help="Agents: a hand such as AsKs, or a class such as AKs. Spots: hands, such as AsKs or AKs.  "
            "[default: a chart of all]"
        ),
    ] = None,
    board: Annotated[str, typer.Option(help="Agents: the board of the line's street, such as Ks7d2c.")] = "",
    cards: Cards = None,
    player: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=1,
            help="Solved games: where both players have the label. Spots: whose hands, 0 for OOP and 1 for IP.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=MOST_LISTED, help="How many infosets, or hands of a spot, to list.")
    ] = 20,
    grid: Annotated[
        bool, typer.Option("--grid", help="The strategy as a grid alone.", rich_help_panel=SPOTS)
    ] = False,
    table: Annotated[
        bool,
        typer.Option("--table", help="Weight, EV, equity, EQR and strategy by hand.", rich_help_panel=SPOTS),
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(
            help="Only these made hands and draws: 'set, top pair, flush draw'.", rich_help_panel=SPOTS
        ),
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            help="Sort hands by strength, ev, equity, eqr, weight, hand or an action.", rich_help_panel=SPOTS
        ),
    ] = None,
    next_cards: Annotated[
        bool,
        typer.Option(
            "--next-cards",
            help="Where a card is dealt: what each card does for both players; also --cards.",
            rich_help_panel=SPOTS,
        ),
    ] = False,
    own_code: OwnCode = False,
    big_blind: Annotated[
        float | None,
        typer.Option(
            min=1e-6,
            max=1e12,
            help="Show EVs in big blinds of so many chips.  [default: in chips]",
            metavar="<chips>",
            rich_help_panel=SPOTS,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a run's summary, or its strategy: at an infoset of a solved game, or at a line of an agent or a spot."""
    from solvent.app.opening import is_spot, open_named
    from solvent.strategy.agents.trained import TrainedStrategy

    if is_spot(run):
        from solvent.app.browsing.shown import Asked, show_spot

        if cards is not None or board:
            raise InputError(
                "a spot's line names the cards of the board; write --cards last to see those to come"
            )
        asked = Asked(
            where or "", hand, only, sort, player, limit, grid, table, next_cards, as_json, big_blind
        )
        show_spot(run, asked)
        return
    if grid or table or next_cards or any(given is not None for given in (only, sort, big_blind)):
        raise InputError(
            f"--grid, --table, --only, --sort, --next-cards and --big-blind are for spots, and {run} is none"
        )
    strategy = open_named(run, cards, own_code)
    if isinstance(strategy, TrainedStrategy):
        if player is not None:
            raise InputError("--player is for solved games; an agent's betting line says who decides")
        _show_agent(run, strategy, where, hand, board, as_json)
    elif hand is not None or board:
        raise InputError(
            f"--hand and --board are for trained agents; name an infoset of {strategy.game} instead"
        )
    else:
        _show_solved(strategy, where, player, limit, as_json)


def _show_solved(
    strategy: TableStrategy, infoset: str | None, player: int | None, limit: int, as_json: bool
) -> None:
    from solvent.app.views.strategies import show_strategy, strategy_rows, summary_table

    rows, matching = strategy_rows(strategy, infoset, player, limit)
    if infoset is not None and not matching:
        raise InputError(f"no infoset matches {infoset!r}")
    if as_json:
        facts = {"game": strategy.game, "fingerprint": strategy.fingerprint, **strategy.facts}
        listed = [{"player": p, "infoset": label, "probabilities": row} for p, label, row in rows]
        print_json({**facts, "infosets": listed, "matching": matching})
        return
    console = terminal()
    if infoset is None:
        console.print(summary_table(strategy))
    console.print(show_strategy(rows, matching))


def _show_agent(
    name: str, strategy: TrainedStrategy, line: str | None, hand: str | None, board: str, as_json: bool
) -> None:
    from solvent.app.terminal import facts_table
    from solvent.app.views.agent_strategies import decision_document, decision_view
    from solvent.app.views.training_facts import last_evaluation, training_facts
    from solvent.foundation.storage.run import Run
    from solvent.play.agents import parse_run

    document = decision_document(strategy, line or "", hand, board)
    if as_json:
        print_json({"game": strategy.game, "fingerprint": strategy.fingerprint, **strategy.facts, **document})
        return
    console = terminal()
    if line is None and hand is None:
        run = Run.open(parse_run(name).folder)
        facts = {**training_facts(run, strategy.tables), "measured": last_evaluation(run)}
        console.print(facts_table(strategy.game, facts))
    console.print(decision_view(document, coloured=has_colours(console)))
