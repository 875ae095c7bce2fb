"""A game of one's own in thirty lines: rock, paper, scissors."""

from __future__ import annotations

from dataclasses import dataclass

import solvent

THROWS = ("rock", "paper", "scissors")


@dataclass(frozen=True)
class Throwing:
    """Both throws are made in turn; the second player does not see the first's."""

    thrown: tuple[str, ...] = ()

    def player(self) -> int:
        return len(self.thrown) if len(self.thrown) < 2 else solvent.TERMINAL

    def actions(self) -> tuple[str, ...]:
        return THROWS

    def child(self, action: str) -> Throwing:
        return Throwing((*self.thrown, action))

    def infoset(self) -> str:
        return "your throw"

    def payoffs(self) -> tuple[float, float]:
        first, second = map(THROWS.index, self.thrown)
        won = (0, 1, -1)[(first - second) % 3]
        return won, -won


class RockPaperScissors:
    """The game: how many play, and where it starts."""

    players = 2

    def __str__(self) -> str:
        return "rock_paper_scissors"

    def root(self) -> Throwing:
        return Throwing()


if __name__ == "__main__":
    game: solvent.Game = RockPaperScissors()
    result = solvent.solve(game, iterations=1000)
    print(f"exploitability {result.exploitability:.2g}, player 0 throws {result.strategy[0, 'your throw']}")
