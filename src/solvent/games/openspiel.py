"""OpenSpiel's games: `openspiel:NAME(...)`, or a `pyspiel.Game` of one's own.

Two-player zero-sum games are taken, and constant-sum ones with half of the sum subtracted from each payoff:
the players want the same as before, and the game is zero-sum. Simultaneous moves are taken in turn, the
second player not seeing the first's. The infoset's text is OpenSpiel's `information_state_string`. A game
without one is taken only when it is turn-based with perfect information: then a player knows the whole
history, and the text is that.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from solvent.foundation.extras import missing
from solvent.foundation.names import did_you_mean
from solvent.games.efg.labels import unique_labels
from solvent.games.game import CHANCE, TERMINAL, GameError, ListedState, State

PREFIX = "openspiel:"
_THEIR_TERMINAL = -4
"""`pyspiel.PlayerId.TERMINAL`; chance is -1 there as here."""


def load_openspiel(source: Any) -> OpenSpielGame:
    """The game with an OpenSpiel name, with or without `openspiel:` before it, or around a `pyspiel.Game`."""
    return OpenSpielGame(_load(source.removeprefix(PREFIX)) if isinstance(source, str) else source)


class OpenSpielGame:
    """A `pyspiel.Game` as a game of ours."""

    players = 2

    def __init__(self, source: Any) -> None:
        kind = source.get_type()
        _refuse_unfit(source, kind)
        self._source = source
        in_turn = not _is(kind.dynamics, "SIMULTANEOUS")
        self.game = source if in_turn else import_module("pyspiel").convert_to_turn_based(source)
        """The `pyspiel.Game` that is walked, its moves in turn."""
        self.half_sum = (source.utility_sum() or 0.0) / 2
        """Amount subtracted from each payoff to make the game zero-sum."""
        self._knows_history = not kind.provides_information_state_string
        self._labels: dict[tuple[int, str], tuple[list[int], tuple[str, ...]]] = {}

    def __str__(self) -> str:
        return f"{PREFIX}{self._source}"

    def __repr__(self) -> str:
        return f"<game {self}>"

    def __reduce__(self) -> tuple[type[OpenSpielGame], tuple[Any]]:
        return OpenSpielGame, (self._source,)

    def root(self) -> State:
        """The state before anything has happened."""
        return _State(self, self.game.new_initial_state())

    def decisions(self) -> Iterator[Any]:
        """Every `pyspiel.State` in which a player acts, depth first."""
        waiting = [self.game.new_initial_state()]
        while waiting:
            state = waiting.pop()
            if state.current_player() >= 0:
                yield state
            if not state.is_terminal():
                waiting.extend(state.child(action) for action in reversed(state.legal_actions()))

    def infoset(self, state: Any) -> str:
        """Return what the player to act knows in a `pyspiel.State`."""
        text: str = state.history_str() if self._knows_history else state.information_state_string()
        return text

    def labels(self, state: Any, player: int, infoset: str, legal: list[int]) -> tuple[str, ...]:
        """The legal actions' labels, asked for once an infoset: they are the same in all its states."""
        key = player, infoset
        known = self._labels.get(key)
        if known is None or known[0] != legal:
            known = self._labels[key] = legal, unique_labels([state.action_to_string(each) for each in legal])
        return known[1]


class _State(ListedState):
    """A `pyspiel.State`, never changed in place."""

    __slots__ = ("_game", "_legal", "_player", "_state", "_text")

    def __init__(self, game: OpenSpielGame, state: Any) -> None:
        self._game = game
        self._state = state
        self._player: int = state.current_player()
        self._legal: list[int] | None = None
        self._text: str | None = None

    def player(self) -> int:
        return TERMINAL if self._player == _THEIR_TERMINAL else self._player

    def actions(self) -> tuple[str, ...]:
        return self._game.labels(self._state, self._player, self.infoset(), self._legal_actions())

    def _legal_actions(self) -> list[int]:
        if self._legal is None:
            self._legal = self._state.legal_actions()
        return self._legal

    def children(self) -> Iterator[_State]:
        # One at a time: a state of theirs may take kilobytes.
        return (_State(self._game, self._state.child(action)) for action in self._legal_actions())

    def child(self, action: str) -> _State:
        if self._player == CHANCE:
            return next(state for label, _, state in self.chance_children() if label == action)
        position = self.actions().index(action)
        return _State(self._game, self._state.child(self._legal_actions()[position]))

    def chance_children(self) -> list[tuple[str, float, _State]]:
        state = self._state
        outcomes = state.chance_outcomes()
        labels = unique_labels([state.action_to_string(outcome) for outcome, _ in outcomes])
        return [
            (label, probability, _State(self._game, state.child(outcome)))
            for label, (outcome, probability) in zip(labels, outcomes, strict=True)
        ]

    def infoset(self) -> str:
        if self._text is None:
            self._text = self._game.infoset(self._state)
        return self._text

    def payoffs(self) -> tuple[float, float]:
        first, second = self._state.returns()
        return first - self._game.half_sum, second - self._game.half_sum


# Loading

_PLACE_IN_THEIR_SOURCE = re.compile(r"\S+\.(?:cc|h):\d+ ")


def _load(name: str) -> Any:
    try:
        pyspiel: Any = import_module("pyspiel")
    except ImportError:
        raise GameError(missing("pyspiel", f"games such as {PREFIX}{name}")) from None
    short = name.partition("(")[0].strip()
    if short.startswith("python_"):
        # The games that OpenSpiel has in Python are known once they are imported.
        with suppress(ImportError):
            import open_spiel.python.games  # noqa: F401
    known = pyspiel.registered_names()
    if short not in known:
        raise GameError(f"OpenSpiel has no game {short!r}{did_you_mean(short, known)}")
    try:
        with _silent_stderr():
            return pyspiel.load_game(name)
    except Exception as error:  # mostly SpielErrors, but a game may raise anything: nfg_game, an IndexError
        raise GameError(f"OpenSpiel cannot load {name}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """OpenSpiel's message in one line, without where in its source it arose."""
    text = _PLACE_IN_THEIR_SOURCE.sub("", str(error))
    text = "; ".join(line.strip() for line in text.splitlines() if line.strip()) or type(error).__name__
    return text if len(text) <= 200 else text[:200] + "..."


@contextmanager
def _silent_stderr() -> Iterator[None]:
    """OpenSpiel prints each error to file descriptor 2 before it raises it; the exception says it already."""
    try:
        kept = os.dup(2)
    except OSError:  # standard error is closed, so nothing can be printed
        yield
        return
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _refuse_unfit(source: Any, kind: Any) -> None:
    name = f"{PREFIX}{source}"
    players = source.num_players()
    if players != 2:
        count = f"{players} player{'s' * (players != 1)}"
        raise GameError(f"{name} has {count}; solvent takes games of two players")
    if not (_is(kind.dynamics, "SEQUENTIAL") or _is(kind.dynamics, "SIMULTANEOUS")):
        raise GameError(f"{name} is a mean-field game; solvent takes sequential and simultaneous ones")
    if _is(kind.utility, "IDENTICAL"):
        raise GameError(f"{name} pays both players the same; solvent takes zero-sum games")
    if not (_is(kind.utility, "ZERO_SUM") or _is(kind.utility, "CONSTANT_SUM")):
        raise GameError(f"{name} is general-sum; solvent takes zero-sum OpenSpiel games")
    if _is(kind.chance_mode, "SAMPLED_STOCHASTIC"):
        raise GameError(f"{name} samples its chance outcomes; solvent needs their probabilities")
    knows_history = _is(kind.dynamics, "SEQUENTIAL") and _is(kind.information, "PERFECT_INFORMATION")
    if not kind.provides_information_state_string and not knows_history:
        raise GameError(f"{name} has no information_state_string, so its infosets cannot be told apart")


def _is(value: Any, name: str) -> bool:
    """Whether an enumeration's value has this name."""
    return bool(value.name == name)
