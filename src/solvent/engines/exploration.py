"""Steps of every sampler between regret matching and the draw: exploration, and drawing an action."""

from __future__ import annotations

from solvent.foundation.kernels.compiling import inlined, kernel


@kernel
def minimum_probability(decay, iteration):  # type: ignore[no-untyped-def]
    """Exploration decay, y(x) = 0.01 - 2.5e-7 x in Lin (2024): the least probability of an action at an iteration.

    decay: (the probability before the first iteration, by how much it falls with each), such as
    `engines.sampling.DECAY`.

    >>> minimum_probability((0.01, 2.5e-7), 20_000), minimum_probability((0.01, 2.5e-7), 50_000)
    (0.005, 0.0)
    """
    return max(0.0, decay[0] - decay[1] * iteration)


@inlined
def raise_to(strategy, frame, actions, least):  # type: ignore[no-untyped-def]
    """Raise every probability of strategy[frame : frame + actions] to `least` or more, then make them sum to 1."""
    kind = strategy.dtype.type
    total = kind(0)
    for a in range(actions):
        strategy[frame + a] = max(strategy[frame + a], least)
        total += strategy[frame + a]
    for a in range(actions):
        strategy[frame + a] /= total


@inlined
def mix_uniform(strategy, frame, actions, least):  # type: ignore[no-untyped-def]
    """Mix as much uniform play into strategy[frame : frame + actions] as gives every action `least` or more."""
    part = min(1.0, least * actions)
    for a in range(actions):
        strategy[frame + a] = (1.0 - part) * strategy[frame + a] + part / actions


@inlined
def draw_action(strategy, frame, actions, drawn):  # type: ignore[no-untyped-def]
    """The action at which the running sum of strategy[frame : frame + actions] passes `drawn`, in [0, 1).

    Probabilities may sum to a little less than 1 after rounding. What is drawn beyond their sum is the last action
    of positive probability, never one of probability 0.
    """
    chosen = actions - 1
    for a in range(actions - 1):
        drawn -= strategy[frame + a]
        if drawn < 0:
            chosen = a
            break
    while chosen > 0 and strategy[frame + chosen] <= 0:
        chosen -= 1
    return chosen
