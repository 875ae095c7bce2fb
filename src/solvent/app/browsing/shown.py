"""What `solvent show` says of a run of a spot: a node's numbers by hand, or the cards that may come."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.app.terminal import has_colours, print_json, print_sentence, terminal
from solvent.cards.deck import CardError
from solvent.cards.hand_kinds import KIND_NAMES, draws, hand_strengths, is_kind, made_hands
from solvent.cards.ranges import parse_range
from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.games.holdem.spot import NAMES
from solvent.spots.nodes.lines import find_action
from solvent.spots.nodes.node import SpotNode
from solvent.spots.nodes.solution import open_spot

SORTS = ("strength", "ev", "equity", "eqr", "weight", "hand")


@dataclass(frozen=True)
class Asked:
    """What `solvent show` is asked of a spot."""

    line: str = ""
    hand: str | None = None
    """A range of hands to show, such as AhKh or AKs."""
    only: str | None = None
    """Kinds of hands to show, between commas: `set, flush draw`."""
    sort: str | None = None
    player: int | None = None
    """The player whose hands are shown, unless it is the one to act."""
    limit: int = 20
    grid: bool = False
    table: bool = False
    next_cards: bool = False
    as_json: bool = False
    big_blind: float | None = None
    """Chips of the big blind in which EVs are shown; chips if not given."""


class Hands:
    """A player's hands at a node with what they make, those that were asked for, in the order asked for."""

    def __init__(self, node: SpotNode, player: int, asked: Asked) -> None:
        self.node, self.player = node, player
        self.numbers = node.numbers[player]
        self.made = made_hands(self.numbers, node.cards)
        self.draws = draws(self.numbers, node.cards)
        self._asked = asked

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """`SpotNode.to_dict` with what each hand makes and draws to, of the hands asked for."""
        whole = self.node.to_dict(self.player)
        whole |= {"made": self.made, "draws": [list(found) for found in self.draws]}
        return {name: [column[place] for place in self.places] for name, column in whole.items()}

    @cached_property
    def places(self) -> list[int]:
        """Where the hands asked for stand among the node's, sorted; those that are not reached come last."""
        chosen = self._named() & self._of_kind()
        reached, key = self.node.reached[self.player], self._key()
        return sorted(np.flatnonzero(chosen).tolist(), key=lambda place: (not reached[place], key[place]))

    def _named(self) -> NDArray[np.bool_]:
        if self._asked.hand is None:
            return np.ones(len(self.numbers), dtype=bool)
        try:
            wanted = parse_range(self._asked.hand).weights > 0
        except CardError as error:
            raise InputError(f"--hand is a hand or a range, such as AhKh or AKs: {error}") from error
        return wanted[self.numbers]

    def _of_kind(self) -> NDArray[np.bool_]:
        kinds = kinds_named(self._asked.only)
        return np.array(
            [
                not kinds or any(is_kind(kind, made, drawing) for kind in kinds)
                for made, drawing in zip(self.made, self.draws, strict=True)
            ],
            dtype=bool,
        )

    def _key(self) -> NDArray[Any]:
        """What hands are sorted by, the first first."""
        sort, node, player = self._asked.sort or "strength", self.node, self.player
        if sort == "hand":
            return -self.numbers
        if sort == "strength":
            return -hand_strengths(self.numbers, node.cards)
        if sort in SORTS:
            found = getattr(node, "weights" if sort == "weight" else sort)[player]
        elif player == node.player and (action := find_action(node.solver.game, node.place, sort)):
            found = node.strategy[node.actions.index(action)]
        else:
            names = (*SORTS, *(node.actions if player == node.player else ()))
            raise InputError(
                f"hands are sorted by {', '.join(names)}, not by {sort!r}{did_you_mean(sort, names)}"
            )
        key: NDArray[np.float64] = -np.nan_to_num(found, nan=-np.inf)
        return key


def kinds_named(text: str | None) -> list[str]:
    """Kinds of hands between commas."""
    kinds = [" ".join(part.lower().split()) for part in text.split(",")] if text is not None else []
    for kind in kinds:
        if kind not in KIND_NAMES:
            raise InputError(
                f"there is no kind of hand {kind!r}{did_you_mean(kind, KIND_NAMES)}; the kinds are "
                f"{', '.join(KIND_NAMES)}"
            )
    return kinds


def show_spot(run: str, asked: Asked) -> None:
    """Print what is asked of the run of a spot."""
    listed = asked.table or any(given is not None for given in (asked.hand, asked.only, asked.player))
    if (asked.grid or asked.next_cards) and (listed or (asked.grid and asked.next_cards)):
        raise InputError("show one at a time of --grid, --next-cards, and hands by --table, --hand or --only")
    if asked.grid and asked.sort is not None:
        raise InputError("--sort is for --table and --next-cards")
    if asked.big_blind is not None and asked.as_json:
        raise InputError("--json has EVs in chips; leave out --big-blind")
    solution = open_spot(Path(run))
    node = solution.at(asked.line)
    shown = node.player if asked.player is None else asked.player
    facts = {"game": str(solution.spot), "iterations": solution.iterations}
    if asked.next_cards:
        cards = cards_document(node)
        if asked.as_json:
            print_json({**facts, **node.summary(), "cards": cards})
        else:
            _print_cards(node, cards, asked)
        return
    hands = [Hands(node, player, asked) for player in (0, 1)]
    if asked.hand is not None or asked.only is not None:
        _check_any(hands, shown, asked)
    if asked.as_json:
        by_player = {name: each.columns for name, each in zip(NAMES, hands, strict=True)}
        print_json({**facts, **node.summary(), "actions": list(node.actions), "hands": by_player})
    else:
        _print_node(node, hands[shown or 0], asked)


def cards_document(node: SpotNode) -> dict[str, dict[str, Any]]:
    """The node after each card that may come, in a few numbers (`SpotNode.summary`).

    Cards of one `alike` differ in the names of suits only, so each group is computed once.
    """
    found: dict[tuple[int, int], dict[str, Any]] = {}
    document: dict[str, dict[str, Any]] = {}
    for card, after in node.next_cards().items():
        if after.stands_for not in found:
            found[after.stands_for] = {**after.summary(), "alike": []}
        found[after.stands_for]["alike"].append(card)
        document[card] = {**found[after.stands_for], "line": after.line, "board": after.board}
    return document


def _check_any(hands: list[Hands], shown: int | None, asked: Asked) -> None:
    """Refuse what names no hand: of the player who is shown or, in a document, of both."""
    looked = hands if asked.as_json and asked.player is None else [hands[shown or 0]]
    if not any(each.places for each in looked):
        whose = "the players have" if len(looked) > 1 else f"{NAMES[looked[0].player]} has"
        what = " that is ".join(part for part in (asked.hand, asked.only) if part is not None)
        raise InputError(f"{whose} no {what} on {hands[0].node.board}")


def _print_node(node: SpotNode, hands: Hands, asked: Asked) -> None:
    from solvent.app.browsing.node_tables import hands_table, node_heading, players_table
    from solvent.app.views.spots.solved import node_grid

    console = terminal()
    listed = asked.table or any(
        given is not None for given in (asked.hand, asked.only, asked.sort, asked.player)
    )
    table = (
        hands_table(hands, asked.limit, console.width, asked.big_blind) if listed else None
    )  # refusals come before the heading
    print_sentence(console, node_heading(node))
    if not asked.grid and not listed:
        console.print(players_table(node, asked.big_blind))
    if not listed and node.player is not None and node.reached[node.player].any():
        console.print(node_grid(node, console.width, has_colours(console)))
    if table is not None:
        console.print(table)


def _print_cards(node: SpotNode, cards: dict[str, dict[str, Any]], asked: Asked) -> None:
    from solvent.app.browsing.node_tables import cards_table, node_heading

    console = terminal()
    table = cards_table(
        node, cards, asked.sort, console.width, asked.big_blind
    )  # refusals come before the heading
    print_sentence(console, node_heading(node))
    console.print(table)
