"""The `solvent show` command: a run's summary, or its strategy at one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.later import Command
from solvent.app.options import Cards, Json, OwnCode, RunName, spot_option, with_fields
from solvent.app.outcomes import EXIT_CODES
from solvent.app.terminal import facts_table, has_colours, print_json, terminal
from solvent.foundation.errors import InputError

if TYPE_CHECKING:
    from solvent.strategy.agents.trained import TrainedStrategy
    from solvent.strategy.solved.tables import TableStrategy

MOST_LISTED = 1_000_000


class ShowCommand(Command):
    """`show`, in which --cards without a folder after it asks for the cards that may come in a spot."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        last = len(args) - 1
        for place, word in enumerate(args):
            if word == "--cards" and (place == last or args[place + 1].startswith("--")):
                args[place] = "--next-cards"
        return super().parse_args(ctx, args)


@dataclass(frozen=True)
class NodeOptions:
    """The options that are for runs of spots."""

    grid: Annotated[bool, spot_option("The strategy as a grid alone.", "--grid")] = False
    table: Annotated[bool, spot_option("Weight, EV, equity, EQR and strategy by hand.", "--table")] = False
    only: Annotated[
        str | None, spot_option("Only these made hands and draws: 'set, top pair, flush draw'.")
    ] = None
    sort: Annotated[
        str | None, spot_option("Sort hands by strength, ev, equity, eqr, weight, hand or an action.")
    ] = None
    next_cards: Annotated[
        bool,
        spot_option(
            "Where a card is dealt: what each card does for both players; also --cards.", "--next-cards"
        ),
    ] = False
    big_blind: Annotated[
        float | None,
        spot_option(
            "Show EVs in big blinds of this many chips.  [default: in chips]",
            min=1e-6,
            max=1e12,
            metavar="<chips>",
        ),
    ] = None

    def check(self, hand: str | None, player: int | None, as_json: bool) -> None:
        """Refuse options that ask for two things at a time."""
        listed = self.table or any(given is not None for given in (hand, self.only, player))
        if (self.grid or self.next_cards) and (listed or (self.grid and self.next_cards)):
            raise InputError(
                "show one at a time of --grid, --next-cards, and hands by --table, --hand or --only"
            )
        if self.grid and self.sort is not None:
            raise InputError("--sort is for --table and --next-cards")
        if self.big_blind is not None and as_json:
            raise InputError("--json has EVs in chips; leave out --big-blind")


show = typer.Typer()


@show.command("show", cls=ShowCommand, epilog=EXIT_CODES)
@with_fields
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
    own_code: OwnCode = False,
    *,
    options: NodeOptions,
    as_json: Json = False,
) -> None:
    """Show a run's summary, or its strategy: at an infoset of a solved game, or at a line of an agent or a spot."""
    from solvent.play.agents import open_named
    from solvent.spots.folder import is_spot
    from solvent.strategy.agents.trained import TrainedStrategy

    if is_spot(run):
        if cards is not None or board:
            raise InputError(
                "a spot's line names the cards of the board; write --cards last to see those to come"
            )
        _show_spot(run, where or "", hand, player, limit, options, as_json)
        return
    if options != NodeOptions():
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


def _show_spot(
    run: str,
    line: str,
    hand: str | None,
    player: int | None,
    limit: int,
    options: NodeOptions,
    as_json: bool,
) -> None:
    from solvent.app.views.spots.node_tables import cards_table, hands_table, node_heading, players_table
    from solvent.app.views.spots.solved import node_grid
    from solvent.games.holdem.spot import NAMES
    from solvent.spots.nodes.listings import HandList, check_any, next_card_summaries
    from solvent.spots.nodes.solution import open_spot

    options.check(hand, player, as_json)
    solution, console = open_spot(Path(run)), terminal()
    node = solution.at(line)
    facts = {"game": str(solution.spot), "iterations": solution.iterations}
    if options.next_cards:
        cards = next_card_summaries(node)
        if as_json:
            print_json({**facts, **node.summary(), "cards": cards})
            return
        shown = [cards_table(node, cards, options.sort, console.width, options.big_blind)]
    else:
        hands = [HandList(node, each, hand, options.only, options.sort) for each in (0, 1)]
        listed = hands[(node.player if player is None else player) or 0]
        if hand is not None or options.only is not None:
            check_any(hands if as_json and player is None else [listed])
        if as_json:
            by_player = {name: each.columns for name, each in zip(NAMES, hands, strict=True)}
            print_json({**facts, **node.summary(), "actions": list(node.actions), "hands": by_player})
            return
        if options.table or any(given is not None for given in (hand, options.only, options.sort, player)):
            shown = [hands_table(listed, limit, console.width, options.big_blind)]
        else:
            shown = [] if options.grid else [players_table(node, options.big_blind)]
            if node.player is not None and node.reached[node.player].any():
                shown.append(node_grid(node, console.width, has_colours(console)))
    console.print(node_heading(node), soft_wrap=not console.is_terminal)  # refusals come before it
    for each in shown:
        console.print(each)


def _show_solved(
    strategy: TableStrategy, infoset: str | None, player: int | None, limit: int, as_json: bool
) -> None:
    from solvent.app.views.strategies import show_strategy, summary_table
    from solvent.strategy.solved.tables import matching_rows

    rows, matching = matching_rows(strategy, infoset, player, limit)
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
    from solvent.app.views.strategies import decision_view
    from solvent.evaluate.sentences import last_evaluation
    from solvent.foundation.storage.run import Run
    from solvent.play.agents import parse_run
    from solvent.strategy.agents.decisions import decision_document
    from solvent.training.facts import training_facts

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
