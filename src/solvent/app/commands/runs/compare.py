"""The `solvent compare` command: two strategies side by side and against each other."""

from __future__ import annotations

from typing import Annotated

import typer

from solvent.app.options import MOST_SEED, Json, OwnCode, RunName, Threads
from solvent.app.terminal import print_found, terminal, watching
from solvent.foundation.errors import InputError

MOST_HANDS = 20_000_000


def compare(
    a: RunName,
    b: RunName,
    hands: Annotated[
        int,
        typer.Option(min=4, max=MOST_HANDS, help="Agents: hands of the match between them, an even number."),
    ] = 4_000,
    seed: Annotated[int, typer.Option(min=0, max=MOST_SEED, help="Agents: seed of the deals.")] = 0,
    threads: Threads = None,
    own_code: OwnCode = False,
    as_json: Json = False,
) -> None:
    """Compare two strategies of one solved game, two trained agents, or two runs of one spot: how they differ.

    Of games and agents it also says which one wins; of a spot, at which decisions of its first street they differ.
    """
    from solvent.app.views.comparison import agents_table, solved_table, spots_view
    from solvent.evaluate.comparison import compare_agents, compare_solved
    from solvent.foundation.machine import cores
    from solvent.play.agents import open_named
    from solvent.spots.folder import is_spot
    from solvent.spots.nodes.comparison import compare_spots
    from solvent.strategy.agents.trained import TrainedStrategy
    from solvent.strategy.solved.tables import TableStrategy

    if is_spot(a) and is_spot(b):
        with watching(quiet=as_json) as watch:
            document = compare_spots(a, b, watch)
        print_found(as_json, document, lambda: spots_view(document, terminal().width))
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
        with watching(quiet=as_json) as watch:
            document = compare_agents(first, second, (a, b), hands, seed, threads or cores(), watch)
        view = agents_table
    else:
        raise InputError(
            f"{a} and {b} are a solved game and a trained agent, which have nothing to be compared by"
        )
    print_found(as_json, document, lambda: view(document))
