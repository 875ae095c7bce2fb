"""The `solvent show` command: what a run found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from solvent.app.options import Cards, Json, RunName
from solvent.app.terminal import print_json, terminal
from solvent.foundation.errors import InputError

if TYPE_CHECKING:
    from solvent.strategy.agents.trained import TrainedStrategy
    from solvent.strategy.solved.tables import TableStrategy

MOST_LISTED = 1_000_000


def show(
    run: RunName,
    where: Annotated[
        str | None,
        typer.Argument(
            help="A solved game's infoset, or a pattern with * and ?; a trained agent's betting line, such as "
            "r300c/ or 'raise 300, call'."
        ),
    ] = None,
    hand: Annotated[
        str | None, typer.Option(help="Agents: a hand such as AsKs.  [default: a chart of all hands]")
    ] = None,
    board: Annotated[str, typer.Option(help="Agents: the board of the line's street, such as Ks7d2c.")] = "",
    cards: Cards = None,
    player: Annotated[
        int | None, typer.Option(min=0, max=1, help="Solved games: where both players have the label.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=MOST_LISTED, help="Solved games: how many infosets to list.")
    ] = 20,
    as_json: Json = False,
) -> None:
    """Show a run's summary, or its strategy: at an infoset of a solved game, or at an agent's betting line."""
    from solvent.app.opening import open_named
    from solvent.strategy.agents.trained import TrainedStrategy

    strategy = open_named(run, cards)
    if isinstance(strategy, TrainedStrategy):
        if player is not None:
            raise InputError("--player is for solved games; an agent's betting line says who decides")
        _show_agent(strategy, where, hand, board, as_json)
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
    strategy: TrainedStrategy, line: str | None, hand: str | None, board: str, as_json: bool
) -> None:
    from solvent.app.views.agent_strategies import decision_document, decision_view
    from solvent.app.views.strategies import summary_table

    document = decision_document(strategy, line or "", hand, board)
    if as_json:
        print_json({"game": strategy.game, "fingerprint": strategy.fingerprint, **strategy.facts, **document})
        return
    console = terminal()
    if line is None and hand is None:
        console.print(summary_table(strategy))
    console.print(decision_view(document, coloured=console.color_system is not None))
