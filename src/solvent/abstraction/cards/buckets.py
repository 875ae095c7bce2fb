"""Card abstractions: which bucket a hand is played by, on every street, from tables that open memory-mapped.

    preflop   the 169 classes of two cards
    flop      a table over the classes of [2, 3]
    turn      a table over the classes of [2, 3, 1]: the flop's public cluster is remembered
    river     a table of codes over the classes of [2, 5], and in each public cluster the bucket of each code

A bucket is a pair: the public cluster of the flop (0 before the flop), and a number within the cluster. A look-up
is an index and two or three reads. A folder holds the tables as a bundle, with what they were made from and a
fingerprint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvent.abstraction.cards.lookup import Lookup, find_buckets, read_only
from solvent.abstraction.cards.presets import Design, design_from
from solvent.abstraction.cards.river_kernels import OPPONENTS
from solvent.cards.deck import Card, CardError, check_cards
from solvent.cards.isomorphism import Indexer
from solvent.cards.showdown import FULL
from solvent.foundation.errors import InputError
from solvent.foundation.storage.bundle import read_bundle, read_facts, write_bundle

STREETS = ("preflop", "flop", "turn", "river")
BOARD_CARDS = (0, 3, 4, 5)
"""Cards on the board, by street."""
KIND = "card abstraction"
VERSION = 1
"""Version of the tables' meaning: changes whenever the same cards would be looked up elsewhere."""
TABLES = "tables"
INDEXED = ([2], [3], [2, 3], [2, 3, 1], [2, 5])
LOOKED_UP = ("cluster_of_flop", "flop", "turn", "river_code", "river")


class CardAbstraction:
    """A card abstraction: the bucket of any hand on any street, and the design it was built from."""

    def __init__(
        self, arrays: dict[str, NDArray[Any]], facts: dict[str, Any], folder: Path | None = None
    ) -> None:
        """`folder`: where the tables were opened, and where what is computed from them may be kept."""
        self.arrays, self.facts, self.folder = arrays, facts, folder
        self.design: Design = design_from(facts["design"])
        for name, shape in table_shapes(self.design).items():
            if name not in arrays or arrays[name].shape != shape:
                raise InputError(f"the table {name!r} is missing or has another shape than {shape}")
        self.fingerprint: str = facts["fingerprint"]
        """A digest of the tables: equal tables have equal fingerprints."""
        tables = [Indexer(pattern).tables for pattern in INDEXED] + [arrays[name] for name in LOOKED_UP]
        last_bucket = np.array([buckets - 1 for _, buckets in self.sizes], dtype=np.int64)
        self.lookup = Lookup(*map(read_only, (*tables, last_bucket)))

    @property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        """(public clusters, buckets in each cluster) of every street."""
        design = self.design
        return ((1, 169), *((design.clusters, size) for size in (design.flop, design.turn, design.river)))

    def bucket(self, street: int | str, hole: Sequence[Card], board: Sequence[Card] = ()) -> tuple[int, int]:
        """(public cluster, bucket) of one hand, the board in dealing order."""
        if len(hole) != 2:
            raise CardError(f"a hand has two hole cards, not {len(hole)}")
        clusters, buckets = self.buckets(street, [[*hole, *board]])
        return int(clusters[0]), int(buckets[0])

    def buckets(self, street: int | str, cards: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Public clusters and buckets of many hands: [..., hole cards and board in dealing order] to int64[...]."""
        number = street_number(street)
        hands = np.asarray(cards)
        wanted = 2 + BOARD_CARDS[number]
        if hands.ndim < 1 or hands.shape[-1] != wanted:
            given = hands.shape[-1] if hands.ndim else 0
            raise CardError(
                f"a {STREETS[number]} hand is two cards and a board of {wanted - 2}, not {given} cards in all"
            )
        check_cards(hands)
        rows = np.ascontiguousarray(hands.reshape(-1, wanted), dtype=np.uint8)
        clusters, found = np.empty((2, len(rows)), dtype=np.int64)
        find_buckets(number, rows, self.lookup, clusters, found)
        return clusters.reshape(hands.shape[:-1]), found.reshape(hands.shape[:-1])

    def save(self, folder: Path) -> None:
        """Write the tables into a folder."""
        write_bundle(folder / TABLES, self.arrays, self.facts)

    @classmethod
    def load(cls, folder: str | Path) -> CardAbstraction:
        """Open the tables of a folder memory-mapped, checked: kernels index by what they hold."""
        tables = Path(folder) / TABLES
        if not tables.is_dir():
            raise InputError(f"{folder} holds no card abstraction; `solvent abstract` makes one")
        facts = read_facts(tables)
        if facts.get("kind") != KIND:
            raise InputError(f"{folder} holds no card abstraction")
        if facts.get("version") != VERSION:
            raise InputError(
                f"{folder} was made by another version of solvent: its tables have version "
                f"{facts.get('version')} and this one reads version {VERSION}; make it anew"
            )
        try:
            design = design_from(facts["design"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{tables} is damaged: it does not say its design") from error
        arrays, facts = read_bundle(tables, mapped=True, below=table_bounds(design))
        try:
            return cls(arrays, facts, Path(folder))
        except InputError as error:
            raise InputError(f"{tables} is damaged: {error}") from error


def table_shapes(design: Design) -> dict[str, tuple[int, ...]]:
    """The shapes of the tables that a look-up reads."""
    indexed = zip(LOOKED_UP, INDEXED[1:], strict=False)
    shapes: dict[str, tuple[int, ...]] = {name: (Indexer(pattern).size,) for name, pattern in indexed}
    return {**shapes, "river": (design.clusters, design.codes)}


def table_bounds(design: Design) -> dict[str, int]:
    """Return the bound of each table's numbers: below it no look-up leaves the next table or a blueprint's rows."""
    return {
        "cluster_of_flop": design.clusters,
        "flop": design.flop,
        "turn": design.turn,
        "river_code": design.codes,
        "river": design.river,
        "river_equity": FULL + 1,
        "opponents": OPPONENTS,
    }


def describe_tables(arrays: dict[str, NDArray[Any]], design: Design) -> dict[str, Any]:
    """The facts of a bundle of tables: kind, version, design, and a fingerprint of design and tables."""
    digest = hashlib.sha256(repr(sorted(design.as_dict().items())).encode())
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(arrays[name]).data)
    return {
        "kind": KIND,
        "version": VERSION,
        "design": design.as_dict(),
        "fingerprint": digest.hexdigest()[:16],
    }


def street_number(street: int | str) -> int:
    """A street's number, 0 to 3, from its number or name."""
    if isinstance(street, str) and street in STREETS:
        return STREETS.index(street)
    if isinstance(street, int | np.integer) and not isinstance(street, bool) and 0 <= street < len(STREETS):
        return int(street)
    raise InputError(f"a street is {', '.join(STREETS)} or a number from 0 to 3, not {street!r}")
