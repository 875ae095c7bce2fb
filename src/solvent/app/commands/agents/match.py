"""The `solvent match` command: agents against each other, over the same cards from both seats."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from solvent.app.agent_options import AGENTS, PhhFile, TableOptions, hands_written
from solvent.app.options import Json, Seed, Threads, with_fields
from solvent.app.terminal import facts_table, print_json, table, terminal, watching
from solvent.foundation.errors import InputError
from solvent.foundation.own_code import explained
from solvent.foundation.progress import Progress, interruptible

if TYPE_CHECKING:
    from solvent.games.betting.rules import HoldemRules
    from solvent.play.matches import MatchResult

MOST_HANDS = 10**11
"""More than a machine plays in a month."""


@with_fields
def match(
    agents: Annotated[
        list[str],
        typer.Argument(help=f"{AGENTS} More than two play a round robin."),
    ],
    hands: Annotated[
        int, typer.Option(min=2, max=MOST_HANDS, help="Hands of each match, an even number.")
    ] = 20_000,
    *,
    options: TableOptions,
    seed: Seed = 0,
    threads: Threads = None,
    phh: PhhFile = None,
    as_json: Json = False,
) -> None:
    """Set agents against each other over duplicate deals: what they win, and how sure that is."""
    from solvent.foundation.machine import cores
    from solvent.play.matches import Match, round_robin
    from solvent.play.stakes import rules_of, stack_note, stacks_label

    if len(agents) < 2:
        raise InputError("a match needs two agents or more")
    if phh is not None and len(agents) > 2:
        raise InputError("hands are written to --phh in a match of two agents")
    with terminal(stderr=True).status("opening agents"):
        players = options.agents(agents)
    rules = rules_of(players, options.stack, options.blinds)
    Match(players[0], players[1], rules, hands)  # refuses what cannot be played before anything is shown
    with (
        hands_written(phh) as write,
        watching(quiet=as_json) as watch,
        interruptible() as stop,
        explained(),
    ):
        watch(Progress("compiling kernels (once per machine)", 0))
        if write is not None:
            one = Match(players[0], players[1], rules, hands, seed)
            results = [one.run(watch=watch, stop=stop, record=write)]
        else:
            played = round_robin(players, rules, hands, seed, threads or cores(), watch=watch, stop=stop)
            results = list(played)
    names = [player.name for player in players]
    note, stakes = stack_note(players, rules), stacks_label(rules)
    if as_json:
        print_json({**_document(results, names, rules, seed), "note": note})
    elif len(players) == 2:
        terminal().print(_one_match(results[0], stakes))
    else:
        title = f"mbb/hand that a row wins from a column, 95 % intervals, {hands:,} hands each, {stakes}"
        _show_round_robin(results, names, title)
    if note and not as_json:
        terminal().print(note)
    if stop.requested:
        raise typer.Exit(stop.exit_code)


def _document(results: list[MatchResult], names: list[str], rules: HoldemRules, seed: int) -> dict[str, Any]:
    return {
        "agents": names,
        "stacks_bb": [stack / rules.blinds[1] for stack in rules.stacks],
        "blinds": list(rules.blinds),
        "seed": seed,
        "asked": math.comb(len(names), 2),
        "complete": len(results) == math.comb(len(names), 2) and all(result.complete for result in results),
        "matches": [result.as_dict() for result in results],
    }


def _one_match(result: MatchResult, stakes: str) -> Table:
    won = result.winnings
    facts = {
        "mbb/hand": _with_interval(won.mbb, won.mbb_interval),
        "BB/100": _with_interval(won.bb_per_100, won.bb_per_100_interval, 2),
        "hands": _hands(result),
        "stacks": stakes,
        "speed": f"{result.hands_per_second:,.0f} hands a second",
    }
    return facts_table(f"{result.names[0]} against {result.names[1]}", facts)


def _show_round_robin(results: list[MatchResult], names: list[str], title: str) -> None:
    """Print what each row wins from each column, and from all."""
    against = {}
    for (a, b), result in zip(combinations(range(len(names)), 2), results, strict=False):
        against[a, b], against[b, a] = result.winnings, -result.winnings
    shown = table("", *(str(number + 1) for number in range(len(names))), "mean", title=title, numbers=True)
    shown.columns[0].justify = "right"
    for number in range(len(names)):
        met = [against.get((number, other)) for other in range(len(names))]
        found = [one.mbb for one in met if one is not None and one.pairs]
        cells = ["" if one is None else _with_interval(one.mbb, one.mbb_interval, 0) for one in met]
        cells[number] = "-"
        shown.add_row(str(number + 1), *cells, f"{sum(found) / len(found):+,.0f}" if found else "")
    console = terminal()
    for number, name in enumerate(names, 1):
        console.print(f"{number}  {name}", soft_wrap=True)
    console.print(shown)
    asked, complete = math.comb(len(names), 2), sum(result.complete for result in results)
    if complete < asked:
        under_way = [result for result in results if not result.complete]
        last = "".join(f"; {' against '.join(one.names)} played {_hands(one)}" for one in under_way)
        console.print(f"stopped after {complete} of {asked} matches{last}", soft_wrap=True)


def _with_interval(value: float, interval: float, digits: int = 1) -> str:
    if math.isnan(value):
        return "none played"
    return f"{value:+,.{digits}f} ± {interval:,.{digits}f}"


def _hands(result: MatchResult) -> str:
    played = f"{result.winnings.hands:,}"
    return played if result.complete else f"{played} of {result.asked:,}, stopped"
