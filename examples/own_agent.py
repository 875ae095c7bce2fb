"""An agent of one's own at no-limit hold'em: matched, and measured by local best response.

python examples/own_agent.py
solvent match examples/own_agent.py:Sticky always-call --hands 1000
"""

from __future__ import annotations

import numpy as np

import solvent
from solvent import CALL, FOLD, Mixture, PublicView, View


class Sticky:
    """Folds one time in ten, raises the minimum two times in ten, and calls otherwise, whatever it holds."""

    name = "sticky"

    def act(self, view: View) -> int:
        """The action: `FOLD`, `CALL`, or the total to raise to. It depends on the seed and the actions alone."""
        mixture = self.probabilities(view)
        draw = np.random.default_rng((view.seed, len(view.actions)))
        return int(draw.choice(mixture.actions, p=mixture.probabilities[0]))

    def probabilities(self, view: PublicView) -> Mixture:
        """How often it does what, for each of the 1,326 hands: with this it can be measured."""
        weights = {CALL: 0.7}
        if view.legal.fold:
            weights[FOLD] = 0.1
        if view.legal.min_raise:
            weights[view.legal.min_raise] = 0.2
        shares = np.array(list(weights.values()))
        return Mixture(tuple(weights), np.tile(shares / shares.sum(), (1326, 1)))


def main(hands: int = 2000, response_hands: int = 200) -> float:
    opponent = solvent.AgentLoader().load("always-call")
    match = solvent.Match(Sticky(), opponent, solvent.HoldemRules(), hands=hands).run()
    print(f"against always-call: {match.winnings.mbb:+.0f} ± {match.winnings.mbb_interval:.0f} mbb/hand")
    lost = solvent.LocalBestResponse(Sticky(), actions="fc").run(hands=response_hands)
    print(f"a local best response wins {lost.mbb:.0f} ± {lost.mbb_interval:.0f} mbb/hand from it")
    return lost.mbb


if __name__ == "__main__":
    main()
