"""Listings of a node: a player's hands, filtered and sorted, and the cards that may come."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvent.cards.deck import CardError
from solvent.cards.hand_kinds import KIND_NAMES, draws, hand_strengths, is_kind, made_hands
from solvent.cards.ranges import parse_range
from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.games.holdem.spot import NAMES
from solvent.spots.nodes.lines import find_action
from solvent.spots.nodes.node import SpotNode

SORTS = ("strength", "ev", "equity", "eqr", "weight", "hand")


class HandList:
    """A player's hands at a node and what they make, filtered and sorted."""

    def __init__(
        self,
        node: SpotNode,
        player: int,
        hand: str | None = None,
        only: str | None = None,
        sort: str | None = None,
    ) -> None:
        """List the hands of a player.

        hand: a range of hands to list, such as AhKh or AKs
        only: kinds of hands to list, between commas: `set, flush draw`
        sort: one of `SORTS`, strength by default, or an action of the player
        """
        self.node, self.player = node, player
        self.filters, self._sort = (hand, only), sort or "strength"
        self.numbers = node.numbers[player]
        self.made = made_hands(self.numbers, node.cards)
        self.draws = draws(self.numbers, node.cards)

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """`SpotNode.to_dict` of the listed hands, with what each makes and draws to."""
        whole = self.node.to_dict(self.player)
        whole |= {"made": self.made, "draws": [list(found) for found in self.draws]}
        return {name: [column[place] for place in self.places] for name, column in whole.items()}

    @cached_property
    def places(self) -> list[int]:
        """Places of the listed hands among the node's, sorted; hands that are not reached come last."""
        chosen = self._named() & self._of_kind()
        reached, key = self.node.reached[self.player], self._key()
        return sorted(np.flatnonzero(chosen).tolist(), key=lambda place: (not reached[place], key[place]))

    def _named(self) -> NDArray[np.bool_]:
        hand = self.filters[0]
        if hand is None:
            return np.ones(len(self.numbers), dtype=bool)
        try:
            wanted = parse_range(hand).weights > 0
        except CardError as error:
            raise InputError(f"--hand is a hand or a range, such as AhKh or AKs: {error}") from error
        return wanted[self.numbers]

    def _of_kind(self) -> NDArray[np.bool_]:
        kinds = kinds_named(self.filters[1])
        found = [
            not kinds or any(is_kind(kind, made, drawing) for kind in kinds)
            for made, drawing in zip(self.made, self.draws, strict=True)
        ]
        return np.array(found, dtype=bool)

    def _key(self) -> NDArray[Any]:
        """Sort key: smallest first."""
        sort, node, player = self._sort, self.node, self.player
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


def check_any(lists: Sequence[HandList]) -> None:
    """Refuse lists of which each is empty."""
    if not any(each.places for each in lists):
        first = lists[0]
        whose = "the players have" if len(lists) > 1 else f"{NAMES[first.player]} has"
        raise InputError(f"{whose} no {' that is '.join(filter(None, first.filters))} on {first.node.board}")


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


def next_card_summaries(node: SpotNode) -> dict[str, dict[str, Any]]:
    """Summary of the node after each card that may come (`SpotNode.summary`).

    Cards listed together under `alike` differ in the names of suits only, so each group is computed once.
    """
    found: dict[tuple[int, int], dict[str, Any]] = {}
    summaries: dict[str, dict[str, Any]] = {}
    for card, after in node.next_cards().items():
        if after.stands_for not in found:
            found[after.stands_for] = {**after.summary(), "alike": []}
        found[after.stands_for]["alike"].append(card)
        summaries[card] = {**found[after.stands_for], "line": after.line, "board": after.board}
    return summaries
