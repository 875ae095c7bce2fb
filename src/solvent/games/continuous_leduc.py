"""Continuous Leduc hold'em (Brown and Sandholm 2015): Leduc in which a bet is any real fraction of the pot.

Two suits of J, Q, K, ante 1, two rounds, player 0 first in both, at most two bets or raises a round, no stacks. A
bet or raise is a fraction theta of the pot from 1 % to 100 %, and a raise is a fraction of the pot *after calling*:
with pot p once the call is made, a bet of theta adds theta p, and calling it makes the pot (1 + 2 theta) p. So
whatever follows a call scales with 1 + 2 theta, while a fold wins p / 2 whatever theta is.

The rules here are one *abstraction* of that game: the same finite set of `sizes` at every decision. Branch-2 of the
paper has 1 % and 100 %, Branch-3 1/3 as well, Branch-5 1/7 and 3/5 beside these. `after_bet` gives what follows any
other size, for solvers that add sizes one place at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from solvent.foundation.units import parse_decimal
from solvent.games.game import GameError
from solvent.games.leduc import ANTE, Leduc
from solvent.games.naming import spell_call
from solvent.games.public_rules import FOLD, MOST_BETTING_NODES, SHOWDOWN, Betting

LEAST_SIZE, LARGEST_SIZE = 0.01, 1.0
"""The smallest and the largest bet, as fractions of the pot after calling."""
BRANCH_SIZES = {2: "1%,100%", 3: "1%,1/3,100%", 5: "1%,1/7,1/3,3/5,100%"}
"""The sizes of the paper's fixed abstractions, by the number in their names."""


@dataclass(frozen=True, eq=False)
class SizedBetting(Betting):
    """A betting node that knows its pot, so that bets of further sizes can be added to it."""

    stage: int = 0
    """The round, from 0."""
    pot: float = 2.0 * ANTE
    """The chips in the pot once the player to act has called: each player has then paid half of it."""
    bets: int = 0
    """Bets and raises so far in this round."""
    fractions: tuple[float, ...] = ()
    """The size of each action of a decision as a fraction of `pot`; nan where the action is no bet."""


class ContinuousLeduc(Leduc):
    """Continuous Leduc with a finite set of bet sizes.

    >>> str(ContinuousLeduc()), ContinuousLeduc("1%,1/3,100%").betting_nodes()
    ('continuous_leduc', 1950)
    """

    def __init__(
        self, sizes: str = BRANCH_SIZES[2], ranks: int = 3, suits: int = 2, distinct: bool = False
    ) -> None:
        words = [word.strip() for word in str(sizes).split(",")]
        self.fractions = tuple(parse_size(word) for word in words)
        self.size_names = dict(zip(self.fractions, words, strict=True))
        if len(self.size_names) < len(words):
            raise GameError(f"continuous_leduc has a size twice: {', '.join(words)}")
        if list(self.fractions) != sorted(self.fractions):
            raise GameError(
                f"write the sizes of continuous_leduc from small to large, not {', '.join(words)}"
            )
        super().__init__(ranks, suits, self.fractions, self.fractions, 2, distinct)
        if self.betting_nodes() > MOST_BETTING_NODES:
            raise GameError(f"continuous_leduc's betting tree is too large with {len(words)} sizes")

    def __str__(self) -> str:
        written = ",".join(self.size_names.values())
        given = {
            "sizes": (written, BRANCH_SIZES[2]),
            "ranks": (self.ranks, 3),
            "suits": (self.suits, 2),
            "distinct": (self.distinct, False),
        }
        changed = {key: value for key, (value, usual) in given.items() if value != usual}
        return spell_call("continuous_leduc", changed)

    # Betting

    def betting_tree(self) -> SizedBetting:
        return self._sized_decision(0, 0, 2.0 * ANTE, 0, 0.0, "")

    def after_bet(self, head: SizedBetting, theta: float) -> SizedBetting:
        """Return the betting after a bet of theta at a decision; later decisions have the abstraction's sizes."""
        check_size(theta)
        if head.bets >= self.max_bets:
            raise GameError("no bet is possible there")
        history = self.history_after(head, theta)
        return self._sized_decision(
            head.stage, 1 - head.player, (1 + 2 * theta) * head.pot, head.bets + 1, head.pot, history
        )

    def history_after(self, head: SizedBetting, theta: float) -> str:
        """The text of the public actions up to a bet of theta at a decision."""
        return f"{head.history}{'r' if head.bets else 'b'}{self.size_name(theta)}"

    def bet_name(self, head: SizedBetting, theta: float) -> str:
        """The action of betting theta at a decision as text."""
        return f"{'raise' if head.bets else 'bet'} {self.size_name(theta)}"

    def size_name(self, theta: float) -> str:
        """A size as text that `parse_size` reads back exactly: as the abstraction has it, else in percent."""
        if theta in self.size_names:
            return self.size_names[theta]
        written = f"{100 * theta:.6g}%"
        return written if parse_size(written) == theta else repr(theta)

    def _sized_decision(
        self, stage: int, player: int, pot: float, bets: int, before: float, history: str
    ) -> SizedBetting:
        """A player to act who makes the pot `pot` by calling a bet into a pot of `before`, 0 if there is no bet."""
        children: dict[str, Betting] = {}
        if before:
            # The player who folds has paid half of the pot as it was before the bet.
            children["fold"] = Betting(symbol=FOLD, stake=before / 2 if player == 1 else -before / 2)
        opens = bets == 0 and player == 0
        children["call" if before else "check"] = (
            self._sized_decision(stage, 1, pot, 0, 0.0, history + "k")
            if opens
            else self._sized_end(stage, pot, history + ("c" if before else "k"))
        )
        head = SizedBetting(player, history=history, stage=stage, pot=pot, bets=bets)
        sizes = self.fractions if bets < self.max_bets else ()
        for theta in sizes:
            children[self.bet_name(head, theta)] = self.after_bet(head, theta)
        fractions = (math.nan,) * (len(children) - len(sizes)) + sizes
        below = tuple(children.values())
        return replace(head, actions=tuple(children), children=below, fractions=fractions)

    def _sized_end(self, stage: int, pot: float, history: str) -> Betting:
        if stage == 1:
            return Betting(symbol=SHOWDOWN, stake=pot / 2)
        return Betting(deals=True, children=(self._sized_decision(1, 0, pot, 0, 0.0, history + "/"),))


def parse_size(word: str) -> float:
    """A bet size as a fraction of the pot: `33%`, `1/3` or `0.33`.

    >>> parse_size("50%"), parse_size("1/4"), parse_size("0.2")
    (0.5, 0.25, 0.2)
    """
    above, _, below = word.removesuffix("%").partition("/")
    parts = [part.strip() for part in (above, below or "1")]
    if None in map(parse_decimal, parts) or not parse_decimal(parts[1]) or (below and word.endswith("%")):
        raise GameError(f"a bet size is written 33%, 1/3 or 0.33, not {word!r}")
    share = Fraction(parts[0]) / Fraction(parts[1])
    theta = float(share / 100 if word.endswith("%") else share)
    check_size(theta)
    return theta


def rounded_size(theta: float) -> float:
    """A size rounded to six digits of its percentage, so that it is short to write.

    >>> rounded_size(0.123456789)
    0.123457
    """
    return parse_size(f"{100 * theta:.6g}%")


def check_size(theta: float) -> None:
    """Refuse a bet that continuous Leduc does not allow."""
    if not LEAST_SIZE <= theta <= LARGEST_SIZE:
        raise GameError(f"continuous_leduc has bets from 1% to 100% of the pot, not {100 * theta:g}%")
