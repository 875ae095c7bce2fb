"""Every game by its name: built in, from OpenSpiel, from a Gambit file, or a class of one's own."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.games.bluff import Bluff
from solvent.games.continuous_leduc import ContinuousLeduc
from solvent.games.efg.reading import read_efg
from solvent.games.game import Game, GameError
from solvent.games.holdem.flop_holdem import FlopHoldem
from solvent.games.holdem.limit_holdem import LimitHoldem
from solvent.games.holdem.nolimit import NoLimit
from solvent.games.holdem.spot import Spot
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc, Leduc5
from solvent.games.naming import parse_call, spell
from solvent.games.openspiel import load_openspiel
from solvent.games.own import is_own, make_own

GAMES: dict[str, type[Game]] = {
    "kuhn": Kuhn,
    "leduc": Leduc,
    "leduc5": Leduc5,
    "continuous_leduc": ContinuousLeduc,
    "bluff": Bluff,
    "flop_holdem": FlopHoldem,
    "holdem": LimitHoldem,
    "nolimit": NoLimit,
    "spot": Spot,
}
OTHER_NAMES = {"liars_dice": "bluff", "liar's dice": "bluff", "dudo": "bluff", "texas_holdem": "holdem"}
"""What others call some of the games."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a built-in game: its name and what it is when not given."""

    name: str
    default: Any
    """None where it must be given, or where there is none unless it is."""
    required: bool = False
    further: bool = False
    """Whether it stands for further parameters, which the game itself checks."""

    def __str__(self) -> str:
        if self.further:
            return f"other {self.name}"
        return self.name if self.default is None else f"{self.name}={spell(self.default)}"


def load_game(source: Any) -> Game:
    """A game from its name or from an object.

    Names are those of built-in games, `openspiel:NAME(...)`, `module:Class(...)` and `file.py:Class(...)` for games
    of one's own, and the path of an `.efg` file. Objects are games, classes of games and `pyspiel.Game`s.

    >>> str(load_game("leduc"))
    'leduc'
    >>> str(load_game("leduc(bets1=[1,2])"))
    'leduc(bets1=[1,2])'
    """
    if isinstance(source, Path):
        return read_efg(source)
    if not isinstance(source, str):
        return _from_object(source)
    if source.startswith("openspiel:"):
        return load_openspiel(source.removeprefix("openspiel:"))
    if source.endswith(".efg"):
        return read_efg(Path(source))
    if is_own(source):
        return _from_object(make_own(source, "game"))
    name, arguments = parse_call(source)
    if name not in GAMES:
        near = f"; did you mean {OTHER_NAMES[name.lower()]}?" if name.lower() in OTHER_NAMES else ""
        raise GameError(
            f"there is no game {name!r}; the games are {', '.join(GAMES)}, openspiel:NAME, path/to/game.efg and "
            f"file.py:Class{near or did_you_mean(name, GAMES)}"
        )
    return _build(name, arguments)


def parameters(name: str) -> list[Parameter]:
    """The parameters of a built-in game, in order."""
    signature = inspect.signature(GAMES[name])
    found = []
    for each in signature.parameters.values():
        further, given = each.kind is each.VAR_KEYWORD, each.default is not each.empty
        found.append(Parameter(each.name, each.default if given else None, not (given or further), further))
    return found


def _from_object(source: Any) -> Game:
    if inspect.isclass(source):
        source = source()
    if type(source).__module__.partition(".")[0] == "pyspiel":
        return load_openspiel(source)
    if not isinstance(source, Game):
        raise GameError(f"a game needs `players` and `root()`; {type(source).__name__} lacks them")
    return source


def game_again(name: str, source: Any, where: Path) -> Game:
    """The game of a run or a saved strategy: from what `source` says, a game or text, or else by its name."""
    if source is not None:
        return load_game(source)
    try:
        return load_game(name)
    except GameError as error:
        if "there is no game" not in str(error):
            raise
        raise InputError(
            f"{where} is of {name}, a game of your own that cannot be found by itself; pass it as game"
        ) from error


def _build(name: str, arguments: list[tuple[str | None, Any]]) -> Game:
    known = {p.name: p for p in parameters(name)}
    further = any(p.further for p in known.values())
    takes = f"it takes {', '.join(map(str, known.values()))}" if known else "it takes none"
    given: dict[str, Any] = {}
    for key, value in arguments:
        if key is None:
            raise GameError(f"write the parameters of {name} as key=value; {takes}")
        if key in given:
            raise GameError(f"{name} got {key} twice")
        if key in known and not known[key].further:
            given[key] = _fit(name, known[key], value)
        elif further:
            given[key] = value
        else:
            raise GameError(f"{name} has no parameter {key!r}; {takes}")
    if missing := [p.name for p in known.values() if p.required and p.name not in given]:
        raise GameError(f"{name} needs {', '.join(missing)}; {takes}")
    return GAMES[name](**given)


def _fit(name: str, parameter: Parameter, value: Any) -> Any:
    """Check a value against the kind that the default has; a lone number may stand for a list of one."""
    default = parameter.default
    kind: str
    if default is None or isinstance(default, str | float):
        return value  # the game checks it
    if isinstance(default, bool):
        fits, kind = isinstance(value, bool), "true or false"
    elif isinstance(default, list | tuple):
        value = value if isinstance(value, list) else [value]
        fits, kind = all(map(_is_number, value)), "a number or a list such as [1,2]"
    else:
        fits, kind = isinstance(value, int) and not isinstance(value, bool), "a whole number"
    if not fits:
        raise GameError(f"{parameter.name} of {name} must be {kind}, not {spell(value)}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")
