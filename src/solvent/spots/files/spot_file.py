"""A spot and how to solve it, written in a file: TOML of our own, or a TexasSolver command file.

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
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any

from solvent.cards.deck import CardError, cards_label
from solvent.cards.ranges import parse_range
from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.foundation.storage.reading import parse_toml, read_text
from solvent.games.betting.tree_sizes import known_settings
from solvent.games.holdem.spot import NAMES, Spot
from solvent.spots.settings import SpotSettings

SPOT_KEYS = ("board", "oop", "ip", "pot", "stack", "rake", "rake_cap", "least_bet")
NEEDED = ("board", "oop", "ip", "pot", "stack")
TABLES = ("sizes", "solve")

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
    """A spot and how to solve it, as it is asked for."""

    spot: dict[str, Any] = field(default_factory=dict)
    """The parameters of `games.holdem.spot.Spot` by name, sizes among them."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of `SpotSettings` by name."""
    locks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the file asks for and does not get, in sentences."""

    def check_complete(self) -> None:
        """Refuse a request that lacks what every spot has."""
        missing = [name for name in NEEDED if self.spot.get(name) is None]
        if missing:
            raise InputError(
                f"a spot needs {', '.join(NEEDED[:-1])} and {NEEDED[-1]}; give --{missing[0]}, or a file that has "
                f"it (`solvent spot init` writes one)"
            )


def read_spot_file(path: Path) -> SpotRequest:
    """The spot that a file asks for; a file of TexasSolver is known by its commands."""
    text = read_text(path)
    if path.suffix.lower() != ".toml" and _has_commands(text):
        from solvent.spots.files.texas_file import read_commands

        return read_commands(text, str(path))
    return read_spot_toml(text, str(path))


def _has_commands(text: str) -> bool:
    lines = [line.strip() for line in text.splitlines()]
    return any(line.split()[0].startswith("set_") and "=" not in line.split()[0] for line in lines if line)


def read_spot_toml(text: str, where: str) -> SpotRequest:
    """The spot that TOML describes; `where` names it in refusals."""
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
    """Settings by their names in Python; one that is not known is refused."""
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
    """The range that a text names; `@FILE` is what stands in a file, whose name counts from the folder.

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
    """The parameters of a spot by name, from which the same spot is made again."""
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
