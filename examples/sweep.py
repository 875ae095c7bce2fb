"""A sweep of games and rules, as one figure: `python examples/sweep.py sweep.png`."""

from __future__ import annotations

import sys

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

import solvent

GAMES = ("kuhn", "leduc", "bluff(dice=1,faces=4)")
RULES = ("cfr", "lcfr", "cfr+", "pcfr+", "dcfr", "dcfr+", "pdcfr+")


def main(
    path: str = "sweep.png",
    games: tuple[str, ...] = GAMES,
    rules: tuple[str, ...] = RULES,
    iterations: int = 3000,
) -> dict[tuple[str, str], float]:
    figure, panels = plt.subplots(
        1, len(games), figsize=(5 * len(games), 4.5), layout="constrained", squeeze=False
    )
    found = {}
    for axes, game in zip(panels[0], games, strict=True):
        for rule in rules:
            result = solvent.solve(game, rule=rule, iterations=iterations, plan="sequence")
            found[game, rule] = result.exploitability
            curve = [(row["iterations"], row["exploitability"]) for row in result.convergence]
            axes.loglog(*zip(*curve, strict=True), label=rule)
        axes.set(title=game, xlabel="iterations", ylabel="exploitability (chips, NashConv/2)")
        axes.grid(alpha=0.25)
    panels[0][0].legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return found


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "sweep.png")
