"""The spots that are solved and timed: rivers, turns and flops, narrow and wide ranges, shallow and deep stacks.

A *deep* spot has many times the pot behind, a *shallow* one at most the pot. The spots whose names end in -s share
their ranges and sizes, so that they differ in the street alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    """The parameters of `games.holdem.spot.Spot` by name."""

    def rules(self) -> Spot:
        return Spot(**self.given)

    @property
    def pot(self) -> int:
        return int(self.given["pot"])

    @property
    def streets(self) -> int:
        """How many streets have betting: 1 from the river on, 3 from the flop on."""
        return 6 - len(self.given["board"]) // 2

    def as_json(self) -> dict[str, Any]:
        """The spot as other solvers are given it: see `peer_command`."""
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


RANGES_S = {
    "oop": "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
    "ip": "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
}
SPOT_S: dict[str, Any] = {**RANGES_S, "pot": 200, "stack": 900, "bets": "50%,a", "raises": "100%,a"}
WEIGHTED = {
    "oop": "QQ+:0.25,JJ-99,88-22:0.75,AQs+:0.5,AJs-A2s,AQo:0.6,AJo-ATo:0.85,KTs+,KQo:0.7,QTs+,J9s+:0.9,T8s+:0.8,"
    "97s+:0.65,86s+:0.5,75s+:0.4,64s+:0.3,54s",
    "ip": "99+,88-22:0.8,A2s+,ATo+:0.95,K9s+,KTo+:0.55,Q9s+:0.9,QTo+:0.35,J8s+:0.7,JTo:0.45,T8s+,97s+:0.85,"
    "86s+:0.6,76s,65s:0.5,54s:0.15",
}
RAKED: dict[str, Any] = {"rake": "5%", "rake_cap": 30}
ALL_HANDS: dict[str, Any] = {"oop": "random", "ip": "random"}

SPOTS: tuple[NamedSpot, ...] = (
    NamedSpot("river-s", "medium ranges, 4.5 pots behind", {"board": "Td9d6hQc2s", **SPOT_S}),
    NamedSpot(
        "river-full",
        "all hands, four sizes of bets, three of raises",
        {
            "board": "Td9d6hQc2s",
            **ALL_HANDS,
            "pot": 200,
            "stack": 900,
            "bets": "33%,75%,150%,a",
            "raises": "50%,100%,a",
        },
    ),
    NamedSpot(
        "river-rake",
        "weights, rake, sizes by player",
        {
            "board": "KsTs7d4c4h",
            **WEIGHTED,
            **RAKED,
            "pot": 330,
            "stack": 815,
            "oop_river_bets": "25%,66%,a",
            "oop_river_raises": "60%,a",
            "ip_river_bets": "40%,110%",
            "ip_river_raises": "75%",
        },
    ),
    NamedSpot(
        "river-deep",
        "100 pots behind",
        {
            "board": "AhJd8d5c3s",
            **WEIGHTED,
            "pot": 20,
            "stack": 2000,
            "bets": "75%,200%",
            "raises": "100%,a",
        },
    ),
    NamedSpot("turn-s", "river-s from the turn on", {"board": "Td9d6hQc", **SPOT_S}),
    NamedSpot(
        "turn-donk",
        "weights, rake, donk bets, sizes by player and street",
        {
            "board": "Ac8h5h2c",
            **WEIGHTED,
            **RAKED,
            "pot": 150,
            "stack": 700,
            "oop_turn_bets": "40%,90%",
            "oop_turn_raises": "70%,a",
            "ip_turn_bets": "33%,100%",
            "ip_turn_raises": "60%",
            "oop_river_bets": "50%,120%,a",
            "oop_river_raises": "80%,a",
            "oop_river_donk": "30%",
            "ip_river_bets": "66%,a",
            "ip_river_raises": "a",
        },
    ),
    NamedSpot(
        "turn-shallow",
        "0.8 pots behind",
        {"board": "KsKd7h2s", **RANGES_S, "pot": 500, "stack": 400, "bets": "33%,a", "raises": "a"},
    ),
    NamedSpot(
        "turn-full",
        "all hands; suits that can be renamed",
        {"board": "Qh8h4c3c", **ALL_HANDS, "pot": 100, "stack": 250, "bets": "75%", "raises": "a"},
    ),
    NamedSpot("flop-s", "river-s from the flop on", {"board": "Td9d6h", **SPOT_S}),
    NamedSpot(
        "flop-donk",
        "weights, rake, donk bets, sizes by player and street",
        {
            "board": "Jh7h3c",
            "oop": "JJ-22:0.85,AQs-ATs,A5s-A2s:0.5,KTs+,QTs+,J9s+,T8s+:0.9,97s+:0.6,87s,76s:0.75,65s:0.25,AQo:0.5,"
            "KQo:0.4,QJo:0.3",
            "ip": "AA-JJ,TT-88:0.7,77,66-22:0.35,AKs,AQs:0.9,AJs-ATs,A9s-A2s:0.45,KTs+,QJs,JTs,T9s:0.8,98s:0.6,"
            "87s:0.5,76s:0.4,AKo,AQo:0.8,AJo:0.5,KQo:0.65",
            **RAKED,
            "pot": 120,
            "stack": 480,
            "oop_flop_bets": "33%",
            "oop_flop_raises": "60%",
            "ip_flop_bets": "50%",
            "ip_flop_raises": "75%",
            "oop_turn_bets": "66%",
            "oop_turn_raises": "60%,a",
            "oop_turn_donk": "40%",
            "ip_turn_bets": "75%",
            "ip_turn_raises": "a",
            "oop_river_bets": "75%,a",
            "oop_river_raises": "a",
            "oop_river_donk": "25%,a",
            "ip_river_bets": "50%,a",
            "ip_river_raises": "a",
        },
    ),
    NamedSpot(
        "flop-narrow",
        "few hands on one suit, 1.5 pots behind",
        {
            "board": "As9s4s",
            "oop": "TT+,AJs+,KQs,AKo",
            "ip": "QQ-77,AQs-ATs,KTs+,QJs,JTs,AQo",
            "pot": 400,
            "stack": 600,
            "bets": "33%,a",
            "raises": "a",
        },
    ),
)
NAMES = tuple(spot.name for spot in SPOTS)


def spots_named(names: Sequence[str] | None) -> list[NamedSpot]:
    """The spots of these names, in the order of `SPOTS`; all of them for None."""
    for name in names or ():
        if name not in NAMES:
            raise InputError(
                f"there is no spot {name!r} among those measured, {', '.join(NAMES)}{did_you_mean(name, NAMES)}"
            )
    return [spot for spot in SPOTS if not names or spot.name in names]
