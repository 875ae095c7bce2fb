"""Tables of a spot's node: both players, hands, and the cards that may come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from solvent.app.terminal import table
from solvent.foundation.errors import InputError
from solvent.games.holdem.spot import NAMES
from solvent.spots.nodes.grid import lock_note, node_title, reach_warning
from solvent.spots.nodes.listings import HandList
from solvent.spots.nodes.node import SpotNode
from solvent.strategy.reach import not_negligible

NUMBERS = {"weight": "weight", "ev": "EV", "equity": "equity", "eqr": "EQR"}
ACTION_EVS = "EVs of actions"
MEANINGS = {
    "weight": "weight: from 0 to 1",
    "EV": "EV: {unit} of the pot",
    ACTION_EVS: "EV of an action: if it is taken here",
}
CARD_SORTS = ("card", "ev", "equity")


def node_heading(node: SpotNode) -> Text:
    """The node in a line, and whether play comes here at all."""
    stacks = " and ".join(f"{stack:,}" for stack in dict.fromkeys(node.stacks))
    heading = f"{node_title(node)}, {stacks} behind{lock_note(node)}"
    warning = reach_warning(node)
    return Text.assemble(heading, "\n", (warning, "bold")) if warning else Text(heading)


def players_table(node: SpotNode, big_blind: float | None = None) -> Table:
    """Hands, equities and EVs of both players here; EVs in chips, or in big blinds of `big_blind` chips."""
    summary, chips = node.summary(), big_blind or 1
    columns = zip(NAMES, *(summary[name] for name in ("combos", "ev", "equity", "eqr")), strict=True)
    rows = (
        (name, f"{combos:.2f}", _decimal(ev, chips), _percent(equity), _decimal(eqr))
        for name, combos, ev, equity, eqr in columns
    )
    return table("", "combos", "EV, BB" if big_blind else "EV", "equity", "EQR", numbers=True, rows=rows)


def hands_table(hands: HandList, limit: int, width: int, big_blind: float | None = None) -> RenderableType:
    """Hands with their numbers, their strategy, and their EV of each action, in chips or big blinds.

    Hands that hardly come here do nothing that was learned, unless they are locked.
    """
    node, columns = hands.node, hands.columns
    actions = node.actions if hands.player == node.player else ()
    often = not_negligible(node.matchups[hands.player])
    worths, chips = [f"EV {action}" for action in actions], big_blind or 1
    rows: list[list[str]] = []
    total = len(columns["hand"])
    for place in range(min(total, limit)):
        one = {name: column[place] for name, column in columns.items()}
        locked = bool(actions) and one["locked"]
        says = " + ".join((one["made"], *one["draws"])) + (", locked" if locked else "")
        if not one["reached"]:
            numbers = ["-"] * (len(NUMBERS) - 1 + 2 * len(actions))
            says += ", not reached"
        else:
            learned = not actions or often[hands.places[place]] or locked
            numbers = [
                _decimal(one["ev"], chips),
                _percent(one["equity"]),
                _decimal(one["eqr"]),
                *(_percent(one[action]) if learned else "-" for action in actions),
                *(_decimal(one[f"ev of {action}"], chips) for action in actions),
            ]
            says += "" if learned else ", hardly reached"
        rows.append([one["hand"], f"{one['weight']:.3f}", *numbers, says])
    headers = ["hand", *NUMBERS.values(), *actions, *worths, f"what {NAMES[hands.player]} has"]
    spared = {"EQR": ["EQR"], "weight": ["weight"], "equity": ["equity"], ACTION_EVS: worths}
    shown, dropped = _narrow(headers, rows, width, spared | {headers[-1]: [headers[-1]], "EV": ["EV"]})
    notes = [f"{limit:,} of {total:,} hands, more by --limit"] if total > limit else []
    notes += [
        note.format(unit=_unit(big_blind))
        for name, note in MEANINGS.items()
        if name not in dropped and (actions or name != ACTION_EVS)
    ]
    in_percent = ["equity"] * ("equity" not in dropped) + ["actions"] * bool(actions)
    notes += [f"{' and '.join(in_percent)}: percent"] if in_percent else []
    return Group(shown, Text("; ".join(notes + _no_room(dropped))))


def cards_table(
    node: SpotNode,
    cards: dict[str, dict[str, Any]],
    sort: str | None,
    width: int,
    big_blind: float | None = None,
) -> RenderableType:
    """The cards that may come: both players' EVs and the strategy after each; like cards stand together."""
    chips, decimals = big_blind or 1, 2 if big_blind else 1
    if sort not in (None, *CARD_SORTS):
        raise InputError(f"cards are sorted by {', '.join(CARD_SORTS)}, not by {sort!r}")
    groups = [after for card, after in cards.items() if card == after["alike"][0]][::-1]
    if sort in ("ev", "equity"):
        groups.sort(key=lambda after: -(after[sort][0] or 0.0))
    actions = list(dict.fromkeys(action for after in groups for action in after["frequencies"]))
    before = node.summary()["ev"][0]
    rows = []
    for after in groups:
        first, second = after["ev"]
        rows.append(
            [
                " ".join(after["alike"]),
                _decimal(first, chips),
                "-" if first is None or before is None else f"{(first - before) / chips:+.{decimals}f}",
                _decimal(second, chips),
                _percent(after["equity"][0]),
                *(_percent(after["frequencies"].get(action)) for action in actions),
            ]
        )
    headers = ["card", "EV OOP", "change", "EV IP", "equity OOP", *actions]
    spared = {name: [name] for name in ("EV IP", "equity OOP", "change", "EV OOP")}
    shown, dropped = _narrow(headers, rows, width, spared)
    acts = next((after["player"] for after in groups if after["player"]), None)
    notes = ["change: of OOP's EV by the card"] if "change" not in dropped else []
    notes += [f"EV: {_unit(big_blind)}"] if big_blind else []
    notes.append(f"actions: what {acts} does next, percent")
    return Group(shown, Text("; ".join(notes + _no_room(dropped))))


def _no_room(dropped: Sequence[str]) -> list[str]:
    return [f"no room for {', '.join(dropped)}"] if dropped else []


def _narrow(
    headers: list[str], rows: list[list[str]], width: int, spared: Mapping[str, Sequence[str]]
) -> tuple[Table, list[str]]:
    """A table with one blank between columns, numbers flush right, and the columns that it has no room for.

    Numbers are not broken: where the terminal is too narrow, columns are dropped in the order of `spared`, which
    has them by name. Only where all of them are gone and it still does not fit are numbers folded.
    """
    names = {header: name for name, group in spared.items() for header in group}
    widths = {
        header: max(len(word) for row in (headers, *rows) for word in row[place].split() or [""])
        for place, header in enumerate(headers)
    }
    dropped = _too_many(widths, names, width)
    kept = {header: wide for header, wide in widths.items() if names.get(header) not in dropped}
    fits = sum(kept.values()) + len(kept) <= width
    made = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for place, header in enumerate(headers):
        words = place == 0 or header.startswith("what")
        if header in kept:
            heading = header if words else header.replace(" ", "\n")
            justify: Literal["left", "right"] = "left" if words else "right"
            made.add_column(
                heading, justify=justify, overflow="fold", min_width=kept[header] if fits else None
            )
    for row in rows:
        made.add_row(*(cell for header, cell in zip(headers, row, strict=True) if header in kept))
    return made, dropped


def _too_many(widths: Mapping[str, int], names: Mapping[str, str], width: int) -> list[str]:
    """The names of the columns to drop: in order until the rest fits, without those that fit in the end again."""

    def fits(without: Sequence[str]) -> bool:
        return sum(wide + 1 for header, wide in widths.items() if names.get(header) not in without) <= width

    dropped: list[str] = []
    for name in dict.fromkeys(names.values()):
        if not fits(dropped):
            dropped.append(name)
    for name in reversed(dropped[:-1]):
        fewer = [other for other in dropped if other != name]
        dropped = fewer if fits(fewer) else dropped
    return dropped


def _unit(big_blind: float | None) -> str:
    """Unit of the EVs."""
    return "chips" if big_blind is None else f"big blinds of {big_blind:g} chips"


def _decimal(number: float | None, unit: float = 1) -> str:
    return "-" if number is None or number != number else f"{round(number / unit, 2) + 0.0:.2f}"


def _percent(number: float | None) -> str:
    return "-" if number is None or number != number else f"{100 * number:.1f}"
