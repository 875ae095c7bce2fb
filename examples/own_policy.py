"""How good is a policy of one's own? Its exploitability, and what the best response to it does.

    python examples/own_policy.py

A policy is a function of (player, infoset, actions), a dict from infosets to probabilities, a strategy that was
solved or loaded, or an OpenSpiel policy.
"""

from __future__ import annotations

import solvent


def cautious(player: int, infoset: str, actions: tuple[str, ...]) -> dict[str, float]:
    """Kuhn poker, `card|board|history`: bets and calls with the king alone."""
    if infoset.startswith("K"):
        return {actions[-1]: 1.0}
    return {actions[0]: 1.0}


def main() -> float:
    found = solvent.exploitability("kuhn", cautious)
    print(f"exploitability {found:.3f} chips a game")
    best = solvent.best_response("kuhn", cautious, player=1)
    print(f"player 1's best response wins {best.value:.3f}")
    for infoset in ("J||k", "Q||k", "Q||b"):
        print(f"  {infoset}: {best.strategy[infoset]}")

    rows = dict(solvent.Strategy.from_function("kuhn", cautious))
    rows["J||"] = {"check": 2, "bet": 1}  # weights; now and then a bluff
    print(f"with a bluff: {solvent.exploitability('kuhn', rows):.3f}")
    return found


if __name__ == "__main__":
    main()
