"""Random numbers from counters: draw k of a stream depends on the stream's key and k alone.

The generator is splitmix64 (Steele, Lea and Flood 2014): a counter that steps by an odd constant, and a mixing
function over it. A stream's key mixes the seed, the iteration and the pass, so that an iteration draws the same
numbers whichever thread runs it and however a run is cut into parts.
"""

from __future__ import annotations

import numpy as np

from solvent.foundation.kernels.compiling import internal, kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
"""The distance between successive counters of a stream: 2^64 divided by the golden ratio, made odd."""
TO_UNIT = 2.0**-53
"""Scales 53 random bits to [0, 1)."""


@kernel
def mix(counter):  # type: ignore[no-untyped-def]
    """Mix 64 bits one to one: each bit of the counter changes about half the bits of the result."""
    bits = np.uint64(counter)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@kernel
def iteration_key(seed, iteration):  # type: ignore[no-untyped-def]
    """The key of one iteration, from which those of its streams are made."""
    return mix(mix(np.uint64(seed) + STEP) ^ np.uint64(iteration))


@kernel
def numbered_key(key, number):  # type: ignore[no-untyped-def]
    """The key of one of many streams, numbered from 0, that belong to a key."""
    return mix(key + STEP * np.uint64(number + 1))


@kernel
def stream(seed, iteration, turn):  # type: ignore[no-untyped-def]
    """The counter at which the stream of one pass (`turn`) of one iteration starts."""
    return numbered_key(iteration_key(seed, iteration), turn)


@kernel
def uniform(counter):  # type: ignore[no-untyped-def]
    """A number in [0, 1) with 53 random bits. The stream's next draw has the counter `counter + STEP`."""
    return np.float64(mix(counter) >> np.uint64(11)) * TO_UNIT


@internal
def random_bits(random):  # type: ignore[no-untyped-def]
    """The next 64 random bits of the stream whose counter is in `random`: uint64[1]."""
    random[0] += STEP
    return mix(random[0])


@kernel
def random_float(random):  # type: ignore[no-untyped-def]
    """A random number in [0, 1) with 24 bits, which float32 holds exactly."""
    return np.float32(np.float64(random_bits(random) >> np.uint64(40)) * 2.0**-24)


@kernel
def random_unit(random):  # type: ignore[no-untyped-def]
    """A random number in [0, 1) with 53 bits."""
    return np.float64(random_bits(random) >> np.uint64(11)) * TO_UNIT
