"""Command files of TexasSolver's console, `set_pot 50` and so on, as spots.

Sizes mean what they mean there: bets in percent of the pot, raises in percent of the pot after a call; a street
without `donk` sizes has no donk bets but all-in; at most `RAISE_LIMIT` bets and raises on a street; and
`set_allin_threshold`, by default 0.67, makes a bet all-in that brings what a player has in the pot, half of the
starting pot included, above this part of all that the player began with, the same half included.

Threads are as many as the file says, and no more than the machine has cores. What concerns the output is left out
with a note: `--out` keeps a run, which `solvent show` and `solvent export` read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solvent.cards.deck import cards_label, parse_cards
from solvent.cards.ranges import parse_range
from solvent.foundation.errors import InputError
from solvent.foundation.machine import cores
from solvent.foundation.names import did_you_mean
from solvent.foundation.units import parse_decimal, scaling_advice
from solvent.games.betting.rules import STREETS
from solvent.games.betting.tree_sizes import POSITIONS
from solvent.spots.files.spot_file import SpotRequest

RAISE_LIMIT = 4
ALL_IN_THRESHOLD = 0.67
"""Where the console goes all-in unless the file says otherwise."""
KINDS = {"bet": "bets", "raise": "raises", "donk": "donk"}
ALL_IN = "allin"


def read_commands(text: str, where: str) -> SpotRequest:
    """The spot that a command file solves; `where` names the file in refusals."""
    reading = _Reading()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            reading.obey(words[0], "".join(words[1:]))
        except InputError as error:
            raise InputError(f"{where}, line {number}: {error}") from error
    return reading.request()


class _Reading:
    """What the commands so far have set."""

    def __init__(self) -> None:
        self.spot: dict[str, Any] = {}
        self.options: dict[str, Any] = {}
        self.notes: list[str] = []
        self.sizes: dict[tuple[str, str, str], list[str]] = {}
        """Sizes by player, street and kind; all-in is a kind whose list is empty."""
        self.threshold = ALL_IN_THRESHOLD
        self.commands: dict[str, Callable[[str], None]] = {
            "set_pot": lambda given: self.spot.update(pot=_chips(given)),
            "set_effective_stack": lambda given: self.spot.update(stack=_chips(given)),
            "set_board": lambda given: self.spot.update(board=_cards(given)),
            "set_range_ip": lambda given: self.spot.update(ip=_range(given)),
            "set_range_oop": lambda given: self.spot.update(oop=_range(given)),
            "set_bet_sizes": self._bet_sizes,
            "set_allin_threshold": self._threshold,
            "set_thread_num": lambda given: self.options.update(threads=max(1, min(_whole(given), cores()))),
            "set_accuracy": lambda given: self.options.update(until=f"{_number(given):.12g}%"),
            "set_max_iteration": lambda given: self.options.update(iterations=_whole(given)),
            "set_print_interval": lambda given: self.options.update(every=max(1, _whole(given))),
            "set_use_isomorphism": lambda given: self.options.update(
                isomorphism="on" if _whole(given) else "off"
            ),
            "build_tree": _nothing,
            "start_solve": _nothing,
            "set_dump_rounds": _nothing,
            "dump_result": lambda given: self.notes.append(
                f"dump_result {given} is left out: keep the run by --out, and write it by solvent export"
            ),
        }

    def obey(self, command: str, given: str) -> None:
        """Take up one command."""
        if command not in self.commands:
            near = did_you_mean(command, self.commands) or f"; there are {', '.join(self.commands)}"
            raise InputError(f"there is no command {command!r}{near}")
        self.commands[command](given)

    def request(self) -> SpotRequest:
        """The spot of all commands together."""
        spot = dict(self.spot)
        for position in POSITIONS:
            for street in STREETS[1:]:
                for kind, name in KINDS.items():
                    if kind == "donk" and position == "ip":
                        continue
                    sizes = list(self.sizes.get((position, street, kind), ()))
                    sizes += ["a"] * ((position, street, ALL_IN) in self.sizes)
                    spot[f"{position}_{street}_{name}"] = ",".join(sizes)
        spot |= {"cap": RAISE_LIMIT, "all_in_above": self.threshold}
        return SpotRequest(spot, self.options, [], self.notes)

    def _bet_sizes(self, given: str) -> None:
        parts = given.lower().split(",")
        player, street, kind, *sizes = parts if len(parts) >= 3 else (*parts, "", "", "")[:3]
        if player not in POSITIONS or street not in STREETS[1:] or kind not in (*KINDS, ALL_IN):
            raise InputError(
                f"bet sizes are a player (oop, ip), a street (flop, turn, river), a kind (bet, raise, donk, allin) "
                f"and sizes in percent, such as oop,turn,bet,30,70, not {given!r}"
            )
        self.sizes[player, street, kind] = [f"{_number(size):.12g}%" for size in sizes]

    def _threshold(self, given: str) -> None:
        self.threshold = max(_number(given), 1e-9)  # 0 would turn it off


def _nothing(given: str) -> None:
    """Do nothing for a command that says when to build, solve or write: that is done in the end anyway."""


def _cards(text: str) -> str:
    return cards_label(parse_cards(text.replace(",", "")))


def _range(text: str) -> str:
    parse_range(text)
    return text


def _number(text: str) -> float:
    number = parse_decimal(text)
    if number is None or number < 0:
        raise InputError(f"a number of at least 0 stands here, not {text!r}")
    return number


def _whole(text: str) -> int:
    number = _number(text)
    if number != int(number):
        raise InputError(f"a whole number stands here, not {text!r}")
    return int(number)


def _chips(text: str) -> int:
    number = _number(text)
    if number != int(number) or number < 1:
        raise InputError(f"chips are whole numbers, at least 1, not {text!r}{scaling_advice(number)}")
    return int(number)
