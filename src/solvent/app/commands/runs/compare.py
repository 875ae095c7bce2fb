"""The `solvent compare` command: two strategies side by side and against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvent.app.options import Json, OwnCode, RunName, Threads
from solvent.app.terminal import print_json, terminal
from solvent.app.watching import watching
from solvent.foundation.errors import InputError

if TYPE_CHECKING:
    from solvent.strategy.agents.trained import TrainedStrategy

MOST_HANDS = 20_000_000


def compare(
    a: RunName,
    b: RunName,
    hands: Annotated[
        int,
        typer.Option(min=4, max=MOST_HANDS, help="Agents: hands of the match between them, an even number."),
    ] = 4_000,
    seed: Annotated[int, typer.Option(min=0, max=(1 << 63) - 1, help="Agents: seed of the deals.")] = 0,
    threads: Threads = None,
    own_code: OwnCode = False,
    as_json: Json = False,
) -> None:
    """Compare two strategies of one solved game, two trained agents, or two runs of one spot: how they differ.

    Of games and agents it also says which one wins; of a spot, at which decisions of its first street they differ.
    """
    from solvent.app.opening import is_spot, open_named
    from solvent.app.views.comparison import agents_table, compare_solved, solved_table
    from solvent.strategy.agents.trained import TrainedStrategy
    from solvent.strategy.solved.tables import TableStrategy

    if is_spot(a) and is_spot(b):
        _spots(a, b, as_json)
        return
    for one, other in ((a, b), (b, a)):
        if is_spot(one):
            open_named(other)
            raise InputError(f"{one} is of a spot and {other} is not, so there is nothing to compare them by")
    first, second = (open_named(each, own_code=own_code) for each in (a, b))
    if isinstance(first, TableStrategy) and isinstance(second, TableStrategy):
        document = compare_solved(first, second, (a, b))
        view = solved_table
    elif isinstance(first, TrainedStrategy) and isinstance(second, TrainedStrategy):
        document = _agents(first, second, (a, b), hands, seed, threads, as_json)
        view = agents_table
    else:
        raise InputError(
            f"{a} and {b} are a solved game and a trained agent, which have nothing to be compared by"
        )
    if as_json:
        print_json(document)
    else:
        terminal().print(view(document))


def _spots(a: str, b: str, as_json: bool) -> None:
    from solvent.app.browsing.compared import compare_spots, spots_view

    with watching(quiet=as_json) as watch:
        document = compare_spots(a, b, watch)
    if as_json:
        print_json(document)
    else:
        console = terminal()
        console.print(spots_view(document, console.width))


def _agents(
    first: TrainedStrategy,
    second: TrainedStrategy,
    names: tuple[str, str],
    hands: int,
    seed: int,
    threads: int | None,
    as_json: bool,
) -> dict[str, Any]:
    from solvent.app.views.comparison import compare_agents, match_document
    from solvent.foundation.machine import cores
    from solvent.play.agents import AgentLoader
    from solvent.play.asked import averaged_match

    if hands % 2:
        raise InputError(
            f"hands are played in pairs with the same cards, so their number is even, not {hands}"
        )
    rules = first.tree.abstraction.rules
    if rules != second.tree.abstraction.rules:
        raise InputError(
            f"{names[0]} and {names[1]} have other stacks or blinds, so they cannot play each other"
        )
    loader = AgentLoader()
    one, other = (loader.load(name) for name in names)
    with watching(quiet=as_json) as watch:
        streets = compare_agents(first, second, hands // 2, seed, watch)
        match = averaged_match(
            one, other, rules, hands // 2, seed=seed, threads=threads or cores(), watch=watch
        )
    return {
        "a": {"source": names[0], "game": first.game},
        "b": {"source": names[1], "game": second.game},
        "streets": streets,
        **match_document(match),
    }
