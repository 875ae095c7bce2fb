"""Styles of play: a strategy with its probabilities multiplied, then scaled to sum to 1 again.

| style | fold | call or check | bets and raises |
|---|---|---|---|
| `aggressive` | x 0.5 | x 1 | x 2 the smallest, x 3 the next, x 4, ... |
| `tight` | x 2 | x 1 | x 0.5 |
| `calling-machine` | x 1 | x 5 | x 1 |
| `tight-aggressive` | as `tight` where the hand's bucket wins less than 50 % of deals, else as `aggressive` | | |
| `random` | every action of the tree with the same probability | | |
| `deterministic` | the most probable action; ties share | | |
| `initial-weights` | a strategy from win rates alone: see `solvent.strategy.agents.prior` | | |

These are the opponents in Figures 7 and 8 of the Laptop MCCFR paper, which names no factors.
"""

from __future__ import annotations

from solvent.foundation.kernels.compiling import internal
from solvent.games.betting.rules import CALL, FOLD
from solvent.strategy.post_processing import cut

STYLES = (
    "own",
    "aggressive",
    "tight",
    "random",
    "calling-machine",
    "tight-aggressive",
    "deterministic",
    "initial-weights",
)
"""Styles by number. The first is the strategy unchanged."""
OWN, AGGRESSIVE, TIGHT, RANDOM, CALLING, TIGHT_AGGRESSIVE, DETERMINISTIC, INITIAL = range(len(STYLES))
LOOSE = 0.5
"""The win rate from which the tight-aggressive style is aggressive."""


@internal
def restyle(style, probabilities, edges, start, count, rate):  # type: ignore[no-untyped-def]
    """Change the probabilities of a node's actions, whose edges begin at `start`; the caller scales them to 1."""
    if style == TIGHT_AGGRESSIVE:
        style = TIGHT if rate < LOOSE else AGGRESSIVE
    if style == DETERMINISTIC:
        cut(probabilities, count, 2.0)
        return
    bets = 0
    for action in range(count):
        total = edges[start + action].action
        if total == FOLD:
            factor = 0.5 if style == AGGRESSIVE else (2.0 if style == TIGHT else 1.0)
        elif total == CALL:
            factor = 5.0 if style == CALLING else 1.0
        else:
            factor = 2.0 + bets if style == AGGRESSIVE else (0.5 if style == TIGHT else 1.0)
            bets += 1
        probabilities[action] *= factor
