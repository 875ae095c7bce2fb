"""Vector instructions of public sampling: the sequences of a street are lanes, WIDTH at a time.

Hands are in slots, sorted by strength. A hand's reach along a sequence is its reach at the beginning of the
street times its bucket's probability of the sequence, so `spread` makes a vector of lanes for each slot from one
number a slot and one vector a bucket. `engines.vectors.sweep_instructions` sweeps over the slots. `collect` turns
each slot's vector into what the walk needs, and never writes it to memory: with D- and D+ the reach of the hands
passed before and after h's tie, and D* of all, that share no card with h (see `engines.holdem.sweep_code`),

    shown(h) = D- + D+ - D*         hands that h beats less hands that beat h, by lane
    all(h)   = D* + reach(h)        all hands that the other may hold, by lane

are added to the sums of h's bucket, and their products with what the bucket is paid in each lane to h's value.
There are two sums of each, for even and for odd slots: hands that follow one another often share a bucket, and an
addition to the same memory has to wait for the one before.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.extending import intrinsic

from solvent.engines.vectors.elementwise import WIDTH
from solvent.engines.vectors.sweep_instructions import Code, Generator, generated


@intrinsic
def spread(typing, reach, weight, chances, first, bucket, slots):  # type: ignore[no-untyped-def]
    """reach[s] = weight[s] x the vector at chances[first + bucket[s]], for all slots s"""

    def write(code: Code) -> None:
        first = code.integer(3)
        with code.each(code.index(0), code.integer(5)) as slot:
            chance = code.load(code.data(2), code.plus(first, code.read_integer(4, slot)))
            product = code.builder.fmul(code.repeated(code.data(1), slot), chance)
            code.store(product, code.data(0), code.row(slot))

    return generated((reach, weight, chances, first, bucket, slots), 0, write)


def _added_up(code: Code, vector: Any) -> Any:
    """The sum of a vector's lanes."""
    width = WIDTH
    while width > 1:
        width //= 2
        order = [k + width if k < width else k for k in range(WIDTH)]
        vector = code.builder.fadd(vector, code.shuffled(vector, vector, order))
    return code.builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


def _half(code: Code, position: int) -> Any:
    """Half the length of an array."""
    kind = code.signature.args[position]
    array = code.context.make_array(kind)(code.context, code.builder, code.args[position])
    return code.builder.lshr(code.builder.extract_value(array.shape, 0), code.index(1))


def _add(code: Code, position: int, at: Any, vector: Any) -> None:
    """Add a vector to an array."""
    code.store(code.builder.fadd(code.load(code.data(position), at), vector), code.data(position), at)


def _collect(kinds: tuple[Any, ...], shows: bool) -> Generator:
    def write(code: Code) -> None:
        builder, first = code.builder, code.integer(6)
        everyone, half = code.load(code.data(1), code.index(0)), _half(code, 10)
        with code.each(code.index(0), code.integer(4)) as slot:
            at = code.plus(first, code.read_integer(5, slot))
            total = code.apart(everyone, code.data(1), code.cards(3, slot))
            held = builder.fadd(total, code.load(code.data(2), code.row(slot)))
            added = code.plus(at, builder.mul(builder.and_(slot, code.index(1)), half))
            _add(code, 10, added, held)
            paid = builder.fmul(held, code.load(code.data(8), at))
            if shows:
                shown = builder.fsub(code.load(code.data(0), code.row(slot)), total)
                _add(code, 9, added, shown)
                paid = builder.fadd(paid, builder.fmul(shown, code.load(code.data(7), at)))
            place = builder.gep(code.data(11), [slot], source_etype=code.element)
            before = builder.load(place, typ=code.element, align=code.align)
            builder.store(builder.fadd(before, _added_up(code, paid)), place, align=code.align)

    return generated(kinds, 0, write)


@intrinsic
def collect(  # type: ignore[no-untyped-def]
    typing, won, sums, reach, card, slots, bucket, first, shown_pays, all_pays, shown_sums, all_sums, value
):
    """Add shown(h) and all(h) to the sums of h's bucket, and what they pay to value[h], for all slots h."""
    kinds = (
        won, sums, reach, card, slots, bucket, first, shown_pays, all_pays, shown_sums, all_sums, value
    )  # fmt: skip
    return _collect(kinds, True)


@intrinsic
def collect_folds(  # type: ignore[no-untyped-def]
    typing, won, sums, reach, card, slots, bucket, first, shown_pays, all_pays, shown_sums, all_sums, value
):
    """As `collect`, for lanes in which no hands are shown."""
    kinds = (
        won, sums, reach, card, slots, bucket, first, shown_pays, all_pays, shown_sums, all_sums, value
    )  # fmt: skip
    return _collect(kinds, False)
