"""The options of pruning, and their combinations with others."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from numbers import Integral, Real
from typing import NamedTuple, cast

from solvent.engines.rules import ADDING_UP, RegretRule
from solvent.foundation.errors import InputError
from solvent.strategy.solved.locks import Locks

PRUNINGS = ["none", "partial", "interval", "total"]
"""Every pruning; `register_pruning` adds one's own."""
AFTER = ("cbr", "uniform")
PLANS = ("auto", "serial", "aggregated")
EFFECTIVE = {
    ("interval", "history"): ("gates", "every"),
    ("total", "history"): ("gates", "average", "every", "after"),
    ("total", "public"): ("gates", "average", "every", "after"),
    ("total", "explicit"): ("gates", "average", "every", "after"),
}
"""The options that change something, by mode and form."""


class Gates(NamedTuple):
    """Conditions beyond the papers' tests for pruning an action, and for giving up its average.

    None of these is in the papers. Asking for more is always safe: an action that stays is CFR as usual.
    """

    least: float
    """Iterations for which an action must probably stay pruned, to be worth the best response after."""
    lasting: float
    """`least` as a fraction of the iterations so far: each action's best responses come ever more rarely."""
    settled: float
    """The average is given up only of actions that have been pruned since this fraction of the iterations."""


GATES = {"paper": Gates(least=0.0, lasting=0.0, settled=1.0), "lasting": Gates(10.0, 0.005, 0.05)}
"""`paper` asks for nothing beyond the tests of Brown and Sandholm."""
BY_GATES = cast(float, None)
"""Stands for the number that the gates have, until a `Pruning` is made."""


def check_number(name: str, number: float) -> None:
    """Reject an option that is not a number of at least 0."""
    if not isinstance(number, Real) or isinstance(number, bool) or not 0 <= number < math.inf:
        raise InputError(f"{name} must be a number of at least 0, not {number!r}")


@dataclass(frozen=True)
class Pruning:
    """A pruning and its options.

    `partial` leaves out what the other player does not reach: no number changes. `interval` also leaves out
    actions of regret below 0 for as long as it must stay there, and makes up for it afterwards. `total`
    leaves out actions that would lose even if best responses followed, and stores nothing for
    what lies there.
    """

    mode: str = "none"
    average: float = 0.01
    """C: a pruned action whose reach in the average strategy is at most C / sqrt(T) is set to 0 there."""
    every: int = 10
    """Iterations between looks for actions to prune."""
    after: str = "cbr"
    """The play behind an action when it returns: the best response, or uniform play."""
    gates: str = "lasting"
    """`paper`: an action is pruned when its paper's test says so, and its average goes when C says so; `lasting`:
    only when that will probably last."""
    least: float = BY_GATES
    lasting: float = BY_GATES
    settled: float = BY_GATES
    """The gates' numbers, see `Gates`; another number may be given for each."""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("pruning", self.mode, PRUNINGS),
            ("prune-after", self.after, AFTER),
            ("prune-gates", self.gates, tuple(GATES)),
        ):
            if value not in known:
                raise InputError(f"there is no {name} {value!r}; choose from {', '.join(known)}")
        if not isinstance(self.every, Integral) or isinstance(self.every, bool) or self.every < 1:
            raise InputError(f"prune-every must be a whole number of at least 1, not {self.every!r}")
        for name, number in GATES[self.gates]._asdict().items():
            if getattr(self, name) is BY_GATES:
                object.__setattr__(self, name, number)
        check_number("prune-average", self.average)
        for name in Gates._fields:
            check_number(name, getattr(self, name))

    @property
    def skips(self) -> bool:
        """Whether iterations are skipped and made up for."""
        return self.mode in ("interval", "total")

    def effective(self, form: str) -> tuple[str, ...]:
        """The options that change something when a game is solved on this form."""
        return EFFECTIVE.get((self.mode, form), ())

    def check_given(self, given: Collection[str], form: str) -> None:
        """Reject given options that change nothing."""
        effective = self.effective(form)
        for name in given:
            if name not in effective:
                takes = ", ".join(f"prune-{option}" for option in effective) or "no options"
                where = f" on the {form} form" if effective else ""
                raise InputError(f"prune-{name} changes nothing: pruning {self.mode}{where} takes {takes}")

    def check_threads(self, threads: int) -> None:
        """Refuse threads that would have nothing to do."""
        if self.mode != "none" and threads > 1:
            raise InputError(f"pruned solves run on one thread: give threads 1, not {threads}")

    def check_plan(self, plan: str) -> None:
        """Refuse a plan that has no walk to cut short."""
        if self.mode != "none" and plan not in PLANS:
            raise InputError(
                f"pruning leaves histories out as it walks, and the {plan} plan has no such walk; "
                f"the plans with pruning are {', '.join(PLANS)}"
            )

    def check_locks(self, locks: Locks | None) -> None:
        """Refuse locks where iterations are skipped or blocks are cut."""
        if locks:
            raise InputError(
                f"{self.mode} pruning cannot be combined with locked infosets; give pruning none"
            )

    def check_rule(self, rule: RegretRule) -> None:
        """Refuse a rule whose regrets cannot be pruned."""
        if self.mode != "none" and not rule.prunable:
            like = "; one like CFR+, `discounts = False` and `average_power = 1.0`"
            own = f". A rule of your own that adds up declares {ADDING_UP}{like}" if rule.own else ""
            raise InputError(
                f"pruning needs regrets that add up with the average's weights: give rule cfr, cfr+ or lcfr; "
                f"{rule} cannot be pruned{own}"
            )


NO_PRUNING = Pruning()
