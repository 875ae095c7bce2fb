"""An evaluation in plain sentences: the meaning of its figures, their limits, and advice to improve the agent.

Figures that are not significant prove nothing, and the sentences say so. The bounds are explained in
`docs/evaluation.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from solvent.evaluate.behaviour_checks import is_near
from solvent.evaluate.evaluation import read_evaluations
from solvent.evaluate.local_best_response import largest_response
from solvent.foundation.errors import InputError
from solvent.foundation.storage.run import Run

MUCH_MORE = 2.0
"""Ratio of local best response's sure winnings to those inside the abstraction from which buckets and bet sizes
cost more than unfinished training."""
LITTLE = 50.0
"""Training has come far where a settled response surely wins less than this, in mbb/hand."""


def sentences(document: dict[str, Any]) -> list[str]:
    """Explain the figures of an agent's evaluation.

    A training has three sentences: its wins and losses against versions of itself; the least that an opponent who
    knows its strategy wins; and its behaviour, with advice to improve it. Any other agent has the second alone,
    since nothing else is measured of it. A part that was not measured is named.
    """
    if "run" not in document:
        return [_losses(document)]
    return [_wins(document), _losses(document), _advice(document)]


@dataclass(frozen=True)
class Bound:
    """A lower bound of what an agent can lose, in mbb/hand, with the ends of its 95 % interval."""

    mbb: float
    low: float
    high: float

    @property
    def is_proven(self) -> bool:
        """Whether the agent surely loses something."""
        return self.low > 0


def last_evaluation(run: Run) -> str:
    """Sentence about what an agent is known to lose, or about how to measure it."""
    try:
        found = read_evaluations(run.folder)
    except InputError as error:
        return str(error)
    if not found:
        return f"Nothing has been measured; `solvent evaluate {run.folder}` does it."
    return f"After {found[0].get('iterations', 0):,} iterations: {sentences(found[0])[1]}"


def inside_bound(document: dict[str, Any]) -> Bound | None:
    """Bound by a best response inside the abstraction; None where it was not measured to its end."""
    inside = document.get("inside")
    if not inside or not inside["complete"]:
        return None
    return _bound(inside)


def local_bound(document: dict[str, Any]) -> Bound | None:
    """Bound by local best response, the most of all settings; None where it was not measured to its end."""
    largest = document.get("lbr_maximum")
    return None if not largest else Bound(largest["mbb_per_hand"], *largest["mbb_per_hand_95"])


def _wins(document: dict[str, Any]) -> str:
    rows = [
        row for row in document.get("styles", []) if row["complete"] and row["mbb_per_hand_95"] is not None
    ]
    if not rows:
        return "It has not been played against versions of itself (`--parts styles`)."
    won = sorted((row for row in rows if _bound(row).low > 0), key=_mbb)
    lost = sorted((row for row in rows if _bound(row).high < 0), key=_mbb)
    close = [row for row in rows if _bound(row).low <= 0 <= _bound(row).high]
    said = []
    if won:
        least, most = won[0], won[-1]
        all_of = "all" if len(won) == len(rows) else f"{len(won)} of"
        by = f"{_mbb(most):,.0f} mbb/hand ({most['opponent']})"
        if len(won) > 1:
            by = f"{_mbb(least):,.0f} ({least['opponent']}) to {by}"
        said.append(f"wins against {all_of} {len(rows)} versions of itself and simple players, by {by}")
    if close:
        said.append(f"is too close to tell against {_listed([row['opponent'] for row in close])}")
    if lost:
        names = [f"{row['opponent']} ({-_mbb(row):,.0f} ± {row['mbb_per_hand_95']:,.0f})" for row in lost]
        said.append(f"loses to {_listed(names)}")
        means = _proof(rows) + (", while winning shows only that it has learned something" if won else "")
    elif won:
        means = "it has learned something, but wins do not show how much it can lose"
    else:
        means = "that proves nothing, and more hands would tell (`--hands`)"
    return f"It {', and it '.join(said)}: {means}."


def _proof(rows: Sequence[dict[str, Any]]) -> str:
    """Say what losses prove, allowing for the choice of the largest of several matches."""
    largest = largest_response([(row["opponent"], -_mbb(row), float(row["mbb_per_hand_95"])) for row in rows])
    bound = Bound(largest.mbb, *largest.mbb_range)
    if not bound.is_proven:
        return "that proves nothing, as one of so many matches may be lost by chance"
    return f"losing proves that it can be exploited by at least about {_about(bound)} mbb/hand"


def _losses(document: dict[str, Any]) -> str:
    inside, local = inside_bound(document), local_bound(document)
    if inside is None and local is None:
        parts = "lbr,inside" if "run" in document else "lbr"
        return f"What an opponent who knows its strategy wins has not been measured (`--parts {parts}`)."
    who = "an opponent who knows its strategy"
    if inside is None:
        assert local is not None
        if not local.is_proven:
            return (
                f"Local best response, {who}, is not shown to win anything ({_range(local)} mbb/hand), which "
                f"does not prove that nobody does."
            )
        tells = "; `--parts inside` says how much of it is unfinished training" if "run" in document else ""
        return (
            f"{who.capitalize()} wins at least about {_about(local)} mbb/hand from it by local best "
            f"response{_neighbour(document)}, and the best opponent may win more{tells}."
        )
    settled = document["inside"]["settled"]
    if inside.is_proven:
        first = (
            f"wins at least about {_about(inside)} mbb/hand with the agent's own buckets and bets, which "
            f"more training could remove"
        )
    else:
        if settled and inside.high < LITTLE:
            means = "so that training seems to have come far"
        elif settled:
            means = "but was valued over too few boards to tell (`--inside-valued`)"
        else:
            means = "but may not have learned long enough"
        own = f"with the agent's own buckets and bets ({_range(inside)} mbb/hand)"
        first = f"is not shown to win anything {own}, {means}"
    return f"{who.capitalize()} {first}{_in_addition(document, inside, local)}."


def _neighbour(document: dict[str, Any]) -> str:
    """Name the loss of folding every hand, to compare with what local best response wins."""
    folding = document.get("folding_loses")
    return "" if folding is None else f" (folding every hand loses {folding:,.0f})"


def _in_addition(document: dict[str, Any], inside: Bound, local: Bound | None) -> str:
    """Say what local best response adds to the bound from inside the abstraction.

    A response that has `settled` wins about as much as the best one inside, so what local best response wins more
    is due to exact cards and other bets.
    """
    if local is None:
        return "; what buckets and bet sizes cost in addition has not been measured (`--parts lbr`)"
    if _exceeds(local, inside, 1.0):
        rest = "the rest is what" if document["inside"]["settled"] else "the rest is probably what"
        return (
            f", and at least about {_about(local)} with exact cards and other bets, by local best response"
            f"{_neighbour(document)}: {rest} buckets and bet sizes cost in addition"
        )
    return (
        f"; local best response, with exact cards and other bets, is not shown to find more ({_range(local)}), so "
        f"what buckets and bet sizes cost in addition does not show"
    )


def _advice(document: dict[str, Any]) -> str:
    """Say how the agent behaves, how to judge it, and what would improve it.

    Bet sizes come before cards: the agents that we measured lost more than twice as much to bets off their trees as
    to bets on them, whatever their cards (`docs/evaluation.md`).
    """
    inside, local = inside_bound(document), local_bound(document)
    time = f"training time (`solvent train --resume {document['run']} --time 30m`)"
    sizes, cards = "more sizes to bet and raise (`--betting`)", "larger cards (`--preset`)"
    either = f"whether more {time}, {sizes} or {cards} would improve it most"
    abstraction = f"{sizes}, and then {cards}, would probably improve it more than {time}"
    if inside is None:
        improves = f"{either} has not been measured (`--parts inside`)"
    elif local is not None and _exceeds(local, inside, MUCH_MORE):
        improves = abstraction
    elif inside.is_proven:
        improves = f"more {time} would improve it most, then {sizes}, then {cards}"
    elif document["inside"]["settled"] and inside.high < LITTLE:
        improves = abstraction
    elif document["inside"]["settled"]:
        improves = f"{either} shows when the response inside is valued over more boards (`--inside-valued`)"
    else:
        improves = f"{either} shows when the response inside learns longer (`--inside-most`)"
    return f"{_behaviour(document)}; judge it by what it loses, not by what it wins: {improves}."


def _behaviour(document: dict[str, Any]) -> str:
    checks = document.get("behaviour", {}).get("checks", [])
    near = [check["name"] for check in checks if is_near(check)]
    failed = [check["name"] for check in checks if not check["passed"] and check["name"] not in near]
    if not checks:
        return "Its behaviour has not been checked (`--parts behaviour`)"
    misses = f"misses {len(near)} by no more than chance explains ({', '.join(near)})" if near else ""
    if failed:
        also = f", and {misses}" if near else ""
        return f"It FAILED {len(failed)} of {len(checks)} checks of sane play ({', '.join(failed)}){also}"
    if near:
        return f"It fails none of {len(checks)} checks of sane play, and {misses}"
    rare = sum(check["measured"] is None for check in checks)
    passes = f"It passes all {len(checks)} checks of sane play"
    return (
        passes
        if not rare
        else f"It fails none of {len(checks)} checks of sane play ({rare} too rare to tell)"
    )


def _exceeds(local: Bound, inside: Bound, times: float) -> bool:
    """Whether local best response surely wins more than `times` what is won inside the abstraction."""
    return local.is_proven and local.low > times * max(inside.high, 0.0)


def _mbb(row: dict[str, Any]) -> float:
    return float(row["mbb_per_hand"])


def _bound(row: dict[str, Any]) -> Bound:
    half = float(row["mbb_per_hand_95"])
    return Bound(_mbb(row), _mbb(row) - half, _mbb(row) + half)


def _about(bound: Bound) -> str:
    return f"{bound.mbb:,.0f} ({_range(bound)})"


def _range(bound: Bound) -> str:
    return f"{bound.low:+,.0f} to {bound.high:+,.0f}"


def _listed(words: Sequence[str]) -> str:
    """List words as a sentence does: `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
