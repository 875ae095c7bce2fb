"""Staleness: what batches of many iterations on a frozen head cost, at equal rows touched.

With B = 1 the head's strategies are those of the turn before, as in Algorithm 4. With B > 1 a turn is B iterations
of both players on strategies that are up to B iterations old, and with `ahead` up to twice that. Trainings by
children in this process stop at marks in rows touched, in whole turns, and a response is learned to each inside its
own abstraction. Responses to all of them see the same deals, so that differences between runs have less noise than
the runs have.

Batches are compared with the smallest that reached a mark, over both values of `ahead`. They cost nothing
measurable where the difference at the last mark that B = 1 reached is not surely above 0. There are two such
comparisons for every larger batch, with `ahead` 0 and 1, and chance alone would put some of them above 0 sooner or
later: so they are judged together, by p-values that Holm's method adjusts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import takewhile
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.evaluate.learned_response import response_winnings
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.distributed.batches import DistributedSettings
from solvent.training.distributed.solver import DistributedSolver
from solvent_papers.confidence import LEVEL, Interval, chance_above, holm, mean_interval
from solvent_papers.frame.experiment import Found, Part, Say
from solvent_papers.frame.running import KeptRuns
from solvent_papers.tartanian7.cluster.training import Setup, betting_tree

NAME = "staleness"
AHEAD = (0, 1)


class Compared(NamedTuple):
    """The trainings that are compared, and where."""

    batches: tuple[int, ...] = (1, 100, 1_000, 10_000)
    """B. The first is the one with which the others are compared."""
    marks: tuple[float, ...] = (5e6, 15e6)
    """Rows touched at which runs are compared."""
    longer: tuple[float, ...] = (45e6,)
    """Marks that batches of one iteration take too long for; others are compared with the second of `batches`."""
    seeds: int = 8
    boards: int = 1_000
    """Boards on which a response is learned, for each seat, and over which its winnings are averaged."""


FULL = Compared()
SMALL = Compared((1, 20), (2e3,), (4e3,), seeds=2, boards=2)


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train with every size of batches, learn a response at every mark, and compare."""
    compared, cards = SMALL if setup.small else FULL, setup.load("tiny", say)
    settings = [
        {"batch": batch, "ahead": ahead, "seed": seed}
        for seed in range(compared.seeds)
        for batch in compared.batches
        for ahead in AHEAD
    ]
    found = {str(setting): kept.find(setting) for setting in settings}
    left = [setting for setting in settings if found[str(setting)] is None]
    for setting, rows_of_it in _train_all(setup, compared, cards, left):
        kept.add(setting, rows_of_it)
        found[str(setting)] = rows_of_it
        say("done: batches of {batch:,}, ahead {ahead}, seed {seed}".format(**setting))
    rows = [setting | row for setting in settings for row in found[str(setting)]]
    boards = f"{compared.boards:,}"
    return {
        "cards": cards.design.label,
        "learned": f"learned on {boards} boards for each seat, valued over {boards}",
        **judged(compared, rows),
        "rows": rows,
    }


def _train_all(
    setup: Setup, compared: Compared, cards: CardAbstraction, settings: list[dict[str, int]]
) -> Iterator[tuple[dict[str, int], list[dict[str, float]]]]:
    """Yield every setting with its rows once it is done. Marks are in rows, so that runs may share cores."""
    if setup.in_process or setup.threads == 1:
        for setting in settings:
            yield setting, _trained(compared, cards, **setting)
        return
    with ProcessPoolExecutor(setup.threads, get_context("spawn")) as workers:
        begun = {workers.submit(_trained, compared, cards.folder, **setting): setting for setting in settings}
        try:
            for done in as_completed(begun):
                yield begun[done], done.result()
        finally:
            workers.shutdown(cancel_futures=True)


def _trained(
    compared: Compared, given: CardAbstraction | Path | None, batch: int, ahead: int, seed: int
) -> list[dict[str, float]]:
    """Return a row for every mark: where the training stood, and what a response wins from it.

    given: the cards, or their folder.
    """
    cards = given if isinstance(given, CardAbstraction) else CardAbstraction.load(given or "")
    blueprint, rows = Blueprint(betting_tree(), cards), []
    settings = DistributedSettings(seed=seed, batch=batch, ahead=ahead)
    solver = DistributedSolver.in_process(blueprint, settings)
    for mark in compared.marks if batch == 1 else (*compared.marks, *compared.longer):
        while solver.touched < mark:
            solver.run(1)
        won = response_winnings(blueprint, compared.boards, compared.boards)
        at = {"mark": mark, "iterations": solver.iterations, "touched": solver.touched}
        rows.append(at | {"mbb": won.mbb, "interval": won.mbb_interval})
    return rows


def judged(compared: Compared, rows: list[Mapping[str, Any]]) -> Found:
    """Compare batches at every mark, and judge their costs at the last mark that B = 1 reached.

    A batch's `costs` are, by mark, how much more a response wins than from the smallest batches, with the interval
    of that comparison by itself; `p` is the adjusted chance of so large a cost if there were none.
    """

    def won(batch: int, ahead: int, mark: float) -> list[float]:
        """Return what responses win, by seed."""
        wanted = batch, ahead, mark
        return [row["mbb"] for row in rows if (row["batch"], row["ahead"], row["mark"]) == wanted]

    def more(batch: int, ahead: int, mark: float) -> list[float]:
        """Return how much more a response wins than from the smallest batches, whose mean has less noise."""
        first = smallest[mark]
        theirs = map(fmean, zip(won(first, 0, mark), won(first, 1, mark), strict=True))
        return [one - other for one, other in zip(won(batch, ahead, mark), theirs, strict=True)]

    marks, last = (*compared.marks, *compared.longer), compared.marks[-1]
    smallest = {mark: compared.batches[0 if mark in compared.marks else 1] for mark in marks}
    trained = [(batch, ahead) for batch in compared.batches for ahead in AHEAD]
    larger = [each for each in trained if each[0] != compared.batches[0]]
    chances = dict(zip(larger, holm([chance_above(more(*each, last)) for each in larger]), strict=True))
    batches = []
    for batch, ahead in trained:
        seen = {mark: won(batch, ahead, mark) for mark in marks}
        costs = [
            list(mean_interval(more(batch, ahead, mark))) if seen[mark] and batch != smallest[mark] else None
            for mark in marks
        ]
        means = [fmean(seen[mark]) if seen[mark] else None for mark in marks]
        chance = chances.get((batch, ahead))
        batches.append({"batch": batch, "ahead": ahead, "mbb": means, "costs": costs, "p": chance})
    return {
        "marks": list(marks),
        "judged at": last,
        "seeds": compared.seeds,
        "batches": batches,
        "largest free": [_largest_free(compared, chances, ahead) for ahead in AHEAD],
    }


def _largest_free(compared: Compared, chances: Mapping[tuple[int, int], float], ahead: int) -> int:
    """Return the largest B such that it and all smaller ones cost nothing measurable."""
    first, *larger = compared.batches
    free = takewhile(lambda batch: chances[batch, ahead] > (1 - LEVEL) / 2, larger)
    return [first, *free][-1]


def figures(found: Found) -> dict[str, float]:
    """Return the cost of every B at the last mark that B = 1 reached, and the largest B that costs nothing."""
    named: dict[str, float] = {}
    last = found["marks"].index(found["judged at"])
    for each in found["batches"]:
        if each["p"] is not None:
            name = f"{NAME}.cost.B {each['batch']}.ahead {each['ahead']}"
            named |= Interval(*each["costs"][last]).figures(name) | {f"{name}.p": each["p"]}
    for ahead, largest in zip(AHEAD, found["largest free"], strict=True):
        named[f"{NAME}.largest free.ahead {ahead}"] = float(largest)
    return named


STALENESS = Part(NAME, measure, figures)
