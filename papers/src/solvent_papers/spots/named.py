"""The spots that are solved and timed: rivers, turns and flops, narrow and wide ranges, shallow and deep stacks.

A *deep* spot has many times the pot behind, a *shallow* one at most the pot. The spots whose names end in -s share
their ranges and sizes, so that they differ in the street alone. The file `named.toml` has them all.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from solvent.foundation.errors import InputError
from solvent.foundation.names import did_you_mean
from solvent.games.betting.rules import STREETS
from solvent.games.holdem.spot import Spot


@dataclass(frozen=True)
class NamedSpot:
    """A spot with a name."""

    name: str
    about: str
    given: Mapping[str, Any]
    """The parameters of `solvent.Spot` by name."""

    def rules(self) -> Spot:
        """Return the spot as a game."""
        return Spot(**self.given)

    @property
    def pot(self) -> int:
        return int(self.given["pot"])

    @property
    def streets(self) -> int:
        """Number of streets with betting: 1 from the river on, 3 from the flop on."""
        return 6 - len(self.given["board"]) // 2

    def as_json(self) -> dict[str, Any]:
        """Return the spot as other solvers are given it, which `peer_command` describes."""
        given = self.given
        rake = float(str(given.get("rake", "0%")).removesuffix("%")) / 100
        document = {key: given[key] for key in ("board", "oop", "ip", "pot", "stack")}
        document |= {"name": self.name, "rake_rate": rake, "rake_cap": float(given.get("rake_cap", 0))}
        for street in STREETS[-self.streets :]:
            document[street] = {
                player: {
                    theirs: sizes
                    for theirs, ours in (("bet", "bets"), ("raise", "raises"), ("donk", "donk"))
                    if (sizes := given.get(f"{player}_{street}_{ours}", given.get(ours))) is not None
                }
                for player in ("oop", "ip")
            }
        return document


def _named_spots() -> tuple[NamedSpot, ...]:
    content = tomllib.loads((files("solvent_papers.spots") / "named.toml").read_text(encoding="utf-8"))
    found = []
    for spot in content["spot"]:
        name, about = spot.pop("name"), spot.pop("about")
        ranges = content["ranges"][spot.pop("ranges")] if "ranges" in spot else {}
        found.append(NamedSpot(name, about, {**ranges, **spot}))
    return tuple(found)


SPOTS = _named_spots()
NAMES = tuple(spot.name for spot in SPOTS)


def spots_named(names: Sequence[str] = ()) -> list[NamedSpot]:
    """Return the spots of these names, in the order of `SPOTS`; all of them if no name is given."""
    for name in names:
        if name not in NAMES:
            raise InputError(
                f"there is no spot {name!r} among those measured, {', '.join(NAMES)}{did_you_mean(name, NAMES)}"
            )
    return [spot for spot in SPOTS if not names or spot.name in names]
