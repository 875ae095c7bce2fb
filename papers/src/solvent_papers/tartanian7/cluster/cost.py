"""The cost model checked against runs on this machine, and what it says of the paper's configuration.

Brown, Ganzfried and Sandholm (2015), sections 3 and 5: 6,104,546 action nodes, 60 public clusters x 500 buckets, 60
blades of 16 cores and a head; about 15 ms an iteration, less than 1 ms of it latency, 128 GB a blade.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from solvent.foundation.units import size
from solvent_papers.kept import KeptRuns
from solvent_papers.page import Bar, markdown_table
from solvent_papers.parts import Found, Part, once
from solvent_papers.steps import Say
from solvent_papers.tartanian7.cluster import cost_measures as measures
from solvent_papers.tartanian7.cluster.cost_model import (
    NANO,
    Cluster,
    Rates,
    Turn,
    Work,
    fit_line,
    fit_power,
    fit_rows,
    game_nodes,
    infoset_actions,
    message_bytes,
    table_bytes,
    turn,
)
from solvent_papers.tartanian7.cluster.part import Setup
from solvent_papers.tartanian7.cluster.training import BETTING

NAME = "cost"
PAPER_NODES, PAPER_CLUSTERS, PAPER_BUCKETS = 6_104_546, 60, 500
PAPER_CORES, PAPER_BLADE_BYTES = 16, 128e9
PAPER_ITERATION, PAPER_LATENCY = 15e-3, 1e-3
PAPER_LOCAL_NS = 130.0
"""An access to memory of the same blade."""
CLOSE = 0.25
"""The relative error that we had asked the check to stay below."""
BETTINGS = (BETTING, "preflop=100%,a; postflop=50%,100%,a; cap=3; stack=200", "acpc")
PAPER_BATCHES = (1, 100, 1_000)
MORE_SAMPLES = 10
"""Samples of a core in an iteration, where there are more than one."""


@dataclass(frozen=True)
class Scale:
    """How long everything is measured."""

    buckets: tuple[int, ...] = (20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 20_000)
    row_seconds: float = 3.0
    continuations: tuple[int, ...] = (0, 1_000, 10_000, 100_000)
    repeats: int = 100
    crowded: int = 200
    """Buckets of the tables on which rows are timed with all cores at work."""
    workers: tuple[int, ...] = (1, 2, 4, 8)
    warm: int = 50
    turns: int = 100
    tree_iterations: int = 300_000
    bettings: tuple[str, ...] = BETTINGS


FULL = Scale()
SMALL = Scale((5, 20, 100), 0.05, (0, 100, 1_000), 3, 20, (1, 2), 2, 4, 500, BETTINGS[:2])


def measure(setup: Setup, kept: KeptRuns, say: Say) -> Found:
    """Measure the parameters, then the runs that the model is checked against."""
    scale = SMALL if setup.small else FULL
    cards = setup.load("small", say)
    say("seconds of a row by size of the table")
    rows = once(kept, {"measure": "rows"}, lambda: measures.row_seconds(scale.buckets, scale.row_seconds))
    crowd = once(
        kept,
        {"measure": "crowd"},
        lambda: [
            measures.row_seconds([scale.crowded], scale.row_seconds, children)[0]["seconds"]
            for children in (1, setup.threads)
        ],
    )
    say("seconds of a message")
    messages = once(
        kept,
        {"measure": "messages"},
        lambda: measures.message_seconds(scale.continuations, scale.repeats, setup.threads, setup.in_process),
    )
    say("turns taken apart")
    apart = once(
        kept,
        {"measure": "apart"},
        lambda: measures.taken_apart(cards, setup.batch, scale.turns, scale.warm),
    )
    say("rows of larger betting trees")
    trees = once(
        kept,
        {"measure": "trees"},
        lambda: measures.tree_rows(
            cards, scale.bettings, scale.tree_iterations, max(1, scale.tree_iterations // 10), setup.threads
        ),
    )
    runs = []
    for workers in scale.workers:
        say(f"a run with {workers} children")
        runs.append(
            once(
                kept,
                {"run": workers},
                partial(
                    measures.turn_seconds,
                    cards,
                    setup.batch,
                    workers,
                    scale.turns,
                    scale.warm,
                    setup.in_process,
                ),
            )
        )
    return {
        "cards": cards.design.label,
        "batch": setup.batch,
        "cores": setup.threads,
        "rows": rows,
        "crowd": crowd,
        "messages": messages,
        "apart": apart,
        "trees": trees,
        "runs": runs,
    }


def rates_of(found: Found) -> Rates:
    """The machine's rates from what was measured."""
    apart = found["apart"]
    row_ns, miss_ns, cache = fit_rows(*_columns(found["rows"], "bytes", "seconds"))
    start, per_byte = fit_line(*_columns(found["messages"], "bytes", "seconds"))
    values = apart["value_seconds"] * apart["continuations"] * len(apart["child_rows"])
    head = max(0.0, apart["head_seconds"] - values) / apart["head_rows"]
    real = _real_cards(found, Rates(row_ns, miss_ns, cache, 0, 0, 0, 0, 0))
    return Rates(
        real * row_ns,
        real * miss_ns,
        cache,
        head / NANO,
        apart["deal_seconds"] / NANO,
        apart["value_seconds"] / NANO,
        start,
        per_byte,
        max(1.0, found["crowd"][1] / found["crowd"][0]),
    )


def _real_cards(found: Found, drawn: Rates) -> float:
    """By how much a row takes longer with real cards than with drawn ones, on tables of one process."""
    apart = found["apart"]
    rows, clusters = sum(apart["child_rows"]), len(apart["child_rows"])
    walking = apart["child_row_seconds"] * rows - apart["deal_seconds"] * clusters
    return float(walking / rows / drawn.row_seconds(apart["arena_bytes"] * clusters))


def _columns(rows: list[dict[str, Any]], *names: str) -> list[list[float]]:
    return [[row[name] for row in rows] for name in names]


def predicted(found: Found, workers: int) -> Turn:
    """What the model says of a run with so many children on this machine."""
    cluster = Cluster(workers, found["cores"], found["batch"])
    return turn(rates_of(found), measures.work_of(found["apart"]), cluster)


def paper_work(found: Found) -> Work:
    """An iteration on the paper's betting tree: rows by the power law of our trees, imbalances as measured.

    The larger tree's part before the flop is taken to grow as the whole tree's rows do. Our clusters' shares of the
    work are repeated.
    """
    apart, nodes = found["apart"], found["trees"][0]["nodes"]
    factor, exponent = fit_power(*_columns(found["trees"], "nodes", "rows"))
    grown = (PAPER_NODES / nodes) ** exponent
    below = factor * PAPER_NODES**exponent
    shares = [rows / fmean(apart["child_rows"]) for rows in apart["child_rows"]]
    each = tuple(below * shares[n % len(shares)] for n in range(PAPER_CLUSTERS))
    arena = table_bytes(infoset_actions(PAPER_NODES, PAPER_BUCKETS))
    return Work(
        apart["head_rows"] * grown, apart["continuations"] * grown, each, apart["child_spread"], arena
    )


def paper_turn(found: Found, batch: int, rates: Rates | None = None, samples: int = 1) -> Turn:
    """What the model says of the paper's cluster, with so many samples on each core of a blade."""
    cluster = Cluster(PAPER_CLUSTERS, None, batch, samples * PAPER_CORES, PAPER_CORES)
    return turn(rates or rates_of(found), paper_work(found), cluster)


def paper_messages(found: Found) -> Rates:
    """Our rates, with messages so quick that all of an iteration take what the paper says they take at most."""
    ours = rates_of(found)
    values = {name: getattr(ours, name) for name in ours.__dataclass_fields__}
    return Rates(**values | {"message_s": PAPER_LATENCY / 2 / PAPER_CLUSTERS, "byte_s": 0.0})


def errors_of(found: Found) -> dict[int, float]:
    """By workers: how far the model is from the run, by the run's seconds."""
    return {
        run["workers"]: predicted(found, run["workers"]).seconds / run["seconds"] - 1 for run in found["runs"]
    }


def figures(found: Found) -> dict[str, float]:
    """Return the model's errors, and what it says of the paper's configuration."""
    named = {f"{NAME}.error.{workers}": error for workers, error in errors_of(found).items()}
    named[f"{NAME}.error.largest"] = max(map(abs, errors_of(found).values()))
    rates = rates_of(found)
    ours, theirs = paper_turn(found, 1), paper_turn(found, 1, paper_messages(found))
    many, more = paper_turn(found, 1_000), paper_turn(found, 1, paper_messages(found), MORE_SAMPLES)
    row = rates.row_seconds(paper_work(found).clusters_table_bytes)
    each = [row * rows / 2 for rows in paper_work(found).child_rows]
    flops = found["apart"]["flops"]
    named |= {
        f"{NAME}.row ns.small": rates.row_ns,
        f"{NAME}.row ns.large": rates.row_ns + rates.miss_ns,
        f"{NAME}.message us": 1e6 * rates.message_s,
        f"{NAME}.flops.largest by mean": max(flops) / fmean(flops),
        f"{NAME}.work.spread": found["apart"]["child_spread"],
        f"{NAME}.work.largest by mean": max(found["apart"]["child_rows"])
        / fmean(found["apart"]["child_rows"]),
        f"{NAME}.paper.iteration ms": 1e3 * theirs.iteration_seconds,
        f"{NAME}.paper.iteration ms.our messages": 1e3 * ours.iteration_seconds,
        f"{NAME}.paper.latency ms.our messages": 1e3 * ours.messages / ours.iterations,
        f"{NAME}.paper.iteration ms.batched": 1e3 * many.iteration_seconds,
        f"{NAME}.paper.latency ms.batched": 1e3 * many.messages / many.iterations,
        f"{NAME}.paper.latency share": theirs.messages / theirs.seconds,
        f"{NAME}.paper.latency share.more samples": more.messages / more.seconds,
        f"{NAME}.paper.waiting share": 1 - fmean(each) / theirs.children,
        f"{NAME}.paper.idle share": theirs.idle_share,
        f"{NAME}.paper.idle share.batched": many.idle_share,
        f"{NAME}.paper.blade bytes": paper_work(found).clusters_table_bytes,
        f"{NAME}.here.idle share.{found['cores']} children": predicted(found, found["cores"]).idle_share,
    }
    return named


def bars(found: Found) -> list[Bar]:
    """The model was to be near every run."""
    largest = max(map(abs, errors_of(found).values()))
    wanted = f"within {CLOSE:.0%} of every run"
    return [Bar("the cost model against runs here", wanted, f"{largest:.0%} at most", largest <= CLOSE)]


def section(found: Found) -> str:
    """Return the part's section of the page."""
    rates, apart = rates_of(found), found["apart"]
    flops = apart["flops"]
    parts = [
        "## What a cluster costs",
        "A model in closed formulas (`solvent_papers.tartanian7.cluster.cost_model`): a turn takes the head's "
        "two passes, a message to each worker and its answer, and the slowest worker, or all workers' time by the "
        "cores that they share. What it is driven by, measured here:",
        _rates_table(rates, found),
        f"Public clusters are not alike: the largest has {max(flops) / fmean(flops):.2f} times the mean of "
        f"{fmean(flops):,.0f} flops, and the busiest child touches "
        f"{max(apart['child_rows']) / fmean(apart['child_rows']):.2f} times the mean rows; in one iteration a "
        f"child's rows deviate by {apart['child_spread']:.0%} of their mean.",
        f"Checked against runs on {found['cards']} cards, batches of {found['batch']:,} iterations, worker "
        f"processes on {found['cores']} cores:",
        _check_table(found),
        _paper_text(found),
        _paper_table(found),
    ]
    return "\n\n".join(part.rstrip() for part in parts)


def _rates_table(rates: Rates, found: Found) -> str:
    factor, exponent = fit_power(*_columns(found["trees"], "nodes", "rows"))
    rows = ", ".join(f"{1e9 * row['seconds']:.0f} ({size(int(row['bytes']))})" for row in found["rows"])
    lines = [
        ["a row of a child's table", f"{rates.row_ns:.0f} ns in a cache of {size(int(rates.cache_bytes))}, "
         f"{rates.miss_ns:.0f} ns more without; with drawn cards: {rows}"],
        ["a row while all cores walk", f"{rates.crowded:.2f} times as long"],
        ["a row of the head, dealing and both passes", f"{rates.head_row_ns:.0f} ns"],
        ["a value of a child, weighed by the head", f"{rates.value_ns:.1f} ns"],
        ["cards of an iteration for a child", f"{rates.deal_ns:.0f} ns"],
        ["a message and its answer, between processes", f"{1e6 * rates.message_s:.0f} us and "
         f"{1e9 * rates.byte_s:.2f} ns a byte"],
        ["rows of an iteration on a tree of N nodes", f"{factor:.3g} N^{exponent:.2f}, from "
         + ", ".join(f"{tree['rows']:,.0f} ({tree['nodes']:,})" for tree in found["trees"])],
    ]  # fmt: skip
    return markdown_table(["", "here"], lines)


def _check_table(found: Found) -> str:
    lines = []
    for run in found["runs"]:
        told, error = predicted(found, run["workers"]), errors_of(found)[run["workers"]]
        lines.append(
            [
                run["workers"],
                f"{1e3 * run['seconds']:.1f}",
                f"{1e3 * told.seconds:.1f}",
                f"{error:+.0%}",
                f"{1e3 * told.head:.1f}",
                f"{1e3 * told.messages:.2f}",
                f"{1e3 * told.children:.1f}",
                f"{1 - run['busy']:.0%}" if run["workers"] <= found["cores"] else "-",
                f"{told.idle_share:.0%}" if run["workers"] <= found["cores"] else "-",
            ]
        )
    header = ["children", "ms a turn, measured", "predicted", "error", "head", "messages", "children's work"]
    return markdown_table([*header, "idle, measured", "idle, predicted"], lines)


def _paper_text(found: Found) -> str:
    work = paper_work(found)
    cells = infoset_actions(PAPER_NODES, PAPER_CLUSTERS * PAPER_BUCKETS)
    nodes = game_nodes(PAPER_NODES, PAPER_CLUSTERS * PAPER_BUCKETS)
    return (
        f"The paper's configuration: {PAPER_NODES:,} action nodes and {PAPER_CLUSTERS} x {PAPER_BUCKETS} buckets "
        f"make {cells:.3g} infoset-actions and {nodes:.3g} nodes, as it says: {table_bytes(cells) / 1e12:.2f} TB, "
        f"{work.clusters_table_bytes / 1e9:.1f} GB on each of {PAPER_CLUSTERS} blades of "
        f"{PAPER_BLADE_BYTES / 1e9:.0f} GB. A child walks about {fmean(work.child_rows):,.0f} rows a "
        f"sample in an iteration, by the power law above; each of a blade's {PAPER_CORES} cores has a sample of "
        "its own. Predicted with this machine's cores and memory, beside the paper's:"
    )


def _paper_table(found: Found) -> str:
    theirs = paper_turn(found, 1, paper_messages(found))
    lines = [_paper_line("the paper's latency, B = 1", theirs)]
    lines += [
        _paper_line(f"our worker processes' messages, B = {batch:,}", paper_turn(found, batch))
        for batch in PAPER_BATCHES
    ]
    lines.append(["the paper", "", "below 1", "", "about 15", '"significant"'])
    header = ["", "head, ms", "messages, ms", "slowest child, ms", "ms an iteration", "idle share of a blade"]
    return markdown_table(header, lines) + "\n" + _words(found, theirs)


def _paper_line(name: str, told: Turn) -> list[object]:
    parts = (1e3 * each / told.iterations for each in (told.head, told.messages, told.children))
    return [
        name,
        *(f"{part:.3g}" for part in parts),
        f"{1e3 * told.iteration_seconds:.3g}",
        f"{told.idle_share:.0%}",
    ]


def _words(found: Found, theirs: Turn) -> str:
    ratio = PAPER_ITERATION / theirs.iteration_seconds
    message = message_bytes(paper_work(found), Cluster(PAPER_CLUSTERS, None, 1))
    return (
        f"The paper's 15 ms are {ratio:.1f} times what the model gives an iteration: its betting tree is not "
        "published and may be bushier than ours of as many nodes, and nothing is said of asking for rows ahead, "
        f"without which each waits for memory ({PAPER_LOCAL_NS:.0f} ns there). A message of {message:,.0f} bytes "
        "costs by its latency alone, which batches divide by B.\n"
    )


COST = Part(NAME, measure, section, figures, bars)
