"""The design of a card abstraction: buckets per street, methods and seed; by preset or from a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from solvent.abstraction.cards.rule_buckets import RULES, RuleBuckets
from solvent.abstraction.hierarchical.public_clusters import METHODS
from solvent.cards.showdown import LIVE
from solvent.foundation.errors import InputError
from solvent.foundation.storage.reading import read_toml

FLOPS = 1_755
"""Flops that differ by more than their suits."""
RULE_SIZES = tuple(RuleBuckets(cards).size for cards in (3, 4, 5))
"""Rule buckets on the flop, the turn and the river."""


@dataclass(frozen=True)
class Design:
    """The settings that decide what is in the tables of a card abstraction."""

    name: str = "custom"
    clusters: int = 1
    """C, the number of public clusters of flops; with 1 the abstraction does not remember the board."""
    flop: int = 200
    """Buckets in each cluster on the flop."""
    turn: int = 200
    """Buckets in each cluster on the turn."""
    river: int = 200
    """Buckets in each cluster on the river."""
    base: int = 1_000
    """Flop buckets of the base abstraction, over which flops are compared (Algorithm 2)."""
    flop_features: str = "emd"
    """Features that flop buckets compare.

    emd: histograms of equity; potential: histograms over turn buckets; ehs: mean equity, in percentiles; rules:
    nothing, the buckets of all streets are those of `rule_buckets`.
    """
    turn_features: str = "emd"
    """Features that turn buckets compare: emd or ehs; or rules."""
    potential_buckets: int = 200
    """Turn buckets over which potential-aware histograms count."""
    public_method: str = "sequential"
    """Method of clustering flops: sequential, literal, average or medoids."""
    strips: int = 16
    """Strips of equity into which river hands are sorted first."""
    codes_per_strip: int = 32
    """Codes that tell river hands of one strip apart by which opponents they beat."""
    iterations: int = 20
    """Iterations of each clustering at most."""
    restarts: int = 1
    """Starts of each clustering, of which the best is taken."""
    seed: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int" and (isinstance(value, bool) or not isinstance(value, int)):
                raise InputError(f"{field.name} is a whole number, not {value!r}")
            least = 0 if field.name == "seed" else 1
            if field.type == "int" and value < least:
                raise InputError(f"{field.name} is at least {least}, not {value}")
            if field.type == "str" and not isinstance(value, str):
                raise InputError(f"{field.name} is text, not {value!r}")
        for name, value, most in (
            ("potential_buckets", self.potential_buckets, 60_000),
            ("flop", self.flop, 60_000),
            ("turn", self.turn, 60_000),
            ("base", self.base, 60_000),
            ("clusters", self.clusters, FLOPS),
            ("strips", self.strips, LIVE),
            ("river", self.river, self.codes),
            ("strips x codes_per_strip", self.codes, 60_000),
        ):
            if value > most:
                raise InputError(f"{name} is at most {most:,} here, not {value:,}")
        for name, value, allowed in (
            ("flop_features", self.flop_features, ("emd", "potential", "ehs", RULES)),
            ("turn_features", self.turn_features, ("emd", "ehs", RULES)),
            ("public_method", self.public_method, METHODS),
        ):
            if value not in allowed:
                raise InputError(f"{name} is one of {', '.join(allowed)}, not {value!r}")
        self._check_rules()

    def _check_rules(self) -> None:
        """Refuse rule buckets beside others, and other numbers of them than there are."""
        by_rule = [features == RULES for features in (self.flop_features, self.turn_features)]
        if any(by_rule) and not all(by_rule):
            raise InputError(
                "buckets are by rule on all streets: give rules for flop_features and turn_features"
            )
        numbers = self.clusters, self.flop, self.turn, self.river, self.codes
        rules = (1, *RULE_SIZES, RULE_SIZES[-1])
        if all(by_rule) and numbers != rules:
            raise InputError(
                f"rule buckets are {' / '.join(map(str, RULE_SIZES))} in one cluster, with a code for each bucket "
                "of the river; give preset = 'rules'"
            )

    @property
    def by_rule(self) -> bool:
        """True if buckets are those of `rule_buckets` and not clustered."""
        return self.flop_features == RULES

    @property
    def codes(self) -> int:
        """The number of codes of river hands."""
        return self.strips * self.codes_per_strip

    @property
    def label(self) -> str:
        """Clusters and buckets of each street as the papers write them.

        >>> PRESETS["tartanian7"].label
        '169 / 60x500 / 60x500 / 60x500'
        """
        return " / ".join(
            ["169", *(f"{self.clusters}x{size}" for size in (self.flop, self.turn, self.river))]
        )

    def as_dict(self) -> dict[str, Any]:
        """The settings by name, as they are written to files."""
        return asdict(self)


PRESETS = {
    design.name: design
    for design in (
        Design("tiny", 4, 20, 20, 20, base=200, codes_per_strip=16, iterations=8),
        Design("small", 8, 50, 50, 50, base=1_000, iterations=30, restarts=2),
        Design("medium", 30, 200, 200, 200, base=5_000, codes_per_strip=128),
        Design("tartanian7", 60, 500, 500, 500, base=5_000, codes_per_strip=128),
        Design(
            RULES,
            1,
            flop=RULE_SIZES[0],
            turn=RULE_SIZES[1],
            river=RULE_SIZES[2],
            base=1,
            flop_features=RULES,
            turn_features=RULES,
            strips=1,
            codes_per_strip=RULE_SIZES[-1],
        ),
    )
}


def design_from(settings: Mapping[str, Any]) -> Design:
    """A design from settings by name; what is not given comes from `preset`, or else from the defaults."""
    given = dict(settings)
    preset = given.pop("preset", None)
    start = Design() if preset is None else preset_named(preset)
    known = {field.name for field in fields(Design)}
    unknown = sorted(set(given) - known)
    if unknown:
        raise InputError(
            f"an abstraction has no setting {unknown[0]!r}; it has preset, {', '.join(sorted(known))}"
        )
    if preset is not None and given and "name" not in given:
        given["name"] = f"{preset} changed"
    return replace(start, **given)


def preset_named(name: str) -> Design:
    """The preset with this name."""
    if not isinstance(name, str) or name not in PRESETS:
        raise InputError(f"there is no preset {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]


def read_design(path: Path) -> Design:
    """A design from a TOML file."""
    return design_from(read_toml(path))
