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

from solvent.engines.vectors.code import WIDTH, Code, Parameter, instruction
from solvent.engines.vectors.sweep_instructions import apart, cards_of


@instruction
def spread(code, reach, weight, chances, first, bucket, slots):  # type: ignore[no-untyped-def]
    """reach[s] = weight[s] x the vector at chances[first + bucket[s]], for all slots s"""
    with code.each(code.index(0), slots.integer) as slot:
        chance = code.load(chances, code.plus(first.integer, bucket.index(slot)))
        code.store(code.builder.fmul(code.repeated(weight, slot), chance), reach, code.row(slot))


def _added_up(code: Code, vector: Any) -> Any:
    """The sum of a vector's lanes."""
    width = WIDTH
    while width > 1:
        width //= 2
        order = [k + width if k < width else k for k in range(WIDTH)]
        vector = code.builder.fadd(vector, code.shuffled(vector, vector, order))
    return code.builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))


def _half(code: Code, array: Parameter) -> Any:
    """Half the length of an array."""
    return code.builder.lshr(code.builder.extract_value(array.array.shape, 0), code.index(1))


def _collect(  # type: ignore[no-untyped-def]
    code,
    won,
    sums,
    reach,
    card,
    slots,
    bucket,
    first,
    shown_pays,
    all_pays,
    shown_sums,
    all_sums,
    value,
    shows,
) -> None:
    builder, everyone, half = code.builder, code.load(sums, code.index(0)), _half(code, all_sums)
    with code.each(code.index(0), slots.integer) as slot:
        at = code.plus(first.integer, bucket.index(slot))
        total = apart(code, everyone, sums, cards_of(code, card, slot))
        held = builder.fadd(total, code.load(reach, code.row(slot)))
        added = code.plus(at, builder.mul(builder.and_(slot, code.index(1)), half))
        code.add_to(all_sums, added, held)
        paid = builder.fmul(held, code.load(all_pays, at))
        if shows:
            shown = builder.fsub(code.load(won, code.row(slot)), total)
            code.add_to(shown_sums, added, shown)
            paid = builder.fadd(paid, builder.fmul(shown, code.load(shown_pays, at)))
        builder.store(builder.fadd(value.entry(slot), _added_up(code, paid)), value.place(slot))


@instruction
def collect(  # type: ignore[no-untyped-def]
    code, won, sums, reach, card, slots, bucket, first, shown_pays, all_pays, shown_sums, all_sums, value
) -> None:
    """Add shown(h) and all(h) to the sums of h's bucket, and what they pay to value[h], for all slots h."""
    _collect(
        code,
        won,
        sums,
        reach,
        card,
        slots,
        bucket,
        first,
        shown_pays,
        all_pays,
        shown_sums,
        all_sums,
        value,
        True,
    )


@instruction
def collect_folds(  # type: ignore[no-untyped-def]
    code, won, sums, reach, card, slots, bucket, first, shown_pays, all_pays, shown_sums, all_sums, value
) -> None:
    """As `collect`, for lanes in which no hands are shown."""
    _collect(
        code,
        won,
        sums,
        reach,
        card,
        slots,
        bucket,
        first,
        shown_pays,
        all_pays,
        shown_sums,
        all_sums,
        value,
        False,
    )
