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

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

from solvent.abstraction.cards.buckets import CardAbstraction
from solvent.evaluate.learned_response import response_winnings
from solvent.forms.betting.tree import build_tree
from solvent.games.betting.sizes import parse_betting
from solvent.strategy.agents.blueprint import Blueprint
from solvent.training.distributed.batches import DistributedSettings
from solvent.training.distributed.solver import DistributedSolver
from solvent.training.settings import DEFAULT_AHEAD, DEFAULT_BATCH
from solvent_papers.confidence import LEVEL, Interval, chance_above, holm, mean_interval
from solvent_papers.kept import KeptRuns
from solvent_papers.page import Bar, markdown_table
from solvent_papers.parts import Found, Part
from solvent_papers.steps import Say
from solvent_papers.tartanian7.cluster.part import Setup
from solvent_papers.tartanian7.cluster.training import BETTING

NAME = "staleness"


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    batches: tuple[int, ...] = (1, 100, 1_000, 10_000)
    """B. The first is what the others are compared with."""
    marks: tuple[float, ...] = (5e6, 15e6)
    """Rows touched at which runs are compared."""
    longer: tuple[float, ...] = (45e6,)
    """Marks that batches of one iteration take too long for; others are compared with the second of `batches`."""
    seeds: int = 8
    boards: int = 1_000
    """Boards on which a response is learned, for each seat."""
    valued: int = 1_000
    """Boards over which its winnings are averaged."""


FULL = Scale()
SMALL = Scale(batches=(1, 20), marks=(20e3,), longer=(40e3,), seeds=2, boards=5, valued=5)


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Train with every size of batches, and learn a response at every mark."""
    scale, cards = SMALL if setup.small else FULL, setup.load("tiny", say)
    settings = [
        {"batch": batch, "ahead": ahead, "seed": seed}
        for seed in range(scale.seeds)
        for batch in scale.batches
        for ahead in (0, 1)
    ]
    left = [setting for setting in settings if kept.find(setting) is None]
    found = {str(setting): kept.find(setting) for setting in settings}
    for setting, rows_of_it in _train_all(setup, scale, cards, left):
        kept.add(setting, rows_of_it)
        found[str(setting)] = rows_of_it
        say("done: batches of {batch:,}, ahead {ahead}, seed {seed}".format(**setting))
    rows = [setting | row for setting in settings for row in found[str(setting)]]
    return {
        "cards": cards.design.label,
        "batches": scale.batches,
        "marks": scale.marks,
        "longer": scale.longer,
        "seeds": scale.seeds,
        "valued": scale.valued,
        "boards": scale.boards,
        "rows": rows,
    }


def _train_all(
    setup: Setup, scale: Scale, cards: CardAbstraction, settings: list[dict[str, int]]
) -> Iterator[tuple[dict[str, int], list[dict[str, float]]]]:
    """Every setting with its rows, as they are done: marks are in rows touched, so that runs may share cores."""
    if setup.in_process or setup.threads == 1:
        for setting in settings:
            yield setting, _trained(scale, cards, **setting)
        return
    with ProcessPoolExecutor(setup.threads, get_context("spawn")) as workers:
        begun = {workers.submit(_trained, scale, cards.folder, **setting): setting for setting in settings}
        try:
            for done in as_completed(begun):
                yield begun[done], done.result()
        finally:
            workers.shutdown(cancel_futures=True)


def _trained(
    scale: Scale, given: CardAbstraction | Path | None, batch: int, ahead: int, seed: int
) -> list[dict[str, float]]:
    """A row for every mark: where the training stood, and what a response wins from it.

    given: the cards, or their folder.
    """
    cards = given if isinstance(given, CardAbstraction) else CardAbstraction.load(given or "")
    marks = scale.marks if batch == 1 else (*scale.marks, *scale.longer)
    tree, rows = build_tree(parse_betting(BETTING)), []
    blueprint = Blueprint(tree, cards)
    settings = DistributedSettings(seed=seed, batch=batch, ahead=ahead)
    solver = DistributedSolver.in_process(blueprint, settings)
    for mark in marks:
        while solver.touched < mark:
            solver.run(1)
        won = response_winnings(blueprint, scale.boards, scale.valued)
        at = {"mark": mark, "iterations": solver.iterations, "touched": solver.touched}
        rows.append(at | {"mbb": won.mbb, "interval": won.mbb_interval})
    return rows


def responses(found: Found, batch: int, ahead: int, mark: float) -> list[float]:
    """What responses win at a mark, in mbb a hand, by seed."""
    wanted = batch, ahead, mark
    return [row["mbb"] for row in found["rows"] if (row["batch"], row["ahead"], row["mark"]) == wanted]


def smallest(found: Found, mark: float) -> int:
    """The smallest batches that reached a mark, with which others are compared."""
    return int(found["batches"][0 if mark in found["marks"] else 1])


def differences(found: Found, batch: int, ahead: int, mark: float) -> list[float]:
    """How much more a response wins than from the smallest batches, in mbb a hand, by seed.

    What it wins from those is the mean of `ahead` 0 and 1, which has less noise than one of them.
    """
    first = smallest(found, mark)
    pooled = zip(responses(found, first, 0, mark), responses(found, first, 1, mark), strict=True)
    theirs = [fmean(pair) for pair in pooled]
    return [one - other for one, other in zip(responses(found, batch, ahead, mark), theirs, strict=True)]


def cost(found: Found, batch: int, ahead: int, mark: float) -> Interval:
    """The mean of `differences` with its interval, which is that of one comparison by itself."""
    return mean_interval(differences(found, batch, ahead, mark))


def chances(found: Found) -> dict[tuple[int, int], float]:
    """The adjusted p-value that a batch costs something, by B and `ahead`, for all but the smallest."""
    compared = [(int(batch), ahead) for batch in found["batches"][1:] for ahead in (0, 1)]
    alone = [chance_above(differences(found, *each, found["marks"][-1])) for each in compared]
    return dict(zip(compared, holm(alone), strict=True))


def free(found: Found, batch: int, ahead: int) -> bool:
    """Whether batches cost nothing measurable at the last mark that B = 1 reached."""
    return chances(found)[batch, ahead] > (1 - LEVEL) / 2


def largest_free(found: Found, ahead: int) -> int:
    """The largest B that costs nothing measurable, and all smaller ones do not, either."""
    best = int(found["batches"][0])
    for batch in found["batches"][1:]:
        if not free(found, batch, ahead):
            break
        best = int(batch)
    return best


def figures(found: Found) -> dict[str, float]:
    """Return the cost of every B at the last mark that B = 1 reached, and the largest B that costs nothing."""
    named: dict[str, float] = {}
    last = found["marks"][-1]
    for (batch, ahead), chance in chances(found).items():
        seen = cost(found, batch, ahead, last)
        name = f"{NAME}.cost.B {batch}.ahead {ahead}"
        named |= {name: seen.middle, f"{name}.low": seen.low, f"{name}.high": seen.high}
        named[f"{name}.p"] = chance
    for ahead in (0, 1):
        named[f"{NAME}.largest free.ahead {ahead}"] = float(largest_free(found, ahead))
    return named


def bars(found: Found) -> list[Bar]:
    """What we had asked: the default costs nothing measurable."""
    if DEFAULT_BATCH not in found["batches"]:
        return []
    seen = cost(found, DEFAULT_BATCH, DEFAULT_AHEAD, found["marks"][-1])
    chance = chances(found)[DEFAULT_BATCH, DEFAULT_AHEAD]
    return [
        Bar(
            f"batches of {DEFAULT_BATCH:,}, ahead {DEFAULT_AHEAD} (the defaults): cost at equal rows touched",
            "not surely above 0",
            f"{seen.middle:+.0f} [{seen.low:+.0f}, {seen.high:+.0f}] mbb/hand, p = {chance:.2g}",
            free(found, DEFAULT_BATCH, DEFAULT_AHEAD),
        )
    ]


def section(found: Found) -> str:
    """Return the part's section of the page."""
    marks, judged = [*found["marks"], *found["longer"]], chances(found)
    last = f"{found['marks'][-1] / 1e6:g} million rows"
    rows = []
    for batch in found["batches"]:
        for ahead in (0, 1):
            cells = []
            for mark in marks:
                seen = responses(found, batch, ahead, mark)
                if not seen:
                    cells.append("")
                    continue
                difference = ""
                if batch != smallest(found, mark):
                    more = cost(found, batch, ahead, mark)
                    difference = f" ({more.middle:+.0f} ± {more.half:.0f})"
                cells.append(f"{fmean(seen):.0f}{difference}")
            chance = judged.get((batch, ahead))
            rows.append([f"{batch:,}", ahead, *cells, "" if chance is None else f"{chance:.2g}"])
    largest = " and ".join(f"{largest_free(found, ahead):,} with ahead {ahead}" for ahead in (0, 1))
    parts = [
        "## Staleness: batches at equal rows touched",
        f"{BETTING} betting, cards {found['cards']}, {found['seeds']} seeds, children in one process. What a "
        f"response learned inside the abstraction wins (learned on {found['boards']:,} boards for each seat, "
        f"valued over {found['valued']:,}), in mbb/hand; in brackets how much more than from B = 1 or, beyond "
        f"what B = 1 reached, than from B = {found['batches'][1]:,}, both over ahead 0 and 1, with 95 % intervals "
        f"over seeds. p is the chance of so large a cost at {last} if there were none, one-sided and adjusted by "
        f"Holm's method for all {len(judged)} comparisons; at {(1 - LEVEL) / 2:g} or below a cost is sure. Runs "
        "stop at whole turns.",
        markdown_table(["B", "ahead", *(f"{mark / 1e6:g} million rows" for mark in marks), "p"], rows),
        f"The largest B that costs nothing measurable is {largest}. That is what {found['seeds']} seeds can tell; "
        "the intervals say what a cost might still be.",
    ]
    return "\n\n".join(part.rstrip() for part in parts)


STALENESS = Part(NAME, measure, section, figures, bars)
