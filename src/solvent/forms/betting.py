"""Which bets an agent considers, as players write them, and the betting tree that comes of it.

Sizes are given by street, and on a street by how many bets or raises came before: a list for the first bet, one for
the raise of it and so on; the last list holds for all later raises.

| written | a bet or raise to |
|---|---|
| `50%` | half the pot after calling, on top of the call |
| `2.5x` | 2.5 times the bet faced, counted on this street (before the flop the big blind is a bet) |
| `3bb` | 3 big blinds, counted on this street |
| `a` | all-in: the shorter stack |

Chips are rounded to whole ones, half up. A total that does not exceed the bet faced is no raise and drops out,
below the minimum it becomes the minimum, above the shorter stack all-in, and equal sizes merge. Folding to a bet,
calling and checking are always possible.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvent.forms.betting_kernels import (
    ALL_IN,
    DEAL,
    DECISION,
    FOLDED,
    POT,
    SHOWDOWN,
    TIMES,
    TOTAL,
    Columns,
    Sizes,
    grow,
    subtree_ends,
)
from solvent.foundation.errors import InputError
from solvent.foundation.units import size
from solvent.games.betting.rules import STREETS, HoldemRules, action_text

__all__ = [
    "DEAL",
    "DECISION",
    "FOLDED",
    "SHOWDOWN",
    "BetSize",
    "BettingAbstraction",
    "BettingTree",
    "build_tree",
    "parse_betting",
    "parse_size",
    "parse_street",
    "preset_named",
    "presets",
]

MOST_NODES = 1 << 26
"""A tree of so many nodes takes about two gigabytes."""
NO_CAP = -1
CHIPS = (50, 100)
"""The blinds of presets."""
CELL_BYTES = 8
"""A regret and an average of four bytes each."""


class BetSize(NamedTuple):
    """One size of bet or raise."""

    unit: int
    value: float

    def __str__(self) -> str:
        number = f"{self.value * 100 if self.unit == POT else self.value:.10g}"
        return "a" if self.unit == ALL_IN else number + {POT: "%", TIMES: "x", TOTAL: "bb"}[self.unit]


UNITS = {"%": POT, "x": TIMES, "bb": TOTAL}


def parse_size(text: str) -> BetSize:
    """A size as players write it.

    >>> [str(parse_size(text)) for text in ("50%", "2.5x", " 3bb", "A")]
    ['50%', '2.5x', '3bb', 'a']
    """
    written = text.strip().lower()
    if written in ("a", "allin", "all-in"):
        return BetSize(ALL_IN, 0.0)
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%|x|bb)", written)
    if match is None or not 0 < float(match[1]) < 1e9:
        raise InputError(
            f"a bet size is written 50% (of the pot after calling), 2.5x (the bet faced), 3bb or a (all-in), "
            f"not {text.strip()!r}"
        )
    unit = UNITS[match[2]]
    return BetSize(unit, float(match[1]) / 100 if unit == POT else float(match[1]))


StreetSizes = tuple[tuple[BetSize, ...], ...]
"""The sizes of one street: of the first bet, of the raise of it and so on; the last goes on."""


def parse_street(written: str | Sequence[str], street: str) -> StreetSizes:
    """The sizes of a street: `50%,100%,a` for all bets, `50%,100%,a | 3x,a` or a list for bets and raises apart.

    >>> [list(map(str, sizes)) for sizes in parse_street("50%,a | 3x,a", "flop")]
    [['50%', 'a'], ['3x', 'a']]
    """
    parts = written.split("|") if isinstance(written, str) else written
    if not isinstance(parts, list | tuple) or not parts or not all(isinstance(part, str) for part in parts):
        raise InputError(
            f"the sizes of the {street} are text such as '50%, a', or a list of such for the first bet, its "
            f"raise and so on"
        )
    lists = tuple(tuple(parse_size(one) for one in part.split(",")) if part.strip() else () for part in parts)
    if street != STREETS[0] and any(one.unit == TIMES for one in lists[0]):
        raise InputError(f"the first bet of the {street} faces none, so its size cannot be written with x")
    return lists


@dataclass(frozen=True)
class BettingAbstraction:
    """Which bets are considered, and with which stacks and blinds."""

    sizes: tuple[StreetSizes, ...]
    """By street."""
    caps: tuple[int, ...] = (NO_CAP,) * len(STREETS)
    """The most bets and raises by street, the blinds not counted; `NO_CAP` is none."""
    rules: HoldemRules = field(default_factory=lambda: HoldemRules((20_000, 20_000), CHIPS))
    name: str = "custom"

    def __post_init__(self) -> None:
        if len(self.sizes) != len(STREETS) or len(self.caps) != len(STREETS):
            raise InputError(f"a betting abstraction has sizes and a cap for each of {', '.join(STREETS)}")
        if any(isinstance(cap, bool) or not isinstance(cap, int) or cap < NO_CAP for cap in self.caps):
            raise InputError(
                f"a cap is the most bets and raises on a street, a whole number, not {list(self.caps)}"
            )
        if self.rules.bets or self.rules.caps:
            raise InputError("bets are abstracted in no-limit betting; these rules are limit or have caps")

    def with_stack(self, big_blinds: float) -> BettingAbstraction:
        """The same bets with both stacks of so many big blinds."""
        big_blinds = _stack(big_blinds)
        chips = round(big_blinds * self.rules.blinds[1])
        return replace(self, rules=replace(self.rules, stacks=(chips, chips)))

    def describe(self) -> list[str]:
        """One line a street."""
        lines = []
        for street, sizes, cap in zip(STREETS, self.sizes, self.caps, strict=True):
            written = " | ".join(",".join(map(str, one)) or "none" for one in sizes)
            lines.append(f"{street}: {written}" + ("" if cap == NO_CAP else f"; at most {cap}"))
        return lines

    def tree(self) -> BettingTree:
        """The betting tree."""
        return build_tree(self)


def parse_betting(source: str | Path | Mapping[str, Any]) -> BettingAbstraction:
    """A betting abstraction from a preset's name, a TOML file, one line of text or names and values.

    A line is `preflop=2.5x,a; flop=50%,a | 3x,a; turn=100%,a; river=100%,a; cap=3; stack=200`. `postflop` stands
    for flop, turn and river, `preset` names what is changed, `stack` is in big blinds, and `cap` is one number or
    one for each street (`cap=4,3,3,3`). A street that is not named has no bets.

    >>> parse_betting("preset=fcpa; river=50%,100%; stack=100").describe()[-1]
    'river: 50%,100%'
    """
    if isinstance(source, Mapping):
        return _from_settings(source)
    if isinstance(source, Path) or source.endswith(".toml"):
        return _from_settings(_read(Path(source)))
    if "=" not in source:
        return preset_named(source.strip())
    settings: dict[str, Any] = {}
    for part in filter(str.strip, source.split(";")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise InputError(f"betting is written like 'flop=50%,a | 3x,a; cap=2'; {part.strip()!r} has no =")
        if key in settings:
            raise InputError(f"betting got {key} twice")
        settings[key] = [_number(one, key) for one in value.split(",")] if key in ("cap", "stack") else value
    return _from_settings(settings)


def _number(text: str, key: str) -> float:
    try:
        return int(text) if text.strip().lstrip("-").isdigit() else float(text)
    except ValueError as error:
        raise InputError(f"{key} is a number, not {text.strip()!r}") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}") from error


def _from_settings(settings: Mapping[str, Any]) -> BettingAbstraction:
    given = dict(settings)
    known = ("preset", "stack", "cap", "postflop", *STREETS)
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InputError(f"betting has no setting {unknown[0]!r}; it has {', '.join(known)}")
    preset = given.pop("preset", None)
    nothing: StreetSizes = ((),)
    start = BettingAbstraction((nothing,) * len(STREETS)) if preset is None else preset_named(preset)
    stack, cap = given.pop("stack", None), given.pop("cap", None)
    if "postflop" in given:
        everywhere = given.pop("postflop")
        given = dict.fromkeys(STREETS[1:], everywhere) | given
    sizes = list(start.sizes)
    for street, written in given.items():
        sizes[STREETS.index(street)] = parse_street(written, street)
    changed = bool(given) or cap is not None or stack is not None
    name = start.name + " changed" if preset is not None and changed else start.name
    found = replace(start, sizes=tuple(sizes), caps=start.caps if cap is None else _caps(cap), name=name)
    return found if stack is None else found.with_stack(_stack(stack))


def _caps(cap: Any) -> tuple[int, ...]:
    caps = cap if isinstance(cap, list | tuple) else [cap]
    caps = [*caps] * len(STREETS) if len(caps) == 1 else caps
    if len(caps) != len(STREETS) or not all(type(one) is int and one >= 0 for one in caps):
        raise InputError(
            f"cap is the most bets and raises on a street, one whole number or one for each of "
            f"{len(STREETS)} streets, not {cap!r}"
        )
    return tuple(caps)


def _stack(stack: Any) -> float:
    one = stack[0] if isinstance(stack, list) and len(stack) == 1 else stack
    if isinstance(one, bool) or not isinstance(one, int | float) or not 1 <= one <= 1_000_000:
        raise InputError(f"stack is 1 to 1,000,000 big blinds, not {stack!r}")
    return float(one)


def _preset(name: str, stack: int, text: str) -> BettingAbstraction:
    return replace(parse_betting(f"{text}; stack={stack}"), name=name)


def presets() -> dict[str, BettingAbstraction]:
    """The betting abstractions that have names.

    `fcpa` is fold, call, pot, all-in. `laptop` has the many sizes and few raises of a laptop's Monte Carlo CFR.
    `acpc` is for 200 big blinds: opens that strong players use, re-raises in parts of the pot, fewer sizes the
    more raises came before, all-in with every raise but the first before the flop.
    """
    return {preset.name: preset for preset in (_preset(*given) for given in PRESETS)}


PRESETS = (
    ("fcpa", 200, "preflop=100%,a; postflop=100%,a"),
    ("laptop", 100, "preflop=2bb,4bb,8bb,16bb,a; postflop=30%,50%,70%,100%,150%,200%,a; cap=2"),
    (
        "acpc",
        200,
        "preflop=2x,2.5x,3x,4x | 70%,100%,a | 100%,a; "
        "flop=33%,66%,100%,200%,a | 75%,150%,a | 100%,a; "
        "turn=50%,100%,200%,a | 100%,a; river=50%,100%,200%,a | 100%,a; cap=4,3,3,3",
    ),
)


def preset_named(name: str) -> BettingAbstraction:
    """The preset of this name."""
    found = presets()
    if name not in found:
        raise InputError(f"there is no betting preset {name!r}; there are {', '.join(found)}")
    return found[name]


# The tree


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A betting tree in preorder: a node's first child is the node after it, and a subtree is a slice of nodes."""

    abstraction: BettingAbstraction
    kind: NDArray[np.int8]
    """`DECISION`, `FOLDED`, `SHOWDOWN` (on an earlier street than the last, the rest is dealt) or `DEAL`: the next
    street begins at the node after it."""
    player: NDArray[np.int8]
    """Who decides; at `FOLDED` nodes who folded; -1 elsewhere."""
    street: NDArray[np.int8]
    """Of a `DEAL` node the street that ends there."""
    parent: NDArray[np.int32]
    """-1 for the root."""
    end: NDArray[np.int32]
    """One past the last node of the subtree."""
    paid: NDArray[np.int32]
    """int32[nodes, 2]: what each player has put in, in chips, what nobody called included."""
    first_edge: NDArray[np.int32]
    """int32[nodes + 1]: where a decision's actions begin; other nodes have none."""
    action: NDArray[np.int32]
    """int32[edges]: `holdem.FOLD`, `holdem.CALL` or the total raised to, ascending."""
    child: NDArray[np.int32]
    """int32[edges]: the node behind each action."""

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def decisions_by_street(self) -> tuple[int, ...]:
        """Decision nodes of each street."""
        counts = np.bincount(self.street[self.kind == DECISION], minlength=len(STREETS))
        return tuple(counts.tolist())

    @cached_property
    def actions_by_street(self) -> tuple[int, ...]:
        """Actions of each street's decision nodes, all together."""
        counts = np.bincount(self.street, weights=np.diff(self.first_edge), minlength=len(STREETS))
        return tuple(counts.astype(np.int64).tolist())

    @cached_property
    def behind(self) -> NDArray[np.int32]:
        """int32[edges]: the node behind each action, and where that is a deal the node after it."""
        behind: NDArray[np.int32] = self.child + (self.kind[self.child] == DEAL).astype(np.int32)
        return behind

    @property
    def decisions(self) -> int:
        return sum(self.decisions_by_street)

    @property
    def nbytes(self) -> int:
        """Bytes of the tree itself."""
        columns = (self.kind, self.player, self.street, self.parent, self.end, self.paid, self.first_edge)
        return sum(column.nbytes for column in (*columns, self.action, self.child))

    def rows(self, buckets: Sequence[int]) -> int:
        """Infosets with so many buckets on each street."""
        return _over_streets(self.decisions_by_street, buckets)

    def infoset_actions(self, buckets: Sequence[int]) -> int:
        """Infoset-actions with so many buckets on each street."""
        return _over_streets(self.actions_by_street, buckets)

    def table_bytes(self, buckets: Sequence[int], cell_bytes: int = CELL_BYTES) -> int:
        """Bytes of tables that hold `cell_bytes` for each infoset-action."""
        return self.infoset_actions(buckets) * cell_bytes

    def actions(self, node: int) -> list[int]:
        """What a decision node offers."""
        actions: list[int] = self.action[self.first_edge[node] : self.first_edge[node + 1]].tolist()
        return actions

    def children(self, node: int) -> list[int]:
        """The nodes below a node, in the order of its actions."""
        if self.kind[node] == DEAL:
            return [node + 1]
        children: list[int] = self.child[self.first_edge[node] : self.first_edge[node + 1]].tolist()
        return children

    def path(self, node: int) -> list[int]:
        """The actions that lead to a node."""
        actions: list[int] = []
        while self.parent[node] >= 0:
            above = int(self.parent[node])
            if self.kind[above] == DECISION:
                actions.append(self.actions(above)[self.children(above).index(node)])
            node = above
        return actions[::-1]

    def history(self, node: int) -> str:
        """The actions that lead to a node as the ACPC writes them, such as `r300c/r600`."""
        text, above = "", node
        while self.parent[above] >= 0:
            below, above = above, int(self.parent[above])
            if self.kind[above] == DEAL:
                text = "/" + text
            else:
                text = action_text(self.actions(above)[self.children(above).index(below)]) + text
        return text

    def describe(self, buckets: Sequence[int] | None = None) -> list[str]:
        """Sizes, for people; with buckets by street, of the tables too."""
        by_street = ", ".join(f"{s} {n:,}" for s, n in zip(STREETS, self.decisions_by_street, strict=True))
        lines = [
            f"{len(self):,} nodes, {self.decisions:,} of them decisions ({by_street}), "
            f"{len(self.action):,} actions: {size(self.nbytes)}"
        ]
        if buckets is not None:
            lines.append(
                f"{self.rows(buckets):,} infosets, {self.infoset_actions(buckets):,} infoset-actions: "
                f"{size(self.table_bytes(buckets))} at {CELL_BYTES} bytes each"
            )
        return lines


def build_tree(abstraction: BettingAbstraction) -> BettingTree:
    """The betting tree of an abstraction: counted first, then filled."""
    rules, sizes = abstraction.rules, kernel_sizes(abstraction)
    given = (*rules.stacks, *rules.blinds, rules.streets, sizes, MOST_NODES)
    nodes, edges = map(int, grow(*given, _columns(0, 0)))
    if nodes < 0:
        raise InputError(
            f"this betting tree has more than {MOST_NODES:,} nodes; give fewer sizes, or a cap on raises"
        )
    columns = _columns(nodes, edges)
    grow(*given, columns)
    end = np.zeros(nodes, dtype=np.int32)
    subtree_ends(columns.parent, end)
    return BettingTree(
        abstraction,
        columns.kind,
        columns.player,
        columns.street,
        columns.parent,
        end,
        columns.paid,
        columns.first_edge,
        columns.action,
        columns.child,
    )


def _columns(nodes: int, edges: int) -> Columns:
    return Columns(
        kind=np.zeros(nodes, dtype=np.int8),
        player=np.zeros(nodes, dtype=np.int8),
        street=np.zeros(nodes, dtype=np.int8),
        parent=np.zeros(nodes, dtype=np.int32),
        first_edge=np.zeros(nodes + 1, dtype=np.int32),
        paid=np.zeros((nodes, 2), dtype=np.int32),
        action=np.zeros(edges, dtype=np.int32),
        child=np.full(edges, -1, dtype=np.int32),
    )


def kernel_sizes(abstraction: BettingAbstraction) -> Sizes:
    """The sizes as arrays; a street's last list is repeated where others have more."""
    numbers = max(map(len, abstraction.sizes))
    most = max(1, max(len(sizes) for street in abstraction.sizes for sizes in street))
    lengths = np.zeros((len(STREETS), numbers), dtype=np.int64)
    unit = np.zeros((len(STREETS), numbers, most), dtype=np.int64)
    value = np.zeros((len(STREETS), numbers, most))
    for street, lists in enumerate(abstraction.sizes):
        for number in range(numbers):
            sizes = lists[min(number, len(lists) - 1)]
            lengths[street, number] = len(sizes)
            for place, one in enumerate(sizes):
                unit[street, number, place], value[street, number, place] = one
    return Sizes(lengths, unit, value, np.array(abstraction.caps, dtype=np.int64))


def _over_streets(counts: Sequence[int], buckets: Sequence[int]) -> int:
    if len(buckets) != len(STREETS) or min(buckets) < 1:
        raise InputError(
            f"buckets are given for each of {', '.join(STREETS)}, at least 1, not {list(buckets)}"
        )
    return sum(count * of for count, of in zip(counts, buckets, strict=True))
