"""The log of additions to a game: each action, its place and its time.

A growing run is its base game and this log. Replaying the log on the base game gives the same nodes under the same
numbers, so a checkpoint keeps the log for the game's shape, and its digest is part of the run's fingerprint.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from solvent.foundation.errors import InputError


@dataclass(frozen=True)
class Addition:
    """One action that was added."""

    place: str
    """The head as text: the public actions and the board before it."""
    node: int
    """The head's number in the engine's tree."""
    size: float
    """The size of the bet, as a fraction of the pot after calling."""
    method: str
    """The method that filled in its past: recovery or transfer."""
    iteration: int
    """Iterations that had been run."""
    total: float
    """T before the addition: the weights of those iterations, earlier discounts included."""
    discount: float
    """w: the weight of those iterations since."""
    worth: float
    """The regret that the new action had, summed over the head's hands, per unit of T: chips an iteration."""
    source: int = -1
    """The number of the edge behind which the new nodes were copied; -1 where they come from the rules."""


class AdditionLog(list[Addition]):
    """Additions in the order in which they were made."""

    def to_json(self) -> str:
        """The log as text, which `from_json` reads back to the last bit."""
        return json.dumps([asdict(addition) for addition in self])

    @classmethod
    def from_json(cls, text: str) -> AdditionLog:
        """Read a log; an InputError where the text is none."""
        try:
            rows: list[dict[str, Any]] = json.loads(text)
            known = {field.name for field in fields(Addition)}
            if any(row.keys() != known for row in rows):
                raise ValueError(f"an addition has the fields {', '.join(sorted(known))}")
            return cls(Addition(**row) for row in rows)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise InputError(f"the log of additions cannot be read: {error}") from error

    def fingerprint(self, base: str) -> str:
        """A digest of the base game's fingerprint and of every addition's place, size and method.

        >>> AdditionLog().fingerprint("base") == AdditionLog().fingerprint("other")
        False
        """
        digest = hashlib.sha256(base.encode())
        for addition in self:
            where = (addition.node, addition.place, addition.size.hex(), addition.method, addition.source)
            digest.update(repr(where).encode())
        return digest.hexdigest()[:32]
