"""Regret matching and the regret update: the two steps that plans of CFR share, in four shapes of loop.

For an infoset I with actions a, the counterfactual values v(I, a) of one iteration, and the weights of a rule
(`engines.rules`: positive, negative, floor, prediction):

    gain       = sum_a sigma(I, a) (v(I, a) - v(I, a_0))
    v(I)       = v(I, a_0) + gain                            as sigma sums to 1
    r(I, a)    = (v(I, a) - v(I, a_0)) - gain                = v(I, a) - v(I), the instantaneous regret
    R(I, a)   <- max(floor, d (R(I, a) + r(I, a)))           d = positive where R + r > 0, else negative
    sigma      ~ max(0, R + prediction r)                    uniform where nothing is above `NOTHING`

Values are measured from the first action a_0, so that actions of equal value have regret 0 and not its rounding,
which regret matching would play. Regret matching is Hart and Mas-Colell's (2000), used in CFR by Zinkevich et al.
(2007); the update with all d = 1 and no floor is theirs, with a floor of 0 that of CFR+, with d < 1 that of
discounted CFR.

There are four versions, by what the loop around them is made of: scalars (histories, cells), rows of a table with
one infoset's actions side by side (sampling), whole arrays of any array library, and vectors with one entry for
each hand of a node (the public form). Full-width plans see to it that a regret which is alone above zero is played
with probability 1 exactly; sampling multiplies by the inverse of the sum, which is quicker.

Where another loop is fused with it, regret matching stands there too: in the instructions of hold'em's
decisions (`engines.holdem.node_code`), on trees that grow, some of whose actions are absent
(`engines.explicit.kernels`), at a gadget (`engines.holdem.gadget`), and for update rules of one's own
(`engines.local_update`).
"""

from __future__ import annotations

from typing import Any

from solvent.engines.vectors.code import Numbers, instruction
from solvent.engines.vectors.elementwise import elementwise
from solvent.foundation.kernels.compiling import inlined

Array = Any
"""An array of whatever library computes."""

NOTHING = 1.2e-38
"""A sum of positive regrets up to this counts as none: the inverse of a smaller one overflows in float32."""


# Scalars


@inlined
def expected_regret(regret, last, at, prediction):  # type: ignore[no-untyped-def]
    """R + prediction r of one action, with r the last instantaneous regret, in float64."""
    expected = float(regret[at])
    if prediction != 0.0:
        expected += prediction * last[at]
    return expected


@inlined
def share_of(positive, total, alike):  # type: ignore[no-untyped-def]
    """sigma of one action from its positive regret and the sum of all; `alike` where that sum is nothing."""
    return positive / total if total > NOTHING else alike


@inlined
def instantaneous(value, origin, gain):  # type: ignore[no-untyped-def]
    """r(I, a) from v(I, a), v(I, a_0) and the gain over it."""
    return (value - origin) - gain


@inlined
def updated(regret, gained, positive, negative, floor):  # type: ignore[no-untyped-def]
    """max(floor, d (R + r))"""
    total = regret + gained
    total *= positive if total > 0.0 else negative
    return total if total > floor else floor


@inlined
def added(regret, gained, floor):  # type: ignore[no-untyped-def]
    """max(floor, R + r): the update of rules that do not discount, or weigh r instead."""
    total = regret + gained
    return total if total > floor else floor


@inlined
def gain_of(strategy, value, start, stop):  # type: ignore[no-untyped-def]
    """The gain of an infoset whose actions are the cells start..stop-1."""
    gain = 0.0
    for cell in range(start, stop):
        gain += strategy[cell] * (value[cell] - value[start])
    return gain


# Rows


@inlined
def match_row(table, row, actions, strategy, frame):  # type: ignore[no-untyped-def]
    """sigma ~ max(0, R) from table[row : row + actions] into strategy[frame : frame + actions]."""
    kind = strategy.dtype.type
    total = kind(0)
    for a in range(actions):
        positive = max(kind(table[row + a]), kind(0))
        strategy[frame + a] = positive
        total += positive
    if total > kind(NOTHING):
        scale = kind(1) / total
        for a in range(actions):
            strategy[frame + a] *= scale
    else:
        for a in range(actions):
            strategy[frame + a] = kind(1) / kind(actions)


# Arrays


def match_arrays(xp: Any, expected: Array, stored: Array | None = None) -> Array:
    """sigma from R + prediction r, both float[actions, ...], with the array library `xp`.

    `stored` is 1 for actions that may be played, else 0; None lets all be played.
    """
    positive = xp.clip(expected, 0.0, None)
    alike = 1.0 / expected.shape[0]
    if stored is not None:
        positive = positive * stored
        alike = stored / xp.clip(xp.sum(stored, axis=0), 1.0, None)
    total = xp.sum(positive, axis=0)
    some = total > NOTHING
    return xp.where(some, positive * (1.0 / xp.where(some, total, 1.0)), alike)


def update_arrays(
    xp: Any, regret: Array, gained: Array, factors: tuple[Any, Any] | None, floor: Any | None
) -> Array:
    """max(floor, d (R + r)) entry by entry; `factors` are (positive, negative), None what has no effect."""
    total = regret + gained
    if factors is not None:
        total = xp.where(total > 0, total * factors[0], total * factors[1])
    return total if floor is None else xp.clip(total, floor, None)


# Vectors of one entry for each slot: rows of `work`, and rows of the tables where a block's numbers for the board
# begin. First for two and three actions at once, which spares most of the passes over memory.


def _matched(n: Numbers, regrets: tuple[Any, ...]) -> list[Any]:
    """sigma of every action: the positive regrets in proportion, uniform where there are none."""
    zero, one, nothing = n.constant(0.0), n.constant(1.0), n.constant(NOTHING)
    positive = [n.larger(regret, zero) for regret in regrets]
    total = n.add(*positive)
    inverse = n.divide(one, n.where(total, nothing, total, one))
    uniform = n.where(total, nothing, zero, n.constant(1.0 / len(regrets)))
    # A regret that is alone above zero is played with probability 1, which r (1 / r) need not be.
    whole = n.where(total, nothing, one, zero)
    shares = [n.where(total, regret, n.multiply(regret, inverse), whole) for regret in positive]
    return [n.add(share, uniform) for share in shares]


def _split(n: Numbers, reach: Any, *regrets: Any) -> tuple[Any, ...]:
    return tuple(n.multiply(reach, sigma) for sigma in _matched(n, regrets))


def _spread(n: Numbers, reach: Any, *rest: Any) -> tuple[Any, ...]:
    *tables, weight = rest
    actions = len(tables) // 2
    reached = _split(n, reach, *tables[:actions])
    averages = (n.add(old, n.multiply(weight, r)) for old, r in zip(tables[actions:], reached, strict=True))
    return (*reached, *averages)


def updated_vector(n: Numbers, regret: Any, gained: Any, positive: Any, negative: Any, floor: Any) -> Any:
    """max(floor, d (R + r)), with d = positive where R + r > 0 and else negative"""
    total = n.add(regret, gained)
    return n.larger(n.multiply(total, n.where(total, n.constant(0.0), positive, negative)), floor)


def _learn(n: Numbers, *given: Any) -> tuple[Any, ...]:
    *tables, positive, negative, floor = given
    actions = len(tables) // 3
    seen, regrets, values = (tables[k * actions : (k + 1) * actions] for k in range(3))
    origin = values[0]
    above = [n.subtract(value, origin) for value in values[1:]]
    sigma = _matched(n, tuple(seen))
    gain = n.multiply(sigma[1], above[0])
    for s, value in zip(sigma[2:], above[1:], strict=True):
        gain = n.add(gain, n.multiply(s, value))
    gained = [n.subtract(n.constant(0.0), gain), *(n.subtract(value, gain) for value in above)]
    updated = [
        updated_vector(n, r, g, positive, negative, floor) for r, g in zip(regrets, gained, strict=True)
    ]
    return (n.add(origin, gain), *updated)


@instruction
def split(code, count, work, targets, reach, seen, regrets):  # type: ignore[no-untyped-def]
    """t_a = reach sigma_a, with sigma from the regrets seen at r_a; `targets` and `regrets` are tuples by action"""
    inputs = [(work, reach), *((seen, r) for r in regrets.fields)]
    elementwise(code, count, [(work, t) for t in targets.fields], inputs, _split)


@instruction
def spread(code, count, work, targets, reach, seen, regrets, average, weight):  # type: ignore[no-untyped-def]
    """t_a = reach sigma_a, and the average at r_a grows by weight t_a"""
    averages = [(average, r) for r in regrets.fields]
    outputs = [*((work, t) for t in targets.fields), *averages]
    inputs = [(work, reach), *((seen, r) for r in regrets.fields), *averages]
    elementwise(code, count, outputs, inputs, _spread, [weight])


@instruction
def learn(code, count, work, v, values, seen, regret, regrets, rule):  # type: ignore[no-untyped-def]
    """v = sum_a sigma_a v_a, and the regret at r_a becomes max(floor, d (R_a + v_a - v)).

    `rule` is a named tuple with fields positive, negative and floor of several types: LLVM keeps a tuple of equal
    types in memory, and reads it again and again.
    """
    rows, factors = (
        [(regret, r) for r in regrets.fields],
        dict(zip(rule.kind.fields, rule.fields, strict=True)),
    )
    inputs = [*((seen, r) for r in regrets.fields), *rows, *((work, value) for value in values.fields)]
    scalars = [factors[name] for name in ("positive", "negative", "floor")]
    elementwise(code, count, [(work, v), *rows], inputs, _learn, scalars)


# Vectors for any number of actions, and for rules that predict, one action at a time. `expected` is R + p r with r
# the last instantaneous regret.


def _add_positive(n: Numbers, total: Any, regret: Any) -> Any:
    return n.add(total, n.larger(regret, n.constant(0.0)))


def _add_expected(n: Numbers, total: Any, regret: Any, last: Any, prediction: Any) -> Any:
    return _add_positive(n, total, n.add(regret, n.multiply(prediction, last)))


def _settle_total(n: Numbers, total: Any, alike: Any) -> tuple[Any, Any]:
    zero, one, nothing = n.constant(0.0), n.constant(1.0), n.constant(NOTHING)
    return n.where(total, nothing, total, one), n.where(total, nothing, zero, alike)


def _share(n: Numbers, regret: Any, total: Any, uniform: Any) -> Any:
    return n.add(n.divide(n.larger(regret, n.constant(0.0)), total), uniform)


def _share_expected(n: Numbers, regret: Any, last: Any, total: Any, uniform: Any, p: Any) -> Any:
    return _share(n, n.add(regret, n.multiply(p, last)), total, uniform)


def _add_gain(n: Numbers, gain: Any, sigma: Any, value: Any, origin: Any) -> Any:
    return n.add(gain, n.multiply(sigma, n.subtract(value, origin)))


def _regret_of(n: Numbers, value: Any, origin: Any, gain: Any) -> Any:
    return n.subtract(n.subtract(value, origin), gain)


@instruction
def add_positive(code, count, work, total, seen, r):  # type: ignore[no-untyped-def]
    """total += max(0, R)"""
    elementwise(code, count, [(work, total)], [(work, total), (seen, r)], _add_positive)


@instruction
def add_expected(code, count, work, total, seen, last, r, prediction):  # type: ignore[no-untyped-def]
    """total += max(0, expected)"""
    inputs = [(work, total), (seen, r), (last, r)]
    elementwise(code, count, [(work, total)], inputs, _add_expected, [prediction])


@instruction
def settle_total(code, count, work, total, uniform, alike):  # type: ignore[no-untyped-def]
    """uniform = 0 where total is above `NOTHING`, else total = 1 and uniform = alike"""
    elementwise(code, count, [(work, total), (work, uniform)], [(work, total)], _settle_total, [alike])


@instruction
def share(code, count, work, sigma, seen, r, total, uniform):  # type: ignore[no-untyped-def]
    """sigma = max(0, R) / total + uniform"""
    elementwise(code, count, [(work, sigma)], [(seen, r), (work, total), (work, uniform)], _share)


@instruction
def share_expected(code, count, work, sigma, seen, last, r, total, uniform, prediction):  # type: ignore[no-untyped-def]
    """sigma = max(0, expected) / total + uniform"""
    inputs = [(seen, r), (last, r), (work, total), (work, uniform)]
    elementwise(code, count, [(work, sigma)], inputs, _share_expected, [prediction])


@instruction
def add_gain(code, count, work, gain, sigma, value, origin):  # type: ignore[no-untyped-def]
    """gain += sigma (value - origin)"""
    inputs = [(work, row) for row in (gain, sigma, value, origin)]
    elementwise(code, count, [(work, gain)], inputs, _add_gain)


@instruction
def regret_of(code, count, work, out, value, origin, gain):  # type: ignore[no-untyped-def]
    """out = value - origin - gain: the instantaneous regret"""
    elementwise(code, count, [(work, out)], [(work, value), (work, origin), (work, gain)], _regret_of)


@instruction
def update(code, count, regret, r, work, gained, positive, negative, floor):  # type: ignore[no-untyped-def]
    """R = max(floor, d (R + gained))"""
    factors = [positive, negative, floor]
    elementwise(code, count, [(regret, r)], [(regret, r), (work, gained)], updated_vector, factors)
