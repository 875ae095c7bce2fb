"""Spots read from files: TOML of our own, or a TexasSolver command file.

    board = "Td9d6h"
    oop = "66+,A8s+,KQo:0.5"
    ip = "QQ-22,AQs-A2s"
    pot = 200
    stack = 900
    [sizes]
    bets = "50%,a"
    [solve]
    until = "0.3%"

`TEMPLATE` is such a file with every setting in it and a comment for each.

Sizes in command files of TexasSolver's console, `set_pot 50` and so on, mean what they mean there: bets in percent
of the pot, raises in percent of the pot after a call; a street without `donk` sizes has no donk bets but all-in; at
most `RAISE_LIMIT` bets and raises on a street; and `set_allin_threshold`, by default 0.67, makes a bet all-in that
brings what a player has in the pot, half of the starting pot included, above this fraction of all that the player
began with, the same half included. Threads are those of the file, and no more than the machine has cores. Commands
about the output are left out with a note: `--out` keeps a run, which `solvent show` and `solvent export` read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any

from solvent.cards.deck import CardError, cards_label, parse_cards
from solvent.cards.ranges import parse_range
from solvent.foundation.errors import InputError
from solvent.foundation.machine import cores
from solvent.foundation.names import did_you_mean
from solvent.foundation.storage.reading import parse_toml, read_text
from solvent.foundation.units import parse_decimal, scaling_advice
from solvent.games.betting.rules import STREETS
from solvent.games.betting.tree_sizes import POSITIONS, known_settings
from solvent.games.holdem.spot import NAMES, Spot
from solvent.spots.settings import SpotSettings

SPOT_KEYS = ("board", "oop", "ip", "pot", "stack", "rake", "rake_cap", "least_bet")
NEEDED = ("board", "oop", "ip", "pot", "stack")
TABLES = ("sizes", "solve")

RAISE_LIMIT = 4
ALL_IN_THRESHOLD = 0.67
"""The console's default of `set_allin_threshold`."""
KINDS = {"bet": "bets", "raise": "raises", "donk": "donk"}
ALL_IN = "allin"

TEMPLATE = """\
# A spot for `solvent spot FILE.toml`. An option on the command line replaces the same setting here, and no other.

board = "Td9d6h"                    # three to five cards: a flop, a turn or a river
# Ranges: hands with weights, such as "AA:0.5,AKs,A5s-A2s,Ac2c:0.5", or the file that has them, "@bets.txt".
# OOP acts first on every street.
oop = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
ip = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
pot = 200                           # chips in the middle
stack = 900                         # chips behind each player
# rake = "5%"                       # what the house takes of every pot
# rake-cap = 30                     # and the most chips that it takes
# least-bet = 10                    # chips of the least bet

# What hands play at a decision, on all boards: a line, a range, and the probabilities of actions.
# locks = ["check, bet 100: 22-55 = fold:0.25, call:0.75"]

[sizes]
# 33% of the pot, 2.5x the bet that is faced, 100c chips, e in equal parts of the pot by the river, a all-in.
bets = "50%,a"
raises = "100%,a"                   # "3x,a | 100%,a" for the first raise and the later ones
# donk = ""                         # OOP's bets into whoever bet last on the street before; as bets if not given
# turn-bets = "75%"                 # of one street,
# oop-raises = "a"                  # of one player,
# oop-river-donk = "33%"            # or of both
# cap = 3                           # the most bets and raises on a street; also turn-cap
# add-all-in = "150%"               # adds all-in where it is at most this part of the pot
# force-all-in = "20%"              # goes all-in where a call would leave at most this part of the pot behind
# all-in-above = "67%"              # goes all-in above this part of the stack, half of the pot added to both
# merging = "10%"                   # drops sizes near a larger one
# add = ["check, bet 300"]          # lines whose last action is added,
# remove = ["bet 900"]              # or removed with all that follows

[solve]
until = "0.3%"                      # stop at this exploitability, of the pot or in chips
# time = "5m"                       # or after this time,
# iterations = 1000                 # or at this total number of iterations
# dtype = "int16"                   # half the memory of float32
# threads = 2                       # all cores if not given
# memory = "8G"                     # what needs more is refused before it begins
"""


@dataclass
class SpotRequest:
    """A spot to solve, as it is asked for."""

    spot: dict[str, Any] = field(default_factory=dict)
    """The parameters of `games.holdem.spot.Spot` by name, sizes among them."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of `SpotSettings` by name."""
    locks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences about requests of the file that are not met."""

    def check_complete(self) -> None:
        """Refuse a request that lacks what every spot has."""
        missing = [name for name in NEEDED if self.spot.get(name) is None]
        if missing:
            raise InputError(
                f"a spot needs {', '.join(NEEDED[:-1])} and {NEEDED[-1]}; give --{missing[0]}, or a file that has "
                f"it (`solvent spot init` writes one)"
            )


def read_spot_file(path: Path) -> SpotRequest:
    """Read the spot of a file; a file of TexasSolver is recognised by its commands."""
    text = read_text(path)
    first = [line.split()[0] for line in text.splitlines() if line.strip()]
    has_commands = any(word.startswith("set_") and "=" not in word for word in first)
    if path.suffix.lower() != ".toml" and has_commands:
        return read_commands(text, str(path))
    return read_spot_toml(text, str(path))


def read_spot_toml(text: str, where: str) -> SpotRequest:
    """Read the spot that TOML describes; `where` names it in refusals."""
    written = parse_toml(text, where)
    tables = {name: written.pop(name, {}) for name in TABLES}
    for name, given in tables.items():
        if not isinstance(given, dict):
            raise InputError(f"{name} of {where} is a table, written [{name}]")
    locks = written.pop("locks", [])
    if not isinstance(locks, list) or not all(isinstance(lock, str) for lock in locks):
        raise InputError(f"locks of {where} are a list of texts")
    sizes = {name.replace("-", "_") for name in known_settings() if "preflop" not in name}
    options = {each.name for each in fields(SpotSettings)}
    spot = _known(written, set(SPOT_KEYS), where, "")
    for name in ("board", "oop", "ip"):
        if not isinstance(spot.get(name, ""), str):
            raise InputError(f"{name} of {where} is text, not {spot[name]!r}")
    for name in ("oop", "ip"):
        if name in spot:
            spot[name] = range_text(spot[name], Path(where).parent)
    return SpotRequest(
        spot | _known(tables["sizes"], sizes, where, " of [sizes]"),
        _known(tables["solve"], options, where, " of [solve]"),
        locks,
    )


def _known(given: Mapping[str, Any], names: set[str], where: str, table: str) -> dict[str, Any]:
    """Spell settings as in Python; one that is not known is refused."""
    found = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name not in names:
            near = did_you_mean(key, [each.replace("_", "-") for each in sorted(names)])
            raise InputError(f"{where} has {key!r}{table}, which a spot does not{near}")
        if name in found:
            raise InputError(f"{where} has {name}{table} twice")
        found[name] = value
    return found


def range_text(given: str, folder: Path) -> str:
    """Read the range that a text names; `@FILE` is a file relative to the folder.

    Lines of the file that begin with # are left out, and the others are joined by commas.
    """
    if not given.startswith("@"):
        _check_no_file(given, folder)
        return given
    path = folder / given[1:].strip()
    lines = [line.strip() for line in read_text(path).splitlines()]
    if all(f"# {name}" in lines for name in NAMES):
        raise InputError(f"{path} has the ranges of both players; export one of them with --part")
    found = ",".join(line.strip(",") for line in lines if line.strip(",") and not line.startswith("#"))
    try:
        parse_range(found)
    except CardError as error:
        raise InputError(f"{path} is no range: {error}") from error
    return found


def _check_no_file(given: str, folder: Path) -> None:
    """Refuse a text that is no range but the name of a file, and say how to name one."""
    try:
        if not given.strip() or not (folder / given.strip()).is_file():
            return
        parse_range(given)
    except CardError:
        raise InputError(f"{given!r} is no range but a file; write @{given.strip()} to read it") from None
    except (OSError, ValueError):  # text that cannot be the name of a file
        return


def spot_parameters(spot: Spot) -> dict[str, Any]:
    """List the parameters of a spot by name, from which the same spot is made again."""
    cap = {"rake_cap": spot.rake_cap} if isfinite(spot.rake_cap) else {}
    return {
        "board": cards_label(spot.root_board),
        "oop": str(spot.ranges[0]),
        "ip": str(spot.ranges[1]),
        "pot": spot.pot,
        "stack": spot.stack,
        "rake": spot.rake,
        **cap,
        "least_bet": spot.least_bet,
        "check_down": spot.check_down,
        **spot.sizes,
    }


def read_commands(text: str, where: str) -> SpotRequest:
    """Read the spot that a command file of TexasSolver solves; `where` names the file in refusals."""
    reading = _Commands()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            reading.apply(words[0], "".join(words[1:]))
        except InputError as error:
            raise InputError(f"{where}, line {number}: {error}") from error
    return reading.request()


class _Commands:
    """The settings of the commands so far."""

    def __init__(self) -> None:
        self.asked = SpotRequest()
        spot, options = self.asked.spot, self.asked.options
        self.sizes: dict[tuple[str, str, str], list[str]] = {}
        """Sizes by player, street and kind; all-in is a kind whose list is empty."""
        self.threshold = ALL_IN_THRESHOLD
        self.commands: dict[str, Callable[[str], None]] = {
            "set_pot": lambda given: spot.update(pot=_chips(given)),
            "set_effective_stack": lambda given: spot.update(stack=_chips(given)),
            "set_board": lambda given: spot.update(board=_cards(given)),
            "set_range_ip": lambda given: spot.update(ip=_range(given)),
            "set_range_oop": lambda given: spot.update(oop=_range(given)),
            "set_bet_sizes": self._bet_sizes,
            "set_allin_threshold": self._threshold,
            "set_thread_num": lambda given: options.update(threads=max(1, min(_whole(given), cores()))),
            "set_accuracy": lambda given: options.update(until=f"{_number(given):.12g}%"),
            "set_max_iteration": lambda given: options.update(iterations=_whole(given)),
            "set_print_interval": lambda given: options.update(every=max(1, _whole(given))),
            "set_use_isomorphism": lambda given: options.update(isomorphism="on" if _whole(given) else "off"),
            "build_tree": _nothing,
            "start_solve": _nothing,
            "set_dump_rounds": _nothing,
            "dump_result": lambda given: self.asked.notes.append(
                f"dump_result {given} is left out: keep the run by --out, and write it by solvent export"
            ),
        }

    def apply(self, command: str, given: str) -> None:
        if command not in self.commands:
            near = did_you_mean(command, self.commands) or f"; there are {', '.join(self.commands)}"
            raise InputError(f"there is no command {command!r}{near}")
        self.commands[command](given)

    def request(self) -> SpotRequest:
        """Build the spot of all commands together."""
        spot = self.asked.spot
        for position in POSITIONS:
            for street in STREETS[1:]:
                for kind, name in KINDS.items():
                    if kind == "donk" and position == "ip":
                        continue
                    sizes = list(self.sizes.get((position, street, kind), ()))
                    sizes += ["a"] * ((position, street, ALL_IN) in self.sizes)
                    spot[f"{position}_{street}_{name}"] = ",".join(sizes)
        spot |= {"cap": RAISE_LIMIT, "all_in_above": self.threshold}
        return self.asked

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
    """Skip a command that says when to build, solve or write: that is done in the end anyway."""


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
