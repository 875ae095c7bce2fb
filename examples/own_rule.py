"""A rule of one's own that pruning, sampling and training accept, because it declares what it does.

    python examples/own_rule.py
    solvent solve leduc --rule examples/own_rule.py:Plain --pruning interval

A rule is six numbers an iteration (`solvent.Weights`); compiled kernels do the rest. What it declares is compared
with its weights while it runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import solvent


@dataclass(frozen=True)
class Plain(solvent.RegretRule):
    """CFR written anew: regrets and the average are plain sums, which is all that pruning and sampling ask."""

    discounts = False
    floors = False
    average_power = 0.0

    def weights(self, t: float) -> solvent.Weights:
        return solvent.Weights()


@dataclass(frozen=True)
class Delayed(solvent.RegretRule):
    """CFR+ whose average leaves out the first iterations. It floors regrets, so it runs full width alone."""

    delay: int = 50

    discounts = False

    def weights(self, t: float) -> solvent.Weights:
        return solvent.Weights(floor=0.0, average=max(0.0, t - self.delay))


def main(game: str = "leduc", iterations: int = 300) -> dict[str, float]:
    found = {
        "plain, pruned": solvent.solve(game, rule=Plain(), pruning="interval", iterations=iterations),
        "plain, sampled": solvent.solve(game, rule=Plain(), sampling="external", iterations=100 * iterations),
        "delayed": solvent.solve(game, rule=Delayed(), iterations=iterations),
    }
    for name, result in found.items():
        print(f"{name}: exploitability {result.exploitability:.4f}, {result.nodes_touched:,} nodes touched")
    return {name: result.exploitability for name, result in found.items()}


if __name__ == "__main__":
    main()
