"""The `solvent match` command: agents against each other, over the same cards from both seats."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from solvent.app.agent_options import (
    AGENTS,
    Blinds,
    Ensemble,
    PhhFile,
    Post,
    Stack,
    hands_written,
    load_agents,
    rules_of,
    stack_note,
    stacks_label,
)
from solvent.app.options import Cards, Json, Seed, Threads
from solvent.app.terminal import print_json, table, terminal
from solvent.app.watching import watching
from solvent.foundation.errors import InputError
from solvent.foundation.own_code import explained
from solvent.foundation.progress import Progress, interruptible

if TYPE_CHECKING:
    from solvent.games.betting.rules import HoldemRules
    from solvent.games.hand_history import Hand
    from solvent.play.matches import MatchResult

MOST_HANDS = 10**11
"""More than a machine plays in a month."""


def match(
    agents: Annotated[
        list[str],
        typer.Argument(help=f"{AGENTS} More than two play a round robin."),
    ],
    hands: Annotated[
        int, typer.Option(min=2, max=MOST_HANDS, help="Hands of each match, an even number.")
    ] = 20_000,
    post: Post = None,
    ensemble: Ensemble = "sum",
    stack: Stack = None,
    blinds: Blinds = "50/100",
    cards: Cards = None,
    seed: Seed = 0,
    threads: Threads = None,
    phh: PhhFile = None,
    as_json: Json = False,
) -> None:
    """Set agents against each other over duplicate deals: what they win, and how sure that is."""
    from solvent.foundation.machine import cores
    from solvent.play.matches import Match, round_robin

    if len(agents) < 2:
        raise InputError("a match needs two agents or more")
    if phh is not None and len(agents) > 2:
        raise InputError("hands are written to --phh in a match of two agents")
    with terminal(stderr=True).status("opening agents"):
        players = load_agents(agents, post, ensemble, cards)
    rules = rules_of(players, stack, blinds)
    Match(players[0], players[1], rules, hands)  # refuses what cannot be played before anything is shown
    results: list[MatchResult] = []
    with (
        hands_written(phh) as write,
        watching(quiet=as_json) as watch,
        interruptible() as stop,
        explained(),
    ):
        watch(Progress("compiling kernels (once per machine)", 0))
        if write is not None:
            one = Match(players[0], players[1], rules, hands, seed)
            results.append(one.run(watch=watch, stop=stop, record=lambda both: _write_both(write, both)))
        else:
            played = round_robin(players, rules, hands, seed, threads or cores(), watch=watch, stop=stop)
            results.extend(played)
    names = [player.name for player in players]
    note = stack_note(players, rules)
    if as_json:
        print_json({**_document(results, names, rules, seed), "note": note})
    elif len(players) == 2:
        _show_one(results[0], rules)
    else:
        _show_all(results, names, hands, rules)
    if note and not as_json:
        terminal().print(note)
    if stop.requested:
        raise typer.Exit(stop.exit_code)


def _write_both(write: Callable[[Hand], None], both: tuple[Hand, Hand]) -> None:
    for hand in both:
        write(hand)


def _document(results: list[MatchResult], names: list[str], rules: HoldemRules, seed: int) -> dict[str, Any]:
    return {
        "agents": names,
        "stacks_bb": [stack / rules.blinds[1] for stack in rules.stacks],
        "blinds": list(rules.blinds),
        "seed": seed,
        "asked": math.comb(len(names), 2),
        "complete": len(results) == math.comb(len(names), 2) and all(result.complete for result in results),
        "matches": [_result(result) for result in results],
    }


def _result(result: MatchResult) -> dict[str, Any]:
    won = result.winnings
    return {
        "a": result.names[0],
        "b": result.names[1],
        "hands": won.hands,
        "asked": result.asked,
        "complete": result.complete,
        "mbb_per_hand": won.mbb if won.pairs else None,
        "mbb_per_hand_95": won.mbb_interval if won.pairs > 1 else None,
        "bb_per_100": won.bb_per_100 if won.pairs else None,
        "bb_per_100_95": won.bb_per_100_interval if won.pairs > 1 else None,
        "chips": won.won,
        "seconds": result.seconds,
        "hands_per_second": won.hands / max(result.seconds, 1e-9),
    }


def _show_one(result: MatchResult, rules: HoldemRules) -> None:
    won = result.winnings
    shown = table("", "", title=f"{result.names[0]} against {result.names[1]}")
    shown.add_row("mbb/hand", _with_interval(won.mbb, won.mbb_interval))
    shown.add_row("BB/100", _with_interval(won.bb_per_100, won.bb_per_100_interval, 2))
    shown.add_row("hands", _hands(result))
    shown.add_row("stacks", stacks_label(rules))
    shown.add_row("speed", f"{won.hands / max(result.seconds, 1e-9):,.0f} hands a second")
    terminal().print(shown)


def _show_all(results: list[MatchResult], names: list[str], hands: int, rules: HoldemRules) -> None:
    """What each row wins from each column, and from all."""
    against = {}
    for (a, b), result in zip(combinations(range(len(names)), 2), results, strict=False):
        against[a, b], against[b, a] = result.winnings, -result.winnings
    shown = Table(
        title=f"mbb/hand that a row wins from a column, 95 % intervals, {hands:,} hands each, "
        f"{stacks_label(rules)}",
        title_justify="left",
    )
    for header in ("", *(str(number + 1) for number in range(len(names))), "mean"):
        shown.add_column(header, overflow="fold", justify="right")
    for number in range(len(names)):
        met = [against.get((number, other)) for other in range(len(names))]
        found = [one.mbb for one in met if one is not None and one.pairs]
        cells = ["" if one is None else _with_interval(one.mbb, one.mbb_interval, 0) for one in met]
        cells[number] = "-"
        shown.add_row(str(number + 1), *cells, f"{sum(found) / len(found):+,.0f}" if found else "")
    console = terminal()
    for number, name in enumerate(names):
        console.print(f"{number + 1}  {name}", soft_wrap=True)
    console.print(shown)
    asked = len(names) * (len(names) - 1) // 2
    complete = sum(result.complete for result in results)
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
