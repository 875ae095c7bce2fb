"""Every game by its name: built in, from OpenSpiel, from a Gambit file, or a class of one's own.

A name has one of two origins. A person's, typed or passed in Python, goes to `load_game`, which runs own code where
the name asks for it. Text that a file holds goes to `named_game` or `stored_game`, which run none.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.games.bluff import Bluff
from solvent.games.continuous_leduc import ContinuousLeduc
from solvent.games.efg.reading import read_efg
from solvent.games.game import Game, GameError
from solvent.games.holdem.limit_holdem import FlopHoldem, LimitHoldem
from solvent.games.holdem.nolimit import NoLimit
from solvent.games.holdem.spot import Spot
from solvent.games.kuhn import Kuhn
from solvent.games.leduc import Leduc, Leduc5
from solvent.games.naming import parse_call, spell
from solvent.games.openspiel import PREFIX, load_openspiel
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
EFG = ".efg"
OPENSPIEL_FILE = re.compile(r"\w*file\w*\s*=")
"""A parameter by which one of OpenSpiel's games reads a file: filename, boards_file and the like."""
OTHER_NAMES = {"liars_dice": "bluff", "liar's dice": "bluff", "dudo": "bluff", "texas_holdem": "holdem"}
"""Names that others give to some of the games."""


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
    return _from_object(make_own(source, "game")) if _is_own_game(source) else named_game(source)


def named_game(text: str) -> Game:
    """A game by a name that runs nobody's own code: built in, OpenSpiel's, or the path of an `.efg` file.

    >>> str(named_game("kuhn"))
    'kuhn'
    """
    if text.startswith(PREFIX):
        return load_openspiel(text)
    if text.endswith(EFG):
        return read_efg(Path(text))
    name, arguments = parse_call(text)
    if name not in GAMES:
        near = f"; did you mean {OTHER_NAMES[name.lower()]}?" if name.lower() in OTHER_NAMES else ""
        raise GameError(
            f"there is no game {name!r}; the games are {', '.join(GAMES)}, openspiel:NAME, path/to/game.efg and "
            f"file.py:Class{near or did_you_mean(name, GAMES)}"
        )
    return _build(name, arguments)


def named_spot(text: Any) -> Spot | None:
    """The spot that `spot(...)` describes; None for every other text, which is not read any further."""
    if not isinstance(text, str) or not text.startswith(f"{Spot.name}("):
        return None
    made = named_game(text)
    return made if isinstance(made, Spot) else None


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


def stored_game(name: Any, source: Any, where: str | Path) -> Game:
    """The game of a run or a saved strategy by its name; `where` is what says so, for refusals. Runs no own code.

    source: the game itself, where a person gave or allowed it; else what the file says of its code, or None
    """
    if not isinstance(source, str | None):
        return _from_object(source)
    text = name if source is None else source
    if not isinstance(text, str):
        raise InputError(f"{where} is damaged: its game is not text")
    if _is_own_game(text) and source is None:
        raise InputError(
            f"{where} is damaged: its game has the name of own code, {text!r}, which is never run"
        )
    if _is_own_game(text):
        raise InputError(
            f"the game of {where} is own code, {text!r}, which is not run because a file names it; if you "
            f"trust it, give --own-code (in Python own_code=True), or give the game itself again"
        )
    if text.startswith(PREFIX) and OPENSPIEL_FILE.search(text):
        raise InputError(
            f"the game of {where} is one that OpenSpiel reads from a file, {text!r}, which is not opened "
            f"because a run names it; give the game itself again"
        )
    try:
        return named_game(text)
    except GameError as error:
        if "there is no game" not in str(error):
            raise
        raise InputError(
            f"{where} is of {text}, a game of your own that cannot be found by itself; pass it as game"
        ) from error


def allowed_game(source: Any, own_code: bool) -> Any:
    """The game itself where a stored source names own code and a person allows to run it; else the source as it is.

    own_code: what the person said, by --own-code or `own_code=True`; never anything that a file says
    """
    return load_game(source) if own_code and isinstance(source, str) and _is_own_game(source) else source


def _is_own_game(text: str) -> bool:
    return not text.startswith(PREFIX) and not text.endswith(EFG) and is_own(text)


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
